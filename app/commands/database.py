"""Which database a command means, and how an error becomes one line that says what to do."""

from __future__ import annotations

import dataclasses
import os
import shlex
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click
import psycopg
from click.core import ParameterSource
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import TupleRow

from app.db import WHAT_THE_LOGIN_MAY
from app.deploy import DeployError
from app.postgres import PostgresError, Server, default_data, find_binaries
from app.worker import WorkerRefusedError

COMMANDLINE = ParameterSource.COMMANDLINE
NAME = "leadline"  # of the database in the embedded server
ADMIN = "postgres"  # its administrator
IS_HERE = "select 1 from pg_database where datname = %s"
CREATE = "create database leadline"
IS_DEPLOYED = "select to_regproc('leadline.create_workspace') is not null"

Connection = psycopg.Connection[TupleRow]
Command = TypeVar("Command", bound=Callable[..., Any])


@dataclasses.dataclass(frozen=True)
class Database:
    """A database to work on: `dsn` as whoever deploys; `server` when it is the embedded one."""

    dsn: str
    server: Server | None

    def as_login(self, login: str) -> str:
        """The DSN of the same database for another login, without the first one's password."""
        others = {key: word for key, word in conninfo_to_dict(self.dsn).items() if key != "password"}
        return make_conninfo("", **(others | ({"user": login} if login else {})))

    @property
    def user(self) -> str:
        """The login that the DSN names; empty when libpq picks it."""
        return str(conninfo_to_dict(self.dsn).get("user") or "")

    def psql(self) -> Path:
        """The psql to use: the embedded server's, else the one on PATH, else the first PostgreSQL's found."""
        on_path = shutil.which("psql")
        if self.server is None and on_path:
            return Path(on_path)
        binaries = self.server.binaries if self.server else find_binaries()
        found = binaries.bin_dir / "psql"
        if not found.exists():
            raise click.ClickException(
                f"there is no psql in {binaries.bin_dir}: install PostgreSQL's client programs"
            )
        return found


def database_options(command: Command) -> Command:
    """Adds --dsn and --data."""
    command = click.option(
        "--data",
        type=click.Path(file_okay=False, path_type=Path),
        default=default_data,
        show_default="LEADLINE_HOME, or a folder of your user",
        help="Folder of the embedded PostgreSQL, used when no DSN is given.",
    )(command)
    return click.option(
        "--dsn",
        envvar="DATABASE_URL",
        metavar="DSN",
        help="A PostgreSQL of your own, as libpq URI or keyword string; never started or stopped by Leadline."
        "  [env: DATABASE_URL]",
    )(command)


@contextmanager
def opened(dsn: str | None, data: Path, *, create: bool = False) -> Iterator[Database]:
    """The database meant by --dsn and --data; an embedded server is started or shared, and let go afterwards.

    What stands on the command line wins over the environment: --data over DATABASE_URL.
    With `create` the embedded server and its database are made when missing. Raises click.ClickException for
    a DSN that is none and a folder without data, PostgresError for a server that does not start."""
    if dsn and not _data_was_chosen():
        try:
            conninfo_to_dict(dsn)
        except psycopg.ProgrammingError as error:
            raise click.ClickException(f"--dsn is not a connection string: {one_line(str(error))}") from error
        yield Database(dsn, None)
        return
    server = Server(data)
    if not create and not server.cluster.exists():
        raise click.ClickException(
            f"there is no database in {server.data}: run leadline up first, or name one with --dsn or --data"
        )
    with server:
        if create:
            _create_database(server.dsn(user=ADMIN))
        yield Database(server.dsn(NAME, ADMIN), server)


def _data_was_chosen() -> bool:
    """Whether --data is on the command line; click.UsageError when --dsn is there too."""
    context = click.get_current_context()
    by_hand = [name for name in ("dsn", "data") if context.get_parameter_source(name) == COMMANDLINE]
    if by_hand == ["dsn", "data"]:
        raise click.UsageError("--dsn and --data name two databases: give one of them")
    return by_hand == ["data"]


def _create_database(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        if connection.execute(IS_HERE, (NAME,)).fetchone():
            return
        try:
            connection.execute(CREATE)
        except (errors.DuplicateDatabase, errors.UniqueViolation):
            return  # a second leadline was faster


@contextmanager
def transaction(dsn: str) -> Iterator[Connection]:
    """One transaction of whoever deploys; click.ClickException when the database holds no Leadline."""
    with psycopg.connect(dsn, fallback_application_name="leadline") as connection:
        if connection.execute(IS_DEPLOYED).fetchone() != (True,):
            raise click.ClickException("this database holds no Leadline yet: run leadline migrate")
        yield connection


def become_owner(connection: Connection) -> None:
    """Acts as leadline_owner until the transaction ends; click.ClickException when the login may not."""
    try:
        connection.execute("set local role leadline_owner")
    except errors.InsufficientPrivilege as error:
        raise click.ClickException(
            f"{connection.info.user} may not act as leadline_owner: "
            "use the login that deploys, or a superuser, in --dsn"
        ) from error


def service_login(dsn: str) -> str:
    """`dsn`, when its login is one that the service may have; else click.ClickException."""
    with psycopg.connect(dsn, connect_timeout=10) as connection:
        if too_much := [str(what) for (what,) in connection.execute(WHAT_THE_LOGIN_MAY)]:
            raise click.ClickException(
                f"the login {connection.info.user} {', '.join(too_much)}: serve as leadline_service"
            )
    return dsn


def one_line(text: str) -> str:
    """`text` without line breaks."""
    return " ".join(text.split())


def sentence(error: psycopg.Error) -> str:
    """An error of the database as one line: what it says, and its hint."""
    if error.diag.message_primary is None:
        return one_line(str(error))
    return one_line(f"{error.diag.message_primary} {error.diag.message_hint or ''}")


class Commands(click.Group):
    """A group whose commands end in one line on stderr and exit status 1 when something outside is wrong."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        """In the order in which they were added: that of a first day."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; what a user can mend becomes a click.ClickException."""
        try:
            return super().invoke(ctx)
        except (PostgresError, DeployError, WorkerRefusedError) as error:
            raise click.ClickException(one_line(str(error))) from error
        except psycopg.Error as error:
            raise click.ClickException(sentence(error)) from error


def stop_on_signal() -> None:
    """Makes SIGTERM what Ctrl-C is: KeyboardInterrupt, so that everything is let go in order."""
    signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def program() -> str:
    """How this program was called, as a line for the shell."""
    script = Path(sys.argv[0])
    if script.name == "cli.py":
        return f"{shlex.quote(sys.executable)} -m app.cli"
    found = shutil.which(script.name)
    if found and Path(found).samefile(script):
        return script.name
    return shlex.quote(min(str(script), os.path.relpath(script), key=len))


def say(text: str) -> None:
    """A line for the person who waits: on stderr, so that stdout holds only what was asked for."""
    print(text, file=sys.stderr, flush=True)
