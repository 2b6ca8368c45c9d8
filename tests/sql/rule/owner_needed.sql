-- An owner's place is the owners' affair.
select t.here();

-- test: raised to an admin who makes an owner
select t.raises($$ select leadline.add_member(t.workspace(), 'new@here.example.com', 'owner') $$, 'PT403', 'owner_needed', 'somebody new');
select throws_ok($$ select leadline.add_member(t.workspace(), 'member@here.example.com', 'owner') $$, 'PT403', null, 'somebody who is there already');
select throws_ok($$ select leadline.add_member(t.workspace(), 'admin@here.example.com', 'owner') $$, 'PT403', null, 'themselves');
select is_empty($$ select from leadline.members where email = 'new@here.example.com' $$, 'nobody was added');
select results_eq($$ select role from leadline.members where email in ('admin@here.example.com', 'member@here.example.com') order by role $$,
                  $$ values ('admin'), ('member') $$, 'nobody has risen');

-- test: raised to an admin who demotes an owner or sends one away
select t.act_as('superuser');
select t.keep('second', leadline.add_member(t.workspace(), 'second@here.example.com', 'owner'));
select t.act_as('admin');
select throws_ok($$ select leadline.add_member(t.workspace(), 'second@here.example.com', 'member') $$, 'PT403', null, 'demoted');
select throws_ok($$ select leadline.deactivate_member(t.workspace(), t.kept('second')) $$, 'PT403', null, 'sent away');
select results_eq($$ select role, deactivated_at from leadline.members where user_id = t.kept('second') $$,
                  $$ values ('owner', null::timestamptz) $$, 'still an owner');

-- test: raised to an admin who closes the workspace
select throws_ok($$ select leadline.close_workspace(t.workspace()) $$, 'PT403', null, 'not theirs');
select is((select status from leadline.workspaces), 'open', 'it is open');

-- test: raised to an admin who makes a token above their own role
select throws_ok($$ select leadline.create_token(t.workspace(), 'owner', t.person('owner')) $$, 'PT403', null, 'an owner''s');
select is_empty($$ select from leadline.tokens $$, 'there is none');

-- test: allowed to an owner
select t.act_as('owner');
select lives_ok($$ select leadline.add_member(t.workspace(), 'second@here.example.com', 'owner') $$, 'a second owner is made');
select lives_ok($$ select leadline.add_member(t.workspace(), 'second@here.example.com', 'admin') $$, 'becomes admin');
select lives_ok($$ select leadline.add_member(t.workspace(), 'second@here.example.com', 'owner') $$, 'owner again');
select is(leadline.deactivate_member(t.workspace(), (select user_id from leadline.members where email = 'second@here.example.com')), 0, 'and leaves');

-- test: allowed to an admin, below
select lives_ok($$ select leadline.add_member(t.workspace(), 'new@here.example.com', 'admin') $$, 'another admin is made');
select lives_ok($$ select leadline.create_token(t.workspace(), 'admin', t.person('admin')) $$, 'a token of their own role');
select lives_ok($$ select leadline.create_token(t.workspace(), 'importer', p_scopes => '{import}') $$, 'any scope');
