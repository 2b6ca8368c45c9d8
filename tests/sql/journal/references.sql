-- A reference makes a report count once, for ever.
select t.here();

-- test: a repeat inserts nothing and does nothing, with ON CONFLICT and without
select t.keep('lead', t.lead('scheduled'));
select t.report(t.kept('lead'), 'appointment_no_show', '{}', 'r-1');
select t.report(t.kept('lead'), 'appointment_scheduled', '{}', 'r-2');
select is_empty(
    $$ insert into leadline.lead_activity (lead_id, activity_type, reference) values (t.kept('lead'), 'appointment_no_show', 'r-1')
       on conflict do nothing returning verdict $$, 'with ON CONFLICT');
select is_empty(
    $$ insert into leadline.lead_activity (lead_id, activity_type, reference) values (t.kept('lead'), 'appointment_no_show', 'r-1') returning verdict $$,
    'without');
select results_eq($$ select stage, seq, version from t.state(t.kept('lead')) $$, $$ values ('scheduled', 3, 3) $$, 'the lead moved once and back');

-- test: twice in one statement is once
select t.keep('lead', t.lead('new'));
select results_eq(
    $$ insert into leadline.lead_activity (lead_id, activity_type, reference)
       values (t.kept('lead'), 'contact_attempted', 'r-1'), (t.kept('lead'), 'contact_attempted', 'r-1') returning seq, verdict $$,
    $$ values (2, 'applied') $$, 'one row');

-- test: a repeat is answered with the original, whatever it says this time
select t.keep('lead', t.lead('attempted'));
select t.report(t.kept('lead'), 'appointment_scheduled', '{"appointment_ref": "EV1"}', 'r-1', '2026-01-02T10:00:00Z');
select results_eq(
    $$ select l.replayed, l.verdict, l.seq, l.occurred_at, l.changes
       from leadline.log_activity(t.kept('lead'), 'appointment_scheduled', '{"appointment_ref": "EV2"}', 'r-1', '2026-01-03T10:00:00Z') l $$,
    $$ values (true, 'applied', 2, '2026-01-02T10:00:00Z'::timestamptz, '{"stage": ["attempted", "scheduled"], "appointment_ref": [null, "EV1"]}'::jsonb) $$,
    'the first report counts');
select is((t.state(t.kept('lead'))).appointment_ref, 'EV1', 'the second changed nothing');

-- test: a repeated refusal is that refusal, even when it would be granted now
select t.keep('lead', t.lead('attempted'));
select is(t.verdict(t.kept('lead'), 'sale', '{}', 'r-1'), 'refused outcome_needs_appointment', 'too early');
select t.report(t.kept('lead'), 'appointment_scheduled');
select results_eq(
    $$ select l.replayed, l.verdict, l.rule from leadline.log_activity(t.kept('lead'), 'sale', '{}', 'r-1') l $$,
    $$ values (true, 'refused', 'outcome_needs_appointment') $$, 'the decision stands');
select is(t.verdict(t.kept('lead'), 'sale', '{}', 'r-2'), 'applied', 'a new reference is a new report');

-- test: a refusal that was raised claimed nothing
select t.keep('lead', t.lead('attempted'));
set local leadline.on_refusal = 'raise';
select throws_ok($$ select t.report(t.kept('lead'), 'sale', '{}', 'r-1') $$, 'PT409', null, 'raised');
select t.report(t.kept('lead'), 'appointment_scheduled');
select is(t.verdict(t.kept('lead'), 'sale', '{}', 'r-1'), 'applied', 'the reference was free');

-- test: a birth is repeated as the lead it made
select t.keep('lead', (select l.lead_id from leadline.log_activity(null, 'lead_created', '{"source": "web"}', 'form-1') l));
select results_eq(
    $$ select l.replayed, l.lead_id, l.seq from leadline.log_activity(null, 'lead_created', '{"source": "web"}', 'form-1') l $$,
    $$ select true, t.kept('lead'), 1 $$, 'no second lead');

-- test: no reference is no name: the same report twice is two reports
select t.keep('lead', t.lead('attempted'));
select is((select count(*)::int from unnest('{1,2}'::int[]) n, t.report(t.kept('lead'), 'email_replied')), 2, 'two replies');

-- test: a malformed report claims nothing
select t.keep('lead', t.lead('new'));
select throws_ok($$ select t.report(t.kept('lead'), 'tag_added', '{}', 'r-1') $$, 'PT422', null, 'no tag');
select is(t.verdict(t.kept('lead'), 'tag_added', '{"tag": "vip"}', 'r-1'), 'applied', 'put right under the same reference');
