"""The tree keeps its promises: migrations/ and sql/ are what CONTRIBUTING.md says they are.

`app.deploy.problems` holds the rules themselves, since a deploy refuses a tree that breaks one: twins,
numbers, `-- depends:`, checksums, `set lock_timeout`, no transaction control; load.sql lists the files of
sql/ and no others, except access/roles.sql, which runs before the first migration as whoever deploys.
"""

import re
import subprocess
from pathlib import Path

import pytest

from app.deploy import ROOT, checksums, problems

MIGRATIONS = sorted((ROOT / "migrations").glob("*.sql"))
FLAGS = re.MULTILINE | re.IGNORECASE
RULES = sorted(path for path in (ROOT / "sql").rglob("*.sql") if path != ROOT / "sql/load.sql")


def names(path: object) -> str:
    return str(path).removeprefix(f"{ROOT}/")


def test_migrations_and_load_list_are_whole() -> None:
    assert problems() == []


def test_checksums_are_those_of_the_files() -> None:
    assert (ROOT / "migrations/checksums.txt").read_text("utf-8") == checksums()


@pytest.mark.parametrize("path", MIGRATIONS, ids=names)
def test_a_migration_makes_tables_not_rules(path: object) -> None:
    """Triggers, policies and views are replaced at every deploy; the loader of sql/ also drops them."""
    text = (ROOT / names(path)).read_text("utf-8")
    pattern = r"^\s*create\s+(?:or\s+replace\s+)?(?:constraint\s+)?(trigger|policy|view|procedure)\b"
    assert re.findall(pattern, text, FLAGS) == []


@pytest.mark.parametrize("path", RULES, ids=names)
def test_a_rule_file_makes_nothing_that_cannot_be_replaced(path: object) -> None:
    """The loader can drop routines, views, triggers and policies; tables and types are a migration's."""
    text = (ROOT / names(path)).read_text("utf-8")
    pattern = r"^create\s+(?:unique\s+)?(table|type|index|sequence|domain|materialized\s+view)\b"
    assert re.findall(pattern, text, FLAGS) == []
    code = re.sub(r"--[^\n]*", "", text)
    assert re.findall(r"\bcascade\b", code, FLAGS) == [], "analysts hang views on ours"


@pytest.mark.parametrize("path", RULES, ids=names)
def test_what_can_be_replaced_is_replaced(path: object) -> None:
    """A plain CREATE would fail at the second deploy. Policies know no OR REPLACE: they are dropped first."""
    text = (ROOT / names(path)).read_text("utf-8")
    assert re.findall(r"^create\s+(function|procedure|view|trigger)\b", text, FLAGS) == []
    made = re.findall(r"^create\s+policy\s+(\S+)\s+on\s+([\w.]+)", text, FLAGS)
    dropped = re.findall(r"^drop\s+policy\s+if\s+exists\s+(\S+)\s+on\s+([\w.]+)\s*;", text, FLAGS)
    assert [policy for policy in made if policy not in dropped] == []


@pytest.mark.slow
def test_schema_sql_is_what_the_migrations_make(tmp_path: Path) -> None:
    """For review: a change of the tables shows in one file. scripts/dump-schema writes it."""
    subprocess.run([ROOT / "scripts/dump-schema", tmp_path / "schema.sql"], check=True, capture_output=True)
    assert (tmp_path / "schema.sql").read_text("utf-8") == (ROOT / "schema.sql").read_text("utf-8")
