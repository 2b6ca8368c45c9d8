-- What an activity would do to a lead beside moving it: the columns that would change, and the layer's own objections.
-- e: the activity, well formed; its lead is locked. c: its author.
-- Objects before the stage is asked: superseded_appointment, outcome_needs_appointment. After: duplicate_of_itself,
-- duplicate_cycle, unknown_assignee, lift_needs_admin. Raises PT404 no_such_lead for a duplicate_of that is not here.
create or replace function leadline_internal.lead_effect(e leadline_internal.entry, c leadline_internal.credential)
returns leadline_internal.effect
language plpgsql volatile
as $$
declare
    x leadline_internal.effect;
    l leadline.leads;
    v_was jsonb;
    v_keys text[];
    v_key text;
    v_ref text := leadline_internal.shown_text(e.payload ->> 'appointment_ref');
    v_at text;
    v_other uuid;
begin
    select * into l from leadline.leads t where t.workspace_id = e.workspace_id and t.lead_id = e.subject_id;
    case e.activity_type
        when 'appointment_scheduled' then
            v_keys := '{appointment_ref,appointment_at}';
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
                v_keys := '{deal_value,currency}';
                x.becomes := jsonb_build_object('deal_value', e.payload -> 'deal_value',
                    'currency', coalesce(e.payload ->> 'currency', l.currency, leadline_internal.workspace_currency(l.workspace_id)));
            end if;
        when 'callback_requested' then
            if e.payload ->> 'callback_at' is not null then
                v_keys := '{callback_at}';
                x.becomes := jsonb_build_object('callback_at', leadline_internal.instant((e.payload ->> 'callback_at')::timestamptz));
            end if;
        when 'callback_cancelled' then
            v_keys := '{callback_at}';
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
                v_keys := '{duplicate_of}';
                x.becomes := jsonb_build_object('duplicate_of', v_other);
            end if;
        when 'lead_assigned' then
            v_other := (e.payload ->> 'assigned_user_id')::uuid;
            if not leadline_internal.is_active_member(l.workspace_id, v_other) then x.need := 'unknown_assignee'; end if;
            v_keys := '{assigned_user_id}';
            x.becomes := jsonb_build_object('assigned_user_id', v_other);
        when 'deal_value_changed' then
            v_keys := '{deal_value,currency}';
            x.becomes := jsonb_build_object('deal_value', e.payload -> 'deal_value', 'currency',
                case when e.payload -> 'deal_value' <> 'null'
                    then coalesce(e.payload ->> 'currency', l.currency, leadline_internal.workspace_currency(l.workspace_id)) else e.payload ->> 'currency' end);
        when 'contact_changed' then
            select array_agg(k.key), jsonb_object_agg(k.key, leadline_internal.shown_text(k.value)) into v_keys, x.becomes
            from jsonb_each_text(e.payload) k where k.key in ('name', 'company', 'email', 'phone');
        when 'tag_added' then
            v_keys := '{tags}';
            x.becomes := jsonb_build_object('tags', array(select distinct t from unnest(l.tags || btrim(e.payload ->> 'tag')) t order by t));
        when 'tag_removed' then
            v_keys := '{tags}';
            x.becomes := jsonb_build_object('tags', nullif(array_remove(l.tags, btrim(e.payload ->> 'tag')), '{}'));
        when 'suppression_lifted' then
            if c.role not in ('owner', 'admin') then x.need := 'lift_needs_admin'; end if;
        when 'direct_change' then
            x.changes := e.changes;
            select jsonb_object_agg(k.key, k.value -> 1) into x.becomes from jsonb_each(e.changes) k;
            return x;
        else
            return null;
    end case;
    if v_keys is not null then
        v_was := coalesce(v_was, leadline_internal.lead_fields(l));
        foreach v_key in array v_keys loop
            if v_was -> v_key is distinct from x.becomes -> v_key then
                x.changes := coalesce(x.changes, '{}') || jsonb_build_object(v_key, jsonb_build_array(v_was -> v_key, x.becomes -> v_key));
            end if;
        end loop;
    end if;
    return x;
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
