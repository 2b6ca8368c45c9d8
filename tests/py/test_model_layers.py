"""Random histories of requests, relationships, deals and customers, told to PostgreSQL and to the model, which predicts
every row of all four journals.

The histories are the same in every run; LEADLINE_SEED and LEADLINE_HISTORIES as in test_model.py.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest
from hypothesis import note
from hypothesis.stateful import precondition, rule
from psycopg.sql import SQL
from psycopg.types.json import Jsonb

from tests.databases import Database
from tests.py.model import (
    FIELDS,
    MERGING,
    NOTES,
    OF_APPOINTMENT,
    OF_SALES,
    TOUCHES_IN,
    TOUCHES_OUT,
    Payload,
    Report,
)
from tests.py.model_deals import Cycle, Deals
from tests.py.model_intake import ENQUIRY, Account
from tests.py.model_qualification import RECYCLE_REASONS, REJECTION_REASONS
from tests.py.model_qualification import STAGES as QUALIFICATION_STAGES
from tests.py.model_relationship import ORDER, Approval
from tests.py.model_sales import CORRECTION_REASONS
from tests.py.test_model import (
    HOLDS,
    KINDS_OF_TYPES,
    LOST,
    PAYLOADS,
    REFERENCES,
    TEN,
    USUAL,
    WHEN,
    Telling,
    tell_histories,
)
from tests.py.test_model_intake import NUMBERS

# journal -> table, its subject's column
JOURNALS = {
    "lead": ("lead_activity", "lead_id"),
    "person": ("relationship_activity", "person_id"),
    "opportunity": ("opportunity_activity", "opportunity_id"),
    "subscription": ("customer_activity", "subscription_id"),
}
FRESH = " union all ".join(
    f"""select {subject} as subject_id, '{journal}' as journal, activity_id, seq, activity_type, verdict, rule, from_stage,
        to_stage, from_status, to_status, changes, version, occurred_at, recorded_at, actor_kind, writer, reference, caused_by
    from leadline.{table} where workspace_id = %(w)s and activity_id > %(last)s"""
    for journal, (table, subject) in JOURNALS.items()
)
INSERT = """
    insert into leadline.{table} ({subject}, activity_type, payload, reference, occurred_at, on_behalf_of)
    select * from unnest(%s::uuid[], %s::text[], %s::jsonb[], %s::text[], %s::timestamptz[], %s::uuid[])
    returning {subject} as subject_id, seq, verdict, rule, to_stage
"""
LOG = "select leadline.log_in_journal(%s, %s, %s, %s, %s, %s, %s) as answer"
LAYERS = """;
    select * from leadline.people where workspace_id = {w};
    select * from leadline.opportunities where workspace_id = {w};
    select * from leadline.subscriptions where workspace_id = {w};
    select * from leadline.renewal_cycles where workspace_id = {w};
    select * from leadline.approvals where workspace_id = {w}
"""
PERSON = (
    "stage", "furthest_stage", "status", "stage_entered_at", "late_before", "first_qualified_at", "seq", "version",
)  # fmt: skip
OPPORTUNITY = (
    "workflow", "stage", "status", "stage_entered_at", "late_before", "assigned_user_id", "amount", "currency",
    "close_date", "problem", "decision_process", "next_step", "next_step_on", "contacts", "won_at", "lost_at",
    "lost_reason", "lost_notes", "created_at", "seq", "version",
)  # fmt: skip
SUBSCRIPTION = (
    "plan", "stage", "status", "stage_entered_at", "late_before", "started_at", "cancelled_at", "created_at", "seq",
    "version",
)  # fmt: skip
CYCLE = ("period_start", "period_end", "opened_at", "stage", "settled_at", "churn_reason")
ZONES = ("UTC", "Pacific/Auckland", "America/Los_Angeles")


class LayersTelling(Telling):
    """A workspace of which all four journals are compared."""

    makes_book = Deals
    book: Deals
    holding: ClassVar[Any] = SQL(HOLDS + LAYERS)

    # -- telling

    def say(self, told: list[Report], who: str, door: str) -> list[dict[str, Any]]:
        journal = told[0].journal
        if journal == "lead":
            return super().say(told, who, door)
        table, subject = JOURNALS[journal]
        on_behalf_of = self.writer(who).on_behalf_of
        with self.acting_as(who):
            if door == "log_activity":
                [r] = told
                given = (
                    table,
                    self.id_of(r.lead),
                    r.type,
                    Jsonb(r.payload),
                    r.reference,
                    r.occurred_at,
                    on_behalf_of,
                )
                [row] = self.ask(LOG, *given)
                return [row["answer"] | {"subject_id": UUID(row["answer"][subject])}]
            if door == "raise":
                self.connection.execute("set leadline.on_refusal = 'raise'")
            return self.ask(
                INSERT.format(table=table, subject=subject),
                [self.id_of(r.lead) for r in told],
                [r.type for r in told],
                [Jsonb(r.payload) for r in told],
                [r.reference for r in told],
                [r.occurred_at for r in told],
                [on_behalf_of for _ in told],
            )

    def answer(self, a: dict[str, Any]) -> tuple[Any, ...]:
        name = self.name_of(a["subject_id"] if "subject_id" in a else a["lead_id"])
        return name, a["seq"], a["verdict"], a["rule"], a["to_stage"], a.get("replayed", False)

    def expire_approvals(self, at: datetime) -> None:
        """The hourly job, told the time; once an hour."""
        note(f"approval_expiry at {at}")
        [row] = self.ask("select leadline.run_job('approval_expiry', %s, %s) as is_done", self.workspace, at)
        clock = self.read_fresh_rows()
        if row["is_done"]:
            self.book.expire(at, clock)
        self.compare()

    # -- names

    def id_of(self, name: str | None) -> UUID | None:
        kind, _, number = (name or "").partition(" ")
        if kind == "person":
            return self.persons.get(int(number)) or uuid4()
        known = {"opportunity": self.book.opportunity_ids, "subscription": self.book.subscription_ids}.get(
            kind
        )
        if known is None:
            return super().id_of(name)
        return next((UUID(i) for i, other in known.items() if other == name), uuid4())

    def name_of(self, lead_id: UUID) -> str:
        for known in (self.book.ids, self.book.opportunity_ids, self.book.subscription_ids):
            if str(lead_id) in known:
                return known[str(lead_id)]
        number = self.book.person_ids.get(str(lead_id))
        return f"person {number}" if number is not None else f"somebody {lead_id}"

    def number(self, row: dict[str, Any]) -> None:
        known = {"opportunity": self.book.opportunity_ids, "subscription": self.book.subscription_ids}
        if row["journal"] == "lead":
            super().number(row)
        elif (ids := known.get(row["journal"])) is not None:
            ids.setdefault(str(row["subject_id"]), f"{row['journal']} {len(ids)}")

    def read_journals(self) -> list[dict[str, Any]]:
        return self.ask(f"{FRESH} order by activity_id", w=self.workspace, last=self.last_id)

    # -- comparing

    def meet(self, held: list[list[dict[str, Any]]]) -> None:
        for row in held[0]:
            lead = self.book.leads.get(self.name_of(row["lead_id"]))
            if lead is not None:
                self.persons.setdefault(lead.person, row["person_id"])
        for row in held[2]:
            number = self.book.keys_of_people.get((row["kind"], row["key"]))
            if number is not None:
                self.persons.setdefault(number, row["person_id"])
        self.book.person_ids = {str(person_id): number for number, person_id in self.persons.items()}

    def compare(self) -> None:
        super().compare()
        people, opportunities, subscriptions, cycles, approvals = self.held[6:]
        for p in people:
            person = self.book.people[self.book.person_ids[str(p["person_id"])]]
            assert {k: p[k] for k in PERSON} == {k: getattr(person, k) for k in PERSON}
        self.compare_deals(opportunities)
        self.compare_customers(subscriptions, cycles)
        self.compare_approvals(approvals)

    def holds(self) -> list[list[dict[str, Any]]]:
        self.held = super().holds()
        return self.held

    def compare_deals(self, opportunities: list[dict[str, Any]]) -> None:
        stored = {self.name_of(o["opportunity_id"]): o for o in opportunities}
        assert stored.keys() == self.book.opportunities.keys()
        for name, deal in self.book.opportunities.items():
            o = stored[name]
            assert {k: self.plain(o[k]) for k in OPPORTUNITY} == {k: getattr(deal, k) for k in OPPORTUNITY}
            assert deal.has_account == (o["account_id"] is not None)
            assert (self.persons[deal.person], deal.lead) == (
                o["person_id"],
                o["lead_id"] and self.name_of(o["lead_id"]),
            )
        converted = {self.name_of(row["lead_id"]): row["opportunity_id"] for row in self.held[0]}
        assert {n: i and self.name_of(i) for n, i in converted.items()} == {
            n: lead.opportunity_id for n, lead in self.book.leads.items()
        }

    def compare_customers(self, subscriptions: list[dict[str, Any]], cycles: list[dict[str, Any]]) -> None:
        stored = {self.name_of(s["subscription_id"]): s for s in subscriptions}
        assert stored.keys() == self.book.subscriptions.keys()
        for name, s in self.book.subscriptions.items():
            assert {k: stored[name][k] for k in SUBSCRIPTION} == {k: getattr(s, k) for k in SUBSCRIPTION}
            assert self.persons[s.person] == stored[name]["person_id"]
            assert s.has_account == (stored[name]["account_id"] is not None)
            own = [
                Cycle(**{k: c[k] for k in CYCLE})
                for c in cycles
                if self.name_of(c["subscription_id"]) == name
            ]
            assert sorted(own, key=str) == sorted(s.cycles, key=str)

    def compare_approvals(self, approvals: list[dict[str, Any]]) -> None:
        def place(activity_id: int | None) -> tuple[str, int] | None:
            known = self.places.get(activity_id or 0)
            return known and (self.name_of(known[0]), known[1])

        told = [
            (
                self.book.person_ids[str(a["person_id"])], a["to_stage"], place(a["activity_id"]), a["status"],
                place(a["settled_by"]), self.plain(a["settled_by_user"]),
            )
            for a in approvals
        ]  # fmt: skip
        assert sorted(told, key=str) == sorted(
            [
                (a.person, a.to_stage, a.place, a.status, a.settled_by, a.settled_by_user)
                for a in self.book.approvals
            ],
            key=str,
        )
        for a in approvals:
            where = place(a["activity_id"])
            assert where is not None
            self.book.approval_ids[str(a["approval_id"])] = where

    # -- small things

    def fill(self, payload: Payload) -> Payload:
        filled = super().fill(payload)
        known: dict[str, dict[str, Any]] = {
            "person_id": self.book.person_ids, "contact": self.book.person_ids, "opportunity_id": self.book.opportunity_ids,
            "approval_id": self.book.approval_ids, "request_id": self.book.request_ids,
        }  # fmt: skip
        for key, ids in known.items():
            if isinstance(filled.get(key), int):
                listed = [i for _, i in sorted((str(name), i) for i, name in ids.items())]
                filled[key] = listed[filled[key] % len(listed)] if listed else str(UUID(int=9))
        return filled

    def set_up(self, **settings: Any) -> None:
        """Settings of the workspace, and of the model alike."""
        for key, value in settings.items():
            column = {"zone": "time_zone", "workflow": "default_workflow"}.get(key, key)
            self.ask(
                f"update leadline.workspaces set {column} = %s where workspace_id = %s returning 1",
                value, self.workspace,
            )  # fmt: skip
            setattr(self.book, key, value)

    def any_of(self, names: Any) -> str:
        """One of some names."""
        return str(self.chance.choice(sorted(names)))

    def when(self, entered: datetime | None) -> datetime | None:
        """Around the entry into a stage, but not ahead of the clock."""
        seconds = self.chance.choice(WHEN)
        if seconds is None or entered is None:
            return None
        return min(entered + timedelta(seconds=seconds), datetime.now(UTC))

    def door(self) -> str:
        """How it is told."""
        return self.chance.choice(["insert", "log_activity", "raise"])


# -- qualification

DAYS = timedelta(days=1)
QUALIFY = {"problem": "slow", "timing": "spring", "buying_role": "decides"}
REJECTED: list[Payload] = [
    *({"reason": reason} for reason in REJECTION_REASONS[:4]),
    {"reason": "other", "notes": "too far"},
    {"reason": "other"},
    {"reason": "other", "notes": " "},
    {},
    {"reason": None},
    {"reason": "No Fit"},
]
ON_THE_WAY = {"request_accepted", "call_completed", "email_sent", "email_replied", "lead_qualified"}
TO_AN_END = {"request_rejected", "lead_recycled", "lead_qualified", "lead_converted"}
SAID: dict[str, list[Payload]] = {
    **PAYLOADS,
    "request_accepted": [{}, {}, *({"request_id": n} for n in range(4))],
    "request_rejected": [*REJECTED, *({"reason": "no_fit", "request_id": n} for n in range(4))],
    "lead_qualified": [
        QUALIFY,
        QUALIFY,
        {},
        {"problem": "slow", "timing": " "},
        {**QUALIFY, "buying_role": None},
    ],
    "lead_converted": [
        {},
        {"amount": 1000, "close_date": "2027-01-31"},
        {"pipeline": "expansion", "amount": 5.5, "currency": "EUR"},
        {"pipeline": "new_business", "close_date": "2027-01-31"},
        *({"opportunity_id": n} for n in range(3)),
        {"pipeline": "ski_lessons"},
        {"opportunity_id": str(UUID(int=8))},
    ],
    "stage_corrected": [
        *({"to_stage": stage, "reason": "entered_by_mistake"} for stage in (*QUALIFICATION_STAGES, "warm")),
        *({"to_stage": stage, "reason": "data_repair"} for stage in QUALIFICATION_STAGES[:4]),
        *({"to_stage": "new", "reason": reason} for reason in (*CORRECTION_REASONS, None, "", "typo")),
        {"to_stage": "accepted", "reason": "other", "notes": "wrong button"},
        {"to_stage": "connected"},
    ],
    "product_signal_seen": [
        {"signal": "x", "reason": "x", "observed_at": TEN, "expires_at": "2999-01-01T00:00:00Z"}
    ],
}


WRONG: dict[str, list[Payload]] = {
    "request_rejected": REJECTED[5:],
    "lead_recycled": [
        {"reason": "other", "recycle_on": "2999-01-01"},
        {"reason": "tired", "recycle_on": "2999-01-01"},
        {"recycle_on": "2999-01-01"},
        {"reason": "bad_timing"},
        {"reason": "bad_timing", "recycle_on": "2026-01-01"},
    ],
    "lead_qualified": [{}, {**QUALIFY, "timing": " "}],
    "stage_corrected": [
        {"to_stage": "warm", "reason": "wrong_record"},
        {"to_stage": "qualified", "reason": "wrong_record"},
        *({"to_stage": "new", "reason": reason} for reason in (None, "other", "typo")),
    ],
    "product_signal_seen": SAID["product_signal_seen"],
}


class QualificationHistory(LayersTelling):
    """Leads of people who ask for something, again and again; who decides on them, and what comes of it."""

    kinds: ClassVar[dict[str, tuple[set[str], ...]]] = KINDS_OF_TYPES | {
        "qualification": (
            *[ON_THE_WAY] * 6,
            *[TO_AN_END] * 4,
            *[TOUCHES_OUT | TOUCHES_IN, {"stage_corrected"}, FIELDS | NOTES] * 2,
            {"dnc", "contact_changed"},
            {"product_signal_seen"},
            MERGING,
            OF_APPOINTMENT | OF_SALES,
        )
    }

    def begin(self) -> None:
        self.set_up(workflow="qualification", zone=self.chance.choice(ZONES))
        owner = str(self.people["admin"])
        for domain, kind in (("rival.example", "competitor"), ("partner.example", "partner")):
            self.ask(
                "select leadline.set_account(%s, %s, %s, %s, %s)",
                self.workspace,
                domain,
                domain.title(),
                kind,
                owner,
            )
            self.book.accounts[domain] = Account(kind, owner)
        self.tell([self.enquiry("kim@example.com"), self.enquiry("kim@example.com")], "app", "insert")

    ADDRESSES = (
        "kim@example.com",
        "Kim@Example.com ",
        "lee@example.com",
        "max@example.com",
        "bob@rival.example",
        "pat@partner.example",
    )

    def enquiry(self, address: str | None = None) -> Report:
        """Somebody asks for something."""
        payload: Payload = {"email": address or self.chance.choice(self.ADDRESSES)}
        if self.chance.random() < 0.5:
            payload["request_class"] = self.chance.choice(
                ["demo", "quote", "pricing_question", "score", "contact"]
            )
        if self.chance.random() < 0.3:
            payload["phone"] = self.chance.choice(self.chance.choice(NUMBERS))
        if self.chance.random() < 0.15:
            payload["workflow"] = "sales"
        if self.chance.random() < 0.06:
            payload["exclusion"] = self.chance.choice(["test", "spam"])
        at = self.chance.choice([None, None, None, self.now - timedelta(hours=1), self.now - 30 * DAYS])
        return Report(None, ENQUIRY, payload, self.chance.choice([*[None] * 9, "e-1", "r-1"]), at)

    def about(self, name: str | None = None, kind: str | None = None) -> Report:
        """An activity about one of the leads."""
        name = name or self.any_of(self.book.leads)
        lead = self.book.leads[name]
        kind = kind or self.any_of(self.chance.choice(self.kinds[lead.workflow]))
        payload = self.recycling() if kind == "lead_recycled" else self.chance.choice(SAID.get(kind, [{}]))
        return Report(
            name, kind, self.fill(payload), self.chance.choice(REFERENCES), self.when(lead.stage_entered_at)
        )

    def recycling(self) -> Payload:
        """Until some day, mostly ahead."""
        today = self.book.day_of(self.now)
        until = today + self.chance.choice([-2, -1, 0, 1, 1, 2, 40, 40, 40]) * DAYS
        payload: Payload = {
            "recycle_on": until.isoformat(),
            "reason": self.chance.choice(RECYCLE_REASONS[:3]),
        }
        other: list[Payload] = [
            *[payload] * 6,
            {**payload, "reason": "other", "notes": "a word"},
            {**payload, "reason": "other"},
            {**payload, "reason": "tired"},
            {"recycle_on": payload["recycle_on"]},
            {"reason": "bad_timing"},
            {"reason": "bad_timing", "recycle_on": None},
        ]
        return self.chance.choice(other)

    @precondition(lambda self: len(self.book.leads) < 8)
    @rule()
    def somebody_asks(self) -> None:
        told = [self.enquiry() for _ in range(self.chance.randint(1, 3))]
        self.tell(told, self.chance.choice(["app", "app", "admin", "importer", "ai"]), "insert")

    @precondition(lambda self: len(self.book.leads) < 8)
    @rule()
    def the_same_person_asks_again(self) -> None:
        told = [self.enquiry("kim@example.com") for _ in range(self.chance.randint(1, 2))]
        self.tell(told, self.chance.choice(["app", "admin"]), "insert")

    @precondition(lambda self: len(self.book.leads) < 8)
    @rule()
    def a_lead_is_made_otherwise(self) -> None:
        """Created, or imported as another system knew it."""
        payload: Payload = {"workflow": "qualification"}
        if self.chance.random() < 0.8:
            payload["email"] = self.chance.choice(["mia@example.com", *self.ADDRESSES])
        if self.chance.random() < 0.3:
            self.tell([Report(None, "lead_created", payload)], self.chance.choice(USUAL), "insert")
            return
        entered = self.now - self.chance.choice([1, 30, 100]) * DAYS
        payload |= {
            "entered_at": entered.isoformat(),
            "stage": self.chance.choice([*QUALIFICATION_STAGES, "recycled", "recycled", "lost"]),
        }
        if self.chance.random() < 0.9:
            payload |= {"rejection_reason": "no_fit", "recycle_reason": "no_budget"}
        if self.chance.random() < 0.9:
            until = self.book.day_of(self.now) - self.chance.choice([-20, 0, 1, 2, 20]) * DAYS
            payload |= {"recycle_on": until.isoformat()}
        self.tell([Report(None, "lead_imported", payload)], "importer", "insert")

    @rule()
    def an_activity(self) -> None:
        self.tell([self.about()], self.chance.choice([*USUAL, "ai"]), self.door())

    @rule()
    def several_in_one_statement(self) -> None:
        whom = self.chance.choice([None, self.any_of(self.book.leads)])
        told = [self.about(whom) for _ in range(self.chance.randint(2, 5))]
        self.tell(told, self.chance.choice(USUAL), "insert")

    @rule()
    def a_lead_is_brought_on(self) -> None:
        self.bring_on()

    def bring_on(self) -> None:
        """Accepted, spoken to, qualified, converted, and again; as far as it goes."""
        own = [n for n, lead in self.book.leads.items() if lead.workflow == "qualification"]
        ready = [n for n in own if self.book.leads[n].is_open or self.book.leads[n].stage == "qualified"]
        name = self.any_of(ready or self.book.leads)
        kinds = ["request_accepted", "call_completed", "lead_qualified", "lead_converted", "lead_converted"]
        told = [self.about(name, kind) for kind in kinds[: self.chance.choice([1, 3, 4, 4, 5])]]
        if self.chance.random() < 0.8:
            told = [r if r.type != "lead_qualified" else replace(r, payload=QUALIFY) for r in told]
        told = [replace(r, reference=None, occurred_at=None) for r in told]
        self.tell(told, self.chance.choice(["admin", "app", "member"]), "insert")

    @rule()
    def news_of_who_was_recycled(self) -> None:
        """Around the day until which nobody was to ask."""
        recycled = [n for n, lead in self.book.leads.items() if lead.stage == "recycled"]
        name = self.any_of(recycled or self.book.leads)
        until = self.book.leads[name].recycle_on or self.book.day_of(self.now)
        midnight = datetime(until.year, until.month, until.day, tzinfo=ZoneInfo(self.book.zone))
        at = (midnight + self.chance.choice([0, 1, 1, 2]) * DAYS).astimezone(UTC)
        at += timedelta(seconds=self.chance.choice([-1, 0, 3600]))
        kind = self.chance.choice(["email_replied", "call_received", "inbound_enquiry", "inbound_enquiry"])
        when = self.chance.choice([None, at, at])
        payload = {"exclusion": "spam"} if self.chance.random() < 0.3 and kind == "inbound_enquiry" else {}
        told = Report(name, kind, payload, None, when and min(when, datetime.now(UTC)))
        self.tell([told], self.chance.choice(["app", "admin"]), self.door())

    @rule()
    def a_decision_is_taken_back(self) -> None:
        name = self.any_of(self.book.leads)
        told = [self.about(name, "stage_corrected") for _ in range(self.chance.randint(1, 3))]
        self.tell(
            [Report(r.lead, r.type, r.payload) for r in told],
            self.chance.choice([*["admin"] * 4, "owner", "member"]),
            "insert",
        )

    @rule()
    def leads_are_merged(self) -> None:
        told = []
        for kind in self.chance.choices(["leads_merged", "leads_merged", "leads_unmerged"], k=2):
            name = self.any_of(self.book.leads)
            others = [str(self.id_of(other)) for other in self.book.leads if other != name]
            into = {"into": self.chance.choice(others or [str(self.id_of(name))])}
            told.append(Report(name, kind, into if kind == "leads_merged" else {}))
        self.tell(told, self.chance.choice(["admin", "admin", "owner", "member"]), "insert")

    @rule()
    def a_decision(self) -> None:
        """Of whatever kind, on leads that somebody works on, if there are any."""
        kinds = ["request_rejected"] * 3 + ["lead_recycled"] * 2
        kinds += ["lead_qualified", "request_accepted", "email_sent"]
        for _ in range(self.chance.randint(2, 5)):
            worked = [
                n for n, lead in self.book.leads.items() if lead.workflow == "qualification" and lead.is_open
            ]
            r = self.about(self.any_of(worked or self.book.leads), self.chance.choice(kinds))
            told = replace(r, occurred_at=None)
            self.tell([told], self.chance.choice(["admin", "member", "app", "app"]), self.door())

    @rule()
    def everything_that_is_refused(self) -> None:
        """Every wrong reason, date and stage, in some order."""
        own = [n for n, lead in self.book.leads.items() if lead.workflow == "qualification"]
        worked = [n for n in own if self.book.leads[n].is_open and self.book.leads[n].stage != "new"]
        name, told = self.any_of(worked or own or self.book.leads), []
        for kind, wrong in WRONG.items():
            told += [Report(name, kind, payload) for payload in wrong]
        self.chance.shuffle(told)
        self.tell(told, self.chance.choice(["admin", "owner"]), "insert")

    @precondition(lambda self: len(self.book.leads) < 8)
    @rule()
    def who_was_put_aside_comes_back(self) -> None:
        """Perhaps to an address that another lead has by now."""
        today = self.book.day_of(self.now)
        address = self.chance.choice([self.book.leads[self.any_of(self.book.leads)].email, "zoe@example.com"])
        payload: Payload = {
            "workflow": "qualification", "stage": "recycled", "recycle_reason": "no_response", "email": address,
            "recycle_on": (today - self.chance.choice([0, 9, 9]) * DAYS).isoformat(),
            "entered_at": (self.now - 90 * DAYS).isoformat(),
        }  # fmt: skip
        name = f"lead {len(self.book.leads)}"
        self.tell([Report(None, "lead_imported", payload)], "importer", "insert")
        kind = self.chance.choice(["email_replied", "call_received", "inbound_enquiry", "lead_recycled"])
        payload = self.recycling() if kind == "lead_recycled" else {}
        self.tell([Report(name, kind, payload)], "app", "insert")

    @rule()
    def a_conversion_is_taken_back(self) -> None:
        """Or cannot be, since the deal is decided."""
        self.bring_on()
        converted = [n for n, lead in self.book.leads.items() if lead.opportunity_id is not None]
        name = self.any_of(converted or self.book.leads)
        if converted and self.chance.random() < 0.5:
            deal = self.book.leads[name].opportunity_id
            lost = Report(deal, "opportunity_lost", {"lost_reason": "Price"}, journal="opportunity")
            self.tell([lost], "app", "insert")
            others = [n for n, lead in self.book.leads.items() if lead.opportunity_id is None]
            other = self.any_of(others or [name])
            kinds = [
                ("request_accepted", {}),
                ("lead_qualified", QUALIFY),
                ("lead_converted", {"opportunity_id": str(self.id_of(deal))}),
            ]
            self.tell([Report(other, kind, payload) for kind, payload in kinds], "app", "insert")
        back = {"to_stage": self.chance.choice(["new", "connected"]), "reason": "wrong_record"}
        self.tell([Report(name, "stage_corrected", back)], "admin", self.door())

    @precondition(lambda self: self.book.opportunities)
    @rule()
    def a_deal_goes_on(self) -> None:
        """So that some conversions cannot be taken back any more."""
        name = self.any_of(self.book.opportunities)
        told = self.chance.choice(
            [
                Report(name, "opportunity_lost", {"lost_reason": "Price"}, journal="opportunity"),
                Report(
                    name, "amount_changed", {"amount": 70, "close_date": "2027-02-01"}, journal="opportunity"
                ),
            ]
        )
        self.tell([told], self.chance.choice(["admin", "app"]), self.door())


MET_IN_QUALIFICATION = {
    "ai_forbidden", "system_only", "writer_not_allowed", "wrong_workflow", "already_closed", "superseded", "not_a_person",
    "already_there", "qualified_needs_accept", "qualification_evidence_required", "rejection_reason_required",
    "unknown_rejection_reason", "notes_required", "recycle_reason_required", "unknown_recycle_reason",
    "recycle_date_required", "recycle_date_in_past", "recycled_until", "open_lead_goes_on", "conversion_needs_qualified",
    "already_converted", "opportunity_not_open", "opportunity_decided", "correction_needs_admin", "correction_goes_forward",
    "unknown_stage", "reason_required", "unknown_correction_reason", "active_lead_exists", "merge_needs_admin", "excluded",
}  # fmt: skip


@pytest.mark.slow
def test_database_and_model_agree_on_random_requests(database: Database) -> None:
    tell_histories(database, QualificationHistory, histories=60, steps=25, objections=MET_IN_QUALIFICATION)


# -- relationships

ADVANCED: list[Payload] = [
    *({"to": to, "reason": "they said so"} for to in (*ORDER, *ORDER[1:4])),
    *({"to": to, "reason": "a mistake", "backward": True} for to in (*ORDER[:4], "prospect")),
    *(
        {"to": to, "reason": "known", "backward": False}
        for to in ("qualified", "closed", "lost", "Client", "not_interested")
    ),
    {"to": "client"},
    {"to": "qualified", "reason": " "},
    {"to": "prospect", "backward": True},
    {"to": "opportunity", "reason": None},
]
REPLIES: list[tuple[str, Payload]] = [
    *((kind, {}) for kind in ("email_replied", "call_completed", "meeting_held", "message_received", "contact_attempted")),
    (ENQUIRY, {"request_class": "quote"}),
    (ENQUIRY, {"request_class": "contact"}),
]  # fmt: skip
# What leads of a workflow come to; approve says yes for whoever may.
OUTCOMES: dict[str, list[tuple[str, Payload]]] = {
    "sales": [
        ("proposal_sent", {"deal_value": 100}),
        *(("deal_won", said) for said in ({}, {}, {"approve": True}, {"approve": False})),
        ("stage_corrected", {"to_stage": "new", "reason": "wrong_record"}),
        ("deal_lost", {"lost_reason": "Price"}),
    ],
    "appointment": [
        ("appointment_scheduled", {}),
        *(("sale", said) for said in ({}, {"approve": True}, {"approve": False})),
        ("no_sale", {}),
    ],
    "qualification": [("request_accepted", {}), ("lead_qualified", QUALIFY), ("lead_converted", {})],
}
BROKEN: list[tuple[str, Payload]] = [
    ("advanced", {}),
    ("dnc", {}),
    ("relationship_advanced", {}),
    ("relationship_advanced", {"to": " "}),
    ("relationship_advanced", {"to": 7}),
    ("relationship_advanced", {"to": "client", "backward": "yes"}),
    ("approval_granted", {}),
    ("approval_granted", {"approval_id": "1"}),
    ("approval_declined", {"approval_id": str(UUID(int=8))}),
    ("product_signal_seen", {"signal": "logged in"}),
]
SIGNALED: Payload = {"signal": "invited 5", "reason": "uses it", "expires_at": "2999-01-01T00:00:00Z"}


class RelationshipHistory(LayersTelling):
    """People whom leads, apps and members bring on, and who are asked for a yes."""

    def begin(self) -> None:
        self.set_up(
            workflow=self.chance.choice(["sales", "appointment", "qualification"]),
            approvers=self.chance.choice([None, None, "owner", "admin", "member"]),
            approval_hours=self.chance.choice([None, 1, 48]),
        )
        self.tell(
            [Report(None, ENQUIRY, {"email": a}) for a in ("kim@example.com", "lee@example.com")],
            "app",
            "insert",
        )

    def any_person(self) -> str:
        """Somebody, mostly among the first."""
        return f"person {min(self.chance.choices(sorted(self.book.people), k=2))}"

    def about(self, name: str, kind: str, payload: Payload) -> Report:
        """An activity in the history of a person."""
        person: Any = self.book.subject(name)
        return Report(
            name,
            kind,
            self.fill(payload),
            self.chance.choice(REFERENCES),
            self.when(person.stage_entered_at),
            "person",
        )

    @precondition(lambda self: len(self.book.leads) < 6)
    @rule()
    def somebody_writes_in(self) -> None:
        payload: Payload = {
            "email": self.chance.choice(["kim@example.com", "max@example.com", "mia@example.com"])
        }
        payload["workflow"] = self.chance.choice(["sales", "appointment", "qualification"])
        payload["request_class"] = self.chance.choice(
            ["contact", "contact", "quote", "pricing_question", "demo", "hello"]
        )
        if self.chance.random() < 0.1:
            payload["exclusion"] = "spam"
        at = self.chance.choice([None, None, self.now - DAYS])
        self.tell(
            [Report(None, ENQUIRY, payload, None, at)], self.chance.choice(["app", "importer"]), "insert"
        )

    @rule()
    def a_move(self) -> None:
        told = [
            self.about(self.any_person(), "relationship_advanced", self.chance.choice(ADVANCED))
            for _ in range(self.chance.choice([1, 1, 3]))
        ]
        door = self.door() if len(told) == 1 else "insert"
        self.tell(told, self.chance.choice([*USUAL, "app", "app", "admin"]), door)

    @rule()
    def not_proceeding(self) -> None:
        payload = self.chance.choice([{"reason": "said no"}, {"reason": "said no"}, {}, {"reason": " "}])
        told = [self.about(self.any_person(), "relationship_closed", payload)]
        self.tell(told, self.chance.choice(USUAL), self.door())

    @rule()
    def an_outcome(self) -> None:
        name = self.any_of(self.book.leads)
        kinds = [*OUTCOMES[self.book.leads[name].workflow], *REPLIES]
        told = [Report(name, *self.chance.choice(kinds)) for _ in range(self.chance.randint(1, 3))]
        self.tell(told, self.chance.choice(["admin", "member", "app", "app for an admin", "owner"]), "insert")

    @rule()
    def a_deal_is_won(self) -> None:
        open_ones = [
            n for n, lead in self.book.leads.items() if lead.is_open and lead.workflow != "qualification"
        ]
        name = self.any_of(open_ones or self.book.leads)
        is_sales = self.book.leads[name].workflow == "sales"
        how, end = ("proposal_sent", "deal_won") if is_sales else ("appointment_scheduled", "sale")
        payload = self.chance.choice([{}, {}, {"approve": True}, {"approve": False}])
        told = [Report(name, how, {"deal_value": 100}), Report(name, end, payload)]
        self.tell(told, self.chance.choice(["admin", "member", "app", "app for a member"]), "insert")
        if self.chance.random() < 0.5:  # an app asks for the same
            whose = f"person {self.book.person_of(self.book.leads[name].person)}"
            asked = Report(
                whose, "relationship_advanced", {"to": "client", "reason": "a deal"}, journal="person"
            )
            self.tell([asked], "app", self.door())

    @precondition(lambda self: self.book.approvals)
    @rule()
    def an_answer(self) -> None:
        """By somebody who may, or may not, or is not the first."""
        approval = self.chance.choice(self.book.approvals[-3:])
        named = next(i for i, place in self.book.approval_ids.items() if place == approval.place)
        for _ in range(self.chance.randint(1, 3)):
            name = f"person {approval.person}" if self.chance.random() < 0.9 else self.any_person()
            kind = self.chance.choice(["approval_granted", "approval_granted", "approval_declined"])
            payload = {"approval_id": named, "reason": self.chance.choice(["good", None])}
            who = self.chance.choice(["owner", "admin", "member", *USUAL])
            self.tell([self.about(name, kind, payload)], who, self.door())

    @precondition(lambda self: self.book.approvals)
    @rule()
    def its_cause_is_taken_back(self) -> None:
        """And somebody says yes all the same, or has said so before."""
        approval = self.chance.choice(self.book.approvals)
        if approval.cause is not None and approval.cause.lead in self.book.leads:
            self.take_back(approval.cause.lead, self.chance.choice(["admin", "owner", "member"]))
        self.say_yes(approval)

    def take_back(self, name: str, who: str) -> None:
        """A deal was won by mistake."""
        back = {"to_stage": "new", "reason": "wrong_record"}
        self.tell([Report(name, "stage_corrected", back)], who, "insert")

    def say_yes(self, approval: Approval) -> None:
        """The owner says yes."""
        named = next(i for i, place in self.book.approval_ids.items() if place == approval.place)
        told = Report(
            f"person {approval.person}", "approval_granted", {"approval_id": named}, journal="person"
        )
        self.tell([told], "owner", self.door())

    @precondition(lambda self: len(self.book.leads) < 6)
    @rule()
    def a_new_deal_is_won_by_mistake(self) -> None:
        """The question it asked is stale, unless it is won again."""
        name = f"lead {len(self.book.leads)}"
        address = {"email": f"{name.replace(' ', '')}@example.com", "workflow": "sales"}
        self.tell([Report(None, ENQUIRY, address)], "app", "insert")
        win = [Report(name, "proposal_sent", {"deal_value": 100}), Report(name, "deal_won")]
        self.tell(win, "app", "insert")
        asked = [a for a in self.book.approvals if a.cause is not None and a.cause.lead == name]
        self.take_back(name, "admin")
        if self.chance.random() < 0.4:
            self.tell(win, "app", "insert")
        if asked and self.chance.random() < 0.8:
            self.say_yes(asked[0])

    @precondition(lambda self: len({lead.person for lead in self.book.leads.values()}) > 1)
    @rule()
    def somebody_is_somebody_else(self) -> None:
        """And is spoken of as before."""
        one, other = self.chance.sample(sorted(self.book.leads), 2)
        whose = f"person {self.book.leads[one].person}"
        self.tell([Report(one, "leads_merged", {"into": str(self.id_of(other))})], "admin", "insert")
        told = self.about(whose, "relationship_advanced", self.chance.choice(ADVANCED))
        self.tell([told], self.chance.choice(["admin", "app"]), self.door())
        mine = [a for a in self.book.approvals if f"person {a.person}" == whose]
        if mine:
            self.say_yes(mine[-1])

    @precondition(lambda self: self.book.approvals)
    @rule()
    def time_passes(self) -> None:
        self.expire_approvals(self.now + timedelta(minutes=self.chance.choice([1, 120, 3_000, 24_000])))

    @precondition(lambda self: any(a.status == "open" for a in self.book.approvals))
    @rule()
    def somebody_answers_too_late(self) -> None:
        """The clock of the test cannot wait two weeks, so its end is brought forward."""
        approval = next(a for a in self.book.approvals if a.status == "open")
        named = next(i for i, place in self.book.approval_ids.items() if place == approval.place)
        self.ask(
            """update leadline.approvals set expires_at = requested_at + interval '1 microsecond'
                where workspace_id = %s and approval_id = %s returning 1""",
            self.workspace,
            named,
        )
        approval.expires_at = self.now
        kind = self.chance.choice(["approval_granted", "approval_granted", "approval_declined"])
        told = Report(f"person {approval.person}", kind, {"approval_id": named}, journal="person")
        self.tell([told], "owner", self.door())

    @rule()
    def a_product_tells(self) -> None:
        observed = self.now - self.chance.choice([0, 1, 50]) * DAYS
        payload = {**SIGNALED, "observed_at": observed.isoformat()}
        if self.chance.random() < 0.3:
            payload["expires_at"] = (self.now - DAYS).isoformat()
        if self.chance.random() < 0.3:
            payload["opens_request"] = True
        told = [self.about(self.any_person(), "product_signal_seen", payload)]
        self.tell(told, self.chance.choice(["app", "app", *USUAL]), self.door())

    @precondition(lambda self: len(self.book.leads) < 6)
    @rule()
    def somebody_was_recycled(self) -> None:
        until = self.book.day_of(self.now) - self.chance.choice([-5, 0, 1, 40]) * DAYS
        payload: Payload = {
            "workflow": "qualification", "stage": "recycled", "recycle_reason": "no_budget", "recycle_on": until.isoformat(),
            "entered_at": (self.now - 90 * DAYS).isoformat(), "email": self.chance.choice(["kim@example.com", f"ann{len(self.book.leads)}@example.com"]),
        }  # fmt: skip
        name = f"lead {len(self.book.leads)}"
        self.tell([Report(None, "lead_imported", payload)], "importer", "insert")
        whose = f"person {self.book.person_of(self.book.leads[name].person)}"
        signal = {**SIGNALED, "observed_at": (self.now - self.chance.choice([0, 2]) * DAYS).isoformat()}
        self.tell([Report(whose, "product_signal_seen", signal, journal="person")], "app", self.door())

    @rule()
    def leads_are_merged(self) -> None:
        kind = self.chance.choice(["leads_merged", "leads_merged", "leads_unmerged"])
        payload = {"into": self.chance.randint(0, 5)} if kind == "leads_merged" else {}
        self.tell([Report(self.any_of(self.book.leads), kind, self.fill(payload))], "admin", "insert")

    @rule()
    def something_broken(self) -> None:
        kind, payload = self.chance.choice(BROKEN)
        told = [Report(self.any_person(), kind, payload, journal="person")]
        self.tell(told, self.chance.choice(["admin", "ai", "billing"]), self.door())

    @rule()
    def somebody_unknown(self) -> None:
        told = [Report("nobody", "relationship_advanced", {"to": "client", "reason": "x"}, journal="person")]
        self.tell(told, self.chance.choice(["admin", "ai"]), self.door())

    @rule()
    def what_only_leadline_says(self) -> None:
        kind = self.chance.choice(["relationship_joined", "direct_change", "approval_expired"])
        payload = {"approval_id": str(UUID(int=8))} if kind == "approval_expired" else {}
        told = [Report(self.any_person(), kind, payload, journal="person")]
        self.tell(told, self.chance.choice(["admin", "app", "ai"]), self.door())


MET_IN_RELATIONSHIPS = {
    "ai_forbidden", "system_only", "writer_not_allowed", "needs_a_person", "person_is_merged", "unknown_stage",
    "backward_move", "reason_required", "already_there", "superseded", "client_needs_a_person", "approval_pending",
    "approval_settled", "approver_needed", "approval_stale", "approval_has_expired", "signal_expired", "recycled_until",
}  # fmt: skip


@pytest.mark.slow
def test_database_and_model_agree_on_random_relationships(database: Database) -> None:
    tell_histories(database, RelationshipHistory, histories=60, steps=25, objections=MET_IN_RELATIONSHIPS)


# -- deals and customers

PACKET: Payload = {"amount": 900, "close_date": "2027-03-01"}
CONFIRMED: Payload = {
    "to_stage": "proposal", "problem": "slow", "decision_process": "board", "next_step": "demo", "next_step_on": "2027-01-10",
    "contact": 0,
}  # fmt: skip
OF_DEALS: dict[str, list[Payload]] = {
    "opportunity_advanced": [
        *[CONFIRMED] * 3,
        {**CONFIRMED, "contact": 1, **PACKET},
        {**CONFIRMED, "next_step": "visit"},
        *({k: v for k, v in CONFIRMED.items() if k != missing} for missing in ("problem", "next_step_on", "contact")),
        {"to_stage": "proposal"},
        {**CONFIRMED, "problem": " "},
        {**CONFIRMED, "to_stage": "closedwon"},
        {**CONFIRMED, "contact": str(UUID(int=8))},
        {"to_stage": "proposal", "amount": 0},
    ],
    "opportunity_won": [{}, {}, PACKET, PACKET, {**PACKET, "amount": 0}, {"amount": 5}, {**PACKET, "approve": True}, {"approve": True}],
    "opportunity_lost": LOST,
    "amount_changed": [
        {"amount": 100}, PACKET, {**PACKET, "currency": "EUR"}, {"amount": None}, {"amount": 0}, {"amount": 0.01, "currency": "JPY"},
        {"amount": None, "currency": "EUR", "close_date": None},
    ],
    "opportunity_assigned": [{"assigned_user_id": who} for who in (None, "member", "admin", str(UUID(int=7)))],
    "contact_role_set": [
        {"person_id": 0, "role": "decision maker"}, {"person_id": 1, "role": "end user"}, {"person_id": 0, "role": None},
        {"person_id": 1, "role": "boss"}, {"person_id": str(UUID(int=8)), "role": "nobody"},
    ],
    "stage_corrected": [
        *({"to_stage": to, "reason": "data_repair"} for to in ("evaluation", "evaluation", "proposal", "closedwon", "withdrawn", "warm")),
        *({"to_stage": "closedlost", "reason": "wrong_record", **lost} for lost in LOST[:6]),
        *({"to_stage": "evaluation", "reason": reason} for reason in (None, " ", "other", "typo")),
    ],
    "conversion_undone": [{}],
    "opportunity_opened": [{"pipeline": "expansion", "person_id": 0}],
}  # fmt: skip
MALFORMED_DEALS: list[tuple[str, Payload]] = [
    ("opportunity_won", {"amount": -1}),
    ("opportunity_won", {"close_date": "soon"}),
    ("opportunity_won", {"close_date": "2027-02-30"}),
    ("opportunity_advanced", {}),
    ("amount_changed", {}),
    ("amount_changed", {"amount": "5"}),
    ("opportunity_assigned", {}),
    ("contact_role_set", {"person_id": str(UUID(int=8))}),
    ("contact_role_set", {"role": "other"}),
    ("deal_won", {}),
    ("payment_failed", {}),
]
PERIODS = [
    ("2026-01-01", "2027-01-01"),
    ("2027-01-01", "2028-01-01"),
    ("2026-06-01", "2027-06-01"),
    ("2026-01-01", "2026-01-01"),
    ("2025-01-01", "2026-01-01"),
    ("2026-01-01", "2026-07-01"),
]
OF_CUSTOMERS: dict[str, list[Payload]] = {
    "payment_succeeded": [{}, {"amount": 10, "currency": "EUR"}],
    "payment_failed": [{}],
    "subscription_cancelled": [{}, {"reason": "too dear"}],
    "renewal_opened": [{"period_start": start, "period_end": end} for start, end in PERIODS],
    "renewal_renewed": [{}, *({"period_start": start} for start, _ in PERIODS)],
    "renewal_churned": [
        {"reason": "left"},
        {},
        *({"period_start": start, "reason": "left"} for start, _ in PERIODS),
    ],
    "subscription_started": [{"person_id": 0}],
    "direct_change": [{}],
}
MALFORMED_CUSTOMERS: list[tuple[str, Payload]] = [
    ("renewal_opened", {"period_start": "2026-01-01"}),
    ("renewal_opened", {"period_start": "2026-01-01", "period_end": "later"}),
    ("payment_failed", {"amount": -1}),
    ("opportunity_won", {}),
]


WRONG_DEALS: list[tuple[str, list[Payload]]] = [
    ("opportunity_lost", LOST[4:]),
    ("stage_corrected", [{"to_stage": "evaluation", "reason": reason} for reason in (None, "other", "typo")]),
    ("stage_corrected", [{"to_stage": "warm", "reason": "data_repair"}]),
    ("opportunity_advanced", [{"to_stage": "closedwon"}]),
    ("opportunity_assigned", [{"assigned_user_id": str(UUID(int=7))}]),
    ("opportunity_opened", OF_DEALS["opportunity_opened"]),
    ("conversion_undone", [{}]),
]


class DealsHistory(LayersTelling):
    """Deals of both pipelines and what is paid for, of people who write in meanwhile."""

    def begin(self) -> None:
        self.set_up(workflow=self.chance.choice(["sales", "qualification"]))
        owner = self.plain(self.people["admin"])
        self.ask(
            "select leadline.set_account(%s, 'big.example', 'Big', 'prospect', %s)", self.workspace, owner
        )
        self.book.accounts["big.example"] = Account("prospect", owner)
        told = [Report(None, ENQUIRY, {"email": a}) for a in ("kim@big.example", "lee@example.com")]
        self.tell(told, "app", "insert")
        self.open_a_deal(PACKET)

    def open_a_deal(self, more: Payload) -> None:
        payload = {"pipeline": "new_business", "person_id": str(self.persons[1]), **more}
        self.tell([Report(None, "opportunity_opened", payload, journal="opportunity")], "admin", "insert")

    def about(self, name: str, kinds: dict[str, list[Payload]], kind: str | None = None) -> Report:
        """An activity in the history of a deal or a customer."""
        subject: Any = self.book.subject(name)
        kind = kind or self.any_of(kinds)
        journal = name.partition(" ")[0]
        return Report(
            name,
            kind,
            self.fill(self.chance.choice(kinds[kind])),
            self.chance.choice(REFERENCES),
            self.when(subject.stage_entered_at),
            journal,
        )

    @precondition(lambda self: len(self.book.opportunities) < 4)
    @rule()
    def a_deal_is_opened(self) -> None:
        payload: Payload = {
            "pipeline": self.chance.choice(["new_business", "expansion", "expansion", "ski_lessons"]),
            "person_id": self.chance.randint(0, 2),
        }
        if self.chance.random() < 0.5:
            payload |= self.chance.choice(
                [PACKET, {"amount": 0}, {"close_date": "2027-03-01"}, {"amount": 7, "currency": "EUR"}]
            )
        if self.chance.random() < 0.3:
            payload["assigned_user_id"] = self.chance.choice(["member", "admin", str(UUID(int=7))])
        if self.chance.random() < 0.1:
            payload["person_id"] = str(UUID(int=8))
        at = self.chance.choice([None, self.now - DAYS])
        told = [
            Report(
                None,
                "opportunity_opened",
                self.fill(payload),
                self.chance.choice([None, "b-1", "r-1"]),
                at,
                "opportunity",
            )
        ]
        self.tell(told, self.chance.choice([*USUAL, "importer"]), self.door())

    @rule()
    def of_a_deal(self) -> None:
        name = self.any_of(self.book.opportunities)
        for _ in range(self.chance.randint(2, 5)):
            who = self.chance.choice([*USUAL, "admin", "admin", "app", "app"])
            self.tell([self.about(name, OF_DEALS)], who, self.door())

    @rule()
    def everything_that_is_refused(self) -> None:
        """Every wrong reason, stage and amount, and what comes late, in some order."""
        deals = self.book.opportunities
        name = self.any_of([n for n, deal in deals.items() if deal.status == "open"] or deals)
        told = [
            Report(name, kind, self.fill(payload), journal="opportunity")
            for kind, wrong in WRONG_DEALS
            for payload in wrong
        ]
        late = deals[name].stage_entered_at - DAYS
        told.append(Report(name, "opportunity_advanced", self.fill(CONFIRMED), None, late, "opportunity"))
        self.chance.shuffle(told)
        self.tell(told, self.chance.choice(["admin", "app", "app for an admin"]), "insert")

    @rule()
    def a_deal_goes_on(self) -> None:
        name = self.any_of(self.book.opportunities)
        kinds = [
            "opportunity_advanced",
            "opportunity_won",
            "amount_changed",
            "stage_corrected",
            "opportunity_won",
        ]
        told = [self.about(name, OF_DEALS, kind) for kind in kinds[: self.chance.randint(1, 5)]]
        told = [Report(r.lead, r.type, r.payload, None, None, r.journal) for r in told]
        self.tell(
            told, self.chance.choice(["admin", "admin", "owner", "member", "app for an admin"]), "insert"
        )

    @rule()
    def something_broken(self) -> None:
        if self.book.subscriptions and self.chance.random() < 0.5:
            kind, payload = self.chance.choice(MALFORMED_CUSTOMERS)
            told = Report(self.any_of(self.book.subscriptions), kind, payload, journal="subscription")
        else:
            kind, payload = self.chance.choice(MALFORMED_DEALS)
            told = Report(self.any_of(self.book.opportunities), kind, payload, journal="opportunity")
        self.tell([told], self.chance.choice(["admin", "billing", "ai"]), self.door())

    @rule()
    def of_nothing(self) -> None:
        journal, kind = self.chance.choice(
            [("opportunity", "opportunity_won"), ("subscription", "payment_failed")]
        )
        told = Report(self.chance.choice([None, "nobody"]), kind, {}, journal=journal)
        self.tell([told], self.chance.choice(["admin", "billing"]), self.door())

    @precondition(lambda self: len(self.book.subscriptions) < 3)
    @rule()
    def somebody_subscribes(self) -> None:
        payload: Payload = {"person_id": self.chance.randint(0, 2)}
        if self.chance.random() < 0.5:
            payload["plan"] = self.chance.choice(["basic", " "])
        if self.chance.random() < 0.7:
            payload["trial"] = self.chance.choice([True, True, False])
        told = [
            Report(
                None,
                "subscription_started",
                self.fill(payload),
                self.chance.choice([None, "s-1"]),
                self.chance.choice([None, self.now - DAYS]),
                "subscription",
            )
        ]
        self.tell(
            told, self.chance.choice(["billing", "billing", "billing", "admin", "app", "ai"]), self.door()
        )

    @precondition(lambda self: self.book.subscriptions)
    @rule()
    def of_a_customer(self) -> None:
        name = self.any_of(self.book.subscriptions)
        told = [self.about(name, OF_CUSTOMERS) for _ in range(self.chance.choice([1, 2, 4]))]
        door = self.door() if len(told) == 1 else "insert"
        self.tell(told, self.chance.choice([*["billing"] * 6, "admin", "app", "ai"]), door)

    @precondition(lambda self: self.book.subscriptions)
    @rule()
    def a_customer_leaves(self) -> None:
        name = self.any_of(self.book.subscriptions)
        kinds = ["subscription_cancelled", *self.chance.sample(sorted(OF_CUSTOMERS), 4)]
        told = [self.about(name, OF_CUSTOMERS, kind) for kind in kinds]
        self.tell([replace(r, occurred_at=None, reference=None) for r in told], "billing", "insert")

    @precondition(lambda self: self.book.subscriptions)
    @rule()
    def a_renewal(self) -> None:
        name = self.any_of(self.book.subscriptions)
        told = [
            self.about(
                name,
                OF_CUSTOMERS,
                self.chance.choice(
                    ["renewal_opened", "renewal_opened", "renewal_renewed", "renewal_churned"]
                ),
            )
            for _ in range(3)
        ]
        self.tell(told, "billing", "insert")

    @precondition(lambda self: len(self.book.leads) < 6)
    @rule()
    def somebody_writes_in(self) -> None:
        """Routed to who owns the deal or the account."""
        payload = {"email": self.chance.choice(["kim@big.example", "lee@example.com", "pat@big.example"])}
        if self.chance.random() < 0.3:
            payload["workflow"] = "appointment"
        self.tell([Report(None, ENQUIRY, payload)], "app", "insert")

    @rule()
    def a_lead_is_converted(self) -> None:
        """Into a new deal, or one there is; and perhaps back."""
        name = self.any_of(self.book.leads)
        kinds = [
            ("request_accepted", {}),
            ("lead_qualified", QUALIFY),
            (
                "lead_converted",
                self.chance.choice([{}, PACKET, {"opportunity_id": 0}, {"opportunity_id": 1}]),
            ),
        ]
        told = [Report(name, kind, self.fill(payload)) for kind, payload in kinds]
        if self.chance.random() < 0.4:
            told.append(Report(name, "stage_corrected", {"to_stage": "connected", "reason": "wrong_record"}))
        self.tell(told, self.chance.choice(["admin", "member"]), "insert")

    @rule()
    def somebody_moves_on(self) -> None:
        told = [
            Report(
                f"person {self.any_of(self.book.people)}",
                "relationship_advanced",
                {"to": self.chance.choice(ORDER), "reason": "x"},
                journal="person",
            )
        ]
        self.tell(told, "admin", "insert")

    @precondition(lambda self: self.book.approvals)
    @rule()
    def an_answer(self) -> None:
        approval = self.chance.choice(self.book.approvals)
        named = next(i for i, place in self.book.approval_ids.items() if place == approval.place)
        kind = self.chance.choice(["approval_granted", "approval_granted", "approval_declined"])
        self.tell(
            [Report(f"person {approval.person}", kind, {"approval_id": named}, journal="person")],
            "admin",
            "insert",
        )

    @rule()
    def leads_are_merged(self) -> None:
        told = Report(
            self.any_of(self.book.leads), "leads_merged", self.fill({"into": self.chance.randint(0, 3)})
        )
        self.tell([told], "admin", "insert")


MET_IN_DEALS = {
    "ai_forbidden", "system_only", "writer_not_allowed", "needs_a_person", "not_first", "unknown_stage", "evidence_required",
    "won_needs_proposal", "already_there", "opportunity_is_won", "opportunity_is_lost", "correction_needs_admin",
    "correction_goes_forward", "reason_required", "unknown_correction_reason", "notes_required", "lost_reason_required",
    "unknown_lost_reason", "won_value_needs_admin", "deal_value_required", "unknown_assignee", "no_change", "superseded",
    "client_needs_a_person", "period_malformed", "no_open_cycle", "subscription_is_cancelled", "already_converted",
    "unknown_contact_role",
}  # fmt: skip


@pytest.mark.slow
def test_database_and_model_agree_on_random_deals_and_customers(database: Database) -> None:
    tell_histories(database, DealsHistory, histories=60, steps=25, objections=MET_IN_DEALS)
