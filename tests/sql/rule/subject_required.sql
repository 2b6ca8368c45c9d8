-- Only a birth has no lead yet.
select t.here();

-- test: raised without a lead
select t.raises($$ select t.report(null, 'contact_attempted') $$, 'PT422', 'subject_required', 'contact with nobody');
select throws_ok($$ select t.report(null, 'note_added', '{"text": "x"}') $$, 'PT422', null, 'a note about nobody');

-- test: allowed at a birth
select isnt((select r.lead_id from t.report(null, 'lead_created') r), null, 'which makes the lead');
