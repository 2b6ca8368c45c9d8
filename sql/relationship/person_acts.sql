-- Everything that was said of people, over the four journals, before any text is joined to it.
create or replace view leadline_internal.person_acts with (security_invoker = true) as
select a.workspace_id, l.person_id, 'lead_activity'::text as journal, a.lead_id as subject_id, a.activity_id, a.activity_type, a.payload, a.reference,
    a.occurred_at, a.recorded_at, a.actor_kind, a.actor_id, a.on_behalf_of, a.writer, a.caused_by, a.verdict, a.rule,
    a.from_stage, a.to_stage, a.from_status, a.to_status, a.changes, a.version, a.seq
from leadline.lead_activity a
join leadline.leads l on l.workspace_id = a.workspace_id and l.lead_id = a.lead_id
union all
select a.workspace_id, a.person_id, 'relationship_activity'::text as journal, a.person_id, a.activity_id, a.activity_type, a.payload, a.reference,
    a.occurred_at, a.recorded_at, a.actor_kind, a.actor_id, a.on_behalf_of, a.writer, a.caused_by, a.verdict, a.rule,
    a.from_stage, a.to_stage, a.from_status, a.to_status, a.changes, a.version, a.seq
from leadline.relationship_activity a
union all
select a.workspace_id, o.person_id, 'opportunity_activity'::text as journal, a.opportunity_id, a.activity_id, a.activity_type, a.payload, a.reference,
    a.occurred_at, a.recorded_at, a.actor_kind, a.actor_id, a.on_behalf_of, a.writer, a.caused_by, a.verdict, a.rule,
    a.from_stage, a.to_stage, a.from_status, a.to_status, a.changes, a.version, a.seq
from leadline.opportunity_activity a
join leadline.opportunities o on o.workspace_id = a.workspace_id and o.opportunity_id = a.opportunity_id
union all
select a.workspace_id, s.person_id, 'customer_activity'::text as journal, a.subscription_id, a.activity_id, a.activity_type, a.payload, a.reference,
    a.occurred_at, a.recorded_at, a.actor_kind, a.actor_id, a.on_behalf_of, a.writer, a.caused_by, a.verdict, a.rule,
    a.from_stage, a.to_stage, a.from_status, a.to_status, a.changes, a.version, a.seq
from leadline.customer_activity a
join leadline.subscriptions s on s.workspace_id = a.workspace_id and s.subscription_id = a.subscription_id;
comment on view leadline_internal.person_acts is 'One row an activity of any of the four journals, with the person it is about.';
