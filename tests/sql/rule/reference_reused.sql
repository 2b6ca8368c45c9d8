-- A reference names one report for ever: the same lead and type is a repeat, anything else is a mistake.
select t.here();

-- test: raised for another type, and for another lead
select t.keep('lead', t.lead('new')), t.keep('other', t.lead('new'));
select t.report(t.kept('lead'), 'contact_attempted', '{}', 'r-1');
select t.raises($$ select t.report(t.kept('lead'), 'sale', '{}', 'r-1') $$, 'PT409', 'reference_reused', 'another type');
select t.raises($$ select t.report(t.kept('other'), 'contact_attempted', '{}', 'r-1') $$, 'PT409', 'reference_reused', 'another lead');
select results_eq(
    $$ select stage, seq from leadline.lead_overview where lead_id in (t.kept('lead'), t.kept('other')) order by stage $$,
    $$ values ('attempted', 2), ('new', 1) $$, 'neither lead moved');

-- test: raised before anything is refused
select t.keep('lead', t.lead('new'));
select t.report(t.kept('lead'), 'contact_attempted', '{}', 'r-1');
select t.act_as('ai');
select throws_ok($$ select t.report(t.kept('lead'), 'sale', '{}', 'r-1') $$, 'PT409', null, 'not ai_forbidden');

-- test: allowed is the same report again, which inserts nothing
select t.keep('lead', t.lead('new'));
select is((select count(*)::int from t.report(t.kept('lead'), 'contact_attempted', '{}', 'r-1')), 1, 'the first');
select is((select count(*)::int from t.report(t.kept('lead'), 'contact_attempted', '{}', 'r-1')), 0, 'its repeat returns no row');
select results_eq(
    $$ select l.verdict, l.replayed, l.seq, l.to_stage from leadline.log_activity(t.kept('lead'), 'contact_attempted', '{}', 'r-1') l $$,
    $$ values ('applied', true, 2, 'attempted') $$, 'log_activity gives the original');

-- test: allowed in another workspace, whose references are its own
select t.keep('lead', t.lead('new'));
select t.report(t.kept('lead'), 'contact_attempted', '{}', 'r-1');
select t.keep('foreign', t.lead('new', '{}', t.elsewhere()));
select t.act_as('app', '{}', t.elsewhere());
select is(t.verdict(t.kept('foreign'), 'appointment_scheduled', '{}', 'r-1'), 'applied', 'there it is new');

-- test: a birth's reference is judged by its type alone
select t.report(null, 'lead_created', '{"name": "Kim"}', 'r-1');
select is((select count(*)::int from t.report(null, 'lead_created', '{"name": "Kim again"}', 'r-1')), 0, 'a repeat makes no second lead');
select t.act_as('importer', '{import}');
select throws_ok($$ select t.report(null, 'lead_imported', '{"stage": "new", "entered_at": "2026-01-01T00:00:00Z"}', 'r-1') $$,
                 'PT409', null, 'another kind of birth is no repeat');

-- test: raised in each journal for another subject or another word; each journal has references of its own
select t.keep('person', t.someone()), t.keep('deal', t.opportunity()), t.keep('lead', t.created());
select is(t.verdict_on_person(t.kept('person'), 'relationship_advanced', '{"to": "qualified", "reason": "x"}', 'r-77'), 'applied', 'a person');
select is(t.verdict_on_deal(t.kept('deal'), 'amount_changed', '{"amount": 5}', 'r-77'), 'applied', 'a deal');
select is(t.verdict(t.kept('lead'), 'note_added', '{"text": "x"}', 'r-77'), 'noted', 'a lead');
select t.raises($$ select t.report_on_person(t.someone(), 'relationship_advanced', '{"to": "qualified", "reason": "x"}', 'r-77') $$, 'PT409', 'reference_reused', 'somebody else');
select t.raises($$ select t.report_on_person(t.kept('person'), 'relationship_closed', '{"reason": "x"}', 'r-77') $$, 'PT409', 'reference_reused', 'another word');
select t.raises($$ select t.report_on_deal(t.opportunity(), 'amount_changed', '{"amount": 5}', 'r-77') $$, 'PT409', 'reference_reused', 'another deal');
select t.raises($$ select t.report_on_deal(null, 'opportunity_opened', jsonb_build_object('pipeline', 'expansion', 'person_id', t.kept('person')), 'r-77') $$, 'PT409', 'reference_reused', 'a birth');
