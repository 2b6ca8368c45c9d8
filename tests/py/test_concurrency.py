"""Many writers at once: nothing is lost, nothing happens twice, nobody waits for ever."""

from __future__ import annotations

import itertools
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from uuid import UUID

import psycopg
import pytest
from psycopg import errors

from app.deploy import migrate
from tests.databases import Database
from tests.tenant import Tenant, faults

T = TypeVar("T")
LOG = """
    insert into leadline.lead_activity (lead_id, activity_type, reference) values (%s, %s, %s)
    returning verdict, rule, from_stage, to_stage, version"""


@pytest.fixture
def tenant(database: Database) -> Tenant:
    return Tenant(database.dsn())


def at_once(count: int, work: Callable[[int], T]) -> list[T]:
    """What `work(0) … work(count - 1)` return, started together in threads of their own."""
    barrier = threading.Barrier(count)

    def start(number: int) -> T:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(start, range(count)))


def insert(
    tenant: Tenant, lead_id: UUID, activity_type: str, reference: str | None = None, **options: Any
) -> Any:
    with tenant.connect(autocommit=True, **options) as connection:
        return connection.execute(LOG, [lead_id, activity_type, reference]).fetchone()


def journal(tenant: Tenant, lead_id: UUID) -> list[tuple[Any, ...]]:
    with psycopg.connect(tenant.admin_dsn) as connection:
        return connection.execute(
            "select seq, version, verdict, activity_type, from_stage, to_stage from leadline.lead_activity"
            " where lead_id = %s order by seq",
            [lead_id],
        ).fetchall()


def test_one_outcome_is_in_force_when_four_are_reported_at_once(tenant: Tenant) -> None:
    """Each meets the stage that the one before it left, whatever order they come in."""
    outcomes = ["sale", "no_sale", "refused", "appointment_no_show"]
    for lead_id in tenant.leads(10):
        insert(tenant, lead_id, "appointment_scheduled")
        answers = at_once(4, lambda n, lead_id=lead_id: insert(tenant, lead_id, outcomes[n]))  # type: ignore[misc]
        rows = journal(tenant, lead_id)
        assert [row[0] for row in rows] == [1, 2, 3, 4, 5, 6]
        assert all(later[4] == earlier[5] for earlier, later in itertools.pairwise(rows))
        in_force = [a for a in answers if a[0] == "applied" and a[3] in ("sale", "no_sale", "refused")]
        assert len(in_force) == 1, answers
        assert {a[0] for a in answers} <= {"applied", "noted", "refused"}
    assert faults(tenant.admin_dsn) == []


@pytest.mark.slow
def test_single_row_writers_on_the_same_leads_never_deadlock(tenant: Tenant) -> None:
    """The foreign key's share lock and the trigger's lock do not wait for each other."""
    leads = tenant.leads(10)
    until = time.monotonic() + 3

    def write(number: int) -> int:
        chance, done = random.Random(number), 0  # noqa: S311
        with tenant.connect(autocommit=True) as connection:
            while time.monotonic() < until:
                connection.execute(LOG, [chance.choice(leads), "contact_attempted", None])
                done += 1
        return done

    written = sum(at_once(8, write))
    assert written > 100
    assert (
        tenant.ask("select count(*) from leadline.lead_activity where activity_type = 'contact_attempted'")
        == written
    )
    assert faults(tenant.admin_dsn) == []


@pytest.mark.slow
def test_batches_in_any_order_never_deadlock(tenant: Tenant) -> None:
    """log_activities takes the leads of a batch in one order, so batches never wait in a circle."""
    leads = tenant.leads(10)
    until = time.monotonic() + 3

    def write(number: int) -> int:
        chance, done = random.Random(number), 0  # noqa: S311
        with tenant.connect(autocommit=True) as connection:
            while time.monotonic() < until:
                items = [
                    {"lead_id": str(lead_id), "activity_type": "contact_attempted"}
                    for lead_id in chance.sample(leads, 3)
                ]
                rows = connection.execute(
                    "select * from leadline.log_activities(%s)", [json.dumps(items)]
                ).fetchall()
                assert [row[1]["lead_id"] for row in rows] == [item["lead_id"] for item in items]
                done += 3
        return done

    written = sum(at_once(8, write))
    assert (
        tenant.ask("select count(*) from leadline.lead_activity where activity_type = 'contact_attempted'")
        == written
    )
    assert faults(tenant.admin_dsn) == []


def test_a_raw_statement_that_loses_a_deadlock_loses_nothing_when_run_again(tenant: Tenant) -> None:
    """Writers of many rows sort by lead; one that does not may be told 40P01 and is right the second time."""
    first, second = tenant.leads(2)
    statement = "insert into leadline.lead_activity (lead_id, activity_type) values (%s, 'contact_attempted')"
    told: list[str | None] = []
    meeting = threading.Barrier(2)

    def write(number: int) -> None:
        order = (first, second) if number == 0 else (second, first)
        with tenant.connect() as connection:
            for attempt in range(5):
                try:
                    connection.execute(statement, [order[0]])
                    if attempt == 0:
                        meeting.wait()
                    connection.execute(statement, [order[1]])
                    connection.commit()
                    return
                except errors.DeadlockDetected as e:
                    told.append(e.sqlstate)
                    connection.rollback()
        raise AssertionError("refused again and again")

    at_once(2, write)
    assert set(told) == {"40P01"}
    assert [len(journal(tenant, lead_id)) for lead_id in (first, second)] == [3, 3]
    assert faults(tenant.admin_dsn) == []


def test_a_reference_counts_once_however_many_report_it(tenant: Tenant) -> None:
    """Same lead: one row and silence for the others. Different leads: one row and reference_reused."""
    (lead_id,) = tenant.leads(1)
    answers = at_once(10, lambda _: insert(tenant, lead_id, "contact_attempted", "call-1"))
    assert [a for a in answers if a is not None] == [("applied", None, "new", "attempted", 2)]
    leads = tenant.leads(5)

    def report(number: int) -> str:
        try:
            return "written" if insert(tenant, leads[number], "contact_attempted", "call-2") else "repeat"
        except psycopg.Error as e:
            return f"{e.sqlstate} {e.diag.constraint_name}"

    assert Counter(at_once(5, report)) == {"written": 1, "PT409 reference_reused": 4}
    assert sum(len(journal(tenant, lead_id)) for lead_id in leads) == 6
    assert faults(tenant.admin_dsn) == []


def test_a_birth_with_one_reference_makes_one_lead(tenant: Tenant) -> None:
    def create(_: int) -> Any:
        with tenant.connect(autocommit=True) as connection:
            return connection.execute(
                "select lead_id, replayed from leadline.log_activity(null, 'lead_created', '{}', 'form-1')"
            ).fetchone()

    answers = at_once(8, create)
    assert len({lead_id for lead_id, _ in answers}) == 1
    assert sorted(replayed for _, replayed in answers) == [False] + [True] * 7
    assert faults(tenant.admin_dsn) == []


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_stricter_isolation_is_told_to_try_again_and_loses_nothing(tenant: Tenant, level: str) -> None:
    (lead_id,) = tenant.leads(1)
    together = threading.Barrier(6)

    def report(_: int) -> str:
        with tenant.connect(autocommit=True) as connection, connection.transaction():
            connection.execute(f"set transaction isolation level {level}")
            connection.execute("select from leadline.leads")
            together.wait()
            try:
                with connection.transaction():
                    connection.execute(LOG, [lead_id, "contact_attempted", None])
            except errors.SerializationFailure as e:
                return str(e.sqlstate)
        return "written"

    answers = Counter(at_once(6, report))
    assert answers["written"] >= 1
    assert answers["written"] + answers["40001"] == 6
    assert len(journal(tenant, lead_id)) == 1 + answers["written"]
    assert faults(tenant.admin_dsn) == []


def test_two_leads_cannot_become_each_others_duplicate(tenant: Tenant) -> None:
    for _ in range(5):
        leads = tenant.leads(2)

        def report(number: int, leads: list[UUID] = leads) -> Any:
            with tenant.connect(autocommit=True) as connection:
                return connection.execute(
                    "select verdict, rule from leadline.log_activity("
                    "%s, 'duplicate', jsonb_build_object('duplicate_of', %s::text))",
                    [leads[number], leads[1 - number]],
                ).fetchone()

        assert sorted(at_once(2, report)) == [("applied", None), ("refused", "duplicate_cycle")]
    assert faults(tenant.admin_dsn) == []


def test_the_feed_shows_a_late_commit(tenant: Tenant) -> None:
    """A poller that asked between two commits still gets the one that began first and ended last."""
    early, late = tenant.leads(2)
    with tenant.connect(autocommit=True) as reader:

        def poll(cursor: str | None) -> tuple[list[int], str | None]:
            rows = reader.execute("select * from leadline.changes_after(%s)", [cursor]).fetchall()
            ids = [row[1]["activity_id"] for row in rows if row[1]["activity_type"] == "contact_attempted"]
            return ids, rows[-1][0] if rows else cursor

        _, cursor = poll(None)
        with tenant.connect() as slow:
            first = slow.execute(f"{LOG}, activity_id", [early, "contact_attempted", None]).fetchone()
            with tenant.connect(autocommit=True) as quick:
                second = quick.execute(f"{LOG}, activity_id", [late, "contact_attempted", None]).fetchone()
            assert first is not None
            assert second is not None
            seen, cursor = poll(cursor)
            assert seen == []  # the second is held back while the first may still come
        seen = []
        deadline = time.monotonic() + 30  # other databases of the cluster have open transactions too
        while len(seen) < 2 and time.monotonic() < deadline:
            more, cursor = poll(cursor)
            seen += more
        assert seen == [first[-1], second[-1]]
        assert poll(cursor)[0] == []


def test_a_blocked_writer_gives_up_after_its_lock_timeout(tenant: Tenant) -> None:
    (lead_id,) = tenant.leads(1)
    with tenant.connect() as holder:
        holder.execute(LOG, [lead_id, "contact_attempted", None])
        with pytest.raises(errors.LockNotAvailable):
            insert(tenant, lead_id, "contact_attempted", options="-c lock_timeout=100ms")
    assert insert(tenant, lead_id, "contact_attempted")[0] == "noted"
    assert faults(tenant.admin_dsn) == []


@pytest.mark.slow
def test_a_deploy_that_meets_a_writer_loads_again(database: Database) -> None:
    """A load needs every table for a moment; a try that does not get one changes nothing."""
    told = []
    with database.connect() as writer:
        writer.execute("lock table leadline.leads in row exclusive mode")

        def progress(line: str) -> None:
            told.append(line)
            if "loading again" in line:
                writer.rollback()

        migrate(database.dsn(), progress=progress)
    assert told[-1] == "somebody is writing just now, loading again"


@pytest.fixture
def four(tenant: Tenant) -> list[UUID]:
    """Two leads each of two people."""
    with tenant.connect("owner", autocommit=True) as connection:
        return [
            connection.execute(
                "insert into leadline.leads (email) values (%s) returning lead_id", [f"{name}@x.example"]
            ).fetchall()[0][0]
            for name in ("ann", "ann", "bob", "bob")
        ]


@pytest.mark.parametrize("by", ["leads", "people"])
def test_people_who_are_merged_crosswise_at_once_make_no_circle(
    tenant: Tenant, four: list[UUID], by: str
) -> None:
    """One becomes the other, not each the other: else whoever asks who goes on would never come to an end."""
    merge = {
        "leads": "insert into leadline.lead_activity (lead_id, activity_type, payload)"
        " values (%(one)s, 'leads_merged', jsonb_build_object('into', %(other)s::uuid))",
        "people": "select leadline.merge_people((select person_id from leadline.leads where lead_id = %(one)s),"
        " (select person_id from leadline.leads where lead_id = %(other)s))",
    }[by]
    pairs = [(four[0], four[2]), (four[3], four[1])]
    options = "-c statement_timeout=10s"
    with (
        tenant.connect("owner", options=options) as first,
        tenant.connect("owner", options=options) as second,
    ):
        first.execute(merge, {"one": pairs[0][0], "other": pairs[0][1]})
        failed: list[str | None] = []

        def follow() -> None:
            try:
                second.execute(merge, {"one": pairs[1][0], "other": pairs[1][1]})
                second.commit()
            except psycopg.Error as e:
                failed.append(e.sqlstate)
                second.rollback()

        follower = threading.Thread(target=follow)
        follower.start()
        time.sleep(0.5)  # into its wait, if it waits
        first.commit()
        follower.join(30)
        assert not follower.is_alive()
    assert set(failed) <= {"40P01", "40001", "PT409"}
    with psycopg.connect(tenant.admin_dsn) as connection:
        circles = connection.execute(
            "select p.person_id from leadline.people p join leadline.people q"
            " on q.workspace_id = p.workspace_id and q.person_id = p.merged_into where q.merged_into = p.person_id"
        ).fetchall()
    assert circles == []
    with tenant.connect("app", autocommit=True, options=options) as connection:
        for name in ("ann", "bob"):
            connection.execute("insert into leadline.leads (email) values (%s)", [f"{name}@x.example"])
    assert faults(tenant.admin_dsn) == []


@pytest.mark.parametrize("is_known", [False, True])
def test_two_leads_that_are_given_one_address_at_once_are_told_apart(tenant: Tenant, is_known: bool) -> None:
    """The second waits, and is refused by name, whether somebody has had the address before or not; nobody hears of an
    index."""
    birth = "insert into leadline.leads (workflow, email) values (%s, %s) returning lead_id"
    change = """insert into leadline.lead_activity (lead_id, activity_type, payload)
        values (%s, 'contact_changed', '{"email": "one@y.example"}') returning verdict, rule"""
    with tenant.connect("owner") as first, tenant.connect("owner", autocommit=True) as second:
        ids = [first.execute(birth, ["sales", f"{n}@x.example"]).fetchall()[0][0] for n in range(2)]
        if is_known:
            first.execute(birth, ["appointment", "one@y.example"])
        first.commit()
        assert first.execute(change, [ids[0]]).fetchone() == ("applied", None)
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(lambda: second.execute(change, [ids[1]]).fetchone())
            time.sleep(0.3)  # into its wait
            first.commit()
            assert waiting.result(30) == ("refused", "active_lead_exists")
    assert faults(tenant.admin_dsn) == []
