-- Where people stand, how they came there, and what waits for a yes (seed 002).

create or replace function leadline.normalise_stage(p_text text) returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    v_word text := btrim(regexp_replace(lower(leadline_internal.visible_text(p_text)), '[^a-z0-9]+', '_', 'g'), '_');
begin
    return coalesce(
        (select s.stage from leadline.rule_stages s where s.workflow = 'relationship' and s.stage = v_word),
        (select a.stage from leadline.rule_aliases a where a.workflow = 'relationship' and a.alias = v_word));
end $$;
comment on function leadline.normalise_stage(text) is 'Our word for another system''s: customer is client, lost is closed; null when it knows no such word. For reading only: a write says the word itself, or is refused unknown_stage.';

create or replace view leadline.contacts with (security_invoker = true) as
select p.workspace_id, p.person_id, p.stage, s.label as stage_label, p.status, p.stage_entered_at, p.furthest_stage,
    least(p.first_qualified_at, m.first_qualified_at) as first_qualified_at,
    p.account_id, a.name as account_name, a.kind as account_kind, p.merged_into, p.erased_at, p.created_at, p.seq, p.version
from leadline.people p
left join leadline.rule_stages s on s.workflow = p.workflow and s.stage = p.stage
left join leadline.accounts a on a.workspace_id = p.workspace_id and a.account_id = p.account_id
left join lateral (
    with recursive circle as (
        select o.person_id, o.first_qualified_at from leadline.people o where o.workspace_id = p.workspace_id and o.merged_into = p.person_id
        union
        select o.person_id, o.first_qualified_at from circle c join leadline.people o on o.workspace_id = p.workspace_id and o.merged_into = c.person_id
    )
    select min(c.first_qualified_at) as first_qualified_at from circle c) m on true;
comment on view leadline.contacts is 'One row a person: the one answer to where the relationship stands. Names and addresses are in lead_contacts and person_contacts.';

comment on column leadline.contacts.first_qualified_at is 'The first qualification of the person, or of anybody who was merged into it.';

create or replace view leadline.relationship_timeline with (security_invoker = true) as
select a.workspace_id, a.person_id, a.seq, a.activity_id, a.activity_type, t.label, a.verdict, a.rule, s.sentence,
    a.from_stage, a.to_stage, a.from_status, a.to_status, a.payload || coalesce(c.content -> 'payload', '{}') as payload, a.changes,
    a.reference, a.occurred_at, a.recorded_at, a.actor_kind, a.actor_id, a.on_behalf_of, a.writer, a.surface, a.caused_by, a.version,
    coalesce(q.approval_id, (a.payload ->> 'approval_id')::uuid) as approval_id, q.status as approval_status, q.settled_by
from leadline.relationship_activity a
join leadline.rule_activity_types t on t.activity_type = a.activity_type
left join leadline.rule_sentences s on s.rule = a.rule
left join leadline.approvals q on q.workspace_id = a.workspace_id and q.activity_id = a.activity_id
left join leadline.activity_content c on c.workspace_id = a.workspace_id and c.activity_id = a.activity_id;
comment on view leadline.relationship_timeline is 'One row an activity of a relationship, refusals and held moves included. Order by seq.';
comment on column leadline.relationship_timeline.settled_by is 'Of a held row: the activity that answered it.';

create or replace view leadline.relationship_stage_events with (security_invoker = true) as
select a.workspace_id, a.activity_id as event_id, a.person_id, a.seq, a.from_stage, a.to_stage, coalesce(t.position <= f.position, false) as is_backward,
    a.activity_type, a.actor_kind, a.actor_id, a.on_behalf_of, a.writer, c.content -> 'payload' ->> 'reason' as reason,
    (a.payload ->> 'approval_id')::uuid as approval_id, a.caused_by, a.reference, a.occurred_at, a.recorded_at
from leadline.relationship_activity a
join leadline.rule_stages f on f.workflow = 'relationship' and f.stage = a.from_stage
join leadline.rule_stages t on t.workflow = 'relationship' and t.stage = a.to_stage
left join leadline.activity_content c on c.workspace_id = a.workspace_id and c.activity_id = a.activity_id
where a.from_stage <> a.to_stage;
comment on view leadline.relationship_stage_events is 'One row a move (seed 002): who moved the person, from what, to what, why, and by which approval. Order by seq.';
comment on column leadline.relationship_stage_events.reason is 'The words given; null where the reader may not see them or they were erased.';

create or replace view leadline.approval_queue with (security_invoker = true) as
select q.workspace_id, q.approval_id, q.person_id, p.stage, q.to_stage, q.status, q.requested_at, q.expires_at, q.activity_id, a.actor_kind, a.actor_id, a.writer,
    a.caused_by, q.settled_at, q.settled_by, q.settled_by_user
from leadline.approvals q
join leadline.people p on p.workspace_id = q.workspace_id and p.person_id = q.person_id
join leadline.relationship_activity a on a.workspace_id = q.workspace_id and a.activity_id = q.activity_id;
comment on view leadline.approval_queue is 'One row an approval, open or answered: who asked for which move, and what became of it. Open ones have status open.';
comment on column leadline.approval_queue.stage is 'Where the person stands now.';
comment on column leadline.approval_queue.caused_by is 'The outcome that asked for it.';

create or replace view leadline.person_timeline with (security_invoker = true) as
select a.workspace_id, a.person_id, a.journal, a.subject_id, a.activity_id, a.seq, a.activity_type, t.label, a.verdict, a.rule, s.sentence,
    a.from_stage, a.to_stage, a.from_status, a.to_status,
    a.payload || coalesce(c.content -> 'payload', '{}') as payload, a.changes || coalesce(c.content -> 'changes', '{}') as changes,
    a.reference, a.occurred_at, a.recorded_at, a.actor_kind, a.actor_id, a.on_behalf_of, a.writer, a.caused_by
from leadline_internal.person_acts a
join leadline.rule_activity_types t on t.activity_type = a.activity_type
left join leadline.rule_sentences s on s.rule = a.rule
left join leadline.activity_content c on c.workspace_id = a.workspace_id and c.activity_id = a.activity_id;
comment on view leadline.person_timeline is 'One row an activity about a person, over leads, relationship, opportunities and subscriptions. Order by activity_id: that is the order of decisions.';
comment on column leadline.person_timeline.subject_id is 'The lead, person, opportunity or subscription that the activity is about.';

create or replace function leadline.product_signals_at(p_now timestamptz)
returns table (workspace_id uuid, activity_id bigint, person_id uuid, signal text, observed_at timestamptz, expires_at timestamptz, reason text, is_live bool)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
    return query
        select a.workspace_id, a.activity_id, a.person_id, a.payload ->> 'signal', (a.payload ->> 'observed_at')::timestamptz, (a.payload ->> 'expires_at')::timestamptz,
            c.content -> 'payload' ->> 'reason', (a.payload ->> 'expires_at')::timestamptz > p_now
        from leadline.relationship_activity a
        left join leadline.activity_content c on c.workspace_id = a.workspace_id and c.activity_id = a.activity_id
        where a.activity_type = 'product_signal_seen' and a.verdict = 'noted';
end $$;
comment on function leadline.product_signals_at(timestamptz) is 'Product signals (seed 003), and whether each was live at an instant.';
create or replace view leadline.product_signals with (security_invoker = true) as
select s.workspace_id, s.activity_id, s.person_id, s.signal, s.observed_at, s.expires_at, s.reason, s.is_live from leadline.product_signals_at(now()) s;
comment on view leadline.product_signals is 'One row a product signal, with its expiry: a signal may open a request, and never moves a stage.';
