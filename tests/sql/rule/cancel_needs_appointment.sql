-- Only a booked appointment can be cancelled.
select t.here();

-- test: refused where none is booked
select results_eq(
    $$ select stage, t.verdict(t.lead(stage), 'appointment_cancel') from unnest('{new,attempted,no_show}'::text[]) stage $$,
    $$ select stage, 'refused cancel_needs_appointment' from unnest('{new,attempted,no_show}'::text[]) stage $$,
    'there was nothing to cancel');

-- test: allowed from scheduled, and the lead waits for a call
select results_eq(
    $$ select verdict, to_stage from t.report(t.lead('scheduled'), 'appointment_cancel') $$,
    $$ values ('applied', 'callback') $$, 'a cancelled appointment is a call back (seed 000)');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.lead('new'), 'appointment_cancel') l;
