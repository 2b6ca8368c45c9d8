"""Two workspaces of one database that hold the same ids, and every door by which the first may attack the second."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import psycopg
from psycopg.sql import SQL, Identifier

from tests.databases import Database
from tests.tenant import Tenant

Connection = psycopg.Connection[Any]

# A bound login says its role and scopes; `service <role>` is leadline_service with a token of that role.
READERS = (
    *("app", "owner", "member", "importer", "billing", "ai", "analyst", "analyst contacts"),
    *("service app", "service owner", "service member", "service analyst"),
)
WRITERS = ("app", "owner", "member", "service app", "service owner", "service member")
OWN_WORD, FOREIGN_WORD = "alfa", "zanzibar"
SHARED_EMAIL = "sam@both.example"  # writes in to both workspaces

TENANT_RELATIONS = """
    select c.oid::regclass::text, array_agg(a.attname::text order by a.attnum)
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p', 'v') and c.relnamespace in ('leadline'::regnamespace, 'leadline_internal'::regnamespace)
      and has_column_privilege(c.oid, a.attnum, 'select')
      and exists (select from pg_attribute w where w.attrelid = c.oid and w.attname = 'workspace_id')
    group by c.oid having 'workspace_id' = any (array_agg(a.attname)) order by 1
"""


class Outcome(NamedTuple):
    """What one statement gave: its rows, or the SQLSTATE of its error; and every word that was said."""

    sqlstate: str | None
    rows: list[tuple[Any, ...]]
    said: str


def attempt(connection: Connection, statement: str, parameters: Sequence[Any] | None = None) -> Outcome:
    """Run a statement in a savepoint that is rolled back; an error is an outcome like any other."""
    said: list[str] = []

    def listen(notice: psycopg.errors.Diagnostic) -> None:
        said.append(words(notice))

    connection.add_notice_handler(listen)
    rows: list[tuple[Any, ...]] = []
    sqlstate = None
    try:
        with connection.transaction(force_rollback=True):
            cursor = connection.execute(statement, parameters)
            rows = cursor.fetchall() if cursor.description else []
    except psycopg.Error as error:
        sqlstate, rows = error.sqlstate or "?", []
        said.append(words(error.diag))
    finally:
        connection.remove_notice_handler(listen)
    return Outcome(sqlstate, rows, "\n".join(said))


def words(diag: psycopg.errors.Diagnostic) -> str:
    """Everything that an error or a notice tells its receiver."""
    parts = (diag.message_primary, diag.message_detail, diag.message_hint, diag.context, diag.internal_query)
    names = (diag.constraint_name, diag.schema_name, diag.table_name, diag.column_name, diag.datatype_name)
    return "\n".join(part for part in (*parts, *names) if part)


@dataclasses.dataclass(frozen=True)
class Rivals:
    """Workspace `own`, whose people attack, and workspace `foreign`, of which they must learn nothing."""

    database: Database
    own: Tenant
    foreign: Tenant
    shared_lead: UUID  # the id of a lead in both
    own_lead: UUID
    foreign_lead: UUID
    shared_user: UUID  # a member here, an owner there
    own_user: UUID
    foreign_user: UUID
    foreign_activity: int
    shared_person: UUID  # the id of a person in both
    own_person: UUID
    foreign_person: UUID
    tokens: dict[str, str]  # by role, of `own`
    foreign_token: str

    @property
    def marks(self) -> tuple[str, ...]:
        """Texts of which none may reach an attacker who has not brought it along."""
        ids = (self.foreign.id, self.foreign_lead, self.foreign_user, self.foreign_person)
        return (FOREIGN_WORD, "699987654", "987654.32", *map(str, ids))

    def leaks(self, *heard: object, known: Sequence[object] = ()) -> list[str]:
        """The marks in what an attacker heard; `known` are those that stood in the question."""
        text = repr(heard)
        return [mark for mark in self.marks if mark in text and mark not in map(str, known)]

    @contextmanager
    def enter(self, door: str) -> Iterator[Connection]:
        """A connection of the own workspace by one door, in a transaction that is rolled back."""
        kind, *scopes = door.split()
        if kind == "service":
            connection = self.database.connect("leadline_service")
        else:
            connection = self.own.connect(kind, *scopes)
        with connection:
            if kind == "service":
                connection.execute("select leadline.enter(%s)", [self.tokens[scopes[0]]])
            yield connection
            connection.rollback()

    def oracle(self, statement: str, parameters: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
        """What an administrator, above row security, gets for a statement."""
        with self.database.connect() as connection:
            return connection.execute(statement, parameters).fetchall()


def relations(connection: Connection) -> dict[str, list[str]]:
    """The tables and views of tenants that this login may read at all, and the columns it may read."""
    return dict(connection.execute(TENANT_RELATIONS).fetchall())


def rival_workspaces(database: Database) -> Rivals:
    """Two workspaces with the same lead ids, references, activity ids, token ids and names, and one user in both."""
    own, foreign = Tenant(database.dsn(), OWN_WORD), Tenant(database.dsn(), FOREIGN_WORD)
    shared_lead, own_lead, foreign_lead = uuid4(), uuid4(), uuid4()
    foreign.login("app")
    for door in (*READERS, "app act_as"):
        if not door.startswith("service"):
            kind, *scopes = door.split()
            own.login(kind, *scopes)
    with database.connect() as connection:
        _let_contacts_be_read(connection, own)
        shared_person = _give_the_same_person_id(connection, own, foreign)
        users = [_users(connection, own, "member"), _users(connection, foreign, "owner")]
        tokens = _tokens(connection, own, users[0][1])
        foreign_token = _tokens(connection, foreign, users[1][1])["app"]
        _give_the_same_token_ids(connection, own, foreign)
        connection.execute("select leadline.create_token(%s, 'billing')", [foreign.id])  # an id of its own
        start = _scalar(connection, "select last_value from leadline_internal.activity_ids")
        _fill(connection, own, OWN_WORD, [shared_lead, own_lead], users[0])
        connection.execute("select setval('leadline_internal.activity_ids', %s)", [start])
        _fill(connection, foreign, FOREIGN_WORD, [shared_lead, foreign_lead, uuid4()], users[1])
        connection.execute("select setval('leadline_internal.activity_ids', %s)", [start + 1000])
        there_only = """select max(a.activity_id) from leadline.lead_activity a where a.workspace_id = %s and not exists (
            select from leadline.change_feed f where f.workspace_id = %s and f.activity_id = a.activity_id)"""
        foreign_activity = _scalar(connection, there_only, foreign.id, own.id)
        person = "select person_id from leadline.leads where workspace_id = %s and lead_id = %s"
        own_person = _scalar(connection, person, own.id, own_lead)
        foreign_person = _scalar(connection, person, foreign.id, foreign_lead)
        _give_the_same_request_ids(connection, own, foreign)
    (shared_user, own_user), (_, foreign_user) = users
    return Rivals(
        database, own, foreign, shared_lead, own_lead, foreign_lead, shared_user, own_user, foreign_user,
        foreign_activity, shared_person, own_person, foreign_person, tokens, foreign_token,
    )  # fmt: skip


def _scalar(connection: Connection, statement: str, *parameters: Any) -> Any:
    row = connection.execute(statement, parameters).fetchone()
    return row and row[0]


def _let_contacts_be_read(connection: Connection, tenant: Tenant) -> None:
    login = Identifier(tenant.login("analyst", "contacts"))
    connection.execute(SQL("grant leadline_contacts to {}").format(login))


def _users(connection: Connection, tenant: Tenant, shared_role: str) -> tuple[UUID, UUID]:
    add = "select leadline.add_member(%s, %s, %s, %s)"
    shared = _scalar(connection, add, tenant.id, "shared@both.example", shared_role, None)
    word = OWN_WORD if shared_role == "member" else FOREIGN_WORD
    return shared, _scalar(connection, add, tenant.id, f"{word}@people.example", "owner", f"Ms {word}")


def _tokens(connection: Connection, tenant: Tenant, owner: UUID) -> dict[str, str]:
    member = _scalar(
        connection, "select leadline.add_member(%s, 'token@both.example', 'member', null)", tenant.id
    )
    create = "select leadline.create_token(%s, %s, %s, p_name => 'the token')"
    people = {"owner": owner, "member": member}
    return {
        role: _scalar(connection, create, tenant.id, role, people.get(role))
        for role in ("app", "owner", "member", "analyst")
    }


def _give_the_same_token_ids(connection: Connection, own: Tenant, foreign: Tenant) -> None:
    connection.execute(
        "update leadline.api_tokens t set token_id = o.token_id from leadline.api_tokens o"
        " where o.workspace_id = %s and t.workspace_id = %s and t.role = o.role",
        [own.id, foreign.id],
    )


def _give_the_same_person_id(connection: Connection, own: Tenant, foreign: Tenant) -> UUID:
    """A person who has the same id and the same address in both; the leads of that address are theirs."""
    person = uuid4()
    for tenant in (own, foreign):
        connection.execute(
            "insert into leadline.people (workspace_id, person_id) values (%s, %s)", [tenant.id, person]
        )
        connection.execute(
            "insert into leadline.person_keys values (%s, 'email', %s, %s)", [tenant.id, SHARED_EMAIL, person]
        )
    return person


def _give_the_same_request_ids(connection: Connection, own: Tenant, foreign: Tenant) -> None:
    """To what the person known to both asked for; the outbox names it, so its foreign key sleeps meanwhile."""
    pairs = connection.execute(
        "select o.request_id, t.request_id from leadline.requests o join leadline.requests t on t.person_id = o.person_id"
        " where o.workspace_id = %s and t.workspace_id = %s",
        [own.id, foreign.id],
    ).fetchall()
    connection.execute("set session_replication_role = replica")
    for pair in pairs:
        for table in ("requests", "outbox"):
            connection.execute(
                f"update leadline.{table} set request_id = %s where workspace_id = %s and request_id = %s",
                [pair[0], foreign.id, pair[1]],
            )
    connection.execute("reset session_replication_role")


def _fill(
    connection: Connection, tenant: Tenant, word: str, leads: Sequence[UUID], users: tuple[UUID, UUID]
) -> None:
    """Leads whose every text holds `word`, each with a history: applied, noted, refused, suppressed."""
    phone, value = ("+34 699 987 654", "987654.32") if word == FOREIGN_WORD else ("+34 600 000 001", "12.50")
    connection.execute(
        "select leadline_internal.enter_as(%s, 'owner', %s, '{act_as,surface,import}')", [tenant.id, users[1]]
    )
    for number, lead_id in enumerate(leads):
        connection.execute(
            "insert into leadline.leads (lead_id, source, name, company, email, phone, deal_value, currency)"
            " values (%s, %s, %s, %s, %s, %s, %s, 'EUR')",
            [
                lead_id,
                f"{word} fair",
                f"{word} {number}",
                f"{word} ltd",
                f"{word}{number}@{word}.example",
                phone,
                value,
            ],
        )
        for activity_type, payload in (
            ("note_added", f'{{"text": "{word} said", "{word} key": "{word}"}}'),
            ("tag_added", f'{{"tag": "{word} tag"}}'),
            ("contact_changed", f'{{"company": "{word} inc"}}'),
            ("lead_assigned", f'{{"assigned_user_id": "{users[0]}"}}'),
            ("appointment_no_show", "{}"),
            ("appointment_scheduled", f'{{"appointment_ref": "{word} ref"}}'),
            ("dnc", "{}"),
        ):
            connection.execute(
                "select leadline.log_activity(%s, %s, %s, %s)",
                [lead_id, activity_type, payload, f"{activity_type} {number}"],
            )
    _let_people_write_in(connection, tenant, word, users)
    connection.execute(
        "insert into leadline.workspace_activity (activity_type, payload, reference) values ('settings_changed', %s, 'w 1')",
        [f'{{"name": "{word} & sons"}}'],
    )
    connection.execute("insert into leadline.job_runs select %s, %s, now(), now()", [tenant.id, word])
    connection.execute("select leadline_internal.take_checkpoint(%s, now())", [tenant.id])
    connection.execute("select set_config('leadline.context', '', true)")


def _let_people_write_in(connection: Connection, tenant: Tenant, word: str, users: tuple[UUID, UUID]) -> None:
    """An account, enquiries of sales (one of them from the person known to both), a loss, a merge, a kept answer."""
    phone = "+34 699 987 654" if word == FOREIGN_WORD else "+34 600 000 001"
    connection.execute(
        "select leadline.set_account(%s, %s, %s, 'customer', %s)",
        [tenant.id, f"{word}.example", f"{word} holding", users[1]],
    )
    leads = [
        _scalar(
            connection,
            "select l.lead_id from leadline.log_activity(null, 'inbound_enquiry', %s, %s) l",
            json.dumps({
                "workflow": "sales", "email": email, "phone": phone, "name": f"{word} {number}",
                "message": f"{word} writes", "source": f"{word} fair", "external_id": f"{word} {number}",
                "request_class": "demo",
            }),
            f"enquiry {number}",
        )
        for number, email in enumerate([SHARED_EMAIL, f"one@{word}.example", f"two@{word}.example"])
    ]  # fmt: skip
    for lead, activity_type, payload in (
        (leads[0], "deal_lost", {"lost_reason": "Other", "notes": f"{word} was too dear"}),
        (leads[1], "leads_merged", {"into": str(leads[2])}),
        (leads[2], "email_replied", {"text": f"{word} waits"}),
    ):
        connection.execute(
            "select leadline.log_activity(%s, %s, %s)", [lead, activity_type, json.dumps(payload)]
        )
    key = _scalar(
        connection,
        "select key from leadline.add_webhook_source(%s, %s, 'form')",
        tenant.id,
        f"{word} form",
    )
    headers, body = json.dumps({"x-from": word}), f"fields[email][value]=hook@{word}.example".encode()
    connection.execute(
        "select leadline.receive_webhook(%s, %s, 'application/x-www-form-urlencoded', %s, now())",
        [key, headers, body],
    )
    connection.execute(
        "insert into leadline.idempotency_keys select t.workspace_id, t.token_id, 'POST /leads', 'the key',"
        " sha256('asked'), 200, 'application/json', %s, now() from leadline.api_tokens t where t.workspace_id = %s",
        [word, tenant.id],
    )
