-- One request a buyer's action (seed 003): its class, its way, its owner, its clock; and who is told.
-- e: an inbound_enquiry as decided, not refused. p_payload: what it said before its personal text was put aside.
create or replace function leadline_internal.open_request(e leadline_internal.entry, p_payload jsonb, p_exclusion text) returns void
language plpgsql volatile
as $$
declare
    v_lead_id uuid := leadline_internal.lead_that_goes_on(e.workspace_id, e.subject_id);
    l leadline.leads;
    q leadline.requests;
begin
    select * into l from leadline.leads t where t.workspace_id = e.workspace_id and t.lead_id = v_lead_id;
    q.workspace_id := e.workspace_id; q.request_id := gen_random_uuid(); q.lead_id := l.lead_id;
    q.person_id := l.person_id; q.activity_id := e.activity_id; q.received_at := e.occurred_at;
    q.request_class := coalesce((select c from unnest(leadline_internal.request_classes()) c where c = p_payload ->> 'request_class'), 'contact');
    q.source := coalesce(leadline_internal.shown_text(p_payload ->> 'source'), split_part(e.writer, ':', 1));
    q.external_id := leadline_internal.shown_text(p_payload ->> 'external_id');
    q.exclusion := p_exclusion;
    q.owner_user_id := l.assigned_user_id;
    if p_exclusion is not null then
        q.route := 'excluded'; q.not_applicable_at := e.occurred_at;
    else
        select w.route, coalesce(w.owner_user_id, l.assigned_user_id) into q.route, q.owner_user_id from leadline_internal.way_of(l.workspace_id, l.person_id) w;
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

create or replace function leadline_internal.way_of(p_workspace_id uuid, p_person_id uuid, out route text, out owner_user_id uuid)
language plpgsql volatile
as $$
-- Which way an enquiry of this person goes, and whose it is there (seed 003): a customer's to the owner of the
-- account, an open deal's to whoever owns it, a partner's to the partner manager, all others are new business. No owner: null.
declare
    v_person_id uuid;
    p leadline.people;
    v_people uuid[];
    v_kind text;
    v_owner uuid;
    v_deal record;
begin
    v_person_id := leadline_internal.person_of(p_workspace_id, p_person_id);  -- asked once: in the condition it would be asked of every row
    select * into p from leadline.people t where t.workspace_id = p_workspace_id and t.person_id = v_person_id;
    v_people := leadline_internal.people_in(p_workspace_id, p.person_id);
    select a.kind, a.owner_user_id into v_kind, v_owner
    from leadline.people t join leadline.accounts a on a.workspace_id = t.workspace_id and a.account_id = t.account_id
    where t.workspace_id = p_workspace_id and t.person_id = any (v_people)
    order by t.person_id <> p.person_id, t.person_id <> p_person_id, t.created_at limit 1;
    select o.opportunity_id, o.assigned_user_id into v_deal from leadline.opportunities o
    where o.workspace_id = p_workspace_id and o.person_id = any (v_people) and o.status = 'open' order by o.created_at desc, o.opportunity_id limit 1;
    if v_kind = 'customer' or p.stage in ('client', 'onboarding', 'active') or exists (
        select from leadline.subscriptions s where s.workspace_id = p_workspace_id and s.person_id = any (v_people) and s.status = 'live') then
        route := 'customer'; owner_user_id := v_owner;
    elsif v_deal.opportunity_id is not null then
        route := 'opportunity'; owner_user_id := v_deal.assigned_user_id;
    elsif v_kind = 'partner' then
        route := 'partner'; owner_user_id := v_owner;
    else
        route := 'new_business';
    end if;
    if not leadline_internal.is_active_member(p_workspace_id, owner_user_id) then owner_user_id := null; end if;
end $$;

create or replace function leadline_internal.request_classes() returns text[]
language sql immutable parallel safe
return '{demo,pricing_question,quote,trial_signup,sales_callback,contact,score,requalification}'::text[];
