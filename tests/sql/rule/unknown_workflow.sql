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

-- test: raised for a pipeline of deals, by whichever door it opens
select t.raises($$ select t.report_on_deal(null, 'opportunity_opened', jsonb_build_object('pipeline', 'renewals', 'person_id', t.someone())) $$, 'PT422', 'unknown_workflow', 'opened');
select throws_ok(format('select t.report_on_deal(null, ''opportunity_opened'', jsonb_build_object(''pipeline'', %L, ''person_id'', t.someone()))', p), 'PT422', null, p)
    from unnest('{sales,relationship,New business}'::text[]) p;
select t.raises($$ select t.report(t.qualification_lead('qualified'), 'lead_converted', '{"pipeline": "renewals"}') $$, 'PT422', 'unknown_workflow', 'by a conversion');

-- test: raised for a lead in a workflow of deals, people or customers
select throws_ok(format('select t.created(%L)', jsonb_build_object('workflow', w, 'email', 'kim@example.com')), 'PT422', null, w)
    from unnest('{relationship,new_business,expansion,subscription}'::text[]) w;

-- test: allowed are three workflows of leads and two pipelines
select is((t.state(t.created(jsonb_build_object('workflow', w, 'email', w || '@example.com')))).workflow, w, w) from unnest('{appointment,sales,qualification}'::text[]) w;
select is((t.deal(t.opportunity('evaluation', '{}', p))).workflow, p, p) from unnest('{new_business,expansion}'::text[]) p;
