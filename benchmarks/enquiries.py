"""(h) What an enquiry costs more than the birth of a lead: matching, a request, who is told; the service.

Four clients, each on one connection, one report a transaction. The base is lead_created with the same name,
addresses and company. An enquiry makes a lead of an address that nobody has, or meets the open lead that
lead_created made of the same address in the same round; through the service it always makes one.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import uuid
from functools import partial
from typing import Any

from psycopg import Connection

from benchmarks.clients import CLIENTS, Report
from benchmarks.ground import Ground, value
from benchmarks.rounds import Rounds, Sample, alternate, cpu_of_backends
from benchmarks.service import four_clients, send, serving

CREATED, NEW, MET, POSTED, KEYED = CONTESTANTS = ("created", "new", "met", "posted", "keyed")
SETTLED = 2_000  # leads that are there already: tables and plans are no longer those of an empty database

SETTLE = """
    insert into leadline.lead_activity (activity_type, payload)
    select 'lead_created', jsonb_build_object('workflow', 'sales', 'name', 'Ida Before',
        'email', 'before.' || n || '@company' || n %% 500 || '.example', 'phone', '+49151' || 20000000 + n)
    from generate_series(1, %s) n
"""
SOUND = """
    select (select count(*) from leadline.verify_state()) + (select count(*) from leadline.verify_chain())
"""


def compare(ground: Ground, rounds: int, leads: int) -> Rounds:
    """Time of one report, of which a client sends `leads` in a round; processor time of the backends."""
    database = ground.clone("enquiries")
    with (
        ground.admin(database) as admin,
        ground.writer(database) as writer,
        contextlib.ExitStack() as stack,
    ):
        writer.execute(SETTLE, [SETTLED])
        admin.execute("vacuum (analyze)")
        before = _counts(admin)
        workspace = value(admin, "select workspace_id from leadline.workspaces")
        token = value(admin, "select leadline.create_token(%s, 'app')", workspace)
        _, port = stack.enter_context(serving(ground.server.dsn(database, "leadline_service")))
        by_sql = stack.enter_context(four_clients({"dsn": ground.server.dsn(database, ground.login)}))
        by_http = stack.enter_context(four_clients({"port": port, "token": token}))
        found = alternate(
            "enquiries",
            {
                name: partial(_play, name, admin, by_http if name in (POSTED, KEYED) else by_sql, leads)
                for name in CONTESTANTS
            },
            rounds,
            ground.tell,
        )
        each = (rounds + 1) * CLIENTS * leads
        made = [after - first for first, after in zip(before, _counts(admin), strict=True)]
        assert made == [4 * each, 5 * each, 4 * each, each], made
        assert value(admin, SOUND) == 0
    ground.drop(database)
    return found


def _play(
    name: str, admin: Connection[Any], clients: subprocess.Popen[str], leads: int, number: int
) -> Sample:
    reports = [
        [_report(name, (number * CLIENTS + client) * leads + n) for n in range(leads)]
        for client in range(CLIENTS)
    ]
    before = cpu_of_backends(admin)
    seconds, answers = send(clients, reports)
    cpu = sum(used - before.get(pid, 0) for pid, used in cpu_of_backends(admin).items())
    said = "201" if name in (POSTED, KEYED) else "noted" if name == MET else "applied"
    assert answers == {said: CLIENTS * leads}, (name, answers)
    return Sample(CLIENTS * leads, seconds, cpu)


def _report(name: str, number: int) -> Report:
    """Report `number` of a contestant; that of a meeting comes from whoever lead_created made a lead of."""
    whose = CREATED if name == MET else name
    digits = f"{CONTESTANTS.index(whose) + 3}{number:07d}"
    payload = {
        "workflow": "sales",
        "name": f"Ida Number{number}",
        "company": f"Company {number % 500}",
        "email": f"{whose}.{number}@company{number % 500}.example",
        "phone": f"+49151{digits}",
    }
    if name != CREATED:
        payload["message"] = "Could you send us a quote for forty seats? We would like to begin in May."
    return Report(
        None,
        "lead_created" if name == CREATED else "inbound_enquiry",
        json.dumps(payload),
        str(uuid.uuid4()) if name == KEYED else None,
    )


def _counts(admin: Connection[Any]) -> list[int]:
    """Leads, activities of leads, requests, answers kept under a key."""
    row = admin.execute(
        """
        select (select count(*) from leadline.leads), (select count(*) from leadline.lead_activity),
            (select count(*) from leadline.requests), (select count(*) from leadline.idempotency_keys)
        """
    ).fetchone()
    assert row is not None
    return list(row)
