"""pgbench, from the server's own programs: four clients, each with leads of its own, all through the story.

A script's variables: n counts a client's transactions, step is a step of the story, id the last part of the
lead's id. A client takes all its leads through a step before the next step begins.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable

from psycopg.conninfo import conninfo_to_dict

from benchmarks.ground import Ground
from benchmarks.rounds import Sample, cpu_of_children
from benchmarks.story import FIRST, ID_PREFIX, ID_SUFFIX, LAST

CLIENTS = 4
HEAD = rf"""
\set n :n + 1
\set step {FIRST} + :n / :leads
\set lead :first + :client_id * :leads + :n % :leads
\set id {ID_SUFFIX.format(":lead")}
"""
LEAD_ID = f"'{ID_PREFIX}:id'"


def script(statements: Callable[[int], str]) -> str:
    """A pgbench script: at each step, what `statements` gives for it."""
    branches = [
        f"\\{'if' if step == FIRST else 'elif'} :step = {step}\n{statements(step)}"
        for step in range(FIRST, LAST + 1)
    ]
    return "\n".join((HEAD, *branches, "\\endif\n"))


def run(ground: Ground, database: str, text: str, first: int, leads: int) -> Sample:
    """Run a script: each client takes `leads` leads through the story, client 0 from lead `first` on.

    Its seconds are those between the first transaction and the last; its processor time is the backends'.
    """
    server = ground.server
    rows = CLIENTS * leads * (LAST - FIRST + 1)
    given = conninfo_to_dict(server.dsn(database, ground.login))
    command = [
        str(server.binaries.bin_dir / "pgbench"), "--no-vacuum", "--protocol=simple", "--file=-",
        f"--client={CLIENTS}", f"--jobs={min(CLIENTS, os.cpu_count() or 1)}",
        f"--transactions={rows // CLIENTS}", f"--define=leads={leads}", f"--define=first={first}",
        "--define=n=-1", f"--host={given['host']}", f"--port={given['port']}", f"--username={given['user']}",
        database,
    ]  # fmt: skip
    assert server.pid is not None
    cpu = cpu_of_children(server.pid)
    done = subprocess.run(
        command,
        input=text,
        env=os.environ | {"PGOPTIONS": "-c client_min_messages=error"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"pgbench failed: {done.stderr[-2000:]}"
    assert f"actually processed: {rows}/{rows}" in done.stdout, done.stdout + done.stderr
    rate = re.search(r"tps = ([\d.]+) \(without initial connection time\)", done.stdout)
    assert rate is not None, done.stdout
    return Sample(rows, rows / float(rate[1]), cpu_of_children(server.pid) - cpu)
