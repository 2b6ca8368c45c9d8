"""The address where other systems post: every delivery is stored as it came, then made something of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, cast

from litestar import HttpMethod, Response, get, post, route
from litestar.di import NamedDependency
from litestar.openapi.spec import OpenAPIMediaType, Operation, Parameter, RequestBody, Schema
from litestar.params import FromPath
from pydantic import BaseModel, Field

from app import strict_json
from app.db import Connection, Database, fetch_row
from app.description import PROBLEM, answer, component, problem
from app.door import HttpRequest, Sent, json_answer, read_query
from app.errors import PROBLEM_JSON, Problem
from app.hooks import HANDSHAKE, MAP, PROCESS, RECEIVE, headers_of, unread, with_normal_contacts
from app.metrics import Metrics

KEY = re.compile(r"wh_[0-9a-f]{64}")
CHALLENGE = re.compile(r"[\w.~-]{1,200}", re.ASCII)
CHALLENGE_OF_SIGNATURES = 'Signature realm="leadline"'


class Delivered(BaseModel):
    """What was made of a delivery. Nothing in it tells who was met."""

    status: str = Field(json_schema_extra={"enum": ["processed", "unmapped", "mapping_failed"]})
    log_id: int
    results: list[dict[str, Any]]


class Handshake(Sent):
    """How a sender asks whether this is the address it should post to."""

    mode: str = Field(alias="hub.mode", pattern="^subscribe$")
    verify_token: str = Field(alias="hub.verify_token", max_length=200)
    challenge: str = Field(alias="hub.challenge", max_length=200)


SOURCE = Parameter(
    name="source", param_in="path", required=True, description="Key of the webhook source.",
    schema=cast("Schema", {"type": "string"}),
)  # fmt: skip
UNKNOWN = answer("There is no such address, or it was removed: one body for both.", PROBLEM, PROBLEM_JSON)


@dataclass
class DescribedDelivery(Operation):
    """What the POST takes, any body, and every answer it gives."""

    def __post_init__(self) -> None:
        """Fills in what handler signatures do not say."""
        self.parameters = [SOURCE]
        anything = OpenAPIMediaType(schema=cast("Schema", {}))
        self.request_body = RequestBody(content={"*/*": anything}, required=True)
        self.responses = {str(status): problem(status) for status in (400, 413, 422, 500, 503)}
        self.responses["202"] = answer("Stored; `status` says what was made of it.", component(Delivered))
        self.responses["401"] = answer("The signature is missing or wrong.", PROBLEM, PROBLEM_JSON)
        self.responses["404"] = UNKNOWN


@dataclass
class DescribedHandshake(Operation):
    """What the GET takes and every answer it gives."""

    def __post_init__(self) -> None:
        """Fills in what handler signatures do not say."""
        asked = Handshake.model_json_schema()["properties"]
        self.parameters = [SOURCE]
        self.parameters += [
            Parameter(name=name, param_in="query", required=True, schema=cast("Schema", {"type": "string"}))
            for name in asked
        ]
        self.responses = {str(status): problem(status) for status in (400, 422, 500, 503)}
        self.responses["200"] = answer("The challenge.", {"type": "string"}, "text/plain")
        self.responses["403"] = answer("The token is not the source's.", PROBLEM, PROBLEM_JSON)
        self.responses["404"] = UNKNOWN


@route("/v1/hooks/{source:str}", http_method=HttpMethod.OPTIONS, status_code=204, include_in_schema=False)
async def tell_hook_methods(source: FromPath[str]) -> Response[None]:  # noqa: ARG001 - part of the address
    """What may be asked of an address; Litestar's own answer would name only one of its two handlers."""
    return Response(None, status_code=204, headers={"Allow": "GET, OPTIONS, POST"})


@post("/v1/hooks/{source:str}", summary="Deliver a webhook", operation_class=DescribedDelivery)
async def receive_webhook(
    request: HttpRequest,
    source: FromPath[str],
    database: NamedDependency[Database],
    metrics: NamedDependency[Metrics],
) -> Response[bytes]:
    """Store a delivery, check its signature, log what it means (seed 004 rule 8.2). 202 even when nothing in
    it is known: it is stored and can be replayed."""
    body = await request.body()
    content_type = request.headers.get("content-type", "").replace("\0", "") or None
    received = {
        "key": _key(source),
        "headers": headers_of(request.method, str(request.url), request.scope["headers"]),
        "content_type": content_type,
        "body": body,
    }
    workspace_id, log_id, ticket, sentence, hint = await _ask(database, RECEIVE, received)
    if ticket is None:
        headers = {"WWW-Authenticate": CHALLENGE_OF_SIGNATURES}
        raise Problem(401, "bad_signature", sentence, hint, headers)
    held = {"workspace_id": workspace_id, "log_id": log_id, "ticket": ticket}
    document, mapped, fault = unread(content_type, body)
    if mapped is None:
        told, country = await _ask(database, MAP, held | {"document": strict_json.write(document)})
        mapped = with_normal_contacts(told, country)
    delivered, decided = await _ask(database, PROCESS, held | {"mapped": strict_json.write(mapped)})
    for verdict, rule in decided:
        metrics.count_activity(verdict, rule)
    if fault is not None:
        raise fault
    return json_answer(delivered, 202)


@get("/v1/hooks/{source:str}", summary="Answer a sender's handshake", operation_class=DescribedHandshake)
async def answer_handshake(
    request: HttpRequest, source: FromPath[str], database: NamedDependency[Database]
) -> Response[bytes]:
    """Give the challenge back to a sender that knows the verify token (Meta's subscription); read-only."""
    asked = read_query(request, Handshake)
    if not CHALLENGE.fullmatch(asked.challenge):
        raise Problem(422, "value_malformed", "hub.challenge: letters and digits only.", "See /schema.")
    told = {"key": _key(source), "verify_token": asked.verify_token}

    async def ask(connection: Connection) -> None:
        async with connection.transaction():
            await connection.execute("set transaction read only")
            await fetch_row(connection, HANDSHAKE, told)

    await database.write(ask)
    return Response(asked.challenge.encode(), media_type="text/plain")


def _key(source: str) -> str:
    """A key as the database knows them; another text is as unknown as any."""
    return source if KEY.fullmatch(source) else ""


async def _ask(database: Database, statement: str, parameters: dict[str, Any]) -> tuple[Any, ...]:
    """One statement, committed by itself."""

    async def ask(connection: Connection) -> tuple[Any, ...]:
        return await fetch_row(connection, statement, parameters)

    return await database.write(ask)
