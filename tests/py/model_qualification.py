"""The qualification workflow in Python, written from seed 003 and the specification's matrix, not from the rules that
PostgreSQL reads: is somebody working this request, and what came of it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from tests.py.model import (
    OF_BOTH,
    OF_QUALIFICATION,
    TOUCHES_IN,
    Book,
    Decision,
    Lead,
    RaisedError,
    Report,
    Request,
    Ruling,
    Workflow,
    Writer,
    applied,
    day,
    email_key,
    shown,
)
from tests.py.model_sales import correction_reason_need, reason_need

# -- seed 003

OPEN = ("new", "accepted", "attempting", "connected")
STAGES = (*OPEN, "qualified", "recycled", "disqualified")
REJECTION_REASONS = (
    "no_fit", "no_budget", "no_authority", "no_need", "bad_timing", "unreachable", "duplicate", "do_not_contact",
    "competitor", "test", "spam", "other",
)  # fmt: skip
RECYCLE_REASONS = ("bad_timing", "no_budget", "no_response", "other")
EVIDENCE = ("problem", "timing", "buying_role")
NOT_RECYCLED: dict[str, Any] = {"recycle_reason": None, "recycle_on": None}


def row(*named: str) -> dict[str, str]:
    """A row of the matrix, stage by stage; the last word holds for the stages that are left."""
    return {stage: named[min(place, len(named) - 1)] for place, stage in enumerate(STAGES)}


TRIED = row("> attempting", "> attempting", "N", "N", "N already_closed")
REACHED = row("> connected", "> connected", "> connected", "N")
WROTE = row("> connected", "> connected", "> connected", "N", "N", "> new", "N")
CLOSED = "R already_closed"
# "> stage" moves there, ">" where the payload says; F changes fields, else notes; N notes, R refuses, under the rule named.
MATRIX = {
    "contact_attempted": TRIED,
    "email_sent": TRIED,
    "call_completed": REACHED,
    "meeting_held": REACHED,
    "message_sent": row("N"),
    "lead_contacted": row("N"),
    "email_replied": WROTE,
    "message_received": WROTE,
    "call_received": WROTE,
    "request_accepted": row("> accepted", *["F already_there"] * 3, CLOSED),
    "request_rejected": row(*["> disqualified"] * 4, CLOSED, "> disqualified", "N already_there"),
    "lead_recycled": row(*["> recycled"] * 4, CLOSED, "F no_change", CLOSED),
    "lead_qualified": row("R qualified_needs_accept", *["> qualified"] * 3, "N already_there", CLOSED),
    "inbound_enquiry": row(*["N"] * 5, "> new", "N"),
    "product_signal_seen": row(*["N"] * 5, "> new", "N"),
    "lead_converted": row(
        *["R conversion_needs_qualified"] * 4, "F already_converted", "R conversion_needs_qualified"
    ),
    "stage_corrected": row("N", ">"),
    "dnc": row(*["> disqualified"] * 4, "N", "> disqualified", "N"),
}


class Qualification(Workflow):
    """Seed 003: four open stages; qualified, recycled, disqualified are closed."""

    initial = "new"
    stages = STAGES
    own = OF_QUALIFICATION | OF_BOTH
    moves: ClassVar[set[str]] = {
        name for name, cells in MATRIX.items() if any(">" in c for c in cells.values())
    }

    def status_of(self, stage: str) -> str:
        return "open" if stage in OPEN else "closed"

    def closed(self, r: Report, lead: Lead) -> Ruling | None:
        """The three closed columns, where they note or refuse."""
        if lead.is_open or r.type not in self.moves:
            return None
        word, _, name = MATRIX[r.type][lead.stage].partition(" ")
        return {"N": ("noted", name or None), "R": ("refused", name)}.get(word)

    def objection(self, r: Report, by: Writer, lead: Lead) -> Ruling | None:
        """Who may correct."""
        if r.type == "stage_corrected" and by.role not in {"owner", "admin"}:
            return "refused", "correction_needs_admin"
        return None

    def cell(self, book: Book, r: Report, by: Writer, at: datetime) -> Decision:
        """The cell of the matrix, then its needs, then whether the address is free."""
        lead = book.lead(r)
        word, _, name = MATRIX[r.type][lead.stage].partition(" ")
        if word in {"N", "R"}:
            return ("noted" if word == "N" else "refused"), name or None, set()
        match r.type:
            case "request_accepted":
                return self.accept(book, r, at)
            case "request_rejected":
                return self.reject(book, r, at)
            case "lead_recycled":
                return self.recycle(book, r, at)
            case "lead_qualified":
                return self.qualify(book, r, at)
            case "lead_converted":
                return book.convert(r, lead)
            case "stage_corrected":
                return self.correct(book, r, at)
            case "dnc":
                values = {"rejection_reason": "do_not_contact", **NOT_RECYCLED}
                return book.move(lead, name, at, values)
        if lead.stage == "recycled":
            return self.wake(book, r, at)
        return book.move(lead, name, at, {})

    # -- requests

    @staticmethod
    def asked_about(book: Book, r: Report) -> Request | None:
        """The request that a decision is about: the one named, else the oldest that waits for one."""
        if (named := r.payload.get("request_id")) is not None:
            return next(q for q in book.requests if q.asked == book.request_ids[named])
        waiting = [q for q in book.requests if q.lead == r.lead and q.waits_for_decision]
        oldest = min(waiting, key=lambda q: (q.received_at, book.requests.index(q)), default=None)
        if oldest is None and r.type == "request_rejected":  # a change of mind, about the latest accepted one
            taken_on = [
                q for q in book.requests if q.lead == r.lead and Qualification.is_taken_on(book, r, q)
            ]
            return taken_on[-1] if taken_on else None
        return oldest

    @staticmethod
    def is_taken_on(book: Book, r: Report, request: Request) -> bool:
        """Whether a request was accepted since the lead came in this time."""
        accepted_at = book.lead(r).accepted_at
        return (
            request.decision == "accepted"
            and accepted_at is not None
            and request.disposition_at is not None
            and request.disposition_at >= accepted_at
        )

    @staticmethod
    def settle(request: Request | None, decision: str, reason: str | None, at: datetime) -> set[str]:
        """Decide a request; when it was decided for the first time stands. Gives what that changes."""
        if request is None or (request.decision, request.decision_reason) == (decision, reason):
            return set()
        request.decision, request.decision_reason = decision, reason
        request.disposition_at = request.disposition_at or max(at, request.received_at)
        return {"decision"}

    def accept(self, book: Book, r: Report, at: datetime) -> Decision:
        """Sales takes it on."""
        lead = book.lead(r)
        decided = self.settle(self.asked_about(book, r), "accepted", None, at)
        accepted_at = {"accepted_at": lead.accepted_at or at}
        if lead.stage == "new":
            verdict, _, changed = book.move(lead, "accepted", at, {"accepted_at": at})
            return verdict, None, changed | decided
        changed = applied(lead, accepted_at)[2] | decided
        return ("applied", None, changed) if changed else ("noted", "already_there", changed)

    def reject(self, book: Book, r: Report, at: datetime) -> Decision:
        """Sales turns it down; the lead goes on while another request waits or was taken on."""
        lead, reason = book.lead(r), r.payload.get("reason")
        need = reason_need(
            r.payload, "reason", REJECTION_REASONS, "rejection_reason_required", "unknown_rejection_reason"
        )
        if need is not None:
            return "refused", need, set()
        request = self.asked_about(book, r)
        decided = self.settle(request, "rejected", reason, at)
        others = [q for q in book.requests if q.lead == r.lead and q is not request]
        if any(q.waits_for_decision or self.is_taken_on(book, r, q) for q in others):
            return ("applied", None, decided) if decided else ("noted", None, decided)
        verdict, _, changed = book.move(
            lead, "disqualified", at, {"rejection_reason": reason, **NOT_RECYCLED}
        )
        return verdict, None, changed | decided

    # -- the other ways

    def recycle(self, book: Book, r: Report, at: datetime) -> Decision:
        """Nobody works on it until a day."""
        lead, until = book.lead(r), day(r.payload.get("recycle_on"))
        need = reason_need(
            r.payload, "reason", RECYCLE_REASONS, "recycle_reason_required", "unknown_recycle_reason"
        )
        if need is None and until is None:
            need = "recycle_date_required"
        elif need is None and until is not None and until <= book.day_of(at):
            need = "recycle_date_in_past"
        if need is not None:
            return "refused", need, set()
        values = {"recycle_reason": r.payload["reason"], "recycle_on": until}
        return applied(lead, values) if lead.stage == "recycled" else book.move(lead, "recycled", at, values)

    def wake(self, book: Book, r: Report, at: datetime) -> Decision:
        """What is dated after its day brings a recycled lead back, unless somebody is at the address already."""
        lead = book.lead(r)
        assert lead.recycle_on is not None
        if book.day_of(at) <= lead.recycle_on:
            return "noted", "recycled_until", set()
        if book.has_open_lead(lead.email_key, but=lead):
            return "noted", "open_lead_goes_on", set()
        return book.move(lead, "new", at, {"accepted_at": None, **NOT_RECYCLED})

    def qualify(self, book: Book, r: Report, at: datetime) -> Decision:
        """With what the buyer confirmed; the requests that were accepted count from here."""
        lead = book.lead(r)
        if lead.accepted_at is None:
            return "refused", "qualified_needs_accept", set()
        values = {key: shown(r.payload.get(key)) or getattr(lead, key) for key in EVIDENCE}
        if None in values.values():
            return "refused", "qualification_evidence_required", set()
        for request in book.requests:
            if request.lead == r.lead and request.decision == "accepted":
                request.qualified_at = request.qualified_at or max(at, request.received_at)
        return book.move(lead, "qualified", at, values)

    def correct(self, book: Book, r: Report, at: datetime) -> Decision:
        """Back to an earlier open stage, or from a closed one to any."""
        lead, stage = book.lead(r), r.payload["to_stage"]
        back = OPEN[: OPEN.index(lead.stage)] if lead.stage in OPEN else OPEN
        need: str | None = None
        if stage not in STAGES:
            need = "unknown_stage"
        elif stage not in back:
            need = "correction_goes_forward"
        need = need or correction_reason_need(r.payload)
        if need is None and lead.merged_into is not None:
            need = "already_merged"
        if need is None and book.conversion_is_decided(lead):
            need = "opportunity_decided"
        if need is None and not lead.is_open and book.has_open_lead(lead.email_key, but=lead):
            need = "active_lead_exists"
        if need is not None:
            return "refused", need, set()
        values: dict[str, Any] = {"rejection_reason": None, "opportunity_id": None, **NOT_RECYCLED}
        if lead.stage == "qualified":
            values |= dict.fromkeys(EVIDENCE)
        if stage == "new":
            values |= {"accepted_at": None}
        elif stage == "accepted":
            values |= {"accepted_at": lead.accepted_at or at}
        return book.move(lead, stage, at, values)

    # -- what every workflow answers

    def field_need(self, book: Book, r: Report, by: Writer, lead: Lead) -> str | None:
        if r.type == "contact_changed" and lead.is_open:
            changed = email_key(shown(r.payload.get("email", lead.email)))
            return "active_lead_exists" if book.has_open_lead(changed, but=lead) else None
        return None

    def waits(self, r: Report, lead: Lead) -> bool:
        """An open lead, a recycled one, and a disqualified one that writes in."""
        wrote = r.type in TOUCHES_IN - {"inbound_enquiry"}
        return lead.is_open or lead.stage == "recycled" or (lead.stage == "disqualified" and wrote)

    def comes_back(self, lead: Lead) -> dict[str, Any] | None:
        """A new request brings back who was recycled."""
        return {"accepted_at": None, **NOT_RECYCLED} if lead.stage == "recycled" else None

    def check_birth(self, book: Book, lead: Lead, r: Report) -> None:
        """New, or turned away for a reason, or as another system knew it; one open lead an address."""
        p = r.payload
        if (excluded := book.exclusion(r)) is not None:
            lead.stage, lead.status, lead.rejection_reason = "disqualified", "closed", excluded
        if lead.stage == "disqualified" and lead.rejection_reason is None:
            lead.rejection_reason = self.reason_at_birth(
                p,
                "rejection_reason",
                REJECTION_REASONS,
                "rejection_reason_required",
                "unknown_rejection_reason",
            )
        if lead.stage == "recycled":
            lead.recycle_reason = self.reason_at_birth(
                p, "recycle_reason", RECYCLE_REASONS, "recycle_reason_required", "unknown_recycle_reason"
            )
            lead.recycle_on = day(p.get("recycle_on"))
            if lead.recycle_on is None:
                raise RaisedError("PT409", "recycle_date_required")
        if lead.is_open and book.has_open_lead(lead.email_key):
            raise RaisedError("PT409", "active_lead_exists")
        if lead.stage in {"accepted", "qualified"}:
            lead.accepted_at = lead.stage_entered_at

    @staticmethod
    def reason_at_birth(p: dict[str, Any], key: str, reasons: tuple[str, ...], *rules: str) -> str:
        """The reason that an import needs."""
        if (rule := reason_need(p, key, reasons, *rules)) is not None:
            raise RaisedError("PT409", rule)
        return str(p[key])
