-- A booking system reports a reschedule as a new booking and a cancel of the old one, in any order.
create table t.calendly (n int, type text, payload jsonb, at timestamptz);
grant select on t.calendly to public;
insert into t.calendly values
    (1, 'appointment_scheduled', '{"appointment_ref": "EV1", "starts_at": "2026-10-14T21:00:00Z"}', '2026-10-12T15:04:05Z'),
    (2, 'appointment_scheduled', '{"appointment_ref": "EV2", "starts_at": "2026-10-16T21:30:00Z"}', '2026-10-13T09:00:00Z'),
    (3, 'appointment_cancel',    '{"appointment_ref": "EV1"}',                                      '2026-10-13T09:00:00Z'),
    (4, 'appointment_cancel',    '{"appointment_ref": "EV2", "reason": "Conflict"}',                '2026-10-15T12:00:00Z'),
    (5, 'appointment_no_show',   '{"appointment_ref": "EV2"}',                                      '2026-10-16T22:05:00Z');
create function t.deliver(p_lead_id uuid, p_numbers int[]) returns table (n int, said text) language sql as $$
    select c.n, t.verdict(p_lead_id, c.type, c.payload, 'calendly-' || c.n, c.at)
    from unnest(p_numbers) with ordinality o(n, turn) join t.calendly c on c.n = o.n order by o.turn
$$;
select t.here();
select t.keep('lead', t.lead('attempted'));

-- test: booked, rescheduled, the old booking's cancel last
select results_eq(
    $$ select * from t.deliver(t.kept('lead'), '{1,2,3}') $$,
    $$ values (1, 'applied'), (2, 'applied'), (3, 'noted superseded_appointment') $$, 'the cancel is of the old one');
select results_eq(
    $$ select stage, appointment_ref, appointment_at from t.state(t.kept('lead')) $$,
    $$ values ('scheduled', 'EV2', '2026-10-16T21:30:00Z'::timestamptz) $$, 'scheduled on EV2');

-- test: booked, the old booking's cancel first, rescheduled
select results_eq(
    $$ select * from t.deliver(t.kept('lead'), '{1,3,2}') $$, $$ values (1, 'applied'), (3, 'applied'), (2, 'applied') $$, 'through callback');
select results_eq(
    $$ select stage, appointment_ref, appointment_at from t.state(t.kept('lead')) $$,
    $$ values ('scheduled', 'EV2', '2026-10-16T21:30:00Z'::timestamptz) $$, 'and out of it again');

-- test: then truly cancelled
select * from t.deliver(t.kept('lead'), '{1,2,3}');
select results_eq($$ select * from t.deliver(t.kept('lead'), '{4}') $$, $$ values (4, 'applied') $$, 'the current one');
select is(t.stage(t.kept('lead')), 'callback', 'a call back is due');

-- test: a no-show at an appointment that was cancelled
select * from t.deliver(t.kept('lead'), '{1,2,3,4}');
select results_eq($$ select * from t.deliver(t.kept('lead'), '{5}') $$, $$ values (5, 'refused no_show_needs_appointment') $$, 'nobody was expected');

-- test: a no-show at the current appointment
select * from t.deliver(t.kept('lead'), '{1,2,3}');
select results_eq($$ select * from t.deliver(t.kept('lead'), '{5}') $$, $$ values (5, 'applied') $$, 'she did not come');
select is(t.stage(t.kept('lead')), 'no_show', 'no_show');

-- test: a no-show at the old appointment after the new one exists
select * from t.deliver(t.kept('lead'), '{1,2}');
select is(t.verdict(t.kept('lead'), 'appointment_no_show', '{"appointment_ref": "EV1"}', null, '2026-10-14T21:30:00Z'), 'noted superseded_appointment',
          'EV1 is not the one');

-- test: the whole delivery again changes nothing
select * from t.deliver(t.kept('lead'), '{1,2,3}');
select results_eq(
    $$ select n, said from t.deliver(t.kept('lead'), '{3,2,1}') $$, $$ values (3, null), (2, null), (1, null) $$, 'repeats answer nothing new');
select results_eq($$ select stage, appointment_ref, seq from t.state(t.kept('lead')) $$, $$ values ('scheduled', 'EV2', 4) $$, 'as it was');
