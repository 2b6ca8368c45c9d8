-- The words the tests are written in. A file's fixture begins with `select t.here();`: a workspace of its own, people
-- in it, and from there on the session is its admin's login, so what a test asserts it asserts as the runtime role.
create schema t;
grant usage on schema t to public;
create table t.logins (login name, role text, scopes text[], workspace_id uuid);
create table t.people (role text, user_id uuid);
grant select on t.logins, t.people to public;

create function t.workspace() returns uuid language sql as $$ select current_setting('t.workspace')::uuid $$;
create function t.elsewhere() returns uuid language sql as $$ select current_setting('t.elsewhere')::uuid $$;

create function t.person(p_role text) returns uuid language sql as $$
    select p.user_id from t.people p where p.role = p_role
$$;

-- The cluster's logins for t.act_as(), made once: whoever makes one waits for everybody who is just making another.
do $$ begin
    for n in 1..24 loop
        begin
            execute format('create role t_%s login in role leadline_writer', n);
        exception when duplicate_object or unique_violation then null;
        end;
    end loop;
end $$;

-- Acts from here on as a login of that role, bound to that workspace; 'nobody' is bound to none, 'superuser' is one.
create function t.act_as(p_role text, p_scopes text[] default '{}', p_workspace uuid default t.workspace()) returns void
language plpgsql as $$
declare
    v_login name;
begin
    execute 'set local session authorization default';
    if p_role = 'superuser' then return; end if;
    select l.login into v_login from t.logins l
    where l.role = p_role and l.scopes = p_scopes and l.workspace_id = p_workspace;
    if not found then
        v_login := format('t_%s', 1 + (select count(*) from t.logins));
        if p_role <> 'nobody' then
            perform leadline.add_login(p_workspace, v_login, p_role, t.person(p_role), p_scopes);
        end if;
        insert into t.logins values (v_login, p_role, p_scopes, p_workspace);
    end if;
    execute format('set local session authorization %I', v_login);
end $$;

-- Reports one activity as whoever acts: the row as it stands in the journal.
create function t.report(p_lead_id uuid, p_activity_type text, p_payload jsonb default '{}', p_reference text default null,
                         p_occurred_at timestamptz default null, p_on_behalf_of uuid default null)
returns setof leadline.lead_activity language sql as $$
    insert into leadline.lead_activity (lead_id, activity_type, payload, reference, occurred_at, on_behalf_of)
    values (p_lead_id, p_activity_type, p_payload, p_reference, p_occurred_at, p_on_behalf_of)
    returning *
$$;

-- The same, as two words: 'applied', 'noted already_there', 'refused outcome_needs_appointment'.
create function t.verdict(p_lead_id uuid, p_activity_type text, p_payload jsonb default '{}', p_reference text default null,
                          p_occurred_at timestamptz default null, p_on_behalf_of uuid default null)
returns text language sql as $$
    select concat_ws(' ', r.verdict, r.rule)
    from t.report(p_lead_id, p_activity_type, p_payload, p_reference, p_occurred_at, p_on_behalf_of) r
$$;

-- The same in the words of a matrix: '→contacted', 'F', 'N', 'N lead_is_won', 'R deal_value_required'.
create function t.cell(p_lead_id uuid, p_activity_type text, p_payload jsonb) returns text language sql as $$
    select case when r.to_stage <> r.from_stage then '→' || r.to_stage
                when r.verdict = 'applied' then 'F'
                else concat_ws(' ', upper(left(r.verdict, 1)), r.rule) end
    from t.report(p_lead_id, p_activity_type, p_payload) r
$$;

-- A lead that stands at a stage since 1 January 2026, noon UTC, brought in by an importer of the workspace.
create function t.lead(p_stage text default 'new', p_payload jsonb default '{}', p_workspace uuid default t.workspace())
returns uuid language plpgsql as $$
declare
    v_who name := session_user;
    v_lead_id uuid;
begin
    perform t.act_as('importer', '{import}', p_workspace);
    select r.lead_id into v_lead_id
    from t.report(null, 'lead_imported',
                  p_payload || jsonb_build_object('stage', p_stage, 'entered_at', '2026-01-01T12:00:00Z')) r;
    execute format('set local session authorization %I', v_who);
    return v_lead_id;
end $$;

-- The same in the sales workflow, with the attributes its stage needs: a contact, a value (1000 EUR), a reason (Price).
create function t.sales_lead(p_stage text default 'new', p_payload jsonb default '{}', p_workspace uuid default t.workspace())
returns uuid language sql as $$
    select t.lead(p_stage,
                  jsonb_build_object('workflow', 'sales', 'email', gen_random_uuid() || '@example.com')
                  || case when p_stage = 'contacted' then '{"first_contacted_at": "2026-01-01T12:00:00Z"}'
                          when p_stage in ('proposal', 'won') then '{"deal_value": 1000, "currency": "EUR"}'
                          when p_stage = 'lost' then '{"lost_reason": "Price"}' else '{}' end::jsonb
                  || p_payload, p_workspace)
$$;

-- The lead, archived by an admin.
create function t.archived(p_lead_id uuid) returns uuid language plpgsql as $$
declare
    v_who name := session_user;
begin
    perform t.act_as('admin');
    perform t.report(p_lead_id, 'lead_archived');
    execute format('set local session authorization %I', v_who);
    return p_lead_id;
end $$;

-- The lead that an enquiry met or made.
create function t.enquiry(p_payload jsonb, p_occurred_at timestamptz default null, p_reference text default null)
returns uuid language sql as $$
    select r.lead_id from t.report(null, 'inbound_enquiry', p_payload, p_reference, p_occurred_at) r
$$;

-- The requests of a lead, in the order they came.
create function t.requests(p_lead_id uuid)
returns table (request_class text, route text, exclusion text, source text, external_id text, owner_user_id uuid, person_id uuid, activity_id bigint,
               received_at timestamptz, first_response_at timestamptz, not_applicable_at timestamptz)
language plpgsql as $$
begin
    return query select q.request_class, q.route, q.exclusion, q.source, q.external_id, q.owner_user_id, q.person_id, q.activity_id,
                        q.received_at, q.first_response_at, q.not_applicable_at
        from leadline.requests q where q.lead_id = p_lead_id order by q.activity_id;
end $$;

-- What waits to be sent about a lead; the worker's to read, so the test looks over its shoulder.
create function t.outbox(p_lead_id uuid) returns table (topic text, recipient_user_id uuid)
language plpgsql security definer as $$
begin
    return query select o.topic, o.recipient_user_id from leadline.outbox o
        where o.workspace_id = t.workspace() and o.lead_id = p_lead_id order by o.outbox_id;
end $$;

-- A company the workspace knows, entered by an admin.
create function t.account(p_kind text, p_domain text, p_owner_user_id uuid default null) returns uuid language plpgsql as $$
declare
    v_who name := session_user;
    v_account_id uuid;
begin
    perform t.act_as('admin');
    v_account_id := leadline.set_account(t.workspace(), p_domain, p_domain, p_kind, p_owner_user_id);
    execute format('set local session authorization %I', v_who);
    return v_account_id;
end $$;

-- A lead created here by whoever acts.
create function t.created(p_payload jsonb default '{}', p_occurred_at timestamptz default null)
returns uuid language sql as $$
    select r.lead_id from t.report(null, 'lead_created', p_payload, null, p_occurred_at) r
$$;

-- A lead as it stands now, as whoever acts may see it.
create function t.state(p_lead_id uuid) returns leadline.lead_overview language sql as $$
    select l.* from leadline.lead_overview l where l.lead_id = p_lead_id
$$;
create function t.stage(p_lead_id uuid) returns text language sql as $$ select (t.state(p_lead_id)).stage $$;

-- Keeps an id under a name for the rest of the test, and gives it back.
create function t.keep(p_name text, p_id uuid) returns uuid language sql as $$
    select set_config('t.' || p_name, p_id::text, true)::uuid
$$;
create function t.kept(p_name text) returns uuid language sql as $$ select current_setting('t.' || p_name)::uuid $$;

-- What an error says: its code, its rule, its sentence, its hint; all null when nothing is raised.
create function t.caught(p_sql text, out sqlstate_ text, out rule text, out sentence text, out hint text)
language plpgsql as $$
begin
    execute p_sql;
exception when others then
    get stacked diagnostics sqlstate_ = returned_sqlstate, rule = constraint_name, sentence = message_text, hint = pg_exception_hint;
end $$;

-- Assertion: sentence and hint are words a person can act on.
create function t.speaks(p_sentence text, p_hint text) returns text language sql as $$
    select ok(coalesce(p_sentence ~ '\w+ \w+ \w+' and p_hint ~ '\w+ \w+' and p_sentence <> p_hint, false),
              format('it says "%s" and advises "%s"', p_sentence, p_hint))
$$;

-- Assertion: the statement is answered with this SQLSTATE, under this rule, in words a person can act on.
create function t.raises(p_sql text, p_sqlstate text, p_rule text, p_description text) returns setof text
language plpgsql as $$
declare
    v_caught record;
begin
    return next throws_ok(p_sql, p_sqlstate::char(5), null, p_description);
    select * into v_caught from t.caught(p_sql);
    return next is(v_caught.rule, p_rule, 'the error names its rule');
    return next t.speaks(v_caught.sentence, v_caught.hint);
end $$;

-- Begins a test: workspaces, people, and the admin's login.
create function t.here() returns void language plpgsql as $$
begin
    perform set_config('t.workspace', leadline.create_workspace('Here')::text, true),
            set_config('t.elsewhere', leadline.create_workspace('Elsewhere')::text, true);
    insert into t.people
    select r, leadline.add_member(t.workspace(), r || '@here.example.com', r)
    from unnest('{owner,admin,member}'::text[]) r;
    perform t.act_as('admin');
    -- What a member may not see is the subject of access/visibility.sql alone.
    insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": true}');
end $$;

-- Reports one activity about a person, a deal or a subscription: the row as it stands in that journal.
create function t.report_on_person(p_person_id uuid, p_activity_type text, p_payload jsonb default '{}', p_reference text default null,
                                   p_occurred_at timestamptz default null, p_on_behalf_of uuid default null)
returns setof leadline.relationship_activity language sql as $$
    insert into leadline.relationship_activity (person_id, activity_type, payload, reference, occurred_at, on_behalf_of)
    values (p_person_id, p_activity_type, p_payload, p_reference, p_occurred_at, p_on_behalf_of)
    returning *
$$;
create function t.report_on_deal(p_opportunity_id uuid, p_activity_type text, p_payload jsonb default '{}', p_reference text default null,
                                 p_occurred_at timestamptz default null, p_on_behalf_of uuid default null)
returns setof leadline.opportunity_activity language sql as $$
    insert into leadline.opportunity_activity (opportunity_id, activity_type, payload, reference, occurred_at, on_behalf_of)
    values (p_opportunity_id, p_activity_type, p_payload, p_reference, p_occurred_at, p_on_behalf_of)
    returning *
$$;
create function t.report_on_customer(p_subscription_id uuid, p_activity_type text, p_payload jsonb default '{}', p_reference text default null,
                                     p_occurred_at timestamptz default null)
returns setof leadline.customer_activity language sql as $$
    insert into leadline.customer_activity (subscription_id, activity_type, payload, reference, occurred_at)
    values (p_subscription_id, p_activity_type, p_payload, p_reference, p_occurred_at)
    returning *
$$;

-- The same, as two words.
create function t.verdict_on_person(p_person_id uuid, p_activity_type text, p_payload jsonb default '{}', p_reference text default null,
                                    p_occurred_at timestamptz default null, p_on_behalf_of uuid default null)
returns text language sql as $$
    select concat_ws(' ', r.verdict, r.rule)
    from t.report_on_person(p_person_id, p_activity_type, p_payload, p_reference, p_occurred_at, p_on_behalf_of) r
$$;
create function t.verdict_on_deal(p_opportunity_id uuid, p_activity_type text, p_payload jsonb default '{}', p_reference text default null,
                                  p_occurred_at timestamptz default null, p_on_behalf_of uuid default null)
returns text language sql as $$
    select concat_ws(' ', r.verdict, r.rule)
    from t.report_on_deal(p_opportunity_id, p_activity_type, p_payload, p_reference, p_occurred_at, p_on_behalf_of) r
$$;
create function t.verdict_on_customer(p_subscription_id uuid, p_activity_type text, p_payload jsonb default '{}', p_reference text default null,
                                      p_occurred_at timestamptz default null)
returns text language sql as $$
    select concat_ws(' ', r.verdict, r.rule) from t.report_on_customer(p_subscription_id, p_activity_type, p_payload, p_reference, p_occurred_at) r
$$;

-- What a verdict is in the words of a matrix; H is held.
create function t.as_cell(p_verdict text, p_rule text, p_from_stage text, p_to_stage text) returns text language sql as $$
    select case when p_to_stage <> p_from_stage then '→' || p_to_stage
                when p_verdict = 'applied' then 'F'
                else concat_ws(' ', upper(left(p_verdict, 1)), p_rule) end
$$;

-- Moves a person on as whoever acts, for the reason given there or a plain one: the verdict.
create function t.advance(p_person_id uuid, p_to text, p_payload jsonb default '{}', p_occurred_at timestamptz default null) returns text language sql as $$
    select t.verdict_on_person(p_person_id, 'relationship_advanced', jsonb_build_object('to', p_to, 'reason', 'they said so') || p_payload, null, p_occurred_at)
$$;

-- A person of the workspace, known by a lead of the appointment workflow that an importer brought in.
create function t.someone(p_payload jsonb default '{}') returns uuid language plpgsql as $$
declare
    v_who name := session_user;
    v_person_id uuid;
    v_lead_id uuid := t.lead('new', p_payload);
begin
    perform t.act_as('importer', '{import}');
    v_person_id := (t.state(v_lead_id)).person_id;
    execute format('set local session authorization %I', v_who);
    return v_person_id;
end $$;

-- A person who stands at a point of the relationship since 1 January 2026, noon UTC: an admin said so.
create function t.person_at(p_stage text default 'prospect', p_payload jsonb default '{}') returns uuid language plpgsql as $$
declare
    v_who name := session_user;
    v_person_id uuid := t.someone(p_payload);
begin
    perform t.act_as('admin');
    if p_stage = 'closed' then
        perform t.report_on_person(v_person_id, 'relationship_closed', '{"reason": "they said no"}', null, '2026-01-01T12:00:00Z');
    elsif p_stage <> 'prospect' then
        perform t.advance(v_person_id, p_stage, '{}', '2026-01-01T12:00:00Z');
    end if;
    execute format('set local session authorization %I', v_who);
    return v_person_id;
end $$;

-- A person as everybody sees them, and the point where they stand.
create function t.contact(p_person_id uuid) returns leadline.contacts language sql as $$
    select c.* from leadline.contacts c where c.person_id = p_person_id
$$;
create function t.point(p_person_id uuid) returns text language sql as $$ select (t.contact(p_person_id)).stage $$;

-- An approval as it stands, settled ones included.
create function t.approval(p_approval_id uuid) returns leadline.approvals language sql security definer as $$
    select a.* from leadline.approvals a where a.workspace_id = t.workspace() and a.approval_id = p_approval_id
$$;
-- An approval that waits: an app, which may not decide it, asked that the person become this.
create function t.asked(p_person_id uuid, p_to text default 'client') returns uuid language plpgsql as $$
declare
    v_who name := session_user;
    v_answer json;
begin
    perform t.act_as('app');
    v_answer := leadline.log_in_journal('relationship_activity', p_person_id, 'relationship_advanced',
                                        jsonb_build_object('to', p_to, 'reason', 'they signed'));
    execute format('set local session authorization %I', v_who);
    return v_answer ->> 'approval_id';
end $$;
-- The question that waits for an answer about a person.
create function t.open_question(p_person_id uuid, p_to text default 'client') returns uuid language sql as $$
    select q.approval_id from leadline.approval_queue q where q.person_id = p_person_id and q.to_stage = p_to and q.status = 'open'
$$;
-- Lets an approval have waited for longer than it may.
create function t.outlasted(p_approval_id uuid) returns uuid language sql security definer as $$
    update leadline.approvals a set requested_at = '2026-01-01T12:00:00Z', expires_at = '2026-01-15T12:00:00Z'
    where a.workspace_id = t.workspace() and a.approval_id = p_approval_id
    returning a.approval_id
$$;
-- Answers it as whoever acts: 'granted', 'declined'.
create function t.answer(p_approval_id uuid, p_answer text, p_payload jsonb default '{}') returns text language sql as $$
    select t.verdict_on_person((t.approval(p_approval_id)).person_id, 'approval_' || p_answer, jsonb_build_object('approval_id', p_approval_id) || p_payload)
$$;

-- A qualification lead at a stage since 1 January 2026, noon UTC, with what the stage needs: turned away for no_fit, or recycled for
-- bad_timing until 1 February 2026.
create function t.qualification_lead(p_stage text default 'new', p_payload jsonb default '{}', p_workspace uuid default t.workspace())
returns uuid language sql as $$
    select t.lead(p_stage,
                  jsonb_build_object('workflow', 'qualification', 'email', gen_random_uuid() || '@example.com')
                  || case when p_stage = 'disqualified' then '{"rejection_reason": "no_fit"}'
                          when p_stage = 'recycled' then '{"recycle_reason": "bad_timing", "recycle_on": "2026-02-01"}' else '{}' end::jsonb
                  || p_payload, p_workspace)
$$;
-- The lead, accepted by an admin.
create function t.accepted(p_lead_id uuid) returns uuid language plpgsql as $$
declare
    v_who name := session_user;
begin
    perform t.act_as('admin');
    perform t.report(p_lead_id, 'request_accepted');
    execute format('set local session authorization %I', v_who);
    return p_lead_id;
end $$;
-- What a buyer confirmed, for a lead and for a deal.
create function t.confirmed() returns jsonb language sql as $$
    select '{"problem": "too much paper", "timing": "this spring", "buying_role": "decides"}'::jsonb
$$;
create function t.packet(p_contact uuid) returns jsonb language sql as $$
    select jsonb_build_object('to_stage', 'proposal', 'problem', 'too much paper', 'decision_process', 'the board decides', 'next_step', 'a second meeting',
                              'next_step_on', '2026-03-01', 'contact', p_contact)
$$;

-- What was decided of the requests of a lead, in the order they came.
create function t.decisions(p_lead_id uuid)
returns table (request_id uuid, decision text, decision_reason text, disposition_at timestamptz, qualified_at timestamptz)
language plpgsql as $$
begin
    return query select q.request_id, q.decision, q.decision_reason, q.disposition_at, q.qualified_at
        from leadline.requests q where q.lead_id = p_lead_id order by q.activity_id;
end $$;

-- A deal at a stage, opened on 1 January 2026, noon UTC, and led there by an admin, an hour a step: won for 1000 EUR, lost for
-- Price, withdrawn with the conversion it came of.
create function t.opportunity(p_stage text default 'evaluation', p_payload jsonb default '{}', p_pipeline text default 'new_business') returns uuid language plpgsql as $$
declare
    v_who name := session_user;
    v_person_id uuid := coalesce((p_payload ->> 'person_id')::uuid, t.someone());
    v_lead_id uuid;
    v_deal uuid;
begin
    if p_stage = 'withdrawn' then v_lead_id := t.qualification_lead('qualified'); end if;
    perform t.act_as('admin');
    if v_lead_id is not null then
        perform t.report(v_lead_id, 'lead_converted', jsonb_build_object('pipeline', p_pipeline) || p_payload, null, '2026-01-01T12:00:00Z');
        v_deal := (t.state(v_lead_id)).opportunity_id;
        perform t.report(v_lead_id, 'stage_corrected', '{"to_stage": "connected", "reason": "entered_by_mistake"}', null, '2026-01-01T13:00:00Z');
    else
        select r.opportunity_id into v_deal from t.report_on_deal(
            null, 'opportunity_opened', jsonb_build_object('pipeline', p_pipeline, 'person_id', v_person_id) || p_payload, null, '2026-01-01T12:00:00Z') r;
    end if;
    if p_stage in ('proposal', 'closedwon') then
        perform t.report_on_deal(v_deal, 'opportunity_advanced', t.packet(v_person_id), null, '2026-01-01T13:00:00Z');
    end if;
    if p_stage = 'closedwon' then
        perform t.report_on_deal(v_deal, 'opportunity_won', '{"amount": 1000, "currency": "EUR", "close_date": "2026-01-01"}', null, '2026-01-01T14:00:00Z');
    elsif p_stage = 'closedlost' then
        perform t.report_on_deal(v_deal, 'opportunity_lost', '{"lost_reason": "Price"}', null, '2026-01-01T14:00:00Z');
    end if;
    execute format('set local session authorization %I', v_who);
    return v_deal;
end $$;
create function t.deal(p_opportunity_id uuid) returns leadline.opportunities language sql as $$
    select o.* from leadline.opportunities o where o.opportunity_id = p_opportunity_id
$$;

-- A subscription at a stage, started on 1 January 2026, noon UTC, and led there by billing.
create function t.subscription(p_stage text default 'active', p_payload jsonb default '{}') returns uuid language plpgsql as $$
declare
    v_who name := session_user;
    v_person_id uuid := coalesce((p_payload ->> 'person_id')::uuid, t.someone());
    v_subscription uuid;
begin
    perform t.act_as('billing');
    select r.subscription_id into v_subscription from t.report_on_customer(
        null, 'subscription_started', jsonb_build_object('person_id', v_person_id, 'plan', 'basic', 'trial', p_stage = 'trialing') || p_payload, null, '2026-01-01T12:00:00Z') r;
    if p_stage = 'past_due' then
        perform t.report_on_customer(v_subscription, 'payment_failed', '{}', null, '2026-01-01T13:00:00Z');
    elsif p_stage = 'cancelled' then
        perform t.report_on_customer(v_subscription, 'subscription_cancelled', '{}', null, '2026-01-01T13:00:00Z');
    end if;
    execute format('set local session authorization %I', v_who);
    return v_subscription;
end $$;
create function t.paying(p_subscription_id uuid) returns leadline.subscriptions language sql as $$
    select s.* from leadline.subscriptions s where s.subscription_id = p_subscription_id
$$;
