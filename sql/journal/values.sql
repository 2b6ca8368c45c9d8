-- Values as the journal writes them, whatever the session's settings.

create or replace function leadline_internal.instant(p_instant timestamptz) returns text
language plpgsql immutable strict parallel safe
as $$
begin
    return to_char(p_instant at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
end $$;

create or replace function leadline_internal.is_kind(p_value jsonb, p_type text) returns bool
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
-- Whether a payload value is of the kind that rule_payload_keys names.
declare
    v_text text := p_value #>> '{}';
begin
    return case jsonb_typeof(p_value)
        when 'string' then case p_type
            when 'text' then length(v_text) <= 32768
            when 'scalar' then length(v_text) <= 32768
            when 'currency' then v_text ~ '^[A-Z]{3}$'
            when 'country' then v_text ~ '^[A-Z]{2}$'
            when 'email' then leadline.email_key(v_text) ~ '^[^[:space:]@]+@[^[:space:]@]+$'
            when 'instant' then v_text ~ '^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d(:?\d\d)?)$'
                and leadline_internal.can_be_read(v_text, p_type)
            when 'date' then v_text ~ '^\d{4}-\d\d-\d\d$' and leadline_internal.can_be_read(v_text, p_type)
            when 'uuid' then leadline_internal.can_be_read(v_text, p_type)
            else false end
        when 'number' then case p_type
            when 'money' then v_text::numeric between 0 and 1e15
            when 'whole' then v_text ~ '^[0-9]{1,9}$'
            when 'scalar' then length(v_text) <= 100
            else false end
        when 'boolean' then p_type = 'bool'
        else false end;
end $$;

create or replace function leadline_internal.can_be_read(p_text text, p_type text) returns bool
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
-- Whether the text names an instant, a date or an id that exists. Apart, since catching an error costs a subtransaction.
begin
    case p_type
        when 'instant' then perform p_text::timestamptz;
        when 'date' then perform p_text::date;
        when 'uuid' then perform p_text::uuid;
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

create or replace function leadline_internal.initial_values(p_fields jsonb) returns jsonb
language plpgsql immutable parallel safe
as $$
-- The changes of a birth: from nothing to every column that has a value.
begin
    return (select jsonb_object_agg(f.key, jsonb_build_array(null, f.value)) from jsonb_each(p_fields) f where f.value <> 'null');
end $$;
