"""Whatever a login of one workspace asks, it gets rows of that workspace only: nothing of another, by no way of asking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest

from app.postgres import Server
from tests.databases import clone
from tests.py.rival_layers import add_layers
from tests.rivals import (
    OWN_WORD,
    READERS,
    Connection,
    Rivals,
    attempt,
    relations,
    rival_workspaces,
)

LEAK = """
    create function pg_temp.leak(p text) returns bool language plpgsql cost 0.0000001
    as $$ begin raise notice 'heard %', p; return true; end $$;
    create function pg_temp.leak(a text, b text) returns bool language plpgsql cost 0.0000001
    as $$ begin raise notice 'heard % %', a, b; return true; end $$;
    create operator pg_temp.<<< (leftarg = text, rightarg = text, function = pg_temp.leak,
        restrict = scalarltsel, join = scalarltjoinsel);
"""

SAMPLED = (
    *(("leadline.leads", "source"), ("leadline.leads", "name"), ("leadline.leads", "email_key")),
    *(("leadline.lead_activity", "reference"), ("leadline.workspaces", "name")),
    *(("leadline.person_keys", "key"), ("leadline.requests", "source"), ("leadline.requests", "external_id")),
    *(("leadline.accounts", "domain"), ("leadline.accounts", "name"), ("leadline.outbox", "lead_id::text")),
    *(("leadline.people", "person_id::text"), ("leadline.leads", "phone_key")),
    *(("leadline.opportunities", "problem"), ("leadline.opportunities", "opportunity_id::text")),
    *(("leadline.subscriptions", "plan"), ("leadline.renewal_cycles", "churn_reason")),
    *(("leadline.approvals", "approval_id::text"), ("leadline.relationship_activity", "reference")),
    *(("leadline.opportunity_activity", "reference"), ("leadline.customer_activity", "reference")),
)
FEW = ("app", "member", "analyst contacts", "service owner")
# An analyst gets them without personal text.
MASKED = ("payload", "changes", "old_value", "new_value", "reason")
# Views that count: a member's numbers are of what the member sees (test_programs compares them).
COUNTED = {
    "leadline.account_rollup", "leadline.lifecycle_funnel", "leadline.person_milestones", "leadline.person_overview",
    "leadline.merged_people", "leadline.findings",
}  # fmt: skip


@pytest.fixture(scope="module")
def rivals(server: Server, template: str) -> Iterator[Rivals]:
    """Analysed, so that the planner has foreign values to be careless with; anybody may create temporary objects."""
    with clone(server, template) as database:
        rivals = rival_workspaces(database)
        add_layers(rivals)
        with database.connect(autocommit=True) as connection:
            connection.execute(f"grant temporary on database {database.name} to public")
            connection.execute("analyze")
        yield rivals


def text_of(columns: list[str]) -> str:
    return "concat_ws('|', " + ", ".join(f'"{column}"::text' for column in columns) + ")"


@pytest.mark.parametrize("door", READERS)
def test_tables_and_views_hold_the_own_rows_and_no_others(rivals: Rivals, door: str) -> None:
    """Compared with what an administrator finds for the workspace, row by row; an owner gets all of it."""
    with rivals.enter(door) as connection:
        seen = 0
        for relation, columns in relations(connection).items():
            columns = [column for column in columns if "analyst" not in door or column not in MASKED]
            listed = ", ".join(f'"{column}"::text' for column in columns)
            got = Counter(connection.execute(f"select {listed} from {relation}").fetchall())
            own = Counter(
                rivals.oracle(f"select {listed} from {relation} where workspace_id = %s", [rivals.own.id])
            )
            assert got <= own or ("member" in door and relation in COUNTED), relation
            assert rivals.leaks(got) == [], relation
            if door in ("owner", "service owner"):
                assert got == own, relation
            seen += got.total()
        assert seen > 20


@pytest.mark.parametrize("door", FEW)
@pytest.mark.parametrize(
    "setting",
    ["enable_seqscan", "enable_indexscan", "plan_cache_mode = force_generic_plan", "parallel"],
)
def test_no_plan_shows_a_foreign_row(rivals: Rivals, door: str, setting: str) -> None:
    """Asked for the foreign workspace, for the foreign lead, and for everything, whatever the planner may use."""
    with rivals.enter(door) as connection:
        if setting == "parallel":
            forced = "debug" if connection.info.server_version >= 160000 else "force"
            name = "debug_parallel_query" if forced == "debug" else "force_parallel_mode"
            for wish in (
                f"{name} = on",
                "parallel_setup_cost = 0",
                "parallel_tuple_cost = 0",
                "min_parallel_table_scan_size = 0",
            ):
                connection.execute(f"set local {wish}")
        else:
            connection.execute(f"set local {setting if '=' in setting else setting + ' = off'}")
        conditions = [
            f"workspace_id is distinct from '{rivals.own.id}' or workspace_id is null",
            f"workspace_id = '{rivals.foreign.id}'",
            f"workspace_id <> '{rivals.own.id}'",
            f"workspace_id in ('{rivals.foreign.id}', '{uuid4()}')",
        ]
        known = relations(connection)
        if (
            setting == "parallel"
        ):  # a worker a question that a policy asks: the tables under the views are enough
            views = {f"leadline.{name}" for (name,) in connection.execute("select viewname from pg_views")}
            known = {relation: columns for relation, columns in known.items() if relation not in views}
            conditions = conditions[:1]
        for relation in known:
            for condition in conditions:
                asked = attempt(connection, f"select workspace_id from {relation} where {condition}")
                assert (asked.sqlstate, asked.rows) == (None, []), (relation, condition)


@pytest.mark.parametrize("door", FEW)
def test_a_leaky_function_is_called_with_own_rows_only(rivals: Rivals, door: str) -> None:
    """A function that tells what it was given, cheap enough to be asked first, in every clause and on every column."""
    with rivals.enter(door) as connection:
        connection.execute(LEAK)
        for relation, columns in relations(connection).items():
            bait = text_of(columns)
            for statement in (
                f"select from {relation} where pg_temp.leak({bait})",
                f"select from {relation} where {bait} operator(pg_temp.<<<) 'm'",
                f"select from {relation} where workspace_id = '{rivals.foreign.id}' and pg_temp.leak({bait})",
                f"select count(*) filter (where pg_temp.leak({bait})) from {relation}",
                f"select from {relation} order by pg_temp.leak({bait})",
                f"select from {relation} a join (values ('m')) v (m) on a.workspace_id::text operator(pg_temp.<<<) v.m",
            ):
                outcome = attempt(connection, statement)
                assert outcome.sqlstate is None, outcome
                assert rivals.leaks(outcome.said, known=[rivals.foreign.id]) == [], statement
        for (
            relation,
            column,
        ) in SAMPLED:  # the planner asks an operator's estimator about samples of the column
            outcome = attempt(connection, f"select from {relation} where {column} operator(pg_temp.<<<) 'm'")
            assert rivals.leaks(outcome.said) == [], relation
        heard = attempt(connection, "select from leadline.leads where pg_temp.leak(source)").said
        assert OWN_WORD in heard or door == "member"


def test_nobody_makes_a_function_that_the_planner_trusts(rivals: Rivals) -> None:
    """LEAKPROOF is the word by which row security would let a function see foreign rows: superusers only."""
    for door in READERS:
        with rivals.enter(door) as connection:
            made = attempt(
                connection,
                "create function pg_temp.trusted(text) returns bool leakproof language sql return true",
            )
            assert made.sqlstate == "42501"


@pytest.mark.parametrize("door", READERS)
def test_an_error_carries_no_foreign_value(rivals: Rivals, door: str) -> None:
    """Casts and divisions that would fail at a foreign row, and say so, meet none."""
    with rivals.enter(door) as connection:
        for relation, columns in relations(connection).items():
            foreign = f"workspace_id <> '{rivals.own.id}'"
            for statement in (
                f"select from {relation} where case when {foreign} then ({text_of(columns)})::int end is not null",
                f"select from {relation} where 1 / (case when {foreign} then 0 else 1 end) = 0",
                f"select max(case when {foreign} then ({text_of(columns)})::int end) from {relation}",
            ):
                outcome = attempt(connection, statement)
                assert outcome.sqlstate is None, (relation, outcome)


@pytest.mark.parametrize("door", READERS)
def test_copy_out_gives_own_rows_and_copy_in_and_files_are_refused(rivals: Rivals, door: str) -> None:
    with rivals.enter(door) as connection:
        for relation, columns in relations(connection).items():
            listed = ", ".join(f'"{column}"' for column in columns)
            is_view = (
                rivals.oracle("select relkind::text from pg_class where oid = %s::regclass", [relation])[0][0]
                == "v"
            )
            source = f"(select {listed} from {relation})" if is_view else f"{relation} ({listed})"
            with connection.cursor().copy(f"copy {source} to stdout") as copy:
                assert rivals.leaks(b"".join(bytes(part) for part in copy).decode()) == [], relation
            assert attempt(connection, f"copy {source} to '/tmp/leadline_loot'").sqlstate == "42501"
            assert attempt(connection, f"copy {source} to program 'cat'").sqlstate == "42501"
            if not is_view:
                with (
                    pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.FeatureNotSupported)),
                    connection.transaction(),
                    connection.cursor().copy(f"copy {relation} ({listed}) from stdin"),
                ):
                    pass


@pytest.mark.parametrize("door", READERS)
def test_row_security_cannot_be_switched_off(rivals: Rivals, door: str) -> None:
    with rivals.enter(door) as connection:
        connection.execute("set local row_security = off")
        for relation in relations(connection):
            assert attempt(connection, f"select workspace_id from {relation}").sqlstate == "42501", relation


@pytest.mark.parametrize("door", READERS)
def test_the_statistics_of_the_planner_are_out_of_reach(rivals: Rivals, door: str) -> None:
    """ANALYZE has kept samples of everybody's values."""
    assert rivals.leaks(rivals.oracle("select * from pg_stats where schemaname = 'leadline'")) != []
    with rivals.enter(door) as connection:
        for view in ("pg_stats", "pg_stats_ext", "pg_stats_ext_exprs"):
            rows = attempt(connection, f"select * from {view} where schemaname like 'leadline%'").rows
            assert rivals.leaks(rows) == [], view
        for table in ("pg_statistic", "pg_statistic_ext_data"):
            assert attempt(connection, f"select * from {table}").sqlstate == "42501"


def plan_of(connection: Connection, relation: str, condition: str) -> list[str]:
    """How the statement ran, line by line, without anything that differs from run to run."""
    options = "analyze, costs off, timing off, summary off, buffers off"
    outcome = attempt(connection, f"explain ({options}) select from {relation} where {condition}")
    return [line for (line,) in outcome.rows] + [outcome.said]


@pytest.mark.parametrize(("relation", "column"), SAMPLED)
def test_how_a_statement_ran_does_not_tell_whether_another_workspace_has_a_value(
    rivals: Rivals, relation: str, column: str
) -> None:
    """EXPLAIN ANALYZE says whether a sub-select of a policy was ever asked: it must be asked before the reader's own test.

    A test that PostgreSQL trusts (=, <, >= of text) runs first when it is not dearer, and a policy whose sub-select
    then never runs has told that no row, of whatever workspace, has the value."""
    values, own = (
        rivals.oracle(
            f"select {column} from {relation} where workspace_id = %s and {column} is not null", [of]
        )
        for of in (rivals.foreign.id, rivals.own.id)
    )
    value = max({*values} - {*own} or values)[0]
    with rivals.enter("app") as connection:
        for kind in ("indexscan", "indexonlyscan", "bitmapscan"):
            connection.execute(f"set local enable_{kind} = off")
        for condition in (
            "{0} = '{1}'",
            "{0} = any ('{{{1}}}'::text[])",
            "{0} in ('{1}', '{1}')",
            "{0} >= '{1}' and {0} <= '{1}'",
        ):
            plans = [
                [
                    line.replace(wanted, "…")
                    for line in plan_of(connection, relation, condition.format(column, wanted))
                ]
                for wanted in (value, value[::-1])  # nobody has it backwards
            ]
            assert plans[0] == plans[1], condition


def test_a_prepared_statement_shows_the_workspace_of_its_execution(rivals: Rivals) -> None:
    """Planned in one context, generic or not, it reads in the next one."""
    with rivals.database.connect("leadline_service", autocommit=True) as connection:
        for mode in ("force_generic_plan", "force_custom_plan", "auto"):
            connection.execute(f"set plan_cache_mode = {mode}")
            connection.execute(f"prepare ask_{mode} as select workspace_id from leadline.leads")
            for _ in range(4):
                for token, tenant in (
                    (rivals.tokens["app"], rivals.own),
                    (rivals.foreign_token, rivals.foreign),
                ):
                    with connection.transaction():
                        connection.execute("select leadline.enter(%s)", [token])
                        rows = connection.execute(f"execute ask_{mode}").fetchall()
                        assert {row[0] for row in rows} == {tenant.id}
            assert connection.execute(f"execute ask_{mode}").fetchall() == []


def test_entering_another_workspace_midway_does_not_mix_the_two(rivals: Rivals) -> None:
    """A cursor keeps the rows of the workspace it was opened in; what is asked afterwards is the new one's."""
    with rivals.database.connect("leadline_service") as connection:
        connection.execute("select leadline.enter(%s)", [rivals.foreign_token])
        connection.execute("declare kept cursor for select workspace_id, source from leadline.leads")
        connection.execute("fetch 1 from kept")
        connection.execute("select leadline.enter(%s)", [rivals.tokens["app"]])
        rows = connection.execute("fetch all from kept").fetchall()
        assert {row[0] for row in rows} == {rivals.foreign.id}
        assert rivals.leaks(connection.execute("select * from leadline.lead_overview").fetchall()) == []


def test_a_cursor_held_over_the_commit_holds_nothing_for_the_next_caller_to_widen(rivals: Rivals) -> None:
    """WITH HOLD keeps the rows read by the one who opened it, and not one more."""
    with rivals.database.connect("leadline_service", autocommit=True) as connection:
        with connection.transaction():
            connection.execute("select leadline.enter(%s)", [rivals.tokens["app"]])
            connection.execute("declare kept cursor with hold for select workspace_id from leadline.leads")
        with connection.transaction():
            connection.execute("select leadline.enter(%s)", [rivals.foreign_token])
            assert {row[0] for row in connection.execute("fetch all from kept").fetchall()} == {rivals.own.id}


@pytest.mark.parametrize("door", ["app", "analyst", "service app"])
def test_odd_ways_to_read_a_table_obey_the_policy(rivals: Rivals, door: str) -> None:
    """Samples, physical addresses, recursion, json of whole tables, a snapshot somebody exported."""
    with rivals.enter(door) as connection:
        for statement in (
            "select workspace_id, payload from leadline.lead_activity tablesample system (100)",
            "select workspace_id, payload from leadline.lead_activity tablesample bernoulli (100)",
            "select workspace_id from leadline.lead_activity where ctid >= '(0,1)'",
            "with recursive r as (select lead_id, source from leadline.leads union select l.lead_id, l.source from leadline.leads l join r on l.lead_id <> r.lead_id) select * from r",
            "select table_to_xml('leadline.lead_activity', true, false, '')",
            "select query_to_xml('select * from leadline.lead_overview', true, false, '')",
            "select schema_to_xml('leadline', true, false, '')",
            "select database_to_xml(true, false, '')",
        ):
            outcome = attempt(connection, statement)
            assert rivals.leaks(outcome) == [], statement
        rows = connection.execute("select source from leadline.lead_overview").fetchall()
        assert {row[0] for row in rows} == {f"{OWN_WORD} fair"}
