-- One ends the tokens of one's own workspace.
select t.here();

-- test: raised for an unknown token and for one of another workspace, alike
select t.act_as('superuser');
select set_config('t.token', leadline.create_token(t.elsewhere(), 'app'), true);
select t.keep('foreign', x.token_id) from leadline.api_tokens x where x.prefix = split_part(current_setting('t.token'), '_', 2);
select t.act_as('admin');
select t.raises($$ select leadline.revoke_token(t.workspace(), gen_random_uuid()) $$, 'PT404', 'no_such_token', 'nobody issued it');
select results_eq(
    $$ select c.* from t.caught($q$ select leadline.revoke_token(t.workspace(), t.kept('foreign')) $q$) c $$,
    $$ select c.* from t.caught($q$ select leadline.revoke_token(t.workspace(), gen_random_uuid()) $q$) c $$,
    'word for word the same for a foreign one');
select throws_ok($$ select leadline.revoke_token(t.workspace(), null) $$, 'PT404', null, 'none at all');
set local session authorization leadline_service;
select lives_ok($$ select leadline.enter(current_setting('t.token')) $$, 'the foreign one still opens its workspace');

-- test: allowed for one''s own, and said once
select set_config('t.token', leadline.create_token(t.workspace(), 'app'), true);
select t.keep('mine', x.token_id) from leadline.tokens x where x.prefix = split_part(current_setting('t.token'), '_', 2);
select is(leadline.revoke_token(t.workspace(), t.kept('mine')), true, 'it ends');
select is(leadline.revoke_token(t.workspace(), t.kept('mine')), false, 'it had ended');
set local session authorization leadline_service;
select throws_ok($$ select leadline.enter(current_setting('t.token')) $$, 'PT401', null, 'it opens nothing any more');
