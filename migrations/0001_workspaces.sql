-- The tenants: workspaces, the people in them, and the credentials that lead into them.
-- depends:
set lock_timeout = '3s';

create sequence leadline_internal.activity_ids as bigint cache 1;
comment on sequence leadline_internal.activity_ids is 'Numbers every row of every journal. Drawn under the subject''s lock, so the order of ids is the order of decisions.';

create table leadline.workspaces (
    workspace_id     uuid not null default gen_random_uuid(),
    name             text not null,
    workflow         text not null default 'workspace',
    status           text not null default 'open',
    stage            text not null default 'active',
    stage_entered_at timestamptz not null default clock_timestamp(),
    late_before      timestamptz,
    default_workflow text not null default 'appointment',
    time_zone        text not null default 'UTC',
    country          text,
    currency         text not null default 'USD',
    created_at       timestamptz not null default clock_timestamp(),
    seq              int not null default 0,
    version          int not null default 0,
    hash             bytea,
    constraint workspaces_pkey primary key (workspace_id),
    constraint workspaces_name_says_something check (name ~ '\S'),
    constraint workspaces_country_is_two_letters check (country ~ '^[A-Z]{2}$'),
    constraint workspaces_currency_is_three_letters check (currency ~ '^[A-Z]{3}$')
);
comment on table leadline.workspaces is 'One row a tenant, with its settings; the subject of workspace_activity.';
comment on column leadline.workspaces.time_zone is 'IANA name; working hours and periods are read in it.';
comment on column leadline.workspaces.hash is 'Head of the workspace''s chain in workspace_activity.';

create table leadline.users (
    user_id    uuid not null default gen_random_uuid(),
    email      text not null,
    created_at timestamptz not null default clock_timestamp(),
    constraint users_pkey primary key (user_id),
    constraint users_email_is_known_once unique (email)
);
comment on table leadline.users is 'People who work with Leadline, in one workspace or several. Read through memberships only.';

create table leadline.memberships (
    workspace_id   uuid not null,
    user_id        uuid not null,
    role           text not null,
    name           text,
    created_at     timestamptz not null default clock_timestamp(),
    deactivated_at timestamptz,
    constraint memberships_pkey primary key (workspace_id, user_id),
    constraint memberships_workspace_exists foreign key (workspace_id) references leadline.workspaces,
    constraint memberships_user_exists foreign key (user_id) references leadline.users,
    constraint memberships_role_is_known check (role in ('owner', 'admin', 'member'))
);
create index memberships_by_user on leadline.memberships (user_id);
comment on table leadline.memberships is 'Who belongs to a workspace, as owner, admin or member; never deleted, only deactivated.';
comment on column leadline.memberships.name is 'What this workspace calls the person; another may call them otherwise.';

create table leadline.api_tokens (
    workspace_id uuid not null,
    token_id     uuid not null default gen_random_uuid(),
    prefix       text not null,
    token_hash   bytea not null,
    user_id      uuid,
    role         text not null,
    writer       text not null,
    scopes       text[] not null default '{}',
    name         text,
    created_at   timestamptz not null default clock_timestamp(),
    expires_at   timestamptz,
    revoked_at   timestamptz,
    constraint api_tokens_pkey primary key (workspace_id, token_id),
    constraint api_tokens_prefix_is_known_once unique (prefix),
    constraint api_tokens_workspace_exists foreign key (workspace_id) references leadline.workspaces,
    constraint api_tokens_belong_to_a_member foreign key (workspace_id, user_id) references leadline.memberships,
    constraint api_tokens_role_is_known check (role in ('owner', 'admin', 'member', 'app', 'analyst', 'importer', 'billing', 'ai')),
    constraint api_tokens_of_people_name_the_person check ((role in ('owner', 'admin', 'member')) = (user_id is not null)),
    constraint api_tokens_scopes_are_known check (scopes <@ '{act_as,surface,import,contacts}')
);
create index api_tokens_by_user on leadline.api_tokens (workspace_id, user_id);
comment on table leadline.api_tokens is 'Tokens of the HTTP service: only a hash is kept. Found by prefix before a workspace is known, by definer functions alone.';

create table leadline.workspace_logins (
    workspace_id uuid not null,
    login_id     uuid not null default gen_random_uuid(),
    login        name not null,
    user_id      uuid,
    role         text not null,
    writer       text not null,
    scopes       text[] not null default '{}',
    created_at   timestamptz not null default clock_timestamp(),
    revoked_at   timestamptz,
    constraint workspace_logins_pkey primary key (workspace_id, login_id),
    constraint workspace_logins_login_is_bound_once unique (login),
    constraint workspace_logins_workspace_exists foreign key (workspace_id) references leadline.workspaces,
    constraint workspace_logins_belong_to_a_member foreign key (workspace_id, user_id) references leadline.memberships,
    constraint workspace_logins_role_is_known check (role in ('owner', 'admin', 'member', 'app', 'analyst', 'importer', 'billing', 'ai')),
    constraint workspace_logins_of_people_name_the_person check ((role in ('owner', 'admin', 'member')) = (user_id is not null)),
    constraint workspace_logins_scopes_are_known check (scopes <@ '{act_as,surface,import,contacts}')
);
create index workspace_logins_by_user on leadline.workspace_logins (workspace_id, user_id);
comment on table leadline.workspace_logins is 'Database logins bound to one workspace. Read by definer functions alone.';

create type leadline_internal.credential as (
    workspace_id uuid, role text, user_id uuid, credential_id uuid, writer text, scopes text[], actor_kind text, actor_id uuid
);
comment on type leadline_internal.credential is 'Who is asking: what caller() proves about the present session or transaction.';

create table leadline_internal.context_key (
    is_only bool not null default true,
    k_inner bytea not null,
    k_outer bytea not null,
    constraint context_key_pkey primary key (is_only),
    constraint context_key_is_one_row check (is_only)
);
comment on table leadline_internal.context_key is 'The HMAC-SHA256 key that signs leadline.context, as its two padded halves. Nobody but the owner reads it.';

-- A key of 64 random bytes, kept as key xor ipad and key xor opad: HMAC is then two calls of sha256().
do $$
declare
    v_key bytea := '';
    v_inner bytea; v_outer bytea;
begin
    for i in 1..4 loop v_key := v_key || uuid_send(gen_random_uuid()); end loop;
    v_inner := v_key; v_outer := v_key;
    for i in 0..63 loop
        v_inner := set_byte(v_inner, i, get_byte(v_key, i) # 54);
        v_outer := set_byte(v_outer, i, get_byte(v_key, i) # 92);
    end loop;
    insert into leadline_internal.context_key (k_inner, k_outer) values (v_inner, v_outer);
end $$;
