"""For whoever runs the service: is it alive, can it work, what does it do. No token, no workspace."""

from __future__ import annotations

from litestar import Response, get
from litestar.di import NamedDependency

from app.db import Connection, Database, fetch_row
from app.description import answer, describes
from app.door import json_answer
from app.errors import Problem
from app.metrics import CONTENT_TYPE, Metrics

RULES_ARE_LOADED = "select to_regproc('leadline.log_activity') is not null"
VOCABULARY_IS_THERE = "select exists (select from leadline.activity_types)"

STATE = {"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]}


@get(
    "/health",
    summary="Is the process alive",
    operation_class=describes({200: answer("It is.", STATE)}, (400,)),
)
async def health() -> Response[bytes]:
    """Always 200 while the process answers; says nothing about the database."""
    return json_answer(b'{"status":"alive"}')


@get(
    "/ready",
    summary="Can requests be served",
    operation_class=describes({200: answer("Database and rules are there.", STATE)}, (400, 503)),
)
async def ready(database: NamedDependency[Database]) -> Response[bytes]:
    """200 when the database answers and has the rules; else 503 with Retry-After."""

    async def look(connection: Connection) -> bool:
        (is_loaded,) = await fetch_row(connection, RULES_ARE_LOADED, ())
        return bool(is_loaded) and bool((await fetch_row(connection, VOCABULARY_IS_THERE, ()))[0])

    if not await database.write(look):
        raise Problem(
            503,
            "rules_missing",
            "The database has no rules yet.",
            "Deploy them: leadline migrate.",
            {"Retry-After": "5"},
        )
    return json_answer(b'{"status":"ready"}')


@get(
    "/metrics",
    summary="Figures for Prometheus",
    media_type=CONTENT_TYPE,
    operation_class=describes(
        {200: answer("Prometheus text format.", {"type": "string"}, "text/plain")}, (400,)
    ),
)
async def show_metrics(metrics: NamedDependency[Metrics]) -> Response[bytes]:
    """Requests by route and status, activities by verdict and rule, the pool; no figure of a single
    workspace."""
    return Response(metrics.page(), media_type=CONTENT_TYPE)
