"""The stage model as a document: for reviewers, and for whoever keeps it beside other specifications."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import psycopg
from psycopg.types.json import Jsonb

from app.commands.database import Connection, Database, database_options, opened, say, transaction
from app.spec import diagram, difference, document
from app.spec.document import Model, UnreadableError

DOCUMENT = "select leadline.stage_model_document()"
LINT = "select finding, subject, severity, detail from leadline.lint_model(%s)"
WORKFLOWS = "select workflow, label from leadline.rule_workflows order by workflow"
STAGES = "select stage, label, is_final from leadline.rule_stages where workflow = %s order by position"
ARROWS = "select kind, from_stage, to_stage, activity_type from leadline.stage_arrows where workflow = %s"
STDIN = Path("-")

workflow_option = click.option("--workflow", metavar="WORKFLOW", help="Only what is said of this workflow.")
out_option = click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="stdout unless said.",
)
file_argument = click.Path(dir_okay=False, allow_dash=True, path_type=Path)


class _NoModelError(click.ClickException):
    """A file that cannot be read as a model: neither sound nor different, so exit status 2."""

    exit_code = 2


@click.group()
def spec() -> None:
    """The stage model as a document: written as YAML, held to its rules, compared, drawn."""


@spec.command("export", epilog="Example: leadline spec export --workflow sales --out sales.yaml")
@workflow_option
@out_option
@database_options
def spec_export(dsn: str | None, data: Path, workflow: str | None, out: Path | None) -> None:
    """Write the stage model of the database as YAML."""
    with opened(dsn, data) as database:
        model = _of_database(database, workflow)
    _give(document.write(model), out)


@spec.command("lint", epilog="Example: leadline spec export | leadline spec lint -")
@click.argument("file", required=False, type=file_argument)
@workflow_option
@database_options
def spec_lint(dsn: str | None, data: Path, file: Path | None, workflow: str | None) -> None:
    """Say what is wrong with the model in FILE (- is stdin), or with that of the database.

    One finding a line: severity, finding, what it is about, more. Exit status 1 when there is any, 2 when
    FILE is no model.
    """
    model = None if file is None else _of_file(file, workflow)
    with opened(dsn, data) as database:
        if model is None:
            model = _of_database(database, workflow)
        with _reading(database) as connection:
            findings = connection.execute(LINT, [Jsonb(model)]).fetchall()
    for finding, subject, severity, detail in findings:
        click.echo(f"{severity:4}  {finding}  {subject}: {detail}")
    if findings:
        raise click.exceptions.Exit(1)
    count = len(model["blocks"])
    say(f"{count} block{'' if count == 1 else 's'}, nothing to say against {'it' if count == 1 else 'them'}")


@spec.command("diff", epilog="Example: leadline spec diff model.yaml")
@click.argument("file", type=file_argument)
@click.argument("file2", required=False, type=file_argument)
@workflow_option
@database_options
def spec_diff(dsn: str | None, data: Path, file: Path, file2: Path | None, workflow: str | None) -> None:
    """Say in what the model of the database and that in FILE differ (- is stdin), or those in FILE and FILE2.

    By block and key: - is what the first says, + what the second says. Exit status 1 when they differ, 2 when
    a file is no model.
    """
    if file == file2 == STDIN:
        raise click.UsageError("only one of the two can be stdin")
    if file2 is not None:
        names, models = (str(file), str(file2)), (_of_file(file, workflow), _of_file(file2, workflow))
    else:
        told = _of_file(file, workflow)
        with opened(dsn, data) as database:
            names, models = ("the database", str(file)), (_of_database(database, workflow), told)
    try:
        lines = difference.differences(*models)
    except UnreadableError as error:
        raise _NoModelError(str(error)) from error
    if lines:
        click.echo("\n".join([f"--- {names[0]}", f"+++ {names[1]}", *lines]))
        raise click.exceptions.Exit(1)


@spec.command("diagram", epilog="Example: leadline spec diagram sales --format svg --out sales.svg")
@click.argument("workflow")
@click.option(
    "--format",
    "form",
    type=click.Choice(["mermaid", "svg"]),
    default="mermaid",
    show_default=True,
    help="What to draw.",
)
@out_option
@database_options
def spec_diagram(dsn: str | None, data: Path, workflow: str, form: str, out: Path | None) -> None:
    """Draw WORKFLOW from the rules: its stages, and every way between them."""
    with opened(dsn, data) as database, _reading(database) as connection:
        _require_workflow(connection, workflow)
        drawn = workflow_of(connection, workflow)
    _give(diagram.svg(drawn) if form == "svg" else diagram.mermaid(drawn), out)


def workflow_of(connection: psycopg.Connection[Any], workflow: str) -> diagram.Workflow:
    """A workflow of the rules as a diagram takes it."""
    labels = dict(connection.execute(WORKFLOWS).fetchall())
    return diagram.Workflow(
        workflow,
        labels[workflow],
        [diagram.Stage(*row) for row in connection.execute(STAGES, [workflow])],
        [diagram.Arrow(*row) for row in connection.execute(ARROWS, [workflow])],
    )


@contextmanager
def _reading(database: Database) -> Iterator[Connection]:
    """A transaction that reads, as the login of the DSN: the rules are everybody's to read."""
    with transaction(database.dsn) as connection:
        connection.execute("set transaction read only")
        yield connection


def _require_workflow(connection: Connection, workflow: str) -> None:
    known = [code for code, _ in connection.execute(WORKFLOWS)]
    if workflow not in known:
        raise click.UsageError(f"there is no workflow {workflow}: {', '.join(known)}")


def _of_database(database: Database, workflow: str | None) -> Model:
    with _reading(database) as connection:
        if workflow is not None:
            _require_workflow(connection, workflow)
        ((model,),) = connection.execute(DOCUMENT)
    return document.only(model, workflow)


def _of_file(file: Path, workflow: str | None) -> Model:
    """The model in a file, or on stdin; _NoModelError when it is none."""
    try:
        if file == STDIN:
            raw = sys.stdin.buffer.read(document.LARGEST + 1)
        else:
            with file.open("rb") as opened_file:
                raw = opened_file.read(document.LARGEST + 1)
        return document.only(document.read(raw), workflow)
    except OSError as error:
        raise _NoModelError(f"cannot read {file}: {error.strerror}") from error
    except UnreadableError as error:
        raise _NoModelError(f"{'stdin' if file == STDIN else file}: {error}") from error


def _give(text: str, out: Path | None) -> None:
    if out is None:
        click.echo(text, nl=False)
        return
    try:
        out.write_text(text, "utf-8")
    except OSError as error:
        raise click.ClickException(f"cannot write {out}: {error.strerror}") from error
