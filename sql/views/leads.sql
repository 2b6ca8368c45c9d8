-- The leads as people read them, without and with the columns that say who they are.

create or replace function leadline.is_suppressed(p_workspace_id uuid, p_lead_id uuid) returns bool
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    if not coalesce(leadline.sees_lead(p_workspace_id, p_lead_id), false) and not pg_has_role(session_user, 'leadline_owner', 'member') then
        return null;
    end if;
    return (select leadline_internal.is_listed(l.workspace_id, l.email_key, l.phone_key)
            from leadline.leads l where l.workspace_id = p_workspace_id and l.lead_id = p_lead_id);
end $$;
comment on function leadline.is_suppressed(uuid, uuid) is 'Whether the lead''s e-mail or phone is on the do-not-contact list of its workspace; null for a lead the caller does not see.';

create or replace view leadline.lead_overview with (security_invoker = true) as
select l.workspace_id, l.lead_id, l.workflow, l.status, l.stage, s.label as stage_label, l.stage_entered_at, r.is_open, l.source, l.assigned_user_id,
    l.deal_value::numeric as deal_value, l.currency::text as currency, l.tags, l.first_contacted_at, l.last_touch_at, l.resolved_at, l.appointment_ref, l.appointment_at, l.callback_at,
    l.duplicate_of, l.copied_from, leadline.is_suppressed(l.workspace_id, l.lead_id) as is_suppressed, l.created_at, l.seq, l.version,
    l.person_id, p.account_id, l.waiting_since, l.won_at, l.lost_at, l.lost_reason::text as lost_reason, l.is_possible_duplicate, l.possible_duplicate_of, l.merged_into,
    l.rejection_reason, case when l.first_contacted_at >= l.created_at then l.first_contacted_at - l.created_at end as response_time,
    l.accepted_at, l.recycle_reason, l.recycle_on, l.opportunity_id
from leadline.leads l
left join leadline.rule_stages s on s.workflow = l.workflow and s.stage = l.stage
left join leadline.rule_permitted r on r.workflow = l.workflow and r.stage = l.stage and r.status = l.status
left join leadline.people p on p.workspace_id = l.workspace_id and p.person_id = l.person_id;
comment on view leadline.lead_overview is 'One row a lead: where it stands. Names and addresses are in lead_contacts.';
comment on column leadline.lead_overview.is_suppressed is 'Do not contact: the lead''s e-mail or phone asked to be left alone, on this lead or another.';
comment on column leadline.lead_overview.response_time is 'From the lead''s creation to the first contact by a person; null while there was none, and where the contact came first.';

create or replace view leadline.lead_contacts with (security_invoker = true) as
select l.workspace_id, l.lead_id, l.name, l.company, l.email, l.phone, l.lost_notes, l.problem, l.timing, l.buying_role
from leadline.leads l
where (select leadline.sees_contacts()) or not row_security_active('leadline.leads');
comment on view leadline.lead_contacts is 'One row a lead: who it is. Empty for analysts without scope contacts.';

create or replace view leadline.sales_pipeline with (security_invoker = true) as
select l.workspace_id, l.lead_id, l.stage as pipeline_stage, l.status, l.stage_entered_at, l.assigned_user_id, l.deal_value::numeric as deal_value,
    l.currency::text as currency, l.source, l.first_contacted_at, case when l.first_contacted_at >= l.created_at then l.first_contacted_at - l.created_at end as response_time,
    l.last_touch_at, l.waiting_since, l.won_at, l.lost_at, l.lost_reason::text as lost_reason, l.is_possible_duplicate, l.possible_duplicate_of, l.created_at, l.version
from leadline.leads l where l.workflow = 'sales';
comment on view leadline.sales_pipeline is 'One row a sales lead, in the words of seed 004: its pipeline stage, its status, its money, its response time.';
