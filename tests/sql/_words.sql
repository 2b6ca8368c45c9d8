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
        v_login := format('t_%s_%s_%s', pg_backend_pid(), p_role, (select count(*) from t.logins));
        execute format('create role %I login in role leadline_writer', v_login);
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
