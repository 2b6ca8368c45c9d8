-- An archived lead is kept for the record: nothing moves it until it is taken out again.
select t.here();

-- test: refused is what would move it, wherever it stood
select results_eq(
    $$ select a.type, s, t.verdict(t.archived(t.sales_lead(s)), a.type, a.payload)
       from (values (1, 'lead_qualified', '{}'::jsonb), (2, 'proposal_sent', '{}'), (3, 'deal_won', '{}'), (4, 'deal_lost', '{}'), (5, 'lead_reopened', '{"to_stage": "new"}'),
                    (6, 'stage_corrected', '{"to_stage": "new", "reason": "oops"}')) a(n, type, payload),
            unnest('{new,contacted,qualified,proposal,won,lost}'::text[]) with ordinality s(s, m) order by n, m $$,
    $$ select type, s, 'refused lead_is_archived'
       from unnest('{lead_qualified,proposal_sent,deal_won,deal_lost,lead_reopened,stage_corrected}'::text[]) with ordinality a(type, n),
            unnest('{new,contacted,qualified,proposal,won,lost}'::text[]) with ordinality s(s, m) order by n, m $$,
    'before any need is asked');

-- test: noted are contacts and replies, and nobody waits
select results_eq(
    $$ select type, r.verdict || ' ' || r.rule, l.stage, l.waiting_since
       from unnest('{call_completed,meeting_held,email_sent,lead_contacted,email_replied,message_received,call_received}'::text[]) with ordinality a(type, n),
            lateral t.report(t.archived(t.sales_lead('new')), a.type) r, lateral t.state(r.lead_id) l order by n $$,
    $$ select type, 'noted lead_is_archived', 'new', null::timestamptz
       from unnest('{call_completed,meeting_held,email_sent,lead_contacted,email_replied,message_received,call_received}'::text[]) type $$,
    'a call to an archived lead contacts nobody''s queue');

-- test: what was late is told that the lead is archived, not that it was late
select is(t.verdict(t.archived(t.sales_lead('new')), 'lead_qualified', '{}', null, '2025-06-01T12:00:00Z'), 'refused lead_is_archived', 'archived is asked first');

-- test: allowed are fields, notes and an enquiry by id, which is kept
select is(t.verdict(t.archived(t.sales_lead('new')), 'tag_added', '{"tag": "vip"}'), 'applied', 'a tag');
select is(t.verdict(t.archived(t.sales_lead('new')), 'note_added', '{"text": "x"}'), 'noted', 'a note');
select is(t.verdict(t.archived(t.sales_lead('lost')), 'inbound_enquiry', '{"message": "x"}'), 'noted', 'an enquiry');

-- test: allowed once it is taken out again
select t.keep('lead', t.archived(t.sales_lead('new')));
select t.report(t.kept('lead'), 'lead_unarchived');
select is(t.verdict(t.kept('lead'), 'lead_qualified'), 'applied', 'it goes on where it stood');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.archived(t.sales_lead('new')), 'lead_qualified') l;
