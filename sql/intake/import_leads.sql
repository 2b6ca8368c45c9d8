-- The importer's door: rows of a list in, for each the lead it made or met.

create or replace function leadline.import_leads(p_rows jsonb) returns table (item int, result json)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
-- Rows in order of their addresses and one import of a workspace at a time, so that two cannot wait for each other. As many
-- rows as will share a subtransaction: what goes in before a row that cannot is done over without it, so a batch costs at most
-- twice itself, and one that is sound one subtransaction.
declare
    c leadline_internal.credential := leadline_internal.caller();
    v_on_refusal text := current_setting('leadline.on_refusal', true);
    v_order int[];
    v_results json[];
    v_met_again bool[];
    v_from int := 1;
    v_until int;
    v_at int;
    v_sqlstate text; v_message text; v_hint text; v_rule text;
begin
    if c.workspace_id is null then
        perform leadline_internal.forbid('PT401', 'credential_required');
    elsif ('import' = any (c.scopes) and c.visibility = 'all') is not true then
        perform leadline_internal.forbid('PT403', 'import_needs_scope');
    elsif p_rows is null or jsonb_typeof(p_rows) <> 'array' then
        perform leadline_internal.forbid('PT422', 'batch_malformed');
    elsif jsonb_array_length(p_rows) > 1000 then
        perform leadline_internal.forbid('PT422', 'batch_too_large', format('%s rows', jsonb_array_length(p_rows)));
    end if;
    perform pg_advisory_xact_lock(hashtextextended('leadline import ' || c.workspace_id, 0));
    perform set_config('leadline.on_refusal', 'record', true);
    v_order := array(
        select i.position::int from jsonb_array_elements(p_rows) with ordinality i (row, position)
        order by leadline.email_key(i.row -> 'payload' ->> 'email') nulls first, i.position);
    while v_from <= cardinality(v_order) loop
        v_until := cardinality(v_order);
        while v_from <= v_until loop
            begin
                for i in v_from .. v_until loop
                    v_at := i;
                    v_results[v_order[i]] := leadline_internal.import_lead(c.workspace_id, p_rows -> (v_order[i] - 1));
                end loop;
                v_from := v_until + 1;
            exception
                when serialization_failure or deadlock_detected or query_canceled or insufficient_privilege or lock_not_available
                    or insufficient_resources or operator_intervention or system_error or internal_error then
                    raise;
                when others then
                    get stacked diagnostics v_sqlstate = returned_sqlstate, v_message = message_text, v_hint = pg_exception_hint, v_rule = constraint_name;
                    if v_sqlstate not like 'PT%' then raise; end if;
                    if v_rule = 'active_lead_exists' and v_met_again[v_at] is null then
                        v_met_again[v_at] := true;  -- a lead opened in between: met when the row is done over
                    elsif v_at = v_from then
                        v_results[v_order[v_at]] := json_build_object('verdict', 'invalid', 'sqlstate', v_sqlstate, 'rule', v_rule, 'sentence', v_message, 'hint', v_hint);
                        v_from := v_at + 1;
                    else
                        v_until := v_at - 1;
                    end if;
            end;
        end loop;
    end loop;
    perform set_config('leadline.on_refusal', coalesce(v_on_refusal, ''), true);
    return query select r.ordinality::int, r.result from unnest(v_results) with ordinality r (result, ordinality) order by r.ordinality;
end $$;
comment on function leadline.import_leads(jsonb) is
    'Takes up to 1,000 rows {reference, occurred_at?, payload, do_not_contact?, unsubscribed?, tags?, is_archived?, restores?, lead_id?} of a list, with scope import; payload is that of lead_imported. Returns one result a row, in order: the lead made, or met by its e-mail address while both are open, or that of an earlier row with this reference (replayed); or {"verdict": "invalid", "sqlstate", "rule", …}. With restores, of an export of Leadline: a lead that is here already is left as it is.';

create or replace function leadline_internal.import_lead(p_workspace_id uuid, p_row jsonb) returns json
language plpgsql volatile
as $$
-- One row: the lead as it stood elsewhere, or an enquiry on the open lead with its address; then what else the row says.
-- What goes with a row goes in with it or not at all: a do-not-contact that is not kept undoes the row.
declare
    p jsonb := p_row -> 'payload';
    a leadline.logged;
    v_reference text := p_row ->> 'reference';
    v_restores bool := coalesce(p_row -> 'restores' = 'true', false);
    v_lead_id uuid;
    v_word text;
begin
    if jsonb_typeof(p_row) <> 'object' or jsonb_typeof(p) is distinct from 'object' or coalesce(v_reference, '') = '' or exists (
        select from jsonb_each(p_row) k where k.value <> 'null' and jsonb_typeof(k.value) <> case k.key
            when 'payload' then 'object' when 'tags' then 'array' when 'unsubscribed' then 'array'
            when 'do_not_contact' then 'boolean' when 'is_archived' then 'boolean' when 'restores' then 'boolean' else 'string' end) then
        perform leadline_internal.forbid('PT422', 'batch_malformed', 'row');
    end if;
    select x.verdict, x.rule, x.lead_id, x.activity_type, true into a.verdict, a.rule, a.lead_id, a.activity_type, a.replayed
    from leadline_internal.activity_references r
    join leadline.lead_activity x on x.workspace_id = r.workspace_id and x.activity_id = r.activity_id
    where r.workspace_id = p_workspace_id and r.journal = 'lead_activity' and r.reference = v_reference;
    if not found and v_restores then
        select l.lead_id into a.lead_id from leadline.leads l
        where l.workspace_id = p_workspace_id and l.lead_id = leadline_internal.read_id(p_row ->> 'lead_id');
        if found then a.verdict := 'noted'; a.replayed := true; end if;
    end if;
    if a.verdict is null then
        v_lead_id := leadline_internal.lead_to_meet(p_workspace_id, p, v_restores);
        if v_lead_id is not null then
            a := leadline.log_activity(v_lead_id, 'inbound_enquiry', leadline_internal.as_enquiry(p), v_reference, leadline_internal.read_instant(p_row -> 'occurred_at'));
        else
            a := leadline.log_activity(null, 'lead_imported', p, v_reference, leadline_internal.read_instant(p_row -> 'occurred_at'));
        end if;
        if a.verdict <> 'refused' then
            for v_word in select t.tag from jsonb_array_elements_text(coalesce(nullif(p_row -> 'tags', 'null'), '[]')) t (tag) loop
                perform leadline_internal.import_besides(a.lead_id, 'tag_added', jsonb_build_object('tag', v_word), null);
            end loop;
            if a.activity_type = 'lead_imported' and p_row -> 'is_archived' = 'true' then
                perform leadline_internal.import_besides(a.lead_id, 'lead_archived', '{}', null);
            end if;
        end if;
    end if;
    for v_word in select t.channel from jsonb_array_elements_text(coalesce(nullif(p_row -> 'unsubscribed', 'null'), '[]')) t (channel) loop
        perform leadline_internal.import_besides(a.lead_id, 'unsubscribed', jsonb_build_object('channel', v_word), v_reference || ':unsubscribed:' || v_word);
    end loop;
    if p_row -> 'do_not_contact' = 'true' then
        perform leadline_internal.import_do_not_contact(p_workspace_id, a.lead_id, v_reference || ':dnc', v_restores);
    end if;
    select s.sentence, s.hint into a.sentence, a.hint from leadline.rule_sentences s where s.rule = a.rule;
    return json_build_object('verdict', a.verdict, 'rule', a.rule, 'sentence', a.sentence, 'hint', a.hint, 'replayed', a.replayed,
        'lead_id', a.lead_id, 'activity_type', a.activity_type);
end $$;

create or replace function leadline_internal.lead_to_meet(p_workspace_id uuid, p_payload jsonb, p_restores bool) returns uuid
language plpgsql stable
as $$
-- The open lead that a row with this payload is news about; null when the row is a lead of its own: because it is closed, nobody
-- with its address is being worked, or (restores) the workflow allows several.
declare
    v_workflow text := coalesce(p_payload ->> 'workflow', (select w.default_workflow from leadline.workspaces w where w.workspace_id = p_workspace_id));
    v_email_key text := leadline.email_key(p_payload ->> 'email');
begin
    if v_email_key is null or p_restores and v_workflow = 'appointment' or not exists (
        select from leadline.rule_permitted p where p.workflow = v_workflow and p.stage = p_payload ->> 'stage' and p.is_open) then
        return null;
    end if;
    return (select l.lead_id from leadline.leads l
            where l.workspace_id = p_workspace_id and l.email_key = v_email_key and l.status in ('open', 'active')
              and not (p_restores and l.workflow = 'appointment')
            order by l.workflow = v_workflow desc, l.created_at, l.lead_id limit 1);
end $$;

create or replace function leadline_internal.as_enquiry(p_payload jsonb) returns jsonb
language sql immutable parallel safe
-- The payload of a lead_imported as that of an enquiry: where the lead stood elsewhere is kept as a word, not as a fact.
return (p_payload - '{workflow,stage,entered_at,first_contacted_at,lost_reason,notes,rejection_reason,recycle_reason,recycle_on,accepted_at,copied_from}'::text[]) || jsonb_build_object('imported', (
    select jsonb_object_agg(k.key, k.value) from jsonb_each(p_payload) k
    where k.key in ('workflow', 'stage', 'entered_at', 'first_contacted_at', 'lost_reason', 'notes', 'rejection_reason', 'recycle_reason', 'recycle_on', 'accepted_at')));

create or replace function leadline_internal.import_besides(p_lead_id uuid, p_activity_type text, p_payload jsonb, p_reference text) returns void
language plpgsql volatile
as $$
-- Something further that a row says of its lead; raises PT409 when it is refused, so that no row goes in by half.
declare
    a leadline.logged := leadline.log_activity(p_lead_id, p_activity_type, p_payload, p_reference);
begin
    if a.verdict = 'refused' then perform leadline_internal.forbid('PT409', a.rule, p_activity_type); end if;
end $$;

create or replace function leadline_internal.import_do_not_contact(p_workspace_id uuid, p_lead_id uuid, p_reference text, p_restores bool) returns void
language plpgsql volatile
as $$
-- The lead's addresses go on the do-not-contact list. A list's row closes the lead with it; a lead that is restored stays where
-- it stood, for it was suppressed through another one's wish.
declare
    v_is_open bool;
    v_is_listed bool;
begin
    if p_restores then
        select l.status in ('open', 'active'), exists (
            select from leadline.suppressions s
            where s.workspace_id = l.workspace_id and s.channel = 'any' and s.lifted_by is null
              and (s.kind, s.key) in (('email', l.email_key), ('phone', l.phone_key)))
        into v_is_open, v_is_listed
        from leadline.leads l where l.workspace_id = p_workspace_id and l.lead_id = p_lead_id;
        if v_is_listed then return; end if;
        if v_is_open then
            perform leadline_internal.import_besides(p_lead_id, 'unsubscribed', '{"channel": "any"}', p_reference);
            return;
        end if;
    end if;
    perform leadline_internal.import_besides(p_lead_id, 'dnc', '{}', p_reference);
end $$;
