"""Four clients in a process of their own, over HTTP or over SQL: `python -m benchmarks.clients`.

Speaks JSON, a line a message. The first line it reads says where to go: {"port", "token"} or {"dsn"}. Every
further line is a round: for each client its reports [lead_id, activity_type, payload, key], one a request
over the connection it keeps; by HTTP one without lead_id to POST /v1/leads, a key as its Idempotency-Key.
The answer is {"seconds", "answers": {"201": …}}; over SQL the answers are verdicts.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import psycopg

CLIENTS = 4
HOST = "127.0.0.1"
INSERT = """
    insert into leadline.lead_activity (lead_id, activity_type, payload) values (%s, %s, %s)
    returning verdict, rule, to_stage
"""


class Report(NamedTuple):
    """One activity as a client sends it; payload is JSON."""

    lead_id: str | None
    activity_type: str
    payload: str
    key: str | None = None


Send = Callable[[Report], str]


def over_http(port: int, token: str) -> Send:
    """One keep-alive connection, as lean as a client can be: it is the service that is measured."""
    connection = socket.create_connection((HOST, port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    answers = connection.makefile("rb")

    def send(report: Report) -> str:
        if report.lead_id is None:
            path, body = "", report.payload
        else:
            path = f"/{report.lead_id}/activities"
            body = f'{{"activity_type": "{report.activity_type}", "payload": {report.payload}}}'
        key = f"Idempotency-Key: {report.key}\r\n" if report.key else ""
        connection.sendall(
            f"POST /v1/leads{path} HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n{key}"
            f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        status = answers.readline().split()[1].decode()
        length = 0
        while line := answers.readline().strip():
            name, _, text = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(text)
        answers.read(length)
        return status

    return send


def over_sql(dsn: str) -> Send:
    """One connection of the bound login; each insert commits by itself."""
    connection = psycopg.connect(dsn, autocommit=True, options="-c client_min_messages=error")

    def send(report: Report) -> str:
        row = connection.execute(INSERT, report[:3]).fetchone()
        return str(row and row[0])

    return send


def play(clients: list[Send], reports: list[list[Report]]) -> dict[str, Any]:
    """One round of all clients at once."""
    start = threading.Barrier(len(clients) + 1)
    answers: list[Counter[str]] = [Counter() for _ in clients]

    def client(send: Send, own: list[Report], said: Counter[str]) -> None:
        start.wait()
        for report in own:
            said[send(report)] += 1

    threads = [
        threading.Thread(target=client, args=three) for three in zip(clients, reports, answers, strict=True)
    ]
    for thread in threads:
        thread.start()
    start.wait()
    begun = time.perf_counter()
    for thread in threads:
        thread.join()
    return {"seconds": time.perf_counter() - begun, "answers": sum(answers, Counter())}


def main() -> None:
    """Connect, then play rounds until standard input ends."""
    way = json.loads(sys.stdin.readline())
    clients = [over_sql(**way) if "dsn" in way else over_http(**way) for _ in range(CLIENTS)]
    for line in sys.stdin:
        reports = [[Report(*report) for report in own] for own in json.loads(line)]
        print(json.dumps(play(clients, reports)), flush=True)


if __name__ == "__main__":
    main()
