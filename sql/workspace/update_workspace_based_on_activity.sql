-- Every activity of a workspace passes here: settings change it, team and credentials are noted.
-- Fires: before insert on workspace_activity, each row. Reads: the workspace under its lock, then the rules. Writes: the workspace, the verdict.
-- Refuses: unknown_time_zone, unknown_default_workflow, in the row itself. Raises PT401, PT403 settings_need_admin, PT422.
create or replace function leadline_internal.update_workspace_based_on_activity() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential;
    e leadline_internal.entry := row(new.*);
    w leadline.workspaces;
    r leadline_internal.rulings;
    x leadline_internal.effect;
begin
    if e.actor_kind is null then
        c := leadline_internal.acting(leadline_internal.caller(), e.on_behalf_of, e.surface);
        e.workspace_id := c.workspace_id; e.actor_kind := c.actor_kind; e.actor_id := c.actor_id; e.writer := c.writer;
        if c.role not in ('owner', 'admin', 'ai') then perform leadline_internal.forbid('PT403', 'settings_need_admin'); end if;
    end if;
    select * into w from leadline.workspaces t where t.workspace_id = e.workspace_id for no key update;
    e.subject_id := coalesce(e.subject_id, e.workspace_id);
    select * into r from leadline_internal.rulings t
    where t.workflow = w.workflow and t.activity_type = e.activity_type and t.stage = w.stage and t.status = w.status;
    if not found then r := leadline_internal.vocabulary(e, 'workspace_activity'); end if;
    if e.payload is distinct from '{}' or r.needed_keys <> '{}' then perform leadline_internal.check_payload(e, r); end if;
    if e.activity_type = 'workspace_created' and w.seq = 0 then
        r.effect := 'fields';
        x.changes := leadline_internal.initial_values(leadline_internal.workspace_fields(w));
    else
        x := leadline_internal.workspace_effect(e, w);
    end if;
    e := leadline_internal.decide(e, row(w.workflow, coalesce(e.from_stage, w.stage), coalesce(e.from_status, w.status), w.late_before, w.version, w.seq, w.hash), r, x);
    if e.activity_id is null then return null; end if;
    if e.verdict = 'applied' and e.activity_type = 'settings_changed' then w := jsonb_populate_record(w, x.becomes); end if;
    update leadline.workspaces t set
        name = w.name, default_workflow = w.default_workflow, time_zone = w.time_zone, country = w.country, currency = w.currency,
        members_see_all = w.members_see_all, members_see_unassigned = w.members_see_unassigned, raw_body_days = w.raw_body_days, stage = e.to_stage, status = e.to_status,
        stage_entered_at = case when e.to_stage <> e.from_stage then greatest(t.stage_entered_at, e.occurred_at) else t.stage_entered_at end,
        seq = e.seq, version = e.version, hash = e.hash
    where t.workspace_id = e.workspace_id;
    return e;
end $$;

create or replace function leadline_internal.workspace_fields(w leadline.workspaces) returns jsonb
language plpgsql immutable parallel safe
as $$
-- The columns of a workspace that its journal owns.
begin
    return jsonb_build_object('workflow', w.workflow, 'stage', w.stage, 'status', w.status, 'name', w.name,
        'default_workflow', w.default_workflow, 'time_zone', w.time_zone, 'country', w.country, 'currency', w.currency,
        'members_see_all', w.members_see_all, 'members_see_unassigned', w.members_see_unassigned, 'raw_body_days', w.raw_body_days);
end $$;

create or replace function leadline_internal.workspace_effect(e leadline_internal.entry, w leadline.workspaces) returns leadline_internal.effect
language plpgsql stable
as $$
-- What an activity would do to a workspace: the settings that differ, and the words that are not known.
declare
    x leadline_internal.effect;
    v_fields jsonb := leadline_internal.workspace_fields(w);
begin
    if e.activity_type = 'direct_change' then
        x.changes := e.changes;
        select jsonb_object_agg(k.key, k.value -> 1) into x.becomes from jsonb_each(e.changes) k;
    elsif e.activity_type = 'settings_changed' then
        select jsonb_object_agg(k.key, jsonb_build_array(v_fields -> k.key, k.value)), jsonb_object_agg(k.key, k.value) into x.changes, x.becomes
        from jsonb_each(e.payload) k
        where k.key in ('name', 'default_workflow', 'time_zone', 'country', 'currency', 'members_see_all', 'members_see_unassigned', 'raw_body_days') and k.value is distinct from v_fields -> k.key
          and (k.value <> 'null' or k.key in ('country', 'raw_body_days'));
        if not exists (select from pg_catalog.pg_timezone_names z where z.name = coalesce(e.payload ->> 'time_zone', 'UTC')) then
            x.need := 'unknown_time_zone';
        elsif not exists (
            select from leadline.rule_workflows f
            join leadline.rule_permitted p on p.workflow = f.workflow and p.stage = f.initial_stage and p.is_open
            where f.workflow = coalesce(e.payload ->> 'default_workflow', w.default_workflow) and f.journal = 'lead_activity') then
            x.need := 'unknown_default_workflow';
        end if;
    end if;
    return x;
end $$;

create or replace trigger t50_update_workspace_based_on_activity before insert on leadline.workspace_activity
    for each row execute function leadline_internal.update_workspace_based_on_activity();

-- Fires: after an update of workspaces that did not move its head. Writes: a direct_change from old to new.
create or replace function leadline_internal.log_direct_change_of_workspace() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_old jsonb := leadline_internal.workspace_fields(old);
    v_new jsonb := leadline_internal.workspace_fields(new);
    v_changes jsonb;
begin
    select jsonb_object_agg(k.key, jsonb_build_array(k.value, v_new -> k.key)) into v_changes
    from jsonb_each(v_old) k where k.value is distinct from v_new -> k.key;
    if v_changes is not null then
        insert into leadline.workspace_activity (workspace_id, activity_type, payload, actor_kind, writer, from_stage, from_status, changes)
        values (new.workspace_id, 'direct_change', jsonb_build_object('login', session_user), 'system', 'workflow:direct-change', old.stage, old.status, v_changes);
    end if;
    return null;
end $$;
create or replace trigger t80_log_direct_change after update on leadline.workspaces
    for each row when (new.hash is not distinct from old.hash) execute function leadline_internal.log_direct_change_of_workspace();
