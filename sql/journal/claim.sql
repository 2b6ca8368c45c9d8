-- Claims a reference before any effect. True: the report is new. False: it is a repeat and nothing may follow.
-- A birth and an enquiry that has yet to find its lead claim early, without an activity_id, and come back with one: a claim
-- without one is this transaction's own, since another's is not seen before it is complete.
-- Raises PT422 value_malformed (a reference has 1 to 200 characters), PT409 reference_reused when it stands for another
-- subject or another activity type.
create or replace function leadline_internal.claim(e leadline_internal.entry, p_journal text) returns bool
language plpgsql volatile
as $$
declare
    v_first leadline_internal.activity_references;
begin
    if length(e.reference) not between 1 and 200 then
        perform leadline_internal.forbid('PT422', 'value_malformed', format('%s: reference', e.activity_type));
    end if;
    if e.activity_id is not null and e.activity_type in ('lead_created', 'lead_imported', 'inbound_enquiry', 'opportunity_opened', 'subscription_started') then
        update leadline_internal.activity_references a set subject_id = e.subject_id, activity_id = e.activity_id
        where a.workspace_id = e.workspace_id and a.journal = p_journal and a.reference = e.reference
          and a.activity_type = e.activity_type and a.activity_id is null;
        if found then return true; end if;
    end if;
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
