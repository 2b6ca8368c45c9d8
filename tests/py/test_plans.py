"""Every hot statement reads by an index that begins with the workspace, whoever asks: told by its plans, not by
its time.

Statements are the service's own, sent as the service's login, under row security. auto_explain shows their plans
and those of every statement in the functions they call: entering, finding a bound login, deciding, claiming a
reference. A hundred busy workspaces among two thousand, 100,000 leads of as many people, two activities a lead;
for every second person a move, for every fourth a deal, for every tenth a subscription, for every twentieth an
approval. A million leads are read by the same indexes; for few leads of one person the planner then prefers a
plain scan to a bitmap.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import psycopg
import pytest

from app.db import ENTER
from app.idempotency import CLAIM, KEEP
from app.postgres import Server
from app.routes import (
    activities,
    changes,
    journal,
    leads,
    opportunities,
    people,
    relationship,
    requests,
    subjects,
    subscriptions,
)
from app.usage import NOTE
from tests.databases import Database, clone

pytestmark = pytest.mark.slow

LEADS = 100_000
BUSY, IDLE, PEOPLE = 100, 1_900, 20

FILL = """
    set session_replication_role = replica;
    create function pg_temp.id(kind int, n bigint) returns uuid language sql immutable
        return (lpad(kind::text, 8, '0') || '-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid;
    insert into leadline.workspaces (workspace_id, name, seq)
    select pg_temp.id(1, w), 'W' || w, 1 + {people} from generate_series(0, {busy} + {idle} - 1) w;
    insert into leadline.users (user_id, email)
    select pg_temp.id(2, u), u || '@people.example' from generate_series(0, {busy} * {people} - 1) u;
    insert into leadline.memberships (workspace_id, user_id, role)
    select pg_temp.id(1, u % {busy}), pg_temp.id(2, u), case when u / {busy} = 0 then 'admin' else 'member' end
    from generate_series(0, {busy} * {people} - 1) u;
    insert into leadline.api_tokens (workspace_id, prefix, token_hash, user_id, role, writer)
    select pg_temp.id(1, u % {busy}), substr(md5(u::text), 1, 12), sha256(int8send(u)), pg_temp.id(2, u), 'member', 'person'
    from generate_series(0, {busy} * {people} - 1) u;
    insert into leadline.workspace_logins (workspace_id, login, user_id, role, writer)
    select pg_temp.id(1, u % {busy}), 'nobody_' || u, pg_temp.id(2, u), 'member', 'person'
    from generate_series(0, {busy} * {people} - 1) u;
    insert into leadline.leads (workspace_id, lead_id, workflow, status, stage, stage_entered_at, source, name, email, email_key,
        phone, phone_key, person_id, assigned_user_id, tags, last_touch_at, resolved_at, waiting_since, is_possible_duplicate, created_at, seq, version)
    select pg_temp.id(1, n % {busy}), pg_temp.id(3, n * 7919 % {leads}), 'appointment', case when n % 3 = 0 then 'resolved' else 'open' end,
        case n % 3 when 0 then 'sale' when 1 then 'new' else 'attempted' end, t.at, case when n % 7 = 0 then 'web' else 'app' end, 'Lead ' || n,
        n || '@leads.example', n || '@leads.example', '+49' || 30000000 + n, '+49' || 30000000 + n, pg_temp.id(5, n),
        case when n / {busy} % 4 > 0 then pg_temp.id(2, n % {busy} + {busy} * (n / {busy} % {people})) end,
        case when n % 11 = 0 then '{{hot}}'::text[] else '{{}}' end, t.at, case when n % 3 = 0 then t.at end,
        case when n % 500 = 0 then t.at end, n % 700 = 0, t.at, 2, 2
    from generate_series(0::bigint, {leads} - 1) n, lateral (select timestamptz '2026-01-01' + n * interval '1 minute' as at) t;
    insert into leadline.accounts (workspace_id, account_id, name, domain)
    select pg_temp.id(1, n % {busy}), pg_temp.id(6, n), 'Account ' || n, n || '.example' from generate_series(0, {leads} / 10 - 1) n;
    insert into leadline.idempotency_keys (workspace_id, credential_id, route, key, fingerprint, status, content_type, body, answered_at)
    select l.workspace_id, pg_temp.id(4, 1), 'POST /v1/leads', l.lead_id, '\\x00', 201, 'application/json', '{{}}', now() from leadline.leads l;
    insert into leadline.people (workspace_id, person_id, account_id, stage, furthest_stage, stage_entered_at, created_at, seq, version)
    select l.workspace_id, l.person_id, case when t.n % 10 = 0 then pg_temp.id(6, t.n % ({leads} / 10)) end, s.stage, s.stage,
        case when t.n % 2 = 0 then l.created_at end, l.created_at, (t.n % 2 = 0)::int, (t.n % 2 = 0)::int
    from leadline.leads l, lateral (select right(l.person_id::text, 12)::bigint as n) t,
        lateral (select case when t.n % 2 = 1 then 'prospect' when t.n % 10 = 0 then 'client' when t.n % 4 = 0 then 'opportunity' else 'qualified' end as stage) s;
    insert into leadline.person_keys (workspace_id, kind, key, person_id)
    select l.workspace_id, k.kind, k.key, l.person_id
    from leadline.leads l cross join lateral (values ('email', l.email_key), ('phone', l.phone_key)) k (kind, key);
    insert into leadline.requests (workspace_id, lead_id, person_id, activity_id, request_class, source, received_at, route, owner_user_id, first_response_at)
    select l.workspace_id, l.lead_id, l.person_id, 50 * {leads} + row_number() over (), 'contact', l.source, l.created_at, 'new_business',
        l.assigned_user_id, case when l.waiting_since is null then l.created_at end
    from leadline.leads l;
    insert into leadline.lead_activity (workspace_id, activity_id, lead_id, activity_type, occurred_at, recorded_at, actor_kind, writer,
        verdict, from_stage, to_stage, from_status, to_status, changes, version, seq, rules_version, transaction_id, hash)
    select l.workspace_id, row_number() over (order by g.s, l.created_at), l.lead_id,
        case g.s when 1 then 'lead_created' else 'contact_attempted' end, l.created_at, l.created_at, 'integration', 'app', 'applied', 'new',
        case g.s when 1 then 'new' else 'attempted' end, 'open', 'open', '{{}}', g.s, g.s, 'none', g.s::text::xid8, '\\x00'
    from leadline.leads l, generate_series(1, 2) g (s) order by g.s, l.created_at;
    insert into leadline.activity_content (workspace_id, activity_id, salt, content)
    select a.workspace_id, a.activity_id, '\\x00', '{{}}' from leadline.lead_activity a where a.seq = 1;
    insert into leadline_internal.activity_references (workspace_id, journal, reference, subject_id, activity_type, activity_id)
    select a.workspace_id, 'lead_activity', a.activity_id, a.lead_id, a.activity_type, a.activity_id from leadline.lead_activity a where a.seq = 1;
    insert into leadline.opportunities (workspace_id, opportunity_id, workflow, status, stage, stage_entered_at, person_id, account_id, assigned_user_id,
        amount, currency, close_date, won_at, created_at, seq, version)
    select l.workspace_id, pg_temp.id(7, t.n), case when t.n % 3 = 0 then 'expansion' else 'new_business' end, case when t.n % 20 = 0 then 'won' else 'open' end,
        case when t.n % 20 = 0 then 'closedwon' else 'evaluation' end, l.created_at, l.person_id,
        case when t.n % 10 = 0 then pg_temp.id(6, t.n % ({leads} / 10)) end, l.assigned_user_id, 100, 'EUR', '2026-06-01', case when t.n % 20 = 0 then l.created_at end, l.created_at, 2, 2
    from leadline.leads l, lateral (select right(l.person_id::text, 12)::bigint as n) t where t.n % 4 = 0;
    insert into leadline.subscriptions (workspace_id, subscription_id, status, stage, stage_entered_at, person_id, account_id, plan, started_at, created_at, seq, version)
    select p.workspace_id, pg_temp.id(8, t.n), 'live', case when t.n % 30 = 0 then 'past_due' else 'active' end, p.created_at, p.person_id, p.account_id,
        case when t.n % 20 = 0 then 'team' else 'solo' end, p.created_at, p.created_at, 2, 2
    from leadline.people p, lateral (select right(p.person_id::text, 12)::bigint as n) t where t.n % 10 = 0;
    insert into leadline.renewal_cycles (workspace_id, subscription_id, period_start, period_end, stage, opened_at, settled_at)
    select s.workspace_id, s.subscription_id, k.day, k.day + 365, k.stage, s.created_at, case when k.stage <> 'open' then s.created_at end
    from leadline.subscriptions s, (values (date '2025-01-01', 'renewed'), ('2026-01-01', 'open')) k (day, stage);
    insert into leadline.relationship_activity (workspace_id, activity_id, person_id, activity_type, payload, occurred_at, recorded_at, actor_kind, writer,
        verdict, from_stage, to_stage, from_status, to_status, changes, version, seq, rules_version, transaction_id, hash)
    select p.workspace_id, 3 * {leads} + row_number() over (order by p.created_at), p.person_id, 'relationship_advanced', '{{}}', p.created_at, p.created_at,
        'integration', 'app', 'applied', 'prospect', p.stage, 'open', 'open', '{{}}', 1, 1, 'none', '3', '\\x00'
    from leadline.people p where p.seq = 1;
    insert into leadline.approvals (workspace_id, person_id, to_stage, activity_id, status, requested_at, expires_at, settled_at, settled_by)
    select a.workspace_id, a.person_id, 'active', a.activity_id, case when a.activity_id % 3 = 0 then 'open' else 'granted' end, a.occurred_at,
        a.occurred_at + interval '1 year', case when a.activity_id % 3 > 0 then a.occurred_at end, case when a.activity_id % 3 > 0 then 1 end
    from leadline.relationship_activity a where a.activity_id % 10 = 1;
    insert into leadline.opportunity_activity (workspace_id, activity_id, opportunity_id, activity_type, payload, occurred_at, recorded_at, actor_kind, writer,
        verdict, from_stage, to_stage, from_status, to_status, changes, version, seq, rules_version, transaction_id, hash)
    select o.workspace_id, 5 * {leads} + row_number() over (order by g.s, o.created_at), o.opportunity_id,
        case g.s when 1 then 'opportunity_opened' else 'amount_changed' end, '{{}}', o.created_at, o.created_at, 'integration', 'app', 'applied', 'evaluation',
        'evaluation', 'open', 'open', '{{}}', g.s, g.s, 'none', '3', '\\x00'
    from leadline.opportunities o, generate_series(1, 2) g (s);
    insert into leadline.customer_activity (workspace_id, activity_id, subscription_id, activity_type, payload, occurred_at, recorded_at, actor_kind, writer,
        verdict, from_stage, to_stage, from_status, to_status, changes, version, seq, rules_version, transaction_id, hash)
    select s.workspace_id, 7 * {leads} + row_number() over (order by g.s, s.created_at), s.subscription_id,
        case g.s when 1 then 'subscription_started' else 'payment_succeeded' end, '{{}}', s.created_at, s.created_at, 'integration', 'billing', 'applied', 'active',
        'active', 'live', 'live', '{{}}', g.s, g.s, 'none', '3', '\\x00'
    from leadline.subscriptions s, generate_series(1, 2) g (s);
    insert into leadline.suppressions (workspace_id, kind, key, channel, suppressed_by, suppressed_at)
    select l.workspace_id, 'email', l.email_key, 'any', 1, l.created_at from leadline.leads l where l.source = 'web';
    insert into leadline.workspace_activity (workspace_id, activity_id, about_id, activity_type, occurred_at, recorded_at, actor_kind, writer,
        verdict, from_stage, to_stage, from_status, to_status, version, seq, rules_version, transaction_id, hash)
    select pg_temp.id(1, n % {busy}), 10 * {leads} + n, pg_temp.id(4, n), 'token_created', now(), now(), 'system', 'workflow:administration', 'noted', 'active',
        'active', 'open', 'open', 1, 2 + n / {busy}, 'none', '4', '\\x00' from generate_series(0, {busy} * {people} - 1) n;
    select setval('leadline_internal.activity_ids', 100 * {leads});
    reset session_replication_role;
    analyze
"""
# What every session of the database tells its client about the statements it runs.
TELL = {
    "session_preload_libraries": "auto_explain",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_nested_statements": "on",
    "auto_explain.log_format": "json",
    "auto_explain.log_analyze": "on",
    "auto_explain.log_timing": "off",
    "client_min_messages": "log",
}

# Tables of tenants and their indexes, users among them; indexes are null for the table itself.
TENANTS = """
    select c.relname::text, i.relname::text
    from pg_class c
    left join pg_index x on x.indrelid = c.oid left join pg_class i on i.oid = x.indexrelid
    where c.relkind in ('r', 'p') and c.relnamespace in ('leadline'::regnamespace, 'leadline_internal'::regnamespace)
      and (c.relname = 'users' or exists (
          select from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id'))
"""
A_MEMBERS_LEAD = """
    select l.workspace_id, l.lead_id, l.person_id, l.assigned_user_id, o.opportunity_id, s.subscription_id, q.approval_id, s.account_id from leadline.leads l
    join leadline.memberships m on m.workspace_id = l.workspace_id and m.user_id = l.assigned_user_id
    join leadline.opportunities o on o.workspace_id = l.workspace_id and o.person_id = l.person_id
    join leadline.subscriptions s on s.workspace_id = l.workspace_id and s.person_id = l.person_id
    join leadline.approvals q on q.workspace_id = l.workspace_id and q.person_id = l.person_id
    where m.role = 'member' and l.stage = 'new' order by l.created_at limit 1
"""
AN_ADMIN = "select user_id from leadline.memberships where workspace_id = %s and role = 'admin'"
INSERT = """
    insert into leadline.lead_activity (lead_id, activity_type) values (%(lead_id)s, 'contact_attempted')
    returning verdict
"""

# Read before a workspace is known, or by a person, who is in few workspaces.
WITHOUT_WORKSPACE = {
    "api_tokens_prefix_is_known_once", "workspace_logins_login_is_bound_once", "users_pkey", "memberships_by_user",
}  # fmt: skip


class Read(NamedTuple):
    """A step of a plan that reads a tenant's table or one of its indexes."""

    query: str
    how: str
    table: str
    by: str
    condition: str
    rows: float


class Session:
    """A connection, and what the statements read that it has run."""

    def __init__(self, connection: psycopg.Connection[Any], tenants: Mapping[str, str]) -> None:
        self.connection = connection
        self._table_of = tenants
        self._reads: list[Read] = []
        connection.add_notice_handler(self._keep)

    def run(self, statement: Any, given: Any, token: str = "", times: int = 1) -> list[Read]:
        """What the statement read, after entering by `token` where one is named; its effects are undone."""
        self._reads = []
        with self.connection.transaction(force_rollback=True):
            if token:
                self.connection.execute(ENTER, [token], prepare=True)
            for _ in range(times):
                self.connection.execute(statement, given, prepare=True)
        return self._reads

    def _keep(self, notice: psycopg.errors.Diagnostic) -> None:
        _, found, text = (notice.message_primary or "").partition("plan:\n")
        if found:
            told = json.loads(text)
            self._walk(told["Query Text"], told["Plan"])

    def _walk(self, query: str, plan: Mapping[str, Any]) -> None:
        index = plan.get("Index Name", "")
        table = plan.get("Relation Name") or self._table_of.get(index, "")
        if table in self._table_of and plan["Node Type"] != "ModifyTable":
            rows = (plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)) * plan["Actual Loops"]
            self._reads.append(Read(query, plan["Node Type"], table, index, plan.get("Index Cond", ""), rows))
        for inner in plan.get("Plans", ()):
            self._walk(query, inner)


@dataclasses.dataclass(frozen=True)
class Ground:
    """The filled database, one of its leads, and who comes to it: tokens by role, a bound login by role."""

    database: Database
    tenants: Mapping[str, str]
    tokens: Mapping[str, str]
    logins: Mapping[str, str]
    lead_id: str
    person_id: str
    user_id: str
    opportunity_id: str
    subscription_id: str
    approval_id: str
    account_id: str

    @contextlib.contextmanager
    def session(self, login: str = "leadline_service", *, is_generic: bool = False) -> Iterator[Session]:
        """A session whose prepared statements are planned anew for each value, or once for all."""
        mode = "force_generic_plan" if is_generic else "force_custom_plan"
        with self.database.connect(login, options=f"-c plan_cache_mode={mode}") as connection:
            yield Session(connection, self.tenants)

    def sessions(self) -> Iterator[Session]:
        """One of the service for each way of planning."""
        for is_generic in (False, True):
            with self.session(is_generic=is_generic) as session:
                yield session


@pytest.fixture(scope="module")
def ground(server: Server, template: str) -> Iterator[Ground]:
    with clone(server, template) as database, database.connect(autocommit=True) as admin:
        admin.execute(FILL.format(leads=LEADS, busy=BUSY, idle=IDLE, people=PEOPLE))
        (workspace, lead, person_id, user, *theirs) = admin.execute(A_MEMBERS_LEAD).fetchone() or ()
        logins = {}
        for role, person in (("app", None), ("member", user)):
            logins[role] = f"plans_{role}_{database.name}"
            admin.execute(f"create role {logins[role]} login in role leadline_writer")
            admin.execute(
                "select leadline.add_login(%s, %s, %s, %s)", [workspace, logins[role], role, person]
            )
        tokens = {
            role: value(admin, "select leadline.create_token(%s, %s, %s)", workspace, role, person)
            for role, person in (
                ("admin", value(admin, AN_ADMIN, workspace)),
                ("app", None),
                ("billing", None),
                ("member", user),
            )
        }
        tenants = {name: table for table, index in admin.execute(TENANTS) for name in (table, index) if name}
        for name, setting in TELL.items():
            admin.execute(f"alter database {database.name} set {name} = '{setting}'")
        try:
            yield Ground(database, tenants, tokens, logins, *map(str, (lead, person_id, user, *theirs)))
        finally:
            for login in logins.values():
                admin.execute(f"drop owned by {login}")
                admin.execute(f"drop role {login}")


def value(connection: psycopg.Connection[Any], statement: str, *parameters: Any) -> Any:
    row = connection.execute(statement, parameters).fetchone()
    assert row is not None
    return row[0]


JOURNALS = ("lead_activity", "relationship_activity", "opportunity_activity", "customer_activity")


def rows_of(reads: list[Read], table: str) -> float:
    """How many rows of a table the statement itself read."""
    return sum(read.rows for read in reads if read.table == table and "json_build_object" in read.query)


def assert_by_index(reads: list[Read], *tables: str) -> None:
    """Every read is by an index, within a workspace; and these tables were among what was read."""
    assert {read.table for read in reads} >= set(tables)
    for read in reads:
        assert read.how in ("Index Scan", "Index Only Scan", "Bitmap Index Scan", "Bitmap Heap Scan"), read
        if read.by and read.by not in WITHOUT_WORKSPACE:
            assert "workspace_id =" in read.condition, read


VALUES: dict[str, Any] = {
    "workflow": "appointment",
    "status": "open",
    "stage": "attempted",
    "is_open": True,
    "source": "web",
    "tag": "hot",
    "email": "77@leads.example",
    "phone": "+4930000077",
    **dict.fromkeys(("created_from", "stage_entered_from", "touched_from"), "2026-01-02T00:00:00Z"),
    **dict.fromkeys(("created_before", "stage_entered_before", "touched_before"), "2026-02-01T00:00:00Z"),
    **dict.fromkeys(
        ("person_id", "possible_duplicate_of", "merged_into"), "00000003-0000-4000-8000-000000000001"
    ),
}
CURSOR = urlsafe_b64encode(b"2026-02-01T00:00:00Z|00000003-0000-4000-8000-000000000001").decode()
PAGES: dict[str, dict[str, Any]] = {
    "all": {},
    **{name: {name: VALUES.get(name)} for name in leads.FILTERS},
    **{f"{name} {value}": {name: value} for name, value in leads.CHOSEN},
    "cursor": {"cursor": CURSOR},
}


@pytest.mark.parametrize("role", ["admin", "app", "member"])
def test_a_page_of_leads(ground: Ground, role: str) -> None:
    for session in ground.sessions():
        for name, query in PAGES.items():
            given = {"limit": 50} | query
            if name == "assigned_user_id":
                given |= {"assigned_user_id": ground.user_id}
            statement = leads.page("leads", leads.SHOWN, leads.ORDER, given, leads.FILTERS, leads.CHOSEN)
            reads = session.run(statement, given, ground.tokens[role])
            assert_by_index(reads, "leads", "api_tokens")
            if name in ("all", "cursor") and role != "member":
                assert sum(read.rows for read in reads if read.by == "leads_newest_first") == 51


@pytest.mark.parametrize("role", ["admin", "app", "member"])
def test_a_page_of_requests(ground: Ground, role: str) -> None:
    queries: list[dict[str, Any]] = [
        {}, {"person_id": ground.person_id}, {"source": "web"}, {"clock": "running"}, {"clock": "responded"},
        {"owner_user_id": ground.user_id}, {"owner_user_id": "none"}, {"received_from": "2026-01-02T00:00:00Z"},
        {"cursor": CURSOR}, {"lead_id": ground.lead_id},
    ]  # fmt: skip
    for session in ground.sessions():
        for query in queries:
            given = {"limit": 50} | query
            statement = leads.page(
                "requests", requests.SHOWN, requests.ORDER, given, requests.FILTERS, requests.CHOSEN
            )
            assert_by_index(session.run(statement, given, ground.tokens[role]), "requests", "api_tokens")


@pytest.mark.parametrize("role", ["admin", "app", "member"])
def test_a_person(ground: Ground, role: str) -> None:
    for session in ground.sessions():
        reads = session.run(people.SHOW_PERSON, {"person_id": ground.person_id}, ground.tokens[role])
        assert_by_index(reads, "people", "person_keys", "leads", "requests")
        given = {"subject_id": ground.person_id, "limit": 100, "cursor": 0}
        reads = session.run(relationship.STAGES, given, ground.tokens[role])
        assert_by_index(reads, "people", "relationship_activity", "activity_content")
        reads = session.run(relationship.TIMELINE, given, ground.tokens[role])
        assert_by_index(reads, "people", *JOURNALS)
        assert max(read.rows for read in reads) <= 7, "no more than the person has"


@pytest.mark.parametrize("role", ["admin", "app", "member"])
def test_a_page_of_people(ground: Ground, role: str) -> None:
    queries: list[dict[str, Any]] = [
        {}, {"stage": "customer"}, {"furthest_stage": "qualified"}, {"status": "closed"},
        {"account_id": ground.account_id}, {"cursor": CURSOR},
    ]  # fmt: skip
    for session in ground.sessions():
        for query in queries:
            given = {"limit": 50} | query
            statement = leads.page("people", people.LISTED, people.ORDER, given, people.FILTERS)
            reads = session.run(statement, given, ground.tokens[role])
            assert_by_index(reads, "people", "api_tokens")
            if query in ({}, {"cursor": CURSOR}) and role != "member":
                assert rows_of(reads, "people") == 51


@pytest.mark.parametrize("role", ["admin", "app", "member"])
def test_approvals(ground: Ground, role: str) -> None:
    queries: list[dict[str, Any]] = [
        {}, {"status": "open"}, {"person_id": ground.person_id}, {"to_stage": "client"}, {"cursor": CURSOR}
    ]  # fmt: skip
    for session in ground.sessions():
        for query in queries:
            given = {"limit": 50} | query
            statement = leads.page(
                "approvals", relationship.SHOWN, relationship.ORDER, given, relationship.FILTERS
            )
            assert_by_index(session.run(statement, given, ground.tokens[role]), "approvals", "people")
        given = {"approval_id": ground.approval_id}
        reads = session.run(relationship.SHOW_APPROVAL, given, ground.tokens[role])
        assert_by_index(reads, "approvals", "people", "relationship_activity")


@pytest.mark.parametrize("role", ["admin", "app", "member"])
def test_deals(ground: Ground, role: str) -> None:
    queries: list[dict[str, Any]] = [
        {}, {"pipeline": "expansion"}, {"status": "won"}, {"stage": "evaluation"}, {"is_open": True},
        {"person_id": ground.person_id}, {"lead_id": ground.lead_id}, {"assigned_user_id": ground.user_id},
        {"assigned_user_id": "none"}, {"account_id": ground.account_id},
        {"closes_from": "2026-01-01", "closes_before": "2027-01-01"}, {"cursor": CURSOR},
    ]  # fmt: skip
    for session in ground.sessions():
        for query in queries:
            given = {"limit": 50} | query
            statement = leads.page(
                "opportunities", opportunities.SHOWN, opportunities.ORDER, given, opportunities.FILTERS,
                opportunities.CHOSEN,
            )  # fmt: skip
            reads = session.run(statement, given, ground.tokens[role])
            assert_by_index(reads, "opportunities", "api_tokens")
            if query in ({}, {"cursor": CURSOR}) and role != "member":
                assert sum(read.rows for read in reads if read.by == "opportunities_newest_first") == 51
        given = {"opportunity_id": ground.opportunity_id}
        assert_by_index(session.run(opportunities.SHOW_OPPORTUNITY, given, ground.tokens[role]))
        given = {"subject_id": ground.opportunity_id, "limit": 100, "cursor": 0}
        reads = session.run(opportunities.TIMELINE, given, ground.tokens[role])
        assert_by_index(reads, "opportunities", "opportunity_activity", "activity_content")


@pytest.mark.parametrize("role", ["admin", "app", "member"])
def test_customers(ground: Ground, role: str) -> None:
    queries: list[dict[str, Any]] = [
        {}, {"status": "live"}, {"stage": "past_due"}, {"plan": "team"}, {"person_id": ground.person_id},
        {"account_id": ground.account_id}, {"cursor": CURSOR},
    ]  # fmt: skip
    for session in ground.sessions():
        for query in queries:
            given = {"limit": 50} | query
            statement = leads.page(
                "subscriptions", subscriptions.SHOWN, subscriptions.ORDER, given, subscriptions.FILTERS
            )
            reads = session.run(statement, given, ground.tokens[role])
            assert_by_index(reads, "subscriptions", "api_tokens")
            if query in ({}, {"cursor": CURSOR}) and role != "member":
                assert sum(read.rows for read in reads if read.by == "subscriptions_newest_first") == 51
        given = {"subscription_id": ground.subscription_id}
        reads = session.run(subscriptions.SHOW_SUBSCRIPTION, given, ground.tokens[role])
        assert_by_index(reads, "subscriptions", "renewal_cycles")
        given = {"subject_id": ground.subscription_id, "limit": 100, "cursor": 0}
        reads = session.run(subscriptions.TIMELINE, given, ground.tokens[role])
        assert_by_index(reads, "subscriptions", "customer_activity", "activity_content")
        reads = session.run(subscriptions.RENEWALS, given | {"cursor": None}, ground.tokens[role])
        assert_by_index(reads, "subscriptions", "renewal_cycles")


REPORTS: tuple[tuple[str, str, str, str, dict[str, Any]], ...] = (
    ("relationship_activity", "person_id", "member", "relationship_advanced", {"to": "onboarding", "reason": "went live"}),
    ("relationship_activity", "person_id", "app", "relationship_advanced", {"to": "qualified", "reason": "no"}),
    ("relationship_activity", "person_id", "admin", "approval_granted", {"approval_id": "approval_id"}),
    ("relationship_activity", "person_id", "app", "product_signal_seen",
        {"signal": "usage", "observed_at": "2026-02-01T00:00:00Z", "reason": "a", "expires_at": "2999-01-01T00:00:00Z"}),
    ("opportunity_activity", "opportunity_id", "member", "amount_changed", {"amount": 7}),
    ("opportunity_activity", "opportunity_id", "admin", "contact_role_set", {"person_id": "person_id", "role": "economic buyer"}),
    ("opportunity_activity", "", "app", "opportunity_opened", {"pipeline": "expansion", "person_id": "person_id"}),
    ("customer_activity", "subscription_id", "billing", "payment_failed", {}),
    ("customer_activity", "subscription_id", "billing", "renewal_renewed", {}),
    ("customer_activity", "", "billing", "subscription_started", {"person_id": "person_id"}),
)  # fmt: skip


@pytest.mark.parametrize(("table", "subject", "role", "activity_type", "payload"), REPORTS)
def test_a_report_to_a_journal(
    ground: Ground, table: str, subject: str, role: str, activity_type: str, payload: dict[str, Any]
) -> None:
    given = {
        "journal": table, "subject_id": getattr(ground, subject, None), "activity_type": activity_type,
        "payload": json.dumps({name: getattr(ground, name, said) if name == said else said for name, said in payload.items()}),
        "reference": "r-1", "occurred_at": None, "on_behalf_of": None, "surface": None,
        "token": ground.tokens[role],
    }  # fmt: skip
    for session in ground.sessions():
        assert_by_index(session.run(subjects.LOG, given), table, "api_tokens")
        assert_by_index(session.run(subjects.LOG, given, times=2), "activity_references", table)


@pytest.mark.parametrize("role", ["app", "member"])
def test_a_key(ground: Ground, role: str) -> None:
    given = {"route": "POST /v1/leads", "key": "k", "fingerprint": b"x", "status": 201,
             "content_type": "application/json", "body": "{}"}  # fmt: skip
    for session in ground.sessions():
        for statement in (CLAIM, KEEP):
            reads = session.run(statement, given, ground.tokens[role], times=2)
            assert_by_index(reads, "idempotency_keys" if statement == CLAIM else "api_tokens")


@pytest.mark.parametrize("role", ["admin", "app", "member"])
def test_a_lead_and_its_journal(ground: Ground, role: str) -> None:
    given = {"lead_id": ground.lead_id, "limit": 100, "cursor": 0}
    for session in ground.sessions():
        for statement, tables in (
            (leads.SHOW_LEAD, ("leads", "suppressions")),
            (journal.TIMELINE, ("leads", "lead_activity", "activity_content")),
            (journal.HISTORY, ("leads", "lead_activity")),
        ):
            reads = session.run(statement, given, ground.tokens[role])
            assert_by_index(reads, *tables)
            assert max(read.rows for read in reads) <= 2, "no more than the lead has"


@pytest.mark.parametrize("role", ["admin", "app", "member"])
def test_a_page_of_changes(ground: Ground, role: str) -> None:
    for session in ground.sessions():
        cluster = value(session.connection, "select leadline_internal.cluster_identifier()")
        for cursor in (None, f"{cluster}:1:{LEADS // 2}", f"activity:{LEADS // 2}"):
            reads = session.run(changes.CHANGES, {"after": cursor, "limit": 100}, ground.tokens[role])
            assert_by_index(reads, "workspace_activity", *JOURNALS)


@pytest.mark.parametrize("role", ["app", "member"])
def test_a_report(ground: Ground, role: str) -> None:
    given = {
        "lead_id": ground.lead_id, "activity_type": "contact_attempted", "payload": "{}", "reference": "r-1",
        "occurred_at": None, "on_behalf_of": None, "surface": None, "token": ground.tokens[role],
    }  # fmt: skip
    assigned = {"activity_type": "lead_assigned", "payload": json.dumps({"assigned_user_id": ground.user_id})}
    other = {"activity_type": "duplicate", "payload": json.dumps({"duplicate_of": ground.lead_id})}
    born = {"lead_id": None, "activity_type": "lead_created", "payload": '{"email": "77@leads.example"}'}
    moved = {"activity_type": "contact_changed", "payload": '{"email": "new@leads.example"}'}
    asked = born | {"activity_type": "inbound_enquiry"}
    for session in ground.sessions():
        for changed in ({}, assigned, other, born, moved, asked):
            assert_by_index(session.run(activities.LOG_ACTIVITY, given | changed), "api_tokens", "leads")
        repeated = session.run(activities.LOG_ACTIVITY, given, times=2)
        assert_by_index(repeated, "activity_references", "lead_activity")
        batch = json.dumps(
            [{"lead_id": ground.lead_id, "activity_type": "contact_attempted", "reference": "b"}]
        )
        assert_by_index(
            session.run(activities.LOG_ACTIVITIES, {"activities": batch, "token": ground.tokens[role]})
        )


def test_a_merge_and_an_erasure(ground: Ground) -> None:
    with ground.database.connect() as admin:
        another = """select o.lead_id from leadline.leads l join leadline.leads o on o.workspace_id = l.workspace_id
            where l.lead_id = %s and o.lead_id <> l.lead_id and o.status = 'open' limit 1"""
        into = value(admin, another, ground.lead_id)
    merged = {
        "lead_id": ground.lead_id, "activity_type": "leads_merged", "payload": json.dumps({"into": str(into)}), "reference": None,
        "occurred_at": None, "on_behalf_of": None, "surface": None, "token": ground.tokens["admin"],
    }  # fmt: skip
    for session in ground.sessions():
        assert_by_index(
            session.run(activities.LOG_ACTIVITY, merged), "api_tokens", "leads", "people", "person_keys"
        )
        erased = session.run(
            "select leadline.erase_person(%s, 'asked')", [ground.person_id], ground.tokens["admin"]
        )
        filled = [read for read in erased if read.table not in ("outbox", "webhook_logs")]
        assert_by_index(filled, "leads", "people", "person_keys", "requests")


@pytest.mark.parametrize("role", ["app", "member"])
def test_a_bound_login(ground: Ground, role: str) -> None:
    for is_generic in (False, True):
        with ground.session(ground.logins[role], is_generic=is_generic) as session:
            given = {"lead_id": ground.lead_id}
            assert_by_index(session.run(leads.SHOW_LEAD, given), "workspace_logins", "leads")
            assert_by_index(session.run(INSERT, given), "workspace_logins", "leads")


def test_the_use_of_tokens(ground: Ground) -> None:
    prefixes = [token.split("_")[1] for token in ground.tokens.values()]
    for session in ground.sessions():
        assert_by_index(session.run(NOTE, [prefixes]), "api_tokens")
