-- Workspaces, database logins and the signing key are the administrator's, who runs the database.
select t.here();

-- test: raised to everybody in a workspace, owners included
select t.raises($$ select leadline.create_workspace('Mine') $$, 'PT403', 'administrator_needed', 'an admin makes a workspace');
select throws_ok($$ select leadline.add_login(t.workspace(), 'leadline_service', 'admin', t.person('admin')) $$, 'PT403', null, 'binds a login');
select throws_ok($$ select leadline.rotate_signing_key() $$, 'PT403', null, 'changes the key');
select t.act_as('owner');
select throws_ok($$ select leadline.create_workspace('Mine') $$, 'PT403', null, 'an owner makes a workspace');
select throws_ok($$ select leadline.add_login(t.workspace(), 'leadline_service', 'owner', t.person('owner')) $$, 'PT403', null, 'binds a login');
select throws_ok($$ select leadline.rotate_signing_key() $$, 'PT403', null, 'changes the key');
select t.act_as('app');
select throws_ok($$ select leadline.create_workspace('Mine') $$, 'PT403', null, 'an app makes a workspace');
select t.act_as('nobody');
select throws_ok($$ select leadline.create_workspace('Mine') $$, 'PT403', null, 'a login that is bound nowhere');

-- test: raised to the service, whoever has entered
select t.act_as('superuser');
select set_config('t.token', leadline.create_token(t.workspace(), 'owner', t.person('owner')), true);
set local session authorization leadline_service;
select throws_ok($$ select leadline.create_workspace('Mine') $$, 'PT403', null, 'before entering');
select leadline.enter(current_setting('t.token'));
select throws_ok($$ select leadline.create_workspace('Mine') $$, 'PT403', null, 'as an owner');
select throws_ok($$ select leadline.rotate_signing_key() $$, 'PT403', null, 'nor the key');

-- test: allowed to the administrator
-- privileged: the administrator is above row security
select t.act_as('superuser');
select lives_ok($$ select leadline.create_workspace('New') $$, 'a workspace');
select lives_ok($$ select leadline.add_login(t.workspace(), 'some_login', 'app') $$, 'a login');
select lives_ok($$ select leadline.rotate_signing_key() $$, 'a key');

-- test: allowed to a member of leadline_owner who is no superuser
-- privileged: the administrator is above row security
select t.act_as('superuser');
do $$ begin execute format('create role t_administrator_%s login in role leadline_owner', pg_backend_pid()); end $$;
do $$ begin execute format('set local session authorization t_administrator_%s', pg_backend_pid()); end $$;
set local role leadline_owner;
select lives_ok($$ select leadline.create_workspace('New') $$, 'a workspace');
