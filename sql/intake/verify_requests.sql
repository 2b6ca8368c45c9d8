-- Proves the decisions on requests: each is what was last said of it, decided when it was first said.
create or replace function leadline_internal.verify_requests()
returns table (workspace_id uuid, journal text, subject_id uuid, seq int, what text, detail text)
language plpgsql stable
as $$
begin
    return query
        with said as (
            select a.workspace_id, (a.payload ->> 'request_id')::uuid as request_id, min(a.activity_id) as first_id, max(a.activity_id) as last_id
            from leadline.lead_activity a
            where a.activity_type in ('request_accepted', 'request_rejected') and a.verdict = 'applied' and a.payload ? 'request_id'
            group by a.workspace_id, a.payload ->> 'request_id'
        )
        select q.workspace_id, 'lead_activity', q.lead_id, null::int, 'request', format('the decision of request %s is not what the journal says', q.request_id)
        from leadline.requests q
        left join said s on s.workspace_id = q.workspace_id and s.request_id = q.request_id
        left join leadline.lead_activity f on f.workspace_id = s.workspace_id and f.activity_id = s.first_id
        left join leadline.lead_activity l on l.workspace_id = s.workspace_id and l.activity_id = s.last_id
        where q.disposition_at is distinct from case when f.occurred_at is not null then greatest(f.occurred_at, q.received_at) end
           or q.decision is distinct from case l.activity_type when 'request_accepted' then 'accepted' when 'request_rejected' then 'rejected' end
           or q.decision_reason is distinct from case l.activity_type when 'request_rejected' then l.payload ->> 'reason' end
           or q.decision = 'accepted' and q.qualified_at is null and l.lead_id = q.lead_id and exists (
                select from leadline.lead_activity a
                where a.workspace_id = q.workspace_id and a.lead_id = q.lead_id and a.activity_type = 'lead_qualified' and a.verdict = 'applied' and a.activity_id > s.last_id)
           or q.qualified_at is not null and not exists (
                select from leadline.lead_activity a
                where a.workspace_id = q.workspace_id and a.activity_type = 'lead_qualified' and a.verdict = 'applied' and greatest(a.occurred_at, q.received_at) = q.qualified_at and a.activity_id > s.first_id);
end $$;
