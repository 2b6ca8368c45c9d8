"""A random month in a workspace, reported through its own doors; month_told.py tells from the journals what the month was.

Stories (an enquiry and what becomes of it, a deal, a relationship, a subscription, …) go on side by side, one act at a time, along
one clock. Each act is what usually comes next, or anything at all: refusals are part of a month.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from string import ascii_lowercase
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

import psycopg
from psycopg.sql import SQL, Identifier
from psycopg.types.json import Jsonb

from tests.databases import Database
from tests.tenant import Tenant

Payload = dict[str, Any]
Act = tuple[str, Payload]

LEADS, PEOPLE, DEALS, CUSTOMERS = (
    "lead_activity",
    "relationship_activity",
    "opportunity_activity",
    "customer_activity",
)
SUBJECT = {LEADS: "lead_id", PEOPLE: "person_id", DEALS: "opportunity_id", CUSTOMERS: "subscription_id"}

# -- what usually comes next, by workflow and stage; None: the story ends

NOTHING: list[Act | None] = [None, None, ("note_added", {"text": "nothing new"}), ("dnc", {})]
LOST: list[Act] = [
    ("deal_lost", {"lost_reason": "Price"}),
    ("deal_lost", {"lost_reason": "No Response"}),
    ("deal_lost", {"lost_reason": "Other", "notes": "moved away"}),
]
BACK = {"reason": "entered_by_mistake"}
TALK: list[Act] = [
    ("call_completed", {"duration_s": 60}),
    ("email_sent", {"text": "Hello"}),
    ("call_received", {}),
]
REJECTED: list[Act] = [
    ("request_rejected", {"reason": "no_fit"}),
    ("request_rejected", {"reason": "no_budget"}),
    ("request_rejected", {"reason": "other", "notes": "a student"}),
    ("request_rejected", {"reason": "no_need", "request_id": "request"}),
]
CONFIRMED = {"problem": "Too slow", "timing": "This quarter", "buying_role": "Decides"}
RECYCLED: list[Act] = [
    ("lead_recycled", {"reason": "bad_timing", "recycle_on": "soon"}),
    ("lead_recycled", {"reason": "no_response", "recycle_on": "soon"}),
    ("lead_recycled", {"reason": "other", "notes": "on leave", "recycle_on": "later"}),
]
VALUE = {"deal_value": "money", "currency": "currency"}
NEXT: dict[tuple[str, str], list[Act | None]] = {
    ("appointment", "new"): [*TALK, ("appointment_scheduled", {}), ("callback_requested", {})],
    ("appointment", "attempted"): [("appointment_scheduled", {}), ("unresponsive", {}), ("bad_number", {}), ("duplicate", {})],
    ("appointment", "callback"): [("appointment_scheduled", {}), ("appointment_scheduled", {}), ("refused", {})],
    ("appointment", "scheduled"): [
        ("sale", {}), ("sale", VALUE | {"approve": True}), ("no_sale", {}), ("appointment_no_show", {}),
        ("appointment_no_show", {}), ("appointment_cancel", {}), ("duplicate", {"duplicate_of": "lead"}), ("duplicate", {}),
    ],
    ("appointment", "no_show"): [("appointment_scheduled", {}), ("appointment_scheduled", {}), ("duplicate", {})],
    ("sales", "new"): [*TALK, ("lead_contacted", {}), ("lead_qualified", {}), ("proposal_sent", VALUE)],
    ("sales", "contacted"): [("lead_qualified", {}), ("lead_qualified", {}), ("proposal_sent", VALUE), *LOST],
    ("sales", "qualified"): [("proposal_sent", VALUE), ("proposal_sent", VALUE), ("stage_corrected", BACK | {"to_stage": "contacted"}), *LOST],
    ("sales", "proposal"): [("deal_won", {}), ("deal_won", VALUE | {"approve": True}), ("deal_value_changed", VALUE), *LOST],
    ("sales", "won"): [
        ("stage_corrected", BACK | {"to_stage": "lost", "lost_reason": "Timing"}), ("lead_archived", {}), ("stage_corrected", BACK | {"to_stage": "proposal"}), *NOTHING,
    ],
    ("sales", "lost"): [
        ("lead_reopened", {"to_stage": "new"}), ("lead_reopened", {"to_stage": "contacted"}), ("stage_corrected", BACK | {"to_stage": "new"}), ("again", {}), ("again", {}), None,
    ],
    ("qualification", "new"): [*[("request_accepted", {})] * 9, *TALK, *REJECTED, *RECYCLED],
    ("qualification", "accepted"): [("contact_attempted", {}), *TALK, *[("lead_qualified", CONFIRMED)] * 9, *REJECTED, *RECYCLED],
    ("qualification", "attempting"): [*TALK, *[("request_accepted", {}), ("lead_qualified", CONFIRMED)] * 3, *REJECTED, *RECYCLED],
    ("qualification", "connected"): [*[("request_accepted", {}), ("lead_qualified", CONFIRMED)] * 4, *REJECTED, *RECYCLED],
    ("qualification", "qualified"): [
        ("lead_converted", {"amount": "money", "close_date": "soon"}), ("lead_converted", {"amount": "money", "currency": "currency", "close_date": "soon"}),
        ("lead_converted", {}), ("lead_converted", {"opportunity_id": "deal"}), *[("stage_corrected", BACK | {"to_stage": "accepted"})] * 3, ("again", {}), None,
    ],
    ("qualification", "recycled"): [("email_replied", {"text": "Now"}), ("again", {}), ("again", {}), ("call_received", {}), *REJECTED, *RECYCLED[2:]],
    ("qualification", "disqualified"): [("stage_corrected", BACK | {"to_stage": "new"}), ("stage_corrected", BACK | {"to_stage": "new"}), ("again", {}), *NOTHING],
}  # fmt: skip
EVIDENCE = {"to_stage": "proposal", "problem": "Slow", "decision_process": "Board", "next_step": "Call", "next_step_on": "soon", "contact": "person"}  # fmt: skip
WON = {"amount": "money", "currency": "currency", "close_date": "soon"}
DEAL_LOST: list[Act] = [("opportunity_lost", {"lost_reason": "Price"}), ("opportunity_lost", {"lost_reason": "Other", "notes": "merged"})]  # fmt: skip
NEXT |= {
    ("deal", "evaluation"): [
        ("opportunity_advanced", EVIDENCE), ("opportunity_advanced", EVIDENCE), ("opportunity_advanced", EVIDENCE | {"amount": "money", "close_date": "soon"}),
        ("amount_changed", {"amount": "money", "close_date": "soon"}), ("amount_changed", {"amount": "money"}), ("amount_changed", {"amount": None}), ("opportunity_advanced", {"to_stage": "proposal"}), *DEAL_LOST,
    ],
    ("deal", "proposal"): [
        ("opportunity_won", {}), ("opportunity_won", WON | {"approve": True}), ("opportunity_won", WON), ("opportunity_won", WON), ("opportunity_won", WON | {"currency": "USD"}),
        ("stage_corrected", BACK | {"to_stage": "evaluation"}), ("stage_corrected", BACK | {"to_stage": "evaluation"}), ("contact_role_set", {"person_id": "person", "role": "end user"}), *DEAL_LOST,
    ],
    ("deal", "closedwon"): [
        ("amount_changed", {"amount": "money", "currency": "currency"}), ("stage_corrected", BACK | {"to_stage": "evaluation"}),
        ("stage_corrected", BACK | {"to_stage": "closedlost", "lost_reason": "Competitor"}), None, None,
    ],
    ("deal", "closedlost"): [("stage_corrected", BACK | {"to_stage": "proposal"}), ("opportunity_lost", {"lost_reason": "Timing"}), None],
    ("deal", "withdrawn"): [("opportunity_won", {}), None],
}  # fmt: skip
POINTS = ["qualified", "qualified", "opportunity", "opportunity", "client", "onboarding", "active", "lost"]
CHURNED: Act = ("renewal_churned", {"reason": "too dear"})
BILLING: list[Act] = [
    ("payment_succeeded", {"amount": "money"}), ("payment_succeeded", {}), ("payment_failed", {}), ("payment_failed", {}),
    ("renewal_opened", {"period_start": "2026-01-01", "period_end": "2026-02-01"}), ("renewal_opened", {"period_start": "2026-02-01", "period_end": "2026-03-01"}),
    ("renewal_renewed", {}), CHURNED, ("subscription_cancelled", {"reason": "closing down"}),
]  # fmt: skip
# Whoever corrects, merges or archives is mostly an admin; what a machine reports, an app.
WHO = {
    "stage_corrected": ["admin", "admin", "owner", "member"], "lead_archived": ["admin", "owner"], "lead_reopened": ["admin", "member"],
    "deal_won": ["admin", "member", "app"], "sale": ["admin", "app"], "opportunity_won": ["admin", "member", "app"], "opportunity_advanced": ["member", "admin", "app"],
}  # fmt: skip
USUAL = ["member", "member", "admin", "owner", "app", "app", "app", "ai"]
CLASSES = [
    "demo", "demo", "pricing_question", "quote", "trial_signup", "sales_callback", "contact", "contact", "score", "requalification", None, "hello",
]  # fmt: skip
COMPANIES = {
    "acme.example": "prospect", "bolt.example": "prospect", "client.example": "customer", "partner.example": "partner", "rival.example": "competitor",
}  # fmt: skip
LATER = "later.example"  # a company that becomes known in the middle of the month
DOMAINS = [*COMPANIES, *["acme.example", "bolt.example"] * 3, LATER, LATER, "mail.example", "mail.example"]
BY_HAND = [
    "update leadline.leads set deal_value = coalesce(deal_value, 0) + 7, currency = 'CHF' where workspace_id = %s and lead_id = %s",
    "update leadline.people set stage = 'client', status = 'open' where workspace_id = %s and person_id = %s",
    "update leadline.opportunities set amount = coalesce(amount, 0) + 5, currency = 'CHF' where workspace_id = %s and opportunity_id = %s",
    "update leadline.subscriptions set plan = 'gold' where workspace_id = %s and subscription_id = %s",
]
ASKED = "select request_id from leadline.request_ledger where lead_id = %s order by activity_id"

MOST_LEADS = (
    "select person_id from leadline.lead_overview group by 1 order by count(*) desc, min(created_at) limit 1"
)


class Answer(NamedTuple):
    """What the database said to an activity."""

    subject_id: UUID
    verdict: str
    to_stage: str
    changes: dict[str, Any]


class Doors(ABC):
    """How the people and programs of a workspace come in."""

    def __init__(self, database: Database, name: str) -> None:
        self.database = database
        self.tenant = Tenant(database.dsn(), name)
        self.id = self.tenant.id

    @abstractmethod
    def ask(self, role: str, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Rows, asked and committed by somebody with this role."""

    @abstractmethod
    def report(self, role: str, journal: str, subject: UUID | None, act: Act, at: datetime) -> Answer | None:
        """Report one activity; None when it was a repeat or may not be known."""

    @abstractmethod
    def close(self) -> None:
        """Let go of every connection."""


class Logins(Doors):
    """Every role has a database login of its own, and inserts."""

    def __init__(self, database: Database, name: str) -> None:
        super().__init__(database, name)
        self.connections: dict[str, psycopg.Connection[Any]] = {}

    def connection(self, role: str) -> psycopg.Connection[Any]:
        if role not in self.connections:
            scopes = ["import"] if role == "importer" else []
            self.connections[role] = self.tenant.connect(role, *scopes, autocommit=True)
        return self.connections[role]

    def ask(self, role: str, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        return self.connection(role).execute(statement, parameters).fetchall()

    def report(self, role: str, journal: str, subject: UUID | None, act: Act, at: datetime) -> Answer | None:
        statement = SQL(
            "insert into leadline.{} ({}, activity_type, payload, occurred_at) values (%s, %s, %s, %s)"
            " returning {}, verdict, to_stage, coalesce(changes, '{{}}')"
        ).format(Identifier(journal), Identifier(SUBJECT[journal]), Identifier(SUBJECT[journal]))
        cursor = self.connection(role).execute(statement, [subject, act[0], Jsonb(act[1]), at])
        row = cursor.fetchone()
        return row and Answer(*row)

    def close(self) -> None:
        for connection in self.connections.values():
            connection.close()


class Tokens(Doors):
    """Every role has a token, and calls the functions that the service calls."""

    def __init__(self, database: Database, name: str) -> None:
        super().__init__(database, name)
        self.tokens: dict[str, str] = {}
        self.service = database.connect("leadline_service", autocommit=True)

    def token(self, role: str) -> str:
        if role not in self.tokens:
            user_id = None
            if role in ("owner", "admin", "member"):
                user_id = self.tenant.ask(
                    "select leadline.add_member(%s, %s, %s)", self.id, f"{role}@{self.id}.example", role
                )
            scopes = ["import"] if role == "importer" else []
            self.tokens[role] = self.tenant.ask(
                "select leadline.create_token(%s, %s, %s, %s)", self.id, role, user_id, scopes
            )
        return self.tokens[role]

    def ask(self, role: str, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        with self.service.transaction():
            self.service.execute("select leadline.enter(%s)", [self.token(role)])
            return self.service.execute(statement, parameters).fetchall()

    def report(self, role: str, journal: str, subject: UUID | None, act: Act, at: datetime) -> Answer | None:
        said = [subject, act[0], Jsonb(act[1]), None, at, None, None, self.token(role)]
        if journal == LEADS:
            statement, parameters = (
                "select to_json(a) from leadline.log_activity(%s, %s, %s, %s, %s, %s, %s, %s) a",
                said,
            )
        else:
            statement, parameters = (
                "select leadline.log_in_journal(%s, %s, %s, %s, %s, %s, %s, %s, %s)",
                [journal, *said],
            )
        row = self.service.execute(statement, parameters).fetchone()
        answer = row and row[0]
        if not answer or answer[SUBJECT[journal]] is None:
            return None
        return Answer(
            UUID(answer[SUBJECT[journal]]), answer["verdict"], answer["to_stage"], answer["changes"] or {}
        )

    def close(self) -> None:
        self.service.close()


class Month:
    """January 2026 in one workspace: from some hours before the month begins there to some hours after."""

    def __init__(self, doors: Doors, zone: str, chance: Random, acts: int) -> None:
        self.doors, self.zone, self.chance, self.acts = doors, zone, chance, acts
        self.now = datetime(2026, 1, 1, tzinfo=ZoneInfo(zone)).astimezone(UTC) - timedelta(hours=8)
        self.pace = timedelta(days=31, hours=16) / acts
        self.reported = 0
        self.raised: Counter[str] = Counter()
        self.known: dict[str, list[UUID]] = {
            "lead": [],
            "person": [],
            "deal": [],
            "subscription": [],
            "request": [],
        }
        self.settle_in()

    # -- what a story is made of

    def report(self, journal: str, subject: UUID | None, act: Act, role: str | None = None) -> Answer | None:
        """One act: at its time, by somebody who does such things; what is raised is counted."""
        role = role or self.chance.choice(WHO.get(act[0], USUAL))
        self.reported += 1  # the turn of the month is busy, or hardly anybody would come in its night
        self.now += self.pace * self.chance.expovariate(1) / (3 if self.reported < 60 else 1)
        late = timedelta(hours=self.chance.choice([0] * 15 + [1, 30]))
        try:
            return self.doors.report(role, journal, subject, (act[0], self.filled(act[1])), self.now - late)
        except psycopg.Error as e:
            if not (e.sqlstate or "").startswith("PT"):
                raise
            self.raised[str(e.diag.constraint_name)] += 1
            return None

    def ask(self, role: str, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Rows; none where the rules raise an error."""
        try:
            return self.doors.ask(role, statement, *parameters)
        except psycopg.Error as e:
            if not (e.sqlstate or "").startswith("PT"):
                raise
            self.raised[str(e.diag.constraint_name)] += 1
            return []

    def filled(self, payload: Payload) -> Payload:
        """The payload with its placeholders made values; without the keys for which there is none yet."""
        makers: dict[str, Callable[[], Any]] = {
            "money": lambda: self.chance.choice([100, 250.5, 999.99, 12000]),
            "currency": lambda: self.chance.choice(["EUR", "USD"]),
            "soon": lambda: str((self.now + timedelta(days=self.chance.randint(1, 3))).date()),
            "later": lambda: str((self.now + timedelta(days=400)).date()),
            "lead": lambda: self.any_of("lead"),
            "person": lambda: self.any_of("person"),
            "deal": lambda: self.any_of("deal"),
            "request": lambda: self.any_of("request"),
        }
        filled = {k: makers[v]() if isinstance(v, str) and v in makers else v for k, v in payload.items()}
        return {k: v for k, v in filled.items() if v is not None or payload[k] is None}

    def any_of(self, kind: str) -> str | None:
        return str(self.chance.choice(self.known[kind])) if self.known[kind] else None

    def keep(self, kind: str, subject: UUID) -> UUID:
        if subject not in self.known[kind]:
            self.known[kind].append(subject)
        return subject

    def person_of(self, lead: UUID) -> UUID:
        ((person,),) = self.doors.ask(
            "admin", "select person_id from leadline.lead_overview where lead_id = %s", lead
        )
        return self.keep("person", person)

    def address(self, domains: list[str] = DOMAINS) -> str:
        return f"{self.chance.choice(ascii_lowercase)}@{self.chance.choice(domains)}"

    # -- the workspace

    def settle_in(self) -> None:
        """The zone, the members, the companies."""
        settings = {"time_zone": self.zone, "members_see_all": True, "currency": "EUR"}
        self.doors.ask(
            "owner",
            "insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', %s) returning 1",
            Jsonb(settings),
        )
        self.members = [
            self.doors.tenant.ask(
                "select leadline.add_member(%s, %s, 'member', %s)",
                self.doors.id,
                f"{n}@{self.doors.id}.example",
                n,
            )
            for n in ("Mia", "Noa")
        ]
        for domain, kind in COMPANIES.items():
            self.company(domain, kind)

    def company(self, domain: str, kind: str) -> None:
        owner = self.chance.choice([None, *self.members]) if kind != "competitor" else None
        self.doors.ask(
            "admin",
            "select leadline.set_account(%s, %s, %s, %s, %s)",
            self.doors.id,
            domain,
            domain.title(),
            kind,
            owner,
        )

    # -- stories

    def enquiry(self, email: str | None = None) -> Act:
        payload: Payload = {
            "email": email or self.address(),
            "workflow": self.chance.choice(["appointment", "sales", "qualification", "qualification"]),
        }
        payload["source"] = self.chance.choice(["web", "fair", None])
        payload["request_class"] = self.chance.choice(CLASSES)
        payload["phone"] = self.chance.choice([None, None, f"+1650253{self.chance.randint(0, 30):04d}"])
        payload["message"] = self.chance.choice([None, "How much is it?"])
        payload["assigned_user_id"] = self.chance.choice([None, None, *map(str, self.members)])
        payload["exclusion"] = self.chance.choice([None] * 18 + ["test", "spam"])
        return "inbound_enquiry", {k: v for k, v in payload.items() if v is not None}

    def birth(self) -> Act:
        """How a lead comes to be without asking for anything."""
        payload: Payload = {
            "email": self.address(DOMAINS[:4]),
            "workflow": self.chance.choice(["appointment", "sales", "qualification"]),
        }
        if self.chance.random() < 0.4:
            return "lead_created", payload
        stages = {
            "appointment": ["attempted", "sale", "duplicate"], "sales": ["new", "qualified", "proposal", "won", "lost"],
            "qualification": ["new", "accepted", "qualified", "recycled", "disqualified"],
        }  # fmt: skip
        payload |= {
            "stage": self.chance.choice(stages[payload["workflow"]]),
            "lost_reason": "Timing",
            "deal_value": 500,
            "currency": "USD",
        }
        payload |= {"rejection_reason": "no_fit", "recycle_reason": "bad_timing", "recycle_on": "2026-01-10"}
        entered_at = self.now - timedelta(days=self.chance.choice([0, 1, 40]))
        return "lead_imported", payload | {"entered_at": entered_at.isoformat()}

    def lead(self) -> Iterator[None]:
        """Somebody writes in, or is entered, and what becomes of it."""
        act = self.enquiry() if self.chance.random() < 0.8 else self.birth()
        answer = self.report(LEADS, None, act, {"lead_imported": "importer"}.get(act[0], "app"))
        if answer is None:
            return
        workflow = str(answer.changes.get("workflow", [None, ""])[1] or "")
        email = str(act[1]["email"])
        stage = answer.to_stage
        if email.endswith("@rival.example"):  # nobody deals with them
            return
        lead = self.keep("lead", answer.subject_id)
        self.person_of(lead)
        for _ in range(self.chance.randint(2, 14)):
            yield
            usual = NEXT.get((workflow, stage)) or NOTHING
            chosen = self.chance.choice(usual) if self.chance.random() < 0.9 else self.anything()
            if chosen is None:
                return
            told = self.enquiry(email) if chosen[0] == "again" else chosen
            if told[1].get("request_id"):  # one of its own, decided or not
                asked = self.doors.ask("admin", ASKED, lead)
                self.known["request"] = [request for (request,) in asked]
            answer = self.report(LEADS, None if chosen[0] == "again" else lead, told)
            if answer is not None and answer.subject_id == lead:
                stage = answer.to_stage
            if (
                answer is not None
                and "opportunity_id" in answer.changes
                and answer.changes["opportunity_id"][1]
            ):
                self.keep("deal", UUID(answer.changes["opportunity_id"][1]))

    def anything(self) -> Act | None:
        return self.chance.choice([act for acts in NEXT.values() for act in acts if act != ("again", {})])

    def deal(self) -> Iterator[None]:
        """An opportunity: a new one, or one that a conversion opened."""
        person = self.any_of("person")
        if person is None:
            return
        stage = "evaluation"
        if self.known["deal"] and self.chance.random() < 0.5:
            deal = self.chance.choice(self.known["deal"])
        else:
            money = {"amount": "money", "close_date": "soon"} if self.chance.random() < 0.5 else {}
            payload = {
                "pipeline": self.chance.choice(["new_business", "expansion"]),
                "person_id": person,
                "assigned_user_id": self.chance.choice([None, *map(str, self.members)]),
            }
            answer = self.report(
                DEALS, None, ("opportunity_opened", {k: v for k, v in (payload | money).items() if v})
            )
            if answer is None:
                return
            deal = self.keep("deal", answer.subject_id)
        for _ in range(self.chance.randint(2, 12)):
            yield
            chosen = self.chance.choice(NEXT["deal", stage])
            if chosen is None:
                return
            answer = self.report(DEALS, deal, chosen)
            stage = stage if answer is None else answer.to_stage

    def relationship(self) -> Iterator[None]:
        """Somebody is moved along, back, out and in again; and the product tells of them."""
        person = self.any_of("person")
        for _ in range(self.chance.randint(3, 12)):
            if person is None:
                return
            yield
            self.report(
                PEOPLE, UUID(person), self.step(), self.chance.choice(["admin", "admin", "member", "app"])
            )

    def step(self) -> Act:
        kind = self.chance.random()
        if kind < 0.1:
            return "relationship_closed", {"reason": "no need"}
        if kind < 0.25:
            return "product_signal_seen", {
                "signal": "seats",
                "observed_at": self.now.isoformat(),
                "reason": "uses it daily",
                "expires_at": self.chance.choice(["2099-01-01T00:00:00Z", "2025-01-01T00:00:00Z"]),
                "opens_request": self.chance.random() < 0.5,
            }
        if self.chance.random() < 0.35:
            back = self.chance.choice(["prospect", "qualified", "client"])
            return "relationship_advanced", {"to": back, "reason": "we were wrong", "backward": True}
        return "relationship_advanced", {"to": self.chance.choice(POINTS), "reason": "we spoke"}

    def approver(self) -> Iterator[None]:
        """An admin goes through what waits."""
        for _ in range(4):
            yield
            waiting = self.doors.ask(
                "admin",
                "select approval_id, person_id from leadline.approval_queue where status = 'open' order by activity_id",
            )
            if waiting:
                approval, person = self.chance.choice(waiting)
                kind = self.chance.choice(["approval_granted", "approval_granted", "approval_declined"])
                self.report(PEOPLE, person, (kind, {"approval_id": str(approval)}), "admin")

    def subscription(self) -> Iterator[None]:
        """Billing tells of a customer."""
        person = self.any_of("person")
        if person is None:
            return
        payload = {"person_id": person, "plan": "silver", "trial": self.chance.random() < 0.5}
        answer = self.report(CUSTOMERS, None, ("subscription_started", payload), "billing")
        if answer is None:
            return
        subscription = self.keep("subscription", answer.subject_id)
        for _ in range(self.chance.randint(2, 8)):
            yield
            self.report(
                CUSTOMERS,
                subscription,
                self.chance.choice(BILLING),
                self.chance.choice(["billing"] * 9 + ["app"]),
            )

    def merging(self) -> Iterator[None]:
        """Two turn out to be one; sometimes they do not after all."""
        for _ in range(2):
            yield
            one, other = self.any_of("person"), self.any_of("person")
            self.ask("admin", "select leadline.merge_people(%s, %s)", one, other)
            if self.chance.random() < 0.3:
                self.ask("admin", "select leadline.unmerge_people(%s)", one)
            lead = self.any_of("lead")
            if lead is not None:
                self.report(LEADS, UUID(lead), ("leads_merged", {"into": "lead"}), "admin")
                if self.chance.random() < 0.3:
                    yield
                    self.report(LEADS, UUID(lead), ("leads_unmerged", {}), "admin")

    def hand(self) -> Iterator[None]:
        """Somebody changes the tables by hand."""
        for kind, statement in zip(self.known, BY_HAND, strict=False):
            yield
            if self.known[kind]:
                with self.doors.database.connect() as connection:
                    connection.execute(statement, [self.doors.id, self.chance.choice(self.known[kind])])

    # -- the month

    def live(self) -> None:
        """All of it, then what belongs to its end."""
        kinds = [
            *[self.lead] * 12,
            *[self.deal] * 5,
            *[self.relationship] * 3,
            self.approver,
            self.subscription,
            self.merging,
        ]
        stories: list[Iterator[None]] = []
        steps = 0
        while steps < self.acts:
            if len(stories) < 15:
                stories.append(self.chance.choice(kinds)())
            story = self.chance.choice(stories)
            steps += 1
            if steps == self.acts // 2:
                self.company(LATER, "prospect")
            if steps in (self.acts // 3, self.acts * 2 // 3):
                stories.append(self.hand())
            if next(story, story) is story:
                stories.remove(story)
        self.end()

    def end(self) -> None:
        """Somebody is forgotten; what nobody answered expires in half of the workspaces; the name changes by hand."""
        ((person,),) = self.doors.ask("admin", MOST_LEADS)
        self.doors.ask("owner", "select leadline.erase_person(%s, 'asked to')", person)
        self.doors.tenant.ask(
            "update leadline.workspaces set country = 'DE' where workspace_id = %s returning 1", self.doors.id
        )
        if self.zone != "UTC":
            self.doors.tenant.ask(
                "select leadline.run_job('approval_expiry', %s, '2099-01-01')", self.doors.id
            )
