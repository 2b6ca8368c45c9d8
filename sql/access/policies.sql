-- One row policy, from one template, on every tenant table. Enabled, not forced: the owner migrates, dumps and verifies.

create or replace function leadline_internal.policy_condition(p_table regclass, p_is_sharded bool) returns text
language plpgsql stable
as $$
-- Which rows of a table the caller sees. Asked once a statement by sub-selects; a sharded database allows none in a policy.
declare
    v_ask text := case when p_is_sharded then 'leadline.%s()' else '(select leadline.%s())' end;
    v_workspace text := format(v_ask, 'current_workspace');
    -- Said twice. The equality finds the rows by index. The other is no equality to the planner, is cheap, and so is tested before
    -- anything a reader adds: else EXPLAIN ANALYZE would tell whether a reader's condition met a row of any workspace.
    v_condition text := case when p_is_sharded then '' else format('coalesce(workspace_id = any (array[%s]), false) and ', v_workspace) end
        || 'workspace_id = ' || v_workspace;
    v_sees_all text := format(v_ask, 'sees_all_leads');
begin
    return v_condition || case
        when p_table::text in ('leadline.leads', 'leadline.opportunities') then format(' and (%s or assigned_user_id = any (array[%s]) or assigned_user_id is null and %s)',
            v_sees_all, format(v_ask, 'current_user_id'), format(v_ask, 'sees_unassigned_leads'))
        when p_table::text = 'leadline.lead_activity' then format(' and (%s or leadline.sees_entry(workspace_id, lead_id, actor_id, transaction_id, activity_type, seq, changes))', v_sees_all)
        when p_table::text = 'leadline.opportunity_activity' then format(' and (%s or leadline.sees_opportunity(workspace_id, opportunity_id, actor_id, transaction_id))', v_sees_all)
        when p_table::text in ('leadline.people', 'leadline.relationship_activity', 'leadline.approvals', 'leadline.subscriptions') then
            format(' and (%s or leadline.sees_person(workspace_id, person_id))', v_sees_all)
        when p_table::text in ('leadline.customer_activity', 'leadline.renewal_cycles') then
            format(' and (%s or leadline.sees_subscription(workspace_id, subscription_id))', v_sees_all)
        when p_table::text = 'leadline.activity_content' then format(' and %s and (%s or leadline.sees_activity(workspace_id, activity_id))',
            format(v_ask, 'sees_contacts'), v_sees_all)
        when p_table::text = 'leadline.requests' then format(' and (%s or leadline.sees_lead(workspace_id, lead_id))', v_sees_all)
        when p_table::text = 'leadline.person_keys' then format(' and %s and (%s or leadline.sees_key(workspace_id, person_id, kind, key))',
            format(v_ask, 'sees_contacts'), v_sees_all)
        when p_table::text = 'leadline.outbox' then format(' and (%s or recipient_user_id = any (array[%s]))', format(v_ask, 'manages_team'), format(v_ask, 'current_user_id'))
        when p_table::text in ('leadline.suppressions', 'leadline.checkpoints') then ' and ' || v_sees_all
        when p_table::text in ('leadline.webhook_sources', 'leadline.webhook_logs', 'leadline.api_tokens', 'leadline.workspace_logins') then
            ' and ' || format(v_ask, 'manages_team')
        else '' end;
end $$;

do $$
declare
    v_table regclass;
    v_name name;
    v_is_sharded bool := (select d.is_sharded from leadline_internal.deployment d);
begin
    for v_table, v_name in
        select c.oid::regclass, c.relname from pg_catalog.pg_class c
        join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped
        where c.relkind in ('r', 'p') and c.relnamespace in ('leadline'::regnamespace, 'leadline_internal'::regnamespace)
    loop
        execute format('alter table %s enable row level security', v_table);
        execute format('drop policy if exists %I on %s', v_name || '_in_workspace', v_table);
        -- What is written is checked by the triggers and for its workspace; what is read, for its visibility too.
        execute format('create policy %I on %s using (%s) with check (workspace_id = %s)', v_name || '_in_workspace', v_table,
            leadline_internal.policy_condition(v_table, v_is_sharded),
            case when v_is_sharded then 'leadline.current_workspace()' else '(select leadline.current_workspace())' end);
    end loop;
end $$;
