-- Claims a reference before any effect. True: the report is new. False: it is a repeat and nothing may follow.
-- Raises PT409 reference_reused when the reference stands for another subject or another activity type.
create or replace function leadline_internal.claim(e leadline_internal.entry, p_journal text) returns bool
language plpgsql volatile
as $$
declare
    v_first leadline_internal.activity_references;
begin
    insert into leadline_internal.activity_references (workspace_id, journal, reference, subject_id, activity_type, activity_id)
    values (e.workspace_id, p_journal, e.reference, e.subject_id, e.activity_type, e.activity_id)
    on conflict do nothing;
    if found then return true; end if;
    select * into v_first from leadline_internal.activity_references a
    where a.workspace_id = e.workspace_id and a.journal = p_journal and a.reference = e.reference;
    -- A birth without an id is judged by its type alone.
    if v_first.activity_type <> e.activity_type or v_first.subject_id <> e.subject_id then
        perform leadline_internal.forbid('PT409', 'reference_reused', format('%s: reference', e.activity_type));
    end if;
    return false;
end $$;
