"""The command line as its users meet it: real processes on a data folder of their own."""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

from app import postgres
from app.cli import cli
from app.commands import up as commands_up
from app.commands.database import Database

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = Path(sys.executable).with_name("leadline")
LEADLINE = [str(INSTALLED)] if INSTALLED.exists() else [sys.executable, "-m", "app.cli"]
PATIENCE = 40.0  # seconds; a start takes two or three
NEVER = "11111111-1111-4111-8111-111111111111"


def environment() -> dict[str, str]:
    ours = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PG", "LEADLINE_", "DATABASE_"))
    }
    kept = {key: value for key, value in os.environ.items() if key == "LEADLINE_PG_BIN"}
    return ours | kept | {"PYTHONUNBUFFERED": "1", "PYTHONPATH": str(ROOT)}


def leadline(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """One command, to its end, in this process: a new one would cost half a second each."""
    words = list(map(str, arguments))
    done = CliRunner().invoke(cli, words, prog_name="leadline", env={"DATABASE_URL": None})
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


def shell(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """One command, to its end, in a process of its own."""
    return subprocess.run(
        [*LEADLINE, *map(str, arguments)],
        env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False, **options,
    )  # fmt: skip


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """A place that the server's user can enter; whatever server is left there is stopped."""
    memory = Path("/dev/shm")  # noqa: S108
    base = tempfile.mkdtemp(dir=memory if os.access(memory, os.W_OK) else None, prefix="leadline-cli-")
    path = Path(base)
    path.chmod(0o755)
    try:
        yield path
    finally:
        for cluster in path.glob("*/cluster"):
            with postgres.Server(
                cluster.parent
            ):  # shared by a forgotten process or not: the last one out stops it
                pass
        shutil.rmtree(path)


@dataclass
class Up:
    """A running `leadline up`, and what it has printed so far."""

    process: subprocess.Popen[bytes]
    output: Path

    @property
    def text(self) -> str:
        return self.output.read_text()

    @property
    def address(self) -> str:
        return self._word(r"address +(http://\S+)")

    @property
    def token(self) -> str:
        return self._word(r"token +(ll_\S+)")

    def _word(self, pattern: str) -> str:
        found = re.search(pattern, self.text)
        assert found, self.text
        return found[1]

    def command(self, word: str) -> str:
        """The printed line for the shell that has `word` in it, with its continuation lines."""
        lines = iter(self.text.splitlines())
        for line in lines:
            if line.startswith("  ") and word in line:
                whole = [line.strip()]
                while whole[-1].endswith("\\"):
                    whole.append(next(lines).strip())
                return "\n".join(whole)
        raise AssertionError(f"no line with {word} in\n{self.text}")

    def wait(self) -> Up:
        deadline = time.monotonic() + PATIENCE
        while "Leadline is up" not in self.text:
            assert self.process.poll() is None, self.text
            assert time.monotonic() < deadline, self.text
            time.sleep(0.05)
        return self

    def stop(self, with_signal: int = signal.SIGINT) -> int:
        self.process.send_signal(with_signal)
        return self.process.wait(PATIENCE)


@contextlib.contextmanager
def up(data: Path, *arguments: str, name: str = "up", **options: Any) -> Iterator[Up]:
    """`leadline up` on `data` and, unless said otherwise, any free port; ended with its block."""
    output = data.parent / f"{name}.out"
    if "--port" not in arguments:
        arguments = (*arguments, "--port", "0")
    with output.open("wb") as file:
        process = subprocess.Popen(
            [*LEADLINE, "up", *([] if "--dsn" in arguments else ["--data", str(data)]), *arguments],
            env=environment(), stdout=file, stderr=subprocess.STDOUT, start_new_session=True, **options,
        )  # fmt: skip
    try:
        yield Up(process, output)
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    with folder() as path:
        yield path


@pytest.fixture(scope="module")
def data(place: Path) -> Path:
    return place / "data"


@pytest.fixture(scope="module")
def running(data: Path) -> Iterator[Up]:
    """The `up` that most tests here look at."""
    with up(data) as first:
        yield first.wait()


def connected(data: Path, login: str) -> psycopg.Connection:
    return psycopg.connect(postgres.Server(data).dsn("leadline", login), autocommit=True)


def superuser(data: Path) -> psycopg.Connection:
    return connected(data, "postgres")


def ask(address: str, path: str, token: str = "", body: object = None) -> tuple[int, Any]:
    request = urllib.request.Request(  # noqa: S310 - our own address
        address + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json"}
        | ({"Authorization": f"Bearer {token}"} if token else {}),
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def left_of(data: Path) -> list[str]:
    """Command lines of living processes that name the folder; a zombie has none."""
    lines = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            lines.append(process.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return [line for line in lines if str(data) in line]


def one_line_of_advice(done: subprocess.CompletedProcess[str], *words: str, status: int = 1) -> None:
    """The command failed as it should: its status, one line on stderr, with these words, and no traceback."""
    assert done.returncode == status, done
    assert done.stderr.startswith("Error: "), done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    for word in words:
        assert word in done.stderr, done.stderr


# -- up: the first minute


def test_up_says_what_it_did_and_shows_a_refusal_with_its_hint(running: Up) -> None:
    assert "60 leads with" in running.text
    assert re.search(r"contact_attempted +new → attempted +applied", running.text)
    assert re.search(r"sale +attempted +refused +outcome_needs_appointment", running.text)
    assert "→ Log appointment_scheduled first" in running.text
    assert max(map(len, running.text.splitlines())) < 240


def test_the_service_answers_and_the_clock_has_run(running: Up, data: Path) -> None:
    assert ask(running.address, "/health")[0] == 200
    with superuser(data) as connection:
        deadline = time.monotonic() + PATIENCE
        jobs = connection.execute("select count(*) from leadline.job_names()").fetchone()
        while connection.execute("select count(*) from leadline.job_runs").fetchone() != jobs:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_service_and_clock_are_no_superusers(running: Up, data: Path) -> None:
    ask(running.address, "/health")
    with superuser(data) as connection:
        users = connection.execute(
            """
            select distinct a.usename from pg_stat_activity a
            where a.datname = 'leadline' and a.pid <> pg_backend_pid() and a.backend_type = 'client backend'
            """
        ).fetchall()
    assert {user for (user,) in users} <= {"leadline_service", "leadline_worker"}
    assert ("leadline_service",) in users


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl here")
def test_the_curl_line_works_as_printed_and_is_refused(running: Up) -> None:
    done = subprocess.run(
        ["bash", "-c", running.command("curl")], capture_output=True, text=True, timeout=PATIENCE
    )
    assert json.loads(done.stdout)["verdict"] == "refused"
    assert json.loads(done.stdout)["rule"] == "outcome_needs_appointment"


def test_the_psql_line_works_as_printed(running: Up) -> None:
    line = running.command("/psql")
    assert "user=demo_app" in line
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, timeout=PATIENCE, env=environment()
    )
    assert re.search(r"applied +\| +\| attempted +\| callback", done.stdout), done


def test_leadline_psql_sees_the_demo_and_passes_its_status_on(running: Up, data: Path) -> None:
    done = shell(
        "psql", "--data", data, "--", "-At", "-c", "select session_user, count(*) from lead_overview"
    )
    assert (done.stdout, done.returncode) == ("demo_app|60\n", 0)
    assert shell("psql", "--data", data, "--", "-c", "select nonsense").returncode == 1
    assert shell("psql", "--data", data, "--login", "nobody_known").returncode == 2
    done = shell("psql", "--data", data, "--login", "postgres", "--", "-At", "-c", "select session_user")
    assert done.stdout == "postgres\n"


def test_the_printed_psql_command_works_as_printed(running: Up) -> None:
    line = running.command(" psql --data")
    done = subprocess.run(
        ["bash", "-c", line + " -- -At -c 'select 42'"],
        capture_output=True, text=True, timeout=PATIENCE, env=environment(), check=False,
    )  # fmt: skip
    assert done.stdout == "42\n", done


# -- a second one


def test_a_second_up_shares_the_server_and_shows_the_same(running: Up, data: Path) -> None:
    server = postgres.Server(data).pid
    with up(data, name="second") as second:
        second.wait()
        assert postgres.Server(data).pid == server
        assert second.address != running.address
        assert second.token == running.token, "what was copied stays valid"
        assert "as it was left" in second.text
        assert ask(second.address, "/v1/leads?limit=1", second.token)[0] == 200
        assert second.stop() == 0
    assert ask(running.address, "/ready")[0] == 200, "the first goes on"


def test_two_first_ups_at_once_make_one_demo() -> None:
    with folder() as place, up(place / "data", name="one") as one, up(place / "data", name="two") as two:
        one.wait()
        two.wait()
        for either in (one, two):
            status, page = ask(either.address, "/v1/leads?limit=100", either.token)
            assert status == 200
            assert len(page["leads"]) == 60
        assert one.stop() == two.stop() == 0
        assert left_of(place / "data") == []


def test_a_demo_that_loses_a_deadlock_to_a_deploy_is_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = [psycopg.errors.DeadlockDetected("x"), psycopg.errors.LockNotAvailable("x")]

    def tell(*_: object) -> list[str]:
        if lost:
            raise lost.pop()
        return ["shown"]

    monkeypatch.setattr(commands_up, "_demo", tell)
    database = Database("nowhere", None)
    assert commands_up._show(database, "http://127.0.0.1:1") == ["shown"]
    lost += [psycopg.errors.DeadlockDetected("x")] * 5
    with pytest.raises(psycopg.errors.DeadlockDetected):
        commands_up._show(database, "http://127.0.0.1:1")


def test_a_taken_port_is_said_before_anything_is_started(running: Up, place: Path) -> None:
    port = running.address.rsplit(":", 1)[1]
    done = leadline("up", "--data", place / "elsewhere", "--port", port)
    one_line_of_advice(
        done, f"port {port} is taken by a Leadline that is up already", f"--port {int(port) + 1}"
    )
    assert not (place / "elsewhere").exists()
    with socket.create_server(("127.0.0.1", 0)) as other:
        number = other.getsockname()[1]
        done = leadline("up", "--data", place / "elsewhere", "--port", str(number))
        one_line_of_advice(done, f"port {number} is taken by another program")


# -- upkeep


def test_migrate_may_be_repeated(running: Up, data: Path) -> None:
    done = leadline("migrate", "--data", data)
    assert done.returncode == 0, done
    assert done.stdout.startswith("tables up to date, rules ")


def test_doctor_finds_no_error(running: Up, data: Path) -> None:
    done = leadline("doctor", "--data", data)
    assert done.returncode == 0, done.stdout
    assert "ok       migrations" in done.stdout


def test_doctor_ends_in_1_when_something_is_wrong(running: Up, data: Path) -> None:
    with superuser(data) as connection:
        connection.execute("alter table leadline.leads disable row level security")
        done = leadline("doctor", "--data", data)
        connection.execute("alter table leadline.leads enable row level security")
    assert done.returncode == 1
    assert "ERROR" in done.stdout


def test_verify_finds_the_demo_sound(running: Up, data: Path) -> None:
    for arguments in ([], ["--redecide"]):
        done = leadline("verify", "--data", data, *arguments)
        assert done.returncode == 0, done
        assert re.search(r"^state  sound .*\nchain  sound ", done.stdout)


def test_verify_names_a_row_that_was_altered(running: Up, data: Path) -> None:
    alter = "update leadline.lead_activity set writer = %s where activity_id = %s"
    with superuser(data) as connection:
        [(activity_id, lead_id)] = connection.execute(
            "select activity_id, lead_id from leadline.lead_activity where activity_type = 'sale' limit 1"
        )
        connection.execute("alter table leadline.lead_activity disable trigger user")
        try:
            connection.execute(alter, ("app", activity_id))
            done = leadline("verify", "--data", data)
            connection.execute(alter, ("person", activity_id))
        finally:
            connection.execute("alter table leadline.lead_activity enable trigger user")
    assert done.returncode == 1, done
    assert str(lead_id) in done.stdout
    assert leadline("verify", "--data", data).returncode == 0


def test_verify_is_refused_to_those_who_cannot_see_everything(running: Up, data: Path) -> None:
    dsn = postgres.Server(data).dsn("leadline", "demo_app")
    one_line_of_advice(leadline("verify", "--dsn", dsn), "demo_app may not act as leadline_owner")


# -- workspaces, logins, tokens


def test_a_workspace_its_login_and_its_token(running: Up, data: Path) -> None:
    at = ("--data", data)
    made = leadline("workspace", "create", "Hill Garage", *at)
    assert made.returncode == 0, made
    assert re.fullmatch(r"[0-9a-f-]{36}\n", made.stdout)
    listed = leadline("workspace", "list", *at).stdout
    assert re.search(rf"^{made.stdout.strip()} +0 leads .*Hill Garage$", listed, re.MULTILINE)
    one_line_of_advice(leadline("workspace", "create", "Hill Garage", *at), "already", "another name")

    to_garage = ("--workspace", "Hill Garage", *at)
    done = leadline("login", "add", "garage_app", *to_garage, "--role", "app", "--scope", "act_as")
    assert done.stdout == "garage_app made and bound to Hill Garage as app\n"
    again = leadline("login", "add", "garage_app", *to_garage, "--role", "app", "--scope", "act_as")
    assert again.stdout == "garage_app bound to Hill Garage as app\n"
    with connected(data, "garage_app") as connection:
        connection.execute("insert into leadline.leads (name) values ('Ada')")

    for analyst, scopes, sees in (
        ("garage_bi", (), False),
        ("garage_bi_plus", ("--scope", "contacts"), True),
    ):
        assert leadline("login", "add", analyst, *to_garage, "--role", "analyst", *scopes).returncode == 0
        with connected(data, analyst) as connection:
            assert connection.execute("select stage from leadline.lead_overview").fetchall() == [("new",)]
            if sees:
                assert connection.execute("select name from leadline.lead_contacts").fetchall() == [("Ada",)]
            else:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute("select name from leadline.lead_contacts")

    token = leadline(
        "token", "create", *to_garage, "--role", "app", "--expires", "90d", "--name", "shop"
    ).stdout.strip()
    status, page = ask(running.address, "/v1/leads", token)
    assert status == 200
    assert "Ada" in json.dumps(page)
    assert ask(running.address, "/v1/leads", token[:-1] + "x")[0] == 401

    prefix = token[:15]
    listed = leadline("token", "list", *to_garage).stdout
    assert re.fullmatch(rf"{prefix}  app +until \S+ +never used +shop\n", listed)
    assert leadline("token", "revoke", token, *to_garage).stdout == f"{prefix} is revoked\n"
    assert ask(running.address, "/v1/leads", token)[0] == 401
    assert " revoked " in leadline("token", "list", *to_garage).stdout
    one_line_of_advice(leadline("token", "revoke", "ll_0", *to_garage), "no such token", "token list")
    with superuser(data) as connection:
        [(lifetime,)] = connection.execute(
            "select expires_at - created_at from leadline.api_tokens where name = 'shop'"
        )
        assert round(lifetime / timedelta(days=1)) == 90


def test_a_person_is_made_a_member_and_keeps_their_role(running: Up, data: Path) -> None:
    to_demo = ("--workspace", "Harbour Dental", "--data", data, "--user", "Kim@Example.com")
    done = leadline("login", "add", "kim", *to_demo, "--role", "admin")
    assert done.stdout == "kim made and bound to Harbour Dental as admin for Kim@Example.com\n"
    token = leadline("token", "create", *to_demo, "--role", "admin").stdout.strip()
    assert ask(running.address, "/v1/leads?limit=1", token)[0] == 200
    one_line_of_advice(leadline("token", "create", *to_demo, "--role", "member"), "is admin", "--role admin")
    with superuser(data) as connection:
        roles = connection.execute(
            """
            select m.role from leadline.memberships m join leadline.users u using (user_id)
            where u.email = 'kim@example.com'
            """
        )
        assert roles.fetchall() == [("admin",)]


def test_a_password_reaches_the_server_only_scrambled(running: Up, data: Path, place: Path) -> None:
    secret = place / "secret"
    secret.write_text("correct horse\nsecond line\n")
    done = leadline(
        "login", "add", "locked_app", "--workspace", "Harbour Dental", "--role", "app",
        "--data", data, "--password-file", secret,
    )  # fmt: skip
    assert done.returncode == 0, done
    with superuser(data) as connection:
        stored = connection.execute(
            "select rolpassword from pg_authid where rolname = 'locked_app'"
        ).fetchone()
        assert stored
        assert stored[0].startswith("SCRAM-SHA-256$")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["login", "add", "postgres", "--workspace", "Harbour Dental", "--role", "app"],
            ["postgres stands above", "choose a login"],
        ),
        (
            ["login", "add", "leadline_worker", "--workspace", "Harbour Dental", "--role", "app"],
            ["serves all workspaces", "choose a login"],
        ),
        (
            ["login", "add", "x_app", "--workspace", "Nowhere", "--role", "app"],
            ["no workspace 'Nowhere'", "list"],
        ),
        (["token", "create", "--workspace", NEVER, "--role", "app"], ["no workspace", "list"]),
    ],
)
def test_what_cannot_be_done_is_said(running: Up, data: Path, arguments: list[str], words: list[str]) -> None:
    done = leadline(*arguments, "--data", data)
    one_line_of_advice(done, *words)
    with superuser(data) as connection:
        assert connection.execute("select from pg_roles where rolname = 'x_app'").fetchall() == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["up", "--port", "high"],
        ["migrate", "--dsn", "dbname=x", "--data", "/nowhere"],
        ["login", "add", "x_app", "--workspace", "Harbour Dental", "--role", "king"],
        ["login", "add", "x_app", "--workspace", "Harbour Dental", "--role", "owner"],
        ["token", "create", "--workspace", "Harbour Dental", "--role", "app", "--user", "a@example.com"],
        ["token", "create", "--workspace", "Harbour Dental", "--role", "app", "--expires", "soon"],
    ],
)
def test_a_wrong_line_is_a_usage_error(arguments: list[str]) -> None:
    done = leadline(*arguments)
    assert done.returncode == 2
    assert "Usage: leadline" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["migrate", "--dsn", "nonsense"], ["--dsn is not a connection string"]),
        (["verify", "--dsn", "host=/nowhere/at/all dbname=x"], ["/nowhere/at/all"]),
        (["migrate", "--dsn", "postgresql://a@127.0.0.1:1/x"], ["127.0.0.1", "refused"]),
        (["doctor", "--data", "/nowhere/at/all"], ["no database in /nowhere/at/all", "leadline up"]),
    ],
)
def test_a_database_that_is_not_there_is_one_line(arguments: list[str], words: list[str]) -> None:
    one_line_of_advice(leadline(*arguments), *words)


def test_the_command_line_wins_over_the_environment(running: Up, data: Path, place: Path) -> None:
    elsewhere = environment() | {"DATABASE_URL": f"host={place} dbname=elsewhere"}
    for arguments, status in ((["--data", str(data)], 0), ([], 1)):
        done = subprocess.run(
            [*LEADLINE, "workspace", "list", *arguments],
            env=elsewhere, capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert done.returncode == status, done
        assert ("Harbour Dental" in done.stdout) == (status == 0)


def test_every_command_has_help_with_an_example() -> None:
    words = [
        ["up"], ["migrate"], ["doctor"], ["verify"], ["serve"], ["worker"], ["psql"],
        ["workspace", "create"], ["workspace", "list"], ["login", "add"], ["token", "create"],
        ["token", "list"], ["token", "revoke"],
    ]  # fmt: skip
    commands = leadline("--help").stdout
    for command in words:
        assert command[0] in commands
        done = leadline(*command, "--help")
        assert done.returncode == 0
        assert f"Example: leadline {' '.join(command)}" in done.stdout
        assert "--dsn" in done.stdout


# -- a PostgreSQL of one's own, and logins that may too much


def test_a_database_of_ones_own_is_used_and_left_running(running: Up, data: Path) -> None:
    server = postgres.Server(data)
    with superuser(data) as connection:
        connection.execute("create database mine")
    dsn = server.dsn("mine")
    one_line_of_advice(leadline("verify", "--dsn", dsn), "holds no Leadline yet", "leadline migrate")
    assert leadline("migrate", "--dsn", dsn).returncode == 0
    assert leadline("workspace", "create", "Mine", "--dsn", dsn).returncode == 0
    with up(data, "--dsn", dsn, name="own") as own:
        own.wait()
        assert "workspace create" in own.text, "the database holds workspaces, so no demo is made"
        assert "ll_" not in own.text
        assert own.stop(signal.SIGTERM) == 0
    listed = leadline("workspace", "list", "--dsn", dsn).stdout
    assert listed.count("\n") == 1
    with superuser(data) as connection:
        connection.execute("drop database mine with (force)")


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_service_and_clock_refuse_a_superuser(running: Up, data: Path, command: str) -> None:
    arguments = ["--port", "0"] if command == "serve" else []
    done = leadline(command, "--dsn", postgres.Server(data).dsn("leadline"), *arguments)
    assert done.returncode != 0
    assert f"leadline_{'service' if command == 'serve' else 'worker'}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_service_and_clock_run_alone_and_stop_in_order(
    running: Up, data: Path, place: Path, command: str
) -> None:
    output = place / f"{command}.out"
    arguments = ["--port", "0"] if command == "serve" else []
    with output.open("wb") as file:
        process = subprocess.Popen(
            [*LEADLINE, command, "--data", str(data), *arguments], env=environment(), stdout=file, stderr=file
        )
    try:
        deadline = time.monotonic() + PATIENCE
        sign = "startup complete" if command == "serve" else "the clock runs (approval_expiry, "
        while sign not in output.read_text():
            assert process.poll() is None, output.read_text()
            assert time.monotonic() < deadline, output.read_text()
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0, output.read_text()
        assert "Traceback" not in output.read_text()
    finally:
        process.kill()
        process.wait()


# -- the end of things


def test_a_kill_loses_nothing_committed_and_the_next_up_works() -> None:
    with folder() as place, up(place / "data") as first:
        first.wait()
        status, answer = ask(first.address, "/v1/leads", first.token, {"name": "Grace"})
        assert status == 201, answer
        server = postgres.Server(place / "data").pid
        assert server is not None
        first.process.kill()
        os.kill(server, signal.SIGKILL)
        first.process.wait(PATIENCE)
        with up(place / "data", name="next") as second:
            second.wait()
            assert second.token == first.token
            found = ask(second.address, f"/v1/leads/{answer['lead_id']}", second.token)
            assert found[0] == 200
            assert leadline("verify", "--data", place / "data").returncode == 0
            assert second.stop() == 0
        assert postgres.Server(place / "data").pid is None


def test_an_up_killed_while_it_makes_the_demo_leaves_no_half_of_it() -> None:
    with folder() as place:
        with up(place / "data") as first:
            deadline = time.monotonic() + PATIENCE
            while "activities" not in first.text:
                assert first.process.poll() is None, first.text
                assert time.monotonic() < deadline, first.text
                time.sleep(0.005)
            first.process.kill()
            first.process.wait(PATIENCE)
        with up(place / "data", name="next") as second:
            second.wait()
            assert second.stop() == 0
        listed = leadline("workspace", "list", "--data", place / "data").stdout
        assert re.fullmatch(r"\S+ +60 leads +\S+ +Harbour Dental\n", listed), listed


def test_ctrl_c_ends_everything_and_leaves_no_process(place: Path) -> None:
    with up(place / "short", "--no-demo", name="short") as short:
        short.wait()
        assert "workspace create" in short.text
        server = postgres.Server(place / "short").pid
        began = time.monotonic()
        assert short.stop() == 0
        assert time.monotonic() - began < 15
        assert short.text.endswith("stopped; everything is kept\n")
        assert "Traceback" not in short.text
    assert server is not None
    assert left_of(place / "short") == []


def test_ctrl_c_during_the_start_is_clean_as_well(place: Path) -> None:
    with up(place / "early", name="early") as early:
        deadline = time.monotonic() + PATIENCE
        while "database" not in early.text:
            assert time.monotonic() < deadline, early.text
            time.sleep(0.005)
        assert early.stop() != 0
        assert "Traceback" not in early.text
    assert postgres.Server(place / "early").pid is None


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone can become somebody else")
def test_up_runs_for_a_user_without_rights() -> None:
    nobody = pwd.getpwnam("nobody")
    as_nobody: dict[str, Any] = {
        "user": nobody.pw_uid,
        "group": nobody.pw_gid,
        "extra_groups": [],
        "cwd": "/",
    }
    try:
        subprocess.run(
            [*LEADLINE, "--version"], env=environment(), check=True, capture_output=True, **as_nobody
        )
    except (PermissionError, subprocess.CalledProcessError):
        pytest.skip("the programs lie where only root can enter")
    with folder() as place:
        os.chown(place, nobody.pw_uid, nobody.pw_gid)
        with up(place / "data", "--no-demo", **as_nobody) as somebody:
            somebody.wait()
            assert (place / "data" / "cluster").stat().st_uid == nobody.pw_uid
            assert somebody.stop() == 0
        os.chown(place, 0, 0)
        shutil.rmtree(place / "data")
