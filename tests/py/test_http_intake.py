"""Enquiries, requests and people over HTTP: who wrote in, what they met, and what is known of them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import httpx
import pytest
from psycopg.types.json import Jsonb

from app import intake
from app.db import Database as Pool
from tests.databases import Database
from tests.py.test_http_errors import assert_problem, sales_lead
from tests.service import Service, Workspace, serving
from tests.tenant import faults

LATE = "2026-01-01T00:00:00Z"


@pytest.fixture(autouse=True)
def all_is_sound(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever was sent, the journals are what they should be."""
    yield
    if "service" in request.fixturenames:
        assert faults(request.getfixturevalue("service").database.dsn()) == []


def change(workspace: Workspace, **settings: Any) -> None:
    """Change settings of the workspace, as an admin does."""
    with workspace.database.connect() as connection:
        connection.execute("set role leadline_owner")
        connection.execute("select leadline_internal.enter_as(%s, 'admin')", [workspace.id])
        connection.execute(
            "insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', %s)",
            [Jsonb(settings)],
        )


def enquire(service: Service, token: str, **fields: Any) -> dict[str, Any]:
    """What is answered to an enquiry that is taken."""
    answer = service.post("/leads", token, fields)
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


def ids(service: Service, token: str, query: str = "") -> set[str]:
    answer = service.get(f"/leads?{query}", token)
    assert answer.status_code == 200, answer.text
    return {lead["lead_id"] for lead in answer.json()["leads"]}


# --- an enquiry meets its lead, or makes one


def test_an_enquiry_makes_a_lead_that_waits(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    body = enquire(
        service, token, email="ann@people.example", name="Ann", message="What does it cost?", budget="10k",
        request_class="quote", external_id="form-7", source="web", workflow="sales",
    )  # fmt: skip
    assert (next(iter(body)), list(body)[-1]) == ("verdict", "lead")
    assert (body["verdict"], body["activity_type"]) == ("applied", "inbound_enquiry")
    lead = body["lead"]
    assert lead["lead_id"] == body["lead_id"]
    assert (lead["workflow"], lead["stage"], lead["source"]) == ("sales", "new", "web")
    assert lead["waiting_since"] == body["occurred_at"]
    assert (lead["response_time"], lead["is_possible_duplicate"], lead["merged_into"]) == (None, False, None)
    assert lead["contact"]["name"] == "Ann"
    assert service.get(f"/leads/{lead['lead_id']}", token).json() == lead


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("lead@people.example", "LEAD@People.example"),
        ("lead@people.example", "\tlead@people.example\n"),
        ("lead@people.example", "\u00a0lead@people.example\u200b"),
        ("lead@b\u00fccher.example", "lead@xn--bcher-kva.example"),
        ("lead@xn--bcher-kva.example", "LEAD@B\u00dcCHER.example"),
    ],
)
def test_a_second_enquiry_meets_the_open_lead_however_the_address_is_spelled(
    service: Service, workspace: Workspace, first: str, then: str
) -> None:
    token = workspace.token()
    made = enquire(service, token, email=first)
    met = enquire(service, token, email=then, name="Ann", message="Are you there?")
    assert met["lead_id"] == made["lead_id"]
    assert met["lead"]["seq"] == 2
    assert (met["lead"]["contact"]["name"], met["lead"]["contact"]["email"]) == (
        "Ann", made["lead"]["contact"]["email"],
    )  # fmt: skip
    assert ids(service, token) == {made["lead_id"]}
    requests = service.get(f"/leads/{made['lead_id']}/requests", token).json()["requests"]
    assert [row["activity_id"] for row in requests] == [met["activity_id"], made["activity_id"]]


@pytest.mark.parametrize("email", ["lead+web@people.example", "l.ead@gmail.com", "lead@people.test"])
def test_another_address_is_another_lead(service: Service, workspace: Workspace, email: str) -> None:
    token = workspace.token()
    enquire(service, token, email="lead@people.example"), enquire(service, token, email="lead@gmail.com")
    assert enquire(service, token, email=email)["lead"]["seq"] == 1


def test_a_lost_deal_comes_back_and_a_won_one_does_not(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    lost = sales_lead(service, workspace, "lost", email="lost@people.example")
    back = enquire(service, token, email="lost@people.example", workflow="sales")["lead"]
    assert (back["lead_id"], back["stage"], back["status"]) == (lost, "new", "active")
    assert (back["lost_reason"], back["lost_at"]) == (None, None)
    won = sales_lead(service, workspace, "won", email="won@people.example")
    again = enquire(service, token, email="won@people.example", workflow="sales")["lead"]
    before = service.get(f"/leads/{won}", token).json()
    assert again["lead_id"] != won
    assert again["person_id"] == before["person_id"]
    assert before["won_at"] is not None
    assert ids(service, token, f"person_id={again['person_id']}") == {won, again["lead_id"]}


def test_the_same_phone_is_only_perhaps_the_same_person(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    one = enquire(service, token, phone="+49 30 901820", email="ann@people.example")["lead"]
    two = enquire(service, token, phone="0049 30/901820", email="bob@people.example")["lead"]
    assert (one["is_possible_duplicate"], two["is_possible_duplicate"]) == (False, True)
    assert two["possible_duplicate_of"] == one["lead_id"]
    for query in ("is_possible_duplicate=true", f"possible_duplicate_of={one['lead_id']}"):
        assert ids(service, token, query) == {two["lead_id"]}
    assert ids(service, token, "is_possible_duplicate=false") == {one["lead_id"]}
    assert service.log(token, two["lead_id"], "possible_duplicate_dismissed").status_code == 201
    assert ids(service, token, "is_possible_duplicate=true") == set()


def test_an_excluded_enquiry_is_turned_away_visibly(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    real = enquire(service, token, email="ann@people.example")
    lead = enquire(service, token, email="ann@people.example", exclusion="spam")["lead"]
    assert lead["lead_id"] != real["lead_id"]
    assert (lead["workflow"], lead["stage"], lead["rejection_reason"]) == (
        "qualification", "disqualified", "spam",
    )  # fmt: skip
    (request,) = service.get(f"/leads/{lead['lead_id']}/requests", token).json()["requests"]
    assert (request["route"], request["exclusion"], request["clock"]) == (
        "excluded",
        "spam",
        "not_applicable",
    )


def test_a_member_is_told_nothing_of_a_lead_they_do_not_see(service: Service, workspace: Workspace) -> None:
    ann, bob, app = workspace.member(), workspace.member(), workspace.token()
    lead = enquire(service, app, email="zoe@people.example", name="Zoe", assigned_user_id=str(bob.user_id))
    headers = {"Idempotency-Key": "k"}
    said = {"email": "Zoe@people.example", "message": "hello", "name": "Zo\u00eb", "phone": "+49 30 901820"}
    answer = service.post("/leads", ann.token, said, headers=headers)
    assert answer.status_code == 201
    body = answer.json()
    assert (next(iter(body)), body["verdict"], body["rule"], body["lead"]) == (
        "verdict", "noted", "received", None,
    )  # fmt: skip
    assert (body["lead_id"], body["activity_id"], body["seq"], body["changes"]) == (None, None, None, None)
    for known in (lead["lead_id"], lead["lead"]["person_id"], str(bob.user_id)):
        assert known not in answer.text
    assert service.post("/leads", ann.token, said, headers=headers).content == answer.content
    assert service.get("/leads", ann.token).json()["leads"] == []
    assert service.get("/requests", ann.token).json()["requests"] == []
    assert len(service.get(f"/leads/{lead['lead_id']}/requests", bob.token).json()["requests"]) == 2
    assert service.get(f"/leads/{lead['lead_id']}", bob.token).json()["contact"]["phone"] == "+4930901820"


def test_a_lead_that_starts_again_is_reported_as_created(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    answer = service.post("/leads", token, {"copied_from": service.lead(token)})
    assert_problem(answer, 422, "unknown_key")
    assert "lead_created" in answer.json()["hint"]


@pytest.mark.parametrize(
    ("field", "value"),
    [("budget", True), ("budget", []), ("message", 5), ("deal_value", "12"), ("assigned_user_id", "me"),
     ("email", 7), ("external_id", {})],
)  # fmt: skip
def test_a_field_of_the_wrong_kind_is_malformed(
    service: Service, workspace: Workspace, field: str, value: Any
) -> None:
    assert_problem(service.post("/leads", workspace.token(), {field: value}), 422, "value_malformed")


@pytest.mark.parametrize("budget", ["about 10k", "0", 10000, 12.5])
def test_a_budget_is_kept_as_it_was_said(service: Service, workspace: Workspace, budget: Any) -> None:
    token = workspace.token()
    lead = service.lead(token, budget=budget)
    (row,) = service.get(f"/leads/{lead}/timeline", token).json()["timeline"]
    assert row["payload"]["budget"] == budget


@pytest.mark.slow
def test_twenty_at_once_with_one_address_are_one_lead_and_nineteen_enquiries_to_it(
    database: Database,
) -> None:
    with serving(database, pool_min=10, pool_max=20) as service:
        token = service.workspace().token()

        def one(n: int) -> httpx.Response:
            return service.post("/leads", token, {"email": "lead@people.example", "workflow": "sales"},
                                headers={"Idempotency-Key": f"k-{n}"})  # fmt: skip

        with ThreadPoolExecutor(20) as threads:
            answers = list(threads.map(one, range(20)))
        assert [answer.status_code for answer in answers] == [201] * 20
        (lead,) = {answer.json()["lead_id"] for answer in answers}
        assert sorted(answer.json()["seq"] for answer in answers) == list(range(1, 21))
        assert ids(service, token) == {lead}
        assert len(service.get("/requests?limit=200", token).json()["requests"]) == 20
    assert faults(database.dsn()) == []


# --- one spelling


@pytest.mark.parametrize(
    ("country", "sent", "kept"),
    [
        (None, "+49 (30) 901820", "+4930901820"),
        ("DE", "+44 0161 1234567", "+441611234567"),
        ("DE", "030 901820", "+4930901820"),
        ("DE", "0049 30 901820", "+4930901820"),
        ("US", "(330) 458-1111", "+13304581111"),
        ("IT", "02 3661 8300", "+390236618300"),
        (None, "030 901820", "030 901820"),
        ("DE", "4.41E+11", "4.41E+11"),
        ("DE", "call my office", "call my office"),
        ("DE", "+49", "+49"),
        ("DE", "", None),
    ],
)
def test_a_phone_is_kept_as_the_world_dials_it_or_as_it_was_given(
    service: Service, workspace: Workspace, country: str | None, sent: str, kept: str | None
) -> None:
    change(workspace, country=country)
    lead = enquire(service, workspace.token(), phone=sent)["lead"]
    assert lead["contact"]["phone"] == kept


def test_every_door_for_contacts_has_the_same_spelling(service: Service, workspace: Workspace) -> None:
    change(workspace, country="DE")
    token = workspace.token("app", "import")
    who = {"email": "ann@xn--bcher-kva.example", "phone": "030 901820"}
    lead = service.lead(token)
    assert service.log(token, lead, "contact_changed", **who).status_code == 201
    imported = {"workflow": "appointment", "stage": "new", "entered_at": LATE} | who
    items = [
        {"activity_type": "lead_created", "payload": who},
        {"activity_type": "lead_imported", "payload": imported},
        {"activity_type": "inbound_enquiry", "payload": who, "lead_id": service.lead(token)},
        {"activity_type": ["lead_created"], "payload": who},
        {"activity_type": "lead_created", "payload": [who]},
        {"activity_type": "note_added", "payload": {"text": "x", "phone": "030 901820"}, "lead_id": lead},
    ]
    results = service.post("/activities", token, items).json()["results"]
    assert [result["verdict"] for result in results] == [*["applied"] * 3, "invalid", "invalid", "noted"]
    for lead_id in (lead, *(result["lead_id"] for result in results[:3])):
        contact = service.get(f"/leads/{lead_id}", token).json()["contact"]
        assert (contact["email"], contact["phone"]) == ("ann@b\u00fccher.example", "+4930901820")
    note = service.get(f"/leads/{lead}/timeline", token).json()["timeline"][-1]
    assert note["payload"]["phone"] == "030 901820", "what is no contact is nobody's to change"
    assert len(ids(service, token, "email=ANN%40xn--bcher-kva.example")) == 4
    assert len(ids(service, token, "phone=030%2F901820")) == 4
    assert len(ids(service, token, "phone=%2B49%2030%20901820")) == 4


def test_the_country_is_asked_for_national_numbers_alone_and_seldom(
    service: Service, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(workspace, country="DE")
    token, other = workspace.token(), service.workspace("Other")
    change(other, country="US")
    foreign = other.token()
    asked: list[str] = []
    read = Pool.read

    async def spied(self: Pool, token: str, statement: Any, parameters: Any) -> Any:
        asked.append(token)
        return await read(self, token, statement, parameters)

    monkeypatch.setattr(Pool, "read", spied)
    for phone in ("+49 30 901820", "no number", "+1", "5" * 600, " " * 600):
        enquire(service, token, phone=phone)
    assert asked == []
    for _ in range(3):
        assert enquire(service, token, phone="030 901820")["lead"]["contact"]["phone"] == "+4930901820"
        enquired = enquire(service, foreign, phone="(330) 458-1111")["lead"]
        assert enquired["contact"]["phone"] == "+13304581111"
    assert asked == [token, foreign]
    assert_problem(service.post("/leads", token + "x", {"phone": "030 901820"}), 401, "unknown_token")


def test_a_new_country_is_known_soon(
    service: Service, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert intake.KEPT_SECONDS == 10
    monkeypatch.setattr(intake, "KEPT_SECONDS", 0.05)
    token = workspace.token()
    assert enquire(service, token, phone="030 901820")["lead"]["contact"]["phone"] == "030 901820"
    change(workspace, country="DE")
    time.sleep(0.06)
    assert enquire(service, token, phone="030 901820")["lead"]["contact"]["phone"] == "+4930901820"


# --- what a lead shows


def test_a_lead_tells_how_long_its_first_answer_took(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    lead = enquire(service, token, email="ann@people.example", workflow="sales", occurred_at=LATE)["lead_id"]
    assert ids(service, token, "waiting=true") == {lead}
    said = {"activity_type": "call_completed", "occurred_at": "2026-01-01T00:10:00.5Z"}
    assert service.post(f"/leads/{lead}/activities", token, said).status_code == 201
    shown = service.get(f"/leads/{lead}", token).json()
    assert (shown["response_time"], shown["waiting_since"], shown["stage"]) == (600.5, None, "contacted")
    assert (ids(service, token, "waiting=true"), ids(service, token, "waiting=false")) == (set(), {lead})


def test_a_lead_that_was_merged_names_the_one_that_goes_on(service: Service, workspace: Workspace) -> None:
    admin = workspace.member("admin").token
    one, other = sales_lead(service, workspace), sales_lead(service, workspace)
    assert service.log(admin, one, "leads_merged", into=other).status_code == 201
    shown = service.get(f"/leads/{one}", admin).json()
    assert (shown["merged_into"], shown["status"]) == (other, "archived")
    assert ids(service, admin, f"merged_into={other}") == {one}


@pytest.mark.parametrize(
    "query", ["person_id=7", "waiting=perhaps", "merged_into=", "is_possible_duplicate=2"]
)
def test_a_new_filter_of_the_wrong_kind_is_malformed(
    service: Service, workspace: Workspace, query: str
) -> None:
    assert_problem(service.get(f"/leads?{query}", workspace.token()), 422, "value_malformed")


# --- requests


def test_each_request_has_a_clock_of_its_own(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    first = enquire(service, token, email="ann@people.example", workflow="sales", occurred_at=LATE,
                    request_class="demo", source="web", external_id="x-1")  # fmt: skip
    lead = first["lead_id"]
    said = {"activity_type": "call_completed", "occurred_at": "2026-01-01T00:10:00Z"}
    service.post(f"/leads/{lead}/activities", token, said)
    enquire(service, token, email="ann@people.example", occurred_at="2026-01-02T00:00:00Z")
    new, old = service.get(f"/leads/{lead}/requests", token).json()["requests"]
    assert old == {
        "request_id": old["request_id"], "lead_id": lead, "person_id": first["lead"]["person_id"],
        "activity_id": first["activity_id"], "request_class": "demo", "source": "web", "external_id": "x-1",
        "received_at": "2026-01-01T00:00:00+00:00", "route": "new_business", "exclusion": None,
        "owner_user_id": None, "first_response_at": "2026-01-01T00:10:00+00:00", "not_applicable_at": None,
        "first_response_s": 600, "clock": "responded", "decision": None, "decision_reason": None,
        "disposition_at": None, "qualified_at": None,
    }  # fmt: skip
    assert (new["request_class"], new["clock"], new["first_response_s"]) == ("contact", "running", None)
    assert service.log(token, lead, "deal_lost", lost_reason="Price").status_code == 201
    assert service.get(f"/leads/{lead}/requests?clock=running", token).json()["requests"] == []
    (closed,) = service.get(f"/leads/{lead}/requests?clock=not_applicable", token).json()["requests"]
    assert closed["request_id"] == new["request_id"]


def test_pages_give_every_request_once_newest_first(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    lead = enquire(service, token, email="ann@people.example", occurred_at=LATE)["lead_id"]
    item = {"activity_type": "inbound_enquiry", "lead_id": lead, "payload": {}, "occurred_at": LATE}
    service.post("/activities", token, [item] * 6)
    enquire(service, token, email="bob@people.example")
    for path, count in (("/requests", 8), (f"/leads/{lead}/requests", 7)):
        for limit in (1, 3, 7, 200):
            rows: list[Any] = []
            cursor = ""
            while True:
                page = service.get(f"{path}?limit={limit}{cursor and '&cursor='}{cursor}", token).json()
                assert len(page["requests"]) <= limit
                rows += page["requests"]
                if page["next"] is None:
                    break
                cursor = page["next"]
            keys = [(row["received_at"], row["request_id"]) for row in rows]
            assert len(set(keys)) == count
            assert keys == sorted(keys, reverse=True)


def test_each_filter_finds_the_requests_it_names(service: Service, workspace: Workspace) -> None:
    token, member = workspace.token(), workspace.member()
    lead = enquire(service, token, email="ann@people.example", source="web", request_class="demo",
                   assigned_user_id=str(member.user_id), occurred_at=LATE)["lead"]  # fmt: skip
    enquire(service, token, email="bob@people.example", exclusion="test", source="fair")

    def found(query: str) -> list[str]:
        answer = service.get(f"/requests?{query}", token)
        assert answer.status_code == 200, answer.text
        return [row["source"] for row in answer.json()["requests"]]

    for query, sources in {
        "": ["fair", "web"],
        "source=web": ["web"],
        "request_class=demo": ["web"],
        "request_class=contact": ["fair"],
        "route=excluded": ["fair"],
        "clock=running": ["web"],
        "clock=responded": [],
        "clock=not_applicable": ["fair"],
        f"owner_user_id={member.user_id}": ["web"],
        "owner_user_id=none": ["fair"],
        f"person_id={lead['person_id']}": ["web"],
        "received_from=2026-01-01T00:00:00Z&received_before=2026-01-02T00:00:00Z": ["web"],
        f"received_before={LATE}": [],
    }.items():
        assert found(query) == sources, query
    for query in ("clock=stopped", "route=away", "owner_user_id=me", "limit=0", "person_id=7"):
        assert_problem(service.get(f"/requests?{query}", token), 422, "value_malformed")


def test_requests_are_seen_with_their_leads(service: Service, workspace: Workspace) -> None:
    token, ann = workspace.token(), workspace.member()
    theirs = enquire(service, token, email="bob@people.example", external_id="x-1")["lead_id"]
    mine = enquire(service, token, email="ann@people.example", assigned_user_id=str(ann.user_id))["lead_id"]
    assert [row["lead_id"] for row in service.get("/requests", ann.token).json()["requests"]] == [mine]
    other = service.workspace("Other").token()
    assert service.get("/requests", other).json() == {"requests": [], "next": None}
    answers = [
        service.get(f"/leads/{lead}/requests", reader)
        for reader, lead in ((ann.token, theirs), (other, theirs), (token, str(uuid4())), (token, "7"))
    ]
    assert_problem(answers[0], 404, "no_such_lead")
    assert len({answer.content for answer in answers}) == 1
    analyst, trusted = workspace.token("analyst"), workspace.token("analyst", "contacts")
    for reader, shown in ((analyst, None), (trusted, "x-1")):
        (row,) = service.get(f"/leads/{theirs}/requests", reader).json()["requests"]
        assert row["external_id"] == shown


# --- people


def test_a_person_is_shown_with_what_the_caller_may_see(service: Service, workspace: Workspace) -> None:
    token, ann, bob = workspace.token(), workspace.member(), workspace.member()
    lead = enquire(service, token, email="Zoe@people.example", phone="+49 30 901820",
                   assigned_user_id=str(ann.user_id))["lead"]  # fmt: skip
    path = f"/people/{lead['person_id']}"
    shown = service.get(path, token).json()
    assert shown == {
        "person_id": lead["person_id"], "status": "open", "stage": "prospect", "stage_label": "Prospect",
        "stage_entered_at": None, "furthest_stage": "prospect", "first_qualified_at": None,
        "account_id": None, "account_name": None, "account_kind": None,
        "created_at": shown["created_at"], "merged_into": None, "erased_at": None, "leads": 1, "requests": 1,
        "emails": ["zoe@people.example"], "phones": ["+4930901820"],
    }  # fmt: skip
    assert service.get(path, ann.token).json() == shown
    analyst = service.get(path, workspace.token("analyst")).json()
    assert (analyst["emails"], analyst["phones"], analyst["leads"]) == (None, None, 1)
    others = [
        service.get(path, bob.token),
        service.get(path, service.workspace("Other").token()),
        *(service.get(f"/people/{unknown}", token) for unknown in (uuid4(), "7", "%00", "x" * 5000)),
    ]
    assert_problem(others[0], 404, "no_such_person")
    assert len({answer.content for answer in others}) == 1


def people(service: Service, workspace: Workspace) -> list[str]:
    """Two people, who wrote in once each."""
    token = workspace.token()
    return [
        str(enquire(service, token, email=f"{name}@people.example")["lead"]["person_id"])
        for name in ("ann", "bob")
    ]


def test_two_people_become_one_and_two_again(service: Service, workspace: Workspace) -> None:
    admin = workspace.member("admin").token
    one, other = people(service, workspace)
    for verdict in ("applied", "noted"):
        answer = service.post(f"/people/{one}/merge", admin, {"into": other})
        assert answer.status_code == 201, answer.text
        assert next(iter(answer.json())) == "verdict"
        assert (answer.json()["verdict"], answer.json()["merged_into"]) == (verdict, other)
    assert service.get(f"/people/{one}", admin).json()["merged_into"] == other
    for verdict in ("applied", "noted"):
        answer = service.post(f"/people/{one}/unmerge", admin, {})
        assert (answer.json()["verdict"], answer.json()["merged_into"]) == (verdict, None)
    assert_problem(service.post(f"/people/{one}/merge", admin, {"into": one}), 409, "merged_into_itself")


def test_a_merge_under_a_key_is_done_once(service: Service, workspace: Workspace) -> None:
    admin, headers = workspace.member("admin").token, {"Idempotency-Key": "k"}
    one, other = people(service, workspace)
    first = service.post(f"/people/{one}/merge", admin, {"into": other}, headers=headers)
    assert service.post(f"/people/{one}/unmerge", admin, {}, headers=headers).status_code == 201
    again = service.post(f"/people/{one}/merge", admin, {"into": other}, headers=headers)
    assert (again.content, again.headers["idempotency-replayed"]) == (first.content, "true")
    assert service.get(f"/people/{one}", admin).json()["merged_into"] is None


def actions(service: Service, token: str, person: str, into: str) -> list[httpx.Response]:
    """One answer of every address that decides about a person."""
    return [
        service.post(f"/people/{person}/merge", token, {"into": into}),
        service.post(f"/people/{person}/unmerge", token, {}),
        service.post(f"/people/{person}/erase", token, {"reason": "asked"}),
        service.get(f"/people/{person}/export", token),
    ]


def test_only_owners_and_admins_decide_about_people(service: Service, workspace: Workspace) -> None:
    one, other = people(service, workspace)
    for token in (workspace.member().token, workspace.token(), workspace.token("importer")):
        merged, unmerged, erased, exported = actions(service, token, one, other)
        assert_problem(merged, 403, "merge_needs_admin")
        assert_problem(unmerged, 403, "merge_needs_admin")
        assert_problem(erased, 403, "erase_needs_admin")
        assert_problem(exported, 403, "erase_needs_admin")
    for answer in actions(service, "nonsense", one, other):
        assert_problem(answer, 401, "unknown_token")


def test_a_foreign_unknown_or_malformed_person_is_the_same_404(
    service: Service, workspace: Workspace
) -> None:
    admin = workspace.member("admin").token
    mine, _ = people(service, workspace)
    foreign, _ = people(service, service.workspace("Other"))
    answers = [
        answer
        for person in (foreign, str(uuid4()), "7", "%00", str(uuid4()).upper())
        for answer in (*actions(service, admin, person, mine), service.get(f"/people/{person}", admin))
    ]
    answers.append(service.post(f"/people/{mine}/merge", admin, {"into": foreign}))
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1
    assert_problem(answers[0], 404, "no_such_person")


def test_what_is_sent_about_a_person_is_checked(service: Service, workspace: Workspace) -> None:
    admin = workspace.member("owner")
    one, other = people(service, workspace)
    for path, document, rule in (
        ("merge", {}, "key_missing"),
        ("merge", {"into": "7"}, "value_malformed"),
        ("unmerge", {"into": other}, "unknown_key"),
        ("erase", {}, "key_missing"),
        ("erase", {"reason": ""}, "value_malformed"),
        ("erase", {"reason": "  "}, "value_malformed"),
        ("erase", {"reason": "x" * 201}, "value_malformed"),
        ("erase", [], "value_malformed"),
    ):
        assert_problem(service.post(f"/people/{one}/{path}", admin.token, document), 422, rule)
    named = {"Leadline-On-Behalf-Of": str(admin.user_id)}
    app = workspace.token("app", "act_as")
    answer = service.post(f"/people/{one}/merge", app, {"into": other}, headers=named)
    assert_problem(answer, 422, "unknown_key")
    assert service.get(f"/people/{one}", app).json()["merged_into"] is None


def test_a_person_is_told_everything_and_then_forgotten(service: Service, workspace: Workspace) -> None:
    owner, app = workspace.member("owner").token, workspace.token()
    headers = {"Idempotency-Key": "k"}
    said = {"email": "zelda@quux.example", "name": "Zelda Quux", "message": "quux?", "workflow": "sales"}
    made = service.post("/leads", app, said, headers=headers).json()
    lead, person = made["lead_id"], made["lead"]["person_id"]
    service.log(app, lead, "note_added", text="Zelda called")
    keep = enquire(service, app, email="bob@people.example", name="Bob")["lead_id"]

    exported = service.get(f"/people/{person}/export", owner)
    assert exported.status_code == 200
    for text in ("Zelda Quux", "zelda@quux.example", "quux?", "Zelda called", lead):
        assert text in exported.text

    erased = service.post(f"/people/{person}/erase", owner, {"reason": "asked by letter"})
    assert erased.status_code == 201, erased.text
    body = erased.json()
    assert (next(iter(body)), body["verdict"], body["people"], body["leads"]) == (
        "verdict", "applied", [person], [lead],
    )  # fmt: skip
    for path in (f"/leads/{lead}", f"/leads/{lead}/timeline", "/leads", f"/people/{person}", "/changes",
                 f"/people/{person}/export"):  # fmt: skip
        answer = service.get(path, owner)
        assert answer.status_code == 200, path
        assert "quux" not in answer.text.lower()
        assert "Zelda" not in answer.text
    assert service.get(f"/people/{person}", owner).json()["erased_at"] is not None
    assert service.get(f"/leads/{keep}", owner).json()["contact"]["name"] == "Bob"
    kept = "select count(*) from leadline.idempotency_keys where workspace_id = %s and body like '%%quux%%'"
    assert workspace.ask(kept, workspace.id) == 0, "the answer that showed her is gone, too"
