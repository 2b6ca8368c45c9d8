-- Only a birth has no lead yet.
select t.here();

-- test: raised without a lead
select t.raises($$ select t.report(null, 'contact_attempted') $$, 'PT422', 'subject_required', 'contact with nobody');
select throws_ok($$ select t.report(null, 'note_added', '{"text": "x"}') $$, 'PT422', null, 'a note about nobody');

-- test: allowed at a birth
select isnt((select r.lead_id from t.report(null, 'lead_created') r), null, 'which makes the lead');

-- test: raised in every journal
select t.raises($$ select t.report_on_person(null, 'relationship_advanced', '{"to": "qualified", "reason": "x"}') $$, 'PT422', 'subject_required', 'nobody moves');
select t.raises($$ select t.report_on_deal(null, 'opportunity_won') $$, 'PT422', 'subject_required', 'nothing is won');
select t.act_as('billing');
select t.raises($$ select t.report_on_customer(null, 'payment_failed') $$, 'PT422', 'subject_required', 'nothing is paid');

-- test: allowed at the births of deals and subscriptions
select isnt((select r.opportunity_id from t.report_on_deal(null, 'opportunity_opened', jsonb_build_object('pipeline', 'new_business', 'person_id', t.someone())) r), null, 'a deal');
select t.act_as('billing');
select isnt((select r.subscription_id from t.report_on_customer(null, 'subscription_started', jsonb_build_object('person_id', t.someone())) r), null, 'a subscription');
