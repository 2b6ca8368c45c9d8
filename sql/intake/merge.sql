-- Two leads that are one: the lead named in `into` goes on, the other is set aside with its history, and it can be undone.
-- The one that goes on keeps what it has, takes what it lacks, and carries the tags and the do-not-contact of both.

create or replace function leadline_internal.effect_of_merge(e leadline_internal.entry, l leadline.leads, c leadline_internal.credential)
returns leadline_internal.effect
language plpgsql volatile
as $$
-- On the lead that is set aside; or, logged by Leadline itself with `from`, on the one that goes on.
-- Raises PT404 no_such_lead for an `into` that is not here.
declare
    x leadline_internal.effect;
    o leadline.leads;
    v_into uuid := (e.payload ->> 'into')::uuid;
begin
    x.becomes := '{}';
    if e.writer like 'workflow:%' then
        select * into o from leadline.leads t where t.workspace_id = l.workspace_id and t.lead_id = (e.payload ->> 'from')::uuid;
        x.becomes := leadline_internal.what_survivor_lacks(l, o);
        return x;
    end if;
    if c.role is distinct from 'owner' and c.role is distinct from 'admin' then x.objection := 'merge_needs_admin'; end if;
    if v_into = l.lead_id then x.need := 'merged_into_itself'; return x; end if;
    if not leadline_internal.lead_exists(c, l.workspace_id, v_into) then perform leadline_internal.forbid('PT404', 'no_such_lead', 'into'); end if;
    select * into o from leadline.leads t where t.workspace_id = l.workspace_id and t.lead_id = v_into for no key update;
    if l.merged_into is not null or o.merged_into is not null then
        x.need := 'already_merged';
    elsif l.status in ('open', 'active') and o.status not in ('open', 'active') then
        x.need := 'survivor_must_be_open';
    end if;
    x.becomes := jsonb_build_object('merged_into', v_into);
    if l.workflow = 'sales' then
        x.becomes := x.becomes || '{"status": "archived"}';
    elsif l.workflow = 'qualification' and (l.status = 'open' or l.stage = 'recycled') then
        x.becomes := x.becomes || '{"stage": "disqualified", "status": "closed", "rejection_reason": "duplicate", "recycle_reason": null, "recycle_on": null}';
    elsif l.workflow = 'appointment' and l.status = 'open' then
        if leadline_internal.leads_to(l.workspace_id, v_into, l.lead_id) then x.need := 'duplicate_cycle'; end if;
        x.becomes := x.becomes || jsonb_build_object('stage', 'duplicate', 'status', 'resolved', 'duplicate_of', v_into,
            'resolved_at', leadline_internal.instant(coalesce(e.occurred_at, e.recorded_at)));
    end if;
    return x;
end $$;

create or replace function leadline_internal.what_survivor_lacks(l leadline.leads, o leadline.leads) returns jsonb
language plpgsql volatile
as $$
-- The fields of o that l has empty, and the tags of both; money goes with its currency, and stays where it was earned.
declare
    v_has jsonb := leadline_internal.lead_fields(l);
    v_gives jsonb := leadline_internal.lead_fields(o);
    v_becomes jsonb := '{}';
    v_key text;
begin
    foreach v_key in array '{name,company,email,phone,assigned_user_id}'::text[] loop
        if v_has -> v_key = 'null' and v_gives -> v_key <> 'null' then v_becomes := v_becomes || jsonb_build_object(v_key, v_gives -> v_key); end if;
    end loop;
    if leadline_internal.has_open_lead(l.workspace_id, leadline.email_key(v_becomes ->> 'email'), l.lead_id) then v_becomes := v_becomes - 'email'; end if;
    if l.deal_value is null and o.deal_value is not null and o.won_at is null and o.stage <> 'sale' then
        v_becomes := v_becomes || jsonb_build_object('deal_value', o.deal_value, 'currency', o.currency);
    end if;
    return v_becomes || jsonb_build_object('tags', nullif(array(select distinct t from unnest(l.tags || o.tags) t order by t), '{}'));
end $$;

create or replace function leadline_internal.effect_of_unmerge(e leadline_internal.entry, l leadline.leads, c leadline_internal.credential)
returns leadline_internal.effect
language plpgsql volatile
as $$
-- Takes back what the merge changed, as far as it still stands: on the lead that was set aside, and on the one that went on.
declare
    x leadline_internal.effect;
    v_is_survivor bool := e.writer like 'workflow:%';
    v_changes jsonb;
    v_now jsonb := leadline_internal.lead_fields(l);
begin
    x.becomes := '{}';
    if not v_is_survivor then
        if c.role is distinct from 'owner' and c.role is distinct from 'admin' then x.objection := 'merge_needs_admin'; end if;
        if l.merged_into is null then x.objection := coalesce(x.objection, 'not_merged'); return x; end if;
    end if;
    select a.changes || coalesce(t.content -> 'changes', '{}') into v_changes
    from leadline.lead_activity a
    left join leadline.activity_content t on t.workspace_id = a.workspace_id and t.activity_id = a.activity_id
    where a.workspace_id = l.workspace_id and a.lead_id = l.lead_id and a.activity_type = 'leads_merged' and a.verdict = 'applied'
      and (a.writer like 'workflow:%') = v_is_survivor and (not v_is_survivor or a.payload ->> 'from' = e.payload ->> 'from')
    order by a.seq desc limit 1;
    select coalesce(jsonb_object_agg(k.key, k.value -> 0), '{}') into x.becomes
    from jsonb_each(v_changes) k where jsonb_typeof(k.value) = 'array' and v_now -> k.key = k.value -> 1;
    if x.becomes ? 'status' and leadline_internal.would_be_second(l, x.becomes ->> 'status') then x.need := 'active_lead_exists'; end if;
    return x;
end $$;

-- Fires: after a merge, or its undoing, that a person made. Writes: the same on the lead that goes on, in its own history;
-- open requests go with the work; the people behind the two become one, or two again.
create or replace function leadline_internal.carry_out_merge() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    l leadline.leads;
    o leadline.leads;
    v_into uuid;
    e leadline_internal.entry := row(new.*);
begin
    select * into l from leadline.leads t where t.workspace_id = new.workspace_id and t.lead_id = new.lead_id;
    v_into := coalesce(new.changes #>> '{merged_into,1}', new.changes #>> '{merged_into,0}');
    select * into o from leadline.leads t where t.workspace_id = new.workspace_id and t.lead_id = v_into;
    insert into leadline.lead_activity (workspace_id, lead_id, activity_type, payload, occurred_at, actor_kind, actor_id, on_behalf_of, writer, caused_by)
    values (new.workspace_id, v_into, new.activity_type, jsonb_strip_nulls(jsonb_build_object('from', new.lead_id,
            'into', case new.activity_type when 'leads_merged' then v_into end,
            'kept', case new.activity_type when 'leads_merged' then leadline_internal.what_survivor_keeps(o, l) end,
            'waiting_since', case new.activity_type when 'leads_merged' then leadline_internal.instant((
                select least(min(q.received_at), (new.payload ->> 'waiting_since')::timestamptz) from leadline.requests q
                where q.workspace_id = l.workspace_id and q.lead_id = l.lead_id and q.first_response_at is null and q.not_applicable_at is null)) end)),
        new.occurred_at, new.actor_kind, new.actor_id, new.on_behalf_of, 'workflow:merge', new.activity_id);
    if new.activity_type = 'leads_merged' then
        update leadline.requests q set lead_id = v_into
        where q.workspace_id = l.workspace_id and q.lead_id = l.lead_id and q.first_response_at is null and q.not_applicable_at is null;
        if leadline_internal.is_listed(l.workspace_id, l.email_key, l.phone_key) or leadline_internal.is_listed(o.workspace_id, o.email_key, o.phone_key) then
            perform leadline_internal.keep_do_not_contact_list(e, l.email_key, l.phone_key);
            perform leadline_internal.keep_do_not_contact_list(e, o.email_key, o.phone_key);
        end if;
        perform leadline_internal.join_people(l.workspace_id, l.person_id, o.person_id, new.actor_id);
    else
        update leadline.requests q set lead_id = l.lead_id
        from leadline.lead_activity a
        where q.workspace_id = l.workspace_id and q.lead_id = v_into and q.first_response_at is null and q.not_applicable_at is null
          and a.workspace_id = q.workspace_id and a.activity_id = q.activity_id and a.lead_id = l.lead_id;
        if not exists (select from leadline.leads t join leadline.leads u on u.workspace_id = t.workspace_id and u.lead_id = t.merged_into
                       where t.workspace_id = l.workspace_id and t.person_id = l.person_id and u.person_id = o.person_id) then
            perform leadline_internal.part_people(l.workspace_id, l.person_id, new.actor_id);
        end if;
    end if;
    return null;
end $$;
create or replace trigger t70_carry_out_merge after insert on leadline.lead_activity
    for each row when (new.activity_type in ('leads_merged', 'leads_unmerged') and new.verdict = 'applied' and new.writer not like 'workflow:%')
    execute function leadline_internal.carry_out_merge();

create or replace function leadline_internal.lock_both(e leadline_internal.entry, c leadline_internal.credential) returns void
language plpgsql volatile
as $$
-- Both leads of a merge or its undoing, their addresses first, in order of their ids like everybody who locks several; what the author does not see is not waited for.
declare
    v_into text := case e.activity_type when 'leads_merged' then e.payload ->> 'into' else (
        select l.merged_into::text from leadline.leads l where l.workspace_id = e.workspace_id and l.lead_id = e.subject_id) end;
    v_both uuid[] := array[e.subject_id, leadline_internal.read_id(v_into)];
    v_keys text[] := array(
        select l.email_key from leadline.leads l
        where l.workspace_id = e.workspace_id and l.lead_id = any (v_both) and leadline_internal.is_visible_to(c, l.assigned_user_id));
begin
    perform from leadline.person_keys k where k.workspace_id = e.workspace_id and k.kind = 'email' and k.key = any (v_keys) order by k.key for no key update;
    perform from leadline.leads l
    where l.workspace_id = e.workspace_id and l.lead_id = any (v_both) and leadline_internal.is_visible_to(c, l.assigned_user_id)
    order by l.lead_id for no key update;
end $$;

create or replace function leadline_internal.returning_since(e leadline_internal.entry) returns timestamptz
language plpgsql volatile
as $$
-- Since when somebody waits on a lead that is about to be worked on again: a request came while it was closed, or went along
-- with a merge, and is unanswered.
begin
    return (select min(q.received_at) from leadline.leads l
            join leadline.requests q on q.workspace_id = l.workspace_id and q.lead_id in (l.lead_id, l.merged_into) and q.first_response_at is null and q.not_applicable_at is null
            join leadline.lead_activity a on a.workspace_id = q.workspace_id and a.activity_id = q.activity_id
                and (q.lead_id = l.lead_id or e.activity_type = 'leads_unmerged' and a.lead_id = l.lead_id)
            where l.workspace_id = e.workspace_id and l.lead_id = e.subject_id);
end $$;

create or replace function leadline_internal.what_survivor_keeps(l leadline.leads, o leadline.leads) returns text
language plpgsql stable
as $$
-- The fields in which both say something, and not the same: there the value of the one that goes on stands.
declare
    v_has jsonb := leadline_internal.lead_fields(l);
    v_gives jsonb := leadline_internal.lead_fields(o);
begin
    return (select string_agg(k, ', ' order by k) from unnest('{name,company,email,phone,assigned_user_id,deal_value,currency,source}'::text[]) k
            where v_has -> k <> 'null' and v_gives -> k <> 'null' and v_has -> k <> v_gives -> k);
end $$;
