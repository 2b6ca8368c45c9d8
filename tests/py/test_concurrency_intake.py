"""Many who write in at once: one lead an address, every request kept, nobody told of another's conflict."""

from __future__ import annotations

import itertools
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import errors
from psycopg.sql import SQL, Identifier

from tests.databases import Database
from tests.py.test_concurrency import at_once
from tests.service import Service, serving
from tests.tenant import Tenant, faults

ENQUIRY = """
    insert into leadline.lead_activity (activity_type, payload) select 'inbound_enquiry', * from unnest(%s::jsonb[])
    returning lead_id, verdict, rule
"""
REPORT = """
    insert into leadline.lead_activity (lead_id, activity_type, payload) values (%s, %s, %s)
    returning verdict, rule
"""
LEADS = """
    select l.lead_id, l.stage, l.status, l.email_key, l.is_possible_duplicate, l.possible_duplicate_of, l.merged_into,
           l.created_at, l.seq
    from leadline.leads l where l.workspace_id = %s order by l.created_at, l.lead_id
"""
WAITING = """select count(*) from pg_stat_activity a
    where a.datname = current_database() and a.wait_event_type = 'Lock'"""
Act = tuple[str, dict[str, Any]]
LOST: Act = ("deal_lost", {"lost_reason": "Price"})
WON: tuple[Act, ...] = (("proposal_sent", {"deal_value": 5}), ("deal_won", {}))
BACK = {"to_stage": "new", "reason": "wrong_record"}
SPELLINGS = ("kim@example.com", "KIM@Example.com", " kim@example.com\n", "\u00a0Kim@example.com\u200b")


@pytest.fixture
def tenant(database: Database) -> Tenant:
    """A workspace whose leads are of the sales workflow when nobody says otherwise; deadlocks are noticed at once."""
    with database.connect() as connection:
        connection.execute(
            SQL("alter database {} set deadlock_timeout = '20ms'").format(Identifier(database.name))
        )
    tenant = Tenant(database.dsn())
    tenant.ask(
        "update leadline.workspaces set default_workflow = 'sales' where workspace_id = %s returning 1",
        tenant.id,
    )
    for role in ("app", "admin"):
        tenant.login(role)
    return tenant


@pytest.fixture
def service(database: Database) -> Iterator[Service]:
    with serving(database, pool_min=4, pool_max=8) as service:
        yield service


def token_of(tenant: Tenant) -> str:
    return str(tenant.ask("select leadline.create_token(%s, 'app')", tenant.id))


def enquire(tenant: Tenant, *payloads: dict[str, Any], role: str = "app") -> list[Any]:
    """One statement of enquiries; (lead_id, verdict, rule) each."""
    with tenant.connect(role, autocommit=True) as connection:
        return connection.execute(ENQUIRY, [[json.dumps(p) for p in payloads]]).fetchall()


def report(tenant: Tenant, lead_id: UUID | None, activity_type: str, **payload: Any) -> Any:
    """One activity by an admin: (verdict, rule), or what it raised."""
    with tenant.connect("admin", autocommit=True) as connection:
        try:
            return connection.execute(REPORT, [lead_id, activity_type, json.dumps(payload)]).fetchone()
        except psycopg.Error as e:
            return e.sqlstate, e.diag.constraint_name


def leads_of(tenant: Tenant) -> list[Any]:
    """The leads of the workspace, oldest first."""
    with psycopg.connect(tenant.admin_dsn, row_factory=psycopg.rows.namedtuple_row) as connection:
        return connection.execute(LEADS, [tenant.id]).fetchall()


def kinds_of(tenant: Tenant, lead_id: UUID) -> Counter[str]:
    """How often each activity type was not refused on a lead."""
    statement = """select a.activity_type from leadline.lead_activity a
        where a.workspace_id = %s and a.lead_id = %s and a.verdict <> 'refused'"""
    with psycopg.connect(tenant.admin_dsn) as connection:
        return Counter(kind for (kind,) in connection.execute(statement, [tenant.id, lead_id]))


def requests_of(tenant: Tenant) -> int:
    return int(tenant.ask("select count(*) from leadline.requests where workspace_id = %s", tenant.id))


def people_of(tenant: Tenant) -> int:
    return int(tenant.ask("select count(*) from leadline.people where workspace_id = %s", tenant.id))


def by_either_door(tenant: Tenant, service: Service, **payload: Any) -> Callable[[int], str | UUID]:
    """An enquiry by its number, even ones over HTTP: the id of its lead, or what went wrong."""
    token = token_of(tenant)

    def write_in(number: int) -> str | UUID:
        said = {"email": SPELLINGS[number // 2 % len(SPELLINGS)], "name": f"Kim {number}", **payload}
        if number % 2 == 0:
            answer = service.post("/leads", token, said)
            return UUID(answer.json()["lead_id"]) if answer.status_code in (200, 201) else answer.text
        try:
            [(lead_id, verdict, rule)] = enquire(tenant, said)
        except psycopg.Error as e:
            return f"{e.sqlstate} {e.diag.constraint_name}"
        return UUID(str(lead_id)) if verdict in ("applied", "noted") else f"{verdict} {rule}"

    return write_in


def test_twenty_who_write_in_at_once_under_one_address_are_one_lead(tenant: Tenant, service: Service) -> None:
    answers = at_once(20, by_either_door(tenant, service))
    [lead] = leads_of(tenant)
    assert set(answers) == {lead.lead_id}
    assert kinds_of(tenant, lead.lead_id) == {"inbound_enquiry": 20}
    assert (lead.seq, lead.stage, lead.is_possible_duplicate) == (20, "new", False)
    assert (requests_of(tenant), people_of(tenant)) == (20, 1)
    assert faults(tenant.admin_dsn) == []


def test_twenty_who_write_in_at_once_are_one_appointment_lead_too(tenant: Tenant, service: Service) -> None:
    """No index keeps appointment leads apart; the address itself is what they wait for."""
    answers = at_once(20, by_either_door(tenant, service, workflow="appointment"))
    [lead] = leads_of(tenant)
    assert set(answers) == {lead.lead_id}
    assert (requests_of(tenant), people_of(tenant)) == (20, 1)
    assert faults(tenant.admin_dsn) == []


def test_a_lost_lead_comes_back_once_however_many_write_in(tenant: Tenant, service: Service) -> None:
    [(lead_id, *_)] = enquire(tenant, {"email": "kim@example.com"})
    for _ in range(2):
        assert report(tenant, lead_id, "deal_lost", lost_reason="Price") == ("applied", None)
        before = kinds_of(tenant, lead_id)
        answers = at_once(20, by_either_door(tenant, service))
        assert set(answers) == {lead_id}
        [lead] = leads_of(tenant)
        assert (lead.stage, lead.status) == ("new", "active")
        assert kinds_of(tenant, lead_id) - before == {"inbound_enquiry": 20, "lead_resurrected": 1}
    resurrections = tenant.ask(
        """select count(*) from leadline.lead_activity a join leadline.lead_activity c
             on c.workspace_id = a.workspace_id and c.activity_id = a.caused_by
           where a.workspace_id = %s and a.activity_type = 'lead_resurrected'
             and (c.activity_type, c.from_stage, c.to_stage) = ('inbound_enquiry', 'lost', 'new')""",
        tenant.id,
    )
    assert (resurrections, requests_of(tenant)) == (2, 41)
    assert faults(tenant.admin_dsn) == []


def test_a_creation_beside_enquiries_is_told_of_the_lead_there_is(tenant: Tenant, service: Service) -> None:
    """lead_created makes a lead or is refused; an enquiry meets the lead, whoever made it, and never fails."""
    write_in = by_either_door(tenant, service)

    def start(number: int) -> Any:
        if number % 4:
            return write_in(number)
        return report(tenant, None, "lead_created", email=SPELLINGS[number // 4 % 4], workflow="sales")

    answers = at_once(20, start)
    [lead] = leads_of(tenant)
    created, told = answers[::4], [a for number, a in enumerate(answers) if number % 4]
    assert set(told) == {lead.lead_id}
    assert set(created) <= {("applied", None), ("PT409", "active_lead_exists")}
    assert created.count(("applied", None)) <= 1
    assert requests_of(tenant) == 15
    assert faults(tenant.admin_dsn) == []


def test_bare_leads_beside_enquiries_never_say_23505(tenant: Tenant, service: Service) -> None:
    write_in = by_either_door(tenant, service)

    def start(number: int) -> Any:
        if number % 4:
            return write_in(number)
        with tenant.connect("app", autocommit=True) as connection:
            try:
                connection.execute(
                    "insert into leadline.leads (email) values (%s)", [SPELLINGS[number // 4 % 4]]
                )
            except psycopg.Error as e:
                return e.sqlstate, e.diag.constraint_name
        return "made"

    answers = at_once(20, start)
    [lead] = leads_of(tenant)
    assert {a for number, a in enumerate(answers) if number % 4} == {lead.lead_id}
    assert set(answers[::4]) <= {"made", ("PT409", "active_lead_exists")}
    assert faults(tenant.admin_dsn) == []


def test_of_many_with_one_number_all_but_the_first_look_like_duplicates(
    tenant: Tenant, service: Service
) -> None:
    token = token_of(tenant)

    def write_in(number: int) -> int:
        said = {"email": f"kim{number}@example.com", "phone": ("+1 650 253 0000", "+16502530000")[number % 2]}
        if number % 4 == 0:
            del said["email"]  # no address at all
        if number % 2:
            return service.post("/leads", token, said).status_code
        return len(enquire(tenant, said))

    answers = at_once(12, write_in)
    assert set(answers) == {1, 201}
    leads = leads_of(tenant)
    assert len(leads) == 12
    [first] = [lead for lead in leads if not lead.is_possible_duplicate]
    assert {lead.possible_duplicate_of for lead in leads if lead.is_possible_duplicate} == {first.lead_id}
    assert (requests_of(tenant), people_of(tenant)) == (12, 12)
    assert faults(tenant.admin_dsn) == []


def test_reopening_against_an_enquiry_leaves_one_open_lead(tenant: Tenant) -> None:
    """Whoever comes first brings the lead back; the other finds it open. With a sister open, reopening is refused."""
    for number in range(6):
        address = f"kim{number}@example.com"
        [(lead_id, *_)] = enquire(tenant, {"email": address})
        report(tenant, lead_id, "deal_lost", lost_reason="Timing")

        def start(which: int, lead_id: UUID = lead_id, address: str = address) -> Any:
            if which == 0:
                return report(tenant, lead_id, "lead_reopened", to_stage="contacted")
            return enquire(tenant, {"email": address.upper()})[0]

        answers = at_once(4, start)
        assert answers[0] in (("applied", None), ("refused", "not_lost"))
        assert {answer[0] for answer in answers[1:]} == {lead_id}
        assert kinds_of(tenant, lead_id)["lead_resurrected"] == 1
    assert [lead.status for lead in leads_of(tenant)] == ["active"] * 6
    assert faults(tenant.admin_dsn) == []


def test_a_closed_lead_that_is_opened_while_a_new_one_is_born_stays_closed_or_is_met(tenant: Tenant) -> None:
    """An archived lead is met by no enquiry: it is unarchived, or a new lead is born, never both."""
    for number in range(6):
        address = f"lee{number}@example.com"
        [(lead_id, *_)] = enquire(tenant, {"email": address})
        report(tenant, lead_id, "lead_archived")

        def start(which: int, lead_id: UUID = lead_id, address: str = address) -> Any:
            return (
                enquire(tenant, {"email": address})[0]
                if which
                else report(tenant, lead_id, "lead_unarchived")
            )

        unarchived, *met = at_once(4, start)
        opened = [lead for lead in leads_of(tenant) if lead.email_key == address and lead.status == "active"]
        assert len(opened) == 1
        assert {answer[0] for answer in met} == {opened[0].lead_id}
        assert unarchived == (
            ("applied", None) if opened[0].lead_id == lead_id else ("refused", "active_lead_exists")
        )
    assert faults(tenant.admin_dsn) == []


def test_two_leads_merged_into_each_other_make_no_circle(tenant: Tenant) -> None:
    for number in range(4):
        ids = [
            row[0]
            for row in enquire(tenant, {"email": f"a{number}@e.example"}, {"email": f"b{number}@e.example"})
        ]

        def merge(which: int, ids: list[Any] = ids) -> Any:
            return report(tenant, ids[which], "leads_merged", into=str(ids[1 - which]))

        answers = at_once(2, merge)
        assert Counter(answers)["applied", None] == 1, answers
        [other] = [a for a in answers if a != ("applied", None)]
        assert other in (("refused", "already_merged"), ("40P01", None)), answers
        merged = {lead.lead_id: lead.merged_into for lead in leads_of(tenant)}
        assert sorted(merged[lead_id] is None for lead_id in ids) == [False, True]
    assert faults(tenant.admin_dsn) == []


def test_a_merge_beside_enquiries_loses_none(tenant: Tenant) -> None:
    """What is written in under the merged lead's address while it is merged reaches one of the two."""
    for number in range(4):
        address, other = f"x{number}@e.example", f"y{number}@e.example"
        ids = [row[0] for row in enquire(tenant, {"email": address}, {"email": other})]
        before = requests_of(tenant)

        def start(which: int, ids: list[Any] = ids, address: str = address) -> Any:
            if which == 0:
                return report(tenant, ids[0], "leads_merged", into=str(ids[1]))
            return enquire(tenant, {"email": address})[0][1]

        answers = at_once(6, start)
        assert answers[0] in (("applied", None), ("40P01", None))
        assert set(answers[1:]) <= {"applied", "noted"}
        assert requests_of(tenant) == before + 5
    assert faults(tenant.admin_dsn) == []


@pytest.mark.slow
def test_statements_of_crossing_addresses_lose_nothing_when_run_again(tenant: Tenant) -> None:
    """A statement of several enquiries that does not sort them may be told 40P01; run again it is right."""
    addresses = [f"kim{number}@example.com" for number in range(4)]
    told: Counter[str | None] = Counter()

    def write(number: int) -> int:
        chance, done = random.Random(number), 0  # noqa: S311
        for _ in range(15):
            said = [{"email": address} for address in chance.sample(addresses, 3)]
            for _ in range(50):
                try:
                    done += len(enquire(tenant, *said))
                    break
                except errors.DeadlockDetected as e:
                    told[e.sqlstate] += 1
            else:
                raise AssertionError("refused again and again")
        return done

    written = sum(at_once(4, write))
    leads = leads_of(tenant)
    assert written == 4 * 15 * 3
    assert {lead.email_key for lead in leads} <= set(addresses)
    assert len(leads) == len({lead.email_key for lead in leads})
    assert requests_of(tenant) == written
    assert sum(lead.seq for lead in leads) == written
    assert set(told) <= {"40P01"}
    assert faults(tenant.admin_dsn) == []


def test_batches_of_crossing_addresses_never_deadlock(tenant: Tenant) -> None:
    """log_activities takes enquiries in one order, so two batches never wait in a circle."""
    addresses = [f"kim{number}@example.com" for number in range(6)]

    def write(number: int) -> int:
        chance, done = random.Random(number), 0  # noqa: S311
        with tenant.connect("app", autocommit=True) as connection:
            for _ in range(10):
                items = [
                    {"activity_type": "inbound_enquiry", "payload": {"email": address}}
                    for address in chance.sample(addresses, 4)
                ]
                answers = connection.execute("select * from leadline.log_activities(%s)", [json.dumps(items)])
                done += sum(a[1]["verdict"] in ("applied", "noted") for a in answers)
        return done

    written = sum(at_once(6, write))
    assert written == 6 * 10 * 4
    assert (requests_of(tenant), len(leads_of(tenant))) == (written, 6)
    assert faults(tenant.admin_dsn) == []


def test_one_reference_is_one_enquiry_whoever_sends_it(tenant: Tenant) -> None:
    """Eight repeats of one report, and another's report under the same name."""

    def start(number: int) -> Any:
        with tenant.connect("app", autocommit=True) as connection:
            return connection.execute(
                "select lead_id, replayed from leadline.log_activity(null, 'inbound_enquiry', %s, 'form-1')",
                [json.dumps({"email": SPELLINGS[number % 4]})],
            ).fetchone()

    answers = at_once(8, start)
    assert len({lead_id for lead_id, _ in answers}) == 1
    assert sorted(replayed for _, replayed in answers) == [False] + [True] * 7
    assert requests_of(tenant) == 1
    assert faults(tenant.admin_dsn) == []


def test_an_address_that_is_given_to_two_leads_at_once_stays_with_one(tenant: Tenant) -> None:
    """contact_changed against an enquiry of the same address: one open lead, no error but the refusal by name."""
    for number in range(6):
        address = f"new{number}@example.com"
        [(lead_id, *_)] = enquire(tenant, {"email": f"old{number}@example.com"})

        def start(which: int, lead_id: UUID = lead_id, address: str = address) -> Any:
            return (
                enquire(tenant, {"email": address})[0]
                if which
                else report(tenant, lead_id, "contact_changed", email=address)
            )

        changed, *met = at_once(4, start)
        assert changed in (("applied", None), ("refused", "active_lead_exists"))
        assert len({answer[0] for answer in met}) == 1
        assert (met[0][0] == lead_id) == (changed == ("applied", None))
    keys = [lead.email_key for lead in leads_of(tenant) if lead.status == "active"]
    assert not [key for key, many in itertools.groupby(sorted(keys)) if len(list(many)) > 1]
    assert faults(tenant.admin_dsn) == []


@pytest.mark.slow
def test_single_statements_about_the_same_people_never_deadlock(tenant: Tenant) -> None:
    """Enquiries, births, losses, returns and new addresses, all about whoever writes in just now: each waits for the
    others in one order, and whatever is refused is refused by name.
    """
    enquire(tenant, *({"email": f"kim{number}@example.com"} for number in range(4)))
    ids = [lead.lead_id for lead in leads_of(tenant)]
    began = time.monotonic()

    def write(number: int) -> Counter[tuple[str, str | None]]:
        chance, told = random.Random(number), Counter[tuple[str, str | None]]()  # noqa: S311
        with tenant.connect("admin", autocommit=True) as connection:
            while (now := time.monotonic() - began) < 3:
                who = {
                    "email": f"kim{int(now * 50) + chance.randrange(3)}@example.com",
                    "phone": f"+165025300{chance.randrange(3)}",
                }
                lead_id, kind, payload = chance.choice(
                    [
                        *[(None, "inbound_enquiry", who)] * 3,
                        (None, "lead_created", who),
                        (chance.choice(ids), "inbound_enquiry", who),
                        (chance.choice(ids), "contact_changed", who),
                        (chance.choice(ids), "deal_lost", {"lost_reason": "Price"}),
                        (chance.choice(ids), "lead_reopened", {"to_stage": "new"}),
                        (chance.choice(ids), "lead_archived", {}),
                        (chance.choice(ids), "lead_unarchived", {}),
                    ]
                )
                try:
                    connection.execute(REPORT, [lead_id, kind, json.dumps(payload)])
                except psycopg.Error as e:
                    told[kind, f"{e.sqlstate} {e.diag.constraint_name}"] += 1
                else:
                    told[kind, None] += 1
        return told

    told = sum(at_once(6, write), Counter[tuple[str, str | None]]())
    raised = {key for key in told if key[1] is not None}
    assert raised <= {("lead_created", "PT409 active_lead_exists")}
    assert told["inbound_enquiry", None] > 20
    open_leads = [lead.email_key for lead in leads_of(tenant) if lead.status == "active"]
    assert len(open_leads) == len(set(open_leads))
    assert faults(tenant.admin_dsn) == []


def make(tenant: Tenant, *acts: Act, **contact: str) -> UUID:
    """A sales lead, and what happened to it."""
    [(lead_id, *_)] = enquire(tenant, contact)
    for kind, payload in acts:
        assert report(tenant, lead_id, kind, **payload) == ("applied", None)
    return UUID(str(lead_id))


@pytest.mark.parametrize(
    ("history", "kind", "payload", "expected"),
    [
        ((LOST,), "lead_reopened", {"to_stage": "new"}, ("refused", "active_lead_exists")),
        ((LOST,), "stage_corrected", BACK, ("refused", "active_lead_exists")),
        (WON, "stage_corrected", BACK, ("refused", "active_lead_exists")),
        ((("lead_archived", {}),), "lead_unarchived", {}, ("refused", "active_lead_exists")),
        (None, "contact_changed", {"email": "kim@example.com"}, ("refused", "active_lead_exists")),
        (None, "inbound_enquiry", {"email": "kim@example.com"}, ("noted", None)),
    ],
    ids=[
        "reopened",
        "corrected from lost",
        "corrected from won",
        "unarchived",
        "given the address",
        "told the address",
    ],
)
@pytest.mark.parametrize("first", ["lead_created", "contact_changed"])
def test_whoever_waits_for_an_address_is_answered_by_name(
    tenant: Tenant, first: str, history: Any, kind: str, payload: dict[str, Any], expected: Any
) -> None:
    """Somebody else's lead takes the address in a transaction that is still open; then this one wants to be open under it."""
    if history is None:
        lead_id = make(tenant, phone="+16502530000")
    else:
        lead_id = make(tenant, *history, email="kim@example.com")
    taker = make(tenant, email="lee@example.com") if first == "contact_changed" else None
    with tenant.connect("app") as holder, ThreadPoolExecutor(1) as pool:
        taken = holder.execute(REPORT, [taker, first, json.dumps({"email": "Kim@example.com"})]).fetchone()
        assert taken == ("applied", None)
        second = pool.submit(report, tenant, lead_id, kind, **payload)
        until = time.monotonic() + 10
        while not tenant.ask(WAITING) and time.monotonic() < until and not second.done():
            time.sleep(0.01)
        holder.commit()
        assert second.result() == expected
    assert faults(tenant.admin_dsn) == []


def test_an_erasure_takes_what_came_while_it_waited(tenant: Tenant) -> None:
    """A lead of the same address that was on its way when the erasure began."""
    make(tenant, email="kim@example.com", name="Kim")
    person = tenant.ask("select person_id from leadline.person_keys where key = 'kim@example.com'")

    def erase() -> None:
        with tenant.connect("admin") as connection:
            connection.execute("select leadline.erase_person(%s, 'asked')", [person])

    with tenant.connect("app") as writer, ThreadPoolExecutor(1) as pool:
        lead = {"workflow": "appointment", "email": "kim@example.com", "name": "Kim"}
        writer.execute(REPORT, [None, "lead_created", json.dumps(lead)])
        erased = pool.submit(erase)
        until = time.monotonic() + 10
        while not tenant.ask(WAITING) and time.monotonic() < until:
            time.sleep(0.01)
        assert not erased.done()
        writer.commit()
        erased.result()
    with psycopg.connect(tenant.admin_dsn) as connection:
        told = connection.execute("select name, email from leadline.leads").fetchall()
    assert told == [(None, None)] * 2
    assert faults(tenant.admin_dsn) == []
