-- The clocks of requests: each runs until a person answers or the lead closes, and is measured from its own beginning.

create or replace function leadline_internal.answer_requests(e leadline_internal.entry) returns void
language plpgsql volatile
as $$
-- A contact answers every request of the lead that had been received by then.
begin
    update leadline.requests q set first_response_at = e.occurred_at
    where q.workspace_id = e.workspace_id and q.lead_id = e.subject_id
      and q.first_response_at is null and q.not_applicable_at is null and q.received_at <= e.occurred_at;
end $$;

create or replace function leadline_internal.stop_clocks(e leadline_internal.entry) returns void
language plpgsql volatile
as $$
-- Nobody answers a request of a lead that is closed: not applicable, rather than late for ever.
begin
    update leadline.requests q set not_applicable_at = greatest(e.occurred_at, q.received_at)
    where q.workspace_id = e.workspace_id and q.lead_id = e.subject_id and q.first_response_at is null and q.not_applicable_at is null;
end $$;

create or replace function leadline_internal.keep_person_keys(e leadline_internal.entry) returns void
language plpgsql volatile
as $$
-- A lead's new address becomes a further one of its person, unless it already stands for somebody else.
begin
    insert into leadline.person_keys (workspace_id, kind, key, person_id)
    select l.workspace_id, k.kind, k.key, l.person_id
    from leadline.leads l cross join lateral (values ('email', l.email_key), ('phone', l.phone_key)) k (kind, key)
    where l.workspace_id = e.workspace_id and l.lead_id = e.subject_id and k.key is not null
    order by k.kind
    on conflict do nothing;
end $$;
