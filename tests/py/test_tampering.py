"""Somebody with the keys to the house changes history: verify names the row."""

from __future__ import annotations

import json
import time
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests.databases import Database
from tests.tenant import Tenant, faults

GUARDED = (
    *("lead_activity", "leads", "checkpoints", "requests", "people", "relationship_activity", "approvals"),
    *("opportunity_activity", "opportunities", "customer_activity", "subscriptions", "renewal_cycles"),
)


@pytest.fixture
def tenant(database: Database) -> Tenant:
    return Tenant(database.dsn())


@pytest.fixture
def lead_id(tenant: Tenant) -> UUID:
    """A lead with a history of five rows."""
    (lead_id,) = tenant.leads(1)
    with tenant.connect() as connection:
        for activity_type in ("sale", "contact_attempted", "appointment_scheduled", "sale"):
            connection.execute(
                "insert into leadline.lead_activity (lead_id, activity_type) values (%s, %s)",
                [lead_id, activity_type],
            )
    return lead_id


def tamper(tenant: Tenant, *statements: str, **parameters: Any) -> None:
    """Run statements as a superuser who has put the guards to sleep."""
    with psycopg.connect(tenant.admin_dsn) as connection:
        for table in GUARDED:
            connection.execute(f"alter table leadline.{table} disable trigger user")
        for statement in statements:
            connection.execute(statement, parameters)


def named(tenant: Tenant) -> set[tuple[Any, ...]]:
    return {(subject_id, seq, what) for _, _, subject_id, seq, what, _ in faults(tenant.admin_dsn)}


def test_an_untouched_history_is_sound(tenant: Tenant, lead_id: UUID) -> None:
    assert named(tenant) == set()


@pytest.mark.parametrize(
    "change",
    [
        "payload = '{\"deal_value\": 1}'",
        "occurred_at = occurred_at - interval '1 microsecond'",
        "actor_id = null",
        "writer = 'person'",
        "rule = 'no_change'",
        "reference = 'r'",
        "surface = 'lead_detail'",
        "rules_version = 'other'",
        "caused_by = 1",
    ],
)
def test_a_changed_row_is_named(tenant: Tenant, lead_id: UUID, change: str) -> None:
    tamper(
        tenant,
        f"update leadline.lead_activity set {change} where lead_id = %(lead)s and seq = 3",
        lead=lead_id,
    )
    assert (lead_id, 3, "hash") in named(tenant)


def test_a_changed_verdict_is_named_by_state_and_chain(tenant: Tenant, lead_id: UUID) -> None:
    tamper(
        tenant,
        "update leadline.lead_activity set verdict = 'noted' where lead_id = %(lead)s and seq = 2",
        lead=lead_id,
    )
    assert {(lead_id, 2, "hash"), (lead_id, 2, "decision")} <= named(tenant)


def test_a_removed_row_is_named(tenant: Tenant, lead_id: UUID) -> None:
    tamper(tenant, "delete from leadline.lead_activity where lead_id = %(lead)s and seq = 2", lead=lead_id)
    assert (lead_id, 3, "gap") in named(tenant)


def test_a_removed_last_row_is_named(tenant: Tenant, lead_id: UUID) -> None:
    tamper(tenant, "delete from leadline.lead_activity where lead_id = %(lead)s and seq = 5", lead=lead_id)
    assert {(lead_id, 5, "head"), (lead_id, 5, "state")} <= named(tenant)


def test_a_swapped_pair_is_named(tenant: Tenant, lead_id: UUID) -> None:
    tamper(
        tenant,
        "update leadline.lead_activity set seq = -3 where lead_id = %(lead)s and seq = 3",
        "update leadline.lead_activity set seq = 3 where lead_id = %(lead)s and seq = 4",
        "update leadline.lead_activity set seq = 4 where lead_id = %(lead)s and seq = -3",
        lead=lead_id,
    )
    assert (lead_id, 3, "hash") in named(tenant)


def test_a_forged_head_is_named(tenant: Tenant, lead_id: UUID) -> None:
    tamper(tenant, "update leadline.leads set hash = sha256('forged') where lead_id = %(lead)s", lead=lead_id)
    assert named(tenant) == {(lead_id, 5, "head")}


def test_a_row_put_in_past_the_trigger_is_named(tenant: Tenant, lead_id: UUID) -> None:
    tamper(
        tenant,
        """insert into leadline.lead_activity
           select (jsonb_populate_record(a, '{"activity_id": 999999, "seq": 6}')).*
           from leadline.lead_activity a where a.lead_id = %(lead)s and a.seq = 5""",
        lead=lead_id,
    )
    assert (lead_id, 6, "hash") in named(tenant)


def test_a_lead_moved_past_the_journal_is_named(tenant: Tenant, lead_id: UUID) -> None:
    tamper(tenant, "update leadline.leads set stage = 'no_sale' where lead_id = %(lead)s", lead=lead_id)
    assert {(lead_id, 5, "state"), (lead_id, 5, "field")} <= named(tenant)


@pytest.mark.parametrize(
    "clock", ["last_touch_at", "first_contacted_at", "stage_entered_at", "late_before", "created_at"]
)
def test_a_clock_set_by_hand_is_named(tenant: Tenant, lead_id: UUID, clock: str) -> None:
    tamper(
        tenant,
        f"update leadline.leads set {clock} = now() - interval '1 year' where lead_id = %(lead)s",
        lead=lead_id,
    )
    assert named(tenant) == {(lead_id, 5, "clock")}


ENQUIRIES: dict[str, dict[str, str]] = {
    "open": {"phone": "+34600111222"},
    "won": {},
    "lost": {},
    "merged": {},
    "spam": {"exclusion": "spam"},
    "twin": {"phone": "+34600111222"},
}


@pytest.fixture
def sales(tenant: Tenant) -> dict[str, UUID]:
    """Leads of sales by what became of them: open and waiting, won, lost, merged, turned away."""
    leads = {}
    with tenant.connect("owner", autocommit=True) as connection:
        for name, said in ENQUIRIES.items():
            row = connection.execute(
                "insert into leadline.lead_activity (activity_type, payload) values ('inbound_enquiry', %s) returning lead_id",
                [json.dumps({"workflow": "sales", "email": f"{name}@x.example", **said})],
            ).fetchone()
            assert row is not None
            leads[name] = row[0]
        report(connection, leads["won"], "proposal_sent", deal_value=3)
        report(connection, leads["won"], "deal_won")
        report(connection, leads["lost"], "call_completed")
        report(connection, leads["lost"], "deal_lost", lost_reason="Other", notes="dear")
        report(connection, leads["merged"], "leads_merged", into=str(leads["open"]))
    return leads


def report(connection: psycopg.Connection[Any], lead_id: UUID, activity_type: str, **payload: Any) -> None:
    connection.execute(
        "insert into leadline.lead_activity (lead_id, activity_type, payload) values (%s, %s, %s)",
        [lead_id, activity_type, json.dumps(payload)],
    )


COLUMNS_OF_SALES = (
    *(("won", "won_at = won_at - interval '1 day'"), ("lost", "lost_at = lost_at - interval '1 day'")),
    *(("lost", "lost_reason = 'Price'"), ("lost", "lost_notes = 'said nothing'")),
    *(("merged", "merged_into = null"), ("merged", "merged_into = %(won)s")),
    *(("twin", "is_possible_duplicate = false"), ("twin", "possible_duplicate_of = %(won)s")),
    ("spam", "rejection_reason = 'test'"),
)


@pytest.mark.parametrize(("name", "change"), COLUMNS_OF_SALES)
def test_what_became_of_a_deal_is_what_the_journal_says(
    tenant: Tenant, sales: dict[str, UUID], name: str, change: str
) -> None:
    """Past the guards it is named; before them it is a direct_change, and sound."""
    statement = f"update leadline.leads set {change} where lead_id = %(lead)s"
    parameters = {"lead": sales[name], "won": sales["won"]}
    assert named(tenant) == set()
    with psycopg.connect(tenant.admin_dsn) as connection:
        connection.execute(statement, parameters)
        last = connection.execute(
            "select activity_type from leadline.lead_activity where lead_id = %s order by seq desc limit 1",
            [sales[name]],
        ).fetchone()
        assert last == ("direct_change",)
        assert connection.execute("select * from leadline.verify_state()").fetchall() == []
        connection.rollback()
    tamper(tenant, statement, **parameters)
    assert {(subject, what) for subject, _, what in named(tenant)} == {(sales[name], "field")}


@pytest.mark.parametrize("change", ["null", "now() - interval '1 day'"])
def test_nobody_is_made_to_wait_or_forgotten_by_hand(
    tenant: Tenant, sales: dict[str, UUID], change: str
) -> None:
    tamper(
        tenant,
        f"update leadline.leads set waiting_since = {change} where lead_id = %(lead)s",
        lead=sales["open"],
    )
    assert {(subject, what) for subject, _, what in named(tenant)} == {(sales["open"], "clock")}


REQUESTS = (
    ("lost", "first_response_at = first_response_at + interval '1 minute'"),
    ("lost", "first_response_at = null"),
    ("lost", "received_at = received_at - interval '1 day'"),
    ("lost", "not_applicable_at = now() + interval '1 day'"),
    ("lost", "exclusion = 'spam'"),
    ("lost", "lead_id = %(won)s"),
    ("lost", "activity_id = activity_id + 1000"),
    ("won", "first_response_at = now() + interval '1 day'"),
    ("spam", "exclusion = null"),
    ("spam", "first_response_at = received_at"),
    ("spam", "not_applicable_at = null"),
)


@pytest.mark.parametrize(("name", "change"), REQUESTS)
def test_a_request_is_what_its_enquiry_and_the_contacts_after_it_say(
    tenant: Tenant, sales: dict[str, UUID], name: str, change: str
) -> None:
    tamper(
        tenant,
        f"update leadline.requests set {change} where lead_id = %(lead)s",
        lead=sales[name],
        won=sales["won"],
    )
    assert "request" in {what for _, _, what in named(tenant)}


def test_a_request_that_is_gone_is_missed(tenant: Tenant, sales: dict[str, UUID]) -> None:
    tamper(
        tenant,
        "delete from leadline.outbox where lead_id = %(lead)s",
        "delete from leadline.requests where lead_id = %(lead)s",
        lead=sales["lost"],
    )
    assert {(subject, what) for subject, _, what in named(tenant)} == {(sales["lost"], "request")}


def test_changed_content_is_named_and_erased_content_is_not(tenant: Tenant, lead_id: UUID) -> None:
    with tenant.connect(autocommit=True) as connection:
        connection.execute(
            "insert into leadline.lead_activity (lead_id, activity_type, payload)"
            " values (%s, 'note_added', '{\"text\": \"hello\"}')",
            [lead_id],
        )
    tamper(
        tenant,
        "update leadline.activity_content set content = jsonb_set(content, '{payload,text}', '\"bye\"')",
    )
    assert (lead_id, 6, "content") in named(tenant)
    tamper(tenant, "delete from leadline.activity_content")
    assert named(tenant) == set()


def test_a_history_rewritten_whole_does_not_fit_its_checkpoint(tenant: Tenant, lead_id: UUID) -> None:
    """Whoever rewrites a row and every hash after it has a sound chain, but another root."""
    covered = hours = 0
    # five of the lead, two of the workspace, and the sale's proposal to its person
    deadline = time.monotonic() + 30  # a checkpoint waits for transactions of the cluster's other databases
    while covered < 8 and time.monotonic() < deadline:
        assert tenant.ask(
            "select leadline.run_job('checkpoint', %s, clock_timestamp() + %s * interval '1 hour')",
            tenant.id,
            hours,
        )
        hours += 1
        covered = tenant.ask("select max(activities) from leadline.checkpoints")
    assert covered == 8
    tamper(
        tenant,
        "update leadline.lead_activity set writer = 'person' where lead_id = %(lead)s and seq = 5",
        """update leadline.lead_activity a
           set hash = sha256(b.hash || leadline_internal.canonical(row(a.*)::leadline_internal.entry))
           from leadline.lead_activity b
           where a.lead_id = %(lead)s and a.seq = 5 and b.lead_id = a.lead_id and b.seq = 4""",
        """update leadline.leads l set hash = a.hash from leadline.lead_activity a
           where l.lead_id = %(lead)s and a.lead_id = l.lead_id and a.seq = 5""",
        lead=lead_id,
    )
    assert named(tenant) == {(tenant.id, None, "checkpoint")}


@pytest.fixture
def layers(tenant: Tenant, sales: dict[str, UUID]) -> dict[str, UUID]:
    """A person who is a client by somebody's yes, another who waits for it; a deal; a subscription with two periods."""
    with tenant.connect("owner", autocommit=True) as owner, tenant.connect(autocommit=True) as app:
        person, other = (
            tenant.ask("select person_id from leadline.leads where lead_id = %s", sales[name])
            for name in ("lost", "open")
        )
        for somebody, stage in ((person, "client"), (other, "client"), (other, "active")):
            logged(app, "relationship_activity", somebody, "relationship_advanced", to=stage, reason="asked")
        approval = tenant.ask("select approval_id from leadline.approvals where person_id = %s", person)
        answer = {"approval_id": str(approval), "reason": "they paid"}
        logged(owner, "relationship_activity", person, "approval_granted", **answer)
        logged(
            owner, "relationship_activity", person, "relationship_advanced", to="onboarding", reason="began"
        )
        told = logged(
            owner,
            "opportunity_activity",
            None,
            "opportunity_opened",
            pipeline="expansion",
            person_id=str(person),
        )
        deal = told["opportunity_id"]
        evidence = {
            "problem": "roof",
            "decision_process": "the board",
            "next_step": "call",
            "next_step_on": "2026-02-01",
        }
        proposal = evidence | {"to_stage": "proposal", "contact": str(person), "amount": 7}
        logged(owner, "opportunity_activity", deal, "opportunity_advanced", **proposal)
        logged(owner, "opportunity_activity", deal, "opportunity_lost", lost_reason="Other", notes="too dear")
    with tenant.connect("billing", autocommit=True) as billing:
        told = logged(
            billing, "customer_activity", None, "subscription_started", person_id=str(person), plan="team"
        )
        customer = told["subscription_id"]
        for year in ("2025", "2026"):
            period = {"period_start": f"{year}-01-01", "period_end": f"{year}-12-31"}
            logged(billing, "customer_activity", customer, "renewal_opened", **period)
        logged(
            billing,
            "customer_activity",
            customer,
            "renewal_churned",
            period_start="2025-01-01",
            reason="moved",
        )
        logged(billing, "customer_activity", customer, "subscription_cancelled", reason="moved")
    return {"people": person, "other": other, "opportunities": UUID(deal), "subscriptions": UUID(customer)}


def logged(
    connection: psycopg.Connection[Any], journal: str, subject: object, activity_type: str, **payload: Any
) -> dict[str, Any]:
    """The answer to an activity that was not refused."""
    row = connection.execute(
        "select leadline.log_in_journal(%s, %s::uuid, %s, %s)",
        [journal, subject and str(subject), activity_type, json.dumps(payload)],
    ).fetchone()
    assert row is not None
    assert row[0]["verdict"] != "refused", row[0]
    answer: dict[str, Any] = row[0]
    return answer


JOURNALS = {
    "people": ("relationship_activity", "person_id", "stage = 'active'"),
    "opportunities": ("opportunity_activity", "opportunity_id", "amount = 8"),
    "subscriptions": ("customer_activity", "subscription_id", "plan = 'solo'"),
}


@pytest.mark.parametrize("state", JOURNALS)
def test_every_journal_is_guarded_alike(tenant: Tenant, layers: dict[str, UUID], state: str) -> None:
    journal, key, change = JOURNALS[state]
    assert named(tenant) == set()
    with psycopg.connect(tenant.admin_dsn) as connection:  # by hand, before the guards: told and sound
        connection.execute(f"update leadline.{state} set {change} where {key} = %s", [layers[state]])
        last = f"select activity_type from leadline.{journal} where {key} = %s order by seq desc limit 1"
        assert connection.execute(last, [layers[state]]).fetchone() == ("direct_change",)
        assert connection.execute("select * from leadline.verify_state()").fetchall() == []
        connection.rollback()
    for statement, what in (
        (f"update leadline.{journal} set writer = 'nobody' where {key} = %(id)s and seq = 2", (2, "hash")),
        (f"update leadline.{journal} set rule = 'no_change' where {key} = %(id)s and seq = 2", (2, "hash")),
        (f"delete from leadline.{journal} where {key} = %(id)s and seq = 2", (3, "gap")),
        (f"update leadline.{state} set hash = sha256('x') where {key} = %(id)s", (None, "head")),
        (f"update leadline.{state} set {change} where {key} = %(id)s", (None, "field")),
        (f"update leadline.{state} set stage_entered_at = now() where {key} = %(id)s", (None, "clock")),
        (f"update leadline.{state} set version = version + 1 where {key} = %(id)s", (None, "state")),
    ):
        with psycopg.connect(tenant.admin_dsn) as connection:
            for table in GUARDED:
                connection.execute(f"alter table leadline.{table} disable trigger user")
            connection.execute(statement, {"id": layers[state]})
            found = connection.execute(
                "select subject_id, seq, what from leadline.verify_state()"
                " union all select subject_id, seq, what from leadline.verify_chain()"
            ).fetchall()
            connection.rollback()
        seq, word = what
        assert (layers[state], word) in {(subject, said) for subject, _, said in found}, statement
        assert seq is None or (layers[state], seq, word) in found, statement


# What stands beside the heads: kept for reading, and no more than the journal says.
BESIDE = (
    ("approval", "update leadline.approvals set status = 'declined' where person_id = %(people)s"),
    ("approval", "update leadline.approvals set to_stage = 'qualified' where person_id = %(people)s"),
    ("approval", "update leadline.approvals set settled_by = settled_by - 1 where person_id = %(people)s"),
    ("approval", "update leadline.approvals set person_id = %(people)s where person_id = %(other)s"),
    ("approval", "delete from leadline.approvals where person_id = %(other)s"),
    (
        "approval",
        "update leadline.approvals set status = 'stale', settled_by = 1, settled_at = now() where person_id = %(other)s",
    ),
    ("clock", "update leadline.people set first_qualified_at = now() where person_id = %(people)s"),
    ("field", "update leadline.people set furthest_stage = 'active' where person_id = %(people)s"),
    (
        "clock",
        "update leadline.opportunities set late_before = null where opportunity_id = %(opportunities)s",
    ),
    ("field", "update leadline.opportunities set problem = 'none' where opportunity_id = %(opportunities)s"),
    ("field", "update leadline.opportunities set lost_notes = null where opportunity_id = %(opportunities)s"),
    (
        "renewal",
        "update leadline.renewal_cycles set stage = 'renewed', churn_reason = null where stage = 'churned'",
    ),
    ("renewal", "update leadline.renewal_cycles set period_end = period_end + 1 where stage = 'open'"),
    ("renewal", "update leadline.renewal_cycles set settled_at = now() where stage = 'churned'"),
    ("renewal", "delete from leadline.renewal_cycles where stage = 'open'"),
    (
        "renewal",
        """insert into leadline.renewal_cycles (workspace_id, subscription_id, period_start, period_end, opened_at)
           select workspace_id, subscription_id, '2030-01-01', '2031-01-01', now() from leadline.subscriptions""",
    ),
    (
        "field",
        "update leadline.subscriptions set cancelled_at = now() where subscription_id = %(subscriptions)s",
    ),
)


@pytest.mark.parametrize(("what", "statement"), BESIDE)
def test_what_stands_beside_the_heads_is_what_the_journals_say(
    tenant: Tenant, layers: dict[str, UUID], what: str, statement: str
) -> None:
    tamper(tenant, statement, **layers)
    assert what in {word for _, _, word in named(tenant)}


DECISIONS = (
    "decision = 'rejected', decision_reason = 'no_fit'",
    "decision = null, disposition_at = null",
    "disposition_at = now() + interval '1 day'",
    "qualified_at = now() + interval '1 day'",
)


@pytest.mark.parametrize("change", DECISIONS)
def test_a_decision_on_a_request_is_what_was_said(tenant: Tenant, change: str) -> None:
    said = {"email": "q@x.example", "workflow": "qualification"}
    needs = {"problem": "roof", "timing": "spring", "buying_role": "owner"}
    with tenant.connect("owner", autocommit=True) as connection:
        row = connection.execute(
            "insert into leadline.lead_activity (activity_type, payload) values ('inbound_enquiry', %s) returning lead_id",
            [json.dumps(said)],
        ).fetchone()
        assert row is not None
        report(connection, row[0], "request_accepted")
        report(connection, row[0], "lead_qualified", **needs)
    assert named(tenant) == set()
    tamper(tenant, f"update leadline.requests set {change}")
    assert {what for _, _, what in named(tenant)} == {"request"}


def test_whoever_does_not_see_everything_is_refused_an_empty_answer(tenant: Tenant) -> None:
    for function in ("verify_chain", "verify_state"):
        with tenant.connect() as connection, pytest.raises(psycopg.Error) as refused:
            connection.execute(f"select * from leadline.{function}()")
        assert (refused.value.sqlstate, refused.value.diag.constraint_name) == ("PT403", "whole_view_needed")


def test_a_direct_change_by_hand_is_in_the_journal_and_sound(tenant: Tenant, lead_id: UUID) -> None:
    with psycopg.connect(tenant.admin_dsn) as connection:
        connection.execute(
            "update leadline.leads set deal_value = 7.50, name = 'Ann' where lead_id = %s", [lead_id]
        )
        connection.execute("update leadline.leads set deal_value = deal_value where lead_id = %s", [lead_id])
    with psycopg.connect(tenant.admin_dsn) as connection:
        rows = connection.execute(
            "select activity_type, verdict, changes, payload from leadline.lead_timeline"
            " where lead_id = %s and seq > 5",
            [lead_id],
        ).fetchall()
    changes = {"deal_value": [None, 7.5], "name": [None, "Ann"]}
    assert rows == [("direct_change", "applied", changes, {"login": "postgres"})]
    assert named(tenant) == set()
