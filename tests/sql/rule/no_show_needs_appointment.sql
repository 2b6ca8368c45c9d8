-- Nobody misses an appointment they did not have.
select t.here();

-- test: refused where none is booked
select results_eq(
    $$ select stage, t.verdict(t.lead(stage), 'appointment_no_show') from unnest('{new,attempted,callback}'::text[]) stage $$,
    $$ select stage, 'refused no_show_needs_appointment' from unnest('{new,attempted,callback}'::text[]) stage $$,
    'there was nothing to miss');

-- test: allowed from scheduled
select results_eq(
    $$ select verdict, to_stage from t.report(t.lead('scheduled'), 'appointment_no_show') $$,
    $$ values ('applied', 'no_show') $$, 'the lead did not come');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.lead('new'), 'appointment_no_show') l;
