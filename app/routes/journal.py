"""What happened to one lead: its timeline, and the stages it has been in."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath
from psycopg import sql
from pydantic import BaseModel, Field

from app.db import Database
from app.description import BEARER, NEXT, answer, describes, listed
from app.door import Caller, HttpRequest, Sent, json_answer, read_query, uuid_or_nil
from app.errors import no_such_lead

# Null when the lead is not visible; else a page in the order of seq, with the seq to go on after.
PAGE = sql.SQL("""
    select case when exists (select from leadline.lead_overview o where o.lead_id = %(lead_id)s::uuid) then (
        select json_build_object(
            {key}, coalesce(json_agg(p.r order by p.seq) filter (where p.n <= %(limit)s), '[]'),
            'next', max(case when p.n = %(limit)s and p.found > %(limit)s then p.seq::text end))
        from (select r, r.seq, row_number() over (order by r.seq) as n, count(*) over () as found
              from ({rows} order by seq limit %(limit)s + 1) r) p)
    end
""")

TIMELINE = PAGE.format(
    key=sql.Literal("timeline"),
    rows=sql.SQL("""
        select t.seq, t.activity_id, t.activity_type, t.label, t.verdict, t.rule, t.sentence,
               t.from_stage, t.to_stage, t.from_status, t.to_status, t.payload, t.changes, t.reference,
               t.occurred_at, t.recorded_at, t.actor_kind, t.actor_id, t.on_behalf_of, t.writer, t.surface,
               t.caused_by, t.version
        from leadline.lead_timeline t
        where t.lead_id = %(lead_id)s::uuid and t.seq > %(cursor)s::int
    """),
)

HISTORY = PAGE.format(
    key=sql.Literal("history"),
    rows=sql.SQL("""
        select h.seq, h.stage, h.status, h.entered_at, h.left_at, h.activity_id, h.activity_type,
               h.actor_kind, h.actor_id
        from leadline.stage_history h
        where h.lead_id = %(lead_id)s::uuid and h.seq > %(cursor)s::int
    """),
)


class JournalQuery(Sent):
    """Which page of a lead's journal."""

    limit: int = Field(default=100, ge=1, le=200)
    cursor: int = Field(default=0, ge=0, le=2**31 - 1, description="`next` of the page before.")


class TimelineRow(BaseModel):
    """One activity of a lead, with its verdict. `changes` holds [old, new] by column."""

    seq: int
    activity_id: int
    activity_type: str
    label: str | None
    verdict: str
    rule: str | None
    sentence: str | None
    from_stage: str
    to_stage: str
    from_status: str
    to_status: str
    payload: dict[str, Any]
    changes: dict[str, Any] | None
    reference: str | None
    occurred_at: str = Field(json_schema_extra={"format": "date-time"})
    recorded_at: str = Field(json_schema_extra={"format": "date-time"})
    actor_kind: str
    actor_id: UUID | None
    on_behalf_of: UUID | None
    writer: str
    surface: str | None
    caused_by: int | None
    version: int


class HistoryRow(BaseModel):
    """One stay of a lead in a stage; left_at is null while it lasts."""

    seq: int
    stage: str
    status: str
    entered_at: str = Field(json_schema_extra={"format": "date-time"})
    left_at: str | None
    activity_id: int
    activity_type: str
    actor_kind: str
    actor_id: UUID | None


async def _page(
    request: HttpRequest, lead_id: str, caller: Caller, database: Database, statement: sql.Composed
) -> Response[bytes]:
    query = read_query(request, JournalQuery)
    document = await database.read(
        caller.token,
        statement,
        {"lead_id": uuid_or_nil(lead_id), "limit": query.limit, "cursor": query.cursor},
    )
    if document is None:
        raise no_such_lead()
    return json_answer(document)


@get(
    "/v1/leads/{lead_id:str}/timeline",
    summary="Everything reported of a lead, oldest first",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("One page.", listed("timeline", TimelineRow, next=NEXT))},
        (400, 401, 403, 404, 422, 503),
        lead=True,
        query=JournalQuery,
    ),
)
async def lead_timeline(
    request: HttpRequest,
    lead_id: FromPath[str],
    caller: NamedDependency[Caller],
    database: NamedDependency[Database],
) -> Response[bytes]:
    """Every activity with its verdict, refusals included, in the order of decision (seq, never a
    timestamp)."""
    return await _page(request, lead_id, caller, database, TIMELINE)


@get(
    "/v1/leads/{lead_id:str}/history",
    summary="The stages a lead has been in, oldest first",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("One page.", listed("history", HistoryRow, next=NEXT))},
        (400, 401, 403, 404, 422, 503),
        lead=True,
        query=JournalQuery,
    ),
)
async def lead_history(
    request: HttpRequest,
    lead_id: FromPath[str],
    caller: NamedDependency[Caller],
    database: NamedDependency[Database],
) -> Response[bytes]:
    """One row for every stay in a stage, with the activity that began it."""
    return await _page(request, lead_id, caller, database, HISTORY)
