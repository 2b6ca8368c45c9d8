-- Keeps the workspace's do-not-contact list for dnc, unsubscribed, suppression_lifted and an import at stage dnc, whatever
-- their verdict but refused. e: the activity as decided; its lead is locked and not yet changed by what the statement does next.
create or replace function leadline_internal.keep_do_not_contact_list(e leadline_internal.entry, p_email_key text, p_phone_key text) returns void
language plpgsql volatile
as $$
begin
    if e.activity_type = 'suppression_lifted' then
        update leadline.suppressions s set lifted_by = e.activity_id
        where s.workspace_id = e.workspace_id and s.lifted_by is null
          and (s.kind = 'email' and s.key = p_email_key or s.kind = 'phone' and s.key = p_phone_key);
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
