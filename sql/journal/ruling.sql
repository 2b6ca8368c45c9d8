-- The law for one activity, and whether the activity is well formed. The triggers look the law up themselves, one read of
-- leadline_internal.rulings by (workflow, activity type, stage); what is rare is here.

create or replace function leadline_internal.check_payload(e leadline_internal.entry, r leadline_internal.rulings) returns void
language plpgsql stable
as $$
-- Raises PT422: payload_is_an_object, payload_too_large, key_missing, value_malformed.
declare
    v_key text;
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
    if e.payload ?| (r.open_keys || r.personal_keys) then
        select k.key into v_key from leadline.rule_payload_keys k
        where k.activity_type = e.activity_type and e.payload ? k.key
          and case when e.payload -> k.key = 'null' then k.is_needed and not k.is_nullable
                   else not leadline_internal.is_kind(e.payload -> k.key, k.type)
                       or k.is_needed and leadline_internal.shown_text(e.payload ->> k.key) is null end
        order by k.key limit 1;
        if found then
            perform leadline_internal.forbid('PT422', 'value_malformed', format('%s: %s', e.activity_type, v_key));
        end if;
    end if;
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
