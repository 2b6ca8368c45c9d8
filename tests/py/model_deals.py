"""Deals and customers in Python: both pipelines, conversions and their undoing, subscriptions and renewal cycles.

Written from seed 003 and section H of the specification, not from the functions that PostgreSQL runs.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from tests.py.model import (
    Clock,
    Decision,
    Lead,
    RaisedError,
    Report,
    Row,
    Ruling,
    Subject,
    Writer,
    applied,
    day,
    money,
    shown,
)
from tests.py.model_relationship import BILLING, CLIENT, PEOPLE, Kind, Relations, rank
from tests.py.model_sales import correction_reason_need, lost_reason_need

# -- seed 003: opportunities

PIPELINES = ("new_business", "expansion")
STAGES = ("evaluation", "proposal", "closedwon", "closedlost")
STATUS = {
    "evaluation": "open", "proposal": "open", "closedwon": "won", "closedlost": "lost", "withdrawn": "withdrawn",
}  # fmt: skip
EVIDENCE = ("problem", "decision_process", "next_step", "next_step_on")
DEAL: dict[str, str] = {"amount": "money", "currency": "currency", "close_date": "date"}
LOST = {"lost_reason": "text", "notes": "text"}
OPPORTUNITY = {
    "opportunity_opened": Kind(
        PEOPLE,
        {"pipeline": "text!", "person_id": "uuid!", "assigned_user_id": "uuid", **DEAL},
        is_birth=True,
    ),
    "opportunity_advanced": Kind(
        PEOPLE,
        {
            "to_stage": "text!", "problem": "text", "decision_process": "text", "next_step": "text",
            "next_step_on": "date", "contact": "uuid", **DEAL,
        },
        moves=True,
        needs_a_person=True,
    ),
    "opportunity_won": Kind(PEOPLE, {**DEAL, "approve": "flag"}, moves=True, late_is_refused=True),
    "opportunity_lost": Kind(PEOPLE, LOST, moves=True, late_is_refused=True),
    "amount_changed": Kind(PEOPLE, {**DEAL, "amount": "money0!"}),
    "opportunity_assigned": Kind(PEOPLE, {"assigned_user_id": "uuid0!"}),
    "contact_role_set": Kind(PEOPLE, {"person_id": "uuid!", "role": "text0!"}),
    "stage_corrected": Kind(PEOPLE, {"to_stage": "text!", "reason": "text", **LOST}, moves=True),
    "conversion_undone": Kind(set(), moves=True, system_only=True),
    "direct_change": Kind(set(), system_only=True),
    "person_erased": Kind(set(), system_only=True),
}  # fmt: skip


def row(*named: str) -> dict[str, str]:
    """A row of the matrix: evaluation, proposal, closedwon, closedlost, withdrawn."""
    return dict(zip((*STAGES, "withdrawn"), named, strict=True))


GONE = "R opportunity_is_withdrawn"
# "> stage" moves there, ">" where the payload says; F changes fields, else notes; N notes, R refuses, under the rule named.
MATRIX = {
    "opportunity_advanced": row("> proposal", "F already_there", "R opportunity_is_won", "R opportunity_is_lost", GONE),
    "opportunity_won": row("R won_needs_proposal", "> closedwon", "N already_there", "R opportunity_is_lost", GONE),
    "opportunity_lost": row("> closedlost", "> closedlost", "R opportunity_is_won", "F already_there", GONE),
    "stage_corrected": row("R correction_goes_forward", ">", ">", ">", GONE),
}  # fmt: skip

# -- seed 003: customers

SUBSCRIPTION = {
    "subscription_started": Kind(
        BILLING, {"person_id": "uuid!", "plan": "text", "trial": "flag"}, is_birth=True
    ),
    "payment_succeeded": Kind(BILLING, {"amount": "money", "currency": "currency"}, moves=True),
    "payment_failed": Kind(BILLING, {"amount": "money", "currency": "currency"}, moves=True),
    "subscription_cancelled": Kind(BILLING, {"reason": "text"}, moves=True),
    "renewal_opened": Kind(BILLING, {"period_start": "date!", "period_end": "date!"}),
    "renewal_renewed": Kind(BILLING, {"period_start": "date"}),
    "renewal_churned": Kind(BILLING, {"period_start": "date", "reason": "text"}),
    "direct_change": Kind(set(), system_only=True),
}
LIVE = ("trialing", "active", "past_due")
PAYMENTS = {
    "payment_succeeded": {"trialing": "> active", "active": "N", "past_due": "> active"},
    "payment_failed": {"trialing": "> past_due", "active": "> past_due", "past_due": "N already_there"},
    "subscription_cancelled": dict.fromkeys(LIVE, "> cancelled"),
}
RENEWALS = {"renewal_opened", "renewal_renewed", "renewal_churned"}
CONTACT_ROLES = {
    "buying contact", "converted lead", "champion", "decision maker", "economic buyer", "executive sponsor", "influencer",
    "evaluator", "end user", "legal", "blocker", "other",
}  # fmt: skip


@dataclass
class Opportunity:
    """State of a deal; the names are the columns of opportunities, people are numbers, the lead is its name."""

    workflow: str
    person: int
    stage_entered_at: datetime
    created_at: datetime
    stage: str = "evaluation"
    status: str = "open"
    late_before: datetime | None = None
    has_account: bool = False
    lead: str | None = None
    assigned_user_id: str | None = None
    amount: Decimal | None = None
    currency: str | None = None
    close_date: date | None = None
    problem: str | None = None
    decision_process: str | None = None
    next_step: str | None = None
    next_step_on: date | None = None
    contacts: dict[str, str] = field(default_factory=dict)
    won_at: datetime | None = None
    lost_at: datetime | None = None
    lost_reason: str | None = None
    lost_notes: str | None = None
    seq: int = 0
    version: int = 0


@dataclass
class Cycle:
    """One renewal decision."""

    period_start: date
    period_end: date
    opened_at: datetime
    stage: str = "open"
    settled_at: datetime | None = None
    churn_reason: str | None = None


@dataclass
class Subscription:
    """State of a subscription; the names are the columns of subscriptions."""

    person: int
    plan: str | None
    stage: str
    stage_entered_at: datetime
    started_at: datetime
    created_at: datetime
    status: str = "live"
    late_before: datetime | None = None
    cancelled_at: datetime | None = None
    has_account: bool = False
    cycles: list[Cycle] = field(default_factory=list)
    seq: int = 0
    version: int = 0


@dataclass
class Deals(Relations):
    """A workspace with all four journals of its business."""

    opportunities: dict[str, Opportunity] = field(default_factory=dict)
    subscriptions: dict[str, Subscription] = field(default_factory=dict)
    opportunity_ids: dict[str, str] = field(default_factory=dict)  # opportunity_id -> name here
    subscription_ids: dict[str, str] = field(default_factory=dict)
    deals_born: int = 0  # conversions count before their deal has its first row
    undone_conversion: str | None = None

    def subject(self, name: str) -> Subject:
        if name in self.opportunities:
            return self.opportunities[name]
        return self.subscriptions[name] if name in self.subscriptions else super().subject(name)

    def kinds(self, journal: str) -> dict[str, Kind]:
        return {"opportunity": OPPORTUNITY, "subscription": SUBSCRIPTION}.get(journal) or super().kinds(
            journal
        )

    def exists(self, name: str) -> bool:
        return name in self.opportunities or name in self.subscriptions or super().exists(name)

    def well_formed(self, r: Report) -> Kind:
        kind = super().well_formed(r)
        if r.type == "opportunity_opened" and r.payload["pipeline"] not in PIPELINES:
            raise RaisedError("PT422", "unknown_workflow")
        return kind

    def check_names(self, r: Report) -> None:
        super().check_names(r)
        key = {"opportunity_advanced": "contact"}.get(r.type, "person_id")
        named = r.payload.get(key) if key in self.kinds(r.journal)[r.type].keys else None
        if named is not None and named not in self.person_ids:
            raise RaisedError("PT404", "no_such_person")

    def check_visibility(self, r: Report) -> None:
        super().check_visibility(r)
        named = r.payload.get("opportunity_id") if r.type == "lead_converted" else None
        if named is None or named in self.opportunity_ids:
            return
        if self.lead(r).workflow == "qualification":
            raise RaisedError("PT404", "no_such_opportunity")

    # -- births

    def begin(self, r: Report, by: Writer, clock: Clock) -> Row:
        p = r.payload
        person = self.person_of(self.person_ids[p["person_id"]])
        if r.journal == "subscription":
            name = f"subscription {len(self.subscriptions)}"
            at = r.occurred_at or clock(name, 1)
            stage = "trialing" if p.get("trial") is True else "active"
            has_account = self.people[person].account is not None
            self.subscriptions[name] = Subscription(
                person, shown(p.get("plan")), stage, at, at, at, has_account=has_account
            )
            changed = {"stage", "status", "workflow", "person_id"}
            changed |= {"plan"} if shown(p.get("plan")) else set()
            changed |= {"account_id"} if has_account else set()
            return self.record(Report(name, r.type, p, r.reference), by, ("applied", None, changed), at)
        name = self.next_deal()
        at = r.occurred_at or clock(name, 1)
        owner = p.get("assigned_user_id") or (str(by.actor_id) if by.role == "member" else None)
        if owner is not None and owner not in self.members:
            raise RaisedError("PT409", "unknown_assignee")
        return self.open_deal(
            name, r, by, at, Opportunity(p["pipeline"], person, at, at, assigned_user_id=owner)
        )

    def person_id(self, number: int) -> str:
        """The id of a person in the database."""
        return next(i for i, known in self.person_ids.items() if known == number)

    def id_of_deal(self, deal: Opportunity) -> str:
        """The id of a deal in the database."""
        return next(i for i, name in self.opportunity_ids.items() if self.opportunities.get(name) is deal)

    def next_deal(self) -> str:
        """The name of the next deal."""
        self.deals_born += 1
        return f"opportunity {self.deals_born - 1}"

    def open_deal(
        self, name: str, r: Report, by: Writer, at: datetime, deal: Opportunity, cause: Row | None = None
    ) -> Row:
        """Enter a new deal with what is known of it."""
        self.opportunities[name] = deal
        role = "buying contact" if deal.lead is None else "converted lead"
        deal.contacts = {self.person_id(deal.person): role}
        deal.has_account = self.people[deal.person].account is not None
        for key, value in self.deal_values(r, deal).items():
            setattr(deal, key, value)
        given = ("assigned_user_id", "amount", "currency", "close_date", "lead", "contacts")
        changed = {"stage", "status", "workflow", "person_id"} | {
            k for k in given if getattr(deal, k) not in (None, {})
        }
        changed = {"lead_id" if key == "lead" else key for key in changed}
        changed |= {"account_id"} if deal.has_account else set()
        return self.record(
            Report(name, r.type, r.payload, r.reference), by, ("applied", None, changed), at, None, cause
        )

    def deal_values(self, r: Report, deal: Opportunity) -> dict[str, Any]:
        """What an activity says of amount and day: the amount in its currency, else the deal's, else the workspace's."""
        p = r.payload
        values: dict[str, Any] = {}
        if p.get("amount") is not None:
            values["amount"] = money(p["amount"])
            values["currency"] = p.get("currency") or deal.currency or self.currency
        if p.get("close_date") is not None:
            values["close_date"] = day(p["close_date"])
        return values

    # -- deciding

    def closed_elsewhere(self, r: Report, subject: Any) -> Ruling | None:
        if isinstance(subject, Subscription):
            if subject.stage != "cancelled" or r.type in RENEWALS:
                return None
            return (
                "noted",
                "already_there" if r.type == "subscription_cancelled" else "subscription_is_cancelled",
            )
        if isinstance(subject, Opportunity):
            if subject.status == "open" or r.type not in MATRIX:
                return None
            word, _, name = MATRIX[r.type][subject.stage].partition(" ")
            return {"N": ("noted", name), "R": ("refused", name)}.get(word)
        return super().closed_elsewhere(r, subject)

    def effect_elsewhere(self, r: Report, by: Writer, subject: Any, at: datetime) -> Decision:
        if isinstance(subject, Opportunity):
            return self.on_deal(r, by, subject, at)
        if isinstance(subject, Subscription):
            return self.on_subscription(r, subject, at)
        return super().effect_elsewhere(r, by, subject, at)

    def on_deal(self, r: Report, by: Writer, deal: Opportunity, at: datetime) -> Decision:
        """The cell of the matrix, then its needs; or the fields that change at every stage."""
        if r.type not in MATRIX:
            return self.field_of_deal(r, by, deal)
        if r.type == "stage_corrected" and by.role not in {"owner", "admin"}:
            return "refused", "correction_needs_admin", set()
        word, _, name = MATRIX[r.type][deal.stage].partition(" ")
        if word == "R":
            return "refused", name, set()
        stage = {"opportunity_won": "closedwon", "opportunity_lost": "closedlost"}.get(r.type)
        stage = stage or str(r.payload["to_stage"])
        values = self.told_of_deal(r, deal)
        if (need := self.need_of_deal(r, deal, stage, values)) is not None:
            return "refused", need, set()
        if stage == "closedlost":
            values |= {"lost_reason": r.payload["lost_reason"], "lost_notes": shown(r.payload.get("notes"))}
        if word == "F":
            verdict, rule, changed = applied(deal, values)
            return verdict, rule and name, changed
        return self.move_deal(deal, stage, at, values)

    def told_of_deal(self, r: Report, deal: Opportunity) -> dict[str, Any]:
        """What comes with a step: amount and day, and what the buyer confirmed."""
        if r.type == "opportunity_advanced":
            return self.deal_values(r, deal) | self.evidence(r, deal)
        return self.deal_values(r, deal) if r.type == "opportunity_won" else {}

    @staticmethod
    def move_deal(deal: Opportunity, stage: str, at: datetime, values: dict[str, Any]) -> Decision:
        """Bring a deal to a stage, with all that comes along and nothing that belongs to the one left."""
        values = {
            "lost_reason": None,
            "lost_notes": None,
            **values,
            "stage": stage,
            "status": STATUS[stage],
            "won_at": at if stage == "closedwon" else None,
            "lost_at": at if stage == "closedlost" else None,
        }
        decision = applied(deal, values)
        deal.stage_entered_at = deal.late_before = max(deal.stage_entered_at, at)
        return decision

    @staticmethod
    def evidence(r: Report, deal: Opportunity) -> dict[str, Any]:
        """What the buyer confirmed."""
        p = r.payload
        values: dict[str, Any] = {key: shown(p[key]) for key in EVIDENCE if p.get(key) is not None}
        if "next_step_on" in values:
            values["next_step_on"] = day(values["next_step_on"])
        if (contact := p.get("contact")) is not None:
            values["contacts"] = {contact: "buying contact", **deal.contacts}
        return values

    def need_of_deal(self, r: Report, deal: Opportunity, stage: str, values: dict[str, Any]) -> str | None:
        """The rule that a move or a change breaks."""
        if r.type == "opportunity_advanced" and stage != "proposal":
            return "unknown_stage"
        if r.type == "stage_corrected":
            if stage not in STATUS:
                return "unknown_stage"
            back = {
                "proposal": STAGES[:1],
                "closedlost": STAGES[:2],
                "closedwon": (*STAGES[:2], "closedlost"),
            }
            if stage not in back[deal.stage]:
                return "correction_goes_forward"
            if (rule := correction_reason_need(r.payload)) is not None:
                return rule
        if stage == "closedlost":
            return lost_reason_need(r.payload)
        has = {
            key: values.get(key, getattr(deal, key))
            for key in (*EVIDENCE, "contacts", "amount", "close_date")
        }
        if stage == "proposal" and not all(has[key] for key in (*EVIDENCE, "contacts")):
            return "evidence_required"
        if stage == "closedwon" and not (has["amount"] and has["close_date"]):
            return "evidence_required"
        return None

    def field_of_deal(self, r: Report, by: Writer, deal: Opportunity) -> Decision:
        """The fields of a deal: the same at every stage, closed ones too."""
        p = r.payload
        match r.type:
            case "amount_changed":
                if deal.status == "won" and by.role not in {"owner", "admin"}:
                    return "refused", "won_value_needs_admin", set()
                if deal.status == "won" and not p["amount"]:
                    return "refused", "deal_value_required", set()
                values: dict[str, Any] = {}
                if p["amount"] is None:
                    values |= {"amount": None}
                if "close_date" in p:
                    values |= {"close_date": None}
                values |= self.deal_values(r, deal)
                if deal.status == "won" and values.get("close_date", deal.close_date) is None:
                    return "refused", "evidence_required", set()
                return applied(deal, values)
            case "opportunity_assigned":
                if p["assigned_user_id"] is not None and p["assigned_user_id"] not in self.members:
                    return "refused", "unknown_assignee", set()
                return applied(deal, {"assigned_user_id": p["assigned_user_id"]})
        return self.contact_role(deal, p["person_id"], shown(p["role"]))

    @staticmethod
    def contact_role(deal: Opportunity, person: str, role: str | None) -> Decision:
        if role is not None and role not in CONTACT_ROLES:
            return "refused", "unknown_contact_role", set()
        others = {who: part for who, part in deal.contacts.items() if who != person}
        return applied(deal, {"contacts": others | ({} if role is None else {person: role})})

    # -- conversion

    def convert(self, r: Report, lead: Lead) -> Decision:
        """A qualified lead becomes a deal, or a part of an open one; once."""
        if lead.opportunity_id is not None:
            return "noted", "already_converted", set()
        if lead.merged_into is not None:
            return "refused", "already_merged", set()
        named = r.payload.get("opportunity_id")
        if named is None:
            if (r.payload.get("pipeline") or "new_business") not in PIPELINES:
                raise RaisedError("PT422", "unknown_workflow")
            return applied(lead, {"opportunity_id": self.next_deal()})
        name = self.opportunity_ids[named]
        if self.opportunities[name].status != "open":
            return "refused", "opportunity_not_open", set()
        return applied(lead, {"opportunity_id": name})

    def conversion_is_decided(self, lead: Lead) -> bool:
        own = self.deal_of(lead)
        return own is not None and own.status in {"won", "lost"}

    def deal_of(self, lead: Lead) -> Opportunity | None:
        """The opportunity that a lead's conversion opened."""
        if lead.opportunity_id is None:
            return None
        deal = self.opportunities.get(lead.opportunity_id)
        return deal if deal is not None and deal.lead is not None and self.leads[deal.lead] is lead else None

    def decide(self, r: Report, by: Writer, at: datetime) -> Decision:
        lead = self.lead(r)
        deal = lead.opportunity_id
        decision = super().decide(r, by, at)
        if deal is not None and lead.opportunity_id is None:
            self.undone_conversion = deal
        return decision

    def report(self, r: Report, by: Writer, clock: Clock, raises: bool = False) -> tuple[Row, bool]:
        """A conversion and its undoing reach the deal at once, not when the statement ends."""
        cause, replayed = super().report(r, by, clock, raises)
        if replayed or cause.verdict != "applied" or cause.lead not in self.leads:
            return cause, replayed
        if cause.type == "lead_converted":
            self.follow_conversion(cause)
        elif self.undone_conversion is not None:
            self.undo_conversion(self.undone_conversion, cause)
            self.undone_conversion = None
        return cause, replayed

    def follow_conversion(self, cause: Row) -> None:
        """The deal's own row: its first, or the contact's part in it."""
        r, _ = self.told[cause.lead, cause.seq]
        lead, at = self.leads[cause.lead], cause.occurred_at
        name = str(lead.opportunity_id)
        by = Writer(cause.actor_kind, UUID(int=0), "workflow:conversion", "system")
        person = self.person_of(lead.person)
        if name not in self.opportunities:
            pipeline = r.payload.get("pipeline") or "new_business"
            worth: dict[str, Any] = (
                {} if lead.deal_value is None else {"amount": lead.deal_value, "currency": lead.currency}
            )
            deal = Opportunity(
                pipeline, person, at, at, lead=cause.lead, assigned_user_id=lead.assigned_user_id,
                **worth,
            )  # fmt: skip
            given = Report(None, "opportunity_opened", r.payload, journal="opportunity")
            self.follow(self.open_deal(name, given, by, at, deal, cause))
            return
        deal = self.opportunities[name]
        before = copy.copy(deal)
        report = Report(name, "contact_role_set", journal="opportunity")
        decision = applied(deal, {"contacts": {self.person_id(person): "converted lead", **deal.contacts}})
        self.record(report, by, decision, at, before, cause)

    def undo_conversion(self, name: str, cause: Row) -> None:
        """The deal that a conversion opened never was one."""
        deal = self.opportunities[name]
        if deal.lead != cause.lead:
            return
        before, at = copy.copy(deal), cause.occurred_at
        decision: Decision = "noted", "already_there", set()
        if deal.status == "open":
            decision = self.move_deal(deal, "withdrawn", at, {})
        by = Writer(cause.actor_kind, UUID(int=0), "workflow:conversion", "system")
        self.record(Report(name, "conversion_undone", journal="opportunity"), by, decision, at, before, cause)

    # -- proposals, routes

    def proposal(self, cause: Row) -> str | None:
        if cause.lead not in self.opportunities:
            return super().proposal(cause)
        deal = self.opportunities[cause.lead]
        if cause.verdict != "applied":
            return None
        if cause.type == "opportunity_won":
            return "client"
        has_packet = deal.status == "open" and deal.amount is not None and deal.close_date is not None
        asks = {"opportunity_opened", "opportunity_advanced", "amount_changed"}
        return "opportunity" if has_packet and cause.type in asks else None

    def person_behind(self, cause: Row) -> int:
        if cause.lead in self.opportunities:
            return self.person_of(self.opportunities[cause.lead].person)
        return super().person_behind(cause)

    def route(self, lead: Lead) -> tuple[str, str | None]:
        """A customer's to the account's owner, an open deal's to the deal's, then as before."""
        number = self.person_of(lead.person)
        account = self.account_behind(lead.person)
        pays = any(
            self.person_of(s.person) == number and s.status == "live" for s in self.subscriptions.values()
        )
        if pays or rank(self.people[number].stage) >= CLIENT:
            return "customer", account.owner if account is not None else None
        deals = [
            deal
            for deal in self.opportunities.values()
            if deal.status == "open" and self.person_of(deal.person) == number
        ]
        if deals and (account is None or account.kind != "customer"):
            newest = max(deal.created_at for deal in deals)
            last = [(self.id_of_deal(deal), deal) for deal in deals if deal.created_at == newest]
            return "opportunity", min(last, key=lambda pair: pair[0])[1].assigned_user_id
        return super().route(lead)

    # -- customers

    def on_subscription(self, r: Report, s: Subscription, at: datetime) -> Decision:
        """Paid, not paid, ended; or a renewal."""
        if r.type in RENEWALS:
            return self.renew(r, s, at)
        word, _, name = PAYMENTS[r.type][s.stage].partition(" ")
        if word == "N":
            return "noted", name or None, set()
        values: dict[str, Any] = {"stage": name}
        if name == "cancelled":
            values |= {"status": "ended", "cancelled_at": at}
        decision = applied(s, values)
        s.stage_entered_at = s.late_before = max(s.stage_entered_at, at)
        return decision

    def renew(self, r: Report, s: Subscription, at: datetime) -> Decision:
        """One cycle a period, decided once."""
        p = r.payload
        if s.stage == "cancelled" and r.type != "renewal_churned":
            return "refused", "subscription_is_cancelled", set()
        start, end = day(p.get("period_start")), day(p.get("period_end"))
        if r.type == "renewal_opened":
            assert start is not None
            assert end is not None
            if any((c.period_start, c.period_end) == (start, end) for c in s.cycles):
                return "noted", "already_there", set()
            if end <= start or any(c.period_start < end and start < c.period_end for c in s.cycles):
                return "refused", "period_malformed", set()
            s.cycles.append(Cycle(start, end, at))
            return "applied", None, {"renewal_cycle"}
        decided = {"renewal_renewed": "renewed", "renewal_churned": "churned"}[r.type]
        reason = shown(p.get("reason")) if decided == "churned" else None
        cycle = self.cycle_meant(s, start)
        if cycle is not None and cycle.stage == decided:
            return "noted", "already_there", set()
        if decided == "churned" and reason is None:
            return "refused", "reason_required", set()
        if cycle is None or cycle.stage != "open":
            return "refused", "no_open_cycle", set()
        cycle.stage, cycle.settled_at, cycle.churn_reason = decided, at, reason
        return "applied", None, {"renewal_cycle"}

    @staticmethod
    def cycle_meant(s: Subscription, start: date | None) -> Cycle | None:
        """The cycle of that period; without one the first that is open, else the last."""
        by_start = sorted(s.cycles, key=lambda c: c.period_start)
        if start is not None:
            return next((c for c in by_start if c.period_start == start), None)
        return next((c for c in by_start if c.stage == "open"), by_start[-1] if by_start else None)
