"""(b) Many activities in one statement: the trigger, the floor, a bare insert.

The floor writes what the trigger writes and decides nothing: for each step of the story one INSERT … SELECT
of rows that are finished but for id, transaction and hash, and one UPDATE of the same leads. So it makes as
many journal rows, as many chained hashes by the same canonical(), and as many new versions of lead rows,
under the same keys, indexes, checks, foreign keys and row security, in as few statements as chaining allows:
a row's hash needs the hash before it. Author, lock, look-up and decision are what it leaves out.
Each round is one transaction that is rolled back, and the tables are vacuumed, so all rounds begin alike.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from psycopg import Connection
from psycopg.sql import SQL, Composed, Identifier, Literal

from benchmarks import story, twins
from benchmarks.ground import Ground, value
from benchmarks.rounds import Rounds, Sample, alternate, measured

# All reports of a lead follow each other, as whoever writes many rows should send them.
TRIGGER = """
    insert into leadline.lead_activity (lead_id, activity_type, payload)
    select r.lead_id, r.activity_type, r.payload from bench.reports r order by r.n
"""
BARE = """
    insert into bare.lead_activity ({columns})
    select {columns} from bench.finished r order by r.n
"""
INPUT = """
    create table bench.reports as
    select row_number() over (order by l, s.seq) as n, l.lead_id, s.activity_type, t.payload
    from (select n, bench.lead_id(n) as lead_id from generate_series(1::bigint, {leads}) n) l
    cross join bench.story s
    join (values {told}) t (seq, payload) on t.seq = s.seq
    order by 1;
    create table bench.finished as
    select row_number() over (order by n, s.seq) as n, {made}
    from generate_series(1::bigint, {leads}) n cross join bench.story s
    where s.seq between {first} and {last} order by 1;
    grant select on bench.reports, bench.finished to {login};
    analyze bench.reports; analyze bench.finished
"""


def compare(ground: Ground, rounds: int, leads: int, steps: int) -> Rounds:
    """Time of the three for `steps` steps of the story on each of `leads` leads."""
    database = ground.clone("bulk")
    with ground.admin(database) as admin, ground.writer(database) as writer:
        story.bear(admin, 1, leads)
        _lay_input(admin, ground.login, leads, steps)
        twins.make(admin, ground.login)
        columns = SQL(", ").join(map(Identifier, story.columns_of(admin, "leadline.lead_activity")))
        last = story.FIRST + steps - 1
        statements: dict[str, list[Composed]] = {
            "trigger": [SQL(TRIGGER).format()],
            "floor": [
                story.write_step(admin, twins.CLIENT, step, 1, leads) for step in range(story.FIRST, last + 1)
            ],
            "bare": [SQL(BARE).format(columns=columns)],
        }
        written: dict[str, list[tuple[Any, ...]]] = {}

        def note(name: str, schema: str) -> None:
            written[name] = [story.digest(writer, schema, 1, leads)]
            if name != "bare":
                written[name].append(story.digest_of_leads(writer, schema, 1, leads))

        schemas = {"trigger": "leadline", "floor": twins.CLIENT, "bare": twins.BARE}
        contestants: dict[str, Callable[[int], Sample]] = {
            name: partial(
                _write, admin, writer, statements[name], leads * steps, partial(note, name, schemas[name])
            )
            for name in statements
        }
        found = alternate(f"{leads:,} leads, {steps} activities each", contestants, rounds, ground.tell)
        assert written["trigger"] == written["floor"]
        assert written["trigger"][:1] == written["bare"]
        assert written["trigger"][0][0] == leads * (steps + 1)
    ground.drop(database)
    return found


def _write(
    admin: Connection[Any],
    writer: Connection[Any],
    statements: list[Composed],
    rows: int,
    note: Callable[[], None],
    number: int,
) -> Sample:
    with writer.transaction(force_rollback=True):
        with measured(rows, writer.info.backend_pid) as sample:
            for statement in statements:
                writer.execute(statement)
        if number == 0:
            note()
    admin.execute("vacuum")
    return sample


def _lay_input(admin: Connection[Any], login: str, leads: int, steps: int) -> None:
    made = {
        "lead_id": "bench.lead_id(n) as lead_id",
        "activity_id": "10000000 + row_number() over (order by n, s.seq) as activity_id",
    }
    told = [
        SQL("({}, {}::jsonb)").format(Literal(step), Literal(payload))
        for step, (_, payload) in enumerate(story.STORY[:steps], start=story.FIRST)
    ]
    admin.execute(
        SQL(INPUT).format(
            leads=Literal(leads),
            told=SQL(", ").join(told),
            made=SQL(", ").join(
                SQL(made[name]) if name in made else Identifier("s", name)
                for name in story.columns_of(admin, "leadline.lead_activity")
            ),
            first=Literal(story.FIRST),
            last=Literal(story.FIRST + steps - 1),
            login=Identifier(login),
        )
    )
    assert value(admin, "select count(*) from bench.reports") == leads * steps
