-- A lead row that did not come through the journal gets there all the same.

-- Fires: before a bare insert into leads. Writes: workspace, workflow, the initial stage, the person. Raises PT401, PT403, PT422,
-- PT409 active_lead_exists.
create or replace function leadline_internal.prepare_bare_lead() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.acting(leadline_internal.caller(), null, null);
begin
    new.workspace_id := c.workspace_id;
    new.workflow := coalesce(new.workflow, (select w.default_workflow from leadline.workspaces w where w.workspace_id = c.workspace_id));
    select w.initial_stage into new.stage from leadline.rule_workflows w where w.workflow = new.workflow and w.journal = 'lead_activity';
    if not found then perform leadline_internal.forbid('PT422', 'unknown_workflow', format('workflow is %s', new.workflow)); end if;
    new.status := leadline_internal.status_of(new.workflow, new.stage);
    if new.email is not null and not leadline_internal.is_kind(to_jsonb(new.email), 'email') then
        perform leadline_internal.forbid('PT422', 'value_malformed', 'lead_created: email');
    end if;
    new.source := coalesce(leadline_internal.shown_text(new.source), split_part(c.writer, ':', 1));
    if new.workflow = 'sales' and new.email_key is null and leadline_internal.shown_text(new.phone) is null then
        perform leadline_internal.forbid('PT422', 'contact_info_required', 'lead_created: email, phone');
    end if;
    if new.assigned_user_id is null and c.role = 'member' then new.assigned_user_id := c.user_id; end if;
    new.person_id := leadline_internal.identify(new.workspace_id, new.email_key, new.phone_key);
    if new.workflow <> 'appointment' and leadline_internal.has_open_lead(new.workspace_id, new.email_key, null) then
        perform leadline_internal.forbid('PT409', 'active_lead_exists', 'lead_created', 'leads');
    end if;
    new.possible_duplicate_of := leadline_internal.candidate(new.workspace_id, new.email_key, new.phone_key);
    new.is_possible_duplicate := new.possible_duplicate_of is not null;
    if not leadline_internal.lead_exists(c, new.workspace_id, new.possible_duplicate_of) then new.possible_duplicate_of := null; end if;
    new.created_at := clock_timestamp(); new.stage_entered_at := new.created_at;
    new.seq := 0; new.version := 0;
    return new;
end $$;
create or replace trigger t50_prepare_bare_lead before insert on leadline.leads
    for each row when (new.seq is null) execute function leadline_internal.prepare_bare_lead();

-- Fires: after a bare insert into leads. Writes: its lead_created.
create or replace function leadline_internal.log_bare_lead() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    insert into leadline.lead_activity (lead_id, activity_type) values (new.lead_id, 'lead_created');
    return null;
end $$;
create or replace trigger t80_log_bare_lead after insert on leadline.leads
    for each row when (new.seq = 0) execute function leadline_internal.log_bare_lead();
