"""Who writes in, in Python: enquiries, what they meet or make, people, requests, merging; all three workflows in one
workspace. Written from section F of the specification, not from the functions that PostgreSQL runs.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, ClassVar
from uuid import UUID

from tests.py.model import (
    CONTACT,
    MERGING,
    TOUCHES_OUT,
    Appointment,
    Book,
    Clock,
    Decision,
    Lead,
    RaisedError,
    Report,
    Request,
    Row,
    Ruling,
    Workflow,
    Writer,
    applied,
    email_key,
    email_stem,
    shown,
)
from tests.py.model_qualification import NOT_RECYCLED, Qualification
from tests.py.model_sales import Sales

REQUEST_CLASSES = {
    "demo", "pricing_question", "quote", "trial_signup", "sales_callback", "contact", "score", "requalification",
}  # fmt: skip
EXCLUSIONS = {"test", "spam"}
ENQUIRY = "inbound_enquiry"
BACK_AGAIN = {"stage_corrected", "lead_reopened", "lead_unarchived"}


@dataclass(frozen=True)
class Account:
    """A company, recognised by its mail domain."""

    kind: str
    owner: str | None


@dataclass
class Person:
    """Somebody, perhaps of a company, perhaps found to be somebody else; the names are the columns of people."""

    account: Account | None = None
    merged_into: int | None = None
    stage: str = "prospect"
    furthest_stage: str = "prospect"
    status: str = "open"
    stage_entered_at: datetime | None = None
    late_before: datetime | None = None
    first_qualified_at: datetime | None = None
    seq: int = 0
    version: int = 0


Changes = dict[str, tuple[Any, Any]]  # column -> before, after


@dataclass
class Intake(Book):
    """A workspace that people write to."""

    members_see_all: bool = True
    accounts: dict[str, Account] = field(default_factory=dict)  # by domain
    people: dict[int, Person] = field(default_factory=dict)
    keys_of_people: dict[tuple[str, str], int] = field(default_factory=dict)
    # What a merge changed: on the lead set aside, and on the one that goes on, under both names.
    set_aside: dict[str, Changes] = field(default_factory=dict)
    survivors: dict[str, list[str]] = field(default_factory=dict)
    handed_over: dict[str, list[frozenset[datetime]]] = field(default_factory=dict)
    taken_over: dict[tuple[str, str], Changes] = field(default_factory=dict)

    laws: ClassVar[dict[str, Workflow]] = {
        "appointment": Appointment(),
        "sales": Sales(),
        "qualification": Qualification(),
    }

    # -- store, exclude, match (seed 003; seed 004 section 7)

    def arrive(self, r: Report, by: Writer, clock: Clock, raises: bool) -> Row:
        """An enquiry that names no lead is excluded, meets one, or makes one; other births make one."""
        key = email_key(r.payload.get("email"))
        if r.type == ENQUIRY and self.exclusion(r) is None and key is not None:
            self.identify(key, None)
            if (met := self.match(key, r.payload.get("workflow"))) is not None:
                is_seen = self.sees(by, self.leads[met])
                row = self.decide_row(replace(r, lead=met), by, clock, raises)
                if row.verdict == "refused" and not is_seen:  # the same answer as when there is no such lead
                    raise RaisedError("PT409", str(row.rule))
                return row
        return self.bear(r, by, clock)

    @staticmethod
    def unknown_word(r: Report) -> str | None:
        """A word outside its list is refused, not raised, where there is a lead to keep the refusal."""
        request_class, exclusion = shown(r.payload.get("request_class")), shown(r.payload.get("exclusion"))
        if request_class is not None and request_class not in REQUEST_CLASSES:
            return "unknown_request_class"
        return "unknown_exclusion" if exclusion is not None and exclusion not in EXCLUSIONS else None

    def account(self, key: str | None) -> Account | None:
        """The company of an address."""
        return self.accounts.get((key or "").rpartition("@")[2])

    def exclusion(self, r: Report) -> str | None:
        """Why nobody is to work on an enquiry."""
        if r.type != ENQUIRY:
            return None
        account = self.account(email_key(r.payload.get("email")))
        named = shown(r.payload.get("exclusion"))
        return named or ("competitor" if account is not None and account.kind == "competitor" else None)

    def match(self, key: str, workflow: str | None) -> str | None:
        """The open lead of that address, of the workflow asked for and the oldest first; then one that goes on in the
        place of a lead with that address; else the one lost or recycled last."""
        own = [name for name, lead in self.leads.items() if lead.email_key == key]
        heirs = [self.that_goes_on(name) for name in own if self.leads[name].merged_into is not None]
        for names in (own, heirs):
            worked = [
                (self.leads[name].workflow != (workflow or self.leads[name].workflow), self.age(name), name)
                for name in names
                if self.leads[name].is_open
            ]
            if worked:
                return min(worked)[2]
        aside = [
            (self.leads[name].workflow != (workflow or self.leads[name].workflow), self.age(name), name)
            for name in own
            if self.put_aside_at(name) is not None
            and self.put_aside_at(name) == max(filter(None, map(self.put_aside_at, own)))
        ]
        return min(aside)[2] if aside else None

    def put_aside_at(self, name: str) -> datetime | None:
        """Since when a lead that an enquiry would bring back is put aside."""
        lead = self.leads[name]
        comes_back = lead.merged_into is None and self.laws[lead.workflow].comes_back(lead) is not None
        return (lead.lost_at or lead.stage_entered_at) if comes_back else None

    def that_goes_on(self, name: str) -> str:
        """The lead that goes on in this one's place."""
        into = self.leads[name].merged_into
        return name if into is None else self.that_goes_on(self.ids[into])

    def age(self, name: str) -> tuple[datetime, str]:
        """What sorts the older lead before the younger, and of two of an instant always the same one."""
        return self.leads[name].created_at, next((i for i, known in self.ids.items() if known == name), "")

    # -- an enquiry about a lead there is

    def decide(self, r: Report, by: Writer, at: datetime) -> Decision:
        lead = self.lead(r)
        assert r.lead is not None
        status = lead.status
        decision = super().decide(r, by, at)
        if decision[0] != "refused":
            self.answer(r, by, at)
            if r.type == ENQUIRY:
                self.request(r, by, lead.seq + 1, at, self.exclusion(r))
        if lead.status != status and not lead.is_open and r.type != "leads_merged":
            self.stop_clocks(r.lead, at)
        if lead.status != status and lead.is_open and r.type in BACK_AGAIN:  # whoever asked meanwhile waits
            lead.unanswered |= {request.received_at for request in self.running(r.lead)}
        if decision[2] & {"email", "phone"}:
            self.know(lead)
        if r.type == "lead_qualified" and "stage" in decision[2]:
            person = self.people[lead.person]  # PENDING D9
            person.first_qualified_at = person.first_qualified_at or at
        return decision

    def waits_now(self, r: Report, lead: Lead, ruling: Decision) -> bool:
        """Who was excluded waits for nothing."""
        return self.exclusion(r) is None and super().waits_now(r, lead, ruling)

    def objection(self, r: Report, by: Writer, at: datetime) -> Ruling | None:
        ruling = super().objection(r, by, at)
        if ruling is not None:
            return ruling
        if r.type in MERGING and by.role not in {"owner", "admin"}:
            return "refused", "merge_needs_admin"
        if (
            r.type == ENQUIRY
            and self.exclusion(r) is not None
            and self.enquiry_need(r, by, self.lead(r)) is None
        ):
            return "noted", "excluded"
        return None

    def transition(self, r: Report, by: Writer, at: datetime) -> Decision:
        lead = self.lead(r)
        if r.type == ENQUIRY:
            return self.enquire(r, by, lead, at)
        if r.type == "leads_merged":
            return self.merge(r, lead, at)
        return self.unmerge(r, lead, at) if r.type == "leads_unmerged" else super().transition(r, by, at)

    def enquiry_need(self, r: Report, by: Writer, lead: Lead) -> str | None:
        """The rule that an enquiry breaks."""
        who = r.payload.get("assigned_user_id")
        if (rule := self.unknown_word(r)) is not None:
            return rule
        is_taken = lead.assigned_user_id is None and who is not None and self.sees(by, lead)
        return "unknown_assignee" if is_taken and who not in self.members else None

    def enquire(self, r: Report, by: Writer, lead: Lead, at: datetime) -> Decision:
        """A lost sales lead comes back; anyone's empty fields are filled, none is overwritten."""
        if (rule := self.enquiry_need(r, by, lead)) is not None:
            return "refused", rule, set()
        back = self.law(r).comes_back(lead)
        if not lead.is_open and back is None:
            return "noted", None, set()
        values = self.missing(r, by, lead)
        if back is not None:
            if self.has_open_lead(lead.email_key or email_key(r.payload.get("email")), but=lead):
                return "refused", "active_lead_exists", set()
            return self.move(lead, "new", at, values | back)
        verdict, _, changed = applied(lead, values)
        return verdict, None, changed

    def missing(self, r: Report, by: Writer, lead: Lead) -> dict[str, Any]:
        """What an enquiry says where the lead says nothing; nobody takes a lead that they do not see."""
        said = {key: shown(r.payload.get(key)) for key in (*CONTACT, "assigned_user_id")}
        values: dict[str, Any] = {k: value for k, value in said.items() if value and getattr(lead, k) is None}
        if not self.sees(by, lead):
            values.pop("assigned_user_id", None)
        if lead.workflow != "appointment" and self.has_open_lead(email_key(values.get("email")), but=lead):
            del values["email"]  # it has its open lead already
        return values if lead.deal_value is not None else values | self.value_given(r, lead)

    def sees(self, by: Writer, lead: Lead) -> bool:
        """Whether a lead is in somebody's sight."""
        return self.members_see_all or by.role != "member" or lead.assigned_user_id == str(by.actor_id)

    # -- routing, and the clocks of requests

    def request(self, r: Report, by: Writer, seq: int, at: datetime, exclusion: str | None) -> None:
        """One row a buyer's action, and who is to answer it: on the lead that goes on, when this one was merged."""
        assert r.lead is not None
        name = self.that_goes_on(r.lead)
        lead = self.leads[name]
        asked = shown(r.payload.get("request_class")) or "contact"
        route, owner = self.route(lead)
        if exclusion is not None:
            route, owner = "excluded", lead.assigned_user_id
        self.requests.append(
            Request(
                lead=name,
                asked=(r.lead, seq),
                person=lead.person,
                request_class=asked if asked in REQUEST_CLASSES else "contact",
                source=shown(r.payload.get("source")) or by.writer,
                external_id=shown(r.payload.get("external_id")),
                received_at=at,
                route=route,
                exclusion=exclusion,
                owner=owner or lead.assigned_user_id,
                not_applicable_at=None if exclusion is None else at,
            )
        )

    def route(self, lead: Lead) -> tuple[str, str | None]:
        """Where an enquiry belongs: to whom a customer's or a partner's company belongs, else to new business."""
        account = self.account_behind(lead.person)
        if account is not None and account.kind in {"customer", "partner"}:
            return account.kind, account.owner
        return "new_business", None

    def account_behind(self, person: int) -> Account | None:
        """The company of somebody: of the person that goes on, else their own, else of whoever they are as well."""
        one = self.person_of(person)
        others = [number for number in self.people if self.person_of(number) == one]
        accounts = (self.people[number].account for number in (one, person, *others))
        return next((account for account in accounts if account is not None), None)

    def running(self, name: str) -> Iterator[Request]:
        """The requests of a lead that nobody has answered yet."""
        return (request for request in self.requests if request.lead == name and request.runs)

    def answer(self, r: Report, by: Writer, at: datetime) -> None:
        """A person's act answers what was received before it."""
        if r.type in TOUCHES_OUT and not self.is_not_a_persons(r, by) and r.lead is not None:
            for request in self.running(r.lead):
                if request.received_at <= at:
                    request.first_response_at = at

    def stop_clocks(self, name: str, at: datetime) -> None:
        """Closing a lead ends what is still running."""
        for request in self.running(name):
            request.not_applicable_at = max(at, request.received_at)

    def changed_by_hand(self, name: str, values: dict[str, Any], clock: Clock) -> None:
        was_open = self.leads[name].is_open
        super().changed_by_hand(name, values, clock)
        if was_open and not self.leads[name].is_open:
            self.stop_clocks(name, self.rows[-1].occurred_at)

    # -- births

    def bear(self, r: Report, by: Writer, clock: Clock) -> Row:
        if r.type == ENQUIRY and self.exclusion(r) is not None:
            r = replace(r, payload={**r.payload, "workflow": "qualification"})
        return super().bear(r, by, clock)

    def check_birth(self, lead: Lead, r: Report) -> None:
        if r.type == ENQUIRY and (rule := self.unknown_word(r)) is not None:
            raise RaisedError("PT409", rule)
        super().check_birth(lead, r)

    def born(self, name: str, lead: Lead, r: Report, by: Writer, at: datetime) -> Row:
        """A new lead is somebody's, may look like another, and is perhaps itself an enquiry."""
        lead.person = self.identify(lead.email_key, lead.phone_key)
        if self.exclusion(r) is None:
            lead.assigned_user_id = lead.assigned_user_id or self.route(lead)[1]
        if lead.is_open:
            candidate = self.candidate(lead)
            lead.is_possible_duplicate = candidate is not None
            if candidate is not None and self.sees(by, self.leads[candidate]):
                lead.possible_duplicate_of = candidate
        row = super().born(name, lead, r, by, at)
        if r.type == ENQUIRY:
            self.touch(r, by, at, lead, ("applied", None, set()))
            self.request(replace(r, lead=name), by, 1, at, lead.rejection_reason)
        return row

    def candidate(self, lead: Lead) -> str | None:
        """The oldest open lead with the same phone, or the same mailbox behind its address."""
        stem = email_stem(lead.email)
        alike = [
            (self.age(name), name)
            for name, other in self.leads.items()
            if other.is_open
            and (
                (lead.phone_key is not None and lead.phone_key == other.phone_key)
                or (stem is not None and stem == email_stem(other.email))
            )
        ]
        return min(alike)[1] if alike else None

    # -- people

    def person_of(self, number: int) -> int:
        """The person that goes on."""
        into = self.people[number].merged_into
        return number if into is None else self.person_of(into)

    def identify(self, email: str | None, phone: str | None) -> int:
        """The person of an address, else somebody new; a number only names its first bearer."""
        if email is not None and ("email", email) in self.keys_of_people:
            person = self.person_of(self.keys_of_people["email", email])
        else:
            person = len(self.people) + 1
            self.people[person] = Person(self.account(email))
        for kind, key in (("email", email), ("phone", phone)):
            if key is not None:
                self.keys_of_people.setdefault((kind, key), person)
        return person

    def know(self, lead: Lead) -> None:
        """A lead's new address and number are its person's, unless somebody has them."""
        for kind, key in (("email", lead.email_key), ("phone", lead.phone_key)):
            if key is not None:
                self.keys_of_people.setdefault((kind, key), lead.person)

    # -- merging: the lead is set aside, the one that goes on takes what it lacks

    def merge(self, r: Report, lead: Lead, at: datetime) -> Decision:
        into = self.ids[r.payload["into"]]
        survivor = self.leads[into]
        if into == r.lead:
            return "refused", "merged_into_itself", set()
        if (lead.workflow, lead.status) == ("appointment", "open") and self.leads_to(into, r.lead):
            return "refused", "duplicate_cycle", set()
        if lead.merged_into is not None or survivor.merged_into is not None:
            return "refused", "already_merged", set()
        if lead.is_open and not survivor.is_open:
            return "refused", "survivor_must_be_open", set()
        before = copy.copy(lead)
        values: dict[str, Any] = {"merged_into": r.payload["into"]}
        if lead.workflow == "sales":
            values |= {"status": "archived"}
        elif lead.workflow == "appointment" and lead.is_open:
            values |= {
                "stage": "duplicate",
                "status": "resolved",
                "duplicate_of": r.payload["into"],
                "resolved_at": at,
            }
        elif lead.workflow == "qualification" and lead.stage not in {"qualified", "disqualified"}:
            values |= {
                "stage": "disqualified",
                "status": "closed",
                "rejection_reason": "duplicate",
                **NOT_RECYCLED,
            }
        decision = self.set(lead, values, at)
        assert r.lead is not None
        # each merge has its consequence, in order
        self.handed_over.setdefault(r.lead, []).append(lead.unanswered)
        self.survivors.setdefault(r.lead, []).append(into)
        lead.unanswered = frozenset()
        self.set_aside[r.lead] = {key: (getattr(before, key), getattr(lead, key)) for key in decision[2]}
        return decision

    def unmerge(self, r: Report, lead: Lead, at: datetime) -> Decision:
        """Everything that the merge changed and that still stands is as before."""
        assert r.lead is not None
        if lead.merged_into is None:
            return "noted", "not_merged", set()
        into = self.ids[lead.merged_into]
        values = self.undone(lead, self.set_aside[r.lead])
        becomes_open = values.get("status") in {"active", "open"} and not lead.is_open
        if becomes_open and lead.workflow != "appointment" and self.has_open_lead(lead.email_key, but=lead):
            return "refused", "active_lead_exists", set()
        decision = self.set(lead, values, at)
        self.survivors.setdefault(r.lead, []).append(into)
        own = {q.received_at for q in self.running(into) if q.asked[0] == r.lead}
        own |= {q.received_at for q in self.running(r.lead)}  # of a merge in the same statement
        lead.unanswered |= own if lead.is_open else set()  # what went along and is unanswered comes back
        return decision

    @staticmethod
    def undone(lead: Lead, changes: Changes) -> dict[str, Any]:
        """The values before some changes, where those after still stand."""
        return {key: before for key, (before, after) in changes.items() if getattr(lead, key) == after}

    @staticmethod
    def set(lead: Lead, values: dict[str, Any], at: datetime) -> Decision:
        """Set columns; a stage is entered."""
        decision = applied(lead, values)
        if "stage" in decision[2]:
            lead.stage_entered_at = lead.late_before = max(lead.stage_entered_at, at)
        return decision

    def leads_to(self, name: str, other: str | None) -> bool:
        """Whether following originals from one lead arrives at another."""
        original = self.leads[name].duplicate_of
        return name == other or (original is not None and self.leads_to(self.ids[original], other))

    def follow(self, cause: Row) -> None:
        if cause.verdict == "applied" and cause.type == "leads_merged":
            self.take_over(cause)
        elif cause.verdict == "applied" and cause.type == "leads_unmerged":
            self.give_back(cause)
        super().follow(cause)

    def take_over(self, cause: Row) -> None:
        """What follows from a merge for the one that goes on."""
        lead = self.leads[cause.lead]
        into = self.survivors[cause.lead].pop(0)
        survivor = self.leads[into]
        before = copy.copy(survivor)
        keys = (*CONTACT, "assigned_user_id")
        values = {
            k: getattr(lead, k) for k in keys if getattr(survivor, k) is None and getattr(lead, k) is not None
        }
        if self.has_open_lead(email_key(values.get("email")), but=survivor):
            del values["email"]
        is_earned = lead.won_at is not None or lead.stage == "sale"  # counts once, and there
        if survivor.deal_value is None and lead.deal_value is not None and not is_earned:
            values |= {"deal_value": lead.deal_value, "currency": lead.currency}
        values |= {"tags": survivor.tags | lead.tags}
        decision = self.on_survivor(cause, into, values)
        self.taken_over[into, cause.lead] = {
            k: (getattr(before, k), getattr(survivor, k)) for k in decision[2]
        }
        asked = {request.received_at for request in self.running(cause.lead)}
        waits = min(asked | self.handed_over[cause.lead].pop(0), default=None)
        survivor.unanswered |= set() if waits is None else {waits}
        for request in list(self.running(cause.lead)):
            request.lead = into
        both = [*self.keys(lead, "any"), *self.keys(survivor, "any")]
        if {entry[:2] for entry in both} & {entry[:2] for entry in self.suppressed if entry[2] == "any"}:
            self.suppressed |= set(both)
        person, other = self.person_of(lead.person), self.person_of(survivor.person)
        if person != other:
            self.people[person].merged_into = other

    def give_back(self, cause: Row) -> None:
        """What follows from undoing it."""
        lead = self.leads[cause.lead]
        into = self.survivors[cause.lead].pop(0)
        survivor = self.leads[into]
        self.on_survivor(cause, into, self.undone(survivor, self.taken_over[into, cause.lead]))
        for request in self.running(into):
            if request.asked[0] == cause.lead:
                request.lead = cause.lead
        still = [
            other
            for other in self.leads.values()
            if other.person == lead.person and other.merged_into is not None
        ]
        if not any(self.leads[self.ids[str(other.merged_into)]].person == survivor.person for other in still):
            self.people[lead.person].merged_into = None

    def on_survivor(self, cause: Row, into: str, values: dict[str, Any]) -> Decision:
        """The row in the history of the one that goes on."""
        survivor = self.leads[into]
        before = copy.copy(survivor)
        report = Report(into, cause.type)
        writer = Writer(cause.actor_kind, UUID(int=0), "workflow:merge", "system")
        late = survivor.late_before is not None and cause.occurred_at < survivor.late_before - timedelta(
            minutes=1
        )
        decision: Decision = ("noted", "superseded", set()) if late else applied(survivor, values)
        if decision[1] == "no_change":
            decision = ("noted", None, set())
        if decision[2] & {"email", "phone"}:
            self.know(survivor)
        self.record(report, writer, decision, cause.occurred_at, before, cause)
        return decision
