-- What runs by the clock: claimed slots, and the checkpoints of the chains.
-- depends: 0004_journals
set lock_timeout = '3s';

create table leadline.job_runs (
    workspace_id uuid not null,
    job          text not null,
    slot         timestamptz not null,
    finished_at  timestamptz not null,
    result       jsonb not null default '{}',
    constraint job_runs_pkey primary key (workspace_id, job, slot),
    constraint job_runs_workspace_exists foreign key (workspace_id) references leadline.workspaces
);
comment on table leadline.job_runs is 'Which job ran for which slot of time: the row is the guarantee that it ran once, the clock only asks.';
comment on column leadline.job_runs.slot is 'Start of the period the run stands for, UTC.';

create table leadline.checkpoints (
    workspace_id       uuid not null,
    taken_at           timestamptz not null,
    below              xid8 not null,
    subjects           int not null,
    activities         bigint not null,
    root               bytea not null,
    constraint checkpoints_pkey primary key (workspace_id, taken_at),
    constraint checkpoints_workspace_exists foreign key (workspace_id) references leadline.workspaces
);
comment on table leadline.checkpoints is 'One root over the heads of all chains of a workspace at an instant. A copy kept outside the database reveals a rewritten history.';
comment on column leadline.checkpoints.below is 'Rows of earlier transactions are covered, all of them committed when the root was taken.';
