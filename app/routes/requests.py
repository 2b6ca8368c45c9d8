"""Requests: what each buyer asked for, and the clock that runs until a person answers."""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath
from psycopg import sql
from pydantic import BaseModel, Field

from app.db import Database
from app.description import BEARER, NEXT, answer, describes, listed
from app.door import Caller, HttpRequest, Instant, Sent, json_answer, read_query, uuid_or_nil
from app.errors import no_such_lead
from app.routes.leads import page

SHOWN = sql.SQL("""
    select o.request_id, o.lead_id, o.person_id, o.activity_id, o.request_class, o.source,
           (select q.external_id from leadline.requests q
            where q.workspace_id = o.workspace_id and q.request_id = o.request_id
              and (select leadline.sees_contacts())) as external_id,
           o.received_at, o.route, o.exclusion, o.owner_user_id, o.first_response_at, o.not_applicable_at,
           trim_scale(o.first_response_s) as first_response_s, o.clock, o.decision, o.decision_reason,
           o.disposition_at, o.qualified_at
    from leadline.request_ledger o
""")
ORDER = ("received_at", "request_id")

OF_LEAD = sql.SQL("""
    select case when exists (select from leadline.lead_overview l where l.lead_id = %(lead_id)s::uuid)
                then ({page}) end
""")

# A filter of the query string and the condition that it adds.
FILTERS = {
    "lead_id": "o.lead_id = %(lead_id)s",
    "person_id": "o.person_id = %(person_id)s",
    "request_class": "o.request_class = %(request_class)s",
    "source": "o.source = %(source)s",
    "route": "o.route = %(route)s",
    "owner_user_id": "o.owner_user_id = %(owner_user_id)s",
    "decision": "o.decision = %(decision)s",
    "received_from": "o.received_at >= %(received_from)s",
    "received_before": "o.received_at < %(received_before)s",
}
CHOSEN: dict[tuple[str, Any], str] = {
    ("owner_user_id", "none"): "o.owner_user_id is null",
    ("decision", "none"): "o.decision is null",
    ("clock", "running"): "o.first_response_at is null and o.not_applicable_at is null",
    ("clock", "responded"): "o.first_response_at is not null",
    ("clock", "not_applicable"): "o.first_response_at is null and o.not_applicable_at is not null",
}

Clock = Literal["running", "responded", "not_applicable"]
Route = Literal["new_business", "customer", "opportunity", "partner", "excluded"]


class RequestsOfLeadQuery(Sent):
    """Which page of a lead's requests."""

    clock: Clock | None = None
    limit: int = Field(default=50, ge=1, le=200)
    cursor: str | None = Field(default=None, description="`next` of the page before.")


class RequestQuery(RequestsOfLeadQuery):
    """Which requests to list."""

    person_id: UUID | None = None
    request_class: str | None = None
    source: str | None = None
    route: Route | None = None
    owner_user_id: UUID | Literal["none"] | None = Field(
        default=None, description="A user id, or none for requests that nobody owns."
    )
    decision: Literal["accepted", "rejected", "none"] | None = Field(
        default=None, description="What sales decided, or none for requests that nobody decided."
    )
    received_from: Instant | None = None
    received_before: Instant | None = None


class RequestRow(BaseModel):
    """One request, with a clock of its own: a lead that is asked twice is answered twice."""

    request_id: UUID
    lead_id: UUID
    person_id: UUID
    activity_id: int = Field(description="The inbound_enquiry that told of it.")
    request_class: str
    source: str
    external_id: str | None = Field(description="null for credentials that may not see contacts")
    received_at: str = Field(json_schema_extra={"format": "date-time"})
    route: Route
    exclusion: str | None
    owner_user_id: UUID | None
    first_response_at: str | None
    not_applicable_at: str | None
    first_response_s: float | None = Field(description="Seconds from received_at to first_response_at.")
    clock: Clock
    decision: Literal["accepted", "rejected"] | None = Field(description="What sales decided of it.")
    decision_reason: str | None
    disposition_at: str | None = Field(description="When it was decided for the first time; set once.")
    qualified_at: str | None = Field(description="When its lead was qualified on the ground of it.")


@get(
    "/v1/requests",
    summary="List requests, newest first",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("One page.", listed("requests", RequestRow, next=NEXT))},
        (400, 401, 403, 422, 503),
        query=RequestQuery,
    ),
)
async def list_requests(
    request: HttpRequest, caller: NamedDependency[Caller], database: NamedDependency[Database]
) -> Response[bytes]:
    """One page of the requests of visible leads that pass every filter given (seed 003: one row an act)."""
    given = read_query(request, RequestQuery).model_dump(exclude_none=True)
    statement = page("requests", SHOWN, ORDER, given, FILTERS, CHOSEN)
    return json_answer(await database.read(caller.token, statement, given))


@get(
    "/v1/leads/{lead_id:str}/requests",
    summary="The requests of a lead, newest first",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("One page.", listed("requests", RequestRow, next=NEXT))},
        (400, 401, 403, 404, 422, 503),
        lead=True,
        query=RequestsOfLeadQuery,
    ),
)
async def requests_of_lead(
    request: HttpRequest,
    lead_id: FromPath[str],
    caller: NamedDependency[Caller],
    database: NamedDependency[Database],
) -> Response[bytes]:
    """What the lead's person asked for with it, each time they did."""
    given = read_query(request, RequestsOfLeadQuery).model_dump(exclude_none=True)
    given["lead_id"] = uuid_or_nil(lead_id)
    statement = OF_LEAD.format(page=page("requests", SHOWN, ORDER, given, FILTERS, CHOSEN))
    document = await database.read(caller.token, statement, given)
    if document is None:
        raise no_such_lead()
    return json_answer(document)
