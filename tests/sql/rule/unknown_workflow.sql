-- A lead is born into a workflow of leads.
select t.here();

-- test: raised
select t.raises($$ select t.created('{"workflow": "ski_lessons"}') $$, 'PT422', 'unknown_workflow', 'a workflow nobody knows');
select throws_ok($$ select t.created('{"workflow": "workspace"}') $$, 'PT422', null, 'the workflow of something else');
select throws_ok($$ insert into leadline.leads (workflow, source) values ('ski_lessons', 'web') $$, 'PT422', null, 'by a bare insert');

-- test: allowed
select t.keep('lead', t.created('{"workflow": "appointment"}'));
select is((t.state(t.kept('lead'))).workflow, 'appointment', 'the one of seed 000');
select t.keep('lead', t.created());
select is((t.state(t.kept('lead'))).workflow, 'appointment', 'also when not named');
