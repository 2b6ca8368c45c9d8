"""Every rule by name over HTTP: what is raised, what is refused, and how every error looks."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx
import psycopg
import pytest

from app.errors import PROBLEM_JSON, problem_of
from tests.hooks import add_hook
from tests.py import layers
from tests.service import Service, Workspace

Ask = Callable[[Service, Workspace], httpx.Response]

MEMBERS = ["type", "title", "status", "detail", "rule", "hint"]
LATE = "2020-01-01T00:00:00Z"


def _one(service: Service, token: str, **activity: Any) -> httpx.Response:
    """The answer to one activity of a new lead."""
    return service.post(f"/leads/{service.lead(token)}/activities", token, activity)


def _reused(service: Service, workspace: Workspace) -> httpx.Response:
    token = workspace.token()
    said = {"activity_type": "contact_attempted", "reference": "call-1"}
    assert _one(service, token, **said).status_code == 201
    return _one(service, token, **said)


def _header(service: Service, token: str, member: Any) -> httpx.Response:
    return service.post(
        f"/leads/{service.lead(token)}/activities", token, {"activity_type": "contact_attempted"},
        headers={"Leadline-On-Behalf-Of": str(member)},
    )  # fmt: skip


def _reused_key(service: Service, workspace: Workspace) -> httpx.Response:
    token, headers = workspace.token(), {"Idempotency-Key": "k"}
    assert service.post("/leads", token, {"name": "Ann"}, headers=headers).status_code == 201
    return service.post("/leads", token, {"name": "Bob"}, headers=headers)


def _in_progress(service: Service, workspace: Workspace) -> httpx.Response:
    """The answer while another request has the key."""
    token = workspace.token()
    with service.database.connect() as other:
        other.execute("select leadline.enter(%s)", [token])
        other.execute("select leadline_internal.hold_idempotency_key('POST /v1/leads', 'k')")
        return service.post("/leads", token, {}, headers={"Idempotency-Key": "k"})


# rule -> status, and a request that meets it
RAISED: dict[str, tuple[int, Ask]] = {
    "credential_required": (401, lambda s, w: s.get("/leads")),
    "unknown_token": (401, lambda s, w: s.get("/leads", "ll_0123456789ab_" + "x" * 40)),
    "may_not_report": (403, lambda s, w: s.log(w.token("analyst"), s.lead(w.token()), "contact_attempted")),
    "act_as_needs_scope": (403, lambda s, w: _header(s, w.token("app"), w.member().user_id)),
    "unknown_member": (
        403, lambda s, w: _header(s, w.token("app", "act_as"), s.workspace().member().user_id),
    ),
    "surface_needs_scope": (
        403, lambda s, w: _one(s, w.token(), activity_type="contact_attempted", surface="lead_detail"),
    ),
    "no_such_webhook": (404, lambda s, w: s.post("/hooks/wh_" + "0" * 64, None, {})),
    "bad_signature": (401, lambda s, w: add_hook(s, w, scheme="standard_webhooks").post("{}")),
    "wrong_verify_token": (
        403,
        lambda s, w: s.get(
            f"/hooks/{add_hook(s, w, 'meta_lead_ads').key}?hub.mode=subscribe&hub.verify_token=x&hub.challenge=1"
        ),
    ),
    "no_such_lead": (404, lambda s, w: s.log(w.token(), str(uuid4()), "contact_attempted")),
    "reference_reused": (409, _reused),
    "foreign_cursor": (409, lambda s, w: s.get("/changes?after=1:2:3", w.token())),
    "malformed_cursor": (422, lambda s, w: s.get("/changes?after=yesterday", w.token())),
    "unknown_activity_type": (422, lambda s, w: _one(s, w.token(), activity_type="lead_hugged")),
    "payload_is_an_object": (
        422, lambda s, w: _one(s, w.token(), activity_type="contact_attempted", payload=[]),
    ),
    "payload_too_large": (
        422, lambda s, w: _one(s, w.token(), activity_type="contact_attempted", payload={"x": "y" * 300_000}),
    ),
    "key_missing": (422, lambda s, w: _one(s, w.token(), activity_type="note_added")),
    "value_malformed": (
        422, lambda s, w: _one(s, w.token(), activity_type="note_added", payload={"text": 5}),
    ),
    "occurred_in_the_future": (
        422, lambda s, w: _one(s, w.token(), activity_type="sale", occurred_at="2999-01-01T00:00:00Z"),
    ),
    "unknown_workflow": (422, lambda s, w: s.post("/leads", w.token(), {"workflow": "juggling"})),
    "idempotency_key_reused": (422, _reused_key),
    "request_in_progress": (409, _in_progress),
    "no_such_person": (404, lambda s, w: s.get(f"/people/{uuid4()}", w.token())),
    "erase_needs_admin": (
        403, lambda s, w: s.post(f"/people/{uuid4()}/erase", w.token(), {"reason": "asked"}),
    ),
    "batch_too_large": (
        413, lambda s, w: s.post("/activities", w.token(), [{"activity_type": "lead_created"}] * 1001),
    ),
    "batch_malformed": (
        422, lambda s, w: s.post("/activities", w.token(), {"activity_type": "lead_created"}),
    ),
} | layers.RAISED  # fmt: skip

# An import, or an activity without its lead, can only be sent as an item of a batch.
RAISED_IN_A_BATCH: dict[str, tuple[int, tuple[str, ...], dict[str, Any]]] = {
    "subject_required": (422, (), {"activity_type": "contact_attempted"}),
    "unknown_stage": (
        422, ("import",),
        {"activity_type": "lead_imported", "payload": {"stage": "limbo", "entered_at": LATE}},
    ),
    "import_needs_scope": (
        403, (),
        {"activity_type": "lead_imported", "payload": {"stage": "new", "entered_at": LATE}},
    ),
}  # fmt: skip

# Rules for which no route exists: what SQL raises is mapped all the same.
RAISED_IN_SQL: dict[str, tuple[int, str]] = {
    "unknown_preset": (422, "select leadline.add_webhook_source(leadline.current_workspace(), 'X', 'pigeon')"),
    "mapping_malformed": (
        422,
        "select leadline.add_webhook_source(leadline.current_workspace(), 'X', null, '{}')",
    ),
    "signature_malformed": (
        422,
        "select leadline.add_webhook_source(leadline.current_workspace(), 'X', 'form', null, 'rot13')",
    ),
    "no_such_delivery": (404, "select leadline.reopen_webhook(leadline.current_workspace(), 0)"),
    "delivery_purged": (
        409,
        """select leadline.add_webhook_source(leadline.current_workspace(), 'X', 'form');
           insert into leadline.webhook_logs (workspace_id, source_id, received_at, status, purged_at)
           select workspace_id, source_id, now(), 'processed', now() from leadline.webhook_sources
           where workspace_id = leadline.current_workspace();
           select leadline.reopen_webhook(workspace_id, log_id) from leadline.webhook_logs
           where workspace_id = leadline.current_workspace()""",
    ),
    "history_is_append_only": (405, "delete from leadline.workspace_activity"),
    "whole_view_needed": (
        403,
        """grant execute on all functions in schema leadline, leadline_internal to leadline_writer;
           set local role leadline_writer; select * from leadline.verify_chain()""",
    ),
    "settings_need_admin": (
        403,
        """insert into leadline.workspace_activity (activity_type, payload)
           values ('settings_changed', '{"name": "B"}')""",
    ),
    "team_needs_admin": (
        403,
        """set local session authorization leadline_service;
           select leadline.add_member(leadline.current_workspace(), 'ann@people.example', 'member')""",
    ),
    "owner_needed": (
        403,
        """select leadline_internal.enter_as(leadline.current_workspace(), 'admin');
           set local session authorization leadline_service;
           select leadline.add_member(leadline.current_workspace(), 'ann@people.example', 'owner')""",
    ),
    "administrator_needed": (
        403,
        """set local session authorization leadline_service; select leadline.create_workspace('B')""",
    ),
    "last_owner_stays": (
        409,
        """select leadline.deactivate_member(w, leadline.add_member(w, 'ann@people.example', 'owner'))
           from leadline.current_workspace() w""",
    ),
    "no_such_workspace": (404, "select leadline.close_workspace(gen_random_uuid())"),
    "no_such_member": (
        404, "select leadline.deactivate_member(leadline.current_workspace(), gen_random_uuid())",
    ),
    "no_such_token": (404, "select leadline.revoke_token(leadline.current_workspace(), gen_random_uuid())"),
    "no_such_login": (404, "select leadline.revoke_login(leadline.current_workspace(), 'nobody')"),
}  # fmt: skip


def _duplicates(service: Service, workspace: Workspace) -> httpx.Response:
    token = workspace.token()
    one, other = service.lead(token), service.lead(token)
    assert service.log(token, one, "duplicate", duplicate_of=other).status_code == 201
    return service.log(token, other, "duplicate", duplicate_of=one)


def _itself(service: Service, workspace: Workspace) -> httpx.Response:
    token = workspace.token()
    lead = service.lead(token)
    return service.log(token, lead, "duplicate", duplicate_of=lead)


def _late_outcome(service: Service, workspace: Workspace) -> httpx.Response:
    token = workspace.token()
    lead = service.lead(token)
    assert service.log(token, lead, "contact_attempted").status_code == 201
    return service.post(f"/leads/{lead}/activities", token, {"activity_type": "refused", "occurred_at": LATE})


def _stranger(service: Service, workspace: Workspace) -> httpx.Response:
    return service.log(workspace.token(), service.lead(workspace.token()), "lead_assigned",
                       assigned_user_id=str(uuid4()))  # fmt: skip


# How a sales lead comes to each stage.
WAYS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "new": [],
    "contacted": [("lead_contacted", {})],
    "proposal": [("proposal_sent", {"deal_value": 900})],
    "won": [("proposal_sent", {"deal_value": 900}), ("deal_won", {})],
    "lost": [("deal_lost", {"lost_reason": "Price"})],
    "archived": [("lead_archived", {})],
}


def sales_lead(service: Service, workspace: Workspace, stage: str = "new", **fields: Any) -> str:
    """A lead of the sales workflow at this stage, or archived."""
    token = workspace.token()
    who = {"email": f"{uuid4().hex}@people.example"} | fields
    lead = service.lead(token, workflow="sales", **who)
    for activity_type, payload in WAYS[stage]:
        answer = service.log(token, lead, activity_type, **payload)
        assert answer.json()["verdict"] == "applied", answer.text
    return lead


def _sold(stage: str, activity_type: str, role: str = "app", **payload: Any) -> Ask:
    """The answer to an activity of a sales lead at this stage, by an app or a person with this role."""

    def ask(service: Service, workspace: Workspace) -> httpx.Response:
        fields: dict[str, Any] = {}
        token = workspace.token()
        if role != "app":
            user_id, token = workspace.member(role)
            fields["assigned_user_id"] = str(user_id)
        return service.log(token, sales_lead(service, workspace, stage, **fields), activity_type, **payload)

    return ask


def _second_address(service: Service, workspace: Workspace) -> httpx.Response:
    sales_lead(service, workspace, email="ann@people.example")
    return service.log(workspace.token(), sales_lead(service, workspace), "contact_changed",
                       email=" ANN@people.example")  # fmt: skip


def _merged_by_a_member(service: Service, workspace: Workspace) -> httpx.Response:
    user_id, token = workspace.member()
    one, other = (sales_lead(service, workspace, assigned_user_id=str(user_id)) for _ in range(2))
    return service.log(token, one, "leads_merged", into=other)


def _merged(into: str, *, twice: bool = False) -> Ask:
    """The answer to a merge by an admin into a lead of the stage `into`, or into itself."""

    def ask(service: Service, workspace: Workspace) -> httpx.Response:
        admin = workspace.member("admin").token
        lead = sales_lead(service, workspace)
        other = lead if into == "itself" else sales_lead(service, workspace, into)
        if twice:
            assert service.log(admin, lead, "leads_merged", into=other).status_code == 201
        return service.log(admin, lead, "leads_merged", into=other)

    return ask


REFUSED: dict[str, Ask] = {
    "ai_forbidden": lambda s, w: s.log(w.token("ai"), s.lead(w.token()), "contact_attempted"),
    "system_only": lambda s, w: s.log(w.token(), s.lead(w.token()), "callback_cancelled"),
    "writer_not_allowed": lambda s, w: s.log(w.token("importer"), s.lead(w.token()), "contact_attempted"),
    "wrong_workflow": lambda s, w: s.log(w.token(), s.lead(w.token()), "deal_won"),
    "not_first": lambda s, w: s.log(w.token(), s.lead(w.token()), "lead_created"),
    "superseded": _late_outcome,
    "outcome_needs_appointment": lambda s, w: s.log(w.token(), s.lead(w.token()), "sale"),
    "no_show_needs_appointment": lambda s, w: s.log(w.token(), s.lead(w.token()), "appointment_no_show"),
    "cancel_needs_appointment": lambda s, w: s.log(w.token(), s.lead(w.token()), "appointment_cancel"),
    "unresponsive_needs_contact": lambda s, w: s.log(w.token(), s.lead(w.token()), "unresponsive"),
    "duplicate_of_itself": _itself,
    "duplicate_cycle": _duplicates,
    "unknown_assignee": _stranger,
    "lift_needs_admin": lambda s, w: s.log(
        w.token(), s.lead(w.token()), "suppression_lifted", reason="asked"
    ),
    "unknown_stage": _sold("lost", "lead_reopened", "admin", to_stage="limbo"),
    "needs_a_person": _sold("lost", "lead_reopened", to_stage="new"),
    "lead_is_won": _sold("won", "lead_qualified"),
    "lead_is_lost": _sold("lost", "deal_won"),
    "lead_is_archived": _sold("archived", "deal_lost", lost_reason="Price"),
    "won_needs_proposal": _sold("contacted", "deal_won", deal_value=900),
    "deal_value_required": _sold("contacted", "proposal_sent"),
    "won_value_needs_admin": _sold("won", "deal_value_changed", deal_value=1, currency="EUR"),
    "lost_reason_required": _sold("proposal", "deal_lost"),
    "unknown_lost_reason": _sold("proposal", "deal_lost", lost_reason="price"),
    "notes_required": _sold("proposal", "deal_lost", lost_reason="Other", notes="  "),
    "not_lost": _sold("contacted", "lead_reopened", "admin", to_stage="new"),
    "not_an_active_stage": _sold("lost", "lead_reopened", "admin", to_stage="won"),
    "correction_goes_forward": _sold("new", "stage_corrected", "admin", to_stage="contacted",
                                     reason="data_repair"),
    "correction_needs_admin": _sold("contacted", "stage_corrected", "member", to_stage="new",
                                    reason="data_repair"),
    "reason_required": _sold("contacted", "stage_corrected", "admin", to_stage="new"),
    "unknown_correction_reason": _sold("contacted", "stage_corrected", "admin", to_stage="new",
                                       reason="mood"),
    "archive_needs_admin": _sold("contacted", "lead_archived", "member"),
    "contact_info_required": _sold("new", "contact_changed", email=None),
    "active_lead_exists": _second_address,
    "unknown_request_class": _sold("new", "inbound_enquiry", request_class="chat"),
    "unknown_exclusion": _sold("new", "inbound_enquiry", exclusion="boring"),
    "merge_needs_admin": _merged_by_a_member,
    "merged_into_itself": _merged("itself"),
    "already_merged": _merged("new", twice=True),
    "survivor_must_be_open": _merged("won"),
} | layers.REFUSED  # fmt: skip

# Refusals about a workspace, for which there is no route.
REFUSED_ELSEWHERE = {
    "unknown_time_zone", "unknown_default_workflow", "unknown_approvers", "unknown_approval_hours",
}  # fmt: skip

# The subject of an activity, as its answer names it, and where its timeline is.
SUBJECTS = {
    "lead_id": "leads",
    "person_id": "people",
    "opportunity_id": "opportunities",
    "subscription_id": "subscriptions",
}


def assert_problem(answer: httpx.Response, status: int, rule: str) -> None:
    """`answer` is the problem details of `rule`, complete, traceable, and without a word too much."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == PROBLEM_JSON
    assert len(answer.headers["trace-id"]) == 32
    body = answer.json()
    assert list(body) == MEMBERS
    assert (body["status"], body["rule"], body["type"]) == (status, rule, f"urn:leadline:rule:{rule}")
    assert body["title"] == rule.replace("_", " ").capitalize()
    assert body["detail"].endswith(".")
    assert body["hint"].endswith(".")
    assert_nothing_leaks(answer.text)


def assert_nothing_leaks(text: str) -> None:
    """No table, schema, constraint, driver or DETAIL text stands in a body."""
    for word in (
        "lead_activity",
        "leadline.",
        "leadline_internal",
        "psycopg",
        "DETAIL",
        "Traceback",
        "constraint",
    ):
        assert word not in text


@pytest.mark.parametrize("rule", RAISED)
def test_a_raised_rule_is_a_problem_by_its_name(service: Service, workspace: Workspace, rule: str) -> None:
    status, ask = RAISED[rule]
    assert_problem(ask(service, workspace), status, rule)


@pytest.mark.parametrize("rule", RAISED_IN_A_BATCH)
def test_a_rule_raised_by_an_item_is_its_invalid_result(
    service: Service, workspace: Workspace, rule: str
) -> None:
    status, scopes, item = RAISED_IN_A_BATCH[rule]
    answer = service.post("/activities", workspace.token("app", *scopes), [item])
    assert answer.status_code == 200
    (result,) = answer.json()["results"]
    assert list(result) == ["verdict", "sqlstate", "rule", "sentence", "hint"]
    assert (result["verdict"], result["sqlstate"], result["rule"]) == ("invalid", f"PT{status}", rule)


@pytest.mark.parametrize("rule", RAISED_IN_SQL)
def test_a_rule_without_a_route_has_its_status(service: Service, workspace: Workspace, rule: str) -> None:
    status, statement = RAISED_IN_SQL[rule]
    with service.database.connect() as connection:
        connection.execute("set local role leadline_owner")
        connection.execute("select leadline_internal.enter_as(%s, 'app')", [workspace.id])
        with pytest.raises(psycopg.Error) as caught:
            connection.execute(statement)
    problem = problem_of(caught.value)
    assert (problem.status, problem.rule) == (status, rule)


@pytest.mark.parametrize("rule", REFUSED)
def test_a_refusal_is_a_409_that_names_its_rule(service: Service, workspace: Workspace, rule: str) -> None:
    answer = REFUSED[rule](service, workspace)
    assert answer.status_code == 409, answer.text
    assert answer.headers["content-type"] == PROBLEM_JSON
    body = answer.json()
    assert next(iter(body)) == "verdict"
    assert (body["verdict"], body["rule"], body["status"]) == ("refused", rule, 409)
    assert body["detail"] == body["sentence"]
    assert body["hint"].endswith(".")
    assert (body["from_stage"], body["changes"]) == (body["to_stage"], None)
    assert body["activity_id"] > 0
    assert_nothing_leaks(answer.text)


@pytest.mark.parametrize("rule", REFUSED)
def test_a_refusal_is_kept_in_the_timeline(service: Service, workspace: Workspace, rule: str) -> None:
    body = REFUSED[rule](service, workspace).json()
    (path,) = (f"/{kind}/{body[name]}/timeline" for name, kind in SUBJECTS.items() if name in body)
    timeline = service.get(path, workspace.token()).json()["timeline"]
    assert [row["rule"] for row in timeline if row["activity_id"] == body["activity_id"]] == [rule]


@pytest.mark.parametrize("rule", layers.HELD)
def test_what_is_held_is_a_202_that_names_its_rule(service: Service, workspace: Workspace, rule: str) -> None:
    answer = layers.HELD[rule](service, workspace)
    assert (answer.status_code, answer.headers["content-type"]) == (202, "application/json"), answer.text
    body = answer.json()
    assert next(iter(body)) == "verdict"
    assert (body["verdict"], body["rule"], body["changes"]) == ("held", rule, None)
    assert body["sentence"].endswith(".")
    assert body["approval_id"] is not None


def test_every_rule_that_can_refuse_or_be_raised_is_met_here(service: Service) -> None:
    with service.database.connect() as connection:
        rules = connection.execute("select rule, verdict from leadline.rule_sentences").fetchall()
    tested = {*RAISED, *RAISED_IN_A_BATCH, *RAISED_IN_SQL, *REFUSED, *REFUSED_ELSEWHERE, *layers.HELD}
    assert {rule for rule, verdict in rules if verdict != "noted"} == tested


def test_a_birth_that_is_refused_is_raised_since_no_lead_could_keep_it(
    service: Service, workspace: Workspace
) -> None:
    for field, rule in (("request_class", "unknown_request_class"), ("exclusion", "unknown_exclusion")):
        assert_problem(service.post("/leads", workspace.token(), {field: "x"}), 409, rule)
    nobody = service.post("/leads", workspace.token(), {"workflow": "sales", "name": "Ann"})
    assert_problem(nobody, 422, "contact_info_required")
    assert_problem(service.post("/leads", workspace.token("ai"), {}), 409, "ai_forbidden")
    stranger = {"assigned_user_id": str(uuid4())}
    assert_problem(service.post("/leads", workspace.token(), stranger), 409, "unknown_assignee")


def test_a_foreign_unknown_or_malformed_id_gets_the_same_404(service: Service, workspace: Workspace) -> None:
    token, foreign = workspace.token(), service.workspace("Other")
    ids = [
        service.lead(foreign.token()),
        str(uuid4()),
        "7",
        "%00",
        "a" * 5000,
        "0" * 36,
        str(uuid4()).upper(),
    ]
    said = {"activity_type": "contact_attempted"}
    answers = [
        answer
        for lead_id in ids
        for answer in (
            service.get(f"/leads/{lead_id}", token),
            service.get(f"/leads/{lead_id}/timeline", token),
            service.get(f"/leads/{lead_id}/history?cursor=1", token),
            service.get(f"/leads/{lead_id}/requests", token),
            service.post(f"/leads/{lead_id}/activities", token, said),
        )
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1
    assert_problem(answers[0], 404, "no_such_lead")
    stripped = [{k: v for k, v in answer.headers.items() if k != "trace-id"} for answer in answers]
    assert all(headers == stripped[0] for headers in stripped)


def test_a_reference_to_a_foreign_lead_is_the_same_404(service: Service, workspace: Workspace) -> None:
    token, foreign = workspace.token(), service.lead(service.workspace("Other").token())
    unknown = service.get(f"/leads/{uuid4()}", token)
    copy = {"activity_type": "lead_created", "payload": {"copied_from": foreign}}
    (result,) = service.post("/activities", token, [copy]).json()["results"]
    assert (result["sentence"], result["rule"]) == (unknown.json()["detail"], "no_such_lead")
    assert (
        service.log(token, service.lead(token), "duplicate", duplicate_of=foreign).content == unknown.content
    )


def test_without_a_token_nothing_is_said_about_a_lead(service: Service, workspace: Workspace) -> None:
    lead = service.lead(workspace.token())
    for lead_id in (lead, str(uuid4()), "7"):
        assert_problem(service.get(f"/leads/{lead_id}"), 401, "credential_required")
        assert_problem(service.get(f"/leads/{lead_id}", "nonsense"), 401, "unknown_token")
        assert_problem(service.log("ll_", lead_id, "contact_attempted"), 401, "unknown_token")


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "Token ll_x"])
def test_another_authorization_is_none(service: Service, header: str) -> None:
    answer = service.get("/leads", headers={"Authorization": header})
    assert_problem(answer, 401, "credential_required")
    assert answer.headers["www-authenticate"] == 'Bearer realm="leadline"'


def test_an_unknown_token_is_told_so_in_the_header(service: Service) -> None:
    answer = service.get("/leads", "ll_0123456789ab_" + "x" * 40)
    assert answer.headers["www-authenticate"] == 'Bearer realm="leadline", error="invalid_token"'


@pytest.mark.parametrize("token", ["ll_" + "x" * 5000, "ll_\u00e9", "a b", "'; drop table leads; --"])
def test_what_cannot_be_a_token_is_unknown(service: Service, token: str) -> None:
    answer = service.get("/leads", headers={"Authorization": f"Bearer {token}".encode("latin-1")})
    assert_problem(answer, 401, "unknown_token")


def test_a_member_named_badly_is_malformed(service: Service, workspace: Workspace) -> None:
    assert_problem(_header(service, workspace.token("app", "act_as"), "Ann"), 422, "value_malformed")


def test_an_unknown_address_and_method_are_problems(service: Service) -> None:
    assert_problem(service.client.get("/v2/leads"), 404, "no_such_route")
    assert_problem(service.client.get("/schema/files/no-such-file.js"), 404, "no_such_route")
    answer = service.client.delete("/v1/leads")
    assert_problem(answer, 405, "method_not_allowed")
    assert {"GET", "POST"} <= set(answer.headers["allow"].split(", "))


def test_a_fault_of_ours_says_nothing_but_its_trace(
    service: Service, workspace: Workspace, caplog: pytest.LogCaptureFixture
) -> None:
    token = workspace.token()
    with service.database.connect() as connection:
        connection.execute("alter view leadline.lead_overview rename to lead_overview_gone")
    try:
        answer = service.get("/leads", token)
    finally:
        with service.database.connect() as connection:
            connection.execute("alter view leadline.lead_overview_gone rename to lead_overview")
    assert_problem(answer, 500, "internal_error")
    assert answer.headers["trace-id"] in caplog.text
    assert "UndefinedTable" in caplog.text
    assert service.get("/leads", token).status_code == 200


def test_a_trace_of_the_caller_is_kept(service: Service) -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    sent = {"traceparent": f"00-{trace}-00f067aa0ba902b7-01"}
    assert service.client.get("/health", headers=sent).headers["trace-id"] == trace
    assert service.client.get("/nowhere", headers=sent).headers["trace-id"] == trace
    for bad in ("nonsense", f"00-{'0' * 32}-00f067aa0ba902b7-01"):
        drawn = service.client.get("/health", headers={"traceparent": bad}).headers["trace-id"]
        assert drawn not in (bad, "0" * 32)


def test_two_requests_have_two_traces(service: Service) -> None:
    assert len({service.client.get("/health").headers["trace-id"] for _ in range(5)}) == 5


SQLSTATES = {
    "22003": (422, "value_malformed"),
    "23503": (422, "value_malformed"),
    "23505": (409, "conflict"),
    "23514": (422, "value_malformed"),
    "25006": (500, "internal_error"),
    "40001": (503, "busy"),
    "40P01": (503, "busy"),
    "42501": (403, "not_permitted"),
    "42P01": (500, "internal_error"),
    "53300": (503, "database_unavailable"),
    "54000": (422, "value_malformed"),
    "55P03": (503, "busy"),
    "57014": (503, "busy"),
    "57P01": (503, "database_unavailable"),
    "58030": (500, "internal_error"),
    "P0001": (500, "internal_error"),
}


@pytest.mark.parametrize("code", SQLSTATES)
def test_every_class_of_error_has_one_status_and_hides_its_text(service: Service, code: str) -> None:
    with service.database.connect() as connection, pytest.raises(psycopg.Error) as caught:
        connection.execute(
            f"do $$ begin raise exception 'relation lead_activity' using errcode = '{code}', "
            "detail = 'leadline.leads', hint = 'psycopg', constraint = 'leads_pkey'; end $$"
        )
    problem = problem_of(caught.value)
    assert (problem.status, problem.rule) == SQLSTATES[code]
    assert ("Retry-After" in problem.headers) == (problem.status == 503)
    assert_nothing_leaks(json.dumps(problem.members()))


def test_a_broken_connection_is_a_503_and_other_faults_of_the_driver_are_not() -> None:
    assert problem_of(psycopg.OperationalError("server closed the connection")).status == 503
    assert problem_of(psycopg.InterfaceError("leadline.leads")).status == 500
    assert problem_of(psycopg.DataError("cannot dump")).status == 422
    assert problem_of(KeyError("leadline.leads")).members()["rule"] == "internal_error"
