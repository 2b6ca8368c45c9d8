"""The session that deploys: it holds the lock, acts as leadline_owner, and turns errors into sentences."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, LiteralString

import psycopg
from psycopg.rows import TupleRow
from psycopg.sql import Composed

from app.deploy import files

Connection = psycopg.Connection[TupleRow]
Progress = Callable[[str], None]


class DeployError(Exception):
    """A deploy that was refused or undone; says what stood in the way and, where known, what to do."""


# Somebody else held what was wanted: nothing was changed, and the same again may well succeed.
IN_THE_WAY = (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected)


def explain(error: psycopg.Error, where: str, text: str = "") -> DeployError:
    """A DeployError that says where (`file:line` when the server points into `text`), what, and what next."""
    diag = error.diag
    if text and diag.statement_position:
        where += f":{text.count(chr(10), 0, int(diag.statement_position) - 1) + 1}"
    parts = [f"{where}: {diag.message_primary or str(error).strip()}"]
    parts += [f"Detail: {diag.message_detail}"] if diag.message_detail else []
    parts += [f"In: {diag.context.splitlines()[0]}"] if diag.context and not diag.statement_position else []
    parts += [f"Hint: {diag.message_hint}"] if diag.message_hint else []
    if isinstance(error, IN_THE_WAY):
        parts.append("Hint: other sessions held the tables; nothing was changed, run it again")
    return DeployError("\n".join(parts))


@contextmanager
def connect(dsn: str) -> Iterator[Connection]:
    """A session of whoever deploys, in autocommit; `dsn` is any libpq URI or keyword string.

    Raises DeployError when the server cannot be reached or the session is lost on the way.
    """
    try:
        connection = psycopg.connect(
            dsn,
            autocommit=True,
            prepare_threshold=None,
            client_encoding="utf8",
            fallback_application_name="leadline deploy",
        )
    except psycopg.Error as error:
        raise DeployError(f"No connection to the database: {str(error).strip()}") from error
    with connection:
        try:
            yield connection
        except psycopg.Error as error:
            raise explain(error, "The database") from error


@contextmanager
def deploying(dsn: str, progress: Progress) -> Iterator[Connection]:
    """`connect`, alone: waits for any other deploy of this database to end.

    Lock and work live in one session: a killed process leaves neither, and no work goes on without the lock.
    """
    with connect(dsn) as connection:
        connection.execute("set lock_timeout = 0; set statement_timeout = 0")
        if not one(connection, "select pg_try_advisory_lock(hashtextextended('leadline deploy', 0))"):
            progress("waiting for another deploy of this database to end")
            connection.execute("select pg_advisory_lock(hashtextextended('leadline deploy', 0))")
        yield connection


def act_as_owner(connection: Connection) -> None:
    """Becomes leadline_owner, with the settings a migration starts from.

    Raises DeployError when the login may not.
    """
    try:
        connection.execute(
            "reset all; set role leadline_owner; set search_path = leadline_internal;"
            " set statement_timeout = 0"
        )
    except psycopg.Error as error:
        raise explain(error, f"Login {connection.info.user} cannot act as leadline_owner") from error


def run_file(connection: Connection, root: Path, path: Path) -> None:
    """Executes one file as it stands; raises DeployError with file and line."""
    text = path.read_text("utf-8")
    try:
        connection.execute(text.encode())
    except psycopg.Error as error:
        raise explain(error, path.relative_to(root).as_posix(), text) from error


def create_roles(connection: Connection, root: Path) -> None:
    """Roles, schemas and default privileges, as whoever deploys."""
    with connection.transaction():
        run_file(connection, root, root / "sql" / files.ROLES)


def one(connection: Connection, query: LiteralString | Composed) -> Any:
    """The first column of the first row, None when there is none."""
    row = connection.execute(query).fetchone()
    return row[0] if row else None
