-- Who may approve is owner, admin or member (seed 002).
select t.here();

-- test: refused, and the setting stays
select results_eq(
    $$ insert into leadline.workspace_activity (activity_type, payload)
       select 'settings_changed', jsonb_build_object('approvers', x) from unnest('{Owner,app,everybody,""}'::text[]) x returning verdict, rule $$,
    $$ select 'refused', 'unknown_approvers' from generate_series(1, 4) $$, 'no such role');
select is((select w.approvers from leadline.workspaces w), null, 'as it was');
select throws_ok($$ insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"approvers": 3}') $$, 'PT422', null, 'a number is malformed');

-- test: allowed are three, and null for the usual
select results_eq(
    $$ insert into leadline.workspace_activity (activity_type, payload)
       select 'settings_changed', jsonb_build_object('approvers', x) from unnest('{owner,admin,member,null}'::text[]) x returning verdict, changes $$,
    $$ values ('applied', '{"approvers": [null, "owner"]}'::jsonb), ('applied', '{"approvers": ["owner", "admin"]}'), ('applied', '{"approvers": ["admin", "member"]}'),
              ('applied', '{"approvers": ["member", null]}') $$, 'one after the other');

-- test: allowed to owners and admins alone
select t.act_as('member');
select throws_ok($$ insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"approvers": "member"}') $$, 'PT403', null, 'no member lets themselves');

-- test: said
select t.speaks(s.sentence, s.hint) from leadline.rule_sentences s where s.rule = 'unknown_approvers';
