"""A member who does not see a lead gets no row of it and no text of it, by any door; it is as if it were not there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from uuid import UUID

import pytest

from app.postgres import Server
from tests.databases import clone
from tests.office import DOORS, SECRET, SETTINGS, Office, open_office
from tests.py.rival_layers import Desk, add_desk
from tests.rivals import Connection, attempt, relations
from tests.tenant import faults

ASSIGNED = """
    select {0} from leadline.{1} where assigned_user_id = %(me)s or %(all)s or assigned_user_id is null and %(unassigned)s
"""
# Whose rows these are: the first of these columns that a relation has.
SUBJECTS = ("subject_id", "subscription_id", "lead_id", "opportunity_id", "person_id", "request_id")
SUBJECT_OF = {
    "opportunities": "opportunity_id",
    "opportunity_overview": "opportunity_id",
    "approvals": "approval_id",
    "approval_queue": "approval_id",
}
# They count, or tell of the workspace: test_programs compares what they say.
COUNTED = {"account_rollup", "lifecycle_funnel", "findings", "outbox", "accounts"}


@pytest.fixture(scope="module")
def desk(server: Server, template: str) -> Iterator[Desk]:
    """In which members see what is assigned to them, and may create temporary objects."""
    with clone(server, template) as database:
        desk = add_desk(open_office(database))
        with database.connect(autocommit=True) as connection:
            connection.execute(f"grant temporary on database {database.name} to public")
        yield desk
        assert faults(database.dsn()) == []


@pytest.fixture
def office(desk: Desk) -> Office:
    """The workspace."""
    return desk.office


@pytest.fixture(params=SETTINGS)
def setting(office: Office, request: pytest.FixtureRequest) -> Iterator[str]:
    """What members may see."""
    office.let_members_see(request.param)
    yield request.param
    office.let_members_see("assigned")


def assigned(office: Office, setting: str, column: str, table: str) -> set[UUID]:
    """A column of the rows that are mine, or that the setting lets me see beside them."""
    everything, unassigned = SETTINGS[setting]
    who = {"me": office.me, "all": everything, "unassigned": unassigned}
    with office.database.connect() as connection:
        return {row[0] for row in connection.execute(ASSIGNED.format(column, table), who)}


def feed_tells(connection: Connection, subjects: set[str]) -> bool:
    """Whether the feed tells of these subjects alone, once no transaction of the cluster holds it back."""
    patience = time.monotonic() + 60
    while True:
        changes = connection.execute("select change from leadline.changes_after(null, 1000)").fetchall()
        found = {change["subject_id"] for (change,) in changes if change["journal"] != "workspace_activity"}
        if found or time.monotonic() > patience:
            return found == subjects
        time.sleep(0.1)


@pytest.mark.parametrize("door", DOORS)
def test_every_table_and_view_shows_the_same_subjects(desk: Desk, setting: str, door: str) -> None:
    """Wherever a lead, a person, a deal, a subscription, an approval or a request is the subject of a row, it is one of
    the same set, and the rows are complete: all that there is of those who are seen, and nothing of the others."""
    office = desk.office
    leads = assigned(office, setting, "lead_id", "leads")
    deals = assigned(office, setting, "opportunity_id", "opportunities")
    people = assigned(office, setting, "person_id", "leads") | assigned(
        office, setting, "person_id", "opportunities"
    )
    visible = {"lead_id": leads, "opportunity_id": deals, "person_id": people}
    for key, table in (("subscription_id", "subscriptions"), ("approval_id", "approvals")):
        rows = office.oracle(f"select {key} from leadline.{table} where person_id = any (%s)", [list(people)])
        visible[key] = {row[0] for row in rows}
    rows = office.oracle("select request_id from leadline.requests where lead_id = any (%s)", [list(leads)])
    visible["request_id"] = {row[0] for row in rows}
    told_of = {row[0] for row in office.oracle("select subject_id from leadline.person_timeline")}
    journals = told_of & set().union(leads, people, deals, visible["subscription_id"])
    with office.enter(door) as connection:
        doors: dict[str, int] = {}
        for relation, columns in relations(connection).items():
            name = relation.split(".")[-1]
            subject = SUBJECT_OF.get(name) or next((key for key in SUBJECTS if key in columns), None)
            if subject is None or name in COUNTED:
                continue
            where = " where journal <> 'workspace_activity'" if "journal" in columns else ""
            question = f"select {subject}, count(*) from {relation}{where} group by 1"
            got, there = dict(connection.execute(question).fetchall()), dict(office.oracle(question))
            wanted = visible.get(subject, journals)
            if name in ("merged_people", "person_milestones", "person_keys", "person_contacts"):
                assert got.keys() <= wanted, relation  # what makes them is on some of the person's leads
            else:
                assert got == {one: count for one, count in there.items() if one in wanted}, relation
            doors[subject] = doors.get(subject, 0) + 1
        assert all(doors[key] > 2 for key in ("lead_id", "opportunity_id", "subscription_id", "person_id"))
        assert feed_tells(connection, {str(subject) for subject in journals})
        told = connection.execute("select distinct recipient_user_id from leadline.outbox").fetchall()
        assert told == [(office.me,)], "what is told to others is theirs, whoever sees their leads"
        for lead in (office.mine, office.nobodys, office.theirs):
            suppressed = connection.execute(
                "select leadline.is_suppressed(%s, %s)", [office.tenant.id, lead]
            ).fetchone()
            assert suppressed == ((True,) if lead in leads else (None,))
        for table in ("suppressions", "checkpoints"):
            count = connection.execute(f"select count(*) from leadline.{table}").fetchone()
            assert (count != (0,)) == (setting == "all"), table


@pytest.mark.parametrize("door", DOORS)
def test_no_text_of_an_unseen_lead_is_in_anything_a_member_can_read(desk: Desk, door: str) -> None:
    """Every row of every table and view there is, the texts of activities and the lists of the workspace included."""
    office = desk.office
    with office.enter(door) as connection:
        for relation, columns in relations(connection).items():
            listed = ", ".join(f'"{column}"::text' for column in columns)
            rows = connection.execute(f"select {listed} from {relation}").fetchall()
            text = repr(rows)
            assert SECRET not in text, relation
            for unseen in (office.theirs, *desk.theirs, *desk.nobodys):
                assert str(unseen) not in text, relation
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
        ("opportunities", "problem", f"{SECRET} is slow"),
        ("opportunity_activity", "reference", "deal 1"),
        ("relationship_activity", "reference", "held 1"),
        ("customer_activity", "reference", "paid 1"),
        ("subscriptions", "plan", f"{SECRET} plan"),
        ("renewal_cycles", "churn_reason", f"{SECRET} goes"),
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
