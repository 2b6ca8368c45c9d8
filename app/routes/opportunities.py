"""Opportunities: open a deal, list them, show one, and report what happens to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal
from uuid import UUID

from litestar import HttpMethod, Response, get, post, route
from litestar.di import NamedDependency
from litestar.params import FromPath
from psycopg import sql
from pydantic import BaseModel, Field

from app.db import Database
from app.description import BEARER, NEXT, answer, component, describes, listed
from app.door import Caller, HttpRequest, Money, Sent, json_answer, read_query, uuid_or_nil
from app.errors import no_such_opportunity
from app.metrics import Metrics
from app.routes.activities import Activity
from app.routes.journal import JournalQuery, TimelineRow
from app.routes.leads import page
from app.routes.subjects import (
    BORN,
    Birth,
    Day,
    Newborn,
    Recorded,
    describes_report,
    log_birth,
    log_one,
    page_of,
    paged,
)

JOURNAL = "opportunity_activity"

# One deal as it is shown; texts is null for credentials that may not see contacts.
SHOWN = sql.SQL("""
    select o.opportunity_id, o.pipeline, o.status, o.stage, o.stage_label, o.stage_entered_at, o.is_open,
           o.person_id, o.account_id, o.account_name, o.lead_id, o.assigned_user_id, o.amount, o.currency,
           o.close_date, o.next_step_on, o.contacts, o.won_at, o.lost_at, o.lost_reason, o.created_at,
           o.seq, o.version,
           (select json_build_object('problem', c.problem, 'decision_process', c.decision_process,
                                     'next_step', c.next_step, 'lost_notes', c.lost_notes)
            from leadline.opportunity_contacts c
            where c.workspace_id = o.workspace_id and c.opportunity_id = o.opportunity_id) as texts
    from leadline.opportunity_overview o
""")
SHOW = sql.SQL("select (select row_to_json(p) from ({shown} where o.opportunity_id = {id}) p)")
SHOW_OPPORTUNITY = SHOW.format(shown=SHOWN, id=sql.SQL("%(opportunity_id)s::uuid"))
OPENED = Newborn(
    JOURNAL, "opportunity_opened", "opportunity_id", SHOW.format(shown=SHOWN, id=BORN), "opportunity"
)

TIMELINE = paged(
    "timeline", "seq",
    "exists (select from leadline.opportunity_overview o where o.opportunity_id = %(subject_id)s::uuid)",
    """
        select t.seq, t.activity_id, t.activity_type, t.label, t.verdict, t.rule, t.sentence,
               t.from_stage, t.to_stage, t.from_status, t.to_status, t.payload, t.changes, t.reference,
               t.occurred_at, t.recorded_at, t.actor_kind, t.actor_id, t.on_behalf_of, t.writer, t.surface,
               t.caused_by, t.version
        from leadline.opportunity_timeline t
        where t.opportunity_id = %(subject_id)s::uuid and t.seq > %(cursor)s::int
    """,
)  # fmt: skip

ORDER = ("created_at", "opportunity_id")

# A filter of the query string and the condition that it adds.
FILTERS = {
    "pipeline": "o.pipeline = %(pipeline)s",
    "status": "o.status = %(status)s",
    "stage": "o.stage = %(stage)s",
    "is_open": "o.is_open = %(is_open)s",
    "person_id": "o.person_id = %(person_id)s",
    "account_id": "o.account_id = %(account_id)s",
    "lead_id": "o.lead_id = %(lead_id)s",
    "assigned_user_id": "o.assigned_user_id = %(assigned_user_id)s",
    "closes_from": "o.close_date >= %(closes_from)s",
    "closes_before": "o.close_date < %(closes_before)s",
}
CHOSEN: dict[tuple[str, Any], str] = {("assigned_user_id", "none"): "o.assigned_user_id is null"}


class NewOpportunity(Birth):
    """A deal is opened for a person. One that comes of a qualified lead is that lead's lead_converted."""

    elsewhere: ClassVar[Mapping[str, str]] = {
        "lead_id": "Report lead_converted: POST /v1/leads/{lead_id}/activities."
    }

    pipeline: str = Field(description="new_business or expansion.")
    person_id: UUID
    amount: Money | None = None
    currency: str | None = Field(default=None, description="ISO 4217; the workspace's when left out.")
    close_date: Day | None = Field(default=None, description="When it is expected to be decided.")
    assigned_user_id: UUID | None = None


class OpportunityActivity(Activity):
    """One thing that happened to a deal."""


class LoggedOpportunityActivity(Recorded):
    """What was decided about a deal."""

    opportunity_id: UUID


class OpportunityTimelineRow(TimelineRow):
    """One activity of a deal, with its verdict. `changes` holds [old, new] by column."""


class OpportunityQuery(Sent):
    """Which deals to list."""

    pipeline: str | None = None
    status: str | None = None
    stage: str | None = None
    is_open: bool | None = None
    person_id: UUID | None = None
    account_id: UUID | None = None
    lead_id: UUID | None = Field(default=None, description="The deal that a lead was converted into.")
    assigned_user_id: UUID | Literal["none"] | None = Field(
        default=None, description="A user id, or none for unassigned."
    )
    closes_from: Day | None = None
    closes_before: Day | None = None
    limit: int = Field(default=50, ge=1, le=200)
    cursor: str | None = Field(default=None, description="`next` of the page before.")


class OpportunityTexts(BaseModel):
    """What the buyer confirmed, and the words that came with a loss."""

    problem: str | None
    decision_process: str | None
    next_step: str | None
    lost_notes: str | None


class Opportunity(BaseModel):
    """A deal as its journal made it. amount is exact, in currency."""

    opportunity_id: UUID
    pipeline: str
    status: str = Field(description="open, won, lost; withdrawn when the conversion was taken back.")
    stage: str
    stage_label: str
    stage_entered_at: str = Field(json_schema_extra={"format": "date-time"})
    is_open: bool
    person_id: UUID
    account_id: UUID | None
    account_name: str | None
    lead_id: UUID | None = Field(description="The lead it was converted from.")
    assigned_user_id: UUID | None
    amount: float | None
    currency: str | None
    close_date: str | None = Field(json_schema_extra={"format": "date"})
    next_step_on: str | None = Field(json_schema_extra={"format": "date"})
    contacts: dict[str, str] = Field(description="Person id to role.")
    won_at: str | None
    lost_at: str | None
    lost_reason: str | None
    created_at: str = Field(json_schema_extra={"format": "date-time"})
    seq: int
    version: int
    texts: OpportunityTexts | None = Field(description="null for credentials that may not see contacts")


class LoggedOpportunity(LoggedOpportunityActivity):
    """What was decided, and the deal as it is then."""

    opportunity: Opportunity | None = Field(description="null when the caller may not see it.")


@route("/v1/opportunities", http_method=HttpMethod.OPTIONS, status_code=204, include_in_schema=False)
async def tell_opportunity_methods() -> Response[None]:
    """What may be asked of /v1/opportunities; Litestar's own answer would name only one of two handlers."""
    return Response(None, status_code=204, headers={"Allow": "GET, OPTIONS, POST"})


@post(
    "/v1/opportunities",
    summary="Open an opportunity",
    security=[{BEARER: []}],
    operation_class=describes_report(LoggedOpportunity, NewOpportunity, is_birth=True),
)
async def open_opportunity(
    request: HttpRequest,
    caller: NamedDependency[Caller],
    database: NamedDependency[Database],
    metrics: NamedDependency[Metrics],
) -> Response[bytes]:
    """Log opportunity_opened; answers the verdict and the deal (seed 003). A birth that the rules refuse is
    a plain problem, since there is no deal that could keep it."""
    return await log_birth(request, OPENED, NewOpportunity, caller, database, metrics)


@get(
    "/v1/opportunities",
    summary="List opportunities, newest first",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("One page.", listed("opportunities", Opportunity, next=NEXT))},
        (400, 401, 403, 422, 503),
        query=OpportunityQuery,
    ),
)
async def list_opportunities(
    request: HttpRequest, caller: NamedDependency[Caller], database: NamedDependency[Database]
) -> Response[bytes]:
    """One page of the visible deals that pass every filter given; a member sees those assigned to them."""
    given = read_query(request, OpportunityQuery).model_dump(exclude_none=True)
    statement = page("opportunities", SHOWN, ORDER, given, FILTERS, CHOSEN)
    return json_answer(await database.read(caller.token, statement, given))


@get(
    "/v1/opportunities/{opportunity_id:str}",
    summary="Show an opportunity",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("The opportunity.", component(Opportunity))},
        (400, 401, 403, 404, 422, 503),
        opportunity=True,
    ),
)
async def show_opportunity(
    opportunity_id: FromPath[str], caller: NamedDependency[Caller], database: NamedDependency[Database]
) -> Response[bytes]:
    """The deal as it is now; 404 alike for foreign, unknown, unseen and malformed ids (seed 004 1.3)."""
    document = await database.read(
        caller.token, SHOW_OPPORTUNITY, {"opportunity_id": uuid_or_nil(opportunity_id)}
    )
    if document is None:
        raise no_such_opportunity()
    return json_answer(document)


@get(
    "/v1/opportunities/{opportunity_id:str}/timeline",
    summary="Everything reported of an opportunity, oldest first",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("One page.", listed("timeline", OpportunityTimelineRow, next=NEXT))},
        (400, 401, 403, 404, 422, 503),
        opportunity=True,
        query=JournalQuery,
    ),
)
async def opportunity_timeline(
    request: HttpRequest,
    opportunity_id: FromPath[str],
    caller: NamedDependency[Caller],
    database: NamedDependency[Database],
) -> Response[bytes]:
    """Every activity with its verdict, refusals included, in the order of decision."""
    return await page_of(request, TIMELINE, opportunity_id, no_such_opportunity, caller, database)


@post(
    "/v1/opportunities/{opportunity_id:str}/activities",
    summary="Report an activity of an opportunity",
    security=[{BEARER: []}],
    operation_class=describes_report(LoggedOpportunityActivity, OpportunityActivity, opportunity=True),
)
async def log_opportunity_activity(
    request: HttpRequest,
    opportunity_id: FromPath[str],
    caller: NamedDependency[Caller],
    database: NamedDependency[Database],
    metrics: NamedDependency[Metrics],
) -> Response[bytes]:
    """Report one activity of a deal; it moves on what the buyer confirmed (seed 003)."""
    return await log_one(request, JOURNAL, opportunity_id, OpportunityActivity, caller, database, metrics)
