"""The databases of a run: one origin with the tree, a workspace, a writer and a story; clones of it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any, LiteralString

import psycopg
from psycopg import Connection
from psycopg.sql import SQL, Composed, Identifier

from app.deploy import migrate
from app.postgres import Server
from benchmarks import story
from benchmarks.rounds import Tell


class Ground:
    """The databases of one run on a running server; `clear` drops them all."""

    def __init__(self, server: Server, tell: Tell) -> None:
        self.server = server
        self.tell = tell
        self.login = f"bench_{os.getpid()}_writer"
        self._names: list[str] = []
        self._origin = self._name("origin")

    def prepare(self) -> None:
        """Make the origin: deploy, create a workspace and a bound login, send one lead through its story."""
        self.tell("deploying, and sending one lead through its story")
        with self.admin("postgres") as connection:
            connection.execute(SQL("create database {}").format(Identifier(self._origin)))
        migrate(self.server.dsn(self._origin))
        with self.admin(self._origin) as admin:
            admin.execute(SQL("create role {} login in role leadline_writer").format(Identifier(self.login)))
            workspace = value(admin, "select leadline.create_workspace('Bench')")
            admin.execute("select leadline.add_login(%s, %s, 'app')", [workspace, self.login])
            with self.writer(self._origin) as writer:
                story.record(admin, writer)

    def admin(self, database: str) -> Connection[Any]:
        """A superuser's connection, in autocommit."""
        return psycopg.connect(self.server.dsn(database), autocommit=True)

    def writer(self, database: str) -> Connection[Any]:
        """The bound login's connection: autocommit, statements sent as plain text, refusals not printed."""
        return psycopg.connect(
            self.server.dsn(database, self.login),
            autocommit=True,
            cursor_factory=psycopg.ClientCursor,
            options="-c client_min_messages=error",
        )

    def clone(self, purpose: str, template: str | None = None) -> str:
        """The name of a new database: a copy of `template`, else of the origin."""
        name = self._name(purpose)
        with self.admin("postgres") as connection:
            connection.execute(
                SQL("create database {} template {}").format(
                    Identifier(name), Identifier(template or self._origin)
                )
            )
        return name

    def drop(self, database: str) -> None:
        """Remove a database, whoever is connected to it."""
        with self.admin("postgres") as connection:
            connection.execute(SQL("drop database if exists {} with (force)").format(Identifier(database)))
        self._names.remove(database)

    def clear(self) -> None:
        """Remove all databases and the login."""
        for name in list(self._names):
            self.drop(name)
        with self.admin("postgres") as connection:
            connection.execute(SQL("drop role if exists {}").format(Identifier(self.login)))

    def _name(self, purpose: str) -> str:
        name = f"bench_{os.getpid()}_{purpose}"
        self._names.append(name)
        return name


@contextlib.contextmanager
def ground(server: Server, tell: Tell) -> Iterator[Ground]:
    """A prepared ground; nothing of it stays on the server."""
    prepared = Ground(server, tell)
    try:
        prepared.prepare()
        yield prepared
    finally:
        prepared.clear()


def value(connection: Connection[Any], statement: LiteralString | Composed, *parameters: Any) -> Any:
    """The first column of the first row."""
    row = connection.execute(statement, parameters).fetchone()
    assert row is not None
    return row[0]
