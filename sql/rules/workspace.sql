-- The workspace's own state machine: settings are fields, team and credentials are notes, closing is for good.
create temp table workspace_cells (activity_type text, effect text, to_stage text, to_status text, rule text) on commit drop;
insert into workspace_cells values
    ('settings_changed', 'fields', null, null, 'no_change'),
    ('direct_change', 'fields', null, null, 'no_change'),
    ('workspace_created', 'refuse', null, null, 'not_first'),
    ('workspace_closed', 'move', 'closed', 'closed', null),
    ('member_added', 'note', null, null, null),
    ('member_role_changed', 'note', null, null, null),
    ('member_deactivated', 'note', null, null, null),
    ('token_created', 'note', null, null, null),
    ('token_revoked', 'note', null, null, null),
    ('login_added', 'note', null, null, null),
    ('login_revoked', 'note', null, null, null);

insert into leadline.rule_transitions as t (workflow, activity_type, from_stage, effect, to_stage, to_status, rule, seed)
select 'workspace', c.activity_type, 'active', c.effect, c.to_stage, c.to_status, c.rule, 'design 4' from workspace_cells c
on conflict (workflow, activity_type, from_stage) do update
    set effect = excluded.effect, to_stage = excluded.to_stage, to_status = excluded.to_status, rule = excluded.rule
    where to_jsonb(t) is distinct from to_jsonb(excluded);
insert into leadline.rule_transitions as t (workflow, activity_type, from_stage, effect, rule, seed)
values ('workspace', 'direct_change', 'closed', 'fields', 'no_change', 'design 4')
on conflict (workflow, activity_type, from_stage) do nothing;
delete from leadline.rule_transitions t
where t.workflow = 'workspace' and not exists (select from workspace_cells c where c.activity_type = t.activity_type);
