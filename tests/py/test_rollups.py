"""A random month in three workspaces: every number of the roll-ups and every finding is what plain Python tells from the journals.

The same month in every run. LEADLINE_SEED=17 tells another, LEADLINE_ACTS=5000 tells more.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
import pytest
from psycopg.rows import dict_row

from app.postgres import Server
from tests.databases import Database, clone
from tests.py.month import Doors, Logins, Month, Tokens
from tests.py.month_told import LEAD, Finding, Told, exact, tell
from tests.tenant import faults

SEED = int(os.environ.get("LEADLINE_SEED", "1"))
ACTS = int(os.environ.get("LEADLINE_ACTS", "1000"))
# Far from each other, so that the month of one is not yet, or no longer, the month of another.
ZONES: dict[str, type[Doors]] = {"Asia/Ho_Chi_Minh": Logins, "America/Los_Angeles": Tokens, "UTC": Logins}
pytestmark = pytest.mark.slow


class Place(NamedTuple):
    """A workspace after its month: how its analyst reads it, and what the journals tell."""

    workspace: UUID
    analyst: psycopg.Connection[Any]
    told: Told

    def rows(self, view: str, *keys: str) -> dict[Any, dict[str, Any]]:
        """What the analyst reads in a view, by its keys."""
        with self.analyst.cursor(row_factory=dict_row) as cursor:
            rows = cursor.execute(
                f"select * from leadline.{view} where workspace_id = %s", [self.workspace]
            ).fetchall()
        found = {
            tuple(row.pop(key) for key in keys): {k: v for k, v in row.items() if k != "workspace_id"}
            for row in rows
        }
        assert len(found) == len(rows), f"{view}: a key stands twice"
        return found


@pytest.fixture(scope="module")
def database(server: Server, template: str) -> Iterator[Database]:
    with clone(server, template) as database:
        yield database


@pytest.fixture(scope="module")
def places(database: Database) -> Iterator[list[Place]]:
    """Three workspaces that have lived through January."""
    chance = Random(SEED)  # noqa: S311 (a story, not a secret)
    places = []
    for zone, kind in ZONES.items():
        doors = kind(database, zone)
        Month(doors, zone, chance, ACTS).live()
        doors.close()
        with database.connect() as connection:
            connection.execute("analyze")
            told = tell(connection, doors.id)
        places.append(Place(doors.id, exact(doors.tenant.connect("analyst", autocommit=True)), told))
    yield places
    for place in places:
        place.analyst.close()


@pytest.fixture(params=range(len(ZONES)), ids=list(ZONES))
def place(places: list[Place], request: pytest.FixtureRequest) -> Place:
    """One of the three."""
    number: int = request.param
    return places[number]


def same(found: dict[Any, Any], told: dict[Any, Any], what: str) -> None:
    """Both say the same, row by row."""
    assert found.keys() == told.keys(), f"{what}: other rows"
    differ = {
        key: {k: (found[key][k], told[key][k]) for k in told[key] if found[key][k] != told[key][k]}
        for key in told
    }
    assert {key: fields for key, fields in differ.items() if fields} == {}, (
        f"{what}: (the view, the journals)"
    )


def test_the_month_is_sound(database: Database, places: list[Place]) -> None:
    assert len(places) == len(ZONES)
    assert faults(database.dsn()) == []


def test_request_ledger(place: Place) -> None:
    same(
        place.rows("request_ledger", "request_id"),
        {(k,): v for k, v in place.told.ledger().items()},
        "request_ledger",
    )


def test_lifecycle_funnel(place: Place) -> None:
    told = {
        key: dict(zip(("position", "reached", "rate_from_previous"), row, strict=True))
        for key, row in place.told.funnel().items()
    }
    same(place.rows("lifecycle_funnel", "unit", "cohort_month", "milestone"), told, "lifecycle_funnel")


def test_account_rollup(place: Place) -> None:
    same(
        place.rows("account_rollup", "account_id"),
        {(k,): v for k, v in place.told.rollup().items()},
        "account_rollup",
    )


def test_findings(place: Place) -> None:
    with place.analyst.cursor() as cursor:
        found = cursor.execute(
            "select finding, subject_kind, subject_id, severity, first_at, last_at, occurrences, detail from leadline.findings where workspace_id = %s",
            [place.workspace],
        ).fetchall()
    assert len(found) == len(set(found))
    assert {Finding(*row) for row in found} == place.told.findings()


def test_no_step_of_the_funnel_is_greater_than_the_one_before(place: Place) -> None:
    funnel = place.rows("lifecycle_funnel", "unit", "cohort_month", "position")
    assert {unit for unit, _, _ in funnel} == {"person", "request", "account"}
    for (unit, month, position), row in funnel.items():
        if position > LEAD:
            before = funnel[unit, month, position - 1]
            assert row["reached"] <= before["reached"]
            assert (row["rate_from_previous"] is None) == (before["reached"] == 0)


def test_the_month_is_eventful(places: list[Place]) -> None:
    """Else all of this would prove little: every milestone, loss, finding, clock, and money in two currencies."""
    funnels = [row for place in places for row in place.told.funnel().items()]
    for unit in ("person", "request", "account"):
        assert {key[2] for key, row in funnels if key[0] == unit and row[1]} == {
            "excluded",
            "lead",
            "mql",
            "sal",
            "sql",
            "opportunity",
            "customer",
        }
    assert {(f.finding, f.subject_kind) for place in places for f in place.told.findings()} >= {
        *(("T03_manual_reversal", kind) for kind in ("lead", "opportunity", "person")),
        *(("T10_loop", kind) for kind in ("lead", "opportunity", "person")),
        *(("direct_change", kind) for kind in ("lead", "opportunity", "person", "subscription", "workspace")),
        ("other_over_a_tenth", "reason_list"),
        ("duplicate_without_duplicate_of", "lead"),
    }
    requests = [row for place in places for row in place.told.ledger().values()]
    assert {row["clock"] for row in requests} == {"running", "responded", "not_applicable"}
    assert {row["route"] for row in requests} == {
        "new_business",
        "customer",
        "opportunity",
        "partner",
        "excluded",
    }
    assert {row["decision"] for row in requests} == {None, "accepted", "rejected"}
    accounts = [row for place in places for row in place.told.rollup().values()]
    for name in ("won_amount", "won_lead_value"):
        assert len({currency for row in accounts for currency in row[name]}) > 1
    for name in (
        "open_opportunities",
        "won_opportunities",
        "lost_opportunities",
        "live_subscriptions",
        "open_renewal_cycles",
        "excluded_requests",
    ):
        assert any(row[name] for row in accounts), name


def test_a_month_and_a_day_are_the_workspaces(places: list[Place]) -> None:
    """In two of the three, something happened in another month, or on another day, than by UTC."""

    def numbers(told: Told) -> list[Any]:
        return [told.funnel(), told.rollup()]

    differ = []
    for place in places:
        zone, here = place.told.zone, numbers(place.told)
        place.told.zone = "UTC"
        differ.append(numbers(place.told) != here)
        place.told.zone = zone
    assert differ == [True, True, False]


def test_a_workspace_reads_its_own(places: list[Place]) -> None:
    for place in places:
        for view in (
            "request_ledger",
            "lifecycle_funnel",
            "account_rollup",
            "person_milestones",
            "request_milestones",
        ):
            assert place.analyst.execute(f"select distinct workspace_id from leadline.{view}").fetchall() == [
                (place.workspace,)
            ]
