-- People: two that are one, and what a workspace knows of their companies. For an owner or admin of the workspace; each
-- change is a workspace_activity.

create or replace function leadline_internal.person_manager(p_rule text) returns leadline_internal.credential
language plpgsql stable
as $$
-- The caller as somebody who decides about people. Raises PT401 credential_required, PT403 with the rule given.
declare
    c leadline_internal.credential := leadline_internal.acting(leadline_internal.caller(), null, null);
begin
    if c.role is null or c.role not in ('owner', 'admin') then perform leadline_internal.forbid('PT403', p_rule); end if;
    return c;
end $$;

create or replace function leadline_internal.require_person(p_workspace_id uuid, p_person_id uuid) returns void
language plpgsql volatile
as $$
-- PT404 no_such_person when there is none.
begin
    perform from leadline.people p where p.workspace_id = p_workspace_id and p.person_id = p_person_id;
    if not found then perform leadline_internal.forbid('PT404', 'no_such_person'); end if;
end $$;

create or replace function leadline_internal.join_people(p_workspace_id uuid, p_person_id uuid, p_into uuid, p_actor_id uuid) returns bool
language plpgsql volatile
as $$
-- Lets two people be one, the second of them; true when they were two.
declare
    v_from uuid;
    v_into uuid;
    v_activity_id bigint;
begin
    -- One at a time in a workspace, so that two people cannot become each other at once.
    perform pg_advisory_xact_lock(hashtextextended('people ' || p_workspace_id, 0));
    v_from := leadline_internal.person_of(p_workspace_id, p_person_id);
    v_into := leadline_internal.person_of(p_workspace_id, p_into);
    if v_from = v_into then return false; end if;
    perform from leadline.people p where p.workspace_id = p_workspace_id and p.person_id in (v_from, v_into) order by p.person_id for no key update;
    update leadline.people p set merged_into = v_into where p.workspace_id = p_workspace_id and p.person_id = v_from;
    insert into leadline.workspace_activity (workspace_id, about_id, activity_type, payload, actor_kind, actor_id, writer)
    values (p_workspace_id, v_from, 'people_merged', jsonb_build_object('into', v_into), case when p_actor_id is null then 'system' else 'user' end, p_actor_id, 'workflow:merge')
    returning activity_id into v_activity_id;
    -- One relationship from here on, and it stands where the further of the two stood, and has been where either was.
    insert into leadline.relationship_activity (workspace_id, person_id, activity_type, payload, actor_kind, actor_id, writer, caused_by)
    select p_workspace_id, v_into, 'relationship_joined', jsonb_build_object('from', v_from), case when p_actor_id is null then 'system' else 'user' end, p_actor_id, 'workflow:merge', v_activity_id
    from leadline.people f
    join leadline.people t on t.workspace_id = f.workspace_id and t.person_id = v_into
    where f.workspace_id = p_workspace_id and f.person_id = v_from 
      and (leadline_internal.point(f.stage) > leadline_internal.point(t.stage) or leadline_internal.point(f.furthest_stage) > leadline_internal.point(t.furthest_stage));
    return true;
end $$;

create or replace function leadline_internal.part_people(p_workspace_id uuid, p_person_id uuid, p_actor_id uuid) returns bool
language plpgsql volatile
as $$
-- Lets a person be one of its own again; true when it was not.
begin
    update leadline.people p set merged_into = null where p.workspace_id = p_workspace_id and p.person_id = p_person_id and p.merged_into is not null;
    if not found then return false; end if;
    insert into leadline.workspace_activity (workspace_id, about_id, activity_type, actor_kind, actor_id, writer)
    values (p_workspace_id, p_person_id, 'people_unmerged', case when p_actor_id is null then 'system' else 'user' end, p_actor_id, 'workflow:merge');
    return true;
end $$;

create or replace function leadline.merge_people(p_person_id uuid, p_into uuid) returns bool
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.person_manager('merge_needs_admin');
begin
    perform pg_advisory_xact_lock(hashtextextended('people ' || c.workspace_id, 0));
    perform leadline_internal.require_person(c.workspace_id, p_person_id);
    perform leadline_internal.require_person(c.workspace_id, p_into);
    if leadline_internal.person_of(c.workspace_id, p_into) = p_person_id then perform leadline_internal.forbid('PT409', 'merged_into_itself'); end if;
    return leadline_internal.join_people(c.workspace_id, p_person_id, p_into, c.actor_id);
end $$;
comment on function leadline.merge_people(uuid, uuid) is 'Says that two people are one: the second goes on, with the leads and keys of both. True when they were two. Owner or admin (PT403 merge_needs_admin); PT404 no_such_person, PT409 merged_into_itself (also when the second was merged into the first).';

create or replace function leadline.unmerge_people(p_person_id uuid) returns bool
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.person_manager('merge_needs_admin');
begin
    perform leadline_internal.require_person(c.workspace_id, p_person_id);
    return leadline_internal.part_people(c.workspace_id, p_person_id, c.actor_id);
end $$;
comment on function leadline.unmerge_people(uuid) is 'Undoes merge_people(): true when the person had been merged. Owner or admin (PT403 merge_needs_admin); PT404 no_such_person.';

create or replace function leadline.set_account(p_workspace_id uuid, p_domain text, p_name text, p_kind text default 'prospect', p_owner_user_id uuid default null)
returns uuid
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.team_manager(p_workspace_id);
    v_domain text := leadline.email_key(p_domain);
    v_account_id uuid;
begin
    if v_domain is null or v_domain !~ '^[^[:space:]@]+$' or leadline_internal.visible_text(p_name) is null
        or p_kind is null or p_kind not in ('prospect', 'customer', 'partner', 'competitor') then
        perform leadline_internal.forbid('PT422', 'value_malformed', 'account: domain, name, kind');
    elsif not leadline_internal.is_active_member(p_workspace_id, p_owner_user_id) then perform leadline_internal.forbid('PT404', 'no_such_member'); end if;
    insert into leadline.accounts as a (workspace_id, domain, name, kind, owner_user_id)
    values (p_workspace_id, v_domain, p_name, p_kind, p_owner_user_id)
    on conflict (workspace_id, domain) do update set name = excluded.name, kind = excluded.kind, owner_user_id = excluded.owner_user_id
    returning a.account_id into v_account_id;
    update leadline.people p set account_id = v_account_id
    where p.workspace_id = p_workspace_id and p.account_id is null and exists (
        select from leadline.person_keys k
        where k.workspace_id = p.workspace_id and k.person_id = p.person_id and k.kind = 'email' and split_part(k.key, '@', 2) = v_domain);
    perform leadline_internal.journal_team(c, 'account_changed', v_account_id,
        jsonb_build_object('name', p_name, 'domain', v_domain, 'kind', p_kind, 'owner_user_id', p_owner_user_id));
    return v_account_id;
end $$;
comment on function leadline.set_account(uuid, text, text, text, uuid) is 'Makes or changes the account of a mail domain: its name, its kind (prospect, customer, partner, competitor) and its owner; people with that domain belong to it. Owner, admin, administrator; PT404 no_such_member, PT422 value_malformed.';
