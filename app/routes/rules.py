"""The law as the database obeys it: the vocabulary, and what each activity does from each stage."""

from __future__ import annotations

from typing import Any

from litestar import Response, get
from litestar.di import NamedDependency
from pydantic import BaseModel, Field

from app.db import Database
from app.description import BEARER, answer, describes, listed
from app.door import Caller, HttpRequest, Sent, json_answer, read_query

ACTIVITY_TYPES = """
    select json_build_object('activity_types', coalesce(json_agg(t order by t.activity_type), '[]'))
    from (select a.activity_type, a.journals, a.label, a.touch, a.writers, a.payload, a.seed
          from leadline.activity_types a) t
"""

TRANSITIONS = """
    select json_build_object(
        'transitions', coalesce(json_agg(t order by t.workflow, t.activity_type, t.from_stage), '[]'))
    from (select r.workflow, r.activity_type, r.from_stage, r.from_status, r.effect, r.to_stage, r.to_status,
                 r.rule, r.sentence, r.hint, r.writers, r.seed
          from leadline.transition_rules r
          where (%(workflow)s::text is null or r.workflow = %(workflow)s)
            and (%(activity_type)s::text is null or r.activity_type = %(activity_type)s)) t
"""

MODEL = """
    select json_build_object(
        'model', coalesce(json_agg(row_to_json(b) order by b.workflow, s.position), '[]'))
    from (select m.id, m.workflow, m."from", m."to", m.unit, m.evidence, m.exclusions, m.field, m.value,
                 m.activity_types, m.writer, m.precedence, m.entry_timestamp, m.exits, m.seed
          from leadline.stage_model m
          where %(workflow)s::text is null or m.workflow = %(workflow)s) b
    join leadline.rule_stages s on s.workflow = b.workflow and s.stage = b."to"
"""


class NoQuery(Sent):
    """No parameters."""


class TransitionQuery(Sent):
    """Which rows of the rules."""

    workflow: str | None = None
    activity_type: str | None = None


class ModelQuery(Sent):
    """Which blocks of the stage model."""

    workflow: str | None = None


class ActivityType(BaseModel):
    """A word of the vocabulary; `payload` names its keys: type, needed, nullable, personal."""

    activity_type: str
    journals: list[str]
    label: str
    touch: str | None
    writers: list[str]
    payload: dict[str, Any] = Field(description="key to its rules")
    seed: str


class Transition(BaseModel):
    """What an activity does from a stage: move, fields, note or refuse."""

    workflow: str
    activity_type: str
    from_stage: str
    from_status: str | None
    effect: str
    to_stage: str | None
    to_status: str | None
    rule: str | None
    sentence: str | None
    hint: str | None
    writers: list[str]
    seed: str


class Exclusion(BaseModel):
    """Who never enters a stage, where they go instead, and whose they are there."""

    exclude: str
    path: str
    owner: str


class Block(BaseModel):
    """A stage that can be entered (seed 003): by whom, on what evidence, and how it is left again."""

    id: str
    workflow: str
    from_: list[str] = Field(alias="from", description="The stages it is entered from.")
    to: str
    unit: str = Field(description="What one entry counts.")
    evidence: str = Field(description="The committed fact that proves it.")
    exclusions: list[Exclusion]
    field: str = Field(description="The column that keeps the stage.")
    value: str
    activity_types: list[str]
    writer: list[str] = Field(description="The classes of writer that may report one of them.")
    precedence: str | None
    entry_timestamp: str
    exits: dict[str, str] = Field(description="advance, recycle, disqualify (lost, of a deal), correction")
    seed: str


@get(
    "/v1/activity-types",
    summary="The vocabulary",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("Every activity type.", listed("activity_types", ActivityType))},
        (400, 401, 403, 422, 503),
    ),
)
async def list_activity_types(
    request: HttpRequest, caller: NamedDependency[Caller], database: NamedDependency[Database]
) -> Response[bytes]:
    """Every activity type with the keys of its payload."""
    read_query(request, NoQuery)
    return json_answer(await database.read(caller.token, ACTIVITY_TYPES, {}))


@get(
    "/v1/transitions",
    summary="The rules",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("Every rule asked for.", listed("transitions", Transition))},
        (400, 401, 403, 422, 503),
        query=TransitionQuery,
    ),
)
async def list_transitions(
    request: HttpRequest, caller: NamedDependency[Caller], database: NamedDependency[Database]
) -> Response[bytes]:
    """What each activity does from each stage, by workflow and activity type."""
    query = read_query(request, TransitionQuery)
    return json_answer(await database.read(caller.token, TRANSITIONS, query.model_dump()))


@get(
    "/v1/model",
    summary="The stage model",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("Every block asked for.", listed("model", Block))},
        (400, 401, 403, 422, 503),
        query=ModelQuery,
    ),
)
async def show_model(
    request: HttpRequest, caller: NamedDependency[Caller], database: NamedDependency[Database]
) -> Response[bytes]:
    """One block a stage that can be entered, for a reviewer (seed 003)."""
    query = read_query(request, ModelQuery)
    return json_answer(await database.read(caller.token, MODEL, query.model_dump()))
