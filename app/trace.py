"""The id under which a request is found again: in the Trace-Id header of its answer and in the log."""

from __future__ import annotations

import re
import secrets
from collections.abc import MutableMapping
from typing import Any, cast

from litestar.types import Scope

TRACEPARENT = re.compile(rb"[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
KEY = "leadline.trace_id"


def trace_id(scope: Scope) -> str:
    """32 hex digits: the trace id of the caller's W3C traceparent header, else drawn once a request."""
    kept = cast("MutableMapping[str, Any]", scope)
    if KEY not in kept:
        sent = next((value for name, value in scope["headers"] if name == b"traceparent"), b"")
        match = TRACEPARENT.match(sent)
        kept[KEY] = match[1].decode() if match else secrets.token_hex(16)
    return str(kept[KEY])
