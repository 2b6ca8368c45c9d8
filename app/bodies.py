"""Bodies as strangers send them, read with goodwill: JSON, forms, multipart. The bytes are kept elsewhere.

What comes out can be kept by PostgreSQL as jsonb and loses no digit of a number. Where senders differ, the
reading is: of a key given twice in JSON the last counts; a form's key given twice is a list; `a[b]` is a
nested key and `a[]` a list; JSON inside a form's field is read; U+0000, half surrogate pairs and bytes that
are no text become U+FFFD.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from email.message import Message
from typing import Any
from urllib.parse import parse_qsl

from multipart import MultipartError, PushMultipartParser

from app.errors import Problem
from app.strict_json import DEPTH_LIMIT, LONGEST_INT

PAIRS_LIMIT = 10_000  # fields of a form
LONGEST_NUMBER = 1000  # characters; a longer one is kept as the text it was
LARGEST_EXPONENT = 1000
UNKEPT = re.compile("[\0\ud800-\udfff]")
BRACKETS = re.compile(r"\[([^\[\]]*)\]")
BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class UnknownTypeError(Exception):
    """The body is declared as something that is not read here; it is kept all the same."""


def read(content_type: str | None, body: bytes) -> Any:
    """The document in `body`: an object, or an array that is not empty.

    Raises UnknownTypeError for a declared type other than JSON and forms; Problem 400 malformed_json,
    malformed_form or too_deep, 422 value_malformed for what cannot be read or holds nothing."""
    declared, parameters = _declared(content_type)
    if declared == "":
        document = _undeclared(body, parameters.get("charset"))
    elif declared in ("application/json", "text/json") or declared.endswith("+json"):
        document = _json(body, parameters.get("charset"))
    elif declared == "application/x-www-form-urlencoded":
        document = _form(body, parameters.get("charset"))
    elif declared == "multipart/form-data":
        document = _multipart(body, parameters.get("boundary", ""))
    else:
        raise UnknownTypeError(declared)
    if not isinstance(document, dict | list) or not document:
        raise Problem(
            422, "value_malformed", "The body holds neither an object nor a list of some.",
            "Send one object, or several.",
        )  # fmt: skip
    return document


def _declared(content_type: str | None) -> tuple[str, dict[str, str]]:
    """A Content-Type in lower case, and its parameters; empty when there is none, or nothing in it."""
    message = Message()
    message["content-type"] = UNKEPT.sub("", content_type or "").replace("\n", " ").replace("\r", " ")
    found = message.get_params(failobj=[], unquote=True)
    if not found or not found[0][0].strip():
        return "", {}
    return found[0][0].strip().lower(), {name.lower(): value for name, value in found[1:]}


def _undeclared(body: bytes, charset: str | None) -> Any:
    """JSON, else a form: what an undeclared body is most of the time."""
    try:
        return _json(body, charset)
    except Problem as problem:
        if problem.rule != "malformed_json" or b"=" not in body:
            raise
    return _form(body, charset)


def _text(body: bytes, charset: str | None) -> str:
    """The bytes as text: by their mark, else as declared, else UTF-8; what does not fit becomes U+FFFD."""
    for mark, encoding in BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    try:
        return body.decode(charset or "utf-8", "replace")
    except (LookupError, UnicodeError, ValueError):  # no such character set, or one of no text
        return body.decode(errors="replace")


def _json(body: bytes, charset: str | None) -> Any:
    return _loads(_text(body, charset))


def _loads(text: str) -> Any:
    try:
        document = json.loads(
            text, parse_constant=_no_number, parse_int=_whole, parse_float=_fraction, strict=False
        )
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        raise Problem(400, "malformed_json", "The body is not JSON.", "Send one JSON document.") from None
    return _kept(document)


def _no_number(name: str) -> Any:
    raise ValueError(name)


def _whole(digits: str) -> int | Decimal | str:
    if len(digits) <= LONGEST_INT:
        return int(digits)
    return Decimal(digits) if len(digits) <= LONGEST_NUMBER else digits


def _fraction(number: str) -> Decimal | str:
    """Exact; a number beyond all measure is kept as the text it was, since PostgreSQL could not keep it."""
    try:
        value = Decimal(number)
    except InvalidOperation:
        return number
    exponent = value.as_tuple().exponent
    if len(number) > LONGEST_NUMBER or not isinstance(exponent, int) or abs(exponent) > LARGEST_EXPONENT:
        return number
    return value


def _too_deep() -> Problem:
    return Problem(
        400, "too_deep", f"The body is nested more than {DEPTH_LIMIT} levels deep.",
        "Send a flatter document.",
    )  # fmt: skip


def _kept(value: Any, depth: int = 1) -> Any:
    """`value` with every text as PostgreSQL can keep it; Problem 400 too_deep beyond 64 levels."""
    if isinstance(value, str):
        return UNKEPT.sub("\ufffd", value)
    if isinstance(value, dict | list) and depth > DEPTH_LIMIT:
        raise _too_deep()
    if isinstance(value, dict):
        return {UNKEPT.sub("\ufffd", key): _kept(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_kept(inner, depth + 1) for inner in value]
    return value


def _form(body: bytes, charset: str | None) -> Any:
    try:
        encoding = codecs.lookup(charset or "utf-8").name
        pairs = parse_qsl(
            _text(body, charset).strip("\r\n"), keep_blank_values=True, encoding=encoding, errors="replace",
            max_num_fields=PAIRS_LIMIT,
        )  # fmt: skip
    except (LookupError, UnicodeError, ValueError):
        raise _malformed_form() from None
    return _nested(pairs)


def _malformed_form() -> Problem:
    return Problem(
        400, "malformed_form", "The body is not the form that it is declared to be.",
        f"Send at most {PAIRS_LIMIT} fields, in the encoding that Content-Type names.",
    )  # fmt: skip


def _multipart(body: bytes, boundary: str) -> Any:
    """The fields of a multipart form; of a file its name, its type and its size."""
    pairs: list[tuple[str, Any]] = []
    try:
        with PushMultipartParser(
            boundary.encode(), max_header_count=32, max_segment_count=PAIRS_LIMIT, header_charset="utf-8"
        ) as parser:
            chunks: list[bytes] = []
            segment: Any = None
            for event in parser.parse(body):
                if event is None:
                    pairs.append((segment.name, _part(segment, b"".join(chunks))))
                    chunks = []
                elif isinstance(event, bytes | bytearray):
                    chunks.append(bytes(event))
                else:
                    segment = event
    except (MultipartError, LookupError, ValueError):
        raise _malformed_form() from None
    return _nested(pairs)


def _part(segment: Any, content: bytes) -> Any:
    if segment.filename is not None:
        return _kept(
            {"filename": segment.filename, "content_type": segment.content_type or "", "bytes": len(content)}
        )
    if (segment.content_type or "").lower() == "application/json":
        return _kept(_inner(_text(content, segment.charset)))
    return _text(content, segment.charset)


def _nested(pairs: Iterable[tuple[str, Any]]) -> Any:
    """Pairs as an object: bracketed keys nested, repeated keys as lists, JSON inside a field read."""
    root: dict[str, Any] = {}
    for key, value in pairs:
        path = _path(UNKEPT.sub("\ufffd", key))
        if len(path) >= DEPTH_LIMIT:
            raise _too_deep()
        at = root
        for step in path[:-1]:
            inner = at.setdefault(step, {})
            if not isinstance(inner, dict):  # a=1&a[b]=2: both are kept
                inner = at[step] = {"": inner}
            at = inner
        _add(at, path[-1], _inner(value) if isinstance(value, str) else value)
    return _kept(_with_lists(root))


def _path(key: str) -> list[str]:
    """form[a][b] as form, a, b; a key whose brackets do not match is taken as it stands."""
    head, bracket, rest = key.partition("[")
    if not bracket or not head or BRACKETS.sub("", bracket + rest):
        return [key]
    return [head, *BRACKETS.findall(bracket + rest)]


class _Repeated(list[Any]):
    """The values of a key that was given more than once."""


def _add(at: dict[str, Any], key: str, value: Any) -> None:
    if key not in at:
        at[key] = _Repeated([value]) if key == "" else value
        return
    present = at[key]
    if isinstance(present, _Repeated):
        present.append(value)
    elif isinstance(present, dict) and not isinstance(value, dict):
        _add(present, "", value)
    else:
        at[key] = _Repeated([present, value])


def _with_lists(value: Any) -> Any:
    """Objects that are lists by their keys (a[], a[0], a[1]) as lists."""
    if isinstance(value, _Repeated):
        return [_with_lists(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    inner = {key: _with_lists(held) for key, held in value.items()}
    if list(inner) == [""]:
        return inner[""]
    if inner and list(inner) == [str(n) for n in range(len(inner))]:
        return list(inner.values())
    return inner


def _inner(text: str) -> Any:
    """JSON inside a field as what it says; any other text as it is."""
    if text.strip()[:1] not in ("{", "["):
        return text
    try:
        document = _loads(text)
    except Problem as problem:
        if problem.rule == "too_deep":
            raise
        return text
    return document if isinstance(document, dict | list) else text
