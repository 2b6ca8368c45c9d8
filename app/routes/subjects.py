"""What people, opportunities and subscriptions have in common: an activity goes into the journal of one of
them, and the journal is read page by page."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Annotated, Any, NamedTuple
from uuid import UUID

from litestar import Response
from litestar.openapi.spec import OpenAPIResponse, Operation
from psycopg import sql
from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema

from app import strict_json
from app.db import Database
from app.description import PROBLEM, answer, component, describes
from app.door import Caller, HttpRequest, Instant, Sent, checked, json_answer, read_query, uuid_or_nil
from app.errors import PROBLEM_JSON, Problem
from app.idempotency import Row, perform, read_write
from app.metrics import Metrics
from app.routes.activities import Activity, answer_logged, count_logged
from app.routes.journal import JournalQuery

DECIDED = """
    l.answer ->> 'verdict', l.answer ->> 'rule', l.answer ->> 'sentence', (l.answer ->> 'replayed')::bool,
    l.answer
"""
LOGGED = """
    from leadline.log_in_journal(
        %(journal)s::text, %(subject_id)s::uuid, %(activity_type)s::text, %(payload)s::jsonb,
        %(reference)s::text, %(occurred_at)s::timestamptz, %(on_behalf_of)s::uuid, %(surface)s::text,
        %(token)s::text) l (answer)
"""
# The whole answer in one call and one round trip, as LOG_ACTIVITY of a lead.
LOG = f"select {DECIDED} {LOGGED}"

# The id of what was born stays in a setting of the transaction: so the statement that shows it travels along.
LOG_BIRTH = f"""
    select {DECIDED}, set_config('leadline.logged_subject', coalesce(l.answer ->> %(born)s::text, ''), true)
    {LOGGED}
"""
BORN = sql.SQL("nullif(current_setting('leadline.logged_subject', true), '')::uuid")

# Null when the subject is not visible; else a page in the order of `at`, with the `at` to go on after.
PAGE = sql.SQL("""
    select case when {is_visible} then (
        select json_build_object(
            {key}, coalesce(json_agg(p.r order by p.at) filter (where p.n <= %(limit)s), '[]'),
            'next', max(case when p.n = %(limit)s and p.found > %(limit)s then p.at::text end))
        from (select r, r.{at} as at, row_number() over (order by r.{at}) as n, count(*) over () as found
              from ({rows} order by {at} limit %(limit)s + 1) r) p)
    end
""")


def paged(key: str, at: str, is_visible: str, rows: str) -> sql.Composed:
    """The statement for one page of what belongs to a subject, oldest first, as an object with `key` and
    next. `rows` ends in its conditions, `at` is the column that orders them and says where a page ends."""
    return PAGE.format(
        key=sql.Literal(key), at=sql.Identifier(at), is_visible=sql.SQL(is_visible), rows=sql.SQL(rows)
    )


def _day(value: object) -> object:
    if not isinstance(value, str) or len(value) != len("2026-03-01"):
        raise ValueError("give a date, as in 2026-03-01")
    return value


Day = Annotated[date, BeforeValidator(_day), WithJsonSchema({"type": "string", "format": "date"})]


class Recorded(BaseModel):
    """What was decided. `changes` holds [old, new] by column, true where the values are personal."""

    verdict: str = Field(json_schema_extra={"enum": ["applied", "noted", "refused", "held"]})
    rule: str | None
    sentence: str | None
    hint: str | None
    replayed: bool
    activity_id: int
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
    approval_id: UUID | None = Field(description="Of a held activity: the approval that now waits.")


class Refusal(BaseModel):
    """The members of problem details that follow a refusal. The refusal itself is stored."""

    type: str
    title: str
    status: int
    detail: str


class Birth(Sent):
    """What every report of something new may say beside its own keys."""

    reference: str | None = Field(
        default=None, min_length=1, max_length=200,
        description="Your own name for this report: a repeat changes nothing and gets the original answer.",
    )  # fmt: skip
    occurred_at: Instant | None = Field(default=None, description="When it happened; now when left out.")


class Newborn(NamedTuple):
    """What comes into being by a report: its journal, the report's word, the member of the answer that names
    it, the statement that shows it, and the member under which it is shown."""

    journal: str
    activity_type: str
    id: str
    shown: sql.Composed
    key: str


def describes_report(
    logged: type[BaseModel],
    body: type[BaseModel],
    *,
    is_birth: bool = False,
    person: bool = False,
    opportunity: bool = False,
    subscription: bool = False,
) -> type[Operation]:
    """The operation class of a route that reports an activity: every verdict has its status."""
    told = component(logged)
    refused = {"allOf": [told, component(Refusal)]}
    answers: dict[int, OpenAPIResponse] = {
        200: answer("A repeat of a reference: the original answer, `replayed` is true.", told),
        201: answer("Applied or noted.", told),
        409: answer(
            "Refused by a rule; `verdict` comes first. Or the reference was used otherwise.",
            {"anyOf": [refused, PROBLEM]}, PROBLEM_JSON,
        ),
    }  # fmt: skip
    if not is_birth:
        answers[202] = answer("Held until a person decides: see approval_id.", told)
    return describes(
        answers, (400, 401, 403, 404, 413, 415, 422, 503), body=component(body),
        person=person, opportunity=opportunity, subscription=subscription,
    )  # fmt: skip


async def log_one(
    request: HttpRequest,
    journal: str,
    subject_id: str,
    model: type[Activity],
    caller: Caller,
    database: Database,
    metrics: Metrics,
) -> Response[bytes]:
    """Report one activity of a subject that there is; answers verdict, rule and stages."""
    write = await read_write(request, caller)
    activity = checked(model, write.document)
    parameters = {
        "journal": journal,
        "token": caller.token,
        "on_behalf_of": caller.on_behalf_of,
        "subject_id": uuid_or_nil(subject_id),
        "activity_type": activity.activity_type,
        "payload": strict_json.write(activity.payload),
        "reference": activity.reference,
        "occurred_at": activity.occurred_at,
        "surface": activity.surface,
    }
    return await perform(
        database, write, [(LOG, parameters)],
        lambda rows: answer_logged(rows[0]), lambda rows: count_logged(rows, metrics),
    )  # fmt: skip


async def log_birth(
    request: HttpRequest,
    newborn: Newborn,
    model: type[Birth],
    caller: Caller,
    database: Database,
    metrics: Metrics,
) -> Response[bytes]:
    """Report what comes into being; answers verdict and rule, and what was made as it is then."""
    write = await read_write(request, caller)
    birth = checked(model, write.document)
    said = birth.model_dump(exclude={"reference", "occurred_at"}, exclude_none=True)
    parameters = {
        "journal": newborn.journal,
        "born": newborn.id,
        "token": caller.token,
        "on_behalf_of": caller.on_behalf_of,
        "subject_id": None,
        "activity_type": newborn.activity_type,
        "payload": strict_json.write(said),
        "reference": birth.reference,
        "occurred_at": birth.occurred_at,
        "surface": None,
    }

    def tell(rows: list[Row]) -> Response[bytes]:
        return answer_logged(rows[0], {newborn.key: rows[1][0] or b"null"})

    return await perform(
        database, write, [(LOG_BIRTH, parameters), (newborn.shown, {})],
        tell, lambda rows: count_logged(rows, metrics),
    )  # fmt: skip


async def page_of(
    request: HttpRequest,
    statement: sql.Composed,
    subject_id: str,
    no_such: Callable[[], Problem],
    caller: Caller,
    database: Database,
    query: type[Sent] = JournalQuery,
) -> Response[bytes]:
    """One page of what belongs to a subject. Raises no_such() for one that is not visible."""
    given = read_query(request, query).model_dump() | {"subject_id": uuid_or_nil(subject_id)}
    document = await database.read(caller.token, statement, given)
    if document is None:
        raise no_such()
    return json_answer(document)
