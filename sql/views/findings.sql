-- What a reviewer should look at: loops, reversals, lists that no longer fit, hands in the tables, gaps in the model (seed 003).
-- All of it comes from what was recorded, so it says the same whenever it is asked; whoever reads it chooses the period.

create or replace view leadline.findings with (security_invoker = true) as
with lead_news as (  -- read once, since whether a member sees a row is asked of every row
    select a.workspace_id, a.lead_id, a.activity_id, a.seq, a.activity_type, a.occurred_at, a.actor_kind, a.from_stage, a.to_stage,
        case when a.activity_type in ('stage_corrected', 'lead_imported', 'request_rejected', 'lead_recycled', 'deal_lost', 'direct_change') then a.payload end as payload,
        case when a.activity_type = 'direct_change' then a.changes end as changes
    from leadline.lead_activity a
    where a.verdict = 'applied' and (a.from_stage <> a.to_stage or a.seq = 1 or a.activity_type in ('request_rejected', 'direct_change'))
), reversals as (  -- a person moved a record back
    select a.workspace_id, 'lead' as subject_kind, a.lead_id as subject_id, a.occurred_at, a.activity_id,
        format('from %s to %s (%s)', a.from_stage, a.to_stage, a.payload ->> 'reason') as move
    from lead_news a where a.activity_type = 'stage_corrected' and a.from_stage <> a.to_stage and a.actor_kind = 'user'
    union all
    select a.workspace_id, 'opportunity' as subject_kind, a.opportunity_id, a.occurred_at, a.activity_id, format('from %s to %s (%s)', a.from_stage, a.to_stage, a.payload ->> 'reason')
    from leadline.opportunity_activity a
    where a.activity_type = 'stage_corrected' and a.verdict = 'applied' and a.from_stage <> a.to_stage and a.actor_kind = 'user'
    union all
    select a.workspace_id, 'person' as subject_kind, a.person_id, a.occurred_at, a.activity_id, format('from %s to %s', a.from_stage, a.to_stage)
    from leadline.relationship_activity a
    join leadline.rule_stages f on f.workflow = 'relationship' and f.stage = a.from_stage
    join leadline.rule_stages t on t.workflow = 'relationship' and t.stage = a.to_stage and t.position < f.position
    where a.activity_type = 'relationship_advanced' and a.verdict = 'applied' and a.actor_kind = 'user'
), entries as (  -- every entry into a stage; a birth is one
    select a.workspace_id, 'lead' as subject_kind, a.lead_id as subject_id, a.to_stage as stage, a.seq,
        case when a.activity_type = 'lead_imported' and a.seq = 1 then (a.payload ->> 'entered_at')::timestamptz else a.occurred_at end as entered_at
    from lead_news a where a.from_stage <> a.to_stage or a.seq = 1
    union all
    select a.workspace_id, 'opportunity' as subject_kind, a.opportunity_id, a.to_stage, a.seq, a.occurred_at
    from leadline.opportunity_activity a where a.from_stage <> a.to_stage or a.seq = 1
    union all
    select a.workspace_id, 'person' as subject_kind, a.person_id, a.to_stage, a.seq, a.occurred_at
    from leadline.relationship_activity a where a.from_stage <> a.to_stage
), neighbours as (
    select e.workspace_id, e.subject_kind, e.subject_id, e.stage, e.entered_at,
        lag(e.entered_at, 2) over in_time as two_before, lag(e.entered_at) over in_time as before,
        lead(e.entered_at) over in_time as after, lead(e.entered_at, 2) over in_time as two_after
    from entries e
    window in_time as (partition by e.workspace_id, e.subject_kind, e.subject_id, e.stage order by e.entered_at, e.seq)
), reasons as (  -- reasons that somebody chose from a list; dnc chooses none
    select a.workspace_id, 'rejection' as reason_list, a.payload ->> 'reason' as reason, a.occurred_at
    from lead_news a where a.activity_type = 'request_rejected'
    union all
    select a.workspace_id, 'recycle' as reason_list, a.payload ->> 'reason', a.occurred_at
    from lead_news a where a.activity_type = 'lead_recycled' and a.from_stage <> a.to_stage
    union all
    select a.workspace_id, 'lost' as reason_list, a.payload ->> 'lost_reason', a.occurred_at
    from lead_news a where a.activity_type in ('deal_lost', 'stage_corrected') and a.from_stage <> a.to_stage and a.to_stage = 'lost'
    union all
    select a.workspace_id, 'lost' as reason_list, a.payload ->> 'lost_reason', a.occurred_at
    from leadline.opportunity_activity a where a.activity_type in ('opportunity_lost', 'stage_corrected') and a.from_stage <> a.to_stage and a.to_stage = 'closedlost'
), months as (
    select r.workspace_id, r.reason_list, to_char(r.occurred_at at time zone w.time_zone, 'YYYY-MM') as month, lower(r.reason) = 'other' as is_other, r.occurred_at
    from reasons r join leadline.workspaces w on w.workspace_id = r.workspace_id
), hands as (
    select a.workspace_id, 'lead' as subject_kind, a.lead_id as subject_id, a.occurred_at, a.activity_id, a.changes, a.payload ->> 'login' as login
    from lead_news a where a.activity_type = 'direct_change'
    union all
    select a.workspace_id, 'person' as subject_kind, a.person_id, a.occurred_at, a.activity_id, a.changes, a.payload ->> 'login'
    from leadline.relationship_activity a where a.activity_type = 'direct_change'
    union all
    select a.workspace_id, 'opportunity' as subject_kind, a.opportunity_id, a.occurred_at, a.activity_id, a.changes, a.payload ->> 'login'
    from leadline.opportunity_activity a where a.activity_type = 'direct_change'
    union all
    select a.workspace_id, 'subscription' as subject_kind, a.subscription_id, a.occurred_at, a.activity_id, a.changes, a.payload ->> 'login'
    from leadline.customer_activity a where a.activity_type = 'direct_change'
    union all
    select a.workspace_id, 'workspace' as subject_kind, a.workspace_id, a.occurred_at, a.activity_id, a.changes, a.payload ->> 'login'
    from leadline.workspace_activity a where a.activity_type = 'direct_change'
)
select r.workspace_id, 'T03_manual_reversal'::text as finding, r.subject_kind::text as subject_kind, r.subject_id::text as subject_id, 'warn'::text as severity,
    min(r.occurred_at) as first_at, max(r.occurred_at) as last_at, count(*)::int as occurrences,
    'Moved back by a person, last ' || (array_agg(r.move order by r.activity_id desc))[1] as detail
from reversals r
group by r.workspace_id, r.subject_kind, r.subject_id
union all
select n.workspace_id, 'T10_loop' as finding, n.subject_kind, n.subject_id::text, 'warn' as severity, min(n.entered_at), max(n.entered_at), count(*)::int,
    format('Entered %s more than twice within 90 days', n.stage)
from neighbours n
where n.entered_at - n.two_before <= interval '2160 hours' or n.after - n.before <= interval '2160 hours' or n.two_after - n.entered_at <= interval '2160 hours'
group by n.workspace_id, n.subject_kind, n.subject_id, n.stage
union all
select m.workspace_id, 'other_over_a_tenth' as finding, 'reason_list' as subject_kind, m.reason_list || ' ' || m.month, 'warn' as severity,
    min(m.occurred_at) filter (where m.is_other), max(m.occurred_at) filter (where m.is_other), (count(*) filter (where m.is_other))::int,
    format('"other" is %s of %s in the list %s in %s: rewrite the list', count(*) filter (where m.is_other), count(*), m.reason_list, m.month)
from months m
group by m.workspace_id, m.reason_list, m.month
having 10 * count(*) filter (where m.is_other) > count(*)
union all
select l.workspace_id, 'duplicate_without_duplicate_of' as finding, 'lead' as subject_kind, l.lead_id::text, 'info' as severity, l.resolved_at, l.resolved_at, 1,
    'A duplicate, and nobody said of which lead' as detail
from leadline.leads l
where l.workflow = 'appointment' and l.stage = 'duplicate' and l.duplicate_of is null
union all
select h.workspace_id, 'direct_change' as finding, h.subject_kind, h.subject_id::text, 'high' as severity, min(h.occurred_at), max(h.occurred_at), count(distinct h.activity_id)::int,
    format('Changed past the journal by %s: %s', string_agg(distinct h.login, ', ' order by h.login), string_agg(distinct k.field, ', ' order by k.field))
from hands h cross join lateral jsonb_object_keys(h.changes) k (field)
group by h.workspace_id, h.subject_kind, h.subject_id
union all
select null::uuid as workspace_id, l.finding, 'model' as subject_kind, l.subject, l.severity, null::timestamptz as first_at, null::timestamptz as last_at, 1, l.detail
from leadline.lint_model(leadline.stage_model_document()) l
where (select leadline.current_workspace()) is not null or not row_security_active('leadline.leads');
comment on view leadline.findings is 'Unit: finding. One row a subject and kind: what a reviewer should look at. Told from the journals, so the same whenever it is asked.';
comment on column leadline.findings.workspace_id is 'Null for a finding about the model itself, which is every workspace''s.';
comment on column leadline.findings.finding is 'T03_manual_reversal; T10_loop (more than 2 entries into one stage within any 90 × 24 h, one row a stage); other_over_a_tenth (of a month''s rejections, losses or recycles, by the workspace''s zone); duplicate_without_duplicate_of; direct_change; and what lint_model() finds.';
comment on column leadline.findings.subject_kind is 'lead, person, opportunity, subscription, workspace, reason_list or model.';
comment on column leadline.findings.subject_id is 'The subject''s id; of a list its name and month; of the model what lint_model() names.';
comment on column leadline.findings.severity is 'high, warn or info.';
comment on column leadline.findings.occurrences is 'How often: reversals, entries that are part of a loop, uses of "other", changes by hand.';
