"""(c) POST /v1/leads/{id}/activities through the running service, against the same insert made by psycopg."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from typing import IO, Any

from app.deploy import ROOT
from benchmarks import story
from benchmarks.clients import CLIENTS, HOST, Report
from benchmarks.ground import Ground, value
from benchmarks.rounds import Rounds, Sample, alternate, cpu_of_threads

PATIENCE = 60.0  # seconds for the service to listen, and to end
SERVE = "from app import main, settings; main.serve(settings.Settings.from_environment())"
ANSWERS = {  # how often in a story
    "service": {"201": 9, "409": 1},
    "psycopg": {"applied": 6, "noted": 3, "refused": 1},
}


def compare(ground: Ground, rounds: int, leads: int) -> Rounds:
    """Throughput of both; a client takes `leads` leads of its own through the story in a round.

    The processor time is that of the service's process, without the server's; for psycopg, of its clients'.
    """
    database = ground.clone("service")
    half = (rounds + 1) * CLIENTS * leads
    with ground.admin(database) as admin, contextlib.ExitStack() as stack:
        story.bear(admin, 1, 2 * half)
        admin.execute("vacuum (analyze)")
        workspace = value(admin, "select workspace_id from leadline.workspaces")
        token = value(admin, "select leadline.create_token(%s, 'app')", workspace)
        service, port = stack.enter_context(serving(ground.server.dsn(database, "leadline_service")))
        by_http = stack.enter_context(four_clients({"port": port, "token": token}))
        by_sql = stack.enter_context(four_clients({"dsn": ground.server.dsn(database, ground.login)}))
        found = alternate(
            "service",
            {
                "service": partial(_play, "service", by_http, service.pid, 1, leads),
                "psycopg": partial(_play, "psycopg", by_sql, by_sql.pid, 1 + half, leads),
            },
            rounds,
            ground.tell,
        )
        # what both halves must have made of their leads: the pattern's own last state
        made = admin.execute(
            """
            select count(*) filter (where
                (l.stage, l.status, l.seq, l.version, l.deal_value, l.appointment_ref)
                = (s.stage, s.status, s.seq, s.version, s.deal_value, s.appointment_ref))
            from leadline.leads l, bench.states s, generate_series(1::bigint, %s) n
            where l.lead_id = bench.lead_id(n) and s.seq = %s
            """,
            [2 * half, story.LAST],
        ).fetchone()
        assert made == (2 * half,)
    ground.drop(database)
    return found


def _play(
    name: str, clients: subprocess.Popen[str], process: int, first: int, leads: int, number: int
) -> Sample:
    begin = first + number * CLIENTS * leads
    own = [[story.lead_id(begin + c * leads + n) for n in range(leads)] for c in range(CLIENTS)]
    reports = [
        [Report(lead_id, *activity) for activity in story.STORY for lead_id in of_client] for of_client in own
    ]
    cpu = cpu_of_threads(process)
    seconds, answers = send(clients, reports)
    used = cpu_of_threads(process) - cpu
    assert answers == {answer: n * CLIENTS * leads for answer, n in ANSWERS[name].items()}, answers
    return Sample(CLIENTS * leads * len(story.STORY), seconds, used)


def send(clients: subprocess.Popen[str], reports: list[list[Report]]) -> tuple[float, dict[str, int]]:
    """One round of the four clients: the seconds it took, and how often which answer came."""
    assert clients.stdin is not None
    assert clients.stdout is not None
    print(json.dumps(reports), file=clients.stdin, flush=True)
    said = json.loads(clients.stdout.readline())
    return said["seconds"], said["answers"]


@contextlib.contextmanager
def four_clients(way: dict[str, Any]) -> Iterator[subprocess.Popen[str]]:
    """The process of four clients that went this way."""
    command = [sys.executable, "-m", "benchmarks.clients"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdin is not None
        print(json.dumps(way), file=process.stdin, flush=True)
        try:
            yield process
        finally:
            process.terminate()


@contextlib.contextmanager
def serving(dsn: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The service on a free port of 127.0.0.1: its process and that port."""
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", SERVE],
            env=os.environ | {"LEADLINE_DSN": dsn, "LEADLINE_HOST": HOST, "LEADLINE_PORT": "0"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=ROOT,
        )
        try:
            yield process, _port(process, log)
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _port(process: subprocess.Popen[bytes], log: IO[str]) -> int:
    """The port that the service names in its log, once it lets somebody in there."""
    deadline = time.monotonic() + PATIENCE
    said = ""
    while process.poll() is None and time.monotonic() < deadline:
        said = os.pread(log.fileno(), 10_000, 0).decode()
        if named := re.search(r"listening on \S+ port (\d+)", said):
            with contextlib.suppress(ConnectionRefusedError), socket.create_connection((HOST, int(named[1]))):
                return int(named[1])
        time.sleep(0.02)
    raise AssertionError(f"the service does not listen: {said}")
