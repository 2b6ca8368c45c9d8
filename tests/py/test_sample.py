"""The sample is a history like any other: decided by the rules, sound, and the same again."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest

from app import sample
from tests.databases import Database

MONDAY_NIGHT = datetime(2026, 3, 2, 3, 0, tzinfo=UTC)
WEDNESDAY = datetime(2026, 3, 4, 15, 30, tzinfo=UTC)
SATURDAY = datetime(2026, 3, 7, 12, 0, tzinfo=UTC)
JOURNAL = """
    select (select c.name from leadline.lead_contacts c where c.lead_id = t.lead_id), t.seq, t.activity_type,
           t.verdict, t.rule, t.from_stage, t.to_stage,
           case when t.actor_kind <> 'system' then t.occurred_at end,
           t.reference, t.actor_kind, t.writer, t.payload - '{assigned_user_id,duplicate_of}'::text[]
    from leadline.lead_timeline t where t.workspace_id = %s
    order by t.occurred_at, t.lead_id, t.seq
"""


def fill(connection: psycopg.Connection, now: datetime, seed: int = sample.SEED) -> UUID:
    """A new workspace with the sample in it; the context stays its owner's."""
    connection.execute("set local role leadline_owner")
    [(workspace_id,)] = connection.execute("select leadline.create_workspace('Sample')")
    filled = sample.fill(connection, workspace_id, now, seed=seed)
    connection.execute(sample.ENTER, (workspace_id, "owner", filled.owner_id, [], None))
    return UUID(str(workspace_id))


def journal(connection: psycopg.Connection, workspace_id: UUID) -> list[tuple[Any, ...]]:
    return sorted(connection.execute(JOURNAL, (workspace_id,)).fetchall(), key=repr)


def test_the_plan_is_the_same_for_the_same_seed_and_hour_and_another_for_another() -> None:
    assert sample.plan(WEDNESDAY) == sample.plan(WEDNESDAY)
    assert sample.plan(WEDNESDAY) != sample.plan(WEDNESDAY, seed=sample.SEED + 1)


def test_the_hour_may_be_given_in_any_zone() -> None:
    assert sample.plan(WEDNESDAY.astimezone()) == sample.plan(WEDNESDAY)


@pytest.mark.parametrize("now", [MONDAY_NIGHT, WEDNESDAY, SATURDAY])
def test_every_story_is_told_whatever_the_hour(now: datetime) -> None:
    steps = sample.plan(now)
    told = Counter(step.activity_type for step in steps)
    assert len({step.lead for step in steps}) == 60
    for activity_type in (
        "lead_imported", "contact_attempted", "call_completed", "callback_requested", "appointment_scheduled",
        "appointment_cancel", "appointment_no_show", "message_received", "note_added", "sale", "no_sale",
        "refused", "wrong_number", "bad_number", "unresponsive", "duplicate", "dnc", "approval_granted",
        "subscription_started", "opportunity_opened",
    ):  # fmt: skip
        assert told[activity_type] >= 1, activity_type


@pytest.mark.parametrize("now", [MONDAY_NIGHT, WEDNESDAY, SATURDAY])
def test_nothing_is_reported_from_the_future_or_before_it_happened(now: datetime) -> None:
    for step in sample.plan(now):
        assert now - timedelta(days=9) <= step.occurred_at <= step.at <= now


def test_nobody_in_it_exists() -> None:
    for step in sample.plan(WEDNESDAY):
        if "email" in step.payload:
            assert step.payload["email"].endswith("@example.com")
            assert step.payload["phone"].startswith(("+44 7700 900", "+44 1632 960"))


def test_the_history_is_sound_and_has_every_kind_of_answer(database: Database) -> None:
    with database.connect() as connection:
        workspace_id = fill(connection, WEDNESDAY)
        rows = journal(connection, workspace_id)
        answers = {(activity, verdict, rule) for _, _, activity, verdict, rule, *_ in rows}
        assert ("sale", "refused", "outcome_needs_appointment") in answers
        assert ("unresponsive", "refused", "unresponsive_needs_contact") in answers
        assert ("callback_requested", "noted", "superseded") in answers
        assert ("lead_imported", "applied", None) in answers
        assert ("duplicate", "applied", None) in answers
        assert ("sale", "applied", None) in answers
        refused = Counter(rule for _, _, _, verdict, rule, *_ in rows if verdict == "refused")
        assert refused == {"outcome_needs_appointment": 2, "unresponsive_needs_contact": 1}
        assert len({stage for _, _, _, _, _, _, stage, *_ in rows}) == 13, (
            "every stage of the workflow is reached"
        )
        suppressed = connection.execute("select kind from leadline.suppressions order by kind").fetchall()
        assert suppressed == [("email",), ("phone",)], "the one dnc"
        connection.execute("reset role")
        assert connection.execute("select * from leadline.verify_state()").fetchall() == []
        assert connection.execute("select * from leadline.verify_chain()").fetchall() == []


def test_every_layer_has_something_to_show(database: Database) -> None:
    with database.connect() as connection:
        workspace_id = fill(connection, WEDNESDAY)
        shown = [
            connection.execute(f"select {what} from leadline.{view} where workspace_id = %s", [workspace_id])
            for what, view in (
                ("distinct stage", "contacts"),
                ("distinct status", "approval_queue"),
                ("distinct stage", "opportunity_overview"),
                ("distinct stage", "subscription_overview"),
            )
        ]
        stages, approvals, deals, subscriptions = ({value for (value,) in rows} for rows in shown)
        assert {"prospect", "qualified", "opportunity", "client"} <= stages
        assert approvals == {"open", "granted"}
        assert deals == {"proposal"}
        assert subscriptions == {"trialing", "active"}


def test_a_repeated_reference_is_stored_once(database: Database) -> None:
    with database.connect() as connection:
        workspace_id = fill(connection, WEDNESDAY)
        planned = Counter(step.reference for step in sample.plan(WEDNESDAY) if step.reference)
        stored = Counter(
            reference for *_, reference, _, _, _ in journal(connection, workspace_id) if reference
        )
        assert max(planned.values()) == 2
        assert stored == dict.fromkeys(planned, 1)


def test_the_same_seed_and_hour_give_the_same_history(database: Database) -> None:
    with database.connect() as connection:
        first = journal(connection, fill(connection, WEDNESDAY))
        second = journal(connection, fill(connection, WEDNESDAY))
        assert first == second
        assert len(first) > 300


def test_an_agent_sees_what_an_agent_sees(database: Database) -> None:
    """Both agents have leads of their own, and the dialer's calls count as theirs."""
    with database.connect() as connection:
        workspace_id = fill(connection, WEDNESDAY)
        agents = connection.execute(
            """
            select o.assigned_user_id, count(*) from leadline.lead_overview o
            where o.workspace_id = %s and o.assigned_user_id is not null group by 1
            """,
            (workspace_id,),
        ).fetchall()
        assert len(agents) == 2
        assert min(leads for _, leads in agents) > 10
        [(calls,)] = connection.execute(
            """
            select count(*) from leadline.lead_timeline
            where workspace_id = %s and writer = 'app' and actor_kind = 'user'
              and activity_type = 'call_completed'
            """,
            (workspace_id,),
        )
        assert calls > 20
