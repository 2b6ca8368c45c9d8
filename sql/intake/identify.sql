-- Who a lead is about: the person its e-mail address stands for, and whether somebody like that is being worked already.

create or replace function leadline_internal.person_of(p_workspace_id uuid, p_person_id uuid) returns uuid
language plpgsql volatile
as $$
-- The person that goes on: the one that this one was merged into, however often.
declare
    v_person_id uuid := p_person_id;
    v_into uuid;
begin
    loop
        select p.merged_into into v_into from leadline.people p where p.workspace_id = p_workspace_id and p.person_id = v_person_id;
        if v_into is null then return v_person_id; end if;
        v_person_id := v_into;
    end loop;
end $$;

create or replace function leadline_internal.people_in(p_workspace_id uuid, p_person_id uuid) returns uuid[]
language plpgsql volatile
as $$
-- The person with all that were merged into it, however often; nearly always nobody was.
begin
    if not exists (select from leadline.people p where p.workspace_id = p_workspace_id and p.merged_into = p_person_id) then return array[p_person_id]; end if;
    return (
        with recursive circle as (
            select p_person_id as person_id
            union
            select p.person_id from circle c join leadline.people p on p.workspace_id = p_workspace_id and p.merged_into = c.person_id
        )
        select array_agg(c.person_id order by c.person_id) from circle c);
end $$;

create or replace function leadline_internal.identify(p_workspace_id uuid, p_email_key text, p_phone_key text) returns uuid
language plpgsql volatile
as $$
-- The person behind these keys, made when there is none. An e-mail address identifies; a phone may be shared and does not.
-- Locks both keys until the end of the transaction, e-mail first: of two leads made at once for the same keys the second
-- waits, and then sees the first.
declare
    v_person_id uuid := gen_random_uuid();
    v_found uuid;
begin
    if p_email_key is not null then
        with k as (
            insert into leadline.person_keys (workspace_id, kind, key, person_id) values (p_workspace_id, 'email', p_email_key, v_person_id)
            on conflict do nothing returning person_id
        )
        insert into leadline.people (workspace_id, person_id, account_id)
        select p_workspace_id, k.person_id,
            (select a.account_id from leadline.accounts a where a.workspace_id = p_workspace_id and a.domain = split_part(p_email_key, '@', 2))
        from k;
        if not found then
            select k.person_id into v_found from leadline.person_keys k
            where k.workspace_id = p_workspace_id and k.kind = 'email' and k.key = p_email_key for no key update;
            v_person_id := leadline_internal.person_of(p_workspace_id, v_found);
        end if;
    else
        insert into leadline.people (workspace_id, person_id) values (p_workspace_id, v_person_id);
    end if;
    if p_phone_key is not null then
        insert into leadline.person_keys (workspace_id, kind, key, person_id) values (p_workspace_id, 'phone', p_phone_key, v_person_id)
        on conflict do nothing;
        if not found then
            perform from leadline.person_keys k where k.workspace_id = p_workspace_id and k.kind = 'phone' and k.key = p_phone_key for no key update;
        end if;
    end if;
    return v_person_id;
end $$;

create or replace function leadline_internal.lock_address(e leadline_internal.entry) returns bool
language plpgsql volatile
as $$
-- Before the lead, the addresses under which it is or would be open, in order: so it cannot wait crosswise with somebody who is
-- about to make or find a lead by that address, and whoever holds a lead's address holds that it stays. True: nobody had the
-- address it would take, and it is kept for the lead's person from here on; to be given back when the activity changes nothing.
declare
    v_is_new bool;
    v_has text;
    v_takes text;
    v_key text;
    v_person_id uuid;
    v_stage text;
begin
    loop
        select l.email_key, l.person_id, l.stage into v_has, v_person_id, v_stage from leadline.leads l where l.workspace_id = e.workspace_id and l.lead_id = e.subject_id;
        if v_stage <> 'recycled' and e.activity_type in ('email_replied', 'message_received', 'call_received', 'product_signal_seen') then return false; end if;
        v_takes := case when e.activity_type = 'contact_changed' or e.activity_type = 'inbound_enquiry' and v_has is null then leadline.email_key(e.payload ->> 'email') end;
        v_is_new := false;
        begin
            foreach v_key in array array(select distinct k from unnest(array[v_has, v_takes]) k where k is not null order by k) loop
                if v_key = v_takes and v_person_id is not null then
                    insert into leadline.person_keys (workspace_id, kind, key, person_id) values (e.workspace_id, 'email', v_key, v_person_id)
                    on conflict do nothing;
                    v_is_new := found;
                end if;
                perform from leadline.person_keys k where k.workspace_id = e.workspace_id and k.kind = 'email' and k.key = v_key for no key update;
            end loop;
            exit when v_has is not distinct from (select l.email_key from leadline.leads l where l.workspace_id = e.workspace_id and l.lead_id = e.subject_id);
            raise sqlstate 'LL000';
        exception when sqlstate 'LL000' then null;  -- it came to another address meanwhile: lets go of both, and asks again
        end;
    end loop;
    return v_is_new;
end $$;

create or replace function leadline_internal.keep_person_keys(e leadline_internal.entry) returns void
language plpgsql volatile
as $$
-- A lead's new address becomes a further one of its person, unless it already stands for somebody else.
begin
    insert into leadline.person_keys (workspace_id, kind, key, person_id)
    select l.workspace_id, k.kind, k.key, l.person_id
    from leadline.leads l cross join lateral (values ('email', l.email_key), ('phone', l.phone_key)) k (kind, key)
    where l.workspace_id = e.workspace_id and l.lead_id = e.subject_id and k.key is not null
    order by k.kind
    on conflict do nothing;
end $$;

create or replace function leadline_internal.candidate(p_workspace_id uuid, p_email_key text, p_phone_key text) returns uuid
language plpgsql volatile
as $$
-- The oldest open lead that looks like the same person: the same phone under another or no e-mail address, the same mailbox
-- by another spelling (+tag, dots at Gmail), or the very address. Materialized: asked for the oldest, the planner would walk
-- through the leads by age instead of going by the key.
begin
    return (
        with c as materialized (
            select l.lead_id, l.created_at from leadline.leads l
            where l.workspace_id = p_workspace_id and l.phone_key = p_phone_key and l.status in ('open', 'active')
            union all
            select l.lead_id, l.created_at from leadline.leads l
            where l.workspace_id = p_workspace_id and l.email_key in (p_email_key, leadline.email_stem(p_email_key)) and l.status in ('open', 'active')
            union all
            select l.lead_id, l.created_at from leadline.leads l
            where l.workspace_id = p_workspace_id and l.email_stem = leadline.email_stem(p_email_key) and l.status in ('open', 'active')
        )
        select c.lead_id from c order by c.created_at, c.lead_id limit 1);
end $$;

create or replace function leadline_internal.has_open_lead(p_workspace_id uuid, p_email_key text, p_but uuid) returns bool
language plpgsql volatile
as $$
-- Whether another open lead of sales or qualification has this address: there may be one only.
begin
    return exists (select from leadline.leads l
                   where l.workspace_id = p_workspace_id and l.email_key = p_email_key and l.workflow in ('sales', 'qualification')
                     and l.status in ('active', 'open') and l.lead_id is distinct from p_but);
end $$;
