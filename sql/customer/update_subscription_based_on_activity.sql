-- Every activity of a customer's subscription passes here, and nothing else moves it (seed 003). Billing alone writes.
-- Fires: before insert on customer_activity, each row. Reads: the subscription under its lock, then the rules. Writes: the subscription, its renewal
-- cycles, the verdict. Refuses: by rule, in the row itself. Raises PT401, PT403, PT404 no_such_subscription, no_such_person, PT409, PT422.
create or replace function leadline_internal.update_subscription_based_on_activity() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential;
    e leadline_internal.entry := row(new.*);
    v_told jsonb := new.payload;
    s leadline.subscriptions;
    r leadline_internal.rulings;
    x leadline_internal.effect;
begin
    c := leadline_internal.author(e);
    e := leadline_internal.signed(e, c);
    -- Nobody waits for what they do not see: its person is asked for before the lock.
    select * into s from leadline.subscriptions t where t.workspace_id = e.workspace_id and t.subscription_id = e.subject_id;
    if s.subscription_id is null or not leadline_internal.person_is_visible_to(c, s.workspace_id, s.person_id) then
        if e.activity_type = 'subscription_started' and e.subject_id is null then
            e := leadline_internal.bear_subscription(e, c);
            return case when e.activity_id is not null then e end;
        end if;
        perform leadline_internal.no_subject(e, 'customer_activity');
    end if;
    select * into s from leadline.subscriptions t where t.workspace_id = e.workspace_id and t.subscription_id = e.subject_id for no key update;
    r := leadline_internal.law(e, 'customer_activity', s.workflow, s.stage, s.status);
    e.recorded_at := clock_timestamp();
    x := leadline_internal.subscription_effect(e, s);
    e := leadline_internal.decide(e, row(s.workflow, coalesce(e.from_stage, s.stage), coalesce(e.from_status, s.status), s.late_before, s.version, s.seq, s.hash), r, x);
    if e.activity_id is null then return null; end if;
    if e.verdict = 'applied' then
        s := jsonb_populate_record(s, x.becomes);
        perform leadline_internal.keep_renewal_cycle(e, v_told);
    end if;
    if e.to_stage <> e.from_stage then
        s.stage_entered_at := greatest(s.stage_entered_at, e.occurred_at);
        s.late_before := s.stage_entered_at;
    end if;
    update leadline.subscriptions t set
        stage = e.to_stage, status = e.to_status, stage_entered_at = s.stage_entered_at, late_before = s.late_before, cancelled_at = s.cancelled_at,
        seq = e.seq, version = e.version, hash = e.hash
    where t.workspace_id = e.workspace_id and t.subscription_id = e.subject_id;
    return e;
end $$;

create or replace trigger t50_update_subscription_based_on_activity before insert on leadline.customer_activity
    for each row execute function leadline_internal.update_subscription_based_on_activity();

create or replace function leadline_internal.bear_subscription(e leadline_internal.entry, c leadline_internal.credential) returns leadline_internal.entry
language plpgsql volatile
as $$
-- The first activity of a subscription. Returns the decided activity; null when its reference is a repeat. A birth that is refused is raised: PT409.
-- Raises PT404 no_such_person.
declare
    r leadline_internal.rulings := leadline_internal.vocabulary(e, 'customer_activity');
    x leadline_internal.effect;
    s leadline.subscriptions;
begin
    s.workspace_id := e.workspace_id; s.workflow := 'subscription';
    s.stage := case when coalesce((e.payload ->> 'trial')::bool, false) then 'trialing' else 'active' end;
    s.status := leadline_internal.status_of(s.workflow, s.stage);
    s.person_id := leadline_internal.person_of(e.workspace_id, (e.payload ->> 'person_id')::uuid);
    perform leadline_internal.require_contact(c, s.workspace_id, (e.payload ->> 'person_id')::uuid);
    if e.reference is not null and not leadline_internal.claim(e, 'customer_activity') then return null; end if;
    select p.account_id into s.account_id from leadline.people p where p.workspace_id = s.workspace_id and p.person_id = s.person_id;
    s.plan := leadline_internal.shown_text(e.payload ->> 'plan');
    r.effect := 'fields'; r.rule := null; r.is_open := true;
    x.changes := leadline_internal.initial_values(leadline_internal.subscription_fields(s));
    e := leadline_internal.decide(e, row(s.workflow, s.stage, s.status, null, 0, 0, null), r, x);
    if e.activity_id is null then return null; end if;
    if e.verdict <> 'applied' then perform leadline_internal.forbid('PT409', e.rule, format('%s by %s', e.activity_type, e.writer), 'customer_activity'); end if;
    insert into leadline.subscriptions (workspace_id, subscription_id, workflow, status, stage, stage_entered_at, person_id, account_id, plan, started_at, created_at, seq, version, hash)
    values (s.workspace_id, e.subject_id, s.workflow, s.status, s.stage, e.occurred_at, s.person_id, s.account_id, s.plan, e.occurred_at, e.occurred_at, e.seq, e.version, e.hash);
    return e;
end $$;
