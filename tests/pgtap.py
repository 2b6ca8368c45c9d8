"""pgTAP files as tests: every `-- test: name` block of tests/sql/**/*.sql is an item of its own.

What stands above the first block is the fixture; it runs, as superuser, before each block and in the block's
transaction. The fixture or the block then becomes the login that the test is about:

    set local session authorization some_login;

An assertion that runs above row security (as superuser, BYPASSRLS or a member of leadline_owner) is an error,
unless the block or the fixture gives a reason on a line `-- privileged: reason`. Deferred constraints are
checked at the end and everything is rolled back: files need no begin, plan, finish or rollback. Files whose
name begins with `_` are helpers: they are loaded once, as superuser, with tap first in the search_path.
"""

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pglast.parser import ParseError, split
from psycopg.sql import SQL

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / ".cache" / "pgtap.sql"
TESTS = Path(__file__).resolve().parent / "sql"

_BLOCK = re.compile(r"^-- test:[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)
_PRIVILEGED = re.compile(r"^-- privileged:[ \t]*(\S.*)$", re.MULTILINE)
_RESULT = re.compile(
    r"(?P<failed>not )?ok \d+(?: - .*?)?(?: # (?P<directive>SKIP|TODO)\b ?(?P<why>.*))?$",
    re.MULTILINE | re.IGNORECASE,
)

_INSTALL = """
    create schema tap;
    set search_path = tap;
"""
# The guard sits in ok(boolean, text), through which all of pgTAP's assertions go.
_GUARD = """
    alter function tap.ok(boolean, text) rename to ok_from_anyone;
    create function tap.ok(p_passed boolean, p_description text) returns text language plpgsql as $$
    begin
        if coalesce(current_setting('tap.privileged', true), '') = '' and (
            select r.rolsuper or r.rolbypassrls
                or coalesce(pg_has_role(r.oid, to_regrole('leadline_owner'), 'member'), false)
            from pg_roles r where r.rolname = current_user
        ) then
            raise exception 'an assertion ran as %, whom row security does not hold', current_user
                using hint = 'set local session authorization to another login, or say -- privileged: why';
        end if;
        return tap.ok_from_anyone(p_passed, p_description);
    end $$;
    grant usage on schema tap to public;
    grant execute on all functions in schema tap to public;
    do $$ begin execute format('grant temporary on database %I to public', current_database()); end $$;
    set search_path = tap, public;
"""


class TapError(Exception):
    """A block that did not hold; the message is the whole report."""


def install(connection: psycopg.Connection) -> None:
    """Load pgTAP and its guard over a superuser's connection in autocommit; skips when pgTAP is not there."""
    if not FILE.exists():
        pytest.skip("pgTAP is not there: scripts/fetch-pgtap says why (it needs apt)")
    connection.execute(_INSTALL)
    connection.execute(FILE.read_bytes())
    connection.execute(_GUARD)


def load_helpers(connection: psycopg.Connection) -> None:
    """Load the helper files in the order of their names."""
    for helper in sorted(TESTS.rglob("_*.sql")):
        for statement in _statements(Part(helper, 1, helper.read_text())):
            _execute(connection, statement)


@dataclasses.dataclass(frozen=True)
class Part:
    """A piece of an SQL file: the file, the number of the piece's first line, its text."""

    path: Path
    line: int
    text: str

    def at(self, offset: int) -> str:
        """Where the character at `offset` stands, as file:line."""
        path = self.path.relative_to(ROOT) if self.path.is_relative_to(ROOT) else self.path
        return f"{path}:{self.line + self.text.count(chr(10), 0, offset)}"

    def part(self, piece: slice) -> "Part":
        """A piece of this piece."""
        return Part(self.path, self.line + self.text.count("\n", 0, piece.start), self.text[piece])


@dataclasses.dataclass(frozen=True)
class Block:
    """One test: the file's fixture, then the block's own statements."""

    name: str
    fixture: Part
    body: Part

    def run(self, tap_connection: psycopg.Connection) -> None:
        """Run and roll back; raises TapError for what did not hold, skips when every assertion says SKIP."""
        notices: list[str] = []

        def listen(said: psycopg.errors.Diagnostic) -> None:
            notices.append(f"{said.severity}: {said.message_primary}")

        tap_connection.add_notice_handler(listen)
        try:
            with tap_connection.transaction(force_rollback=True):
                results = self._results(tap_connection)
        except TapError as e:
            # A block that committed, which is an error too, has left the session with pgTAP's tables.
            tap_connection.execute("set session authorization default; discard temp")
            raise TapError("\n".join([str(e), *notices])) from None
        finally:
            tap_connection.remove_notice_handler(listen)
        if all(directive == "SKIP" for _, directive, _ in results):
            pytest.skip(results[0][2] or "pgTAP: skip")

    def _results(self, connection: psycopg.Connection) -> list[tuple[str, str, str]]:
        """(text, SKIP or TODO or '', reason) of every assertion of a block that held."""
        connection.execute("select tap.no_plan()")
        transaction = connection.execute("select pg_current_xact_id()").fetchall()
        if reason := _PRIVILEGED.search(self.fixture.text) or _PRIVILEGED.search(self.body.text):
            connection.execute(SQL("set local tap.privileged = {}").format(reason[1]))
        for statement in _statements(self.fixture):
            _execute(connection, statement)
        results, failures = [], []
        for statement in _statements(self.body):
            for text in _execute(connection, statement):
                if match := _RESULT.match(text):
                    directive = (match["directive"] or "").upper()
                    results.append((text, directive, match["why"] or ""))
                    if match["failed"] and directive != "TODO":
                        failures.append(f"{statement.at(0)}: {text}")
        end = Part(
            self.body.path,
            self.body.line + self.body.text.rstrip().count("\n"),
            "set constraints all immediate",
        )
        _execute(connection, end)
        if not results:
            raise TapError(f"{self.body.at(0)}: no assertion ran")
        if connection.execute("select pg_current_xact_id()").fetchall() != transaction:
            raise TapError(
                f"{self.body.at(0)}: the block ended its transaction; what it did was not rolled back"
            )
        closing = [str(line) for (line,) in connection.execute("select tap.finish()")]
        unseen = [line for line in closing if "Looks like you failed" in line and not failures]
        if failures or unseen:
            raise TapError("\n".join([*failures, *unseen]))
        return results


def _statements(part: Part) -> Iterator[Part]:
    """The statements of a piece of SQL; raises TapError for a misspelling or a psql command."""
    try:
        pieces = split(part.text, with_parser=True, only_slices=True) if part.text.strip() else ()
    except ParseError as e:
        offset = e.args[1] if len(e.args) > 1 and isinstance(e.args[1], int) else 0
        raise TapError(f"{part.at(offset)}: {e.args[0]}") from None
    for piece in pieces:
        yield part.part(piece)


def _execute(connection: psycopg.Connection, statement: Part) -> list[str]:
    """Run one statement; returns what a single text column of it said. Raises TapError with file:line."""
    try:
        cursor = connection.execute(statement.text.encode())
        if cursor.description is None or len(cursor.description) != 1:
            return []
        return [value for (value,) in cursor if isinstance(value, str)]
    except psycopg.Error as e:
        d = e.diag
        where = statement.at(int(d.statement_position or 1) - 1)
        more = {
            "DETAIL": d.message_detail,
            "HINT": d.message_hint,
            "CONSTRAINT": d.constraint_name,
            "CONTEXT": d.context,
        }
        lines = [
            f"{where}: {d.sqlstate} {d.message_primary or e}",
            *(f"{k}: {v}" for k, v in more.items() if v),
        ]
        raise TapError("\n".join(lines)) from None


class SqlBlock(pytest.Function):
    """The pytest item of a block; a failure's report is pgTAP's, not a Python traceback."""

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, TapError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)  # its Function takes no style

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.obj.__self__.body.line - 1, self.name


class SqlFile(pytest.File):
    """A file of tests/sql."""

    def collect(self) -> Iterator[SqlBlock]:
        blocks = read_blocks(self.path)
        if not blocks:
            raise self.CollectError(f"{self.path}: no line `-- test: name`, so nothing in it would run")
        if doubled := {b.name for b in blocks if [c.name for c in blocks].count(b.name) > 1}:
            raise self.CollectError(f"{self.path}: two blocks with one name: {', '.join(sorted(doubled))}")
        for block in blocks:
            yield SqlBlock.from_parent(self, name=block.name, callobj=block.run)


def read_blocks(path: Path) -> list[Block]:
    """The blocks of an SQL file in its order."""
    whole = Part(path, 1, path.read_text())
    cuts = list(_BLOCK.finditer(whole.text))
    ends = [*(cut.start() for cut in cuts[1:]), len(whole.text)][: len(cuts)]
    fixture = whole.part(slice(0, cuts[0].start() if cuts else 0))
    return [
        Block(cut[1].replace("::", ":"), fixture, whole.part(slice(cut.end(), end)))
        for cut, end in zip(cuts, ends, strict=True)
    ]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> SqlFile | None:
    """Collect the SQL files below a folder named sql in tests, helpers (`_…`) left out."""
    if file_path.suffix == ".sql" and "sql" in file_path.parent.parts and not file_path.name.startswith("_"):
        return SqlFile.from_parent(parent, path=file_path)
    return None
