-- Older news that arrives after newer news is kept where it belongs and moves nothing.
select t.here();

-- test: booked at 10:05, then told of a call back asked for at 10:01
select t.keep('lead', t.created('{}', '2026-01-05T09:00:00Z'));
select results_eq(
    $$ select r.verdict, r.rule, r.to_stage
       from (values (1, 'appointment_scheduled', '2026-01-05T10:05:00Z'::timestamptz), (2, 'callback_requested', '2026-01-05T10:01:00Z')) a(n, type, at),
            lateral t.report(t.kept('lead'), a.type, '{}', null, a.at) r $$,
    $$ values ('applied', null, 'scheduled'), ('noted', 'superseded', 'scheduled') $$, 'the appointment stands');
select results_eq(
    $$ select activity_type, occurred_at from leadline.lead_timeline where lead_id = t.kept('lead') order by occurred_at $$,
    $$ values ('lead_created', '2026-01-05T09:00:00Z'::timestamptz), ('callback_requested', '2026-01-05T10:01:00Z'),
              ('appointment_scheduled', '2026-01-05T10:05:00Z') $$, 'the timeline shows it at 10:01');

-- test: at the same instant the order of arrival decides
select t.keep('lead', t.created('{}', '2026-01-05T09:00:00Z'));
select t.report(t.kept('lead'), 'appointment_scheduled', '{}', null, '2026-01-05T10:00:00Z');
select is(t.verdict(t.kept('lead'), 'appointment_cancel', '{}', null, '2026-01-05T10:00:00Z'), 'applied', 'a cancel after its booking');

-- test: time in a stage never runs backwards
select t.keep('lead', t.created('{}', '2026-01-05T09:00:00Z'));
select t.report(t.kept('lead'), 'contact_attempted', '{}', null, '2026-01-05T10:00:30Z');
select t.report(t.kept('lead'), 'callback_requested', '{}', null, '2026-01-05T10:00:00Z');
select results_eq(
    $$ select stage, stage_entered_at from t.state(t.kept('lead')) $$,
    $$ values ('callback', '2026-01-05T10:00:30Z'::timestamptz) $$, 'half a minute older is not late, and does not turn the clock back');

-- test: a late touch still counts as a touch
select t.keep('lead', t.lead('scheduled'));
select is(t.verdict(t.kept('lead'), 'contact_attempted', '{}', null, '2025-12-30T10:00:00Z'), 'noted superseded', 'late');
select results_eq(
    $$ select first_contacted_at, last_touch_at from t.state(t.kept('lead')) $$,
    $$ values ('2025-12-30T10:00:00Z'::timestamptz, '2025-12-30T10:00:00Z'::timestamptz) $$, 'she was contacted then');
