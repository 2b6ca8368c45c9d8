-- Proves that no journal row was changed, removed, swapped or added past the trigger: walks every chain by its hashes.

create or replace function leadline_internal.require_whole_view() returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- A caller under row security would verify an empty table and call it sound.
begin
    if row_security_active('leadline.lead_activity') or row_security_active('leadline.leads') then
        perform leadline_internal.forbid('PT403', 'whole_view_needed');
    end if;
end $$;

create or replace function leadline.verify_chain() returns table (workspace_id uuid, journal text, subject_id uuid, seq int, what text, detail text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
    v_journal record;
begin
    perform leadline_internal.require_whole_view();
    for v_journal in
        select j.journal, j.subject_column, j.state, j.state_key from leadline_internal.journals() j
    loop
        return query execute format($query$
            with chain as (
                select a.workspace_id, a.%2$I as subject_id, a.seq, a.hash, a.content_hash, a.activity_id,
                    lag(a.hash) over w as before, lag(a.seq) over w as seq_before, lead(a.seq) over w as seq_after,
                    leadline_internal.canonical(row(a.*)::leadline_internal.entry) as canonical
                from leadline.%1$I a
                window w as (partition by a.workspace_id, a.%2$I order by a.seq)
            ), broken as (
                select c.workspace_id, c.subject_id, c.seq, 'gap' as what,
                    format('row %%s is missing', coalesce(c.seq_before, 0) + 1) as detail
                from chain c where c.seq <> coalesce(c.seq_before, 0) + 1
                union all
                select c.workspace_id, c.subject_id, c.seq, 'hash', format('activity %%s does not follow from the row before it', c.activity_id)
                from chain c where c.hash is distinct from sha256(coalesce(c.before, '') || c.canonical)
                union all
                select s.workspace_id, s.%4$I, s.seq, 'head', 'the head of the chain is not the hash of its last row'
                from leadline.%3$I s
                left join chain c on c.workspace_id = s.workspace_id and c.subject_id = s.%4$I and c.seq_after is null
                where (s.hash, s.seq) is distinct from (c.hash, coalesce(c.seq, 0))
                union all
                select c.workspace_id, c.subject_id, c.seq, 'content', 'the content does not match its hash'
                from chain c join leadline.activity_content t on t.workspace_id = c.workspace_id and t.activity_id = c.activity_id
                where c.content_hash is distinct from sha256(t.salt || convert_to(t.content::text, 'UTF8'))
            )
            -- the first broken row of a chain; what comes after it is a consequence
            select distinct on (b.workspace_id, b.subject_id) b.workspace_id, %1$L, b.subject_id, b.seq, b.what, b.detail
            from broken b order by b.workspace_id, b.subject_id, b.what = 'head', b.seq, b.what
            $query$, v_journal.journal, v_journal.subject_column, v_journal.state, v_journal.state_key);
    end loop;
    return query
        select c.workspace_id, 'checkpoints', c.workspace_id, null::int, 'checkpoint',
            format('the root of %s is no longer the root of what it covered', leadline_internal.instant(c.taken_at))
        from (select distinct on (k.workspace_id) k.* from leadline.checkpoints k order by k.workspace_id, k.taken_at desc) c
        where c.root is distinct from (leadline_internal.root_of_heads(c.workspace_id, c.below, c.up_to_activity_id)).root;
end $$;
comment on function leadline.verify_chain() is
    'Empty when every chain is whole; else the first broken row of each: gap, hash, head, content, or the latest checkpoint that does not fit. Set-based, seconds a million rows. Raises PT403 whole_view_needed.';
