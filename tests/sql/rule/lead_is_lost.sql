-- A lost lead comes back through an enquiry, a person's re-opening or a correction, and not by going on as if nothing had happened.
select t.here();

-- test: refused is what would move it on
select results_eq(
    $$ select a.type, t.verdict(t.sales_lead('lost'), a.type, a.payload)
       from (values (1, 'lead_qualified', '{}'::jsonb), (2, 'proposal_sent', '{}'), (3, 'proposal_sent', '{"deal_value": 5}'), (4, 'deal_won', '{}')) a(n, type, payload)
       order by n $$,
    $$ values ('lead_qualified', 'refused lead_is_lost'), ('proposal_sent', 'refused lead_is_lost'), ('proposal_sent', 'refused lead_is_lost'),
              ('deal_won', 'refused lead_is_lost') $$,
    'before its value is asked');

-- test: noted are contacts, and replies, which wait for an answer
select results_eq(
    $$ select type, r.verdict || ' ' || r.rule, l.stage, l.waiting_since
       from unnest('{call_completed,meeting_held,email_sent,lead_contacted,email_replied,message_received,call_received}'::text[]) with ordinality a(type, n),
            lateral t.report(t.sales_lead('lost'), a.type, '{}', null, '2026-01-02T10:00:00Z') r, lateral t.state(r.lead_id) l order by n $$,
    $$ select type, 'noted lead_is_lost', 'lost', case when n > 4 then '2026-01-02T10:00:00Z'::timestamptz end
       from unnest('{call_completed,meeting_held,email_sent,lead_contacted,email_replied,message_received,call_received}'::text[]) with ordinality a(type, n) order by n $$,
    'it stays lost');

-- test: allowed are the three ways back
select results_eq(
    $$ select a.type, r.verdict, r.to_stage
       from (values (1, 'lead_reopened', '{"to_stage": "qualified"}'::jsonb), (2, 'inbound_enquiry', '{"message": "hello again"}'),
                    (3, 'stage_corrected', '{"to_stage": "new", "reason": "wrong_record"}')) a(n, type, payload),
            lateral t.report(t.sales_lead('lost'), a.type, a.payload) r order by n $$,
    $$ values ('lead_reopened', 'applied', 'qualified'), ('inbound_enquiry', 'applied', 'new'), ('stage_corrected', 'applied', 'new') $$,
    'an enquiry, a person, a correction');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('lost'), 'deal_won') l;
