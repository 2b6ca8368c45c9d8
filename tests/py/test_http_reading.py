"""Lists, pages, filters, timelines and the change feed: complete, stable, and only one's own."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from app.db import Database as Pool
from tests.py.test_http_errors import assert_problem
from tests.service import Service, Workspace

SAME_MOMENT = "2026-01-01T00:00:00Z"


def _pages(service: Service, token: str, path: str, key: str) -> list[list[Any]]:
    """Every page of a list, following `next` until it is null."""
    pages: list[list[Any]] = []
    cursor = ""
    while True:
        body = service.get(f"{path}{'&' if '?' in path else '?'}{cursor}", token).json()
        pages.append(body[key])
        if body["next"] is None:
            return pages
        cursor = f"cursor={body['next']}"


def _ids(service: Service, token: str, query: str) -> set[str]:
    answer = service.get(f"/leads?{query}", token)
    assert answer.status_code == 200, answer.text
    return {lead["lead_id"] for lead in answer.json()["leads"]}


def test_pages_give_every_lead_once_though_all_are_of_one_moment(
    service: Service, workspace: Workspace
) -> None:
    token = workspace.token()
    items = [{"activity_type": "lead_created", "occurred_at": SAME_MOMENT}] * 253
    made = [r["lead_id"] for r in service.post("/activities", token, items).json()["results"]]
    for limit, pages in ((200, 2), (50, 6), (23, 11), (11, 23)):
        got = _pages(service, token, f"/leads?limit={limit}", "leads")
        assert [len(page) for page in got] == [limit] * (pages - 1) + [253 - limit * (pages - 1)]
        assert [lead["lead_id"] for page in got for lead in page] == sorted(made, reverse=True)


def test_newest_come_first_and_a_lead_made_meanwhile_shifts_no_page(
    service: Service, workspace: Workspace
) -> None:
    token = workspace.token()
    made = [service.lead(token, occurred_at=f"2026-01-0{n}T00:00:00Z") for n in range(1, 6)]
    first = service.get("/leads?limit=2", token).json()
    service.lead(token)
    second = service.get(f"/leads?limit=3&cursor={first['next']}", token).json()
    assert [lead["lead_id"] for lead in first["leads"] + second["leads"]] == made[::-1]
    assert second["next"] is None


def test_an_empty_list_is_an_empty_page(service: Service, workspace: Workspace) -> None:
    assert service.get("/leads", workspace.token()).json() == {"leads": [], "next": None}


@pytest.mark.parametrize("limit", ["0", "201", "-1", "many", "", "1e2", "9" * 30])
def test_a_limit_out_of_range_is_an_error_not_a_silent_cap(
    service: Service, workspace: Workspace, limit: str
) -> None:
    token = workspace.token()
    lead = service.lead(token)
    for path in ("/leads", f"/leads/{lead}/timeline", f"/leads/{lead}/history", "/requests"):
        assert_problem(service.get(f"{path}?limit={limit}", token), 422, "value_malformed")


def test_the_feed_takes_up_to_a_thousand(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    assert service.get("/changes?limit=1000", token).status_code == 200
    assert_problem(service.get("/changes?limit=1001", token), 422, "value_malformed")


@pytest.mark.parametrize("cursor", ["x", "eHh8", "%ff", "MjAyNg", "fHx8", "e" * 5000])
def test_a_cursor_that_is_none_of_ours_is_malformed(
    service: Service, workspace: Workspace, cursor: str
) -> None:
    for path in ("/leads", "/requests"):
        answer = service.get(f"{path}?cursor={cursor}", workspace.token())
        assert answer.json()["rule"] in ("malformed_cursor", "value_malformed")
        assert answer.status_code == 422


ROUTES = [
    "/leads",
    "/leads/{lead}/timeline",
    "/leads/{lead}/history",
    "/leads/{lead}/requests",
    "/requests",
    "/activity-types",
    "/transitions",
    "/changes",
]


@pytest.mark.parametrize("path", ROUTES)
def test_an_unknown_or_repeated_parameter_is_an_error(
    service: Service, workspace: Workspace, path: str
) -> None:
    token = workspace.token()
    path = path.format(lead=service.lead(token))
    assert_problem(service.get(f"{path}?colour=red", token), 422, "unknown_key")
    assert_problem(service.get(f"{path}?limit=1&limit=2", token), 422, "duplicate_key")
    assert_problem(service.get(f"{path}?limit=%00", token), 422, "value_malformed")


def test_each_filter_finds_what_it_names(service: Service, workspace: Workspace) -> None:
    token, member = workspace.token(), workspace.member()
    plain = service.lead(token, occurred_at="2026-01-01T00:00:00Z")
    web = service.lead(
        token, source="web", email=" Ann@People.example ", phone="+49 (30) 12-34",
        assigned_user_id=str(member.user_id), occurred_at="2026-03-01T00:00:00Z",
    )  # fmt: skip
    assert service.log(token, web, "tag_added", tag="hot").status_code == 201
    touched = {"activity_type": "contact_attempted", "occurred_at": "2026-03-02T00:00:00Z"}
    assert service.post(f"/leads/{web}/activities", token, touched).json()["to_stage"] == "attempted"
    lost = service.lead(token, occurred_at="2026-02-01T00:00:00Z")
    assert service.log(token, lost, "wrong_number").status_code == 201

    for query, found in {
        "workflow=appointment": {plain, web, lost},
        "workflow=sales": set(),
        "status=open": {plain, web},
        "status=resolved": {lost},
        "stage=attempted": {web},
        "is_open=false": {lost},
        "is_open=true": {plain, web},
        "source=web": {web},
        "tag=hot": {web},
        "tag=cold": set(),
        f"assigned_user_id={member.user_id}": {web},
        f"assigned_user_id={uuid4()}": set(),
        "assigned_user_id=none": {plain, lost},
        "email=ann%40people.EXAMPLE": {web},
        "email=bob%40people.example": set(),
        "phone=%2B49301234": {web},
        "created_from=2026-02-01T00:00:00Z": {web, lost},
        "created_before=2026-02-01T00:00:00Z": {plain},
        "created_from=2026-02-01T01:00:00%2B01:00&created_before=2026-03-01T00:00:00Z": {lost},
        "stage_entered_from=2026-03-02T00:00:00Z&stage_entered_before=2026-03-02T00:00:01Z": {web},
        "touched_from=2026-03-02T00:00:00Z": {web},
        "touched_before=2026-03-02T00:00:00Z": {plain, lost},
        "status=open&source=web&stage=new": set(),
    }.items():
        assert _ids(service, token, query) == found, query


@pytest.mark.parametrize(
    "query",
    ["created_from=2026-01-01T00:00:00", "touched_before=infinity", "is_open=perhaps", "assigned_user_id=me"],
)
def test_a_filter_of_the_wrong_kind_is_malformed(service: Service, workspace: Workspace, query: str) -> None:
    assert_problem(service.get(f"/leads?{query}", workspace.token()), 422, "value_malformed")


def test_a_timeline_has_every_activity_in_the_order_of_decisions(
    service: Service, workspace: Workspace
) -> None:
    token = workspace.token()
    lead = service.lead(token)
    for activity in ("sale", "contact_attempted", "appointment_scheduled", "sale"):
        service.log(token, lead, activity)
    pages = _pages(service, token, f"/leads/{lead}/timeline?limit=2", "timeline")
    assert [len(page) for page in pages] == [2, 2, 1]
    rows = [row for page in pages for row in page]
    assert [row["seq"] for row in rows] == [1, 2, 3, 4, 5]
    assert [(row["activity_type"], row["verdict"], row["to_stage"]) for row in rows] == [
        ("inbound_enquiry", "applied", "new"),
        ("sale", "refused", "new"),
        ("contact_attempted", "applied", "attempted"),
        ("appointment_scheduled", "applied", "scheduled"),
        ("sale", "applied", "sale"),
    ]


def test_a_history_has_every_stay_and_how_long_it_was(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    lead = service.lead(token, occurred_at="2026-01-01T00:00:00Z")
    for day, activity in enumerate(("appointment_scheduled", "note_added", "appointment_no_show"), start=2):
        said = {
            "activity_type": activity,
            "occurred_at": f"2026-01-0{day}T00:00:00Z",
            "payload": {"text": "x"},
        }
        assert service.post(f"/leads/{lead}/activities", token, said).status_code == 201
    rows = [
        row for page in _pages(service, token, f"/leads/{lead}/history?limit=2", "history") for row in page
    ]
    assert [(row["stage"], row["entered_at"][:10], (row["left_at"] or "")[:10]) for row in rows] == [
        ("new", "2026-01-01", "2026-01-02"),
        ("scheduled", "2026-01-02", "2026-01-04"),
        ("no_show", "2026-01-04", ""),
    ]


def _follow(
    service: Service, token: str, cursor: str, is_enough: Callable[[list[Any]], object]
) -> tuple[list[Any], str]:
    """Changes after `cursor` page by page, and where to go on: a change shows once nothing older can come."""
    seen: list[Any] = []
    deadline = time.monotonic() + 30  # other databases of the cluster may hold an older transaction open
    while not is_enough(seen):
        assert time.monotonic() < deadline, "the changes did not come"
        page = service.get(f"/changes?limit=2{cursor and '&after='}{cursor}", token).json()
        assert len(page["changes"]) <= 2
        seen += page["changes"]
        cursor = page["next"] or ""
    return seen, cursor


def test_the_feed_gives_every_decision_once_and_then_waits(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    lead = service.lead(token)
    for _ in range(5):
        service.log(token, lead, "contact_attempted")
    seen, cursor = _follow(service, token, "", lambda seen: seen[-1:] and seen[-1]["seq"] == 6)
    of_lead = [change for change in seen if change["subject_id"] == lead]
    assert [(c["seq"], c["from_stage"], c["to_stage"]) for c in of_lead] == [
        (1, "new", "new"), (2, "new", "attempted"), *[(n, "attempted", "attempted") for n in (3, 4, 5, 6)],
    ]  # fmt: skip
    waiting = service.get(f"/changes?limit=2&after={cursor}", token).json()
    assert waiting == {"changes": [], "next": cursor}
    service.log(token, lead, "appointment_scheduled")
    (change,), _ = _follow(service, token, cursor, bool)
    assert (change["activity_type"], change["to_stage"]) == ("appointment_scheduled", "scheduled")
    again = service.get(f"/changes?after=activity:{of_lead[-1]['activity_id']}", token).json()["changes"]
    assert again == [change]


def test_a_feed_without_changes_has_no_cursor_to_lose(service: Service, workspace: Workspace) -> None:
    body = service.get("/changes?after=activity:999999999999", workspace.token()).json()
    assert body == {"changes": [], "next": "activity:999999999999"}


def test_the_rules_are_told_as_the_database_obeys_them(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    words = {t["activity_type"]: t for t in service.get("/activity-types", token).json()["activity_types"]}
    assert words["duplicate"]["payload"]["duplicate_of"]["type"] == "uuid"
    assert words["note_added"]["payload"]["text"] == {
        "type": "text", "needed": True, "nullable": False, "personal": True,
    }  # fmt: skip
    (cell,) = [
        cell
        for cell in service.get("/transitions?workflow=appointment&activity_type=sale", token).json()[
            "transitions"
        ]
        if cell["from_stage"] == "scheduled"
    ]
    assert (cell["effect"], cell["to_stage"], cell["to_status"]) == ("move", "sale", "resolved")
    assert service.get("/transitions?workflow=juggling", token).json() == {"transitions": []}
    everything = service.get("/transitions", token).json()["transitions"]
    assert {cell["workflow"] for cell in everything} >= {"appointment"}


def test_nothing_of_another_workspace_is_seen(service: Service, workspace: Workspace) -> None:
    other = service.workspace("Other")
    mine, theirs = workspace.token(), other.token()
    lead = service.lead(theirs, email="ann@people.example")
    assert service.get("/leads", mine).json()["leads"] == []
    assert service.get("/leads?email=ann%40people.example", mine).json()["leads"] == []
    assert _ids(service, theirs, "email=ann%40people.example") == {lead}
    feed, _ = _follow(service, mine, "", len)
    assert {change["workspace_id"] for change in feed} == {str(workspace.id)}
    cursor = service.get("/leads?limit=1", theirs).json()["next"]
    assert cursor is None


def test_an_analyst_without_the_scope_sees_no_contacts_and_cannot_search_by_them(
    service: Service, workspace: Workspace
) -> None:
    lead = service.lead(workspace.token(), name="Ann", email="ann@people.example", phone="+49301234")
    analyst, trusted = workspace.token("analyst"), workspace.token("analyst", "contacts")
    assert service.get(f"/leads/{lead}", analyst).json()["contact"] is None
    assert service.get(f"/leads/{lead}", trusted).json()["contact"]["name"] == "Ann"
    for query in ("email=ann%40people.example", "phone=%2B49301234"):
        assert _ids(service, analyst, query) == set()
        assert _ids(service, trusted, query) == {lead}
    for path in (f"/leads/{lead}/timeline", "/leads", "/changes"):
        assert "Ann" not in service.get(path, analyst).text
        assert "ann@people.example" not in service.get(path, analyst).text


GETS = ["/leads", "/leads/{lead}", "/leads/{lead}/timeline", "/leads/{lead}/history", "/leads/{lead}/requests",
        "/requests", "/people/{person}", "/people/{person}/export", "/activity-types", "/transitions",
        "/changes"]  # fmt: skip


@pytest.mark.parametrize("path", GETS)
def test_every_get_runs_in_a_read_only_transaction(
    service: Service, workspace: Workspace, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    read = Pool.read

    async def spied(self: Pool, token: str, statement: Any, parameters: Any) -> Any:
        asked.append(
            await read(self, token, "select json_build_array(current_setting('transaction_read_only'))", ())
        )
        return await read(self, token, statement, parameters)

    token = workspace.member("admin").token
    lead = service.post("/leads", token, {}).json()["lead"]
    monkeypatch.setattr(Pool, "read", spied)
    path = path.format(lead=lead["lead_id"], person=lead["person_id"])
    assert service.get(path, token).status_code == 200
    assert [json.loads(value) for value in asked] == [["on"]]


def test_a_get_that_would_write_fails(
    service: Service, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = workspace.token()
    lead = service.lead(token)
    read = Pool.read

    async def writing(self: Pool, token: str, _: Any, parameters: Any) -> Any:
        return await read(
            self, token, "insert into leadline.leads (name) values ('x') returning lead_id", parameters
        )

    monkeypatch.setattr(Pool, "read", writing)
    assert_problem(service.get(f"/leads/{lead}", token), 500, "internal_error")
    monkeypatch.undo()
    assert len(service.get("/leads", token).json()["leads"]) == 1


def test_pages_hold_together_with_proofs(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    service.log(token, service.lead(token), "contact_attempted")
    with service.database.connect() as connection:
        assert connection.execute("select * from leadline.verify_state()").fetchall() == []
        assert connection.execute("select * from leadline.verify_chain()").fetchall() == []
