"""A workspace whose members do not see each other's leads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple
from uuid import UUID

from psycopg.sql import SQL, Identifier

from tests.databases import Database
from tests.rivals import Connection
from tests.tenant import Tenant

DOORS = ("login", "token")
# What members may see: all leads, unassigned leads.
SETTINGS = {
    "assigned": (False, False),
    "assigned and unassigned": (False, True),
    "all": (True, False),
}
SECRET = "zanzibar"  # in every text of the lead that the attacking member does not see


class Office(NamedTuple):
    """A workspace with two members, and a lead for each, one for nobody, all with a history."""

    database: Database
    tenant: Tenant
    me: UUID
    colleague: UUID
    login: str
    token: str
    mine: UUID
    theirs: UUID
    nobodys: UUID

    @contextmanager
    def enter(self, door: str) -> Iterator[Connection]:
        """A connection of the first member, in a transaction that is rolled back."""
        with self.database.connect(self.login if door == "login" else "leadline_service") as connection:
            if door == "token":
                connection.execute("select leadline.enter(%s)", [self.token])
            yield connection
            connection.rollback()

    def oracle(self, statement: str, parameters: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
        """What an administrator, above row security, gets for a statement."""
        with self.database.connect() as connection:
            return connection.execute(statement, parameters).fetchall()

    def let_members_see(self, what: str) -> None:
        """Change the setting as an owner does."""
        see_all, see_unassigned = SETTINGS[what]
        with self.tenant.connect("owner") as connection:
            connection.execute(
                "insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed',"
                " jsonb_build_object('members_see_all', %s::bool, 'members_see_unassigned', %s::bool))",
                [see_all, see_unassigned],
            )


def open_office(database: Database) -> Office:
    tenant = Tenant(database.dsn())
    login = f"t_me_{tenant.id.hex[:8]}"
    people = [
        tenant.ask("select leadline.add_member(%s, %s, 'member')", tenant.id, f"{name}@office.example")
        for name in ("me", "colleague")
    ]
    with database.connect() as connection:
        connection.execute(SQL("create role {} login in role leadline_writer").format(Identifier(login)))
    tenant.ask("select leadline.add_login(%s, %s, 'member', %s)", tenant.id, login, people[0])
    token = tenant.ask("select leadline.create_token(%s, 'member', %s)", tenant.id, people[0])
    leads: list[UUID] = []
    with tenant.connect("owner") as connection:
        for word, assignee in (("mine", people[0]), (SECRET, people[1]), ("nobodys", None)):
            row = connection.execute(
                "insert into leadline.leads (source, name, email, phone, assigned_user_id) values (%s, %s, %s, %s, %s) returning lead_id",
                [
                    f"{word} fair",
                    f"{word} name",
                    f"{word}@{word}.example",
                    f"+346{len(leads)}0000001",
                    assignee,
                ],
            ).fetchone()
            assert row is not None
            leads.append(row[0])
            connection.execute(
                "select leadline.log_activity(%s, 'inbound_enquiry', jsonb_build_object("
                "'message', %s::text, 'external_id', %s::text, 'source', %s::text))",
                [row[0], f"{word} asks", f"{word} id", f"{word} form"],
            )
            for activity_type, payload in (
                ("note_added", f'{{"text": "{word} said"}}'),
                ("tag_added", f'{{"tag": "{word} tag"}}'),
                ("appointment_no_show", "{}"),
                ("dnc", "{}"),
            ):
                connection.execute(
                    "select leadline.log_activity(%s, %s, %s, %s)",
                    [row[0], activity_type, payload, f"{word} {activity_type}"],
                )
    with database.connect() as connection:
        connection.execute("select leadline_internal.take_checkpoint(%s, now())", [tenant.id])
        connection.execute("analyze")
    mine, theirs, nobodys = leads
    return Office(database, tenant, people[0], people[1], login, token, mine, theirs, nobodys)
