-- Webhook sources: made, changed and removed by whoever manages the team; each change is a workspace_activity, without the secret.

create or replace function leadline_internal.is_path(p_value jsonb) returns bool
language plpgsql immutable
as $$
-- Whether a value is a jsonpath that can be followed, with no variables but $body and $headers.
begin
    perform jsonb_path_query_first(v.document, (p_value #>> '{}')::jsonpath, '{"body": {}, "headers": {}}', true)
    from (values ('{}'::jsonb), ('[]'), ('[{"a": 1}]')) v (document);
    return jsonb_typeof(p_value) = 'string';
exception when syntax_error or data_exception or undefined_object or program_limit_exceeded or feature_not_supported then
    return false;
end $$;

create or replace function leadline_internal.is_expression(p_value jsonb, p_depth int default 0) returns bool
language plpgsql immutable
as $$
-- Whether a value is an expression of a mapping: a path, or an object with one of const, header, names, others, first, join.
declare
    v_word text;
    v_is_well bool;
begin
    if jsonb_typeof(p_value) = 'string' then return leadline_internal.is_path(p_value); end if;
    if p_depth > 8 or jsonb_typeof(p_value) is distinct from 'object' then return false; end if;
    select k.key into v_word from jsonb_object_keys(p_value) k (key) where k.key <> 'with';
    if (select count(*) from jsonb_object_keys(p_value)) <> (case when v_word = 'join' and p_value ? 'with' then 2 else 1 end) then return false; end if;
    if v_word in ('first', 'join') and jsonb_typeof(p_value -> v_word) = 'array' then
        select bool_and(leadline_internal.is_expression(e.value, p_depth + 1)) into v_is_well from jsonb_array_elements(p_value -> v_word) e;
        return coalesce(v_is_well, false) and jsonb_typeof(coalesce(p_value -> 'with', '""')) = 'string';
    end if;
    return case v_word
        when 'const' then true
        when 'header' then jsonb_typeof(p_value -> v_word) = 'string'
        when 'names' then coalesce(jsonb_path_match(p_value -> v_word, 'strict exists($[*]) && !exists($[*] ? (@.type() != "string"))', silent => true), false)
        when 'others' then coalesce(jsonb_path_match(p_value -> v_word, 'strict !exists($[*] ? (@.type() != "string"))', silent => true), false)
        else false end;
end $$;

create or replace function leadline_internal.fault_of_activity_rule(p_rule jsonb) returns text
language plpgsql stable
as $$
-- What is wrong with one entry of a mapping's activities; null when it is well.
declare
    v_key record;
begin
    if jsonb_typeof(p_rule) <> 'object' then return 'activities: an entry is no object'; end if;
    if p_rule - '{when,activity_type,payload,occurred_at,needs,lead_email,only_if_unknown}'::text[] <> '{}' then
        return format('activities: %s is not known', (p_rule - '{when,activity_type,payload,occurred_at,needs,lead_email,only_if_unknown}'::text[])::text);
    elsif p_rule ? 'when' and not leadline_internal.is_path(p_rule -> 'when') then
        return format('activities: when is no path: %s', p_rule ->> 'when');
    elsif not exists (select from leadline.rule_activity_types t where t.activity_type = p_rule ->> 'activity_type'
                      and 'lead_activity' = any (t.journals) and 'app' = any (t.writers) and not t.is_system_only) then
        return format('activities: no app reports %s', coalesce(p_rule ->> 'activity_type', 'null'));
    elsif jsonb_typeof(coalesce(p_rule -> 'payload', '{}')) <> 'object' then
        return 'activities: payload is no object';
    elsif not coalesce(jsonb_path_match(coalesce(p_rule -> 'needs', '["x"]'), 'strict exists($[*]) && !exists($[*] ? (@.type() != "string"))', silent => true), false) then
        return 'activities: needs is no list of payload keys';
    elsif jsonb_typeof(coalesce(p_rule -> 'only_if_unknown', 'true')) <> 'boolean' then
        return 'activities: only_if_unknown is neither true nor false';
    end if;
    for v_key in
        select e.key, e.value from jsonb_each(coalesce(p_rule -> 'payload', '{}')) e
        union all select e.key, e.value from jsonb_each(p_rule) e where e.key in ('occurred_at', 'lead_email')
    loop
        if not leadline_internal.is_expression(v_key.value) then return format('activities: %s is no expression: %s', v_key.key, v_key.value); end if;
    end loop;
    return null;
end $$;

create or replace function leadline_internal.fault_of_mapping(p_mapping jsonb) returns text
language plpgsql stable
as $$
-- What is wrong with a mapping, in words; null when it is well.
declare
    v_part jsonb;
    v_fault text;
begin
    if jsonb_typeof(p_mapping) is distinct from 'object' then return 'the mapping is no object'; end if;
    if octet_length(p_mapping::text) > 65536 then return 'the mapping has more than 64 KiB'; end if;
    if p_mapping - '{items,event_id,item_id,activities,exclude,details_needed}'::text[] <> '{}' then
        return format('not known: %s', (p_mapping - '{items,event_id,item_id,activities,exclude,details_needed}'::text[])::text);
    elsif jsonb_typeof(p_mapping -> 'activities') is distinct from 'array' or p_mapping -> 'activities' = '[]' then
        return 'activities is no list of what is to be logged';
    elsif jsonb_typeof(coalesce(p_mapping -> 'exclude', '[]')) <> 'array' or jsonb_typeof(coalesce(p_mapping -> 'details_needed', '[]')) <> 'array' then
        return 'exclude and details_needed are lists';
    end if;
    for v_part in select * from jsonb_array_elements(
        case jsonb_typeof(p_mapping -> 'items') when 'array' then p_mapping -> 'items' else jsonb_build_array(coalesce(p_mapping -> 'items', '"$"')) end)
    loop
        if not leadline_internal.is_path(v_part) then return format('items is no path: %s', v_part); end if;
    end loop;
    for v_part in select e.value from jsonb_each(p_mapping) e where e.key in ('event_id', 'item_id') loop
        if not leadline_internal.is_expression(v_part) then return format('event_id or item_id is no expression: %s', v_part); end if;
    end loop;
    for v_part in select * from jsonb_array_elements(p_mapping -> 'activities') loop
        v_fault := leadline_internal.fault_of_activity_rule(v_part);
        if v_fault is not null then return v_fault; end if;
    end loop;
    for v_part in select * from jsonb_array_elements(coalesce(p_mapping -> 'exclude', '[]')) loop
        if not (leadline_internal.is_path(v_part -> 'when') and v_part ->> 'reason' in ('spam', 'test')) is true then
            return format('exclude: give when and the reason spam or test: %s', v_part);
        end if;
    end loop;
    for v_part in select * from jsonb_array_elements(coalesce(p_mapping -> 'details_needed', '[]')) loop
        if not (leadline_internal.is_path(v_part -> 'when') and leadline_internal.is_expression(v_part -> 'external_id')) is true then
            return format('details_needed: give when and external_id: %s', v_part);
        end if;
    end loop;
    return null;
end $$;

create or replace function leadline_internal.fault_of_scheme(p_scheme text, p_signature jsonb, p_secret text) returns text
language plpgsql immutable
as $$
-- What is wrong with how a source signs; null when it is well.
declare
    v_given text[] := '{header,encoding,prefix,tolerance_s,origin}';
begin
    if p_scheme is null or p_scheme not in ('none', 'standard_webhooks', 'hmac', 'timestamped_hmac', 'hubspot_v3') then
        return 'the scheme is none, standard_webhooks, hmac, timestamped_hmac or hubspot_v3';
    elsif jsonb_typeof(p_signature) <> 'object' or p_signature - v_given <> '{}' then
        return 'signature is an object of header, encoding, prefix, tolerance_s, origin';
    elsif coalesce(p_signature ->> 'header', 'x') !~ '^[!-9;-~]{1,100}$' or coalesce(p_signature ->> 'encoding', 'hex') not in ('hex', 'base64')
        or jsonb_typeof(coalesce(p_signature -> 'prefix', '""')) <> 'string' or coalesce(p_signature ->> 'tolerance_s', '300') !~ '^[0-9]{1,6}$'
        or coalesce(p_signature ->> 'origin', 'https://x') !~ '^https?://[^/\s]+$' then
        return 'header is a name, encoding hex or base64, prefix a text, tolerance_s whole seconds, origin as in https://hooks.example.com';
    elsif p_scheme in ('hmac', 'timestamped_hmac') and not p_signature ? 'header' then
        return 'this scheme needs the name of the header';
    elsif p_scheme <> 'none' and coalesce(length(p_secret), 0) not between 8 and 500 then
        return 'the secret has 8 to 500 characters';
    elsif p_scheme = 'standard_webhooks' and leadline_internal.key_bytes(p_scheme, p_secret) is null then
        return 'the secret is whsec_ and base64';
    end if;
    return null;
end $$;

create or replace function leadline_internal.key_bytes(p_scheme text, p_secret text) returns bytea
language plpgsql immutable
as $$
-- The bytes that sign; null for a secret that is none.
begin
    if p_scheme <> 'standard_webhooks' then return convert_to(p_secret, 'UTF8'); end if;
    return case when p_secret ~ '^whsec_.' then decode(substr(p_secret, 7), 'base64') end;
exception when data_exception then
    return null;
end $$;

create or replace function leadline_internal.refuse_fault(p_rule text, p_fault text) returns void
language plpgsql stable
as $$
begin
    if p_fault is not null then perform leadline_internal.forbid('PT422', p_rule, p_fault, 'webhook_sources'); end if;
end $$;

create or replace function leadline_internal.webhook_source(p_workspace_id uuid, p_source_id uuid) returns leadline.webhook_sources
language plpgsql volatile
as $$
-- A source that is to be changed, under its lock. Raises PT404 no_such_webhook.
declare
    s leadline.webhook_sources;
begin
    select * into s from leadline.webhook_sources x
    where x.workspace_id = p_workspace_id and x.source_id = p_source_id and x.removed_at is null for no key update;
    if not found then perform leadline_internal.forbid('PT404', 'no_such_webhook'); end if;
    return s;
end $$;

create or replace function leadline_internal.new_secret(p_scheme text) returns text
language plpgsql volatile
as $$
declare
    v_random bytea := uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
begin
    return case p_scheme when 'none' then null when 'standard_webhooks' then 'whsec_' || encode(v_random, 'base64') else encode(v_random, 'hex') end;
end $$;

create or replace function leadline.add_webhook_source(
    p_workspace_id uuid, p_name text, p_preset text default null, p_mapping jsonb default null,
    p_scheme text default null, p_signature jsonb default null, p_secret text default null,
    out source_id uuid, out key text, out secret text, out verify_token text
)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.team_manager(p_workspace_id);
    r leadline.rule_webhook_presets;
    v_scheme text;
    v_signature jsonb;
begin
    if leadline_internal.shown_text(p_name) is null or length(p_name) > 200 then perform leadline_internal.forbid('PT422', 'value_malformed', 'name'); end if;
    if p_preset is not null or p_mapping is null then
        select * into r from leadline.rule_webhook_presets x where x.preset = p_preset;
        if not found then perform leadline_internal.forbid('PT422', 'unknown_preset', format('preset is %s', p_preset)); end if;
    end if;
    if p_mapping is not null then perform leadline_internal.refuse_fault('mapping_malformed', leadline_internal.fault_of_mapping(p_mapping)); end if;
    v_scheme := coalesce(p_scheme, r.scheme, 'none');
    v_signature := coalesce(p_signature, case when v_scheme = r.scheme then r.signature end, '{}');
    secret := case when v_scheme <> 'none' then coalesce(p_secret, leadline_internal.new_secret(v_scheme)) end;
    perform leadline_internal.refuse_fault('signature_malformed', leadline_internal.fault_of_scheme(v_scheme, v_signature, secret));
    source_id := gen_random_uuid();
    key := replace('wh_' || gen_random_uuid() || gen_random_uuid(), '-', '');
    if r.has_handshake then verify_token := replace(gen_random_uuid()::text, '-', ''); end if;
    insert into leadline.webhook_sources (workspace_id, source_id, key, name, preset, mapping, scheme, signature, secret, verify_token_hash)
    values (p_workspace_id, add_webhook_source.source_id, add_webhook_source.key, leadline_internal.shown_text(p_name), p_preset, p_mapping,
        v_scheme, v_signature, add_webhook_source.secret, sha256(convert_to(verify_token, 'UTF8')));
    perform leadline_internal.journal_team(c, 'webhook_source_changed', source_id,
        jsonb_strip_nulls(jsonb_build_object('change', 'added', 'preset', p_preset, 'scheme', v_scheme)));
end $$;
comment on function leadline.add_webhook_source(uuid, text, text, jsonb, text, jsonb, text) is
    'Makes an address that another system may post to, by a preset or a mapping of one''s own, and returns its key (/v1/hooks/<key>) and, this once, the secret that signs and the token of the handshake. Owner, admin, administrator; PT422 unknown_preset, mapping_malformed, signature_malformed.';

create or replace function leadline.replace_webhook_mapping(p_workspace_id uuid, p_source_id uuid, p_mapping jsonb) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.team_manager(p_workspace_id);
    s leadline.webhook_sources := leadline_internal.webhook_source(p_workspace_id, p_source_id);
begin
    if p_mapping is not null or s.preset is null then
        perform leadline_internal.refuse_fault('mapping_malformed', leadline_internal.fault_of_mapping(p_mapping));
    end if;
    update leadline.webhook_sources x set mapping = p_mapping where x.workspace_id = p_workspace_id and x.source_id = p_source_id;
    perform leadline_internal.journal_team(c, 'webhook_source_changed', p_source_id, '{"change": "mapping_replaced"}');
end $$;
comment on function leadline.replace_webhook_mapping(uuid, uuid, jsonb) is
    'Gives a source another mapping; null: that of its preset again. Owner, admin, administrator; PT404 no_such_webhook, PT422 mapping_malformed.';

create or replace function leadline.replace_webhook_secret(p_workspace_id uuid, p_source_id uuid, p_secret text default null) returns text
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.team_manager(p_workspace_id);
    s leadline.webhook_sources := leadline_internal.webhook_source(p_workspace_id, p_source_id);
    v_secret text := case when s.scheme <> 'none' then coalesce(p_secret, leadline_internal.new_secret(s.scheme)) end;
begin
    perform leadline_internal.refuse_fault('signature_malformed', leadline_internal.fault_of_scheme(s.scheme, s.signature, v_secret));
    update leadline.webhook_sources x set secret = v_secret where x.workspace_id = p_workspace_id and x.source_id = p_source_id;
    perform leadline_internal.journal_team(c, 'webhook_source_changed', p_source_id, '{"change": "secret_replaced"}');
    return v_secret;
end $$;
comment on function leadline.replace_webhook_secret(uuid, uuid, text) is
    'Signs with another secret from now on, one given or one made, and returns it, this once. Owner, admin, administrator; PT404 no_such_webhook, PT422 signature_malformed.';

create or replace function leadline.remove_webhook_source(p_workspace_id uuid, p_source_id uuid) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.team_manager(p_workspace_id);
    s leadline.webhook_sources := leadline_internal.webhook_source(p_workspace_id, p_source_id);
begin
    update leadline.webhook_sources x set removed_at = clock_timestamp() where x.workspace_id = p_workspace_id and x.source_id = s.source_id;
    perform leadline_internal.journal_team(c, 'webhook_source_changed', p_source_id, '{"change": "removed"}');
end $$;
comment on function leadline.remove_webhook_source(uuid, uuid) is
    'Closes an address for good; what came by it stays. Owner, admin, administrator; PT404 no_such_webhook.';

create or replace view leadline.webhooks with (security_invoker = true) as
select s.workspace_id, s.source_id, s.name, s.key, s.preset, s.mapping, s.scheme, s.signature, s.created_at, s.removed_at
from leadline.webhook_sources s;
comment on view leadline.webhooks is 'One row a webhook source, never its secret; the address is /v1/hooks/<key>. Empty but for owners and admins.';

-- A preset that cannot be followed does not get into a database.
do $$
declare
    r leadline.rule_webhook_presets;
begin
    for r in select * from leadline.rule_webhook_presets loop
        if coalesce(leadline_internal.fault_of_mapping(r.mapping), leadline_internal.fault_of_scheme(r.scheme, r.signature, 'whsec_MDEyMzQ1Njc4OTAx')) is not null then
            raise exception 'preset %: %', r.preset, coalesce(leadline_internal.fault_of_mapping(r.mapping), leadline_internal.fault_of_scheme(r.scheme, r.signature, 'whsec_MDEyMzQ1Njc4OTAx'));
        end if;
    end loop;
end $$;
