-- What a person is to the workspace (seed 002): a position of its own, its journal, and the approvals that wait for a yes.
-- depends: 0010_webhooks
set lock_timeout = '3s';

-- The law that people stand under from here on; the deploy fills in the rest right after.
insert into leadline.rule_workflows (workflow, label, journal, initial_stage, seed)
values ('relationship', 'Relationship', 'relationship_activity', 'prospect', '002');
insert into leadline.rule_stages (workflow, stage, label, position) values ('relationship', 'prospect', 'Prospect', 1);
insert into leadline.rule_permitted (workflow, stage, status, is_open) values ('relationship', 'prospect', 'open', true);

alter table leadline.people
    add column workflow text not null default 'relationship',
    add column status text not null default 'open',
    add column stage text not null default 'prospect',
    add column furthest_stage text not null default 'prospect',
    add column stage_entered_at timestamptz,
    add column late_before timestamptz,
    add column first_qualified_at timestamptz,
    add column seq int not null default 0,
    add column version int not null default 0,
    add column hash bytea,
    add constraint people_stage_implies_status foreign key (workflow, stage, status) references leadline.rule_permitted,
    add constraint people_furthest_stage_exists foreign key (workflow, furthest_stage) references leadline.rule_stages;
comment on table leadline.people is 'One row a person as far as is known, with the one answer to where the relationship stands (seed 002). Who it is stands in person_keys and in the leads; so there is nothing personal here.';
comment on column leadline.people.stage is 'prospect, qualified, opportunity, client, onboarding, active; closed stands outside the order. Moved by relationship_activity alone.';
comment on column leadline.people.furthest_stage is 'The furthest of the six ever reached; never goes back (seed 003).';
comment on column leadline.people.stage_entered_at is 'When the present stage was entered; null for a prospect that never moved.';
comment on column leadline.people.first_qualified_at is 'When a lead of this person was qualified for the first time; set once. Later ones count on requests.';
comment on column leadline.people.hash is 'Head of the person''s chain in relationship_activity.';

create index people_newest_first on leadline.people (workspace_id, created_at desc, person_id desc);

update leadline.people p set first_qualified_at = f.occurred_at
from (
    select distinct on (l.workspace_id, l.person_id) l.workspace_id, l.person_id, a.occurred_at
    from leadline.lead_activity a join leadline.leads l on l.workspace_id = a.workspace_id and l.lead_id = a.lead_id
    where a.activity_type = 'lead_qualified' and a.verdict = 'applied'
    order by l.workspace_id, l.person_id, a.activity_id) f
where p.workspace_id = f.workspace_id and p.person_id = f.person_id;

create table leadline.relationship_activity (like leadline.lead_activity including defaults);
alter table leadline.relationship_activity rename column lead_id to person_id;
alter table leadline.relationship_activity
    add constraint relationship_activity_pkey primary key (workspace_id, activity_id),
    add constraint relationship_activity_seq_has_no_twin unique (workspace_id, person_id, seq),
    add constraint relationship_activity_person_exists foreign key (workspace_id, person_id) references leadline.people,
    add constraint relationship_activity_type_is_known foreign key (activity_type) references leadline.rule_activity_types,
    add constraint relationship_activity_actor_is_known check (actor_kind in ('user', 'system', 'ai', 'integration')),
    add constraint relationship_activity_verdict_is_known check (verdict in ('applied', 'noted', 'refused', 'held')),
    add constraint relationship_activity_applied_means_changed check ((verdict = 'applied') = (changes is not null));
create index relationship_activity_in_order_of_commit on leadline.relationship_activity (workspace_id, transaction_id, activity_id);
comment on table leadline.relationship_activity is 'The journal of relationships: who moved a person, from what, to what, why. Insert a fact, read the verdict; rows never change.';

create table leadline.approvals (
    workspace_id    uuid not null,
    approval_id     uuid not null default gen_random_uuid(),
    person_id       uuid not null,
    to_stage        text not null,
    activity_id     bigint not null,
    status          text not null default 'open',
    requested_at    timestamptz not null,
    expires_at      timestamptz not null,
    settled_at      timestamptz,
    settled_by      bigint,
    settled_by_user uuid,
    constraint approvals_pkey primary key (workspace_id, approval_id),
    constraint approvals_activity_has_one unique (workspace_id, activity_id),
    constraint approvals_person_exists foreign key (workspace_id, person_id) references leadline.people,
    constraint approvals_settled_by_a_member foreign key (workspace_id, settled_by_user) references leadline.memberships,
    constraint approvals_status_is_known check (status in ('open', 'granted', 'declined', 'expired', 'stale')),
    constraint approvals_open_ones_are_not_settled check ((status = 'open') = (settled_by is null) and (settled_by is null) = (settled_at is null))
);
create index approvals_newest_first on leadline.approvals (workspace_id, requested_at desc, approval_id desc);
create index approvals_by_person on leadline.approvals (workspace_id, person_id);
create index approvals_by_member on leadline.approvals (workspace_id, settled_by_user) where settled_by_user is not null;
create unique index approvals_one_open_for_a_person_and_stage on leadline.approvals (workspace_id, person_id, to_stage) where status = 'open';
create index approvals_that_wait on leadline.approvals (workspace_id, expires_at) where status = 'open';
comment on table leadline.approvals is 'Moves that wait for a person''s yes (seed 002): one open approval a person and destination. What relationship_activity made of them; the held row itself stays as it is.';
comment on column leadline.approvals.activity_id is 'The held activity of relationship_activity.';
comment on column leadline.approvals.status is 'open; granted, declined or expired; stale when the facts had changed before somebody said yes.';
comment on column leadline.approvals.settled_by is 'The activity that answered it.';

alter table leadline.workspaces
    add column approvers text,
    add column approval_hours int,
    add constraint workspaces_approvers_are_known check (approvers in ('owner', 'admin', 'member')),
    add constraint workspaces_approvals_last_a_while check (approval_hours between 1 and 8760);
comment on column leadline.workspaces.approvers is 'The least role that may approve: owner, admin or member; null: admin.';
comment on column leadline.workspaces.approval_hours is 'How long an approval waits before it expires, in hours; null: 336.';

create table leadline.rule_aliases (
    workflow text not null,
    alias    text not null,
    stage    text not null,
    seed     text not null,
    constraint rule_aliases_pkey primary key (workflow, alias),
    constraint rule_aliases_stage_exists foreign key (workflow, stage) references leadline.rule_stages
);
comment on table leadline.rule_aliases is 'Words of other systems for our stages. Read by normalise_stage(); writes never guess (seed 002).';

create table leadline.rule_proposals (
    journal       text not null,
    activity_type text not null,
    request_class text not null default '',
    to_stage      text not null,
    verdicts      text[] not null,
    seed          text not null,
    constraint rule_proposals_pkey primary key (journal, activity_type, request_class),
    constraint rule_proposals_activity_type_exists foreign key (activity_type) references leadline.rule_activity_types
);
comment on table leadline.rule_proposals is 'Which outcome of a lead or an opportunity proposes that its person moves on: logged by workflow:lead-outcome, forward only.';
comment on column leadline.rule_proposals.request_class is 'Only an enquiry of this class; empty: any.';
comment on column leadline.rule_proposals.verdicts is 'The verdicts of the activity that count.';

alter table leadline.rule_sentences
    drop constraint rule_sentences_verdict_is_known,
    add constraint rule_sentences_verdict_is_known check (verdict in ('noted', 'refused', 'held'));

create function leadline_internal.automated_writers(p_writers text[]) returns int
language sql immutable parallel safe
return cardinality(array_remove(array_remove(p_writers, 'person'), 'app'));
comment on function leadline_internal.automated_writers(text[]) is 'How many classes of writer act without a person; an app reports what people did and counts as one.';
alter table leadline.rule_activity_types add column precedence text;
update leadline.rule_activity_types t set precedence = 'None gives way.' where leadline_internal.automated_writers(t.writers) > 1;
alter table leadline.rule_activity_types
    add constraint rule_activity_types_name_who_gives_way check (leadline_internal.automated_writers(writers) <= 1 or precedence is not null);
comment on column leadline.rule_activity_types.precedence is 'Who gives way to whom where several automated writers may report this (seed 003).';

create table leadline.rule_blocks (
    block_id        text not null,
    workflow        text not null,
    to_stage        text not null,
    unit            text not null,
    evidence        text not null,
    exclusions      jsonb not null default '[]',
    entry_timestamp text not null,
    advance         text not null,
    recycle         text not null,
    disqualify      text not null,
    correction      text not null,
    seed            text not null,
    constraint rule_blocks_pkey primary key (block_id),
    constraint rule_blocks_one_a_stage unique (workflow, to_stage),
    constraint rule_blocks_stage_exists foreign key (workflow, to_stage) references leadline.rule_stages,
    constraint rule_blocks_unit_is_known check (unit in ('person', 'request', 'account', 'opportunity', 'renewal cycle', 'lead', 'subscription', 'workspace'))
);
comment on table leadline.rule_blocks is 'The transition blocks of seed 003, one a stage that can be entered: what the words of a reviewer add to the matrix. The view stage_model joins both.';
comment on column leadline.rule_blocks.unit is 'What one transition counts.';
comment on column leadline.rule_blocks.exclusions is 'Who never enters: [{"exclude", "path", "owner"}]; each names where it goes instead and whose it is there.';
comment on column leadline.rule_blocks.disqualify is 'For a deal: how it is lost.';
