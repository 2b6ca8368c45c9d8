"""The appointment workflow in Python, written from seed 000 and not from the rules that PostgreSQL reads.

MATRIX reads beside the seed's transition diagram, KEYS beside the list of payloads. Book.report() decides one
activity in the documented order of tests, first hit wins; Book.statement() is one SQL statement, whose
consequences run when it ends.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

Clock = Callable[[str, int], datetime]
Payload = dict[str, Any]

# -- seed 000: stages

OPEN = ("new", "attempted", "callback", "scheduled", "no_show")
RESOLVED = ("sale", "no_sale", "refused", "wrong_number", "bad_number", "unresponsive", "duplicate", "dnc")


def status_of(stage: str) -> str:
    """The status a stage implies."""
    return "open" if stage in OPEN else "resolved"


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
MOVES = frozenset(MATRIX)
NEVER_LATE = {"dnc", "wrong_number", "bad_number", "duplicate"}
OF_ANOTHER_APPOINTMENT = {
    "appointment_cancel": ("noted", "superseded_appointment"),
    "appointment_no_show": ("noted", "superseded_appointment"),
    "sale": ("refused", "outcome_needs_appointment"),
    "no_sale": ("refused", "outcome_needs_appointment"),
}
LATE_IS_REFUSED = {"sale", "no_sale", "refused", "unresponsive"}

TOUCHES_OUT = {
    "contact_attempted",
    "call_completed",
    "meeting_held",
    "email_sent",
    "message_sent",
    "lead_contacted",
}
TOUCHES_IN = {"email_replied", "message_received", "call_received"}
FIELDS = {"lead_assigned", "deal_value_changed", "contact_changed", "tag_added", "tag_removed"}
NOTES = {"note_added", "unsubscribed", "suppression_lifted"}
BIRTHS = {"lead_created", "lead_imported"}
SYSTEM_ONLY = {"direct_change", "callback_cancelled"}
OTHER_WORKFLOWS = {
    "lead_qualified", "proposal_sent", "deal_won", "deal_lost", "lead_reopened", "lead_archived",
    "lead_unarchived", "stage_corrected", "request_accepted", "request_rejected", "lead_recycled",
    "lead_converted",
}  # fmt: skip
VOCABULARY = MOVES | TOUCHES_OUT | TOUCHES_IN | FIELDS | NOTES | BIRTHS | SYSTEM_ONLY | OTHER_WORKFLOWS

NOT_BY_SYSTEM = {"call_completed", "meeting_held", "lead_contacted"}
ONLY_BY_A_PERSON = {"email_sent", "message_sent"}

# Which class of writer may report what; ai is answered before, billing reports nothing about leads.
WRITERS = {
    "touch": {"person", "app"},
    "workflow": {"person", "app"},
    "field": {"person", "app", "importer"},
    "birth": {"person", "app", "importer"},
}

# -- payloads: key -> kind; "!" needed, "0" may be null

CONTACT = {"name": "text0", "company": "text0", "email": "email0", "phone": "text0"}
BIRTH = {
    "workflow": "text", "copied_from": "uuid", "source": "text", **CONTACT,
    "assigned_user_id": "uuid0", "deal_value": "money0", "currency": "currency0",
}  # fmt: skip
KEYS: dict[str, dict[str, str]] = {
    "call_completed": {"duration_s": "whole"},
    "contact_attempted": {"duration_s": "whole"},
    "appointment_scheduled": {"starts_at": "instant0", "ends_at": "instant0", "appointment_ref": "text0"},
    "appointment_cancel": {"appointment_ref": "text0"},
    "appointment_no_show": {"appointment_ref": "text0"},
    "callback_requested": {"callback_at": "instant0"},
    "sale": {"deal_value": "money0", "currency": "currency0"},
    "duplicate": {"duplicate_of": "uuid0"},
    "lead_assigned": {"assigned_user_id": "uuid0!"},
    "deal_value_changed": {"deal_value": "money0!", "currency": "currency0!"},
    "contact_changed": CONTACT,
    "tag_added": {"tag": "text!"},
    "tag_removed": {"tag": "text!"},
    "note_added": {"text": "text!"},
    "unsubscribed": {"channel": "text!"},
    "suppression_lifted": {"reason": "text!"},
    "lead_created": BIRTH,
    "lead_imported": {**BIRTH, "stage": "text!", "entered_at": "instant!"},
}


def is_instant(value: Any) -> bool:
    """ISO 8601 with an offset."""
    if not isinstance(value, str) or not re.search(r"(Z|[+-]\d\d:?\d\d)$", value):
        return False
    try:
        datetime.fromisoformat(value)
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


KINDS: dict[str, Callable[[Any], bool]] = {
    "text": lambda v: isinstance(v, str),
    "email": lambda v: isinstance(v, str) and re.fullmatch(r"[^@\s]+@[^@\s]+", v) is not None,
    "instant": is_instant,
    "uuid": is_uuid,
    "money": is_number,
    "whole": lambda v: is_number(v) and v == int(v),
    "currency": lambda v: isinstance(v, str) and re.fullmatch("[A-Z]{3}", v) is not None,
}

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
    """One activity: lead is the model's own name of a lead (a birth names the lead it makes)."""

    lead: str
    type: str
    payload: Payload = field(default_factory=dict, hash=False)
    reference: str | None = None
    occurred_at: datetime | None = None


@dataclass(frozen=True)
class Row:
    """A row of the journal, without what only a database can know."""

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
    caused_by: int | None = None


class RaisedError(Exception):
    """What is raised and not recorded: the SQLSTATE and the rule's name."""

    def __init__(self, sqlstate: str, rule: str) -> None:
        super().__init__(sqlstate, rule)
        self.sqlstate, self.rule = sqlstate, rule


@dataclass
class Lead:
    """State of a lead; the names are the columns of leads."""

    stage: str
    stage_entered_at: datetime
    late_before: datetime | None
    source: str
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
    resolved_at: datetime | None = None
    appointment_ref: str | None = None
    appointment_at: datetime | None = None
    callback_at: datetime | None = None
    duplicate_of: str | None = None
    copied_from: str | None = None
    seq: int = 0
    version: int = 0

    @property
    def status(self) -> str:
        """The status the stage implies."""
        return status_of(self.stage)


def instant(value: str | None) -> datetime | None:
    """An instant of a payload."""
    return None if value is None else datetime.fromisoformat(value)


def money(value: float | None) -> Decimal | None:
    """Money of a payload, exact."""
    return None if value is None else Decimal(str(value))


@dataclass
class Book:
    """A workspace: its leads, their journal, the references claimed, the people, the suppressions in force.

    `now` is the clock when the history began; histories last seconds.
    """

    now: datetime
    currency: str = "USD"
    members: set[str] = field(default_factory=set)
    leads: dict[str, Lead] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)  # lead_id in the database -> name here
    rows: list[Row] = field(default_factory=list)
    claims: dict[str, tuple[str | None, str, Row]] = field(default_factory=dict)
    suppressed: set[tuple[str, str, str]] = field(default_factory=set)

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
        """Leaving callback cancels the call that was promised, unless the lead has moved on since."""
        lead = self.leads[cause.lead]
        if cause.from_stage != "callback" or cause.to_stage == "callback" or lead.callback_at is None:
            return
        system = Writer("system", UUID(int=0), "workflow:callbacks", "system")
        report, at = Report(cause.lead, "callback_cancelled"), cause.occurred_at
        if lead.version != cause.version:
            self.record(report, system, "noted", "overtaken", at, caused_by=cause.seq)
        else:
            lead.callback_at = None
            self.record(report, system, "applied", None, at, {"callback_at"}, caused_by=cause.seq)

    # -- one activity, first hit wins

    def report(self, r: Report, by: Writer, clock: Clock, raises: bool = False) -> tuple[Row, bool]:
        """Decide one activity: its row, and whether it is a repeat; raises what is not recorded."""
        if by.role == "analyst":
            raise RaisedError("PT403", "may_not_report")
        if r.type == "lead_imported" and "import" not in by.scopes:
            raise RaisedError("PT403", "import_needs_scope")
        self.check_shape(r)
        is_birth = r.type in BIRTHS and r.lead not in self.leads
        self.check_visibility(r, is_birth)
        if original := self.repeated(r, is_birth):
            return original, True
        if is_birth:
            row = self.bear(r, by, clock)
        else:
            before = copy.copy(self.leads[r.lead])
            at = r.occurred_at or clock(r.lead, before.seq + 1)
            verdict, rule, changed = self.decide(r, by, at)
            if verdict == "refused" and raises and by.kind not in {"ai", "system"}:
                raise RaisedError("PT409", str(rule))
            row = self.record(r, by, verdict, rule, at, changed, before)
        if r.reference is not None:
            self.claims[r.reference] = (r.lead, r.type, row)
        return row, False

    def check_visibility(self, r: Report, is_birth: bool) -> None:
        """The lead, its original, its source are in this workspace."""
        if not is_birth and r.lead not in self.leads:
            raise RaisedError("PT404", "no_such_lead")
        for key in ("duplicate_of", "copied_from"):
            named = r.payload.get(key) if r.type in {"duplicate", *BIRTHS} else None
            if named is not None and named not in self.ids:
                raise RaisedError("PT404", "no_such_lead")

    def repeated(self, r: Report, is_birth: bool) -> Row | None:
        """The original of a repeat: the same reference, lead and type; of a birth the type alone."""
        if r.reference is None or r.reference not in self.claims:
            return None
        lead, activity_type, row = self.claims[r.reference]
        if activity_type != r.type or (not is_birth and lead != r.lead):
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
                continue
            value = r.payload[key]
            if value is None and "0" in kind:
                continue
            if not KINDS[kind.rstrip("!0")](value):
                raise RaisedError("PT422", "value_malformed")
        if r.occurred_at is not None and r.occurred_at > self.now + timedelta(minutes=5):
            raise RaisedError("PT422", "occurred_in_the_future")
        if r.type in BIRTHS and r.payload.get("workflow", "appointment") != "appointment":
            raise RaisedError("PT422", "unknown_workflow")
        if r.type == "lead_imported" and r.payload["stage"] not in OPEN + RESOLVED:
            raise RaisedError("PT422", "unknown_stage")

    def decide(self, r: Report, by: Writer, at: datetime) -> tuple[str, str | None, set[str]]:
        """Verdict, rule and changed columns; changes the lead and the suppressions accordingly."""
        lead = self.leads[r.lead]
        verdict, rule = self.objection(r, by, at) or ("", None)
        changed: set[str] = set()
        if not verdict:
            verdict, rule, changed = self.transition(r, by, at)
        if verdict != "refused":
            self.touch(r, by, at, lead)
            self.suppress(r, lead)
        return verdict, rule, changed

    def objection(self, r: Report, by: Writer, at: datetime) -> tuple[str, str | None] | None:
        """What is decided before the stage is asked: first who reports what, then when it happened."""
        if (refusal := self.refusal(r, by)) is not None:
            return "refused", refusal
        lead = self.leads[r.lead]
        if r.type in MOVES and lead.status == "resolved":
            return "noted", "already_resolved"
        late = lead.late_before is not None and at < lead.late_before - timedelta(minutes=1)
        if r.type in MOVES - NEVER_LATE and late:
            return ("refused" if r.type in LATE_IS_REFUSED else "noted"), "superseded"
        if self.is_not_a_persons(r, by):
            return "noted", "not_a_person"
        named, current = r.payload.get("appointment_ref"), lead.appointment_ref
        return OF_ANOTHER_APPOINTMENT.get(r.type) if named and current and named != current else None

    def refusal(self, r: Report, by: Writer) -> str | None:
        """The rule that keeps this writer from reporting this at all, wherever the lead stands."""
        if by.kind == "ai":
            return "ai_forbidden"
        if r.type in SYSTEM_ONLY:
            return "system_only"
        if by.writer not in WRITERS[self.group(r.type)]:
            return "writer_not_allowed"
        if r.type in OTHER_WORKFLOWS:
            return "wrong_workflow"
        return "not_first" if r.type in BIRTHS else None

    def transition(self, r: Report, by: Writer, at: datetime) -> tuple[str, str | None, set[str]]:
        """The stage's cell of the matrix, then its needs."""
        lead = self.leads[r.lead]
        if r.type not in MOVES:
            return self.change(r, by, lead)
        word, _, name = MATRIX[r.type][lead.stage].partition(" ")
        if word in {"N", "R"}:
            return ("noted" if word == "N" else "refused"), name or None, set()
        if r.type == "duplicate":
            need = self.original(r)
            if need is not None:
                return "refused", need, set()
        if word == "F":
            return self.applied(lead, self.appointment_fields(r, lead))
        verdict, rule, changed = self.applied(lead, self.moved(r, name, at))
        lead.stage_entered_at = lead.late_before = max(lead.stage_entered_at, at)
        return verdict, rule, changed | ({"status"} if status_of(name) == "resolved" else set())

    def moved(self, r: Report, stage: str, at: datetime) -> dict[str, Any]:
        """What a move to a stage brings with it."""
        p = r.payload
        values: dict[str, Any] = {"stage": stage}
        if stage == "scheduled":
            values |= {
                "appointment_ref": p.get("appointment_ref"),
                "appointment_at": instant(p.get("starts_at")),
            }
        elif r.type == "callback_requested" and p.get("callback_at") is not None:
            values |= {"callback_at": instant(p["callback_at"])}
        elif r.type == "duplicate" and p.get("duplicate_of") is not None:
            values |= {"duplicate_of": p["duplicate_of"]}
        elif r.type == "sale" and p.get("deal_value") is not None:
            currency = p.get("currency") or self.leads[r.lead].currency or self.currency
            values |= {"deal_value": money(p["deal_value"]), "currency": currency}
        if status_of(stage) == "resolved":
            values |= {"resolved_at": at}
        return values

    @staticmethod
    def appointment_fields(r: Report, lead: Lead) -> dict[str, Any]:
        """What another report of the same stage changes: the call's time, the appointment's name and time."""
        if r.type == "callback_requested":
            return {"callback_at": instant(r.payload.get("callback_at")) or lead.callback_at}
        ref, starts_at = r.payload.get("appointment_ref"), instant(r.payload.get("starts_at"))
        if ref is not None and ref != lead.appointment_ref:
            return {"appointment_ref": ref, "appointment_at": starts_at}
        return {"appointment_at": starts_at or lead.appointment_at}

    def original(self, r: Report) -> str | None:
        """The rule that a duplicate's original breaks."""
        original = r.payload.get("duplicate_of")
        if original is not None and self.ids[original] == r.lead:
            return "duplicate_of_itself"
        while original is not None:
            if self.ids[original] == r.lead:
                return "duplicate_cycle"
            original = self.leads[self.ids[original]].duplicate_of
        return None

    def change(self, r: Report, by: Writer, lead: Lead) -> tuple[str, str | None, set[str]]:
        """Fields and notes: the same at every stage, resolved ones too."""
        p = r.payload
        match r.type:
            case "lead_assigned":
                if p["assigned_user_id"] is not None and p["assigned_user_id"] not in self.members:
                    return "refused", "unknown_assignee", set()
                return self.applied(lead, {"assigned_user_id": p["assigned_user_id"]})
            case "deal_value_changed":
                return self.applied(lead, {"deal_value": money(p["deal_value"]), "currency": p["currency"]})
            case "contact_changed":
                return self.applied(lead, {key: p[key] for key in CONTACT if key in p})
            case "tag_added":
                return self.applied(lead, {"tags": lead.tags | {p["tag"]}})
            case "tag_removed":
                return self.applied(lead, {"tags": lead.tags - {p["tag"]}})
            case "suppression_lifted" if by.role not in {"owner", "admin"}:
                return "refused", "lift_needs_admin", set()
        return "noted", None, set()

    # -- births

    def bear(self, r: Report, by: Writer, clock: Clock) -> Row:
        """A birth: the first row of a lead, with its initial values."""
        if by.kind == "ai":
            raise RaisedError("PT409", "ai_forbidden")
        if by.writer not in WRITERS["birth"]:
            raise RaisedError("PT409", "writer_not_allowed")
        p = r.payload
        if p.get("assigned_user_id") is not None and p["assigned_user_id"] not in self.members:
            raise RaisedError("PT409", "unknown_assignee")
        entered_at = instant(
            p.get("entered_at")
        )  # of an import, which happened then unless it says otherwise
        at = r.occurred_at or entered_at or clock(r.lead, 1)
        stage = p["stage"] if r.type == "lead_imported" else "new"
        lead = Lead(
            stage=stage,
            stage_entered_at=entered_at or at,
            late_before=entered_at,
            source=p.get("source") or by.writer,
            name=p.get("name"),
            company=p.get("company"),
            email=p.get("email"),
            phone=p.get("phone"),
            copied_from=p.get("copied_from"),
            assigned_user_id=p.get("assigned_user_id") or (str(by.actor_id) if by.role == "member" else None),
            deal_value=money(p.get("deal_value")),
            currency=p.get("currency") or (self.currency if p.get("deal_value") is not None else None),
            resolved_at=entered_at if status_of(stage) == "resolved" else None,
        )
        self.leads[r.lead] = lead
        given = (*CONTACT, "assigned_user_id", "copied_from", "deal_value", "currency", "resolved_at")
        changed = {"stage", "status", "workflow", "source"} | {
            key for key in given if getattr(lead, key) is not None
        }
        row = self.record(r, by, "applied", None, at, changed)
        if stage == "dnc":
            self.suppressed |= set(self.keys(lead, "any"))
        return row

    # -- what every row does

    @staticmethod
    def applied(lead: Lead, values: dict[str, Any]) -> tuple[str, str | None, set[str]]:
        """Set the columns that differ: applied when there are any, else noted no_change."""
        changed = {key for key, value in values.items() if getattr(lead, key) != value}
        for key in changed:
            setattr(lead, key, values[key])
        return ("applied", None, changed) if changed else ("noted", "no_change", changed)

    def record(
        self,
        r: Report,
        by: Writer,
        verdict: str,
        rule: str | None,
        at: datetime,
        changed: set[str] | None = None,
        before: Lead | None = None,
        caused_by: int | None = None,
    ) -> Row:
        """Append a row: seq counts all of them, version the applied ones."""
        lead = self.leads[r.lead]
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
            caused_by,
        )
        self.rows.append(row)
        return row

    @staticmethod
    def is_not_a_persons(r: Report, by: Writer) -> bool:
        """Only a person's act is a contact."""
        return (r.type in NOT_BY_SYSTEM and by.kind == "system") or (
            r.type in ONLY_BY_A_PERSON and by.kind != "user"
        )

    def touch(self, r: Report, by: Writer, at: datetime, lead: Lead) -> None:
        """A touch winds the clocks, whatever its verdict but refused."""
        if r.type not in TOUCHES_OUT | TOUCHES_IN or self.is_not_a_persons(r, by):
            return
        lead.last_touch_at = max(lead.last_touch_at or at, at)
        if r.type in TOUCHES_OUT and lead.first_contacted_at is None:
            lead.first_contacted_at = at

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
        if lead.email is not None:
            yield "email", lead.email.lower(), channel
        if lead.phone is not None:
            yield "phone", lead.phone, channel

    @staticmethod
    def group(activity_type: str) -> str:
        """The column of WRITERS an activity type is under."""
        if activity_type in TOUCHES_OUT | TOUCHES_IN:
            return "touch"
        if activity_type in FIELDS | NOTES - {"suppression_lifted"}:
            return "field"
        return "birth" if activity_type in BIRTHS else "workflow"

    def changed_by_hand(self, name: str, values: dict[str, Any], clock: Clock) -> None:
        """An UPDATE by a DBA: journalled as direct_change when it changed something."""
        lead = self.leads[name]
        before = copy.copy(lead)
        _, _, changed = self.applied(lead, values)
        if not changed:
            return
        if lead.status != before.status:
            changed |= {"status"}
        report = Report(name, "direct_change")
        at = clock(name, lead.seq + 1)
        if "stage" in changed:
            lead.stage_entered_at = lead.late_before = max(lead.stage_entered_at, at)
        hand = Writer("system", UUID(int=0), "workflow:direct-change", "system")
        self.follow(self.record(report, hand, "applied", None, at, changed, before))
