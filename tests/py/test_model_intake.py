"""Random enquiries to one workspace, told to PostgreSQL and to the model: whom each meets, makes, is sent to.

The histories are the same in every run; LEADLINE_SEED and LEADLINE_HISTORIES as in test_model.py.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import note
from hypothesis.stateful import precondition, rule

from tests.databases import Database
from tests.py.model import TOUCHES_OUT, Payload, Report
from tests.py.model_intake import ENQUIRY, REQUEST_CLASSES, Account
from tests.py.test_model import USUAL, History, tell_histories

SEE_ALL = "update leadline.workspaces set members_see_all = %s where workspace_id = %s returning 1"
MOST_LEADS = 9
# One mailbox a line, in the spellings that people use; a tag or a dot makes another address of it.
MAILBOXES = [
    ["kim@example.com", " KIM@Example.com\n", "\u00a0kim@exam\u200bple.com\ufeff", "kim+fb@example.com", "Kim+x@example.com"],
    ["l.ead@gmail.com", "lead@gmail.com", "Le.Ad+shop@GMAIL.com", "\tl.ead@gmail.com"],
    ["l.ead@example.com", "lead@example.com"],
    ["\u00e9va@example.com", "E\u0301VA@EXAMPLE.COM"],
    ["bob@rival.example", "Bob+1@RIVAL.example"],
    ["pat@partner.example", "pat@sub.partner.example"],
    ["cleo@customer.example", " CLEO@customer.example"],
]  # fmt: skip
NUMBERS = [
    ["+1 650 253 0000", "+1-650-253-0000", "001 (650) 253-0000", "+16502530000 ext. 7", "\u00a0+16502530000"],
    ["+45 12 34 56 78", "004512345678"],
    ["650 253 0000"],
    ["4.41E+11", "none"],
]  # fmt: skip
COMPANIES = (
    ("rival.example", "competitor"),
    ("partner.example", "partner"),
    ("customer.example", "customer"),
)
WORDS: dict[str, list[Any]] = {
    "name": ["Kim", "  ", None],
    "company": ["Acme", "Acme & Sons"],
    "message": ["How much is it?"],
    "source": ["web", "fair"],
    "budget": ["5 k", 5000, 0.5],
    "external_id": ["f-1"],
    "assigned_user_id": ["member", "admin", "admin", str(UUID(int=7))],
    "deal_value": [0, 100, 99.95],
    "currency": ["EUR"],
}
WORKFLOWS = ["sales", "sales", "appointment", "qualification", "ski_lessons"]
MET = {
    "active_lead_exists", "unknown_request_class", "unknown_exclusion", "merge_needs_admin", "merged_into_itself",
    "already_merged", "survivor_must_be_open", "not_merged", "excluded", "already_closed", "superseded", "lead_is_won",
    "already_resolved", "no_change",
}  # fmt: skip


class IntakeHistory(History):
    """Up to nine leads of people who write in again and again, in every spelling of their address."""

    def begin(self) -> None:
        """A workspace that knows three companies."""
        self.book.workflow = self.chance.choice(["sales", "sales", "appointment"])
        self.ask(
            "update leadline.workspaces set default_workflow = %s where workspace_id = %s returning 1",
            self.book.workflow, self.workspace,
        )  # fmt: skip
        for domain, kind in COMPANIES:
            owner = self.chance.choice([None, "admin", "member"])
            user_id = owner and self.people[owner]
            self.ask(
                "select leadline.set_account(%s, %s, %s, %s, %s)",
                self.workspace, domain, domain.title(), kind, user_id,
            )  # fmt: skip
            self.book.accounts[domain] = Account(kind, self.plain(user_id))
        self.tell(
            [Report(None, ENQUIRY, {"email": "kim@example.com", "phone": "+16502530000"})], "app", "insert"
        )

    # -- enquiries

    def enquiry(self, mailbox: list[str] | None = None) -> Report:
        """Somebody writes in."""
        payload = self.fill(
            {k: self.chance.choice(v) for k, v in WORDS.items() if self.chance.random() < 0.15}
        )
        if self.chance.random() < 0.2:
            payload["request_class"] = self.chance.choice([*sorted(REQUEST_CLASSES), *["hello"] * 5])
        if self.chance.random() < 0.85:
            payload["email"] = self.chance.choice(mailbox or self.chance.choice(MAILBOXES))
        if self.chance.random() < 0.4:
            payload["phone"] = self.chance.choice(self.chance.choice(NUMBERS))
        if self.chance.random() < 0.4:
            payload["workflow"] = self.chance.choice(WORKFLOWS)
        if self.chance.random() < 0.08:
            payload["exclusion"] = self.chance.choice(["test", "spam", "spam", "boring"])
        at = None
        if self.chance.random() < 0.2:
            at = self.now - timedelta(seconds=self.chance.choice([0, 59, 3600, 10**6]))
        return Report(None, ENQUIRY, payload, self.chance.choice([*[None] * 12, "e-1", "e-2", "r-1"]), at)

    @precondition(lambda self: len(self.book.leads) < MOST_LEADS)
    @rule()
    def somebody_writes_in(self) -> None:
        door = self.chance.choice(["insert", "log_activity", "log_activity", "raise"])
        self.tell([self.enquiry()], self.chance.choice([*USUAL, "app", "importer"]), door)

    @precondition(lambda self: len(self.book.leads) < MOST_LEADS)
    @rule()
    def the_same_person_writes_in_again(self) -> None:
        mailbox = self.chance.choice(MAILBOXES[:3])
        told = [self.enquiry(mailbox) for _ in range(self.chance.randint(2, 3))]
        self.tell(told, self.chance.choice(["app", "app", "admin", "member", "ai"]), "insert")

    @precondition(lambda self: len(self.book.leads) < MOST_LEADS)
    @rule()
    def several_write_in_at_once(self) -> None:
        told = [self.enquiry() for _ in range(self.chance.randint(2, 4))]
        self.tell(told, self.chance.choice(["app", "app", "admin"]), "insert")

    @precondition(lambda self: len(self.book.leads) < MOST_LEADS)
    @rule()
    def a_member_reports_somebody_whose_lead_they_do_not_see(self) -> None:
        """It is appended, and they are told that it was received, and nothing of the lead."""
        report = replace(self.enquiry(), reference=None)
        note(f"member, who sees only their own: {report}")
        member = str(self.people["member"])
        seen = {name: lead.assigned_user_id == member for name, lead in self.book.leads.items()}
        self.ask(SEE_ALL, False, self.workspace)
        database = self.outcome(lambda: self.say([report], "member", "log_activity"))
        self.ask(SEE_ALL, True, self.workspace)
        clock = self.read_fresh_rows()
        self.book.members_see_all = False
        model = self.outcome(lambda: self.book.statement([report], self.writer("member"), clock))
        self.book.members_see_all = True
        if database == model:
            self.compare()
            return
        [answer], [(row, _)] = database, model
        if seen.get(row.lead, True):
            assert self.answer(answer) == (row.lead, row.seq, row.verdict, row.rule, row.to_stage, False)
        else:
            told = {"verdict": "noted", "rule": "received", "replayed": False}
            assert answer == {"lead_id": None, "seq": None, "to_stage": None, **told}
        self.compare()

    @rule()
    def somebody_writes_in_about_a_lead(self) -> None:
        report = replace(self.enquiry(), lead=self.any_lead())
        self.tell(
            [report], self.chance.choice(USUAL), self.chance.choice(["insert", "log_activity", "raise"])
        )

    # -- what makes leads meet otherwise

    @rule()
    def a_deal_ends_and_they_write_in(self) -> None:
        name = self.any_lead()
        address = self.book.leads[name].email
        ends = ["deal_lost", "deal_lost", "deal_lost", "deal_won", "lead_archived", "refused", "dnc"]
        payload: Payload = {"lost_reason": "Price"}
        told = [Report(name, self.chance.choice(ends), payload)]
        if address is not None and len(self.book.leads) < MOST_LEADS:
            told.append(Report(None, ENQUIRY, {"email": f" {address.upper()} "}))
            told.append(Report(name, "lead_unarchived"))
        self.tell(told, "admin", "insert")

    @rule()
    def a_deal_is_brought_on(self) -> None:
        name, payload = self.any_lead(), {"deal_value": 100}
        told = [
            Report(name, "proposal_sent", payload),
            Report(name, "deal_won"),
            Report(name, "lead_archived"),
        ]
        self.tell(told[: self.chance.randint(1, 3)], "admin", "insert")

    @rule()
    def a_lead_comes_back(self) -> None:
        """Often one whose address has another open lead by now."""
        closed = [n for n, lead in self.book.leads.items() if lead.workflow == "sales" and not lead.is_open]
        name = self.chance.choice(sorted(closed) or sorted(self.book.leads))
        ways = [
            Report(name, "lead_reopened", {"to_stage": "contacted"}),
            Report(name, "lead_unarchived"),
            Report(name, "stage_corrected", {"to_stage": "new", "reason": "wrong_record"}),
        ]
        self.tell(
            [self.chance.choice(ways)], self.chance.choice(["admin", "admin", "member", "app"]), "insert"
        )

    @rule()
    def somebody_answers(self) -> None:
        names = sorted(self.book.leads)
        if self.chance.random() < 0.3:  # who was turned away is spoken to as well
            names = [n for n in names if self.book.leads[n].workflow == "qualification"] or names
        name, kind = self.chance.choice(names), self.chance.choice(sorted(TOUCHES_OUT))
        at = self.chance.choice([None, None, self.now, self.now - timedelta(hours=1)])
        self.tell([Report(name, kind, {}, None, at)], self.chance.choice(["member", "app"]), "insert")

    @rule()
    def an_address_changes(self) -> None:
        payload = {"email": self.chance.choice([None, *self.chance.choice(MAILBOXES)])}
        if self.chance.random() < 0.4:
            payload["phone"] = self.chance.choice([None, *self.chance.choice(NUMBERS)])
        self.tell([Report(self.any_lead(), "contact_changed", payload)], self.chance.choice(USUAL), "insert")

    @rule()
    def a_candidate_is_looked_at(self) -> None:
        report = Report(self.any_lead(), "possible_duplicate_dismissed")
        self.tell([report], self.chance.choice([*USUAL, "importer"]), "log_activity")

    @rule()
    def leads_are_merged(self) -> None:
        told = []
        for _ in range(self.chance.randint(1, 3)):
            into: Any = self.chance.randint(0, MOST_LEADS - 1)
            closed = [name for name, lead in self.book.leads.items() if not lead.is_open]
            if closed and self.chance.random() < 0.3:
                into = str(self.id_of(self.chance.choice(closed)))
            told.append(Report(self.any_lead(), "leads_merged", self.fill({"into": into})))
        self.tell(told, self.chance.choice(["admin", "admin", "owner", "app for an admin", *USUAL]), "insert")

    @rule()
    def leads_are_unmerged(self) -> None:
        self.tell(
            [Report(self.any_lead(), "leads_unmerged")],
            self.chance.choice(["admin", "owner", *USUAL]),
            "insert",
        )

    @precondition(lambda self: len(self.book.leads) < MOST_LEADS)
    @rule()
    def a_lead_is_made_otherwise(self) -> None:
        given = {
            k: v
            for k, v in self.enquiry().payload.items()
            if k not in {"request_class", "exclusion", "budget"}
        }
        if self.chance.random() < 0.5:
            self.tell([Report(None, "lead_created", given)], self.chance.choice(USUAL), "insert")
            return
        given |= {"stage": self.chance.choice(["new", "new", "lost", "sale", "dnc"]), "lost_reason": "Timing"}
        given |= {"entered_at": datetime(2026, 1, 9, tzinfo=UTC).isoformat()}
        self.tell([Report(None, "lead_imported", given)], "importer", "insert")


@pytest.mark.slow
def test_database_and_model_agree_on_random_enquiries(database: Database) -> None:
    tell_histories(database, IntakeHistory, histories=80, steps=25, objections=MET)
