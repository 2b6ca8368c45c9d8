-- Deals and customers as people read them (seed 003).

create or replace view leadline.opportunity_overview with (security_invoker = true) as
select o.workspace_id, o.opportunity_id, o.workflow as pipeline, o.stage, s.label as stage_label, o.status, r.is_open, o.stage_entered_at, o.person_id, o.account_id,
    a.name as account_name, o.lead_id, o.assigned_user_id, o.amount::numeric as amount, o.currency::text as currency, o.close_date, o.next_step_on, o.contacts,
    o.won_at, o.lost_at, o.lost_reason::text as lost_reason, o.created_at, o.seq, o.version
from leadline.opportunities o
left join leadline.rule_stages s on s.workflow = o.workflow and s.stage = o.stage
left join leadline.rule_permitted r on r.workflow = o.workflow and r.stage = o.stage and r.status = o.status
left join leadline.accounts a on a.workspace_id = o.workspace_id and a.account_id = o.account_id;
comment on view leadline.opportunity_overview is 'One row an opportunity: where the deal stands. What the buyer said is in opportunity_contacts.';
comment on column leadline.opportunity_overview.contacts is 'Contact roles: {"<person_id>": "<role>"}.';

create or replace view leadline.opportunity_contacts with (security_invoker = true) as
select o.workspace_id, o.opportunity_id, o.problem, o.decision_process, o.next_step, o.lost_notes
from leadline.opportunities o
where (select leadline.sees_contacts()) or not row_security_active('leadline.opportunities');
comment on view leadline.opportunity_contacts is 'One row an opportunity: what the buyer confirmed, in words. Empty for analysts without scope contacts.';

create or replace view leadline.opportunity_timeline with (security_invoker = true) as
select a.workspace_id, a.opportunity_id, a.seq, a.activity_id, a.activity_type, t.label, a.verdict, a.rule, s.sentence,
    a.from_stage, a.to_stage, a.from_status, a.to_status,
    a.payload || coalesce(c.content -> 'payload', '{}') as payload, a.changes || coalesce(c.content -> 'changes', '{}') as changes,
    a.reference, a.occurred_at, a.recorded_at, a.actor_kind, a.actor_id, a.on_behalf_of, a.writer, a.surface, a.caused_by, a.version
from leadline.opportunity_activity a
join leadline.rule_activity_types t on t.activity_type = a.activity_type
left join leadline.rule_sentences s on s.rule = a.rule
left join leadline.activity_content c on c.workspace_id = a.workspace_id and c.activity_id = a.activity_id;
comment on view leadline.opportunity_timeline is 'One row an activity of an opportunity. Order by seq.';

create or replace view leadline.subscription_overview with (security_invoker = true) as
select u.workspace_id, u.subscription_id, u.stage, s.label as stage_label, u.status, u.stage_entered_at, u.person_id, u.account_id, u.plan, u.started_at, u.cancelled_at,
    k.period_start, k.period_end, k.stage as renewal_stage, u.created_at, u.seq, u.version
from leadline.subscriptions u
left join leadline.rule_stages s on s.workflow = u.workflow and s.stage = u.stage
left join lateral (
    select c.period_start, c.period_end, c.stage from leadline.renewal_cycles c
    where c.workspace_id = u.workspace_id and c.subscription_id = u.subscription_id order by c.period_start desc limit 1) k on true;
comment on view leadline.subscription_overview is 'One row a subscription: whether it is paid, and its latest renewal cycle.';

create or replace view leadline.customer_timeline with (security_invoker = true) as
select a.workspace_id, a.subscription_id, a.seq, a.activity_id, a.activity_type, t.label, a.verdict, a.rule, s.sentence,
    a.from_stage, a.to_stage, a.from_status, a.to_status, a.payload || coalesce(c.content -> 'payload', '{}') as payload, a.changes,
    a.reference, a.occurred_at, a.recorded_at, a.actor_kind, a.actor_id, a.on_behalf_of, a.writer, a.surface, a.caused_by, a.version
from leadline.customer_activity a
join leadline.rule_activity_types t on t.activity_type = a.activity_type
left join leadline.rule_sentences s on s.rule = a.rule
left join leadline.activity_content c on c.workspace_id = a.workspace_id and c.activity_id = a.activity_id;
comment on view leadline.customer_timeline is 'One row an activity of a subscription. Order by seq.';
