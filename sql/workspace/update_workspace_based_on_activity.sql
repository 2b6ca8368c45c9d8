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
    c := leadline_internal.author(e);
    e := leadline_internal.signed(e, c);
    if c.role not in ('owner', 'admin', 'ai') then perform leadline_internal.forbid('PT403', 'settings_need_admin'); end if;
    select * into w from leadline.workspaces t where t.workspace_id = e.workspace_id for no key update;
    e.subject_id := coalesce(e.subject_id, e.workspace_id);
    r := leadline_internal.law(e, 'workspace_activity', w.workflow, w.stage, w.status);
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
        members_see_all = w.members_see_all, members_see_unassigned = w.members_see_unassigned, raw_body_days = w.raw_body_days,
        approvers = w.approvers, approval_hours = w.approval_hours, stage = e.to_stage, status = e.to_status,
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
        'members_see_all', w.members_see_all, 'members_see_unassigned', w.members_see_unassigned, 'raw_body_days', w.raw_body_days,
        'approvers', w.approvers, 'approval_hours', w.approval_hours);
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
        x := leadline_internal.by_hand(e);
    elsif e.activity_type = 'settings_changed' then
        select jsonb_object_agg(k.key, k.value) into x.becomes
        from jsonb_each(e.payload) k
        where v_fields ? k.key and k.key not in ('workflow', 'stage', 'status')
          and (k.value <> 'null' or k.key in ('country', 'raw_body_days', 'approvers', 'approval_hours'));
        x := leadline_internal.with_changes(x, v_fields);
        if not exists (select from pg_catalog.pg_timezone_names z where z.name = coalesce(e.payload ->> 'time_zone', 'UTC')) then
            x.need := 'unknown_time_zone';
        elsif not exists (
            select from leadline.rule_workflows f
            join leadline.rule_permitted p on p.workflow = f.workflow and p.stage = f.initial_stage and p.is_open
            where f.workflow = coalesce(e.payload ->> 'default_workflow', w.default_workflow) and f.journal = 'lead_activity') then
            x.need := 'unknown_default_workflow';
        elsif not coalesce(e.payload ->> 'approvers', 'admin') in ('owner', 'admin', 'member') then
            x.need := 'unknown_approvers';
        elsif not coalesce((e.payload ->> 'approval_hours')::int, 336) between 1 and 8760 then
            x.need := 'unknown_approval_hours';
        end if;
    end if;
    return x;
end $$;

create or replace trigger t50_update_workspace_based_on_activity before insert on leadline.workspace_activity
    for each row execute function leadline_internal.update_workspace_based_on_activity();
