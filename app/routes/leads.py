"""Leads: make one, list them, show one."""

from __future__ import annotations

import base64
import binascii
from typing import Any, Literal
from uuid import UUID

from litestar import HttpMethod, Response, get, post, route
from litestar.di import NamedDependency
from litestar.params import FromPath
from psycopg import sql
from pydantic import BaseModel, Field

from app import strict_json
from app.db import Connection, Database, fetch_row
from app.description import BEARER, NEXT, answer, component, describes, listed
from app.door import (
    Caller,
    HttpRequest,
    Instant,
    Money,
    Sent,
    json_answer,
    read_body,
    read_query,
    uuid_or_nil,
)
from app.errors import Problem, no_such_lead
from app.metrics import Metrics
from app.routes.activities import LOG_ACTIVITY, Logged, answer_logged, refusal

# One lead as it is shown; contact is null for credentials that may not see contacts.
SHOWN = sql.SQL("""
    select o.lead_id, o.workflow, o.status, o.stage, o.stage_label, o.stage_entered_at, o.is_open, o.source,
           o.assigned_user_id, o.deal_value, o.currency, o.tags, o.first_contacted_at, o.last_touch_at,
           o.resolved_at, o.appointment_ref, o.appointment_at, o.callback_at, o.duplicate_of, o.copied_from,
           o.is_suppressed, o.created_at, o.seq, o.version,
           (select json_build_object('name', c.name, 'company', c.company, 'email', c.email, 'phone', c.phone)
            from leadline.lead_contacts c
            where c.workspace_id = o.workspace_id and c.lead_id = o.lead_id) as contact
    from leadline.lead_overview o
""")

SHOW_LEAD = sql.SQL(
    "select (select row_to_json(l) from ({shown} where o.lead_id = %(lead_id)s::uuid) l)"
).format(shown=SHOWN)

# Newest first. One row more than asked tells whether there is a next page; its cursor is the last row.
LIST_LEADS = sql.SQL("""
    select json_build_object(
        'leads', coalesce(json_agg(p.l order by p.n) filter (where p.n <= %(limit)s), '[]'),
        'next', translate(encode(convert_to(max(
            case when p.n = %(limit)s and p.found > %(limit)s then p.at || '|' || p.id end
        ), 'UTF8'), 'base64'), E'+/=\\n', '-_'))
    from (select l, l.created_at as at, l.lead_id as id, count(*) over () as found,
                 row_number() over (order by l.created_at desc, l.lead_id desc) as n
          from ({shown} where {filters}
                order by o.created_at desc, o.lead_id desc limit %(limit)s + 1) l) p
""")

# A filter of the query string and the condition that it adds.
FILTERS = {
    "workflow": "o.workflow = %(workflow)s",
    "status": "o.status = %(status)s",
    "stage": "o.stage = %(stage)s",
    "is_open": "o.is_open = %(is_open)s",
    "source": "o.source = %(source)s",
    "tag": "%(tag)s = any (o.tags)",
    "assigned_user_id": "o.assigned_user_id = %(assigned_user_id)s",
    "email": "leadline.sees_contacts() and o.lead_id in"
    " (select l.lead_id from leadline.leads l where l.email_key = leadline.email_key(%(email)s))",
    "phone": "leadline.sees_contacts() and o.lead_id in"
    " (select l.lead_id from leadline.leads l where l.phone_key = leadline.phone_key(%(phone)s))",
    "created_from": "o.created_at >= %(created_from)s",
    "created_before": "o.created_at < %(created_before)s",
    "stage_entered_from": "o.stage_entered_at >= %(stage_entered_from)s",
    "stage_entered_before": "o.stage_entered_at < %(stage_entered_before)s",
    "touched_from": "o.last_touch_at >= %(touched_from)s",
    "touched_before": "o.last_touch_at < %(touched_before)s",
}
NOBODY = "o.assigned_user_id is null"
AFTER_CURSOR = "(o.created_at, o.lead_id) < (%(created_at)s::timestamptz, %(lead_id)s::uuid)"


class NewLead(Sent):
    """A lead to be made, in the stage where its workflow begins."""

    workflow: str | None = Field(default=None, description="The workspace's default when left out.")
    source: str | None = None
    name: str | None = None
    company: str | None = None
    email: str | None = None
    phone: str | None = None
    assigned_user_id: UUID | None = None
    deal_value: Money | None = None
    currency: str | None = Field(default=None, description="ISO 4217; the workspace's when left out.")
    copied_from: UUID | None = Field(default=None, description="The lead that this one starts again from.")
    reference: str | None = Field(
        default=None, min_length=1, max_length=200, description="A repeat makes no second lead."
    )
    occurred_at: Instant | None = Field(
        default=None, description="When the lead came to be; now when left out."
    )


class LeadQuery(Sent):
    """Which leads to list."""

    workflow: str | None = None
    status: str | None = None
    stage: str | None = None
    is_open: bool | None = None
    source: str | None = None
    tag: str | None = None
    assigned_user_id: UUID | Literal["none"] | None = Field(
        default=None, description="A user id, or none for unassigned."
    )
    email: str | None = Field(default=None, description="Compared without case and outer white space.")
    phone: str | None = Field(default=None, description="Compared by its digits.")
    created_from: Instant | None = None
    created_before: Instant | None = None
    stage_entered_from: Instant | None = None
    stage_entered_before: Instant | None = None
    touched_from: Instant | None = None
    touched_before: Instant | None = None
    limit: int = Field(default=50, ge=1, le=200)
    cursor: str | None = Field(default=None, description="`next` of the page before.")


class Contact(BaseModel):
    """Who the lead is."""

    name: str | None
    company: str | None
    email: str | None
    phone: str | None


class Lead(BaseModel):
    """A lead as its journal made it. Times are instants; deal_value is exact, in currency."""

    lead_id: UUID
    workflow: str
    status: str
    stage: str
    stage_label: str
    stage_entered_at: str = Field(json_schema_extra={"format": "date-time"})
    is_open: bool
    source: str
    assigned_user_id: UUID | None
    deal_value: float | None
    currency: str | None
    tags: list[str]
    first_contacted_at: str | None
    last_touch_at: str | None
    resolved_at: str | None
    appointment_ref: str | None
    appointment_at: str | None
    callback_at: str | None
    duplicate_of: UUID | None
    copied_from: UUID | None
    is_suppressed: bool
    created_at: str = Field(json_schema_extra={"format": "date-time"})
    seq: int
    version: int
    contact: Contact | None = Field(description="null for credentials that may not see contacts")


class LoggedLead(Logged):
    """What was decided, and the lead as it is then."""

    lead: Lead | None = Field(description="null when the caller may not see the new lead")


@route("/v1/leads", http_method=HttpMethod.OPTIONS, status_code=204, include_in_schema=False)
async def tell_methods() -> Response[None]:
    """What may be asked of /v1/leads; Litestar's own answer would name only the first of its two handlers."""
    return Response(None, status_code=204, headers={"Allow": "GET, OPTIONS, POST"})


@post(
    "/v1/leads",
    summary="Make a lead",
    security=[{BEARER: []}],
    operation_class=describes(
        {
            200: answer(
                "A repeat of a reference: the original answer and the lead as it is now.",
                component(LoggedLead),
            ),
            201: answer("The lead was made.", component(LoggedLead)),
            202: answer("Held until a person decides.", component(LoggedLead)),
            409: refusal(),
        },
        (400, 401, 403, 404, 413, 415, 422, 503),
        body=component(NewLead),
    ),
)
async def create_lead(
    request: HttpRequest,
    caller: NamedDependency[Caller],
    database: NamedDependency[Database],
    metrics: NamedDependency[Metrics],
) -> Response[bytes]:
    """Log lead_created and answer with the verdict and the lead (404: the lead to copy from is not there)."""
    lead = await read_body(request, NewLead)
    payload = lead.model_dump(exclude={"reference", "occurred_at"}, exclude_none=True)
    parameters = {
        "token": caller.token,
        "on_behalf_of": caller.on_behalf_of,
        "lead_id": None,
        "activity_type": "lead_created",
        "payload": strict_json.write(payload),
        "reference": lead.reference,
        "occurred_at": lead.occurred_at,
        "surface": None,
    }

    async def create(connection: Connection) -> tuple[tuple[Any, ...], bytes | None]:
        async with connection.transaction():
            logged = await fetch_row(connection, LOG_ACTIVITY, parameters)
            (shown,) = await fetch_row(connection, SHOW_LEAD, {"lead_id": logged[4]})
        return logged, shown

    logged, shown = await database.write(create)
    return answer_logged(logged, metrics, {"lead": shown or b"null"})


@get(
    "/v1/leads",
    summary="List leads, newest first",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("One page.", listed("leads", Lead, next=NEXT))},
        (400, 401, 403, 422, 503),
        query=LeadQuery,
    ),
)
async def list_leads(
    request: HttpRequest, caller: NamedDependency[Caller], database: NamedDependency[Database]
) -> Response[bytes]:
    """One page of the visible leads that pass every filter given; a member sees what the database shows
    them."""
    query = read_query(request, LeadQuery)
    given = query.model_dump(exclude_none=True)
    conditions = [condition for name, condition in FILTERS.items() if name in given]
    if query.assigned_user_id == "none":
        conditions[conditions.index(FILTERS["assigned_user_id"])] = NOBODY
    if query.cursor is not None:
        given["created_at"], given["lead_id"] = read_cursor(query.cursor)
        conditions.append(AFTER_CURSOR)
    filters = sql.SQL(" and ").join(sql.SQL(condition) for condition in conditions or ["true"])
    statement = LIST_LEADS.format(shown=SHOWN, filters=filters)
    return json_answer(await database.read(caller.token, statement, given))


@get(
    "/v1/leads/{lead_id:str}",
    summary="Show a lead",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("The lead.", component(Lead))}, (400, 401, 403, 404, 422, 503), lead=True
    ),
)
async def show_lead(
    lead_id: FromPath[str], caller: NamedDependency[Caller], database: NamedDependency[Database]
) -> Response[bytes]:
    """The lead as it is now; 404 alike for foreign, unknown, unseen and malformed ids (seed 004 1.3)."""
    document = await database.read(caller.token, SHOW_LEAD, {"lead_id": uuid_or_nil(lead_id)})
    if document is None:
        raise no_such_lead()
    return json_answer(document)


def read_cursor(cursor: str) -> tuple[str, UUID]:
    """created_at and lead_id of the last lead of the page before. Raises Problem 422 malformed_cursor."""
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
        created_at, _, lead_id = text.partition("|")
        return created_at, UUID(lead_id)
    except (binascii.Error, ValueError):
        raise Problem(
            422, "malformed_cursor", "This is not a cursor of this list.",
            "Send `next` of the page before exactly as it was given, or none for the first page.",
        ) from None  # fmt: skip
