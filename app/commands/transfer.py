"""Lists of leads, in and out: for whoever moves a business into Leadline, and for whoever wants it back."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

import click
import psycopg

from app.commands.credentials import find_workspace, list_workspaces
from app.commands.database import (
    IS_DEPLOYED,
    Connection,
    become_owner,
    database_options,
    opened,
    say,
    stop_on_signal,
    transaction,
)

if TYPE_CHECKING:
    from app.transfer import importing

WARNINGS = 20  # that are shown; the rest is counted
CLEAR = "\r\x1b[K"  # the bar stands there

any_workspace_option = click.option(
    "--workspace", metavar="NAME", help="Its name or its id; not needed while there is only one."
)


@click.command(
    "import",
    short_help="Take a list of leads in.",
    epilog="Example: leadline import leads.csv --map hubspot --workspace 'Harbour Dental'",
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--map", "map_name", required=True, metavar="PRESET|FILE",
    help="What the columns mean: hubspot, salesforce, pipedrive, leadline, or a YAML file of your own.",
)  # fmt: skip
@any_workspace_option
@click.option("--name", metavar="ID", help="What the import is called; the file's name unless said.")
@click.option(
    "--rejects", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Where rows go that cannot be imported; FILE.rejects.csv unless said.",
)  # fmt: skip
@database_options
def import_command(
    dsn: str | None,
    data: Path,
    file: Path,
    map_name: str,
    workspace: str | None,
    name: str | None,
    rejects: Path | None,
) -> None:
    """Import the leads of a CSV file.

    A row whose e-mail address belongs to an open lead becomes an enquiry on it, any other a lead at the stage
    that it had. Run it again after an interruption, or after mending rows: what is in stays as it is. Exit
    status 1 when rows were rejected.
    """
    from app.transfer import (
        importing,
        mapping,
    )  # here: the other commands should not wait for numbering plans

    mapped = mapping.load(map_name)
    rejects = rejects or file.with_name(f"{file.name.removesuffix('.csv')}.rejects.csv")
    if rejects.resolve() == file.resolve():
        raise click.UsageError("--rejects would overwrite the file itself")
    if name is not None and not importing.NAME.fullmatch(name):
        raise click.UsageError("--name: up to 64 letters and digits, with blanks and - _ . between them")
    stop_on_signal()
    with opened(dsn, data) as database, _session(database.dsn) as connection:
        with connection.transaction():
            become_owner(connection)
            workspace_id = _meant(connection, workspace)
        warnings = _Warnings()
        job = importing.Job(connection, workspace_id, name or importing.default_name(file), mapped, warnings)
        try:
            with _progress(file, job):
                importing.run(job, file, rejects)
        except KeyboardInterrupt:
            _summarise(job, None, warnings)
            say("interrupted: what is counted above is in; the same command again does the rest")
            raise click.exceptions.Exit(130) from None
    _summarise(job, rejects, warnings)
    if job.counts.rejected:
        raise click.exceptions.Exit(1)


@click.command(
    "export",
    short_help="Give all leads out as a list.",
    epilog="Example: leadline export leads.csv --workspace 'Harbour Dental'",
)
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
@any_workspace_option
@database_options
def export_command(dsn: str | None, data: Path, file: Path, workspace: str | None) -> None:
    """Export the leads of a workspace as CSV; - writes to stdout.

    leadline import --map leadline reads it back. Histories stay behind, and so does what was turned away as
    test or spam. Nothing in it is a formula to a spreadsheet.
    """
    from app.transfer import exporting

    stop_on_signal()
    with opened(dsn, data) as database, transaction(database.dsn) as connection:
        become_owner(connection)
        count = exporting.run(connection, _meant(connection, workspace), None if str(file) == "-" else file)
    say(f"{count} leads exported")


@contextmanager
def _session(dsn: str) -> Iterator[Connection]:
    """A session of many transactions; click.ClickException when the database holds no Leadline."""
    with psycopg.connect(dsn, autocommit=True, fallback_application_name="leadline import") as connection:
        if connection.execute(IS_DEPLOYED).fetchone() != (True,):
            raise click.ClickException("this database holds no Leadline yet: run leadline migrate")
        yield connection


def _meant(connection: Connection, workspace: str | None) -> UUID:
    """The workspace of that name, or the only one."""
    if workspace is not None:
        return find_workspace(connection, workspace)
    known = [key for key, _, _, is_closed, _ in list_workspaces(connection) if not is_closed]
    if len(known) != 1:
        raise click.UsageError(f"there are {len(known)} open workspaces: name one with --workspace")
    return known[0]


class _Warnings:
    """Shows the first warnings as they come."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, line: str) -> None:
        if self.count < WARNINGS:
            say(f"{CLEAR if sys.stderr.isatty() else ''}{line}")
        self.count += 1


@contextmanager
def _progress(file: Path, job: importing.Job) -> Iterator[None]:
    """A bar on stderr, by the bytes of the file that are dealt with; with rows a second and the time left."""
    began = time.monotonic()
    try:
        size = file.stat().st_size
    except OSError as error:
        raise click.ClickException(f"cannot read {file}: {error.strerror}") from error
    with click.progressbar(
        length=size,
        label=f"importing {file.name}",
        file=sys.stderr,
        item_show_func=lambda counts: counts and f"{counts.rows} rows, {_rate(counts.rows, began)}/s",
    ) as bar:

        def show(counts: importing.Counts, position: int) -> None:
            bar.update(position - bar.pos, counts)

        job.progress = show
        yield


def _rate(rows: int, began: float) -> int:
    return round(rows / max(time.monotonic() - began, 0.001))


def _summarise(job: importing.Job, rejects: Path | None, warnings: _Warnings) -> None:
    counts = job.counts
    if warnings.count > WARNINGS:
        say(f"… and {warnings.count - WARNINGS} warnings more")
    click.echo(
        f"{counts.rows} rows: {counts.made} leads made, {counts.met} open leads met, "
        f"{counts.repeated} repeated, {counts.rejected} rejected"
    )
    if counts.rejected and rejects:
        say(f"the rejected rows are in {rejects}: mend them there and import that file by the same map")
