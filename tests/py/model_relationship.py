"""Where a relationship stands, in Python: the six points, approvals, proposals out of leads, joining by merging.

Written from seed 002 and section G of the specification, not from the functions that PostgreSQL runs.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from tests.py.model import (
    SIGNAL,
    Clock,
    Decision,
    RaisedError,
    Report,
    Row,
    Ruling,
    Subject,
    Writer,
    applied,
    instant,
    shown,
)
from tests.py.model_intake import ENQUIRY, Intake, Person

# -- seed 002

ORDER = ("prospect", "qualified", "opportunity", "client", "onboarding", "active")
CLIENT = ORDER.index("client") + 1
LEAST_ROLE = {"owner": {"owner"}, "admin": {"owner", "admin"}, "member": {"owner", "admin", "member"}}
DAYS_TO_ANSWER = 14

# An outcome of a lead -> where it proposes that the person goes, and the verdicts that count.
REPLIES = {"email_replied", "message_received", "call_received", "call_completed", "meeting_held"}
ASKS_FOR_MORE = {"quote", "pricing_question"}
SALES = {"sale", "deal_won", "opportunity_won"}
OUTCOMES = "workflow:lead-outcome"
SIGNALS = Writer("system", UUID(int=0), "workflow:product-signal", "system")


def rank(stage: str) -> int:
    """A place in the order; closed is before everything."""
    return 0 if stage == "closed" else ORDER.index(stage) + 1


@dataclass(frozen=True)
class Kind:
    """An activity type of a journal beside that of leads: its keys, who reports it, and what it is."""

    writers: set[str]
    keys: dict[str, str] = field(default_factory=dict)
    moves: bool = False
    needs_a_person: bool = False
    system_only: bool = False
    is_birth: bool = False
    late_is_refused: bool = False


PEOPLE, BILLING = {"person", "app"}, {"billing"}
REASON = {"reason": "text"}
ANSWER = {"approval_id": "uuid!", **REASON}
RELATIONSHIP = {
    "relationship_advanced": Kind(
        PEOPLE, {"to": "text!", "backward": "flag", "approve": "flag", **REASON}, moves=True
    ),
    "relationship_closed": Kind(PEOPLE, REASON, moves=True, needs_a_person=True),
    "approval_granted": Kind(PEOPLE, ANSWER, moves=True, needs_a_person=True),
    "approval_declined": Kind(PEOPLE, ANSWER, needs_a_person=True),
    "approval_expired": Kind(set(), {"approval_id": "uuid!"}, system_only=True),
    "relationship_joined": Kind(set(), {"from": "uuid"}, moves=True, system_only=True),
    "product_signal_seen": Kind(PEOPLE, SIGNAL),
    "direct_change": Kind(set(), system_only=True),
}


@dataclass
class Approval:
    """A move that waits for a yes; place and settled_by name rows of the person."""

    person: int
    to_stage: str
    place: tuple[str, int]
    cause: Row | None
    expires_at: datetime
    status: str = "open"
    settled_by: tuple[str, int] | None = None
    settled_by_user: str | None = None


def name_of(person: int) -> str:
    """A person in a row."""
    return f"person {person}"


@dataclass
class Relations(Intake):
    """A workspace whose people stand somewhere."""

    approvers: str | None = None
    approval_hours: int | None = None
    person_ids: dict[str, int] = field(default_factory=dict)  # person_id -> number here
    approvals: list[Approval] = field(default_factory=list)
    approval_ids: dict[str, tuple[str, int]] = field(
        default_factory=dict
    )  # approval_id -> place of the held row
    claims_elsewhere: dict[tuple[str, str], tuple[str, str, Row]] = field(default_factory=dict)
    told: dict[tuple[str, int], tuple[Report, Writer]] = field(default_factory=dict)
    rows_at: dict[tuple[str, int], Row] = field(default_factory=dict)

    # -- all journals

    def statement(
        self, reports: list[Report], by: Writer, clock: Clock, raises: bool = False
    ) -> list[tuple[Row, bool]]:
        self.clock = clock
        return super().statement(reports, by, clock, raises)

    def subject(self, name: str) -> Subject:
        kind, _, number = name.partition(" ")
        return self.people[int(number)] if kind == "person" else super().subject(name)

    def kinds(self, journal: str) -> dict[str, Kind]:
        """The vocabulary of a journal."""
        return RELATIONSHIP

    def report(self, r: Report, by: Writer, clock: Clock, raises: bool = False) -> tuple[Row, bool]:
        row, replayed = (
            super().report(r, by, clock, raises)
            if r.journal == "lead"
            else self.report_elsewhere(r, by, clock, raises)
        )
        if not replayed:
            self.told[row.lead, row.seq] = (r, by)
        return row, replayed

    def report_elsewhere(self, r: Report, by: Writer, clock: Clock, raises: bool) -> tuple[Row, bool]:
        """The documented order of tests, in a journal beside that of leads."""
        kind = self.well_formed(r)
        self.check_names(r)
        if r.reference is not None and (r.journal, r.reference) in self.claims_elsewhere:
            subject, activity_type, row = self.claims_elsewhere[r.journal, r.reference]
            if activity_type != r.type or (r.lead is not None and subject != r.lead):
                raise RaisedError("PT409", "reference_reused")
            return row, True
        refusal = self.refusal_elsewhere(kind, r, by)
        if r.lead is None:
            if refusal is not None:
                raise RaisedError("PT409", refusal)
            row = self.begin(r, by, clock)
        else:
            row = self.record_elsewhere(kind, r, by, refusal, clock, raises)
        if r.reference is not None:
            self.claims_elsewhere[r.journal, r.reference] = (row.lead, r.type, row)
        return row, False

    def record_elsewhere(
        self, kind: Kind, r: Report, by: Writer, refusal: str | None, clock: Clock, raises: bool
    ) -> Row:
        """Decide an activity about what there is, and record it."""
        assert r.lead is not None
        before = copy.copy(self.subject(r.lead))
        at = r.occurred_at or clock(r.lead, before.seq + 1)
        decision: Decision
        if refusal is not None:
            decision = "refused", refusal, set()
        else:
            decision = self.decide_elsewhere(kind, r, by, at)
        if decision[0] == "refused" and raises and by.kind not in {"ai", "system"}:
            raise RaisedError("PT409", str(decision[1]))
        return self.record(r, by, decision, at, before, self.cause_of(r))

    def well_formed(self, r: Report) -> Kind:
        """The kind of a report whose words and values are of the journal."""
        kinds = self.kinds(r.journal)
        if r.type not in kinds:
            raise RaisedError("PT422", "unknown_activity_type")
        kind = kinds[r.type]
        if r.lead is None and not kind.is_birth:
            raise RaisedError("PT422", "subject_required")
        for key, value in kind.keys.items():
            if key not in r.payload:
                if value.endswith("!"):
                    raise RaisedError("PT422", "key_missing")
            elif not self.is_well(r.payload[key], value):
                raise RaisedError("PT422", "value_malformed")
        if r.occurred_at is not None and r.occurred_at > self.now + timedelta(minutes=5):
            raise RaisedError("PT422", "occurred_in_the_future")
        return kind

    def check_names(self, r: Report) -> None:
        """What a report names is in this workspace."""
        if r.lead is not None and not self.exists(r.lead):
            raise RaisedError("PT404", f"no_such_{r.journal}")
        if r.type in {"approval_granted", "approval_declined", "approval_expired"} and (
            (place := self.approval_ids.get(r.payload["approval_id"])) is None or place[0] != r.lead
        ):
            raise RaisedError("PT404", "no_such_approval")

    def exists(self, name: str) -> bool:
        """Whether there is such a subject."""
        return name in {name_of(number) for number in self.people}

    def refusal_elsewhere(self, kind: Kind, r: Report, by: Writer) -> str | None:
        """The rule that keeps this writer from reporting this at all."""
        if by.kind == "ai":
            return "ai_forbidden"
        if kind.system_only:
            return "system_only"
        if by.writer not in kind.writers:
            return "writer_not_allowed"
        if kind.is_birth and r.lead is not None:
            return "not_first"
        return "needs_a_person" if kind.needs_a_person and by.kind != "user" else None

    def decide_elsewhere(self, kind: Kind, r: Report, by: Writer, at: datetime) -> Decision:
        """Where it stands, when it happened, what it means."""
        assert r.lead is not None
        subject: Any = self.subject(r.lead)
        if (closed := self.closed_elsewhere(r, subject)) is not None:
            return *closed, set()
        if kind.moves and self.is_late(subject, at):
            return ("refused" if kind.late_is_refused else "noted"), "superseded", set()
        return self.effect_elsewhere(r, by, subject, at)

    @staticmethod
    def is_late(subject: Any, at: datetime) -> bool:
        """Whether something happened before the present stage was entered."""
        return subject.late_before is not None and at < subject.late_before - timedelta(minutes=1)

    def closed_elsewhere(self, r: Report, subject: Any) -> Ruling | None:
        """What is answered where nothing goes on."""
        if r.type == "relationship_closed" and subject.stage == "closed":
            return "noted", "already_there"
        return None

    def effect_elsewhere(self, r: Report, by: Writer, subject: Any, at: datetime) -> Decision:
        """What an activity does where it stands."""
        if subject.merged_into is not None and r.type != "approval_declined":
            return "refused", "person_is_merged", set()
        match r.type:
            case "relationship_advanced":
                return self.advance(r, by, subject, at)
            case "relationship_closed":
                return self.close(r, subject, at)
            case "approval_granted" | "approval_declined":
                return self.answer_approval(r, by, subject, at)
        expired = (instant(r.payload["expires_at"]) or at) <= self.now
        return "noted", "signal_expired" if expired else None, set()

    def cause_of(self, r: Report) -> Row | None:
        """The row that a report answers."""
        place = self.approval_ids.get(r.payload.get("approval_id", ""))
        if r.type not in {"approval_granted", "approval_declined"} or place is None:
            return None
        return self.rows_at[place]

    def begin(self, r: Report, by: Writer, clock: Clock) -> Row:
        """A birth in a journal beside that of leads."""
        raise NotImplementedError

    def record(
        self,
        r: Report,
        by: Writer,
        decision: Decision,
        at: datetime,
        before: Subject | None = None,
        caused_by: Row | None = None,
    ) -> Row:
        row = super().record(r, by, decision, at, before, caused_by)
        self.rows_at[row.lead, row.seq] = row
        return row

    # -- moving

    def enter(self, person: Person, stage: str, at: datetime) -> Decision:
        """Bring a person to a point; the furthest one only grows."""
        values: dict[str, Any] = {"stage": stage, "status": "closed" if stage == "closed" else "open"}
        if rank(stage) > rank(person.furthest_stage):
            values |= {"furthest_stage": stage}
        decision = applied(person, values)
        person.stage_entered_at = person.late_before = max(person.stage_entered_at or at, at)
        return decision

    def advance(self, r: Report, by: Writer, person: Person, at: datetime) -> Decision:
        """Forward, or back where a person asks for it with a reason; to client and beyond by a person's yes."""
        to, reason = r.payload["to"], shown(r.payload.get("reason"))
        if to not in ORDER:
            return "refused", "unknown_stage", set()
        if rank(to) <= rank(person.stage):
            if not (r.payload.get("backward") is True and by.kind == "user" and reason is not None):
                return "refused", "backward_move", set()
            return ("noted", "already_there", set()) if to == person.stage else self.enter(person, to, at)
        if reason is None:
            return "refused", "reason_required", set()
        if by.kind != "user" and rank(person.stage) < CLIENT <= rank(to):
            return self.hold(r, person, to, at)
        return self.enter(person, to, at)

    def close(self, r: Report, person: Person, at: datetime) -> Decision:
        """Not proceeding, for a reason."""
        if shown(r.payload.get("reason")) is None:
            return "refused", "reason_required", set()
        return self.enter(person, "closed", at)

    # -- approvals

    def hold(self, r: Report, person: Person, to: str, at: datetime, cause: Row | None = None) -> Decision:
        """Wait for a person's yes; one question at a time."""
        number = next(n for n, somebody in self.people.items() if somebody is person)
        place = (name_of(number), person.seq + 1)
        for asked in self.approvals:
            if (asked.person, asked.to_stage, asked.status) == (number, to, "open"):
                has_expired = asked.expires_at <= self.now
                if not has_expired and not self.is_corrected(asked.cause):
                    return "noted", "approval_pending", set()
                # What can be granted no more gives way to the next.
                asked.status, asked.settled_by = "expired" if has_expired else "stale", place
        hours = timedelta(hours=self.approval_hours or DAYS_TO_ANSWER * 24)
        self.approvals.append(Approval(number, to, place, cause, self.now + hours))
        return "held", "client_needs_a_person", set()

    def may_approve(self, by: Writer) -> bool:
        """Whether it is for somebody to say yes."""
        return by.role in LEAST_ROLE[self.approvers or "admin"]

    def approval(self, r: Report) -> Approval:
        """The approval that an answer names."""
        place = self.approval_ids[r.payload["approval_id"]]
        return next(a for a in self.approvals if a.place == place)

    def answer_approval(self, r: Report, by: Writer, person: Person, at: datetime) -> Decision:
        """Yes or no; a yes that comes too late closes the question."""
        approval = self.approval(r)
        if not self.may_approve(by):
            return "refused", "approver_needed", set()
        if approval.status != "open":
            return "noted", "approval_settled", set()

        def settle(status: str) -> None:
            approval.status = status
            approval.settled_by = (name_of(approval.person), person.seq + 1)
            if status in {"granted", "declined"}:
                approval.settled_by_user = str(by.actor_id)

        if r.type == "approval_declined":
            settle("declined")
            return "noted", None, set()
        if approval.expires_at <= self.now:
            settle("expired")
            return "refused", "approval_has_expired", set()
        if rank(approval.to_stage) <= rank(person.stage) or self.is_corrected(approval.cause):
            settle("stale")
            return "refused", "approval_stale", set()
        settle("granted")
        return self.enter(person, approval.to_stage, at)

    def is_corrected(self, cause: Row | None) -> bool:
        """Whether what asked for a yes was taken back since, and does not stand again."""
        return (
            cause is not None
            and self.subject(cause.lead).stage != cause.to_stage
            and any(
                (row.lead, row.type, row.verdict) == (cause.lead, "stage_corrected", "applied")
                for row in self.rows_at.values()
                if row.seq > cause.seq
            )
        )

    def expire(self, until: datetime, clock: Clock) -> None:
        """The hourly job: what nobody answered in time."""
        system = Writer("system", UUID(int=0), "workflow:approvals", "system")
        for approval in self.approvals:
            if approval.status == "open" and approval.expires_at <= until:
                name = name_of(approval.person)
                at = clock(name, self.subject(name).seq + 1)
                report = Report(name, "approval_expired", journal="person")
                held = self.rows_at[approval.place]
                row = self.record(report, system, ("noted", None, set()), at, None, held)
                approval.status, approval.settled_by = "expired", (row.lead, row.seq)

    # -- what follows

    def follow(self, cause: Row) -> None:
        super_follow: Callable[[Row], None] = super().follow
        if cause.lead in self.leads:
            super_follow(cause)
        self.propose(cause)
        if cause.type == "product_signal_seen" and cause.lead not in self.leads:
            self.follow_signal(cause)

    def proposal(self, cause: Row) -> str | None:
        """Where an outcome of a lead would bring its person."""
        told = self.told.get((cause.lead, cause.seq))
        if cause.lead not in self.leads or told is None or cause.verdict not in {"applied", "noted"}:
            return None
        if cause.type in REPLIES:
            return "qualified"
        if cause.type == ENQUIRY and self.exclusion(told[0]) is None:
            return "opportunity" if shown(told[0].payload.get("request_class")) in ASKS_FOR_MORE else None
        if cause.verdict != "applied":
            return None
        return {"proposal_sent": "opportunity", "sale": "client", "deal_won": "client"}.get(cause.type)

    def person_behind(self, cause: Row) -> int:
        """Whose outcome it is: the person that goes on."""
        return self.person_of(self.leads[cause.lead].person)

    def propose(self, cause: Row) -> None:
        """A consequence of an outcome: forward only; what is a commitment waits, unless somebody with the right said so."""
        if (to := self.proposal(cause)) is None:
            return
        number = self.person_behind(cause)
        person = self.people[number]
        if rank(to) <= rank(person.stage):
            return
        report = Report(name_of(number), "relationship_advanced", journal="person")
        by = Writer("system", UUID(int=0), OUTCOMES, "system")
        told = self.told.get((cause.lead, cause.seq))
        if told is not None and cause.type in SALES and told[0].payload.get("approve") is True:
            author = told[1]
            if author.kind == "user" and self.may_approve(author):
                by = replace(author, writer=OUTCOMES)
        before, at = copy.copy(person), cause.occurred_at
        if person.stage != "closed":  # news is late only for somebody who was let go since
            at = max(at, person.late_before or at)
        decision: Decision
        if self.is_late(person, at):
            decision = "noted", "superseded", set()
        elif by.kind != "user" and rank(person.stage) < CLIENT <= rank(to):
            decision = self.hold(report, person, to, at, cause)
        else:
            decision = self.enter(person, to, at)
        self.record(report, by, decision, at, before, cause)

    def follow_signal(self, cause: Row) -> None:
        """What a product told brings back who was recycled, and may be a request; unless somebody is put aside until later
        and nobody works on another lead of theirs."""
        p = self.told[cause.lead, cause.seq][0].payload
        if cause.verdict != "noted" or cause.rule is not None:
            return
        number = int(cause.lead.partition(" ")[2])
        own = {name: lead for name, lead in self.leads.items() if self.person_of(lead.person) == number}
        for name in sorted((n for n, lead in own.items() if lead.stage == "recycled"), key=self.id_of):
            self.signal_on(name, p, cause)
        addresses = sorted(
            (whose != number, key)
            for (kind, key), whose in self.keys_of_people.items()
            if kind == "email" and self.person_of(whose) == number
        )
        is_aside = any(lead.stage == "recycled" for lead in own.values())
        is_worked = any(lead.is_open for lead in own.values())
        if p.get("opens_request") is True and addresses and (is_worked or not is_aside):
            asked = {
                "email": addresses[0][1], "workflow": "qualification", "request_class": "score", "source": "product signal",
            }  # fmt: skip
            self.arrive(Report(None, ENQUIRY, asked), SIGNALS, self.clock, raises=False)
            self.rows[-1] = replace(self.rows[-1], caused_by=(cause.lead, cause.seq))
            self.follow(self.rows[-1])

    def id_of(self, name: str) -> str:
        """The id of a lead in the database."""
        return next(i for i, known in self.ids.items() if known == name)

    def signal_on(self, name: str, p: dict[str, Any], cause: Row) -> None:
        """The signal in the history of a recycled lead: evidence of the instant it was observed."""
        lead, at = self.leads[name], instant(p["observed_at"])
        assert at is not None
        told = Report(name, "product_signal_seen", p)
        before = copy.copy(lead)
        ruling = self.objection(told, SIGNALS, at)
        decision = self.transition(told, SIGNALS, at) if ruling is None else (*ruling, set())
        self.record(told, SIGNALS, decision, at, before, cause)

    # -- merging

    def take_over(self, cause: Row) -> None:
        lead = self.leads[cause.lead]
        number = self.person_of(lead.person)
        super().take_over(cause)
        into = self.person_of(number)
        if into == number:
            return
        person, survivor = self.people[number], self.people[into]
        is_further = rank(person.stage) > rank(survivor.stage)
        if is_further or rank(person.furthest_stage) > rank(survivor.furthest_stage):
            report = Report(name_of(into), "relationship_joined", journal="person")
            writer = Writer(cause.actor_kind, UUID(int=0), "workflow:merge", "system")
            before, at = copy.copy(survivor), self.clock(name_of(into), survivor.seq + 1)
            furthest = {"furthest_stage": max(person.furthest_stage, survivor.furthest_stage, key=rank)}
            _, _, been = applied(survivor, furthest)
            moved = self.enter(survivor, person.stage, at)[2] if is_further else set()
            decision: Decision = "applied", None, been | moved
            self.record(report, writer, decision, at, before)
