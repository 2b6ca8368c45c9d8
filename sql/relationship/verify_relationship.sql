-- Proves what stands beside the heads of relationships: approvals are what the journal made of them, the first qualification is the first.
create or replace function leadline_internal.verify_relationship()
returns table (workspace_id uuid, journal text, subject_id uuid, seq int, what text, detail text)
language plpgsql stable
as $$
begin
    return query
        with answers as (
            select distinct on (a.workspace_id, a.payload ->> 'approval_id') a.workspace_id, (a.payload ->> 'approval_id')::uuid as approval_id, a.activity_id, a.recorded_at, a.actor_id,
                case when a.verdict = 'applied' then 'granted' when a.rule = 'approval_stale' then 'stale' when a.rule = 'approval_has_expired' then 'expired'
                     when a.activity_type = 'approval_expired' then 'expired' else 'declined' end as status
            from leadline.relationship_activity a
            where a.activity_type in ('approval_granted', 'approval_declined', 'approval_expired')
              and (a.verdict = 'applied' or a.rule in ('approval_stale', 'approval_has_expired')
                or a.verdict = 'noted' and a.rule is null and a.activity_type <> 'approval_granted')
            order by a.workspace_id, a.payload ->> 'approval_id', a.activity_id
        ), held as (
            select a.workspace_id, a.person_id, a.activity_id, a.seq, a.recorded_at, a.payload ->> 'to' as to_stage,
                lead(a.recorded_at) over (partition by a.workspace_id, a.person_id, a.payload ->> 'to' order by a.seq) as asked_again_at,
                lead(a.activity_id) over (partition by a.workspace_id, a.person_id, a.payload ->> 'to' order by a.seq) as asked_again
            from leadline.relationship_activity a where a.verdict = 'held'
        )
        select coalesce(h.workspace_id, q.workspace_id), 'relationship_activity', coalesce(h.person_id, q.person_id), h.seq, 'approval', 'the approval is not what the journal says'
        from held h
        full join leadline.approvals q on q.workspace_id = h.workspace_id and q.activity_id = h.activity_id
        left join answers w on w.workspace_id = q.workspace_id and w.approval_id = q.approval_id
        where h.activity_id is null or q.approval_id is null or (q.person_id, q.to_stage, q.requested_at) is distinct from (h.person_id, h.to_stage, h.recorded_at) or q.expires_at <= q.requested_at
           or case when w.activity_id is not null then (q.status, q.settled_by, q.settled_at, q.settled_by_user)
                        is distinct from (w.status, w.activity_id, w.recorded_at, case when w.status in ('granted', 'declined') then w.actor_id end)
                   when h.asked_again is not null then q.status not in ('stale', 'expired') or (q.settled_by, q.settled_at) is distinct from (h.asked_again, h.asked_again_at)
                   else q.status <> 'open' end;
    return query
        select p.workspace_id, 'relationship_activity', p.person_id, p.seq, 'clock', 'first_qualified_at is not what the journal says'
        from leadline.people p
        left join (
            select distinct on (l.workspace_id, l.person_id) l.workspace_id, l.person_id, a.occurred_at
            from leadline.lead_activity a join leadline.leads l on l.workspace_id = a.workspace_id and l.lead_id = a.lead_id
            where a.activity_type = 'lead_qualified' and a.verdict = 'applied'
            order by l.workspace_id, l.person_id, a.activity_id) f on f.workspace_id = p.workspace_id and f.person_id = p.person_id
        where p.first_qualified_at is distinct from f.occurred_at;
end $$;
