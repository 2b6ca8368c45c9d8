-- Gathers the whole law into leadline_internal.rulings: a cell that nobody wrote is wrong_workflow.
create temp table gathered on commit drop as
select w.workflow, t.activity_type, s.stage, w.journal,
    coalesce(c.effect, 'refuse') as effect, c.to_stage, c.to_status, c.entry_timestamp,
    case when c.effect is null then 'wrong_workflow' else c.rule end as rule,
    s.is_final,
    exists (select from leadline.rule_transitions m
            where m.workflow = w.workflow and m.activity_type = t.activity_type and m.effect = 'move') as type_moves,
    t.touch, t.is_contact, t.contact_by, t.is_outcome, t.is_never_late, t.is_system_only, t.writers,
    k.known_keys, k.key_types, k.open_keys, k.personal_keys, k.needed_keys, k.nullable_keys
from leadline.rule_workflows w
join leadline.rule_stages s on s.workflow = w.workflow
join leadline.rule_activity_types t on w.journal = any (t.journals)
left join leadline.rule_transitions c on c.workflow = w.workflow and c.activity_type = t.activity_type and c.from_stage = s.stage
cross join lateral (
    select coalesce(array_agg(p.key order by p.key), '{}') as known_keys, coalesce(jsonb_object_agg(p.key, p.type), '{}') as key_types,
        coalesce(array_agg(p.key order by p.key) filter (where not p.is_personal), '{}') as open_keys,
        coalesce(array_agg(p.key order by p.key) filter (where p.is_personal), '{}') as personal_keys,
        coalesce(array_agg(p.key order by p.key) filter (where p.is_needed), '{}') as needed_keys,
        coalesce(array_agg(p.key order by p.key) filter (where p.is_nullable), '{}') as nullable_keys
    from leadline.rule_payload_keys p where p.activity_type = t.activity_type) k;

insert into leadline_internal.rulings as r
select * from gathered
on conflict (workflow, activity_type, stage) do update
    set journal = excluded.journal, effect = excluded.effect, to_stage = excluded.to_stage, to_status = excluded.to_status,
        entry_timestamp = excluded.entry_timestamp, rule = excluded.rule, is_final = excluded.is_final, type_moves = excluded.type_moves,
        touch = excluded.touch, is_contact = excluded.is_contact, contact_by = excluded.contact_by, is_outcome = excluded.is_outcome,
        is_never_late = excluded.is_never_late, is_system_only = excluded.is_system_only,
        writers = excluded.writers, open_keys = excluded.open_keys, personal_keys = excluded.personal_keys, needed_keys = excluded.needed_keys,
        known_keys = excluded.known_keys, key_types = excluded.key_types, nullable_keys = excluded.nullable_keys
    where to_jsonb(r) is distinct from to_jsonb(excluded);
delete from leadline_internal.rulings r
where not exists (select from gathered g where (g.workflow, g.activity_type, g.stage) = (r.workflow, r.activity_type, r.stage));
