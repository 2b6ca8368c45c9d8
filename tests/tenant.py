"""A workspace reached by SQL: bound logins of its own, leads, and the proof that all is sound."""

from __future__ import annotations

import threading
from typing import Any
from uuid import UUID

import psycopg
from psycopg.sql import SQL, Identifier

GROUPS = {"analyst": "leadline_reader"}


class Tenant:
    """A workspace, and database logins bound to it (`<prefix>_<role>`, made when first asked for)."""

    def __init__(self, admin_dsn: str, name: str = "Acme") -> None:
        self.admin_dsn = admin_dsn
        self._logins: dict[str, str] = {}
        self._lock = threading.Lock()
        self.id: UUID = self.ask("select leadline.create_workspace(%s)", name)

    def ask(self, statement: str, *parameters: Any) -> Any:
        """One value, asked and committed as an administrator."""
        with psycopg.connect(self.admin_dsn) as connection:
            row = connection.execute(statement, parameters).fetchone()
            return None if row is None else row[0]

    def login(self, role: str = "app", *scopes: str) -> str:
        """The name of a database login bound to this workspace with this role."""
        key = " ".join((role, *scopes))
        with self._lock:
            if key not in self._logins:
                self._logins[key] = self._add_login(
                    f"t_{role}_{self.id.hex[:8]}_{len(self._logins)}", role, scopes
                )
            return self._logins[key]

    def _add_login(self, login: str, role: str, scopes: tuple[str, ...]) -> str:
        user_id = None
        with psycopg.connect(self.admin_dsn) as connection:
            group = GROUPS.get(role, "leadline_writer")
            connection.execute(
                SQL("create role {} login in role {}").format(Identifier(login), Identifier(group))
            )
            if role in ("owner", "admin", "member"):
                statement = "select leadline.add_member(%s, %s, %s)"
                row = connection.execute(statement, [self.id, f"{login}@people.example", role]).fetchone()
                user_id = row and row[0]
            connection.execute(
                "select leadline.add_login(%s, %s, %s, %s, %s)", [self.id, login, role, user_id, list(scopes)]
            )
        return login

    def connect(self, role: str = "app", *scopes: str, **options: Any) -> psycopg.Connection[Any]:
        """A new connection as a bound login; `options` are psycopg.connect's."""
        return psycopg.connect(self.admin_dsn, user=self.login(role, *scopes), **options)

    def leads(self, count: int) -> list[UUID]:
        """The ids of new leads at stage new."""
        with self.connect() as connection:
            rows = connection.execute(
                "insert into leadline.leads (source) select 'test' from generate_series(1, %s)"
                " returning lead_id",
                [count],
            )
            return [row[0] for row in rows]


def faults(admin_dsn: str) -> list[tuple[Any, ...]]:
    """What verify_state() and verify_chain() find: nothing, in a sound database."""
    with psycopg.connect(admin_dsn) as connection:
        return connection.execute(
            "select * from leadline.verify_state() union all select * from leadline.verify_chain()"
        ).fetchall()
