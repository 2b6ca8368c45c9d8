"""A workspace into a file: a lead a row, in columns that the preset `leadline` reads back."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import IO, Any
from uuid import UUID

import click
import psycopg

from app.commands.database import Connection
from app.transfer.cells import harmless

COLUMNS = (
    "lead_id", "workflow", "stage", "status", "entered_at", "created_at", "first_contacted_at",
    "name", "company", "email", "phone", "source", "assigned", "deal_value", "currency",
    "lost_reason", "lost_notes", "rejection_reason", "recycle_reason", "recycle_on", "accepted_at",
    "tags", "do_not_contact", "unsubscribed",
)  # fmt: skip
SEPARATOR = ","
# What was turned away before anybody saw it (test, spam, a competitor) is nobody's lead.
LEADS = """
    select o.lead_id, o.workflow, o.stage, o.status, o.stage_entered_at, o.created_at, o.first_contacted_at,
           c.name, c.company, c.email, c.phone, o.source, m.email, o.deal_value, o.currency,
           o.lost_reason, c.lost_notes, o.rejection_reason, o.recycle_reason, o.recycle_on, o.accepted_at,
           o.tags, o.is_suppressed,
           array(select distinct s.channel
                 from leadline.leads l join leadline.suppressions s on s.workspace_id = l.workspace_id
                     and (s.kind, s.key) in (('email', l.email_key), ('phone', l.phone_key))
                 where l.workspace_id = o.workspace_id and l.lead_id = o.lead_id
                   and s.channel <> 'any' and s.lifted_by is null order by 1)
    from leadline.lead_overview o
    join leadline.lead_contacts c on c.workspace_id = o.workspace_id and c.lead_id = o.lead_id
    left join leadline.members m on m.workspace_id = o.workspace_id and m.user_id = o.assigned_user_id
    where o.workspace_id = %s and not (o.stage = 'disqualified' and exists (
        select from leadline.lead_activity a
        where a.workspace_id = o.workspace_id and a.lead_id = o.lead_id and a.seq = 1
          and a.activity_type = 'inbound_enquiry' and a.to_stage = 'disqualified'))
    order by o.created_at, o.lead_id
"""
AT_ONCE = 2000  # rows that are fetched together


def run(connection: Connection, workspace_id: UUID, path: Path | None) -> int:
    """Writes the workspace's leads to the file (None: stdout) and returns how many.

    The connection acts as leadline_owner; what is written is one moment's state. A file stands under its name
    only when it is whole."""
    count = 0
    with _written(path) as file, psycopg.ServerCursor(connection, "leadline_export") as cursor:
        cursor.itersize = AT_ONCE
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for lead in cursor.execute(LEADS, (workspace_id,)):
            writer.writerow([harmless(_text(value)) for value in lead])
            count += 1
    return count


@contextmanager
def _written(path: Path | None) -> Iterator[IO[str]]:
    if path is None:
        text = io.TextIOWrapper(sys.stdout.buffer, "utf-8", newline="")
        try:
            yield text
            text.flush()
        finally:
            text.detach()
        return
    is_ordinary = path.is_file() or not path.exists()
    target = path.with_name(f".{path.name}.unfinished") if is_ordinary else path
    try:
        with target.open("w", encoding="utf-8", newline="") as text:
            yield text
        if is_ordinary:
            target.replace(path)
    except OSError as error:
        raise click.ClickException(f"cannot write {path}: {error.strerror}") from error
    finally:
        if is_ordinary:
            target.unlink(missing_ok=True)


def _text(value: Any) -> str:
    """A value as a cell: instants in UTC, amounts exactly, several words with commas between them."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Decimal):
        return f"{value:f}"
    return _listed(value) if isinstance(value, list) else str(value)


def _listed(words: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line, delimiter=SEPARATOR, lineterminator="").writerow(words)
    return line.getvalue()
