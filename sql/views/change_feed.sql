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
        coalesce(greatest((select max(a.activity_id) from leadline.lead_activity a), (select max(a.activity_id) from leadline.workspace_activity a)), 0) else 0 end
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

create or replace view leadline.lead_changes with (security_invoker = true) as
select a.workspace_id, 'lead_activity'::text as journal, a.transaction_id, a.activity_id, a.lead_id as subject_id, a.activity_type, a.verdict, a.rule,
    a.from_stage, a.to_stage, a.from_status, a.to_status, a.changes, a.occurred_at, a.recorded_at, a.version, a.seq
from leadline.lead_activity a
where a.transaction_id < pg_snapshot_xmin(pg_current_snapshot()) or a.activity_id <= (select leadline_internal.restored_up_to());

create or replace view leadline.workspace_changes with (security_invoker = true) as
select a.workspace_id, 'workspace_activity'::text as journal, a.transaction_id, a.activity_id, a.about_id as subject_id, a.activity_type, a.verdict, a.rule,
    a.from_stage, a.to_stage, a.from_status, a.to_status, a.changes, a.occurred_at, a.recorded_at, a.version, a.seq
from leadline.workspace_activity a
where a.transaction_id < pg_snapshot_xmin(pg_current_snapshot()) or a.activity_id <= (select leadline_internal.restored_up_to());

comment on view leadline.lead_changes is 'The part of change_feed that is about leads.';
comment on view leadline.workspace_changes is 'The part of change_feed that is about the workspace.';

create or replace view leadline.change_feed with (security_invoker = true) as
select l.workspace_id, l.journal, l.transaction_id, l.activity_id, l.subject_id, l.activity_type, l.verdict, l.rule,
    l.from_stage, l.to_stage, l.from_status, l.to_status, l.changes, l.occurred_at, l.recorded_at, l.version, l.seq
from leadline.lead_changes l
union all
select w.workspace_id, w.journal, w.transaction_id, w.activity_id, w.subject_id, w.activity_type, w.verdict, w.rule,
    w.from_stage, w.to_stage, w.from_status, w.to_status, w.changes, w.occurred_at, w.recorded_at, w.version, w.seq
from leadline.workspace_changes w;
comment on view leadline.change_feed is 'Every activity of leads and workspace, once no earlier one can still appear. Follow it with changes_after().';

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
            (select l.* from leadline.lead_changes l
             where (l.transaction_id, l.activity_id) > (v_after_xid, v_after_id) and l.activity_id > v_floor
             order by l.transaction_id, l.activity_id limit p_limit)
            union all
            (select w.* from leadline.workspace_changes w
             where (w.transaction_id, w.activity_id) > (v_after_xid, v_after_id) and w.activity_id > v_floor
             order by w.transaction_id, w.activity_id limit p_limit)) f
        order by f.transaction_id, f.activity_id limit p_limit;
end $$;
comment on function leadline.changes_after(text, int) is
    'The next changes after a cursor (null: from the beginning), at most 1,000, each with the cursor to go on from. A cursor of another cluster is PT409 foreign_cursor: go on from activity:<id of the last change you have>. PT422 malformed_cursor.';
