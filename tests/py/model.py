"""What all workflows share, and the appointment workflow, in Python: written from the specification and seed 000,
not from the rules that PostgreSQL reads.

MATRIX reads beside the seed's transition diagram, KEYS beside the list of payloads. Book.report() decides one
activity in the documented order of tests, first hit wins; Book.statement() is one SQL statement, whose
consequences run when it ends. model_sales.py and model_qualification.py have the other workflows of leads, model_intake.py
enquiries, people and merging, model_relationship.py and model_deals.py what is not a lead.
"""

from __future__ import annotations

import copy
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, ClassVar, Protocol
from uuid import UUID
from zoneinfo import ZoneInfo

Clock = Callable[[str, int], datetime]
Payload = dict[str, Any]
Ruling = tuple[str, str | None]  # verdict, rule
Decision = tuple[str, str | None, set[str]]  # verdict, rule, changed columns

# -- seed 000: stages

OPEN = ("new", "attempted", "callback", "scheduled", "no_show")
RESOLVED = ("sale", "no_sale", "refused", "wrong_number", "bad_number", "unresponsive", "duplicate", "dnc")


# -- seed 000: transitions


def cells(elsewhere: str, **at: str) -> dict[str, str]:
    """A row of the matrix: what happens at the named stages, and at every other open stage."""
    return {stage: at.get(stage, elsewhere) for stage in OPEN}


# "> stage" moves there; F changes fields, else notes no_change; N notes, R refuses, under the rule named.
MATRIX = {
    "contact_attempted": cells("N", new="> attempted"),
    "call_completed": cells("N", new="> attempted"),
    "meeting_held": cells("N", new="> attempted"),
    "email_sent": cells("N", new="> attempted"),
    "callback_requested": cells("> callback", callback="F", scheduled="N appointment_stands"),
    "appointment_scheduled": cells("> scheduled", scheduled="F"),
    "appointment_no_show": cells(
        "R no_show_needs_appointment", scheduled="> no_show", no_show="N already_there"
    ),
    "appointment_cancel": cells(
        "R cancel_needs_appointment", scheduled="> callback", callback="N already_there"
    ),
    "sale": cells("R outcome_needs_appointment", scheduled="> sale"),
    "no_sale": cells("R outcome_needs_appointment", scheduled="> no_sale"),
    "refused": cells("> refused"),
    "wrong_number": cells("> wrong_number"),
    "bad_number": cells("> bad_number"),
    "unresponsive": cells("> unresponsive", new="R unresponsive_needs_contact"),
    "duplicate": cells("> duplicate"),
    "dnc": cells("> dnc"),
}
MOVES = set(MATRIX)
OF_ANOTHER_APPOINTMENT = {
    "appointment_cancel": ("noted", "superseded_appointment"),
    "appointment_no_show": ("noted", "superseded_appointment"),
    "sale": ("refused", "outcome_needs_appointment"),
    "no_sale": ("refused", "outcome_needs_appointment"),
}

# -- activity types of all workflows

TOUCHES_OUT = {
    "contact_attempted",
    "call_completed",
    "meeting_held",
    "email_sent",
    "message_sent",
    "lead_contacted",
}
TOUCHES_IN = {"email_replied", "message_received", "call_received", "inbound_enquiry"}
FIELDS = {
    "lead_assigned",
    "deal_value_changed",
    "contact_changed",
    "tag_added",
    "tag_removed",
    "possible_duplicate_dismissed",
}
NOTES = {"note_added", "unsubscribed", "suppression_lifted"}
MERGING = {"leads_merged", "leads_unmerged"}
BIRTHS = {"lead_created", "lead_imported"}
SYSTEM_ONLY = {"direct_change", "callback_cancelled", "lead_resurrected", "person_erased"}
OF_SALES = {"proposal_sent", "deal_won", "deal_lost", "lead_reopened", "lead_archived", "lead_unarchived"}
OF_QUALIFICATION = {
    "request_accepted", "request_rejected", "lead_recycled", "lead_converted", "product_signal_seen",
}  # fmt: skip
OF_BOTH = {"lead_qualified", "stage_corrected"}
OF_APPOINTMENT = MOVES - TOUCHES_OUT - {"dnc"}
OTHER_WORKFLOWS = OF_SALES | OF_QUALIFICATION | OF_BOTH  # seen from an appointment lead
OF_SOME_WORKFLOW = OF_APPOINTMENT | OTHER_WORKFLOWS
VOCABULARY = (
    MOVES | TOUCHES_OUT | TOUCHES_IN | FIELDS | NOTES | MERGING | BIRTHS | SYSTEM_ONLY | OTHER_WORKFLOWS
)

NOT_BY_SYSTEM = {"call_completed", "meeting_held", "lead_contacted"}
ONLY_BY_A_PERSON = {"email_sent", "message_sent"}
NEEDS_A_PERSON = {"lead_reopened"}

# Which class of writer may report what; ai is answered before, billing reports nothing about leads.
WRITERS = {
    "touch": {"person", "app"},
    "workflow": {"person", "app"},
    "field": {"person", "app", "importer"},
    "birth": {"person", "app", "importer"},
}

# -- payloads: key -> kind; "!" needed, "0" may be null (what is not needed may always be null)

CONTACT = {"name": "text", "company": "text", "email": "email", "phone": "text"}
BIRTH = {
    "workflow": "text", "copied_from": "uuid", "source": "text", **CONTACT,
    "assigned_user_id": "uuid", "deal_value": "money", "currency": "currency",
}  # fmt: skip
MONEY = {"deal_value": "money", "currency": "currency"}
REASONS = {"lost_reason": "text", "notes": "text"}
OUTCOME = {"notes": "text"}
APPROVE = {"approve": "flag"}
PUT_ASIDE = {"rejection_reason": "text", "recycle_reason": "text", "recycle_on": "date"}
SIGNAL = {
    "signal": "text!", "observed_at": "instant!", "reason": "text!", "expires_at": "instant!", "opens_request": "flag",
}  # fmt: skip
KEYS: dict[str, dict[str, str]] = {
    "call_completed": {"duration_s": "whole"},
    "contact_attempted": {"duration_s": "whole"},
    "appointment_scheduled": {"starts_at": "instant", "ends_at": "instant", "appointment_ref": "text"},
    "appointment_cancel": {"appointment_ref": "text"},
    "appointment_no_show": {"appointment_ref": "text"},
    "callback_requested": {"callback_at": "instant"},
    "sale": {**MONEY, **OUTCOME, **APPROVE},
    "no_sale": OUTCOME,
    "refused": OUTCOME,
    "wrong_number": OUTCOME,
    "bad_number": OUTCOME,
    "unresponsive": OUTCOME,
    "dnc": OUTCOME,
    "duplicate": {"duplicate_of": "uuid", **OUTCOME},
    "proposal_sent": MONEY,
    "deal_won": {**MONEY, **APPROVE},
    "deal_lost": REASONS,
    "lead_reopened": {"to_stage": "text!"},
    "stage_corrected": {"to_stage": "text!", "reason": "text", **REASONS},
    "request_accepted": {"request_id": "uuid"},
    "request_rejected": {"request_id": "uuid", "reason": "text", "notes": "text"},
    "lead_recycled": {"reason": "text", "recycle_on": "date", "notes": "text"},
    "lead_qualified": {"problem": "text", "timing": "text", "buying_role": "text"},
    "lead_converted": {
        "opportunity_id": "uuid", "pipeline": "text", "amount": "money", "currency": "currency", "close_date": "date",
    },
    "product_signal_seen": SIGNAL,
    "lead_assigned": {"assigned_user_id": "uuid0!"},
    "deal_value_changed": {"deal_value": "money0!", "currency": "currency0!"},
    "contact_changed": CONTACT,
    "tag_added": {"tag": "text!"},
    "tag_removed": {"tag": "text!"},
    "note_added": {"text": "text!"},
    "unsubscribed": {"channel": "text!"},
    "suppression_lifted": {"reason": "text!"},
    "leads_merged": {"into": "uuid!"},
    "lead_created": BIRTH,
    "lead_imported": {
        **BIRTH, "stage": "text!", "entered_at": "instant!", "first_contacted_at": "instant", **REASONS, **PUT_ASIDE,
    },
    "inbound_enquiry": {
        **CONTACT, "message": "text", "source": "text", "request_class": "text", "budget": "scalar",
        "external_id": "text", "workflow": "text", "exclusion": "text", "assigned_user_id": "uuid", **MONEY,
    },
}  # fmt: skip


def is_instant(value: Any) -> bool:
    """ISO 8601 with an offset."""
    if not isinstance(value, str) or not re.search(r"(Z|[+-]\d\d:?\d\d)$", value):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def is_day(value: Any) -> bool:
    """A day of the calendar, as 2026-02-01."""
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def is_uuid(value: Any) -> bool:
    """A uuid as text."""
    return (
        isinstance(value, str)
        and re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", value) is not None
    )


def is_number(value: Any) -> bool:
    """A JSON number of zero or more."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")


def is_email(value: Any) -> bool:
    """An address with an @, and no white space within."""
    return isinstance(value, str) and re.fullmatch(r"[^@\s]+@[^@\s]+", email_key(value) or "") is not None


KINDS: dict[str, Callable[[Any], bool]] = {
    "text": lambda v: isinstance(v, str),
    "scalar": lambda v: isinstance(v, str | int | float) and not isinstance(v, bool),
    "email": is_email,
    "flag": lambda v: isinstance(v, bool),
    "instant": is_instant,
    "date": is_day,
    "uuid": is_uuid,
    "money": lambda v: is_number(v) and v <= 10**15,
    "whole": lambda v: is_number(v) and v == int(v),
    "currency": lambda v: isinstance(v, str) and re.fullmatch("[A-Z]{3}", v) is not None,
}

# -- spellings under which people are recognised (seed 004 rule 7.1, cases B2, B6 and C)

INVISIBLE = "\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
OUTSIDE = " \t\n\r\u00a0"  # not kept for showing either


def visible(text: str) -> str | None:
    """NFC, without invisible characters and outer white space."""
    text = unicodedata.normalize("NFC", text)
    return "".join(letter for letter in text if letter not in INVISIBLE).strip() or None


def email_key(email: str | None) -> str | None:
    """The spelling under which an address is matched."""
    seen = visible(email or "")
    return seen.lower() if seen else None


def email_stem(email: str | None) -> str | None:
    """The mailbox behind a key: no +tag, no dots at Gmail."""
    if (key := email_key(email)) is None:
        return None
    local, _, domain = key.rpartition("@")
    local = local.partition("+")[0]
    return f"{local.replace('.', '') if domain == 'gmail.com' else local}@{domain}"


def phone_key(phone: str | None) -> str | None:
    """The spelling under which a number is matched: its digits, + before an international one."""
    seen = visible(phone or "")
    if not seen or re.fullmatch(r"[0-9.,]+[eE][+-]?[0-9]+", seen):
        return None
    seen = re.split(r"ext|x|;|#", seen, flags=re.IGNORECASE)[0]
    digits, kept = re.sub(r"[^0-9]", "", seen), re.sub(r"[^0-9+]", "", seen)
    if not 5 <= len(digits) <= 15:
        return None
    if kept.startswith("+"):
        return "+" + digits
    return "+" + digits[2:] if kept.startswith("00") else digits


def shown(text: str | None) -> str | None:
    """Text as it is kept; blank is nothing."""
    return (text or "").strip(OUTSIDE) or None


# -- what goes in and what comes out


@dataclass(frozen=True)
class Writer:
    """A credential as the journal sees it: who acts, by which class of writer, with which right."""

    kind: str
    actor_id: UUID
    writer: str
    role: str
    scopes: frozenset[str] = frozenset()
    on_behalf_of: UUID | None = None


@dataclass(frozen=True)
class Report:
    """One activity: lead is the model's own name of a lead, None where none is named (births, enquiries).

    In another journal it names what that one is about: a person, an opportunity, a subscription.
    """

    lead: str | None
    type: str
    payload: Payload = field(default_factory=dict, hash=False)
    reference: str | None = None
    occurred_at: datetime | None = None
    journal: str = "lead"


@dataclass(frozen=True)
class Row:
    """A row of a journal, without what only a database can know; caused_by is the subject and the place of its cause."""

    lead: str
    seq: int
    type: str
    verdict: str
    rule: str | None
    from_stage: str
    to_stage: str
    from_status: str
    to_status: str
    changes: frozenset[str] | None
    version: int
    occurred_at: datetime
    actor_kind: str
    writer: str
    reference: str | None = None
    caused_by: tuple[str, int] | None = None


class RaisedError(Exception):
    """What is raised and not recorded: the SQLSTATE and the rule's name."""

    def __init__(self, sqlstate: str, rule: str) -> None:
        super().__init__(sqlstate, rule)
        self.sqlstate, self.rule = sqlstate, rule


class Subject(Protocol):
    """What a journal is about: it stands somewhere, and counts its rows."""

    stage: str
    status: str
    seq: int
    version: int


@dataclass
class Lead:
    """State of a lead; the names are the columns of leads. Its person is a number of the model's own."""

    workflow: str
    stage: str
    status: str
    stage_entered_at: datetime
    late_before: datetime | None
    created_at: datetime
    source: str
    person: int = 0
    name: str | None = None
    company: str | None = None
    email: str | None = None
    phone: str | None = None
    assigned_user_id: str | None = None
    deal_value: Decimal | None = None
    currency: str | None = None
    tags: frozenset[str] = frozenset()
    first_contacted_at: datetime | None = None
    last_touch_at: datetime | None = None
    unanswered: frozenset[datetime] = frozenset()  # when somebody wrote in, of what waits for an answer
    resolved_at: datetime | None = None
    won_at: datetime | None = None
    lost_at: datetime | None = None
    lost_reason: str | None = None
    lost_notes: str | None = None
    appointment_ref: str | None = None
    appointment_at: datetime | None = None
    callback_at: datetime | None = None
    is_possible_duplicate: bool = False
    possible_duplicate_of: str | None = None
    duplicate_of: str | None = None
    copied_from: str | None = None
    merged_into: str | None = None
    rejection_reason: str | None = None
    accepted_at: datetime | None = None
    recycle_reason: str | None = None
    recycle_on: date | None = None
    problem: str | None = None
    timing: str | None = None
    buying_role: str | None = None
    opportunity_id: str | None = None  # the model's name
    seq: int = 0
    version: int = 0

    @property
    def is_open(self) -> bool:
        """Somebody is to work on it."""
        return self.status in {"open", "active"}

    @property
    def waiting_since(self) -> datetime | None:
        """The earliest that waits for an answer."""
        return min(self.unanswered, default=None)

    @property
    def email_key(self) -> str | None:
        """What the address is matched by."""
        return email_key(self.email)

    @property
    def email_stem(self) -> str | None:
        """The mailbox, where it is not the key itself."""
        stem = email_stem(self.email)
        return stem if stem != self.email_key else None

    @property
    def phone_key(self) -> str | None:
        """What the number is matched by."""
        return phone_key(self.phone)


def instant(value: str | None) -> datetime | None:
    """An instant of a payload."""
    return None if value is None else datetime.fromisoformat(value)


def day(value: str | None) -> date | None:
    """A day of a payload."""
    return None if value is None else date.fromisoformat(value)


def money(value: float | None) -> Decimal | None:
    """Money of a payload, exact."""
    return None if value is None else Decimal(str(value))


# -- a workflow


class Workflow:
    """What differs from one workflow to the next; a Book asks in the documented order."""

    initial: ClassVar[str]
    stages: ClassVar[tuple[str, ...]]
    own: ClassVar[set[str]]  # types of OF_SOME_WORKFLOW that it knows
    moves: ClassVar[set[str]]  # types that move a lead from some place: these can come too late
    never_late: ClassVar[set[str]] = {"dnc"}
    late_is_refused: ClassVar[set[str]] = set()

    def status_of(self, stage: str) -> str:
        """The status a stage implies."""
        raise NotImplementedError

    def closed(self, r: Report, lead: Lead) -> Ruling | None:
        """What a lead that nobody works on answers, whenever it happened."""
        raise NotImplementedError

    def objection(self, r: Report, by: Writer, lead: Lead) -> Ruling | None:
        """What is decided before the cell is read, after lateness."""
        return None

    def cell(self, book: Book, r: Report, by: Writer, at: datetime) -> Decision:
        """The cell of the matrix, then its needs; of an activity type of this workflow."""
        raise NotImplementedError

    def field_need(self, book: Book, r: Report, by: Writer, lead: Lead) -> str | None:
        """The rule that a change of fields would break."""
        return None

    def waits(self, r: Report, lead: Lead) -> bool:
        """Whether somebody who writes in waits for an answer from now on."""
        return lead.is_open

    def comes_back(self, lead: Lead) -> dict[str, Any] | None:
        """What a new enquiry takes off a lead that it brings back; None where it brings none back."""
        return None

    def follow(self, book: Book, cause: Row) -> None:
        """Carry out what an activity has as its consequence."""

    def check_shape(self, p: Payload) -> None:
        """Raise PT422 for a birth without what every lead of the workflow has."""

    def check_birth(self, book: Book, lead: Lead, r: Report) -> None:
        """Raise PT409 for what a lead may not be born with, and give it what its stage brings."""


class Appointment(Workflow):
    """Seed 000: resolved is final."""

    initial = "new"
    stages = OPEN + RESOLVED
    own = OF_APPOINTMENT
    moves = MOVES
    never_late: ClassVar[set[str]] = {"dnc", "wrong_number", "bad_number", "duplicate"}
    late_is_refused: ClassVar[set[str]] = {"sale", "no_sale", "refused", "unresponsive"}

    def status_of(self, stage: str) -> str:
        return "open" if stage in OPEN else "resolved"

    def closed(self, r: Report, lead: Lead) -> Ruling | None:
        return ("noted", "already_resolved") if r.type in MOVES and lead.status == "resolved" else None

    def objection(self, r: Report, by: Writer, lead: Lead) -> Ruling | None:
        named, current = shown(r.payload.get("appointment_ref")), lead.appointment_ref
        return OF_ANOTHER_APPOINTMENT.get(r.type) if named and current and named != current else None

    def cell(self, book: Book, r: Report, by: Writer, at: datetime) -> Decision:
        lead = book.lead(r)
        row = MATRIX.get(r.type, {}) if lead.is_open else {}
        word, _, name = row.get(lead.stage, "N").partition(" ")
        if word in {"N", "R"}:
            return ("noted" if word == "N" else "refused"), name or None, set()
        if r.type == "duplicate" and (need := book.original_need(r)) is not None:
            return "refused", need, set()
        if word == "F":
            return applied(lead, self.fields(r, lead))
        return book.move(lead, name, at, self.moved(book, r, name, at))

    def moved(self, book: Book, r: Report, stage: str, at: datetime) -> dict[str, Any]:
        """What a move to a stage brings with it."""
        p = r.payload
        values: dict[str, Any] = {}
        if stage == "scheduled":
            values |= {
                "appointment_ref": shown(p.get("appointment_ref")),
                "appointment_at": instant(p.get("starts_at")),
            }
        elif r.type == "callback_requested" and p.get("callback_at") is not None:
            values |= {"callback_at": instant(p["callback_at"])}
        elif r.type == "duplicate" and p.get("duplicate_of") is not None:
            values |= {"duplicate_of": p["duplicate_of"]}
        elif r.type == "sale":
            values |= book.value_given(r, book.lead(r))
        if stage in RESOLVED:
            values |= {"resolved_at": at}
        return values

    @staticmethod
    def fields(r: Report, lead: Lead) -> dict[str, Any]:
        """What another report of the same stage changes: the call's time, the appointment's name and time."""
        if r.type == "callback_requested":
            return {"callback_at": instant(r.payload.get("callback_at")) or lead.callback_at}
        ref, starts_at = shown(r.payload.get("appointment_ref")), instant(r.payload.get("starts_at"))
        if ref is not None and ref != lead.appointment_ref:
            return {"appointment_ref": ref, "appointment_at": starts_at}
        return {"appointment_at": starts_at or lead.appointment_at}

    def follow(self, book: Book, cause: Row) -> None:
        """Leaving callback cancels the call that was promised, unless the lead has moved on since."""
        lead = book.leads[cause.lead]
        if cause.from_stage == "callback" and cause.to_stage != "callback" and lead.callback_at is not None:
            book.consequence(cause, "callback_cancelled", "workflow:callbacks", {"callback_at": None})


def applied(lead: Subject, values: dict[str, Any]) -> Decision:
    """Set the columns that differ: applied when there are any, else noted no_change."""
    changed = {key for key, value in values.items() if getattr(lead, key) != value}
    for key in changed:
        setattr(lead, key, values[key])
    return ("applied", None, changed) if changed else ("noted", "no_change", changed)


# -- a workspace


@dataclass
class Request:
    """One thing that a buyer asked for; lead is the model's name, asked the lead and place of the enquiry itself."""

    lead: str
    asked: tuple[str, int]
    person: int
    request_class: str
    source: str
    external_id: str | None
    received_at: datetime
    route: str
    exclusion: str | None
    owner: str | None
    first_response_at: datetime | None = None
    not_applicable_at: datetime | None = None
    decision: str | None = None
    decision_reason: str | None = None
    disposition_at: datetime | None = None
    qualified_at: datetime | None = None

    @property
    def runs(self) -> bool:
        """Its clock runs."""
        return self.first_response_at is None and self.not_applicable_at is None

    @property
    def waits_for_decision(self) -> bool:
        """Nobody has accepted or rejected it, and somebody is to."""
        return self.decision is None and self.exclusion is None and self.not_applicable_at is None


@dataclass
class Book:
    """A workspace: its leads, their journal, the references claimed, the people, the suppressions in force.

    `now` is the clock when the history began; histories last seconds.
    """

    now: datetime
    currency: str = "USD"
    workflow: str = "appointment"
    zone: str = "UTC"
    members: set[str] = field(default_factory=set)
    leads: dict[str, Lead] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)  # lead_id in the database -> name here
    rows: list[Row] = field(default_factory=list)
    claims: dict[str, tuple[str, str, Row]] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    request_ids: dict[str, tuple[str, int]] = field(default_factory=dict)  # request_id -> where it was asked
    suppressed: set[tuple[str, str, str]] = field(default_factory=set)

    laws: ClassVar[dict[str, Workflow]] = {"appointment": Appointment()}

    def lead(self, r: Report) -> Lead:
        """The lead a report names."""
        assert r.lead is not None
        return self.leads[r.lead]

    def day_of(self, at: datetime) -> date:
        """The day of an instant where the workspace is."""
        return at.astimezone(ZoneInfo(self.zone)).date()

    def subject(self, name: str) -> Subject:
        """What a row is about."""
        return self.leads[name]

    def law(self, r: Report) -> Workflow:
        """The workflow of the lead a report names."""
        return self.laws[self.lead(r).workflow]

    def has_open_lead(self, key: str | None, but: Lead | None = None) -> bool:
        """Whether an address has its one open lead of sales and qualification already."""
        return key is not None and any(
            lead.is_open and lead.workflow != "appointment" and lead.email_key == key and lead is not but
            for lead in self.leads.values()
        )

    def exclusion(self, r: Report) -> str | None:
        """Why nobody is to work on what is born."""
        return None

    def convert(self, r: Report, lead: Lead) -> Decision:
        """Make an opportunity of a lead, or join one."""
        raise NotImplementedError

    def conversion_is_decided(self, lead: Lead) -> bool:
        """Whether the opportunity that came of a lead is won or lost."""
        return False

    # -- one statement

    def statement(
        self, reports: list[Report], by: Writer, clock: Clock, raises: bool = False
    ) -> list[tuple[Row, bool]]:
        """Decide reports in their order, then carry out consequences: (row, replayed) each, or nothing."""
        before = copy.deepcopy(self.__dict__)
        try:
            answers = [self.report(r, by, clock, raises) for r in reports]
        except RaisedError:
            self.__dict__.update(before)
            raise
        for cause, replayed in answers:
            if not replayed:
                self.follow(cause)
        return answers

    def follow(self, cause: Row) -> None:
        """What an activity entails when its statement ends."""
        self.laws[self.leads[cause.lead].workflow].follow(self, cause)

    def consequence(self, cause: Row, activity_type: str, writer: str, values: dict[str, Any]) -> None:
        """An activity of the system's own; overtaken when the lead has changed since its cause."""
        lead = self.leads[cause.lead]
        report, system = Report(cause.lead, activity_type), Writer("system", UUID(int=0), writer, "system")
        if lead.version != cause.version:
            self.record(report, system, ("noted", "overtaken", set()), cause.occurred_at, caused_by=cause)
        else:
            _, _, changed = applied(lead, values)
            decision: Decision = ("applied" if changed else "noted", None, changed)
            self.record(report, system, decision, cause.occurred_at, caused_by=cause)

    # -- one activity, first hit wins

    def report(self, r: Report, by: Writer, clock: Clock, raises: bool = False) -> tuple[Row, bool]:
        """Decide one activity: its row, and whether it is a repeat; raises what is not recorded."""
        if by.role == "analyst":
            raise RaisedError("PT403", "may_not_report")
        if r.type == "lead_imported" and "import" not in by.scopes:
            raise RaisedError("PT403", "import_needs_scope")
        self.check_shape(r)
        self.check_visibility(r)
        if original := self.repeated(r):
            return original, True
        row = self.arrive(r, by, clock, raises) if r.lead is None else self.decide_row(r, by, clock, raises)
        if r.reference is not None:
            self.claims[r.reference] = (row.lead, r.type, row)
        return row, False

    def arrive(self, r: Report, by: Writer, clock: Clock, raises: bool) -> Row:
        """What names no lead: a birth."""
        return self.bear(r, by, clock)

    def decide_row(self, r: Report, by: Writer, clock: Clock, raises: bool = False) -> Row:
        """Decide an activity about a lead there is, and record it."""
        before = copy.copy(self.lead(r))
        assert r.lead is not None
        at = r.occurred_at or clock(r.lead, before.seq + 1)
        decision = self.decide(r, by, at)
        if decision[0] == "refused" and raises and by.kind not in {"ai", "system"}:
            raise RaisedError("PT409", str(decision[1]))
        return self.record(r, by, decision, at, before)

    def check_visibility(self, r: Report) -> None:
        """The lead, its original, its source, its survivor are in this workspace."""
        if r.lead is not None and r.lead not in self.leads:
            raise RaisedError("PT404", "no_such_lead")
        if r.lead is None and r.type not in BIRTHS | {"inbound_enquiry"}:
            raise RaisedError("PT422", "subject_required")
        for key in ("duplicate_of", "copied_from", "into"):
            named = r.payload.get(key) if r.type in {"duplicate", "leads_merged", *BIRTHS} else None
            if named is not None and named not in self.ids:
                raise RaisedError("PT404", "no_such_lead")
        if r.type in {"request_accepted", "request_rejected"} and r.lead is not None:
            self.check_request(r.lead, r.payload.get("request_id"))

    def check_request(self, name: str, request_id: str | None) -> None:
        """The request that is decided is one of the lead's, and somebody's to decide."""
        if self.leads[name].workflow != "qualification":
            return
        asked = {q.asked for q in self.requests if q.lead == name and q.exclusion is None}
        if request_id is not None and self.request_ids.get(request_id) not in asked:
            raise RaisedError("PT404", "no_such_request")

    def repeated(self, r: Report) -> Row | None:
        """The original of a repeat: the same reference, lead and type; without a lead the type alone."""
        if r.reference is None or r.reference not in self.claims:
            return None
        lead, activity_type, row = self.claims[r.reference]
        if activity_type != r.type or (r.lead is not None and lead != r.lead):
            raise RaisedError("PT409", "reference_reused")
        return row

    def check_shape(self, r: Report) -> None:
        """Vocabulary, needed keys, kinds of values, a date in the future."""
        if r.type not in VOCABULARY:
            raise RaisedError("PT422", "unknown_activity_type")
        for key, kind in KEYS.get(r.type, {}).items():
            if key not in r.payload:
                if kind.endswith("!"):
                    raise RaisedError("PT422", "key_missing")
            elif not self.is_well(r.payload[key], kind):
                raise RaisedError("PT422", "value_malformed")
        if r.occurred_at is not None and r.occurred_at > self.now + timedelta(minutes=5):
            raise RaisedError("PT422", "occurred_in_the_future")
        if r.type in BIRTHS and r.lead is None:
            self.check_beginning(r)

    def check_beginning(self, r: Report) -> None:
        """Where a lead would begin, and what every lead of its workflow has."""
        workflow = r.payload.get("workflow") or self.workflow
        if workflow not in self.laws:
            raise RaisedError("PT422", "unknown_workflow")
        if r.type == "lead_imported" and r.payload["stage"] not in self.laws[workflow].stages:
            raise RaisedError("PT422", "unknown_stage")
        self.laws[workflow].check_shape(r.payload)

    @staticmethod
    def is_well(value: Any, kind: str) -> bool:
        """Whether a value is of its key's kind; a needed text says something."""
        if value is None:
            return not kind.endswith("!") or "0" in kind
        if kind == "text!" and isinstance(value, str) and shown(value) is None:
            return False
        return KINDS[kind.rstrip("!0")](value)

    def decide(self, r: Report, by: Writer, at: datetime) -> Decision:
        """Verdict, rule and changed columns; changes the lead and the suppressions accordingly."""
        lead = self.lead(r)
        status = lead.status
        ruling = self.objection(r, by, at)
        decision = self.transition(r, by, at) if ruling is None else (*ruling, set())
        if decision[0] != "refused":
            self.touch(r, by, at, lead, decision)
            self.suppress(r, lead)
        if lead.status != status and not lead.is_open:
            lead.unanswered = frozenset()
        return decision

    def objection(self, r: Report, by: Writer, at: datetime) -> Ruling | None:
        """What is decided before the cell is read: first who reports what, then when it happened."""
        if (refusal := self.refusal(r, by)) is not None:
            return "refused", refusal
        lead, law = self.lead(r), self.law(r)
        if (closed := law.closed(r, lead)) is not None:
            return closed
        late = lead.late_before is not None and at < lead.late_before - timedelta(minutes=1)
        if r.type in (law.moves | MERGING) - law.never_late and late:
            return ("refused" if r.type in law.late_is_refused else "noted"), "superseded"
        if self.is_not_a_persons(r, by):
            return "noted", "not_a_person"
        return law.objection(r, by, lead)

    def refusal(self, r: Report, by: Writer) -> str | None:
        """The rule that keeps this writer from reporting this at all, wherever the lead stands."""
        if by.kind == "ai":
            return "ai_forbidden"
        if by.writer.startswith("workflow:"):
            return None
        is_signal = r.type == "product_signal_seen" and self.lead(r).workflow == "qualification"
        if r.type in SYSTEM_ONLY or is_signal:
            return "system_only"
        if by.writer not in WRITERS[self.group(r.type)]:
            return "writer_not_allowed"
        if r.type in OF_SOME_WORKFLOW - self.law(r).own:
            return "wrong_workflow"
        if r.type in BIRTHS:
            return "not_first"
        return "needs_a_person" if r.type in NEEDS_A_PERSON and by.kind != "user" else None

    def transition(self, r: Report, by: Writer, at: datetime) -> Decision:
        """The cell of the matrix, then its needs; or the fields and notes that every workflow has."""
        lead = self.lead(r)
        if r.type in FIELDS | NOTES | MERGING:
            need = self.law(r).field_need(self, r, by, lead)
            return ("refused", need, set()) if need is not None else self.change(r, by, lead)
        return self.law(r).cell(self, r, by, at)

    def move(self, lead: Lead, stage: str, at: datetime, values: dict[str, Any]) -> Decision:
        """Bring a lead to a stage, with all that comes along."""
        status = self.laws[lead.workflow].status_of(stage)
        decision = applied(lead, {"stage": stage, "status": status, **values})
        if "stage" in decision[2]:
            lead.stage_entered_at = lead.late_before = max(lead.stage_entered_at, at)
        return decision

    def value_given(self, r: Report, lead: Lead) -> dict[str, Any]:
        """The value that an activity brings: in its currency, else the lead's, else the workspace's."""
        if r.payload.get("deal_value") is None:
            return {}
        currency = r.payload.get("currency") or lead.currency or self.currency
        return {"deal_value": money(r.payload["deal_value"]), "currency": currency}

    def original_need(self, r: Report) -> str | None:
        """The rule that a duplicate's original breaks."""
        original = r.payload.get("duplicate_of")
        if original is not None and self.ids[original] == r.lead:
            return "duplicate_of_itself"
        while original is not None:
            if self.ids[original] == r.lead:
                return "duplicate_cycle"
            original = self.leads[self.ids[original]].duplicate_of
        return None

    def change(self, r: Report, by: Writer, lead: Lead) -> Decision:
        """Fields and notes: the same at every stage, closed ones too."""
        p = r.payload
        match r.type:
            case "lead_assigned":
                if p["assigned_user_id"] is not None and p["assigned_user_id"] not in self.members:
                    return "refused", "unknown_assignee", set()
                return applied(lead, {"assigned_user_id": p["assigned_user_id"]})
            case "deal_value_changed":
                nothing = {"deal_value": None, "currency": p["currency"]}
                return applied(lead, self.value_given(r, lead) or nothing)
            case "contact_changed":
                return applied(lead, {key: shown(p[key]) for key in CONTACT if key in p})
            case "tag_added":
                return applied(lead, {"tags": lead.tags | {p["tag"]}})
            case "tag_removed":
                return applied(lead, {"tags": lead.tags - {p["tag"]}})
            case "possible_duplicate_dismissed":
                return applied(lead, {"is_possible_duplicate": False, "possible_duplicate_of": None})
            case "suppression_lifted" if by.role not in {"owner", "admin"}:
                return "refused", "lift_needs_admin", set()
        return "noted", None, set()

    # -- births

    def bear(self, r: Report, by: Writer, clock: Clock) -> Row:
        """A birth: the first row of a lead, with its initial values."""
        self.check_beginning(r)
        p = r.payload
        law = self.laws[p.get("workflow") or self.workflow]
        name = f"lead {len(self.leads)}"
        # An import happened when its stage was entered, unless it says otherwise.
        entered_at = instant(p.get("entered_at"))
        at = r.occurred_at or entered_at or clock(name, 1)
        stage = p["stage"] if r.type == "lead_imported" else law.initial
        lead = Lead(
            workflow=p.get("workflow") or self.workflow,
            stage=stage,
            status=law.status_of(stage),
            stage_entered_at=entered_at or at,
            late_before=entered_at,
            created_at=at,
            source=shown(p.get("source")) or by.writer,
            copied_from=p.get("copied_from"),
            assigned_user_id=p.get("assigned_user_id") or (str(by.actor_id) if by.role == "member" else None),
            deal_value=money(p.get("deal_value")),
            currency=p.get("currency") or (self.currency if p.get("deal_value") is not None else None),
            resolved_at=entered_at if law.status_of(stage) == "resolved" else None,
            name=shown(p.get("name")),
            company=shown(p.get("company")),
            email=shown(p.get("email")),
            phone=shown(p.get("phone")),
        )
        self.check_author(by)
        if lead.assigned_user_id is not None and lead.assigned_user_id not in self.members:
            raise RaisedError("PT409", "unknown_assignee")
        self.check_birth(lead, r)
        return self.born(name, lead, r, by, at)

    def check_birth(self, lead: Lead, r: Report) -> None:
        """Raise what no lead may be born with."""
        self.laws[lead.workflow].check_birth(self, lead, r)

    @staticmethod
    def check_author(by: Writer) -> None:
        """Who may bring a lead into the world; there is no lead that could keep a refusal."""
        if by.kind == "ai":
            raise RaisedError("PT409", "ai_forbidden")
        if by.writer not in WRITERS["birth"] and not by.writer.startswith("workflow:"):
            raise RaisedError("PT409", "writer_not_allowed")

    def born(self, name: str, lead: Lead, r: Report, by: Writer, at: datetime) -> Row:
        """Enter a new lead."""
        self.leads[name] = lead
        given = (
            *CONTACT, "assigned_user_id", "copied_from", "deal_value", "currency", "resolved_at", "won_at", "lost_at",
            "lost_reason", "lost_notes", "possible_duplicate_of", "rejection_reason", "accepted_at", "recycle_reason",
            "recycle_on",
        )  # fmt: skip
        changed = {"stage", "status", "workflow", "source"} | {
            key for key in given if getattr(lead, key) is not None
        }
        changed |= {"is_possible_duplicate"} if lead.is_possible_duplicate else set()
        row = self.record(Report(name, r.type, r.payload, r.reference), by, ("applied", None, changed), at)
        if lead.stage == "dnc":
            self.suppressed |= set(self.keys(lead, "any"))
        return row

    # -- what every row does

    def record(
        self,
        r: Report,
        by: Writer,
        decision: Decision,
        at: datetime,
        before: Subject | None = None,
        caused_by: Row | None = None,
    ) -> Row:
        """Append a row: seq counts all of them, version the applied ones."""
        verdict, rule, changed = decision
        assert r.lead is not None
        lead = self.subject(r.lead)
        lead.seq += 1
        lead.version += verdict == "applied"
        source = before or lead
        row = Row(
            r.lead,
            lead.seq,
            r.type,
            verdict,
            rule,
            source.stage,
            lead.stage,
            source.status,
            lead.status,
            frozenset(changed) if changed else None,
            lead.version,
            at,
            by.kind,
            by.writer,
            r.reference,
            (caused_by.lead, caused_by.seq) if caused_by else None,
        )
        self.rows.append(row)
        return row

    @staticmethod
    def is_not_a_persons(r: Report, by: Writer) -> bool:
        """Only a person's act is a contact."""
        return (r.type in NOT_BY_SYSTEM and by.kind == "system") or (
            r.type in ONLY_BY_A_PERSON and by.kind != "user"
        )

    def touch(self, r: Report, by: Writer, at: datetime, lead: Lead, decision: Decision) -> None:
        """A touch winds the clocks, whatever its verdict but refused."""
        if r.type not in TOUCHES_OUT | TOUCHES_IN or self.is_not_a_persons(r, by):
            return
        lead.last_touch_at = max(lead.last_touch_at or at, at)
        if r.type in TOUCHES_OUT:
            lead.first_contacted_at = lead.first_contacted_at or at
            lead.unanswered = frozenset(since for since in lead.unanswered if since > at)
        elif self.waits_now(r, lead, decision):
            lead.unanswered |= {at}

    def waits_now(self, r: Report, lead: Lead, decision: Decision) -> bool:
        """Whether somebody waits for an answer from now on."""
        return self.laws[lead.workflow].waits(r, lead)

    def suppress(self, r: Report, lead: Lead) -> None:
        """dnc and unsubscribed put the lead's keys on the list, suppression_lifted takes them off."""
        if r.type == "dnc":
            self.suppressed |= set(self.keys(lead, "any"))
        elif r.type == "unsubscribed":
            self.suppressed |= set(self.keys(lead, r.payload["channel"]))
        elif r.type == "suppression_lifted":
            own = {key[:2] for key in self.keys(lead, "any")}
            self.suppressed = {entry for entry in self.suppressed if entry[:2] not in own}

    @staticmethod
    def keys(lead: Lead, channel: str) -> Iterator[tuple[str, str, str]]:
        """What a suppression of this lead is kept under."""
        if (email := lead.email_key) is not None:
            yield "email", email, channel
        if (phone := lead.phone_key) is not None:
            yield "phone", phone, channel

    @staticmethod
    def group(activity_type: str) -> str:
        """The column of WRITERS an activity type is under."""
        if activity_type in BIRTHS | {"inbound_enquiry"}:
            return "birth"
        if activity_type in TOUCHES_OUT | TOUCHES_IN:
            return "touch"
        of_workflow = {"suppression_lifted", "possible_duplicate_dismissed"}
        of_lists = {"dnc", "lead_archived"}  # what a list says of a lead beside its stage
        return "field" if activity_type in (FIELDS | NOTES | of_lists) - of_workflow else "workflow"

    def changed_by_hand(self, name: str, values: dict[str, Any], clock: Clock) -> None:
        """An UPDATE by a DBA: journalled as direct_change when it changed something."""
        lead = self.leads[name]
        before = copy.copy(lead)
        _, _, changed = applied(lead, values)
        if not changed:
            return
        at = clock(name, lead.seq + 1)
        if "stage" in changed:
            lead.stage_entered_at = lead.late_before = max(lead.stage_entered_at, at)
        if before.is_open and not lead.is_open:
            lead.unanswered = frozenset()
        hand = Writer("system", UUID(int=0), "workflow:direct-change", "system")
        self.follow(self.record(Report(name, "direct_change"), hand, ("applied", None, changed), at, before))
