-- A token opens its workspace, as long as it is known, running and not revoked.
select t.here();

-- test: raised for a token nobody issued
set local session authorization leadline_service;
select t.raises($$ select leadline.enter('ll_0123456789ab_0123456789012345678901234567890123456789') $$, 'PT401', 'unknown_token', 'invented');
select throws_ok($$ select leadline.enter('') $$, 'PT401', null, 'empty');
select throws_ok($$ select leadline.enter(null) $$, 'PT401', null, 'missing');
select throws_ok($$ select leadline.log_activity(gen_random_uuid(), 'sale', p_token => 'll_nonsense') $$, 'PT401', null, 'by the other door');

-- test: raised for a secret that is not the token's
select t.act_as('superuser');
select set_config('t.token', leadline.create_token(t.workspace(), 'app'), true);
set local session authorization leadline_service;
select throws_ok($$ select leadline.enter(current_setting('t.token') || 'x') $$, 'PT401', null, 'longer');
select throws_ok($$ select leadline.enter(left(current_setting('t.token'), -1)) $$, 'PT401', null, 'shorter');

-- test: raised for a token that has run out or was revoked
select t.act_as('superuser');
select set_config('t.token', leadline.create_token(t.workspace(), 'app', p_expires_at => '2026-01-01T00:00:00Z'), true);
select set_config('t.revoked', leadline.create_token(t.workspace(), 'app', p_name => 'revoked'), true);
update leadline.api_tokens a set revoked_at = clock_timestamp() where a.workspace_id = t.workspace() and a.name = 'revoked';
set local session authorization leadline_service;
select throws_ok($$ select leadline.enter(current_setting('t.token')) $$, 'PT401', null, 'it has run out');
select throws_ok($$ select leadline.enter(current_setting('t.revoked')) $$, 'PT401', null, 'it was revoked');

-- test: allowed
select t.keep('lead', t.lead('new'));
select t.act_as('superuser');
select set_config('t.token', leadline.create_token(t.workspace(), 'app'), true);
set local session authorization leadline_service;
select results_eq(
    $$ select l.verdict, l.to_stage from leadline.log_activity(t.kept('lead'), 'contact_attempted', p_token => current_setting('t.token')) l $$,
    $$ values ('applied', 'attempted') $$, 'in one round trip');

-- test: only the service enters
select t.act_as('app');
select throws_ok($$ select leadline.enter('ll_0123456789ab_0123456789012345678901234567890123456789') $$, '42501', null, 'a bound login has its workspace');
