"""Somebody who can make the service run any SQL is confined to the workspace whose token came with the request."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.postgres import Server
from tests.databases import clone
from tests.py.rival_layers import Layers, add_layers
from tests.rivals import Connection, Rivals, attempt, rival_workspaces
from tests.service import serving

# person_acts is but the part of person_timeline that needs no text: it shows what the journals show to whoever asks.
INTERNAL = """
    select c.oid::regclass::text from pg_class c
    where c.relkind in ('r', 'v', 'p', 'S') and c.relnamespace = 'leadline_internal'::regnamespace
      and c.relname <> 'person_acts' order by 1
"""


@pytest.fixture(scope="module")
def layers(server: Server, template: str) -> Iterator[Layers]:
    with clone(server, template) as database:
        yield add_layers(rival_workspaces(database))


@pytest.fixture(scope="module")
def rivals(layers: Layers) -> Rivals:
    """The two workspaces."""
    return layers.rivals


@pytest.fixture(params=["app", "owner", "member", "analyst"])
def injected(rivals: Rivals, request: pytest.FixtureRequest) -> Iterator[Connection]:
    """The service's connection in the transaction of a request, where the attacker's SQL begins."""
    with rivals.enter(f"service {request.param}") as connection:
        yield connection


def test_injected_sql_stays_in_its_workspace(layers: Layers, injected: Connection) -> None:
    """Every trick that names the other workspace, alone and after leaving the own one."""
    rivals, foreign = layers.rivals, layers.foreign
    tricks = [
        f"select * from leadline.person_timeline where workspace_id = '{rivals.foreign.id}'",
        f"select * from leadline_internal.person_acts where workspace_id = '{rivals.foreign.id}'",
        "select * from leadline.person_timeline where workspace_id <> leadline.current_workspace()",
        f"select leadline.log_in_journal('opportunity_activity', '{foreign.opportunity}', 'opportunity_won')",
        f"select leadline.log_in_journal('relationship_activity', '{foreign.person}', 'relationship_closed')",
        f"select leadline.log_in_journal('customer_activity', '{foreign.subscription}', 'payment_failed')",
        f"select leadline.sees_opportunity('{rivals.foreign.id}', '{foreign.opportunity}', null, null)",
        "select * from leadline.product_signals_at(now())",
        "select * from leadline.account_rollup",
        "select * from leadline.findings",
        f"select * from leadline.leads where workspace_id = '{rivals.foreign.id}'",
        "select * from leadline.leads where workspace_id <> leadline.current_workspace()",
        "select * from leadline.workspaces",
        "select * from leadline.memberships",
        "select * from leadline.users",
        f"select leadline.log_activity('{rivals.foreign_lead}', 'dnc')",
        "select * from leadline.changes_after()",
        "select * from leadline.changes_after('activity:0', 1000)",
        f"select leadline.is_suppressed('{rivals.foreign.id}', '{rivals.foreign_lead}')",
        "select * from leadline.verify_state()",
        "select * from leadline.verify_chain()",
        "set local role leadline_worker",
        "select leadline_internal.root_of_heads(workspace_id, '9999999', null) from leadline.workspaces",
        "copy leadline.leads (workspace_id, source) to program 'cat'",
        "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'leadline_worker'",
    ]
    known = [rivals.foreign.id, rivals.foreign_lead, *foreign]
    for trick in tricks:
        assert layers.leaks(attempt(injected, trick), known=known) == [], trick
    injected.execute("select set_config('leadline.context', '', true)")
    for trick in tricks:
        outcome = attempt(injected, trick)
        assert layers.leaks(outcome, known=known) == [], trick
        for own in (rivals.own_lead, layers.own.person, layers.own.opportunity, layers.own.subscription):
            assert str(own) not in repr(outcome), trick


def test_injected_sql_reads_no_secret(rivals: Rivals, injected: Connection) -> None:
    """Not the key, not a hash of a token, not a table of leadline_internal; nor what PostgreSQL keeps of passwords."""
    for table in rivals.oracle(INTERNAL):
        assert attempt(injected, f"select * from {table[0]}").sqlstate == "42501", table
        columns = rivals.oracle(
            "select attname::text from pg_attribute where attrelid = %s::regclass and attnum > 0 and not attisdropped",
            table,
        )
        for (column,) in columns:
            assert attempt(injected, f'select "{column}" from {table[0]}').sqlstate == "42501", (
                table,
                column,
            )
    for statement in (
        "select token_hash from leadline.api_tokens",
        "select * from leadline.api_tokens",
        "select * from leadline.workspace_logins",
        "select t::text from leadline.api_tokens t",
        "select email from leadline.users",
        "select rolpassword from pg_authid",
        "select passwd from pg_shadow",
        "select umoptions from pg_user_mapping",
        "select subconninfo from pg_subscription",
        "select nextval('leadline_internal.activity_ids')",
        "select setval('leadline_internal.activity_ids', 1)",
        "select last_value from leadline_internal.activity_ids",
    ):
        assert attempt(injected, statement).sqlstate == "42501", statement
    for statement in (
        "select last_value from pg_sequences where schemaname = 'leadline_internal'",
        "select pg_sequence_last_value(oid) from pg_class where relname = 'activity_ids'",
    ):
        assert attempt(injected, statement).rows in ([], [(None,)]), statement


def test_injected_sql_calls_nothing_that_is_the_owners(rivals: Rivals, injected: Connection) -> None:
    """Each function that no grant names, called as it would be called."""
    functions = injected.execute(
        "select p.oid::regprocedure::text, p.proargtypes::regtype[]::text[] from pg_proc p"
        " where p.pronamespace in ('leadline'::regnamespace, 'leadline_internal'::regnamespace)"
        " and not p.proisstrict and not has_function_privilege(p.oid, 'execute')"  # strict ones are not called with null
    ).fetchall()
    assert len(functions) > 20
    for signature, types in functions:
        nulls = ", ".join(f"null::{kind}" for kind in types)
        assert attempt(injected, f"select {signature.split('(')[0]}({nulls})").sqlstate == "42501", signature


def test_the_source_of_our_code_and_the_settings_of_the_cluster_hold_no_secret(rivals: Rivals) -> None:
    """Everybody may read pg_proc, comments, defaults, settings of roles: the key and the tokens are in none of them."""
    keys = rivals.oracle(
        "select encode(unnest(array[k_inner, k_outer]), 'hex') from leadline_internal.context_key"
    )
    with rivals.enter("service app") as connection:
        sources = [
            "select prosrc || coalesce(prosqlbody::text, '') || coalesce(proconfig::text, '') from pg_proc",
            "select description from pg_description",
            "select pg_get_expr(adbin, adrelid) from pg_attrdef",
            "select pg_get_constraintdef(oid) from pg_constraint",
            "select pg_get_triggerdef(oid) from pg_trigger",
            "select definition from pg_views",
            "select setconfig::text from pg_db_role_setting",
            "select name || coalesce(setting, '') from pg_settings",
            "select label from pg_seclabels",
        ]
        seen = repr([connection.execute(source).fetchall() for source in sources])
    assert [key for (key,) in keys if key in seen.lower()] == []
    assert [token for token in rivals.tokens.values() if token[16:] in seen] == []


def test_queries_of_others_are_not_readable_by_a_bound_login(rivals: Rivals) -> None:
    """pg_stat_activity shows that there are sessions, not what they ask."""
    with rivals.foreign.connect("app") as victim:
        victim.execute("select lead_id from leadline.lead_contacts where name = 'zanzibar 0'")
        with rivals.enter("app") as connection:
            rows = connection.execute(
                "select * from pg_stat_activity where datname = current_database()"
            ).fetchall()
            assert len(rows) >= 2
            assert rivals.leaks(rows) == []
            assert (
                attempt(connection, f"select pg_cancel_backend({victim.info.backend_pid})").sqlstate
                == "42501"
            )
            for view in ("pg_prepared_statements", "pg_cursors"):
                assert rivals.leaks(connection.execute(f"select * from {view}").fetchall()) == []


def test_what_the_service_asks_holds_no_token_and_no_personal_text(rivals: Rivals) -> None:
    """All its sessions are one login, so each could read the others' statements: values travel beside them."""
    token = rivals.foreign_token
    with serving(rivals.database) as service:
        lead = service.lead(token, name="Zelda Quux", email="zelda@quux.example")
        service.log(token, lead, "note_added", text="quux called")
        service.get(f"/leads/{lead}", token)
        service.post(
            "/activities",
            token,
            [{"lead_id": lead, "activity_type": "note_added", "payload": {"text": "quux"}}],
        )
        with rivals.enter("service app") as connection:
            own = connection.info.backend_pid
            rows = connection.execute(
                "select query from pg_stat_activity where usename = 'leadline_service' and pid <> %s"
                " and datname = current_database()",
                [own],
            ).fetchall()
    seen = repr(rows).lower()
    assert "leadline" in seen
    assert "quux" not in seen
    assert token[3:15] not in seen
    assert lead not in seen


def test_notifications_tell_nothing(rivals: Rivals) -> None:
    """A login may listen on any channel: whatever the foreign workspace does, a payload says nothing of it."""
    channels = ["lead_feed", "leadline", "leads", "lead_activity", "changes", str(rivals.foreign.id)]
    sources = rivals.oracle(
        "select prosrc from pg_proc where prosrc ~* 'pg_notify|(?<!'')\\mnotify\\M' and pronamespace >= 16384"
    )
    assert all("''" in source for (source,) in sources)
    with rivals.own.connect("app", autocommit=True) as listener:
        for channel in channels:
            listener.execute(f'listen "{channel}"')
        with rivals.foreign.connect("app") as victim:
            victim.execute("insert into leadline.leads (source, name) values ('zanzibar fair', 'zanzibar')")
        heard = list(listener.notifies(timeout=0, stop_after=1))
        heard += list(listener.notifies(timeout=0.05, stop_after=1))
    assert [notice.payload for notice in heard if notice.payload] == []


def test_large_objects_hold_nothing_of_ours_and_reach_no_file(rivals: Rivals, injected: Connection) -> None:
    assert rivals.oracle("select oid from pg_largeobject_metadata") == []
    for statement in (
        "select * from pg_largeobject",
        "select lo_import('/etc/passwd')",
        "select lo_export(1, '/tmp/loot')",
        "select pg_read_binary_file('global/pg_control')",
        "select * from pg_ls_dir('.')",
        "select pg_stat_file('base')",
        "select * from pg_hba_file_rules",
        "select pg_logical_emit_message(true, 'x', 'y') from pg_create_logical_replication_slot('x', 'test_decoding')",
        "select * from pg_replication_origin_status",
        "select pg_export_snapshot() from pg_create_physical_replication_slot('x')",
    ):
        assert attempt(injected, statement).sqlstate == "42501", statement


def test_the_worker_reads_no_lead_and_writes_nothing(rivals: Rivals) -> None:
    """It learns which workspaces there are and tells them the time: no row of theirs, no token, no context."""
    with rivals.database.connect("leadline_worker") as connection:
        assert rivals.foreign.id in {
            row[0] for row in connection.execute("select leadline.list_workspaces()").fetchall()
        }
        relations = connection.execute(
            "select c.oid::regclass::text from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'"
            " where c.relkind in ('r', 'v') and c.relnamespace in ('leadline'::regnamespace, 'leadline_internal'::regnamespace)"
        ).fetchall()
        assert len(relations) > 10
        for (relation,) in relations:
            assert attempt(connection, f"select workspace_id from {relation}").sqlstate == "42501", relation
        for statement in (
            "insert into leadline.leads (source) values ('x')",
            "insert into leadline.workspace_activity (activity_type) values ('settings_changed')",
            f"select leadline.enter('{rivals.foreign_token}')",
            f"select leadline_internal.enter_as('{rivals.foreign.id}', 'owner')",
            f"select leadline.log_activity('{rivals.foreign_lead}', 'sale')",
            f"select leadline.log_in_journal('relationship_activity', '{rivals.foreign_person}', 'relationship_closed')",
            "insert into leadline.relationship_activity (activity_type) values ('relationship_closed')",
            "insert into leadline.opportunity_activity (activity_type) values ('opportunity_opened')",
            "insert into leadline.customer_activity (activity_type) values ('subscription_started')",
            "select * from leadline.product_signals_at(now())",
            f"select leadline.create_token('{rivals.foreign.id}', 'app')",
            "select leadline.rotate_signing_key()",
        ):
            assert attempt(connection, statement).sqlstate == "42501", statement
