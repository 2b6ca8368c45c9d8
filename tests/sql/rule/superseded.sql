-- News older than the present stage moves nothing: an activity more than a minute older than the entry into it came too late.
select t.here();

-- test: noted when it would have moved
select t.keep('lead', t.created('{}', '2026-01-05T09:00:00Z'));
select is(t.verdict(t.kept('lead'), 'appointment_scheduled', '{}', null, '2026-01-05T10:05:00Z'), 'applied', 'booked at 10:05');
select is(t.verdict(t.kept('lead'), 'callback_requested', '{}', null, '2026-01-05T10:01:00Z'), 'noted superseded', 'asked at 10:01');
select is(t.verdict(t.kept('lead'), 'appointment_cancel', '{}', null, '2026-01-05T10:01:00Z'), 'noted superseded', 'cancelled at 10:01');
select is(t.stage(t.kept('lead')), 'scheduled', 'the appointment stands');
select results_eq(
    $$ select occurred_at from leadline.lead_timeline where lead_id = t.kept('lead') and verdict = 'noted' $$,
    $$ values ('2026-01-05T10:01:00Z'::timestamptz), ('2026-01-05T10:01:00Z') $$,
    'the timeline shows the late news when they happened');

-- test: noted also when it would not have moved from here
select is(t.verdict(t.lead('scheduled'), 'contact_attempted', '{}', null, '2025-12-31T12:00:00Z'), 'noted superseded',
          'the type moves from another stage');

-- test: refused when it is an outcome
select results_eq(
    $$ select type, t.verdict(t.lead('scheduled'), type, '{}', null, '2025-12-31T12:00:00Z')
       from unnest('{sale,no_sale,refused,unresponsive}'::text[]) type $$,
    $$ select type, 'refused superseded' from unnest('{sale,no_sale,refused,unresponsive}'::text[]) type $$,
    'an outcome is not quietly dropped');

-- test: allowed up to a minute, to the microsecond
select is(t.verdict(t.lead('scheduled'), 'sale', '{}', null, '2026-01-01T11:59:00Z'), 'applied', 'a minute older is not late');
select is(t.verdict(t.lead('scheduled'), 'sale', '{}', null, '2026-01-01T11:58:59.999999Z'), 'refused superseded', 'more is');

-- test: allowed at the same instant, where the order of arrival decides
select t.keep('lead', t.lead('attempted'));
select is(t.verdict(t.kept('lead'), 'callback_requested', '{}', null, '2026-01-02T10:00:00Z'), 'applied', 'first');
select is(t.verdict(t.kept('lead'), 'appointment_scheduled', '{}', null, '2026-01-02T10:00:00Z'), 'applied', 'second');

-- test: allowed however late: who must not be called, and numbers that are wrong
select results_eq(
    $$ select type, t.verdict(t.lead('scheduled'), type, '{}', null, '2025-12-01T12:00:00Z')
       from unnest('{dnc,wrong_number,bad_number,duplicate}'::text[]) type $$,
    $$ select type, 'applied' from unnest('{dnc,wrong_number,bad_number,duplicate}'::text[]) type $$,
    'these are true whenever they are told');

-- test: allowed in the first stage of a lead created here, whose birth is only its entry
select t.keep('lead', t.created());
select is(t.verdict(t.kept('lead'), 'contact_attempted', '{}', null, '2026-01-05T10:00:00Z'), 'applied', 'the call came before the entry');
select is((select l.stage_entered_at >= l.created_at from leadline.lead_overview l where l.lead_id = t.kept('lead')), true,
          'stage_entered_at does not run backwards');
select is(t.verdict(t.kept('lead'), 'callback_requested', '{}', null, '2026-01-05T10:01:00Z'), 'noted superseded',
          'from its first move on the clock counts');

-- test: an imported lead knows since when it stands there
select is(t.verdict(t.lead('new'), 'contact_attempted', '{}', null, '2025-12-31T12:00:00Z'), 'noted superseded', 'older than its entry');

-- test: touches, notes and fields are never too late
select t.keep('lead', t.lead('scheduled'));
select is(t.verdict(t.kept('lead'), 'email_replied', '{}', null, '2025-12-01T12:00:00Z'), 'noted', 'a reply');
select is(t.verdict(t.kept('lead'), 'note_added', '{"text": "x"}', null, '2025-12-01T12:00:00Z'), 'noted', 'a note');
select is(t.verdict(t.kept('lead'), 'tag_added', '{"tag": "x"}', null, '2025-12-01T12:00:00Z'), 'applied', 'a field');

-- test: said, and the outcome is told how to count now
select t.speaks(l.sentence, l.hint)
from leadline.log_activity(t.lead('scheduled'), 'callback_requested', p_occurred_at => '2025-12-31T12:00:00Z') l;
select matches(l.hint, 'occurred_at', 'the way out is to send it without occurred_at')
from leadline.log_activity(t.lead('scheduled'), 'sale', p_occurred_at => '2025-12-31T12:00:00Z') l;

-- test: noted of a relationship that moved since, refused of a deal's outcome
select is(t.verdict_on_person(t.person_at('qualified'), 'relationship_advanced', '{"to": "client", "reason": "x"}', null, '2025-12-31T12:00:00Z'), 'noted superseded', 'a relationship');
select is(t.verdict_on_person(t.person_at('qualified'), 'relationship_closed', '{"reason": "x"}', null, '2025-12-31T12:00:00Z'), 'noted superseded', 'its end');
select is(t.verdict_on_person(t.someone(), 'relationship_advanced', '{"to": "client", "reason": "x"}', null, '2025-12-31T12:00:00Z'), 'applied', 'a prospect never moved, so nothing is late');
select is(t.verdict_on_deal(t.opportunity('proposal'), 'opportunity_lost', '{"lost_reason": "Price"}', null, '2025-12-31T12:00:00Z'), 'refused superseded', 'an outcome of a deal');
