-- Who reports, and by which law: how every trigger of a journal begins. The trigger of leads says the same in its own lines,
-- since it is paid at every touch.

create or replace function leadline_internal.author(e leadline_internal.entry) returns leadline_internal.credential
language plpgsql stable
as $$
-- The author of a row; null for Leadline itself, which fills the columns of authorship and nobody else may.
-- Raises PT401 credential_required, PT403 may_not_report, act_as_needs_scope, unknown_member, surface_needs_scope.
begin
    if e.actor_kind is not null then return null; end if;
    return leadline_internal.acting(leadline_internal.caller(), e.on_behalf_of, e.surface);
end $$;

create or replace function leadline_internal.signed(e leadline_internal.entry, c leadline_internal.credential) returns leadline_internal.entry
language plpgsql immutable
as $$
-- The row with its author's workspace, name and class of writer.
begin
    if c.workspace_id is not null then
        e.workspace_id := c.workspace_id; e.actor_kind := c.actor_kind; e.actor_id := c.actor_id; e.writer := c.writer;
    end if;
    return e;
end $$;

create or replace function leadline_internal.no_subject(e leadline_internal.entry, p_journal text) returns void
language plpgsql stable
as $$
-- Says that there is no such subject, or that none was named; what is malformed is said first.
begin
    perform leadline_internal.vocabulary(e, p_journal);
    if e.subject_id is null then perform leadline_internal.forbid('PT422', 'subject_required', e.activity_type); end if;
    perform leadline_internal.forbid('PT404', j.no_such) from leadline_internal.journals() j where j.journal = p_journal;
end $$;

create or replace function leadline_internal.law(e leadline_internal.entry, p_journal text, p_workflow text, p_stage text, p_status text)
returns leadline_internal.rulings
language plpgsql stable
as $$
-- The law for an activity at a place. Raises PT422 unknown_activity_type, and what check_payload() raises.
declare
    r leadline_internal.rulings;
begin
    select * into r from leadline_internal.rulings t
    where t.workflow = p_workflow and t.activity_type = e.activity_type and t.stage = p_stage and t.status = p_status and t.journal = p_journal;
    if not found then return leadline_internal.vocabulary(e, p_journal); end if;
    perform leadline_internal.check_payload(e, r);
    return r;
end $$;

create or replace function leadline_internal.with_changes(x leadline_internal.effect, p_was jsonb) returns leadline_internal.effect
language plpgsql immutable
as $$
-- The effect with its changes: every column of becomes that differs from what was.
declare
    v_changes jsonb;
begin
    select jsonb_object_agg(k.key, jsonb_build_array(p_was -> k.key, k.value)) into v_changes
    from jsonb_each(x.becomes) k where p_was -> k.key is distinct from k.value;
    if v_changes is not null then x.changes := coalesce(x.changes, '{}') || v_changes; end if;
    return x;
end $$;

create or replace function leadline_internal.by_hand(e leadline_internal.entry) returns leadline_internal.effect
language plpgsql immutable
as $$
-- The effect of a direct_change: what the hand did already.
declare
    x leadline_internal.effect;
begin
    x.changes := e.changes;
    select jsonb_object_agg(k.key, k.value -> 1) into x.becomes from jsonb_each(e.changes) k;
    return x;
end $$;
