"""A context cannot be forged, edited, kept or carried elsewhere, and a login cannot become anybody but itself."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from app.postgres import Server
from tests.databases import clone
from tests.py.rival_layers import add_layers
from tests.rivals import Connection, Rivals, attempt, relations, rival_workspaces

FIELDS = ("workspace", "role", "user", "credential", "writer", "scopes", "signature")
DOORS = ("bound login", "service login")


@pytest.fixture(scope="module")
def rivals(server: Server, template: str) -> Iterator[Rivals]:
    with clone(server, template) as database:
        yield add_layers(rival_workspaces(database)).rivals


@pytest.fixture(params=DOORS)
def attacker(rivals: Rivals, request: pytest.FixtureRequest) -> Iterator[Connection]:
    """A session, in no transaction, of a login bound to the own workspace or of the service's login."""
    if request.param == "bound login":
        connection = rivals.own.connect("app", autocommit=True)
    else:
        connection = rivals.database.connect("leadline_service", autocommit=True)
    with connection:
        yield connection


def context_of(connection: Connection, token: str) -> str:
    """The signed context that `token` opens in the present transaction."""
    connection.execute("select leadline.enter(%s)", [token])
    row = connection.execute("select current_setting('leadline.context')").fetchone()
    assert row is not None
    return str(row[0])


def assert_nobody(connection: Connection) -> None:
    """The caller is known as nobody: no workspace, no rows, no writing."""
    row = connection.execute("select leadline.current_workspace()").fetchone()
    assert row == (None,)
    assert connection.execute("select lead_id from leadline.leads").fetchall() == []
    for relation, columns in relations(connection).items():
        assert connection.execute(f'select "{columns[0]}" from {relation}').fetchall() == [], relation
    for journal in ("relationship", "opportunity", "customer"):
        log = f"select leadline.log_in_journal('{journal}_activity', gen_random_uuid(), 'note_added')"
        assert attempt(connection, log).sqlstate == "PT401"
    insert = "insert into leadline.lead_activity (lead_id, activity_type) values (gen_random_uuid(), 'sale')"
    assert attempt(connection, insert).sqlstate == "PT401"
    assert attempt(connection, "insert into leadline.leads (source) values ('x')").sqlstate == "PT401"


def test_a_context_that_was_not_signed_is_nobody_even_under_a_bound_login(
    rivals: Rivals, attacker: Connection
) -> None:
    """Not: back to what the login is bound to, which would let a failed forgery pass unseen."""
    forgeries = [
        *("-", "|", "||||||", " ", "x" * 64, "0" * 64, "x" * 65, "|" + "0" * 64, "é|" + "0" * 64),
        f"{rivals.foreign.id}|owner|{rivals.foreign_user}||person||" + "0" * 64,
        f"{rivals.foreign.id}|app||{uuid4()}|app|act_as,surface,import,contacts|" + "f" * 64,
        f"{rivals.foreign.id}|worker|||workflow:clock||",
        f"{rivals.foreign.id}",
    ]
    for forgery in forgeries:
        with attacker.transaction():
            attacker.execute("select set_config('leadline.context', %s, true)", [forgery])
            assert_nobody(attacker)


def test_a_context_is_void_in_the_next_transaction(rivals: Rivals) -> None:
    with rivals.database.connect("leadline_service", autocommit=True) as connection:
        with connection.transaction():
            context = context_of(connection, rivals.tokens["app"])
            row = connection.execute("select leadline.current_workspace()").fetchone()
            assert row == (rivals.own.id,)
        assert_nobody(connection)
        for is_local in (True, False):
            with connection.transaction():
                connection.execute("select set_config('leadline.context', %s, %s)", [context, is_local])
                assert_nobody(connection)
        with connection.transaction():
            connection.execute("select leadline.enter(%s)", [rivals.tokens["app"]])
            connection.execute("select set_config('leadline.context', %s, true)", [context])
            assert_nobody(connection)


def test_a_context_is_void_in_another_backend(rivals: Rivals, attacker: Connection) -> None:
    """Stolen while its transaction still runs, with a snapshot of that transaction as well."""
    with rivals.database.connect("leadline_service") as victim:
        victim.execute("begin isolation level repeatable read")
        context = context_of(victim, rivals.foreign_token)
        snapshot = victim.execute("select pg_export_snapshot()").fetchone()
        assert snapshot is not None
        with attacker.transaction():
            attacker.execute("set transaction isolation level repeatable read")
            attacker.execute(SQL("set transaction snapshot {}").format(snapshot[0]))
            attacker.execute("select set_config('leadline.context', %s, true)", [context])
            assert_nobody(attacker)
        victim.rollback()


def test_a_context_of_a_message_ends_with_the_message(rivals: Rivals) -> None:
    """Transactions of one message share their start, so a context signed in the first still stands in the second: for
    the same token and backend, and no longer than the message."""
    with rivals.database.connect("leadline_service", autocommit=True) as connection:
        connection.execute(
            f"begin; select leadline.enter('{rivals.tokens['app']}');"
            "select set_config('kept.context', current_setting('leadline.context'), false); commit;"
        )
        with connection.transaction():
            connection.execute("select set_config('leadline.context', current_setting('kept.context'), true)")
            assert_nobody(connection)


@pytest.mark.parametrize("field", range(len(FIELDS)), ids=FIELDS)
def test_no_field_of_a_context_can_be_edited(rivals: Rivals, field: int) -> None:
    """Within the very transaction it was signed for."""
    wishes = [
        [str(rivals.foreign.id), str(rivals.own.id).upper(), ""],
        ["owner", "admin", "worker", "", "App"],
        [str(rivals.shared_user), str(rivals.foreign_user), str(uuid4())],
        [str(uuid4()), "", str(rivals.foreign_user)],
        ["person", "workflow:clock", "workflow:direct-change", ""],
        ["act_as", "act_as,surface,import,contacts", "contacts", "{}"],
        ["0" * 64, ""],
    ][field]
    with rivals.database.connect("leadline_service") as connection:
        context = context_of(connection, rivals.tokens["app"])
        parts = context.split("|")
        assert len(parts) == len(FIELDS)
        for wish in wishes:
            edited = "|".join([*parts[:field], wish, *parts[field + 1 :]])
            assert edited != context
            connection.execute("select set_config('leadline.context', %s, true)", [edited])
            assert_nobody(connection)


def test_a_context_cannot_be_cut_extended_or_joined_with_another(rivals: Rivals) -> None:
    with rivals.database.connect("leadline_service") as connection:
        foreign = context_of(connection, rivals.foreign_token)
        own = context_of(connection, rivals.tokens["app"])
        message, signature = own[:-65], own[-64:]
        pieces = [own[:end] for end in (*range(1, 40, 7), *range(len(own) - 70, len(own), 9))]
        pieces += [own[start:] for start in (1, 36, 37, len(own) - 65)]
        pieces += [
            own + "|",
            own + "0",
            " " + own,
            own + "\n",
            own + own,
            own.upper(),
            own.replace("|", "||"),
        ]
        pieces += [foreign[:-64] + signature, message + foreign[-65:], foreign[:-65] + "|" + own]
        for piece in pieces:
            connection.execute("select set_config('leadline.context', %s, true)", [piece])
            assert_nobody(connection)
        connection.execute("select set_config('leadline.context', %s, true)", [message + "|" + signature])
        row = connection.execute("select leadline.current_workspace()").fetchone()
        assert row == (rivals.own.id,)


def test_no_setting_of_a_session_a_role_or_a_start_makes_a_context(rivals: Rivals) -> None:
    """Neither SET, nor ALTER ROLE on oneself, nor the options of a connection."""
    with rivals.database.connect("leadline_service") as connection:
        stolen = context_of(connection, rivals.foreign_token)
    login = rivals.own.login("app")
    for user in (login, "leadline_service"):
        for start in (f"-c leadline.context={stolen}", f"-cleadline.context={rivals.foreign.id}"):
            with rivals.database.connect(user, autocommit=True, options=start) as connection:
                assert_nobody(connection)
    with rivals.database.connect(login, autocommit=True) as connection:
        connection.execute(SQL("set leadline.context = {}").format(stolen))
        assert_nobody(connection)
        with contextlib.suppress(psycopg.errors.InsufficientPrivilege):
            connection.execute(
                SQL("alter role {} set leadline.context = {}").format(Identifier(login), stolen)
            )
    with rivals.database.connect(login, autocommit=True) as connection:
        row = connection.execute("select leadline.current_workspace()").fetchone()
        assert row in ((None,), (rivals.own.id,))
    with rivals.database.connect(autocommit=True) as connection:
        connection.execute(SQL("alter role {} reset all").format(Identifier(login)))


def test_entering_with_a_wrong_token_says_the_same_of_every_token(
    rivals: Rivals, attacker: Connection
) -> None:
    """Unknown, foreign prefix with another secret, malformed: one answer. A bound login may not even ask."""
    prefix = rivals.foreign_token[:15]
    wrong = [
        f"{prefix}_{'0' * 64}",
        f"ll_{'0' * 12}_{'0' * 64}",
        prefix,
        "",
        "ll__",
        "x" * 4000,
        "'; --",
        "%",
    ]
    answers = [attempt(attacker, "select leadline.enter(%s)", [token]) for token in wrong]
    assert answers[0].sqlstate == ("PT401" if attacker.info.user == "leadline_service" else "42501")
    assert [answer for answer in answers if answer != answers[0]] == []


def test_nobody_mints_a_context(rivals: Rivals, attacker: Connection) -> None:
    """What signs, and what is believed without a token, is the owner's alone."""
    for call in (
        f"leadline_internal.enter_as('{rivals.foreign.id}', 'owner')",
        "leadline_internal.signature('x')",
        "leadline_internal.caller()",
        "leadline.list_workspaces()",
        f"leadline.run_job('checkpoint', '{rivals.foreign.id}', now())",
    ):
        assert attempt(attacker, f"select {call}").sqlstate == "42501", call


@pytest.mark.parametrize(
    "wish",
    [
        "set role leadline_owner",
        "set role postgres",
        "set role leadline_worker",
        "set session authorization leadline_owner",
        "set session authorization postgres",
        "set local role leadline_owner",
        "select set_config('role', 'leadline_owner', false)",
        "select set_config('session_authorization', 'postgres', false)",
        "set session_replication_role = replica",
        "grant leadline_owner to current_user",
        "grant leadline_service to leadline_writer",
        "grant leadline_contacts to leadline_reader",
        "alter role current_user superuser",
        "alter role current_user bypassrls",
        "alter role current_user createrole",
        "alter role leadline_worker password 'x'",
        "alter role all set leadline.context = 'x'",
        "create role another_one login in role leadline_writer",
        "reassign owned by leadline_owner to current_user",
        "alter table leadline.leads disable row level security",
        "alter table leadline.leads owner to current_user",
        "alter function leadline.current_workspace() rename to nobodys_workspace",
        "create policy everything on leadline.leads using (true)",
        "drop policy leads_in_workspace on leadline.leads",
        "alter policy leads_in_workspace on leadline.leads using (true)",
        "alter view leadline.lead_overview set (security_invoker = false)",
        "create rule r as on select to leadline.leads do instead select 1",
        "comment on table leadline.leads is 'mine'",
        "load 'auto_explain'",
        "select pg_read_file('postgresql.conf')",
        "select pg_reload_conf()",
    ],
)
def test_nobody_becomes_another_or_changes_the_rules(attacker: Connection, wish: str) -> None:
    """Refused, each by PostgreSQL itself."""
    assert attempt(attacker, wish).sqlstate == "42501", wish


def test_a_role_put_on_and_off_changes_nothing(rivals: Rivals) -> None:
    """Whoever is bound stays bound as any group it is in; what it was is not forgotten."""
    with rivals.own.connect("app", autocommit=True) as connection:
        for wish in (
            "set role leadline_writer",
            "reset role",
            "set role none",
            "reset session authorization",
        ):
            connection.execute(wish)
            row = connection.execute("select leadline.current_workspace()").fetchone()
            assert row == (rivals.own.id,)


def test_granting_what_one_has_gives_nothing(rivals: Rivals, attacker: Connection) -> None:
    """No privilege was given with the right to pass it on."""
    acl = (
        "select relname, relacl::text from pg_class where relnamespace = 'leadline'::regnamespace order by 1"
    )
    before = rivals.oracle(acl)
    for wish in (
        "grant select on leadline.leads to public",
        "grant select on all tables in schema leadline to leadline_worker",
        "grant insert on leadline.lead_activity to public",
        "grant execute on all functions in schema leadline to public",
        "grant usage on schema leadline to public",
        "revoke select on leadline.leads from leadline_reader",
        "alter system set leadline.context = 'x'",
    ):
        with contextlib.suppress(psycopg.errors.InsufficientPrivilege):
            attacker.execute(
                wish
            )  # a grant without the right to grant is refused, or a warning and nothing else
    assert rivals.oracle(acl) == before


def test_a_login_that_is_bound_to_nothing_is_nobody(rivals: Rivals) -> None:
    """In every group there is, yet in no workspace; and a revoked login is as good as that."""
    login = f"t_unbound_{rivals.own.id.hex[:8]}"
    with rivals.database.connect() as connection:
        groups = "leadline_writer, leadline_reader, leadline_contacts"
        connection.execute(SQL("create role {} login in role " + groups).format(Identifier(login)))
    with rivals.database.connect(login, autocommit=True) as connection:
        assert_nobody(connection)
    with rivals.database.connect() as connection:
        connection.execute("select leadline.add_login(%s, %s, 'app')", [rivals.foreign.id, login])
        connection.execute(
            "update leadline.workspace_logins set revoked_at = now() where login = %s", [login]
        )
    with rivals.database.connect(login, autocommit=True) as connection:
        assert_nobody(connection)
    with rivals.database.connect() as connection:
        connection.execute(SQL("drop role {}").format(Identifier(login)))
