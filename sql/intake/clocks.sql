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
