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
from pathlib import Path
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
PAYLOADS = {
    "note_added": '{"text": "x"}',
    "deal_lost": '{"lost_reason": "Price"}',
    "proposal_sent": '{"deal_value": 5}',
}
EXPECTED = {"40001", "40P01", None}  # None: the connection is gone
INSERT = """
    insert into leadline.lead_activity (lead_id, activity_type, payload, reference)
    values (%s, %s, %s, %s) returning activity_id, lead_id"""
SHUTDOWN = {"57P01", "57P02", "57P03"}


@pytest.mark.slow
def test_no_acknowledged_activity_is_lost_when_the_server_is_killed() -> None:
    """Durable settings, fifty sessions of random activities on ten leads, kill -9 of the postmaster."""
    folder = Path(tempfile.gettempdir()) / f"leadline-crash-{os.getpid()}-{time.time_ns():x}"
    server = Server(folder, {"max_connections": "80"})
    try:
        crash(server)
    finally:
        server.release()
        shutil.rmtree(folder)


def something(chance: random.Random, leads: list[UUID]) -> tuple[UUID | None, str, str]:
    """An activity of one of the leads; or somebody of a dozen writes in to sales, by one of four phones."""
    if chance.random() < 0.4:
        email, phone = f"p{chance.randrange(12)}@x.example", f"+3460000000{chance.randrange(4)}"
        return (
            None,
            "inbound_enquiry",
            json.dumps({"workflow": "sales", "email": email, "phone": phone, "message": "hello"}),
        )
    activity_type = chance.choice(TYPES)
    return chance.choice(leads), activity_type, PAYLOADS.get(activity_type, "{}")


def crash(server: Server) -> None:
    with server:
        with psycopg.connect(server.dsn(), autocommit=True) as connection:
            connection.execute("create database crash")
        migrate(server.dsn("crash"))
        tenant = Tenant(server.dsn("crash"))
        leads = tenant.leads(10)
        login_dsn = server.dsn("crash", tenant.login())
        acknowledged: dict[int, tuple[UUID, str]] = {}
        told: Counter[str | None] = Counter()
        met: list[UUID] = []  # by enquiries
        lock, stop = threading.Lock(), threading.Event()

        def write(number: int) -> None:
            chance = random.Random(number)  # noqa: S311
            try:
                with psycopg.connect(login_dsn, autocommit=True) as connection:
                    while not stop.is_set():
                        lead_id, activity_type, payload = something(chance, [*leads, *met])
                        try:
                            row = connection.execute(
                                INSERT, [lead_id, activity_type, payload, f"{number}-{chance.random()}"]
                            ).fetchone()
                        except psycopg.Error as e:
                            with lock:
                                told[e.sqlstate] += 1
                            if connection.closed:
                                return
                            continue
                        assert row is not None
                        with lock:
                            acknowledged[row[0]] = (row[1], activity_type)
                            met.extend({row[1]} - {lead_id, *met})
            except psycopg.OperationalError as e:
                with lock:
                    told[e.sqlstate] += 1

        writers = [threading.Thread(target=write, args=[n]) for n in range(50)]
        for writer in writers:
            writer.start()
        deadline = time.monotonic() + 20
        while len(acknowledged) < 1500 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        for writer in writers:
            writer.join(30)
            assert not writer.is_alive()
        assert len(acknowledged) >= 500, told
        assert set(told) <= EXPECTED | SHUTDOWN, told

        server.start()
        with psycopg.connect(server.dsn("crash")) as connection:
            kept = {
                row[0]: (row[1], row[2])
                for row in connection.execute(
                    "select activity_id, lead_id, activity_type from leadline.lead_activity"
                )
            }
            twice = connection.execute(
                "select email_key from leadline.leads where workflow = 'sales' and status = 'active' group by 1 having count(*) > 1"
            ).fetchall()
        assert (twice, len(met) >= 12) == ([], True)
        lost = {key: value for key, value in acknowledged.items() if kept.get(key) != value}
        assert lost == {}
        assert faults(server.dsn("crash")) == []
        assert tenant.leads(1), "and life goes on"
