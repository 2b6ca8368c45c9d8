"""The data moves house, by dump and restore or by replication: it stays the same, and sound."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from app.deploy import doctor
from app.postgres import Server
from app.postgres_binaries import Binaries, find_binaries
from tests.databases import Database
from tests.lived import ENQUIRE, lived_in, log_in
from tests.tenant import faults

OLDEST = Path("/usr/lib/postgresql/15/bin")
QUIET = {"fsync": "off", "wal_level": "logical", "max_connections": "40"}


@contextmanager
def another_server(binaries: Binaries | None = None) -> Iterator[Server]:
    """An empty server of its own, gone afterwards."""
    folder = Path(tempfile.gettempdir()) / f"leadline-house-{os.getpid()}-{time.time_ns():x}"
    server = Server(folder, QUIET, binaries)
    try:
        with server:
            yield server
    finally:
        server.release()
        shutil.rmtree(folder)


def run(binaries: Binaries, program: str, *arguments: str, stdin: str | None = None) -> str:
    """The output of one of PostgreSQL's own programs, to the letter: no line end becomes another."""
    done = subprocess.run(
        [binaries.bin_dir / program, *arguments],
        input=None if stdin is None else stdin.encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def dump(binaries: Binaries, dsn: str, *options: str) -> str:
    """A dump as plain SQL, without the lines that name versions or are random."""
    text = run(binaries, "pg_dump", "-d", dsn, *options)
    return re.sub(r"^(-- Dumped .*|\\(un)?restrict .*)\n", "", text, flags=re.MULTILINE)


def move(binaries: Binaries, source: str, target: Server) -> str:
    """Dump `source` whole, restore it into a new database of an empty server; returns the new dsn."""
    roles = run(binaries, "pg_dumpall", "-d", source, "--roles-only")
    run(binaries, "psql", "-qX", "-d", target.dsn(), stdin=roles)
    with psycopg.connect(target.dsn(), autocommit=True) as connection:
        connection.execute("create database moved")
    run(
        binaries,
        "psql",
        "-qX1",
        "-v",
        "ON_ERROR_STOP=1",
        "-d",
        target.dsn("moved"),
        stdin=dump(binaries, source),
    )
    return target.dsn("moved")


MOVE = """
    insert into leadline.relationship_activity (person_id, activity_type, payload)
    values (%s, 'relationship_advanced', '{"to": "client", "reason": "by and by"}'),
           (%s, 'relationship_advanced', '{"to": "qualified", "reason": "by and by"}')
"""


def life_goes_on(connection: psycopg.Connection[Any]) -> None:
    """What waited is answered, a repeat is a repeat, deals and relationships move on."""
    [(approval_id, waits)] = connection.execute(
        "select q.approval_id, q.person_id from leadline.approval_queue q"
        " join leadline.person_contacts k on k.person_id = q.person_id and k.key = 'accepted@buyer.example'"
        " where q.status = 'open' order by q.requested_at limit 1"
    ).fetchall()
    answer = {"approval_id": str(approval_id), "reason": "paid"}
    said = log_in(connection, "relationship_activity", waits, "approval_granted", **answer)
    assert (said["verdict"], said["to_stage"]) == ("applied", "client")
    [(deal, person_id)] = connection.execute(
        "select opportunity_id, person_id from leadline.opportunities where status = 'won'"
    ).fetchall()
    moved = {"to": "onboarding", "reason": "went live"}
    again = log_in(connection, "relationship_activity", person_id, "relationship_advanced", **moved)
    assert (again["replayed"], again["verdict"]) == (True, "applied")
    told = log_in(connection, "opportunity_activity", deal, "amount_changed", amount=901)
    assert (told["verdict"], told["changes"]) == ("applied", {"amount": [900, 901]})


def errors_of(dsn: str) -> list[Any]:
    return [finding for finding in doctor(dsn) if finding.severity == "error"]


@pytest.mark.slow
def test_a_full_dump_restores_into_the_same_thing(database: Database) -> None:
    lived_in(database.dsn())
    binaries = find_binaries()
    before = dump(binaries, database.dsn())
    with another_server() as target:
        moved = move(binaries, database.dsn(), target)
        assert dump(binaries, moved) == before
        assert faults(moved) == []
        assert errors_of(moved) == []
        assert dump(binaries, moved) == before, "the doctor leaves no trace"


@pytest.mark.slow
@pytest.mark.skipif(not (OLDEST / "initdb").exists(), reason="needs PostgreSQL 15 beside the embedded one")
def test_a_dump_from_15_restores_into_18(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LEADLINE_PG_BIN", raising=False)
    newest = find_binaries()
    monkeypatch.setenv("LEADLINE_PG_BIN", str(OLDEST))
    oldest = find_binaries()
    from app.deploy import migrate

    with another_server(oldest) as source, another_server(newest) as target:
        with psycopg.connect(source.dsn(), autocommit=True) as connection:
            connection.execute("create database old")
        migrate(source.dsn("old"))
        tenant = lived_in(source.dsn("old"))
        moved = move(newest, source.dsn("old"), target)
        # Another version prints a view in other words; the rows are the same to the letter.
        assert dump(newest, moved, "--data-only") == dump(newest, source.dsn("old"), "--data-only")
        assert faults(moved) == []
        assert errors_of(moved) == []
        with psycopg.connect(moved) as connection:
            covered = connection.execute("select max(activities) from leadline.checkpoints").fetchone()
        assert covered is not None
        assert covered[0] > 100, "the checkpoint that still fits covers the history"
        # The feed goes on from the last activity a consumer has, and shows what is written here.
        migrate(moved)
        with psycopg.connect(moved, user=tenant.login("app", "import")) as connection:
            told = connection.execute(
                "select change ->> 'activity_id' from leadline.changes_after(null, 1000)"
            ).fetchall()
            new = connection.execute(
                "insert into leadline.leads (source) values ('x') returning lead_id"
            ).fetchone()
            connection.commit()
            after = connection.execute(
                "select change ->> 'subject_id' from leadline.changes_after('activity:' || %s)", [told[-1][0]]
            ).fetchall()
        assert [row[0] for row in after] == [str(new and new[0])]
        with psycopg.connect(moved, user=tenant.login("owner")) as connection:
            before = connection.execute(
                "select lead_id from leadline.leads where email_key = 'w3@customer.example'"
            ).fetchall()
            for address in ("W3@customer.example", "w2@customer.example"):  # of the merged lead, too
                met = connection.execute(ENQUIRE, [json.dumps({"email": address})]).fetchall()
                assert met == before
            forgotten = json.dumps({"email": "w7@customer.example", "workflow": "sales"})
            [(again,)] = connection.execute(ENQUIRE, [forgotten]).fetchall()
            assert connection.execute(
                "select is_suppressed from leadline.lead_overview where lead_id = %s", [again]
            ).fetchone() == (True,), "the key under which the erased are remembered has moved along"
            life_goes_on(connection)
        assert faults(moved) == []


@pytest.mark.slow
def test_a_logical_replica_has_the_same_rows_and_decides_nothing_again(database: Database) -> None:
    tenant = lived_in(database.dsn())
    binaries = find_binaries()
    tables = [
        *("leadline.leads", "leadline.lead_activity", "leadline.workspaces", "leadline.workspace_activity"),
        *("leadline.activity_content", "leadline.suppressions", "leadline.rule_activity_types"),
        *(
            "leadline.people",
            "leadline.person_keys",
            "leadline.requests",
            "leadline.outbox",
            "leadline.accounts",
        ),
        *("leadline.relationship_activity", "leadline.approvals", "leadline.rule_blocks"),
        *("leadline.opportunities", "leadline.opportunity_activity"),
        *("leadline.subscriptions", "leadline.renewal_cycles", "leadline.customer_activity"),
        "leadline_internal.rulings",
    ]
    with another_server() as target:
        roles = run(binaries, "pg_dumpall", "-d", database.dsn(), "--roles-only")
        run(binaries, "psql", "-qX", "-d", target.dsn(), stdin=roles)
        schema = run(binaries, "pg_dump", "-d", database.dsn(), "--schema-only")
        with psycopg.connect(target.dsn(), autocommit=True) as connection:
            connection.execute("create database replica")
        run(binaries, "psql", "-qX1", "-v", "ON_ERROR_STOP=1", "-d", target.dsn("replica"), stdin=schema)
        name = database.name
        with (
            psycopg.connect(database.dsn(), autocommit=True) as publisher,
            psycopg.connect(target.dsn("replica"), autocommit=True) as replica,
        ):
            publisher.execute(f"create publication {name} for tables in schema leadline, leadline_internal")
            replica.execute(f"create subscription {name} connection '{database.dsn()}' publication {name}")
            try:
                with tenant.connect("app", "import", autocommit=True) as connection:
                    for (lead_id,) in connection.execute("select lead_id from leadline.leads").fetchall():
                        connection.execute(
                            "insert into leadline.lead_activity (lead_id, activity_type)"
                            " values (%s, 'contact_attempted'), (%s, 'refused')",
                            [lead_id, lead_id],
                        )
                    for (person_id,) in connection.execute(
                        "select person_id from leadline.people"
                    ).fetchall():
                        connection.execute(MOVE, [person_id, person_id])
                with tenant.connect("owner", autocommit=True) as connection:
                    life_goes_on(connection)
                with tenant.connect("billing", autocommit=True) as connection:
                    connection.execute(
                        "insert into leadline.customer_activity (subscription_id, activity_type)"
                        " select subscription_id, 'payment_failed' from leadline.subscriptions"
                    )
                publisher.execute("update leadline.leads set deal_value = 5")
                publisher.execute("update leadline.opportunities set amount = 5")
                deadline = time.monotonic() + 30
                for table in tables:
                    statement = (
                        "select md5(coalesce(string_agg(t::text, '|' order by t::text), '')), count(*)"
                        f" from {table} t"
                    )
                    ours = publisher.execute(statement).fetchone()
                    while (
                        theirs := replica.execute(statement).fetchone()
                    ) != ours and time.monotonic() < deadline:
                        time.sleep(0.1)
                    assert theirs == ours, table
                assert faults(target.dsn("replica")) == []
            finally:
                replica.execute(f"drop subscription {name}")


@pytest.mark.slow
def test_a_data_only_restore_loses_the_trigger_states_and_the_doctor_sees_it(database: Database) -> None:
    lived_in(database.dsn())
    with psycopg.connect(database.dsn()) as connection:
        connection.execute("alter table leadline.lead_activity disable trigger all")
        connection.execute("alter table leadline.lead_activity enable trigger all")
    assert any("t10_refuse_change" in finding.text for finding in errors_of(database.dsn()))
