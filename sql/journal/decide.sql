-- The one decision behind every journal: from a fact and its subject to a verdict.
-- e: the row as reported, with its author. s: the subject, read under its lock. r: the law for it.
-- x: what the layer says would change and what it objects; null when it has nothing to say.
-- Returns the row complete, or a null when the reference is a repeat.
-- Raises PT422 occurred_in_the_future, and what claim() raises. Order: id and claim under the lock, then the tests in the order of the specification, then changes, content, hash.
create or replace function leadline_internal.decide(
    e leadline_internal.entry, s leadline_internal.subject, r leadline_internal.rulings, x leadline_internal.effect
) returns leadline_internal.entry
language plpgsql volatile
as $$
declare
    v_changes jsonb;
    v_personal jsonb := '{}';
begin
    if e.recorded_at is null then e.recorded_at := clock_timestamp(); end if;
    if e.occurred_at is null then
        e.occurred_at := e.recorded_at;
    elsif e.occurred_at > e.recorded_at + interval '5 minutes' or not isfinite(e.occurred_at) then
        perform leadline_internal.forbid('PT422', 'occurred_in_the_future', format('%s: occurred_at is %s', e.activity_type, e.occurred_at));
    end if;
    e.activity_id := nextval('leadline_internal.activity_ids');
    if e.subject_id is null then e.subject_id := gen_random_uuid(); end if;  -- a birth, and its reference is claimed
    if e.reference is not null and not leadline_internal.claim(e, r.journal) then return null; end if;
    e.from_stage := s.stage; e.to_stage := s.stage;
    e.from_status := s.status; e.to_status := s.status;
    e.version := s.version; e.seq := s.seq + 1;
    e.rules_version := leadline_internal.rules_version();
    e.transaction_id := pg_current_xact_id();

    if e.rule is not null then  -- set beforehand only on a consequence that was overtaken
        e.verdict := 'noted';
    elsif e.actor_kind = 'ai' and e.activity_type <> 'ai_assessed' then
        e.verdict := 'refused'; e.rule := 'ai_forbidden';
    elsif (r.is_system_only or x.objection = 'system_only') and e.writer not like 'workflow:%' then
        e.verdict := 'refused'; e.rule := 'system_only';
    elsif not (case when e.writer like 'workflow:%' then 'workflow' else e.writer end) = any (r.writers) then
        e.verdict := 'refused'; e.rule := 'writer_not_allowed';
    elsif r.rule = 'wrong_workflow' then
        e.verdict := 'refused'; e.rule := r.rule;
    elsif r.needs_person and e.actor_kind <> 'user' and e.writer not like 'workflow:%' then
        e.verdict := 'refused'; e.rule := 'needs_a_person';
    elsif r.type_moves and not r.is_open and r.effect in ('note', 'refuse') then
        e.verdict := case r.effect when 'note' then 'noted' else 'refused' end; e.rule := r.rule;
    elsif r.type_moves and not r.is_never_late and e.occurred_at < s.late_before - interval '1 minute' then
        e.verdict := case when r.is_outcome then 'refused' else 'noted' end; e.rule := 'superseded';
    elsif r.contact_by <> 'anyone' and not leadline_internal.is_persons_act(r.contact_by, e.actor_kind) then
        e.verdict := 'noted'; e.rule := 'not_a_person';
    elsif x.objection is not null then
        select v.verdict, v.rule into e.verdict, e.rule from leadline.rule_sentences v where v.rule = x.objection;
    elsif r.effect = 'refuse' then
        e.verdict := 'refused'; e.rule := r.rule;
    elsif r.effect = 'note' and x.need is null then
        e.verdict := 'noted'; e.rule := r.rule;
    elsif x.need is not null then
        e.verdict := 'refused'; e.rule := x.need;
    else
        v_changes := '{}';
        if r.effect = 'move' then
            e.to_stage := r.to_stage; e.to_status := r.to_status;
            v_changes := jsonb_build_object('stage', jsonb_build_array(e.from_stage, e.to_stage));
            if e.to_status <> e.from_status then
                v_changes := v_changes || jsonb_build_object('status', jsonb_build_array(e.from_status, e.to_status));
            end if;
            if r.entry_timestamp is not null then
                v_changes := v_changes || jsonb_build_object(r.entry_timestamp, jsonb_build_array(null, leadline_internal.instant(e.occurred_at)));
            end if;
        end if;
        if x.changes is not null then
            v_changes := v_changes || x.changes;
            if x.changes ?| r.personal_fields and e.activity_type <> 'person_erased' then
                select jsonb_object_agg(k.key, k.value), v_changes || jsonb_object_agg(k.key, true) into v_personal, v_changes
                from jsonb_each(x.changes) k where k.key = any (r.personal_fields);
            end if;
            e.to_stage := coalesce(x.becomes ->> 'stage', e.to_stage); e.to_status := coalesce(x.becomes ->> 'status', e.to_status);
        end if;
        if v_changes = '{}' then
            e.verdict := 'noted'; e.rule := r.rule;
        else
            e.verdict := 'applied'; e.changes := v_changes; e.version := s.version + 1;
        end if;
    end if;

    if e.verdict = 'refused' then perform leadline_internal.announce_refusal(e, r.journal); end if;
    if e.payload - r.open_keys <> '{}' or v_personal <> '{}' then
        e := leadline_internal.without_content(e, r.open_keys, v_personal);
    end if;
    e.hash := sha256(coalesce(s.hash, '') || leadline_internal.canonical(e));
    return e;
end $$;

create or replace function leadline_internal.is_persons_act(p_contact_by text, p_actor_kind text) returns bool
language sql immutable parallel safe
-- Whether an act of this kind of actor is a contact (rule_activity_types.contact_by).
return case p_contact_by when 'person' then p_actor_kind = 'user' when 'not_system' then p_actor_kind <> 'system' else true end;

create or replace function leadline_internal.announce_refusal(e leadline_internal.entry, p_journal text) returns void
language plpgsql stable
as $$
-- A refusal is a row and a warning; for a writer that asked for errors (leadline.on_refusal = 'raise') it is PT409 and no row.
declare
    v_detail text := format('%s by %s at %s/%s', e.activity_type, e.writer, e.from_status, e.from_stage);
    s leadline.rule_sentences;
begin
    if current_setting('leadline.on_refusal', true) = 'raise' and e.actor_kind not in ('ai', 'system') then
        perform leadline_internal.forbid('PT409', e.rule, v_detail, p_journal);
    end if;
    select * into s from leadline.rule_sentences x where x.rule = e.rule;
    raise warning using message = s.sentence, detail = v_detail, hint = s.hint, constraint = e.rule, schema = 'leadline', table = p_journal;
end $$;
