-- Nobody reports anonymously.
select t.here();

-- test: raised for a login that is bound to no workspace
select t.keep('lead', t.lead('new'));
select t.act_as('nobody');
select t.raises($$ select t.report(t.kept('lead'), 'contact_attempted') $$, 'PT401', 'credential_required', 'an unbound login');
select throws_ok($$ insert into leadline.leads (source) values ('web') $$, 'PT401', null, 'makes no lead');
select throws_ok($$ select leadline.log_activity(t.kept('lead'), 'contact_attempted') $$, 'PT401', null, 'by no door');
select is((select count(*)::int from leadline.lead_overview), 0, 'and sees none');

-- test: raised when the login was revoked
select t.keep('lead', t.lead('new'));
select t.act_as('superuser');
update leadline.workspace_logins w set revoked_at = clock_timestamp() where w.workspace_id = t.workspace();
select t.act_as('admin');
select throws_ok($$ select t.report(t.kept('lead'), 'contact_attempted') $$, 'PT401', null, 'it opens nothing any more');

-- test: raised for a context that nobody signed, even to a bound login
select t.keep('lead', t.lead('new'));
select set_config('leadline.context', t.workspace()::text || '|||owner|person|00', true);
select throws_ok($$ select t.report(t.kept('lead'), 'contact_attempted') $$, 'PT401', null, 'a forged context');

-- test: raised before the word is read
select t.act_as('nobody');
select throws_ok($$ select t.report(gen_random_uuid(), 'sold') $$, 'PT401', null, 'not unknown_activity_type');

-- test: allowed to a bound login
select is(t.verdict(t.lead('new'), 'contact_attempted'), 'applied', 'its workspace and role are known');
