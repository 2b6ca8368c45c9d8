-- Keeps the workspace's do-not-contact list for dnc, unsubscribed, suppression_lifted, a merge with somebody on it, and an
-- import at stage dnc, whatever their verdict but refused. e: the activity as decided; its lead is locked and not yet changed
-- by what the statement does next.
create or replace function leadline_internal.keep_do_not_contact_list(e leadline_internal.entry, p_email_key text, p_phone_key text) returns void
language plpgsql volatile
as $$
begin
    if e.activity_type = 'suppression_lifted' then
        update leadline.suppressions s set lifted_by = e.activity_id
        from leadline_internal.list_keys(e.workspace_id, p_email_key, p_phone_key) k
        where s.workspace_id = e.workspace_id and s.lifted_by is null and s.kind = k.kind and s.key = k.key;
    else
        insert into leadline.suppressions as s (workspace_id, kind, key, channel, suppressed_by, suppressed_at)
        select e.workspace_id, k.kind, k.key, case e.activity_type when 'unsubscribed' then btrim(e.payload ->> 'channel') else 'any' end,
            e.activity_id, e.recorded_at
        from (values ('email', p_email_key), ('phone', p_phone_key)) k (kind, key)
        where k.key is not null
        order by k.kind
        on conflict (workspace_id, kind, key, channel) do update
            set suppressed_by = excluded.suppressed_by, suppressed_at = excluded.suppressed_at, lifted_by = null
            where s.lifted_by is not null;
    end if;
end $$;

create or replace function leadline_internal.keyed_hash(p_workspace_id uuid, p_kind text, p_key text) returns text
language plpgsql stable
as $$
-- What stands for the key of somebody who was erased: nobody can tell the key from it, and it is recognised when it comes again.
begin
    return (select encode(sha256(k.secret || convert_to(p_workspace_id || ' ' || p_kind || ' ' || p_key, 'UTF8')), 'hex') from leadline_internal.suppression_key k);
end $$;

create or replace function leadline_internal.list_keys(p_workspace_id uuid, p_email_key text, p_phone_key text) returns table (kind text, key text)
language plpgsql stable
as $$
-- The keys under which these two may stand on the list.
begin
    return query select k.kind, k.key from (values ('email', p_email_key), ('phone', p_phone_key)) k (kind, key) where k.key is not null;
    if exists (select from leadline.suppressions s where s.workspace_id = p_workspace_id and s.kind in ('email_hash', 'phone_hash')) then
        return query select k.kind || '_hash', leadline_internal.keyed_hash(p_workspace_id, k.kind, k.key)
            from (values ('email', p_email_key), ('phone', p_phone_key)) k (kind, key) where k.key is not null;
    end if;
end $$;

create or replace function leadline_internal.is_listed(p_workspace_id uuid, p_email_key text, p_phone_key text) returns bool
language plpgsql stable
as $$
-- Whether one of these keys is not to be contacted by any channel.
begin
    return exists (
        select from leadline_internal.list_keys(p_workspace_id, p_email_key, p_phone_key) k
        cross join lateral (  -- limited, so that each key is looked up, and not every row of the list hashed
            select from leadline.suppressions s
            where s.workspace_id = p_workspace_id and s.kind = k.kind and s.key = k.key and s.channel = 'any' and s.lifted_by is null limit 1) s);
end $$;
