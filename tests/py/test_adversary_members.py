"""A member who does not see a lead gets no row of it and no text of it, by any door; it is as if it were not there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from uuid import UUID

import pytest

from app.postgres import Server
from tests.databases import clone
from tests.office import DOORS, SECRET, SETTINGS, Office, open_office
from tests.rivals import Connection, attempt, relations
from tests.tenant import faults

PEOPLE = "select distinct person_id from leadline.leads where lead_id = any (%s)"


@pytest.fixture(scope="module")
def office(server: Server, template: str) -> Iterator[Office]:
    """In which members see what is assigned to them, and may create temporary objects."""
    with clone(server, template) as database:
        office = open_office(database)
        with database.connect(autocommit=True) as connection:
            connection.execute(f"grant temporary on database {database.name} to public")
        yield office
        assert faults(database.dsn()) == []


@pytest.fixture(params=SETTINGS)
def setting(office: Office, request: pytest.FixtureRequest) -> Iterator[str]:
    """What members may see."""
    office.let_members_see(request.param)
    yield request.param
    office.let_members_see("assigned")


def seen_leads(office: Office, setting: str) -> set[UUID]:
    return {
        "assigned": {office.mine},
        "assigned and unassigned": {office.mine, office.nobodys},
        "all": {office.mine, office.nobodys, office.theirs},
    }[setting]


def feed_tells(connection: Connection, subjects: set[str]) -> bool:
    """Whether the feed tells of these leads alone, once no transaction of the cluster holds it back."""
    patience = time.monotonic() + 60
    while True:
        changes = connection.execute("select change from leadline.changes_after()").fetchall()
        found = {change["subject_id"] for (change,) in changes if change["journal"] == "lead_activity"}
        if found or time.monotonic() > patience:
            return found == subjects
        time.sleep(0.1)


@pytest.mark.parametrize("door", DOORS)
def test_every_table_and_view_shows_the_same_leads(office: Office, setting: str, door: str) -> None:
    """Wherever a lead's id stands as the subject of a row, it is one of the same set, and the rows are complete."""
    visible = seen_leads(office, setting)
    with office.enter(door) as connection:
        doors = 0
        for relation, columns in relations(connection).items():
            key = "lead_id" if "lead_id" in columns else "subject_id" if "subject_id" in columns else None
            if key is None or relation == "leadline.outbox":
                continue
            where = " where journal = 'lead_activity'" if key == "subject_id" else ""
            question = f"select {key}, count(*) from {relation}{where}"
            got = dict(connection.execute(f"{question} group by 1").fetchall())
            all_of_it = dict(office.oracle(f"{question} group by 1"))
            assert got == {lead: count for lead, count in all_of_it.items() if lead in visible}, relation
            doors += 1
        assert doors > 6
        assert feed_tells(connection, {str(lead) for lead in visible})
        people = {row[0] for row in office.oracle(PEOPLE, [list(visible)])}
        for relation in ("people", "person_overview", "person_keys", "person_contacts"):
            rows = connection.execute(f"select person_id from leadline.{relation}").fetchall()
            assert {row[0] for row in rows} == people, relation
        told = connection.execute("select recipient_user_id, lead_id from leadline.outbox").fetchall()
        assert told == [(office.me, office.mine)], (
            "what is told to others is theirs, whoever sees their leads"
        )
        for lead in (office.mine, office.nobodys, office.theirs):
            suppressed = connection.execute(
                "select leadline.is_suppressed(%s, %s)", [office.tenant.id, lead]
            ).fetchone()
            assert suppressed == ((True,) if lead in visible else (None,))
        for table in ("suppressions", "checkpoints"):
            count = connection.execute(f"select count(*) from leadline.{table}").fetchone()
            assert (count != (0,)) == (setting == "all"), table


@pytest.mark.parametrize("door", DOORS)
def test_no_text_of_an_unseen_lead_is_in_anything_a_member_can_read(office: Office, door: str) -> None:
    """Every row of every table and view there is, the texts of activities and the lists of the workspace included."""
    with office.enter(door) as connection:
        for relation, columns in relations(connection).items():
            listed = ", ".join(f'"{column}"::text' for column in columns)
            rows = connection.execute(f"select {listed} from {relation}").fetchall()
            text = repr(rows)
            assert SECRET not in text, relation
            assert str(office.theirs) not in text, relation
        for view in ("tokens", "logins"):
            assert connection.execute(f"select * from leadline.{view}").fetchall() == []


@pytest.mark.parametrize("door", DOORS)
def test_a_leaky_function_or_an_error_meets_no_unseen_row(office: Office, door: str) -> None:
    with office.enter(door) as connection:
        connection.execute(
            "create function pg_temp.leak(p text) returns bool language plpgsql cost 0.0000001"
            " as $$ begin raise notice 'heard %', p; return true; end $$"
        )
        for relation, columns in relations(connection).items():
            bait = "concat_ws('|', " + ", ".join(f'"{column}"::text' for column in columns) + ")"
            for statement in (
                f"select from {relation} where pg_temp.leak({bait})",
                f"select from {relation} order by pg_temp.leak({bait})",
                f"select from {relation} where case when {bait} like '%{SECRET}%' then {bait}::int end = 1",
            ):
                outcome = attempt(connection, statement)
                assert outcome.sqlstate is None, outcome
                assert SECRET not in outcome.said, statement


@pytest.mark.parametrize(
    ("relation", "column", "value"),
    [
        ("leads", "email_key", f"{SECRET}@{SECRET}.example"),
        ("leads", "source", f"{SECRET} fair"),
        ("lead_activity", "reference", f"{SECRET} dnc"),
        ("person_keys", "key", f"{SECRET}@{SECRET}.example"),
        ("person_keys", "key", "+34610000001"),
        ("requests", "source", f"{SECRET} form"),
        ("requests", "external_id", f"{SECRET} id"),
    ],
)
def test_how_a_statement_ran_does_not_tell_what_an_unseen_lead_holds(
    office: Office, relation: str, column: str, value: str
) -> None:
    """EXPLAIN ANALYZE says whether the policy's questions about the member were asked: it must not depend on a value."""
    options = "analyze, costs off, timing off, summary off, buffers off"
    with office.enter("login") as connection:
        for kind in ("indexscan", "indexonlyscan", "bitmapscan"):
            connection.execute(f"set local enable_{kind} = off")
        for condition in ("{0} = '{1}'", "{0} = any ('{{{1}}}'::text[])", "{0} >= '{1}' and {0} <= '{1}'"):
            plans = []
            for wanted in (value, value[::-1]):  # nobody has it backwards
                statement = f"explain ({options}) select from leadline.{relation} where {condition.format(column, wanted)}"
                plans.append([line.replace(wanted, "…") for (line,) in connection.execute(statement)])
            assert plans[0] == plans[1], condition
