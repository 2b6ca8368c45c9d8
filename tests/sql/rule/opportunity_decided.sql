-- A lead is not taken back out of a deal that is won or lost: the deal is put right first (seed 003).
select t.here();

-- A converted lead whose deal has come so far.
create function pg_temp.converted(p_stage text) returns uuid language plpgsql as $$
declare
    v_lead_id uuid := t.qualification_lead('qualified');
    v_deal uuid;
begin
    perform t.report(v_lead_id, 'lead_converted');
    v_deal := (t.state(v_lead_id)).opportunity_id;
    if p_stage in ('proposal', 'closedwon') then perform t.report_on_deal(v_deal, 'opportunity_advanced', t.packet((t.state(v_lead_id)).person_id)); end if;
    if p_stage = 'closedwon' then perform t.report_on_deal(v_deal, 'opportunity_won', '{"amount": 10, "currency": "EUR", "close_date": "2026-03-01"}'); end if;
    if p_stage = 'closedlost' then perform t.report_on_deal(v_deal, 'opportunity_lost', '{"lost_reason": "Price"}'); end if;
    return v_lead_id;
end $$;

-- test: refused, and nothing moves
select results_eq(
    $$ select s, x, r.verdict || ' ' || r.rule, l.stage, l.opportunity_id is not null
       from unnest('{closedwon,closedlost}'::text[]) with ordinality s(s, n), unnest('{new,accepted,connected}'::text[]) with ordinality x(x, m),
            lateral t.report(pg_temp.converted(s), 'stage_corrected', jsonb_build_object('to_stage', x, 'reason', 'wrong_record')) r, lateral t.state(r.lead_id) l order by n, m $$,
    $$ select s, x, 'refused opportunity_decided', 'qualified', true
       from unnest('{closedwon,closedlost}'::text[]) with ordinality s(s, n), unnest('{new,accepted,connected}'::text[]) with ordinality x(x, m) order by n, m $$,
    'won or lost');

-- test: allowed while the deal is open
select results_eq(
    $$ select s, r.verdict, l.stage, l.opportunity_id
       from unnest('{evaluation,proposal}'::text[]) with ordinality s(s, n),
            lateral t.report(pg_temp.converted(s), 'stage_corrected', '{"to_stage": "connected", "reason": "wrong_record"}') r, lateral t.state(r.lead_id) l order by n $$,
    $$ select s, 'applied', 'connected', null::uuid from unnest('{evaluation,proposal}'::text[]) s $$, 'evaluation, proposal');

-- test: allowed once the deal was put right
select t.keep('lead', pg_temp.converted('closedwon'));
select t.keep('deal', (t.state(t.kept('lead'))).opportunity_id);
select t.report_on_deal(t.kept('deal'), 'stage_corrected', '{"to_stage": "proposal", "reason": "entered_by_mistake"}');
select is(t.verdict(t.kept('lead'), 'stage_corrected', '{"to_stage": "connected", "reason": "wrong_record"}'), 'applied', 'first the deal, then the lead');
select is((t.deal(t.kept('deal'))).stage, 'withdrawn', 'which never was one');

-- test: said
select t.speaks(l.sentence, l.hint)
from leadline.log_activity(pg_temp.converted('closedwon'), 'stage_corrected', '{"to_stage": "new", "reason": "wrong_record"}') l;
