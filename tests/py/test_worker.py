"""The clock: any number of workers, at any moment, do the work of a slot once; an outage costs nothing."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from app.postgres import Server
from app.worker import Worker, WorkerRefusedError
from tests.databases import Database
from tests.lived import log_in, person_of
from tests.tenant import Tenant, faults

NOON = datetime(2026, 3, 2, 12, 0, 30, tzinfo=UTC)
RUNS = "select slot, count(*) from leadline.job_runs where job = 'checkpoint' group by slot order by slot"
SLOTS = 40  # enough for a look at the slot to meet the commit of another worker
PATIENCE = 20.0  # seconds; nothing here takes more than a few


@pytest.fixture
def workspaces(database: Database) -> list[str]:
    """Two workspaces in a database of one's own."""
    with database.connect() as connection:
        connection.execute("set role leadline_owner")
        return [
            str(workspace_id)
            for name in ("Harbour", "Hill")
            for (workspace_id,) in connection.execute("select leadline.create_workspace(%s)", (name,))
        ]


@pytest.fixture
def worker(database: Database) -> Iterator[Worker]:
    worker = Worker(database.dsn("leadline_worker"), clock=lambda: NOON)
    yield worker
    worker.stop()


def runs(database: Database) -> list[tuple[datetime, int]]:
    with database.connect() as connection:
        return [(slot, count) for slot, count in connection.execute(RUNS)]


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def test_one_tick_works_for_every_workspace_and_the_next_of_that_slot_for_none(
    database: Database, workspaces: list[str], worker: Worker
) -> None:
    assert worker.tick("checkpoint", NOON) == 2
    assert worker.tick("checkpoint", NOON + timedelta(minutes=20)) == 0
    assert worker.tick("checkpoint", NOON + timedelta(hours=1)) == 2
    assert [count for _, count in runs(database)] == [2, 2]


def test_a_dead_worker_and_a_late_one_lose_nothing(
    database: Database, workspaces: list[str], worker: Worker
) -> None:
    assert worker.tick("checkpoint", NOON) == 2
    later = Worker(database.dsn("leadline_worker"))
    assert later.tick("checkpoint", NOON + timedelta(hours=9)) == 2
    assert [count for _, count in runs(database)] == [2, 2]
    with database.connect() as connection:
        taken = connection.execute("select count(*), count(root) from leadline.checkpoints").fetchone()
    assert taken == (4, 4), "a checkpoint covers all that came before it, so a missed slot is not made up for"


@pytest.mark.slow
def test_three_workers_do_every_slot_once(database: Database, workspaces: list[str]) -> None:
    done: list[int] = []
    gate = threading.Barrier(3)

    def work() -> None:
        worker = Worker(database.dsn("leadline_worker"))
        for hour in range(SLOTS):
            gate.wait(PATIENCE)
            done.append(worker.tick("checkpoint", NOON + timedelta(hours=hour)))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert len(done) == 3 * SLOTS
    assert sum(done) == SLOTS * len(workspaces)
    assert [count for _, count in runs(database)] == [len(workspaces)] * SLOTS


def test_it_runs_at_once_and_says_what_it_runs(
    database: Database, workspaces: list[str], worker: Worker
) -> None:
    jobs = ["approval_expiry", "checkpoint", "idempotency_sweep", "raw_body_retention"]
    assert worker.start() == jobs
    until(lambda: len(runs(database)) == 1)
    assert runs(database)[0][0] <= NOON


def test_an_approval_that_nobody_answers_in_time_expires(database: Database, worker: Worker) -> None:
    """Once, by the time that the worker is told, with its history; what is younger goes on waiting."""
    tenant = Tenant(database.dsn())
    [lead_id] = tenant.leads(1)
    with tenant.connect("owner", autocommit=True) as owner, tenant.connect(autocommit=True) as app:
        person_id = person_of(app, lead_id)
        for hours, stage in ((24, "client"), (48, "active")):
            owner.execute(
                "insert into leadline.workspace_activity (activity_type, payload)"
                " values ('settings_changed', jsonb_build_object('approval_hours', %s::int))",
                [hours],
            )
            log_in(app, "relationship_activity", person_id, "relationship_advanced", to=stage, reason="x")
    due = tenant.ask("select expires_at from leadline.approvals where to_stage = 'client'")
    told = "select string_agg(to_stage || ' ' || status, ', ' order by to_stage) from leadline.approvals"
    assert worker.tick("approval_expiry", due - timedelta(hours=1)) == 1
    assert tenant.ask(told) == "active open, client open"
    assert worker.tick("approval_expiry", due) == 1
    assert worker.tick("approval_expiry", due) == 0
    assert tenant.ask(told) == "active open, client expired"
    rows = "select string_agg(writer, ',') from leadline.relationship_activity where activity_type = 'approval_expired'"
    assert tenant.ask(rows) == "workflow:approvals"
    assert faults(database.dsn()) == []


@pytest.mark.parametrize("login", ["postgres", "leadline_worker_in_disguise"])
def test_it_refuses_a_login_above_row_security(database: Database, login: str) -> None:
    with database.connect(autocommit=True) as connection:
        connection.execute("drop role if exists leadline_worker_in_disguise")
        connection.execute("create role leadline_worker_in_disguise login in role leadline_owner")
    try:
        with pytest.raises(WorkerRefusedError, match="leadline_worker"):
            Worker(database.dsn(login)).start()
    finally:
        with database.connect(autocommit=True) as connection:
            connection.execute("drop role leadline_worker_in_disguise")


def test_an_unreachable_database_is_said_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(psycopg.OperationalError):
        Worker(f"host={tmp_path} dbname=leadline user=leadline_worker").start()


def test_a_workspace_that_fails_does_not_keep_the_others_from_their_work(
    database: Database, workspaces: list[str], worker: Worker, caplog: pytest.LogCaptureFixture
) -> None:
    with database.connect() as connection:
        connection.execute(
            psycopg.sql.SQL(
                "alter table leadline.checkpoints add constraint not_this_one check (workspace_id <> {})"
            ).format(min(workspaces))
        )
    with pytest.raises(psycopg.errors.CheckViolation):
        worker.tick("checkpoint", NOON)
    assert [count for _, count in runs(database)] == [1]
    assert min(workspaces) in caplog.text


def test_a_failing_database_is_survived(
    database: Database, workspaces: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Every connection is cut and none is let in; when it is back, the slot is done."""
    now = [NOON]
    worker = Worker(database.dsn("leadline_worker"), clock=lambda: now[0])
    worker.start()
    try:
        until(lambda: len(runs(database)) == 1)
        name = psycopg.sql.Identifier(database.name)
        with psycopg.connect(database.server.dsn(), autocommit=True) as admin:
            admin.execute(psycopg.sql.SQL("alter database {} allow_connections false").format(name))
            now[0] = NOON + timedelta(hours=1)
            with caplog.at_level(logging.WARNING):
                worker.ask("checkpoint")
            assert "asked again within a minute" in caplog.text
            admin.execute(psycopg.sql.SQL("alter database {} allow_connections true").format(name))
        worker.ask("checkpoint")
        assert [count for _, count in runs(database)] == [2, 2]
    finally:
        worker.stop()


def test_stop_cancels_a_run_that_will_not_end_and_frees_its_slot(
    database: Database, workspaces: list[str], worker: Worker
) -> None:
    with database.connect() as blocker:
        blocker.execute("lock table leadline.checkpoints")
        worker.start()
        waiting = "select count(*) from pg_stat_activity where datname = %s and wait_event_type = 'Lock'"
        with psycopg.connect(database.server.dsn(), autocommit=True) as admin:
            until(lambda: admin.execute(waiting, (database.name,)).fetchone() == (1,))
            began = time.monotonic()
            worker.stop(patience=0.2)
            assert time.monotonic() - began < 5
            assert admin.execute(waiting, (database.name,)).fetchone() == (0,)
    assert runs(database) == []
    assert Worker(database.dsn("leadline_worker")).tick("checkpoint", NOON) == 2


def test_a_stopped_worker_leaves_no_connection(
    database: Database, workspaces: list[str], worker: Worker, server: Server
) -> None:
    worker.start()
    until(lambda: len(runs(database)) == 1)
    worker.stop()
    with psycopg.connect(server.dsn()) as admin:
        mine = "select count(*) from pg_stat_activity where datname = %s and usename = 'leadline_worker'"
        assert admin.execute(mine, (database.name,)).fetchone() == (0,)
