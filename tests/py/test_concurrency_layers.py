"""Many at once about the same person, deal or customer: one yes, one move, one opportunity, one cycle; and nobody waits in a
circle.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from tests.databases import Database
from tests.py.test_concurrency import at_once
from tests.tenant import Tenant, faults

SUBJECTS = {
    "lead_activity": "lead_id",
    "relationship_activity": "person_id",
    "opportunity_activity": "opportunity_id",
    "customer_activity": "subscription_id",
}
Answer = tuple[str, str | None]  # verdict and rule, or SQLSTATE and constraint
CORRECTED = {"to_stage": "proposal", "reason": "entered_by_mistake"}
CONFIRMED = {
    "to_stage": "proposal", "problem": "slow", "decision_process": "board", "next_step": "demo",
    "next_step_on": "2027-01-10",
}  # fmt: skip
PACKET = {"amount": 900, "close_date": "2027-03-01"}
EVIDENCE = {"problem": "slow", "timing": "spring", "buying_role": "decides"}


@pytest.fixture
def tenant(database: Database) -> Tenant:
    """A workspace of the sales workflow; deadlocks are noticed at once."""
    with database.connect() as connection:
        connection.execute(
            SQL("alter database {} set deadlock_timeout = '20ms'").format(Identifier(database.name))
        )
    tenant = Tenant(database.dsn())
    tenant.ask(
        "update leadline.workspaces set default_workflow = 'sales' where workspace_id = %s returning 1",
        tenant.id,
    )
    for role in ("app", "owner", "admin", "billing", "importer"):
        tenant.login(role)
    return tenant


def tell(
    tenant: Tenant,
    journal: str,
    subject: UUID | None,
    activity_type: str,
    payload: dict[str, Any] | None = None,
    *,
    role: str = "admin",
    reference: str | None = None,
) -> Answer:
    """One activity in a statement of its own: verdict and rule, or what it raised; ("repeat", None) for a known reference."""
    statement = f"""insert into leadline.{journal} ({SUBJECTS[journal]}, activity_type, payload, reference)
        values (%s, %s, %s, %s) returning verdict, rule"""
    with tenant.connect(role, autocommit=True) as connection:
        try:
            row = connection.execute(
                statement, [subject, activity_type, json.dumps(payload or {}), reference]
            ).fetchone()
        except psycopg.Error as e:
            return str(e.sqlstate), e.diag.constraint_name
    return ("repeat", None) if row is None else (row[0], row[1])


def rows(tenant: Tenant, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    """What an administrator reads; the workspace's id comes first."""
    with psycopg.connect(tenant.admin_dsn) as connection:
        return connection.execute(statement, [tenant.id, *parameters]).fetchall()


def enquire(tenant: Tenant, email: str, workflow: str = "sales") -> UUID:
    """The lead that an enquiry makes or meets."""
    with tenant.connect("app", autocommit=True) as connection:
        row = connection.execute(
            "select l.lead_id from leadline.log_activity(null, 'inbound_enquiry', %s) l",
            [json.dumps({"email": email, "workflow": workflow})],
        ).fetchone()
    assert row is not None
    return UUID(str(row[0]))


def person_of(tenant: Tenant, lead_id: UUID) -> UUID:
    """Whose lead it is."""
    [(person,)] = rows(
        tenant, "select person_id from leadline.leads where workspace_id = %s and lead_id = %s", lead_id
    )
    return UUID(str(person))


def stage_of(tenant: Tenant, person: UUID) -> str:
    """Where somebody stands."""
    [(stage,)] = rows(
        tenant, "select stage from leadline.people where workspace_id = %s and person_id = %s", person
    )
    return str(stage)


def won(tenant: Tenant, email: str) -> tuple[UUID, UUID, UUID]:
    """A deal that an app reported as won: the lead, its person, and the approval that waits."""
    lead_id = enquire(tenant, email)
    assert (
        tell(tenant, "lead_activity", lead_id, "proposal_sent", {"deal_value": 5}, role="app")[0] == "applied"
    )
    assert tell(tenant, "lead_activity", lead_id, "deal_won", role="app")[0] == "applied"
    person = person_of(tenant, lead_id)
    return lead_id, person, waiting(tenant, person)


def waiting(tenant: Tenant, person: UUID) -> UUID:
    """The approval of somebody that is open."""
    [(approval,)] = rows(
        tenant,
        "select approval_id from leadline.approvals where workspace_id = %s and person_id = %s and status = 'open'",
        person,
    )
    return UUID(str(approval))


def opened(tenant: Tenant, person: UUID, *steps: tuple[str, dict[str, Any]]) -> UUID:
    """A deal of somebody, and what happened to it."""
    told = {"pipeline": "new_business", "person_id": str(person)}
    assert tell(tenant, "opportunity_activity", None, "opportunity_opened", told) == ("applied", None)
    [(deal,)] = rows(
        tenant,
        "select opportunity_id from leadline.opportunities where workspace_id = %s and person_id = %s order by created_at desc limit 1",
        person,
    )
    for kind, payload in steps:
        assert tell(tenant, "opportunity_activity", deal, kind, payload) == ("applied", None)
    return UUID(str(deal))


def qualified(tenant: Tenant, email: str) -> UUID:
    """A lead that waits to be converted."""
    lead_id = enquire(tenant, email, "qualification")
    assert tell(tenant, "lead_activity", lead_id, "request_accepted") == ("applied", None)
    assert tell(tenant, "lead_activity", lead_id, "lead_qualified", EVIDENCE) == ("applied", None)
    return lead_id


def subscribed(tenant: Tenant, person: UUID) -> UUID:
    """A subscription of somebody."""
    told = {"person_id": str(person)}
    assert (
        tell(tenant, "customer_activity", None, "subscription_started", told, role="billing")[0] == "applied"
    )
    [(subscription,)] = rows(
        tenant,
        "select subscription_id from leadline.subscriptions where workspace_id = %s and person_id = %s order by created_at desc limit 1",
        person,
    )
    return UUID(str(subscription))


def journal_of(tenant: Tenant, journal: str, subject: UUID) -> list[tuple[Any, ...]]:
    """Type, verdict and rule of what was said, in order of the decisions."""
    return rows(
        tenant,
        f"""select activity_type, verdict, rule from leadline.{journal}
            where workspace_id = %s and {SUBJECTS[journal]} = %s order by seq""",
        subject,
    )


# -- a person's yes


@pytest.mark.parametrize("many", [2, 20])
def test_however_many_say_yes_at_once_it_is_one_move(tenant: Tenant, many: int) -> None:
    for number in range(20 // many if many < 20 else 1):
        _, person, approval = won(tenant, f"kim{number}@example.com")

        def say_yes(voice: int, person: UUID = person, approval: UUID = approval) -> Answer:
            said = {"approval_id": str(approval)}
            role = ("owner", "admin")[voice % 2]
            return tell(tenant, "relationship_activity", person, "approval_granted", said, role=role)

        answers = Counter(at_once(many, say_yes))
        assert answers == {("applied", None): 1, ("noted", "approval_settled"): many - 1}
        assert stage_of(tenant, person) == "client"
        moves = rows(
            tenant,
            """select to_stage, approval_id from leadline.relationship_stage_events
               where workspace_id = %s and person_id = %s and to_stage = 'client'""",
            person,
        )
        assert moves == [("client", approval)]
    assert faults(tenant.admin_dsn) == []


def test_of_a_yes_and_a_no_the_first_counts(tenant: Tenant) -> None:
    for number in range(8):
        _, person, approval = won(tenant, f"kim{number}@example.com")

        def say(which: int, person: UUID = person, approval: UUID = approval) -> Answer:
            kind = ("approval_granted", "approval_declined")[which]
            return tell(tenant, "relationship_activity", person, kind, {"approval_id": str(approval)})

        yes, no = at_once(2, say)
        assert (yes, no) in [
            (("applied", None), ("noted", "approval_settled")),
            (("noted", "approval_settled"), ("noted", None)),
        ]
        granted = yes == ("applied", None)
        assert stage_of(tenant, person) == ("client" if granted else "opportunity")
        [(status,)] = rows(
            tenant,
            "select status from leadline.approvals where workspace_id = %s and person_id = %s",
            person,
        )
        assert status == ("granted" if granted else "declined")
    assert faults(tenant.admin_dsn) == []


@pytest.mark.parametrize("of", ["lead", "opportunity"])
def test_nobody_becomes_a_client_on_a_deal_that_was_corrected_before_the_yes(tenant: Tenant, of: str) -> None:
    """Whoever comes first: the ids of both rows say who it was."""
    orders: Counter[str] = Counter()
    for number in range(10):
        if of == "lead":
            cause, person, approval = won(tenant, f"kim{number}@example.com")
        else:
            person = person_of(tenant, enquire(tenant, f"kim{number}@example.com"))
            cause = opened(tenant, person, ("opportunity_advanced", CONFIRMED), ("opportunity_won", PACKET))
            approval = waiting(tenant, person)
        journal, before = f"{of}_activity", stage_of(tenant, person)

        def start(
            which: int,
            cause: UUID = cause,
            person: UUID = person,
            approval: UUID = approval,
            journal: str = journal,
        ) -> Answer:
            if which == 0:
                said = {"approval_id": str(approval)}
                return tell(tenant, "relationship_activity", person, "approval_granted", said)
            return tell(tenant, journal, cause, "stage_corrected", CORRECTED)

        yes, corrected = at_once(2, start)
        assert corrected == ("applied", None)
        [(first,)] = rows(
            tenant,
            f"""select y.activity_id < c.activity_id from leadline.relationship_activity y, leadline.{journal} c
                where y.workspace_id = %s and c.workspace_id = y.workspace_id and y.person_id = %s
                  and y.activity_type = 'approval_granted' and c.{of}_id = %s and c.activity_type = 'stage_corrected'""",
            person,
            cause,
        )
        orders["yes first" if first else "correction first"] += 1
        assert yes == (("applied", None) if first else ("refused", "approval_stale"))
        assert stage_of(tenant, person) == ("client" if first else before)
    print(orders)
    assert faults(tenant.admin_dsn) == []


def test_of_a_yes_and_the_clock_one_settles_it(tenant: Tenant) -> None:
    """The hourly job beside twenty voices: never two answers."""
    approvals = [won(tenant, f"kim{number}@example.com") for number in range(6)]

    def start(which: int) -> Answer:
        if which == 0:
            tenant.ask(
                "select leadline.run_job('approval_expiry', %s, now() + interval '15 days')", tenant.id
            )
            return "job", None
        _, person, approval = approvals[which - 1]
        said = {"approval_id": str(approval)}
        return tell(tenant, "relationship_activity", person, "approval_granted", said)

    _, *answers = at_once(7, start)
    for (_, person, _), answer in zip(approvals, answers, strict=True):
        [(status,)] = rows(
            tenant,
            "select status from leadline.approvals where workspace_id = %s and person_id = %s",
            person,
        )
        assert (status, answer) in [
            ("granted", ("applied", None)),
            ("expired", ("noted", "approval_settled")),
        ]
        assert (stage_of(tenant, person) == "client") == (status == "granted")
    assert faults(tenant.admin_dsn) == []


def test_many_proposals_at_once_are_one_question(tenant: Tenant) -> None:
    """Ten deals of one person are won at the same time: one approval, and every proposal is on record."""
    person = person_of(tenant, enquire(tenant, "kim@example.com"))
    deals = [
        opened(tenant, person, ("opportunity_advanced", CONFIRMED), ("amount_changed", PACKET))
        for _ in range(10)
    ]
    answers = at_once(
        10, lambda n: tell(tenant, "opportunity_activity", deals[n], "opportunity_won", role="app")
    )
    assert answers == [("applied", None)] * 10
    proposals = Counter(journal_of(tenant, "relationship_activity", person)[1:])
    assert proposals == {
        ("relationship_advanced", "held", "client_needs_a_person"): 1,
        ("relationship_advanced", "noted", "approval_pending"): 9,
    }
    assert faults(tenant.admin_dsn) == []


# -- conversion


@pytest.mark.parametrize("reference", [True, False], ids=["one reference", "none"])
def test_twenty_conversions_at_once_make_one_opportunity(tenant: Tenant, reference: bool) -> None:
    lead_id = qualified(tenant, "kim@example.com")

    def convert(_: int) -> Answer:
        name = "conversion-1" if reference else None
        return tell(tenant, "lead_activity", lead_id, "lead_converted", PACKET, role="app", reference=name)

    answers = Counter(at_once(20, convert))
    others = ("repeat", None) if reference else ("noted", "already_converted")
    assert answers == {("applied", None): 1, others: 19}
    [(deal, contacts, seq)] = rows(
        tenant, "select opportunity_id, contacts, seq from leadline.opportunities where workspace_id = %s"
    )
    assert (list(contacts), seq) == ([str(person_of(tenant, lead_id))], 1)
    [(named,)] = rows(
        tenant, "select opportunity_id from leadline.leads where workspace_id = %s and lead_id = %s", lead_id
    )
    assert named == deal
    assert stage_of(tenant, person_of(tenant, lead_id)) == "opportunity"
    assert faults(tenant.admin_dsn) == []


def test_twenty_leads_that_join_one_opportunity_are_each_a_contact_once(tenant: Tenant) -> None:
    """Ten people, each told twice; meanwhile the deal goes on."""
    deal = opened(tenant, person_of(tenant, enquire(tenant, "boss@example.com")))
    leads = [qualified(tenant, f"kim{number}@example.com") for number in range(10)]

    def convert(number: int) -> Answer:
        if number == 20:
            return tell(tenant, "opportunity_activity", deal, "opportunity_advanced", CONFIRMED)
        return tell(
            tenant, "lead_activity", leads[number % 10], "lead_converted", {"opportunity_id": str(deal)}
        )

    *answers, advanced = at_once(21, convert)
    assert Counter(answers) == {("applied", None): 10, ("noted", "already_converted"): 10}
    assert advanced == ("applied", None)
    [(contacts,)] = rows(tenant, "select contacts from leadline.opportunities where workspace_id = %s")
    assert len(contacts) == 11
    kinds = Counter(kind for kind, *_ in journal_of(tenant, "opportunity_activity", deal))
    assert kinds == {"opportunity_opened": 1, "contact_role_set": 10, "opportunity_advanced": 1}
    assert faults(tenant.admin_dsn) == []


def test_a_conversion_beside_its_undoing_leaves_no_deal_behind(tenant: Tenant) -> None:
    for number in range(8):
        lead_id = qualified(tenant, f"kim{number}@example.com")

        def start(which: int, lead_id: UUID = lead_id) -> Answer:
            if which == 0:
                return tell(tenant, "lead_activity", lead_id, "lead_converted", PACKET)
            said = {"to_stage": "connected", "reason": "wrong_record"}
            return tell(tenant, "lead_activity", lead_id, "stage_corrected", said)

        converted, corrected = at_once(2, start)
        assert corrected == ("applied", None)
        assert converted in (("applied", None), ("refused", "conversion_needs_qualified"))
        deals = rows(
            tenant,
            "select o.status from leadline.opportunities o where o.workspace_id = %s and o.lead_id = %s",
            lead_id,
        )
        assert deals == ([("withdrawn",)] if converted == ("applied", None) else [])
    assert faults(tenant.admin_dsn) == []


def test_a_lead_does_not_join_a_deal_that_is_lost_meanwhile(tenant: Tenant) -> None:
    for number in range(8):
        lead_id = qualified(tenant, f"kim{number}@example.com")
        deal = opened(tenant, person_of(tenant, lead_id))

        def start(which: int, lead_id: UUID = lead_id, deal: UUID = deal) -> Answer:
            if which == 0:
                return tell(tenant, "lead_activity", lead_id, "lead_converted", {"opportunity_id": str(deal)})
            return tell(tenant, "opportunity_activity", deal, "opportunity_lost", {"lost_reason": "Price"})

        joined, lost = at_once(2, start)
        assert lost == ("applied", None)
        kinds = [kind for kind, *_ in journal_of(tenant, "opportunity_activity", deal)]
        if joined == ("applied", None):
            assert kinds == ["opportunity_opened", "contact_role_set", "opportunity_lost"]
        else:
            assert (joined, kinds) == (
                ("refused", "opportunity_not_open"),
                ["opportunity_opened", "opportunity_lost"],
            )
    assert faults(tenant.admin_dsn) == []


# -- deals and customers


def test_a_deal_is_won_or_lost_never_both(tenant: Tenant) -> None:
    person = person_of(tenant, enquire(tenant, "kim@example.com"))
    for _ in range(8):
        deal = opened(tenant, person, ("opportunity_advanced", CONFIRMED))

        def start(which: int, deal: UUID = deal) -> Answer:
            if which % 2 == 0:
                return tell(tenant, "opportunity_activity", deal, "opportunity_won", PACKET)
            return tell(tenant, "opportunity_activity", deal, "opportunity_lost", {"lost_reason": "Price"})

        answers = at_once(4, start)
        assert answers.count(("applied", None)) == 1, answers
        is_won = ("applied", None) in answers[::2]
        for which, answer in enumerate(answers):
            if answer != ("applied", None):
                own = which % 2 == (0 if is_won else 1)
                alike = ("noted", "already_there")
                other = ("refused", "opportunity_is_won" if is_won else "opportunity_is_lost")
                assert answer == (alike if own else other)
    assert faults(tenant.admin_dsn) == []


def test_a_renewal_is_opened_and_decided_once(tenant: Tenant) -> None:
    """Eight voices for one period, two for periods that overlap, and eight that decide it both ways."""
    person = person_of(tenant, enquire(tenant, "kim@example.com"))
    year = {"period_start": "2027-01-01", "period_end": "2028-01-01"}
    half = {"period_start": "2027-07-01", "period_end": "2028-07-01"}
    for _ in range(4):
        subscription = subscribed(tenant, person)

        def say(
            kind: str, payload: dict[str, Any] | None = None, subscription: UUID = subscription
        ) -> Answer:
            return tell(tenant, "customer_activity", subscription, kind, payload, role="billing")

        answers = at_once(10, lambda n, say=say: say("renewal_opened", half if n > 7 else year))  # type: ignore[misc]
        first, second = Counter(answers[:8]), Counter(answers[8:])
        if ("applied", None) in first:
            assert first == {("applied", None): 1, ("noted", "already_there"): 7}
            assert second == {("refused", "period_malformed"): 2}
        else:
            assert first == {("refused", "period_malformed"): 8}
            assert second == {("applied", None): 1, ("noted", "already_there"): 1}
        decided = at_once(
            8,
            lambda n, say=say: (
                say("renewal_churned", {"reason": "left"}) if n % 2 else say("renewal_renewed")
            ),  # type: ignore[misc]
        )
        assert decided.count(("applied", None)) == 1, decided
        assert set(decided) <= {("applied", None), ("noted", "already_there"), ("refused", "no_open_cycle")}
        [(many, settled)] = rows(
            tenant,
            """select count(*), count(settled_at) from leadline.renewal_cycles
               where workspace_id = %s and subscription_id = %s""",
            subscription,
        )
        assert (many, settled) == (1, 1)
    assert faults(tenant.admin_dsn) == []


# -- all of it at once


def merge_people(tenant: Tenant, one: UUID, other: UUID) -> Answer:
    """Two people are found to be one."""
    with tenant.connect("admin", autocommit=True) as connection:
        try:
            row = connection.execute("select leadline.merge_people(%s, %s)", [one, other]).fetchone()
        except psycopg.Error as e:
            return str(e.sqlstate), e.diag.constraint_name
    return str(row and row[0]), None


def test_people_who_are_merged_while_their_deals_are_won_lose_no_step(tenant: Tenant) -> None:
    """Both ways at once: the one who goes on stands where the further of the two stood, or waits for the same yes."""
    for number in range(6):
        leads = [enquire(tenant, f"{name}{number}@example.com") for name in ("kim", "lee")]
        people = [person_of(tenant, lead_id) for lead_id in leads]

        def start(which: int, leads: list[UUID] = leads, people: list[UUID] = people) -> Answer:
            if which == 0:
                return merge_people(tenant, people[0], people[1])
            lead_id = leads[which % 2]
            if which < 3:
                return tell(tenant, "lead_activity", lead_id, "proposal_sent", {"deal_value": 5})
            return tell(tenant, "lead_activity", lead_id, "email_replied", role="app")

        merged, *answers = at_once(5, start)
        assert merged == ("True", None)
        assert answers == [("applied", None)] * 2 + [("noted", None)] * 2
        assert stage_of(tenant, people[1]) == "opportunity"
    assert faults(tenant.admin_dsn) == []


def a_handful(tenant: Tenant, domain: str) -> dict[str, list[Any]]:
    """A few leads and people, deals and customers."""
    emails = [f"kim{number}@{domain}" for number in range(6)]
    leads = [enquire(tenant, e, ("sales", "qualification")[n % 2]) for n, e in enumerate(emails)]
    people = [person_of(tenant, lead_id) for lead_id in leads]
    return {
        "emails": emails,
        "leads": leads,
        "people": people,
        "deals": [opened(tenant, person) for person in people[:3]],
        "subscriptions": [subscribed(tenant, person) for person in people[:2]],
    }


def acts(tenant: Tenant, chance: random.Random, known: dict[str, list[Any]]) -> list[Callable[[], Answer]]:
    """What may happen to them."""
    lead, other = chance.choice(known["leads"]), chance.choice(known["leads"])
    person, second = chance.choice(known["people"]), chance.choice(known["people"])
    deal, subscription = chance.choice(known["deals"]), chance.choice(known["subscriptions"])
    email = chance.choice(known["emails"])
    to = chance.choice(["prospect", "qualified", "opportunity", "client", "onboarding"])
    asked = {"email": email, "workflow": chance.choice(["sales", "qualification", "appointment"])}
    asked["request_class"] = chance.choice(["quote", "contact", "demo"])
    signal = {
        "signal": "x", "reason": "x", "observed_at": "2026-01-01T00:00:00Z", "expires_at": "2999-01-01T00:00:00Z",
        "opens_request": True,
    }  # fmt: skip

    def on_lead(kind: str, payload: dict[str, Any] | None = None) -> Callable[[], Answer]:
        return lambda: tell(tenant, "lead_activity", lead, kind, payload)

    def on_person(kind: str, payload: dict[str, Any], role: str = "admin") -> Callable[[], Answer]:
        return lambda: tell(tenant, "relationship_activity", person, kind, payload, role=role)

    def on_deal(kind: str, payload: dict[str, Any] | None = None) -> Callable[[], Answer]:
        return lambda: tell(tenant, "opportunity_activity", deal, kind, payload)

    def grant() -> Answer:
        asked_for = rows(
            tenant,
            "select person_id, approval_id from leadline.approvals where workspace_id = %s and status = 'open'",
        )
        if not asked_for:
            return "nothing", None
        whose, approval = chance.choice(asked_for)
        return tell(
            tenant, "relationship_activity", whose, "approval_granted", {"approval_id": str(approval)}
        )

    return [
        *[lambda: tell(tenant, "lead_activity", None, "inbound_enquiry", asked, role="app")] * 3,
        lambda: tell(tenant, "lead_activity", lead, "inbound_enquiry", asked),
        *(on_lead(kind) for kind in ("email_replied", "call_completed", "request_accepted", "deal_won")),
        on_lead("proposal_sent", {"deal_value": 5}),
        on_lead("lead_qualified", EVIDENCE),
        on_lead("lead_converted", PACKET),
        on_lead("lead_converted", {"opportunity_id": str(deal)}),
        on_lead("stage_corrected", {"to_stage": "new", "reason": "wrong_record"}),
        on_lead("lead_recycled", {"reason": "bad_timing", "recycle_on": "2999-01-01"}),
        on_lead("leads_merged", {"into": str(other)}),
        on_lead("leads_unmerged"),
        on_lead("contact_changed", {"email": email}),
        on_person("relationship_advanced", {"to": to, "reason": "x", "backward": True}),
        on_person("relationship_advanced", {"to": to, "reason": "x"}, "app"),
        on_person("relationship_closed", {"reason": "x"}),
        on_person("product_signal_seen", signal, "app"),
        *[grant] * 2,
        on_deal("opportunity_advanced", {**CONFIRMED, "contact": str(second)}),
        on_deal("opportunity_won", PACKET),
        on_deal("opportunity_lost", {"lost_reason": "Price"}),
        on_deal("stage_corrected", {"to_stage": "evaluation", "reason": "wrong_record"}),
        on_deal("contact_role_set", {"person_id": str(second), "role": "decision maker"}),
        lambda: tell(tenant, "customer_activity", subscription, "payment_failed", role="billing"),
        lambda: tell(tenant, "customer_activity", subscription, "payment_succeeded", role="billing"),
        lambda: merge_people(tenant, person, second),
        lambda: (
            str(tenant.ask("select leadline.run_job('approval_expiry', %s, now())", tenant.id)),
            None,
        ),
    ]


@pytest.mark.slow
def test_single_statements_about_people_deals_and_customers_never_deadlock(tenant: Tenant) -> None:
    """All locks are taken in one order: addresses, leads, opportunities, subscriptions, people, the workspace."""
    told: Counter[Answer] = Counter()
    for turn in range(5):
        known = a_handful(tenant, f"turn{turn}.example")

        def act(number: int, turn: int = turn, known: dict[str, list[Any]] = known) -> Counter[Answer]:
            chance = random.Random(100 * turn + number)  # noqa: S311
            return Counter(chance.choice(acts(tenant, chance, known))() for _ in range(25))

        told += sum(at_once(6, act), Counter[Answer]())
    print(*(f"{times:5} {answer}" for answer, times in told.most_common()), sep="\n")
    raised = {sqlstate for sqlstate, _ in told if re.fullmatch("[0-9A-Z]{5}", sqlstate)}
    assert raised <= {"PT404", "PT409"}
    assert faults(tenant.admin_dsn) == []
