"""Everything at once: database, tables, rules, demo, service, clock, in one process."""

from __future__ import annotations

import errno
import json
import logging
import socket
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

import click
import psycopg
import uvicorn

from app import deploy, sample
from app.commands import demo
from app.commands.database import Database, database_options, one_line, opened, program, stop_on_signal
from app.commands.upkeep import summary
from app.worker import Worker

HOST = "127.0.0.1"
CLEAR = "\r\x1b[K"  # back to the beginning of the terminal's line, and empty it
PATIENCE = 5  # seconds for requests in flight, and for a job in progress, after the first Ctrl-C


@click.command(
    short_help="Start everything, with a demo to look at.",
    epilog="Example: leadline up --data ./data --port 8080",
)
@database_options
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="TCP port on 127.0.0.1."
)
@click.option("--no-demo", is_flag=True, help="Leave an empty database empty.")
def up(dsn: str | None, data: Path, port: int, no_demo: bool) -> None:
    """Start everything, show what Leadline does, and run until Ctrl-C.

    Starts (or shares) the embedded PostgreSQL, deploys tables and rules, makes a demo workspace when the
    database is empty, and serves the API on 127.0.0.1 while the clock runs. With --dsn your own PostgreSQL is
    used.
    """
    stop_on_signal()
    with ExitStack() as stack:
        listener = stack.enter_context(_listening(port))
        address = f"http://{HOST}:{listener.getsockname()[1]}"
        began = time.monotonic()
        database = stack.enter_context(opened(dsn, data, create=True))
        _tell("database", _description(database), began)
        began = time.monotonic()
        report = deploy.migrate(database.dsn, progress=_pass_by)
        _tell("rules", summary(report), began)
        shown = None if no_demo else _show(database, address)
        clock = Worker(_login(database, "leadline_worker"))
        stack.callback(clock.stop, PATIENCE)
        clock.start()
        service = _Service(_login(database, "leadline_service"), shown or _without_demo(address))
        try:
            service.run(sockets=[listener])
        except KeyboardInterrupt:
            click.echo("\nstopping …")
        if not service.started:
            raise click.ClickException("the service did not start: the lines above say why")
    click.echo("stopped; everything is kept")


def _login(database: Database, login: str) -> str:
    """The DSN of the service's or the clock's login; click.ClickException when it cannot log in."""
    dsn = database.as_login(login)
    try:
        psycopg.connect(dsn, connect_timeout=10).close()
    except psycopg.OperationalError as error:
        raise click.ClickException(
            f"{login} cannot log in: {one_line(str(error))}: give it a password (\\password {login} in psql) "
            "and a line in ~/.pgpass, or a rule in pg_hba.conf"
        ) from error
    return dsn


def _show(database: Database, address: str) -> list[str] | None:
    """The demo's lines, done again when another start that is loading the rules just now got in between."""
    for _ in range(4):
        try:
            return _demo(database, address)
        except deploy.IN_THE_WAY:
            _pass_by("somebody is deploying just now, again")
    return _demo(database, address)


def _demo(database: Database, address: str) -> list[str] | None:
    """The demo's lines; None when the database holds workspaces of somebody else's only."""
    began = time.monotonic()
    found = demo.find_or_make(database, datetime.now(UTC), _pass_by)
    if found is None:
        return None
    _tell("demo", f"{sample.WORKSPACE}, {found.made}", began)
    secret = demo.token(database, found)
    return ["", *demo.history(database, found), *demo.to_try(database, found, address, secret)]


def _without_demo(address: str) -> list[str]:
    return [
        "",
        f"  address  {address}",
        f"  API      {address}/schema",
        "",
        "A workspace, and a token for it:",
        "",
        f"  {program()} workspace create 'My business'",
        f"  {program()} token create --workspace 'My business' --role app",
        "",
    ]


class _Service(uvicorn.Server):
    """uvicorn that prints `lines` once it listens; a first signal ends it in order, a second at once."""

    def __init__(self, dsn: str, lines: list[str]) -> None:
        from app import main, settings  # here: the other commands should not wait for a web framework

        super().__init__(
            uvicorn.Config(
                main.create_app(settings.Settings.from_environment(dsn=dsn)),
                log_level="warning",
                server_header=False,
                timeout_graceful_shutdown=PATIENCE,
            )
        )
        self.lines = lines

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop; a request that is cut off by it is not worth a traceback."""
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, then say so."""
        await super().startup(sockets)
        if self.started:
            click.echo("\n".join([*self.lines, "Leadline is up; Ctrl-C stops it."]))


@contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    """A socket that listens: callers wait while Leadline starts, and a taken port is known at once."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
            listener.listen(128)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                by = "a Leadline that is up already" if _is_leadline(port) else "another program"
                raise click.ClickException(
                    f"port {port} is taken by {by}: choose another, as in {program()} up --port {port + 1}"
                ) from error
            raise click.ClickException(f"cannot listen on {HOST}:{port}: {error.strerror}") from error
        yield listener


def _is_leadline(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}/health", timeout=2) as answer:
            return "status" in json.load(answer)
    except (OSError, ValueError):
        return False


def _description(database: Database) -> str:
    server = database.server
    if server is None:
        return "your own PostgreSQL"
    return f"PostgreSQL {server.binaries.version} in {server.data}"


def _tell(step: str, line: str, began: float | None = None) -> None:
    """A line of progress: the step's name, what was done, and how long it took."""
    took = f"  ({time.monotonic() - began:.1f} s)" if began is not None else ""
    click.echo(f"{CLEAR if sys.stdout.isatty() else ''}{step:9} {line}{took}")


def _pass_by(line: str) -> None:
    """A line that the next one replaces on a terminal."""
    if sys.stdout.isatty():
        click.echo(f"{CLEAR}{'':9} {line}", nl=False)
    else:
        click.echo(f"{'':9} {line}")
