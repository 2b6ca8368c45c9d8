-- The workspace's own state machine: one stage; settings are fields, team and credentials are notes.
with cells (activity_type, effect, rule) as (values
    ('settings_changed', 'fields', 'no_change'),
    ('direct_change', 'fields', 'no_change'),
    ('workspace_created', 'refuse', 'not_first'),
    ('member_added', 'note', null),
    ('member_role_changed', 'note', null),
    ('member_deactivated', 'note', null),
    ('token_created', 'note', null),
    ('token_revoked', 'note', null),
    ('login_added', 'note', null)
), gone as (
    delete from leadline.rule_transitions t
    where t.workflow = 'workspace' and not exists (select from cells c where c.activity_type = t.activity_type)
)
insert into leadline.rule_transitions as t (workflow, activity_type, from_stage, effect, rule, seed)
select 'workspace', c.activity_type, 'active', c.effect, c.rule, 'design 4' from cells c
on conflict (workflow, activity_type, from_stage) do update
    set effect = excluded.effect, rule = excluded.rule
    where to_jsonb(t) is distinct from to_jsonb(excluded);
