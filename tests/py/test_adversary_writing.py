"""Whatever a login of one workspace writes or calls, nothing of another changes, and a foreign id is answered like an unknown one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest

from app.postgres import Server
from tests.databases import clone
from tests.py.rival_layers import Layers, add_layers
from tests.rivals import (
    FOREIGN_WORD,
    READERS,
    WRITERS,
    Outcome,
    Rivals,
    attempt,
    relations,
    rival_workspaces,
)
from tests.tenant import faults

CALLABLE = """
    select p.pronamespace::regnamespace || '.' || p.proname, p.proargnames[1:p.pronargs]::text[], p.proargtypes::regtype[]::text[]
    from pg_proc p
    where p.pronamespace in ('leadline'::regnamespace, 'leadline_internal'::regnamespace) and p.pronargs > 0
      and has_function_privilege(p.oid, 'execute') and p.prorettype not in ('trigger'::regtype, 'leadline_internal.entry'::regtype)
    order by 1
"""
A_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
A_NUMBER = re.compile(r"\b\d{10,}\b|datetime\.datetime\([^)]*\)+|ll_[0-9a-f]{12}_[0-9a-f]+")


@pytest.fixture(scope="module")
def layers(server: Server, template: str) -> Iterator[Layers]:
    """At the end nothing of the foreign workspace has moved, and the history of both is sound."""
    with clone(server, template) as database:
        layers = add_layers(rival_workspaces(database))
        before = foreign_state(layers.rivals)
        yield layers
        assert foreign_state(layers.rivals) == before
        assert faults(database.dsn()) == []


@pytest.fixture
def rivals(layers: Layers) -> Rivals:
    """The two workspaces."""
    return layers.rivals


FEED = {"leadline.change_feed"} | {
    f"leadline.{journal}_changes"
    for journal in ("lead", "relationship", "opportunity", "customer", "workspace")
}


def foreign_state(rivals: Rivals) -> list[tuple[Any, ...]]:
    """Every row of the foreign workspace, as text; but for the feed, which shows the journals' rows late."""
    with rivals.database.connect() as connection:
        tables = [name for name in relations(connection) if "." in name and name not in FEED]
        state: list[tuple[Any, ...]] = []
        for name in tables:
            rows = connection.execute(
                f"select t::text from {name} t where workspace_id = %s order by 1", [rivals.foreign.id]
            )
            state += [(name, *row) for row in rows]
        state += connection.execute("select u::text from leadline.users u order by user_id").fetchall()
        return state


def masked(outcome: Outcome, *sent: object) -> Outcome:
    """An outcome without what was sent along and what is drawn anew at each call: ids, instants, tokens."""
    text = repr((outcome.rows, outcome.said))
    for value in sent:
        text = text.replace(str(value), "…")
    return Outcome(outcome.sqlstate, [(A_NUMBER.sub("#", A_UUID.sub("…", text)),)], "")


@pytest.mark.parametrize("door", READERS)
def test_nothing_is_changed_or_removed_through_a_table_or_a_view(rivals: Rivals, door: str) -> None:
    """No privilege, on any row: updatable views are no way around, MERGE and ON CONFLICT neither, nor a lock."""
    with rivals.enter(door) as connection:
        for relation, columns in relations(connection).items():
            column = columns[-1]
            for statement in (
                f'update {relation} set "{column}" = default',
                f'update {relation} set "{column}" = "{column}" where workspace_id = \'{rivals.foreign.id}\'',
                f"delete from {relation}",
                f"delete from {relation} where workspace_id = '{rivals.foreign.id}'",
                f"truncate {relation}",
                f"insert into {relation} (workspace_id) values ('{rivals.foreign.id}')",
                f"insert into {relation} select * from {relation}",
                f"merge into {relation} t using (select 1) s on true when matched then delete",
                f'merge into {relation} t using (select 1) s on true when matched then update set "{column}" = default',
                f"merge into {relation} t using (select 1) s on false when not matched then insert (workspace_id) values ('{rivals.foreign.id}')",
                f"select 1 from {relation} for update",
                f"select 1 from {relation} for key share",
                f"lock table {relation} in access exclusive mode",
                f"lock table {relation} in share mode",
            ):
                outcome = attempt(connection, statement)
                assert outcome.sqlstate in ("42501", "0A000", "42809", "55000", "428C9"), (statement, outcome)
                assert rivals.leaks(outcome, known=[rivals.foreign.id]) == []


@pytest.mark.parametrize("door", WRITERS)
def test_a_conflict_is_no_way_to_update(rivals: Rivals, door: str) -> None:
    """The row that another workspace has under the same key is not even a conflict."""
    journal = "insert into leadline.lead_activity (lead_id, activity_type, reference) values (%s, 'email_sent', 'note_added 0')"
    with rivals.enter(door) as connection:
        for clause in (
            "on conflict (workspace_id, activity_id) do update set payload = '{}'",
            "on conflict (workspace_id, lead_id, seq) do update set payload = excluded.payload",
        ):
            assert attempt(connection, f"{journal} {clause}", [rivals.shared_lead]).sqlstate == "42501"
        leads = "insert into leadline.leads (source) values ('x') on conflict (workspace_id, lead_id) do update set source = 'y'"
        assert attempt(connection, leads).sqlstate == "42501"


TABLES = (
    *(
        "leads",
        "lead_activity",
        "people",
        "relationship_activity",
        "approvals",
        "opportunities",
        "opportunity_activity",
    ),
    *("subscriptions", "customer_activity", "renewal_cycles", "requests", "workspaces", "workspace_activity"),
)


@pytest.mark.parametrize(
    "column",
    [
        "workspace_id",
        "lead_id",
        "stage",
        "seq",
        "hash",
        "actor_kind",
        "actor_id",
        "writer",
        "caused_by",
        "verdict",
        "changes",
    ],
)
def test_no_column_that_says_whose_a_row_is_can_be_given(rivals: Rivals, column: str) -> None:
    for door in WRITERS:
        with rivals.enter(door) as connection:
            for table in TABLES:
                if (table, column) != ("lead_activity", "lead_id"):
                    statement = f"insert into leadline.{table} ({column}) values (default)"
                    assert attempt(connection, statement).sqlstate in ("42501", "42703"), (door, table)


FOREIGN_SUBJECTS = (
    "insert into leadline.lead_activity (lead_id, activity_type) values ('{lead}', 'email_sent')",
    "insert into leadline.lead_activity (lead_id, activity_type) values ('{lead}', 'email_sent') returning verdict, lead_id",
    "insert into leadline.lead_activity (lead_id, activity_type) values ('{lead}', 'lead_created') returning verdict",
    "insert into leadline.lead_activity (lead_id, activity_type, reference) values ('{lead}', 'note_added', 'note_added 2')",
    "insert into leadline.lead_activity (lead_id, activity_type, payload) values ('{own}', 'duplicate', '{{\"duplicate_of\": \"{lead}\"}}')",
    "insert into leadline.lead_activity (activity_type, payload) values ('lead_created', '{{\"copied_from\": \"{lead}\"}}')",
    "insert into leadline.lead_activity (lead_id, activity_type, payload) values ('{own}', 'lead_assigned', '{{\"assigned_user_id\": \"{user}\"}}') returning verdict, rule",
    "insert into leadline.lead_activity (activity_type, payload) values ('lead_created', '{{\"assigned_user_id\": \"{user}\"}}')",
    "insert into leadline.leads (source, assigned_user_id) values ('x', '{user}')",
    "insert into leadline.lead_activity (lead_id, activity_type, on_behalf_of) values ('{own}', 'email_sent', '{user}')",
    "insert into leadline.workspace_activity (about_id, activity_type, payload, on_behalf_of) values ('{user}', 'settings_changed', '{{}}', '{user}')",
    "insert into leadline.workspace_activity (about_id, activity_type, payload) values ('{user}', 'member_added', '{{\"role\": \"owner\"}}')",
    "insert into leadline.lead_activity (lead_id, activity_type, payload) values ('{lead}', 'inbound_enquiry', '{{\"email\": \"x@y.example\"}}') returning verdict",
    "insert into leadline.lead_activity (lead_id, activity_type, payload, reference) values ('{lead}', 'inbound_enquiry', '{{}}', 'enquiry 0')",
    'insert into leadline.lead_activity (activity_type, payload) values (\'inbound_enquiry\', \'{{"email": "x@y.example", "assigned_user_id": "{user}"}}\')',
    "insert into leadline.lead_activity (lead_id, activity_type, payload) values ('{own}', 'leads_merged', '{{\"into\": \"{lead}\"}}')",
    "insert into leadline.lead_activity (lead_id, activity_type, payload) values ('{lead}', 'leads_merged', '{{\"into\": \"{own}\"}}')",
    "insert into leadline.lead_activity (lead_id, activity_type) values ('{lead}', 'leads_unmerged')",
    "select leadline.merge_people('{person}', 'ffffffff-ffff-4fff-bfff-ffffffffffff')",
    "select leadline.merge_people('ffffffff-ffff-4fff-bfff-ffffffffffff', '{person}')",
    "select leadline.unmerge_people('{person}')",
    "select leadline.erase_person('{person}', 'asked')",
    "select leadline.export_person('{person}')",
    "select leadline.set_account('{workspace}', 'x.example', 'x', 'partner', '{user}')",
    "select * from leadline.person_overview where person_id = '{person}'",
    "select * from leadline.person_contacts where person_id = '{person}'",
    "select * from leadline.request_ledger where lead_id = '{lead}' or person_id = '{person}' or owner_user_id = '{user}'",
    "select * from leadline.outbox where lead_id = '{lead}' or recipient_user_id = '{user}'",
    "select leadline.log_activity('{lead}', 'email_sent', '{{}}', 'tag_added 2')",
    'select leadline.log_activities(\'[{{"lead_id": "{lead}", "activity_type": "sale"}}]\')',
    "select * from leadline.lead_timeline where lead_id = '{lead}'",
    "select * from leadline.lead_overview where lead_id = '{lead}' or duplicate_of = '{lead}' or assigned_user_id = '{user}'",
    "select * from leadline.memberships where user_id = '{user}'",
    'insert into leadline.relationship_activity (person_id, activity_type, payload) values (\'{person}\', \'relationship_advanced\', \'{{"to": "qualified", "reason": "x"}}\')',
    "insert into leadline.relationship_activity (person_id, activity_type) values ('{person}', 'no_such_type') returning verdict",
    "insert into leadline.relationship_activity (person_id, activity_type, payload) values ('{person}', 'approval_granted', '{{\"approval_id\": \"{approval}\"}}')",
    "insert into leadline.relationship_activity (person_id, activity_type, payload) values ('{own_person}', 'approval_granted', '{{\"approval_id\": \"{approval}\"}}') returning rule",
    "insert into leadline.relationship_activity (person_id, activity_type, payload) values ('{own_person}', 'approval_declined', '{{\"approval_id\": \"{approval}\"}}') returning rule",
    "insert into leadline.relationship_activity (person_id, activity_type, payload) values ('{own_person}', 'approval_expired', '{{\"approval_id\": \"{approval}\"}}') returning rule",
    "insert into leadline.relationship_activity (person_id, activity_type, payload) values ('{own_person}', 'relationship_joined', '{{\"from\": \"{person}\"}}') returning verdict, rule",
    "insert into leadline.relationship_activity (person_id, activity_type, payload, reference) values ('{person}', 'relationship_advanced', '{{\"to\": \"opportunity\", \"reason\": \"x\"}}', 'person 2')",
    "insert into leadline.relationship_activity (person_id, activity_type, on_behalf_of) values ('{own_person}', 'relationship_closed', '{user}')",
    "insert into leadline.opportunity_activity (opportunity_id, activity_type) values ('{opportunity}', 'opportunity_won') returning verdict",
    'insert into leadline.opportunity_activity (opportunity_id, activity_type, payload) values (\'{opportunity}\', \'opportunity_opened\', \'{{"pipeline": "expansion", "person_id": "{own_person}"}}\')',
    'insert into leadline.opportunity_activity (activity_type, payload) values (\'opportunity_opened\', \'{{"pipeline": "expansion", "person_id": "{person}"}}\')',
    'insert into leadline.opportunity_activity (activity_type, payload) values (\'opportunity_opened\', \'{{"pipeline": "expansion", "person_id": "{own_person}", "assigned_user_id": "{user}"}}\')',
    'insert into leadline.opportunity_activity (activity_type, payload) values (\'opportunity_opened\', \'{{"pipeline": "expansion", "person_id": "{own_person}", "lead_id": "{lead}"}}\') returning verdict',
    "insert into leadline.opportunity_activity (opportunity_id, activity_type, payload) values ('{own_opportunity}', 'opportunity_assigned', '{{\"assigned_user_id\": \"{user}\"}}') returning verdict, rule",
    'insert into leadline.opportunity_activity (opportunity_id, activity_type, payload) values (\'{own_opportunity}\', \'contact_role_set\', \'{{"person_id": "{person}", "role": "other"}}\')',
    "insert into leadline.opportunity_activity (opportunity_id, activity_type, payload) values ('{own_opportunity}', 'contact_role_set', '{{\"person_id\": \"{person}\", \"role\": null}}')",
    'insert into leadline.opportunity_activity (opportunity_id, activity_type, payload) values (\'{own_opportunity}\', \'opportunity_advanced\', \'{{"to_stage": "proposal", "contact": "{person}"}}\')',
    "insert into leadline.opportunity_activity (opportunity_id, activity_type, payload, reference) values ('{opportunity}', 'opportunity_advanced', '{{\"to_stage\": \"proposal\"}}', 'deal 2')",
    "insert into leadline.opportunity_activity (opportunity_id, activity_type, on_behalf_of) values ('{own_opportunity}', 'opportunity_won', '{user}')",
    "insert into leadline.customer_activity (subscription_id, activity_type) values ('{subscription}', 'payment_succeeded') returning verdict",
    "insert into leadline.customer_activity (subscription_id, activity_type, payload, reference) values ('{subscription}', 'renewal_churned', '{{\"reason\": \"x\"}}', 'paid 2')",
    "insert into leadline.customer_activity (activity_type, payload) values ('subscription_started', '{{\"person_id\": \"{person}\"}}')",
    "insert into leadline.customer_activity (subscription_id, activity_type, payload) values ('{subscription}', 'subscription_started', '{{\"person_id\": \"{own_person}\"}}')",
    "insert into leadline.lead_activity (lead_id, activity_type, payload) values ('{qualified}', 'lead_converted', '{{\"opportunity_id\": \"{opportunity}\"}}')",
    "insert into leadline.lead_activity (lead_id, activity_type, payload) values ('{lead}', 'lead_converted', '{{\"opportunity_id\": \"{own_opportunity}\"}}')",
    "insert into leadline.lead_activity (lead_id, activity_type, payload) values ('{qualified}', 'request_accepted', '{{\"request_id\": \"{request}\"}}')",
    'insert into leadline.lead_activity (lead_id, activity_type, payload) values (\'{qualified}\', \'request_rejected\', \'{{"request_id": "{request}", "reason": "spam"}}\')',
    "select leadline.log_in_journal('relationship_activity', '{person}', 'relationship_closed', '{{\"reason\": \"x\"}}')",
    "select leadline.log_in_journal('relationship_activity', '{person}', 'relationship_advanced', '{{}}', 'person 2')",
    "select leadline.log_in_journal('opportunity_activity', '{opportunity}', 'opportunity_lost')",
    "select leadline.log_in_journal('opportunity_activity', '{opportunity}', 'opportunity_advanced', '{{\"to_stage\": \"x\"}}', 'deal 2')",
    "select leadline.log_in_journal('customer_activity', '{subscription}', 'payment_failed')",
    "select leadline.log_in_journal('customer_activity', '{subscription}', 'renewal_churned', '{{}}', 'paid 2')",
    "select leadline.sees_person('{workspace}', '{person}'), leadline.sees_subscription('{workspace}', '{subscription}')",
    "select leadline.sees_opportunity('{workspace}', '{opportunity}', null, null)",
    "select * from leadline.contacts where person_id = '{person}' or merged_into = '{person}'",
    "select * from leadline.person_timeline where person_id = '{person}' or subject_id in ('{lead}', '{opportunity}', '{subscription}')",
    "select * from leadline.relationship_timeline where person_id = '{person}' or approval_id = '{approval}'",
    "select * from leadline.relationship_stage_events where person_id = '{person}' or actor_id = '{user}'",
    "select * from leadline.approval_queue where approval_id = '{approval}' or person_id = '{person}'",
    "select * from leadline.opportunity_overview where opportunity_id = '{opportunity}' or person_id = '{person}' or contacts ? '{person}'",
    "select * from leadline.opportunity_timeline where opportunity_id = '{opportunity}'",
    "select * from leadline.subscription_overview where subscription_id = '{subscription}' or person_id = '{person}'",
    "select * from leadline.customer_timeline where subscription_id = '{subscription}'",
    "select * from leadline.product_signals_at('2026-06-01') where person_id = '{person}'",
    "select * from leadline.person_milestones where person_id = '{person}'",
    "select * from leadline.findings where subject_id in ('{person}', '{lead}', '{opportunity}', '{subscription}')",
    "merge into leadline.lead_activity t using (select 1) s on false when not matched then insert (lead_id, activity_type) values ('{lead}', 'sale')",
)


@pytest.mark.parametrize("statement", FOREIGN_SUBJECTS)
def test_a_foreign_id_is_answered_like_one_that_nobody_has(layers: Layers, statement: str) -> None:
    """SQLSTATE, sentence, facts, hint, context, warnings: all of it, as subject, original, template, assignee, author,
    contact, approval, request or deal."""
    rivals = layers.rivals
    [(qualified,)] = rivals.oracle(
        "select lead_id from leadline.leads where workspace_id = %s and stage = 'qualified' limit 1",
        [rivals.own.id],
    )
    same = {
        "own": rivals.own_lead, "workspace": rivals.own.id, "qualified": qualified, "own_person": layers.own.person,
        "own_opportunity": layers.own.opportunity,
    }  # fmt: skip
    foreign = {
        "lead": rivals.foreign_lead, "user": rivals.foreign_user, "person": rivals.foreign_person,
        "opportunity": layers.foreign.opportunity, "subscription": layers.foreign.subscription,
        "approval": layers.foreign.approval, "request": layers.foreign.request,
    }  # fmt: skip
    unknown = {name: uuid4() for name in foreign}
    for door in (*WRITERS, "importer", "billing", "ai", "analyst"):
        for scopes in ((), ("act_as",)) if door == "app" else ((),):
            with rivals.enter(" ".join((door, *scopes))) as connection:
                answers = [
                    masked(attempt(connection, statement.format(**ids, **same)), *ids.values())
                    for ids in (
                        unknown,
                        foreign,
                        unknown,
                    )  # the first call of a session has a CONTEXT of its own
                ]
                assert answers[1] == answers[2], door
                assert layers.leaks(answers) == []


def test_references_of_another_workspace_are_free_here(rivals: Rivals) -> None:
    """The unique keys of one workspace know nothing of another's: no conflict tells that a reference is taken there."""
    foreign_only = "note_added 2"
    with rivals.enter("app") as connection:
        for reference in (foreign_only, str(uuid4())):
            insert = "insert into leadline.lead_activity (lead_id, activity_type, reference) values (%s, 'meeting_held', %s) returning seq"
            outcome = attempt(connection, insert, [rivals.own_lead, reference])
            assert (outcome.sqlstate, len(outcome.rows)) == (None, 1)
            assert attempt(
                connection, "select leadline_internal.logged_before(%s, null)", [reference]
            ).rows == [(None,)]


def test_a_shared_lead_id_stands_for_the_own_lead(rivals: Rivals) -> None:
    """Both workspaces have a lead of this id, at the same activity ids and references."""
    for door in WRITERS:
        if "member" not in door:
            with rivals.enter(door) as connection:
                outcome = attempt(
                    connection,
                    "select * from leadline.lead_overview where lead_id = %s",
                    [rivals.shared_lead],
                )
                assert [row[0] for row in outcome.rows] == [rivals.own.id]
                repeat = "'appointment_no_show', '{}', 'appointment_no_show 0'"
                replay = f"select replayed, lead_id from leadline.log_activity(%s, {repeat})"
                assert attempt(connection, replay, [rivals.shared_lead]).rows == [(True, rivals.shared_lead)]


def argument(layers: Layers, name: str, kind: str, who: str) -> Any:
    """What stands for a parameter: `who` is foreign, unknown or own; everything else is the same for all three."""
    rivals = layers.rivals
    ids: dict[str, dict[str, Any]] = {
        "p_workspace_id": {"foreign": rivals.foreign.id, "own": rivals.own.id},
        "p_lead_id": {"foreign": rivals.foreign_lead, "own": rivals.own_lead},
        "p_activity_id": {"foreign": rivals.foreign_activity, "unknown": 10**15, "own": 10**15},
        "p_user_id": {"foreign": rivals.foreign_user, "own": rivals.own_user},
        "p_reference": {"foreign": "note_added 2", "unknown": "nobody's", "own": "note_added 0"},
        "p_email": {
            "foreign": f"{FOREIGN_WORD}@people.example",
            "unknown": "nobody@people.example",
            "own": "shared@both.example",
        },
        "p_login": {"foreign": rivals.foreign.login("app"), "unknown": "nobodys_login", "own": "postgres"},
    }
    ids["p_reassign_to"] = ids["p_on_behalf_of"] = ids["p_owner_user_id"] = ids["p_user_id"]
    ids["p_subject_id"] = ids["p_opportunity_id"] = {
        "foreign": layers.foreign.opportunity,
        "own": layers.own.opportunity,
    }
    ids["p_subscription_id"] = {"foreign": layers.foreign.subscription, "own": layers.own.subscription}
    ids["p_person_id"] = ids["p_into"] = {"foreign": rivals.foreign_person, "own": rivals.own_person}
    if name in ids:
        return ids[name].get(who, uuid4())
    if kind == "uuid":
        token = "select token_id from leadline.api_tokens where workspace_id = %s and role = 'billing'"
        return rivals.oracle(token, [rivals.foreign.id])[0][0] if who == "foreign" else uuid4()
    same = {
        "p_role": "member",
        "p_activity_type": "email_sent",
        "p_payload": "{}",
        "p_token": None,
        "p_activities": f'[{{"lead_id": "{ids["p_lead_id"].get(who, uuid4())}", "activity_type": "sale"}}]',
        "p_rows": f'[{{"reference": "enquiry 2", "lead_id": "{ids["p_lead_id"].get(who, uuid4())}", "restores": true,'
        ' "payload": {"stage": "new", "entered_at": "2026-01-01T00:00:00Z"}}]',
        "p_reason": "asked",
        "p_domain": "x.example",
        "p_kind": "partner",
        "p_route": "POST /leads",
        "p_key": "the key",
        "p_fingerprint": hashlib.sha256(b"asked").digest(),
        "p_status": 200,
        "p_content_type": "application/json",
        "p_body": "{}",
        "p_cursor": "activity:0",
        "p_limit": 5,
        "p_scopes": [],
        "p_prefixes": ["0" * 12],
        "p_name": f"a name for {who}" if who == "own" else "a name",
        "p_sqlstate": "PT404",
        "p_rule": "no_such_lead",
        "p_journal": "opportunity_activity",
        "p_text": "customer",
        "p_now": "2026-06-01T00:00:00Z",
        "p_writers": [],
    }
    return same.get(name)


@pytest.mark.parametrize("door", [*READERS, "app act_as"])
def test_every_function_answers_a_foreign_id_like_an_unknown_one(layers: Layers, door: str) -> None:
    """Every function the login may call, those of tomorrow too: with the foreign workspace's ids and with unknown ones,
    under the foreign workspace's id and under the own."""
    with layers.rivals.enter(door) as connection:
        functions = connection.execute(CALLABLE).fetchall()
        assert len(functions) > 8 or "analyst" in door
        for function, names, kinds in functions:
            names = (names or [f"p_{number}" for number in range(len(kinds))])[: len(kinds)]
            for workspace in ("", "own"):
                answers = []
                for who in (
                    "unknown",
                    "foreign",
                    "unknown",
                ):  # the first call of a session has a CONTEXT of its own
                    values = [
                        argument(layers, name, kind, workspace or who if name == "p_workspace_id" else who)
                        for name, kind in zip(names, kinds, strict=True)
                    ]
                    casts = ", ".join(f"%s::{kind}" for kind in kinds)
                    outcome = attempt(connection, f"select * from {function}({casts}) x", values)
                    answers.append(masked(outcome, *[v for v in values if isinstance(v, (str, UUID)) and v]))
                assert answers[1] == answers[2], (function, workspace)
                assert layers.leaks(answers) == [], function


@pytest.mark.parametrize("door", ["owner", "service owner"])
def test_inviting_a_person_tells_nothing_that_another_workspace_knows_of_them(
    rivals: Rivals, door: str
) -> None:
    """The name another workspace gave a person stays there; and a name given here does not reach the other one."""
    known, unknown = f"{FOREIGN_WORD}@people.example", "nobody@people.example"
    with rivals.enter(door) as connection:
        for name in (None, "Our name"):
            seen = []
            for email in (known, unknown):
                with connection.transaction(force_rollback=True):
                    add = "select leadline.add_member(%s, %s, 'member', %s)"
                    connection.execute(add, [rivals.own.id, email, name])
                    person = "select name, role, deactivated_at from leadline.members where email = %s"
                    seen.append(connection.execute(person, [email]).fetchall())
            assert seen[0] == seen[1], name


def test_a_name_given_to_a_person_here_is_not_shown_elsewhere(rivals: Rivals) -> None:
    """Not even to a workspace that has given them none."""
    with rivals.enter("service owner") as connection:
        add = "select leadline.add_member(%s, 'token@both.example', 'member', 'A rude name')"
        connection.execute(add, [rivals.own.id])
        connection.execute("select leadline.enter(%s)", [rivals.foreign_token])
        rows = connection.execute(
            "select name from leadline.members where email = 'token@both.example'"
        ).fetchall()
        assert rows == [(None,)]
