"""Random histories of leads, told to PostgreSQL and to the model: after every step both say the same.

The histories are the same in every run. LEADLINE_SEED=17 tells others, LEADLINE_HISTORIES=2000 tells more.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random
from typing import Any, ClassVar
from uuid import UUID, uuid4

import psycopg
import pytest
from hypothesis import HealthCheck, note, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)
from psycopg.rows import dict_row
from psycopg.sql import SQL, Identifier
from psycopg.types.json import Jsonb

from tests.databases import Database
from tests.py.model import (
    BIRTHS,
    FIELDS,
    MOVES,
    NOTES,
    OPEN,
    OTHER_WORKFLOWS,
    RESOLVED,
    SYSTEM_ONLY,
    TOUCHES_IN,
    TOUCHES_OUT,
    Book,
    Clock,
    Payload,
    RaisedError,
    Report,
    Row,
    Writer,
    status_of,
)

HISTORIES = int(os.environ.get("LEADLINE_HISTORIES", "200"))

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
    select a.*, c.seq as caused_by_seq
    from leadline.lead_activity a
    left join leadline.lead_activity c on c.workspace_id = a.workspace_id and c.activity_id = a.caused_by
    where a.workspace_id = %s and a.activity_id > %s order by a.activity_id
"""
LEADS = "select * from leadline.leads where workspace_id = %s"
MET = "select rule, count(*) as times from leadline.lead_activity group by rule order by times desc"
SUPPRESSED = (
    "select kind, key, channel from leadline.suppressions where workspace_id = %s and lifted_by is null"
)
STATE = (
    "stage", "status", "stage_entered_at", "late_before", "source", "name", "company", "email", "phone",
    "assigned_user_id", "deal_value", "currency", "first_contacted_at", "last_touch_at", "resolved_at",
    "appointment_ref", "appointment_at", "callback_at", "duplicate_of", "copied_from", "seq", "version",
)  # fmt: skip

# -- what may be said

TEN, ELEVEN = "2026-02-01T10:00:00Z", "2026-02-01T12:00:00+01:00"
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
    ],
    "contact_changed": [{}, {"name": "Kim"}, {"name": "Lee", "email": "lee@example.com"}, {"phone": None}],
    "tag_added": [{"tag": "vip"}, {"tag": "fair"}],
    "tag_removed": [{"tag": "vip"}],
    "note_added": [{"text": "a note"}],
    "unsubscribed": [{"channel": "email"}],
    "suppression_lifted": [{"reason": "she called"}],
    "call_completed": [{}, {"channel": "phone", "outcome": "reached", "duration_s": 90}],
    "lead_imported": [{"stage": "sale", "entered_at": TEN}],
    "lead_qualified": [{"problem": "x", "timing": "x", "buying_role": "x"}],
    "deal_lost": [{"lost_reason": "Price"}],
    "lead_reopened": [{"to_stage": "new"}],
    "stage_corrected": [{"to_stage": "new", "reason": "other", "notes": "x"}],
    "request_rejected": [{"reason": "no_fit"}],
    "lead_recycled": [{"reason": "other", "recycle_on": "2999-01-01", "notes": "x"}],
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
    ("contact_changed", {"email": "nobody"}),
    ("note_added", {}),
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
USUAL = ["admin", "app", "app for a member", "member"] * 4 + ANY

MOST_LEADS = 4
# Most reports are of the path to an appointment: an outcome ends what a history has to tell.
ON_THE_WAY = {"callback_requested", "appointment_scheduled", "appointment_cancel", "appointment_no_show"}
KINDS_OF_TYPES = (
    *[ON_THE_WAY] * 8,
    *[TOUCHES_OUT | TOUCHES_IN, FIELDS | NOTES, {"sale", "no_sale"}] * 2,
    {"duplicate", "unresponsive"},
    MOVES & set(RESOLVED),
    SYSTEM_ONLY | BIRTHS,
    OTHER_WORKFLOWS,
)
# Seconds from the entry into the present stage; None says nothing.
WHEN = (None, None, None, -7200, -61, -60.000001, -60, -59, -1, 0, 0, 1, 90, 3600, 90000)
REFERENCES = (*[None] * 12, *(f"r-{number}" for number in range(6)))
GIVEN_AT_BIRTH: dict[str, list[Any]] = {
    "source": ["web"],
    "name": ["Kim"],
    "email": ["kim@example.com", "Kim@Example.com", "lee@example.com"],
    "phone": ["+16502530000", "+4512345678"],
    "deal_value": [0, 250.25],
    "currency": ["EUR"],
    "assigned_user_id": ["member", "member", "member", str(UUID(int=7))],
    "copied_from": [0, 1],
    "workflow": ["appointment"] * 5 + ["ski_lessons"],
}
CHANGED_BY_HAND: list[Payload] = [
    {"deal_value": 5}, {"deal_value": None}, {"name": "By hand"}, {"email": None}, {"source": "by hand"}, {},
]  # fmt: skip
# hypothesis chooses the steps of a history, this what is said in them: evenly, and the same in every run.
CHANCE = st.randoms(use_true_random=True)


# -- a history


class History(RuleBasedStateMachine):
    """Up to three leads of one workspace, reported on by everybody through every door."""

    connection: ClassVar[psycopg.Cursor[dict[str, Any]]]
    numbers: ClassVar[Iterator[int]] = count()

    def __init__(self) -> None:
        super().__init__()
        self.now = datetime.now(UTC)
        self.book = Book(now=self.now)
        self.prefix = f"history_{next(self.numbers)}"
        self.logins: dict[str, str] = {}
        self.last_id = 0
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

    # -- steps

    @initialize(chance=CHANCE)
    def two_leads(self, chance: Random) -> None:
        """One created, one imported: the two kinds of beginnings."""
        self.chance = chance
        self.tell(
            [Report("lead 0", "lead_created", occurred_at=datetime(2026, 1, 5, tzinfo=UTC))],
            "admin",
            "insert",
        )
        payload = {"stage": self.chance.choice(OPEN), "entered_at": TEN, "email": "kim@example.com"}
        self.tell([Report("lead 1", "lead_imported", payload)], "importer", "insert")

    @precondition(lambda self: len(self.book.leads) < MOST_LEADS)
    @rule()
    def a_lead_is_created(self) -> None:
        given = {
            key: self.chance.choice(values)
            for key, values in GIVEN_AT_BIRTH.items()
            if self.chance.random() < 0.4
        }
        at = self.chance.choice([None, datetime(2026, 1, 5, 9, tzinfo=UTC)])
        report = Report(
            self.next_lead, "lead_created", self.fill(given), self.chance.choice([None, "b-1", "r-1"]), at
        )
        self.tell([report], self.chance.choice([*USUAL, "importer"]), "log_activity")

    @precondition(lambda self: len(self.book.leads) < MOST_LEADS)
    @rule()
    def a_lead_is_imported(self) -> None:
        given: Payload = self.chance.choice(
            [{}, {"email": "kim@example.com", "phone": "+16502530000"}, {"deal_value": 7}]
        )
        payload = {
            **given,
            "stage": self.chance.choice([*OPEN, *OPEN, "sale", "dnc", "warm"]),
            "entered_at": TEN,
        }
        who = self.chance.choice(["importer", "importer", "importer", "admin", "ai"])
        self.tell(
            [Report(self.next_lead, "lead_imported", payload)],
            who,
            self.chance.choice(["insert", "log_activity"]),
        )

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
        batch = [report for report in batch if report.type != "duplicate"]
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
        self.change_by_hand(self.any_lead(), self.chance.choice(CHANGED_BY_HAND))

    @rule()
    def a_stage_is_changed_by_hand(self) -> None:
        name, stage = self.any_lead(), self.chance.choice([*OPEN, *OPEN, "refused"])
        resolved_at = None
        if status_of(stage) == "resolved":
            resolved_at = self.book.leads[name].resolved_at or datetime(2026, 1, 6, 10, tzinfo=UTC)
        self.change_by_hand(name, {"stage": stage, "resolved_at": resolved_at})

    def report(self, lead: str | None = None) -> Report:
        """An activity about one of the leads."""
        name, at = lead or self.any_lead(), None
        activity_type = self.chance.choice(sorted(self.chance.choice(KINDS_OF_TYPES)))
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

    # -- telling both

    def tell(self, told: list[Report], who: str, door: str) -> None:
        """Tell the database, then the model, and compare their answers and everything they hold."""
        note(f"{who}, by {door}: {told}")
        database = self.outcome(lambda: self.say(told, who, door))
        clock = self.read_fresh_rows(told)
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
        """The same by log_activities, which takes and answers item by item."""
        note(f"{who}, by log_activities: {told}")
        with self.acting_as(who):
            answers = [
                a["result"] for a in self.ask(LOG_ACTIVITIES, Jsonb([self.item(r, who) for r in told]))
            ]
        clock = self.read_fresh_rows(told)
        expected: list[tuple[Any, ...]] = []
        for report in told:
            try:
                [(row, _)] = self.book.statement([report], self.writer(who), clock)
                expected.append((row.verdict, row.rule, None, row.seq))
            except RaisedError as e:
                expected.append(("invalid", e.rule, e.sqlstate, None))
        assert [(a["verdict"], a["rule"], a.get("sqlstate"), a.get("seq")) for a in answers] == expected
        self.compare()

    def change_by_hand(self, name: str, values: Payload) -> None:
        """An UPDATE by a superuser of the columns given, and of no other."""
        current = self.book.leads[name]
        row = {
            **{
                key: getattr(current, key)
                for key in ("stage", "resolved_at", "deal_value", "name", "email", "source")
            }
        }
        row |= values
        self.ask(
            """
            update leadline.leads set stage = %(stage)s, status = %(status)s, resolved_at = %(resolved_at)s,
                deal_value = %(deal_value)s, name = %(name)s, email = %(email)s, source = %(source)s
            where workspace_id = %(workspace)s and lead_id = %(lead)s returning 1
            """,
            **row,
            status=status_of(row["stage"]),
            workspace=self.workspace,
            lead=self.id_of(name),
        )
        clock = self.read_fresh_rows([])
        self.book.changed_by_hand(name, values, clock)
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

    def read_fresh_rows(self, told: list[Report]) -> Clock:
        """Read what the journal gained; a new lead gets its name here. Gives recorded_at by lead and seq."""
        self.fresh = self.ask(JOURNAL, self.workspace, self.last_id)
        for row in self.fresh:
            self.last_id = row["activity_id"]
            if row["seq"] == 1:
                self.book.ids[str(row["lead_id"])] = told[0].lead
        recorded = {(self.name_of(row["lead_id"]), row["seq"]): row["recorded_at"] for row in self.fresh}
        return lambda lead, seq: recorded.get(
            (lead, seq), self.now
        )  # of a statement that raised, nothing is there

    def compare(self) -> None:
        """New rows, every lead's state and the do-not-contact list are the same on both sides."""
        rows, self.book.rows = self.book.rows, []
        assert sorted(map(self.row, self.fresh), key=str) == sorted(rows, key=str)
        stored = {self.name_of(row["lead_id"]): row for row in self.ask(LEADS, self.workspace)}
        assert stored.keys() == self.book.leads.keys()
        for name, lead in self.book.leads.items():
            assert {k: self.plain(stored[name][k]) for k in STATE} == {k: getattr(lead, k) for k in STATE}
            assert frozenset(stored[name]["tags"]) == lead.tags
        suppressed = {(s["kind"], s["key"], s["channel"]) for s in self.ask(SUPPRESSED, self.workspace)}
        assert suppressed == self.book.suppressed

    def row(self, r: dict[str, Any]) -> Row:
        """A journal row as the model writes it."""
        return Row(
            self.name_of(r["lead_id"]),
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
            r["caused_by_seq"],
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

    @property
    def next_lead(self) -> str:
        """The name of the lead that may be born now."""
        return f"lead {len(self.book.leads)}"

    def id_of(self, name: str) -> UUID | None:
        """The id of a lead; null for one that is to be born, an unknown one for nobody."""
        if name == "nobody":
            return uuid4()
        return next((UUID(i) for i, known in self.book.ids.items() if known == name), None)

    def name_of(self, lead_id: UUID) -> str:
        """The name of a lead in the model."""
        return self.book.ids[str(lead_id)]

    def fill(self, payload: Payload) -> Payload:
        """Payloads name leads by number and people by role."""
        filled = dict(payload)
        for key in ("duplicate_of", "copied_from"):
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
            self.connection.execute("reset session authorization")
            self.connection.execute("reset leadline.on_refusal")

    def ask(self, statement: Any, *given: Any, **named: Any) -> list[dict[str, Any]]:
        """The rows of one statement."""
        return self.connection.execute(statement, named or given or None).fetchall()


@pytest.mark.slow
def test_database_and_model_agree_on_random_histories(database: Database) -> None:
    print(__doc__)
    machine = seed(int(os.environ["LEADLINE_SEED"]))(History) if "LEADLINE_SEED" in os.environ else History
    told = settings(max_examples=HISTORIES, stateful_step_count=25, suppress_health_check=list(HealthCheck))
    with database.connect(autocommit=True) as connection:
        History.connection = connection.cursor(row_factory=dict_row)
        run_state_machine_as_test(machine, settings=told)
        assert connection.execute("select * from leadline.verify_state(true)").fetchall() == []
        assert connection.execute("select * from leadline.verify_chain()").fetchall() == []
        met = connection.execute(MET).fetchall()
    print(*(f"{times:6} {rule or 'no rule'}" for rule, times in met), sep="\n")
    if HISTORIES >= 200 and "LEADLINE_SEED" not in os.environ:
        assert {rule for rule, _ in met} >= OBJECTIONS, "a rule that no history meets is not compared"
