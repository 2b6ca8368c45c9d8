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
    for v_table, v_change in
        select j.journal, 'update or delete' from leadline_internal.journals() j
        union all select 'checkpoints', 'update or delete'
        union all select j.state, 'delete' from leadline_internal.journals() j
        union all select t, 'delete' from unnest('{approvals,renewal_cycles}'::text[]) t
    loop
        execute format('create or replace trigger t10_refuse_change before %s on leadline.%I
            for each row execute function leadline_internal.refuse_change_of_history()', v_change, v_table);
        execute format('create or replace trigger t10_refuse_statement before %s or truncate on leadline.%I
            for each statement execute function leadline_internal.refuse_change_of_history()', v_change, v_table);
        execute format('alter table leadline.%I enable always trigger t10_refuse_change, enable always trigger t10_refuse_statement', v_table);
    end loop;
end $$;
