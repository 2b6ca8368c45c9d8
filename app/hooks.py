"""What other systems post, between the bytes and the rules: statements, and contacts in their one spelling.

Stored first, read second, mapped by PostgreSQL, then logged: three statements, each committed by itself, so
that a body survives whatever goes wrong with it. The route and `leadline hook replay` do the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from app import bodies
from app.contact import normal_email, normal_phone
from app.errors import Problem

RECEIVE = """
    select r.workspace_id, r.log_id, r.ticket, r.sentence, r.hint
    from leadline.receive_webhook(
        %(key)s::text, %(headers)s::jsonb, %(content_type)s::text, %(body)s::bytea, clock_timestamp()) r
"""
MAP = """
    select m.mapped::text, m.country
    from leadline.map_webhook(
        %(workspace_id)s::uuid, %(log_id)s::bigint, %(ticket)s::uuid, %(document)s::jsonb) m
"""
# The answer tells a sender what was done, not whom it met: no ids of leads, no verdicts.
PROCESS = """
    select json_build_object('status', p.status, 'log_id', %(log_id)s::bigint, 'results', coalesce((
            select jsonb_agg(e.value - '{lead_id,activity_id,verdict,replayed}'::text[]
                                     - case when e.value ->> 'outcome' = 'failed' then '' else 'rule' end
                             order by e.ordinality)
            from jsonb_array_elements(p.results) with ordinality e), '[]')),
        array(select array[e.value ->> 'verdict', e.value ->> 'rule'] from jsonb_array_elements(p.results) e
              where e.value ? 'verdict' and not (e.value ->> 'replayed')::bool)
    from leadline.process_webhook(
        %(workspace_id)s::uuid, %(log_id)s::bigint, %(ticket)s::uuid, %(mapped)s::jsonb) p
"""
HANDSHAKE = "select leadline.answer_webhook_handshake(%(key)s::text, %(verify_token)s::text)"

NOT_STORED = {"authorization", "proxy-authorization", "cookie"}
ADDRESS = re.compile(r"[^\s@]+@[^\s@]+")
FEWEST_DIGITS, MOST_DIGITS = 5, 15
LONGEST = 512  # characters; a longer text is neither address nor number


def headers_of(method: str, uri: str, headers: Iterable[tuple[bytes, bytes]]) -> str:
    """A request's headers as they are stored, JSON: names in lower case, values of a repeated one joined."""
    kept: dict[str, str] = {":method": method, ":uri": uri}
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        if name not in NOT_STORED:
            kept[name] = f"{kept[name]}, {value}" if name in kept else value
    return json.dumps(
        {bodies.UNKEPT.sub("", name): bodies.UNKEPT.sub("", text) for name, text in kept.items()}
    )


def unread(content_type: str | None, body: bytes) -> tuple[Any, dict[str, str] | None, Problem | None]:
    """A body's document; or why there is none, as process_webhook() notes it, and as a Problem if one."""
    try:
        return bodies.read(content_type, body), None, None
    except bodies.UnknownTypeError:
        return None, {"status": "unmapped", "error": "unsupported_media_type"}, None
    except Problem as problem:
        return None, {"status": "unparsed", "error": problem.rule}, problem


def with_normal_contacts(found: str, country: str | None) -> dict[str, Any]:
    """What map_webhook() found, JSON, with every phone in E.164 and every address in its one spelling."""
    mapped: dict[str, Any] = json.loads(found, parse_int=Decimal, parse_float=Decimal)
    for item in mapped.get("items", ()):
        for activity in item.get("activities", ()):
            _set_normal(activity.get("payload", {}), country)
            if isinstance(activity.get("lead_email"), str):
                activity["lead_email"] = _address(activity["lead_email"])
    return mapped


def _set_normal(payload: dict[str, Any], country: str | None) -> None:
    """What is no address or number stands under another key: the enquiry is not lost for it."""
    email, phone = payload.get("email"), payload.get("phone")
    if isinstance(email, str):
        payload["email"] = _address(email)
        if not ADDRESS.fullmatch(payload["email"].strip()):
            payload["email_as_sent"] = payload.pop("email")
    if isinstance(phone, str):
        number = normal_phone(phone, country) if len(phone) <= LONGEST else None
        if number is not None:
            payload["phone"] = number
            if _has_words(phone):  # an extension, perhaps
                payload["phone_as_sent"] = phone
        elif not _could_be_dialled(phone):
            payload["phone_as_sent"] = payload.pop("phone")


def _address(text: str) -> str:
    return normal_email(text) if len(text) <= LONGEST else text


def _could_be_dialled(text: str) -> bool:
    """A national number whose country nobody knows is kept as it is; a word or 4.41E+11 is none."""
    return FEWEST_DIGITS <= sum(letter.isdigit() for letter in text) <= MOST_DIGITS and not _has_words(text)


def _has_words(text: str) -> bool:
    return any(letter.isalpha() for letter in text)
