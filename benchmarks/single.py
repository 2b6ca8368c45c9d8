"""(a) One activity a statement, four clients: trigger, bare insert, a client that keeps the same promises."""

from __future__ import annotations

from functools import partial
from typing import Any, LiteralString

from psycopg import Connection
from psycopg.sql import SQL, Composable, Composed, Identifier, Literal

from benchmarks import pgbench, story, twins
from benchmarks.ground import Ground
from benchmarks.rounds import Rounds, Sample, alternate

TRIGGER = """
insert into leadline.lead_activity (lead_id, activity_type, payload)
values ({lead_id}, {activity_type}, {payload}) returning verdict, rule, to_stage;
"""

# A row that somebody else has finished: nothing is looked up, decided, hashed or locked by the writer.
BARE = """
insert into bare.lead_activity ({columns})
values ({finished}) returning verdict, rule, to_stage;
"""

# What an application must do to be as sure: lock, read the rule, decide, chain, write both. Its deciding is
# free here: it knows the outcome. Lock and rule are two statements, for joined they return the rule as it was
# before a wait.
CLIENT = r"""
begin;
select workflow, stage, status, late_before, version, seq, hash, assigned_user_id, stage_entered_at,
    last_touch_at, first_contacted_at, waiting_since, resolved_at
from client.leads where workspace_id = {workspace} and lead_id = {lead_id} for no key update \gset l_
select effect, to_stage, to_status, entry_timestamp, rule, is_open, type_moves, touch, is_contact,
    contact_by, is_outcome, is_never_late, is_system_only, awaits_answer, needs_person, writers, open_keys,
    personal_fields, needed_keys
from leadline_internal.rulings
where workflow = ':l_workflow' and activity_type = {activity_type} and stage = ':l_stage'
    and status = ':l_status' \gset r_
insert into client.lead_activity ({columns})
select {row}, sha256(':l_hash'::bytea
    || leadline_internal.canonical(row({row}, null)::leadline_internal.entry))
from (select {typed}) x returning hash, occurred_at \gset a_
update client.leads set {state} where workspace_id = {workspace} and lead_id = {lead_id};
{clocks}commit;
"""
# A contact answers the requests of its lead, a closing ends their clocks; these leads have none.
CONTACT = """update client.requests set first_response_at = ':a_occurred_at'
where workspace_id = {workspace} and lead_id = {lead_id} and first_response_at is null
    and not_applicable_at is null and received_at <= ':a_occurred_at';
"""
CLOSING = """update client.requests set not_applicable_at = greatest(':a_occurred_at', received_at)
where workspace_id = {workspace} and lead_id = {lead_id} and first_response_at is null
    and not_applicable_at is null;
"""
VOLATILE = {
    "activity_id": "nextval('leadline_internal.activity_ids')",
    "occurred_at": "clock_timestamp()",
    "recorded_at": "clock_timestamp()",
    "transaction_id": "pg_current_xact_id()",
}
CLOCKS = (
    "stage_entered_at", "late_before", "first_contacted_at", "last_touch_at", "waiting_since", "resolved_at",
)  # fmt: skip


CONTACTS = "select activity_type from leadline.rule_activity_types where is_contact"


class Scripts:
    """The three pgbench scripts of a database, written from the pattern of its story."""

    def __init__(self, admin: Connection[Any]) -> None:
        self._admin = admin
        self._columns = story.columns_of(admin, "leadline.lead_activity")
        self._leads = story.columns_of(admin, "leadline.leads")
        self._story = self._read("bench.story", self._columns)
        self._states = self._read("bench.states", self._leads)
        self._contacts = {row[0] for row in admin.execute(CONTACTS)}
        self.trigger = pgbench.script(partial(self._fill, TRIGGER))
        self.bare = pgbench.script(partial(self._fill, BARE))
        self.client = pgbench.script(partial(self._fill, CLIENT))

    def _read(self, relation: str, columns: list[str]) -> dict[int, dict[str, str | None]]:
        query = SQL("select seq, {} from bench.{}").format(
            SQL(", ").join(SQL("{}::text").format(Identifier(name)) for name in columns),
            Identifier(relation.split(".")[1]),
        )
        return {row[0]: dict(zip(columns, row[1:], strict=True)) for row in self._admin.execute(query)}

    def _fill(self, template: str, step: int) -> str:
        row = self._story[step]
        told = story.STORY[step - story.FIRST]
        finished = [self._value(name, row[name]) for name in self._columns]
        types = self._types()
        lead = {"workspace": Literal(row["workspace_id"]), "lead_id": SQL(pgbench.LEAD_ID)}
        return (
            SQL(template.strip())
            .format(
                **lead,
                clocks=SQL(self._clocks(step)).format(**lead),
                activity_type=Literal(told[0]),
                payload=Literal(told[1]),
                columns=SQL(", ").join(map(Identifier, self._columns)),
                finished=SQL(", ").join(finished),
                row=SQL(", ").join(Identifier("x", name) for name in self._columns[:-1]),
                typed=SQL(", ").join(
                    SQL("{}::{} as {}").format(literal, SQL(types[name]), Identifier(name))
                    for name, literal in zip(self._columns[:-1], finished[:-1], strict=True)
                ),
                state=self._state(step),
            )
            .as_string(self._admin)
        )

    def _clocks(self, step: int) -> LiteralString:
        before, after = self._states[step - 1]["status"], self._states[step]["status"]
        if before != after and after != "open":
            return CLOSING
        is_contact = self._story[step]["activity_type"] in self._contacts
        return CONTACT if is_contact and self._story[step]["verdict"] != "refused" else ""

    def _types(self) -> dict[str, str]:
        return dict(
            self._admin.execute(
                "select attname::text, format_type(atttypid, atttypmod) from pg_attribute"
                " where attrelid = 'leadline.lead_activity'::regclass and attnum > 0"
            ).fetchall()
        )

    @staticmethod
    def _value(name: str, text: str | None) -> Composable:
        if name == "lead_id":
            return SQL(pgbench.LEAD_ID)
        return SQL(VOLATILE[name]) if name in VOLATILE else Literal(text)

    def _state(self, step: int) -> Composed:
        before, after = self._states[step - 1], self._states[step]
        assignments = []
        for name in self._leads:
            if name == "hash":
                assigned: Composable = SQL("':a_hash'")
            elif name in CLOCKS and after[name] is not None and before[name] != after[name]:
                assigned = SQL("':a_occurred_at'")
            elif name in ("stage", "status", "seq", "version") or before[name] != after[name]:
                assigned = Literal(after[name])
            else:
                continue
            assignments.append(SQL("{} = {}").format(Identifier(name), assigned))
        return SQL(", ").join(assignments)


def compare(ground: Ground, rounds: int, leads: int) -> Rounds:
    """Throughput of the three, each client taking `leads` leads of its own through the story every round."""
    database = ground.clone("single")
    total = (rounds + 1) * pgbench.CLIENTS * leads
    with ground.admin(database) as admin:
        story.bear(admin, 1, total)
        twins.make(admin, ground.login)
        scripts = Scripts(admin)

        def contestant(text: str, number: int) -> Sample:
            return pgbench.run(ground, database, text, 1 + number * pgbench.CLIENTS * leads, leads)

        found = alternate(
            "single inserts",
            {
                "trigger": partial(contestant, scripts.trigger),
                "bare": partial(contestant, scripts.bare),
                "client": partial(contestant, scripts.client),
            },
            rounds,
            ground.tell,
        )
        written = story.digest(admin, "leadline", 1, total)
        assert written[0] == total * story.LAST
        assert written == story.digest(admin, "bare", 1, total) == story.digest(admin, "client", 1, total)
        assert story.digest_of_leads(admin, "leadline", 1, total) == story.digest_of_leads(
            admin, "client", 1, total
        )
    ground.drop(database)
    return found
