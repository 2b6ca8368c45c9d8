-- What has happened already is noted, not done again.
select t.here();

-- test: noted
select is(t.verdict(t.lead('no_show'), 'appointment_no_show'), 'noted already_there', 'missed already');
select is(t.verdict(t.lead('callback'), 'appointment_cancel'), 'noted already_there', 'cancelled already');

-- test: noted in sales
select is(t.verdict(t.sales_lead('qualified'), 'lead_qualified'), 'noted already_there', 'qualified already');
select is(t.verdict(t.sales_lead('proposal'), 'proposal_sent'), 'noted already_there', 'the same proposal');
select is(t.verdict(t.sales_lead('proposal'), 'proposal_sent', '{"deal_value": 1000.00, "currency": "EUR"}'), 'noted already_there', 'for the same money');
select is(t.verdict(t.sales_lead('won'), 'deal_won'), 'noted already_there', 'won already');
select is(t.verdict(t.sales_lead('lost'), 'deal_lost', '{"lost_reason": "Price"}'), 'noted already_there', 'lost already');
select is(t.verdict(t.archived(t.sales_lead('new')), 'lead_archived'), 'noted already_there', 'archived already');

-- test: allowed once
select is(t.verdict(t.lead('scheduled'), 'appointment_no_show'), 'applied', 'the first no-show moves');
select is(t.verdict(t.lead('scheduled'), 'appointment_cancel'), 'applied', 'the first cancel moves');
select is(t.verdict(t.sales_lead('proposal'), 'deal_won'), 'applied', 'the first win moves');
select is(t.verdict(t.sales_lead('new'), 'lead_archived'), 'applied', 'the first time it is put away');

-- test: allowed is what is not the same again
select results_eq(
    $$ select r.verdict, r.changes from t.report(t.sales_lead('proposal'), 'proposal_sent', '{"deal_value": 1200, "currency": "EUR"}') r $$,
    $$ values ('applied', '{"deal_value": [1000, 1200]}'::jsonb) $$, 'another proposal');
select results_eq(
    $$ select r.verdict, r.changes from t.report(t.sales_lead('lost'), 'deal_lost', '{"lost_reason": "Timing"}') r $$,
    $$ values ('applied', '{"lost_reason": ["Price", "Timing"]}'::jsonb) $$, 'another reason');
select results_eq(
    $$ select r.verdict, r.changes from t.report(t.sales_lead('lost'), 'deal_lost', '{"lost_reason": "Price", "notes": "twice as dear"}') r $$,
    $$ values ('applied', '{"lost_notes": true}'::jsonb) $$, 'other notes');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.lead('no_show'), 'appointment_no_show') l;
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('won'), 'deal_won') l;
