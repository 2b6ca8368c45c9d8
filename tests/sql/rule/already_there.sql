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

-- test: noted in qualification
select is(t.verdict(t.accepted(t.qualification_lead('new')), 'request_accepted'), 'noted already_there', 'accepted already');
select is(t.verdict(t.qualification_lead('disqualified'), 'request_rejected', '{"reason": "no_fit"}'), 'noted already_there', 'turned away already');
select is(t.verdict(t.qualification_lead('qualified'), 'lead_qualified', t.confirmed()), 'noted already_there', 'qualified already');

-- test: noted of a relationship, when it is asked for by a person who would go back there
select is(t.verdict_on_person(t.person_at('closed'), 'relationship_closed', '{"reason": "again"}'), 'noted already_there', 'closed already');
select is(t.advance(t.person_at('client'), 'client', '{"backward": true}'), 'noted already_there', 'a client already');

-- test: noted of a deal
select is(t.verdict_on_deal(t.opportunity('proposal'), 'opportunity_advanced', '{"to_stage": "proposal"}'), 'noted already_there', 'proposed already');
select is(t.verdict_on_deal(t.opportunity('closedwon'), 'opportunity_won'), 'noted already_there', 'won already');
select is(t.verdict_on_deal(t.opportunity('closedlost'), 'opportunity_lost', '{"lost_reason": "Price"}'), 'noted already_there', 'lost already');

-- test: noted of a subscription and its cycles
select t.act_as('billing');
select is(t.verdict_on_customer(t.subscription('past_due'), 'payment_failed'), 'noted already_there', 'past due already');
select is(t.verdict_on_customer(t.subscription('cancelled'), 'subscription_cancelled'), 'noted already_there', 'cancelled already');
select t.keep('subscription', t.subscription());
select is(t.verdict_on_customer(t.kept('subscription'), 'renewal_opened', '{"period_start": "2026-01-01", "period_end": "2027-01-01"}'), 'applied', 'opened');
select is(t.verdict_on_customer(t.kept('subscription'), 'renewal_opened', '{"period_start": "2026-01-01", "period_end": "2027-01-01"}'), 'noted already_there', 'once');
select is(t.verdict_on_customer(t.kept('subscription'), 'renewal_renewed'), 'applied', 'renewed');
select is(t.verdict_on_customer(t.kept('subscription'), 'renewal_renewed'), 'noted already_there', 'once');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.lead('no_show'), 'appointment_no_show') l;
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('won'), 'deal_won') l;
