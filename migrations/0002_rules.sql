-- The law as rows: what a reviewer reads is what the trigger obeys. Filled from sql/rules/, written by nobody at run time.
-- depends: 0001_workspaces
set lock_timeout = '3s';

create table leadline.rule_workflows (
    workflow      text not null,
    label         text not null,
    journal       text not null,
    initial_stage text not null,
    seed          text not null,
    constraint rule_workflows_pkey primary key (workflow)
);
comment on table leadline.rule_workflows is 'The state machines: which journal moves them and where a subject begins.';

create table leadline.rule_stages (
    workflow text not null,
    stage    text not null,
    label    text not null,
    position int not null,
    is_final bool not null default false,
    constraint rule_stages_pkey primary key (workflow, stage),
    constraint rule_stages_workflow_exists foreign key (workflow) references leadline.rule_workflows
);
comment on table leadline.rule_stages is 'Stages of each workflow. Codes never change; labels are for show.';
comment on column leadline.rule_stages.is_final is 'A closed stage: what would move an open subject is noted here, not done.';

create table leadline.rule_permitted (
    workflow text not null,
    stage    text not null,
    status   text not null,
    constraint rule_permitted_pkey primary key (workflow, stage, status),
    constraint rule_permitted_stage_exists foreign key (workflow, stage) references leadline.rule_stages
);
comment on table leadline.rule_permitted is 'Which status a stage may carry; every state row has a foreign key here, so no other pair can exist.';

create table leadline.rule_sentences (
    rule     text not null,
    sentence text not null,
    hint     text not null,
    verdict  text,
    seed     text not null,
    constraint rule_sentences_pkey primary key (rule),
    constraint rule_sentences_verdict_is_known check (verdict in ('noted', 'refused'))
);
comment on table leadline.rule_sentences is 'Every rule by name: what it says and what to do next. The name is the journal''s rule and the error''s CONSTRAINT.';
comment on column leadline.rule_sentences.verdict is 'The verdict the rule always gives; null where it depends on the activity (superseded).';

create table leadline.rule_activity_types (
    activity_type text not null,
    journals      text[] not null,
    label         text not null,
    touch         text,
    is_contact    bool not null default false,
    contact_by    text not null default 'anyone',
    is_outcome    bool not null default false,
    is_never_late bool not null default false,
    is_birth      bool not null default false,
    is_system_only bool not null default false,
    writers       text[] not null,
    seed          text not null,
    constraint rule_activity_types_pkey primary key (activity_type),
    constraint rule_activity_types_touch_is_known check (touch in ('outbound', 'inbound')),
    constraint rule_activity_types_contact_by_is_known check (contact_by in ('anyone', 'not_system', 'person')),
    constraint rule_activity_types_writers_are_known check (writers <@ '{person,app,importer,billing,ai,workflow}')
);
comment on table leadline.rule_activity_types is 'The vocabulary: what may be reported, in which journal, by which class of writer.';
comment on column leadline.rule_activity_types.touch is 'outbound or inbound when the activity is a touch (it resets inactivity), else null.';
comment on column leadline.rule_activity_types.is_contact is 'Sets first_contacted_at, once.';
comment on column leadline.rule_activity_types.contact_by is 'Whose act counts: anyone, not_system (a system''s is noted not_a_person), person (an integration''s too).';
comment on column leadline.rule_activity_types.is_outcome is 'Arriving late it is refused superseded, where another type is noted.';
comment on column leadline.rule_activity_types.is_never_late is 'Counts however late it arrives (dnc, wrong_number, bad_number, duplicate).';

create table leadline.rule_payload_keys (
    activity_type text not null,
    key           text not null,
    type          text not null,
    is_needed     bool not null default false,
    is_nullable   bool not null default false,
    is_personal   bool not null default false,
    constraint rule_payload_keys_pkey primary key (activity_type, key),
    constraint rule_payload_keys_activity_type_exists foreign key (activity_type) references leadline.rule_activity_types,
    constraint rule_payload_keys_type_is_known check (type in ('text', 'instant', 'date', 'uuid', 'money', 'currency', 'country', 'whole', 'email', 'bool'))
);
comment on table leadline.rule_payload_keys is 'Known payload keys of an activity type. Personal keys, and keys not listed, are kept in activity_content.';
comment on column leadline.rule_payload_keys.type is 'text; instant (ISO 8601 with offset); date; uuid; money (number, zero or more); currency (ISO 4217); country (ISO 3166); whole (integer, zero or more); email; bool.';

create table leadline.rule_transitions (
    workflow      text not null,
    activity_type text not null,
    from_stage    text not null,
    effect        text not null,
    to_stage      text,
    to_status     text,
    entry_timestamp text,
    rule          text,
    seed          text not null,
    constraint rule_transitions_pkey primary key (workflow, activity_type, from_stage),
    constraint rule_transitions_from_stage_exists foreign key (workflow, from_stage) references leadline.rule_stages,
    constraint rule_transitions_activity_type_exists foreign key (activity_type) references leadline.rule_activity_types,
    constraint rule_transitions_target_is_permitted foreign key (workflow, to_stage, to_status) references leadline.rule_permitted,
    constraint rule_transitions_rule_exists foreign key (rule) references leadline.rule_sentences,
    constraint rule_transitions_effect_is_known check (effect in ('move', 'fields', 'note', 'refuse')),
    constraint rule_transitions_moves_name_their_target check ((effect = 'move') = (to_stage is not null and to_status is not null)),
    constraint rule_transitions_refusals_name_their_rule check (effect <> 'refuse' or rule is not null)
);
comment on table leadline.rule_transitions is 'The matrix, cell by cell: what an activity does to a subject at a stage. A missing cell is wrong_workflow.';
comment on column leadline.rule_transitions.effect is 'move (stage and fields change), fields (applied when a field changes, else noted under the rule), note, refuse.';
comment on column leadline.rule_transitions.entry_timestamp is 'The column that keeps when the move happened.';

create table leadline.rule_effects (
    workflow      text not null,
    from_stage    text not null,
    consequence   text not null,
    writer        text not null,
    seed          text not null,
    constraint rule_effects_pkey primary key (workflow, from_stage, consequence),
    constraint rule_effects_stage_exists foreign key (workflow, from_stage) references leadline.rule_stages,
    constraint rule_effects_consequence_exists foreign key (consequence) references leadline.rule_activity_types,
    constraint rule_effects_writer_is_a_workflow check (writer like 'workflow:%')
);
comment on table leadline.rule_effects is 'What follows when a subject leaves a stage: a further activity, with caused_by, by its own writer.';

create table leadline_internal.rulings (
    workflow        text not null,
    activity_type   text not null,
    stage           text not null,
    journal         text not null,
    effect          text not null,
    to_stage        text,
    to_status       text,
    entry_timestamp text,
    rule            text,
    is_final        bool not null,
    type_moves      bool not null,
    touch           text,
    is_contact      bool not null,
    contact_by      text not null,
    is_outcome      bool not null,
    is_never_late   bool not null,
    is_system_only  bool not null,
    writers         text[] not null,
    known_keys      text[] not null,
    key_types       jsonb not null,
    open_keys       text[] not null,
    personal_keys   text[] not null,
    needed_keys     text[] not null,
    nullable_keys   text[] not null,
    constraint rulings_pkey primary key (workflow, activity_type, stage)
);
create index rulings_by_type on leadline_internal.rulings (journal, activity_type);
comment on table leadline_internal.rulings is 'The whole law, one row a question: every workflow × activity type × stage with its cell, its type and its keys. Gathered from the rule tables at every deploy, so that a decision costs one look-up.';
comment on column leadline_internal.rulings.type_moves is 'The activity moves from some stage of this workflow, so here too it can come too late.';

alter table leadline.workspaces
    add constraint workspaces_stage_implies_status foreign key (workflow, stage, status) references leadline.rule_permitted,
    add constraint workspaces_default_workflow_exists foreign key (default_workflow) references leadline.rule_workflows;
