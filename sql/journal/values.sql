-- Values as the journal writes them, whatever the session's settings.

create or replace function leadline_internal.instant(p_instant timestamptz) returns text
language plpgsql immutable parallel safe
as $$
begin
    return to_char(p_instant at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
end $$;

create or replace function leadline_internal.is_kind(p_value jsonb, p_type text) returns bool
language plpgsql immutable parallel safe
as $$
-- Whether a payload value is of the kind that rule_payload_keys names.
declare
    v_text text := p_value #>> '{}';
begin
    case p_type
        when 'money' then return jsonb_typeof(p_value) = 'number' and v_text::numeric between 0 and 1e15;
        when 'whole' then return jsonb_typeof(p_value) = 'number' and v_text ~ '^[0-9]{1,9}$';
        when 'bool' then return jsonb_typeof(p_value) = 'boolean';
        else if jsonb_typeof(p_value) <> 'string' then return false; end if;
    end case;
    case p_type
        when 'instant' then
            if v_text !~ '^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d(:?\d\d)?)$' then return false; end if;
            perform v_text::timestamptz;
        when 'date' then
            if v_text !~ '^\d{4}-\d\d-\d\d$' then return false; end if;
            perform v_text::date;
        when 'uuid' then perform v_text::uuid;
        when 'currency' then return v_text ~ '^[A-Z]{3}$';
        when 'country' then return v_text ~ '^[A-Z]{2}$';
        when 'email' then return leadline.email_key(v_text) ~ '^[^[:space:]@]+@[^[:space:]@]+$';
        else return length(v_text) <= 32768;
    end case;
    return true;
exception when data_exception then
    return false;
end $$;

create or replace function leadline_internal.shown_text(p_text text) returns text
language plpgsql immutable parallel safe
as $$
-- Text as it is kept for showing: without white space at either end, null when nothing is left.
begin
    return nullif(btrim(p_text, U&' \0009\000A\000D\00A0'), '');
end $$;
