-- The call that answers: one activity in, its verdict out, the original again when the reference is a repeat.

create or replace function leadline_internal.logged_before(p_reference text, p_on_behalf_of uuid) returns bigint
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
-- The activity that claimed a reference of lead_activity in the caller's workspace; null when its lead is out of the author's sight.
declare
    c leadline_internal.credential := leadline_internal.acting(leadline_internal.caller(), p_on_behalf_of, null);
begin
    return (select a.activity_id from leadline_internal.activity_references a
            join leadline.leads l on l.workspace_id = a.workspace_id and l.lead_id = a.subject_id
            where a.workspace_id = c.workspace_id and a.journal = 'lead_activity' and a.reference = p_reference
              and leadline_internal.is_visible_to(c, l.assigned_user_id));
end $$;

create or replace function leadline.log_activity(
    p_lead_id uuid, p_activity_type text, p_payload jsonb default '{}', p_reference text default null, p_occurred_at timestamptz default null,
    p_on_behalf_of uuid default null, p_surface text default null, p_token text default null
) returns leadline.logged
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
    a leadline.lead_activity;
    v_answer leadline.logged;
    v_is_replayed bool := false;
    v_workspace_id uuid;
    v_original bigint;
begin
    if p_token is not null then perform leadline.enter(p_token); end if;
    insert into leadline.lead_activity (lead_id, activity_type, payload, reference, occurred_at, on_behalf_of, surface)
    values (p_lead_id, p_activity_type, p_payload, p_reference, p_occurred_at, p_on_behalf_of, p_surface)
    returning * into a;
    if not found then
        -- Asked once: in the condition they would be asked of every row where the planner reads the table.
        v_workspace_id := leadline.current_workspace(); v_original := leadline_internal.logged_before(p_reference, p_on_behalf_of);
        select * into a from leadline.lead_activity x
        where x.workspace_id = v_workspace_id and x.activity_id = v_original;
        if not found then
            if p_activity_type is distinct from 'inbound_enquiry' or p_lead_id is not null then
                perform leadline_internal.forbid('PT404', 'no_such_lead');  -- the original's lead is out of sight
            end if;
            a.verdict := 'noted'; a.rule := 'received'; a.activity_type := p_activity_type; a.reference := p_reference;  -- so is the lead it met
        else
            v_is_replayed := true;
        end if;
    end if;
    if a.rule is not null then
        select s.sentence, s.hint into v_answer.sentence, v_answer.hint from leadline.rule_sentences s where s.rule = a.rule;
    end if;
    return (a.verdict, a.rule, v_answer.sentence, v_answer.hint, v_is_replayed, a.activity_id, a.lead_id, a.activity_type, a.reference,
        a.occurred_at, a.recorded_at, a.from_stage, a.to_stage, a.from_status, a.to_status, a.changes, a.version, a.seq)::leadline.logged;
end $$;
comment on function leadline.log_activity(uuid, text, jsonb, text, timestamptz, uuid, text, text) is
    'Inserts one activity and returns its verdict; a repeated reference returns the original with replayed = true. With p_token it enters the token''s workspace first. Raises what the insert raises.';

create or replace function leadline.log_activities(p_activities jsonb, p_token text default null) returns table (item int, result json)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Leads in order of their ids, so that two batches cannot wait for each other; within a lead the order of the request.
declare
    v_item record;
    v_on_refusal text := current_setting('leadline.on_refusal', true);
    v_results json[];
    v_sqlstate text; v_message text; v_hint text; v_rule text;
begin
    if p_token is not null then perform leadline.enter(p_token); end if;
    if leadline.current_workspace() is null then
        perform leadline_internal.forbid('PT401', 'credential_required');
    elsif p_activities is null or jsonb_typeof(p_activities) <> 'array' then
        perform leadline_internal.forbid('PT422', 'batch_malformed');
    elsif jsonb_array_length(p_activities) > 1000 then
        perform leadline_internal.forbid('PT422', 'batch_too_large', format('%s activities', jsonb_array_length(p_activities)));
    end if;
    perform set_config('leadline.on_refusal', 'record', true);
    for v_item in
        select i.activity as a, i.position::int as position from jsonb_array_elements(p_activities) with ordinality i (activity, position)
        order by i.activity ->> 'lead_id' nulls first, case when i.activity ->> 'lead_id' is null then
            coalesce(leadline.email_key(i.activity #>> '{payload,email}'), leadline.phone_key(i.activity #>> '{payload,phone}'), i.activity ->> 'reference') end, i.position
    loop
        begin
            if jsonb_typeof(v_item.a) <> 'object' then perform leadline_internal.forbid('PT422', 'batch_malformed', 'item'); end if;
            v_results[v_item.position] := row_to_json(l) from leadline.log_activity(
                leadline_internal.read_id(v_item.a ->> 'lead_id'), v_item.a ->> 'activity_type', coalesce(nullif(v_item.a -> 'payload', 'null'), '{}'), v_item.a ->> 'reference',
                leadline_internal.read_instant(v_item.a -> 'occurred_at'), leadline_internal.read_id(v_item.a ->> 'on_behalf_of'), v_item.a ->> 'surface') l;
        exception
            when serialization_failure or deadlock_detected or query_canceled or insufficient_privilege or lock_not_available
                or insufficient_resources or operator_intervention or system_error or internal_error then
                raise;
            when others then
                get stacked diagnostics v_sqlstate = returned_sqlstate, v_message = message_text, v_hint = pg_exception_hint, v_rule = constraint_name;
                if v_sqlstate not like 'PT%' then raise; end if;
                v_results[v_item.position] := json_build_object('verdict', 'invalid', 'sqlstate', v_sqlstate, 'rule', v_rule, 'sentence', v_message, 'hint', v_hint);
        end;
    end loop;
    perform set_config('leadline.on_refusal', coalesce(v_on_refusal, ''), true);
    return query select r.ordinality::int, r.result from unnest(v_results) with ordinality r (result, ordinality) order by r.ordinality;
end $$;
comment on function leadline.log_activities(jsonb, text) is
    'Inserts up to 1,000 activities and returns one result an item, in the order of the request; a malformed or invisible item is answered {"verdict": "invalid", "sqlstate", "rule", …} and the rest goes in. A refusal is a row here, whatever leadline.on_refusal says.';

create or replace function leadline_internal.logged_before_in(p_journal text, p_reference text, p_on_behalf_of uuid default null) returns bigint
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
-- The activity that claimed a reference of a sister journal in the caller's workspace; null when its subject is out of the author's sight.
declare
    c leadline_internal.credential := leadline_internal.acting(leadline_internal.caller(), p_on_behalf_of, null);
    v_first leadline_internal.activity_references;
    v_is_seen bool;
begin
    select * into v_first from leadline_internal.activity_references a
    where a.workspace_id = c.workspace_id and a.journal = p_journal and a.reference = p_reference;
    case p_journal
        when 'relationship_activity' then
            v_is_seen := leadline_internal.person_is_visible_to(c, c.workspace_id, v_first.subject_id);
        when 'opportunity_activity' then
            v_is_seen := exists (select from leadline.opportunities o where o.workspace_id = c.workspace_id and o.opportunity_id = v_first.subject_id
                                   and leadline_internal.is_visible_to(c, o.assigned_user_id));
        when 'customer_activity' then
            v_is_seen := exists (select from leadline.subscriptions s where s.workspace_id = c.workspace_id and s.subscription_id = v_first.subject_id
                                   and leadline_internal.person_is_visible_to(c, s.workspace_id, s.person_id));
        else v_is_seen := false;
    end case;
    return case when v_is_seen then v_first.activity_id end;
end $$;

create or replace function leadline.log_in_journal(
    p_journal text, p_subject_id uuid, p_activity_type text, p_payload jsonb default '{}', p_reference text default null,
    p_occurred_at timestamptz default null, p_on_behalf_of uuid default null, p_surface text default null, p_token text default null
) returns json
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
    j record;
    v_activity_id bigint;
    v_original bigint;
    v_answer json;
begin
    select * into j from leadline_internal.journals() t where t.journal = p_journal and t.journal not in ('lead_activity', 'workspace_activity');
    if not found then perform leadline_internal.forbid('PT422', 'value_malformed', 'journal'); end if;
    if p_token is not null then perform leadline.enter(p_token); end if;
    execute format('insert into leadline.%I (%I, activity_type, payload, reference, occurred_at, on_behalf_of, surface)
        values ($1, $2, $3, $4, $5, $6, $7) returning activity_id', j.journal, j.own_column)
        into v_activity_id using p_subject_id, p_activity_type, p_payload, p_reference, p_occurred_at, p_on_behalf_of, p_surface;
    if v_activity_id is null then v_original := leadline_internal.logged_before_in(p_journal, p_reference, p_on_behalf_of); end if;
    execute format('select json_build_object(''verdict'', a.verdict, ''rule'', a.rule, ''sentence'', s.sentence, ''hint'', s.hint, ''replayed'', $2,
            ''activity_id'', a.activity_id, %2$L, a.%2$I, ''activity_type'', a.activity_type, ''reference'', a.reference,
            ''occurred_at'', a.occurred_at, ''recorded_at'', a.recorded_at, ''from_stage'', a.from_stage, ''to_stage'', a.to_stage,
            ''from_status'', a.from_status, ''to_status'', a.to_status, ''changes'', a.changes, ''version'', a.version, ''seq'', a.seq,
            ''approval_id'', p.approval_id)
        from leadline.%1$I a
        left join leadline.rule_sentences s on s.rule = a.rule
        left join leadline.approvals p on p.workspace_id = a.workspace_id and p.activity_id = a.activity_id
        where a.workspace_id = $3 and a.activity_id = $1', j.journal, j.own_column)
        into v_answer using coalesce(v_activity_id, v_original), v_activity_id is null, leadline.current_workspace();
    if v_answer is null then perform leadline_internal.forbid('PT404', j.no_such); end if;  -- the original's subject is out of sight
    return v_answer;
end $$;
comment on function leadline.log_in_journal(text, uuid, text, jsonb, text, timestamptz, uuid, text, text) is
    'Inserts one activity into relationship_activity, opportunity_activity or customer_activity and returns its verdict, with approval_id when it is held; a repeated reference returns the original with replayed = true. With p_token it enters the token''s workspace first. Raises what the insert raises.';

create or replace function leadline_internal.read_instant(p_value jsonb) returns timestamptz
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
-- An instant as a JSON writer gives it; PT422 value_malformed when it has no offset or is none.
begin
    if p_value is null or p_value = 'null' then return null; end if;
    if not leadline_internal.is_kind(p_value, 'instant') then perform leadline_internal.forbid('PT422', 'value_malformed', 'occurred_at'); end if;
    return (p_value #>> '{}')::timestamptz;
end $$;

create or replace function leadline_internal.read_id(p_text text) returns uuid
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
-- An id as a JSON writer gives it. A malformed one reads as the nil uuid, which nothing has: it is as unknown as any other.
begin
    return p_text::uuid;
exception when invalid_text_representation then
    return '00000000-0000-0000-0000-000000000000';
end $$;
