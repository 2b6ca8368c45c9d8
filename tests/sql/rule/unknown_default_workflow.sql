-- New leads go into a workflow of leads.
select t.here();

-- test: refused
select results_eq(
    $$ insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"default_workflow": "ski_lessons"}') returning verdict, rule $$,
    $$ values ('refused', 'unknown_default_workflow') $$, 'a workflow nobody knows');
select results_eq(
    $$ insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"default_workflow": "workspace"}') returning verdict, rule $$,
    $$ values ('refused', 'unknown_default_workflow') $$, 'the workflow of something else');

-- test: refused for the workflows of people, deals and customers
select results_eq(
    $$ insert into leadline.workspace_activity (activity_type, payload)
       select 'settings_changed', jsonb_build_object('default_workflow', x) from unnest('{relationship,new_business,expansion,subscription}'::text[]) x returning verdict, rule $$,
    $$ select 'refused', 'unknown_default_workflow' from generate_series(1, 4) $$, 'no lead is made there');

-- test: allowed are the three of leads
select results_eq(
    $$ insert into leadline.workspace_activity (activity_type, payload)
       select 'settings_changed', jsonb_build_object('default_workflow', x) from unnest('{qualification,sales,appointment}'::text[]) x returning verdict, rule $$,
    $$ values ('applied', null), ('applied', null), ('applied', null) $$, 'one after the other');

-- test: allowed
select results_eq(
    $$ insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"default_workflow": "appointment"}') returning verdict, rule $$,
    $$ values ('noted', 'no_change') $$, 'the one it has');

-- test: said
select t.speaks(s.sentence, s.hint) from leadline.rule_sentences s where s.rule = 'unknown_default_workflow';
