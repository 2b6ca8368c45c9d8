-- Something is made of a delivery: what it means, then the activities, one by one, by the source as their author.

create or replace function leadline_internal.delivery(p_workspace_id uuid, p_log_id bigint, p_ticket uuid) returns leadline.webhook_logs
language plpgsql volatile
as $$
-- The delivery whose ticket is brought, under its lock. Raises PT404 no_such_delivery.
declare
    g leadline.webhook_logs;
begin
    select * into g from leadline.webhook_logs l
    where l.workspace_id = p_workspace_id and l.log_id = p_log_id and l.ticket = p_ticket for no key update;
    if not found then perform leadline_internal.forbid('PT404', 'no_such_delivery'); end if;
    return g;
end $$;

create or replace function leadline.map_webhook(p_workspace_id uuid, p_log_id bigint, p_ticket uuid, p_document jsonb, out mapped jsonb, out country text)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    g leadline.webhook_logs := leadline_internal.delivery(p_workspace_id, p_log_id, p_ticket);
begin
    select leadline_internal.map_body(coalesce(s.mapping, r.mapping), p_document, g.headers,
                                      case when s.scheme = 'standard_webhooks' then g.headers ->> 'webhook-id' end)
    into mapped
    from leadline.webhook_sources s left join leadline.rule_webhook_presets r on r.preset = s.preset
    where s.workspace_id = p_workspace_id and s.source_id = g.source_id;
    select w.country into map_webhook.country from leadline.workspaces w where w.workspace_id = p_workspace_id;
end $$;
comment on function leadline.map_webhook(uuid, bigint, uuid, jsonb) is
    'What a delivery''s parsed body means by its source''s mapping, ready for process_webhook() once phones and addresses are in their one spelling; and the workspace''s country. For the service. PT404 no_such_delivery.';

create or replace function leadline_internal.lead_meant(p_workspace_id uuid, p_appointment_ref text, p_email text) returns uuid
language plpgsql stable
as $$
-- The lead that a sender means who knows no lead_id: with that appointment and that address, else an open one with that address, else
-- the only one with that appointment. A group's appointment is that of several leads.
declare
    v_key text := leadline.email_key(p_email);
    v_lead_ids uuid[];
begin
    select array_agg(l.lead_id order by l.email_key = v_key desc nulls last, p.is_open desc, l.created_at desc, l.lead_id) into v_lead_ids
    from leadline.leads l join leadline.rule_permitted p on p.workflow = l.workflow and p.stage = l.stage and p.status = l.status
    where l.workspace_id = p_workspace_id and l.appointment_ref = p_appointment_ref;
    if exists (select from leadline.leads l where l.workspace_id = p_workspace_id and l.lead_id = v_lead_ids[1] and l.email_key = v_key) then
        return v_lead_ids[1];
    end if;
    return coalesce(
        (select l.lead_id from leadline.leads l join leadline.rule_permitted p on p.workflow = l.workflow and p.stage = l.stage and p.status = l.status
         where l.workspace_id = p_workspace_id and l.email_key = v_key and p.is_open
         order by p_appointment_ref is not null and l.workflow = 'appointment' desc, l.created_at desc, l.lead_id limit 1),
        case when cardinality(v_lead_ids) = 1 then v_lead_ids[1] end);
end $$;

create or replace function leadline_internal.log_mapped(
    p_workspace_id uuid, p_source text, p_activity jsonb, p_reference text, inout lead_id uuid, inout is_hindered bool, out result jsonb
)
language plpgsql volatile
as $$
-- Logs one mapped activity; an enquiry that names no source came from this one. lead_id: the lead of the activities before it of the same item. is_hindered: one of those failed.
-- A failure is a result like any other, but for what passes by itself (locks, connections), which is raised.
declare
    v_type text := p_activity ->> 'activity_type';
    a leadline.logged;
    v_rule text;
    v_sqlstate text;
    v_sentence text;
begin
    result := jsonb_build_object('activity_type', v_type);
    if p_activity ? 'outcome' then
        result := result || jsonb_build_object('outcome', p_activity -> 'outcome');
        return;
    elsif is_hindered then
        result := result || jsonb_build_object('outcome', 'not_tried');
        return;
    end if;
    begin
        if v_type not in ('inbound_enquiry', 'lead_created') or p_activity ? 'only_if_unknown' then
            lead_id := coalesce(lead_id, leadline_internal.lead_meant(p_workspace_id, p_activity #>> '{payload,appointment_ref}',
                                                                     coalesce(p_activity ->> 'lead_email', p_activity #>> '{payload,email}')));
            if p_activity -> 'only_if_unknown' = 'true' and lead_id is not null then
                result := result || jsonb_build_object('outcome', 'not_needed');
                return;
            elsif lead_id is null and v_type not in ('inbound_enquiry', 'lead_created') then
                perform leadline_internal.forbid('PT404', 'no_such_lead', v_type);
            end if;
        end if;
        a := leadline.log_activity(case when v_type not in ('inbound_enquiry', 'lead_created') then lead_id end, v_type,
            case when v_type in ('inbound_enquiry', 'lead_created') then jsonb_build_object('source', p_source) else '{}' end || (p_activity -> 'payload'),
            p_reference, (p_activity ->> 'occurred_at')::timestamptz);
        lead_id := coalesce(a.lead_id, lead_id);
        result := result || jsonb_build_object('outcome', 'logged', 'verdict', a.verdict, 'rule', a.rule, 'replayed', a.replayed,
            'lead_id', a.lead_id, 'activity_id', a.activity_id);
    exception
        when data_exception or integrity_constraint_violation or program_limit_exceeded or sqlstate 'PT401' or sqlstate 'PT403' or sqlstate 'PT404'
            or sqlstate 'PT409' or sqlstate 'PT422' then
            get stacked diagnostics v_sqlstate = returned_sqlstate, v_sentence = message_text, v_rule = constraint_name;
            if v_sqlstate not like 'PT%' then v_rule := null; v_sentence := 'A value cannot be kept by the database.'; end if;  -- PostgreSQL's own words quote it
            is_hindered := true;
            result := result || jsonb_build_object('outcome', 'failed', 'sqlstate', v_sqlstate, 'rule', v_rule, 'sentence', v_sentence);
    end;
end $$;

create or replace function leadline_internal.hook_reference(p_source_id uuid, p_id text, p_part text) returns text
language sql immutable parallel safe
-- A redelivery has the same reference; null for a sender that does not name its events. A long name is kept as its digest.
return 'hook:' || p_source_id || ':' || case when length(p_id) > 90 then encode(sha256(convert_to(p_id, 'UTF8')), 'hex') else p_id end || ':' || p_part;

create or replace function leadline_internal.process_items(p_workspace_id uuid, p_source_id uuid, p_items jsonb) returns jsonb
language plpgsql volatile
as $$
-- Logs every item's activities; returns one result each, in the order of the body. Items are taken in the order of their addresses, so
-- that two deliveries about the same people do not wait for each other crosswise.
declare
    v_source text := (select s.name from leadline.webhook_sources s where s.workspace_id = p_workspace_id and s.source_id = p_source_id);
    v_item jsonb;
    v_activity jsonb;
    v_result jsonb;
    v_lead_id uuid;
    v_is_hindered bool;
    v_results jsonb := '[]';
begin
    for v_item in
        select e.value from jsonb_array_elements(p_items) with ordinality e
        order by leadline.email_key(coalesce(e.value #>> '{activities,0,lead_email}', e.value #>> '{activities,0,payload,email}')) nulls first, e.ordinality
    loop
        if not v_item ? 'activities' then
            v_results := v_results || jsonb_strip_nulls(v_item - 'id');
            continue;
        end if;
        v_lead_id := null; v_is_hindered := false;
        for v_activity in select e.value from jsonb_array_elements(v_item -> 'activities') with ordinality e order by e.ordinality loop
            select x.lead_id, x.is_hindered, x.result into v_lead_id, v_is_hindered, v_result
            from leadline_internal.log_mapped(p_workspace_id, v_source, v_activity,
                leadline_internal.hook_reference(p_source_id, v_item ->> 'id', v_activity ->> 'reference_part'), v_lead_id, v_is_hindered) x;
            v_results := v_results || jsonb_strip_nulls(jsonb_build_object('item', v_item -> 'item') || v_result);
        end loop;
    end loop;
    return coalesce((select jsonb_agg(e.value order by (e.value -> 'item')::int, e.ordinality) from jsonb_array_elements(v_results) with ordinality e), '[]');
end $$;

create or replace function leadline.process_webhook(
    p_workspace_id uuid, p_log_id bigint, p_ticket uuid, p_mapped jsonb, out status text, out results jsonb
)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    g leadline.webhook_logs := leadline_internal.delivery(p_workspace_id, p_log_id, p_ticket);
    v_context text := current_setting('leadline.context', true);
    v_on_refusal text := current_setting('leadline.on_refusal', true);
    v_failed jsonb;
    v_error text;
begin
    status := p_mapped ->> 'status'; results := '[]'; v_error := p_mapped ->> 'error';
    if v_error is not null and status is null then
        status := 'mapping_failed';
    elsif status is null then
        perform leadline_internal.enter_as(p_workspace_id, 'app', null, '{}', g.source_id, 'app');
        perform set_config('leadline.on_refusal', 'record', true);
        results := leadline_internal.process_items(p_workspace_id, g.source_id, p_mapped -> 'items');
        -- What comes next in this transaction is not the source's.
        perform set_config('leadline.context', coalesce(v_context, ''), true), set_config('leadline.on_refusal', coalesce(v_on_refusal, ''), true);
        select e.value into v_failed from jsonb_array_elements(results) with ordinality e where e.value ->> 'outcome' = 'failed' order by e.ordinality limit 1;
        v_error := coalesce(v_failed ->> 'rule', v_failed ->> 'sqlstate');
        status := case when v_failed is not null then 'mapping_failed'
            when exists (select from jsonb_array_elements(results) e where e.value ->> 'outcome' <> 'unmapped') then 'processed' else 'unmapped' end;
    end if;
    update leadline.webhook_logs l set
        status = process_webhook.status, results = process_webhook.results, error = v_error, ticket = null, processed_at = clock_timestamp(),
        event_id = coalesce(left(p_mapped ->> 'event_id', 500), l.event_id)
    where l.workspace_id = p_workspace_id and l.log_id = p_log_id;
end $$;
comment on function leadline.process_webhook(uuid, bigint, uuid, jsonb) is
    'Logs what map_webhook() found, as the source, each activity by itself, and returns the delivery''s status and one result an activity. {"status": "unparsed" | "unmapped", "error"} marks a body that could not be read. Uses up the ticket. For the service. PT404 no_such_delivery.';

create or replace function leadline.reopen_webhook(
    p_workspace_id uuid, p_log_id bigint, out ticket uuid, out content_type text, out body bytea
)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.team_manager(p_workspace_id);
    g leadline.webhook_logs;
    s leadline.webhook_sources;
begin
    select * into g from leadline.webhook_logs l where l.workspace_id = p_workspace_id and l.log_id = p_log_id for no key update;
    if not found then
        perform leadline_internal.forbid('PT404', 'no_such_delivery');
    elsif g.purged_at is not null then
        perform leadline_internal.forbid('PT409', 'delivery_purged');
    end if;
    select * into s from leadline.webhook_sources x where x.workspace_id = p_workspace_id and x.source_id = g.source_id;
    -- The secret may have been put right since; the signature is as old as the delivery.
    if g.status = 'bad_signature' and not leadline_internal.is_signed(s, g.headers, g.body, g.received_at) then
        perform leadline_internal.forbid('PT401', 'bad_signature');
    end if;
    ticket := gen_random_uuid(); content_type := g.content_type; body := g.body;
    update leadline.webhook_logs l set ticket = reopen_webhook.ticket, attempts = l.attempts + 1
    where l.workspace_id = p_workspace_id and l.log_id = p_log_id;
end $$;
comment on function leadline.reopen_webhook(uuid, bigint) is
    'Gives a stored delivery out for another try: its body and a new ticket. References make that safe. Owner, admin, administrator; PT404 no_such_delivery, PT409 delivery_purged, PT401 bad_signature.';

create or replace view leadline.webhook_deliveries with (security_invoker = true) as
select l.workspace_id, l.log_id, l.source_id, s.name as source, l.received_at, l.content_type, octet_length(l.body) as bytes, l.event_id, l.status, l.error,
    l.attempts, l.processed_at, l.results, l.purged_at
from leadline.webhook_logs l join leadline.webhook_sources s on s.workspace_id = l.workspace_id and s.source_id = l.source_id;
comment on view leadline.webhook_deliveries is 'One row a delivery and what was made of it, without what was in it. Empty but for owners and admins.';

create or replace view leadline.webhook_bodies with (security_invoker = true) as
select l.workspace_id, l.log_id, l.received_at, l.headers, l.content_type, l.body from leadline.webhook_logs l where l.purged_at is null;
comment on view leadline.webhook_bodies is 'Deliveries as they came, bytes and headers, until they are purged. Empty but for owners and admins.';
