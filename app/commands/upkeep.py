"""For whoever deploys: bring the database to the state of the files, and prove that it is sound."""

from __future__ import annotations

import time
from pathlib import Path

import click
from psycopg import sql

from app import deploy
from app.commands.database import become_owner, database_options, one_line, opened, say, transaction

SHOWN = 20  # broken rows that are printed; the rest is counted
VERIFY = {
    "state": "select workspace_id, journal, subject_id, seq, what, detail from leadline.verify_state(%s)",
    "chain": "select workspace_id, journal, subject_id, seq, what, detail from leadline.verify_chain()",
}
MARKS = {"ok": "ok     ", "warning": "warning", "error": "ERROR  "}


@click.command(
    short_help="Bring the database to the state of the files.",
    epilog="Example: leadline migrate --dsn postgresql://admin@db.example.com/leadline",
)
@database_options
def migrate(dsn: str | None, data: Path) -> None:
    """Bring the database to the state of the files.

    Creates roles and schemas, applies pending migrations, then loads the rules of sql/. Run it as often as
    you like; several at once wait for each other.
    """
    with opened(dsn, data, create=True) as database:
        began = time.monotonic()
        report = deploy.migrate(database.dsn, progress=say)
        click.echo(f"{summary(report)} ({time.monotonic() - began:.1f} s)")


def summary(report: deploy.MigrateReport) -> str:
    """What a deploy did, in a few words."""
    count = len(report.applied)
    tables = f"{count} migration{'' if count == 1 else 's'} applied" if count else "tables up to date"
    return f"{tables}, rules {report.rules_version} in force"


@click.command(
    short_help="Look for what a restore or a hurried hand has changed.",
    epilog="Example: leadline doctor --dsn service=leadline",
)
@database_options
def doctor(dsn: str | None, data: Path) -> None:
    """Look for what a restore, an upgrade or a hurried hand may have changed.

    Changes nothing. Exit status 1 when something is wrong; warnings alone are status 0.
    """
    with opened(dsn, data) as database:
        findings = deploy.doctor(database.dsn)
    width = max(len(finding.check) for finding in findings)
    for finding in findings:
        click.echo(f"{MARKS[finding.severity]}  {finding.check:{width}}  {one_line(finding.text)}")
        if finding.hint:
            click.echo(f"{'':{width + 11}}→ {one_line(finding.hint)}")
    if any(finding.severity == "error" for finding in findings):
        raise click.exceptions.Exit(1)


@click.command(
    short_help="Prove that no state and no history was altered.", epilog="Example: leadline verify --redecide"
)
@database_options
@click.option("--redecide", is_flag=True, help="Also show what today's rules would decide differently.")
def verify(dsn: str | None, data: Path, redecide: bool) -> None:
    """Prove that every state follows from its journal and that no journal was rewritten.

    Exit status 1 when something differs, with the first broken rows.
    """
    broken = False
    with opened(dsn, data) as database, transaction(database.dsn) as connection:
        become_owner(connection)
        for what, statement in VERIFY.items():
            say(f"verifying {what} …")
            began = time.monotonic()
            rows = connection.execute(sql.SQL(statement), [redecide] if what == "state" else []).fetchall()
            found = f"{len(rows)} row{'' if len(rows) == 1 else 's'} differ" if rows else "sound"
            click.echo(f"{what}  {found} ({time.monotonic() - began:.1f} s)")
            for workspace, journal, subject, seq, difference, detail in rows[:SHOWN]:
                click.echo(f"  {journal} {subject} seq {seq}: {difference}, {detail} (workspace {workspace})")
            if len(rows) > SHOWN:
                click.echo(f"  … and {len(rows) - SHOWN} more")
            broken = broken or bool(rows)
    if broken:
        raise click.exceptions.Exit(1)
