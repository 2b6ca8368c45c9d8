-- The workspace's own state machine: settings are fields, team and credentials are notes, closing is for good.
insert into given_cells (workflow, activity_types, from_stages, effect, to_stage, rule) values
    ('workspace', '{settings_changed}', '{active}', 'fields', null, 'no_change'),
    ('workspace', '{direct_change}', null, 'fields', null, 'no_change'),
    ('workspace', '{workspace_created}', '{active}', 'refuse', null, 'not_first'),
    ('workspace', '{workspace_closed}', '{active}', 'move', 'closed', null),
    ('workspace', '{member_added,member_role_changed,member_deactivated,token_created,token_revoked,login_added,login_revoked,account_changed,webhook_source_changed,people_merged,people_unmerged,person_erased}',
     '{active}', 'note', null, null);
