-- Keeps the planner's idea of young tables from falling far behind what they are.
-- A plan made for an empty table may go by any index that begins with the workspace, one made for a small table reads it
-- whole; a session keeps such a plan, and filling a new database in one go would take a time that grows with the square of
-- its leads. Autovacuum comes a minute too late for that, and not at all inside a transaction. Called now and then at a
-- birth, it analyses a table that was never analysed or is eight times what it was, until it has 16 MB; nobody waits for it.
create or replace function leadline_internal.learn_sizes() returns void
language plpgsql volatile
as $$
declare
    v_table regclass;
begin
    for v_table in
        select c.oid::regclass from pg_catalog.pg_class c
        where c.oid = any (array['leadline.leads', 'leadline.lead_activity', 'leadline.people', 'leadline.relationship_activity', 'leadline.opportunities', 'leadline.subscriptions', 'leadline.approvals', 'leadline.person_keys', 'leadline.requests',
                                 'leadline.activity_content', 'leadline_internal.activity_references']::regclass[])
          and c.relpages < 2048 and (c.reltuples < 0 or pg_catalog.pg_relation_size(c.oid) > 8 * 8192 * greatest(c.relpages, 1)::bigint)
    loop
        begin
            execute format('lock table %s in share update exclusive mode nowait', v_table);
            execute format('analyze %s', v_table);
        exception when lock_not_available then
            null;  -- somebody else is at it
        end;
    end loop;
end $$;
