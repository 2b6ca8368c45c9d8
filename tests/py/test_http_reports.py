"""Reports over HTTP: the funnel, the companies, and what a reviewer should look at."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest

from app.db import Database as Pool
from tests.py.layers import (
    CLOSES_ON,
    CONFIRMED,
    add_account,
    applied,
    new_person,
    qualification_lead,
    win,
)
from tests.py.test_http_errors import assert_problem
from tests.py.test_http_layers import every, listed
from tests.service import Service, Workspace

PAGED = ["/reports/accounts", "/findings"]
ROUTES = ["/reports/funnel", "/model", *PAGED]


def test_the_funnel_counts_each_unit_by_itself(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    add_account(workspace, "acme-corp.example", "Acme Corp")
    for n, (name, month) in enumerate((("ann", "01"), ("bob", "01"), ("cy", "02"))):
        lead = service.lead(
            token, email=f"{name}@acme-corp.example", workflow="qualification", request_class="demo",
            occurred_at=f"2026-{month}-10T00:00:00Z",
        )  # fmt: skip
        if n == 0:
            applied(service.log(token, lead, "request_accepted"))
            applied(service.log(token, lead, "lead_qualified", **CONFIRMED))
    rows = listed(service, token, "/reports/funnel")
    reached = {(row["unit"], row["cohort_month"], row["milestone"]): row["reached"] for row in rows}
    assert [
        reached["person", "2026-01-01", step]
        for step in ("lead", "mql", "sal", "sql", "opportunity", "customer", "excluded")
    ] == [2, 2, 1, 1, 0, 0, 0]
    assert (reached["request", "2026-02-01", "mql"], reached["account", "2026-01-01", "sql"]) == (1, 1)
    assert ("account", "2026-02-01", "mql") not in reached, "the company had come before"
    (sal,) = (
        row for row in rows if (row["unit"], row["cohort_month"], row["milestone"]) == ("person", "2026-01-01", "sal")
    )  # fmt: skip
    assert sal["rate_from_previous"] == 0.5
    keys = [(row["unit"], row["cohort_month"], row["position"]) for row in rows]
    assert len(keys) == len(set(keys))

    def found(query: str) -> set[tuple[str, str]]:
        return {
            (row["unit"], row["cohort_month"][:7])
            for row in listed(service, token, f"/reports/funnel?{query}")
        }

    assert found("unit=person") == {("person", "2026-01"), ("person", "2026-02")}
    assert found("unit=request&cohort_from=2026-02-01") == {("request", "2026-02")}
    assert found("cohort_before=2026-02-01") == {(u, "2026-01") for u in ("person", "request", "account")}
    assert found("cohort_from=2027-01-01") == set()


@pytest.mark.parametrize("query", ["unit=deal", "cohort_from=x", "cohort_before=2026-13-01"])
def test_a_part_of_the_funnel_that_is_none_is_malformed(
    service: Service, workspace: Workspace, query: str
) -> None:
    assert_problem(service.get(f"/reports/funnel?{query}", workspace.token()), 422, "value_malformed")


def test_the_model_tells_a_reviewer_how_each_stage_is_entered(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    blocks = listed(service, token, "/model")
    assert {block["workflow"] for block in blocks} >= {"relationship", "qualification", "new_business"}
    assert len({block["id"] for block in blocks}) == len(blocks)
    (proposal,) = (b for b in listed(service, token, "/model?workflow=expansion") if b["to"] == "proposal")
    assert "evaluation" in proposal["from"]
    assert (proposal["unit"], proposal["field"]) == ("opportunity", "opportunities.stage")
    assert proposal["activity_types"] == ["opportunity_advanced"]
    assert set(proposal["exits"]) == {"advance", "recycle", "lost", "correction"}
    (client,) = (b for b in blocks if (b["workflow"], b["to"]) == ("relationship", "client"))
    assert client["precedence"], "several automated writers, and who gives way is written"
    assert listed(service, token, "/model?workflow=juggling") == []


def test_a_company_shows_what_became_of_its_contacts(service: Service, workspace: Workspace) -> None:
    admin, billing = workspace.member("admin").token, workspace.token("billing")
    account = add_account(workspace, "acme-corp.example", "Acme Corp")
    person = new_person(service, admin, email="ann@acme-corp.example")
    new_person(service, admin, email="bob@acme-corp.example")
    win(service, admin, service.opportunity(admin, person))
    service.opportunity(admin, person, amount=5, currency="EUR", close_date=CLOSES_ON)
    service.subscription(billing, person)
    (row,) = listed(service, admin, "/reports/accounts")
    assert (row["account_id"], row["name"], row["people"], row["leads"]) == (account, "Acme Corp", 2, 2)
    assert (row["won_amount"], row["open_opportunities"], row["won_opportunities"]) == ({"EUR": 900}, 1, 1)
    assert (row["live_subscriptions"], row["sql_on"] is None) == (1, False), row


def test_pages_give_every_company_once_by_name(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    names = ["b", "a", "a", "c|d", "c", "\u00e9", "z"]
    for n, name in enumerate(names):
        add_account(workspace, f"corp-{n}.example", name)
    whole = listed(service, token, "/reports/accounts")
    assert sorted(row["name"] for row in whole) == sorted(names)
    assert [row["name"] for row in whole[:3]] == ["a", "a", "b"]
    for limit in (1, 2, 7, 200):
        assert every(service, token, "/reports/accounts", limit) == whole
    foreign = add_account(service.workspace("Other"), "corp-1.example", "A")
    for unknown in (foreign, uuid4()):
        page = service.get(f"/reports/accounts?cursor={unknown}", token).json()
        assert page == {"accounts": [], "next": None}
    assert len(listed(service, token, "/reports/accounts?kind=prospect")) == 7
    assert listed(service, token, "/reports/accounts?kind=partner") == []
    assert listed(service, token, f"/reports/accounts?owner_user_id={uuid4()}") == []


def test_findings_are_listed_newest_first(service: Service, workspace: Workspace) -> None:
    admin = workspace.member("admin").token
    leads = [qualification_lead(service, admin, "accepted") for _ in range(5)]
    for lead in leads:
        applied(service.log(admin, lead, "stage_corrected", to_stage="new", reason="data_repair"))
    duplicate = service.lead(admin)
    applied(service.log(admin, duplicate, "duplicate"))
    mine = [row for row in listed(service, admin, "/findings") if row["subject_kind"] != "model"]
    assert {(row["finding"], row["severity"], row["subject_id"]) for row in mine} == {
        *(("T03_manual_reversal", "warn", lead) for lead in leads),
        ("duplicate_without_duplicate_of", "info", duplicate),
    }
    times = [row["last_at"] for row in mine]
    assert times == sorted(times, reverse=True)
    for limit in (1, 2, 6, 200):
        assert every(service, admin, "/findings?subject_kind=lead", limit) == mine
    for query, count in {
        "finding=T03_manual_reversal": 5,
        "severity=info&subject_kind=lead": 1,
        "severity=high": 0,
        f"subject_id={leads[0]}": 1,
        f"subject_id={leads[0]}&finding=T10_loop": 0,
        "last_from=2026-01-01T00:00:00Z": 6,
        "last_from=2999-01-01T00:00:00Z": 0,
    }.items():
        assert len(listed(service, admin, f"/findings?{query}")) == count, query


def test_a_report_counts_only_what_its_reader_sees(service: Service, workspace: Workspace) -> None:
    ann, app = workspace.member(), workspace.token()
    for fields in ({}, {"assigned_user_id": str(ann.user_id)}):
        lead = qualification_lead(service, app, "accepted", **fields)
        admin = workspace.member("admin").token
        applied(service.log(admin, lead, "stage_corrected", to_stage="new", reason="data_repair"))

    def counted(token: str) -> int:
        rows = listed(service, token, "/reports/funnel?unit=person")
        return sum(row["reached"] for row in rows if row["milestone"] == "lead")

    assert (counted(ann.token), counted(app), counted(service.workspace("Other").token())) == (1, 2, 0)
    reversals = "/findings?finding=T03_manual_reversal"
    assert [row["subject_id"] for row in listed(service, ann.token, reversals)] == [lead]
    assert len(listed(service, app, reversals)) == 2
    assert len(listed(service, workspace.token("analyst"), reversals)) == 2


@pytest.mark.parametrize("path", ROUTES)
def test_a_report_is_read_only_and_checks_its_parameters(
    service: Service, workspace: Workspace, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = workspace.token()
    assert_problem(service.get(path), 401, "credential_required")
    assert_problem(service.get(f"{path}?colour=red", token), 422, "unknown_key")
    for query in ("limit=0", "limit=201", "cursor=x", "cursor=") if path in PAGED else ():
        assert_problem(service.get(f"{path}?{query}", token), 422, "value_malformed")
    asked: list[Any] = []
    read = Pool.read

    async def spied(self: Pool, token: str, statement: Any, parameters: Any) -> Any:
        setting = "select json_build_array(current_setting('transaction_read_only'))"
        asked.append(await read(self, token, setting, ()))
        return await read(self, token, statement, parameters)

    monkeypatch.setattr(Pool, "read", spied)
    assert service.get(path, token).status_code == 200
    assert [json.loads(value) for value in asked] == [["on"]]
