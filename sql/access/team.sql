-- Workspaces, their people, their tokens and logins. For the administrator, in any workspace, and for an owner or admin in
-- their own; each change is a workspace_activity.

create or replace function leadline_internal.is_administrator() returns bool
language plpgsql stable
as $$
begin
    return pg_has_role(session_user, 'leadline_owner', 'member');
end $$;

create or replace function leadline_internal.require_administrator() returns void
language plpgsql stable
as $$
begin
    if not leadline_internal.is_administrator() then perform leadline_internal.forbid('PT403', 'administrator_needed'); end if;
end $$;

create or replace function leadline_internal.team_manager(p_workspace_id uuid, p_is_about_owner bool default false) returns leadline_internal.credential
language plpgsql volatile
as $$
-- Who manages this workspace's team: the caller, proven to be allowed. p_is_about_owner: an owner's place is at stake.
-- Raises PT401 credential_required, PT403 team_needs_admin, owner_needed, PT404 no_such_workspace.
declare
    c leadline_internal.credential;
begin
    if leadline_internal.is_administrator() then
        c.workspace_id := p_workspace_id; c.role := 'owner'; c.actor_kind := 'system';
    else
        c := leadline_internal.caller();
        if c.workspace_id is null then perform leadline_internal.forbid('PT401', 'credential_required'); end if;
    end if;
    if c.workspace_id is distinct from p_workspace_id then perform leadline_internal.forbid('PT404', 'no_such_workspace'); end if;
    -- Under its lock, so that nothing is given out in a workspace that is just being closed.
    perform from leadline.workspaces w where w.workspace_id = p_workspace_id and w.status = 'open' for no key update;
    if not found then
        perform leadline_internal.forbid('PT404', 'no_such_workspace');
    elsif c.role not in ('owner', 'admin') then
        perform leadline_internal.forbid('PT403', 'team_needs_admin');
    elsif p_is_about_owner and c.role <> 'owner' then
        perform leadline_internal.forbid('PT403', 'owner_needed');
    end if;
    return c;
end $$;

create or replace function leadline_internal.journal_team(
    c leadline_internal.credential, p_activity_type text, p_about_id uuid, p_payload jsonb default '{}'
) returns bigint
language plpgsql volatile
as $$
-- Writes down what was done to team or credentials, and by whom; returns its activity_id.
declare
    v_activity_id bigint;
begin
    insert into leadline.workspace_activity (workspace_id, about_id, activity_type, payload, actor_kind, actor_id, writer)
    values (c.workspace_id, p_about_id, p_activity_type, p_payload, c.actor_kind, c.actor_id,
        case when c.actor_kind = 'user' then 'workflow:team' else 'workflow:administration' end)
    returning activity_id into v_activity_id;
    return v_activity_id;
end $$;

create or replace function leadline_internal.keep_an_owner(p_workspace_id uuid, p_user_id uuid) returns void
language plpgsql volatile
as $$
-- Refuses to lose the last owner. team_manager() has locked the workspace, so two owners cannot leave each other at once.
begin
    if not exists (select from leadline.memberships m
                   where m.workspace_id = p_workspace_id and m.role = 'owner' and m.deactivated_at is null and m.user_id <> p_user_id) then
        perform leadline_internal.forbid('PT409', 'last_owner_stays');
    end if;
end $$;

create or replace function leadline_internal.is_owners(p_workspace_id uuid, p_user_id uuid) returns bool
language plpgsql stable
as $$
-- Whether a credential is that of an owner, as things stand now.
begin
    return exists (select from leadline.memberships m
                   where m.workspace_id = p_workspace_id and m.user_id = p_user_id and m.role = 'owner' and m.deactivated_at is null);
end $$;

create or replace function leadline.create_workspace(p_name text) returns uuid
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential;
begin
    perform leadline_internal.require_administrator();
    insert into leadline.workspaces (name) values (p_name) returning workspace_id into c.workspace_id;
    c.actor_kind := 'system';
    perform leadline_internal.journal_team(c, 'workspace_created', null);
    return c.workspace_id;
end $$;
comment on function leadline.create_workspace(text) is 'Makes a workspace with the default settings and returns its id. Administrator only (PT403 administrator_needed).';

create or replace function leadline.close_workspace(p_workspace_id uuid) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.team_manager(p_workspace_id, true);
begin
    perform leadline_internal.journal_team(c, 'workspace_closed', null);
    update leadline.api_tokens t set revoked_at = clock_timestamp() where t.workspace_id = p_workspace_id and t.revoked_at is null;
    update leadline.workspace_logins l set revoked_at = clock_timestamp() where l.workspace_id = p_workspace_id and l.revoked_at is null;
    update leadline.memberships m set deactivated_at = clock_timestamp() where m.workspace_id = p_workspace_id and m.deactivated_at is null;
end $$;
comment on function leadline.close_workspace(uuid) is 'Closes a workspace for good: every token, login and membership ends, the history stays. Owner or administrator.';

create or replace function leadline.add_member(p_workspace_id uuid, p_email text, p_role text, p_name text default null) returns uuid
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.team_manager(p_workspace_id, p_role = 'owner');
    v_user_id uuid;
    v_role text;
begin
    if not leadline_internal.is_kind(to_jsonb(p_email), 'email') then perform leadline_internal.forbid('PT422', 'value_malformed', 'email'); end if;
    insert into leadline.users (email) values (leadline.email_key(p_email)) on conflict (email) do nothing;
    select u.user_id into v_user_id from leadline.users u where u.email = leadline.email_key(p_email);
    select m.role into v_role from leadline.memberships m
    where m.workspace_id = p_workspace_id and m.user_id = v_user_id and m.deactivated_at is null;
    if v_role = 'owner' and p_role <> 'owner' then
        c := leadline_internal.team_manager(p_workspace_id, true);
        perform leadline_internal.keep_an_owner(p_workspace_id, v_user_id);
    end if;
    if v_role is distinct from p_role then
        insert into leadline.memberships as m (workspace_id, user_id, role) values (p_workspace_id, v_user_id, p_role)
        on conflict (workspace_id, user_id) do update set role = excluded.role, deactivated_at = null;
        perform leadline_internal.journal_team(c, case when v_role is null then 'member_added' else 'member_role_changed' end,
            v_user_id, jsonb_build_object('role', p_role));
    end if;
    if p_name is not null then
        update leadline.memberships m set name = leadline_internal.shown_text(p_name)
        where m.workspace_id = p_workspace_id and m.user_id = v_user_id;
    end if;
    return v_user_id;
end $$;
comment on function leadline.add_member(uuid, text, text, text) is
    'Makes a person owner, admin or member of a workspace, new, again, or in another role, and returns the user''s id. Owner, admin, administrator; about owners only an owner (PT403 owner_needed); PT409 last_owner_stays.';

create or replace function leadline.deactivate_member(p_workspace_id uuid, p_user_id uuid, p_reassign_to uuid default null) returns int
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.team_manager(p_workspace_id);
    v_role text;
    v_cause bigint;
    v_moved int;
begin
    select m.role into v_role from leadline.memberships m
    where m.workspace_id = p_workspace_id and m.user_id = p_user_id and m.deactivated_at is null;
    if v_role is null or p_reassign_to is not null
        and (p_reassign_to = p_user_id or not leadline_internal.is_active_member(p_workspace_id, p_reassign_to)) then
        perform leadline_internal.forbid('PT404', 'no_such_member');
    elsif v_role = 'owner' then
        c := leadline_internal.team_manager(p_workspace_id, true);
        perform leadline_internal.keep_an_owner(p_workspace_id, p_user_id);
    end if;
    v_cause := leadline_internal.journal_team(c, 'member_deactivated', p_user_id, jsonb_strip_nulls(jsonb_build_object('reassign_to', p_reassign_to)));
    update leadline.memberships m set deactivated_at = clock_timestamp() where m.workspace_id = p_workspace_id and m.user_id = p_user_id;
    update leadline.api_tokens t set revoked_at = clock_timestamp()
    where t.workspace_id = p_workspace_id and t.user_id = p_user_id and t.revoked_at is null;
    update leadline.workspace_logins l set revoked_at = clock_timestamp()
    where l.workspace_id = p_workspace_id and l.user_id = p_user_id and l.revoked_at is null;
    insert into leadline.lead_activity (workspace_id, lead_id, activity_type, payload, actor_kind, writer, caused_by)
    select l.workspace_id, l.lead_id, 'lead_assigned', jsonb_build_object('assigned_user_id', p_reassign_to), 'system', 'workflow:team', v_cause
    from leadline.leads l where l.workspace_id = p_workspace_id and l.assigned_user_id = p_user_id order by l.lead_id;
    get diagnostics v_moved = row_count;
    insert into leadline.opportunity_activity (workspace_id, opportunity_id, activity_type, payload, actor_kind, writer, caused_by)
    select o.workspace_id, o.opportunity_id, 'opportunity_assigned', jsonb_build_object('assigned_user_id', p_reassign_to), 'system', 'workflow:team', v_cause
    from leadline.opportunities o where o.workspace_id = p_workspace_id and o.assigned_user_id = p_user_id order by o.opportunity_id;
    return v_moved;
end $$;
comment on function leadline.deactivate_member(uuid, uuid, uuid) is
    'Ends a membership with its tokens and logins; their leads and opportunities go to p_reassign_to, else to nobody. Returns how many leads. Owner, admin, administrator; PT404 no_such_member, PT409 last_owner_stays.';

create or replace function leadline.add_login(
    p_workspace_id uuid, p_login name, p_role text, p_user_id uuid default null, p_scopes text[] default '{}'
) returns uuid
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential;
    v_login_id uuid;
begin
    perform leadline_internal.require_administrator();
    c := leadline_internal.team_manager(p_workspace_id);
    insert into leadline.workspace_logins as l (workspace_id, login, user_id, role, writer, scopes)
    values (p_workspace_id, p_login, p_user_id, p_role, leadline_internal.writer_class(p_role), p_scopes)
    on conflict (login) do update
        set user_id = excluded.user_id, role = excluded.role, writer = excluded.writer, scopes = excluded.scopes, revoked_at = null
        where l.workspace_id = excluded.workspace_id
    returning login_id into v_login_id;
    if v_login_id is null then
        raise exception using errcode = 'PT409', message = format('Login %s is bound to another workspace.', p_login),
            hint = 'A login belongs to one workspace: choose another name.', constraint = 'login_is_bound_once';
    end if;
    perform leadline_internal.journal_team(c, 'login_added', v_login_id, jsonb_strip_nulls(jsonb_build_object('role', p_role, 'user_id', p_user_id)));
    return v_login_id;
end $$;
comment on function leadline.add_login(uuid, name, text, uuid, text[]) is 'Binds a database login to a workspace and a role, and returns login_id. Administrator only; PT409 login_is_bound_once.';

create or replace function leadline.revoke_login(p_workspace_id uuid, p_login name) returns bool
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.team_manager(p_workspace_id);
    l leadline.workspace_logins;
begin
    select * into l from leadline.workspace_logins x where x.workspace_id = p_workspace_id and x.login = p_login for no key update;
    if not found then perform leadline_internal.forbid('PT404', 'no_such_login'); end if;
    if leadline_internal.is_owners(p_workspace_id, l.user_id) then c := leadline_internal.team_manager(p_workspace_id, true); end if;
    if l.revoked_at is not null then return false; end if;
    update leadline.workspace_logins x set revoked_at = clock_timestamp() where x.workspace_id = p_workspace_id and x.login_id = l.login_id;
    perform leadline_internal.journal_team(c, 'login_revoked', l.login_id);
    return true;
end $$;
comment on function leadline.revoke_login(uuid, name) is 'Unbinds a database login at once; true when it was bound. Owner, admin, administrator; PT404 no_such_login.';

create or replace function leadline.create_token(
    p_workspace_id uuid, p_role text, p_user_id uuid default null, p_scopes text[] default '{}', p_name text default null,
    p_expires_at timestamptz default null
) returns text
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
-- ll_<12 hex>_<64 hex>: the first part finds the row, the second is 244 bits of randomness.
declare
    c leadline_internal.credential := leadline_internal.team_manager(p_workspace_id, p_role = 'owner');
    v_prefix text := substr(replace(gen_random_uuid()::text, '-', ''), 1, 12);
    v_token text := 'll_' || v_prefix || '_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
    v_token_id uuid;
begin
    if p_role in ('owner', 'admin', 'member') and not exists (
        select from leadline.memberships m
        where m.workspace_id = p_workspace_id and m.user_id = p_user_id and m.role = p_role and m.deactivated_at is null) then
        perform leadline_internal.forbid('PT404', 'no_such_member', format('no active %s with this id', p_role));
    end if;
    insert into leadline.api_tokens (workspace_id, prefix, token_hash, user_id, role, writer, scopes, name, expires_at)
    values (p_workspace_id, v_prefix, sha256(convert_to(v_token, 'UTF8')), p_user_id, p_role,
        leadline_internal.writer_class(p_role), p_scopes, p_name, p_expires_at)
    returning token_id into v_token_id;
    perform leadline_internal.journal_team(c, 'token_created', v_token_id, jsonb_strip_nulls(jsonb_build_object('role', p_role, 'user_id', p_user_id)));
    return v_token;
end $$;
comment on function leadline.create_token(uuid, text, uuid, text[], text, timestamptz) is
    'Makes a token and returns it, this once: only its hash is kept. Owner, admin, administrator; an owner''s only by an owner; PT404 no_such_member.';

create or replace function leadline.revoke_token(p_workspace_id uuid, p_token_id uuid) returns bool
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.team_manager(p_workspace_id);
    t leadline.api_tokens;
begin
    select * into t from leadline.api_tokens x where x.workspace_id = p_workspace_id and x.token_id = p_token_id for no key update;
    if not found then perform leadline_internal.forbid('PT404', 'no_such_token'); end if;
    if leadline_internal.is_owners(p_workspace_id, t.user_id) then c := leadline_internal.team_manager(p_workspace_id, true); end if;
    if t.revoked_at is not null then return false; end if;
    update leadline.api_tokens x set revoked_at = clock_timestamp() where x.workspace_id = p_workspace_id and x.token_id = p_token_id;
    perform leadline_internal.journal_team(c, 'token_revoked', p_token_id);
    return true;
end $$;
comment on function leadline.revoke_token(uuid, uuid) is 'Ends a token at once; true when it was alive. Owner, admin, administrator; PT404 no_such_token.';

create or replace function leadline.note_tokens_used(p_prefixes text[]) returns int
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_noted int;
begin
    update leadline.api_tokens t set last_used_at = now()
    from (select x.workspace_id, x.token_id from leadline.api_tokens x where x.prefix = any (p_prefixes) order by x.token_id for no key update) k
    where t.workspace_id = k.workspace_id and t.token_id = k.token_id;
    get diagnostics v_noted = row_count;
    return v_noted;
end $$;
comment on function leadline.note_tokens_used(text[]) is 'Notes that tokens with these prefixes were used just now; for the service, now and then.';

create or replace function leadline.rotate_signing_key() returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
-- 64 random bytes, kept as key xor ipad and key xor opad, as HMAC wants them.
declare
    v_key bytea := '';
    v_inner bytea;
    v_outer bytea;
begin
    perform leadline_internal.require_administrator();
    for i in 1..4 loop v_key := v_key || uuid_send(gen_random_uuid()); end loop;
    v_inner := v_key; v_outer := v_key;
    for i in 0..63 loop
        v_inner := set_byte(v_inner, i, get_byte(v_key, i) # 54);
        v_outer := set_byte(v_outer, i, get_byte(v_key, i) # 92);
    end loop;
    update leadline_internal.context_key k set former_inner = k.k_inner, former_outer = k.k_outer, k_inner = v_inner, k_outer = v_outer;
end $$;
comment on function leadline.rotate_signing_key() is 'Signs contexts with a new key; those of transactions under way, signed with the one before, stay good. Administrator only.';
