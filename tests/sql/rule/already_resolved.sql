-- Once resolved, no further stage transitions occur (seed 000).
select t.here();

-- test: noted, whatever would move and wherever it ended
select results_eq(
    $$ select s.stage, a.type, t.verdict(t.lead(s.stage), a.type)
       from unnest('{sale,no_sale,refused,wrong_number,bad_number,unresponsive,duplicate,dnc}'::text[]) with ordinality s(stage, n),
            unnest('{contact_attempted,callback_requested,appointment_scheduled,appointment_cancel,appointment_no_show,sale,dnc}'::text[])
                with ordinality a(type, m)
       order by n, m $$,
    $$ select s.stage, a.type, 'noted already_resolved'
       from unnest('{sale,no_sale,refused,wrong_number,bad_number,unresponsive,duplicate,dnc}'::text[]) with ordinality s(stage, n),
            unnest('{contact_attempted,callback_requested,appointment_scheduled,appointment_cancel,appointment_no_show,sale,dnc}'::text[])
                with ordinality a(type, m)
       order by n, m $$,
    'a closed lead is not moved');

-- test: the outcome and its time stand
select t.keep('lead', t.lead('scheduled'));
select t.report(t.kept('lead'), 'sale', '{}', null, '2026-01-05T10:00:00Z');
select t.report(t.kept('lead'), 'refused', '{}', null, '2026-01-06T10:00:00Z');
select results_eq(
    $$ select stage, status, resolved_at, stage_entered_at, seq, version from t.state(t.kept('lead')) $$,
    $$ values ('sale', 'resolved', '2026-01-05T10:00:00Z'::timestamptz, '2026-01-05T10:00:00Z'::timestamptz, 3, 2) $$,
    'resolved_at is set once');

-- test: a late dnc is heard all the same
select t.keep('lead', t.lead('sale', '{"email": "kim@example.com", "phone": "+16502530000"}'));
select is(t.verdict(t.kept('lead'), 'dnc'), 'noted already_resolved', 'it moves nothing');
select is((t.state(t.kept('lead'))).is_suppressed, true, 'it suppresses');

-- test: allowed are fields, notes and touches that move nothing
select t.keep('lead', t.lead('sale'));
select is(t.verdict(t.kept('lead'), 'tag_added', '{"tag": "vip"}'), 'applied', 'fields still change');
select is(t.verdict(t.kept('lead'), 'note_added', '{"text": "happy"}'), 'noted', 'notes are kept');
select is(t.verdict(t.kept('lead'), 'email_replied', '{}', null, '2026-01-07T10:00:00Z'), 'noted', 'so are replies');
select is((t.state(t.kept('lead'))).last_touch_at, '2026-01-07T10:00:00Z'::timestamptz,
          'which are touches');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.lead('sale'), 'refused') l;
