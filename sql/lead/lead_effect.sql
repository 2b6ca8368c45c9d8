-- What an activity would do to a lead beside moving it: the columns that would change, and the layer's own objections.
-- e: the activity, well formed; its lead is locked. c: its author.
-- Objects before the stage is asked: superseded_appointment, outcome_needs_appointment, and what needs an admin. After: what
-- the activity or the stage it leads to still lacks. Raises PT404 no_such_lead for a lead it names that is not here.
create or replace function leadline_internal.lead_effect(e leadline_internal.entry, c leadline_internal.credential)
returns leadline_internal.effect
language plpgsql volatile
as $$
declare
    x leadline_internal.effect;
    l leadline.leads;
    v_was jsonb;
    v_ref text := leadline_internal.shown_text(e.payload ->> 'appointment_ref');
    v_at text;
    v_other uuid;
begin
    select * into l from leadline.leads t where t.workspace_id = e.workspace_id and t.lead_id = e.subject_id;
    case e.activity_type
        when 'appointment_scheduled' then
            v_at := leadline_internal.instant((e.payload ->> 'starts_at')::timestamptz);
            v_was := jsonb_build_object('appointment_ref', l.appointment_ref, 'appointment_at', leadline_internal.instant(l.appointment_at));
            if l.stage <> 'scheduled' or v_ref is not null and v_ref is distinct from l.appointment_ref then
                x.becomes := jsonb_build_object('appointment_ref', v_ref, 'appointment_at', v_at);
            else  -- the same appointment, perhaps at another time
                x.becomes := v_was || jsonb_build_object('appointment_at', coalesce(v_at, v_was ->> 'appointment_at'));
            end if;
        when 'appointment_cancel', 'appointment_no_show' then
            if v_ref <> l.appointment_ref then x.objection := 'superseded_appointment'; end if;
        when 'sale', 'no_sale' then
            if v_ref <> l.appointment_ref then x.objection := 'outcome_needs_appointment'; end if;
            if jsonb_typeof(e.payload -> 'deal_value') = 'number' then
                x.becomes := jsonb_build_object('deal_value', e.payload -> 'deal_value',
                    'currency', coalesce(e.payload ->> 'currency', l.currency, leadline_internal.workspace_currency(l.workspace_id)));
            end if;
        when 'proposal_sent', 'deal_won' then
            x.becomes := jsonb_build_object('deal_value', l.deal_value, 'currency', l.currency);
            if jsonb_typeof(e.payload -> 'deal_value') = 'number' then
                x.becomes := jsonb_build_object('deal_value', e.payload -> 'deal_value',
                    'currency', coalesce(e.payload ->> 'currency', l.currency, leadline_internal.workspace_currency(l.workspace_id)));
            end if;
            x.need := leadline_internal.fault_of_place('proposal', (x.becomes ->> 'deal_value')::numeric, null, null);
            if e.activity_type = 'deal_won' then
                x.becomes := x.becomes || jsonb_build_object('won_at', leadline_internal.instant(coalesce(e.occurred_at, e.recorded_at)));
            end if;
        when 'deal_lost' then
            x.need := leadline_internal.fault_of_place('lost', null, e.payload ->> 'lost_reason', e.payload ->> 'notes');
            x.becomes := jsonb_build_object('lost_reason', e.payload ->> 'lost_reason', 'lost_notes', leadline_internal.shown_text(e.payload ->> 'notes'));
            if l.stage <> 'lost' then
                x.becomes := x.becomes || jsonb_build_object('lost_at', leadline_internal.instant(coalesce(e.occurred_at, e.recorded_at)));
            end if;
        when 'dnc' then
            if l.workflow = 'qualification' then
                x := leadline_internal.effect_of_qualification(e, l, c);
            elsif l.workflow = 'sales' and l.status = 'active' then
                x.becomes := jsonb_build_object('lost_reason', 'Other', 'lost_notes', 'do not contact',
                    'lost_at', leadline_internal.instant(coalesce(e.occurred_at, e.recorded_at)));
            end if;
        when 'lead_reopened', 'stage_corrected' then
            x := leadline_internal.effect_of_return(e, l, c);
        when 'request_accepted', 'request_rejected', 'lead_recycled', 'lead_qualified', 'lead_converted', 'product_signal_seen',
            'email_replied', 'message_received', 'call_received' then
            if l.workflow <> 'qualification' then return null; end if;
            x := leadline_internal.effect_of_qualification(e, l, c);
        when 'lead_archived', 'lead_unarchived' then
            if c.role = 'member' then x.objection := 'archive_needs_admin'; end if;
            x.becomes := jsonb_build_object('status', case when e.activity_type = 'lead_archived' then 'archived'
                else leadline_internal.status_of(l.workflow, l.stage) end);
            if e.activity_type = 'lead_unarchived' and l.merged_into is not null then
                x.need := 'already_merged';
            elsif leadline_internal.would_be_second(l, x.becomes ->> 'status') then
                x.need := 'active_lead_exists';
            end if;
        when 'inbound_enquiry' then
            x := leadline_internal.effect_of_enquiry(e, l, c);
        when 'leads_merged' then
            x := leadline_internal.effect_of_merge(e, l, c);
        when 'leads_unmerged' then
            x := leadline_internal.effect_of_unmerge(e, l, c);
        when 'possible_duplicate_dismissed' then
            x.becomes := '{"is_possible_duplicate": false, "possible_duplicate_of": null}';
        when 'person_erased' then
            select jsonb_object_agg(p.field, true), jsonb_object_agg(p.field, null) into x.changes, x.becomes
            from leadline.rule_personal_fields p
            where p.journal = 'lead_activity' and leadline_internal.lead_fields(l) -> p.field <> 'null';
            return x;
        when 'callback_requested' then
            if e.payload ->> 'callback_at' is not null then
                x.becomes := jsonb_build_object('callback_at', leadline_internal.instant((e.payload ->> 'callback_at')::timestamptz));
            end if;
        when 'callback_cancelled' then
            x.becomes := '{"callback_at": null}';
        when 'duplicate' then
            v_other := (e.payload ->> 'duplicate_of')::uuid;
            if v_other = l.lead_id then
                x.need := 'duplicate_of_itself';
            elsif v_other is not null then
                -- One at a time in a workspace, so that two leads cannot become each other's duplicate at once.
                perform pg_advisory_xact_lock(hashtextextended('duplicate ' || l.workspace_id, 0));
                if not leadline_internal.lead_exists(c, l.workspace_id, v_other) then
                    perform leadline_internal.forbid('PT404', 'no_such_lead', 'duplicate_of');
                elsif leadline_internal.leads_to(l.workspace_id, v_other, l.lead_id) then
                    x.need := 'duplicate_cycle';
                end if;
                x.becomes := jsonb_build_object('duplicate_of', v_other);
            end if;
        when 'lead_assigned' then
            v_other := (e.payload ->> 'assigned_user_id')::uuid;
            if not leadline_internal.is_active_member(l.workspace_id, v_other) then x.need := 'unknown_assignee'; end if;
            x.becomes := jsonb_build_object('assigned_user_id', v_other);
        when 'deal_value_changed' then
            if l.status = 'won' and c.role is distinct from 'owner' and c.role is distinct from 'admin' then
                x.need := 'won_value_needs_admin';
            elsif l.workflow = 'sales' then
                x.need := leadline_internal.fault_of_place(case when l.stage in ('proposal', 'won') then l.stage end, (e.payload ->> 'deal_value')::numeric, null, null);
            end if;
            x.becomes := jsonb_build_object('deal_value', e.payload -> 'deal_value', 'currency',
                case when e.payload -> 'deal_value' <> 'null'
                    then coalesce(e.payload ->> 'currency', l.currency, leadline_internal.workspace_currency(l.workspace_id)) else e.payload ->> 'currency' end);
        when 'contact_changed' then
            select jsonb_object_agg(k.key, leadline_internal.shown_text(k.value)) into x.becomes
            from jsonb_each_text(e.payload) k where k.key in ('name', 'company', 'email', 'phone');
            if l.workflow = 'sales' and x.becomes ?| '{email,phone}' and coalesce(
                case when x.becomes ? 'email' then x.becomes ->> 'email' else l.email end, case when x.becomes ? 'phone' then x.becomes ->> 'phone' else l.phone end) is null then
                x.need := 'contact_info_required';
            elsif x.becomes ? 'email' and l.workflow <> 'appointment' and l.status in ('active', 'open')
                and leadline_internal.has_open_lead(l.workspace_id, leadline.email_key(x.becomes ->> 'email'), l.lead_id) then
                x.need := 'active_lead_exists';
            end if;
        when 'tag_added' then
            x.becomes := jsonb_build_object('tags', array(select distinct t from unnest(l.tags || btrim(e.payload ->> 'tag')) t order by t));
        when 'tag_removed' then
            x.becomes := jsonb_build_object('tags', nullif(array_remove(l.tags, btrim(e.payload ->> 'tag')), '{}'));
        when 'suppression_lifted' then
            if c.role not in ('owner', 'admin') then x.need := 'lift_needs_admin'; end if;
        when 'direct_change' then
            return leadline_internal.by_hand(e);
        else
            return null;
    end case;
    return leadline_internal.with_changes(x, coalesce(v_was, leadline_internal.lead_fields(l)));
end $$;

create or replace function leadline_internal.effect_of_return(e leadline_internal.entry, l leadline.leads, c leadline_internal.credential)
returns leadline_internal.effect
language plpgsql volatile
as $$
-- Out of lost by a person, or back by a correction: the stage named, with what it needs, and without what belonged to the one left.
declare
    x leadline_internal.effect;
    v_to text := e.payload ->> 'to_stage';
    v_from_position int;
    t leadline.rule_stages;
begin
    select s.position into v_from_position from leadline.rule_stages s where s.workflow = l.workflow and s.stage = l.stage;
    select * into t from leadline.rule_stages s where s.workflow = l.workflow and s.stage = v_to;
    if t.stage is null then
        x.need := 'unknown_stage';
    elsif e.activity_type = 'lead_reopened' then
        if t.is_final then x.need := 'not_an_active_stage'; end if;
    elsif (t.is_final or t.position >= v_from_position) and not (l.stage = 'won' and v_to = 'lost') then
        x.need := 'correction_goes_forward';
    end if;
    if e.activity_type = 'stage_corrected' then
        if c.role is distinct from 'owner' and c.role is distinct from 'admin' then x.objection := 'correction_needs_admin'; end if;
        if l.workflow = 'qualification' and l.stage = 'new' then x.need := null; return x; end if;
        x.need := coalesce(x.need, leadline_internal.fault_of_reason('correction', e.payload ->> 'reason', e.payload ->> 'notes'));
    end if;
    if x.need is null and l.merged_into is not null then x.need := 'already_merged'; end if;
    x.becomes := jsonb_build_object('stage', v_to, 'status', leadline_internal.status_of(l.workflow, v_to));
    if l.workflow = 'qualification' then
        x.becomes := x.becomes || leadline_internal.put_back(l, v_to, coalesce(e.occurred_at, e.recorded_at));
        if x.need is null and leadline_internal.conversion_is_decided(l) then x.need := 'opportunity_decided'; end if;
    else
        x.becomes := x.becomes || '{"won_at": null, "lost_at": null, "lost_reason": null, "lost_notes": null}';
    end if;
    if x.need is null then x.need := leadline_internal.fault_of_place(v_to, l.deal_value, e.payload ->> 'lost_reason', e.payload ->> 'notes'); end if;
    if x.need is null and leadline_internal.would_be_second(l, x.becomes ->> 'status') then x.need := 'active_lead_exists'; end if;
    if v_to = 'lost' then
        x.becomes := x.becomes || jsonb_build_object('lost_at', leadline_internal.instant(coalesce(e.occurred_at, e.recorded_at)),
            'lost_reason', e.payload ->> 'lost_reason', 'lost_notes', leadline_internal.shown_text(e.payload ->> 'notes'));
    end if;
    return x;
end $$;

create or replace function leadline_internal.status_of(p_workflow text, p_stage text) returns text
language plpgsql stable
as $$
-- The status that a stage carries by itself, not set aside.
begin
    return (select p.status from leadline.rule_permitted p where p.workflow = p_workflow and p.stage = p_stage and p.status <> 'archived');
end $$;

create or replace function leadline_internal.would_be_second(l leadline.leads, p_status text) returns bool
language plpgsql volatile
as $$
-- Whether the lead, opened again, would be the second open one with its address.
begin
    return l.workflow <> 'appointment' and p_status in ('active', 'open') and l.status not in ('active', 'open')
        and leadline_internal.has_open_lead(l.workspace_id, l.email_key, l.lead_id);
end $$;

create or replace function leadline_internal.workspace_currency(p_workspace_id uuid) returns text
language plpgsql stable
as $$
begin
    return (select w.currency from leadline.workspaces w where w.workspace_id = p_workspace_id);
end $$;

create or replace function leadline_internal.lead_exists(c leadline_internal.credential, p_workspace_id uuid, p_lead_id uuid) returns bool
language plpgsql volatile
as $$
-- Whether there is such a lead for this credential: an unseen one is as good as none.
begin
    return exists (select from leadline.leads l
                   where l.workspace_id = p_workspace_id and l.lead_id = p_lead_id and leadline_internal.is_visible_to(c, l.assigned_user_id));
end $$;

create or replace function leadline_internal.is_active_member(p_workspace_id uuid, p_user_id uuid) returns bool
language plpgsql stable
as $$
-- True for an active member, and for nobody (null).
begin
    return p_user_id is null or exists (
        select from leadline.memberships m
        where m.workspace_id = p_workspace_id and m.user_id = p_user_id and m.deactivated_at is null);
end $$;

create or replace function leadline_internal.leads_to(p_workspace_id uuid, p_from uuid, p_to uuid) returns bool
language plpgsql volatile
as $$
-- Whether following duplicate_of from one lead arrives at another. Volatile: it reads what was committed while its caller waited.
declare
    v_at uuid := p_from;
begin
    while v_at is not null loop
        if v_at = p_to then return true; end if;
        select l.duplicate_of into v_at from leadline.leads l where l.workspace_id = p_workspace_id and l.lead_id = v_at;
    end loop;
    return false;
end $$;
