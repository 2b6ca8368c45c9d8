-- Gathers the whole law into leadline_internal.rulings: a cell that nobody wrote is wrong_workflow.
create temp table gathered on commit drop as
select w.workflow, t.activity_type, s.stage, w.journal,
    coalesce(c.effect, 'refuse') as effect, c.to_stage, c.to_status, c.entry_timestamp,
    case when c.effect is null then 'wrong_workflow' else c.rule end as rule,
    exists (select from leadline.rule_transitions m
            where m.workflow = w.workflow and m.activity_type = t.activity_type and m.effect in ('move', 'move_to')) as type_moves,
    t.touch, t.is_contact, t.contact_by, t.is_outcome, t.is_never_late, t.is_system_only, t.writers,
    k.known_keys, k.key_types, k.open_keys, k.needed_keys, k.nullable_keys,
    s.status, s.is_open, coalesce(c.awaits_answer, false) as awaits_answer, t.needs_person,
    (select coalesce(array_agg(f.field order by f.field), '{}') from leadline.rule_personal_fields f where f.journal = w.journal) as personal_fields
from leadline.rule_workflows w
join leadline.rule_permitted s on s.workflow = w.workflow
join leadline.rule_activity_types t on w.journal = any (t.journals)
left join leadline.rule_transitions c on c.workflow = w.workflow and c.activity_type = t.activity_type
    and c.from_stage = s.stage and c.from_status = s.status
cross join lateral (
    select coalesce(array_agg(p.key order by p.key), '{}') as known_keys, coalesce(jsonb_object_agg(p.key, p.type), '{}') as key_types,
        coalesce(array_agg(p.key order by p.key) filter (where not p.is_personal), '{}') as open_keys,
        coalesce(array_agg(p.key order by p.key) filter (where p.is_needed), '{}') as needed_keys,
        coalesce(array_agg(p.key order by p.key) filter (where p.is_nullable), '{}') as nullable_keys
    from leadline.rule_payload_keys p where p.activity_type = t.activity_type) k;

insert into leadline_internal.rulings as r
    (workflow, activity_type, stage, journal, effect, to_stage, to_status, entry_timestamp, rule, type_moves, touch, is_contact, contact_by,
     is_outcome, is_never_late, is_system_only, writers, known_keys, key_types, open_keys, needed_keys, nullable_keys,
     status, is_open, awaits_answer, needs_person, personal_fields)
select * from gathered
on conflict (workflow, activity_type, stage, status) do update
    set journal = excluded.journal, effect = excluded.effect, to_stage = excluded.to_stage, to_status = excluded.to_status,
        entry_timestamp = excluded.entry_timestamp, rule = excluded.rule, type_moves = excluded.type_moves,
        touch = excluded.touch, is_contact = excluded.is_contact, contact_by = excluded.contact_by, is_outcome = excluded.is_outcome,
        is_never_late = excluded.is_never_late, is_system_only = excluded.is_system_only, writers = excluded.writers,
        known_keys = excluded.known_keys, key_types = excluded.key_types, open_keys = excluded.open_keys,
        needed_keys = excluded.needed_keys, nullable_keys = excluded.nullable_keys, is_open = excluded.is_open,
        awaits_answer = excluded.awaits_answer, needs_person = excluded.needs_person, personal_fields = excluded.personal_fields
    where to_jsonb(r) is distinct from to_jsonb(excluded);
delete from leadline_internal.rulings r
where not exists (select from gathered g
                  where (g.workflow, g.activity_type, g.stage, g.status) = (r.workflow, r.activity_type, r.stage, r.status));
