"""Random histories of leads, told to PostgreSQL and to the model: after every step both say the same.

The histories are the same in every run. LEADLINE_SEED=17 tells others, LEADLINE_HISTORIES=2000 tells more.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random
from typing import Any, ClassVar
from uuid import UUID, uuid4

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, note, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)
from psycopg.rows import dict_row
from psycopg.sql import SQL, Identifier, Literal, Placeholder
from psycopg.types.json import Jsonb

from tests.databases import Database
from tests.py.model import (
    BIRTHS,
    FIELDS,
    MERGING,
    MOVES,
    NOTES,
    OF_APPOINTMENT,
    OF_QUALIFICATION,
    OF_SALES,
    OPEN,
    OTHER_WORKFLOWS,
    RESOLVED,
    SYSTEM_ONLY,
    TOUCHES_IN,
    TOUCHES_OUT,
    Clock,
    Payload,
    RaisedError,
    Report,
    Row,
    Writer,
)
from tests.py.model_intake import Intake
from tests.py.model_sales import ACTIVE, CORRECTION_REASONS, LOST_REASONS, STAGES

HISTORIES = int(os.environ.get("LEADLINE_HISTORIES", "0"))

INSERT = """
    insert into leadline.lead_activity (lead_id, activity_type, payload, reference, occurred_at, on_behalf_of)
    select * from unnest(%s::uuid[], %s::text[], %s::jsonb[], %s::text[], %s::timestamptz[], %s::uuid[])
    returning lead_id, seq, verdict, rule, to_stage
"""
LOG_ACTIVITY = """
    select l.lead_id, l.seq, l.verdict, l.rule, l.to_stage, l.replayed
    from leadline.log_activity(%s, %s, %s, %s, %s, %s) l
"""
LOG_ACTIVITIES = "select b.item, b.result from leadline.log_activities(%s) b order by b.item"
JOURNAL = """
    select a.*, a.lead_id as subject_id, 'lead' as journal from leadline.lead_activity a
    where a.workspace_id = %s and a.activity_id > %s order by a.activity_id
"""
# All that a workspace holds beside its journal, in one round trip.
HOLDS = """
    select * from leadline.leads where workspace_id = {w};
    select kind, key, channel from leadline.suppressions where workspace_id = {w} and lifted_by is null;
    select kind, key, person_id from leadline.person_keys where workspace_id = {w};
    select person_id, merged_into from leadline.people where workspace_id = {w};
    select r.*, a.seq, a.lead_id as asked_of from leadline.requests r
        join leadline.lead_activity a on a.workspace_id = r.workspace_id and a.activity_id = r.activity_id
        where r.workspace_id = {w};
    select a.lead_id, a.seq, o.recipient_user_id from leadline.outbox o
        join leadline.lead_activity a on a.workspace_id = o.workspace_id and a.activity_id = o.activity_id
        where o.workspace_id = {w} and o.topic = 'notify'
"""
MET = """
    select rule, count(*) as times from (
        select rule from leadline.lead_activity union all select rule from leadline.relationship_activity
        union all select rule from leadline.opportunity_activity union all select rule from leadline.customer_activity) a
    group by rule order by times desc
"""
ASKED = (
    "request_class", "source", "external_id", "received_at", "route", "exclusion", "first_response_at",
    "not_applicable_at", "decision", "decision_reason", "disposition_at", "qualified_at",
)  # fmt: skip
STATE = (
    "workflow", "stage", "status", "stage_entered_at", "late_before", "created_at", "source", "name", "company", "email", "email_key",
    "email_stem", "phone", "phone_key", "assigned_user_id", "deal_value", "currency", "first_contacted_at",
    "last_touch_at", "waiting_since", "resolved_at", "won_at", "lost_at", "lost_reason", "lost_notes",
    "appointment_ref", "appointment_at", "callback_at", "is_possible_duplicate", "duplicate_of", "copied_from",
    "merged_into", "rejection_reason", "accepted_at", "recycle_reason", "recycle_on", "problem", "timing", "buying_role",
    "seq", "version",
)  # fmt: skip

# -- what may be said

TEN, ELEVEN = "2026-02-01T10:00:00Z", "2026-02-01T12:00:00+01:00"
ADDRESSES = ["kim@example.com", "Kim@Example.com", "lee@example.com"]
LOST: list[Payload] = [
    *({"lost_reason": reason} for reason in LOST_REASONS[:2]),
    {"lost_reason": "Other", "notes": "too far"},
    {"lost_reason": "Price", "notes": "too dear"},
    {},
    {"lost_reason": None},
    {"lost_reason": "Other"},
    {"lost_reason": "Other", "notes": "   "},
    {"lost_reason": "price "},
    {"lost_reason": "PRICE", "notes": "x"},
]
PAYLOADS: dict[str, list[Payload]] = {
    "callback_requested": [{}, {"callback_at": TEN}, {"callback_at": ELEVEN}],
    "appointment_scheduled": [
        {},
        {"appointment_ref": "EV1"},
        {"appointment_ref": "EV1", "starts_at": TEN},
        {"appointment_ref": "EV2", "starts_at": ELEVEN},
        {"starts_at": ELEVEN},
    ],
    "appointment_cancel": [{}, {"appointment_ref": "EV1"}, {"appointment_ref": "EV2", "reason": "ill"}],
    "appointment_no_show": [{}, {"appointment_ref": "EV1"}, {"appointment_ref": "EV2"}],
    "sale": [{}, {"deal_value": 100}, {"deal_value": 99.5, "currency": "EUR"}, {"appointment_ref": "EV1"}],
    "no_sale": [{}, {"notes": "too dear"}, {"appointment_ref": "EV2"}],
    "duplicate": [{}, *({"duplicate_of": number} for number in range(4)), {"duplicate_of": str(UUID(int=8))}],
    "lead_assigned": [{"assigned_user_id": who} for who in (None, "member", "admin", str(UUID(int=7)))],
    "deal_value_changed": [
        {"deal_value": 100, "currency": "EUR"},
        {"deal_value": 100.0, "currency": "USD"},
        {"deal_value": None, "currency": "EUR"},
        {"deal_value": 0, "currency": "EUR"},
        {"deal_value": 10**15, "currency": "JPY"},
        {"deal_value": 1e-07, "currency": "EUR"},
    ],
    "contact_changed": [
        {},
        {"name": "Kim"},
        {"name": "Lee", "email": "lee@example.com"},
        {"email": "kim@example.com"},
        {"phone": None},
        {"email": None, "phone": "+45 12 34 56 78"},
        {"email": None, "phone": None},
    ],
    "tag_added": [{"tag": "vip"}, {"tag": "fair"}],
    "tag_removed": [{"tag": "vip"}],
    "note_added": [{"text": "a note"}],
    "unsubscribed": [{"channel": "email"}],
    "suppression_lifted": [{"reason": "she called"}],
    "call_completed": [{}, {"channel": "phone", "outcome": "reached", "duration_s": 90}],
    "lead_imported": [{"stage": "sale", "entered_at": TEN}],
    "lead_qualified": [{}, {"problem": "x", "timing": "x", "buying_role": "x"}],
    "proposal_sent": [
        {},
        {"deal_value": 100},
        {"deal_value": 100, "currency": "EUR"},
        {"deal_value": 0.01},
        {"deal_value": 0},
        {"deal_value": None, "currency": "EUR"},
    ],
    "deal_won": [{}, {}, {"deal_value": 99.99}, {"deal_value": 0}, {"deal_value": 100, "currency": "EUR"}],
    "deal_lost": LOST,
    "lead_reopened": [{"to_stage": stage} for stage in (*ACTIVE, *ACTIVE, "won", "lost", "warm")],
    "stage_corrected": [
        *({"to_stage": stage, "reason": "entered_by_mistake"} for stage in (*STAGES, *ACTIVE, "warm")),
        *({"to_stage": "new", "reason": reason} for reason in (*CORRECTION_REASONS, None, "", "typo")),
        {"to_stage": "contacted", "reason": "other", "notes": "wrong button"},
        {"to_stage": "qualified"},
        *({"to_stage": "lost", "reason": "data_repair", **lost} for lost in LOST),
    ],
    "request_rejected": [{"reason": "no_fit"}],
    "lead_recycled": [{"reason": "other", "recycle_on": "2999-01-01", "notes": "x"}],
    "dnc": [{}, {"notes": "never again"}],
    "leads_merged": [*({"into": number} for number in range(4)), {"into": str(UUID(int=8))}],
    "inbound_enquiry": [
        {},
        {"name": "Kim", "message": "How much?", "request_class": "quote"},
        {"company": "Acme", "phone": "+1 650 253 0000", "budget": "about 5 k", "source": "web"},
        {"email": "lee@example.com", "deal_value": 5000, "budget": 5000},
        {"request_class": "hello"},
        {"exclusion": "spam"},
        {"exclusion": "boring"},
    ],
}
MALFORMED: list[tuple[str, Payload]] = [
    ("sold", {}),
    ("appointment_scheduled", {"starts_at": "tomorrow"}),
    ("callback_requested", {"callback_at": "2026-02-01T10:00:00"}),
    ("appointment_cancel", {"appointment_ref": 7}),
    ("sale", {"deal_value": -1}),
    ("sale", {"deal_value": "100"}),
    ("duplicate", {"duplicate_of": "L-1"}),
    ("duplicate", {"duplicate_of": str(UUID(int=8))}),
    ("lead_assigned", {}),
    ("tag_added", {"tag": None}),
    ("deal_value_changed", {"deal_value": 5}),
    ("deal_value_changed", {"deal_value": 10**15 + 1, "currency": "EUR"}),
    ("contact_changed", {"email": "nobody"}),
    ("contact_changed", {"email": "no body@example.com"}),
    ("note_added", {}),
    ("proposal_sent", {"deal_value": -0.01}),
    ("proposal_sent", {"deal_value": 5, "currency": "euro"}),
    ("deal_won", {"deal_value": "NaN"}),
    ("deal_lost", {"lost_reason": 7}),
    ("lead_reopened", {}),
    ("lead_reopened", {"to_stage": ""}),
    ("stage_corrected", {"reason": "other"}),
    ("leads_merged", {}),
    ("inbound_enquiry", {"email": "no\tbody@example.com"}),
    ("inbound_enquiry", {"budget": ["much"]}),
]
# Who reports: role, class of writer, scopes, and for whom an app speaks.
CREDENTIALS = {
    "owner": ("user", "owner", "person", (), None),
    "admin": ("user", "admin", "person", (), None),
    "member": ("user", "member", "person", (), None),
    "app": ("integration", "app", "app", (), None),
    "app for a member": ("user", "app", "app", ("act_as",), "member"),
    "app for an admin": ("user", "app", "app", ("act_as",), "admin"),
    "importer": ("integration", "importer", "importer", ("import",), None),
    "billing": ("integration", "billing", "billing", (), None),
    "ai": ("ai", "ai", "ai", (), None),
}
ANY = sorted(CREDENTIALS)
OBJECTIONS = {
    "ai_forbidden", "system_only", "writer_not_allowed", "wrong_workflow", "not_first", "already_resolved",
    "superseded", "not_a_person", "superseded_appointment", "outcome_needs_appointment",
    "no_show_needs_appointment", "cancel_needs_appointment", "unresponsive_needs_contact",
    "appointment_stands", "already_there", "no_change", "duplicate_of_itself", "duplicate_cycle",
    "unknown_assignee", "lift_needs_admin", "overtaken",
}  # fmt: skip
OBJECTIONS_IN_SALES = {
    "ai_forbidden", "system_only", "writer_not_allowed", "wrong_workflow", "not_first", "needs_a_person", "lead_is_won",
    "lead_is_lost", "lead_is_archived", "superseded", "not_a_person", "correction_needs_admin", "archive_needs_admin",
    "merge_needs_admin", "already_past", "already_there", "won_needs_proposal", "not_lost", "not_an_active_stage",
    "unknown_stage", "correction_goes_forward", "reason_required", "unknown_correction_reason", "notes_required",
    "lost_reason_required", "unknown_lost_reason", "deal_value_required", "won_value_needs_admin", "not_archived",
    "contact_info_required", "active_lead_exists", "unknown_assignee", "no_change", "lift_needs_admin",
}  # fmt: skip
USUAL = ["admin", "app", "app for a member", "member"] * 4 + ANY

MOST_LEADS = 4
# Most reports are of the path to an outcome: an outcome ends what a history has to tell.
ON_THE_WAY = {"callback_requested", "appointment_scheduled", "appointment_cancel", "appointment_no_show"}
TO_THE_DEAL = {"call_completed", "lead_contacted", "lead_qualified", "proposal_sent"}
KINDS_OF_TYPES: dict[str, tuple[set[str], ...]] = {
    "appointment": (
        *[ON_THE_WAY] * 8,
        *[TOUCHES_OUT | TOUCHES_IN, FIELDS | NOTES, {"sale", "no_sale"}] * 2,
        {"duplicate", "unresponsive"},
        MOVES & set(RESOLVED),
        SYSTEM_ONLY | BIRTHS,
        OTHER_WORKFLOWS | MERGING,
    ),
    "sales": (
        *[TO_THE_DEAL] * 5,
        *[TOUCHES_OUT | TOUCHES_IN, FIELDS | NOTES, {"deal_won", "deal_lost"}] * 3,
        *[{"lead_reopened"}, {"stage_corrected"}, {"deal_value_changed", "contact_changed"}] * 2,
        {"lead_archived", "lead_unarchived"},
        {"lead_unarchived", "dnc"},
        SYSTEM_ONLY | BIRTHS,
        OF_APPOINTMENT | OF_QUALIFICATION,
        MERGING,
    ),
    "qualification": (TOUCHES_OUT | TOUCHES_IN, FIELDS | NOTES, {"dnc"}, OF_APPOINTMENT | OF_SALES),
}
# Seconds from the entry into the present stage; None says nothing.
WHEN = (None, None, None, -7200, -61, -60.000001, -60, -59, -1, 0, 0, 1, 90, 3600, 90000)
REFERENCES = (*[None] * 12, *(f"r-{number}" for number in range(6)))
GIVEN_AT_BIRTH: dict[str, list[Any]] = {
    "source": ["web"],
    "name": ["Kim"],
    "email": ADDRESSES,
    "phone": ["+16502530000", "+1 650 253 0000", "+4512345678"],
    "deal_value": [0, 250.25],
    "currency": ["EUR"],
    "assigned_user_id": ["member", "member", "member", str(UUID(int=7))],
    "copied_from": [0, 1],
}
CHANGED_BY_HAND: list[Payload] = [
    {"deal_value": 5}, {"deal_value": None}, {"name": "By hand"}, {"email": None}, {"source": "by hand"}, {},
]  # fmt: skip
BY_HAND = (
    "stage", "status", "resolved_at", "lost_at", "lost_reason", "lost_notes", "deal_value", "name", "email", "source",
)  # fmt: skip
# hypothesis chooses the steps of a history, this what is said in them: evenly, and the same in every run.
CHANCE = st.randoms(use_true_random=True)


# -- a history


class Telling(RuleBasedStateMachine):
    """A workspace that everybody reports to through every door, and what is told of it to the database and the model."""

    connection: ClassVar[psycopg.Cursor[dict[str, Any]]]
    numbers: ClassVar[Iterator[int]] = count()
    kinds: ClassVar[dict[str, tuple[set[str], ...]]] = KINDS_OF_TYPES
    makes_book: ClassVar[type[Intake]] = Intake

    def __init__(self) -> None:
        super().__init__()
        self.now = datetime.now(UTC)
        self.book = self.makes_book(now=self.now)
        self.prefix = f"history_{next(self.numbers)}"
        self.logins: dict[str, str] = {}
        self.persons: dict[int, UUID] = {}  # number in the model -> person_id
        self.last_id = 0
        self.places: dict[int, tuple[UUID, int]] = {}  # activity_id -> subject, seq
        [row] = self.ask("select leadline.create_workspace(%s) as id", self.prefix)
        self.workspace: UUID = row["id"]
        self.people: dict[str, UUID] = {}
        for role in ("owner", "admin", "member"):
            email = f"{role}@{self.prefix}.example.com"
            [row] = self.ask("select leadline.add_member(%s, %s, %s) as id", self.workspace, email, role)
            self.people[role] = row["id"]
        self.book.members = {str(person) for person in self.people.values()}
        # What a member may not see is test_programs.py's subject.
        self.ask(
            "update leadline.workspaces set members_see_all = true where workspace_id = %s returning 1",
            self.workspace,
        )

    def teardown(self) -> None:
        for login in self.logins.values():
            self.connection.execute(SQL("drop role {}").format(Identifier(login)))

    @initialize(chance=CHANCE)
    def at_the_beginning(self, chance: Random) -> None:
        """What there is before the first step."""
        self.chance = chance
        self.begin()

    def begin(self) -> None:
        """What a history begins with."""
        raise NotImplementedError

    # -- telling both

    def tell(self, told: list[Report], who: str, door: str) -> None:
        """Tell the database, then the model, and compare their answers and everything they hold."""
        note(f"{who}, by {door}: {told}")
        database = self.outcome(lambda: self.say(told, who, door))
        clock = self.read_fresh_rows()
        model = self.outcome(lambda: self.book.statement(told, self.writer(who), clock, door == "raise"))
        if isinstance(model, tuple):
            assert database == model
        else:
            assert not isinstance(database, tuple), f"raised {database}"
            kept = [(row, replayed) for row, replayed in model if door == "log_activity" or not replayed]
            assert [self.answer(a) for a in database] == [
                (row.lead, row.seq, row.verdict, row.rule, row.to_stage, replayed) for row, replayed in kept
            ]
        self.compare()

    def tell_batch(self, told: list[Report], who: str) -> None:
        """The same by log_activities, which takes lead after lead in order of their ids, and answers item by item."""
        note(f"{who}, by log_activities: {told}")
        items = [self.item(r, who) for r in told]
        with self.acting_as(who):
            answers = [a["result"] for a in self.ask(LOG_ACTIVITIES, Jsonb(items))]
        clock = self.read_fresh_rows()
        expected: dict[int, tuple[Any, ...]] = {}
        for number in sorted(range(len(told)), key=lambda n: items[n]["lead_id"]):
            try:
                [(row, _)] = self.book.statement([told[number]], self.writer(who), clock)
                expected[number] = (row.verdict, row.rule, None, row.seq)
            except RaisedError as e:
                expected[number] = ("invalid", e.rule, e.sqlstate, None)
        assert [(a["verdict"], a["rule"], a.get("sqlstate"), a.get("seq")) for a in answers] == [
            expected[number] for number in range(len(told))
        ]
        self.compare()

    def change_by_hand(self, name: str, values: Payload) -> None:
        """An UPDATE by a superuser of the columns given, and of no other."""
        note(f"by hand, {name}: {values}")
        row = {key: getattr(self.book.leads[name], key) for key in BY_HAND} | values
        statement = SQL(
            "update leadline.leads set {} where workspace_id = %(w)s and lead_id = %(l)s returning 1"
        )
        columns = SQL(", ").join(SQL("{} = {}").format(Identifier(key), Placeholder(key)) for key in BY_HAND)
        self.ask(statement.format(columns), **row, w=self.workspace, l=self.id_of(name))
        self.book.changed_by_hand(name, values, self.read_fresh_rows())
        self.compare()

    def say(self, told: list[Report], who: str, door: str) -> list[dict[str, Any]]:
        """Tell the database through a door: insert, log_activity, or raise (insert, preferring errors)."""
        on_behalf_of = self.writer(who).on_behalf_of
        with self.acting_as(who):
            if door == "log_activity":
                [r] = told
                return self.ask(
                    LOG_ACTIVITY,
                    self.id_of(r.lead),
                    r.type,
                    Jsonb(r.payload),
                    r.reference,
                    r.occurred_at,
                    on_behalf_of,
                )
            if door == "raise":
                self.connection.execute("set leadline.on_refusal = 'raise'")
            return self.ask(
                INSERT,
                [self.id_of(r.lead) for r in told],
                [r.type for r in told],
                [Jsonb(r.payload) for r in told],
                [r.reference for r in told],
                [r.occurred_at for r in told],
                [on_behalf_of for _ in told],
            )

    @staticmethod
    def outcome(attempt: Any) -> Any:
        """What an attempt gives: its answer, or (SQLSTATE, rule) of what it raised."""
        try:
            return attempt()
        except RaisedError as e:
            return e.sqlstate, e.rule
        except psycopg.Error as e:
            return e.sqlstate, e.diag.constraint_name

    # -- comparing

    def read_fresh_rows(self) -> Clock:
        """Read what the journals gained; what is new is numbered as it comes. Gives recorded_at by subject and seq."""
        self.fresh = self.read_journals()
        for row in self.fresh:
            self.last_id = row["activity_id"]
            self.places[row["activity_id"]] = (row["subject_id"], row["seq"])
            self.number(row)
        recorded = {(row["subject_id"], row["seq"]): row["recorded_at"] for row in self.fresh}
        return lambda name, seq: recorded.get(
            (self.id_of(name), seq), self.now
        )  # of a statement that raised, nothing is there

    def read_journals(self) -> list[dict[str, Any]]:
        """The rows since the last time, in order."""
        return self.ask(JOURNAL, self.workspace, self.last_id)

    def number(self, row: dict[str, Any]) -> None:
        """Give a new lead its name in the model."""
        self.book.ids.setdefault(str(row["subject_id"]), f"lead {len(self.book.ids)}")

    def compare(self) -> None:
        """New rows, every lead, its person and its requests, and the do-not-contact list are the same on both sides."""
        rows, self.book.rows = self.book.rows, []
        held = self.holds()
        self.meet(held)
        logged = [self.row(r) for r in self.fresh]
        assert [r for r in logged if r not in rows] == [r for r in rows if r not in logged]
        assert len(logged) == len(rows)
        leads, listed, keys, people, requests, notices = held[:6]
        stored = {self.name_of(row["lead_id"]): row for row in leads}
        assert stored.keys() == self.book.leads.keys()
        for name, lead in self.book.leads.items():
            assert {k: self.plain(stored[name][k]) for k in STATE} == {k: getattr(lead, k) for k in STATE}
            assert frozenset(stored[name]["tags"]) == lead.tags
            candidate = stored[name]["possible_duplicate_of"]
            assert (candidate and self.name_of(candidate)) == lead.possible_duplicate_of
        assert {(s["kind"], s["key"], s["channel"]) for s in listed} == self.book.suppressed
        self.compare_people(stored, keys, people)
        expected = sorted(map(asdict, self.book.requests), key=str)
        assert sorted(map(self.request, requests), key=str) == expected
        for r in requests:
            self.book.request_ids[str(r["request_id"])] = (self.name_of(r["asked_of"]), r["seq"])
        told = [((self.name_of(n["lead_id"]), n["seq"]), self.plain(n["recipient_user_id"])) for n in notices]
        wanted = [
            (request.asked, request.owner) for request in self.book.requests if request.exclusion is None
        ]
        assert sorted(told, key=str) == sorted(wanted, key=str)

    def meet(self, held: list[list[dict[str, Any]]]) -> None:
        """Learn whom the answers of HOLDS speak of, before anything is compared."""

    holding: ClassVar[Any] = SQL(HOLDS)

    def holds(self) -> list[list[dict[str, Any]]]:
        """The answers of HOLDS."""
        cursor = self.connection.execute(self.holding.format(w=Literal(self.workspace)))
        answers = [cursor.fetchall()]
        while cursor.nextset():
            answers.append(cursor.fetchall())
        return answers

    def compare_people(
        self, stored: dict[str, dict[str, Any]], keys: list[dict[str, Any]], people: list[dict[str, Any]]
    ) -> None:
        """Whose lead it is, whose key, and who turned out to be somebody else; the model has numbers for people."""
        known = {(k["kind"], k["key"]): k["person_id"] for k in keys}
        assert known.keys() == self.book.keys_of_people.keys()
        for name, lead in self.book.leads.items():
            assert (
                self.persons.setdefault(lead.person, stored[name]["person_id"]) == stored[name]["person_id"]
            )
        for key, person in self.book.keys_of_people.items():
            assert self.persons.setdefault(person, known[key]) == known[key]
        merged = {n: p.merged_into and self.persons[p.merged_into] for n, p in self.book.people.items()}
        assert {p["person_id"]: p["merged_into"] for p in people} == {
            self.persons[number]: into for number, into in merged.items()
        }

    def request(self, r: dict[str, Any]) -> dict[str, Any]:
        """A request as the model writes it."""
        numbers = {person_id: number for number, person_id in self.persons.items()}
        return {
            "lead": self.name_of(r["lead_id"]),
            "asked": (self.name_of(r["asked_of"]), r["seq"]),
            "person": numbers[r["person_id"]],
            "owner": self.plain(r["owner_user_id"]),
        } | {key: r[key] for key in ASKED}

    def row(self, r: dict[str, Any]) -> Row:
        """A journal row as the model writes it."""
        cause = self.places.get(r["caused_by"])
        return Row(
            self.name_of(r["subject_id"]),
            r["seq"],
            r["activity_type"],
            r["verdict"],
            r["rule"],
            r["from_stage"],
            r["to_stage"],
            r["from_status"],
            r["to_status"],
            r["changes"] and frozenset(r["changes"]),
            r["version"],
            r["occurred_at"],
            r["actor_kind"],
            r["writer"],
            r["reference"],
            cause and (self.name_of(cause[0]), cause[1]),
        )

    def answer(self, a: dict[str, Any]) -> tuple[Any, ...]:
        """What a door answered, as the model says it."""
        lead = self.name_of(a["lead_id"])
        return lead, a["seq"], a["verdict"], a["rule"], a["to_stage"], a.get("replayed", False)

    @staticmethod
    def plain(value: Any) -> Any:
        """Ids as text."""
        return str(value) if isinstance(value, UUID) else value

    # -- small things

    def id_of(self, name: str | None) -> UUID | None:
        """The id of a lead; null where none is named, an unknown one for nobody."""
        if name is None:
            return None
        return next((UUID(i) for i, known in self.book.ids.items() if known == name), uuid4())

    def name_of(self, lead_id: UUID) -> str:
        """The name of a lead in the model."""
        return self.book.ids[str(lead_id)]

    def fill(self, payload: Payload) -> Payload:
        """Payloads name leads by number and people by role."""
        filled = dict(payload)
        for key in ("duplicate_of", "copied_from", "into"):
            if isinstance(filled.get(key), int):
                known = sorted(self.book.ids, key=lambda i: self.book.ids[i])
                filled[key] = known[filled[key] % len(known)] if known else str(UUID(int=9))
        if filled.get("assigned_user_id") in self.people:
            filled["assigned_user_id"] = str(self.people[filled["assigned_user_id"]])
        return filled

    def item(self, r: Report, who: str) -> Payload:
        """A report as an item of a batch."""
        given = {
            "lead_id": self.id_of(r.lead),
            "activity_type": r.type,
            "payload": r.payload,
            "reference": r.reference,
            "occurred_at": r.occurred_at and r.occurred_at.isoformat(),
            "on_behalf_of": self.writer(who).on_behalf_of,
        }
        return {key: self.plain(value) for key, value in given.items() if value is not None}

    def writer(self, who: str) -> Writer:
        """A credential as the model knows it; one who speaks for a person has the person's right."""
        kind, role, writer, scopes, person = CREDENTIALS[who]
        actor = self.people.get(person or role, UUID(int=1))
        return Writer(kind, actor, writer, person or role, frozenset(scopes), actor if person else None)

    @contextmanager
    def acting_as(self, who: str) -> Iterator[None]:
        """The connection as a bound login of that credential, which is made when first needed."""
        if who not in self.logins:
            login = f"{self.prefix}_{who.replace(' ', '_')}_{os.getpid()}"
            _, role, _, scopes, _ = CREDENTIALS[who]
            self.connection.execute(
                SQL("create role {} login in role leadline_writer").format(Identifier(login))
            )
            self.ask(
                "select leadline.add_login(%s, %s, %s, %s, %s)",
                self.workspace, login, role, self.people.get(role), list(scopes),
            )  # fmt: skip
            self.logins[who] = login
        self.connection.execute(SQL("set session authorization {}").format(Identifier(self.logins[who])))
        try:
            yield
        finally:
            self.connection.execute("reset session authorization; reset leadline.on_refusal")

    def ask(self, statement: Any, *given: Any, **named: Any) -> list[dict[str, Any]]:
        """The rows of one statement."""
        return self.connection.execute(statement, named or given or None).fetchall()


class History(Telling):
    """Up to four leads of one workspace, reported on by everybody through every door."""

    def begin(self) -> None:
        """One created, one imported: the two kinds of beginnings."""
        created = Report(None, "lead_created", occurred_at=datetime(2026, 1, 5, tzinfo=UTC))
        self.tell([created], "admin", "insert")
        payload = {"stage": self.chance.choice(OPEN), "entered_at": TEN, "email": "kim@example.com"}
        self.tell([Report(None, "lead_imported", payload)], "importer", "insert")

    @precondition(lambda self: len(self.book.leads) < MOST_LEADS)
    @rule()
    def a_lead_is_created(self) -> None:
        at = self.chance.choice([None, datetime(2026, 1, 5, 9, tzinfo=UTC)])
        reference = self.chance.choice([None, "b-1", "r-1"])
        report = Report(None, "lead_created", self.fill(self.given_at_birth()), reference, at)
        self.tell([report], self.chance.choice([*USUAL, "importer"]), "log_activity")

    def given_at_birth(self) -> Payload:
        """What is known of a lead that is born now."""
        given = {
            key: self.chance.choice(values)
            for key, values in GIVEN_AT_BIRTH.items()
            if self.chance.random() < 0.4
        }
        if self.chance.random() < 0.4:
            given["workflow"] = self.chance.choice([*["appointment"] * 5, "ski_lessons"])
        return given

    @precondition(lambda self: len(self.book.leads) < MOST_LEADS)
    @rule()
    def a_lead_is_imported(self) -> None:
        who = self.chance.choice(["importer", "importer", "importer", "admin", "ai"])
        door = self.chance.choice(["insert", "log_activity"])
        self.tell([Report(None, "lead_imported", {**self.imported(), "entered_at": TEN})], who, door)

    def imported(self) -> Payload:
        """What another system knew of a lead."""
        given: Payload = self.chance.choice(
            [{}, {"email": "kim@example.com", "phone": "+16502530000"}, {"deal_value": 7}]
        )
        return {**given, "stage": self.chance.choice([*OPEN, *OPEN, "sale", "dnc", "warm"])}

    @rule()
    def an_activity(self) -> None:
        self.tell(
            [self.report()],
            self.chance.choice(USUAL),
            self.chance.choice(["insert", "log_activity", "raise"]),
        )

    @rule()
    def several_in_one_statement(self) -> None:
        whom = self.chance.choice([None, self.any_lead()])
        told = [self.report(whom) for _ in range(self.chance.randint(2, 5))]
        self.tell(told, self.chance.choice(USUAL), "insert")

    @precondition(lambda self: len(self.book.leads) > 2)
    @rule()
    def two_duplicates(self) -> None:
        told = [
            Report(self.any_lead(), "duplicate", self.fill(self.chance.choice(PAYLOADS["duplicate"])))
            for _ in "ab"
        ]
        if self.chance.random() < 0.5:  # each of the other
            one, other = self.chance.sample(sorted(self.book.leads), 2)
            told = [
                Report(a, "duplicate", {"duplicate_of": str(self.id_of(b))})
                for a, b in ((one, other), (other, one))
            ]
        self.tell(told, "admin", "insert")

    @rule()
    def what_follows_comes_too_late(self) -> None:
        name, at = self.any_lead(), {"callback_at": self.chance.choice([TEN, ELEVEN])}
        self.tell([Report(name, "callback_requested", at)], "admin", "insert")
        then = [Report(name, "appointment_scheduled"), self.report(name), self.report(name)]
        self.tell(then, "admin", "insert")

    @rule()
    def a_batch(self) -> None:
        # A batch is done lead by lead, so what looks at two leads (duplicates, references) is told elsewhere.
        batch = [replace(self.report(), reference=None) for _ in range(self.chance.randint(1, 6))]
        batch = [report for report in batch if report.type not in {"duplicate", "leads_merged"}]
        batch.insert(self.chance.randint(0, 5), self.malformed())
        self.tell_batch(batch, self.chance.choice(USUAL))

    @rule()
    def something_malformed(self) -> None:
        self.tell(
            [self.malformed()],
            self.chance.choice(ANY),
            self.chance.choice(["insert", "log_activity", "raise"]),
        )

    @rule()
    def something_from_a_clock_that_is_ahead(self) -> None:
        at = self.now + timedelta(minutes=self.chance.choice([4, 6]))
        self.tell(
            [Report(self.any_lead(), "contact_attempted", occurred_at=at)],
            self.chance.choice(USUAL),
            "insert",
        )

    @rule()
    def something_about_a_lead_that_is_not_there(self) -> None:
        report = Report("nobody", "contact_attempted")
        self.tell([report], self.chance.choice(ANY), self.chance.choice(["insert", "log_activity"]))

    @rule()
    def a_field_is_changed_by_hand(self) -> None:
        name, values = self.any_lead(), self.chance.choice(CHANGED_BY_HAND)
        if self.book.leads[name].workflow == "appointment" or values.keys() & {"name", "source"}:
            self.change_by_hand(name, values)

    @rule()
    def a_stage_is_changed_by_hand(self) -> None:
        name = self.any_lead()
        lead = self.book.leads[name]
        if lead.workflow == "appointment":
            stage = self.chance.choice([*OPEN, *OPEN, "refused"])
            resolved_at = None if stage in OPEN else lead.resolved_at or datetime(2026, 1, 6, 10, tzinfo=UTC)
            status = "open" if stage in OPEN else "resolved"
            self.change_by_hand(name, {"stage": stage, "status": status, "resolved_at": resolved_at})
        elif lead.status == "active":
            self.change_by_hand(name, {"stage": self.chance.choice(["new", "qualified"])})
        elif lead.status == "lost" and not self.book.has_open_lead(lead.email_key):
            lost: Payload = {"lost_at": None, "lost_reason": None, "lost_notes": None}
            self.change_by_hand(name, {"stage": "new", "status": "active", **lost})

    def report(self, lead: str | None = None, activity_type: str | None = None) -> Report:
        """An activity about one of the leads."""
        name, at = lead or self.any_lead(), None
        if activity_type is None:
            kinds = self.kinds[self.book.leads[name].workflow]
            activity_type = self.chance.choice(sorted(self.chance.choice(kinds)))
        payload = self.chance.choice(PAYLOADS.get(activity_type, [{}]))
        if (seconds := self.chance.choice(WHEN)) is not None:
            at = self.book.leads[name].stage_entered_at + timedelta(seconds=seconds)
            at = min(at, self.now + timedelta(minutes=4))
        return Report(name, activity_type, self.fill(payload), self.chance.choice(REFERENCES), at)

    def malformed(self) -> Report:
        """A report that nobody can understand, or about an original that is not there."""
        activity_type, payload = self.chance.choice(MALFORMED)
        return Report(self.any_lead(), activity_type, payload)

    def any_lead(self) -> str:
        """The name of one of the leads there are."""
        return self.chance.choice(sorted(self.book.leads))


class SalesHistory(History):
    """The same of sales leads, with an appointment lead of the same people among them now and then."""

    def begin(self) -> None:
        created: Payload = {"workflow": "sales", "email": "kim@example.com"}
        self.tell([Report(None, "lead_created", created)], "admin", "insert")
        stage = self.chance.choice(ACTIVE)
        payload: Payload = {
            "workflow": "sales", "stage": stage, "entered_at": TEN, "email": "lee@example.com",
        }  # fmt: skip
        if self.chance.random() < 0.7:
            payload["deal_value"] = 100
        self.tell([Report(None, "lead_imported", self.with_needs(payload))], "importer", "insert")

    def given_at_birth(self) -> Payload:
        given = super().given_at_birth()
        if self.chance.random() < 0.9:
            given["workflow"] = "sales"
        if self.chance.random() < 0.8:
            given["email"] = self.chance.choice([*ADDRESSES, "max@example.com", "mia@example.com"])
        return given

    def imported(self) -> Payload:
        stage = self.chance.choice([*STAGES, "won", "lost", "lost", "warm"])
        given: Payload = {"workflow": "sales", "stage": stage}
        if self.chance.random() < 0.9:
            given["email"] = self.chance.choice([*ADDRESSES, "max@example.com"])
        if self.chance.random() < 0.4:
            given["deal_value"] = self.chance.choice([0, 7, None])
        if self.chance.random() < 0.2:
            given |= {"first_contacted_at": "2026-01-30T10:00:00Z"}
        return self.with_needs(given) if self.chance.random() < 0.6 else given

    def with_needs(self, payload: Payload) -> Payload:
        """An import with what its stage needs."""
        if payload["stage"] in {"proposal", "won"}:
            return {**payload, "deal_value": 100, "currency": "EUR"}
        return {**payload, **self.chance.choice(LOST)} if payload["stage"] == "lost" else payload

    @precondition(lambda self: len(self.book.leads) > 2)
    @rule()
    def two_duplicates(self) -> None:
        """Two leads may want the same address: what is open, and what is to be opened."""
        ways = ["contact_changed", "lead_reopened", "lead_unarchived", "stage_corrected"]
        told = [self.report(activity_type=self.chance.choice(ways)) for _ in "ab"]
        self.tell([replace(r, occurred_at=None, reference=None) for r in told], "admin", "insert")

    @rule()
    def what_follows_comes_too_late(self) -> None:
        """What ends a deal, and what follows at once."""
        name = self.any_lead()
        ways = ["deal_lost", "lead_reopened", "stage_corrected", "deal_won", "proposal_sent", "lead_archived"]
        told = [self.report(name, self.chance.choice(ways)) for _ in range(self.chance.randint(2, 4))]
        told = [replace(r, occurred_at=None, reference=None) for r in told]
        self.tell([*told, self.report(name)], "admin", "insert")

    @rule()
    def a_deal_is_corrected(self) -> None:
        """Far enough to go back, or lost, and back by all the ways that are tried."""
        name, back = self.any_lead(), self.chance.choice(["stage_corrected", "lead_reopened"])
        there = Report(name, "lead_qualified")
        if back == "lead_reopened" or self.chance.random() < 0.3:
            there = Report(name, "deal_lost", {"lost_reason": "Price"})
        told = [there, *(replace(self.report(name, back), occurred_at=None, reference=None) for _ in "ab")]
        self.tell(told, self.chance.choice(["admin", "admin", "owner", "member"]), "insert")

    @rule()
    def a_deal_is_won(self) -> None:
        """Far enough for what is said of a deal that is won."""
        name = self.any_lead()
        told = [Report(name, "proposal_sent", {"deal_value": 100}), Report(name, "deal_won")]
        self.tell(
            [*told, self.report(name), self.report(name)], self.chance.choice(["admin", "app"]), "insert"
        )


def tell_histories(
    database: Database, machine: type[Telling], histories: int, steps: int, objections: set[str]
) -> None:
    """Run the histories; afterwards all is sound, and every rule that was to be compared has been met."""
    if "LEADLINE_SEED" in os.environ:
        machine = seed(int(os.environ["LEADLINE_SEED"]))(machine)
    examples = HISTORIES or histories
    # The same histories every time unless a seed is given; not shortened, which takes longer than reading them.
    told = settings(
        max_examples=examples, stateful_step_count=steps, suppress_health_check=list(HealthCheck),
        derandomize="LEADLINE_SEED" not in os.environ, phases=(Phase.generate,),
    )  # fmt: skip
    with database.connect(autocommit=True) as connection:
        Telling.connection = connection.cursor(row_factory=dict_row)
        run_state_machine_as_test(machine, settings=told)
        assert connection.execute("select * from leadline.verify_state(true)").fetchall() == []
        assert connection.execute("select * from leadline.verify_chain()").fetchall() == []
        met = connection.execute(MET).fetchall()
    print(*(f"{times:6} {rule or 'no rule'}" for rule, times in met), sep="\n")
    if examples >= histories and "LEADLINE_SEED" not in os.environ:
        assert {rule for rule, _ in met} >= objections, "a rule that no history meets is not compared"


@pytest.mark.slow
def test_database_and_model_agree_on_random_histories(database: Database) -> None:
    print(__doc__)
    tell_histories(database, History, histories=100, steps=25, objections=OBJECTIONS)


@pytest.mark.slow
def test_database_and_model_agree_on_random_histories_of_deals(database: Database) -> None:
    tell_histories(database, SalesHistory, histories=100, steps=25, objections=OBJECTIONS_IN_SALES)
