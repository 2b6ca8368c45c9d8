"""What runs as leadline_owner runs leadline's own code only, whatever a session has named like it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from app.deploy import migrate
from app.postgres import Server
from tests.databases import clone
from tests.py.rival_layers import Layers, add_layers
from tests.rivals import Connection, Rivals, attempt, rival_workspaces

SIGNAL = """{"signal": "x", "observed_at": "2026-01-01T00:00:00Z", "expires_at": "2031-01-01T00:00:00Z", "reason": "x",
    "opens_request": true}"""
DOORS = ("app", "owner", "member", "billing", "analyst contacts", "service app", "service owner")

# Functions that this login may call, and what each takes.
CALLABLE = """
    select p.oid::regprocedure::text, p.prosecdef, p.proargtypes::regtype[]::text[]
    from pg_proc p
    where p.pronamespace in ('leadline'::regnamespace, 'leadline_internal'::regnamespace)
      and has_function_privilege(p.oid, 'execute') and p.prorettype <> 'trigger'::regtype order by 1
"""
# Every word that a function body can resolve as a type, and every relation a function reads.
TYPES = """
    select distinct t.typname::text, t.oid::regtype::text from pg_type t
    where t.typnamespace = 'pg_catalog'::regnamespace and t.typtype in ('b', 'r') and t.typcategory <> 'A' and t.typname !~ '^_'
      and t.typname in ('text', 'bool', 'uuid', 'int2', 'int4', 'int8', 'jsonb', 'json', 'bytea', 'timestamptz', 'numeric',
                        'name', 'xid8', 'oid', 'regclass', 'regnamespace', 'interval', 'date', 'float8')
"""
TABLES = """
    select c.relname::text from pg_class c
    where c.relkind in ('r', 'v') and c.relnamespace in ('leadline'::regnamespace, 'leadline_internal'::regnamespace)
"""
# What the temporary objects do when anybody touches them: note who did, and try what only the owner may.
SPY = """
    create temporary table loot (who pg_catalog.name, what pg_catalog.text);
    grant all on pg_temp.loot to public;
    create function pg_temp.spy(anyelement) returns pg_catalog.bool language plpgsql as $$
    begin
        insert into pg_temp.loot values (current_user, 'spied');
        begin
            insert into pg_temp.loot select current_user, l.email from leadline.leads l;
            insert into pg_temp.loot select current_user, k.k_inner::pg_catalog.text from leadline_internal.context_key k;
        exception when insufficient_privilege then
            null;
        end;
        return true;
    end $$;
"""


@pytest.fixture(scope="module")
def layers(server: Server, template: str) -> Iterator[Layers]:
    """With the privilege to make temporary objects, which a deploy takes away and an administrator may give again."""
    with clone(server, template) as database:
        layers = add_layers(rival_workspaces(database))
        with database.connect(autocommit=True) as connection:
            connection.execute(f"grant temporary on database {database.name} to public")
        yield layers


@pytest.fixture
def rivals(layers: Layers) -> Rivals:
    """The two workspaces."""
    return layers.rivals


def set_traps(connection: Connection) -> None:
    """Types, tables and functions in pg_temp under every name that leadline's own code uses."""
    connection.execute(SPY)
    for name, base in connection.execute(TYPES).fetchall():
        assert base.isidentifier() or " " in base
        connection.execute(
            f'create domain pg_temp."{name}" as pg_catalog."{name}" check (pg_temp.spy(value))'
        )
    for (name,) in connection.execute(TABLES).fetchall():
        connection.execute(
            f'create view pg_temp."{name}" as select 1 as x where pg_temp.spy(1::pg_catalog.int4)'
        )
    for name in ("current_setting", "sha256", "pg_backend_pid", "set_config", "now", "caller", "forbid"):
        connection.execute(
            f'create function pg_temp."{name}"() returns pg_catalog.text language sql'
            " as $$ select pg_temp.spy(1::pg_catalog.int4)::pg_catalog.text $$"
        )
    connection.execute(
        "create function pg_temp.eq(a pg_catalog.text, b pg_catalog.text) returns pg_catalog.bool language sql"
        " as $$ select pg_temp.spy(a) $$; create operator pg_temp.= (leftarg = pg_catalog.text,"
        " rightarg = pg_catalog.text, function = pg_temp.eq)"
    )


def call_everything(connection: Connection) -> int:
    """Call each function there is with nulls: that is when a session compiles it, in the path of the attacker."""
    functions = connection.execute(CALLABLE).fetchall()
    for signature, _, types in functions:
        nulls = ", ".join(f"null::{kind}" for kind in types)
        attempt(connection, f"select {signature.split('(')[0]}({nulls})")
    attempt(
        connection, "select leadline_internal.is_kind('\"x\"'::pg_catalog.jsonb, 'text'::pg_catalog.text)"
    )
    return len(functions)


def use_everything(connection: Connection, layers: Layers) -> None:
    """Write and read by every way in, committed to a savepoint: the definer functions and triggers run."""
    rivals, own = layers.rivals, layers.own
    lead = rivals.shared_lead
    for journal, subject, activity_type, payload in (
        ("relationship", own.person, "relationship_advanced", '{"to": "client", "reason": "x", "other": 1}'),
        ("relationship", own.person, "approval_granted", f'{{"approval_id": "{own.approval}", "reason": "x"}}'),
        ("relationship", own.person, "product_signal_seen", SIGNAL),
        ("opportunity", None, "opportunity_opened", f'{{"pipeline": "expansion", "person_id": "{own.person}", "amount": 3}}'),
        ("opportunity", own.opportunity, "opportunity_won", '{"amount": 3, "close_date": "2031-01-01", "approve": true}'),
        ("opportunity", own.opportunity, "contact_role_set", f'{{"person_id": "{own.person}", "role": "other"}}'),
        ("customer", own.subscription, "renewal_churned", '{"reason": "x"}'),
        ("customer", None, "subscription_started", f'{{"person_id": "{own.person}"}}'),
    ):  # fmt: skip
        call = "select leadline.log_in_journal(%s, %s, %s, %s, %s)"
        for _ in range(2):
            given = [f"{journal}_activity", subject, activity_type, payload, "r " + activity_type]
            keep(connection, call, given)
    for activity_type, payload in (
        ("note_added", '{"text": "x", "other": 1}'),
        ("lead_assigned", f'{{"assigned_user_id": "{rivals.own_user}"}}'),
        ("deal_value_changed", '{"deal_value": 5, "currency": "EUR"}'),
        ("contact_changed", '{"email": "x@y.example", "phone": "+1 555 123 4567"}'),
        ("callback_requested", '{"callback_at": "2030-01-01T00:00:00Z"}'),
        ("duplicate", f'{{"duplicate_of": "{rivals.own_lead}"}}'),
        ("unsubscribed", '{"channel": "email"}'),
        ("nonsense", "{}"),
    ):
        keep(
            connection,
            "insert into leadline.lead_activity (lead_id, activity_type, payload, reference) values (%s, %s, %s, %s)",
            [lead, activity_type, payload, "r " + activity_type],
        )
    insert = "insert into leadline.leads (source, name, email, phone, deal_value) values ('s', 'n', 'e@x.example', '+15551234567', 3)"
    keep(connection, insert)
    keep(connection, "select leadline.log_activity(%s, 'email_sent', '{}', 'again')", [lead])
    keep(connection, "select leadline.log_activity(%s, 'email_sent', '{}', 'again')", [lead])
    item = (
        f'[{{"lead_id": "{lead}", "activity_type": "meeting_held", "occurred_at": "2026-01-01T00:00:00Z"}}]'
    )
    keep(connection, "select leadline.log_activities(%s)", [item])
    settings = (
        "insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', %s)"
    )
    keep(connection, settings, ['{"name": "n", "time_zone": "Europe/Berlin", "country": "DE"}'])
    for view in (
        *(
            "lead_overview",
            "lead_timeline",
            "activities",
            "stage_history",
            "change_feed",
            "contacts",
            "findings",
        ),
        *(
            "person_timeline",
            "approval_queue",
            "product_signals",
            "opportunity_overview",
            "subscription_overview",
        ),
        *("account_rollup", "lifecycle_funnel", "relationship_stage_events", "request_ledger"),
    ):
        keep(connection, f"select * from leadline.{view}")
    keep(connection, "select * from leadline.changes_after()")


def keep(connection: Connection, statement: str, parameters: list[Any] | None = None) -> None:
    """As attempt(), but what worked stays."""
    try:
        with connection.transaction():
            connection.execute(statement, parameters)
    except connection.Error:
        pass


@pytest.mark.parametrize("path", ["pg_temp, pg_catalog, leadline", "public", "pg_catalog, pg_temp"])
@pytest.mark.parametrize("door", DOORS)
def test_temporary_objects_are_never_used_by_the_owner(layers: Layers, door: str, path: str) -> None:
    """Domains, views, functions and an operator named like PostgreSQL's and ours, first in the path, and every function
    compiled under it before it is used: whoever meets them is the attacker's own role, never the owner.

    A plpgsql variable's type is looked up once a session, where the function was first called: in a function that both
    the reader and the owner's triggers call, an unqualified `text` would be the reader's domain, checked as the owner."""
    rivals = layers.rivals
    with rivals.enter(door) as connection:
        set_traps(connection)
        connection.execute(f"set local search_path = {path}")
        assert call_everything(connection) > 10
        use_everything(connection, layers)
        for table in ("leads", "lead_activity", "workspaces", "people", "opportunities", "subscriptions"):
            attempt(connection, f"select * from leadline.{table}")
        met = connection.execute("select distinct who::text from pg_temp.loot").fetchall()
        assert ("leadline_owner",) not in met
        loot = connection.execute("select what from pg_temp.loot").fetchall()
        assert rivals.leaks(loot) == []


def test_the_traps_work(rivals: Rivals) -> None:
    """Else the test above would prove nothing: a function that runs as somebody else and is careless is caught."""
    with rivals.enter("app") as connection:
        set_traps(connection)
        connection.execute("set local search_path = pg_temp, pg_catalog")
        keep(connection, "do $$ declare v text; begin v := 'x'; end $$")
        keep(connection, "select * from workspaces")
        met = connection.execute("select distinct who::pg_catalog.text from pg_temp.loot").fetchall()
        assert met == [(rivals.own.login("app"),)]


@pytest.mark.parametrize("door", DOORS)
def test_the_answers_are_the_same_among_traps(rivals: Rivals, door: str) -> None:
    """Who one is and what one sees does not depend on the path or on what stands in it."""
    questions = (
        "leadline.current_workspace()",
        "leadline.sees_contacts()",
        "(select count(*) from leadline.leads)",
        "(select count(*) from leadline.lead_timeline)",
        "(select count(*) from leadline.person_timeline)",
        "(select count(*) from leadline.opportunity_overview)",
        "(select count(*) from leadline.approval_queue)",
        "(select sum(reached) from leadline.lifecycle_funnel)",
        "leadline.normalise_stage('Customer ')",
        f"leadline.is_suppressed('{rivals.own.id}', '{rivals.shared_lead}')",
        f"leadline.is_suppressed('{rivals.foreign.id}', '{rivals.foreign_lead}')",
    )
    with rivals.enter(door) as connection:
        before = [attempt(connection, f"select {question}") for question in questions]
        set_traps(connection)
        connection.execute("set local search_path = pg_temp, pg_catalog")
        assert [attempt(connection, f"select {question}") for question in questions] == before


@pytest.mark.parametrize("setting", ["standard_conforming_strings = off", "transform_null_equals = on"])
@pytest.mark.parametrize("door", DOORS)
def test_settings_that_change_the_meaning_of_code_do_not_change_who_is_who(
    layers: Layers, door: str, setting: str
) -> None:
    rivals = layers.rivals
    with rivals.enter(door) as connection:
        connection.execute(f"set local {setting}")
        connection.execute("set local plpgsql.extra_errors = 'all'")
        row = connection.execute("select leadline.current_workspace()").fetchone()
        assert row == (rivals.own.id,)
        use_everything(connection, layers)
        foreign = attempt(
            connection, f"select * from leadline.leads where workspace_id = '{rivals.foreign.id}'"
        )
        assert foreign.rows == []


def test_a_definer_function_of_ours_has_a_fixed_path_and_is_nobodys_to_replace(rivals: Rivals) -> None:
    """pg_catalog first and pg_temp last; no schema that a runtime role may create in."""
    rows = rivals.oracle(
        "select oid::regprocedure::text from pg_proc where prosecdef and pronamespace <> 'pg_catalog'::regnamespace"
        " and (proconfig is null or not proconfig @> '{\"search_path=pg_catalog, pg_temp\"}'"
        "  or pg_get_userbyid(proowner) <> 'leadline_owner')"
    )
    assert rows == []


def test_nobody_creates_anything_anywhere(server: Server, template: str) -> None:
    """No schema, no table, no function, not even a temporary one: after a deploy, before anybody gives more."""
    with clone(server, template) as database:
        # The privileges on a database are not copied with it, nor restored with a dump.
        migrate(database.dsn())
        rivals = rival_workspaces(database)
        for door in DOORS:
            with rivals.enter(door) as connection:
                for wish in (
                    "create schema mine",
                    "create table public.mine ()",
                    "create table leadline.mine ()",
                    "create view leadline.mine as select 1",
                    "create function leadline.mine() returns int language sql return 1",
                    "create function leadline_internal.mine() returns int language sql return 1",
                    "create function public.mine() returns int language sql return 1",
                    "create type public.mine as (a int)",
                    "create extension hstore",
                    "create publication mine for all tables",
                    "create temporary table mine (a int)",
                    "create function pg_temp.mine() returns int language sql return 1",
                    "create domain pg_temp.text as text",
                ):
                    assert attempt(connection, wish).sqlstate in ("42501", "0A000", "58P01"), (door, wish)
