-- A delivery arrives: it is stored as it came, and its signature is checked over those very bytes, before anybody reads them.

create or replace function leadline_internal.hmac_sha256(p_key bytea, p_message bytea) returns bytea
language plpgsql immutable parallel safe
as $$
-- RFC 2104 with SHA-256, from the built-in sha256(): a key longer than a block is hashed, a shorter one padded with zeros.
declare
    v_inner bytea := case when length(p_key) > 64 then sha256(p_key) else p_key end;
    v_outer bytea;
begin
    v_inner := v_inner || decode(repeat('00', 64 - length(v_inner)), 'hex');
    v_outer := v_inner;
    for i in 0..63 loop
        v_inner := set_byte(v_inner, i, get_byte(v_inner, i) # 54);
        v_outer := set_byte(v_outer, i, get_byte(v_outer, i) # 92);
    end loop;
    return sha256(v_outer || sha256(v_inner || p_message));
end $$;

create or replace function leadline_internal.is_any_of(p_expected bytea, p_given text[], p_encoding text, p_key bytea) returns bool
language plpgsql immutable parallel safe
as $$
-- Whether a signature is among those given. What is compared are digests under the key, so the time a comparison takes tells nothing
-- about the signature.
declare
    v_expected text := encode(p_expected, p_encoding);
    v_is_found bool := false;
    v_given text;
begin
    foreach v_given in array coalesce(p_given, '{}') loop
        v_given := case p_encoding when 'hex' then lower(v_given) else rtrim(v_given, '=') || '=' end;
        v_is_found := v_is_found or sha256(p_key || convert_to(v_given, 'UTF8')) = sha256(p_key || convert_to(v_expected, 'UTF8'));
    end loop;
    return v_is_found;
end $$;

create or replace function leadline_internal.is_signed(s leadline.webhook_sources, p_headers jsonb, p_body bytea, p_now timestamptz) returns bool
language plpgsql stable
as $$
-- Whether a delivery was signed with the source's secret, and lately where the scheme says when. headers: names in lower case.
declare
    v_key bytea := leadline_internal.key_bytes(s.scheme, s.secret);
    v_header text := p_headers ->> lower(s.signature ->> 'header');
    v_prefix text := coalesce(s.signature ->> 'prefix', '');
    v_encoding text := coalesce(s.signature ->> 'encoding', 'hex');
    v_when text;
    v_seconds numeric;
    v_message bytea;
    v_given text[];
begin
    case s.scheme
        when 'none' then
            return true;
        when 'standard_webhooks' then
            v_when := p_headers ->> 'webhook-timestamp';
            v_message := convert_to((p_headers ->> 'webhook-id') || '.' || v_when || '.', 'UTF8') || p_body;
            v_encoding := 'base64';
            v_given := array(select substr(g, 4) from unnest(string_to_array(p_headers ->> 'webhook-signature', ' ')) g where g like 'v1,%');
        when 'hmac' then
            v_message := p_body;
            v_given := case when left(v_header, length(v_prefix)) = v_prefix then array[substr(v_header, length(v_prefix) + 1)] end;
        when 'timestamped_hmac' then
            v_when := substring(v_header from '(?:^|,)\s*t=([0-9]+)');
            v_message := convert_to(v_when || '.', 'UTF8') || p_body;
            v_given := array(select substr(btrim(g), 4) from unnest(string_to_array(v_header, ',')) g where btrim(g) like 'v1=%');
        when 'hubspot_v3' then
            v_when := p_headers ->> 'x-hubspot-request-timestamp';
            v_message := convert_to((p_headers ->> ':method') || coalesce((s.signature ->> 'origin') || regexp_replace(p_headers ->> ':uri', '^https?://[^/]*', ''),
                p_headers ->> ':uri'), 'UTF8') || p_body || convert_to(v_when, 'UTF8');
            v_encoding := 'base64';
            v_given := array[p_headers ->> 'x-hubspot-signature-v3'];
    end case;
    if s.scheme <> 'hmac' then
        v_seconds := case when v_when ~ '^[0-9]{1,15}$' then v_when::numeric / case s.scheme when 'hubspot_v3' then 1000 else 1 end end;
        if not coalesce(abs(extract(epoch from p_now) - v_seconds) <= coalesce((s.signature ->> 'tolerance_s')::numeric, 300), false) then return false; end if;
    end if;
    return coalesce(leadline_internal.is_any_of(leadline_internal.hmac_sha256(v_key, v_message), array_remove(v_given, null), v_encoding, v_key), false);
end $$;

create or replace function leadline_internal.webhook_by_key(p_key text) returns leadline.webhook_sources
language plpgsql stable
as $$
-- The source behind a public key, which also tells the workspace. Unknown, removed and closed are the same PT404 no_such_webhook.
declare
    s leadline.webhook_sources;
begin
    select x.* into s from leadline.webhook_sources x join leadline.workspaces w on w.workspace_id = x.workspace_id and w.status = 'open'
    where x.key = p_key and x.removed_at is null;
    if not found then perform leadline_internal.forbid('PT404', 'no_such_webhook'); end if;
    return s;
end $$;

create or replace function leadline.receive_webhook(
    p_key text, p_headers jsonb, p_content_type text, p_body bytea, p_now timestamptz,
    out workspace_id uuid, out log_id bigint, out ticket uuid, out sentence text, out hint text
)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    s leadline.webhook_sources := leadline_internal.webhook_by_key(p_key);
    v_headers jsonb := p_headers - '{authorization,proxy-authorization,cookie}'::text[];
    v_is_signed bool := leadline_internal.is_signed(s, v_headers, p_body, p_now);
begin
    workspace_id := s.workspace_id;
    if v_is_signed then
        ticket := gen_random_uuid();
    else
        select r.sentence, r.hint into receive_webhook.sentence, receive_webhook.hint from leadline.rule_sentences r where r.rule = 'bad_signature';
    end if;
    insert into leadline.webhook_logs as l (workspace_id, source_id, received_at, headers, content_type, body, status, error, ticket)
    values (s.workspace_id, s.source_id, p_now, v_headers, p_content_type, p_body,
        case when v_is_signed then 'received' else 'bad_signature' end, case when not v_is_signed then 'bad_signature' end, receive_webhook.ticket)
    returning l.log_id into receive_webhook.log_id;
end $$;
comment on function leadline.receive_webhook(text, jsonb, text, bytea, timestamptz) is
    'Stores a delivery to the address of that key, headers (names in lower case, :method and :uri beside them) and body as they came, and checks its signature at that instant. Returns the log''s id and a ticket with which something can be made of it once; no ticket, but sentence and hint, when the signature is wrong. For the service. PT404 no_such_webhook.';

create or replace function leadline.answer_webhook_handshake(p_key text, p_verify_token text) returns void
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    s leadline.webhook_sources := leadline_internal.webhook_by_key(p_key);
begin
    if s.verify_token_hash is null then
        perform leadline_internal.forbid('PT404', 'no_such_webhook');
    elsif sha256(convert_to(coalesce(p_verify_token, ''), 'UTF8')) <> s.verify_token_hash then
        perform leadline_internal.forbid('PT403', 'wrong_verify_token');
    end if;
end $$;
comment on function leadline.answer_webhook_handshake(text, text) is
    'Whether a sender that subscribes (hub.verify_token) may post to this address. For the service. PT404 no_such_webhook, PT403 wrong_verify_token.';
