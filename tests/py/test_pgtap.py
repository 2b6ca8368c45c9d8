"""The pgTAP plugin: what fails must fail, where it failed must be said, and nothing may stay behind."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from app.postgres import Server
from tests.databases import clone
from tests.pgtap import ROOT, Block, TapError, install, read_blocks

FIXTURE = """
create table public.probe (n int primary key deferrable initially deferred);
grant all on public.probe to public;
create role probe_login login;
set local session authorization probe_login;
"""


@pytest.fixture(scope="session")
def tap(server: Server) -> Iterator[psycopg.Connection]:
    """pgTAP in a database without Leadline: the plugin knows nothing of it."""
    with clone(server, "template1") as database, database.connect(autocommit=True) as connection:
        install(connection)
        yield connection


def blocks(folder: Path, text: str, fixture: str = FIXTURE) -> list[Block]:
    path = folder / "sql" / "probe.sql"
    path.parent.mkdir(exist_ok=True)
    path.write_text(fixture + text)
    return read_blocks(path)


def test_a_block_that_holds_passes_and_every_block_begins_with_the_fixture_alone(
    tap: psycopg.Connection, tmp_path: Path
) -> None:
    text = """
-- test: the first
insert into public.probe values (1);
select is((select count(*) from public.probe), 1::bigint, 'its own row');
select is(session_user, 'probe_login', 'the login it became');
-- test: the second
select is_empty('select * from public.probe', 'not the first one''s row');
"""
    for block in blocks(tmp_path, text):
        block.run(tap)
    left = "select to_regclass('public.probe'), to_regrole('probe_login'), session_user"
    assert tap.execute(left).fetchone() == (None, None, "postgres")


def test_a_failing_assertion_fails_with_its_line_and_what_pgtap_says(
    tap: psycopg.Connection, tmp_path: Path
) -> None:
    text = """-- test: é
select ok(true, 'fine');

select is(1, 2, 'one is two');
select ok(false, 'this neither');
"""
    (block,) = blocks(tmp_path, text)
    with pytest.raises(TapError) as failure:
        block.run(tap)
    said = str(failure.value)
    assert "probe.sql:9: not ok 2 - one is two" in said
    assert "have: 1" in said
    assert "probe.sql:10: not ok 3 - this neither" in said
    assert "fine" not in said


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("select\n  missing;", 'probe.sql:8: 42703 column "missing" does not exist'),
        ("select 'é',\n  missing;", 'probe.sql:8: 42703 column "missing" does not exist'),
        ("select 1;\nselekt 2;", "probe.sql:8: syntax error"),
        (
            "do $$ begin\n  raise exception 'no' using hint = 'think'; end $$;",
            "probe.sql:7: P0001 no\nHINT: think",
        ),
        ("do $$ begin raise notice 'on the way'; perform 1 / 0; end $$;", "NOTICE: on the way"),
        (
            "select ok(true);\ninsert into public.probe values (1), (1);\n\n",
            "probe.sql:8: 23505 duplicate key",
        ),
        ("select 1;", "probe.sql:6: no assertion ran"),
        ("", "probe.sql:6: no assertion ran"),
        ("do $$ begin perform ok(false); end $$;\nselect ok(true);", "Looks like you failed 1 test of 2"),
        ("select ok(true);\ncommit;", "the block ended its transaction"),
    ],
)
def test_what_goes_wrong_is_reported_with_file_and_line(
    tap: psycopg.Connection, tmp_path: Path, body: str, said: str
) -> None:
    fixture = FIXTURE if "commit" not in body else "\nset local session authorization pg_monitor;\n\n\n\n"
    (block,) = blocks(tmp_path, f"-- test: wrong\n{body}", fixture)
    with pytest.raises(TapError) as failure:
        block.run(tap)
    assert said in str(failure.value)


def test_an_assertion_above_row_security_is_an_error_unless_a_reason_is_given(
    tap: psycopg.Connection, tmp_path: Path
) -> None:
    text = """
-- test: unthinking
select ok(true);
-- test: back to superuser
set local session authorization pg_monitor;
select ok(true);
reset session authorization;
select ok(true);
-- test: on purpose
-- privileged: the trigger must stop the owner too
select ok(true);
"""
    unthinking, back, on_purpose = blocks(tmp_path, text, "create table t ();\n")
    for block in (unthinking, back):
        with pytest.raises(TapError, match="an assertion ran as postgres, whom row security does not hold"):
            block.run(tap)
    on_purpose.run(tap)


def test_skip_and_todo_are_not_failures(tap: psycopg.Connection, tmp_path: Path) -> None:
    text = """
-- test: skipped
select skip('no such feature here', 1);
-- test: later
select todo('later', 1);
select ok(false, 'not yet');
select ok(true);
"""
    skipped, later = blocks(tmp_path, text)
    with pytest.raises(pytest.skip.Exception, match="no such feature here"):
        skipped.run(tap)
    later.run(tap)


def test_pytest_collects_runs_and_counts_the_blocks(tap: psycopg.Connection, tmp_path: Path) -> None:
    blocks(tmp_path, "-- test: good\nselect ok(true);\n-- test: bad\nselect ok(false, 'bad');\n")
    (tmp_path / "sql" / "_helper.sql").write_text("select 1;")
    (tmp_path / "sql" / "empty.sql").write_text("select ok(true);")
    (tmp_path / "sql" / "double.sql").write_text("-- test: a\nselect 1;\n-- test: a\nselect 1;\n")
    (tmp_path / "conftest.py").write_text("from tests.py.test_pgtap import tap as tap_connection\n")
    command = (
        f"{sys.executable} -m pytest -p tests.conftest -p no:cacheprovider --continue-on-collection-errors"
    )
    options = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT), str(tmp_path / "sql")]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    environment["PYTHONPATH"] = str(ROOT)
    done = subprocess.run(
        [*command.split(), *options],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    assert "1 failed, 1 passed, 2 errors" in done.stdout
    assert "probe.sql:9: not ok 1 - bad" in done.stdout
    assert "nothing in it would run" in done.stdout
    assert "two blocks with one name: a" in done.stdout
    assert "Traceback" not in done.stdout
