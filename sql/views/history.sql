-- The journal as people read it: everything that was said and decided, stage by stage, field by field, refusal by refusal.

create or replace view leadline.lead_timeline with (security_invoker = true) as
select a.workspace_id, a.lead_id, a.seq, a.activity_id, a.activity_type, t.label, a.verdict, a.rule, s.sentence,
    a.from_stage, a.to_stage, a.from_status, a.to_status,
    a.payload || coalesce(c.content -> 'payload', '{}') as payload, a.changes || coalesce(c.content -> 'changes', '{}') as changes,
    a.reference, a.occurred_at, a.recorded_at, a.actor_kind, a.actor_id, a.on_behalf_of, a.writer, a.surface, a.caused_by, a.version
from leadline.lead_activity a
join leadline.rule_activity_types t on t.activity_type = a.activity_type
left join leadline.rule_sentences s on s.rule = a.rule
left join leadline.activity_content c on c.workspace_id = a.workspace_id and c.activity_id = a.activity_id;
comment on view leadline.lead_timeline is 'One row an activity. Order by seq: that is the order of decisions; occurred_at is the writer''s word.';
comment on column leadline.lead_timeline.payload is 'What was reported, personal text included while it stands and the reader may see it.';

create or replace view leadline.stage_history with (security_invoker = true) as
select a.workspace_id, a.lead_id, a.seq, a.to_stage as stage, a.to_status as status,
    greatest(a.occurred_at, max(a.occurred_at) over w) as entered_at,
    lead(greatest(a.occurred_at, a.so_far)) over (partition by a.workspace_id, a.lead_id order by a.seq) as left_at,
    a.activity_id, a.activity_type, a.actor_kind, a.actor_id
from (
    select b.*, max(b.occurred_at) over (partition by b.workspace_id, b.lead_id order by b.seq) as so_far
    from leadline.lead_activity b
    where b.from_stage <> b.to_stage or b.seq = 1
) a
window w as (partition by a.workspace_id, a.lead_id order by a.seq);
comment on view leadline.stage_history is 'One row a stay in a stage; left_at is null for the present one. Order by seq.';

create or replace view leadline.activities with (security_invoker = true) as
select a.workspace_id, a.lead_id, a.activity_id, a.seq,
    case when a.actor_kind = 'user' then a.actor_id end as user_id, a.actor_kind, a.activity_type as event_type,
    f.key as field,
    case when jsonb_typeof(f.value) = 'array' then nullif(f.value -> 0, 'null') end as old_value,
    case when jsonb_typeof(f.value) = 'array' then nullif(f.value -> 1, 'null') end as new_value, a.occurred_at, a.recorded_at
from leadline.lead_activity a
left join leadline.activity_content c on c.workspace_id = a.workspace_id and c.activity_id = a.activity_id
cross join lateral jsonb_each(a.changes || coalesce(c.content -> 'changes', '{}')) f
where a.changes is not null;
comment on view leadline.activities is 'The audit log (seed 004 rule 10.1): one row a changed field, with its old and new value; null for values that were erased or may not be read.';

create or replace view leadline.refused_activities with (security_invoker = true) as
select a.workspace_id, a.lead_id, a.activity_id, a.seq, a.activity_type, a.rule, s.sentence, s.hint, a.from_stage, a.from_status,
    a.actor_kind, a.actor_id, a.writer, a.occurred_at, a.recorded_at
from leadline.lead_activity a
left join leadline.rule_sentences s on s.rule = a.rule
where a.verdict = 'refused';
comment on view leadline.refused_activities is 'One row a refusal: what somebody wanted, and the rule that forbade it.';
