-- A state row that was changed past its journal gets there all the same.
-- Fires: after an update of a state row that did not move its head, so a hand's, not the journal's. Argument: the journal.
-- Writes: a direct_change from old to new, over the columns the journal owns.
create or replace function leadline_internal.log_direct_change() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    j record;
    v_changes jsonb;
begin
    select * into j from leadline_internal.journals() t where t.journal = tg_argv[0];
    execute format('select jsonb_object_agg(k.key, jsonb_build_array(k.value, n.value)) from jsonb_each(%1$s($1)) k join jsonb_each(%1$s($2)) n using (key)
        where k.value is distinct from n.value', j.fields) into v_changes using old, new;
    if v_changes is not null then
        execute format('insert into leadline.%I (workspace_id, %I, activity_type, payload, actor_kind, writer, from_stage, from_status, changes)
            values ($1, ($2 ->> %L)::uuid, ''direct_change'', jsonb_build_object(''login'', session_user), ''system'', ''workflow:direct-change'', $3, $4, $5)',
            j.journal, j.own_column, j.state_key) using new.workspace_id, to_jsonb(new), old.stage, old.status, v_changes;
    end if;
    return null;
end $$;

do $$
declare
    j record;
begin
    for j in select * from leadline_internal.journals() loop
        execute format('create or replace trigger t80_log_direct_change after update on leadline.%I
            for each row when (new.hash is not distinct from old.hash) execute function leadline_internal.log_direct_change(%L)', j.state, j.journal);
    end loop;
end $$;
