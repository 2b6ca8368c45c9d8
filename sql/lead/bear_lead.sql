-- The first activity of a lead: lead_created, an inbound_enquiry that met none, or lead_imported at the stage it had elsewhere.
-- e: the activity; with a lead_id its lead was inserted bare, else it is still to be made. c: its author.
-- Returns the decided activity; null when its reference is a repeat; one without activity_id when another lead with that
-- address opened at the same moment, and the enquiry has to be matched again. A birth that is refused has no lead to keep
-- the refusal, so it is raised: PT409 with the rule. Raises PT422 unknown_workflow, unknown_stage, contact_info_required;
-- PT404 for copied_from.
create or replace function leadline_internal.bear_lead(e leadline_internal.entry, c leadline_internal.credential)
returns leadline_internal.entry
language plpgsql volatile
as $$
declare
    r leadline_internal.rulings;
    x leadline_internal.effect;
    l leadline.leads;
    v_told leadline_internal.entry := e;
    v_is_made bool := e.subject_id is not null;
    v_is_imported bool := e.activity_type = 'lead_imported';
    v_is_enquiry bool := e.activity_type = 'inbound_enquiry';
    v_is_open bool;
    v_entered_at timestamptz;
    v_exclusion text;
begin
    r := leadline_internal.vocabulary(e, 'lead_activity');
    if v_is_imported then
        v_entered_at := (e.payload ->> 'entered_at')::timestamptz;
        if greatest(v_entered_at, (e.payload ->> 'first_contacted_at')::timestamptz) > clock_timestamp() + interval '5 minutes' then
            perform leadline_internal.forbid('PT422', 'occurred_in_the_future', 'lead_imported: entered_at, first_contacted_at');
        end if;
    end if;
    if v_is_enquiry then v_exclusion := leadline_internal.exclusion_of(e.workspace_id, e.payload); end if;
    if v_is_made then
        select * into l from leadline.leads t where t.workspace_id = e.workspace_id and t.lead_id = e.subject_id;
    else
        l.workspace_id := e.workspace_id;
        l.workflow := case when v_exclusion is not null then 'qualification' else coalesce(e.payload ->> 'workflow',
            (select w.default_workflow from leadline.workspaces w where w.workspace_id = e.workspace_id)) end;
        select w.initial_stage into l.stage from leadline.rule_workflows w where w.workflow = l.workflow and w.journal = 'lead_activity';
        if not found then perform leadline_internal.forbid('PT422', 'unknown_workflow', format('workflow is %s', l.workflow)); end if;
        if v_is_imported then l.stage := e.payload ->> 'stage'; elsif v_exclusion is not null then l.stage := 'disqualified'; end if;
        l.source := coalesce(leadline_internal.shown_text(e.payload ->> 'source'), split_part(e.writer, ':', 1));
        l.name := leadline_internal.shown_text(e.payload ->> 'name');
        l.company := leadline_internal.shown_text(e.payload ->> 'company');
        l.email := leadline_internal.shown_text(e.payload ->> 'email');
        l.phone := leadline_internal.shown_text(e.payload ->> 'phone');
        l.assigned_user_id := (e.payload ->> 'assigned_user_id')::uuid;
        if l.assigned_user_id is null and c.role = 'member' then l.assigned_user_id := c.user_id; end if;
        l.deal_value := (e.payload ->> 'deal_value')::numeric;
        l.currency := e.payload ->> 'currency';
        l.copied_from := (e.payload ->> 'copied_from')::uuid;
        l.rejection_reason := case when l.stage = 'disqualified' then coalesce(v_exclusion, e.payload ->> 'rejection_reason') end;
        l.tags := '{}';
        l.is_possible_duplicate := false;
    end if;
    if l.deal_value is not null and l.currency is null then l.currency := leadline_internal.workspace_currency(l.workspace_id); end if;
    select p.status, p.is_open into l.status, v_is_open from leadline.rule_permitted p
    where p.workflow = l.workflow and p.stage = l.stage and p.status <> 'archived';
    if not found then perform leadline_internal.forbid('PT422', 'unknown_stage', format('stage is %s', l.stage)); end if;
    l.email_key := leadline.email_key(l.email);
    l.phone_key := leadline.phone_key(l.phone);
    if l.workflow = 'sales' and l.email_key is null and leadline_internal.shown_text(l.phone) is null then
        perform leadline_internal.forbid('PT422', 'contact_info_required', format('%s: email, phone', e.activity_type));
    end if;
    if l.copied_from is not null and not leadline_internal.lead_exists(c, l.workspace_id, l.copied_from) then
        perform leadline_internal.forbid('PT404', 'no_such_lead', 'copied_from');
    end if;
    -- Claimed before anything is made for it; an enquiry was when it was matched.
    if e.reference is not null and not v_is_made and not v_is_enquiry and not leadline_internal.claim(e, 'lead_activity') then return null; end if;
    if not v_is_made then
        l.person_id := leadline_internal.identify(l.workspace_id, l.email_key, l.phone_key);
        if v_is_open then
            l.possible_duplicate_of := leadline_internal.candidate(l.workspace_id, l.email_key, l.phone_key);
            l.is_possible_duplicate := l.possible_duplicate_of is not null;
            if not leadline_internal.lead_exists(c, l.workspace_id, l.possible_duplicate_of) then l.possible_duplicate_of := null; end if;
        end if;
        if l.assigned_user_id is null and v_exclusion is null then
            l.assigned_user_id := (leadline_internal.way_of(l.workspace_id, l.person_id)).owner_user_id;
        end if;
    end if;
    if not leadline_internal.is_active_member(l.workspace_id, l.assigned_user_id) then
        x.need := 'unknown_assignee';
    elsif v_is_enquiry then
        x.need := leadline_internal.enquiry_fault(e.payload);
    end if;
    if x.need is null then x.need := leadline_internal.fault_of_place(l.stage, l.deal_value, e.payload ->> 'lost_reason', e.payload ->> 'notes'); end if;
    if v_is_imported and l.workflow = 'qualification' then
        if l.stage = 'recycled' then
            l.recycle_reason := e.payload ->> 'recycle_reason'; l.recycle_on := (e.payload ->> 'recycle_on')::date;
        end if;
        if l.stage not in ('new', 'disqualified') then l.accepted_at := (e.payload ->> 'accepted_at')::timestamptz; end if;
        if l.stage in ('accepted', 'qualified') and l.accepted_at is null then l.accepted_at := v_entered_at; end if;
        x.need := coalesce(x.need, leadline_internal.fault_of_import(l, e.payload ->> 'notes'));
    end if;
    if x.need is null and not v_is_enquiry and v_is_open and l.workflow <> 'appointment' and leadline_internal.has_open_lead(l.workspace_id, l.email_key, e.subject_id) then
        x.need := 'active_lead_exists';
    end if;
    if v_is_imported then
        e.occurred_at := coalesce(e.occurred_at, v_entered_at);
        if l.status = 'resolved' then l.resolved_at := v_entered_at; end if;
        if l.stage = 'won' then l.won_at := v_entered_at; end if;
        if l.stage = 'lost' and x.need is null then
            l.lost_at := v_entered_at; l.lost_reason := e.payload ->> 'lost_reason'; l.lost_notes := leadline_internal.shown_text(e.payload ->> 'notes');
        end if;
        l.first_contacted_at := (e.payload ->> 'first_contacted_at')::timestamptz;
        if l.stage = 'contacted' and l.first_contacted_at is null then l.first_contacted_at := v_entered_at; end if;
    end if;

    r.effect := 'fields'; r.rule := null; r.is_open := true;
    x.changes := leadline_internal.initial_values(leadline_internal.lead_fields(l));
    if not l.is_possible_duplicate then x.changes := x.changes - 'is_possible_duplicate'; end if;
    e := leadline_internal.decide(e, row(l.workflow, l.stage, l.status, null, 0, 0, null), r, x);
    if e.activity_id is null then return null; end if;
    if e.verdict <> 'applied' then
        perform leadline_internal.forbid('PT409', e.rule, format('%s by %s', e.activity_type, e.writer), 'lead_activity');
    end if;

    l.lead_id := e.subject_id;
    l.stage_entered_at := coalesce(v_entered_at, e.occurred_at);
    l.late_before := v_entered_at;
    if v_is_enquiry then l.last_touch_at := e.occurred_at; end if;
    if v_is_enquiry and v_is_open then l.waiting_since := e.occurred_at; end if;
    if v_is_made then
        update leadline.leads t set
            status = l.status, currency = l.currency, stage_entered_at = l.stage_entered_at, created_at = e.occurred_at,
            seq = e.seq, version = e.version, hash = e.hash
        where t.workspace_id = l.workspace_id and t.lead_id = l.lead_id;
        return e;
    end if;
    insert into leadline.leads (
        workspace_id, lead_id, workflow, status, stage, stage_entered_at, late_before, source, name, company, email, phone,
        assigned_user_id, deal_value, currency, resolved_at, copied_from, created_at, seq, version, hash,
        person_id, first_contacted_at, last_touch_at, waiting_since, won_at, lost_at, lost_reason, lost_notes, rejection_reason,
        is_possible_duplicate, possible_duplicate_of, accepted_at, recycle_reason, recycle_on)
    values (
        l.workspace_id, l.lead_id, l.workflow, l.status, l.stage, l.stage_entered_at, l.late_before, l.source, l.name, l.company, l.email, l.phone,
        l.assigned_user_id, l.deal_value, l.currency, l.resolved_at, l.copied_from, e.occurred_at, e.seq, e.version, e.hash,
        l.person_id, l.first_contacted_at, l.last_touch_at, l.waiting_since, l.won_at, l.lost_at, l.lost_reason, l.lost_notes, l.rejection_reason,
        l.is_possible_duplicate, l.possible_duplicate_of, l.accepted_at, l.recycle_reason, l.recycle_on)
    on conflict do nothing;
    if not found then  -- another lead came to this address without being made here: reopened, or given it
        if not v_is_enquiry then perform leadline_internal.forbid('PT409', 'active_lead_exists', format('%s by %s', e.activity_type, e.writer), 'lead_activity'); end if;
        delete from leadline.activity_content t where t.workspace_id = e.workspace_id and t.activity_id = e.activity_id;
        update leadline_internal.activity_references a set subject_id = null, activity_id = null
        where a.workspace_id = e.workspace_id and a.journal = 'lead_activity' and a.reference = e.reference;
        return v_told;
    end if;
    if l.stage = 'dnc' then perform leadline_internal.keep_do_not_contact_list(e, l.email_key, l.phone_key); end if;
    if v_is_enquiry then perform leadline_internal.open_request(e, v_told.payload, v_exclusion); end if;
    if e.activity_id % 251 = 0 then perform leadline_internal.learn_sizes(); end if;
    return e;
end $$;

create or replace function leadline_internal.fault_of_place(p_stage text, p_deal_value numeric, p_lost_reason text, p_notes text) returns text
language plpgsql stable
as $$
-- The rule that a lead at this stage would break; null when it has what the stage needs (seed 004 section 2).
begin
    return case when p_stage in ('proposal', 'won') then case when coalesce(p_deal_value, 0) <= 0 then 'deal_value_required' end
                when p_stage = 'lost' then leadline_internal.fault_of_reason('lost', p_lost_reason, p_notes) end;
end $$;

create or replace function leadline_internal.enquiry_fault(p_payload jsonb) returns text
language plpgsql stable
as $$
-- The rule that an enquiry's words break.
begin
    return case when not coalesce(p_payload ->> 'request_class', 'contact') = any (leadline_internal.request_classes()) then 'unknown_request_class'
                when coalesce(p_payload ->> 'exclusion', 'test') not in ('test', 'spam') then 'unknown_exclusion' end;
end $$;
