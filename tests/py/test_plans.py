"""Every hot statement reads by an index that begins with the workspace, whoever asks: told by its plans, not by
its time.

Statements are the service's own, sent as the service's login, under row security. auto_explain shows their plans
and those of every statement in the functions they call: entering, finding a bound login, deciding, claiming a
reference. A hundred busy workspaces among two thousand, 100,000 leads, two activities a lead. A million leads
are read by the same indexes; for few leads of one person the planner then prefers a plain scan to a bitmap.
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
from app.routes import activities, changes, journal, leads, people, requests
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
    insert into leadline.people (workspace_id, person_id) select l.workspace_id, l.person_id from leadline.leads l;
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
    select l.workspace_id, l.lead_id, l.person_id, l.assigned_user_id from leadline.leads l
    join leadline.memberships m on m.workspace_id = l.workspace_id and m.user_id = l.assigned_user_id
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
        (workspace, lead, person_id, user) = admin.execute(A_MEMBERS_LEAD).fetchone() or ()
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
                ("member", user),
            )
        }
        tenants = {name: table for table, index in admin.execute(TENANTS) for name in (table, index) if name}
        for name, setting in TELL.items():
            admin.execute(f"alter database {database.name} set {name} = '{setting}'")
        try:
            yield Ground(database, tenants, tokens, logins, str(lead), str(person_id), str(user))
        finally:
            for login in logins.values():
                admin.execute(f"drop owned by {login}")
                admin.execute(f"drop role {login}")


def value(connection: psycopg.Connection[Any], statement: str, *parameters: Any) -> Any:
    row = connection.execute(statement, parameters).fetchone()
    assert row is not None
    return row[0]


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
            assert_by_index(reads, "lead_activity", "workspace_activity")


@pytest.mark.parametrize("role", ["app", "member"])
def test_a_report(ground: Ground, role: str) -> None:
    given = {
        "lead_id": ground.lead_id, "activity_type": "contact_attempted", "payload": "{}", "reference": "r-1",
        "occurred_at": None, "on_behalf_of": None, "surface": None, "token": ground.tokens[role],
    }  # fmt: skip
    assigned = {"activity_type": "lead_assigned", "payload": json.dumps({"assigned_user_id": ground.user_id})}
    other = {"activity_type": "duplicate", "payload": json.dumps({"duplicate_of": ground.lead_id})}
    born = {"lead_id": None, "activity_type": "lead_created", "payload": '{"email": "77@leads.example"}'}
    for session in ground.sessions():
        for changed in ({}, assigned, other, born):
            assert_by_index(session.run(activities.LOG_ACTIVITY, given | changed), "api_tokens", "leads")
        repeated = session.run(activities.LOG_ACTIVITY, given, times=2)
        assert_by_index(repeated, "activity_references", "lead_activity")
        batch = json.dumps(
            [{"lead_id": ground.lead_id, "activity_type": "contact_attempted", "reference": "b"}]
        )
        assert_by_index(
            session.run(activities.LOG_ACTIVITIES, {"activities": batch, "token": ground.tokens[role]})
        )


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
