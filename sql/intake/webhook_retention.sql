-- Bodies do not stay for ever: after the workspace's raw_body_days, and when a person is erased.

create or replace function leadline_internal.purge_webhook_bodies(p_workspace_id uuid, p_now timestamptz) returns jsonb
language plpgsql volatile
as $$
-- Removes headers and body of deliveries older than raw_body_days (days of 24 hours, 90 when not set); returns {"purged": how many}.
declare
    v_purged int;
begin
    update leadline.webhook_logs l set body = null, headers = null, ticket = null, purged_at = p_now
    from leadline.workspaces w
    where w.workspace_id = p_workspace_id and l.workspace_id = p_workspace_id and l.purged_at is null
      and l.received_at < p_now - coalesce(w.raw_body_days, 90) * interval '24 hours';
    get diagnostics v_purged = row_count;
    return jsonb_build_object('purged', v_purged);
end $$;

create or replace function leadline_internal.spellings_in_body(p_text text) returns text[]
language plpgsql immutable parallel safe
as $$
-- How a text may stand in a body, lower case, as encode(body, 'escape') shows it: as it is, in JSON escapes, in a form.
declare
    v_text text := lower(btrim(p_text));
    v_form text;
    v_json text;
begin
    select string_agg(case when c ~ '^[a-z0-9._~-]$' then c else regexp_replace(encode(convert_to(c, 'UTF8'), 'hex'), '(..)', '%\1', 'g') end, '' order by n),
           string_agg(case when ascii(c) > 127 then '\u' || lpad(to_hex(ascii(c)), 4, '0') else c end, '' order by n)
    into v_form, v_json
    from unnest(string_to_array(v_text, null)) with ordinality u (c, n);
    return array(select distinct lower(encode(convert_to(t, 'UTF8'), 'escape'))
                 from unnest(array[v_text, upper(v_text), v_form, replace(v_form, '%20', '+'), replace(v_text, '@', '%40'), replace(v_text, '@', '\u0040'), v_json]) t
                 where t <> '');
end $$;

create or replace function leadline_internal.deliveries_about(p_workspace_id uuid, p_lead_ids uuid[], p_texts text[]) returns setof bigint
language plpgsql stable
as $$
-- The deliveries that tell of a person: those whose results name one of the leads, or in whose headers, body or event's name one of the
-- texts (address, phone) stands, in any case and as a form spells it; a phone also by its digits alone. Rather one too many than one
-- too few: what was made of it stands in the journal.
declare
    v_texts text[];
    v_digits text[];
begin
    select array_agg(s) into v_texts from unnest(p_texts) t, unnest(leadline_internal.spellings_in_body(t)) s where length(btrim(t)) >= 4;
    select array_agg(right(regexp_replace(t, '[^0-9]', '', 'g'), 9)) into v_digits
    from unnest(p_texts) t where t ~ '^[-+0-9 ().]+$' and length(regexp_replace(t, '[^0-9]', '', 'g')) >= 7;
    return query
        select l.log_id from leadline.webhook_logs l
        cross join lateral (select lower(concat_ws(' ', encode(l.body, 'escape'), encode(convert_to(concat_ws(' ', l.headers::text, l.event_id), 'UTF8'), 'escape'))) as text) held
        where l.workspace_id = p_workspace_id
          and (exists (select from unnest(p_lead_ids) i where l.results @> jsonb_build_array(jsonb_build_object('lead_id', i)))
               or exists (select from unnest(v_texts) t where position(t in held.text) > 0)
               or exists (select from unnest(v_digits) d where position(d in regexp_replace(held.text, '%2[0-9a-f]|[^0-9]', '', 'g')) > 0))
        order by l.log_id;
end $$;

create or replace function leadline_internal.forget_in_webhooks(p_workspace_id uuid, p_lead_ids uuid[], p_texts text[]) returns int
language plpgsql volatile
as $$
-- Removes what deliveries say of a person, for their erasure; returns how many there were. What was decided of them stays.
declare
    v_forgotten int;
begin
    update leadline.webhook_logs l set
        body = null, headers = null, ticket = null, event_id = null, purged_at = coalesce(l.purged_at, clock_timestamp()),
        results = (select jsonb_agg(e.value - '{external_id,sentence}'::text[] order by e.ordinality) from jsonb_array_elements(l.results) with ordinality e)
    where l.workspace_id = p_workspace_id and l.log_id in (select * from leadline_internal.deliveries_about(p_workspace_id, p_lead_ids, p_texts));
    get diagnostics v_forgotten = row_count;
    return v_forgotten;
end $$;

create or replace function leadline_internal.webhooks_about(p_workspace_id uuid, p_lead_ids uuid[], p_texts text[]) returns jsonb
language plpgsql stable
as $$
-- What deliveries say of a person, for their export: one object each, the body as text.
begin
    return (select coalesce(jsonb_agg(jsonb_build_object('log_id', l.log_id, 'received_at', l.received_at, 'status', l.status, 'headers', l.headers,
                'content_type', l.content_type, 'body', leadline_internal.readable(l.body), 'results', l.results) order by l.log_id), '[]')
            from leadline.webhook_logs l
            where l.workspace_id = p_workspace_id and l.log_id in (select * from leadline_internal.deliveries_about(p_workspace_id, p_lead_ids, p_texts)));
end $$;

create or replace function leadline_internal.readable(p_body bytea) returns text
language plpgsql immutable parallel safe
as $$
-- The bytes as text where they are UTF-8, else with every odd byte as an octal escape.
begin
    return convert_from(p_body, 'UTF8');
exception when data_exception then
    return encode(p_body, 'escape');
end $$;
