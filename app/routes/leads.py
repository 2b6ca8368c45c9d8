"""Leads: make one, list them, show one."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any, ClassVar, Literal
from uuid import UUID

from litestar import HttpMethod, Response, get, post, route
from litestar.di import NamedDependency
from litestar.params import FromPath
from psycopg import sql
from pydantic import BaseModel, Field

from app import strict_json
from app.db import Database
from app.description import BEARER, NEXT, answer, component, describes, listed
from app.door import (
    Caller,
    HttpRequest,
    Instant,
    Money,
    Number,
    Sent,
    checked,
    json_answer,
    read_query,
    uuid_or_nil,
)
from app.errors import Problem, no_such_lead
from app.idempotency import Row, perform, read_write
from app.intake import Intake
from app.metrics import Metrics
from app.routes.activities import LOGGED, Logged, answer_logged, count_logged, refusal

# One lead as it is shown; contact is null for credentials that may not see contacts.
SHOWN = sql.SQL("""
    select o.lead_id, o.workflow, o.status, o.stage, o.stage_label, o.stage_entered_at, o.is_open, o.source,
           o.assigned_user_id, o.deal_value, o.currency, o.tags, o.first_contacted_at, o.last_touch_at,
           o.resolved_at, o.appointment_ref, o.appointment_at, o.callback_at, o.duplicate_of, o.copied_from,
           o.is_suppressed, o.person_id, o.account_id, o.waiting_since, o.won_at, o.lost_at, o.lost_reason,
           o.is_possible_duplicate, o.possible_duplicate_of, o.merged_into, o.rejection_reason,
           o.accepted_at, o.recycle_reason, o.recycle_on, o.opportunity_id,
           trim_scale(extract(epoch from o.response_time)) as response_time, o.created_at, o.seq, o.version,
           (select json_build_object('name', c.name, 'company', c.company, 'email', c.email, 'phone', c.phone)
            from leadline.lead_contacts c
            where c.workspace_id = o.workspace_id and c.lead_id = o.lead_id) as contact
    from leadline.lead_overview o
""")

SHOW_LEAD = sql.SQL(
    "select (select row_to_json(l) from ({shown} where o.lead_id = %(lead_id)s::uuid) l)"
).format(shown=SHOWN)

# The lead's id stays in a setting of the transaction: so the statement that shows the lead travels along.
ENQUIRY = "inbound_enquiry"
LOG_ENQUIRY = f"""
    select l.verdict, l.rule, l.sentence, l.replayed, row_to_json(l),
           set_config('leadline.logged_lead', coalesce(l.lead_id::text, ''), true)
    {LOGGED}
"""
SHOW_LOGGED_LEAD = sql.SQL("""
    select (select row_to_json(l) from (
        {shown} where o.lead_id = nullif(current_setting('leadline.logged_lead', true), '')::uuid) l)
""").format(shown=SHOWN)

# Newest first. One row more than asked tells whether there is a next page; its cursor is the last row.
PAGE = sql.SQL("""
    select json_build_object(
        {key}, coalesce(json_agg(p.l order by p.n) filter (where p.n <= %(limit)s), '[]'),
        'next', translate(encode(convert_to(max(
            case when p.n = %(limit)s and p.found > %(limit)s then p.at || '|' || p.id end
        ), 'UTF8'), 'base64'), E'+/=\\n', '-_'))
    from (select l, l.{at} as at, l.{id} as id, count(*) over () as found,
                 row_number() over (order by l.{at} desc, l.{id} desc) as n
          from ({shown} where {filters} order by o.{at} desc, o.{id} desc limit %(limit)s + 1) l) p
""")
AFTER_CURSOR = sql.SQL("(o.{at}, o.{id}) < (%(cursor_at)s::timestamptz, %(cursor_id)s::uuid)")

ORDER = ("created_at", "lead_id")

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
    "person_id": "o.person_id = %(person_id)s",
    "possible_duplicate_of": "o.possible_duplicate_of = %(possible_duplicate_of)s",
    "merged_into": "o.merged_into = %(merged_into)s",
}
# Values that have a condition of their own: one that a partial index can see.
CHOSEN: dict[tuple[str, Any], str] = {
    ("assigned_user_id", "none"): "o.assigned_user_id is null",
    ("waiting", True): "o.waiting_since is not null",
    ("waiting", False): "o.waiting_since is null",
    ("is_possible_duplicate", True): "o.is_possible_duplicate",
    ("is_possible_duplicate", False): "not o.is_possible_duplicate",
}


class Enquiry(Sent):
    """Somebody wrote in. An open lead with that e-mail address gets it, else a lost deal comes back, else a
    lead is made. One that starts again from another (copied_from) is a lead_created: POST /v1/activities."""

    elsewhere: ClassVar[Mapping[str, str]] = {
        "copied_from": "Report lead_created with copied_from and without lead_id: POST /v1/activities."
    }

    email: str | None = Field(default=None, description="By it the person is recognised, and the lead found.")
    phone: str | None = Field(
        default=None,
        description="Kept in E.164; a number without its country's code is one of the workspace's country. "
        "What is no number is kept as it is.",
    )
    name: str | None = None
    company: str | None = None
    message: str | None = None
    source: str | None = None
    request_class: str | None = Field(
        default=None,
        description="demo, pricing_question, quote, trial_signup, sales_callback, contact (when left out), "
        "score or requalification.",
    )
    budget: str | Number | None = Field(default=None, description="As it was said: text or number.")
    external_id: str | None = Field(default=None, description="Its name in the system it comes from.")
    workflow: str | None = Field(
        default=None, description="Of a new lead; the workspace's default when left out."
    )
    exclusion: str | None = Field(default=None, description="test or spam: turned away, visibly.")
    assigned_user_id: UUID | None = Field(default=None, description="Whose a new lead is.")
    deal_value: Money | None = None
    currency: str | None = Field(default=None, description="ISO 4217; the workspace's when left out.")
    reference: str | None = Field(
        default=None, min_length=1, max_length=200, description="A repeat is the same enquiry."
    )
    occurred_at: Instant | None = Field(default=None, description="When it came; now when left out.")


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
    person_id: UUID | None = Field(default=None, description="The leads of one person.")
    waiting: bool | None = Field(
        default=None, description="Whether somebody wrote in and waits for an answer."
    )
    is_possible_duplicate: bool | None = None
    possible_duplicate_of: UUID | None = None
    merged_into: UUID | None = None
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
    person_id: UUID
    account_id: UUID | None
    waiting_since: str | None = Field(description="Since when somebody waits for an answer.")
    won_at: str | None
    lost_at: str | None
    lost_reason: str | None
    is_possible_duplicate: bool
    possible_duplicate_of: UUID | None
    merged_into: UUID | None
    rejection_reason: str | None
    accepted_at: str | None
    recycle_reason: str | None
    recycle_on: str | None = Field(json_schema_extra={"format": "date"})
    opportunity_id: UUID | None
    response_time: float | None = Field(
        description="Seconds from created_at to first_contacted_at; null while there was no contact."
    )
    created_at: str = Field(json_schema_extra={"format": "date-time"})
    seq: int
    version: int
    contact: Contact | None = Field(description="null for credentials that may not see contacts")


class LoggedLead(Logged):
    """What was decided, and the lead as it is then."""

    lead: Lead | None = Field(description="The lead it met or made; null when the caller may not see it.")


@route("/v1/leads", http_method=HttpMethod.OPTIONS, status_code=204, include_in_schema=False)
async def tell_methods() -> Response[None]:
    """What may be asked of /v1/leads; Litestar's own answer would name only the first of its two handlers."""
    return Response(None, status_code=204, headers={"Allow": "GET, OPTIONS, POST"})


@post(
    "/v1/leads",
    summary="Report an enquiry: it meets its lead, or makes one",
    security=[{BEARER: []}],
    operation_class=describes(
        {
            200: answer(
                "A repeat of a reference: the original answer and the lead as it is now.",
                component(LoggedLead),
            ),
            201: answer(
                "Applied or noted. When the lead it met is out of sight: noted, received, no lead.",
                component(LoggedLead),
            ),
            202: answer("Held until a person decides.", component(LoggedLead)),
            409: refusal(),
        },
        (400, 401, 403, 404, 413, 415, 422, 503),
        body=component(Enquiry),
    ),
)
async def create_lead(
    request: HttpRequest,
    caller: NamedDependency[Caller],
    database: NamedDependency[Database],
    intake: NamedDependency[Intake],
    metrics: NamedDependency[Metrics],
) -> Response[bytes]:
    """Log inbound_enquiry without a lead; answers the verdict and the lead it met or made (seed 004 7.1)."""
    write = await read_write(request, caller)
    enquiry = checked(Enquiry, write.document)
    said = enquiry.model_dump(exclude={"reference", "occurred_at"}, exclude_none=True)
    parameters = {
        "token": caller.token,
        "on_behalf_of": caller.on_behalf_of,
        "lead_id": None,
        "activity_type": ENQUIRY,
        "payload": strict_json.write(await intake.payload(caller.token, ENQUIRY, said)),
        "reference": enquiry.reference,
        "occurred_at": enquiry.occurred_at,
        "surface": None,
    }

    def answer(rows: list[Row]) -> Response[bytes]:
        return answer_logged(rows[0], {"lead": rows[1][0] or b"null"})

    return await perform(
        database, write, [(LOG_ENQUIRY, parameters), (SHOW_LOGGED_LEAD, {})], answer,
        lambda rows: count_logged(rows, metrics),
    )  # fmt: skip


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
    request: HttpRequest,
    caller: NamedDependency[Caller],
    database: NamedDependency[Database],
    intake: NamedDependency[Intake],
) -> Response[bytes]:
    """One page of the visible leads that pass every filter given; a member sees what the database shows
    them."""
    query = read_query(request, LeadQuery)
    given = query.model_dump(exclude_none=True)
    if query.email is not None:
        given["email"] = intake.email(query.email)
    if query.phone is not None:
        given["phone"] = await intake.phone(caller.token, query.phone)
    statement = page("leads", SHOWN, ORDER, given, FILTERS, CHOSEN)
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


def page(
    key: str,
    shown: sql.SQL,
    order: tuple[str, str],
    given: dict[str, Any],
    filters: Mapping[str, str],
    chosen: Mapping[tuple[str, Any], str] | None = None,
) -> sql.Composed:
    """The statement for one page of a list, as an object with `key` and next.

    `shown` selects from a view called o; `order` names its instant and its id, newest first; `given` are the
    parameters of the query string, of which each that `filters` or `chosen` knows adds its condition. A
    cursor is read into cursor_at and cursor_id. Raises Problem 422 malformed_cursor."""
    at, id_ = (sql.Identifier(name) for name in order)
    found = [(chosen or {}).get((name, value)) or filters.get(name) for name, value in given.items()]
    conditions: list[sql.Composable] = [sql.SQL(condition) for condition in found if condition]
    if "cursor" in given:
        given["cursor_at"], given["cursor_id"] = read_cursor(given["cursor"])
        conditions.append(AFTER_CURSOR.format(at=at, id=id_))
    return PAGE.format(
        key=sql.Literal(key), shown=shown, at=at, id=id_,
        filters=sql.SQL(" and ").join(conditions or [sql.SQL("true")]),
    )  # fmt: skip


def read_cursor(cursor: str) -> tuple[str, UUID]:
    """Instant and id of the last row of the page before. Raises Problem 422 malformed_cursor."""
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
        at, _, id_ = text.partition("|")
        return at, UUID(id_)
    except (binascii.Error, ValueError):
        raise Problem(
            422, "malformed_cursor", "This is not a cursor of this list.",
            "Send `next` of the page before exactly as it was given, or none for the first page.",
        ) from None  # fmt: skip
