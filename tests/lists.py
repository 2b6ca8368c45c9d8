"""A workspace whose administrator works at the command line, and lists to take in."""

from __future__ import annotations

import csv
import signal
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from click.testing import CliRunner

from app.cli import cli
from tests.tenant import Tenant


class Done(NamedTuple):
    """A command that has ended."""

    status: int
    out: str
    err: str


class Office(Tenant):
    """A workspace, and the command line of whoever administers it."""

    def run(self, *words: str | Path) -> Done:
        before = signal.getsignal(signal.SIGTERM)
        try:
            result = CliRunner().invoke(
                cli,
                [*map(str, words), "--workspace", str(self.id), "--dsn", self.admin_dsn],
                prog_name="leadline",
                env={"DATABASE_URL": None},
            )
        finally:
            signal.signal(signal.SIGTERM, before)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Done(result.exit_code, result.stdout, result.stderr)

    def all(self, statement: str) -> list[tuple[Any, ...]]:
        """Rows of a statement with one %s, for the workspace, as its owner sees them."""
        with psycopg.connect(self.admin_dsn) as connection:
            connection.execute("set role leadline_owner")
            return connection.execute(statement, (self.id,)).fetchall()

    def count(self) -> int:
        return int(self.ask("select count(*) from leadline.leads where workspace_id = %s", self.id))


def written(path: Path, content: bytes | str) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def many(path: Path, count: int, size: int = 20) -> Path:
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "name", "message"])
        for number in range(count):
            rows.writerow([number, f"Person {number}", "x" * size])
    return path
