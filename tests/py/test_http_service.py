"""The service as a process: who may run it, outages, limits of time, retries, shutdown, figures."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import httpx
import psycopg
import pydantic
import pytest

from app.db import Connection, RefusedToStartError, fetch_row
from app.db import Database as Pool
from app.deploy import migrate
from app.door import NIL
from app.postgres import PORT, Server
from app.routes.activities import LOG_ACTIVITY
from app.routes.leads import SHOW_LEAD
from app.settings import Settings
from tests.databases import Database, clone
from tests.py.test_http_errors import assert_problem
from tests.service import Service, Workspace, serving, settings_for

T = TypeVar("T")

START = "from app.main import serve; from app.settings import Settings; serve(Settings.from_environment())"
ROOT = Path(__file__).resolve().parents[2]


def with_pool(settings: Settings, use: Callable[[Pool], Awaitable[T]]) -> T:
    """What `use` gives, with an open pool."""

    async def run() -> T:
        pool = Pool(settings)
        await pool.open()
        try:
            return await use(pool)
        finally:
            await pool.close()

    return asyncio.run(run())


async def _nothing(_: Pool) -> None:
    return None


# --- who may run it


@pytest.fixture
def role(database: Database) -> Iterator[str]:
    """A login of this test, without any right; it is gone afterwards."""
    name = f"http_login_{database.name}"
    with database.connect(autocommit=True) as connection:
        connection.execute(f"create role {name} login")
        yield name
        connection.execute(f"drop owned by {name}")
        connection.execute(f"drop role {name}")


REFUSED = {
    "superuser": ["alter role {0} superuser"],
    "BYPASSRLS": ["alter role {0} bypassrls"],
    "owns Leadline": [
        "grant create on schema leadline to {0}",
        "alter view leadline.lead_overview owner to {0}",
    ],
    "member of leadline_owner": ["grant leadline_owner to {0}"],
}


@pytest.mark.parametrize("attribute", REFUSED)
def test_a_login_above_row_security_is_refused_by_the_attributes_name(
    database: Database, role: str, attribute: str
) -> None:
    with database.connect(autocommit=True) as connection:
        for statement in REFUSED[attribute]:
            connection.execute(statement.format(role))
    with pytest.raises(RefusedToStartError, match=attribute):
        with_pool(settings_for(database, dsn=database.dsn(role)), _nothing)


def test_a_member_of_a_superuser_is_refused(database: Database, role: str) -> None:
    with database.connect(autocommit=True) as connection:
        connection.execute(f"grant pg_monitor to {role}")
        with_pool(settings_for(database, dsn=database.dsn(role)), _nothing)
        connection.execute(f"grant postgres to {role}")
    with pytest.raises(RefusedToStartError, match="member of a superuser"):
        with_pool(settings_for(database, dsn=database.dsn(role)), _nothing)


def test_the_services_own_login_is_taken(database: Database) -> None:
    with_pool(settings_for(database), _nothing)


def test_a_database_out_of_reach_stops_the_start(database: Database, tmp_path: Path) -> None:
    settings = settings_for(database, dsn=f"host={tmp_path} dbname=x user=y", start_timeout_seconds=0.3)
    with pytest.raises(RefusedToStartError, match=r"cannot be reached: .*No such file"):
        with_pool(settings, _nothing)


# --- a session of the pool


def test_a_session_has_its_limits_and_utc(database: Database) -> None:
    async def look(pool: Pool) -> Any:
        names = (
            "lock_timeout",
            "statement_timeout",
            "idle_in_transaction_session_timeout",
            "timezone",
            "work_mem",
        )
        statement = f"select {', '.join(f'current_setting({name!r})' for name in names)}"
        return await pool.write(lambda connection: fetch_row(connection, statement, ()))

    dsn = database.dsn("leadline_service") + " options='-c work_mem=5MB'"
    assert with_pool(settings_for(database, dsn=dsn, lock_timeout_ms=1500, statement_timeout_ms=0), look) == (
        "1500ms", "0", "10s", "UTC", "5MB",
    )  # fmt: skip
    assert with_pool(settings_for(database, session_options=False), look)[:3] == ("0", "0", "0")


def test_a_context_left_in_a_session_opens_nothing_for_the_next_request(database: Database) -> None:
    mine, other = Workspace(database), Workspace(database, "Other")
    token, foreign = mine.token(), other.token()

    async def look(pool: Pool) -> Any:
        async def leak(connection: Connection) -> Any:
            async with connection.transaction():
                await connection.execute("select leadline.enter(%s)", (foreign,))
                context = (await fetch_row(connection, "select current_setting('leadline.context')", ()))[0]
            await connection.execute("select set_config('leadline.context', %s, false)", (context,))
            return connection.pgconn.backend_pid

        statement = "select json_build_array(leadline.current_workspace(), pg_backend_pid())"
        pid = await pool.write(leak)
        (without,) = await pool.write(lambda connection: fetch_row(connection, statement, ()))
        return pid, json.loads(without), json.loads(await pool.read(token, statement, ()))

    pid, without, within = with_pool(settings_for(database, pool_min=1, pool_max=1), look)
    assert (without, within) == ([None, pid], [str(mine.id), pid])


def test_no_function_sets_anything_beyond_its_transaction() -> None:
    files = [*(ROOT / "sql").rglob("*.sql"), *(ROOT / "migrations").glob("*.sql")]
    assert len(files) > 30
    for path in files:
        for call in re.findall(r"set_config\((?:[^()]|\([^()]*\))*\)", path.read_text()):
            assert call.replace(" ", "").endswith(",true)"), f"{path.name}: {call}"


@pytest.mark.parametrize(("threshold", "prepared"), [(2, True), (None, False)])
def test_statements_are_prepared_unless_that_is_switched_off(
    database: Database, threshold: int | None, prepared: bool
) -> None:
    async def look(pool: Pool) -> Any:
        for _ in range(8):
            (found,) = await pool.write(
                lambda connection: fetch_row(
                    connection, "select count(*) > 0 from pg_prepared_statements", ()
                )
            )
        return found

    settings = settings_for(database, pool_min=1, pool_max=1, prepare_threshold=threshold)
    assert with_pool(settings, look) is prepared


def test_a_read_enters_the_workspace_for_one_transaction_only(database: Database) -> None:
    workspace = Workspace(database)
    token = workspace.token()

    async def look(pool: Pool) -> Any:
        statement = "select json_build_array(leadline.current_workspace())"
        inside = await pool.read(token, statement, ())
        return inside, await pool.write(lambda connection: fetch_row(connection, statement, ()))

    inside, (after,) = with_pool(settings_for(database, pool_min=1, pool_max=1), look)
    assert (inside, after) == (b'["%s"]' % str(workspace.id).encode(), b"[null]")


class Wire:
    """Stands between the service and the server's socket, and counts how often the direction turns."""

    def __init__(self, path: str, server: str) -> None:
        self.path, self.server = path, server
        self.questions = 0
        self._is_asking = False
        self._carrying: list[Any] = []

    async def __aenter__(self) -> Wire:
        self._listener = await asyncio.start_unix_server(self._carry, self.path)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listener.close()
        await asyncio.gather(*self._carrying)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._carrying.append(asyncio.current_task())
        far_reader, far_writer = await asyncio.open_unix_connection(self.server)
        await asyncio.gather(
            self._pass(reader, far_writer, is_asking=True), self._pass(far_reader, writer, is_asking=False)
        )

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_asking: bool
    ) -> None:
        while data := await reader.read(65536):
            self.questions += is_asking and not self._is_asking
            self._is_asking = is_asking
            writer.write(data)
        writer.close()


def test_a_report_and_a_read_are_one_round_trip_each(database: Database, tmp_path: Path) -> None:
    token = Workspace(database).token()

    async def count() -> tuple[int, int]:
        server = f"{database.server.socket_dir}/.s.PGSQL.{PORT}"
        async with Wire(f"{tmp_path}/.s.PGSQL.{PORT}", server) as wire:
            dsn = f"host={tmp_path} port={PORT} dbname={database.name} user=leadline_service sslmode=disable"
            pool = Pool(settings_for(database, dsn=dsn, pool_min=1, pool_max=1))
            await pool.open()
            report = {
                "token": token, "on_behalf_of": None, "lead_id": None, "activity_type": "lead_created",
                "payload": "{}", "reference": None, "occurred_at": None, "surface": None,
            }  # fmt: skip
            trips = []
            for work in (
                lambda: pool.write(lambda connection: fetch_row(connection, LOG_ACTIVITY, report)),
                lambda: pool.read(token, SHOW_LEAD, {"lead_id": NIL}),
            ):
                for _ in range(7):  # prepared by then
                    await work()
                before = wire.questions
                await work()
                trips.append(wire.questions - before)
            await pool.close()
        return trips[0], trips[1]

    assert asyncio.run(count()) == (1, 1)


# --- losing to others


def test_work_that_lost_is_done_again_three_times_at_most(database: Database) -> None:
    async def look(pool: Pool) -> list[int]:
        counts = []
        for losses in (0, 1, 3, 9):
            tries = 0

            async def lose(_: Connection, losses: int = losses) -> None:
                nonlocal tries
                tries += 1
                if tries <= losses:
                    raise psycopg.errors.DeadlockDetected

            with contextlib.suppress(psycopg.errors.DeadlockDetected):
                await pool.write(lose)
            counts.append(tries)
        return counts

    assert with_pool(settings_for(database), look) == [1, 2, 4, 4]


def test_other_errors_are_not_tried_again(database: Database) -> None:
    tries = 0

    async def look(pool: Pool) -> None:
        async def fail(connection: Connection) -> None:
            nonlocal tries
            tries += 1
            await connection.execute("select 1 / 0")

        await pool.write(fail)

    with pytest.raises(psycopg.errors.DivisionByZero):
        with_pool(settings_for(database), look)
    assert tries == 1


def test_writers_that_collide_under_serializable_all_succeed(database: Database) -> None:
    with database.connect(autocommit=True) as connection:
        connection.execute(
            f"alter role leadline_service in database {database.name}"
            " set default_transaction_isolation = 'serializable'"
        )
    with serving(database, pool_min=4) as service:
        token = service.workspace().token()
        lead = service.lead(token)
        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(lambda _: service.log(token, lead, "contact_attempted"), range(4)))
        assert [answer.status_code for answer in answers] == [201] * 4
        assert sorted(answer.json()["seq"] for answer in answers) == [2, 3, 4, 5]
        assert [answer.json()["verdict"] for answer in answers].count("applied") == 1


def test_ten_at_once_with_one_reference_make_one_activity(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    lead = service.lead(token)
    said = {"activity_type": "contact_attempted", "reference": "once"}
    with ThreadPoolExecutor(10) as threads:
        answers = list(
            threads.map(lambda _: service.post(f"/leads/{lead}/activities", token, said), range(10))
        )
    assert sorted(answer.status_code for answer in answers) == [200] * 9 + [201]
    assert len({answer.json()["activity_id"] for answer in answers}) == 1
    assert service.get(f"/leads/{lead}", token).json()["seq"] == 2


def test_a_plan_older_than_the_last_deploy_costs_one_connection(database: Database) -> None:
    with database.connect(autocommit=True) as connection:
        connection.execute(
            "create table public.grows (a int); grant select on public.grows to leadline_service"
        )

    async def look(pool: Pool) -> tuple[int, int]:
        async def read(connection: Connection) -> int:
            await connection.execute("select * from public.grows")
            return connection.pgconn.backend_pid

        before = [await pool.write(read) for _ in range(8)][-1]
        with database.connect(autocommit=True) as connection:
            connection.execute("alter table public.grows add column b int")
        return before, await pool.write(read)

    before, after = with_pool(settings_for(database, pool_min=1, pool_max=1), look)
    assert before != after


def test_a_locked_lead_is_a_503_within_the_lock_timeout(database: Database) -> None:
    with serving(database, lock_timeout_ms=200) as service:
        token = service.workspace().token()
        lead = service.lead(token)
        with database.connect() as holder:
            holder.execute("select from leadline.leads where lead_id = %s for no key update", [lead])
            answer = service.log(token, lead, "contact_attempted")
        assert_problem(answer, 503, "busy")
        assert answer.headers["retry-after"] == "1"
        assert service.log(token, lead, "contact_attempted").status_code == 201


def test_a_statement_over_its_time_is_a_503(database: Database) -> None:
    with serving(database, lock_timeout_ms=0, statement_timeout_ms=200) as service:
        token = service.workspace().token()
        lead = service.lead(token)
        with database.connect() as holder:
            holder.execute("select from leadline.leads where lead_id = %s for no key update", [lead])
            assert_problem(service.log(token, lead, "contact_attempted"), 503, "busy")


def test_a_full_pool_is_a_503_that_passes(database: Database) -> None:
    with serving(database, pool_min=1, pool_max=1, pool_timeout_seconds=0.2) as service:
        token = service.workspace().token()
        lead = service.lead(token)
        with database.connect() as holder:
            holder.execute("select from leadline.leads where lead_id = %s for no key update", [lead])
            with ThreadPoolExecutor(1) as thread:
                waiting = thread.submit(service.log, token, lead, "contact_attempted")
                _until(lambda: _waiting_for_locks(database) == 1)
                answer = service.get("/leads", token)
                assert_problem(answer, 503, "database_unavailable")
                assert answer.headers["retry-after"] == "2"
                holder.rollback()
                assert waiting.result().status_code == 201
        assert service.get("/leads", token).status_code == 200


# --- losing the database


def test_a_connection_killed_while_idle_is_not_noticed_by_anybody(database: Database) -> None:
    with serving(database, pool_min=3) as service:
        token = service.workspace().token()
        for _ in range(3):
            with database.connect(autocommit=True) as connection:
                killed = connection.execute(
                    "select count(pg_terminate_backend(pid, 2000)) from pg_stat_activity"
                    " where usename = 'leadline_service' and datname = current_database()"
                ).fetchone()
            assert killed is not None
            assert killed[0] >= 1
            assert service.get("/leads", token).status_code == 200
            assert service.post("/leads", token, {}).status_code == 201


def test_a_connection_killed_in_a_request_is_a_503_and_the_next_is_fine(database: Database) -> None:
    with serving(database) as service:
        token = service.workspace().token()
        lead = service.lead(token)
        with database.connect(autocommit=True) as killer, database.connect() as holder:
            holder.execute("select from leadline.leads where lead_id = %s for no key update", [lead])
            with ThreadPoolExecutor(1) as thread:
                waiting = thread.submit(service.log, token, lead, "contact_attempted")
                _until(lambda: _waiting_for_locks(database) == 1)
                killer.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity"
                    " where datname = current_database() and wait_event_type = 'Lock'"
                )
                assert_problem(waiting.result(), 503, "database_unavailable")
        assert service.log(token, lead, "contact_attempted").json()["seq"] == 2


@pytest.fixture
def own_server() -> Iterator[Server]:
    """A server of this test alone, which it may stop."""
    memory = Path("/dev/shm")  # noqa: S108
    folder = Path(tempfile.mkdtemp(prefix="leadline-outage-", dir=memory if memory.is_dir() else None))
    folder.chmod(0o755)
    server = Server(folder / "data", {"fsync": "off"})
    try:
        yield server
    finally:
        server.release()
        shutil.rmtree(folder)


@pytest.mark.slow
def test_an_outage_is_a_503_and_passes_by_itself(own_server: Server) -> None:
    own_server.start()
    migrate(own_server.dsn())
    database = Database("postgres", own_server)
    with serving(database, pool_timeout_seconds=0.5, reconnect_seconds=1.0) as service:
        token = service.workspace().token()
        lead = service.lead(token)
        own_server.release()
        for answer in (
            service.get("/leads", token),
            service.log(token, lead, "sale"),
            service.client.get("/ready"),
        ):
            assert_problem(answer, 503, "database_unavailable")
            assert answer.headers["retry-after"] == "2"
        assert service.client.get("/health").status_code == 200
        assert service.client.get("/metrics").status_code == 200
        own_server.start()
        _until(lambda: service.client.get("/ready").status_code == 200, seconds=15)
        assert service.get(f"/leads/{lead}", token).json()["seq"] == 1
        assert service.log(token, lead, "contact_attempted").status_code == 201


def test_without_rules_the_service_is_alive_but_not_ready(server: Server, database: Database) -> None:
    with clone(server, "template0") as bare, serving(bare) as service:
        assert service.client.get("/health").json() == {"status": "alive"}
        answer = service.client.get("/ready")
        assert_problem(answer, 503, "rules_missing")
        assert answer.headers["retry-after"] == "5"


def test_with_rules_it_is_ready(service: Service) -> None:
    assert service.client.get("/ready").json() == {"status": "ready"}


# --- the process


def _environment(database: Database, **settings: str) -> dict[str, str]:
    told = {f"LEADLINE_{name.upper()}": value for name, value in settings.items()}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LEADLINE_")}
    kept.pop("DATABASE_URL", None)
    return kept | {"LEADLINE_DSN": database.dsn("leadline_service"), "LEADLINE_PORT": "0"} | told


@contextlib.contextmanager
def running(database: Database, **settings: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The service as a process of its own, and its address."""
    process = subprocess.Popen(
        [sys.executable, "-c", START], cwd=ROOT, env=_environment(database, **settings), text=True,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if match := re.search(r"listening on (\S+) port (\d+)", line):
                address = f"http://{match[1]}:{match[2]}"
            if "startup complete" in line:
                break
        else:
            pytest.fail("the service did not start")
        drain = threading.Thread(target=process.stderr.read, daemon=True)
        drain.start()
        yield process, address
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(10)


def test_sigterm_lets_a_request_finish(database: Database) -> None:
    workspace = Workspace(database)
    token = workspace.token()
    with (
        running(database, lock_timeout_ms="20000") as (process, address),
        httpx.Client(base_url=address) as client,
    ):
        headers = {"Authorization": f"Bearer {token}"}
        lead = client.post("/v1/leads", json={}, headers=headers).json()["lead_id"]
        with database.connect() as holder, ThreadPoolExecutor(1) as thread:
            holder.execute("select from leadline.leads where lead_id = %s for no key update", [lead])
            waiting = thread.submit(
                client.post, f"/v1/leads/{lead}/activities", json={"activity_type": "contact_attempted"},
                headers=headers, timeout=30,
            )  # fmt: skip
            _until(lambda: _waiting_for_locks(database) == 1)
            process.send_signal(signal.SIGTERM)
            _until(lambda: not _connects(address))
            holder.rollback()
            assert waiting.result().status_code == 201
        assert process.wait(10) == -signal.SIGTERM
    _until(lambda: workspace.ask(
        "select count(*) = 0 from pg_stat_activity"
        " where usename = 'leadline_service' and datname = current_database()"
    ))  # fmt: skip


def _start(database: Database, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", START], cwd=ROOT, env=_environment(database, **settings), text=True,
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip


def test_a_port_that_is_taken_is_said(database: Database) -> None:
    with running(database) as (_, address):
        port = address.rpartition(":")[2]
        ended = _start(database, port=port)
    assert ended.returncode == 1
    assert f"cannot listen on 127.0.0.1 port {port}: Address already in use" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_host_that_is_not_ours_is_said(database: Database) -> None:
    ended = _start(database, host="192.0.2.1")
    assert ended.returncode == 1
    assert "cannot listen on 192.0.2.1 port 0" in ended.stderr


def test_the_process_names_why_it_will_not_start(database: Database) -> None:
    ended = _start(database, dsn=database.dsn("postgres"))
    assert ended.returncode == 3
    assert "the login postgres is a superuser" in ended.stderr


def test_settings_come_from_the_environment_and_are_checked() -> None:
    settings = Settings.from_environment(
        {"DATABASE_URL": "postgresql:///a", "LEADLINE_PORT": "81", "LEADLINE_PREPARE_THRESHOLD": "none"},
        host="::1",
    )
    assert (settings.dsn, settings.port, settings.prepare_threshold, settings.host) == (
        "postgresql:///a", 81, None, "::1",
    )  # fmt: skip
    both = {"DATABASE_URL": "postgresql:///a", "LEADLINE_DSN": "postgresql:///b"}
    assert Settings.from_environment(both).dsn == "postgresql:///b"
    for bad in (
        {},
        {"DATABASE_URL": ""},
        both | {"LEADLINE_PORT": "65536"},
        both | {"LEADLINE_POOL_MAX": "many"},
    ):
        with pytest.raises(pydantic.ValidationError):
            Settings.from_environment(bad)


# --- figures and documentation


def test_figures_count_requests_verdicts_and_connections(database: Database) -> None:
    with serving(database, pool_min=2, pool_max=3) as service:
        token = service.workspace().token()
        lead = service.lead(token)
        for _ in range(2):
            service.post(f"/leads/{lead}/activities", token, {"activity_type": "sale", "reference": "r"})
        service.post("/activities", token, [{"lead_id": lead, "activity_type": "contact_attempted"}, 7])
        service.get("/nowhere/1")
        service.get("/nowhere/2")
        service.send("PURGE", "/leads")
        answer = service.client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = answer.text.splitlines()
    for line in (
        'leadline_requests_total{method="POST",route="/v1/leads",status="201"} 1.0',
        'leadline_requests_total{method="POST",route="/v1/leads/{lead_id}/activities",status="409"} 2.0',
        'leadline_requests_total{method="any",route="unknown",status="404"} 2.0',
        'leadline_requests_total{method="any",route="unknown",status="405"} 1.0',
        'leadline_activities_total{rule="",verdict="applied"} 2.0',
        'leadline_activities_total{rule="outcome_needs_appointment",verdict="refused"} 1.0',
        'leadline_activities_total{rule="batch_malformed",verdict="invalid"} 1.0',
        'leadline_request_seconds_count{route="/v1/activities"} 1.0',
        "leadline_pool_connections_limit 3.0",
    ):
        assert line in lines
    assert lead not in answer.text


def test_the_documentation_needs_nothing_from_outside(service: Service) -> None:
    page = service.client.get("/schema")
    assert page.headers["content-type"].startswith("text/html")
    assert not re.search(r"(https?:)?//[a-z0-9.-]+\.[a-z]{2,}", page.text)
    files = re.findall(r"""(?:src|href)=["']([^"']+)""", page.text)
    assert len(files) == 4
    for path in files:
        answer = service.client.get(path)
        assert answer.status_code == 200
        assert len(answer.content) > 500
    assert service.client.get("/schema/openapi.json").json()["openapi"].startswith("3.1")


def _connects(address: str) -> bool:
    try:
        httpx.get(f"{address}/health", timeout=2)
    except httpx.ConnectError:
        return False
    return True


def _waiting_for_locks(database: Database) -> int:
    with database.connect() as connection:
        row = connection.execute(
            "select count(*) from pg_stat_activity"
            " where datname = current_database() and wait_event_type = 'Lock'"
        ).fetchone()
    assert row is not None
    return int(row[0])


def _until(holds: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.02)
