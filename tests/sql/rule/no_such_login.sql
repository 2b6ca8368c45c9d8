-- One ends the logins of one's own workspace.
select t.here();

-- test: raised for a login that is bound nowhere and for one of another workspace, alike
select t.act_as('app', '{}', t.elsewhere());
select set_config('t.foreign', session_user::text, true);
select t.act_as('admin');
select t.raises($$ select leadline.revoke_login(t.workspace(), 'leadline_service') $$, 'PT404', 'no_such_login', 'bound nowhere');
select throws_ok($$ select leadline.revoke_login(t.workspace(), 'no such role at all') $$, 'PT404', null, 'not even a role');
select throws_ok($$ select leadline.revoke_login(t.workspace(), null) $$, 'PT404', null, 'none at all');
select results_eq(
    $$ select c.* from t.caught($q$ select leadline.revoke_login(t.workspace(), current_setting('t.foreign')::name) $q$) c $$,
    $$ select c.* from t.caught($q$ select leadline.revoke_login(t.workspace(), 'leadline_service') $q$) c $$,
    'word for word the same for a foreign one');
select t.act_as('app', '{}', t.elsewhere());
select is(leadline.current_workspace(), t.elsewhere(), 'the foreign one still leads there');

-- test: allowed for one''s own, and said once
select t.act_as('app');
select set_config('t.mine', session_user::text, true);
select t.act_as('admin');
select is(leadline.revoke_login(t.workspace(), current_setting('t.mine')::name), true, 'it ends');
select is(leadline.revoke_login(t.workspace(), current_setting('t.mine')::name), false, 'it had ended');
select t.act_as('app');
select is(leadline.current_workspace(), null, 'it leads nowhere');
select throws_ok($$ select t.created() $$, 'PT401', null, 'and nobody is known behind it');
