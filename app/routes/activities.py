"""Reporting what happened: one activity of a lead (the hot path), or up to 1,000 at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import msgspec
from litestar import Response, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from pydantic import BaseModel, Field

from app import strict_json
from app.db import Database
from app.description import BEARER, answer, component, describes, listed
from app.door import (
    Caller,
    HttpRequest,
    Instant,
    Sent,
    checked,
    json_answer,
    uuid_or_nil,
    with_members,
)
from app.errors import PREFIX_OF_TYPE, PROBLEM_JSON, Problem, title
from app.idempotency import Row, perform, read_write
from app.intake import Intake
from app.metrics import Metrics

LOGGED = """
    from leadline.log_activity(
        %(lead_id)s::uuid, %(activity_type)s::text, %(payload)s::jsonb, %(reference)s::text,
        %(occurred_at)s::timestamptz, %(on_behalf_of)s::uuid, %(surface)s::text, %(token)s::text) l
"""
# The whole answer in one call and one round trip: the token is entered inside, and the call commits by
# itself.
LOG_ACTIVITY = f"select l.verdict, l.rule, l.sentence, l.replayed, row_to_json(l) {LOGGED}"

LOG_ACTIVITIES = """
    select json_build_object('results', coalesce(json_agg(l.result order by l.item), '[]')),
           array_agg(array[l.result ->> 'verdict', l.result ->> 'rule'])
               filter (where not coalesce((l.result ->> 'replayed')::bool, false))
    from leadline.log_activities(%(activities)s::jsonb, %(token)s::text) l
"""

MOST = 1000  # activities in a batch

STATUS_OF_VERDICT = {"applied": 201, "noted": 201, "held": 202, "refused": 409}


class Activity(Sent):
    """One thing that happened to a lead."""

    activity_type: str = Field(description="A word of GET /v1/activity-types.")
    payload: Any = Field(
        default={},
        description="What the type's keys ask for; other keys are kept.",
        json_schema_extra={"type": "object"},
    )
    reference: str | None = Field(
        default=None, min_length=1, max_length=200,
        description="Your own name for this report: a repeat changes nothing and gets the original answer.",
    )  # fmt: skip
    occurred_at: Instant | None = Field(default=None, description="When it happened; now when left out.")
    surface: str | None = Field(default=None, max_length=200, description="Where in an app it was reported.")


class ActivityOfLead(Activity):
    """One item of a batch. Without lead_id: a birth (lead_created, lead_imported), or an inbound_enquiry,
    which meets its lead or makes one."""

    lead_id: UUID | None = None
    on_behalf_of: UUID | None = None


class Logged(BaseModel):
    """What was decided. `changes` holds [old, new] by column, true where the values are personal."""

    verdict: str = Field(json_schema_extra={"enum": ["applied", "noted", "refused", "held"]})
    rule: str | None
    sentence: str | None
    hint: str | None
    replayed: bool
    activity_id: int
    lead_id: UUID | None
    activity_type: str
    reference: str | None
    occurred_at: str = Field(json_schema_extra={"format": "date-time"})
    recorded_at: str = Field(json_schema_extra={"format": "date-time"})
    from_stage: str | None
    to_stage: str | None
    from_status: str | None
    to_status: str | None
    changes: dict[str, Any] | None
    version: int | None
    seq: int | None


class Refused(Logged):
    """A refusal: what was decided, followed by the members of problem details. The refusal itself is
    stored."""

    type: str
    title: str
    status: int
    detail: str


class BatchResult(BaseModel):
    """Like Logged, or verdict `invalid` for an item that was not understood and not stored."""

    verdict: str = Field(json_schema_extra={"enum": ["applied", "noted", "refused", "held", "invalid"]})
    rule: str | None
    sentence: str | None
    hint: str | None
    sqlstate: str = ""


def answer_logged(row: Row, added: Mapping[str, bytes] | None = None) -> Response[bytes]:
    """The answer for one row of LOG_ACTIVITY: 201, 202 held, 409 refused, 200 for a repeat that is no
    refusal.

    `added` are further members. A refusal is committed, not raised: it is a decision that stays in the
    journal."""
    verdict, rule, sentence, replayed, document, *_ = row
    members = dict(added or {})
    if verdict == "refused":
        told = {"type": PREFIX_OF_TYPE + rule, "title": title(rule), "status": 409, "detail": sentence}
        members |= {name: msgspec.json.encode(value) for name, value in told.items()}
        return json_answer(with_members(document, members), 409, PROBLEM_JSON)
    status = 200 if replayed else STATUS_OF_VERDICT[verdict]
    return json_answer(with_members(document, members), status)


def count_logged(rows: list[Row], metrics: Metrics) -> None:
    """Count what the first row, one of LOG_ACTIVITY, decided, unless it is a repeat."""
    verdict, rule, _, replayed, *_ = rows[0]
    if not replayed:
        metrics.count_activity(verdict, rule)


def refusal() -> Any:
    """The documented 409 of a reported activity: a refusal by the rules, or a plain problem
    (reference_reused)."""
    schema = {"anyOf": [component(Refused), {"$ref": "#/components/schemas/ProblemDetails"}]}
    return answer(
        "Refused by a rule; `verdict` comes first. Or the reference was used otherwise.", schema, PROBLEM_JSON
    )


@post(
    "/v1/leads/{lead_id:str}/activities",
    summary="Report an activity of a lead",
    security=[{BEARER: []}],
    operation_class=describes(
        {
            200: answer(
                "A repeat of a reference: the original answer, `replayed` is true.", component(Logged)
            ),
            201: answer("Applied or noted.", component(Logged)),
            202: answer("Held until a person decides.", component(Logged)),
            409: refusal(),
        },
        (400, 401, 403, 404, 413, 415, 422, 503),
        lead=True,
        body=component(Activity),
    ),
)
async def log_activity(
    request: HttpRequest,
    lead_id: FromPath[str],
    caller: NamedDependency[Caller],
    database: NamedDependency[Database],
    intake: NamedDependency[Intake],
    metrics: NamedDependency[Metrics],
) -> Response[bytes]:
    """Report one activity; answers verdict, rule and stages (seed 000: only activities move a lead)."""
    write = await read_write(request, caller)
    activity = checked(Activity, write.document)
    payload = await intake.payload(caller.token, activity.activity_type, activity.payload)
    parameters = {
        "token": caller.token,
        "on_behalf_of": caller.on_behalf_of,
        "lead_id": uuid_or_nil(lead_id),
        "activity_type": activity.activity_type,
        "payload": strict_json.write(payload),
        "reference": activity.reference,
        "occurred_at": activity.occurred_at,
        "surface": activity.surface,
    }
    return await perform(
        database, write, [(LOG_ACTIVITY, parameters)],
        lambda rows: answer_logged(rows[0]), lambda rows: count_logged(rows, metrics),
    )  # fmt: skip


BATCH = {"type": "array", "items": component(ActivityOfLead), "description": "At most 1,000; more are 413."}
BATCH_IN_AN_OBJECT = {
    "type": "object",
    "properties": {"activities": BATCH},
    "required": ["activities"],
    "additionalProperties": False,
}


@post(
    "/v1/activities",
    summary="Report up to 1,000 activities",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("One result an item, in the order of the request.", listed("results", BatchResult))},
        (400, 401, 403, 409, 413, 415, 422, 503),
        body={"anyOf": [BATCH, BATCH_IN_AN_OBJECT]},
    ),
)
async def log_activities(
    request: HttpRequest,
    caller: NamedDependency[Caller],
    database: NamedDependency[Database],
    intake: NamedDependency[Intake],
    metrics: NamedDependency[Metrics],
) -> Response[bytes]:
    """Report many: an array of activities, or {"activities": [...]}. A malformed item is answered invalid;
    the rest is stored. The header Leadline-On-Behalf-Of holds for every item that names nobody itself."""
    write = await read_write(request, caller)
    sent = write.document
    if isinstance(sent, dict) and sent.keys() == {"activities"}:
        sent = sent["activities"]
    if not isinstance(sent, list):
        raise Problem(
            422,
            "batch_malformed",
            "The batch is not a JSON array of activities.",
            "Send an array of objects.",
        )
    named = {} if caller.on_behalf_of is None else {"on_behalf_of": str(caller.on_behalf_of)}
    sent = [named | item if isinstance(item, dict) else item for item in sent]
    for item in sent[:MOST]:
        if isinstance(item, dict) and "payload" in item:
            item["payload"] = await intake.payload(caller.token, item.get("activity_type"), item["payload"])
    parameters = {"activities": strict_json.write(sent), "token": caller.token}

    def count(rows: list[Row]) -> None:
        for verdict, rule in rows[0][1] or ():
            metrics.count_activity(verdict, rule)

    return await perform(
        database, write, [(LOG_ACTIVITIES, parameters)], lambda rows: json_answer(rows[0][0]), count
    )
