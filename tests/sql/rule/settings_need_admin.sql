-- Settings are the owner's and the admins'.
select t.here();

-- test: raised to everybody else
select t.act_as('member');
select t.raises($$ insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"name": "Mine"}') $$,
                'PT403', 'settings_need_admin', 'a member');
select t.act_as('app');
select throws_ok($$ insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"name": "Mine"}') $$, 'PT403', null, 'an app');

-- test: allowed to an admin and the owner
select results_eq(
    $$ insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"name": "Ours", "time_zone": "Europe/Berlin", "currency": "EUR"}')
       returning verdict, rule $$,
    $$ values ('applied', null) $$, 'an admin');
select t.act_as('owner');
select results_eq(
    $$ insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"country": "DE"}') returning verdict, changes $$,
    $$ values ('applied', '{"country": [null, "DE"]}'::jsonb) $$, 'an owner');
