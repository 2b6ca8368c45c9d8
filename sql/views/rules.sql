-- The law, readable.

create or replace view leadline.activity_types with (security_invoker = true) as
select t.activity_type, t.journals, t.label, t.touch, t.writers,
    coalesce((select json_object_agg(k.key, json_build_object('type', k.type, 'needed', k.is_needed, 'nullable', k.is_nullable,
            'personal', k.is_personal) order by k.key)
        from leadline.rule_payload_keys k where k.activity_type = t.activity_type), '{}') as payload,
    t.seed
from leadline.rule_activity_types t;
comment on view leadline.activity_types is 'The vocabulary: one row an activity type, with the keys of its payload.';

create or replace view leadline.transition_rules with (security_invoker = true) as
select c.workflow, c.activity_type, c.from_stage, c.from_status, c.effect, c.to_stage, c.to_status, c.rule, s.sentence, s.hint, t.writers, c.seed, t.precedence
from leadline.rule_transitions c
join leadline.rule_activity_types t on t.activity_type = c.activity_type
left join leadline.rule_sentences s on s.rule = c.rule;
comment on view leadline.transition_rules is 'The matrix, one row a cell: what an activity does at a stage, and by which rule. What has no row is wrong_workflow.';
