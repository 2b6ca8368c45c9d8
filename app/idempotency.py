"""Idempotency-Key: a request that is sent again is answered again, not done again.

As draft-ietf-httpapi-idempotency-key-header has it. A key is one credential's, for one method and path, for
24 hours. The answer is kept in the transaction of what the request did, so there is never one without the
other. Kept are successes and the rules' refusals, which are decisions; a request that was malformed, or
failed on our side, did nothing and may be sent again under the same key.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec
from litestar import Response

from app.db import ENTER, Connection, Database, Step, fetch_rows, only
from app.door import Caller, HttpRequest, json_answer, read_json, uuid_or_nil
from app.errors import Problem

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"

# 1 to 255 characters of printable ASCII. A bare comma is what two headers look like once a proxy joined them.
BARE = r"[!#-+\--~](?:[ !#-+\--~]{0,253}[!#-+\--~])?"
QUOTED = r'"(?:[ !#-\[\]-~]|\\["\\]){1,255}"'  # a string of RFC 8941

CLAIM = """
    select k.status, k.content_type, k.body
    from leadline.claim_idempotency_key(%(route)s::text, %(key)s::text, %(fingerprint)s::bytea) k
"""

KEEP = """
    select leadline.keep_answer(%(route)s::text, %(key)s::text, %(fingerprint)s::bytea,
                                %(status)s::int, %(content_type)s::text, %(body)s::text)
"""

Row: TypeAlias = tuple[Any, ...]

_canonical = msgspec.json.Encoder(decimal_format="number", order="sorted")


class Once(NamedTuple):
    """What makes two requests one: the key, where it was sent to, and what was asked."""

    route: str
    key: str
    fingerprint: bytes


class Write(NamedTuple):
    """A request that changes something: who asks, what came, and the key when one was given."""

    token: str
    document: Any
    once: Once | None


async def read_write(request: HttpRequest, caller: Caller) -> Write:
    """The JSON body of a request that changes something, and its Idempotency-Key.

    Raises Problem 400 idempotency_key_malformed, else as read_json()."""
    key = key_of(request)
    document = await read_json(request)
    if key is None:
        return Write(caller.token, document, None)
    ids = {name: uuid_or_nil(str(value)) for name, value in request.path_params.items()}
    route = f"{request.method} {request.scope['path_template'].format(**ids)}"
    return Write(caller.token, document, Once(route, key, fingerprint(document, caller)))


def key_of(request: HttpRequest) -> str | None:
    """The Idempotency-Key without the quotes it may stand in.

    Raises Problem 400 idempotency_key_malformed."""
    sent = request.headers.getall(HEADER.lower(), [])
    if not sent:
        return None
    key = sent[0].strip(" \t")
    if len(sent) == 1 and re.fullmatch(QUOTED, key):
        return re.sub(r"\\(.)", r"\1", key[1:-1])
    if len(sent) == 1 and re.fullmatch(BARE, key):
        return key
    raise Problem(
        400, "idempotency_key_malformed", "This is not an Idempotency-Key.",
        "Send one header with 1 to 255 printable ASCII characters, quoted or bare, such as a UUID.",
    )  # fmt: skip


def fingerprint(document: Any, caller: Caller) -> bytes:
    """SHA-256 of what is asked: the document with its keys in order and its numbers as they were sent (1.0 is
    not 1), and on whose behalf."""
    return hashlib.sha256(f"{caller.on_behalf_of}\n".encode() + _canonical.encode(document)).digest()


async def perform(
    database: Database,
    write: Write,
    steps: Sequence[Step],
    answer: Callable[[list[Row]], Response[bytes]],
    count: Callable[[list[Row]], None] = lambda _: None,
) -> Response[bytes]:
    """Do what `write` asks, once for its key: `steps` in one transaction, a row each for `answer` to tell.

    One round trip without a key; with one, three for the first request and two for one that is repeated.
    `count` is called with the rows when this request did something, after it was committed. Raises what the
    steps raise, PT422 idempotency_key_reused and PT409 request_in_progress."""

    async def work(connection: Connection) -> tuple[Response[bytes], list[Row]]:
        if write.once is None:
            rows = await fetch_rows(connection, steps, in_transaction=len(steps) > 1)
            return answer(rows), rows
        return await _once(connection, write, write.once, steps, answer)

    response, rows = await database.write(work)
    if rows:
        count(rows)
    return response


async def _once(
    connection: Connection,
    write: Write,
    once: Once,
    steps: Sequence[Step],
    answer: Callable[[list[Row]], Response[bytes]],
) -> tuple[Response[bytes], list[Row]]:
    """The answer, and the rows of what was done for it: none when it had been given before.

    Whatever is raised in here ends the transaction: key and effect go together."""
    async with connection.pipeline():
        await connection.execute("begin")
        await connection.execute(ENTER, (write.token,))
        claim = await connection.execute(CLAIM, once._asdict())
    status, content_type, body = only(await claim.fetchone())
    if status is not None:
        await connection.execute("rollback")
        replay = json_answer(body.encode(), status, content_type)
        replay.headers[REPLAYED] = "true"
        return replay, []
    rows = await fetch_rows(connection, steps)
    response = answer(rows)
    kept = {
        "status": response.status_code,
        "content_type": response.media_type,
        "body": response.content.decode(),
    }
    async with connection.pipeline():
        await connection.execute(KEEP, once._asdict() | kept)
        await connection.execute("commit")
    return response, rows
