-- A lead with an appointment that asks to be called keeps the appointment.
select t.here();

-- test: noted at scheduled
select t.keep('lead', t.lead('scheduled'));
select is(t.verdict(t.kept('lead'), 'callback_requested', '{"callback_at": "2026-02-01T09:00:00Z"}'), 'noted appointment_stands', 'asked to be called');
select results_eq(
    $$ select stage, callback_at from t.state(t.kept('lead')) $$,
    $$ values ('scheduled', null::timestamptz) $$, 'the appointment stands, no call is promised');

-- test: allowed where there is no appointment
select results_eq(
    $$ select stage, r.verdict, r.to_stage from unnest('{new,attempted,no_show}'::text[]) stage, lateral t.report(t.lead(stage), 'callback_requested') r $$,
    $$ select stage, 'applied', 'callback' from unnest('{new,attempted,no_show}'::text[]) stage $$,
    'the lead asked to be called');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.lead('scheduled'), 'callback_requested') l;
