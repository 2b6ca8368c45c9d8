"""Subscriptions and their renewals: who pays for what, as billing reports it."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from litestar import HttpMethod, Response, get, post, route
from litestar.di import NamedDependency
from litestar.params import FromPath
from psycopg import sql
from pydantic import BaseModel, Field

from app.db import Database
from app.description import BEARER, NEXT, answer, component, describes, listed
from app.door import Caller, HttpRequest, Sent, json_answer, read_query, uuid_or_nil
from app.errors import no_such_subscription
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

JOURNAL = "customer_activity"

SHOWN = sql.SQL("""
    select o.subscription_id, o.status, o.stage, o.stage_label, o.stage_entered_at, o.person_id,
           o.account_id, o.plan, o.started_at, o.cancelled_at, o.period_start, o.period_end, o.renewal_stage,
           o.created_at, o.seq, o.version
    from leadline.subscription_overview o
""")
SHOW = sql.SQL("select (select row_to_json(p) from ({shown} where o.subscription_id = {id}) p)")
SHOW_SUBSCRIPTION = SHOW.format(shown=SHOWN, id=sql.SQL("%(subscription_id)s::uuid"))
STARTED = Newborn(
    JOURNAL, "subscription_started", "subscription_id", SHOW.format(shown=SHOWN, id=BORN), "subscription"
)

IS_VISIBLE = (
    "exists (select from leadline.subscription_overview o where o.subscription_id = %(subject_id)s::uuid)"
)
TIMELINE = paged(
    "timeline", "seq", IS_VISIBLE,
    """
        select t.seq, t.activity_id, t.activity_type, t.label, t.verdict, t.rule, t.sentence,
               t.from_stage, t.to_stage, t.from_status, t.to_status, t.payload, t.changes, t.reference,
               t.occurred_at, t.recorded_at, t.actor_kind, t.actor_id, t.on_behalf_of, t.writer, t.surface,
               t.caused_by, t.version
        from leadline.customer_timeline t
        where t.subscription_id = %(subject_id)s::uuid and t.seq > %(cursor)s::int
    """,
)  # fmt: skip
RENEWALS = paged(
    "renewals", "period_start", IS_VISIBLE,
    """
        select r.period_start, r.period_end, r.stage, r.opened_at, r.settled_at
        from leadline.renewal_cycles r
        where r.subscription_id = %(subject_id)s::uuid
          and (%(cursor)s::date is null or r.period_start > %(cursor)s::date)
    """,
)  # fmt: skip

ORDER = ("created_at", "subscription_id")

# A filter of the query string and the condition that it adds.
FILTERS = {
    "status": "o.status = %(status)s",
    "stage": "o.stage = %(stage)s",
    "plan": "o.plan = %(plan)s",
    "person_id": "o.person_id = %(person_id)s",
    "account_id": "o.account_id = %(account_id)s",
}


class NewSubscription(Birth):
    """A subscription starts: with trial it is trialing, else active."""

    person_id: UUID
    plan: str | None = None
    trial: bool | None = None


class SubscriptionActivity(Activity):
    """One thing that happened to a subscription, as billing knows it."""


class LoggedSubscriptionActivity(Recorded):
    """What was decided about a subscription. A renewal stands in changes as renewal_cycle: [old, new]."""

    subscription_id: UUID


class SubscriptionTimelineRow(TimelineRow):
    """One activity of a subscription, with its verdict. `changes` holds [old, new] by column."""


class SubscriptionQuery(Sent):
    """Which subscriptions to list."""

    status: str | None = Field(default=None, description="live or ended.")
    stage: str | None = None
    plan: str | None = None
    person_id: UUID | None = None
    account_id: UUID | None = None
    limit: int = Field(default=50, ge=1, le=200)
    cursor: str | None = Field(default=None, description="`next` of the page before.")


class RenewalQuery(Sent):
    """Which page of a subscription's renewals."""

    limit: int = Field(default=100, ge=1, le=200)
    cursor: Day | None = Field(default=None, description="`next` of the page before.")


class Subscription(BaseModel):
    """A subscription as billing reported it."""

    subscription_id: UUID
    status: str = Field(json_schema_extra={"enum": ["live", "ended"]})
    stage: str = Field(description="trialing, active, past_due or cancelled.")
    stage_label: str
    stage_entered_at: str = Field(json_schema_extra={"format": "date-time"})
    person_id: UUID
    account_id: UUID | None
    plan: str | None
    started_at: str = Field(json_schema_extra={"format": "date-time"})
    cancelled_at: str | None
    period_start: str | None = Field(description="Of the latest renewal cycle.")
    period_end: str | None
    renewal_stage: Literal["open", "renewed", "churned"] | None
    created_at: str = Field(json_schema_extra={"format": "date-time"})
    seq: int
    version: int


class LoggedSubscription(LoggedSubscriptionActivity):
    """What was decided, and the subscription as it is then."""

    subscription: Subscription | None = Field(description="null when the caller may not see it.")


class Renewal(BaseModel):
    """The decision about one period."""

    period_start: str = Field(json_schema_extra={"format": "date"})
    period_end: str = Field(json_schema_extra={"format": "date"})
    stage: str = Field(json_schema_extra={"enum": ["open", "renewed", "churned"]})
    opened_at: str = Field(json_schema_extra={"format": "date-time"})
    settled_at: str | None


@route("/v1/subscriptions", http_method=HttpMethod.OPTIONS, status_code=204, include_in_schema=False)
async def tell_subscription_methods() -> Response[None]:
    """What may be asked of /v1/subscriptions; Litestar's own answer would name only one of two handlers."""
    return Response(None, status_code=204, headers={"Allow": "GET, OPTIONS, POST"})


@post(
    "/v1/subscriptions",
    summary="Start a subscription",
    security=[{BEARER: []}],
    operation_class=describes_report(LoggedSubscription, NewSubscription, is_birth=True),
)
async def start_subscription(
    request: HttpRequest,
    caller: NamedDependency[Caller],
    database: NamedDependency[Database],
    metrics: NamedDependency[Metrics],
) -> Response[bytes]:
    """Log subscription_started; only a credential of role billing may (seed 003: one writer)."""
    return await log_birth(request, STARTED, NewSubscription, caller, database, metrics)


@get(
    "/v1/subscriptions",
    summary="List subscriptions, newest first",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("One page.", listed("subscriptions", Subscription, next=NEXT))},
        (400, 401, 403, 422, 503),
        query=SubscriptionQuery,
    ),
)
async def list_subscriptions(
    request: HttpRequest, caller: NamedDependency[Caller], database: NamedDependency[Database]
) -> Response[bytes]:
    """One page of the subscriptions of visible people that pass every filter given."""
    given = read_query(request, SubscriptionQuery).model_dump(exclude_none=True)
    statement = page("subscriptions", SHOWN, ORDER, given, FILTERS)
    return json_answer(await database.read(caller.token, statement, given))


@get(
    "/v1/subscriptions/{subscription_id:str}",
    summary="Show a subscription",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("The subscription.", component(Subscription))},
        (400, 401, 403, 404, 422, 503),
        subscription=True,
    ),
)
async def show_subscription(
    subscription_id: FromPath[str], caller: NamedDependency[Caller], database: NamedDependency[Database]
) -> Response[bytes]:
    """The subscription as it is now; 404 alike for foreign, unknown, unseen and malformed ids."""
    document = await database.read(
        caller.token, SHOW_SUBSCRIPTION, {"subscription_id": uuid_or_nil(subscription_id)}
    )
    if document is None:
        raise no_such_subscription()
    return json_answer(document)


@get(
    "/v1/subscriptions/{subscription_id:str}/timeline",
    summary="Everything reported of a subscription, oldest first",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("One page.", listed("timeline", SubscriptionTimelineRow, next=NEXT))},
        (400, 401, 403, 404, 422, 503),
        subscription=True,
        query=JournalQuery,
    ),
)
async def subscription_timeline(
    request: HttpRequest,
    subscription_id: FromPath[str],
    caller: NamedDependency[Caller],
    database: NamedDependency[Database],
) -> Response[bytes]:
    """Every activity with its verdict, refusals included, in the order of decision."""
    return await page_of(request, TIMELINE, subscription_id, no_such_subscription, caller, database)


@get(
    "/v1/subscriptions/{subscription_id:str}/renewals",
    summary="The renewals of a subscription, oldest first",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("One page.", listed("renewals", Renewal, next=NEXT))},
        (400, 401, 403, 404, 422, 503),
        subscription=True,
        query=RenewalQuery,
    ),
)
async def list_renewals(
    request: HttpRequest,
    subscription_id: FromPath[str],
    caller: NamedDependency[Caller],
    database: NamedDependency[Database],
) -> Response[bytes]:
    """One row for every period, with what became of it."""
    return await page_of(
        request, RENEWALS, subscription_id, no_such_subscription, caller, database, RenewalQuery
    )


@post(
    "/v1/subscriptions/{subscription_id:str}/activities",
    summary="Report an activity of a subscription",
    security=[{BEARER: []}],
    operation_class=describes_report(LoggedSubscriptionActivity, SubscriptionActivity, subscription=True),
)
async def log_subscription_activity(
    request: HttpRequest,
    subscription_id: FromPath[str],
    caller: NamedDependency[Caller],
    database: NamedDependency[Database],
    metrics: NamedDependency[Metrics],
) -> Response[bytes]:
    """Payments, renewals, the end: reported by billing alone (seed 003: one writer a field)."""
    return await log_one(request, JOURNAL, subscription_id, SubscriptionActivity, caller, database, metrics)
