"""What every route shares: who is calling, what was sent as a checked model, and the answer around
PostgreSQL's JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, ClassVar, NamedTuple, TypeAlias, TypeVar
from urllib.parse import parse_qsl
from uuid import UUID

from litestar import MediaType, Request, Response
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, WithJsonSchema

from app import strict_json
from app.errors import CHALLENGE, Problem, value_malformed

HttpRequest: TypeAlias = Request[Any, Any, Any]
M = TypeVar("M", bound="Sent")

TOKEN = re.compile(r"ll_[\x21-\x7e]{1,200}")
INSTANT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d([.]\d{1,6})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
NO_TOKEN = "ll_"  # noqa: S105 - what cannot be a token is an unknown one, so that the database answers for it
NIL = UUID(int=0)


class Caller(NamedTuple):
    """Who calls: the token, checked by the database alone, and the member named in Leadline-On-Behalf-Of."""

    token: str
    on_behalf_of: UUID | None


async def caller(request: HttpRequest) -> Caller:
    """The caller of this request. Raises Problem 401 without a bearer token, 422 for a header not a uuid."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token:
        raise Problem(
            401, "credential_required", "This address needs a token.",
            "Send the header Authorization: Bearer <token>.", {"WWW-Authenticate": CHALLENGE},
        )  # fmt: skip
    if not TOKEN.fullmatch(token):
        token = NO_TOKEN
    named = request.headers.get("leadline-on-behalf-of")
    if named is None:
        return Caller(token, None)
    member = uuid_or_nil(named)
    if member == NIL:
        raise value_malformed("Leadline-On-Behalf-Of is not a uuid.", "Send the user id of an active member.")
    return Caller(token, member)


def uuid_or_nil(text: str) -> UUID:
    """The uuid in `text`; the nil uuid, which no lead has, for anything else.

    So a malformed id is looked up like an unknown one and gets the same answer, byte for byte."""
    try:
        return UUID(text) if len(text) == len(str(NIL)) else NIL
    except ValueError:
        return NIL


def _instant(value: object) -> object:
    if not isinstance(value, str) or not INSTANT.fullmatch(value):
        raise ValueError("give date, time and offset from UTC, as in 2026-03-01T10:00:00Z")
    return value


def _number(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise ValueError("give a number")
    return value


# An instant carries its offset (seed 004: no naive times); money is an exact number, never a float.
Instant = Annotated[
    datetime, BeforeValidator(_instant), WithJsonSchema({"type": "string", "format": "date-time"})
]
Number = Annotated[Decimal, BeforeValidator(_number), WithJsonSchema({"type": "number"})]
Money = Annotated[Decimal, BeforeValidator(_number), WithJsonSchema({"type": "number", "minimum": 0})]


class Sent(BaseModel):
    """Base of everything that comes in: keys that are not listed are refused, not ignored."""

    model_config = ConfigDict(extra="forbid")
    elsewhere: ClassVar[Mapping[str, str]] = {}
    """Keys that are sent to another address, and where."""


def checked(model: type[M], values: Any) -> M:
    """`values` as `model`.

    Raises Problem 422 for the first fault: key_missing, unknown_key or value_malformed."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in fault["loc"][:1]) or "body"
        rule = {"missing": "key_missing", "extra_forbidden": "unknown_key"}.get(
            fault["type"], "value_malformed"
        )
        what = fault["msg"].removeprefix("Value error, ")
        hint = model.elsewhere.get(where) if rule == "unknown_key" else None
        raise Problem(
            422, rule, f"{where[:60]}: {what}."[:300], hint or "See /schema for what this address takes."
        ) from None


async def read_json(request: HttpRequest) -> Any:
    """The body as strict JSON. Raises Problem 415 for another content type, 413 above the route's limit,
    else as app.strict_json.read."""
    if request.content_type[0] != "application/json":
        raise Problem(
            415, "unsupported_media_type", "The body is not declared as application/json.",
            "Send the header Content-Type: application/json.",
        )  # fmt: skip
    return strict_json.read(await request.body())


async def read_body(request: HttpRequest, model: type[M]) -> M:
    """The body as `model`; raises Problem as read_json() and checked() do."""
    return checked(model, await read_json(request))


def read_query(request: HttpRequest, model: type[M]) -> M:
    """The query string as `model`. Raises Problem 422 for an unknown, repeated or malformed parameter."""
    try:
        pairs = parse_qsl(
            request.scope["query_string"].decode("ascii"), keep_blank_values=True, errors="strict"
        )
    except ValueError:
        raise value_malformed("The query string cannot be read.") from None
    values = dict(pairs)
    if len(values) != len(pairs):
        raise Problem(422, "duplicate_key", "A parameter is given twice.", "Give every parameter once.")
    if any("\0" in value for value in values.values()):
        raise value_malformed("A parameter has a character that cannot be kept (U+0000).")
    return checked(model, values)


def json_answer(body: bytes, status: int = 200, media_type: str = MediaType.JSON) -> Response[bytes]:
    """An answer whose body PostgreSQL built; it is passed through unread."""
    return Response(body, status_code=status, media_type=media_type)


def with_members(document: bytes, members: Mapping[str, bytes]) -> bytes:
    """The JSON object `document` with `members` (JSON texts) added at its end."""
    added = b"".join(b',"%s":%s' % (name.encode(), value) for name, value in members.items())
    return document[:-1] + added + b"}"
