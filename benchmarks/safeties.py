"""(e) What each safety costs: the same inserts in clones of one database, each with one safety taken away.

One connection a clone, one-row statements in autocommit; what counts is the processor time of the backend.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any, LiteralString

from psycopg import Connection

from benchmarks import story
from benchmarks.ground import Ground
from benchmarks.rounds import Rounds, Sample, alternate, measured

INSERT = """
    insert into leadline.lead_activity (lead_id, activity_type, payload)
    values (%s, %s, %s) returning verdict, rule, to_stage
"""
INSERT_WITH_REFERENCE = """
    insert into leadline.lead_activity (lead_id, activity_type, payload, reference)
    values (%s, %s, %s, gen_random_uuid()::text) returning verdict, rule, to_stage
"""

# The deployed function without its chain. Its hashes still differ from row to row, as heads must.
WITHOUT_CHAIN = """
    do $do$
    declare
        v_before text := pg_get_functiondef('leadline_internal.decide'::regproc);
        v_after text := regexp_replace(v_before,
            'e\\.hash := sha256\\([^;]*;', 'e.hash := int8send(e.activity_id);');
    begin
        assert v_after <> v_before;
        execute v_after;
    end $do$
"""
DROP_TRIGGERS = """
    do $do$
    declare v_trigger record;
    begin
        for v_trigger in
            select t.tgname, t.tgrelid::regclass as relation from pg_trigger t
            where not t.tgisinternal and t.tgname ~ '{0}'
              and t.tgrelid in ('leadline.lead_activity'::regclass, 'leadline.leads'::regclass)
        loop
            execute format('drop trigger %I on %s', v_trigger.tgname, v_trigger.relation);
        end loop;
        assert found;
    end $do$
"""
REMOVALS: Mapping[str, LiteralString] = {
    "hash chain": WITHOUT_CHAIN,
    "journal's foreign keys": "alter table leadline.lead_activity drop constraint lead_activity_lead_exists,"
    " drop constraint lead_activity_type_is_known",
    "leads_stage_implies_status": "alter table leadline.leads drop constraint leads_stage_implies_status",
    "leads_place_has_what_it_needs": "alter table leadline.leads"
    " drop constraint leads_place_has_what_it_needs",
    "unique (lead, seq)": "alter table leadline.lead_activity drop constraint lead_activity_seq_has_no_twin",
    "commit-order index": "drop index leadline.lead_activity_in_order_of_commit",
    "row security for the caller": "alter table leadline.lead_activity disable row level security",
    "journal's checks": "alter table leadline.lead_activity drop constraint lead_activity_actor_is_known,"
    " drop constraint lead_activity_verdict_is_known, drop constraint lead_activity_applied_means_changed",
    "deny triggers": DROP_TRIGGERS.replace("{0}", "^t10_"),
    "after triggers": DROP_TRIGGERS.replace("{0}", "^t[78]0_"),
}
WHOLE = "everything in place"
EMPTY, PERSONAL, REFERENCE = "noted, empty payload", "noted, personal text", "with a reference"
TEXT = '{"text": "Could we move it to Thursday? My number has changed to +44 20 7946 0321."}'


@dataclass(frozen=True)
class Safeties:
    """The rounds, and pairs (dearer, cheaper) whose difference is the price of what the key names."""

    rounds: Rounds
    pairs: dict[str, tuple[str, str]]


def compare(ground: Ground, rounds: int, leads: int) -> Safeties:
    """One round takes `leads` leads of each clone through the story."""
    total = (rounds + 1) * leads
    template = ground.clone("safeties")
    with ground.admin(template) as admin:
        story.bear(admin, 1, total)
        admin.execute("vacuum (analyze)")
    names = (WHOLE, *REMOVALS, REFERENCE, EMPTY, PERSONAL)
    databases = {name: ground.clone(f"safety_{number}", template) for number, name in enumerate(names)}
    for name, statement in REMOVALS.items():
        with ground.admin(databases[name]) as admin:
            admin.execute(statement)
    with ExitStack() as stack:
        contestants: dict[str, Callable[[int], Sample]] = {}
        for name, database in databases.items():
            writer = stack.enter_context(ground.writer(database))
            activities = {
                EMPTY: (("message_received", "{}"),) * len(story.STORY),
                PERSONAL: (("message_received", TEXT),) * len(story.STORY),
            }.get(name, story.STORY)
            statement = INSERT_WITH_REFERENCE if name == REFERENCE else INSERT
            contestants[name] = partial(_write, writer, statement, activities, leads)
        found = alternate("safeties", contestants, rounds, ground.tell)
    _prove_same(ground, {n: d for n, d in databases.items() if n not in (EMPTY, PERSONAL)}, total)
    for database in (*databases.values(), template):
        ground.drop(database)
    pairs = {name: (WHOLE, name) for name in REMOVALS}
    pairs["reference (when given)"] = (REFERENCE, WHOLE)
    pairs["personal text kept apart (when given)"] = (PERSONAL, EMPTY)
    return Safeties(found, pairs)


def _write(
    writer: Connection[Any],
    statement: LiteralString,
    activities: tuple[tuple[str, str], ...],
    leads: int,
    number: int,
) -> Sample:
    ids = [story.lead_id(1 + number * leads + n) for n in range(leads)]
    with measured(leads * len(activities), writer.info.backend_pid) as sample:
        for activity_type, payload in activities:
            for lead_id in ids:
                writer.execute(statement, [lead_id, activity_type, payload])
    return sample


def _prove_same(ground: Ground, databases: Mapping[str, str], total: int) -> None:
    """All clones must hold the same rows and the same leads, whatever was taken away."""
    found = set()
    for database in databases.values():
        with ground.admin(database) as admin:
            rows = story.digest(admin, "leadline", 1, total)
            found.add((*rows, *story.digest_of_leads(admin, "leadline", 1, total)))
    assert len(found) == 1
    assert next(iter(found))[0] == total * story.LAST
