-- The journals: what was reported, what was decided, and the chain that ties each row to the one before it.
-- depends: 0003_leads
set lock_timeout = '3s';

create type leadline_internal.entry as (
    workspace_id uuid, activity_id bigint, subject_id uuid, activity_type text, payload jsonb, reference text,
    occurred_at timestamptz, recorded_at timestamptz, actor_kind text, actor_id uuid, on_behalf_of uuid, writer text, surface text,
    caused_by bigint, verdict text, rule text, from_stage text, to_stage text, from_status text, to_status text,
    changes jsonb, attention_since timestamptz, version int, seq int, content_hash bytea, rules_version text, transaction_id xid8, hash bytea
);
comment on type leadline_internal.entry is 'A row of any journal: the positional twin of every journal table.';

create type leadline_internal.subject as (
    workflow text, stage text, status text, late_before timestamptz, version int, seq int, hash bytea
);
comment on type leadline_internal.subject is 'What a decision needs to know of the row it is about.';

create type leadline_internal.effect as (changes jsonb, becomes jsonb, objection text, need text);
comment on type leadline_internal.effect is 'What a layer says of an activity: the columns that would change ({"column": [old, new]}) and their new values, a rule that objects before the stage is asked, a rule that objects after.';

create table leadline.lead_activity (
    workspace_id    uuid not null,
    activity_id     bigint not null,
    lead_id         uuid not null,
    activity_type   text not null,
    payload         jsonb not null default '{}',
    reference       text,
    occurred_at     timestamptz not null,
    recorded_at     timestamptz not null,
    actor_kind      text not null,
    actor_id        uuid,
    on_behalf_of    uuid,
    writer          text not null,
    surface         text,
    caused_by       bigint,
    verdict         text not null,
    rule            text,
    from_stage      text not null,
    to_stage        text not null,
    from_status     text not null,
    to_status       text not null,
    changes         jsonb,
    attention_since timestamptz,
    version         int not null,
    seq             int not null,
    content_hash    bytea,
    rules_version   text not null,
    transaction_id  xid8 not null,
    hash            bytea not null,
    constraint lead_activity_pkey primary key (workspace_id, activity_id),
    constraint lead_activity_seq_has_no_twin unique (workspace_id, lead_id, seq),
    constraint lead_activity_lead_exists foreign key (workspace_id, lead_id) references leadline.leads,
    constraint lead_activity_type_is_known foreign key (activity_type) references leadline.rule_activity_types,
    constraint lead_activity_actor_is_known check (actor_kind in ('user', 'system', 'ai', 'integration')),
    constraint lead_activity_verdict_is_known check (verdict in ('applied', 'noted', 'refused', 'held')),
    constraint lead_activity_applied_means_changed check ((verdict = 'applied') = (changes is not null))
);
create index lead_activity_in_order_of_commit on leadline.lead_activity (workspace_id, transaction_id, activity_id);
comment on table leadline.lead_activity is 'The journal of leads. Insert a fact, read the verdict from RETURNING; rows never change.';
comment on column leadline.lead_activity.activity_id is 'Drawn under the lead''s lock; the order of decisions.';
comment on column leadline.lead_activity.payload is 'What was reported, without personal text and unknown keys: those are in activity_content.';
comment on column leadline.lead_activity.reference is 'The writer''s own name for this report; a repeat inserts nothing.';
comment on column leadline.lead_activity.occurred_at is 'When it happened, by the writer''s word; now when not said.';
comment on column leadline.lead_activity.writer is 'Class of the writer: person, app, importer, billing, ai or workflow:<name>.';
comment on column leadline.lead_activity.verdict is 'applied (something changed), noted (kept, changes nothing), refused (the rules forbid it), held (waits for a person).';
comment on column leadline.lead_activity.rule is 'The rule that decided, by its name in rule_sentences.';
comment on column leadline.lead_activity.changes is 'Changed columns: {"column": [old, new]}; {"column": true} where the values are personal and stand in activity_content.';
comment on column leadline.lead_activity.version is 'Applied rows up to this one.';
comment on column leadline.lead_activity.seq is 'Position in the lead''s journal, without gaps.';
comment on column leadline.lead_activity.rules_version is 'Which rules decided: hash of the deployed sql/.';
comment on column leadline.lead_activity.hash is 'sha256 of the lead''s previous hash and this row''s canonical form.';

create table leadline.workspace_activity (like leadline.lead_activity including defaults);
alter table leadline.workspace_activity rename column lead_id to about_id;
alter table leadline.workspace_activity
    add constraint workspace_activity_pkey primary key (workspace_id, activity_id),
    add constraint workspace_activity_seq_has_no_twin unique (workspace_id, seq),
    add constraint workspace_activity_workspace_exists foreign key (workspace_id) references leadline.workspaces,
    add constraint workspace_activity_type_is_known foreign key (activity_type) references leadline.rule_activity_types,
    add constraint workspace_activity_actor_is_known check (actor_kind in ('user', 'system', 'ai', 'integration')),
    add constraint workspace_activity_verdict_is_known check (verdict in ('applied', 'noted', 'refused', 'held')),
    add constraint workspace_activity_applied_means_changed check ((verdict = 'applied') = (changes is not null));
create index workspace_activity_in_order_of_commit on leadline.workspace_activity (workspace_id, transaction_id, activity_id);
comment on table leadline.workspace_activity is 'The journal of a workspace: settings, team and credentials. The subject is the workspace.';
comment on column leadline.workspace_activity.about_id is 'The member, token, login or workspace concerned.';

create table leadline_internal.activity_references (
    workspace_id  uuid not null,
    journal       text not null,
    reference     text not null,
    subject_id    uuid,
    activity_type text not null,
    activity_id   bigint,
    constraint activity_references_pkey primary key (workspace_id, journal, reference),
    constraint activity_references_workspace_exists foreign key (workspace_id) references leadline.workspaces
);
comment on table leadline_internal.activity_references is 'Claims of references: taken before any effect, kept for ever. The subject is null while a birth has not yet made it.';

create table leadline.activity_content (
    workspace_id uuid not null,
    activity_id  bigint not null,
    salt         bytea not null,
    content      jsonb not null,
    constraint activity_content_pkey primary key (workspace_id, activity_id),
    constraint activity_content_workspace_exists foreign key (workspace_id) references leadline.workspaces
);
comment on table leadline.activity_content is 'Personal text and unknown keys of activities, outside the chain so that it can be erased; the journal keeps sha256(salt || content).';
comment on column leadline.activity_content.content is '{"payload": {…}} as reported; {"changes": {"column": [old, new]}} of personal columns.';

create type leadline.logged as (
    verdict text, rule text, sentence text, hint text, replayed bool, activity_id bigint, lead_id uuid, activity_type text, reference text,
    occurred_at timestamptz, recorded_at timestamptz, from_stage text, to_stage text, from_status text, to_status text,
    changes jsonb, version int, seq int
);
comment on type leadline.logged is 'The answer to one activity: what log_activity() returns.';

create table leadline_internal.clusters (
    system_identifier bigint not null,
    above_activity_id bigint not null,
    constraint clusters_pkey primary key (system_identifier)
);
comment on table leadline_internal.clusters is 'The database clusters this history has lived in. Transaction ids start anew in a restored cluster, so the change feed needs to know where its own rows begin.';
comment on column leadline_internal.clusters.above_activity_id is 'Rows above it were written in this cluster, rows up to it came with the restore.';
