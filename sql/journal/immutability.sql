-- History is append-only, for the owner and in replication too: no row of a journal changes or goes, no state row goes.
-- Fires: before update or delete on journals and checkpoints, before delete on state rows, before truncate on both. Always.
-- Refuses: history_is_append_only (PT405).
create or replace function leadline_internal.refuse_change_of_history() returns trigger
language plpgsql
as $$
begin
    perform leadline_internal.forbid('PT405', 'history_is_append_only', format('%s of %s', lower(tg_op), tg_table_name), tg_table_name);
end $$;

-- By row, for replication, and by statement, for tables that are empty and for truncate.
do $$
declare
    v_table text;
    v_change text;
begin
    foreach v_table in array '{lead_activity,workspace_activity,checkpoints,leads,workspaces}'::text[] loop
        v_change := case when v_table in ('leads', 'workspaces') then 'delete' else 'update or delete' end;
        execute format('create or replace trigger t10_refuse_change before %s on leadline.%I
            for each row execute function leadline_internal.refuse_change_of_history()', v_change, v_table);
        execute format('create or replace trigger t10_refuse_statement before %s or truncate on leadline.%I
            for each statement execute function leadline_internal.refuse_change_of_history()', v_change, v_table);
        execute format('alter table leadline.%I enable always trigger t10_refuse_change, enable always trigger t10_refuse_statement', v_table);
    end loop;
end $$;
