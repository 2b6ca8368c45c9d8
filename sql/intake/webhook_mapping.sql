-- What a body means, by the source's mapping: values, fields by name, activities. Reads the document alone, writes nothing.
-- A mapping is {items, event_id, item_id, activities, exclude, details_needed}; docs/sql.md describes it.

create or replace function leadline_internal.field_name(p_text text) returns text
language sql immutable parallel safe
-- A field's name as it is compared: lower case, letters and digits only ("E-Mail Address:" is emailaddress).
return lower(translate(p_text, U&' \0009\000A\000D\00A0_-\2013\2014.,:;!?\00BF\00A1*+/\005C|()[]{}<>''"`\00B4\2019@#$%&=~^', ''));

create or replace function leadline_internal.is_blank(p_value jsonb) returns bool
language sql immutable parallel safe
return coalesce(p_value in ('null', '[]', '{}', '""') or jsonb_typeof(p_value) = 'string' and leadline_internal.shown_text(p_value #>> '{}') is null, true);

create or replace function leadline_internal.without_blanks(p_values jsonb) returns jsonb
language plpgsql immutable parallel safe
as $$
-- An array's values that say something: null for none, one as itself, several as an array.
declare
    v_values jsonb := (select jsonb_agg(e.value order by e.ordinality) from jsonb_array_elements(p_values) with ordinality e
                       where not leadline_internal.is_blank(e.value));
begin
    return case jsonb_array_length(v_values) when 1 then v_values -> 0 else v_values end;
end $$;

create or replace function leadline_internal.said(p_value jsonb) returns text
language plpgsql immutable parallel safe
as $$
-- A value as one text: several answers are joined by commas; null when nothing is said.
begin
    return leadline_internal.shown_text(case jsonb_typeof(p_value)
        when 'array' then (select string_agg(leadline_internal.said(e.value), ', ' order by e.ordinality) from jsonb_array_elements(p_value) with ordinality e)
        when 'object' then coalesce(leadline_internal.said(p_value -> 'labels'), leadline_internal.said(p_value -> 'label'), p_value::text)
        else p_value #>> '{}' end);
end $$;

create or replace function leadline_internal.fields_of(
    p_fields jsonb, p_value jsonb, p_name text, p_titles jsonb, p_depth int default 0, p_is_listed bool default false
) returns jsonb
language plpgsql immutable parallel safe
as $$
-- p_fields with the fields of p_value added: {name: value}, nested names run together, the first of a name counts. Known shapes of one
-- field: {name, value} in a list, {value} under its name, an answer {type, field: {ref, id}, <type>: …}.
declare
    v_of record;
    v_label text;
    v_answer jsonb;
    v_key text;
    v_is_field bool := false;
begin
    if p_depth > 12 or (select count(*) from jsonb_object_keys(p_fields)) >= 400 then return p_fields; end if;
    if jsonb_typeof(p_value) = 'object' then
        select o.value into v_answer from jsonb_each(p_value) o where lower(o.key) in ('value', 'values') order by lower(o.key) limit 1;
        if found then
            select leadline_internal.field_name(leadline_internal.said(o.value)) into v_label from jsonb_each(p_value) o
            where p_is_listed and lower(o.key) in ('name', 'label', 'title', 'question', 'key', 'field', 'ref', 'id')
            order by array_position('{name,label,title,question,key,field,ref,id}', lower(o.key)) limit 1;
            v_label := coalesce(v_label, p_name, '');
            v_is_field := v_label <> '';
        end if;
        if v_is_field then
            p_fields := leadline_internal.fields_of(p_fields, v_answer, v_label, p_titles, p_depth + 1);
        elsif jsonb_typeof(p_value -> 'field') = 'object' and p_value ? coalesce(p_value ->> 'type', '') then
            v_answer := p_value -> (p_value ->> 'type');
            v_answer := coalesce(v_answer -> 'labels', v_answer -> 'label', v_answer);
            -- By its title and by the name its author gave it, unless that is a machine's.
            foreach v_label in array array[p_titles ->> (p_value #>> '{field,id}'), substring(p_value #>> '{field,ref}' from '^.*[[:alpha:]]{3}.*$')] loop
                p_fields := leadline_internal.fields_of(p_fields, v_answer, leadline_internal.field_name(v_label), p_titles, p_depth + 1);
            end loop;
            return p_fields;
        elsif jsonb_typeof(coalesce(p_value -> 'question', p_value -> 'label')) = 'string' and p_value ? 'answer' then
            return leadline_internal.fields_of(p_fields, p_value -> 'answer',
                leadline_internal.field_name(coalesce(p_value ->> 'question', p_value ->> 'label')), p_titles, p_depth + 1);
        end if;
        for v_of in select o.key, o.value from jsonb_each(p_value) o loop
            v_key := leadline_internal.field_name(v_of.key);
            continue when v_key = 'definition' or v_is_field and v_key in ('value', 'values', 'rawvalue', 'name', 'label', 'title', 'question', 'key', 'field', 'ref', 'id', 'type', 'required');
            -- A wrapper's name says nothing of what is in it.
            if coalesce(p_name, '') = '' and v_key in (
                'fields', 'field', 'fielddata', 'formfields', 'formdata', 'formresponse', 'data', 'payload', 'answers', 'questionsandanswers', 'response',
                'submission', 'properties', 'contact', 'lead', 'values', 'body') and jsonb_path_exists(v_of.value, '$[*] ? (@.type() == "object")', silent => true)
            then v_key := ''; end if;
            p_fields := leadline_internal.fields_of(p_fields, v_of.value, case when v_is_field then v_label else coalesce(p_name, '') end || v_key, p_titles, p_depth + 1);
        end loop;
        return p_fields;
    elsif jsonb_typeof(p_value) = 'array' and jsonb_path_exists(p_value, 'strict $[*] ? (@.type() == "object" || @.type() == "array")', silent => true) then
        for v_of in select e.value from jsonb_array_elements(p_value) e loop
            p_fields := leadline_internal.fields_of(p_fields, v_of.value, p_name, p_titles, p_depth + 1, true);
        end loop;
        return p_fields;
    elsif jsonb_typeof(p_value) = 'array' then
        p_value := leadline_internal.without_blanks(p_value);
    end if;
    if coalesce(p_name, '') = '' or length(p_name) > 200 or p_fields ? p_name or leadline_internal.is_blank(p_value) then return p_fields; end if;
    return p_fields || jsonb_build_object(p_name, p_value);
end $$;

create or replace function leadline_internal.mapped_value(p_expression jsonb, p_item jsonb, p_vars jsonb, p_fields jsonb) returns jsonb
language plpgsql immutable parallel safe
as $$
-- The value that an expression of a mapping has for an item; null when it says nothing.
declare
    v_part jsonb;
    v_value jsonb;
    v_said text;
    v_names text[];
begin
    if jsonb_typeof(p_expression) = 'string' then
        return leadline_internal.without_blanks(jsonb_path_query_array(p_item, (p_expression #>> '{}')::jsonpath, p_vars, true));
    elsif p_expression ? 'const' then
        return p_expression -> 'const';
    elsif p_expression ? 'header' then
        return p_vars -> 'headers' -> lower(p_expression ->> 'header');
    elsif p_expression ? 'names' then
        for v_said in select n.value from jsonb_array_elements_text(p_expression -> 'names') with ordinality n order by n.ordinality loop
            if p_fields ? leadline_internal.field_name(v_said) then return p_fields -> leadline_internal.field_name(v_said); end if;
        end loop;
        return null;
    elsif p_expression ? 'others' then
        select jsonb_object_agg(f.key, case when length(f.value #>> '{}') > 4096 then to_jsonb(left(f.value #>> '{}', 4096)) else f.value end) into v_value
        from jsonb_each(p_fields) f
        where f.key not in (select leadline_internal.field_name(n.value) from jsonb_array_elements_text(p_expression -> 'others') n);
        return v_value;
    elsif p_expression ? 'first' then
        for v_part in select e.value from jsonb_array_elements(p_expression -> 'first') with ordinality e order by e.ordinality loop
            v_value := leadline_internal.mapped_value(v_part, p_item, p_vars, p_fields);
            if not leadline_internal.is_blank(v_value) then return v_value; end if;
        end loop;
        return null;
    elsif p_expression ? 'join' then
        for v_part in select e.value from jsonb_array_elements(p_expression -> 'join') with ordinality e order by e.ordinality loop
            v_names := v_names || leadline_internal.said(leadline_internal.mapped_value(v_part, p_item, p_vars, p_fields));
        end loop;
        return to_jsonb(leadline_internal.shown_text(array_to_string(v_names, coalesce(p_expression ->> 'with', ' '))));
    end if;
    return null;
end $$;

create or replace function leadline_internal.as_kind(p_value jsonb, p_type text) returns jsonb
language plpgsql immutable parallel safe
as $$
-- A value as a payload key of that type takes it: a number as text, an epoch as an instant, a written number as money. What cannot be
-- taken otherwise stays as it is, and the activity will say so.
declare
    v_said text;
begin
    if leadline_internal.is_blank(p_value) then return null; end if;
    if p_type = 'bool' and jsonb_typeof(p_value) = 'boolean' or p_type in ('money', 'whole', 'scalar') and jsonb_typeof(p_value) = 'number' then
        return p_value;
    end if;
    v_said := left(leadline_internal.said(p_value), 32768);
    case
        when p_type = 'instant' and v_said ~ '^[0-9]{9,14}(\.[0-9]{1,9})?$' then
            return to_jsonb(leadline_internal.instant(to_timestamp(v_said::numeric / case when v_said ~ '^[0-9]{12}' then 1000 else 1 end)));
        when p_type in ('money', 'whole') and v_said ~ '^[0-9]{1,15}(\.[0-9]{1,9})?$' then
            return to_jsonb(v_said::numeric);
        when p_type = 'bool' and lower(v_said) in ('true', 'false') then
            return to_jsonb(lower(v_said)::bool);
        when p_type in ('currency', 'country') then
            return to_jsonb(upper(v_said));
        when p_type is null then
            return p_value;
        else
            return to_jsonb(v_said);
    end case;
end $$;

create or replace function leadline_internal.is_true_of(p_path text, p_item jsonb, p_vars jsonb) returns bool
language plpgsql immutable parallel safe
as $$
-- Whether a predicate holds, or a filter finds something.
begin
    return coalesce(jsonb_path_query_first(p_item, p_path::jsonpath, p_vars, true) not in ('false', 'null'), false);
end $$;

create or replace function leadline_internal.mapped_activity(
    p_rule jsonb, p_item jsonb, p_vars jsonb, p_fields jsonb, p_exclusion text
) returns jsonb
language plpgsql stable
as $$
-- The activity that one entry of a mapping's activities makes of an item; null when it makes none.
declare
    v_type text := p_rule ->> 'activity_type';
    v_key record;
    v_value jsonb;
    v_payload jsonb := '{}';
    v_occurred_at jsonb;
begin
    if p_rule ? 'when' and not leadline_internal.is_true_of(p_rule ->> 'when', p_item, p_vars) then return null; end if;
    for v_key in
        select e.key, e.value, k.type from jsonb_each(coalesce(p_rule -> 'payload', '{}')) e
        left join leadline.rule_payload_keys k on k.activity_type = v_type and k.key = e.key
    loop
        v_value := leadline_internal.as_kind(leadline_internal.mapped_value(v_key.value, p_item, p_vars, p_fields), v_key.type);
        if v_value is not null then v_payload := v_payload || jsonb_build_object(v_key.key, v_value); end if;
    end loop;
    if p_rule ? 'needs' and not v_payload ?| array(select jsonb_array_elements_text(p_rule -> 'needs')) then return null; end if;
    if p_exclusion is not null and v_type = 'inbound_enquiry' then v_payload := v_payload || jsonb_build_object('exclusion', p_exclusion); end if;
    v_occurred_at := leadline_internal.as_kind(leadline_internal.mapped_value(p_rule -> 'occurred_at', p_item, p_vars, p_fields), 'instant');
    return jsonb_strip_nulls(jsonb_build_object(
        'activity_type', v_type, 'occurred_at', case when leadline_internal.is_kind(v_occurred_at, 'instant') then v_occurred_at end,
        'lead_email', leadline_internal.as_kind(leadline_internal.mapped_value(p_rule -> 'lead_email', p_item, p_vars, p_fields), 'email'),
        'only_if_unknown', p_rule -> 'only_if_unknown')) || jsonb_build_object('payload', v_payload);
end $$;

create or replace function leadline_internal.map_item(p_mapping jsonb, p_item jsonb, p_vars jsonb) returns jsonb
language plpgsql stable
as $$
-- What one item of a body says: {id, activities}, or {id, outcome, external_id}.
declare
    v_rule jsonb;
    v_made jsonb;
    v_activities jsonb := '[]';
    v_exclusion text;
    v_fields jsonb := '{}';
    v_id text := leadline_internal.said(leadline_internal.mapped_value(p_mapping -> 'item_id', p_item, p_vars, '{}'));
begin
    -- A body of very many parts is no form: its values are found by paths alone.
    if p_mapping::text ~ '"(names|others)": ' and (select count(*) from jsonb_path_query(p_item, '$.**')) <= 5000 then
        select leadline_internal.fields_of('{}', p_item, '', coalesce(jsonb_object_agg(coalesce(f.value ->> 'id', ''), f.value -> 'title'), '{}')) into v_fields
        from jsonb_path_query(p_vars, '$.body.form_response.definition.fields[*] ? (@.type() == "object")', silent => true) f (value);
    end if;
    for v_rule in select e.value from jsonb_array_elements(coalesce(p_mapping -> 'exclude', '[]')) with ordinality e order by e.ordinality loop
        if v_exclusion is null and leadline_internal.is_true_of(v_rule ->> 'when', p_item, p_vars) then v_exclusion := v_rule ->> 'reason'; end if;
    end loop;
    for v_rule in select e.value from jsonb_array_elements(p_mapping -> 'activities') with ordinality e order by e.ordinality loop
        v_made := leadline_internal.mapped_activity(v_rule, p_item, p_vars, v_fields, v_exclusion);
        if v_made is not null and v_exclusion is not null and v_made ->> 'activity_type' <> 'inbound_enquiry' then
            v_made := jsonb_build_object('activity_type', v_made -> 'activity_type', 'outcome', 'excluded');
        end if;
        if v_made is not null then v_activities := v_activities || v_made; end if;
    end loop;
    if v_activities <> '[]' then return jsonb_build_object('id', v_id, 'activities', v_activities); end if;
    for v_rule in select e.value from jsonb_array_elements(coalesce(p_mapping -> 'details_needed', '[]')) with ordinality e order by e.ordinality loop
        if leadline_internal.is_true_of(v_rule ->> 'when', p_item, p_vars) then
            return jsonb_build_object('id', v_id, 'outcome', 'details_needed',
                'external_id', leadline_internal.said(leadline_internal.mapped_value(v_rule -> 'external_id', p_item, p_vars, v_fields)));
        end if;
    end loop;
    return jsonb_build_object('id', v_id, 'outcome', 'unmapped');
end $$;

create or replace function leadline_internal.map_body(p_mapping jsonb, p_document jsonb, p_headers jsonb, p_event_id text default null) returns jsonb
language plpgsql stable
as $$
-- {event_id, items: [{item, id, activities: [{activity_type, payload, occurred_at, reference_part …}]}]}, or {error} when the mapping
-- cannot be followed. The sender's name of an event names the activities made of it: the item's own, else the body's, and then the
-- number of the item where there are several.
declare
    v_vars jsonb := jsonb_build_object('body', p_document, 'headers', coalesce(p_headers, '{}'));
    v_path text;
    v_found jsonb := '[]';
    v_item jsonb;
    v_items jsonb := '[]';
    v_event_id text;
    v_id text;
    v_names jsonb;
begin
    for v_path in
        select e.value #>> '{}' from jsonb_array_elements(
            case jsonb_typeof(p_mapping -> 'items') when 'array' then p_mapping -> 'items' else jsonb_build_array(coalesce(p_mapping -> 'items', '"$"')) end)
        with ordinality e order by e.ordinality
    loop
        v_found := v_found || jsonb_path_query_array(p_document, v_path::jsonpath, v_vars, true);
    end loop;
    if jsonb_array_length(v_found) > 1000 then return '{"error": "too_many_items"}'; end if;
    v_event_id := coalesce(leadline_internal.said(leadline_internal.mapped_value(p_mapping -> 'event_id', p_document, v_vars, '{}')), p_event_id);
    for i in 1 .. jsonb_array_length(v_found) loop
        v_item := leadline_internal.map_item(p_mapping, v_found -> (i - 1), v_vars);
        v_id := coalesce(v_item ->> 'id', v_event_id || case when jsonb_array_length(v_found) > 1 then '#' || i else '' end);
        if v_item ? 'activities' then
            -- The first of a type is named by it alone, a further one by its number too.
            select jsonb_agg(a.value || jsonb_build_object('reference_part', a.value ->> 'activity_type' || case when a.n > 1 then '.' || a.n else '' end)
                             order by a.ordinality)
            into v_names
            from (select e.value, e.ordinality, row_number() over (partition by e.value -> 'activity_type' order by e.ordinality) as n
                  from jsonb_array_elements(v_item -> 'activities') with ordinality e) a;
            v_item := v_item || jsonb_build_object('activities', v_names);
        end if;
        v_items := v_items || (v_item || jsonb_build_object('item', i, 'id', v_id));
    end loop;
    return jsonb_build_object('event_id', coalesce(v_event_id, case when jsonb_array_length(v_items) = 1 then v_items -> 0 ->> 'id' end), 'items', v_items);
exception when data_exception or undefined_object or program_limit_exceeded or feature_not_supported then
    return jsonb_build_object('error', 'mapping_malformed', 'sqlstate', sqlstate);
end $$;
