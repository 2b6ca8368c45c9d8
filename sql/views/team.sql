-- Who is in the workspace, and with what they come in.

create or replace function leadline_internal.email_of(p_workspace_id uuid, p_user_id uuid) returns text
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
as $$
-- The address of a member of the caller's workspace; the administrator asks in any.
begin
    return (select u.email from leadline.memberships m join leadline.users u on u.user_id = m.user_id
            where m.workspace_id = p_workspace_id and m.user_id = p_user_id
              and (p_workspace_id = leadline.current_workspace() or pg_has_role(session_user, 'leadline_owner', 'member')));
end $$;

create or replace view leadline.members with (security_invoker = true) as
select m.workspace_id, m.user_id, leadline_internal.email_of(m.workspace_id, m.user_id) as email, m.name, m.role, m.created_at, m.deactivated_at
from leadline.memberships m;
comment on view leadline.members is 'One row a membership, ended ones included.';

create or replace view leadline.tokens with (security_invoker = true) as
select t.workspace_id, t.token_id, t.prefix, t.role, t.user_id, t.scopes, t.name, t.created_at, t.expires_at, t.revoked_at, t.last_used_at
from leadline.api_tokens t;
comment on view leadline.tokens is 'One row a token of the HTTP service, never the token; empty but for owners and admins.';

create or replace view leadline.logins with (security_invoker = true) as
select l.workspace_id, l.login_id, l.login, l.role, l.user_id, l.scopes, l.created_at, l.revoked_at
from leadline.workspace_logins l;
comment on view leadline.logins is 'One row a bound database login; empty but for owners and admins.';
