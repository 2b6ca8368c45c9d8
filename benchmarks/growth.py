"""(d) Does an insert cost more in a full journal than in a young one? And how fast is a full one verified?"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Any

from psycopg import Connection

from benchmarks import pgbench, single, story
from benchmarks.ground import Ground, value
from benchmarks.rounds import Rounds, Sample, alternate


@dataclass(frozen=True)
class Growth:
    """What was found: the rounds, the rows of both journals at the start, rows a second by verification."""

    rounds: Rounds
    small: int
    large: int
    verified: dict[str, float]


def compare(ground: Ground, rounds: int, leads: int, small: int, large: int) -> Growth:
    """Single inserts at `small` and at `large` activities, round by round.

    In both databases the leads that are touched are as many and new; the rest has the whole story behind it.
    """
    databases = {"small": ground.clone("small"), "large": ground.clone("large")}
    rows: dict[str, int] = {}
    touched = (rounds + 1) * pgbench.CLIENTS * leads
    for name, wanted in (("small", small), ("large", large)):
        ground.tell(f"growth: filling a journal with {wanted:,} activities")
        with ground.admin(databases[name]) as admin:
            others = max(1, (wanted - touched) // story.LAST)
            story.bear(admin, 1, touched + others)
            story.live(admin, touched + 1, touched + others)
            admin.execute("vacuum (freeze, analyze)")
            rows[name] = value(admin, "select count(*) from leadline.lead_activity")
            script = single.Scripts(admin).trigger

    def contestant(database: str, number: int) -> Sample:
        return pgbench.run(ground, database, script, 1 + number * pgbench.CLIENTS * leads, leads)

    found = alternate(
        "growth",
        {name: partial(contestant, database) for name, database in databases.items()},
        rounds,
        ground.tell,
    )
    with ground.admin(databases["small"]) as few, ground.admin(databases["large"]) as many:
        written = story.digest(few, "leadline", 1, touched)
        assert written[0] == touched * story.LAST
        assert written == story.digest(many, "leadline", 1, touched)
        assert story.digest_of_leads(few, "leadline", 1, touched) == story.digest_of_leads(
            many, "leadline", 1, touched
        )
        ground.tell("growth: verifying the large journal")
        verified = {name: _verify(many, name) for name in ("verify_chain", "verify_state")}
    for database in databases.values():
        ground.drop(database)
    return Growth(found, rows["small"], rows["large"], verified)


VERIFY = {
    "verify_chain": "select count(*) from leadline.verify_chain()",
    "verify_state": "select count(*) from leadline.verify_state()",
}


def _verify(admin: Connection[Any], name: str) -> float:
    """Rows a second; the journal must be sound."""
    rows = value(admin, "select count(*) from leadline.lead_activity")
    begun = time.perf_counter()
    assert value(admin, VERIFY[name]) == 0, f"{name} finds faults"
    return float(rows / (time.perf_counter() - begun))
