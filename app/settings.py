"""What may be set from outside, with its units; every setting is an environment variable LEADLINE_<NAME>."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Settings(BaseModel):
    """Everything the service is told at its start; nothing else is read from the environment."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dsn: str = Field(min_length=1)
    """Connection string of the service's own login (leadline_service), in any form libpq reads."""
    host: str = "127.0.0.1"
    """Address to listen on."""
    port: int = Field(default=8080, ge=0, le=65535)
    """TCP port to listen on; 0 takes any free one."""
    pool_min: int = Field(default=2, ge=1)
    """Connections kept open."""
    pool_max: int = Field(default=10, ge=1)
    """Connections at most; each request borrows one."""
    pool_timeout_seconds: float = Field(default=3.0, gt=0)
    """How long a request waits for a connection before it is answered 503."""
    start_timeout_seconds: float = Field(default=10.0, gt=0)
    """How long the start waits for the database before it gives up."""
    reconnect_seconds: float = Field(default=5.0, gt=0)
    """How long one attempt to reconnect goes on; the next request after that begins a new one."""
    lock_timeout_ms: int = Field(default=3000, ge=0)
    """lock_timeout of every connection; 0 waits for ever."""
    statement_timeout_ms: int = Field(default=30000, ge=0)
    """statement_timeout of every connection; 0 lets a statement run for ever."""
    idle_in_transaction_timeout_ms: int = Field(default=10000, ge=0)
    """idle_in_transaction_session_timeout of every connection; 0 never ends one."""
    session_options: bool = True
    """Whether connections send the three timeouts and the time zone as start-up options. PgBouncer takes no
    such options: set this to false there and give them to the login (alter role leadline_service set …)."""
    prepare_threshold: int | None = Field(default=5, ge=0)
    """Executions before a statement is prepared on the server. The word none never prepares, as PgBouncer in
    transaction mode needs it before its version 1.22."""
    body_limit_bytes: int = Field(default=1_000_000, ge=1)
    """Largest body of a request, bytes; more is 413."""
    batch_limit_bytes: int = Field(default=8_000_000, ge=1)
    """Largest body of a batch of activities, bytes; more is 413."""
    shutdown_seconds: int = Field(default=10, ge=0)
    """How long requests in flight may go on after SIGTERM."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None, **given: Any) -> Settings:
        """Settings from LEADLINE_<NAME> variables; `given` wins. The DSN is also read from DATABASE_URL.

        Raises pydantic.ValidationError naming the setting when a value is missing or out of its range."""
        environment = os.environ if environment is None else environment
        found: dict[str, Any] = {
            name: environment[f"LEADLINE_{name.upper()}"]
            for name in cls.model_fields
            if f"LEADLINE_{name.upper()}" in environment
        }
        if "DATABASE_URL" in environment:
            found.setdefault("dsn", environment["DATABASE_URL"])
        if str(found.get("prepare_threshold", "")).lower() == "none":
            found["prepare_threshold"] = None
        return cls(**(found | given))
