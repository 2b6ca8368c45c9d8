"""What runs for long: the service, the clock, and a psql for people."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import click
import psycopg

from app.commands.database import database_options, opened, say, service_login, stop_on_signal
from app.commands.demo import LOGIN
from app.worker import Worker

IS_BOUND = "select 1 from leadline.workspace_logins where login = %s and revoked_at is null"


@click.command(
    short_help="Run the HTTP service.",
    epilog="Example: leadline serve --dsn 'host=db.example.com dbname=leadline user=leadline_service'",
)
@database_options
@click.option("--host", help="Address to listen on; 127.0.0.1 unless said otherwise.  [env: LEADLINE_HOST]")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="TCP port; 8080 unless said otherwise.  [env: LEADLINE_PORT]",
)
def serve(dsn: str | None, data: Path, host: str | None, port: int | None) -> None:
    """Run the HTTP service, until SIGTERM or Ctrl-C.

    The DSN must be of the login leadline_service: a login above row security is refused.
    """
    from app import main, settings  # here: the other commands should not wait for a web framework

    given: dict[str, Any] = {
        name: value for name, value in (("host", host), ("port", port)) if value is not None
    }
    stop_on_signal()
    with opened(dsn, data) as database:
        login = service_login(database.as_login("leadline_service") if database.server else database.dsn)
        with suppress(KeyboardInterrupt):  # uvicorn has ended in order and passes the signal on
            main.serve(settings.Settings.from_environment(dsn=login, **given))


@click.command(
    short_help="Run the clock.",
    epilog="Example: leadline worker --dsn 'host=db.example.com dbname=leadline user=leadline_worker'",
)
@database_options
def worker(dsn: str | None, data: Path) -> None:
    """Run the clock, until SIGTERM or Ctrl-C: it asks the database to do what is due.

    Run as many as you like: the work of a slot is done once. The DSN must be of the login leadline_worker.
    """
    show_log()
    stop_on_signal()
    with opened(dsn, data) as database, ExitStack() as stack:
        clock = Worker(database.as_login("leadline_worker") if database.server else database.dsn)
        stack.callback(clock.stop)
        jobs = clock.start()
        try:
            say(f"the clock runs ({', '.join(jobs)}); Ctrl-C stops it")
            while True:  # woken now and then: a signal that another thread took is seen when this one runs
                time.sleep(1)
        except KeyboardInterrupt:
            say("stopping …")
    say("stopped")


@click.command(
    short_help="Open psql in Leadline's schema.",
    context_settings={"ignore_unknown_options": True},
    epilog="Example: leadline psql -- -c 'select * from lead_overview limit 5'",
)
@database_options
@click.option("--login", metavar="NAME", help="Connect as this login instead.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def psql(dsn: str | None, data: Path, login: str | None, arguments: tuple[str, ...]) -> None:
    """Open psql, with Leadline's tables and views in its search_path.

    With the embedded server it connects as the demo's login, which sees the demo workspace alone, or as the
    administrator when there is no demo. What follows -- is psql's.
    """
    with opened(dsn, data) as database:
        if login is None and database.server:
            login = LOGIN if _is_bound(database.dsn, LOGIN) else None
        conninfo = database.as_login(login) if login else database.dsn
        if sys.stdin.isatty() and login:
            say(f"as {login}; another login with --login")
        options = f"{os.environ.get('PGOPTIONS', '')} -c search_path=leadline".strip()
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is psql's
        try:
            done = subprocess.run(
                [database.psql(), "-d", conninfo, *arguments],
                env=os.environ | {"PGOPTIONS": options},
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                check=False,
            )
        finally:
            signal.signal(signal.SIGINT, before)
    raise click.exceptions.Exit(done.returncode)


def _is_bound(dsn: str, login: str) -> bool:
    try:
        with psycopg.connect(dsn) as connection:
            return connection.execute(IS_BOUND, (login,)).fetchone() is not None
    except psycopg.errors.UndefinedTable:  # nothing is deployed yet
        return False


def show_log() -> None:
    """What the clock has to say goes to stderr; APScheduler itself only when it warns."""
    logging.basicConfig(format="%(asctime)s %(message)s", datefmt="%H:%M:%S", level=logging.INFO)
    logging.getLogger("apscheduler").setLevel(logging.WARNING)
