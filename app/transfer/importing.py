"""A file into a workspace: batch after batch, each a transaction; what went in once does not go in twice.

Memory does not grow with the file: rows are read as they are needed, and what has to be remembered of every
row (to tell the second of two equal ones from the first) lies in a temporary file.
"""

from __future__ import annotations

import csv
import hashlib
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any
from uuid import UUID
from zoneinfo import ZoneInfo

import click
import msgspec
from psycopg import errors, sql

from app.commands.database import Connection, become_owner
from app.transfer.cells import Table, harmless, opened_table
from app.transfer.mapping import Map
from app.transfer.rows import BESIDE, Facts, Reject, Row, RowReader, Workflow
from app.transfer.values import key

BATCH = 1000  # rows a transaction: more of them on one lead would be quadratic
FIRST_BATCH = 100
BATCH_BYTES = 4_000_000
RETRIES = 5
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _.-]{0,63}", re.ASCII)

ENTER = "select leadline_internal.enter_as(%s, 'importer', null, '{import}')"
BY_INDEX = "set local enable_seqscan = off"  # a plan made for a hundred leads is kept for the next thousand
IMPORT = "select i.item, i.result from leadline.import_leads(%s::jsonb) i"
SETTINGS = (
    "select w.default_workflow, w.country, w.time_zone from leadline.workspaces w where w.workspace_id = %s"
)
STAGES = """
    select w.workflow, w.initial_stage, s.stage, s.label
    from leadline.rule_workflows w join leadline.rule_stages s using (workflow)
    where w.journal = 'lead_activity' order by w.workflow, s.position
"""
REASONS = "select r.reason_list, r.reason from leadline.rule_reasons r order by r.reason_list, r.position"
MEMBERS = """
    select m.user_id, m.email, m.name from leadline.members m
    where m.workspace_id = %s and m.deactivated_at is null
"""
# Plans that were made for empty tables read a workspace from end to end for every row.
IS_NEWS = "select c.reltuples < %s from pg_class c where c.oid = 'leadline.leads'::regclass"
GROWING = (
    "leadline.leads", "leadline.lead_activity", "leadline.activity_content", "leadline.people",
    "leadline.person_keys", "leadline.requests", "leadline.suppressions",
    "leadline_internal.activity_references",
)  # fmt: skip
# Whose columns a rule of the database is about, where it says so.
ABOUT = {
    "contact_info_required": ("email", "phone"),
    "deal_value_required": ("deal_value",),
    "lost_reason_required": ("lost_reason",),
    "unknown_lost_reason": ("lost_reason",),
    "recycle_date_required": ("recycle_on",),
    "unknown_assignee": ("assigned",),
    "occurred_in_the_future": ("created_at", "entered_at"),
    "active_lead_exists": ("email",),
}
encoder = msgspec.json.Encoder(decimal_format="number")


@dataclass
class Counts:
    """What became of the rows so far."""

    rows: int = 0
    made: int = 0
    met: int = 0
    repeated: int = 0
    rejected: int = 0
    warnings: int = 0


@dataclass
class Job:
    """One import: where it goes, what it is called, and who is told what on the way.

    `warn` gets a line for a person, `progress` the counts so far and how many bytes of the file they took."""

    connection: Connection  # in autocommit
    workspace_id: UUID
    name: str
    mapped: Map
    warn: Callable[[str], None]
    progress: Callable[[Counts, int], None] = lambda _counts, _position: None
    counts: Counts = field(default_factory=Counts)


def default_name(path: Path) -> str:
    """The import's name where none is given: that of the file, or of the one whose rejects it holds.

    A name stands in the journal for ever, so one that may say who somebody is is hashed."""
    stem = path.name.removesuffix(".csv").removesuffix(".rejects").removesuffix(".csv")
    return stem if NAME.fullmatch(stem) else hashlib.sha256(stem.encode()).hexdigest()[:16]


def run(job: Job, path: Path, rejects_path: Path) -> None:
    """Imports the file, with job.counts as the result; click.ClickException for one that cannot be read.

    Interrupted it leaves whole batches behind: the same call again does the rest."""
    facts = _facts(job)
    named = {
        key(name) for columns in job.mapped.columns.values() for column in columns for name in _names(column)
    }

    def known(header: Sequence[str]) -> int:
        return len(named & {key(name) for name in header})

    with (
        opened_table(path, job.mapped.encoding, job.mapped.delimiter, known) as table,
        _Rejects(rejects_path, table) as rejects,
        closing(sqlite3.connect("", isolation_level=None)) as remembered,  # a temporary file beyond its cache
    ):
        reader = RowReader(job.mapped, table.header, facts)
        if reader.unmapped:
            job.warn(f"not imported, since the map does not name them: {', '.join(reader.unmapped)[:400]}")
        seen, statistics = _Seen(remembered), _Statistics()
        for batch in _batches(_rows(job, reader, seen, table, rejects)):
            for (row, _), result in zip(batch, _store(job, [entry for _, entry in batch]), strict=True):
                _count(job, row, result, reader, rejects)
            statistics.keep(job)
            job.progress(job.counts, table.position())
    job.progress(job.counts, path.stat().st_size)


def _names(column: Any) -> Sequence[str]:
    return [column] if isinstance(column, str) else column.join


def _facts(job: Job) -> Facts:
    with _as_owner(job):
        settings = job.connection.execute(SETTINGS, (job.workspace_id,)).fetchone()
        default_workflow, country, zone = settings or ("", None, "UTC")
        stages: dict[str, tuple[str, dict[str, str]]] = {}
        for workflow, initial, stage, label in job.connection.execute(STAGES):
            stages.setdefault(workflow, (initial, {}))[1].update({key(stage): stage, key(label): stage})
        reasons: dict[str, list[str]] = {}
        for listed, reason in job.connection.execute(REASONS):
            reasons.setdefault(listed, []).append(reason)
        members: dict[str, list[UUID]] = {}
        for user_id, email, name in job.connection.execute(MEMBERS, (job.workspace_id,)):
            for word in {email, " ".join((name or email).casefold().split())}:
                members.setdefault(word, []).append(user_id)
    return Facts(
        {workflow: Workflow(*known) for workflow, known in stages.items()},
        default_workflow,
        reasons,
        {word: found[0] for word, found in members.items() if len(found) == 1},
        country,
        ZoneInfo(zone),
        datetime.now(UTC),
    )


@contextmanager
def _as_owner(job: Job) -> Iterator[None]:
    with job.connection.transaction():
        become_owner(job.connection)
        yield


# -- rows in ------------------------------------------------------------------------------------------------


def _rows(
    job: Job, reader: RowReader, seen: _Seen, table: Table, rejects: _Rejects
) -> Iterator[tuple[Row, bytes]]:
    """The rows that may go in, each as the database takes it; the others are rejected on the way."""
    for record in table.records:
        job.counts.rows += 1
        row = reader.read(record)
        if isinstance(row, Row):
            identity = seen.identity(row)
            if isinstance(identity, str):
                for column, sentence in row.warnings:
                    job.counts.warnings += 1
                    job.warn(f"line {record.line}, {column}: {sentence}")
                row.entry["reference"] = f"import:{job.name}:{identity}"
                yield row, encoder.encode(row.entry)
                continue
            row = identity
        job.counts.rejected += 1
        rejects.add(row)


def _batches(rows: Iterator[tuple[Row, bytes]]) -> Iterator[list[tuple[Row, bytes]]]:
    batch: list[tuple[Row, bytes]] = []
    size, limit = 0, FIRST_BATCH
    for row, entry in rows:
        if batch and (len(batch) == limit or size + len(entry) > BATCH_BYTES):
            yield batch
            batch, size, limit = [], 0, BATCH
        batch.append((row, entry))
        size += len(entry)
    if batch:
        yield batch


def _store(job: Job, entries: Sequence[bytes]) -> list[dict[str, Any]]:
    """What the database says to a batch, in one transaction; again when other writers were in its way."""
    rows = (b"[" + b",".join(entries) + b"]").decode()
    for attempt in range(1, RETRIES + 1):
        try:
            with _as_owner(job):
                job.connection.execute(ENTER, (job.workspace_id,))
                job.connection.execute(BY_INDEX)
                return [result for _, result in job.connection.execute(IMPORT, (rows,))]
        except (errors.DeadlockDetected, errors.SerializationFailure, errors.LockNotAvailable):
            if attempt == RETRIES:
                raise
    raise AssertionError


def _count(job: Job, row: Row, result: dict[str, Any], reader: RowReader, rejects: _Rejects) -> None:
    counts = job.counts
    if result["verdict"] in ("invalid", "refused"):
        counts.rejected += 1
        columns = (reader.columns_of(name) for name in ABOUT.get(result["rule"], ()))
        reason = f"{result['rule']}: {result['sentence']} {result['hint']}"
        rejects.add(Reject(row.record, ", ".join(filter(None, columns)), reason))
    elif result["replayed"]:
        counts.repeated += 1
    elif result["activity_type"] == "lead_imported":
        counts.made += 1
    else:
        counts.met += 1


class _Statistics:
    """Has the planner learn of what comes in: after the first batch, and whenever it is ten times as much."""

    def __init__(self) -> None:
        self._next = FIRST_BATCH

    def keep(self, job: Job) -> None:
        """To be called after every batch."""
        stored = job.counts.made + job.counts.met
        if stored < self._next:
            return
        self._next = stored * 10
        with _as_owner(job):
            is_news = job.connection.execute(IS_NEWS, (stored,)).fetchone() == (True,)
        for table in GROWING if is_news else ():
            with _as_owner(job):  # each by itself: two imports lock no two tables
                job.connection.execute(sql.SQL("analyze {}").format(sql.Identifier(*table.split("."))))


class _Seen:
    """Which rows this file had before the present one."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.execute("pragma journal_mode = off")
        connection.execute(
            "create table seen (key blob primary key, digest blob, line int, count int) without rowid"
        )

    def identity(self, row: Row) -> str | Reject:
        """What this row is called in every import of this name; a reject when its id stands for another row.

        Without an id of its own equal rows are told apart by their number."""
        name = row.external_id.encode() if row.external_id else row.digest
        [(digest, line, count)] = self._connection.execute(
            "insert into seen values (?, ?, ?, 1) on conflict (key) do update set count = count + 1"
            " returning digest, line, count",
            (name, row.digest, row.record.line),
        ).fetchall()
        if row.external_id is None:
            return f"{row.digest.hex()[:32]}{f'-{count}' if count > 1 else ''}"
        if digest != row.digest:
            return Reject(row.record, "", f"its id stands for another row already, on line {line}")
        return row.external_id


class _Rejects:
    """The file of rejected rows, made with the first of them: written as the file it comes from, so that it
    can be mended and imported by the same map."""

    def __init__(self, path: Path, table: Table) -> None:
        self._path = path
        self._table = table
        self._file: IO[str] | None = None
        self._writer: Any = None
        self._is_second = [key(name) for name in table.header[: len(BESIDE)]] == list(BESIDE)
        if path.exists() and not self._is_ours():
            raise click.ClickException(f"{path} is there already: name another file with --rejects")

    def __enter__(self) -> _Rejects:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self._file:
            self._file.close()
        elif kind is None:
            self._path.unlink(missing_ok=True)  # of a run before, when there still was something to reject

    def add(self, reject: Reject) -> None:
        """One more row, as it was."""
        if self._file is None:
            self._open()
        cells = reject.record.cells[len(BESIDE) :] if self._is_second else reject.record.cells
        self._writer.writerow(map(harmless, [str(reject.record.line), reject.column, reject.reason, *cells]))

    def _open(self) -> None:
        table = self._table
        encoding = "utf-8-sig" if table.has_mark else table.encoding
        try:
            self._file = self._path.open("w", encoding=encoding, errors="replace", newline="")
        except OSError as error:
            raise click.ClickException(f"cannot write {self._path}: {error.strerror}") from error
        self._writer = csv.writer(self._file, delimiter=table.delimiter)
        header = table.header[len(BESIDE) :] if self._is_second else table.header
        self._writer.writerow([*BESIDE, *map(harmless, header)])

    def _is_ours(self) -> bool:
        with suppress(UnicodeError), self._path.open(encoding=self._table.encoding) as file:
            return file.readline(64).lstrip("\ufeff").startswith(self._table.delimiter.join(BESIDE))
        return False
