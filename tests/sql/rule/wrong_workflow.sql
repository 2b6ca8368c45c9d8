-- What moves a lead of another workflow does not move an appointment: no re-opening, correction or archiving (seed 000).
select t.here();

-- test: refused at every stage, the closed ones included
select results_eq(
    $$ select a.type, s.stage, t.verdict(t.lead(s.stage), a.type, a.payload)
       from (values ('lead_qualified', '{"problem": "x", "timing": "soon", "buying_role": "user"}'::jsonb), ('proposal_sent', '{}'),
                    ('deal_won', '{}'), ('deal_lost', '{"lost_reason": "Price"}'), ('lead_reopened', '{"to_stage": "new"}'),
                    ('lead_archived', '{}'), ('lead_unarchived', '{}'),
                    ('stage_corrected', '{"to_stage": "new", "reason": "entered_by_mistake"}'), ('request_accepted', '{}'),
                    ('request_rejected', '{"reason": "no_fit"}'), ('lead_recycled', '{"reason": "other", "recycle_on": "2027-01-01"}'),
                    ('lead_converted', '{}')) a(type, payload),
            unnest('{new,scheduled,sale,dnc}'::text[]) with ordinality s(stage, n)
       order by a.type, s.n $$,
    $$ select type, stage, 'refused wrong_workflow'
       from unnest('{deal_lost,deal_won,lead_archived,lead_converted,lead_qualified,lead_recycled,lead_reopened,lead_unarchived,
                     proposal_sent,request_accepted,request_rejected,stage_corrected}'::text[]) with ordinality a(type, m),
            unnest('{new,scheduled,sale,dnc}'::text[]) with ordinality s(stage, n)
       order by m, n $$,
    'they belong to other workflows');

-- test: once resolved a lead stays resolved, and nothing changes
select t.keep('lead', t.lead('refused'));
select t.report(t.kept('lead'), 'lead_reopened', '{"to_stage": "new"}');
select results_eq(
    $$ select stage, status, version from t.state(t.kept('lead')) $$,
    $$ values ('refused', 'resolved', 1) $$, 'the outcome stands');

-- test: allowed is a new lead that starts again
select t.keep('lead', t.lead('refused'));
select t.keep('again', t.created(jsonb_build_object('copied_from', t.kept('lead'))));
select results_eq(
    $$ select stage, status, copied_from from t.state(t.kept('again')) $$,
    $$ select 'new', 'open', t.kept('lead') $$, 'a copy starts at new and remembers its source');

-- test: refused are the words of qualification elsewhere, and those of others in it
select results_eq(
    $$ select x, t.verdict(t.sales_lead('new'), x, p), t.verdict(t.lead('new'), x, p)
       from (values (1, 'request_accepted', '{}'::jsonb), (2, 'request_rejected', '{"reason": "no_fit"}'), (3, 'request_rejected', '{}'),
           (4, 'lead_recycled', '{"reason": "bad_timing", "recycle_on": "2999-01-01"}'),
                    (5, 'lead_recycled', '{}'), (6, 'lead_converted', '{}')) y(n, x, p) order by n $$,
    $$ select x, 'refused wrong_workflow', 'refused wrong_workflow'
       from unnest('{request_accepted,request_rejected,request_rejected,lead_recycled,lead_recycled,lead_converted}'::text[]) x $$, 'before their reasons are asked');
select is(t.verdict(t.qualification_lead('connected'), x, p), 'refused wrong_workflow', x)
from (values ('proposal_sent', '{}'::jsonb), ('deal_won', '{}'), ('deal_lost', '{}'), ('lead_archived', '{}'), ('lead_reopened', '{"to_stage": "new"}'), ('appointment_scheduled', '{}'),
    ('sale', '{}')) y(x, p);

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.lead('sale'), 'lead_reopened', '{"to_stage": "new"}') l;
