-- What changed, in an order that a poller can follow without losing a late commit.
-- A row appears when every transaction that began before its own has ended, so nothing can come in below a cursor.
-- Rows that came with a restore carry another cluster's transaction ids: they are complete, and first.

create or replace function leadline_internal.recognise_cluster() returns void
language plpgsql volatile
as $$
-- Notes where this cluster's own rows begin, once; called at every deploy and by the checkpoint job.
begin
    insert into leadline_internal.clusters (system_identifier, above_activity_id)
    select c.system_identifier, case when exists (select from leadline_internal.clusters) then
        coalesce(greatest((select max(a.activity_id) from leadline.lead_activity a), (select max(a.activity_id) from leadline.relationship_activity a),
            (select max(a.activity_id) from leadline.opportunity_activity a), (select max(a.activity_id) from leadline.customer_activity a),
            (select max(a.activity_id) from leadline.workspace_activity a)), 0) else 0 end
    from pg_catalog.pg_control_system() c
    on conflict do nothing;
end $$;
select leadline_internal.recognise_cluster();

create or replace function leadline_internal.restored_up_to() returns bigint
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
as $$
-- The last activity that came with a restore; all of them while this cluster has not been recognised, -1 for none.
begin
    return coalesce((select k.above_activity_id from leadline_internal.clusters k, pg_catalog.pg_control_system() c
                     where k.system_identifier = c.system_identifier), 9223372036854775807);
end $$;

-- One view a journal, and all of them together.
do $$
declare
    j record;
    v_all text;
begin
    for j in select t.*, split_part(t.journal, '_', 1) || '_changes' as name from leadline_internal.journals() t loop
        execute format($view$
            create or replace view leadline.%1$I with (security_invoker = true) as
            select a.workspace_id, %2$L::text as journal, a.transaction_id, a.activity_id, a.%3$I as subject_id, a.activity_type, a.verdict, a.rule,
                a.from_stage, a.to_stage, a.from_status, a.to_status, a.changes, a.occurred_at, a.recorded_at, a.version, a.seq
            from leadline.%2$I a
            where a.transaction_id < pg_snapshot_xmin(pg_current_snapshot()) or a.activity_id <= (select leadline_internal.restored_up_to())
            $view$, j.name, j.journal, j.own_column);
        execute format('comment on view leadline.%I is %L', j.name, format('The part of change_feed that is in %s.', j.journal));
        v_all := concat_ws(' union all ', v_all, format('select c.workspace_id, c.journal, c.transaction_id, c.activity_id, c.subject_id, c.activity_type, c.verdict, c.rule,
            c.from_stage, c.to_stage, c.from_status, c.to_status, c.changes, c.occurred_at, c.recorded_at, c.version, c.seq from leadline.%I c', j.name));
    end loop;
    execute 'create or replace view leadline.change_feed with (security_invoker = true) as ' || v_all;
end $$;
comment on view leadline.change_feed is 'Every activity of every journal, once no earlier one can still appear. Follow it with changes_after().';

create or replace function leadline_internal.cluster_identifier() returns bigint
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    return (select c.system_identifier from pg_catalog.pg_control_system() c);
end $$;

create or replace function leadline.changes_after(p_cursor text default null, p_limit int default 100) returns table (cursor text, change json)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- A cursor is <cluster>:restored:<activity_id> among restored rows, then <cluster>:<transaction_id>:<activity_id>.
declare
    v_cluster bigint := leadline_internal.cluster_identifier();
    v_restored bigint := leadline_internal.restored_up_to();
    v_part text[] := string_to_array(p_cursor, ':');
    v_floor bigint := 0;
    v_after_xid xid8 := '0';
    v_after_id bigint := 0;
begin
    if p_cursor ~ '^activity:[0-9]{1,18}$' then
        v_floor := v_part[2];
    elsif p_cursor ~ '^[0-9]{1,20}:(restored|[0-9]{1,19}):[0-9]{1,18}$' then
        if v_part[1] <> v_cluster::text then
            perform leadline_internal.forbid('PT409', 'foreign_cursor', format('activity:%s', v_part[3]));
        elsif v_part[2] = 'restored' then
            v_floor := v_part[3];
        else
            v_floor := v_restored; v_after_xid := v_part[2]; v_after_id := v_part[3];
        end if;
    elsif p_cursor is not null then
        perform leadline_internal.forbid('PT422', 'malformed_cursor', p_cursor);
    end if;
    p_limit := least(greatest(p_limit, 1), 1000);
    if v_floor < v_restored then
        return query
            select v_cluster || ':restored:' || f.activity_id, row_to_json(f) from leadline.change_feed f
            where f.activity_id > v_floor and f.activity_id <= v_restored order by f.activity_id limit p_limit;
        get diagnostics v_floor = row_count;
        p_limit := p_limit - v_floor; v_floor := v_restored;
    end if;
    -- Journal by journal: each is read in its own order and no further than the page, which a union of both would not be.
    return query
        select v_cluster || ':' || f.transaction_id || ':' || f.activity_id, row_to_json(f) from (
            (select c.* from leadline.lead_changes c
             where (c.transaction_id, c.activity_id) > (v_after_xid, v_after_id) and c.activity_id > v_floor
             order by c.transaction_id, c.activity_id limit p_limit)
            union all
            (select c.* from leadline.relationship_changes c
             where (c.transaction_id, c.activity_id) > (v_after_xid, v_after_id) and c.activity_id > v_floor
             order by c.transaction_id, c.activity_id limit p_limit)
            union all
            (select c.* from leadline.opportunity_changes c
             where (c.transaction_id, c.activity_id) > (v_after_xid, v_after_id) and c.activity_id > v_floor
             order by c.transaction_id, c.activity_id limit p_limit)
            union all
            (select c.* from leadline.customer_changes c
             where (c.transaction_id, c.activity_id) > (v_after_xid, v_after_id) and c.activity_id > v_floor
             order by c.transaction_id, c.activity_id limit p_limit)
            union all
            (select c.* from leadline.workspace_changes c
             where (c.transaction_id, c.activity_id) > (v_after_xid, v_after_id) and c.activity_id > v_floor
             order by c.transaction_id, c.activity_id limit p_limit)) f
        order by f.transaction_id, f.activity_id limit p_limit;
end $$;
comment on function leadline.changes_after(text, int) is
    'The next changes after a cursor (null: from the beginning), at most 1,000, each with the cursor to go on from. A cursor of another cluster is PT409 foreign_cursor: go on from activity:<id of the last change you have>. PT422 malformed_cursor.';
