-- Who writes in: people and the keys they are recognised by, their companies, what each of them asked for, and who is told.
-- depends: 0007_places_and_sales
set lock_timeout = '3s';

-- The same key, faster: what is E.164 already, as the service writes it, is its own key.
create or replace function leadline.phone_key(p_phone text) returns text
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    v_kept text;
    v_digits text;
begin
    if p_phone is null or p_phone ~ '^\+[0-9]{5,15}$' then return p_phone; end if;
    if p_phone ~* '^\s*[0-9.,]+e[+-]?[0-9]+\s*$' then return null; end if;
    v_kept := regexp_replace(regexp_replace(leadline_internal.visible_text(p_phone), '(ext|x|;|#).*$', '', 'i'), '[^0-9+]', '', 'g');
    v_digits := regexp_replace(v_kept, '\D', '', 'g');
    return case when length(v_digits) not between 5 and 15 then null
        when v_kept ~ '^\+' then '+' || v_digits
        when v_kept ~ '^00' then '+' || substr(v_digits, 3)
        else v_digits end;
end $$;

create table leadline.accounts (
    workspace_id  uuid not null,
    account_id    uuid not null default gen_random_uuid(),
    name          text not null,
    domain        text,
    kind          text not null default 'prospect',
    owner_user_id uuid,
    created_at    timestamptz not null default clock_timestamp(),
    constraint accounts_pkey primary key (workspace_id, account_id),
    constraint accounts_workspace_exists foreign key (workspace_id) references leadline.workspaces,
    constraint accounts_owner_is_a_member foreign key (workspace_id, owner_user_id) references leadline.memberships,
    constraint accounts_domain_is_known_once unique (workspace_id, domain),
    constraint accounts_kind_is_known check (kind in ('prospect', 'customer', 'partner', 'competitor'))
);
create index accounts_by_owner on leadline.accounts (workspace_id, owner_user_id);
comment on table leadline.accounts is 'Companies, recognised by their mail domain. Kind and owner say where an enquiry from there goes.';
comment on column leadline.accounts.kind is 'customer and partner: their enquiries go to the account''s owner; competitor: they are turned away.';

create table leadline.people (
    workspace_id uuid not null,
    person_id    uuid not null default gen_random_uuid(),
    account_id   uuid,
    created_at   timestamptz not null default clock_timestamp(),
    merged_into  uuid,
    erased_at    timestamptz,
    constraint people_pkey primary key (workspace_id, person_id),
    constraint people_workspace_exists foreign key (workspace_id) references leadline.workspaces,
    constraint people_account_exists foreign key (workspace_id, account_id) references leadline.accounts,
    constraint people_merged_into_exists foreign key (workspace_id, merged_into) references leadline.people,
    constraint people_are_not_merged_into_themselves check (merged_into <> person_id)
);
create index people_by_account on leadline.people (workspace_id, account_id) where account_id is not null;
create index people_by_survivor on leadline.people (workspace_id, merged_into) where merged_into is not null;
comment on table leadline.people is 'One row a person as far as is known. Who it is stands in person_keys and in the leads; so there is nothing personal here.';
comment on column leadline.people.merged_into is 'The person that this one turned out to be.';
comment on column leadline.people.erased_at is 'When everything personal was erased.';

create table leadline.person_keys (
    workspace_id uuid not null,
    kind         text not null,
    key          text not null,
    person_id    uuid not null,
    constraint person_keys_pkey primary key (workspace_id, kind, key),
    constraint person_keys_person_exists foreign key (workspace_id, person_id) references leadline.people,
    constraint person_keys_kind_is_known check (kind in ('email', 'phone'))
);
create index person_keys_by_person on leadline.person_keys (workspace_id, person_id);
comment on table leadline.person_keys is 'E-mail keys say who somebody is. A phone may be shared: its row only names its first bearer. Whoever makes a lead locks the rows of its keys, so two at once see each other.';

create type leadline_internal.contact_key as (kind text, key text);
comment on type leadline_internal.contact_key is 'An e-mail or phone key.';

alter table leadline.leads add column person_id uuid;
-- Leads of before: one person an e-mail address, and one for each lead without.
with made as (
    select distinct on (l.workspace_id, coalesce(l.email_key, l.lead_id::text)) l.workspace_id, l.email_key, l.lead_id, gen_random_uuid() as person_id
    from leadline.leads l order by l.workspace_id, coalesce(l.email_key, l.lead_id::text), l.created_at
), known as (
    insert into leadline.people (workspace_id, person_id) select m.workspace_id, m.person_id from made m
), keys as (
    insert into leadline.person_keys (workspace_id, kind, key, person_id)
    select m.workspace_id, 'email', m.email_key, m.person_id from made m where m.email_key is not null
)
update leadline.leads l set person_id = m.person_id
from made m
where m.workspace_id = l.workspace_id and (m.email_key = l.email_key or m.lead_id = l.lead_id);
insert into leadline.person_keys (workspace_id, kind, key, person_id)
select distinct on (l.workspace_id, l.phone_key) l.workspace_id, 'phone', l.phone_key, l.person_id
from leadline.leads l where l.phone_key is not null order by l.workspace_id, l.phone_key, l.created_at;
update leadline.leads l set email_stem = leadline.email_stem(l.email_key) where leadline.email_stem(l.email_key) <> l.email_key;
alter table leadline.leads
    alter column person_id set not null,
    add constraint leads_person_exists foreign key (workspace_id, person_id) references leadline.people;
create index leads_by_person on leadline.leads (workspace_id, person_id);
-- The keys that every birth asks for, made last: between indexes that cost the same to a planner without statistics, as on a
-- table that is still empty, the youngest wins.
drop index leadline.leads_by_email;
drop index leadline.leads_by_phone;
create index leads_by_phone on leadline.leads (workspace_id, phone_key) where phone_key is not null;
create index leads_by_email on leadline.leads (workspace_id, email_key) where email_key is not null;
create index leads_by_stem on leadline.leads (workspace_id, email_stem) where email_stem is not null;
create unique index leads_one_open_lead_per_email on leadline.leads (workspace_id, email_key)
    where workflow in ('sales', 'qualification') and status in ('active', 'open');
comment on column leadline.leads.person_id is 'Whose lead it is, for life; a person may have several.';

create table leadline.requests (
    workspace_id      uuid not null,
    request_id        uuid not null default gen_random_uuid(),
    lead_id           uuid not null,
    person_id         uuid not null,
    activity_id       bigint not null,
    request_class     text not null,
    source            text not null,
    external_id       text,
    received_at       timestamptz not null,
    route             text not null,
    exclusion         text,
    owner_user_id     uuid,
    first_response_at timestamptz,
    not_applicable_at timestamptz,
    constraint requests_pkey primary key (workspace_id, request_id),
    constraint requests_activity_has_one unique (workspace_id, activity_id),
    constraint requests_lead_exists foreign key (workspace_id, lead_id) references leadline.leads,
    constraint requests_person_exists foreign key (workspace_id, person_id) references leadline.people,
    constraint requests_owner_is_a_member foreign key (workspace_id, owner_user_id) references leadline.memberships,
    constraint requests_route_is_known check (route in ('new_business', 'customer', 'partner', 'excluded')),
    constraint requests_clock_never_runs_backwards check (first_response_at >= received_at and not_applicable_at >= received_at)
);
create index requests_newest_first on leadline.requests (workspace_id, received_at desc, request_id desc);
create index requests_by_lead on leadline.requests (workspace_id, lead_id);
create index requests_by_person on leadline.requests (workspace_id, person_id);
create index requests_by_owner on leadline.requests (workspace_id, owner_user_id) where owner_user_id is not null;
create index requests_unanswered on leadline.requests (workspace_id, lead_id) where first_response_at is null and not_applicable_at is null;
comment on table leadline.requests is 'One row a buyer''s action (seed 003), with a clock of its own: it runs from received_at until a person answers or the lead closes.';
comment on column leadline.requests.activity_id is 'The inbound_enquiry that told of it.';
comment on column leadline.requests.external_id is 'Its name in the system it came from. Personal: erased with the person.';
comment on column leadline.requests.exclusion is 'test, spam or competitor: outside every denominator, visibly.';
comment on column leadline.requests.first_response_at is 'The first contact by a person after it was received.';
comment on column leadline.requests.not_applicable_at is 'When its clock ended without an answer: the lead closed, or it was excluded.';

create table leadline.outbox (
    workspace_id      uuid not null,
    outbox_id         bigint generated always as identity,
    topic             text not null,
    recipient_user_id uuid,
    lead_id           uuid not null,
    request_id        uuid,
    activity_id       bigint not null,
    body              jsonb not null default '{}',
    created_at        timestamptz not null default clock_timestamp(),
    sent_at           timestamptz,
    constraint outbox_pkey primary key (workspace_id, outbox_id),
    constraint outbox_lead_exists foreign key (workspace_id, lead_id) references leadline.leads,
    constraint outbox_request_exists foreign key (workspace_id, request_id) references leadline.requests,
    constraint outbox_recipient_is_a_member foreign key (workspace_id, recipient_user_id) references leadline.memberships,
    constraint outbox_topic_is_known check (topic in ('notify', 'score'))
);
create index outbox_by_recipient on leadline.outbox (workspace_id, recipient_user_id);
create index outbox_by_lead on leadline.outbox (workspace_id, lead_id);
create index outbox_by_request on leadline.outbox (workspace_id, request_id);
create unique index outbox_scores_a_lead_once on leadline.outbox (workspace_id, lead_id) where topic = 'score' and sent_at is null;
comment on table leadline.outbox is 'What is still to be done because something was decided, committed with the decision: somebody to tell (notify), a lead to score (score).';
comment on column leadline.outbox.recipient_user_id is 'Who is told; null: the admins.';

alter table leadline.suppressions
    drop constraint suppressions_kind_is_known,
    add constraint suppressions_kind_is_known check (kind in ('email', 'phone', 'email_hash', 'phone_hash'));
comment on column leadline.suppressions.key is 'email_key or phone_key of the lead that asked; a keyed hash of it when the person was erased.';

create table leadline_internal.suppression_key (
    is_only bool not null default true,
    secret  bytea not null,
    constraint suppression_key_pkey primary key (is_only),
    constraint suppression_key_is_one_row check (is_only)
);
comment on table leadline_internal.suppression_key is 'The key under which addresses of erased people are hashed. Nobody but the owner reads it; it is never changed, or they could be contacted again.';
insert into leadline_internal.suppression_key (secret) values (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

alter table leadline.checkpoints add column up_to_activity_id bigint;
comment on column leadline.checkpoints.up_to_activity_id is 'No later activity is covered, whatever its transaction: in a cluster it was restored into, transaction ids begin anew. Null: taken before this was noted.';

alter table leadline.workspaces add column raw_body_days int;
comment on column leadline.workspaces.raw_body_days is 'How many days the raw bodies of webhooks are kept; null: 90.';
