"""JSON read without guessing: what one reader would understand differently from another is refused.

Numbers stay exact (int or Decimal, never float). Refused: duplicate keys, NaN and Infinity, lone
surrogates, the character U+0000 (PostgreSQL cannot keep it), more than 64 levels, anything that is not UTF-8.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from app.errors import Problem, value_malformed

DEPTH_LIMIT = 64
LONGEST_INT = 20  # digits; longer ones become Decimal, whose reading costs no quadratic time

_encoder = msgspec.json.Encoder(decimal_format="number")


def write(value: Any) -> str:
    """`value`, as read() gives it, as JSON text with its numbers unchanged in value."""
    return _encoder.encode(value).decode()


def read(body: bytes) -> Any:
    """The JSON document in `body`.

    Raises Problem 400 malformed_json or too_deep, 422 duplicate_key or value_malformed."""
    try:
        text = body.decode()
        document = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_not_a_number,
            parse_int=_whole,
            parse_float=_decimal,
        )
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        raise Problem(
            400, "malformed_json", "The body is not JSON in UTF-8.", "Send one JSON document."
        ) from None
    if body.count(b"[") + body.count(b"{") > DEPTH_LIMIT:
        _refuse_depth(document)
    if b"\\u" in body:
        _refuse_unstorable_text(document)
    return document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Problem(422, "duplicate_key", "An object has the same key twice.", "Send every key once.")
    return found


def _not_a_number(_: str) -> None:
    raise value_malformed("NaN and Infinity are not numbers of JSON.")


def _whole(digits: str) -> int | Decimal:
    return int(digits) if len(digits) <= LONGEST_INT else Decimal(digits)


def _decimal(number: str) -> Decimal:
    try:
        return Decimal(number)
    except InvalidOperation:
        raise value_malformed("A number is larger than can be kept.") from None


def _too_deep() -> Problem:
    return Problem(
        400,
        "too_deep",
        f"The body is nested more than {DEPTH_LIMIT} levels deep.",
        "Send a flatter document.",
    )


def _levels(document: Any) -> Iterator[list[Any]]:
    """The document level by level, from the outside in; keys stand on the level of their values."""
    level = [document]
    while level:
        yield level
        level = [
            child
            for value in level
            if isinstance(value, dict | list)
            for child in ((*value, *value.values()) if isinstance(value, dict) else value)
        ]


def _refuse_depth(document: Any) -> None:
    for depth, level in enumerate(_levels(document)):
        if depth == DEPTH_LIMIT and any(isinstance(value, dict | list) for value in level):
            raise _too_deep()


def _refuse_unstorable_text(document: Any) -> None:
    for level in _levels(document):
        for value in level:
            if isinstance(value, str) and any(c == "\0" or "\ud800" <= c <= "\udfff" for c in value):
                raise value_malformed(
                    "A text has a character that cannot be kept (U+0000, or half a surrogate pair)."
                )
