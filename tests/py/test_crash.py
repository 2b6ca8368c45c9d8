"""The server is killed while fifty sessions write: what was acknowledged is there, and all of it is sound."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
import pytest

from app.deploy import migrate
from app.postgres import Server
from tests.tenant import Tenant, faults

TYPES = (
    *("contact_attempted", "call_completed", "callback_requested", "appointment_scheduled"),
    *("appointment_no_show", "appointment_cancel", "sale", "no_sale", "refused", "unresponsive"),
    *("note_added", "dnc", "deal_lost", "proposal_sent", "deal_won"),
)
PAYLOADS: dict[str, dict[str, Any]] = {
    "note_added": {"text": "x"},
    "deal_lost": {"lost_reason": "Price"},
    "proposal_sent": {"deal_value": 5},
}
EXPECTED = {"40001", "40P01", None}  # None: the connection is gone
SHUTDOWN = {"57P01", "57P02", "57P03"}
JOURNALS = {
    "lead_activity": "lead_id",
    "relationship_activity": "person_id",
    "opportunity_activity": "opportunity_id",
    "customer_activity": "subscription_id",
}
INSERTS = {
    journal: f"""
        insert into leadline.{journal} ({subject}, activity_type, payload, reference)
        values (%s, %s, %s, %s) returning activity_id, {subject}"""
    for journal, subject in JOURNALS.items()
}
MOVES = [
    {"to": stage, "reason": "x"} for stage in ("qualified", "opportunity", "client", "onboarding", "active")
]
DEALS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("amount_changed", {"amount": 5, "close_date": "2031-01-01"}),
    ("opportunity_won", {}),
    ("opportunity_lost", {"lost_reason": "Price"}),
    ("amount_changed", {"amount": None}),
)
BILLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("payment_failed", {}),
    ("payment_succeeded", {}),
    ("renewal_opened", {"period_start": "2026-01-01", "period_end": "2027-01-01"}),
    ("renewal_renewed", {}),
    ("renewal_churned", {"reason": "x"}),
)
PEOPLE = 12


class Report(NamedTuple):
    """An activity as a writer sends it."""

    journal: str
    subject_id: UUID | None
    activity_type: str
    payload: Any


@dataclass
class Known:
    """Whom there is something to say about."""

    leads: list[UUID]
    people: list[UUID]
    deals: list[UUID]
    customers: list[UUID]


@pytest.mark.slow
def test_no_acknowledged_activity_is_lost_when_the_server_is_killed() -> None:
    """Durable settings, fifty sessions of random activities in four journals, kill -9 of the postmaster."""
    folder = Path(tempfile.gettempdir()) / f"leadline-crash-{os.getpid()}-{time.time_ns():x}"
    server = Server(folder, {"max_connections": "80"})
    try:
        crash(server)
    finally:
        server.release()
        shutil.rmtree(folder)


def something(chance: random.Random, known: Known) -> Report:
    """An activity of one of the leads, people or deals; or somebody of a dozen writes in to sales, by one of four
    phones, and may find that a deal is opened for them."""
    draw = chance.random()
    if draw < 0.3:
        email, phone = f"p{chance.randrange(PEOPLE)}@x.example", f"+3460000000{chance.randrange(4)}"
        said = {"workflow": "sales", "email": email, "phone": phone, "message": "hello"}
        return Report("lead_activity", None, "inbound_enquiry", said)
    if draw < 0.45:
        return Report(
            "relationship_activity",
            chance.choice(known.people),
            "relationship_advanced",
            chance.choice(MOVES),
        )
    if draw < 0.5 or (draw < 0.6 and not known.deals):
        deal = {"pipeline": "new_business", "person_id": str(chance.choice(known.people))}
        return Report("opportunity_activity", None, "opportunity_opened", deal)
    if draw < 0.6:
        return Report("opportunity_activity", chance.choice(known.deals), *chance.choice(DEALS))
    activity_type = chance.choice(TYPES)
    return Report("lead_activity", chance.choice(known.leads), activity_type, PAYLOADS.get(activity_type, {}))


def billed(chance: random.Random, known: Known) -> Report:
    """What billing says: of one of the subscriptions, or that somebody has one more."""
    if not known.customers or chance.random() < 0.1:
        started = {"person_id": str(chance.choice(known.people))}
        return Report("customer_activity", None, "subscription_started", started)
    return Report("customer_activity", chance.choice(known.customers), *chance.choice(BILLS))


def answered(chance: random.Random, known: Known, connection: psycopg.Connection[Any]) -> Report:
    """What somebody with the right says: yes or no to a move that waits, or a step back."""
    waits = connection.execute(
        "select person_id, approval_id from leadline.approvals where status = 'open' order by random() limit 1"
    ).fetchone()
    if waits is None or chance.random() < 0.2:
        back = {"to": "prospect", "backward": True, "reason": "x"}
        return Report("relationship_activity", chance.choice(known.people), "relationship_advanced", back)
    answer = chance.choice(("approval_granted", "approval_granted", "approval_declined"))
    return Report("relationship_activity", waits[0], answer, {"approval_id": str(waits[1]), "reason": "x"})


class Storm:
    """Fifty writers, and what each was told: what was acknowledged, and what went wrong how often."""

    def __init__(self, logins: dict[str, str], known: Known) -> None:
        self.logins = logins
        self.known = known
        self.acknowledged: dict[tuple[str, int], tuple[UUID, str]] = {}
        self.told: Counter[str | None] = Counter()
        self.met: list[UUID] = []  # by enquiries
        self._lock = threading.Lock()
        self._writers = [threading.Thread(target=self._write, args=[n]) for n in range(50)]

    def begin(self) -> None:
        for writer in self._writers:
            writer.start()

    def end(self) -> None:
        """To be called when the server is gone."""
        for writer in self._writers:
            writer.join(30)
            assert not writer.is_alive()

    def _write(self, number: int) -> None:
        chance = random.Random(number)  # noqa: S311
        role = {0: "billing", 1: "owner"}.get(number % 10, "app")
        try:
            with psycopg.connect(self.logins[role], autocommit=True) as connection:
                while not connection.closed:
                    try:
                        self._report(f"{number}-{chance.random()}", role, chance, connection)
                    except psycopg.Error as e:
                        self._failed(e)
        except psycopg.OperationalError as e:
            self._failed(e)

    def _report(
        self, reference: str, role: str, chance: random.Random, connection: psycopg.Connection[Any]
    ) -> None:
        if role == "owner":
            said = answered(chance, self.known, connection)
        else:
            said = (billed if role == "billing" else something)(chance, self.known)
        row = connection.execute(
            INSERTS[said.journal], [said.subject_id, said.activity_type, json.dumps(said.payload), reference]
        ).fetchone()
        assert row is not None
        with self._lock:
            self.acknowledged[said.journal, row[0]] = (row[1], said.activity_type)
            self._learn(said.activity_type, row[1])

    def _learn(self, activity_type: str, subject_id: UUID) -> None:
        if activity_type == "inbound_enquiry" and subject_id not in self.known.leads:
            self.known.leads.append(subject_id)
            self.met.append(subject_id)
        elif activity_type == "opportunity_opened":
            self.known.deals.append(subject_id)
        elif activity_type == "subscription_started":
            self.known.customers.append(subject_id)

    def _failed(self, error: psycopg.Error) -> None:
        with self._lock:
            self.told[error.sqlstate] += 1


def crash(server: Server) -> None:
    with server:
        with psycopg.connect(server.dsn(), autocommit=True) as connection:
            connection.execute("create database crash")
        migrate(server.dsn("crash"))
        tenant = Tenant(server.dsn("crash"))
        leads = tenant.leads(10)
        with tenant.connect() as connection:
            people = [row[0] for row in connection.execute("select person_id from leadline.people")]
        logins = {role: server.dsn("crash", tenant.login(role)) for role in ("app", "billing", "owner")}
        storm = Storm(logins, Known(leads, people, [], []))
        storm.begin()
        deadline = time.monotonic() + 20
        while len(storm.acknowledged) < 2500 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        storm.end()
        assert len(storm.acknowledged) >= 500, storm.told
        assert set(storm.told) <= EXPECTED | SHUTDOWN, storm.told
        assert {journal for journal, _ in storm.acknowledged} == set(JOURNALS), "all four were written to"

        server.start()
        with psycopg.connect(server.dsn("crash")) as connection:
            kept = {
                (journal, row[0]): (row[1], row[2])
                for journal, subject in JOURNALS.items()
                for row in connection.execute(
                    f"select activity_id, {subject}, activity_type from leadline.{journal}"
                )
            }
            twice = connection.execute(
                "select email_key from leadline.leads where workflow = 'sales' and status = 'active' group by 1 having count(*) > 1"
            ).fetchall()
        assert (twice, len(storm.met) >= PEOPLE) == ([], True)
        lost = {key: value for key, value in storm.acknowledged.items() if kept.get(key) != value}
        assert lost == {}
        assert faults(server.dsn("crash")) == []
        assert tenant.leads(1), "and life goes on"
