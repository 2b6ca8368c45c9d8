-- The right to be forgotten, and to be told: everything personal of one person goes, or is handed over.

create or replace function leadline_internal.circle_around(
    p_workspace_id uuid, p_person_id uuid, out people uuid[], out leads uuid[], out opportunities uuid[], out subscriptions uuid[], out texts text[]
)
language plpgsql volatile
as $$
-- The person with all that it was merged with, every lead of theirs or with an address of theirs, their opportunities and
-- subscriptions, and every spelling of their e-mail addresses and phone numbers that is known. Raises PT404 no_such_person. Locks nothing: it also serves a read.
declare
    v_keys text[];
begin
    if not exists (select from leadline.people p where p.workspace_id = p_workspace_id and p.person_id = p_person_id) then
        perform leadline_internal.forbid('PT404', 'no_such_person');
    end if;
    people := leadline_internal.people_in(p_workspace_id, leadline_internal.person_of(p_workspace_id, p_person_id));
    v_keys := array(select k.key from leadline.person_keys k where k.workspace_id = p_workspace_id and k.person_id = any (people) and k.kind = 'email');
    select coalesce(array_agg(l.lead_id order by l.lead_id), '{}') into leads from leadline.leads l
    where l.workspace_id = p_workspace_id and (l.person_id = any (people) or l.email_key = any (v_keys));
    select coalesce(array_agg(o.opportunity_id order by o.opportunity_id), '{}') into opportunities from leadline.opportunities o
    where o.workspace_id = p_workspace_id and o.person_id = any (people);
    select coalesce(array_agg(s.subscription_id order by s.subscription_id), '{}') into subscriptions from leadline.subscriptions s
    where s.workspace_id = p_workspace_id and s.person_id = any (people);
    select coalesce(array_agg(distinct t.text), '{}') into texts from (
        select k.key as text from leadline.person_keys k where k.workspace_id = p_workspace_id and k.person_id = any (people)
        union all
        select v.text from leadline.leads l cross join lateral (values (lower(l.email)), (l.phone), (l.phone_key)) v (text)
        where l.workspace_id = p_workspace_id and l.lead_id = any (leads)) t
    where length(t.text) >= 5;
end $$;

create or replace function leadline_internal.lock_circle(
    p_workspace_id uuid, p_person_id uuid, out people uuid[], out leads uuid[], out opportunities uuid[], out subscriptions uuid[], out texts text[]
)
language plpgsql volatile
as $$
-- circle_around() with all of it locked: addresses, leads and whoever goes on for one of them, opportunities, subscriptions, people,
-- the order in which everything goes from one to the next. Whoever was added while it waited is among them.
declare
    v_was record;
    v_is record;
    v_leads uuid[];
begin
    loop
        select * into v_was from leadline_internal.circle_around(p_workspace_id, p_person_id);
        begin
            perform from leadline.person_keys k
            where k.workspace_id = p_workspace_id and (k.person_id = any (v_was.people) or k.kind = 'email' and k.key = any (v_was.texts))
            order by k.kind, k.key for no key update;
            v_leads := v_was.leads || array(select leadline_internal.lead_that_goes_on(p_workspace_id, t.lead_id) from unnest(v_was.leads) t (lead_id));
            perform from leadline.leads l where l.workspace_id = p_workspace_id and l.lead_id = any (v_leads) order by l.lead_id for no key update;
            perform from leadline.opportunities o where o.workspace_id = p_workspace_id and o.opportunity_id = any (v_was.opportunities) order by o.opportunity_id for no key update;
            perform from leadline.subscriptions s where s.workspace_id = p_workspace_id and s.subscription_id = any (v_was.subscriptions) order by s.subscription_id for no key update;
            perform from leadline.people p where p.workspace_id = p_workspace_id and p.person_id = any (v_was.people) order by p.person_id for no key update;
            select * into v_is from leadline_internal.circle_around(p_workspace_id, p_person_id);
            exit when v_is is not distinct from v_was;
            raise sqlstate 'LL000';
        exception when sqlstate 'LL000' then null;  -- something changed while it waited: lets go of all, and begins again
        end;
    end loop;
    people := v_was.people; leads := v_was.leads; opportunities := v_was.opportunities; subscriptions := v_was.subscriptions; texts := v_was.texts;
end $$;

create or replace function leadline.erase_person(p_person_id uuid, p_reason text) returns jsonb
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.person_manager('erase_needs_admin');
    v_circle record;
    v_keys leadline_internal.contact_key[];
    v_activity_id bigint;
    v_erased int;
begin
    if leadline_internal.visible_text(p_reason) is null then perform leadline_internal.forbid('PT422', 'key_missing', 'person_erased needs reason'); end if;
    select * into v_circle from leadline_internal.lock_circle(c.workspace_id, p_person_id);
    insert into leadline.workspace_activity (workspace_id, about_id, activity_type, payload, actor_kind, actor_id, writer)
    values (c.workspace_id, leadline_internal.person_of(c.workspace_id, p_person_id), 'person_erased', jsonb_build_object('reason', p_reason),
        c.actor_kind, c.actor_id, 'workflow:erasure')
    returning activity_id into v_activity_id;

    -- Nobody writes to them again unless they write in themselves: that, and whatever was asked before, stays under a hash.
    -- A phone that others have too is theirs as well and is not silenced for this.
    v_keys := array(
        select row(v.kind, v.key)::leadline_internal.contact_key from leadline.leads l
        cross join lateral (values ('email', l.email_key), ('phone', l.phone_key)) v (kind, key)
        where l.workspace_id = c.workspace_id and l.lead_id = any (v_circle.leads) and v.key is not null
        union
        select row(k.kind, k.key)::leadline_internal.contact_key from leadline.person_keys k
        where k.workspace_id = c.workspace_id and k.person_id = any (v_circle.people));
    insert into leadline.suppressions (workspace_id, kind, key, channel, suppressed_by, suppressed_at)
    select c.workspace_id, k.kind || '_hash', leadline_internal.keyed_hash(c.workspace_id, k.kind, k.key), 'any', v_activity_id, clock_timestamp()
    from unnest(v_keys) k
    where k.kind = 'email' or not exists (
        select from leadline.leads l where l.workspace_id = c.workspace_id and l.phone_key = k.key and l.lead_id <> all (v_circle.leads))
    order by k.kind, k.key
    on conflict do nothing;
    insert into leadline.suppressions (workspace_id, kind, key, channel, suppressed_by, suppressed_at, lifted_by)
    select s.workspace_id, s.kind || '_hash', leadline_internal.keyed_hash(s.workspace_id, s.kind, s.key), s.channel, s.suppressed_by, s.suppressed_at, s.lifted_by
    from unnest(v_keys) k join leadline.suppressions s on s.workspace_id = c.workspace_id and s.kind = k.kind and s.key = k.key
    order by s.kind, s.key, s.channel
    on conflict do nothing;
    delete from leadline.suppressions s using unnest(v_keys) k where s.workspace_id = c.workspace_id and s.kind = k.kind and s.key = k.key;
    delete from leadline.person_keys t using unnest(v_keys) k
    where t.workspace_id = c.workspace_id and t.kind = k.kind and t.key = k.key and (t.kind = 'email' or t.person_id = any (v_circle.people));
    insert into leadline.lead_activity (workspace_id, lead_id, activity_type, payload, actor_kind, actor_id, writer, caused_by)
    select c.workspace_id, l, 'person_erased', '{}', c.actor_kind, c.actor_id, 'workflow:erasure', v_activity_id
    from unnest(v_circle.leads) l;
    insert into leadline.opportunity_activity (workspace_id, opportunity_id, activity_type, payload, actor_kind, actor_id, writer, caused_by)
    select c.workspace_id, o, 'person_erased', '{}', c.actor_kind, c.actor_id, 'workflow:erasure', v_activity_id
    from unnest(v_circle.opportunities) o;
    update leadline.renewal_cycles k set churn_reason = null
    where k.workspace_id = c.workspace_id and k.subscription_id = any (v_circle.subscriptions) and k.churn_reason is not null;
    delete from leadline.activity_content t
    using (
        select a.activity_id from leadline.lead_activity a where a.workspace_id = c.workspace_id and a.lead_id = any (v_circle.leads)
        union all
        select a.activity_id from leadline.relationship_activity a where a.workspace_id = c.workspace_id and a.person_id = any (v_circle.people)
        union all
        select a.activity_id from leadline.opportunity_activity a where a.workspace_id = c.workspace_id and a.opportunity_id = any (v_circle.opportunities)
        union all
        select a.activity_id from leadline.customer_activity a where a.workspace_id = c.workspace_id and a.subscription_id = any (v_circle.subscriptions)) a
    where t.workspace_id = c.workspace_id and t.activity_id = a.activity_id;
    get diagnostics v_erased = row_count;
    update leadline.requests q set external_id = null where q.workspace_id = c.workspace_id and q.external_id is not null
        and (q.person_id = any (v_circle.people) or q.lead_id = any (v_circle.leads));
    update leadline.outbox o set body = '{}' where o.workspace_id = c.workspace_id and o.lead_id = any (v_circle.leads) and o.body <> '{}';
    perform leadline_internal.forget_in_webhooks(c.workspace_id, v_circle.leads, v_circle.texts);
    perform leadline_internal.forget_in_idempotency_keys(c.workspace_id, v_circle.leads);
    update leadline.people p set erased_at = clock_timestamp() where p.workspace_id = c.workspace_id and p.person_id = any (v_circle.people);
    return jsonb_build_object('people', to_jsonb(v_circle.people), 'leads', to_jsonb(v_circle.leads), 'contents', v_erased);
end $$;
comment on function leadline.erase_person(uuid, text) is 'Erases everything personal of a person and of whoever it was merged with: names, addresses, texts, raw bodies; the history of decisions stays and verifies. Irrevocable. Keeps a keyed hash of the addresses on the do-not-contact list. Returns the people and leads concerned and how many texts went. Owner or admin (PT403 erase_needs_admin); PT404 no_such_person, PT422 key_missing without a reason.';

create or replace function leadline.export_person(p_person_id uuid) returns jsonb
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential := leadline_internal.person_manager('erase_needs_admin');
    v_circle record;
begin
    select * into v_circle from leadline_internal.circle_around(c.workspace_id, p_person_id);
    return jsonb_build_object(
        'people', (select coalesce(jsonb_agg(to_jsonb(p) - 'workspace_id' - 'hash' order by p.created_at, p.person_id), '[]') from leadline.people p
                   where p.workspace_id = c.workspace_id and p.person_id = any (v_circle.people)),
        'keys', (select coalesce(jsonb_agg(jsonb_build_object('kind', k.kind, 'key', k.key) order by k.kind, k.key), '[]') from leadline.person_keys k
                 where k.workspace_id = c.workspace_id and k.person_id = any (v_circle.people)),
        'leads', (select coalesce(jsonb_agg(to_jsonb(l) - 'workspace_id' - 'hash' order by l.created_at, l.lead_id), '[]') from leadline.leads l
                  where l.workspace_id = c.workspace_id and l.lead_id = any (v_circle.leads)),
        'activities', (select coalesce(jsonb_agg(jsonb_build_object('journal', a.journal, 'activity_id', a.activity_id, 'subject_id', a.subject_id, 'activity_type', a.activity_type,
                        'payload', a.payload || coalesce(t.content -> 'payload', '{}'), 'changes', a.changes || coalesce(t.content -> 'changes', '{}'),
                        'reference', a.reference, 'occurred_at', a.occurred_at, 'recorded_at', a.recorded_at, 'verdict', a.verdict, 'rule', a.rule) order by a.activity_id), '[]')
                       from leadline_internal.person_acts a
                       left join leadline.activity_content t on t.workspace_id = a.workspace_id and t.activity_id = a.activity_id
                       where a.workspace_id = c.workspace_id and a.subject_id = any (v_circle.leads || v_circle.people || v_circle.opportunities || v_circle.subscriptions)),
        'opportunities', (select coalesce(jsonb_agg(to_jsonb(o) - 'workspace_id' - 'hash' order by o.created_at, o.opportunity_id), '[]') from leadline.opportunities o
                          where o.workspace_id = c.workspace_id and o.opportunity_id = any (v_circle.opportunities)),
        'subscriptions', (select coalesce(jsonb_agg(to_jsonb(s) - 'workspace_id' - 'hash' order by s.created_at, s.subscription_id), '[]') from leadline.subscriptions s
                          where s.workspace_id = c.workspace_id and s.subscription_id = any (v_circle.subscriptions)),
        'renewal_cycles', (select coalesce(jsonb_agg(to_jsonb(k) - 'workspace_id' order by k.subscription_id, k.period_start), '[]') from leadline.renewal_cycles k
                           where k.workspace_id = c.workspace_id and k.subscription_id = any (v_circle.subscriptions)),
        'approvals', (select coalesce(jsonb_agg(to_jsonb(a) - 'workspace_id' order by a.requested_at, a.approval_id), '[]') from leadline.approvals a
                      where a.workspace_id = c.workspace_id and a.person_id = any (v_circle.people)),
        'requests', (select coalesce(jsonb_agg(to_jsonb(q) - 'workspace_id' order by q.received_at, q.request_id), '[]') from leadline.requests q
                     where q.workspace_id = c.workspace_id and (q.person_id = any (v_circle.people) or q.lead_id = any (v_circle.leads))),
        'suppressions', (select coalesce(jsonb_agg(to_jsonb(s) - 'workspace_id' order by s.kind, s.key, s.channel), '[]') from leadline.suppressions s
                         where s.workspace_id = c.workspace_id and (s.kind, s.key) in (
                            select n.kind, n.key from leadline.leads l cross join lateral leadline_internal.list_keys(c.workspace_id, l.email_key, l.phone_key) n
                            where l.workspace_id = c.workspace_id and l.lead_id = any (v_circle.leads))),
        'webhooks', leadline_internal.webhooks_about(c.workspace_id, v_circle.leads, v_circle.texts));
end $$;
comment on function leadline.export_person(uuid) is 'Everything held about a person, as one document: keys, leads, activities with their texts, requests, do-not-contact, raw bodies. Owner or admin (PT403 erase_needs_admin); PT404 no_such_person.';
