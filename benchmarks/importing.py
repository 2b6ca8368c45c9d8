"""(g) `leadline import` of a list into a fresh workspace, against plain INSERTs of the rows that it made.

The command runs as a process of its own, as a person would start it. The plain side is what a script of one's
own would do if it knew everything already: the very rows that the import left behind (people, their keys,
leads, a journal row, its personal text, its reference), finished, as multi-row INSERTs of 1,000 leads a
transaction into untriggered twins of the same tables in the same database. It reads no file, understands no
cell, finds no person, decides and hashes nothing. After each round both sides must hold the same rows.
A second list of a tenth of the lines tells whether time and memory grow with the list.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from psycopg import Connection
from psycopg.sql import SQL, Composed, Identifier, Literal

from app.deploy import ROOT
from benchmarks import twins
from benchmarks.ground import Ground, value
from benchmarks.rounds import Rounds, Sample, alternate, cpu_of, cpu_of_children
from benchmarks.story import columns_of

FEW, IMPORT, PLAIN = "few", "import", "plain"
WORKSPACE = "Import"
BATCH = 1_000  # leads a statement and transaction of the plain side

HEADER = (
    "id", "name", "company", "email", "phone", "stage", "created", "entered", "value", "currency", "reason",
)  # fmt: skip
MAP = """\
workflow: sales
numbers: plain
dates: iso
source: list
columns:
  external_id: id
  name: name
  company: company
  email: email
  phone: phone
  stage: stage
  created_at: created
  entered_at: entered
  deal_value: value
  currency: currency
  lost_reason: reason
"""
STAGES = ("new",) * 9 + ("contacted",) * 4 + ("qualified",) * 2 + ("proposal",) * 2 + ("won",) * 2 + ("lost",)

# Starts the command, and tells of it alone: a child of a large process would seem as large.
MEASURE = """
import json, os, sys, time
begun = time.perf_counter()
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(pid, 0)
print(json.dumps([time.perf_counter() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss, status]))
"""
KIBIBYTE = 1 if sys.platform == "darwin" else 1024  # what ru_maxrss counts

ORDER = """
    create table bench.imported as
    select row_number() over (order by a.activity_id) as n, a.lead_id, a.activity_id, l.person_id
    from leadline.lead_activity a join leadline.leads l using (workspace_id, lead_id)
    where a.workspace_id = {workspace};
    alter table bench.imported add primary key (n);
    create index on bench.imported (activity_id);
    analyze
"""
ROWS = """
    select {columns} from {table} t join bench.imported i on {condition}
    where t.workspace_id = {workspace} and i.n between %s and %s order by i.n
"""
DIFFERENCE = """
    select count(*) from (
        (select {columns} from {table} t where t.workspace_id = {workspace}
            except all select {columns} from {twin} t)
        union all
        (select {columns} from {twin} t
            except all select {columns} from {table} t where t.workspace_id = {workspace})) d
"""
CONDITIONS = {
    "leadline.people": "i.person_id = t.person_id",
    "leadline.person_keys": "i.person_id = t.person_id",
    twins.LEADS: "i.lead_id = t.lead_id",
    twins.JOURNAL: "i.activity_id = t.activity_id",
    "leadline.activity_content": "i.activity_id = t.activity_id",
    "leadline_internal.activity_references": "i.activity_id = t.activity_id",
}


def compare(ground: Ground, rounds: int, lines: int) -> Rounds:
    """Time and memory of the command with a tenth of the lines and with all; time of the plain side."""
    template = ground.clone("import")
    with ground.admin(template) as admin:
        admin.execute("select leadline.create_workspace(%s)", [WORKSPACE])
        twins.make_empty(admin, twins.PLAIN, twins.IMPORTED)
    with tempfile.TemporaryDirectory() as folder:
        lists = {size: _write_list(Path(folder), size) for size in (lines // 10, lines)}
        (Path(folder) / "map.yaml").write_text(MAP)
        databases: dict[str, str] = {}

        def command(name: str, size: int, _: int) -> Sample:
            databases[name] = ground.clone(f"import_{name}", template)
            sample = _import(ground, databases[name], lists[size], size)
            if name == FEW:
                ground.drop(databases[name])
            return sample

        def plain(_: int) -> Sample:
            sample = _insert(ground, databases[IMPORT], lines)
            ground.drop(databases[IMPORT])
            return sample

        found = alternate(
            f"import of {lines:,} lines",
            {FEW: partial(command, FEW, lines // 10), IMPORT: partial(command, IMPORT, lines), PLAIN: plain},
            rounds,
            ground.tell,
        )
    ground.drop(template)
    return found


def _write_list(folder: Path, lines: int) -> Path:
    """A list of leads at every stage of sales, each of a person with an e-mail address and a mobile phone."""
    path = folder / f"list-{lines}.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        for n in range(lines):
            stage = STAGES[n * 7 % len(STAGES)]
            has_value = stage in ("proposal", "won") or n % 3 == 0
            created = f"20{20 + n % 5}-{1 + n % 12:02d}-{1 + n % 28:02d}T{n % 24:02d}:{n % 60:02d}:00Z"
            entered = f"2025-{1 + n % 12:02d}-{1 + n % 28:02d}T12:00:00Z"
            writer.writerow(
                (
                    f"c-{n}", f"Ida Number{n}", f"Company {n % 5000}", f"ida.{n}@company{n % 5000}.example",
                    f"+49 151 {20000000 + n}", stage, created, entered,
                    f"{100 + n % 90000}.50" if has_value else "", "EUR" if has_value else "",
                    "Price" if stage == "lost" else "",
                )
            )  # fmt: skip
    return path


def _import(ground: Ground, database: str, path: Path, lines: int) -> Sample:
    server = ground.server
    assert server.pid is not None
    cpu = cpu_of_children(server.pid)
    done = subprocess.run(
        [
            sys.executable, "-c", MEASURE, sys.executable, "-m", "app.cli", "import", str(path),
            "--map", str(path.with_name("map.yaml")), "--workspace", WORKSPACE,
            "--dsn", server.dsn(database),
        ],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    said, _, told = done.stdout.strip().rpartition("\n")
    assert f"{lines} rows: {lines} leads made," in said, done.stdout + done.stderr[-2000:]
    seconds, client_cpu, memory, status = json.loads(told)
    assert status == 0, done.stderr[-2000:]
    with ground.admin(database) as admin:
        _wait_for_backends(admin)  # its processor time counts when it has ended
        return Sample(lines, seconds, cpu_of_children(server.pid) - cpu, client_cpu, memory * KIBIBYTE)


def _wait_for_backends(admin: Connection[Any]) -> None:
    while value(admin, "select count(*) from pg_stat_activity where datname = current_database()") > 1:
        time.sleep(0.01)
    time.sleep(0.05)  # between leaving the list and ending


def _insert(ground: Ground, database: str, lines: int) -> Sample:
    """The plain side; only quoting, sending and waiting count, not the reading of the rows."""
    sample = Sample(lines, 0.0, 0.0, 0.0)
    with ground.admin(database) as admin, ground.admin(database) as script:
        workspace = value(admin, "select workspace_id from leadline.workspaces where name = %s", WORKSPACE)
        admin.execute(SQL(ORDER).format(workspace=Literal(workspace)))
        columns = {table: _filled(admin, table, workspace) for table in twins.IMPORTED}
        reads = {table: _rows(table, columns[table], workspace) for table in twins.IMPORTED}
        heads = {
            table: SQL("insert into {} ({}) values ")
            .format(twins.twin(twins.PLAIN, table), SQL(", ").join(map(Identifier, columns[table])))
            .as_string(admin)
            for table in twins.IMPORTED
        }
        backend = script.info.backend_pid
        for first in range(1, lines + 1, BATCH):
            rows = {
                table: admin.execute(read, [first, first + BATCH - 1]).fetchall()
                for table, read in reads.items()
            }
            cpu, own, begun = cpu_of(backend), time.process_time(), time.perf_counter()
            with script.transaction():
                for table, head in heads.items():
                    script.execute(_statement(head, rows[table]))
            sample.seconds += time.perf_counter() - begun
            sample.client_cpu += time.process_time() - own
            sample.cpu += cpu_of(backend) - cpu
        for table in twins.IMPORTED:
            assert value(admin, _difference(admin, table, workspace)) == 0, f"not the same rows: {table}"
        assert value(admin, "select count(*) from plain.leads") == lines
    return sample


def _statement(head: str, rows: Sequence[tuple[str | None, ...]]) -> bytes:
    """Every value as text in quotes; the quickest way there is in Python."""
    written = (
        ",".join("null" if cell is None else "'" + cell.replace("'", "''") + "'" for cell in row)
        for row in rows
    )
    return (head + "(" + "),(".join(written) + ")").encode()


def _filled(admin: Connection[Any], table: str, workspace: Any) -> list[str]:
    """The columns that any row fills; a script would not name the others."""
    names = columns_of(admin, table)
    row = admin.execute(
        SQL("select {} from {} where workspace_id = {}").format(
            SQL(", ").join(SQL("count({})").format(Identifier(name)) for name in names),
            SQL(table),
            Literal(workspace),
        )
    ).fetchone()
    assert row is not None
    return [name for name, count in zip(names, row, strict=True) if count]


def _rows(table: str, columns: Sequence[str], workspace: Any) -> Composed:
    return SQL(ROWS).format(
        columns=SQL(", ").join(SQL("t.{}::text").format(Identifier(name)) for name in columns),
        table=SQL(table),
        condition=SQL(CONDITIONS[table]),
        workspace=Literal(workspace),
    )


def _difference(admin: Connection[Any], table: str, workspace: Any) -> Composed:
    return SQL(DIFFERENCE).format(
        columns=SQL(", ").join(
            SQL("t.{}::text").format(Identifier(name)) for name in columns_of(admin, table)
        ),
        table=SQL(table),
        twin=twins.twin(twins.PLAIN, table),
        workspace=Literal(workspace),
    )
