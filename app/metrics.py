"""What Prometheus reads at /metrics: requests, verdicts and the pool. Labels are bounded: routes, statuses,
rules."""

from __future__ import annotations

import time
from collections.abc import Iterator, MutableMapping
from typing import Any, cast

from litestar.types import Message, Scope
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from app.db import Database

STARTED = "leadline.started"
CONTENT_TYPE = "text/plain; version=0.0.4"

# psycopg_pool's figure, our name, what it says.
POOL_FIGURES = (
    ("pool_size", "connections", "Connections of the pool, idle or in use."),
    ("pool_available", "idle_connections", "Connections that wait for a request."),
    ("requests_waiting", "waiting_requests", "Requests that wait for a connection."),
    ("pool_max", "connections_limit", "Connections the pool may have."),
)


class Metrics:
    """The figures of one application; `observe_request` is called for every message that goes out."""

    def __init__(self, database: Database) -> None:
        self.registry = CollectorRegistry()
        self.registry.register(_Pool(database))
        self.requests = Counter(
            "leadline_requests", "Answered requests.", ("method", "route", "status"), registry=self.registry
        )
        self.seconds = Histogram(
            "leadline_request_seconds", "Seconds from the request to the start of its answer.",
            ("route",), registry=self.registry,
        )  # fmt: skip
        self.activities = Counter(
            "leadline_activities", "Reported activities by what was decided.",
            ("verdict", "rule"), registry=self.registry,
        )  # fmt: skip

    def page(self) -> bytes:
        """All figures in Prometheus' text format."""
        return generate_latest(self.registry)

    def count_activity(self, verdict: str, rule: str | None) -> None:
        """One more activity with this verdict; repeats of a reference are not counted."""
        self.activities.labels(verdict, rule or "").inc()

    async def observe_request(self, message: Message, scope: Scope) -> None:
        """Count an answer when it starts; addresses that do not exist share one label."""
        if message["type"] != "http.response.start":
            return
        kept = cast("MutableMapping[str, Any]", scope)
        known = "route_handler" in kept
        route = str(kept.get("path_template") or "/") if known else "unknown"
        self.requests.labels(kept["method"] if known else "any", route, str(message["status"])).inc()
        if STARTED in kept:
            self.seconds.labels(route).observe(time.perf_counter() - kept[STARTED])


class _Pool(Collector):
    """The pool's own figures, read when Prometheus asks."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """One gauge for each of POOL_FIGURES."""
        figures = self.database.pool.get_stats()
        for theirs, ours, meaning in POOL_FIGURES:
            yield GaugeMetricFamily(f"leadline_pool_{ours}", meaning, value=figures.get(theirs, 0))
