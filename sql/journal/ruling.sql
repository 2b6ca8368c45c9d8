-- The law for one activity, and whether the activity is well formed. The triggers look the law up themselves, one read of
-- leadline_internal.rulings by (workflow, activity type, stage); what is rare is here.

create or replace function leadline_internal.check_payload(e leadline_internal.entry, r leadline_internal.rulings) returns void
language plpgsql stable
as $$
-- Raises PT422: payload_is_an_object, payload_too_large, key_missing, value_malformed.
declare
    v_key text;
    v_value jsonb;
    v_is_well bool := true;
begin
    if e.payload is null or jsonb_typeof(e.payload) <> 'object' then
        perform leadline_internal.forbid('PT422', 'payload_is_an_object', format('%s: payload is %s', e.activity_type, jsonb_typeof(e.payload)));
    elsif octet_length(e.payload::text) > 262144 then
        perform leadline_internal.forbid('PT422', 'payload_too_large', format('%s: payload has %s bytes', e.activity_type, octet_length(e.payload::text)));
    end if;
    foreach v_key in array r.needed_keys loop
        if not e.payload ? v_key then
            perform leadline_internal.forbid('PT422', 'key_missing', format('%s needs %s', e.activity_type, v_key));
        end if;
    end loop;
    foreach v_key in array r.known_keys loop
        v_value := e.payload -> v_key;
        if v_value = 'null' then
            v_is_well := not v_key = any (r.needed_keys) or v_key = any (r.nullable_keys);
        elsif v_value is not null then
            v_is_well := leadline_internal.is_kind(v_value, r.key_types ->> v_key)
                and (not v_key = any (r.needed_keys) or leadline_internal.shown_text(v_value #>> '{}') is not null);
        end if;
        if not v_is_well then
            perform leadline_internal.forbid('PT422', 'value_malformed', format('%s: %s', e.activity_type, v_key));
        end if;
    end loop;
end $$;

create or replace function leadline_internal.fault_of_reason(p_list text, p_reason text, p_notes text) returns text
language plpgsql stable
as $$
-- The rule that a reason of a controlled list breaks, null when it is one of the list and has the notes it needs.
declare
    v_needs_notes bool;
begin
    if leadline_internal.shown_text(p_reason) is null then
        return case p_list when 'lost' then 'lost_reason_required' when 'rejection' then 'rejection_reason_required'
            when 'recycle' then 'recycle_reason_required' else 'reason_required' end;
    end if;
    select f.needs_notes into v_needs_notes from leadline.rule_reasons f where f.reason_list = p_list and f.reason = p_reason;
    return case when not found then case p_list when 'lost' then 'unknown_lost_reason' when 'rejection' then 'unknown_rejection_reason'
                    when 'recycle' then 'unknown_recycle_reason' else 'unknown_correction_reason' end
                when v_needs_notes and leadline_internal.visible_text(p_notes) is null then 'notes_required' end;
end $$;

create or replace function leadline_internal.vocabulary(e leadline_internal.entry, p_journal text) returns leadline_internal.rulings
language plpgsql stable
as $$
-- The law for an activity whose subject is not known (yet): any stage's, for its vocabulary and its keys.
-- Raises PT422 unknown_activity_type, and what check_payload() raises.
declare
    r leadline_internal.rulings;
begin
    select * into r from leadline_internal.rulings x where x.journal = p_journal and x.activity_type = e.activity_type limit 1;
    if not found then
        perform leadline_internal.forbid('PT422', 'unknown_activity_type', format('activity_type is %s', e.activity_type));
    end if;
    perform leadline_internal.check_payload(e, r);
    return r;
end $$;
