"""What a month was, told in plain Python from the rows of the journals, without a view and without a state column.

Beside the journals it reads what they do not hold: whose a lead is, which account a person belongs to, which request an enquiry
opened, what a member is called. `Told` goes through all rows in the order of decisions, once; the numbers follow from it.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import set_json_loads

Row = dict[str, Any]

JOURNALS = {
    "lead": "lead_id", "relationship": "person_id", "opportunity": "opportunity_id", "customer": "subscription_id", "workspace": "about_id",
}  # fmt: skip
ROWS = """
    select '{0}' as journal, a.{1} as subject_id, a.activity_id, a.activity_type, a.payload, a.occurred_at, a.actor_kind, a.writer, a.verdict,
        a.rule, a.from_stage, a.to_stage, a.from_status, a.to_status, coalesce(a.changes, '{{}}') as changes, a.seq
    from leadline.{0}_activity a where a.workspace_id = %s
"""
HAND_RAISES = {"demo", "pricing_question", "quote", "trial_signup", "sales_callback"}
SCORE_PATH = {"score", "requalification"}
CLASSES = HAND_RAISES | SCORE_PATH | {"contact"}
OPEN = {"appointment": "open", "sales": "active", "qualification": "open"}
LEAD, MQL, SAL, SQL, OPPORTUNITY, CUSTOMER = range(1, 7)
MILESTONES = ["excluded", "lead", "mql", "sal", "sql", "opportunity", "customer"]
STAGES = {
    ("qualification", "accepted"): SAL, ("qualification", "qualified"): SQL, ("sales", "qualified"): SQL, ("sales", "proposal"): OPPORTUNITY,
    ("sales", "won"): OPPORTUNITY, ("appointment", "sale"): OPPORTUNITY,
}  # fmt: skip
POINTS = ["closed", "prospect", "qualified", "opportunity", "client", "onboarding", "active"]
CLIENTS = {"client", "onboarding", "active"}
# Whose act is a contact: anybody's, anybody's but the system's, a person's.
CONTACTS = {
    "contact_attempted": {"user", "integration", "ai", "system"},
    **{kind: {"user", "integration", "ai"} for kind in ("call_completed", "meeting_held", "lead_contacted")},
    **{kind: {"user"} for kind in ("email_sent", "message_sent")},
}
NINETY_DAYS = timedelta(hours=90 * 24)


class Links(NamedTuple):
    """What the journals do not hold."""

    person: dict[UUID, UUID]  # of a lead
    account: dict[UUID, UUID | None]  # of a person; in the order in which they were met
    request: dict[int, UUID]  # of an enquiry
    name: dict[UUID, str | None]  # of a member


@dataclass
class Lead:
    lead_id: UUID
    person: UUID
    workflow: str = ""
    stage: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    reached: list[tuple[int, datetime, int, bool]] = field(
        default_factory=list
    )  # position, when, activity, won
    is_excluded: bool = False


@dataclass
class Request:
    request_id: UUID
    activity_id: int
    asked_of: UUID
    lead: UUID
    person: UUID
    request_class: str
    source: str
    received_at: datetime
    exclusion: str | None
    route: str
    owner: UUID | None
    first_response_at: datetime | None = None
    not_applicable_at: datetime | None = None
    decision: str | None = None
    decision_reason: str | None = None
    disposition_at: datetime | None = None
    qualified_at: datetime | None = None
    was_accepted: bool = False

    @property
    def is_running(self) -> bool:
        return self.first_response_at is None and self.not_applicable_at is None

    @property
    def is_mql(self) -> bool:
        return self.exclusion is None and self.request_class in HAND_RAISES | SCORE_PATH


@dataclass
class Deal:
    person: UUID
    opened_at: datetime
    account: UUID | None
    stage: str = ""
    status: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    has_had: set[str] = field(default_factory=set)
    since: datetime | None = None  # a deal: with amount and close date
    first_won_at: datetime | None = None


@dataclass
class Subscription:
    person: UUID
    account: UUID | None
    status: str = ""
    cycles: dict[str, str] = field(default_factory=dict)


class Entry(NamedTuple):
    """An entry into a stage."""

    at: datetime
    seq: int


class Finding(NamedTuple):
    finding: str
    subject_kind: str
    subject_id: str
    severity: str
    first_at: datetime
    last_at: datetime
    occurrences: int
    detail: str


def uuid(value: Any) -> UUID | None:
    return None if value is None else UUID(str(value))


class Told:
    """The state of a workspace after every row of its journals."""

    def __init__(self, rows: list[Row], links: Links) -> None:
        self.links = links
        self.zone = "UTC"
        self.leads: dict[UUID, Lead] = {}
        self.requests: list[Request] = []
        self.people: dict[UUID, UUID] = {}  # merged into
        self.points: defaultdict[UUID, str] = defaultdict(lambda: "prospect")
        self.became_client: defaultdict[UUID, list[datetime]] = defaultdict(list)
        self.deals: dict[UUID, Deal] = {}
        self.subscriptions: dict[UUID, Subscription] = {}
        self.accounts: dict[UUID, Row] = {}
        self.entries: defaultdict[tuple[str, UUID, str], list[Entry]] = defaultdict(list)
        self.reversals: defaultdict[tuple[str, UUID], list[tuple[datetime, str]]] = defaultdict(list)
        self.chosen: defaultdict[tuple[str, str], list[tuple[datetime, bool]]] = defaultdict(list)
        self.hands: defaultdict[tuple[str, UUID], list[Row]] = defaultdict(list)
        for row in sorted(rows, key=lambda row: int(row["activity_id"])):
            if row["journal"] == "workspace" and row["activity_type"] == "settings_changed":
                self.zone = row["changes"].get("time_zone", [None, self.zone])[1]
        for row in sorted(rows, key=lambda row: int(row["activity_id"])):
            getattr(self, f"on_{row['journal']}")(row)

    # -- what every journal tells

    def month(self, at: datetime) -> date:
        return at.astimezone(ZoneInfo(self.zone)).date().replace(day=1)

    def day(self, at: datetime | None) -> date | None:
        return None if at is None else at.astimezone(ZoneInfo(self.zone)).date()

    def review(self, kind: str, row: Row, subject: UUID, at: datetime, is_birth: bool) -> None:
        """Keep what findings are made of."""
        moved = row["from_stage"] != row["to_stage"]
        if moved or is_birth:
            self.entries[kind, subject, row["to_stage"]].append(Entry(at, row["seq"]))
        if row["activity_type"] == "direct_change":
            self.hands[kind, subject].append(row)
        if moved and row["activity_type"] == "stage_corrected" and row["actor_kind"] == "user":
            move = f"from {row['from_stage']} to {row['to_stage']} ({row['payload']['reason']})"
            self.reversals[kind, subject].append((row["occurred_at"], move))

    def choose(self, reason_list: str, row: Row, key: str) -> None:
        at = row["occurred_at"]
        month = f"{self.month(at):%Y-%m}"
        self.chosen[reason_list, month].append((at, row["payload"][key].lower() == "other"))

    # -- leads and requests

    def on_lead(self, row: Row) -> None:
        lead = self.leads.setdefault(
            row["subject_id"], Lead(row["subject_id"], self.links.person[row["subject_id"]])
        )
        lead.values |= {k: v[1] for k, v in row["changes"].items() if isinstance(v, list)}
        lead.workflow = lead.values["workflow"]
        at = row["occurred_at"]
        entered_at = (
            datetime.fromisoformat(row["payload"]["entered_at"])
            if row["activity_type"] == "lead_imported" and row["seq"] == 1
            else at
        )
        lead.stage = row["to_stage"]
        if row["activity_type"] == "inbound_enquiry" and row["verdict"] != "refused":
            self.ask(lead, row)
        self.review("lead", row, lead.lead_id, entered_at, row["seq"] == 1)
        self.advance(lead, row, entered_at)
        self.choose_of_lead(row)
        self.decide(lead, row)
        self.run_clocks(lead, row)
        self.merge(lead, row)

    def advance(self, lead: Lead, row: Row, entered_at: datetime) -> None:
        """The milestone that a row brings a lead to."""
        if row["verdict"] != "applied":
            return
        stage, moved = row["to_stage"], row["from_stage"] != row["to_stage"]
        position = STAGES.get((lead.workflow, stage), 0)
        if row["activity_type"] == "request_accepted":
            lead.reached.append((SAL, row["occurred_at"], row["activity_id"], False))
        elif (moved or row["seq"] == 1) and position:
            lead.reached.append((position, entered_at, row["activity_id"], stage in ("won", "sale")))
        elif (row["seq"] == 1 and not lead.is_excluded) or (
            moved and row["to_status"] == OPEN[lead.workflow]
        ):
            lead.reached.append((LEAD, row["occurred_at"], row["activity_id"], False))

    def choose_of_lead(self, row: Row) -> None:
        if row["verdict"] != "applied":
            return
        kind, moved = row["activity_type"], row["from_stage"] != row["to_stage"]
        if kind == "request_rejected":
            self.choose("rejection", row, "reason")
        elif kind == "lead_recycled" and moved:
            self.choose("recycle", row, "reason")
        elif kind in ("deal_lost", "stage_corrected") and moved and row["to_stage"] == "lost":
            self.choose("lost", row, "lost_reason")

    def ask(self, lead: Lead, row: Row) -> None:
        """An enquiry is a request of the lead that goes on."""
        payload, changes = row["payload"], row["changes"]
        exclusion = payload.get("exclusion") or (
            changes["rejection_reason"][1] if row["seq"] == 1 and "rejection_reason" in changes else None
        )
        if row["rule"] == "excluded":
            exclusion = exclusion or "competitor"
        lead.is_excluded |= row["seq"] == 1 and exclusion is not None
        at = row["occurred_at"]
        met = self.leads[self.goes_on(lead.lead_id)]
        assigned = uuid(met.values.get("assigned_user_id"))
        route, owner = self.way(met.person)
        asked = payload.get("request_class")
        request = Request(
            self.links.request[row["activity_id"]], row["activity_id"], lead.lead_id, met.lead_id, met.person, asked if asked in CLASSES else "contact",
            (payload.get("source") or "").strip() or row["writer"].split(":")[0], at, exclusion, route, owner or assigned,
        )  # fmt: skip
        if exclusion:
            request.route, request.owner, request.not_applicable_at = "excluded", assigned, at
        self.requests.append(request)

    def way(self, person: UUID) -> tuple[str, UUID | None]:
        """Which way an enquiry of somebody goes, and whose it is there."""
        account = self.accounts.get(self.account_of(person, also=person) or UUID(int=0), {})
        person = self.root(person)
        owner = uuid(account.get("owner_user_id"))
        if account.get("kind") == "customer" or self.points[person] in CLIENTS or any(
            s.status == "live" and self.root(s.person) == person for s in self.subscriptions.values()
        ):  # fmt: skip
            return "customer", owner
        deals = [
            deal for deal in self.deals.values() if deal.status == "open" and self.root(deal.person) == person
        ]
        if deals:
            return "opportunity", uuid(
                max(deals, key=lambda deal: deal.opened_at).values.get("assigned_user_id")
            )
        return ("partner", owner) if account.get("kind") == "partner" else ("new_business", None)

    def decide(self, lead: Lead, row: Row) -> None:
        if row["verdict"] != "applied":
            return
        at, kind = row["occurred_at"], row["activity_type"]
        if kind in ("request_accepted", "request_rejected"):
            for request in self.requests:
                if str(request.request_id) == row["payload"].get("request_id"):
                    request.decision = kind.removeprefix("request_")
                    request.decision_reason = (
                        row["payload"].get("reason") if kind == "request_rejected" else None
                    )
                    request.disposition_at = request.disposition_at or max(at, request.received_at)
                    request.was_accepted |= kind == "request_accepted"
        elif kind == "lead_qualified":
            for request in self.requests:
                if (
                    request.lead == lead.lead_id
                    and request.decision == "accepted"
                    and request.qualified_at is None
                ):
                    request.qualified_at = max(at, request.received_at)

    def run_clocks(self, lead: Lead, row: Row) -> None:
        """A contact answers what had come by then; closing ends the rest."""
        at, running = (
            row["occurred_at"],
            [r for r in self.requests if r.lead == lead.lead_id and r.is_running],
        )
        if row["verdict"] != "refused" and row["actor_kind"] in CONTACTS.get(row["activity_type"], set()):
            for request in running:
                if request.received_at <= at:
                    request.first_response_at = at
        closes = row["from_status"] != row["to_status"] and row["to_status"] != OPEN[lead.workflow]
        if closes and row["seq"] > 1 and row["activity_type"] != "leads_merged":
            for request in running:
                if request.is_running:
                    request.not_applicable_at = max(at, request.received_at)

    def merge(self, lead: Lead, row: Row) -> None:
        """What runs on a merged lead goes along, and comes back when it is undone."""
        was, becomes = row["changes"].get("merged_into", [None, None])
        if row["writer"].startswith("workflow:") or was is becomes:
            return
        for request in self.requests:
            if becomes and request.is_running and request.lead == lead.lead_id:
                request.lead = UUID(becomes)
            elif (
                was and request.is_running and request.lead == UUID(was) and request.asked_of == lead.lead_id
            ):
                request.lead = lead.lead_id

    def goes_on(self, lead: UUID) -> UUID:
        while into := self.leads[lead].values.get("merged_into"):
            lead = UUID(into)
        return lead

    # -- people, deals, customers, the workspace

    def root(self, person: UUID) -> UUID:
        while person in self.people:
            person = self.people[person]
        return person

    def account_of(self, person: UUID, also: UUID | None = None) -> UUID | None:
        """The account of the one who goes on for somebody; else of `also`, else of the first of those who were merged that has one."""
        root = self.root(person)
        circle = [p for p in self.links.account if self.root(p) == root]
        circle.sort(key=lambda p: (p != root, p != also))
        return next((a for p in circle if (a := self.links.account[p]) in self.accounts), None)

    def on_relationship(self, row: Row) -> None:
        person, at = row["subject_id"], row["occurred_at"]
        self.points[person] = row["to_stage"]
        if row["from_stage"] != row["to_stage"] and row["to_stage"] in CLIENTS:
            self.became_client[person].append(at)
        self.review("person", row, person, at, is_birth=False)
        goes_back = POINTS.index(row["to_stage"]) < POINTS.index(row["from_stage"])
        if goes_back and row["activity_type"] == "relationship_advanced" and row["actor_kind"] == "user":
            self.reversals["person", person].append((at, f"from {row['from_stage']} to {row['to_stage']}"))

    def on_opportunity(self, row: Row) -> None:
        at, told = row["occurred_at"], {k: v[1] for k, v in row["changes"].items() if isinstance(v, list)}
        if row["seq"] == 1:
            self.deals[row["subject_id"]] = Deal(UUID(told["person_id"]), at, uuid(told.get("account_id")))
        deal = self.deals[row["subject_id"]]
        deal.values |= told
        deal.stage, deal.status = row["to_stage"], row["to_status"]
        deal.has_had |= {k for k in ("amount", "close_date") if told.get(k) is not None}
        if deal.since is None and len(deal.has_had) == 2:
            deal.since = at
        moved = row["from_stage"] != row["to_stage"]
        if moved and row["to_stage"] == "closedwon" and deal.first_won_at is None:
            deal.first_won_at = at
        self.review("opportunity", row, row["subject_id"], at, row["seq"] == 1)
        if (
            moved
            and row["to_stage"] == "closedlost"
            and row["activity_type"] in ("opportunity_lost", "stage_corrected")
        ):
            self.choose("lost", row, "lost_reason")

    def on_customer(self, row: Row) -> None:
        changes = row["changes"]
        if row["seq"] == 1:
            self.subscriptions[row["subject_id"]] = Subscription(
                UUID(changes["person_id"][1]), uuid(changes.get("account_id", [None, None])[1])
            )
        subscription = self.subscriptions[row["subject_id"]]
        subscription.status = row["to_status"]
        if "renewal_cycle" in changes:
            cycle = changes["renewal_cycle"][1]
            subscription.cycles[cycle["period_start"]] = cycle["stage"]
        if row["activity_type"] == "direct_change":
            self.hands["subscription", row["subject_id"]].append(row)

    def on_workspace(self, row: Row) -> None:
        kind, about, payload = row["activity_type"], row["subject_id"], row["payload"]
        if kind == "people_merged":
            self.people[about] = UUID(payload["into"])
        elif kind == "people_unmerged":
            del self.people[about]
        elif kind == "account_changed":
            self.accounts[about] = payload
        elif kind == "direct_change":
            self.hands["workspace", about].append(row)

    # -- the ledger

    def ledger(self) -> dict[UUID, Row]:
        return {
            r.request_id: {
                "lead_id": r.lead, "person_id": r.person, "activity_id": r.activity_id, "request_class": r.request_class, "source": r.source,
                "received_at": r.received_at, "route": r.route, "exclusion": r.exclusion, "owner_user_id": r.owner, "first_response_at": r.first_response_at,
                "not_applicable_at": r.not_applicable_at, "first_response_s": seconds(r.received_at, r.first_response_at),
                "clock": "responded" if r.first_response_at else "not_applicable" if r.not_applicable_at else "running", "record_id": r.person,
                "decision": r.decision, "decision_reason": r.decision_reason, "disposition_at": r.disposition_at,
                "disposition_s": seconds(r.received_at, r.disposition_at), "qualified_at": r.qualified_at, "is_hand_raise": r.request_class in HAND_RAISES,
                "is_mql": r.is_mql, "owner": self.links.name.get(r.owner) if r.owner else None,
            }
            for r in self.requests
        }  # fmt: skip

    # -- milestones

    def milestones_of_people(self) -> dict[UUID, list[tuple[int, datetime]]]:
        """All that the people who go on have reached: position and when."""
        reached: defaultdict[UUID, list[tuple[int, datetime]]] = defaultdict(list)
        for lead in self.leads.values():
            reached[self.root(lead.person)] += [(position, at) for position, at, _, _ in lead.reached]
        for request in self.requests:
            position = 0 if request.exclusion else MQL if request.is_mql else LEAD
            reached[self.root(request.person)].append((position, request.received_at))
        for deal in self.deals.values():
            if deal.since and deal.status != "withdrawn":
                reached[self.root(deal.person)].append((OPPORTUNITY, deal.since))
        for person, times in self.became_client.items():
            reached[self.root(person)] += [(CUSTOMER, at) for at in times]
        return reached

    def furthest_of(self, request: Request, clients: set[UUID]) -> int:
        """How far a request came."""
        if request.exclusion:
            return 0
        circle = [
            lead for lead in self.leads.values() if self.goes_on(lead.lead_id) == self.goes_on(request.lead)
        ]
        own = [
            told
            for lead in circle
            if lead.workflow != "qualification"
            for told in lead.reached
            if told[2] > request.activity_id
        ]
        deals = [
            self.deals[UUID(lead.values["opportunity_id"])]
            for lead in circle
            if lead.values.get("opportunity_id")
        ]
        deals = (
            [deal for deal in deals if deal.since and deal.status != "withdrawn"]
            if request.qualified_at
            else []
        )
        is_won = any(deal.first_won_at for deal in deals) or any(won for _, _, _, won in own)
        steps = {
            CUSTOMER: is_won and self.root(request.person) in clients,
            OPPORTUNITY: bool(deals) or any(position >= OPPORTUNITY for position, *_ in own),
            SQL: request.qualified_at is not None or any(position >= SQL for position, *_ in own),
            SAL: request.was_accepted,
            MQL: request.is_mql,
        }
        return next((position for position, is_reached in steps.items() if is_reached), LEAD)

    def units(self) -> Iterator[tuple[str, datetime, int]]:
        """Every unit: which, since when, how far."""
        people, accounts = self.milestones_of_people(), self.accounts_of_people()
        contacts: defaultdict[UUID, list[tuple[int, datetime]]] = defaultdict(list)
        for person, reached in people.items():
            yield "person", first(reached), max(position for position, _ in reached)
            if account := accounts[person]:
                contacts[account] += reached
        for reached in contacts.values():
            yield "account", first(reached), max(position for position, _ in reached)
        clients = {self.root(person) for person in self.became_client}
        for request in self.requests:
            yield "request", request.received_at, self.furthest_of(request, clients)

    def funnel(self) -> dict[tuple[str, date, str], tuple[int, int, Decimal | None]]:
        """By unit, cohort and milestone: position, how many reached it, the rate from the step before."""
        cohorts: defaultdict[tuple[str, date], Counter[int]] = defaultdict(Counter)
        for unit, since, furthest in self.units():
            cohorts[unit, self.month(since)].update(range(1, furthest + 1) if furthest else [0])
        return {
            (unit, month, milestone): (position, reached[position], rate(position, reached))
            for (unit, month), reached in cohorts.items()
            for position, milestone in enumerate(MILESTONES)
        }

    # -- accounts

    def rollup(self) -> dict[UUID, Row]:
        people, accounts = self.milestones_of_people(), self.accounts_of_people()
        return {
            account: self.row_of(account, told, people, accounts) for account, told in self.accounts.items()
        }

    def accounts_of_people(self) -> dict[UUID, UUID | None]:
        return {person: self.account_of(person) for person in self.links.account}

    def row_of(
        self,
        account: UUID,
        told: Row,
        people: dict[UUID, list[tuple[int, datetime]]],
        accounts: dict[UUID, UUID | None],
    ) -> Row:
        contacts = [
            person
            for person in self.links.account
            if person not in self.people and accounts[person] == account
        ]
        reached = [told for person in contacts for told in people[person]]
        leads = [lead for lead in self.leads.values() if accounts[lead.person] == account]
        requests = [request for request in self.requests if accounts[request.person] == account]
        deals = [deal for deal in self.deals.values() if (deal.account or accounts[deal.person]) == account]
        subscriptions = [
            s for s in self.subscriptions.values() if (s.account or accounts[s.person]) == account
        ]
        statuses = Counter(deal.status for deal in deals)
        return {
            "name": told["name"], "domain": told["domain"], "kind": told["kind"], "owner_user_id": uuid(told["owner_user_id"]),
            "people": len(contacts), "leads": sum(not lead.values.get("merged_into") for lead in leads),
            "requests": sum(r.exclusion is None for r in requests), "excluded_requests": sum(r.exclusion is not None for r in requests),
            **{f"{m}_on": self.day(min((at for p, at in reached if p >= position), default=None)) for position, m in enumerate(MILESTONES) if position > LEAD},
            "open_opportunities": statuses["open"], "won_opportunities": statuses["won"], "lost_opportunities": statuses["lost"],
            "won_amount": money((deal.values.get("currency"), deal.values["amount"]) for deal in deals if deal.status == "won"),
            "won_lead_value": money(
                (lead.values.get("currency"), lead.values["deal_value"]) for lead in leads if lead.stage in ("won", "sale") and lead.values.get("deal_value") is not None
            ),
            "live_subscriptions": sum(s.status == "live" for s in subscriptions),
            "open_renewal_cycles": sum(stage == "open" for s in subscriptions for stage in s.cycles.values()),
        }  # fmt: skip

    # -- findings

    def findings(self) -> set[Finding]:
        return {
            *self.found_reversals(),
            *self.found_loops(),
            *self.found_others(),
            *self.found_duplicates(),
            *self.found_hands(),
        }

    def found_reversals(self) -> Iterator[Finding]:
        for (kind, subject), told in self.reversals.items():
            times = [at for at, _ in told]
            detail = f"Moved back by a person, last {told[-1][1]}"
            yield Finding(
                "T03_manual_reversal", kind, str(subject), "warn", min(times), max(times), len(told), detail
            )

    def found_loops(self) -> Iterator[Finding]:
        for (kind, subject, stage), entries in self.entries.items():
            times = [entry.at for entry in sorted(entries)]
            looped = sorted(
                {
                    k
                    for i in range(len(times) - 2)
                    if times[i + 2] - times[i] <= NINETY_DAYS
                    for k in (i, i + 1, i + 2)
                }
            )
            if looped:
                detail = f"Entered {stage} more than twice within 90 days"
                yield Finding(
                    "T10_loop",
                    kind,
                    str(subject),
                    "warn",
                    times[looped[0]],
                    times[looped[-1]],
                    len(looped),
                    detail,
                )

    def found_others(self) -> Iterator[Finding]:
        for (reason_list, month), chosen in self.chosen.items():
            others = [at for at, is_other in chosen if is_other]
            if 10 * len(others) > len(chosen):
                detail = f'"other" is {len(others)} of {len(chosen)} in the list {reason_list} in {month}: rewrite the list'
                yield Finding(
                    "other_over_a_tenth",
                    "reason_list",
                    f"{reason_list} {month}",
                    "warn",
                    min(others),
                    max(others),
                    len(others),
                    detail,
                )

    def found_duplicates(self) -> Iterator[Finding]:
        for lead in self.leads.values():
            if (
                lead.workflow == "appointment"
                and lead.stage == "duplicate"
                and not lead.values.get("duplicate_of")
            ):
                at = datetime.fromisoformat(lead.values["resolved_at"])
                yield Finding(
                    "duplicate_without_duplicate_of",
                    "lead",
                    str(lead.lead_id),
                    "info",
                    at,
                    at,
                    1,
                    "A duplicate, and nobody said of which lead",
                )

    def found_hands(self) -> Iterator[Finding]:
        for (kind, subject), rows in self.hands.items():
            times = [row["occurred_at"] for row in rows]
            logins = ", ".join(sorted({row["payload"]["login"] for row in rows}))
            fields = ", ".join(sorted({name for row in rows for name in row["changes"]}))
            yield Finding(
                "direct_change",
                kind,
                str(subject),
                "high",
                min(times),
                max(times),
                len(rows),
                f"Changed past the journal by {logins}: {fields}",
            )


def first(reached: list[tuple[int, datetime]]) -> datetime:
    """When somebody first came; of those who were only ever excluded, when that was."""
    return min([at for position, at in reached if position] or [at for _, at in reached])


def rate(position: int, reached: Counter[int]) -> Decimal | None:
    if position <= LEAD or not reached[position - 1]:
        return None
    return (Decimal(reached[position]) / reached[position - 1]).quantize(Decimal("0.0001"), ROUND_HALF_UP)


def seconds(since: datetime, until: datetime | None) -> Decimal | None:
    if until is None:
        return None
    passed = until - since
    return Decimal(passed // timedelta(microseconds=1)) / 1_000_000


def money(amounts: Iterator[tuple[str | None, Any]]) -> dict[str, Decimal]:
    """Sums by currency; XXX is no currency."""
    sums: defaultdict[str, Decimal] = defaultdict(Decimal)
    for currency, amount in amounts:
        sums[currency or "XXX"] += Decimal(amount)
    return dict(sums)


def exact(connection: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """The connection, reading the numbers in JSON as they stand."""
    set_json_loads(partial(json.loads, parse_float=Decimal), connection)
    return connection


def tell(connection: psycopg.Connection[Any], workspace: UUID) -> Told:
    """The month of a workspace from its journals, read by somebody above row security."""

    def pairs(statement: str) -> dict[Any, Any]:
        return dict(connection.execute(statement, [workspace]).fetchall())

    with exact(connection).cursor(row_factory=dict_row) as cursor:
        rows = [
            row
            for journal, subject in JOURNALS.items()
            for row in cursor.execute(ROWS.format(journal, subject), [workspace]).fetchall()
        ]
    links = Links(
        pairs("select lead_id, person_id from leadline.leads where workspace_id = %s"),
        pairs(
            "select person_id, account_id from leadline.people where workspace_id = %s order by created_at, person_id"
        ),
        pairs("select activity_id, request_id from leadline.requests where workspace_id = %s"),
        pairs("select user_id, name from leadline.memberships where workspace_id = %s"),
    )
    return Told(rows, links)
