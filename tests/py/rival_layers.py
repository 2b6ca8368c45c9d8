"""What rivals and offices have beside leads: relationships, approvals, deals, subscriptions; again with the same ids."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from tests.office import SECRET, Office
from tests.rivals import FOREIGN_WORD, OWN_WORD, Connection, Rivals
from tests.tenant import Tenant

SUBJECTS = {
    "relationship_activity": "person_id",
    "opportunity_activity": "opportunity_id",
    "customer_activity": "subscription_id",
}
OPEN = """
    insert into leadline.opportunity_activity (workspace_id, opportunity_id, activity_type, payload, reference, actor_kind, actor_id, writer)
    values (%s, %s, 'opportunity_opened', %s, %s, 'user', %s, 'workflow:conversion')
"""
RENAME = """
    set local session_replication_role = replica;
    alter table leadline.customer_activity disable trigger t10_refuse_change, disable trigger t10_refuse_statement;
    update leadline.subscriptions set subscription_id = {new} where workspace_id = {workspace} and subscription_id = {old};
    update leadline.customer_activity set subscription_id = {new} where workspace_id = {workspace} and subscription_id = {old};
    update leadline.customer_activity a set hash = sha256(leadline_internal.canonical(row(a.*)::leadline_internal.entry))
        where workspace_id = {workspace} and subscription_id = {new};
    update leadline.subscriptions s set hash = a.hash from leadline.customer_activity a
        where a.workspace_id = s.workspace_id and a.subscription_id = s.subscription_id
          and s.workspace_id = {workspace} and s.subscription_id = {new};
    alter table leadline.customer_activity enable always trigger t10_refuse_change, enable always trigger t10_refuse_statement;
    set local session_replication_role = origin;
"""


Payload = dict[str, Any]


def log(
    connection: Connection,
    journal: str,
    subject: UUID | None,
    activity_type: str,
    payload: Payload,
    reference: str | None = None,
) -> Payload:
    """Report an activity; the answer."""
    statement = "select leadline.log_in_journal(%s, %s, %s, %s, %s)"
    answer: Payload = value(
        connection, statement, journal, subject, activity_type, json.dumps(payload), reference
    )
    return answer


def value(connection: Connection, statement: str, *parameters: Any) -> Any:
    """The one value of a statement."""
    row = connection.execute(statement, parameters).fetchone()
    return row and row[0]


class Set(NamedTuple):
    """A deal, a subscription, an approval and a request of one person."""

    person: UUID
    opportunity: UUID
    subscription: UUID
    approval: UUID
    request: UUID


def fill(
    connection: Connection,
    tenant: Tenant,
    word: str,
    number: int,
    who: Set,
    assignee: UUID | None,
    owner: UUID,
) -> Set:
    """All that can be said of somebody, every text with `word`; ids that `who` asks for, where they can be chosen."""

    def enter(role: str, user: UUID | None = None) -> None:
        connection.execute("select leadline_internal.enter_as(%s, %s, %s)", [tenant.id, role, user])

    amount = 987654.32 if word == FOREIGN_WORD else 12.5
    opened = {
        "pipeline": "expansion",
        "person_id": str(who.person),
        "amount": amount,
        "currency": "EUR",
        "close_date": "2031-01-01",
    }
    if assignee:
        opened["assigned_user_id"] = str(assignee)
    connection.execute(OPEN, [tenant.id, who.opportunity, json.dumps(opened), f"deal {number} opened", owner])
    deal, person = ("opportunity_activity", who.opportunity), ("relationship_activity", who.person)
    proposal = {
        "to_stage": "proposal", "problem": f"{word} is slow", "decision_process": f"{word} decides",
        "next_step": f"meet {word}", "next_step_on": "2031-02-01", "contact": str(who.person),
    }  # fmt: skip
    signal = {
        "signal": "seats", "observed_at": "2026-01-01T00:00:00Z", "expires_at": "2031-01-01T00:00:00Z",
        "reason": f"{word} invites all",
    }  # fmt: skip
    enter("owner", owner)
    log(
        connection,
        *person,
        "relationship_advanced",
        {"to": "opportunity", "reason": f"{word} asks"},
        f"person {number}",
    )
    log(connection, *person, "relationship_advanced", {"to": "customer", "reason": f"{word} refused"})
    log(connection, *deal, "opportunity_advanced", proposal, f"deal {number}")
    log(connection, *deal, "contact_role_set", {"person_id": str(who.person), "role": "economic buyer"})
    log(connection, *deal, "opportunity_won", {"amount": 0, f"{word} key": word})
    enter("app")
    log(connection, *person, "product_signal_seen", signal, f"signal {number}")
    log(connection, *person, "relationship_advanced", {"to": "active", "reason": f"{word} pays"})
    log(
        connection,
        *person,
        "relationship_advanced",
        {"to": "client", "reason": f"{word} signed"},
        f"held {number}",
    )
    enter("owner", owner)
    find = """
        select approval_id from leadline.approvals
        where workspace_id = %s and person_id = %s and to_stage = %s and status = 'open'
    """
    declined = {"approval_id": str(value(connection, find, tenant.id, who.person, "active"))}
    log(connection, *person, "approval_declined", declined | {"reason": f"{word} does not pay"})
    asked = value(connection, find, tenant.id, who.person, "client")
    name = "update leadline.approvals set approval_id = %s where workspace_id = %s and approval_id = %s"
    connection.execute(name, [who.approval, tenant.id, asked])
    enter("billing")
    bought = {"person_id": str(who.person), "plan": f"{word} plan"}
    started = log(connection, "customer_activity", None, "subscription_started", bought)
    names = {"workspace": tenant.id, "old": started["subscription_id"], "new": who.subscription}
    connection.execute(RENAME.format(**{key: f"'{name}'::uuid" for key, name in names.items()}))
    paid = ("customer_activity", who.subscription)
    for year in (2027, 2028):
        period = {"period_start": f"{year}-01-01", "period_end": f"{year + 1}-01-01"}
        log(connection, *paid, "renewal_opened", period)
        if year == 2027:
            log(connection, *paid, "renewal_churned", {"reason": f"{word} goes"}, f"paid {number}")
    log(connection, *paid, "payment_failed", {f"{word} key": word})
    connection.execute("select set_config('leadline.context', '', true)")
    return who._replace(request=_qualify(connection, tenant, word, number, assignee, owner))


def _qualify(
    connection: Connection, tenant: Tenant, word: str, number: int, assignee: UUID | None, owner: UUID
) -> UUID:
    """Two leads of qualification, one converted and one recycled; the request of the second."""
    connection.execute("select leadline_internal.enter_as(%s, 'owner', %s)", [tenant.id, owner])
    requests = []
    evidence = {"problem": f"{word} is slow", "timing": f"{word} now", "buying_role": f"{word} boss"}
    ways: dict[str, list[tuple[str, Payload]]] = {
        "converted": [
            ("request_accepted", {}),
            ("lead_qualified", evidence),
            ("lead_converted", {"amount": 3, "currency": "EUR"}),
        ],
        "recycled": [
            ("lead_recycled", {"reason": "other", "recycle_on": "2031-01-01", "notes": f"{word} waits"})
        ],
    }
    for way, steps in ways.items():
        asked = {
            "workflow": "qualification", "email": f"{way}{number}@{word}.example", "message": f"{word} asks",
            "request_class": "demo", "source": f"{word} fair",
        }  # fmt: skip
        if assignee:
            asked["assigned_user_id"] = str(assignee)
        log_lead = "select lead_id from leadline.log_activity(%s, %s, %s)"
        lead = value(connection, log_lead, None, "inbound_enquiry", json.dumps(asked))
        for activity_type, payload in steps:
            connection.execute(log_lead, [lead, activity_type, json.dumps(payload)])
        requests.append(
            value(connection, "select request_id from leadline.requests where lead_id = %s", lead)
        )
    connection.execute("select set_config('leadline.context', '', true)")
    found: UUID = requests[1]
    return found


class Layers(NamedTuple):
    """What rivals have beside leads; `shared` has the same ids in both."""

    rivals: Rivals
    shared: Set
    own: Set
    foreign: Set

    def leaks(self, *heard: object, known: Sequence[object] = ()) -> list[str]:
        """As Rivals.leaks(), for the ids of the foreign layers as well."""
        text, ids = repr(heard), map(str, self.foreign)
        return self.rivals.leaks(*heard, known=known) + [
            i for i in ids if i in text and i not in map(str, known)
        ]


def add_layers(rivals: Rivals) -> Layers:
    """Give both workspaces relationships, approvals, deals and subscriptions: each of the person known to both, with
    the same ids and the same activity ids, and of a person of its own."""
    shared = Set(rivals.shared_person, *(uuid4() for _ in range(4)))
    sets: list[tuple[Set, Set]] = []
    with rivals.database.connect() as connection:
        last = "select last_value from leadline_internal.activity_ids"
        start = value(connection, last)
        for tenant, word, person, assignee in (
            (rivals.own, OWN_WORD, rivals.own_person, rivals.shared_user),
            (rivals.foreign, FOREIGN_WORD, rivals.foreign_person, rivals.foreign_user),
        ):
            owner = rivals.own_user if tenant is rivals.own else rivals.foreign_user
            connection.execute("select setval('leadline_internal.activity_ids', %s)", [start])
            ones = Set(person, *(uuid4() for _ in range(4)))
            sets.append(
                (
                    fill(connection, tenant, word, 0, shared, assignee, owner),
                    fill(connection, tenant, word, 1 if tenant is rivals.own else 2, ones, assignee, owner),
                )
            )
        connection.execute("select setval('leadline_internal.activity_ids', %s)", [start + 1000])
        connection.execute("set session_replication_role = replica")
        for table in ("requests", "outbox"):
            connection.execute(
                f"update leadline.{table} set request_id = %s where workspace_id = %s and request_id = %s",
                [sets[0][0].request, rivals.foreign.id, sets[1][0].request],
            )
    return Layers(rivals, sets[0][0], sets[0][1], sets[1][1])


class Desk(NamedTuple):
    """What an office has beside leads: of the person of each lead."""

    office: Office
    mine: Set
    theirs: Set
    nobodys: Set

    def known(self, visible: set[UUID]) -> list[Set]:
        """What belongs to the people of these leads."""
        leads = {
            self.office.mine: self.mine,
            self.office.theirs: self.theirs,
            self.office.nobodys: self.nobodys,
        }
        return [known for lead, known in leads.items() if lead in visible]


def add_desk(office: Office) -> Desk:
    """Give an office relationships, approvals, deals and subscriptions, assigned as the leads are."""
    office.tenant.login("owner")
    roles = "select user_id from leadline.memberships where workspace_id = %s and role = 'owner' limit 1"
    owner = office.tenant.ask(roles, office.tenant.id)
    sets = []
    with office.database.connect() as connection:
        for number, (lead, word, assignee) in enumerate(
            (
                (office.mine, "mine", office.me),
                (office.theirs, SECRET, office.colleague),
                (office.nobodys, "nobodys", None),
            )
        ):
            person = value(connection, "select person_id from leadline.leads where lead_id = %s", lead)
            who = Set(person, *(uuid4() for _ in range(4)))
            sets.append(fill(connection, office.tenant, word, number, who, assignee, owner))
        connection.execute("analyze")
    return Desk(office, *sets)
