-- Workspaces, their people, their tokens and logins. The owner's alone; each change is a workspace_activity.

create or replace function leadline_internal.journal_workspace(p_workspace_id uuid, p_activity_type text, p_about_id uuid, p_payload jsonb) returns void
language plpgsql volatile
as $$
begin
    insert into leadline.workspace_activity (workspace_id, about_id, activity_type, payload, actor_kind, writer)
    values (p_workspace_id, p_about_id, p_activity_type, p_payload, 'system', 'workflow:administration');
end $$;

create or replace function leadline.create_workspace(p_name text) returns uuid
language plpgsql volatile
as $$
declare
    v_workspace_id uuid;
begin
    insert into leadline.workspaces (name) values (p_name) returning workspace_id into v_workspace_id;
    perform leadline_internal.journal_workspace(v_workspace_id, 'workspace_created', null, '{}');
    return v_workspace_id;
end $$;
comment on function leadline.create_workspace(text) is 'Makes a workspace with the default settings and returns its id. For the administrator.';

create or replace function leadline.add_member(p_workspace_id uuid, p_email text, p_role text, p_name text default null) returns uuid
language plpgsql volatile
as $$
declare
    v_user_id uuid;
    v_role text;
begin
    insert into leadline.users as u (email, name) values (leadline.email_key(p_email), p_name)
    on conflict (email) do update set name = coalesce(excluded.name, u.name)
    returning user_id into v_user_id;
    select m.role into v_role from leadline.memberships m
    where m.workspace_id = p_workspace_id and m.user_id = v_user_id and m.deactivated_at is null;
    if v_role is distinct from p_role then
        insert into leadline.memberships as m (workspace_id, user_id, role) values (p_workspace_id, v_user_id, p_role)
        on conflict (workspace_id, user_id) do update set role = excluded.role, deactivated_at = null;
        perform leadline_internal.journal_workspace(p_workspace_id,
            case when v_role is null then 'member_added' else 'member_role_changed' end, v_user_id, jsonb_build_object('role', p_role));
    end if;
    return v_user_id;
end $$;
comment on function leadline.add_member(uuid, text, text, text) is 'Makes a person owner, admin or member of a workspace, new or again, and returns the user''s id. For the administrator.';

create or replace function leadline.add_login(
    p_workspace_id uuid, p_login name, p_role text, p_user_id uuid default null, p_scopes text[] default '{}'
) returns uuid
language plpgsql volatile
as $$
declare
    v_login_id uuid;
begin
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
    perform leadline_internal.journal_workspace(p_workspace_id, 'login_added', v_login_id,
        jsonb_strip_nulls(jsonb_build_object('role', p_role, 'user_id', p_user_id)));
    return v_login_id;
end $$;
comment on function leadline.add_login(uuid, name, text, uuid, text[]) is 'Binds a database login to a workspace and a role, and returns login_id. Raises PT409 login_is_bound_once. For the administrator.';

create or replace function leadline.create_token(
    p_workspace_id uuid, p_role text, p_user_id uuid default null, p_scopes text[] default '{}', p_name text default null,
    p_expires_at timestamptz default null
) returns text
language plpgsql volatile
as $$
-- ll_<12 hex>_<64 hex>: the first part finds the row, the second is 244 bits of randomness.
declare
    v_prefix text := substr(replace(gen_random_uuid()::text, '-', ''), 1, 12);
    v_token text := 'll_' || v_prefix || '_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
    v_token_id uuid;
begin
    insert into leadline.api_tokens (workspace_id, prefix, token_hash, user_id, role, writer, scopes, name, expires_at)
    values (p_workspace_id, v_prefix, sha256(convert_to(v_token, 'UTF8')), p_user_id, p_role,
        leadline_internal.writer_class(p_role), p_scopes, p_name, p_expires_at)
    returning token_id into v_token_id;
    perform leadline_internal.journal_workspace(p_workspace_id, 'token_created', v_token_id,
        jsonb_strip_nulls(jsonb_build_object('role', p_role, 'user_id', p_user_id)));
    return v_token;
end $$;
comment on function leadline.create_token(uuid, text, uuid, text[], text, timestamptz) is 'Makes a token and returns it, this once: only its hash is kept. For the administrator.';

create or replace function leadline.revoke_token(p_workspace_id uuid, p_token_id uuid) returns bool
language plpgsql volatile
as $$
begin
    update leadline.api_tokens t set revoked_at = clock_timestamp()
    where t.workspace_id = p_workspace_id and t.token_id = p_token_id and t.revoked_at is null;
    if not found then return false; end if;
    perform leadline_internal.journal_workspace(p_workspace_id, 'token_revoked', p_token_id, '{}');
    return true;
end $$;
comment on function leadline.revoke_token(uuid, uuid) is 'Ends a token at once; true when there was one to end. For the administrator.';
