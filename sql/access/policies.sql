-- One row policy, from one template, on every tenant table. Enabled, not forced: the owner migrates, dumps and verifies.
do $$
declare
    v_table regclass;
    v_condition text;
begin
    for v_table in
        select c.oid::regclass from pg_catalog.pg_class c
        join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped
        where c.relkind in ('r', 'p') and c.relnamespace in ('leadline'::regnamespace, 'leadline_internal'::regnamespace)
    loop
        v_condition := 'workspace_id = (select leadline.current_workspace())';
        if v_table = 'leadline.activity_content'::regclass then
            v_condition := v_condition || ' and (select leadline.sees_contacts())';
        end if;
        execute format('alter table %s enable row level security', v_table);
        execute format('drop policy if exists %I on %s', (select relname from pg_catalog.pg_class where oid = v_table) || '_in_workspace', v_table);
        execute format('create policy %I on %s using (%s) with check (%s)',
            (select relname from pg_catalog.pg_class where oid = v_table) || '_in_workspace', v_table, v_condition, v_condition);
    end loop;
end $$;
