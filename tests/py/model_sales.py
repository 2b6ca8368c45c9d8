"""The sales workflow in Python, written from seed 004 sections 2 and 3 and the specification's matrix, not from the
rules that PostgreSQL reads.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, ClassVar

from tests.py.model import (
    FIELDS,
    MERGING,
    NOTES,
    OF_BOTH,
    OF_SALES,
    Book,
    Decision,
    Lead,
    Payload,
    RaisedError,
    Report,
    Row,
    Ruling,
    Workflow,
    Writer,
    applied,
    instant,
    money,
    shown,
)

# -- seed 004 section 2

ACTIVE = ("new", "contacted", "qualified", "proposal")
STAGES = (*ACTIVE, "won", "lost")
# Whoever is past the first contact has been contacted.
AFTER_CONTACT = {"contacted", "qualified", "proposal", "won"}
NEED_VALUE = {"proposal", "won"}
COLUMNS = (*STAGES, "archived")
ARCHIVING = {"lead_archived", "lead_unarchived"}  # who may is asked wherever the lead stands


def row(*named: str) -> dict[str, str]:
    """A row of the matrix, column by column; the last word holds for the columns that are left."""
    return {column: named[min(place, len(named) - 1)] for place, column in enumerate(COLUMNS)}


CLOSED_NOTED = ("N lead_is_won", "N lead_is_lost", "N lead_is_archived")
CLOSED_REFUSED = ("R lead_is_won", "R lead_is_lost", "R lead_is_archived")
CONTACT = row("> contacted", "N", "N", "N", *CLOSED_NOTED)
INBOUND = row("N", "N", "N", "N", *CLOSED_NOTED)
# "> stage" moves there, ">" where the payload says; F changes fields, else notes; N notes, R refuses, under the rule named.
MATRIX = {
    "call_completed": CONTACT,
    "meeting_held": CONTACT,
    "email_sent": CONTACT,
    "lead_contacted": CONTACT,
    "contact_attempted": row("N"),
    "message_sent": row("N"),
    "email_replied": INBOUND,
    "message_received": INBOUND,
    "call_received": INBOUND,
    "lead_qualified": row("> qualified", "> qualified", "N already_there", "N already_past", *CLOSED_REFUSED),
    "proposal_sent": row("> proposal", "> proposal", "> proposal", "F already_there", *CLOSED_REFUSED),
    "deal_won": row(
        *["R won_needs_proposal"] * 3, "> won", "N already_there", "R lead_is_lost", "R lead_is_archived"
    ),
    "deal_lost": row(*["> lost"] * 4, "R lead_is_won", "F already_there", "R lead_is_archived"),
    "lead_reopened": row(*["R not_lost"] * 4, "R lead_is_won", ">", "R lead_is_archived"),
    "inbound_enquiry": row(*["N"] * 5, "> new", "N"),
    "lead_archived": row(*["F"] * 6, "N already_there"),
    "lead_unarchived": row(*["N not_archived"] * 6, "F"),
    "stage_corrected": row("R correction_goes_forward", ">", ">", ">", ">", ">", "R lead_is_archived"),
    "dnc": row(*["> lost"] * 4, "N"),
}

# -- seed 004 section 3, letter for letter

LOST_REASONS = (
    "Price", "Competitor", "No Response", "Not Qualified", "Timing", "Requirement Changed", "Other",
)  # fmt: skip
CORRECTION_REASONS = ("entered_by_mistake", "wrong_record", "data_repair", "other")


def reason_need(
    p: dict[str, Any], key: str, reasons: Iterable[str], required: str, unknown: str
) -> str | None:
    """The rule that a reason breaks: one of its list, and in words where it is other."""
    if shown(p.get(key)) is None:
        return required
    if p[key] not in reasons:
        return unknown
    return "notes_required" if p[key].lower() == "other" and shown(p.get("notes")) is None else None


def lost_reason_need(p: dict[str, Any]) -> str | None:
    """The rule that a reason for losing breaks."""
    return reason_need(p, "lost_reason", LOST_REASONS, "lost_reason_required", "unknown_lost_reason")


def correction_reason_need(p: dict[str, Any]) -> str | None:
    """The rule that a reason for a correction breaks."""
    return reason_need(p, "reason", CORRECTION_REASONS, "reason_required", "unknown_correction_reason")


class Sales(Workflow):
    """Seed 004: four active stages, won, lost; and any of them archived."""

    initial = "new"
    stages = STAGES
    own = OF_SALES | OF_BOTH
    moves: ClassVar[set[str]] = {
        name for name, cells in MATRIX.items() if any(">" in c for c in cells.values())
    }
    late_is_refused: ClassVar[set[str]] = {"deal_won", "deal_lost"}

    def status_of(self, stage: str) -> str:
        return "active" if stage in ACTIVE else stage

    @staticmethod
    def column(lead: Lead) -> str:
        """The column of the matrix that a lead is in."""
        return "archived" if lead.status == "archived" else lead.stage

    def closed(self, r: Report, lead: Lead) -> Ruling | None:
        """The columns won, lost and archived, where they note or refuse."""
        if lead.is_open or r.type in FIELDS | NOTES | MERGING | ARCHIVING | {"message_sent"}:
            return None
        word, _, name = MATRIX[r.type][self.column(lead)].partition(" ")
        return {"N": ("noted", name or None), "R": ("refused", name)}.get(word)

    def objection(self, r: Report, by: Writer, lead: Lead) -> Ruling | None:
        """Who may correct and archive."""
        if r.type == "stage_corrected" and by.role not in {"owner", "admin"}:
            return "refused", "correction_needs_admin"
        if r.type in ARCHIVING and by.role == "member":
            return "refused", "archive_needs_admin"
        return None

    def cell(self, book: Book, r: Report, by: Writer, at: datetime) -> Decision:
        """The cell of the matrix, then its needs, then whether the address is free."""
        lead = book.lead(r)
        word, _, name = MATRIX[r.type][self.column(lead)].partition(" ")
        if word in {"N", "R"}:
            return ("noted" if word == "N" else "refused"), name or None, set()
        if r.type == "deal_lost" and word == "F":
            return self.another_reason(r, lead, name)
        stage = self.target(r, lead, name if word == ">" else lead.stage)
        need = self.need(book, r, lead, stage)
        if need is not None:
            return "refused", need, set()
        if word == "F":
            return self.fields(book, r, lead, name)
        return self.moved(book, r, by, at, stage)

    @staticmethod
    def target(r: Report, lead: Lead, named: str) -> str:
        """The stage that an activity leads to."""
        return named or str(r.payload["to_stage"])

    def need(self, book: Book, r: Report, lead: Lead, stage: str) -> str | None:
        """The rule that a move or a change breaks."""
        if r.type in {"lead_reopened", "stage_corrected"} and stage not in STAGES:
            return "unknown_stage"
        if r.type == "lead_reopened" and stage not in ACTIVE:
            return "not_an_active_stage"
        if r.type == "stage_corrected" and (rule := self.correction_need(r, lead, stage)) is not None:
            return rule
        if r.type == "deal_lost" and (rule := lost_reason_need(r.payload)) is not None:
            return rule
        value = book.value_given(r, lead).get("deal_value", lead.deal_value)
        if stage in NEED_VALUE and r.type != "lead_archived" and not value:
            return "deal_value_required"
        if r.type == "lead_unarchived" and lead.merged_into is not None:
            return "already_merged"
        becomes_open = not lead.is_open and self.status_of(stage) == "active"
        return "active_lead_exists" if becomes_open and book.has_open_lead(lead.email_key, but=lead) else None

    def correction_need(self, r: Report, lead: Lead, stage: str) -> str | None:
        """A correction has a reason and goes back: to an earlier stage, from lost to an active one, from won to either."""
        p = r.payload
        back = {"won": (*ACTIVE, "lost"), "lost": ACTIVE}.get(lead.stage)
        if back is None:
            back = ACTIVE[: ACTIVE.index(lead.stage)]
        if stage not in back:
            return "correction_goes_forward"
        if (rule := correction_reason_need(p)) is not None:
            return rule
        return lost_reason_need(p) if stage == "lost" else None

    @staticmethod
    def another_reason(r: Report, lead: Lead, otherwise: str) -> Decision:
        """Lost for another reason than was said."""
        if (rule := lost_reason_need(r.payload)) is not None:
            return "refused", rule, set()
        values = {"lost_reason": r.payload["lost_reason"], "lost_notes": shown(r.payload.get("notes"))}
        verdict, rule, changed = applied(lead, values)
        return verdict, rule and otherwise, changed

    def fields(self, book: Book, r: Report, lead: Lead, otherwise: str) -> Decision:
        """Archiving and back, and another value of the same proposal."""
        if r.type == "lead_archived":
            return applied(lead, {"status": "archived"})
        if r.type == "lead_unarchived":
            return applied(lead, {"status": self.status_of(lead.stage)})
        verdict, rule, changed = applied(lead, book.value_given(r, lead))
        return verdict, rule and otherwise, changed

    def moved(self, book: Book, r: Report, by: Writer, at: datetime, stage: str) -> Decision:
        """A move, with what it brings and what it leaves behind."""
        lead = book.lead(r)
        values: dict[str, Any] = book.value_given(r, lead) if r.type in {"proposal_sent", "deal_won"} else {}
        values |= {"won_at": at if stage == "won" else None, "lost_at": at if stage == "lost" else None}
        values |= {"lost_reason": None, "lost_notes": None}
        if r.type == "dnc":
            values |= {"lost_reason": "Other", "lost_notes": "do not contact"}
        elif stage == "lost":
            values |= {"lost_reason": r.payload["lost_reason"], "lost_notes": shown(r.payload.get("notes"))}
        decision = book.move(lead, stage, at, values)
        if stage in AFTER_CONTACT and by.kind == "user":
            lead.first_contacted_at = lead.first_contacted_at or at
        return decision

    def field_need(self, book: Book, r: Report, by: Writer, lead: Lead) -> str | None:
        p = r.payload
        if r.type == "deal_value_changed":
            if self.column(lead) == "won" and by.role not in {"owner", "admin"}:
                return "won_value_needs_admin"
            if lead.stage in NEED_VALUE and not money(p["deal_value"]):
                return "deal_value_required"
        if r.type == "contact_changed":
            email, phone = shown(p.get("email", lead.email)), shown(p.get("phone", lead.phone))
            if email is None and phone is None:
                return "contact_info_required"
            changed = Lead(**{**lead.__dict__, "email": email})
            if lead.is_open and book.has_open_lead(changed.email_key, but=lead):
                return "active_lead_exists"
        return None

    def waits(self, r: Report, lead: Lead) -> bool:
        """An open lead, and a lost one that writes in."""
        return lead.is_open or self.column(lead) == "lost"

    def comes_back(self, lead: Lead) -> dict[str, Any] | None:
        """A lost one comes back."""
        return {"lost_at": None, "lost_reason": None, "lost_notes": None} if lead.status == "lost" else None

    def follow(self, book: Book, cause: Row) -> None:
        """Every way from lost to an active stage is a resurrection (seed 004 rule 2.3)."""
        if (cause.from_status, cause.to_status) == ("lost", "active"):
            book.consequence(cause, "lead_resurrected", "workflow:resurrection", {})

    def check_shape(self, p: Payload) -> None:
        if shown(p.get("email")) is None and shown(p.get("phone")) is None:
            raise RaisedError("PT422", "contact_info_required")

    def check_birth(self, book: Book, lead: Lead, r: Report) -> None:
        """The attributes of the stage, and one open lead an address."""
        p = r.payload
        if lead.stage == "lost" and (rule := lost_reason_need(p)) is not None:
            raise RaisedError("PT409", rule)
        if lead.stage in NEED_VALUE and not lead.deal_value:
            raise RaisedError("PT409", "deal_value_required")
        if lead.is_open and book.has_open_lead(lead.email_key):
            raise RaisedError("PT409", "active_lead_exists")
        if r.type == "lead_imported":
            lead.first_contacted_at = instant(p.get("first_contacted_at"))
            if lead.stage == "contacted":
                lead.first_contacted_at = lead.first_contacted_at or lead.stage_entered_at
        if lead.stage == "won":
            lead.won_at = lead.stage_entered_at
        if lead.stage == "lost":
            lead.lost_at = lead.stage_entered_at
            lead.lost_reason, lead.lost_notes = p["lost_reason"], shown(p.get("notes"))
