-- Ways into a workspace: a token, the administrator's pen; and the list the worker goes through.

create or replace function leadline_internal.enter_as(
    p_workspace_id uuid, p_role text, p_user_id uuid default null, p_scopes text[] default '{}', p_credential_id uuid default null,
    p_writer text default null
) returns void
language plpgsql volatile
as $$
-- Signs a context for the rest of this transaction. The owner's alone: whoever may call it is believed.
declare
    v_message text := concat_ws('|', p_workspace_id, p_role, coalesce(p_user_id::text, ''), coalesce(p_credential_id::text, ''),
        coalesce(p_writer, leadline_internal.writer_class(p_role)), array_to_string(p_scopes, ','));
begin
    perform set_config('leadline.context', v_message || '|' || leadline_internal.signature(v_message), true);
end $$;

create or replace function leadline_internal.writer_class(p_role text) returns text
language sql immutable
return case when p_role in ('owner', 'admin', 'member') then 'person' when p_role = 'worker' then 'workflow:clock'
    when p_role = 'analyst' then 'person' else p_role end;

create or replace function leadline.enter(p_token text) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    t leadline.api_tokens;
begin
    select a.* into t from leadline.api_tokens a
    where a.prefix = split_part(p_token, '_', 2) and a.token_hash = sha256(convert_to(p_token, 'UTF8'))
      and a.revoked_at is null and (a.expires_at is null or a.expires_at > now());
    if t.user_id is not null then
        select leadline_internal.lesser_role(t.role, m.role) into t.role from leadline.memberships m
        where m.workspace_id = t.workspace_id and m.user_id = t.user_id and m.deactivated_at is null;
    end if;
    if t.token_id is null or not found then
        perform set_config('leadline.context', '-', true);
        perform leadline_internal.forbid('PT401', 'unknown_token');
    end if;
    perform leadline_internal.enter_as(t.workspace_id, t.role, t.user_id, t.scopes, t.token_id, t.writer);
end $$;
comment on function leadline.enter(text) is 'Opens the token''s workspace until the end of this transaction. Raises PT401 unknown_token.';

create or replace function leadline.list_workspaces() returns setof uuid
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    return query select w.workspace_id from leadline.workspaces w where w.status = 'open' order by w.workspace_id;
end $$;
comment on function leadline.list_workspaces() is 'The workspaces that the worker goes through.';
