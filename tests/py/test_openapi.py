"""The description is what the service does: no undocumented status, content type or body, and no 5xx."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from psycopg.types.json import Jsonb
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from app.main import create_app
from app.postgres import Server
from app.settings import Settings
from tests.databases import clone
from tests.py.test_http_service import running
from tests.service import Service, Workspace


class Api:
    """The running service, with a lead to talk about."""

    def __init__(self, address: str, workspace: Workspace) -> None:
        self.address = address
        self.token = workspace.token("app", "import", "act_as")
        self.billing = workspace.token("billing")
        self.admin = workspace.member("admin").token
        self.lead = str(
            workspace.ask(
                "with e as materialized (select leadline_internal.enter_as(%s, 'app'))"
                " select (leadline.log_activity(null, 'lead_created')).lead_id from e",
                workspace.id,
            )
        )
        self.person = str(
            workspace.ask("select person_id from leadline.leads where lead_id = %s", UUID(self.lead))
        )
        self.opportunity, self.subscription, self.approval = (
            str(
                workspace.ask(
                    "with e as materialized (select leadline_internal.enter_as(%s, %s))"
                    " select leadline.log_in_journal(%s, %s::uuid, %s, %s) ->> %s from e",
                    workspace.id, role, f"{journal}_activity", subject, activity_type, Jsonb(said), name,
                )
            )
            for role, journal, subject, activity_type, said, name in (
                ("app", "opportunity", None, "opportunity_opened",
                 {"pipeline": "expansion", "person_id": self.person}, "opportunity_id"),
                ("billing", "customer", None, "subscription_started",
                 {"person_id": self.person}, "subscription_id"),
                ("app", "relationship", self.person, "relationship_advanced",
                 {"to": "client", "reason": "signed"}, "approval_id"),
            )
        )  # fmt: skip
        self.known = {
            "lead_id": self.lead, "person_id": self.person, "opportunity_id": self.opportunity,
            "subscription_id": self.subscription, "approval_id": self.approval,
        }  # fmt: skip

    def token_for(self, case: schemathesis.Case[Any]) -> str:
        """The token of whoever would ask this."""
        if case.method == "POST" and case.path.startswith("/v1/subscriptions"):
            return self.billing
        return self.admin if "person_id" in (case.path_parameters or {}) else self.token


@pytest.fixture(scope="module")
def api(server: Server, template: str) -> Iterator[Api]:
    """The service as a process, on a database of its own."""
    with clone(server, template) as database, running(database) as (_, address):
        yield Api(address, Workspace(database))


schema = schemathesis.openapi.from_dict(create_app(Settings(dsn="dbname=none")).openapi_schema.to_schema())


@schema.parametrize()
@settings(max_examples=20, suppress_health_check=list(HealthCheck))
def test_every_answer_is_a_documented_one(case: schemathesis.Case[Any], api: Api) -> None:
    given = case.path_parameters or {}
    for name, known in api.known.items():
        if name in given and _is_uuid(given[name]):
            case.path_parameters[name] = known
    # To the schema an activity's word is any text; which of them exist, the database alone knows.
    excluded: list[Any] = [positive_data_acceptance]
    if case.path == "/v1/activities":  # one malformed item does not refuse its batch: its result says so
        excluded.append(negative_data_rejection)
    case.call_and_validate(
        base_url=api.address,
        headers={"Authorization": f"Bearer {api.token_for(case)}"},
        excluded_checks=excluded,
    )


def _is_uuid(text: object) -> bool:
    try:
        return str(UUID(str(text))) == text
    except ValueError:
        return False


def test_every_route_tells_its_errors_and_where_a_token_is_needed(service: Service) -> None:
    description = service.client.get("/schema/openapi.json").json()
    assert description["components"]["securitySchemes"] == {"token": {"type": "http", "scheme": "bearer"}}
    operations = {
        (method, path): operation
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    }
    assert set(operations) == {
        ("post", "/v1/leads"), ("get", "/v1/leads"), ("get", "/v1/leads/{lead_id}"),
        ("get", "/v1/leads/{lead_id}/timeline"), ("get", "/v1/leads/{lead_id}/history"),
        ("post", "/v1/leads/{lead_id}/activities"), ("post", "/v1/activities"), ("get", "/v1/activity-types"),
        ("get", "/v1/transitions"), ("get", "/v1/changes"), ("get", "/health"), ("get", "/ready"),
        ("post", "/v1/hooks/{source}"), ("get", "/v1/hooks/{source}"),
        ("get", "/metrics"), ("get", "/v1/requests"), ("get", "/v1/leads/{lead_id}/requests"),
        ("get", "/v1/people/{person_id}"), ("get", "/v1/people/{person_id}/export"),
        ("post", "/v1/people/{person_id}/merge"), ("post", "/v1/people/{person_id}/unmerge"),
        ("post", "/v1/people/{person_id}/erase"), ("get", "/v1/people"),
        ("post", "/v1/people/{person_id}/activities"), ("get", "/v1/people/{person_id}/timeline"),
        ("get", "/v1/people/{person_id}/stages"), ("get", "/v1/approvals"),
        ("get", "/v1/approvals/{approval_id}"), ("post", "/v1/opportunities"), ("get", "/v1/opportunities"),
        ("get", "/v1/opportunities/{opportunity_id}"), ("get", "/v1/opportunities/{opportunity_id}/timeline"),
        ("post", "/v1/opportunities/{opportunity_id}/activities"), ("post", "/v1/subscriptions"),
        ("get", "/v1/subscriptions"), ("get", "/v1/subscriptions/{subscription_id}"),
        ("get", "/v1/subscriptions/{subscription_id}/timeline"),
        ("get", "/v1/subscriptions/{subscription_id}/renewals"),
        ("post", "/v1/subscriptions/{subscription_id}/activities"), ("get", "/v1/reports/funnel"),
        ("get", "/v1/reports/accounts"), ("get", "/v1/findings"), ("get", "/v1/model"),
    }  # fmt: skip
    for (method, path), operation in operations.items():
        answers = operation["responses"]
        assert operation["summary"]
        assert all("Trace-Id" in answer["headers"] for answer in answers.values()), path
        if path.startswith("/v1/hooks/"):  # the address is the credential, and any body is taken
            assert not operation.get("security")
            assert {"404", "422", "500", "503"} <= set(answers)
            continue
        if path.startswith("/v1/"):
            assert operation["security"] == [{"token": []}]
            assert {"401", "403", "422", "500", "503"} <= set(answers)
        if method == "post":
            assert {"413", "415"} <= set(answers)
            assert operation["requestBody"]["required"] is True
            headers = [p["name"] for p in operation["parameters"] if p["in"] == "header"]
            is_decision = path.endswith(("/merge", "/unmerge", "/erase"))
            for_others = [] if is_decision else ["Leadline-On-Behalf-Of"]
            assert headers == [*for_others, "Idempotency-Key"]
        for status, answer in answers.items():
            wanted = (
                {"application/problem+json"} if int(status) >= 400 else {"application/json", "text/plain"}
            )
            assert set(answer["content"]) <= wanted


def test_every_reference_leads_somewhere(service: Service) -> None:
    """A page that shows an answer without its shape documents nothing."""
    text = service.client.get("/schema/openapi.json").text
    schemas = json.loads(text)["components"]["schemas"]
    references = set(re.findall(r'"#/components/schemas/([^"]+)"', text))
    assert references
    assert references - set(schemas) == set()
    assert set(schemas["Logged"]["properties"]) >= {"verdict", "rule", "hint", "to_stage"}
