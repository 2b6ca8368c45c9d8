-- Another workspace's team is not there.
select t.here();

-- test: raised for a foreign workspace and for an unknown one, alike
select t.raises($$ select leadline.add_member(t.elsewhere(), 'new@here.example.com', 'member') $$, 'PT404', 'no_such_workspace', 'a foreign one');
select t.raises($$ select leadline.add_member(gen_random_uuid(), 'new@here.example.com', 'member') $$, 'PT404', 'no_such_workspace', 'an unknown one');
select results_eq(
    $$ select c.* from t.caught($q$ select leadline.create_token(t.elsewhere(), 'app') $q$) c $$,
    $$ select c.* from t.caught($q$ select leadline.create_token(gen_random_uuid(), 'app') $q$) c $$,
    'word for word the same');
select throws_ok($$ select leadline.add_member(null, 'new@here.example.com', 'member') $$, 'PT404', null, 'no one');

-- test: raised by every function about a team, and nothing happens there
select t.act_as('app', '{}', t.elsewhere());
select t.act_as('superuser');
select t.keep('person', leadline.add_member(t.elsewhere(), 'person@there.example.com', 'member'));
select leadline.create_token(t.elsewhere(), 'app');
select t.keep('token', x.token_id) from leadline.api_tokens x where x.workspace_id = t.elsewhere();
select set_config('t.seq', (select w.seq::text from leadline.workspaces w where w.workspace_id = t.elsewhere()), true);
select t.act_as('owner');
select throws_ok($$ select leadline.deactivate_member(t.elsewhere(), t.kept('person')) $$, 'PT404', null, 'deactivate_member');
select throws_ok($$ select leadline.create_token(t.elsewhere(), 'app') $$, 'PT404', null, 'create_token');
select throws_ok($$ select leadline.revoke_token(t.elsewhere(), t.kept('token')) $$, 'PT404', null, 'revoke_token');
select throws_ok($$ select leadline.revoke_login(t.elsewhere(), 'leadline_service') $$, 'PT404', null, 'revoke_login');
select throws_ok($$ select leadline.close_workspace(t.elsewhere()) $$, 'PT404', null, 'close_workspace');
select throws_ok($$ select leadline.add_member(t.elsewhere(), 'owner@here.example.com', 'owner') $$, 'PT404', null, 'add_member');
select t.act_as('app', '{}', t.elsewhere());
select results_eq($$ select status, seq::text from leadline.workspaces $$, $$ select 'open', current_setting('t.seq') $$, 'not one activity there');

-- test: raised to the owner of both for the one they have not come in by
select t.act_as('superuser');
select leadline.add_member(t.elsewhere(), 'owner@here.example.com', 'owner');
select t.act_as('owner');
select throws_ok($$ select leadline.add_member(t.elsewhere(), 'new@here.example.com', 'member') $$, 'PT404', null, 'the login leads into one');

-- test: raised to the administrator for an id nobody has
-- privileged: the administrator is above row security
select t.act_as('superuser');
select throws_ok($$ select leadline.add_member(gen_random_uuid(), 'new@here.example.com', 'member') $$, 'PT404', null, 'add_member');
select throws_ok($$ select leadline.add_login(gen_random_uuid(), 'some_login', 'app') $$, 'PT404', null, 'add_login');
select throws_ok($$ select leadline.close_workspace(gen_random_uuid()) $$, 'PT404', null, 'close_workspace');

-- test: allowed in one''s own
select lives_ok($$ select leadline.add_member(t.workspace(), 'new@here.example.com', 'member') $$, 'an admin''s');
