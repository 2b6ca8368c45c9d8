"""Relationships: what a person is to the workspace, how they came there, and what waits for a yes."""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from psycopg import sql
from pydantic import BaseModel, Field

from app.db import Database
from app.description import BEARER, NEXT, answer, component, describes, listed
from app.door import Caller, HttpRequest, Sent, json_answer, read_query, uuid_or_nil
from app.errors import no_such_approval, no_such_person
from app.metrics import Metrics
from app.routes.activities import Activity
from app.routes.journal import JournalQuery
from app.routes.leads import page
from app.routes.subjects import Recorded, describes_report, log_one, page_of, paged

JOURNAL = "relationship_activity"

IS_VISIBLE = "exists (select from leadline.person_overview o where o.person_id = %(subject_id)s::uuid)"
TIMELINE = paged(
    "timeline", "activity_id", IS_VISIBLE,
    """
        select t.activity_id, t.journal, t.subject_id, t.seq, t.activity_type, t.label, t.verdict, t.rule,
               t.sentence, t.from_stage, t.to_stage, t.from_status, t.to_status, t.payload, t.changes,
               t.reference, t.occurred_at, t.recorded_at, t.actor_kind, t.actor_id, t.on_behalf_of, t.writer,
               t.caused_by
        from leadline.person_timeline t
        where t.person_id = %(subject_id)s::uuid and t.activity_id > %(cursor)s::bigint
    """,
)  # fmt: skip
STAGES = paged(
    "stages", "event_id", IS_VISIBLE,
    """
        select e.event_id, e.from_stage, e.to_stage, e.is_backward, e.actor_kind, e.actor_id, e.writer,
               e.on_behalf_of, e.activity_type, e.reason, e.approval_id, e.caused_by, e.reference,
               e.occurred_at, e.recorded_at
        from leadline.relationship_stage_events e
        where e.person_id = %(subject_id)s::uuid and e.event_id > %(cursor)s::bigint
    """,
)  # fmt: skip

SHOWN = sql.SQL("""
    select o.approval_id, o.person_id, o.stage, o.to_stage, o.status, o.requested_at, o.expires_at,
           o.activity_id, o.actor_kind, o.actor_id, o.writer, o.caused_by, o.settled_at, o.settled_by,
           o.settled_by_user
    from leadline.approval_queue o
""")
SHOW_APPROVAL = sql.SQL(
    "select (select row_to_json(p) from ({shown} where o.approval_id = %(approval_id)s::uuid) p)"
).format(shown=SHOWN)
ORDER = ("requested_at", "approval_id")

# A filter of the query string and the condition that it adds.
FILTERS = {
    "status": "o.status = %(status)s",
    "person_id": "o.person_id = %(person_id)s",
    "to_stage": "o.to_stage = %(to_stage)s",
}

Status = Literal["open", "granted", "declined", "expired", "stale"]


class PersonActivity(Activity):
    """One thing that happened between a person and the workspace."""


class LoggedPerson(Recorded):
    """What was decided about a relationship."""

    person_id: UUID


class PersonQuery(JournalQuery):
    """Which page of what happened to a person."""

    cursor: int = Field(default=0, ge=0, le=2**63 - 1, description="`next` of the page before.")


class PersonTimelineRow(BaseModel):
    """One activity of a person or of what is theirs, with its verdict. `changes` holds [old, new] by
    column."""

    activity_id: int
    journal: str = Field(
        json_schema_extra={
            "enum": [
                "lead_activity",
                "relationship_activity",
                "opportunity_activity",
                "customer_activity",
            ]
        }
    )
    subject_id: UUID = Field(description="The lead, person, opportunity or subscription it is about.")
    seq: int
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
    caused_by: int | None


class StageEvent(BaseModel):
    """One move of a relationship: who moved it, from what, to what, why, and on whose say-so."""

    event_id: int = Field(description="The activity that moved it.")
    from_stage: str
    to_stage: str
    is_backward: bool
    actor_kind: str
    actor_id: UUID | None
    writer: str
    on_behalf_of: UUID | None
    activity_type: str
    reason: str | None = Field(description="null, too, for credentials that may not see contacts")
    approval_id: UUID | None = Field(description="The approval it rests on.")
    caused_by: int | None
    reference: str | None
    occurred_at: str = Field(json_schema_extra={"format": "date-time"})
    recorded_at: str = Field(json_schema_extra={"format": "date-time"})


class ApprovalQuery(Sent):
    """Which approvals to list."""

    status: Status | None = Field(default=None, description="open: those that wait for an answer.")
    person_id: UUID | None = None
    to_stage: str | None = None
    limit: int = Field(default=50, ge=1, le=200)
    cursor: str | None = Field(default=None, description="`next` of the page before.")


class Approval(BaseModel):
    """A move that waits, or waited, for a person's yes: who asked for it, and what became of it."""

    approval_id: UUID
    person_id: UUID
    stage: str = Field(description="Where the person stands now.")
    to_stage: str = Field(description="Where they would stand.")
    status: Status = Field(description="stale: the facts had changed before somebody said yes.")
    requested_at: str = Field(json_schema_extra={"format": "date-time"})
    expires_at: str = Field(json_schema_extra={"format": "date-time"})
    activity_id: int = Field(description="The held activity.")
    actor_kind: str
    actor_id: UUID | None
    writer: str
    caused_by: int | None = Field(description="The outcome that asked for it.")
    settled_at: str | None
    settled_by: int | None = Field(description="The activity that answered it.")
    settled_by_user: UUID | None


@post(
    "/v1/people/{person_id:str}/activities",
    summary="Report an activity of a relationship",
    security=[{BEARER: []}],
    operation_class=describes_report(LoggedPerson, PersonActivity, person=True),
)
async def log_person_activity(
    request: HttpRequest,
    person_id: FromPath[str],
    caller: NamedDependency[Caller],
    database: NamedDependency[Database],
    metrics: NamedDependency[Metrics],
) -> Response[bytes]:
    """Move a person, or answer an approval; becoming a client is held until a person says yes (seed 002)."""
    return await log_one(request, JOURNAL, person_id, PersonActivity, caller, database, metrics)


@get(
    "/v1/people/{person_id:str}/timeline",
    summary="Everything reported of a person, oldest first",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("One page.", listed("timeline", PersonTimelineRow, next=NEXT))},
        (400, 401, 403, 404, 422, 503),
        person=True,
        query=PersonQuery,
    ),
)
async def person_timeline(
    request: HttpRequest,
    person_id: FromPath[str],
    caller: NamedDependency[Caller],
    database: NamedDependency[Database],
) -> Response[bytes]:
    """Leads, relationship, deals and subscriptions of one person, in the order in which it was decided."""
    return await page_of(request, TIMELINE, person_id, no_such_person, caller, database, PersonQuery)


@get(
    "/v1/people/{person_id:str}/stages",
    summary="The moves of a relationship, oldest first",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("One page.", listed("stages", StageEvent, next=NEXT))},
        (400, 401, 403, 404, 422, 503),
        person=True,
        query=PersonQuery,
    ),
)
async def person_stages(
    request: HttpRequest,
    person_id: FromPath[str],
    caller: NamedDependency[Caller],
    database: NamedDependency[Database],
) -> Response[bytes]:
    """When they became a client, and on whose say-so (seed 002)."""
    return await page_of(request, STAGES, person_id, no_such_person, caller, database, PersonQuery)


@get(
    "/v1/approvals",
    summary="List approvals, newest first",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("One page.", listed("approvals", Approval, next=NEXT))},
        (400, 401, 403, 422, 503),
        query=ApprovalQuery,
    ),
)
async def list_approvals(
    request: HttpRequest, caller: NamedDependency[Caller], database: NamedDependency[Database]
) -> Response[bytes]:
    """One page of the moves that wait, or waited, for a yes. One is answered by an activity of its person:
    approval_granted or approval_declined."""
    given = read_query(request, ApprovalQuery).model_dump(exclude_none=True)
    statement = page("approvals", SHOWN, ORDER, given, FILTERS)
    return json_answer(await database.read(caller.token, statement, given))


@get(
    "/v1/approvals/{approval_id:str}",
    summary="Show an approval",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("The approval.", component(Approval))}, (400, 401, 403, 404, 422, 503), approval=True
    ),
)
async def show_approval(
    approval_id: FromPath[str], caller: NamedDependency[Caller], database: NamedDependency[Database]
) -> Response[bytes]:
    """One approval, waiting or answered; 404 alike for foreign, unknown, unseen and malformed ids."""
    document = await database.read(caller.token, SHOW_APPROVAL, {"approval_id": uuid_or_nil(approval_id)})
    if document is None:
        raise no_such_approval()
    return json_answer(document)
