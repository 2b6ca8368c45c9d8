set lock_timeout = '3s';
drop table leadline_internal.deployment;
alter type leadline_internal.credential drop attribute visibility;
alter table leadline_internal.context_key
    drop column former_outer,
    drop column former_inner;
alter table leadline.api_tokens drop column last_used_at;
alter table leadline.workspaces
    drop column members_see_unassigned,
    drop column members_see_all;
