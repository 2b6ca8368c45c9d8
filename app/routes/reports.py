"""Reports: how far people, requests and companies have come, and what a reviewer should look at."""

from __future__ import annotations

from datetime import date
from typing import Literal
from uuid import UUID

from litestar import Response, get
from litestar.di import NamedDependency
from pydantic import BaseModel, Field

from app.db import Database
from app.description import BEARER, NEXT, answer, describes, listed
from app.door import Caller, HttpRequest, Instant, Sent, json_answer, read_query
from app.routes.subjects import Day

FUNNEL = """
    select json_build_object(
        'funnel', coalesce(json_agg(f order by f.unit, f.cohort_month desc, f.position), '[]'))
    from (select l.unit, l.cohort_month, l.position, l.milestone, l.reached, l.rate_from_previous
          from leadline.lifecycle_funnel l
          where (%(unit)s::text is null or l.unit = %(unit)s)
            and (%(cohort_from)s::date is null or l.cohort_month >= %(cohort_from)s)
            and (%(cohort_before)s::date is null or l.cohort_month < %(cohort_before)s)) f
"""

# In the order of their names; the cursor is the account that the page before ended with.
ACCOUNTS = """
    select json_build_object(
        'accounts', coalesce(json_agg(p.r order by p.n) filter (where p.n <= %(limit)s), '[]'),
        'next', max(case when p.n = %(limit)s and p.found > %(limit)s then p.account_id::text end))
    from (select r, r.account_id, row_number() over (order by r.name, r.account_id) as n,
                 count(*) over () as found
          from (select o.account_id, o.name, o.domain, o.kind, o.owner_user_id, o.people, o.leads, o.requests,
                       o.excluded_requests, o.mql_on, o.sal_on, o.sql_on, o.opportunity_on, o.customer_on,
                       o.open_opportunities, o.won_opportunities, o.lost_opportunities, o.won_amount,
                       o.won_lead_value, o.live_subscriptions, o.open_renewal_cycles
                from leadline.account_rollup o
                where (%(kind)s::text is null or o.kind = %(kind)s)
                  and (%(owner_user_id)s::uuid is null or o.owner_user_id = %(owner_user_id)s)
                  and (%(cursor)s::uuid is null or (o.name, o.account_id) > (
                      select a.name, a.account_id from leadline.accounts a
                      where a.account_id = %(cursor)s))
                order by o.name, o.account_id limit %(limit)s + 1) r) p
"""

# Newest first; those of no time, about the model itself, last. A finding has no id, so the cursor is made of
# its time and a hash of what it says.
FINDINGS = """
    select json_build_object(
        'findings', coalesce(json_agg(p.f order by p.n) filter (where p.n <= %(limit)s), '[]'),
        'next', max(case when p.n = %(limit)s and p.found > %(limit)s then p.key end))
    from (select f, k.key, row_number() over (order by k.key desc) as n, count(*) over () as found
          from (select o.finding, o.severity, o.subject_kind, o.subject_id, o.first_at, o.last_at,
                       o.occurrences, o.detail
                from leadline.findings o
                where (%(finding)s::text is null or o.finding = %(finding)s)
                  and (%(severity)s::text is null or o.severity = %(severity)s)
                  and (%(subject_kind)s::text is null or o.subject_kind = %(subject_kind)s)
                  and (%(subject_id)s::text is null or o.subject_id = %(subject_id)s)
                  and (%(last_from)s::timestamptz is null or o.last_at >= %(last_from)s)) f
          cross join lateral (values ((
              coalesce(to_char(f.last_at at time zone 'UTC', 'YYYYMMDDHH24MISSUS'), '')
              || encode(sha256(convert_to(jsonb_build_array(
                  f.finding, f.subject_kind, f.subject_id, f.detail)::text, 'UTF8')), 'hex')
          ) collate "C")) k (key)
          where %(cursor)s::text is null or k.key < %(cursor)s::text collate "C"
          order by k.key desc limit %(limit)s + 1) p
"""


class FunnelQuery(Sent):
    """Which part of the funnel."""

    unit: Literal["person", "request", "account"] | None = Field(
        default=None, description="What is counted. Rows of two units are never divided by each other."
    )
    cohort_from: Day | None = Field(default=None, description="The first month, by any of its days from.")
    cohort_before: Day | None = None


class FunnelStep(BaseModel):
    """How many of those who first came in a month have reached a milestone, or one beyond it, so far."""

    unit: str = Field(json_schema_extra={"enum": ["person", "request", "account"]})
    cohort_month: date = Field(description="Its first day, in the workspace's time zone.")
    position: int
    milestone: str = Field(description="excluded stands beside the funnel, at position 0.")
    reached: int
    rate_from_previous: float | None = Field(description="Of the step before, same unit and cohort.")


class AccountQuery(Sent):
    """Which accounts."""

    kind: Literal["prospect", "customer", "partner", "competitor"] | None = None
    owner_user_id: UUID | None = None
    limit: int = Field(default=50, ge=1, le=200)
    cursor: UUID | None = Field(default=None, description="`next` of the page before.")


class AccountRollup(BaseModel):
    """A company, and the first day on which any of its contacts reached each milestone."""

    account_id: UUID
    name: str
    domain: str
    kind: str
    owner_user_id: UUID | None
    people: int
    leads: int
    requests: int
    excluded_requests: int
    mql_on: date | None
    sal_on: date | None
    sql_on: date | None
    opportunity_on: date | None
    customer_on: date | None
    open_opportunities: int
    won_opportunities: int
    lost_opportunities: int
    won_amount: dict[str, float] = Field(description="By currency; XXX is none.")
    won_lead_value: dict[str, float] = Field(
        description="Of leads that are their own deal; revenue is the sum of both."
    )
    live_subscriptions: int
    open_renewal_cycles: int


class FindingQuery(Sent):
    """Which findings."""

    finding: str | None = None
    severity: Literal["high", "warn", "info"] | None = None
    subject_kind: str | None = None
    subject_id: str | None = None
    last_from: Instant | None = Field(default=None, description="Those that last happened since then.")
    limit: int = Field(default=50, ge=1, le=200)
    cursor: str | None = Field(
        default=None, pattern="^([0-9]{20})?[0-9a-f]{64}$", description="`next` of the page before."
    )


class Finding(BaseModel):
    """What a reviewer should look at: a loop, a reversal, a change by hand, a gap in the model."""

    finding: str
    severity: str = Field(json_schema_extra={"enum": ["high", "warn", "info"]})
    subject_kind: str
    subject_id: str | None
    first_at: str | None
    last_at: str | None
    occurrences: int
    detail: str


@get(
    "/v1/reports/funnel",
    summary="The funnel by cohorts",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("One row a unit, cohort and milestone.", listed("funnel", FunnelStep))},
        (400, 401, 403, 422, 503),
        query=FunnelQuery,
    ),
)
async def show_funnel(
    request: HttpRequest, caller: NamedDependency[Caller], database: NamedDependency[Database]
) -> Response[bytes]:
    """Lead, MQL, SAL, SQL, opportunity, customer (seed 003): newest cohort first, lost ones included. A
    member's funnel is that of their own leads."""
    query = read_query(request, FunnelQuery)
    return json_answer(await database.read(caller.token, FUNNEL, query.model_dump()))


@get(
    "/v1/reports/accounts",
    summary="What has become of each company",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("One page.", listed("accounts", AccountRollup, next=NEXT))},
        (400, 401, 403, 422, 503),
        query=AccountQuery,
    ),
)
async def list_accounts(
    request: HttpRequest, caller: NamedDependency[Caller], database: NamedDependency[Database]
) -> Response[bytes]:
    """One row an account, by name: it counts as SQL on the first day any of its contacts does (seed 003)."""
    query = read_query(request, AccountQuery)
    return json_answer(await database.read(caller.token, ACCOUNTS, query.model_dump()))


@get(
    "/v1/findings",
    summary="What a reviewer should look at, newest first",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("One page.", listed("findings", Finding, next=NEXT))},
        (400, 401, 403, 422, 503),
        query=FindingQuery,
    ),
)
async def list_findings(
    request: HttpRequest, caller: NamedDependency[Caller], database: NamedDependency[Database]
) -> Response[bytes]:
    """One row a subject and kind of finding, told from the journals (seed 003)."""
    query = read_query(request, FindingQuery)
    return json_answer(await database.read(caller.token, FINDINGS, query.model_dump()))
