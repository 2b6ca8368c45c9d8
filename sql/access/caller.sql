-- Who is asking. Proven by a signed context of this transaction, or by a database login that is bound to a workspace.

create or replace function leadline_internal.signature(p_message text, p_by_former_key bool default false) returns text
language plpgsql stable parallel restricted
as $$
-- HMAC-SHA256 over the message, this backend and this transaction: nobody else can use it, and nobody later.
-- By the key before the last rotation: null when there was none.
declare
    v_inner bytea;
    v_outer bytea;
begin
    if p_by_former_key then
        select k.former_inner, k.former_outer into v_inner, v_outer from leadline_internal.context_key k;
    else
        select k.k_inner, k.k_outer into v_inner, v_outer from leadline_internal.context_key k;
    end if;
    return encode(sha256(v_outer || sha256(v_inner || convert_to(
        p_message || '|' || pg_backend_pid() || '|' || extract(epoch from transaction_timestamp()), 'UTF8'))), 'hex');
end $$;

create or replace function leadline_internal.caller() returns leadline_internal.credential
language plpgsql stable parallel restricted
as $$
-- Runs inside definer functions only: nobody else can read what it reads.
-- Returns the credential, or one of nulls when nobody is known. A context that was not signed here is nobody,
-- even under a bound login. leadline.context = workspace|role|user|credential|writer|scopes|signature.
declare
    v_context text := current_setting('leadline.context', true);
    v_parts text[];
    c leadline_internal.credential;
begin
    if v_context <> '' then
        if right(v_context, 64) <> leadline_internal.signature(left(v_context, -65))
            and right(v_context, 64) is distinct from leadline_internal.signature(left(v_context, -65), true) then
            return null;
        end if;
        v_parts := string_to_array(v_context, '|');
        c := row(v_parts[1], v_parts[2], nullif(v_parts[3], ''), nullif(v_parts[4], ''), v_parts[5], string_to_array(v_parts[6], ','), null, null, null);
    else
        select l.workspace_id, l.role, l.user_id, l.login_id, l.writer, l.scopes
        into c.workspace_id, c.role, c.user_id, c.credential_id, c.writer, c.scopes
        from leadline.workspace_logins l where l.login = session_user and l.revoked_at is null;
        if c.user_id is not null then
            select m.role into c.role from leadline.memberships m
            where m.workspace_id = c.workspace_id and m.user_id = c.user_id and m.deactivated_at is null;
            if not found then return null; end if;
        end if;
    end if;
    -- what the journal writes down: the kind of actor, and which one
    if c.user_id is not null then
        c.actor_kind := 'user'; c.actor_id := c.user_id;
    else
        c.actor_kind := case c.role when 'ai' then 'ai' when 'worker' then 'system' else 'integration' end; c.actor_id := c.credential_id;
    end if;
    c.visibility := 'all';
    if c.role = 'member' then c.visibility := leadline_internal.visibility_of_members(c.workspace_id); end if;
    return c;
end $$;

create or replace function leadline.current_workspace() returns uuid
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    return (leadline_internal.caller()).workspace_id;
end $$;
comment on function leadline.current_workspace() is 'The workspace of the present caller, null when nobody is known. Every row policy compares with it.';

create or replace function leadline_internal.acting(c leadline_internal.credential, p_on_behalf_of uuid, p_surface text)
returns leadline_internal.credential
language plpgsql stable
as $$
-- The caller as the author of an activity: refuses who may not report, and puts on a member's coat when asked to.
-- Raises PT401 credential_required, PT403 may_not_report, act_as_needs_scope, unknown_member, surface_needs_scope.
begin
    if c.workspace_id is null then
        perform leadline_internal.forbid('PT401', 'credential_required');
    elsif c.role = 'analyst' then
        perform leadline_internal.forbid('PT403', 'may_not_report');
    end if;
    if p_on_behalf_of is not null then
        if c.actor_kind = 'ai' or not 'act_as' = any (c.scopes) then
            perform leadline_internal.forbid('PT403', 'act_as_needs_scope');
        end if;
        select m.role into c.role from leadline.memberships m
        where m.workspace_id = c.workspace_id and m.user_id = p_on_behalf_of and m.deactivated_at is null;
        if not found then perform leadline_internal.forbid('PT403', 'unknown_member'); end if;
        c.visibility := case when c.role = 'member' then leadline_internal.visibility_of_members(c.workspace_id) else 'all' end;
        c.actor_kind := 'user'; c.actor_id := p_on_behalf_of; c.user_id := p_on_behalf_of;
    end if;
    if p_surface in ('attention_hub', 'lead_detail') and not 'surface' = any (c.scopes) then
        perform leadline_internal.forbid('PT403', 'surface_needs_scope');
    end if;
    return c;
end $$;
