-- A won lead is done: what would move it on or down is refused, what merely happened is noted.
select t.here();

-- test: refused is what would move it
select results_eq(
    $$ select a.type, t.verdict(t.sales_lead('won'), a.type, a.payload)
       from (values (1, 'lead_qualified', '{}'::jsonb), (2, 'proposal_sent', '{"deal_value": 5}'), (3, 'deal_lost', '{"lost_reason": "Price"}'),
                    (4, 'deal_lost', '{}'), (5, 'lead_reopened', '{"to_stage": "new"}')) a(n, type, payload) order by n $$,
    $$ values ('lead_qualified', 'refused lead_is_won'), ('proposal_sent', 'refused lead_is_won'), ('deal_lost', 'refused lead_is_won'),
              ('deal_lost', 'refused lead_is_won'), ('lead_reopened', 'refused lead_is_won') $$,
    'before its reason or value is asked');

-- test: noted are contacts and replies, and nobody waits
select results_eq(
    $$ select type, r.verdict || ' ' || r.rule, l.waiting_since
       from unnest('{call_completed,meeting_held,email_sent,lead_contacted,email_replied,message_received,call_received}'::text[]) with ordinality a(type, n),
            lateral t.report(t.sales_lead('won'), a.type) r, lateral t.state(r.lead_id) l order by n $$,
    $$ select type, 'noted lead_is_won', null::timestamptz
       from unnest('{call_completed,meeting_held,email_sent,lead_contacted,email_replied,message_received,call_received}'::text[]) type $$,
    'kept in the timeline');

-- test: what was late is told that the lead is won, not that it was late
select is(t.verdict(t.sales_lead('won'), 'deal_lost', '{"lost_reason": "Price"}', null, '2025-06-01T12:00:00Z'), 'refused lead_is_won', 'won is asked first');

-- test: allowed are a correction, archiving and fields
select is(t.verdict(t.sales_lead('won'), 'stage_corrected', '{"to_stage": "proposal", "reason": "entered_by_mistake"}'), 'applied', 'a correction');
select is(t.verdict(t.sales_lead('won'), 'lead_archived'), 'applied', 'archiving');
select is(t.verdict(t.sales_lead('won'), 'tag_added', '{"tag": "vip"}'), 'applied', 'a tag');

-- test: allowed is won again, which is noted
select is(t.verdict(t.sales_lead('won'), 'deal_won'), 'noted already_there', 'it is no second win');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('won'), 'deal_lost', '{"lost_reason": "Price"}') l;
