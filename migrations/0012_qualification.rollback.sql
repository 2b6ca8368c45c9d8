set lock_timeout = '3s';
do $$
begin
    if exists (select from leadline.requests q where q.decision is not null) or exists (select from leadline.leads l where l.accepted_at is not null) then
        raise exception 'Requests were decided: their history is that of their leads, which would no longer fit it.';
    end if;
end $$;
update leadline.requests set route = 'new_business' where route = 'opportunity';
alter table leadline.requests
    drop constraint requests_route_is_known,
    add constraint requests_route_is_known check (route in ('new_business', 'customer', 'partner', 'excluded')),
    drop column qualified_at,
    drop column disposition_at,
    drop column decision_reason,
    drop column decision;
alter table leadline.leads
    drop constraint leads_place_has_what_it_needs,
    drop column buying_role,
    drop column timing,
    drop column problem,
    drop column recycle_on,
    drop column recycle_reason,
    drop column accepted_at;
drop function leadline_internal.place_has_what_it_needs(text, text, text, timestamptz, timestamptz, timestamptz, text, numeric, timestamptz, text, timestamptz, text, date);
create function leadline_internal.place_has_what_it_needs(
    p_status text, p_stage text, p_resolved_at timestamptz, p_won_at timestamptz, p_lost_at timestamptz, p_lost_reason text,
    p_deal_value numeric, p_first_contacted_at timestamptz, p_rejection_reason text
) returns bool
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    return (p_status = 'resolved') = (p_resolved_at is not null)
        and (p_stage = 'won') = (p_won_at is not null)
        and (p_stage = 'lost') = (p_lost_at is not null) and (p_stage = 'lost') = (p_lost_reason is not null)
        and (p_stage not in ('proposal', 'won') or coalesce(p_deal_value, 0) > 0)
        and (p_stage <> 'contacted' or p_first_contacted_at is not null)
        and (p_stage <> 'disqualified' or p_rejection_reason is not null);
end $$;
comment on function leadline_internal.place_has_what_it_needs(text, text, timestamptz, timestamptz, timestamptz, text, numeric, timestamptz, text) is
    'Whether a lead has what its place needs, and nothing that belongs to another: the required accompanying attributes of seed 004 section 2.';
alter table leadline.leads
    add constraint leads_place_has_what_it_needs check (leadline_internal.place_has_what_it_needs(
        status, stage, resolved_at, won_at, lost_at, lost_reason, deal_value, first_contacted_at, rejection_reason));
-- A lead that stands where the earlier rules know no place stops the way down here.
delete from leadline.rule_transitions t where t.workflow = 'qualification';
delete from leadline_internal.rulings r where r.workflow = 'qualification';
delete from leadline.rule_blocks b where b.workflow = 'qualification';
delete from leadline.rule_permitted p where p.workflow = 'qualification' and p.stage <> 'disqualified';
delete from leadline.rule_stages s where s.workflow = 'qualification' and s.stage <> 'disqualified';
