-- The whole of the qualification workflow (seed 003): what is decided of a lead and of each request.
-- depends: 0011_relationship
set lock_timeout = '3s';

alter table leadline.leads
    add column accepted_at timestamptz,
    add column recycle_reason text,
    add column recycle_on date,
    add column problem text,
    add column timing text,
    add column buying_role text,
    drop constraint leads_place_has_what_it_needs;
drop function leadline_internal.place_has_what_it_needs(text, text, timestamptz, timestamptz, timestamptz, text, numeric, timestamptz, text);

-- A function, since a check's own expressions are parsed at every update: a tenth of a single insert's time.
create function leadline_internal.place_has_what_it_needs(
    p_workflow text, p_status text, p_stage text, p_resolved_at timestamptz, p_won_at timestamptz, p_lost_at timestamptz, p_lost_reason text,
    p_deal_value numeric, p_first_contacted_at timestamptz, p_rejection_reason text, p_accepted_at timestamptz, p_recycle_reason text, p_recycle_on date
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
        and (p_workflow <> 'qualification' or (p_stage = 'disqualified') = (p_rejection_reason is not null)
            and (p_stage = 'recycled') = (p_recycle_reason is not null) and (p_stage = 'recycled') = (p_recycle_on is not null)
            and (p_stage not in ('accepted', 'qualified') or p_accepted_at is not null));
end $$;
comment on function leadline_internal.place_has_what_it_needs(text, text, text, timestamptz, timestamptz, timestamptz, text, numeric, timestamptz, text, timestamptz, text, date) is
    'Whether a lead has what its place needs, and nothing that belongs to another: the required accompanying attributes of seed 004 section 2 and of seed 003''s statuses.';
alter table leadline.leads
    add constraint leads_place_has_what_it_needs check (leadline_internal.place_has_what_it_needs(
        workflow, status, stage, resolved_at, won_at, lost_at, lost_reason, deal_value, first_contacted_at, rejection_reason,
        accepted_at, recycle_reason, recycle_on));
comment on column leadline.leads.accepted_at is 'When sales accepted the lead; null again when it comes back new.';
comment on column leadline.leads.recycle_reason is 'Why nobody works on it for now.';
comment on column leadline.leads.recycle_on is 'Only evidence dated after this day, in the workspace''s zone, brings it back.';
comment on column leadline.leads.problem is 'What the buyer wants solved, as confirmed. Personal: erased with the person.';
comment on column leadline.leads.timing is 'When they want it, as confirmed. Personal: erased with the person.';
comment on column leadline.leads.buying_role is 'The contact''s part in the decision, as confirmed. Personal: erased with the person.';

alter table leadline.requests
    add column decision text,
    add column decision_reason text,
    add column disposition_at timestamptz,
    add column qualified_at timestamptz,
    add constraint requests_decision_is_known check (decision in ('accepted', 'rejected')),
    add constraint requests_decided_have_their_time check ((decision is null) = (disposition_at is null)),
    add constraint requests_rejected_say_why check ((decision = 'rejected') = (decision_reason is not null)),
    drop constraint requests_route_is_known,
    add constraint requests_route_is_known check (route in ('new_business', 'customer', 'opportunity', 'partner', 'excluded'));
comment on column leadline.requests.decision is 'accepted or rejected by sales; null while nobody decided.';
comment on column leadline.requests.disposition_at is 'When the decision was set for the first time; a later change of mind leaves it.';
comment on column leadline.requests.qualified_at is 'When the lead was qualified on the ground of this request.';
