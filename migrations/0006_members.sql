-- Members see their own leads; credentials are kept, used and ended by name.
-- depends: 0005_jobs
set lock_timeout = '3s';

alter table leadline.workspaces
    add column members_see_all bool not null default false,
    add column members_see_unassigned bool not null default false;
comment on column leadline.workspaces.members_see_all is 'Members see every lead of the workspace; else those assigned to them.';
comment on column leadline.workspaces.members_see_unassigned is 'Members see leads that are assigned to nobody, too.';

alter table leadline.api_tokens add column last_used_at timestamptz;
comment on column leadline.api_tokens.last_used_at is 'To the minute: the service notes it now and then, not at every request.';

alter table leadline_internal.context_key
    add column former_inner bytea,
    add column former_outer bytea;
comment on column leadline_internal.context_key.former_inner is 'The key before the last rotation: a transaction that began under it ends under it.';

alter type leadline_internal.credential add attribute visibility text;

create table leadline_internal.deployment (
    is_only bool not null default true,
    is_sharded bool not null,
    constraint deployment_pkey primary key (is_only),
    constraint deployment_is_one_row check (is_only)
);
comment on table leadline_internal.deployment is 'How this database is laid out: policies of a sharded one contain no sub-select.';
insert into leadline_internal.deployment (is_sharded) values (false);
