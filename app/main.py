"""Wires the service together: routes, one database, one place for errors, one description. It decides
nothing."""

from __future__ import annotations

import contextlib
import logging
import socket
import time
from collections.abc import AsyncIterator, MutableMapping
from typing import Any, cast

import swagger_ui_bundle
import uvicorn
from litestar import Litestar, Router
from litestar.di import Provide
from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import SwaggerRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.static_files import create_static_files_router
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from app import __version__
from app.db import Database
from app.description import BEARER, COMPONENTS
from app.errors import answer_problem
from app.intake import Intake
from app.metrics import STARTED, Metrics
from app.routes import BATCH_ROUTES, ROUTES
from app.settings import Settings
from app.trace import trace_id
from app.usage import TokensUsed

log = logging.getLogger("leadline.http")

DESCRIPTION = """\
Report what happened to a lead, a person, a deal or a subscription; the database decides what it means and
says which rule decided.
`verdict` is the first member of every answer to a reported activity: applied or noted (201), refused (409),
held (202); a repeated `reference` answers with the original and `replayed: true` (200; a repeated refusal
is 409 again). A request with an `Idempotency-Key` may be sent again for 24 hours: it is done once and
answered alike. Every error is a problem document (RFC 9457) whose `rule` is the name to program against.
"""


class _Clock(ASGIMiddleware):
    """Notes when a request began."""

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        cast("MutableMapping[str, Any]", scope)[STARTED] = time.perf_counter()
        await next_app(scope, receive, send)


async def _set_headers(message: Message, scope: Scope) -> None:
    """Put Trace-Id on every answer, those of unknown addresses and of errors as well."""
    if message["type"] == "http.response.start" and scope["type"] == ScopeType.HTTP:
        headers = [(b"trace-id", trace_id(scope).encode()), (b"x-content-type-options", b"nosniff")]
        if scope["path"].startswith("/v1/"):
            headers.append((b"cache-control", b"no-store"))
        message["headers"] = [*message["headers"], *headers]


def _documentation() -> OpenAPIConfig:
    """OpenAPI 3.1 at /schema with a Swagger UI whose files lie in an installed package."""
    return OpenAPIConfig(
        title="Leadline",
        version=__version__,
        description=DESCRIPTION,
        path="/schema",
        use_handler_docstrings=False,
        components=Components(security_schemes={BEARER: SecurityScheme(type="http", scheme="bearer")}),
        render_plugins=[
            SwaggerRenderPlugin(
                js_url="/schema/files/swagger-ui-bundle.js",
                css_url="/schema/files/swagger-ui.css",
                standalone_preset_js_url="/schema/files/swagger-ui-standalone-preset.js",
                favicon="<link rel='icon' type='image/png' href='/schema/files/favicon-32x32.png'>",
                path="/",
            )
        ],
    )


def create_app(settings: Settings) -> Litestar:
    """The application. It connects when it is started, and refuses a login that stands above row security."""
    database = Database(settings)
    metrics = Metrics(database)
    tokens = TokensUsed(database)
    intake = Intake(database)

    @contextlib.asynccontextmanager
    async def connected(_: Litestar) -> AsyncIterator[None]:
        await database.open()
        try:
            async with tokens.told():
                yield
        finally:
            await database.close()

    app = Litestar(
        route_handlers=[
            *ROUTES,
            Router("/", route_handlers=BATCH_ROUTES, request_max_body_size=settings.batch_limit_bytes),
            create_static_files_router("/schema/files", directories=[str(swagger_ui_bundle.swagger_ui_path)]),
        ],
        lifespan=[connected],
        dependencies={
            "caller": Provide(tokens.caller),
            "database": Provide(lambda: database, sync_to_thread=False),
            "intake": Provide(lambda: intake, sync_to_thread=False),
            "metrics": Provide(lambda: metrics, sync_to_thread=False),
        },
        exception_handlers={Exception: answer_problem},
        middleware=[_Clock()],
        before_send=[_set_headers, metrics.observe_request],
        openapi_config=_documentation(),
        request_max_body_size=settings.body_limit_bytes,
        logging_config=None,
    )
    # Litestar fills components.schemas from signatures alone and drops what the configuration gave.
    components = app.openapi_schema.components
    components.schemas = {**(components.schemas or {}), **COMPONENTS}
    return app


def serve(settings: Settings) -> None:
    """Run the service until SIGTERM or SIGINT; requests in flight may finish within shutdown_seconds.

    Raises SystemExit with a sentence when the address is taken or not ours, and with status 3 when the
    start was refused (the reason is in the log)."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("psycopg.pool").setLevel(logging.WARNING)
    listener = _listen(settings.host, settings.port)
    log.info("listening on %s port %d", *listener.getsockname()[:2])
    config = uvicorn.Config(
        create_app(settings),
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=settings.shutdown_seconds,
    )
    server = uvicorn.Server(config)
    with listener:
        server.run(sockets=[listener])
    if not server.started:
        raise SystemExit(3)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        raise SystemExit(
            f"cannot listen on {host} port {port}: {error.strerror}; choose another with LEADLINE_PORT"
        ) from None
    return listener
