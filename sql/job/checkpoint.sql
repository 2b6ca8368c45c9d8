-- Folds the heads of all chains of a workspace into one root. Kept elsewhere, it reveals a history that was rewritten whole.

create or replace function leadline_internal.root_of_heads(p_workspace_id uuid, p_below xid8, p_up_to_activity_id bigint, out root bytea, out subjects int, out activities bigint)
language plpgsql stable
as $$
-- The root over the heads as they stood when transactions before p_below had ended, and what it covers: no activity after
-- p_up_to_activity_id (null: any).
declare
    v_heads text;
begin
    select string_agg(format($heads$
        (select distinct on (a.%2$I) %1$L as journal, a.%2$I as subject_id, a.seq, a.hash
         from leadline.%1$I a where a.workspace_id = $1 and a.transaction_id < $2 and a.activity_id <= coalesce($3, a.activity_id)
         order by a.%2$I, a.seq desc)$heads$, j.journal, j.subject_column), ' union all ') into v_heads
    from leadline_internal.journals() j;
    execute format('select sha256(coalesce(string_agg(h.subject_id || '' '' || h.seq || '' '' || encode(h.hash, ''hex''), E''\n'' order by h.journal, h.subject_id), '''')::bytea),
        count(*), coalesce(sum(h.seq), 0) from (%s) h', v_heads)
    into root, subjects, activities using p_workspace_id, p_below, p_up_to_activity_id;
end $$;

create or replace function leadline_internal.take_checkpoint(p_workspace_id uuid, p_now timestamptz) returns jsonb
language plpgsql volatile
as $$
declare
    v_below xid8 := pg_snapshot_xmin(pg_current_snapshot());
    v_up_to bigint := (select i.last_value from leadline_internal.activity_ids i);
    v_fold record;
begin
    perform leadline_internal.recognise_cluster();
    select * into v_fold from leadline_internal.root_of_heads(p_workspace_id, v_below, v_up_to);
    insert into leadline.checkpoints (workspace_id, taken_at, below, up_to_activity_id, subjects, activities, root)
    values (p_workspace_id, p_now, v_below, v_up_to, v_fold.subjects, v_fold.activities, v_fold.root);
    return jsonb_build_object('root', encode(v_fold.root, 'hex'), 'below', v_below::text, 'subjects', v_fold.subjects, 'activities', v_fold.activities);
end $$;
