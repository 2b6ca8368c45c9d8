-- The team and its credentials are the owner's and the admins'.
select t.here();

-- test: raised to a member, whatever they try
select leadline.create_token(t.workspace(), 'app');
select t.keep('token', (select token_id from leadline.tokens));
select t.act_as('member');
select t.raises($$ select leadline.add_member(t.workspace(), 'new@here.example.com', 'member') $$, 'PT403', 'team_needs_admin', 'adds somebody');
select throws_ok($$ select leadline.add_member(t.workspace(), 'member@here.example.com', 'admin') $$, 'PT403', null, 'rises');
select throws_ok($$ select leadline.deactivate_member(t.workspace(), t.person('admin')) $$, 'PT403', null, 'sends the admin away');
select throws_ok($$ select leadline.create_token(t.workspace(), 'app') $$, 'PT403', null, 'makes a token');
select throws_ok($$ select leadline.create_token(t.workspace(), 'member', t.person('member')) $$, 'PT403', null, 'of their own');
select throws_ok($$ select leadline.revoke_token(t.workspace(), t.kept('token')) $$, 'PT403', null, 'ends one');
select throws_ok($$ select leadline.revoke_login(t.workspace(), session_user) $$, 'PT403', null, 'ends a login');
select throws_ok($$ select leadline.close_workspace(t.workspace()) $$, 'PT403', null, 'closes the workspace');
select is_empty($$ select from leadline.members where email = 'new@here.example.com' $$, 'nobody came');
select t.act_as('admin');
select results_eq($$ select revoked_at from leadline.tokens $$, $$ values (null::timestamptz) $$, 'the token holds');

-- test: raised to machines
select t.act_as('app', '{act_as}');
select throws_ok($$ select leadline.add_member(t.workspace(), 'new@here.example.com', 'member') $$, 'PT403', null, 'an app');
select t.act_as('importer', '{import}');
select throws_ok($$ select leadline.create_token(t.workspace(), 'importer') $$, 'PT403', null, 'an importer');
select t.act_as('billing');
select throws_ok($$ select leadline.create_token(t.workspace(), 'billing') $$, 'PT403', null, 'billing');
select t.act_as('ai');
select throws_ok($$ select leadline.deactivate_member(t.workspace(), t.person('member')) $$, 'PT403', null, 'an AI');
select t.act_as('analyst', '{contacts}');
select throws_ok($$ select leadline.create_token(t.workspace(), 'analyst') $$, 'PT403', null, 'an analyst');

-- test: raised to an admin who was made a member, at once
select t.act_as('owner');
select leadline.add_member(t.workspace(), 'admin@here.example.com', 'member');
select t.act_as('admin');
select throws_ok($$ select leadline.create_token(t.workspace(), 'app') $$, 'PT403', null, 'by the same login');

-- test: raised to an app''s token over the service''s login
select t.act_as('superuser');
select set_config('t.token', leadline.create_token(t.workspace(), 'app', p_scopes => '{act_as}'), true);
set local session authorization leadline_service;
select leadline.enter(current_setting('t.token'));
select throws_ok($$ select leadline.add_member(t.workspace(), 'new@here.example.com', 'member') $$, 'PT403', null, 'an app by token');

-- test: allowed to an admin and to an owner
select lives_ok($$ select leadline.add_member(t.workspace(), 'new@here.example.com', 'member') $$, 'an admin adds');
select t.act_as('owner');
select is(leadline.deactivate_member(t.workspace(), (select user_id from leadline.members where email = 'new@here.example.com')), 0, 'an owner sends away');

-- test: allowed to an admin''s token over the service''s login
select t.act_as('superuser');
select set_config('t.token', leadline.create_token(t.workspace(), 'admin', t.person('admin')), true);
set local session authorization leadline_service;
select leadline.enter(current_setting('t.token'));
select lives_ok($$ select leadline.add_member(t.workspace(), 'new@here.example.com', 'member') $$, 'an admin by token');

-- test: nobody at all is told so first
select t.act_as('nobody');
select throws_ok($$ select leadline.add_member(t.workspace(), 'new@here.example.com', 'member') $$, 'PT401', null, 'a login that is bound nowhere');
