-- A person excludes an enquiry as a test or as spam, for no other reason.
select t.here();

-- test: raised at a birth, and refused on a lead
select t.raises($$ select t.report(null, 'inbound_enquiry', '{"email": "kim@example.com", "exclusion": "boring"}') $$, 'PT409', 'unknown_exclusion', 'boring');
select throws_ok($$ select t.report(null, 'inbound_enquiry', '{"email": "kim@example.com", "exclusion": "competitor"}') $$, 'PT409', null,
                 'a competitor is known by its account');
select throws_ok($$ select t.report(null, 'inbound_enquiry', '{"email": "kim@example.com", "exclusion": "Spam"}') $$, 'PT409', null, 'letter for letter');
select is_empty($$ select from leadline.lead_contacts where email = 'kim@example.com' $$, 'nothing is born');
select t.keep('lead', t.sales_lead('new'));
select is(t.verdict(t.kept('lead'), 'inbound_enquiry', '{"exclusion": "boring"}'), 'refused unknown_exclusion', 'on a lead');
select is((select count(*) from t.requests(t.kept('lead'))), 0::bigint, 'no request');

-- test: allowed are test and spam
select results_eq(
    $$ select x, l.workflow, l.stage, l.rejection_reason
       from unnest('{test,spam}'::text[]) x, lateral t.state(t.enquiry(jsonb_build_object('email', 'kim@example.com', 'exclusion', x))) l $$,
    $$ values ('test', 'qualification', 'disqualified', 'test'), ('spam', 'qualification', 'disqualified', 'spam') $$, 'turned away with that reason');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('new'), 'inbound_enquiry', '{"exclusion": "boring"}') l;
