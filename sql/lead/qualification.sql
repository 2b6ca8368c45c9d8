-- What the qualification workflow adds to a lead (seed 003): decisions on its requests, recycling until a day, the evidence, and
-- what follows on the request, the person and the opportunity.

create or replace function leadline_internal.effect_of_qualification(e leadline_internal.entry, l leadline.leads, c leadline_internal.credential)
returns leadline_internal.effect
language plpgsql volatile
as $$
declare
    x leadline_internal.effect;
    p jsonb := e.payload;
    v_at timestamptz := coalesce(e.occurred_at, e.recorded_at);
    v_not_recycled jsonb := '{"recycle_reason": null, "recycle_on": null}';
    q leadline.requests;
    o leadline.opportunities;
begin
    x.becomes := '{}';
    case e.activity_type
        when 'request_accepted' then
            select * into q from leadline.requests t where t.workspace_id = l.workspace_id and t.request_id = (p ->> 'request_id')::uuid;
            if l.accepted_at is null then x.becomes := jsonb_build_object('accepted_at', leadline_internal.instant(v_at)); end if;
            if q.decision is distinct from 'accepted' and q.request_id is not null then
                x.changes := jsonb_build_object('decision', jsonb_build_array(q.decision, 'accepted'));
            end if;
        when 'request_rejected' then
            if l.stage in ('qualified', 'disqualified') then return x; end if;
            x.need := leadline_internal.fault_of_reason('rejection', p ->> 'reason', p ->> 'notes');
            select * into q from leadline.requests t where t.workspace_id = l.workspace_id and t.request_id = (p ->> 'request_id')::uuid;
            if q.request_id is not null and (q.decision, q.decision_reason) is distinct from ('rejected', p ->> 'reason') then
                x.changes := jsonb_build_object('decision', jsonb_build_array(q.decision, 'rejected'));
            end if;
            -- Another request that waits, or was accepted since the lead came in, goes on: then only this one is turned away.
            if not exists (
                select from leadline.requests t
                where t.workspace_id = l.workspace_id and t.lead_id = l.lead_id and t.request_id is distinct from q.request_id and t.exclusion is null
                  and (t.decision is null and t.not_applicable_at is null or t.decision = 'accepted' and t.disposition_at >= l.accepted_at)) then
                x.becomes := v_not_recycled || jsonb_build_object('stage', 'disqualified', 'status', 'closed', 'rejection_reason', p ->> 'reason');
            end if;
        when 'lead_recycled' then
            x.need := leadline_internal.fault_of_reason('recycle', p ->> 'reason', p ->> 'notes');
            if x.need is null and coalesce(p ->> 'recycle_on', '') = '' then x.need := 'recycle_date_required'; end if;
            if x.need is null and (p ->> 'recycle_on')::date <= leadline_internal.day_of(l.workspace_id, v_at) then x.need := 'recycle_date_in_past'; end if;
            x.becomes := jsonb_build_object('recycle_reason', p ->> 'reason', 'recycle_on', p ->> 'recycle_on');
        when 'lead_qualified' then
            if l.status <> 'open' then return x; end if;
            if l.accepted_at is null then
                x.need := 'qualified_needs_accept';
            elsif leadline_internal.visible_text(p ->> 'problem') is null or leadline_internal.visible_text(p ->> 'timing') is null
                or leadline_internal.visible_text(p ->> 'buying_role') is null then
                x.need := 'qualification_evidence_required';
            end if;
            x.becomes := jsonb_build_object('problem', leadline_internal.shown_text(p ->> 'problem'),
                'timing', leadline_internal.shown_text(p ->> 'timing'), 'buying_role', leadline_internal.shown_text(p ->> 'buying_role'));
        when 'lead_converted' then
            if p ->> 'opportunity_id' is not null then
                select * into o from leadline.opportunities t
                where t.workspace_id = l.workspace_id and t.opportunity_id = (p ->> 'opportunity_id')::uuid
                  and leadline_internal.is_visible_to(c, t.assigned_user_id) for no key update;
                if not found then perform leadline_internal.forbid('PT404', 'no_such_opportunity'); end if;
            end if;
            if l.stage <> 'qualified' then return x; end if;
            if l.opportunity_id is not null then x.objection := 'already_converted'; return x; end if;
            if l.merged_into is not null then
                x.need := 'already_merged';
            elsif o.status <> 'open' then
                x.need := 'opportunity_not_open';
            end if;
            x.becomes := jsonb_build_object('opportunity_id', coalesce(o.opportunity_id, gen_random_uuid()));
        when 'dnc' then
            if l.status = 'open' or l.stage = 'recycled' then x.becomes := v_not_recycled || '{"rejection_reason": "do_not_contact"}'; end if;
        else  -- a word from the buyer, or a signal from the product
            if e.activity_type = 'product_signal_seen' and e.writer not like 'workflow:%' then x.objection := 'system_only'; return x; end if;
            if e.activity_type = 'product_signal_seen' and (p ->> 'expires_at')::timestamptz <= e.recorded_at then x.objection := 'signal_expired'; end if;
            if l.stage = 'recycled' then
                if leadline_internal.day_of(l.workspace_id, v_at) <= l.recycle_on then
                    x.objection := coalesce(x.objection, 'recycled_until');
                elsif leadline_internal.has_open_lead(l.workspace_id, l.email_key, l.lead_id) then
                    x.objection := coalesce(x.objection, 'open_lead_goes_on');
                end if;
                x.becomes := v_not_recycled || '{"accepted_at": null}';
            end if;
    end case;
    return x;
end $$;

create or replace function leadline_internal.day_of(p_workspace_id uuid, p_instant timestamptz) returns date
language plpgsql stable
as $$
-- The day of an instant in the workspace's time zone.
begin
    return (select (p_instant at time zone w.time_zone)::date from leadline.workspaces w where w.workspace_id = p_workspace_id);
end $$;

create or replace function leadline_internal.undecided_requests(p_workspace_id uuid, p_lead_id uuid) returns setof leadline.requests
language plpgsql volatile
as $$
-- The requests of a lead that wait for a decision, oldest first. Volatile: it reads what was committed while its caller waited.
begin
    return query select q.* from leadline.requests q
        where q.workspace_id = p_workspace_id and q.lead_id = p_lead_id and q.decision is null and q.exclusion is null and q.not_applicable_at is null
        order by q.received_at, q.activity_id;
end $$;

create or replace function leadline_internal.with_request(e leadline_internal.entry) returns leadline_internal.entry
language plpgsql volatile
as $$
-- The decision with the request it is about: the one it names, else the oldest that waits; a rejection else the latest that was
-- accepted; without one where the lead has none.
-- Raises PT404 no_such_request for one that is not this lead's.
declare
    v_request_id uuid := (e.payload ->> 'request_id')::uuid;
begin
    if v_request_id is not null then
        perform from leadline.requests q where q.workspace_id = e.workspace_id and q.request_id = v_request_id and q.lead_id = e.subject_id and q.exclusion is null;
        if not found then perform leadline_internal.forbid('PT404', 'no_such_request'); end if;
    else
        select q.request_id into v_request_id from leadline_internal.undecided_requests(e.workspace_id, e.subject_id) q limit 1;
        if not found and e.activity_type = 'request_rejected' then  -- a change of mind, about the latest that was accepted in this round
            select q.request_id into v_request_id from leadline.requests q
            join leadline.leads l on l.workspace_id = q.workspace_id and l.lead_id = q.lead_id and q.disposition_at >= l.accepted_at
            where q.workspace_id = e.workspace_id and q.lead_id = e.subject_id and q.decision = 'accepted' order by q.activity_id desc limit 1;
        end if;
        e.payload := (e.payload - 'request_id') || jsonb_strip_nulls(jsonb_build_object('request_id', v_request_id));
    end if;
    return e;
end $$;

create or replace function leadline_internal.put_back(l leadline.leads, p_to text, p_at timestamptz) returns jsonb
language plpgsql stable
as $$
-- What a correction takes off a qualification lead: whatever belongs to the stage it leaves.
declare
    v_becomes jsonb := '{"rejection_reason": null, "recycle_reason": null, "recycle_on": null}';
begin
    if l.stage = 'qualified' then v_becomes := v_becomes || '{"problem": null, "timing": null, "buying_role": null, "opportunity_id": null}'; end if;
    if p_to = 'new' then
        v_becomes := v_becomes || '{"accepted_at": null}';
    elsif p_to = 'accepted' then
        v_becomes := v_becomes || jsonb_build_object('accepted_at', leadline_internal.instant(coalesce(l.accepted_at, p_at)));
    end if;
    return v_becomes;
end $$;

create or replace function leadline_internal.conversion_is_decided(l leadline.leads) returns bool
language plpgsql volatile
as $$
-- Whether the opportunity that was opened for this lead is won or lost already. Locks it: it is about to be withdrawn.
declare
    v_status text;
begin
    select o.status into v_status from leadline.opportunities o
    where o.workspace_id = l.workspace_id and o.opportunity_id = l.opportunity_id and o.lead_id = l.lead_id for no key update;
    return coalesce(v_status in ('won', 'lost'), false);
end $$;

create or replace function leadline_internal.fault_of_import(l leadline.leads, p_notes text) returns text
language plpgsql stable
as $$
-- The rule that a qualification lead would break that is born at this stage; null when it has what the stage needs.
begin
    return case l.stage
        when 'disqualified' then leadline_internal.fault_of_reason('rejection', l.rejection_reason, p_notes)
        when 'recycled' then coalesce(leadline_internal.fault_of_reason('recycle', l.recycle_reason, p_notes),
            case when l.recycle_on is null then 'recycle_date_required' end) end;
end $$;

-- What follows on the request, the person and the opportunity; inside the decision, since the lead refers to the opportunity.
-- e: the activity as decided. p_told: what it said before its personal text was put aside. l: the lead as it was.
create or replace function leadline_internal.carry_out_qualification(e leadline_internal.entry, p_told jsonb, l leadline.leads) returns void
language plpgsql volatile
as $$
begin
    if e.verdict <> 'applied' then return; end if;
    case e.activity_type
        when 'request_accepted', 'request_rejected' then
            update leadline.requests q set
                decision = case e.activity_type when 'request_accepted' then 'accepted' else 'rejected' end,
                decision_reason = case e.activity_type when 'request_rejected' then e.payload ->> 'reason' end,
                disposition_at = coalesce(q.disposition_at, greatest(e.occurred_at, q.received_at))
            where q.workspace_id = e.workspace_id and q.request_id = (e.payload ->> 'request_id')::uuid;
        when 'lead_qualified' then
            update leadline.requests q set qualified_at = greatest(e.occurred_at, q.received_at)
            where q.workspace_id = e.workspace_id and q.lead_id = e.subject_id and q.decision = 'accepted' and q.qualified_at is null;
            update leadline.people p set first_qualified_at = e.occurred_at
            where p.workspace_id = e.workspace_id and p.person_id = l.person_id and p.first_qualified_at is null;
        when 'lead_converted' then
            perform leadline_internal.convert_lead(e, p_told, l);
        when 'stage_corrected' then
            if l.opportunity_id is not null then
                insert into leadline.opportunity_activity (workspace_id, opportunity_id, activity_type, occurred_at, actor_kind, actor_id, writer, caused_by)
                select o.workspace_id, o.opportunity_id, 'conversion_undone', e.occurred_at, e.actor_kind, e.actor_id, 'workflow:conversion', e.activity_id
                from leadline.opportunities o where o.workspace_id = l.workspace_id and o.opportunity_id = l.opportunity_id and o.lead_id = l.lead_id;
            end if;
        else null;
    end case;
end $$;

create or replace function leadline_internal.convert_lead(e leadline_internal.entry, p_told jsonb, l leadline.leads) returns void
language plpgsql volatile
as $$
-- Opens the opportunity that the lead was converted into, or joins the one it names: one person, one account, one contact role.
declare
    v_opportunity_id uuid := e.changes #>> '{opportunity_id,1}';
    v_person_id uuid := leadline_internal.person_of(l.workspace_id, l.person_id);
begin
    if p_told ->> 'opportunity_id' is not null then
        insert into leadline.opportunity_activity (workspace_id, opportunity_id, activity_type, payload, occurred_at, actor_kind, actor_id, writer, caused_by)
        values (e.workspace_id, v_opportunity_id, 'contact_role_set', jsonb_build_object('person_id', v_person_id, 'role', 'converted lead'),
            e.occurred_at, e.actor_kind, e.actor_id, 'workflow:conversion', e.activity_id);
    else
        insert into leadline.opportunity_activity (workspace_id, opportunity_id, activity_type, payload, occurred_at, actor_kind, actor_id, writer, caused_by)
        values (e.workspace_id, v_opportunity_id, 'opportunity_opened', jsonb_strip_nulls(jsonb_build_object(
                'pipeline', coalesce(p_told ->> 'pipeline', 'new_business'), 'person_id', v_person_id, 'lead_id', l.lead_id,
                'assigned_user_id', l.assigned_user_id, 'amount', coalesce(p_told -> 'amount', to_jsonb(l.deal_value)),
                'currency', coalesce(p_told ->> 'currency', l.currency), 'close_date', p_told ->> 'close_date')),
            e.occurred_at, e.actor_kind, e.actor_id, 'workflow:conversion', e.activity_id);
    end if;
end $$;
