"""Random programs of everybody in two workspaces that hold the same ids: each answer, through SQL and through
HTTP, is the one that the administrator gets for the same question with the agreed rows spelled out.

A program is five to ten steps: reads, reports, reassignments, settings, people leaving and coming back, tokens
ending. What somebody does to a lead, a person, a deal or a subscription that they do not see is PT404 and leaves
no trace. The programs are the same in every run. LEADLINE_SEED=17 tells others, LEADLINE_PROGRAMS=5000 tells more.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlencode
from uuid import UUID, uuid4

import httpx
import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.databases import Database
from tests.py.programs import (
    BLIND,
    LOG_IN_JOURNAL,
    SIGNAL,
    SUBJECTS,
    Credential,
    Questions,
    Side,
    Sight,
    World,
)
from tests.service import Service, serving
from tests.tenant import faults

PROGRAMS = int(os.environ.get("LEADLINE_PROGRAMS", "500"))
SEED = int(os.environ.get("LEADLINE_SEED", "1"))
PROGRAMS_OF_A_WORLD = 63
PROGRAMS_BETWEEN_TWINS = 4

# What is reported; the words in angle brackets are chosen when it is said.
REPORTS: list[tuple[str, dict[str, Any]]] = [
    ("contact_attempted", {}),
    ("note_added", {"text": "she called"}),
    ("call_completed", {"outcome": "reached", "unknown": {"kept": True}}),
    ("callback_requested", {"callback_at": "2026-02-01T10:00:00Z"}),
    ("appointment_scheduled", {"starts_at": "2026-02-02T10:00:00Z", "appointment_ref": "EV1"}),
    ("appointment_cancel", {"appointment_ref": "EV1"}),
    ("sale", {}),
    ("dnc", {}),
    ("contact_changed", {"email": "lee@example.com", "phone": "+16502530000"}),
    ("deal_value_changed", {"deal_value": 250.5, "currency": "EUR"}),
    ("tag_added", {"tag": "vip"}),
    ("unsubscribed", {"channel": "email"}),
    ("suppression_lifted", {"reason": "she asked"}),
    ("duplicate", {"duplicate_of": "<lead>"}),
    ("duplicate", {"duplicate_of": "<lead>"}),
    ("lead_assigned", {"assigned_user_id": "<person>"}),
    ("lead_assigned", {"assigned_user_id": "<person>"}),
    ("lead_assigned", {"assigned_user_id": "<person>"}),
    ("inbound_enquiry", {"message": "she writes", "external_id": "x-1", "request_class": "quote"}),
    ("inbound_enquiry", {"phone": "+16502530000", "name": "Kim", "exclusion": "spam"}),
    ("inbound_enquiry", {"email": "<address>", "request_class": "nonsense"}),
    ("email_replied", {"text": "yes"}),
    ("proposal_sent", {"deal_value": 70}),
    ("deal_won", {}),
    ("deal_lost", {"lost_reason": "Other", "notes": "too dear"}),
    ("lead_reopened", {"to_stage": "contacted"}),
    ("stage_corrected", {"to_stage": "new", "reason": "other", "notes": "not hers"}),
    ("lead_archived", {}),
    ("lead_unarchived", {}),
    ("possible_duplicate_dismissed", {}),
    ("leads_merged", {"into": "<lead>"}),
    ("leads_merged", {"into": "<lead>", "from": "<lead>", "waiting_since": "2020-01-01T00:00:00Z"}),
    ("leads_unmerged", {}),
    ("lead_resurrected", {}),
    ("person_erased", {}),
]
# The same of people, deals and subscriptions.
REPORTS_OF_LAYERS: list[tuple[str, str, dict[str, Any]]] = [
    ("relationship_activity", "relationship_advanced", {"to": "qualified", "reason": "she replied"}),
    ("relationship_activity", "relationship_advanced", {"to": "client", "reason": "she signed", "approve": True}),
    ("relationship_activity", "relationship_advanced", {"to": "prospect", "reason": "not yet", "backward": True}),
    ("relationship_activity", "relationship_closed", {"reason": "she left"}),
    ("relationship_activity", "relationship_joined", {"from": "<who>"}),
    ("relationship_activity", "approval_granted", {"approval_id": "<approval>"}),
    ("relationship_activity", "approval_granted", {"approval_id": "<approval>"}),
    ("relationship_activity", "approval_declined", {"approval_id": "<approval>", "reason": "no"}),
    ("relationship_activity", "product_signal_seen", {**SIGNAL, "reason": "she invites all"}),
    ("opportunity_activity", "opportunity_opened", {"pipeline": "expansion", "person_id": "<who>"}),
    ("opportunity_activity", "opportunity_opened", {"pipeline": "new_business", "person_id": "<who>", "amount": 5}),
    ("opportunity_activity", "opportunity_advanced", {
        "to_stage": "proposal", "problem": "slow", "decision_process": "she decides", "next_step": "meet",
        "next_step_on": "2031-01-01", "contact": "<who>",
    }),
    ("opportunity_activity", "opportunity_won", {"amount": 9, "close_date": "2031-01-01", "approve": True}),
    ("opportunity_activity", "opportunity_lost", {"lost_reason": "Other", "notes": "too dear"}),
    ("opportunity_activity", "opportunity_assigned", {"assigned_user_id": "<person>"}),
    ("opportunity_activity", "opportunity_assigned", {"assigned_user_id": "<person>"}),
    ("opportunity_activity", "opportunity_assigned", {"assigned_user_id": "<person>"}),
    ("opportunity_activity", "contact_role_set", {"person_id": "<who>", "role": "executive sponsor"}),
    ("opportunity_activity", "stage_corrected", {"to_stage": "evaluation", "reason": "other", "notes": "not so"}),
    ("opportunity_activity", "conversion_undone", {}),
    ("customer_activity", "subscription_started", {"person_id": "<who>"}),
    ("customer_activity", "payment_failed", {}),
    ("customer_activity", "payment_succeeded", {"amount": 5}),
    ("customer_activity", "renewal_opened", {"period_start": "2029-01-01", "period_end": "2030-01-01"}),
    ("customer_activity", "renewal_churned", {"reason": "too dear"}),
]  # fmt: skip
REFERENCES = (None, None, None, None, "r-1", "r-2", "r-3")
INSERT = """
    insert into leadline.lead_activity (lead_id, activity_type, payload, reference, on_behalf_of)
    values (%s, %s, %s, %s, %s)
"""
LOG_ACTIVITY = "select l.verdict, l.lead_id from leadline.log_activity(%s, %s, %s, %s, null, %s) l"
LOG_ACTIVITIES = "select b.result from leadline.log_activities(%s) b order by b.item"
INSERT_OF_LAYERS = """
    insert into leadline.{journal} ({key}, activity_type, payload, reference, on_behalf_of)
    values (%s, %s, %s, %s, %s) returning {key}
"""
FIRST_SINCE = """
    select a.activity_type, a.actor_kind, a.actor_id from leadline.{journal} a
    where a.workspace_id = %s and a.activity_id > %s order by a.activity_id limit 1
"""
LAST_OF_ALL = """
    select greatest((select max(a.activity_id) from leadline.lead_activity a), (select max(a.activity_id) from leadline.relationship_activity a),
        (select max(a.activity_id) from leadline.opportunity_activity a), (select max(a.activity_id) from leadline.customer_activity a),
        (select max(a.activity_id) from leadline.workspace_activity a))
"""
ROWS_SINCE = """
    select a.lead_id, a.activity_type, a.actor_kind, a.actor_id from leadline.lead_activity a
    where a.workspace_id = %s and a.activity_id > %s order by a.activity_id
"""
LAST = "select coalesce(max(a.activity_id), 0) from leadline.lead_activity a where a.workspace_id = %s"
CLAIM = """
    select c.subject_id, c.activity_type from leadline_internal.activity_references c
    where c.workspace_id = %s and c.journal = %s and c.reference = %s
"""
TEAM = {
    "deactivate_member": "select leadline.deactivate_member(%s, %s, %s)",
    "add_member": "select leadline.add_member(%s, %s, %s)",
    "create_token": "select leadline.create_token(%s, %s, %s, %s)",
    "revoke_token": "select leadline.revoke_token(%s, %s)",
    "revoke_login": "select leadline.revoke_login(%s, %s)",
    "merge_people": "select leadline.merge_people(%s, %s)",
    "unmerge_people": "select leadline.unmerge_people(%s)",
    "erase_person": "select leadline.erase_person(%s, %s)",
    "export_person": "select leadline.export_person(%s)",
    "set_account": "select leadline.set_account(%s, %s, %s)",
    "add_webhook_source": "select leadline.add_webhook_source(%s, %s, 'form')",
    "remove_webhook_source": "select leadline.remove_webhook_source(%s, %s)",
}
PERSON = """
    select p.person_id from leadline.people p where p.workspace_id = %s
      and not exists (select from leadline.people o where o.workspace_id = %s and o.person_id = p.person_id) limit 1
"""
SOURCE = "select source_id from leadline.webhook_sources where workspace_id = %s limit 1"
SETTINGS = "insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', %s) returning verdict"
# A lead as GET /v1/leads shows it, asked of the relations that hold what may be seen.
SHOWN = """
    select row_to_json(q) from (
        select {columns}, (select json_build_object('name', c.name, 'company', c.company, 'email', c.email, 'phone', c.phone)
                           from lead_contacts c where c.lead_id = o.lead_id) as contact
        from lead_overview o where {condition}
        order by o.created_at desc, o.lead_id desc) q
"""
IN_JOURNAL = (
    "select row_to_json(q) from (select {columns} from {view} x where x.lead_id = '{lead}' order by x.seq) q"
)
IN_FEED = "select row_to_json(q) from (select x.* from change_feed x where {condition} order by x.transaction_id, x.activity_id) q"


class Said(NamedTuple):
    """One activity as somebody reports it: `lead` is its subject, in whichever journal."""

    lead: UUID | None
    type: str
    payload: dict[str, Any]
    reference: str | None = None
    journal: str = "lead_activity"

    def item(self) -> dict[str, Any]:
        """The activity in JSON."""
        given = {
            "lead_id": self.lead and str(self.lead), "activity_type": self.type, "payload": self.payload,
            "reference": self.reference,
        }  # fmt: skip
        return {key: value for key, value in given.items() if value is not None}


class Got(NamedTuple):
    """The answer to a report: the SQLSTATE of what was raised or '', and the rows or the body."""

    error: str
    answer: Any = None


class Program:
    """A few steps of those who live in a world, each compared with what the agreement says."""

    def __init__(self, world: World, service: Service, chance: Random, met: Counter[str]) -> None:
        self.world, self.service, self.chance, self.met = world, service, chance, met
        self.oracle = world.oracle
        self.story: list[str] = []
        self.seen_before: set[UUID] = set()

    def run(self) -> None:
        """Do the steps; what goes wrong is told with all that went before it."""
        steps = self.chance.choices(list(STEPS), list(STEPS.values()), k=self.chance.randint(5, 10))
        for step in steps:
            self.met[step.__name__] += 1
            try:
                step(self)
            except AssertionError as e:
                raise AssertionError("\n".join([*self.story, str(e)])) from e
            except psycopg.Error as e:
                raise AssertionError("\n".join([*self.story, f"raised {e.sqlstate}: {e}"])) from e

    def note(self, *words: object) -> None:
        """A line of the story."""
        self.story.append(" ".join(str(word) for word in words))

    # -- reading by SQL

    def ask_in_sql(self) -> None:
        """Any question about any relation that the login may read."""
        by = self.anybody()
        questions = Questions(
            self.chance, self.world.columns(by.login), self.some_leads(12), list(by.side.emails),
            [side.id for side in self.world.sides], self.world.deals, self.world.persons,
        )  # fmt: skip
        question = questions.any()
        self.note(by, "asks", question)
        horizon, found = self.ask(by, question)
        assert sorted(map(repr, found)) == sorted(
            map(repr, self.oracle.ask(question, by.sight(False), horizon))
        )
        self.met[f"SQL answers {'with' if found and found != [(0, 0)] else 'without'} rows"] += 1

    def ask(self, by: Credential, question: str) -> tuple[str, list[tuple[Any, ...]]]:
        """The answer, and the transaction before which the change feed was complete."""
        connection = self.world.connection(by.login)
        if "change" not in question:
            return "9223372036854775807", self.sql(by, question)
        with connection.transaction():
            connection.execute("set transaction isolation level repeatable read")
            [(horizon,)] = self.sql(by, "select pg_snapshot_xmin(pg_current_snapshot())::text")
            return horizon, self.sql(by, question)

    def ask_what_is_not_granted(self) -> None:
        """A column beyond the login's rights is refused, not shown empty."""
        by = self.chance.choice(self.side().of_role("analyst", "member", "ai"))
        readable = self.world.columns(by.login)
        hidden = [
            (r, c) for r, known in self.oracle.columns.items() for c in known if c not in readable.get(r, {})
        ]
        assert ("api_tokens", "token_hash") in hidden
        relation, column = self.chance.choice(hidden)
        self.note(by, "asks for", relation, column)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            self.sql(by, f"select x.{column} from leadline.{relation} x")

    def ask_functions(self) -> None:
        """current_workspace() and is_suppressed(), of leads seen, unseen, foreign and unknown."""
        by = self.anybody()
        sight = by.sight(False)
        self.note(by, "asks the functions")
        assert self.sql(by, "select leadline.current_workspace()") == [(sight.workspace,)]
        suppressed = dict(self.oracle.ask("select lead_id, is_suppressed from lead_overview", sight))
        ask = "select leadline.is_suppressed(%s, %s)"
        [(unknown,)] = self.sql(by, ask, by.side.id, uuid4())
        for lead in self.some_leads(4):
            assert self.sql(by, ask, by.side.id, lead) == [(suppressed.get(lead, unknown),)], lead
            assert self.sql(by, ask, self.world.other(by.side).id, lead) == [(None,)], lead

    def follow_the_feed_in_sql(self) -> None:
        """Pages of changes_after(), from anybody's cursor."""
        by, limit = self.anybody(), self.chance.choice([3, 25, 100])
        cursor = start = self.chance.choice(self.world.cursors)
        self.note(by, "follows the feed in SQL from", cursor, "by", limit)
        before, found = self.oracle.horizon(), []
        for _ in range(3):
            page = self.sql(
                by, "select f.cursor, f.change from leadline.changes_after(%s, %s) f", cursor, limit
            )
            found += [change for _, change in page]
            if len(page) < limit:
                break
            cursor = page[-1][0]
        self.compare_feed(by.sight(False), start, found, before, complete=len(page) < limit)
        self.world.cursors.append(cursor)

    def compare_feed(
        self, sight: Sight, start: str | None, found: list[Any], before: str, complete: bool
    ) -> None:
        """A feed read between two moments is a beginning of the later one and, if complete, has all of the
        earlier."""
        condition = "true"
        if start is not None:
            first, *_, last = start.split(":")
            transaction = start.split(":")[1]
            later = f"(x.transaction_id, x.activity_id) > ('{transaction}'::xid8, {last})"
            condition = f"x.activity_id > {last}" if first == "activity" else later
        question = IN_FEED.format(condition=condition)
        whole = [change for (change,) in self.oracle.ask(question, sight, self.oracle.horizon())]
        assert found == whole[: len(found)]
        if complete:
            assert len(found) >= len(self.oracle.ask(question, sight, before))

    # -- reading by HTTP

    def list_over_http(self) -> None:
        """Pages of GET /leads with filters."""
        by = self.anybody()
        given = self.filters(by)
        limit = self.chance.choice([2, 7, 50, 200])
        query = {**{name: value for name, (value, _) in given.items()}, "limit": str(limit)}
        self.note(by, "lists", query)
        condition = " and ".join(condition for _, condition in given.values()) or "true"
        if {"email", "phone"} & given.keys() and not by.sight(True).contacts:
            condition = "false"
        expected = self.oracle.ask(
            SHOWN.format(columns=self.columns("lead_overview", "o"), condition=condition), by.sight(True)
        )
        found, is_whole = self.pages(by, f"/leads?{urlencode(query)}", "leads", limit)
        if found is not None:
            self.compare_pages(found, is_whole, [lead for (lead,) in expected])

    def filters(self, by: Credential) -> dict[str, tuple[str, str]]:
        """Filters of the list: name to value and the condition that it stands for."""
        person = self.chance.choice(list(by.side.emails))
        known = {
            "status": ("open", "o.status = 'open'"),
            "stage": ("attempted", "o.stage = 'attempted'"),
            "is_open": ("false", "not o.is_open"),
            "source": ("web", "o.source = 'web'"),
            "tag": ("vip", "'vip' = any (o.tags)"),
            "assigned_user_id": self.chance.choice(
                [("none", "o.assigned_user_id is null"), (str(person), f"o.assigned_user_id = '{person}'")]
            ),
            "email": (
                "KIM@example.com",
                "o.lead_id in (select lead_id from leads where email_key = 'kim@example.com')",
            ),
            "phone": (
                "+1 650 253 0000",
                "o.lead_id in (select lead_id from leads where phone_key = '+16502530000')",
            ),
            "created_from": ("2026-01-01T00:00:00Z", "o.created_at >= '2026-01-01T00:00:00Z'"),
        }
        return {
            name: known[name]
            for name in self.chance.sample(sorted(known), self.chance.choice([0, 0, 1, 1, 2]))
        }

    def show_over_http(self) -> None:
        """GET /leads/{id}: the lead, or the one answer for what is not there."""
        by, lead = self.anybody(), self.some_lead()
        self.note(by, "shows", lead)
        question = SHOWN.format(columns=self.columns("lead_overview", "o"), condition=f"o.lead_id = '{lead}'")
        expected = self.oracle.ask(question, by.sight(True))
        answer = self.get(by, f"/leads/{lead}")
        if not self.is_turned_away(by, answer) and not self.is_not_there(answer, bool(expected)):
            assert answer.json() == expected[0][0]

    def journal_over_http(self) -> None:
        """GET /leads/{id}/timeline and /history, page by page."""
        by, lead = self.anybody(), self.some_lead()
        path, view = self.chance.choice([("timeline", "lead_timeline"), ("history", "stage_history")])
        limit = self.chance.choice([2, 5, 100])
        self.note(by, "reads the", path, "of", lead, "by", limit)
        columns = self.columns(view, "x", "lead_id")
        expected = self.oracle.ask(IN_JOURNAL.format(columns=columns, view=view, lead=lead), by.sight(True))
        answer = self.get(by, f"/leads/{lead}/{path}")
        if not self.is_turned_away(by, answer) and not self.is_not_there(answer, bool(expected)):
            found, is_whole = self.pages(by, f"/leads/{lead}/{path}?limit={limit}", path, limit)
            assert found is not None
            self.compare_pages(found, is_whole, [row for (row,) in expected])

    def follow_the_feed_over_http(self) -> None:
        """Pages of GET /changes, from anybody's cursor."""
        by, limit = self.anybody(), self.chance.choice([3, 25, 100])
        after = start = self.chance.choice(self.world.cursors)
        self.note(by, "follows the feed over HTTP from", after, "by", limit)
        before, found = self.oracle.horizon(), []
        for _ in range(3):
            query = {"limit": str(limit)} | ({} if after is None else {"after": after})
            answer = self.get(by, f"/changes?{urlencode(query)}")
            if self.is_turned_away(by, answer):
                return
            page = answer.json()
            found += page["changes"]
            if len(page["changes"]) < limit:
                break
            after = page["next"]
        self.compare_feed(by.sight(True), start, found, before, complete=len(page["changes"]) < limit)
        self.world.cursors.append(after)

    def pages(self, by: Credential, path: str, key: str, limit: int) -> tuple[list[Any] | None, bool]:
        """Up to three pages of a list, and whether they are all; None for one who is turned away."""
        found: list[Any] = []
        cursor = ""
        for _ in range(3):
            answer = self.get(by, path + cursor)
            if self.is_turned_away(by, answer):
                return None, True
            page = answer.json()
            assert len(page[key]) == limit or page["next"] is None
            found += page[key]
            if page["next"] is None:
                return found, True
            cursor = f"&cursor={page['next']}"
        return found, False

    @staticmethod
    def compare_pages(found: list[Any], is_whole: bool, expected: list[Any]) -> None:
        """Pages are all there is, or a beginning of it that says so."""
        assert found == (expected if is_whole else expected[: len(found)])
        assert is_whole or len(expected) > len(found)

    # -- reporting

    def report(self) -> None:
        """One activity, by any door."""
        by = self.anybody()
        self.tell(by, self.activity(by), self.chance.choice(sorted(DOORS)))

    def reassign(self) -> None:
        """Somebody who runs the workspace gives a lead to somebody else, or to nobody."""
        by = self.chance.choice(self.side().of_role("owner", "admin", "app"))
        said = Said(self.some_lead(by), "lead_assigned", {"assigned_user_id": self.some_person(by.side)})
        self.tell(by, said, self.chance.choice(sorted(DOORS)))

    def give_away(self) -> None:
        """A member gives a lead of theirs away, gets the answer, and sees it no more."""
        by = self.somebody(self.side().of_role("member"))
        if by is None:
            return
        mine = sorted(self.oracle.visible(by.sight(False)))
        if not mine:
            return
        said = Said(
            self.chance.choice(mine), "lead_assigned", {"assigned_user_id": self.some_person(by.side)}
        )
        self.tell(by, said, "insert returning")
        found = self.sql(by, "select count(*) from leadline.lead_timeline where lead_id = %s", said.lead)
        seen = said.lead in self.oracle.visible(by.sight(False))
        assert (found[0][0] > 0) == seen

    def tell(self, by: Credential, said: Said, door: str) -> None:
        """Report through a door, and compare the answer and what was stored."""
        behalf = self.behalf(by)
        by_token = door.startswith("HTTP")
        self.note(by, "reports", said, "by", door, "on behalf of", behalf)
        expected = self.expected(by, behalf, said, by_token)
        before, last = self.world.traces(), self.oracle.value(LAST, by.side.id)
        got = DOORS[door](self, by, behalf, said)
        after = self.world.traces()
        assert got.error == expected, got
        self.met[f"{expected or 'a row'} by {door}"] += 1
        other = self.world.other(by.side).id
        assert after[other] == before[other], "the other workspace has changed"
        if expected:
            assert after == before, "what was raised has left a trace"
            return
        rows = self.world.admin.execute(ROWS_SINCE, [by.side.id, last]).fetchall()
        if not self.is_claimed(by.side, said):
            assert {row[0] for row in rows} <= self.touched(by.side, said)
        if rows:
            actor = behalf or by.person
            assert rows[0][1:3] == (
                said.type,
                "user" if actor else "ai" if by.role == "ai" else "integration",
            )
            assert actor is None or rows[0][3] == actor

    def touched(self, side: Side, said: Said) -> set[UUID | None]:
        """The leads whose history may grow by a report: its own, and the other one of a merge."""
        others = self.world.admin.execute(
            "select a.lead_id from leadline.lead_activity a join leadline.lead_activity m on m.workspace_id = a.workspace_id"
            " and m.activity_id = a.caused_by where a.workspace_id = %s and m.lead_id = %s and a.writer = 'workflow:merge'",
            [side.id, said.lead],
        )
        return {said.lead, *(lead for (lead,) in others)}

    def expected(self, by: Credential, behalf: UUID | None, said: Said, by_token: bool) -> str:
        """The SQLSTATE that the agreement asks for, '' for an answer; the tests come in its order."""
        role = by.role
        if role == "analyst" and not by_token:
            return "42501"
        if not by.is_known(by_token):
            return "PT401"
        if role == "analyst":
            return "PT403"
        if behalf is not None and ("act_as" not in by.scopes or behalf not in by.side.roles):
            return "PT403"
        visible = self.oracle.visible(self.acting(by, behalf, by_token))
        named = [
            said.lead,
            *(UUID(said.payload[k]) for k in ("duplicate_of", "copied_from", "into") if said.payload.get(k)),
        ]
        if any(lead is not None and lead not in visible for lead in named):
            return "PT404"
        return self.expected_of_reference(by, said, visible)

    def expected_of_reference(self, by: Credential, said: Said, visible: set[UUID]) -> str:
        """A reference that stands for something else is refused; a birth is repeated to who sees its lead."""
        claim = self.claim(by.side, said)
        if claim is None:
            return ""
        lead, activity_type = claim
        if activity_type != said.type or said.lead not in (None, lead):
            return "PT409"
        return "PT404" if lead not in visible else ""

    def claim(self, side: Side, said: Said) -> tuple[UUID, str] | None:
        """The lead and the activity type that the reference stands for."""
        given = [side.id, said.journal, said.reference]
        return self.world.admin.execute(CLAIM, given).fetchone()

    def is_claimed(self, side: Side, said: Said) -> bool:
        """Whether the reference stood for this report before; a birth that names no subject is known by its type."""
        claim = self.claim(side, said)
        return claim is not None and claim[1] == said.type and said.lead in (None, claim[0])

    def acting(self, by: Credential, behalf: UUID | None, by_token: bool) -> Sight:
        """What the author of a report sees: the one who is spoken for, or the one who speaks."""
        if behalf is None:
            return by.sight(by_token)
        return by.side.sight(by.side.roles[behalf], behalf)

    def report_on_layers(self) -> None:
        """One activity of a person, a deal or a subscription, by any door: what is out of sight, as its subject or in
        its payload, is PT404 and leaves no trace."""
        by = self.anybody()
        if self.chance.random() < 0.15:
            by = self.chance.choice(self.side().of_role("billing"))
        journal, activity_type, payload = self.chance.choice(REPORTS_OF_LAYERS)
        said = self.of_layer(by, journal, activity_type, payload)
        self.tell_layer(by, said, self.chance.choice(["insert", "log_in_journal", "HTTP"]), self.behalf(by))

    def give_a_deal_away(self) -> None:
        """A member gives a deal of theirs away, gets the answer, and sees it no more; nor is its repeat answered."""
        by = self.somebody(self.side().of_role("member"))
        mine = [] if by is None else sorted(self.oracle.visible(by.sight(False), "opportunity_activity"))
        if by is None or not mine:
            return
        given = {"assigned_user_id": self.some_person(by.side)}
        said = Said(self.chance.choice(mine), "opportunity_assigned", given, None, "opportunity_activity")
        said = said._replace(reference=self.chance.choice([None, f"g-{said.lead}"]))
        for _ in range(2):
            self.tell_layer(by, said, self.chance.choice(["insert", "log_in_journal"]), None)
            found = self.sql(
                by, "select count(*) from leadline.opportunity_timeline where opportunity_id = %s", said.lead
            )
            seen = said.lead in self.oracle.visible(by.sight(False), "opportunity_activity")
            assert (found[0][0] > 0) == seen

    def of_layer(self, by: Credential, journal: str, activity_type: str, payload: dict[str, Any]) -> Said:
        """Something to report, with its subject and its ids chosen."""
        known = {
            "relationship_activity": self.world.persons, "opportunity_activity": self.world.deals,
            "customer_activity": self.world.subscriptions,
        }  # fmt: skip
        birth = activity_type in ("opportunity_opened", "subscription_started")
        subject = None if birth else self.some_subject(by, journal, known[journal])
        chosen: dict[str, Callable[[], str | None]] = {
            "<who>": lambda: str(self.some_subject(by, "relationship_activity", self.world.persons)),
            "<person>": lambda: self.some_person(by.side),
            "<approval>": lambda: str(self.approval_of(subject)),
        }
        payload = {k: chosen[v]() if isinstance(v, str) and v in chosen else v for k, v in payload.items()}
        reference = self.chance.choice([*REFERENCES, "o-1", "o-2", "o-3"] if birth else REFERENCES)
        return Said(subject, activity_type, payload, reference, journal)

    def some_subject(self, by: Credential, journal: str, known: list[UUID]) -> UUID:
        """One that is seen, one of either workspace, or one that nobody has."""
        seen = sorted(self.oracle.visible(by.sight(False), journal)) if self.chance.random() < 0.5 else []
        return uuid4() if self.chance.random() < 0.05 else self.chance.choice(seen or known)

    def approval_of(self, person: UUID | None) -> UUID:
        """An approval of the person, most often; else anybody's, or an unknown one."""
        found = self.world.admin.execute(
            "select approval_id from leadline.approvals where person_id = %s order by 1", [person]
        ).fetchall()
        if found and self.chance.random() < 0.8:
            return UUID(str(self.chance.choice(found)[0]))
        return self.chance.choice([*self.world.approvals, uuid4()])

    def tell_layer(self, by: Credential, said: Said, door: str, behalf: UUID | None) -> None:
        """Report through a door, and compare the answer and what was stored."""
        self.note(by, "reports", said, "by", door, "on behalf of", behalf)
        expected = self.expected_of_layer(by, behalf, said, door)
        is_claimed = self.is_claimed(by.side, said)
        before, last = self.world.traces(), self.oracle.value(LAST_OF_ALL)
        got = LAYER_DOORS[door](self, by, behalf, said)
        after = self.world.traces()
        assert got.error == expected, got
        self.met[f"{expected or 'a row'} of a layer by {door}"] += 1
        other = self.world.other(by.side).id
        assert after[other] == before[other], "the other workspace has changed"
        if expected or is_claimed:
            assert after == before, "what was raised or repeated has left a trace"
            return
        row = self.world.admin.execute(
            FIRST_SINCE.format(journal=said.journal), [by.side.id, last]
        ).fetchone()
        actor = behalf or by.person
        assert row is not None
        assert row[:2] == (said.type, "user" if actor else "ai" if by.role == "ai" else "integration")
        assert actor is None or row[2] == actor
        if said.lead is None or said.type == "relationship_advanced":
            self.world.known_subjects()

    def expected_of_layer(self, by: Credential, behalf: UUID | None, said: Said, door: str) -> str:
        """The SQLSTATE that the agreement asks for: the subject first, then those whom the payload names."""
        by_token = door == "HTTP"
        expected = self.expected(by, behalf, said._replace(lead=None, payload={}, reference=None), by_token)
        if expected:
            return expected
        sight = self.acting(by, behalf, by_token)
        if said.lead is not None and said.lead not in self.oracle.visible(sight, said.journal):
            return "PT404"
        who = said.payload.get("person_id") or said.payload.get("contact")
        if who and UUID(who) not in self.oracle.visible(sight, "relationship_activity"):
            return "PT404"
        if said.type.startswith("approval_"):
            found = self.world.admin.execute(
                "select from leadline.approvals where workspace_id = %s and person_id = %s and approval_id = %s",
                [by.side.id, said.lead, said.payload["approval_id"]],
            )
            if found.fetchone() is None:
                return "PT404"
        claim = self.claim(by.side, said)
        if claim is not None:
            if not self.is_claimed(by.side, said):
                return "PT409"
            seen = claim[0] in self.oracle.visible(sight, said.journal)
            return "" if seen or door == "insert" else "PT404"  # an insert that is repeated gives no row
        writer = "person" if by.person else by.role
        writers = {"opportunity_opened": {"person", "app"}, "subscription_started": {"billing"}}.get(
            said.type
        )
        return "PT409" if writers is not None and writer not in writers else ""

    def report_many(self) -> None:
        """A batch: each item is answered by itself, and what is not seen is invalid."""
        by = self.anybody()
        over_http = self.chance.random() < 0.5
        behalf = self.behalf(by)
        batch = [self.activity(by)._replace(reference=None) for _ in range(self.chance.randint(1, 5))]
        batch = [said for said in batch if said.type != "lead_assigned"] or [
            Said(uuid4(), "note_added", {"text": "x"})
        ]
        self.note(by, "reports", batch, "over HTTP" if over_http else "in SQL", "on behalf of", behalf)
        expected = [self.expected(by, behalf, said, over_http) for said in batch]
        before = self.world.traces()
        got = (self.batch_over_http if over_http else self.batch_in_sql)(by, behalf, batch)
        after = self.world.traces()
        other = self.world.other(by.side).id
        assert after[other] == before[other], "the other workspace has changed"
        if expected[0] in ("42501", "PT401"):
            assert got.error == expected[0]
        else:
            assert got.error == ""
            assert [r["sqlstate"] if r["verdict"] == "invalid" else "" for r in got.answer] == expected
        if all(expected):
            assert after == before, "what was raised has left a trace"

    def create(self) -> None:
        """A new lead, for oneself, for another, for nobody, or from a lead that may be seen or not."""
        by = self.anybody() if self.chance.random() < 0.7 else self.chance.choice(self.side().of_role("app"))
        door = self.chance.choice(["log_activity", "bare insert", "bare insert returning", "HTTP"])
        behalf = None if door.startswith("bare") else self.behalf(by)
        given = self.birth(by, door)
        self.note(by, "creates", given, "by", door, "on behalf of", behalf)
        expected = self.expected_of_birth(by, behalf, given, door)
        is_repeat = self.claim(by.side, Said(None, "lead_created", {}, given.get("reference"))) is not None
        before, last = self.world.traces(), self.oracle.value(LAST, by.side.id)
        got = BIRTHS[door](self, by, behalf, given)
        after = self.world.traces()
        assert got.error == expected, got
        self.met[f"{expected or 'a lead'} by {door}"] += 1
        other = self.world.other(by.side).id
        assert after[other] == before[other], "the other workspace has changed"
        if expected or is_repeat:
            assert after == before, "what was raised or repeated has left a trace"
            return
        [(lead, *_)] = self.world.admin.execute(ROWS_SINCE, [by.side.id, last]).fetchall()
        self.world.leads.append(lead)
        assert self.oracle.value(
            "select assigned_user_id from leadline.leads where workspace_id = %s and lead_id = %s",
            by.side.id,
            lead,
        ) == self.assignee(by, behalf, given)

    def birth(self, by: Credential, door: str) -> dict[str, Any]:
        """What is said of a new lead."""
        given: dict[str, Any] = {
            "source": "web",
            "email": self.chance.choice(["kim@example.com", "new@example.com"]),
        }
        if self.chance.random() < 0.5:
            given["assigned_user_id"] = self.some_person(by.side)
        if door.startswith("bare"):
            active = {str(person) for person in by.side.roles}
            given = {
                key: value for key, value in given.items() if key != "assigned_user_id" or value in active
            }
        else:
            given["reference"] = self.chance.choice([*REFERENCES, "b-1", "b-2", "b-3"])
            if self.chance.random() < 0.3:
                given["copied_from"] = str(self.some_lead(by))
        return {key: value for key, value in given.items() if value is not None}

    def expected_of_birth(self, by: Credential, behalf: UUID | None, given: dict[str, Any], door: str) -> str:
        """The SQLSTATE for a new lead: one that would not be seen cannot be returned by a bare insert."""
        said = Said(None, "lead_created", given, given.get("reference"))
        expected = self.expected(by, behalf, said, door == "HTTP")
        if expected or self.claim(by.side, said):
            return expected
        assignee = self.assignee(by, behalf, given)
        if by.role in ("ai", "billing") or (assignee is not None and assignee not in by.side.roles):
            return "PT409"
        sight = self.acting(by, behalf, door == "HTTP")
        seen = sight.everything or assignee == sight.person or (assignee is None and sight.unassigned)
        return "42501" if door == "bare insert returning" and not seen else ""

    def assignee(self, by: Credential, behalf: UUID | None, given: dict[str, Any]) -> UUID | None:
        """Whose a new lead is: the one named, else the member's who makes it."""
        if "assigned_user_id" in given:
            return UUID(given["assigned_user_id"])
        author = behalf or by.person
        return author if author and by.side.roles.get(author) == "member" else None

    # -- doors

    def insert_in_layer(self, by: Credential, behalf: UUID | None, said: Said) -> Got:
        is_claimed = self.is_claimed(by.side, said)
        statement = INSERT_OF_LAYERS.format(journal=said.journal, key=SUBJECTS[said.journal][0])
        got = self.try_sql(by, statement, said.lead, said.type, Jsonb(said.payload), said.reference, behalf)
        if not got.error and said.lead is not None:
            assert got.answer == ([] if is_claimed else [(said.lead,)])
        return got

    def log_in_journal(self, by: Credential, behalf: UUID | None, said: Said) -> Got:
        is_claimed = self.is_claimed(by.side, said)
        given = (said.journal, said.lead, said.type, Jsonb(said.payload), said.reference, behalf)
        got = self.try_sql(by, LOG_IN_JOURNAL, *given)
        if not got.error:
            [(answer,)] = got.answer
            assert answer["replayed"] == is_claimed
            assert said.lead is None or answer[SUBJECTS[said.journal][0]] == str(said.lead)
        return got

    def post_to_layer(self, by: Credential, behalf: UUID | None, said: Said) -> Got:
        room = {
            "relationship_activity": "people",
            "opportunity_activity": "opportunities",
            "customer_activity": "subscriptions",
        }[said.journal]
        if said.lead is None:
            named = {} if said.reference is None else {"reference": said.reference}
            return self.post(by, behalf, f"/{room}", said.payload | named, room)
        body = {key: value for key, value in said.item().items() if key != "lead_id"}
        return self.post(by, behalf, f"/{room}/{said.lead}/activities", body, room)

    def insert(self, by: Credential, behalf: UUID | None, said: Said) -> Got:
        return self.try_sql(by, INSERT, said.lead, said.type, Jsonb(said.payload), said.reference, behalf)

    def insert_returning(self, by: Credential, behalf: UUID | None, said: Said) -> Got:
        is_claimed = self.is_claimed(by.side, said)
        statement = f"{INSERT} returning lead_id, verdict"
        got = self.try_sql(by, statement, said.lead, said.type, Jsonb(said.payload), said.reference, behalf)
        if not got.error:
            assert [row[0] for row in got.answer] == ([] if is_claimed else [said.lead])
        return got

    def log_activity(self, by: Credential, behalf: UUID | None, said: Said) -> Got:
        got = self.try_sql(
            by, LOG_ACTIVITY, said.lead, said.type, Jsonb(said.payload), said.reference, behalf
        )
        if not got.error:
            [(verdict, lead)] = got.answer
            assert verdict in ("applied", "noted", "refused")
            assert lead == said.lead
        return got

    def post_activity(self, by: Credential, behalf: UUID | None, said: Said) -> Got:
        body = {key: value for key, value in said.item().items() if key != "lead_id"}
        return self.post(by, behalf, f"/leads/{said.lead}/activities", body)

    def batch_in_sql(self, by: Credential, behalf: UUID | None, batch: list[Said]) -> Got:
        named = {} if behalf is None else {"on_behalf_of": str(behalf)}
        got = self.try_sql(by, LOG_ACTIVITIES, Jsonb([said.item() | named for said in batch]))
        return got if got.error else Got("", [result for (result,) in got.answer])

    def batch_over_http(self, by: Credential, behalf: UUID | None, batch: list[Said]) -> Got:
        got = self.post(by, behalf, "/activities", [said.item() for said in batch])
        return got if got.error else Got("", got.answer["results"])

    def create_by_log_activity(self, by: Credential, behalf: UUID | None, given: dict[str, Any]) -> Got:
        payload = {key: value for key, value in given.items() if key != "reference"}
        return self.try_sql(
            by, LOG_ACTIVITY, None, "lead_created", Jsonb(payload), given.get("reference"), behalf
        )

    def create_bare(self, by: Credential, behalf: UUID | None, given: dict[str, Any], more: str = "") -> Got:
        assert behalf is None
        marks = ", ".join("%s" for _ in given)
        statement = f"insert into leadline.leads ({', '.join(given)}) values ({marks}){more}"
        return self.try_sql(by, statement, *given.values())

    def create_bare_returning(self, by: Credential, behalf: UUID | None, given: dict[str, Any]) -> Got:
        return self.create_bare(by, behalf, given, " returning lead_id")

    def create_over_http(self, by: Credential, behalf: UUID | None, given: dict[str, Any]) -> Got:
        payload = {key: value for key, value in given.items() if key != "reference"}
        said = Said(None, "lead_created", payload, given.get("reference"))
        got = self.post(by, behalf, "/activities", [said.item()])
        if got.error:
            return got
        [result] = got.answer["results"]
        return Got(result["sqlstate"], result["rule"]) if result["verdict"] == "invalid" else Got("", result)

    # -- enquiries

    def write_in(self) -> None:
        """Somebody wrote in, and the enquiry finds its lead: a row for who sees that lead, `received` for who does not."""
        by = self.anybody()
        door = self.chance.choice(sorted(ENQUIRIES))
        behalf = None if door == "insert returning" else self.behalf(by)
        said = Said(None, "inbound_enquiry", {
            "email": self.chance.choice([*self.world.addresses, f"{uuid4().hex}@new.example"]), "message": "hello",
            "workflow": self.chance.choice(["sales", "appointment"]), "phone": self.chance.choice(["+16502530000", "+16502530001"]),
        })  # fmt: skip
        self.note(by, "has an enquiry", said, "by", door, "on behalf of", behalf)
        expected = self.expected(by, behalf, said, door == "HTTP")
        known = set(self.world.leads)
        before, last = self.world.traces(), self.oracle.value(LAST, by.side.id)
        got = ENQUIRIES[door](self, by, behalf, said)
        after = self.world.traces()
        other = self.world.other(by.side).id
        assert after[other] == before[other], "the other workspace has changed"
        rows = self.world.admin.execute(ROWS_SINCE, [by.side.id, last]).fetchall()
        if by.role in ("ai", "billing") and not expected and not rows:
            expected = "PT409"  # a birth, and who may not write has no lead to keep the refusal
        assert got.error == expected, got
        if expected:
            assert after == before, "what was raised has left a trace"
            self.met[f"{expected} for an enquiry"] += 1
            return
        lead, activity_type = rows[0][:2]
        assert activity_type == "inbound_enquiry"
        statement = "select email_key from leadline.leads where workspace_id = %s and lead_id = %s"
        met = lead in known
        if not met:
            self.world.leads.append(lead)
            assert self.oracle.value(statement, by.side.id, lead) == said.payload["email"].lower()
        seen = not met or lead in self.seen_before
        self.met[f"an enquiry {'met a lead' if met else 'made one'}, {'' if seen else 'un'}seen"] += 1
        assert got.answer == (lead if seen else None)

    def enquire_by_insert(self, by: Credential, behalf: UUID | None, said: Said) -> Got:
        self.seen_before = self.seen_by(by, behalf, False)
        statement = f"{INSERT} returning lead_id, verdict"
        got = self.try_sql(by, statement, None, said.type, Jsonb(said.payload), said.reference, behalf)
        return got if got.error else Got("", got.answer[0][0] if got.answer else None)

    def enquire_by_log_activity(self, by: Credential, behalf: UUID | None, said: Said) -> Got:
        self.seen_before = self.seen_by(by, behalf, False)
        statement = "select row_to_json(l) from leadline.log_activity(%s, %s, %s, %s, null, %s) l"
        got = self.try_sql(by, statement, None, said.type, Jsonb(said.payload), said.reference, behalf)
        return got if got.error else Got("", self.found(got.answer[0][0]))

    def enquire_over_http(self, by: Credential, behalf: UUID | None, said: Said) -> Got:
        self.seen_before = self.seen_by(by, behalf, True)
        got = self.post(by, behalf, "/leads", said.payload)
        if got.error:
            return got
        if got.answer["rule"] == "received":
            assert got.answer["lead"] is None
        return Got("", self.found(got.answer))

    def enquire_in_a_batch(self, by: Credential, behalf: UUID | None, said: Said) -> Got:
        self.seen_before = self.seen_by(by, behalf, False)
        got = self.batch_in_sql(by, behalf, [said])
        if got.error:
            return got
        [result] = got.answer
        if result["verdict"] == "invalid":
            return Got(result["sqlstate"], result["rule"])
        return Got("", self.found(result))

    def seen_by(self, by: Credential, behalf: UUID | None, by_token: bool) -> set[UUID]:
        """The leads that the author of a report sees now."""
        if behalf is not None and behalf not in by.side.roles:
            return set()
        return self.oracle.visible(self.acting(by, behalf, by_token))

    @staticmethod
    def found(logged: dict[str, Any]) -> UUID | None:
        """The lead that an enquiry is said to have found; `received` says nothing else."""
        if logged["rule"] != "received":
            return UUID(logged["lead_id"])
        told = {k for k, v in logged.items() if v is not None} - {"lead", "replayed", "sentence", "hint"}
        assert told == {"verdict", "rule", "activity_type"}, logged
        return None

    # -- settings, people, credentials

    def change_settings(self) -> None:
        """Owner and admins set what members see; nobody else does."""
        by = self.anybody()
        key = self.chance.choice(["members_see_all", "members_see_unassigned"])
        value = self.chance.random() < 0.35
        self.note(by, "sets", key, value)
        before = self.world.traces()
        got = self.try_sql(by, SETTINGS, Jsonb({key: value}))
        role = by.role if by.is_known(by_token=False) else "nobody"
        refused = {"analyst": "42501", "nobody": "42501" if by.name.startswith("analyst") else "PT401"}
        if role in ("owner", "admin"):
            assert got.error == ""
            if key == "members_see_all":
                by.side.sees_all = value
            else:
                by.side.sees_unassigned = value
        elif role == "ai":
            assert (got.error, got.answer) == ("", [("refused",)])
        else:
            assert got.error == refused.get(str(role), "PT403")
            assert self.world.traces() == before

    def let_go(self) -> None:
        """A member leaves: their credentials end at once, their leads go to the one named or to nobody."""
        side = self.side()
        by = side.manager()
        leaving = [person for person, role in side.roles.items() if role == "member"]
        if by is None or not leaving:
            return
        person = self.chance.choice(leaving)
        heir = self.chance.choice([None, *(p for p in side.roles if p != person)])
        theirs = self.leads_of(side, person)
        inherited = self.leads_of(side, heir) | theirs
        before = self.world.traces()
        self.note(by, "lets", person, "go; the leads go to", heir)
        [(moved,)] = self.sql(by, TEAM["deactivate_member"], side.id, person, heir)
        after = self.world.traces()
        assert moved == len(theirs)
        deals = (
            "select count(*) from leadline.opportunities where workspace_id = %s and assigned_user_id = %s"
        )
        assert self.oracle.value(deals, side.id, person) == 0
        del side.roles[person]
        for credential in side.credentials:
            if credential.person == person:
                credential.login_is_good = credential.token_is_good = False
        assert self.leads_of(side, person) == set()
        assert self.leads_of(side, heir) == inherited
        other = self.world.other(side).id
        assert after[other] == before[other], "the same person works on in the other workspace"

    def leads_of(self, side: Side, person: UUID | None) -> set[UUID]:
        """The leads that are assigned to somebody, or to nobody."""
        statement = "select lead_id from leadline.leads where workspace_id = %s and assigned_user_id is not distinct from %s"
        return {lead for (lead,) in self.world.admin.execute(statement, [side.id, person])}

    def take_back(self) -> None:
        """Somebody who left returns; what they had ended stays ended until they get new credentials."""
        side = self.side()
        by = side.manager()
        if by is None or not side.gone():
            return
        person = self.chance.choice(side.gone())
        self.note(by, "takes", person, "back")
        assert self.sql(by, TEAM["add_member"], side.id, side.emails[person], "member") == [(person,)]
        side.roles[person] = "member"
        for credential in side.credentials:
            if credential.person == person and self.chance.random() < 0.8:
                self.renew(by, credential)

    def renew(self, by: Credential, credential: Credential) -> None:
        """A new token from the workspace's own admin, and the login bound again by the administrator."""
        self.world.give_token(credential, lambda *given: self.sql(by, TEAM["create_token"], *given)[0][0])
        self.world.bind_login(credential)

    def renew_somebody(self) -> None:
        """Credentials that had ended are replaced."""
        side = self.side()
        by = side.manager()
        ended = [c for c in side.credentials if c.role and not (c.token_is_good and c.login_is_good)]
        if by is not None and ended:
            # An admin gives nobody a role above their own.
            credential = self.chance.choice(ended)
            if credential.role != "owner" or by.role == "owner":
                self.note(by, "renews", credential)
                self.renew(by, credential)

    def change_role(self) -> None:
        """An admin becomes a member or a member an admin: less at once by any credential, more by a new token."""
        side = self.side()
        by = side.manager("owner")
        others = [person for person, role in side.roles.items() if role != "owner"]
        if by is None or not others:
            return
        person = self.chance.choice(others)
        role = self.chance.choice(["admin", "member", "member"])
        self.note(by, "makes", person, role)
        assert self.sql(by, TEAM["add_member"], side.id, side.emails[person], role) == [(person,)]
        side.roles[person] = role
        for credential in side.credentials:
            if credential.person == person and credential.token_is_good:
                self.world.give_token(
                    credential, lambda *given: self.sql(by, TEAM["create_token"], *given)[0][0]
                )

    def end_a_token(self) -> None:
        """A token ends, and with it every request that bears it."""
        side = self.side()
        by, ended = side.manager(), self.somebody([c for c in side.credentials if c.token_is_good])
        if by is None or ended is None:
            return
        self.note(by, "ends the token of", ended)
        before = self.world.traces()
        got = self.try_sql(by, TEAM["revoke_token"], side.id, self.world.token_id(ended))
        if ended.role == "owner" and by.role == "admin":
            assert got == ("PT403", "owner_needed")
            assert self.world.traces() == before
        else:
            assert got == ("", [(True,)])
            ended.token_is_good = False

    def end_a_login(self) -> None:
        """A login ends, and its open connection with it."""
        side = self.side()
        by = side.manager()
        ended = self.somebody(
            [c for c in side.credentials if c.login_is_good and c.role not in ("owner", "admin")]
        )
        if by is None or ended is None:
            return
        self.note(by, "ends the login of", ended)
        assert self.sql(by, TEAM["revoke_login"], side.id, ended.login) == [(True,)]
        ended.login_is_good = False

    def meddle(self) -> None:
        """Team and credentials of the other workspace are not there, and one's own are the admins'."""
        side = self.side()
        by = self.somebody([c for c in side.credentials if c.login_is_good and c.role])
        if by is None:
            return
        there = self.world.other(side)
        theirs = self.chance.choice(there.credentials)
        person, token = self.chance.choice(list(there.emails)), self.world.token_id(theirs)
        stranger = self.oracle.value(PERSON, there.id, side.id)
        if by.role in ("owner", "admin"):
            statement, given, rule = self.chance.choice([
                ("merge_people", (stranger, uuid4()), "no_such_person"),
                ("unmerge_people", (stranger,), "no_such_person"),
                ("erase_person", (stranger, "asked"), "no_such_person"),
                ("export_person", (stranger,), "no_such_person"),
                ("set_account", (there.id, "x.example", "x"), "no_such_workspace"),
                ("add_webhook_source", (there.id, "x"), "no_such_workspace"),
                ("remove_webhook_source", (side.id, self.oracle.value(SOURCE, there.id)), "no_such_webhook"),
                ("deactivate_member", (there.id, person, None), "no_such_workspace"),
                ("add_member", (there.id, there.emails[person], "member"), "no_such_workspace"),
                ("create_token", (there.id, "app", None, []), "no_such_workspace"),
                ("revoke_token", (there.id, token), "no_such_workspace"),
                ("revoke_login", (uuid4(), theirs.login), "no_such_workspace"),
                ("deactivate_member", (side.id, uuid4(), None), "no_such_member"),
                ("revoke_token", (side.id, token), "no_such_token"),
                ("revoke_login", (side.id, theirs.login), "no_such_login"),
            ])  # fmt: skip
            error = "PT404"
        else:
            statement, given, rule = self.chance.choice([
                ("deactivate_member", (side.id, person, None), "team_needs_admin"),
                ("add_member", (side.id, there.emails[person], "admin"), "team_needs_admin"),
                ("create_token", (side.id, "app", None, []), "team_needs_admin"),
                ("revoke_token", (side.id, token), "team_needs_admin"),
                ("set_account", (side.id, "x.example", "x"), "team_needs_admin"),
                ("add_webhook_source", (side.id, "x"), "team_needs_admin"),
                ("merge_people", (stranger, stranger), "merge_needs_admin" if by.role != "analyst" else "may_not_report"),
                ("export_person", (stranger,), "erase_needs_admin" if by.role != "analyst" else "may_not_report"),
            ])  # fmt: skip
            error = "PT403"
        self.note(by, "meddles:", statement, given)
        before = self.world.traces()
        got = self.try_sql(by, TEAM[statement], *given)
        if by.role == "analyst" and got.error == "42501":
            error, rule = "42501", got.answer  # not even executable
        assert (got.error, got.answer) == (error, rule)
        assert self.world.traces() == before

    # -- small things

    def side(self) -> Side:
        """One of the workspaces."""
        return self.chance.choice(self.world.sides)

    def anybody(self) -> Credential:
        """Anybody, members most often, also those whose credential has ended."""
        side = self.side()
        members = side.of_role("member")
        return self.chance.choice(members if members and self.chance.random() < 0.5 else side.credentials)

    def somebody(self, of: list[Credential]) -> Credential | None:
        """One of these, if there are any."""
        return self.chance.choice(of) if of else None

    def behalf(self, by: Credential) -> UUID | None:
        """For whom an app speaks: most often for somebody, now and then for a person unknown there."""
        if self.chance.random() < (0.4 if by.role == "app" else 0.97):
            return None
        return uuid4() if self.chance.random() < 0.1 else self.chance.choice(list(by.side.emails))

    def some_person(self, side: Side) -> str | None:
        """A person of the workspace or one who has left it, or nobody."""
        person = self.chance.choice([None, *side.emails])
        return None if person is None else str(person)

    def some_lead(self, by: Credential | None = None) -> UUID:
        """A lead of either workspace or of both, an unknown one, or one that is seen by somebody."""
        if by is not None and self.chance.random() < 0.4:
            seen = sorted(self.oracle.visible(by.sight(by_token=False)))
            if seen:
                return self.chance.choice(seen)
        return uuid4() if self.chance.random() < 0.05 else self.chance.choice(self.world.leads)

    def some_leads(self, count: int) -> list[UUID]:
        """Several leads."""
        return [self.some_lead() for _ in range(count)]

    def activity(self, by: Credential) -> Said:
        """Something to report."""
        activity_type, payload = self.chance.choice(REPORTS)
        chosen: dict[str, Callable[[], str | None]] = {
            "<lead>": lambda: str(self.some_lead(by)),
            "<address>": lambda: self.chance.choice(self.world.addresses),
            "<person>": lambda: self.some_person(by.side),
        }
        payload = {k: chosen[v]() if isinstance(v, str) and v in chosen else v for k, v in payload.items()}
        return Said(self.some_lead(by), activity_type, payload, self.chance.choice(REFERENCES))

    def columns(self, relation: str, alias: str, *without: str) -> str:
        """The columns of a relation as the service shows them."""
        seconds = "trim_scale(extract(epoch from {0}.response_time)) as response_time"
        return ", ".join(
            seconds.format(alias) if c == "response_time" else f"{alias}.{c}"
            for c in self.oracle.columns[relation]
            if c not in ("workspace_id", *without)
        )

    def sql(self, by: Credential, statement: str, *given: Any) -> list[tuple[Any, ...]]:
        """The rows of a statement by a login."""
        cursor = self.world.connection(by.login).execute(statement, given or None)
        return cursor.fetchall() if cursor.description else []

    def try_sql(self, by: Credential, statement: str, *given: Any) -> Got:
        """The rows of a statement by a login, or what it raised and by which rule."""
        try:
            return Got("", self.sql(by, statement, *given))
        except psycopg.Error as e:
            return Got(str(e.sqlstate), e.diag.constraint_name)

    def get(self, by: Credential, path: str) -> httpx.Response:
        """GET as the bearer of a token."""
        answer = self.service.get(path, by.token)
        assert answer.status_code in (200, 401, 404), answer.text
        return answer

    def post(self, by: Credential, behalf: UUID | None, path: str, body: Any, room: str = "leads") -> Got:
        """POST as the bearer of a token: an answer with a verdict is an answer, the rest is what was raised."""
        headers = {} if behalf is None else {"Leadline-On-Behalf-Of": str(behalf)}
        answer = self.service.post(path, by.token, json.loads(json.dumps(body)), headers=headers)
        told = answer.json()
        if answer.status_code == 404:
            assert room == "leads" or told["rule"] in NOT_THERE_OF_LAYERS
            assert room != "leads" or self.is_not_there(answer, expected=False)
        if answer.status_code < 300 or "verdict" in told:
            assert "results" in told or told["verdict"] in ("applied", "noted", "refused", "held"), told
            return Got("", told)
        return Got(f"PT{answer.status_code}", told["rule"])

    def is_turned_away(self, by: Credential, answer: httpx.Response) -> bool:
        """Whether nobody is known behind the token; checked against the agreement."""
        assert (answer.status_code == 401) == (by.sight(by_token=True) == BLIND), answer.text
        return answer.status_code == 401

    def is_not_there(self, answer: httpx.Response, expected: bool) -> bool:
        """Whether a lead is not there: byte for byte the answer for an id that nobody has."""
        assert (answer.status_code == 404) == (not expected), answer.text
        if answer.status_code == 404:
            self.met["404 over HTTP"] += 1
            assert answer.content == NOT_THERE
        return answer.status_code == 404


NOT_THERE = json.dumps(
    {
        "type": "urn:leadline:rule:no_such_lead", "title": "No such lead", "status": 404,
        "detail": "There is no such lead.", "rule": "no_such_lead",
        "hint": "Check the id; only leads of your workspace are found.",
    },
    separators=(",", ":"),
).encode()  # fmt: skip
NOT_THERE_OF_LAYERS = {"no_such_person", "no_such_opportunity", "no_such_subscription", "no_such_approval"}
DOORS: dict[str, Callable[[Program, Credential, UUID | None, Said], Got]] = {
    "insert": Program.insert,
    "insert returning": Program.insert_returning,
    "log_activity": Program.log_activity,
    "HTTP": Program.post_activity,
}
LAYER_DOORS: dict[str, Callable[[Program, Credential, UUID | None, Said], Got]] = {
    "insert": Program.insert_in_layer,
    "log_in_journal": Program.log_in_journal,
    "HTTP": Program.post_to_layer,
}
BIRTHS: dict[str, Callable[[Program, Credential, UUID | None, dict[str, Any]], Got]] = {
    "log_activity": Program.create_by_log_activity,
    "bare insert": Program.create_bare,
    "bare insert returning": Program.create_bare_returning,
    "HTTP": Program.create_over_http,
}
ENQUIRIES: dict[str, Callable[[Program, Credential, UUID | None, Said], Got]] = {
    "insert returning": Program.enquire_by_insert,
    "log_activity": Program.enquire_by_log_activity,
    "batch": Program.enquire_in_a_batch,
    "HTTP": Program.enquire_over_http,
}
# Steps and how often they come.
STEPS: dict[Callable[[Program], None], int] = {
    Program.ask_in_sql: 30,
    Program.ask_what_is_not_granted: 2,
    Program.ask_functions: 3,
    Program.follow_the_feed_in_sql: 3,
    Program.list_over_http: 8,
    Program.show_over_http: 5,
    Program.journal_over_http: 5,
    Program.follow_the_feed_over_http: 4,
    Program.report: 16,
    Program.report_many: 6,
    Program.report_on_layers: 16,
    Program.give_a_deal_away: 4,
    Program.reassign: 8,
    Program.give_away: 4,
    Program.create: 7,
    Program.write_in: 10,
    Program.change_settings: 4,
    Program.let_go: 2,
    Program.take_back: 3,
    Program.renew_somebody: 5,
    Program.change_role: 2,
    Program.end_a_token: 2,
    Program.end_a_login: 1,
    Program.meddle: 3,
}


@pytest.mark.slow
def test_everybody_gets_just_what_the_agreement_says(database: Database) -> None:
    print(__doc__)
    met: Counter[str] = Counter()
    with (
        database.connect(
            autocommit=True, options="-c timezone=UTC -c search_path=pg_catalog,leadline"
        ) as admin,
        serving(database) as service,
    ):
        world = None
        for number in range(PROGRAMS):
            chance = Random(f"{SEED} {number}")  # noqa: S311 - the same in every run
            if number % PROGRAMS_OF_A_WORLD == 0:
                if world is not None:
                    world.close()
                world = World(database, admin, chance, f"w{number // PROGRAMS_OF_A_WORLD}")
            assert world is not None
            if number % PROGRAMS_BETWEEN_TWINS == 0:
                world.twins(chance.randint(1, 3))
            program = Program(world, service, chance, met)
            try:
                program.run()
            except AssertionError as e:
                raise AssertionError(f"program {number} of seed {SEED}\n{e}") from e
        if world is not None:
            world.close()
    print(*(f"{times:6} {what}" for what, times in sorted(met.items())), sep="\n")
    assert faults(database.dsn()) == []
    if PROGRAMS >= 500:
        few = {what: met[what] for what in MUST_BE_MET if met[what] < 20}
        assert few == {}, "what is not met is not compared"


MUST_BE_MET = (
    *(step.__name__ for step in STEPS),
    *(f"{answer} by {door}" for answer in ("a row", "PT404") for door in DOORS),
    *(f"{answer} of a layer by {door}" for answer in ("a row", "PT404") for door in LAYER_DOORS),
    "404 over HTTP",
    "an enquiry met a lead, seen",
    "an enquiry met a lead, unseen",
    "an enquiry made one, seen",
    "SQL answers with rows",
    "SQL answers without rows",
)
