"""The command line of whoever administers: workspaces, settings, people, logins, tokens, the key."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from uuid import UUID

import psycopg
import pytest

from tests.databases import Database
from tests.py.test_cli import leadline, one_line_of_advice
from tests.service import serving
from tests.tenant import faults

Leadline = Callable[..., subprocess.CompletedProcess[str]]
UUID_LINE = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\n")


@pytest.fixture
def run(database: Database) -> Leadline:
    """A command on this test's database, to its end."""
    return lambda *words: leadline(*words, "--dsn", database.dsn())


@pytest.fixture
def done(run: Leadline) -> Callable[..., str]:
    """What a command prints; it must succeed."""

    def print_of(*words: str) -> str:
        ended = run(*words)
        assert ended.returncode == 0, ended
        return ended.stdout

    return print_of


@pytest.fixture
def acme(done: Callable[..., str]) -> UUID:
    """A workspace called Acme."""
    return UUID(done("workspace", "create", "Acme").strip())


@pytest.fixture
def login(database: Database) -> Iterator[str]:
    """The name of a database login that is gone afterwards."""
    name = f"cli_{database.name}"
    yield name
    with database.connect(autocommit=True) as connection:
        connection.execute(f"drop role if exists {name}")


AT = ("--workspace", "Acme")


def member(done: Callable[..., str], email: str, role: str = "member", *more: str) -> UUID:
    return UUID(done("member", "add", email, *AT, "--role", role, *more).strip())


def journal(database: Database, workspace_id: UUID) -> list[tuple[str, str, str]]:
    with database.connect() as connection:
        return connection.execute(
            """
            select a.activity_type, a.actor_kind, a.writer from leadline.workspace_activity a
            where a.workspace_id = %s order by a.seq
            """,
            [workspace_id],
        ).fetchall()


def test_people_come_change_and_are_listed(database: Database, done: Callable[..., str], acme: UUID) -> None:
    kim = member(done, "Kim@Example.com", "member", "--name", "Kim Ode")
    ann = member(done, "ann@example.com", "owner")
    assert member(done, "kim@example.com", "admin") == kim, "the same person in another role"
    lines = done("member", "list", *AT).splitlines()
    assert lines == [
        f"{ann}  owner         0 leads  ann@example.com",
        f"{kim}  admin         0 leads  kim@example.com  Kim Ode",
    ]
    assert [row[0] for row in journal(database, acme)] == [
        "workspace_created", "member_added", "member_added", "member_role_changed",
    ]  # fmt: skip
    assert {row[1:] for row in journal(database, acme)} == {("system", "workflow:administration")}


def test_whoever_leaves_hands_over_their_leads(
    database: Database, run: Leadline, done: Callable[..., str], acme: UUID
) -> None:
    people = {name: member(done, f"{name}@example.com") for name in ("kim", "ann", "bob")}
    with serving(database) as service:
        token = done("token", "create", *AT, "--role", "app").strip()
        theirs = done("token", "create", *AT, "--role", "member", "--user", "kim@example.com").strip()
        leads = [service.lead(token, assigned_user_id=str(people["kim"])) for _ in range(2)]
        alone = service.lead(token, assigned_user_id=str(people["bob"]))
        assert service.get(f"/leads/{leads[0]}", theirs).status_code == 200

        said = done("member", "remove", "KIM@example.com", *AT, "--reassign-to", "ann@example.com")
        assert said == "KIM@example.com is removed, 2 leads handed to ann@example.com\n"
        assert service.get(f"/leads/{leads[0]}", theirs).status_code == 401
        assert {service.get(f"/leads/{lead}", token).json()["assigned_user_id"] for lead in leads} == {
            str(people["ann"])
        }
        said = done("member", "remove", "bob@example.com", *AT)
        assert said == "bob@example.com is removed, 1 lead handed to nobody\n"
        assert service.get(f"/leads/{alone}", token).json()["assigned_user_id"] is None

    roles = [line.split()[1:5] for line in done("member", "list", *AT).splitlines()]
    assert roles == [
        ["member", "2", "leads", "ann@example.com"],
        ["left", "0", "leads", "bob@example.com"],
        ["left", "0", "leads", "kim@example.com"],
    ]
    assert faults(database.dsn()) == []
    one_line_of_advice(run("member", "remove", "kim@example.com", *AT), "no member", "leadline member list")
    one_line_of_advice(
        run("member", "remove", "ann@example.com", *AT, "--reassign-to", "bob@example.com"),
        "bob",
        "no member",
    )


def test_the_last_owner_stays(run: Leadline, done: Callable[..., str], acme: UUID) -> None:
    member(done, "ann@example.com", "owner")
    one_line_of_advice(run("member", "remove", "ann@example.com", *AT), "last owner")
    one_line_of_advice(run("member", "add", "ann@example.com", *AT, "--role", "member"), "last owner")
    member(done, "bob@example.com", "owner")
    member(done, "ann@example.com", "member")


def test_settings_are_shown_and_changed(
    database: Database, run: Leadline, done: Callable[..., str], acme: UUID
) -> None:
    shown = [line.split() for line in done("workspace", "settings", "Acme").splitlines()]
    assert shown == [
        ["approval_hours"], ["approvers"], ["country"], ["currency", "USD"], ["default_workflow", "appointment"], ["members_see_all", "false"],
        ["members_see_unassigned", "false"], ["name", "Acme"], ["raw_body_days"], ["time_zone", "UTC"],
    ]  # fmt: skip
    changed = done(
        "workspace", "settings", "Acme", "--set", "members_see_all=yes", "--set", "time_zone=Europe/Berlin",
        "--set", "country=DE", "--set", "name=Acme = more",
    )  # fmt: skip
    for line in ("members_see_all +true", "time_zone +Europe/Berlin", "country +DE", "name +Acme = more"):
        assert re.search(f"^{line}$", changed, re.MULTILINE), changed
    name = "Acme = more"
    assert re.search("^country$", done("workspace", "settings", name, "--set", "country="), re.MULTILINE)
    approving = done("workspace", "settings", name, "--set", "approvers=member", "--set", "approval_hours=24",
                     "--set", "raw_body_days=7")  # fmt: skip
    for line in ("approvers +member", "approval_hours +24", "raw_body_days +7"):
        assert re.search(f"^{line}$", approving, re.MULTILINE), approving
    taken = done("workspace", "settings", name, "--set", "approvers=", "--set", "approval_hours=")
    assert re.search("^approvers$", taken, re.MULTILINE)
    assert journal(database, acme)[1:] == [("settings_changed", "system", "workflow:administration")] * 4

    one_line_of_advice(run("workspace", "settings", name, "--set", "time_zone=Mars/North"), "time zone")
    one_line_of_advice(
        run("workspace", "settings", name, "--set", "currency=dollars"), "kind its key asks for"
    )
    one_line_of_advice(run("workspace", "settings", name, "--set", "approvers=everybody"), "approve")
    one_line_of_advice(run("workspace", "settings", name, "--set", "approval_hours=0"), "hours")
    assert "Europe/Berlin" in done("workspace", "settings", name), "what is refused changes nothing"
    assert len(journal(database, acme)) == 5
    for words in (["colour=red"], ["members_see_all"], ["members_see_all=perhaps"], ["name=B", "--set", "x"],
                  ["raw_body_days=a week"], ["approval_hours=-1"]):  # fmt: skip
        ended = run("workspace", "settings", name, "--set", *words)
        assert ended.returncode == 2
        assert "Usage: leadline workspace settings" in ended.stderr
    assert faults(database.dsn()) == []


def test_closing_needs_the_name_twice_and_ends_every_way_in(
    database: Database, run: Leadline, done: Callable[..., str], acme: UUID, login: str
) -> None:
    done("workspace", "create", "Other")
    member(done, "ann@example.com", "owner")
    token = done("token", "create", *AT, "--role", "app").strip()
    done("login", "add", login, *AT, "--role", "app")
    for words in ([], ["--yes-close", "Other"]):
        ended = run("workspace", "close", "Acme", *words)
        assert ended.returncode == 2
        assert "--yes-close 'Acme'" in ended.stderr
    with serving(database) as service:
        assert service.get("/leads", token).status_code == 200
        assert done("workspace", "close", "Acme", "--yes-close", "Acme") == "Acme is closed\n"
        assert service.get("/leads", token).status_code == 401
    with database.connect(login) as connection, pytest.raises(psycopg.Error, match="Nobody is known"):
        connection.execute("insert into leadline.leads (name) values ('Ada')")
    listed = done("workspace", "list")
    assert re.search(r"Acme \(closed\)$", listed, re.MULTILINE)
    assert re.search(r"Other$", listed, re.MULTILINE)
    assert " revoked " in done("token", "list", *AT)
    one_line_of_advice(run("token", "create", *AT, "--role", "app"), "no such workspace")
    one_line_of_advice(run("workspace", "close", "Acme", "--yes-close", "Acme"), "no such workspace")
    assert faults(database.dsn()) == []


def test_logins_are_listed_and_revoked(
    database: Database, run: Leadline, done: Callable[..., str], acme: UUID, login: str
) -> None:
    done("login", "add", login, *AT, "--role", "member", "--user", "kim@example.com")
    assert done("login", "list", *AT) == f"{login}  member    lives     kim@example.com\n"
    with database.connect(login) as connection:
        connection.execute("insert into leadline.leads (name) values ('Ada')")
        connection.commit()
        assert done("login", "revoke", login, *AT) == f"{login} is revoked\n"
        with pytest.raises(psycopg.Error, match="Nobody is known"):
            connection.execute("insert into leadline.leads (name) values ('Bob')")
    assert done("login", "revoke", login, *AT) == f"{login} is revoked\n"
    assert done("login", "list", *AT) == f"{login}  member    revoked   kim@example.com\n"
    one_line_of_advice(run("login", "revoke", "nobody_known", *AT), "no such login")


def test_a_token_list_tells_the_last_use(database: Database, done: Callable[..., str], acme: UUID) -> None:
    used, idle = (
        done("token", "create", *AT, "--role", "app", "--name", name).strip() for name in ("a", "b")
    )
    with serving(database) as service:
        assert service.get("/leads", used).status_code == 200
    assert re.fullmatch(
        rf"{used[:15]}  app       lives             used \d{{4}}-\d\d-\d\d \d\d:\d\dZ  a\n"
        rf"{idle[:15]}  app       lives             never used              b\n",
        done("token", "list", *AT),
    )


def test_a_token_is_revoked_in_its_own_workspace_only(
    run: Leadline, done: Callable[..., str], acme: UUID
) -> None:
    done("workspace", "create", "Other")
    token = done("token", "create", *AT, "--role", "app").strip()
    one_line_of_advice(run("token", "revoke", token, "--workspace", "Other"), "no such token")
    assert done("token", "revoke", token, *AT) == f"{token[:15]} is revoked\n"
    assert done("token", "revoke", token[:15], *AT) == f"{token[:15]} is revoked\n"


def test_a_new_key_throws_nobody_out(database: Database, done: Callable[..., str], acme: UUID) -> None:
    token = done("token", "create", *AT, "--role", "app").strip()
    with serving(database) as service, database.connect("leadline_service") as under_way:
        under_way.execute("select leadline.enter(%s)", [token])
        assert done("key", "rotate") == "a new key signs from now on\n"
        assert service.get("/leads", token).status_code == 200
        assert under_way.execute("select leadline.current_workspace()").fetchone() == (acme,)


def test_a_login_without_the_right_is_told_so(
    database: Database, done: Callable[..., str], acme: UUID
) -> None:
    for words in (["member", "list", *AT], ["workspace", "settings", "Acme"], ["key", "rotate"]):
        ended = leadline(*words, "--dsn", database.dsn("leadline_service"))
        one_line_of_advice(ended, "leadline_service may not act as leadline_owner")


@pytest.mark.parametrize(
    "command",
    [
        "workspace create", "workspace list", "workspace settings", "workspace close", "member add", "member list",
        "member remove", "login add", "login list", "login revoke", "token create", "token list", "token revoke",
        "key rotate",
    ],
)  # fmt: skip
def test_every_command_has_help_with_an_example(command: str) -> None:
    ended = leadline(*command.split(), "--help")
    assert ended.returncode == 0
    assert f"Example: leadline {command}" in ended.stdout
    assert "--dsn" in ended.stdout
