-- What a caller sees of the own workspace: members their leads, analysts no contacts, owners and admins the keys.

create or replace function leadline_internal.visibility_of_members(p_workspace_id uuid) returns text
language plpgsql stable parallel restricted
as $$
-- Which leads a member sees: all, assigned (to them), or assigned_and_unassigned.
begin
    return (select case when w.members_see_all then 'all' when w.members_see_unassigned then 'assigned_and_unassigned' else 'assigned' end
            from leadline.workspaces w where w.workspace_id = p_workspace_id);
end $$;

create or replace function leadline_internal.is_visible_to(c leadline_internal.credential, p_assigned_user_id uuid) returns bool
language sql immutable parallel safe
-- Whether a lead assigned so is among those that the credential sees; Leadline itself (null) sees all.
return coalesce(c.visibility = 'all' or p_assigned_user_id = c.user_id
    or p_assigned_user_id is null and c.visibility = 'assigned_and_unassigned', c.visibility is null);

create or replace function leadline.sees_contacts() returns bool
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.caller();
begin
    return coalesce(c.role <> 'analyst' or 'contacts' = any (c.scopes), false);
end $$;
comment on function leadline.sees_contacts() is 'Whether the caller may read names, addresses, phones and texts: everybody but an analyst without scope contacts.';

create or replace function leadline.sees_all_leads() returns bool
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    return coalesce((leadline_internal.caller()).visibility = 'all', false);
end $$;
comment on function leadline.sees_all_leads() is 'Whether the caller sees every lead of the workspace: all but members, unless the workspace lets them.';

create or replace function leadline.sees_unassigned_leads() returns bool
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    return coalesce((leadline_internal.caller()).visibility <> 'assigned', false);
end $$;
comment on function leadline.sees_unassigned_leads() is 'Whether the caller sees leads that are assigned to nobody.';

create or replace function leadline.current_user_id() returns uuid
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    return (leadline_internal.caller()).user_id;
end $$;
comment on function leadline.current_user_id() is 'The person behind the present caller, null for a machine.';

create or replace function leadline.manages_team() returns bool
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    return coalesce((leadline_internal.caller()).role in ('owner', 'admin'), false);
end $$;
comment on function leadline.manages_team() is 'Whether the caller is an owner or admin.';

-- The cost that the next three claim keeps them before whatever a reader adds to a query (policies.sql says why).
create or replace function leadline.sees_lead(p_workspace_id uuid, p_lead_id uuid) returns bool
language plpgsql stable parallel restricted security definer cost 0.0001
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.caller();
begin
    return c.workspace_id = p_workspace_id and exists (
        select from leadline.leads l
        where l.workspace_id = p_workspace_id and l.lead_id = p_lead_id and leadline_internal.is_visible_to(c, l.assigned_user_id));
end $$;
comment on function leadline.sees_lead(uuid, uuid) is 'Whether the caller sees this lead. Policies ask it of members only.';

create or replace function leadline.sees_entry(p_workspace_id uuid, p_lead_id uuid, p_actor_id uuid, p_transaction_id xid8, p_activity_type text, p_seq int, p_changes jsonb)
returns bool
language plpgsql stable parallel restricted security definer cost 0.0001
set search_path = pg_catalog, pg_temp
as $$
-- One's own row of this transaction stays in sight, or RETURNING would fail for a lead that was just given away.
declare
    c leadline_internal.credential := leadline_internal.caller();
begin
    return c.workspace_id = p_workspace_id and (p_activity_type <> 'inbound_enquiry' or p_seq = 1 or p_changes ? 'assigned_user_id')
        and p_actor_id = c.user_id and p_transaction_id = pg_current_xact_id_if_assigned()
        or leadline.sees_lead(p_workspace_id, p_lead_id);
end $$;
comment on function leadline.sees_entry(uuid, uuid, uuid, xid8, text, int, jsonb) is 'Whether the caller sees this row of lead_activity: its lead, or an act of their own in this transaction. Policies ask it of members only.';

create or replace function leadline.sees_activity(p_workspace_id uuid, p_activity_id bigint) returns bool
language plpgsql stable parallel restricted security definer cost 0.0001
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.caller();
begin
    return c.workspace_id = p_workspace_id and (
        exists (
            select from leadline.lead_activity a
            join leadline.leads l on l.workspace_id = a.workspace_id and l.lead_id = a.lead_id
            where a.workspace_id = p_workspace_id and a.activity_id = p_activity_id and leadline_internal.is_visible_to(c, l.assigned_user_id))
        or exists (
            select from leadline.opportunity_activity a
            join leadline.opportunities o on o.workspace_id = a.workspace_id and o.opportunity_id = a.opportunity_id
            where a.workspace_id = p_workspace_id and a.activity_id = p_activity_id and leadline_internal.is_visible_to(c, o.assigned_user_id))
        or exists (
            select from leadline.relationship_activity a
            where a.workspace_id = p_workspace_id and a.activity_id = p_activity_id and leadline_internal.person_is_visible_to(c, a.workspace_id, a.person_id))
        or exists (
            select from leadline.customer_activity a
            join leadline.subscriptions s on s.workspace_id = a.workspace_id and s.subscription_id = a.subscription_id
            where a.workspace_id = p_workspace_id and a.activity_id = p_activity_id and leadline_internal.person_is_visible_to(c, s.workspace_id, s.person_id))
        or exists (select from leadline.workspace_activity a where a.workspace_id = p_workspace_id and a.activity_id = p_activity_id));
end $$;
comment on function leadline.sees_activity(uuid, bigint) is 'Whether the caller sees the subject of this activity. Policies ask it of members only.';

create or replace function leadline_internal.person_is_visible_to(c leadline_internal.credential, p_workspace_id uuid, p_person_id uuid) returns bool
language plpgsql stable parallel restricted
as $$
-- Whether the credential sees a lead or an opportunity of this person; Leadline itself (null) sees all.
begin
    return c.visibility = 'all' or c.visibility is null or exists (
        select from leadline.leads l
        where l.workspace_id = p_workspace_id and l.person_id = p_person_id and leadline_internal.is_visible_to(c, l.assigned_user_id))
        or exists (
        select from leadline.opportunities o
        where o.workspace_id = p_workspace_id and o.person_id = p_person_id and leadline_internal.is_visible_to(c, o.assigned_user_id));
end $$;

create or replace function leadline.sees_person(p_workspace_id uuid, p_person_id uuid) returns bool
language plpgsql stable parallel restricted security definer cost 0.0001
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.caller();
begin
    return c.workspace_id = p_workspace_id and leadline_internal.person_is_visible_to(c, p_workspace_id, p_person_id);
end $$;
comment on function leadline.sees_person(uuid, uuid) is 'Whether the caller sees a lead or an opportunity of this person. Policies ask it of members only.';

create or replace function leadline.sees_opportunity(p_workspace_id uuid, p_opportunity_id uuid, p_actor_id uuid, p_transaction_id xid8) returns bool
language plpgsql stable parallel restricted security definer cost 0.0001
set search_path = pg_catalog, pg_temp
as $$
-- One's own row of this transaction stays in sight, or RETURNING would fail for an opportunity that was just given away.
declare
    c leadline_internal.credential := leadline_internal.caller();
begin
    return c.workspace_id = p_workspace_id and (p_actor_id = c.user_id and p_transaction_id = pg_current_xact_id_if_assigned() or exists (
        select from leadline.opportunities o
        where o.workspace_id = p_workspace_id and o.opportunity_id = p_opportunity_id and leadline_internal.is_visible_to(c, o.assigned_user_id)));
end $$;
comment on function leadline.sees_opportunity(uuid, uuid, uuid, xid8) is 'Whether the caller sees this row of opportunity_activity: its opportunity, or an act of their own in this transaction. Policies ask it of members only.';

create or replace function leadline.sees_subscription(p_workspace_id uuid, p_subscription_id uuid) returns bool
language plpgsql stable parallel restricted security definer cost 0.0001
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.caller();
begin
    return c.workspace_id = p_workspace_id and exists (
        select from leadline.subscriptions s
        where s.workspace_id = p_workspace_id and s.subscription_id = p_subscription_id and leadline_internal.person_is_visible_to(c, s.workspace_id, s.person_id));
end $$;
comment on function leadline.sees_subscription(uuid, uuid) is 'Whether the caller sees the person of this subscription. Policies ask it of members only.';

create or replace function leadline.sees_key(p_workspace_id uuid, p_person_id uuid, p_kind text, p_key text) returns bool
language plpgsql stable parallel restricted security definer cost 0.0001
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.caller();
begin
    return c.workspace_id = p_workspace_id and exists (
        select from leadline.leads l
        where l.workspace_id = p_workspace_id and l.person_id = p_person_id and leadline_internal.is_visible_to(c, l.assigned_user_id)
          and p_key = case p_kind when 'email' then l.email_key else l.phone_key end);
end $$;
comment on function leadline.sees_key(uuid, uuid, text, text) is 'Whether the caller sees a lead of this person that has this key. Policies ask it of members only.';

create or replace function leadline_internal.lesser_role(p_granted text, p_held text) returns text
language plpgsql immutable parallel safe
as $$
-- What a person's token may do: no more than it was made for (an admin may have made it), no more than the person may now.
begin
    return case when 'member' in (p_granted, p_held) then 'member' when 'admin' in (p_granted, p_held) then 'admin' else p_held end;
end $$;
