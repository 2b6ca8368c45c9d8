-- One request a buyer's action (seed 003): its class, its way, its owner, its clock; and who is told.
-- e: an inbound_enquiry as decided, not refused. p_payload: what it said before its personal text was put aside.
create or replace function leadline_internal.open_request(e leadline_internal.entry, p_payload jsonb, p_exclusion text) returns void
language plpgsql volatile
as $$
declare
    v_lead_id uuid := leadline_internal.lead_that_goes_on(e.workspace_id, e.subject_id);
    l leadline.leads;
    a leadline.accounts;
    q leadline.requests;
begin
    select * into l from leadline.leads t where t.workspace_id = e.workspace_id and t.lead_id = v_lead_id;
    select t.* into a from leadline.people p join leadline.accounts t on t.workspace_id = p.workspace_id and t.account_id = p.account_id
    where p.workspace_id = l.workspace_id and p.person_id = l.person_id;
    q.workspace_id := e.workspace_id; q.request_id := gen_random_uuid(); q.lead_id := l.lead_id;
    q.person_id := l.person_id; q.activity_id := e.activity_id; q.received_at := e.occurred_at;
    q.request_class := coalesce((select c from unnest(leadline_internal.request_classes()) c where c = p_payload ->> 'request_class'), 'contact');
    q.source := coalesce(leadline_internal.shown_text(p_payload ->> 'source'), split_part(e.writer, ':', 1));
    q.external_id := leadline_internal.shown_text(p_payload ->> 'external_id');
    q.exclusion := p_exclusion;
    q.owner_user_id := l.assigned_user_id;
    if p_exclusion is not null then
        q.route := 'excluded'; q.not_applicable_at := e.occurred_at;
    elsif a.kind in ('customer', 'partner') then
        q.route := a.kind; q.owner_user_id := coalesce(a.owner_user_id, l.assigned_user_id);
    else
        q.route := 'new_business';
    end if;
    if not leadline_internal.is_active_member(q.workspace_id, q.owner_user_id) then q.owner_user_id := null; end if;
    insert into leadline.requests select (q).*;
    if p_exclusion is not null then return; end if;

    insert into leadline.outbox (workspace_id, topic, recipient_user_id, lead_id, request_id, activity_id)
    values (q.workspace_id, 'notify', q.owner_user_id, q.lead_id, q.request_id, e.activity_id);
    if l.status in ('open', 'active') then  -- scored once for all that waits, with the whole conversation
        insert into leadline.outbox (workspace_id, topic, lead_id, request_id, activity_id)
        values (q.workspace_id, 'score', q.lead_id, q.request_id, e.activity_id)
        on conflict do nothing;
    end if;
end $$;

create or replace function leadline_internal.request_classes() returns text[]
language sql immutable parallel safe
return '{demo,pricing_question,quote,trial_signup,sales_callback,contact,score,requalification}'::text[];
