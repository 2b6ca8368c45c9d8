"""Relationships, approvals, opportunities and subscriptions over HTTP: activities in, views out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from app.db import Database as Pool
from app.errors import PROBLEM_JSON
from tests.py.layers import (
    CLOSES_ON,
    CONFIRMED,
    SHARED,
    Ask,
    add_account,
    advance,
    applied,
    deal_at,
    deal_of,
    expire,
    held,
    new_person,
    person_at,
    qualification_lead,
    subscription_at,
    win,
)
from tests.py.test_http_errors import assert_nothing_leaks, assert_problem
from tests.py.test_http_intake import change
from tests.service import Service, Workspace
from tests.tenant import faults


@pytest.fixture(autouse=True)
def all_is_sound(service: Service) -> Iterator[None]:
    """Whatever was sent, the journals are what they should be."""
    yield
    assert faults(service.database.dsn()) == []


def listed(service: Service, token: str, path: str) -> list[Any]:
    """The rows of the first page of a list; its one key beside next."""
    answer = service.get(path, token)
    assert answer.status_code == 200, answer.text
    (rows,) = (value for key, value in answer.json().items() if key != "next")
    return list(rows)


def every(service: Service, token: str, path: str, limit: int) -> list[Any]:
    """The rows of all pages of a list."""
    rows: list[Any] = []
    cursor = ""
    while True:
        answer = service.get(f"{path}{'&' if '?' in path else '?'}limit={limit}{cursor}", token)
        assert answer.status_code == 200, answer.text
        body = answer.json()
        (found,) = (value for key, value in body.items() if key != "next")
        assert len(found) <= limit
        rows += found
        if body["next"] is None:
            return rows
        cursor = f"&cursor={body['next']}"


def id_of(path: str) -> str:
    return path.partition("/")[2]


# --- relationships: one position a person, moved by activities alone


def test_an_app_moves_a_person_forward_and_says_why(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    person = new_person(service, token)
    assert service.get(f"/{person}", token).json()["stage"] == "prospect"
    body = applied(
        service.report(token, person, "relationship_advanced", to="qualified", reason="replied twice")
    )
    assert next(iter(body)) == "verdict"
    assert (body["person_id"], body["from_stage"], body["to_stage"]) == (
        id_of(person), "prospect", "qualified",
    )  # fmt: skip
    assert (body["rule"], body["approval_id"], body["replayed"]) == (None, None, False)
    assert body["changes"]["stage"] == ["prospect", "qualified"]
    shown = service.get(f"/{person}", token).json()
    assert (shown["stage"], shown["stage_label"], shown["furthest_stage"], shown["status"]) == (
        "qualified", "Qualified", "qualified", "open",
    )  # fmt: skip
    (event,) = listed(service, token, f"/{person}/stages")
    assert event == {
        "event_id": body["activity_id"], "from_stage": "prospect", "to_stage": "qualified",
        "is_backward": False, "actor_kind": "integration", "actor_id": event["actor_id"], "writer": "app",
        "on_behalf_of": None, "activity_type": "relationship_advanced", "reference": None,
        "reason": "replied twice", "approval_id": None, "caused_by": None,
        "occurred_at": event["occurred_at"], "recorded_at": event["recorded_at"],
    }  # fmt: skip


def test_client_waits_for_a_yes(service: Service, workspace: Workspace) -> None:
    app, admin = workspace.token(), workspace.member("admin")
    person = person_at(service, workspace, "opportunity")
    answer = service.report(app, person, "relationship_advanced", to="client", reason="paid the deposit")
    assert answer.status_code == 202
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    assert next(iter(body)) == "verdict"
    assert (body["verdict"], body["rule"], body["to_stage"]) == (
        "held", "client_needs_a_person", "opportunity",
    )  # fmt: skip
    assert body["sentence"].endswith(".")
    approval = str(UUID(body["approval_id"]))
    assert service.get(f"/{person}", app).json()["stage"] == "opportunity"
    (waiting,) = listed(service, admin.token, "/approvals?status=open")
    assert (waiting["approval_id"], waiting["person_id"], waiting["to_stage"]) == (
        approval, id_of(person), "client",
    )  # fmt: skip
    shown = service.get(f"/approvals/{approval}", app).json()
    assert (shown["status"], shown["activity_id"], shown["settled_by"]) == ("open", body["activity_id"], None)

    granted = applied(service.report(admin.token, person, "approval_granted", approval_id=approval))
    assert (granted["from_stage"], granted["to_stage"]) == ("opportunity", "client")
    assert listed(service, admin.token, "/approvals?status=open") == []
    settled = service.get(f"/approvals/{approval}", app).json()
    assert (settled["status"], settled["settled_by"], settled["settled_by_user"]) == (
        "granted", granted["activity_id"], str(admin.user_id),
    )  # fmt: skip
    event = listed(service, app, f"/{person}/stages")[-1]
    assert (event["to_stage"], event["approval_id"], event["caused_by"], event["actor_id"]) == (
        "client", approval, body["activity_id"], str(admin.user_id),
    )  # fmt: skip
    again = service.report(admin.token, person, "approval_granted", approval_id=approval)
    assert (again.status_code, again.json()["verdict"], again.json()["rule"]) == (
        201, "noted", "approval_settled",
    )  # fmt: skip


def test_a_no_is_noted_and_moves_nobody(service: Service, workspace: Workspace) -> None:
    app, admin = workspace.token(), workspace.member("admin").token
    person = new_person(service, app)
    approval = held(service, app, person)
    answer = service.report(admin, person, "approval_declined", approval_id=approval, reason="not signed yet")
    assert (answer.status_code, answer.json()["verdict"], answer.json()["rule"]) == (201, "noted", None)
    assert service.get(f"/approvals/{approval}", app).json()["status"] == "declined"
    assert service.get(f"/{person}", app).json()["stage"] == "prospect"
    assert held(service, app, person) != approval, "it may be asked for anew"


def test_the_same_move_is_asked_for_once(service: Service, workspace: Workspace) -> None:
    app = workspace.token()
    person = new_person(service, app)
    approval = held(service, app, person)
    answer = service.report(app, person, "relationship_advanced", to="client", reason="again")
    assert (answer.status_code, answer.json()["rule"]) == (201, "approval_pending")
    beyond = held(service, app, person, "active")
    assert {row["approval_id"] for row in listed(service, app, "/approvals")} == {approval, beyond}


def test_a_held_report_that_is_repeated_is_answered_alike(service: Service, workspace: Workspace) -> None:
    app = workspace.token()
    person = new_person(service, app)
    said = {
        "activity_type": "relationship_advanced", "payload": {"to": "client", "reason": "signed"},
        "reference": "deal-7",
    }  # fmt: skip
    first = service.post(f"/{person}/activities", app, said)
    again = service.post(f"/{person}/activities", app, said)
    assert (first.status_code, again.status_code) == (202, 200)
    assert again.json() == first.json() | {"replayed": True}
    assert len(listed(service, app, "/approvals")) == 1
    assert_problem(
        service.post(f"/{new_person(service, app)}/activities", app, said), 409, "reference_reused"
    )


def test_a_person_moves_to_client_at_once_and_back_with_a_reason(
    service: Service, workspace: Workspace
) -> None:
    admin = workspace.member("admin").token
    person = person_at(service, workspace, "client")
    back = {"to": "qualified", "reason": "was another Ann"}
    assert service.report(admin, person, "relationship_advanced", **back).json()["rule"] == "backward_move"
    applied(service.report(admin, person, "relationship_advanced", **back, backward=True))
    shown = service.get(f"/{person}", admin).json()
    assert (shown["stage"], shown["furthest_stage"]) == ("qualified", "client")
    assert [event["is_backward"] for event in listed(service, admin, f"/{person}/stages")] == [False, True]


def test_who_may_say_yes_is_the_workspaces_setting(service: Service, workspace: Workspace) -> None:
    app, ann = workspace.token(), workspace.member()
    person = new_person(service, app, assigned_user_id=str(ann.user_id))
    approval = held(service, app, person)
    answer = service.report(ann.token, person, "approval_granted", approval_id=approval)
    assert (answer.status_code, answer.json()["rule"]) == (409, "approver_needed")
    change(workspace, approvers="member")
    applied(service.report(ann.token, person, "approval_granted", approval_id=approval))


def test_an_app_with_the_scope_brings_a_persons_yes(service: Service, workspace: Workspace) -> None:
    app, admin = workspace.token("app", "act_as"), workspace.member("admin")
    person = new_person(service, app)
    approval = held(service, app, person)
    said = {"activity_type": "approval_granted", "payload": {"approval_id": approval}}
    path = f"/{person}/activities"
    assert service.post(path, app, said).json()["rule"] == "needs_a_person"
    body = applied(service.post(path, app, said, headers={"Leadline-On-Behalf-Of": str(admin.user_id)}))
    assert body["to_stage"] == "client"


def test_an_outcome_of_a_lead_asks_for_the_client(service: Service, workspace: Workspace) -> None:
    app, admin = workspace.token(), workspace.member("admin").token
    lead = service.lead(app, email="zoe@people.example")
    person = f"people/{service.get(f'/leads/{lead}', app).json()['person_id']}"
    for activity_type in ("appointment_scheduled", "sale"):
        applied(service.log(app, lead, activity_type))
    (waiting,) = listed(service, admin, f"/approvals?person_id={id_of(person)}")
    applied(service.report(admin, person, "approval_granted", approval_id=waiting["approval_id"]))
    sale = listed(service, admin, f"/leads/{lead}/timeline")[-1]
    rows = listed(service, admin, f"/{person}/timeline")
    caused = [row["activity_type"] for row in rows if row["caused_by"] == sale["activity_id"]]
    assert caused == ["relationship_advanced"]


def test_an_approval_that_nobody_answered_is_told_apart(service: Service, workspace: Workspace) -> None:
    app, admin = workspace.token(), workspace.member("admin").token
    person = new_person(service, app)
    approval = held(service, app, person)
    expire(workspace, approval)
    answer = service.report(admin, person, "approval_granted", approval_id=approval)
    assert (answer.status_code, answer.json()["rule"]) == (409, "approval_has_expired")
    assert service.get(f"/approvals/{approval}", app).json()["status"] == "expired"


def test_approvals_are_filtered_and_paged(service: Service, workspace: Workspace) -> None:
    app = workspace.token()
    people = [new_person(service, app) for _ in range(5)]
    made = [held(service, app, person) for person in people]
    beyond = held(service, app, people[0], "onboarding")
    for limit in (1, 2, 6, 200):
        rows = every(service, app, "/approvals", limit)
        assert {row["approval_id"] for row in rows} == {*made, beyond}
        keys = [(row["requested_at"], row["approval_id"]) for row in rows]
        assert keys == sorted(keys, reverse=True)
    (row,) = listed(service, app, "/approvals?to_stage=onboarding")
    assert row["approval_id"] == beyond
    assert {row["approval_id"] for row in listed(service, app, f"/approvals?person_id={id_of(people[0])}")} == {
        made[0], beyond,
    }  # fmt: skip
    assert listed(service, app, f"/approvals?person_id={uuid4()}") == []


def test_people_are_listed_by_where_they_stand_in_anybodys_words(
    service: Service, workspace: Workspace
) -> None:
    token = workspace.token()
    at = {
        stage: id_of(person_at(service, workspace, stage))
        for stage in ("prospect", "qualified", "client", "closed")
    }

    def found(query: str) -> set[str]:
        return {row["person_id"] for row in listed(service, token, f"/people?{query}")}

    for query, stages in {
        "": set(at),
        "stage=client": {"client"},
        "stage=customer": {"client"},
        "stage=Customer": {"client"},
        "stage=lead": {"prospect"},
        "stage=mql": {"qualified"},
        "stage=lost": {"closed"},
        "stage=not_interested": {"closed"},
        "stage=limbo": set(),
        "stage=": set(),
        "furthest_stage=client": {"client"},
        "status=closed": {"closed"},
        "status=open": {"prospect", "qualified", "client"},
        "status=open&stage=client": {"client"},
        f"account_id={uuid4()}": set(),
    }.items():
        assert found(query) == {at[stage] for stage in stages}, query


def test_people_are_found_by_their_company_and_none_is_named(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    account = add_account(workspace, "acme-corp.example", "Acme Corp")
    ann = new_person(service, token, email="ann@acme-corp.example", name="Ann Quux", phone="+49 30 901820")
    service.person(token, email="bob@other-corp.example")
    answer = service.get(f"/people?account_id={account}", token)
    (row,) = answer.json()["people"]
    assert (row["person_id"], row["account_name"], row["account_kind"]) == (
        id_of(ann),
        "Acme Corp",
        "prospect",
    )
    assert "Quux" not in answer.text
    assert "ann@" not in answer.text


def test_pages_give_every_person_once_newest_first(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    made = [id_of(new_person(service, token, occurred_at=f"2026-01-0{n}T00:00:00Z")) for n in range(1, 8)]
    for limit in (1, 3, 7, 200):
        rows = every(service, token, "/people", limit)
        assert sorted(row["person_id"] for row in rows) == sorted(made)
        keys = [(row["created_at"], row["person_id"]) for row in rows]
        assert keys == sorted(keys, reverse=True)


def test_a_persons_timeline_tells_all_four_journals_in_the_order_of_decisions(
    service: Service, workspace: Workspace
) -> None:
    app, admin, billing = workspace.token(), workspace.member("admin").token, workspace.token("billing")
    lead = qualification_lead(service, admin, "converted")
    person = f"people/{service.get(f'/leads/{lead}', app).json()['person_id']}"
    deal = deal_of(service, admin, lead)
    service.report(app, deal, "opportunity_lost")  # refused
    subscription = service.subscription(billing, person)
    service.report(billing, subscription, "payment_failed")
    rows = every(service, admin, f"/{person}/timeline", 2)
    ids = [row["activity_id"] for row in rows]
    assert ids == sorted(set(ids))
    assert {(row["journal"], row["subject_id"]) for row in rows} == {
        ("lead_activity", lead), ("relationship_activity", id_of(person)),
        ("opportunity_activity", id_of(deal)), ("customer_activity", id_of(subscription)),
    }  # fmt: skip
    assert [row["rule"] for row in rows if row["verdict"] == "refused"] == ["lost_reason_required"]
    assert every(service, admin, f"/{person}/timeline", 200) == rows


def test_a_product_signal_is_noted_and_may_open_a_request(service: Service, workspace: Workspace) -> None:
    app = workspace.token()
    person = new_person(service, app)
    signal = {
        "signal": "ten_users", "observed_at": "2026-01-01T00:00:00Z", "reason": "invited ten",
        "expires_at": "2031-01-01T00:00:00Z", "opens_request": True,
    }  # fmt: skip
    answer = service.report(app, person, "product_signal_seen", **signal)
    assert (answer.status_code, answer.json()["verdict"], answer.json()["rule"]) == (201, "noted", None)
    assert service.get(f"/{person}", app).json()["stage"] == "prospect"
    classes = [row["request_class"] for row in listed(service, app, f"/requests?person_id={id_of(person)}")]
    assert classes.count("score") == 1
    late = service.report(
        app, person, "product_signal_seen", **(signal | {"expires_at": "2026-02-01T00:00:00Z"})
    )
    assert late.json()["rule"] == "signal_expired"


# --- qualification over the routes that there were


def test_a_request_shows_what_was_decided_of_it(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    taken, turned = qualification_lead(service, token), qualification_lead(service, token)
    waiting = qualification_lead(service, token)
    for query, leads in (("decision=none", {taken, turned, waiting}), ("decision=accepted", set())):
        assert {row["lead_id"] for row in listed(service, token, f"/requests?{query}")} == leads
    accepted = applied(service.log(token, taken, "request_accepted"))
    applied(service.log(token, turned, "request_rejected", reason="no_budget"))
    (row,) = listed(service, token, "/requests?decision=accepted")
    assert (row["lead_id"], row["decision"], row["decision_reason"]) == (taken, "accepted", None)
    assert (row["disposition_at"], row["qualified_at"]) == (accepted["occurred_at"], None)
    (row,) = listed(service, token, "/requests?decision=rejected")
    assert (row["lead_id"], row["decision_reason"]) == (turned, "no_budget")
    assert [row["lead_id"] for row in listed(service, token, "/requests?decision=none")] == [waiting]
    qualified = applied(service.log(token, taken, "lead_qualified", **CONFIRMED))
    (row,) = listed(service, token, f"/leads/{taken}/requests")
    assert row["qualified_at"] == qualified["occurred_at"]
    person = service.get(f"/leads/{taken}", token).json()["person_id"]
    assert service.get(f"/people/{person}", token).json()["first_qualified_at"] == qualified["occurred_at"]
    assert_problem(service.get("/requests?decision=perhaps", token), 422, "value_malformed")


# --- opportunities


def test_a_deal_is_opened_and_shown(service: Service, workspace: Workspace) -> None:
    app, ann = workspace.token(), workspace.member()
    account = add_account(workspace, "acme-corp.example", "Acme Corp")
    person = new_person(service, app, email="ann@acme-corp.example")
    answer = service.post(
        "/opportunities", app,
        {"pipeline": "expansion", "person_id": id_of(person), "amount": 1200.50, "currency": "EUR",
         "close_date": CLOSES_ON, "assigned_user_id": str(ann.user_id),
         "occurred_at": "2026-01-01T00:00:00Z", "reference": "crm-1"},
    )  # fmt: skip
    body = applied(answer)
    assert (next(iter(body)), list(body)[-1]) == ("verdict", "opportunity")
    assert (body["activity_type"], body["to_stage"], body["to_status"]) == (
        "opportunity_opened", "evaluation", "open",
    )  # fmt: skip
    deal = body["opportunity"]
    assert deal == {
        "opportunity_id": body["opportunity_id"], "pipeline": "expansion", "status": "open",
        "stage": "evaluation", "stage_label": "Evaluation", "stage_entered_at": "2026-01-01T00:00:00+00:00",
        "is_open": True, "person_id": id_of(person),
        "account_id": account, "account_name": "Acme Corp",
        "lead_id": None,
        "assigned_user_id": str(ann.user_id), "amount": 1200.5, "currency": "EUR", "close_date": CLOSES_ON,
        "next_step_on": None, "contacts": {id_of(person): "buying contact"}, "won_at": None, "lost_at": None,
        "lost_reason": None, "created_at": "2026-01-01T00:00:00+00:00", "seq": 1, "version": 1,
        "texts": {"problem": None, "decision_process": None, "next_step": None, "lost_notes": None},
    }  # fmt: skip
    assert service.get(f"/opportunities/{deal['opportunity_id']}", app).json() == deal
    again = service.post(
        "/opportunities", app, {"pipeline": "expansion", "person_id": id_of(person), "reference": "crm-1"}
    )
    assert (again.status_code, again.json()["replayed"]) == (200, True)
    assert again.json()["opportunity"] == deal
    assert len(listed(service, app, "/opportunities")) == 1


def test_a_deal_moves_on_what_the_buyer_confirmed(service: Service, workspace: Workspace) -> None:
    admin = workspace.member("admin").token
    deal = deal_at(service, workspace)
    answer = service.report(admin, deal, "opportunity_advanced", to_stage="proposal", problem="Too slow")
    assert (answer.status_code, answer.json()["rule"]) == (409, "evidence_required")
    advance(service, admin, deal)
    shown = service.get(f"/{deal}", admin).json()
    assert (shown["stage"], shown["next_step_on"], shown["texts"]["problem"]) == (
        "proposal", "2031-02-01", "Too slow",
    )  # fmt: skip
    answer = service.report(admin, deal, "opportunity_won", amount=0, close_date=CLOSES_ON)
    assert answer.json()["rule"] == "evidence_required"
    won = applied(
        service.report(admin, deal, "opportunity_won", amount=900, currency="EUR", close_date=CLOSES_ON)
    )
    assert (won["opportunity_id"], won["to_stage"], won["to_status"]) == (id_of(deal), "closedwon", "won")
    shown = service.get(f"/{deal}", admin).json()
    assert (shown["is_open"], shown["won_at"]) == (False, won["occurred_at"])
    rows = every(service, admin, f"/{deal}/timeline", 2)
    assert [row["seq"] for row in rows] == [1, 2, 3, 4, 5]
    assert [row["verdict"] for row in rows] == ["applied", "refused", "applied", "refused", "applied"]
    assert (rows[1]["payload"]["problem"], rows[-1]["to_stage"]) == ("Too slow", "closedwon")


def test_a_converted_lead_has_its_deal(service: Service, workspace: Workspace) -> None:
    admin = workspace.member("admin").token
    lead = qualification_lead(service, admin, "converted")
    deal = service.get(f"/{deal_of(service, admin, lead)}", admin).json()
    assert (deal["lead_id"], deal["pipeline"], deal["amount"]) == (lead, "new_business", 900)
    assert deal["contacts"] == {deal["person_id"]: "converted lead"}
    applied(service.log(admin, lead, "stage_corrected", to_stage="accepted", reason="wrong_record"))
    assert service.get(f"/opportunities/{deal['opportunity_id']}", admin).json()["status"] == "withdrawn"


def test_a_won_deal_asks_for_the_client(service: Service, workspace: Workspace) -> None:
    app, admin = workspace.token(), workspace.member("admin").token
    deal = deal_at(service, workspace, "proposal")
    person = service.get(f"/{deal}", app).json()["person_id"]
    applied(service.report(app, deal, "opportunity_won", amount=900, currency="EUR", close_date=CLOSES_ON))
    (waiting,) = listed(service, admin, "/approvals?to_stage=client")
    assert waiting["person_id"] == person
    other = deal_at(service, workspace, "proposal")
    applied(
        service.report(
            admin, other, "opportunity_won", amount=900, currency="EUR", close_date=CLOSES_ON, approve=True
        )
    )
    person = service.get(f"/{other}", app).json()["person_id"]
    assert service.get(f"/people/{person}", app).json()["stage"] == "client"


def test_each_filter_finds_the_deals_it_names(service: Service, workspace: Workspace) -> None:
    admin, ann = workspace.member("admin").token, workspace.member()
    plain = deal_at(service, workspace)
    rich = deal_at(
        service, workspace, pipeline="expansion", amount=900, currency="EUR", close_date=CLOSES_ON,
        assigned_user_id=str(ann.user_id),
    )  # fmt: skip
    lost = deal_at(service, workspace, "closedlost")
    lead = qualification_lead(service, admin, "converted")
    converted = deal_of(service, admin, lead)
    person = service.get(f"/{rich}", admin).json()["person_id"]
    for query, found in {
        "": {plain, rich, lost, converted},
        "pipeline=expansion": {rich},
        "pipeline=new_business": {plain, lost, converted},
        "status=lost": {lost},
        "stage=evaluation": {plain, rich, converted},
        "is_open=false": {lost},
        f"person_id={person}": {rich},
        f"account_id={uuid4()}": set(),
        f"lead_id={lead}": {converted},
        f"assigned_user_id={ann.user_id}": {rich},
        "assigned_user_id=none&is_open=true": {plain, converted},
        f"closes_from={CLOSES_ON}": {rich, converted},
        f"closes_from=2026-01-01&closes_before={CLOSES_ON}": set(),
    }.items():
        rows = listed(service, admin, f"/opportunities?{query}")
        assert {f"opportunities/{row['opportunity_id']}" for row in rows} == found, query
    for query in ("closes_from=soon", "closes_from=1", "assigned_user_id=me", "is_open=perhaps", "limit=0"):
        assert_problem(service.get(f"/opportunities?{query}", admin), 422, "value_malformed")


def test_pages_give_every_deal_once_newest_first(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    person = new_person(service, token)
    same = {"occurred_at": "2026-01-01T00:00:00Z"}
    made = [service.opportunity(token, person, **same) for _ in range(7)]
    for limit in (1, 3, 7, 200):
        rows = every(service, token, "/opportunities", limit)
        assert [row["opportunity_id"] for row in rows] == sorted(map(id_of, made), reverse=True)


def test_what_is_sent_of_a_deal_is_checked(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    person = id_of(new_person(service, token))
    said = {"pipeline": "new_business", "person_id": person}
    for changed, rule in (
        ({"pipeline": "juggling"}, "unknown_workflow"),
        ({"pipeline": "sales"}, "unknown_workflow"),
        ({"person_id": "7"}, "value_malformed"),
        ({"amount": "12"}, "value_malformed"),
        ({"amount": -1}, "value_malformed"),
        ({"close_date": "31 March"}, "value_malformed"),
        ({"close_date": "2031-02-30"}, "value_malformed"),
        ({"close_date": 20310331}, "value_malformed"),
        ({"currency": "euro"}, "value_malformed"),
        ({"stage": "closedwon"}, "unknown_key"),
        ({"reference": ""}, "value_malformed"),
    ):
        assert_problem(service.post("/opportunities", token, said | changed), 422, rule)
    assert_problem(service.post("/opportunities", token, {"pipeline": "new_business"}), 422, "key_missing")
    converted = service.post("/opportunities", token, said | {"lead_id": str(uuid4())})
    assert_problem(converted, 422, "unknown_key")
    assert "lead_converted" in converted.json()["hint"]
    stranger = said | {"assigned_user_id": str(uuid4())}
    assert_problem(service.post("/opportunities", token, stranger), 409, "unknown_assignee")
    assert_problem(service.post("/opportunities", workspace.token("ai"), said), 409, "ai_forbidden")
    assert_problem(
        service.post("/opportunities", workspace.token("billing"), said), 409, "writer_not_allowed"
    )
    assert_problem(service.post("/opportunities", workspace.token("analyst"), said), 403, "may_not_report")
    assert listed(service, token, "/opportunities") == []


# --- subscriptions: billing reports, nobody else


def test_billing_starts_a_subscription_and_it_is_shown(service: Service, workspace: Workspace) -> None:
    app, billing = workspace.token(), workspace.token("billing")
    person = new_person(service, app)
    said = {"person_id": id_of(person), "plan": "team", "trial": True, "reference": "sub_1"}
    body = applied(service.post("/subscriptions", billing, said))
    assert (next(iter(body)), list(body)[-1]) == ("verdict", "subscription")
    shown = body["subscription"]
    assert shown == {
        "subscription_id": body["subscription_id"], "status": "live", "stage": "trialing",
        "stage_label": "Trialing", "stage_entered_at": body["occurred_at"],
        "person_id": id_of(person), "account_id": None, "plan": "team", "started_at": body["occurred_at"],
        "cancelled_at": None, "period_start": None, "period_end": None, "renewal_stage": None,
        "created_at": body["occurred_at"], "seq": 1, "version": 1,
    }  # fmt: skip
    assert service.get(f"/subscriptions/{shown['subscription_id']}", app).json() == shown
    again = service.post("/subscriptions", billing, said)
    assert (again.status_code, again.json()["replayed"], again.json()["subscription"]) == (200, True, shown)
    path = f"subscriptions/{shown['subscription_id']}"
    for activity_type, stage in (("payment_succeeded", "active"), ("payment_failed", "past_due"),
                                 ("payment_succeeded", "active"), ("subscription_cancelled", "cancelled")):  # fmt: skip
        assert applied(service.report(billing, path, activity_type))["to_stage"] == stage
    ended = service.get(f"/{path}", app).json()
    assert ended["status"] == "ended"
    assert ended["cancelled_at"] is not None
    assert [row["seq"] for row in every(service, app, f"/{path}/timeline", 2)] == [1, 2, 3, 4, 5]


def test_nobody_but_billing_writes_of_a_subscription(service: Service, workspace: Workspace) -> None:
    person = new_person(service, workspace.token())
    subscription = subscription_at(service, workspace)
    for token in (workspace.token(), workspace.member("owner").token, workspace.token("importer")):
        born = service.post("/subscriptions", token, {"person_id": id_of(person)})
        assert_problem(born, 409, "writer_not_allowed")
        answer = service.report(token, subscription, "payment_failed")
        assert (answer.status_code, answer.json()["rule"]) == (409, "writer_not_allowed")
    assert service.get(f"/{subscription}", workspace.token()).json()["stage"] == "active"


def test_a_renewal_is_opened_and_decided_once(service: Service, workspace: Workspace) -> None:
    billing = workspace.token("billing")
    subscription = subscription_at(service, workspace)
    for year in range(2028, 2035):
        period = {"period_start": f"{year}-01-01", "period_end": f"{year + 1}-01-01"}
        body = applied(service.report(billing, subscription, "renewal_opened", **period))
        assert body["changes"]["renewal_cycle"] == [None, period | {"stage": "open"}]
    again = service.report(billing, subscription, "renewal_opened", **period)
    assert (again.status_code, again.json()["rule"]) == (201, "already_there")
    applied(service.report(billing, subscription, "renewal_renewed", period_start="2028-01-01"))
    applied(
        service.report(billing, subscription, "renewal_churned", period_start="2029-01-01", reason="budget")
    )
    for limit in (1, 2, 7, 200):
        rows = every(service, billing, f"/{subscription}/renewals", limit)
        assert [row["period_start"] for row in rows] == [f"{year}-01-01" for year in range(2028, 2035)]
        assert [row["stage"] for row in rows] == ["renewed", "churned", *["open"] * 5]
    assert "budget" not in service.get(f"/{subscription}/renewals", workspace.token("analyst")).text
    for query in ("cursor=soon", "cursor=2028", "cursor=2028-02-30", "limit=0", "limit=201"):
        assert_problem(service.get(f"/{subscription}/renewals?{query}", billing), 422, "value_malformed")


def test_each_filter_finds_the_subscriptions_it_names(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    active, ended = (
        subscription_at(service, workspace, plan="solo"),
        subscription_at(service, workspace, "cancelled"),
    )
    trial = subscription_at(service, workspace, "trialing", plan="team")
    person = service.get(f"/{trial}", token).json()["person_id"]
    for query, found in {
        "": {active, ended, trial},
        "status=live": {active, trial},
        "status=ended": {ended},
        "stage=trialing": {trial},
        "plan=team": {trial},
        f"person_id={person}": {trial},
        f"account_id={uuid4()}": set(),
    }.items():
        rows = listed(service, token, f"/subscriptions?{query}")
        assert {f"subscriptions/{row['subscription_id']}" for row in rows} == found, query
    assert len(every(service, token, "/subscriptions", 2)) == 3


# --- what all of them share


@pytest.mark.parametrize(
    ("rule", "ask"), [(rule, ask) for rule, asks in SHARED.items() for ask in asks],
    ids=[f"{rule} {n}" for rule, asks in SHARED.items() for n in range(len(asks))],
)  # fmt: skip
def test_what_is_refused_of_a_lead_is_refused_alike(
    service: Service, workspace: Workspace, rule: str, ask: Ask
) -> None:
    answer = ask(service, workspace)
    assert (answer.status_code, answer.headers["content-type"]) == (409, PROBLEM_JSON), answer.text
    body = answer.json()
    assert next(iter(body)) == "verdict"
    assert (body["verdict"], body["rule"], body["type"]) == ("refused", rule, f"urn:leadline:rule:{rule}")
    assert (body["from_stage"], body["changes"], body["approval_id"]) == (body["to_stage"], None, None)
    assert body["detail"] == body["sentence"]
    assert_nothing_leaks(answer.text)


class Everything:
    """One of each, seen by Ann, a member, or by nobody among the members; and every address of it."""

    def __init__(self, service: Service, workspace: Workspace, member: UUID | None = None) -> None:
        fields = {} if member is None else {"assigned_user_id": str(member)}
        app = workspace.token()
        self.person = new_person(service, app, **fields)
        self.deal = service.opportunity(app, self.person, **fields)
        self.subscription = service.subscription(workspace.token("billing"), self.person)
        self.approval = f"approvals/{held(service, app, self.person)}"

    @property
    def ids(self) -> list[str]:
        return [id_of(path) for path in (self.person, self.deal, self.subscription, self.approval)]


SAID: dict[str, Any] = {
    "people": {"activity_type": "relationship_advanced", "payload": {"to": "qualified", "reason": "x"}},
    "opportunities": {"activity_type": "opportunity_lost", "payload": {"lost_reason": "Price"}},
    "subscriptions": {"activity_type": "payment_succeeded"},
}


def doors(service: Service, token: str, ids: list[str]) -> dict[str, list[httpx.Response]]:
    """One answer of every address that names a person, a deal, a subscription or an approval, by rule."""
    person, deal, subscription, approval = ids
    return {
        "no_such_person": [
            *(service.get(f"/people/{person}{rest}", token) for rest in ("", "/timeline", "/stages?cursor=1")),
            service.post(f"/people/{person}/activities", token, SAID["people"]),
        ],
        "no_such_opportunity": [
            *(service.get(f"/opportunities/{deal}{rest}", token) for rest in ("", "/timeline", "/timeline?limit=1")),
            service.post(f"/opportunities/{deal}/activities", token, SAID["opportunities"]),
        ],
        "no_such_subscription": [
            *(service.get(f"/subscriptions/{subscription}{rest}", token) for rest in ("", "/timeline", "/renewals")),
            service.post(f"/subscriptions/{subscription}/activities", token, SAID["subscriptions"]),
        ],
        "no_such_approval": [service.get(f"/approvals/{approval}", token)],
    }  # fmt: skip


def test_what_is_foreign_unknown_or_malformed_is_the_same_404(service: Service, workspace: Workspace) -> None:
    foreign = Everything(service, service.workspace("Other")).ids
    strange = [[unknown] * 4 for unknown in (str(uuid4()), "7", "%00", "x" * 5000, str(uuid4()).upper())]
    for token in (workspace.token(), workspace.token("billing"), workspace.member().token):
        answers = [doors(service, token, ids) for ids in (foreign, *strange)]
        for rule in answers[0]:
            of_rule = [answer for found in answers for answer in found[rule]]
            assert_problem(of_rule[0], 404, rule)
            assert len({answer.content for answer in of_rule}) == 1
            headers = [{k: v for k, v in answer.headers.items() if k != "trace-id"} for answer in of_rule]
            assert all(sent == headers[0] for sent in headers)


def test_a_foreign_or_unknown_person_in_a_report_is_the_same_404(
    service: Service, workspace: Workspace
) -> None:
    token, billing, admin = workspace.token(), workspace.token("billing"), workspace.member("admin").token
    foreign = id_of(new_person(service, service.workspace("Other").token()))
    deal = deal_at(service, workspace)
    answers = [
        answer
        for person in (foreign, str(uuid4()))
        for answer in (
            service.get(f"/people/{person}", token),
            service.post("/opportunities", token, {"pipeline": "expansion", "person_id": person}),
            service.post("/subscriptions", billing, {"person_id": person}),
            service.report(token, deal, "contact_role_set", person_id=person, role="economic buyer"),
            service.report(admin, deal, "opportunity_advanced", to_stage="proposal", contact=person),
        )
    ]
    assert_problem(answers[0], 404, "no_such_person")
    assert len({answer.content for answer in answers}) == 1


def test_an_approval_of_another_person_is_none(service: Service, workspace: Workspace) -> None:
    admin, app = workspace.member("admin").token, workspace.token()
    approval = held(service, app, new_person(service, app))
    other = new_person(service, app)
    answers = [
        service.report(admin, other, activity_type, approval_id=given)
        for activity_type in ("approval_granted", "approval_declined")
        for given in (approval, str(uuid4()))
    ] + [service.get(f"/approvals/{uuid4()}", app)]
    assert_problem(answers[0], 404, "no_such_approval")
    assert len({answer.content for answer in answers}) == 1


def test_a_member_sees_only_theirs(service: Service, workspace: Workspace) -> None:
    ann, bob = workspace.member(), workspace.member()
    mine, theirs = Everything(service, workspace, ann.user_id), Everything(service, workspace, bob.user_id)
    nobodys = Everything(service, workspace)
    for path, key in (
        ("/people", "person_id"), ("/opportunities", "opportunity_id"), ("/subscriptions", "subscription_id"),
        ("/approvals", "approval_id"),
    ):  # fmt: skip
        assert [row[key] in mine.ids for row in listed(service, ann.token, path)] == [True], path
        assert len(listed(service, workspace.token(), path)) == 3, path
    for unseen in (theirs, nobodys):
        for rule, answers in doors(service, ann.token, unseen.ids).items():
            unknown = doors(service, ann.token, [str(uuid4())] * 4)[rule]
            assert_problem(answers[0], 404, rule)
            assert {answer.content for answer in answers} == {answer.content for answer in unknown}
    for answers in doors(service, ann.token, mine.ids).values():
        assert all(answer.status_code in (200, 201, 409) for answer in answers)
    assert (service.get(f"/{mine.person}/timeline", ann.token).content).count(b"subscription_started") == 1


def test_a_persons_timeline_shows_a_member_only_what_they_see(service: Service, workspace: Workspace) -> None:
    ann, bob, app = workspace.member(), workspace.member(), workspace.token()
    who = {"email": "zoe@people.example"}
    made = [
        {"activity_type": "lead_created", "payload": who | {"assigned_user_id": str(user_id), "source": name}}
        for user_id, name in ((ann.user_id, "anns"), (bob.user_id, "bobs"))
    ]
    mine, theirs = (row["lead_id"] for row in service.post("/activities", app, made).json()["results"])
    person = f"people/{service.get(f'/leads/{mine}', app).json()['person_id']}"
    assert service.get(f"/leads/{theirs}", app).json()["person_id"] == id_of(person), "one person"
    service.log(app, theirs, "note_added", text="zanzibar")
    deal = service.opportunity(app, person, assigned_user_id=str(bob.user_id))
    service.report(app, deal, "opportunity_lost", lost_reason="Other", notes="zanzibar")
    applied(service.log(bob.token, theirs, "appointment_scheduled"))
    applied(service.log(bob.token, theirs, "sale"))
    rows = listed(service, ann.token, f"/{person}/timeline")
    assert {row["subject_id"] for row in rows} == {mine, id_of(person)}
    assert "zanzibar" not in service.get(f"/{person}/timeline", ann.token).text
    assert {row["subject_id"] for row in listed(service, bob.token, f"/{person}/timeline")} == {
        theirs, id_of(person), id_of(deal),
    }  # fmt: skip
    assert len(listed(service, app, f"/{person}/timeline")) > len(rows)
    assert listed(service, ann.token, f"/opportunities?person_id={id_of(person)}") == []
    for member in (ann, bob):
        assert len(listed(service, member.token, "/approvals")) == 1, "they see the person"


def test_a_reference_to_what_is_out_of_sight_tells_nothing(service: Service, workspace: Workspace) -> None:
    ann, bob, app = workspace.member(), workspace.member(), workspace.token()
    person = new_person(service, app, assigned_user_id=str(ann.user_id))
    deal = service.opportunity(app, person, assigned_user_id=str(bob.user_id), reference="r")
    unknown = service.get(f"/opportunities/{uuid4()}", ann.token)
    said = {"pipeline": "new_business", "person_id": id_of(person), "reference": "r"}
    answer = service.post("/opportunities", ann.token, said)
    assert id_of(deal) not in answer.text
    assert (answer.status_code, answer.content) == (404, unknown.content)


def test_on_behalf_of_a_member_reaches_what_the_member_may_report_on(
    service: Service, workspace: Workspace
) -> None:
    ann, bob = workspace.member(), workspace.member()
    mine, theirs = Everything(service, workspace, ann.user_id), Everything(service, workspace, bob.user_id)
    app = workspace.token("app", "act_as")
    headers = {"Leadline-On-Behalf-Of": str(ann.user_id)}
    for seen, status in ((mine, 201), (theirs, 404)):
        for subject in (seen.person, seen.deal):
            said = SAID[subject.split("/")[0]]
            answer = service.post(f"/{subject}/activities", app, said, headers=headers)
            assert answer.status_code == status, answer.text
        said = {"pipeline": "expansion", "person_id": id_of(seen.person)}
        answer = service.post("/opportunities", app, said, headers=headers)
        assert answer.status_code == status, answer.text
    event = listed(service, app, f"/{mine.person}/stages")[-1]
    assert (event["actor_kind"], event["actor_id"], event["writer"]) == ("user", str(ann.user_id), "app")
    named = service.post(f"/{mine.person}/activities", workspace.token(), SAID["people"], headers=headers)
    assert_problem(named, 403, "act_as_needs_scope")


def test_what_a_member_opens_is_theirs(service: Service, workspace: Workspace) -> None:
    ann, bob = workspace.member(), workspace.member()
    person = new_person(service, workspace.token(), assigned_user_id=str(ann.user_id))
    said = {"pipeline": "new_business", "person_id": id_of(person)}
    body = applied(service.post("/opportunities", ann.token, said))
    assert body["opportunity"]["assigned_user_id"] == str(ann.user_id)
    assert_problem(service.post("/opportunities", bob.token, said), 404, "no_such_person")
    given = applied(service.post("/opportunities", ann.token, said | {"assigned_user_id": str(bob.user_id)}))
    assert given["opportunity"] is None, "it is out of her sight"
    assert service.get(f"/opportunities/{given['opportunity_id']}", bob.token).status_code == 200


def test_an_analyst_without_the_scope_reads_no_personal_text(service: Service, workspace: Workspace) -> None:
    admin = workspace.member("admin").token
    deal = deal_at(service, workspace, "proposal")
    person = service.get(f"/{deal}", admin).json()["person_id"]
    applied(
        service.report(admin, f"people/{person}", "relationship_advanced", to="qualified", reason="Too slow")
    )
    analyst, trusted = workspace.token("analyst"), workspace.token("analyst", "contacts")
    assert service.get(f"/{deal}", analyst).json()["texts"] is None
    assert service.get(f"/{deal}", trusted).json()["texts"]["next_step"] == "Demo"
    for path in (f"/{deal}", f"/{deal}/timeline", "/opportunities", f"/people/{person}/timeline",
                 f"/people/{person}/stages", "/changes"):  # fmt: skip
        assert "Too slow" not in service.get(path, analyst).text, path
    for path in (f"/{deal}/timeline", f"/people/{person}/stages"):
        assert "Too slow" in service.get(path, trusted).text, path


@pytest.mark.parametrize("what", ["held", "applied", "refused", "opened", "started", "paid"])
def test_a_report_under_a_key_is_made_once(service: Service, workspace: Workspace, what: str) -> None:
    app, billing = workspace.token(), workspace.token("billing")
    person = new_person(service, app)
    moved: dict[str, Any] = {"activity_type": "relationship_advanced"}
    token, path, said, status = {
        "held": (app, f"/{person}/activities", moved | {"payload": {"to": "client", "reason": "x"}}, 202),
        "applied": (app, f"/{person}/activities", moved | {"payload": {"to": "qualified", "reason": "x"}}, 201),
        "refused": (app, f"/{person}/activities", moved | {"payload": {"to": "limbo"}}, 409),
        "opened": (app, "/opportunities", {"pipeline": "expansion", "person_id": id_of(person)}, 201),
        "started": (billing, "/subscriptions", {"person_id": id_of(person)}, 201),
        "paid": (billing, f"/{subscription_at(service, workspace)}/activities", {"activity_type": "payment_failed"}, 201),
    }[what]  # fmt: skip
    headers = {"Idempotency-Key": f"key-{what}"}
    first, again = (service.post(path, token, said, headers=headers) for _ in range(2))
    assert first.status_code == status, first.text
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again.headers["content-type"] == first.headers["content-type"]
    assert ("idempotency-replayed" in first.headers, again.headers["idempotency-replayed"]) == (False, "true")
    other = service.post(path, token, said | {"reference": "another"}, headers=headers)
    assert_problem(other, 422, "idempotency_key_reused")
    subject = first.json().get("opportunity_id") or first.json().get("subscription_id")
    shown = path if subject is None else f"/{path.strip('/').split('/')[0]}/{subject}/activities"
    rows = listed(service, token, shown.replace("/activities", "/timeline"))
    told = [row["activity_id"] for row in rows if row["activity_type"] == first.json()["activity_type"]]
    assert told == [first.json()["activity_id"]]


ROUTES = ["/people", "/{0.person}/timeline", "/{0.person}/stages", "/approvals", "/opportunities",
          "/{0.deal}/timeline", "/subscriptions", "/{0.subscription}/timeline", "/{0.subscription}/renewals"]  # fmt: skip
SHOWN = ["/{0.person}", "/{0.deal}", "/{0.subscription}", "/{0.approval}"]


def test_parameters_are_checked(service: Service, workspace: Workspace) -> None:
    token, everything = workspace.token(), Everything(service, workspace)
    for route in ROUTES:
        path = route.format(everything)
        assert_problem(service.get(f"{path}?colour=red", token), 422, "unknown_key")
        assert_problem(service.get(f"{path}?limit=1&limit=2", token), 422, "duplicate_key")
        for wrong in ("limit=0", "limit=201", "limit=many", "limit=%00"):
            assert_problem(service.get(f"{path}?{wrong}", token), 422, "value_malformed")
        answer = service.get(f"{path}?cursor=x", token)
        assert answer.status_code == 422
        assert answer.json()["rule"] in ("malformed_cursor", "value_malformed")


def test_without_a_token_nothing_is_said(service: Service, workspace: Workspace) -> None:
    everything = Everything(service, workspace)
    for route in (*ROUTES, *SHOWN):
        assert_problem(service.get(route.format(everything)), 401, "credential_required")
        assert_problem(service.get(route.format(everything), "ll_x"), 401, "unknown_token")
    for subject in (everything.person, everything.deal, everything.subscription):
        said = SAID[subject.split("/")[0]]
        assert_problem(service.post(f"/{subject}/activities", None, said), 401, "credential_required")
        assert_problem(service.post(f"/{subject}/activities", "ll_x", said), 401, "unknown_token")


def test_every_get_runs_in_one_read_only_transaction(
    service: Service, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything, token = Everything(service, workspace), workspace.token()
    asked: list[Any] = []
    read = Pool.read

    async def spied(self: Pool, token: str, statement: Any, parameters: Any) -> Any:
        setting = "select json_build_array(current_setting('transaction_read_only'))"
        asked.append(await read(self, token, setting, ()))
        return await read(self, token, statement, parameters)

    monkeypatch.setattr(Pool, "read", spied)
    for route in (*ROUTES, *SHOWN):
        asked.clear()
        assert service.get(route.format(everything), token).status_code == 200, route
        assert [json.loads(value) for value in asked] == [["on"]], route


def test_what_may_be_asked_of_an_address_is_told(service: Service) -> None:
    for path in ("/v1/opportunities", "/v1/subscriptions"):
        answer = service.client.request("OPTIONS", path)
        assert (answer.status_code, answer.headers["allow"]) == (204, "GET, OPTIONS, POST")
        assert_problem(service.client.delete(path), 405, "method_not_allowed")


def test_verdicts_of_every_journal_are_counted(service: Service, workspace: Workspace) -> None:
    def count() -> float:
        line = 'leadline_activities_total{rule="client_needs_a_person",verdict="held"} '
        found = [row for row in service.client.get("/metrics").text.splitlines() if row.startswith(line)]
        return float(found[0].removeprefix(line)) if found else 0

    before = count()
    held(service, workspace.token(), new_person(service, workspace.token()))
    assert count() == before + 1


def test_a_forgotten_person_leaves_no_text_in_the_new_journals(
    service: Service, workspace: Workspace
) -> None:
    owner, app = workspace.member("owner").token, workspace.token()
    person = new_person(service, app, name="Zelda Quux", email="zelda@quux.example")
    deal = service.opportunity(app, person)
    win(service, owner, deal)
    quux = {"reason": "quux bought"}
    applied(service.report(owner, person, "relationship_advanced", to="active", **quux))
    applied(service.report(owner, person, "relationship_closed", **quux))
    billing = workspace.token("billing")
    subscription = service.subscription(billing, person)
    period = {"period_start": "2031-01-01", "period_end": "2032-01-01"}
    applied(service.report(billing, subscription, "renewal_opened", **period))
    applied(service.report(billing, subscription, "renewal_churned", **quux))
    applied(service.report(billing, subscription, "subscription_cancelled", **quux))
    for path in (f"/{person}/stages", f"/{subscription}/timeline", f"/{person}/timeline"):
        assert "quux bought" in service.get(path, owner).text, path
    exported = service.get(f"/{person}/export", owner).text
    for text in ("quux bought", "Too slow", id_of(deal), id_of(subscription)):
        assert text in exported
    assert service.post(f"/{person}/erase", owner, {"reason": "asked by letter"}).status_code == 201
    for path in (f"/{person}", f"/{person}/timeline", f"/{person}/stages", "/people", "/opportunities",
                 f"/{deal}", f"/{deal}/timeline", f"/{subscription}/timeline", f"/{subscription}/renewals",
                 "/approvals", f"/{person}/export", "/changes"):  # fmt: skip
        answer = service.get(path, owner)
        assert answer.status_code == 200, path
        assert "quux" not in answer.text.lower(), path
        assert "Too slow" not in answer.text, path
