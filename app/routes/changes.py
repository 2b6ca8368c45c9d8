"""The change feed: every decision once, in an order that no late commit can break."""

from __future__ import annotations

from typing import Any

from litestar import Response, get
from litestar.di import NamedDependency
from pydantic import Field

from app.db import Database
from app.description import BEARER, PROBLEM, answer, describes
from app.door import Caller, HttpRequest, Sent, json_answer, read_query
from app.errors import PROBLEM_JSON

# next is the cursor to go on from, on an empty page the one that was sent.
CHANGES = """
    select json_build_object(
        'changes', coalesce(json_agg(c.change order by c.n), '[]'),
        'next', coalesce((array_agg(c.cursor order by c.n desc))[1], %(after)s::text))
    from leadline.changes_after(%(after)s::text, %(limit)s::int) with ordinality c (cursor, change, n)
"""


class ChangesQuery(Sent):
    """From where, and how many."""

    after: str | None = Field(
        default=None, max_length=200,
        description="`next` of the page before, or activity:<activity_id>; from the beginning when left out.",
    )  # fmt: skip
    limit: int = Field(default=100, ge=1, le=1000)


PAGE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "changes": {"type": "array", "items": {"type": "object"}},
        "next": {
            "type": ["string", "null"],
            "description": "Ask with it as `after`; null before the first change.",
        },
    },
    "required": ["changes", "next"],
}


@get(
    "/v1/changes",
    summary="What changed since",
    security=[{BEARER: []}],
    operation_class=describes(
        {
            200: answer("The next changes, none when there is nothing new.", PAGE),
            409: answer(
                "The cursor is of another database cluster; the hint says where to start.",
                PROBLEM,
                PROBLEM_JSON,
            ),
        },
        (400, 401, 403, 422, 503),
        query=ChangesQuery,
    ),
)
async def list_changes(
    request: HttpRequest, caller: NamedDependency[Caller], database: NamedDependency[Database]
) -> Response[bytes]:
    """Decisions after the cursor, none lost and none twice, each with the stage before and after."""
    query = read_query(request, ChangesQuery)
    return json_answer(await database.read(caller.token, CHANGES, query.model_dump()))
