"""Whatever is posted to a webhook address: never a fault of ours, every byte kept, and the journals stay sound.

LEADLINE_BODIES=20000 posts more bodies than an ordinary run does.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from typing import Any
from urllib.parse import quote_plus

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.hooks import FORM, JSON, SAMPLES, add_hook
from tests.service import Service
from tests.tenant import faults

BODIES = int(os.environ.get("LEADLINE_BODIES", "1500"))
SEED = int(os.environ.get("LEADLINE_SEED", "0"))

PRESETS = ("form", "calendly", "meta_lead_ads", "hubspot", "typeform")
# A source whose mapping takes everything there is, whatever it may be.
GREEDY = {
    "items": ["$", "$[*]"],
    "item_id": {"first": ["$.id", "$.email"]},
    "exclude": [{"when": '$.spam == "x"', "reason": "spam"}],
    "activities": [
        {
            "activity_type": "inbound_enquiry",
            "occurred_at": {"first": ["$.at", "$.created_at"]},
            "payload": {
                key: {"first": [f"$.{key}", {"names": [key]}]}
                for key in ("email", "phone", "name", "company", "message", "source", "request_class", "budget", "external_id",
                            "workflow", "assigned_user_id", "deal_value", "currency", "exclusion")
            } | {"all": "$", "others": {"others": []}, "joined": {"join": ["$.*", "$[*]"], "with": "\t"}},
        },
        {"activity_type": "appointment_scheduled", "payload": {"appointment_ref": "$.id", "starts_at": "$.at"}, "lead_email": "$.email"},
        {"activity_type": "sale", "payload": {"deal_value": "$.deal_value", "notes": "$.message"}, "lead_email": "$.email"},
        {"activity_type": "contact_changed", "payload": {"email": "$.email", "name": "$.name", "phone": "$.phone"}},
    ],
}  # fmt: skip

WORDS = st.sampled_from([
    "email", "E-Mail", "phone", "name", "first_name", "message", "id", "value", "values", "fields", "data", "field_data", "payload", "event",
    "properties", "entry", "changes", "leadgen_id", "form_response", "answers", "type", "field", "ref", "label", "at", "created_at", "spam",
    "deal_value", "currency", "workflow", "request_class", "exclusion", "assigned_user_id", "appointment_ref", "budget", "",
])  # fmt: skip
TELLING = st.sampled_from([
    "ana@example.net", "ANA@EXAMPLE.NET ", "bo@xn--bcher-kva.example", "not an address", "+351 21 123 4567", "4.41E+11", "invitee.created", "form_response",
    "sales", "appointment", "qualification", "demo", "quote", "spam", "test", "EUR", "eur", "2025-03-10T08:01:02Z", "2025-03-10", "infinity", "9999-12-31T23:59:59Z",
    "00000000-0000-0000-0000-000000000000", "1741600000", "99999999999999", "-1", "12.50", "NaN", "\\u0000", "a@b", "x" * 300, "é@ü.example", "null", "true",
])  # fmt: skip
ODD_NUMBERS = st.sampled_from(
    [
        "1.0",
        "-0",
        "1e400",
        "1E-400",
        "1e999999",
        "12345678901234567890123",
        "0.1000000000000000055511151231257827",
        "9" * 5000,
    ]
)
TEXTS = TELLING | st.text(max_size=12)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | TEXTS, inner, max_size=5),
    max_leaves=25,
)
ALL_SAMPLES = [path.read_bytes() for path in sorted(SAMPLES.iterdir())]


STORED = """
    select array_agg(encode(sha256(l.body), 'hex') order by l.log_id)
    from leadline.webhook_logs l where l.workspace_id = %s
"""
LEFT = "select count(*) from leadline.webhook_logs where workspace_id = %s and status in ('received', 'bad_signature')"


@st.composite
def _json_bodies(draw: Callable[..., Any]) -> tuple[bytes, str]:
    """JSON, some of it with escapes and numbers that few programs write."""
    text = json.dumps(draw(VALUES), ensure_ascii=draw(st.booleans()))
    if draw(st.booleans()):
        text = text.replace("null", draw(ODD_NUMBERS)).replace(
            "true", draw(st.sampled_from([r'"\u0000"', r'"\ud83d"', r'"\udfff\ud800"', "NaN"]))
        )
    return text.encode("utf-8", "surrogatepass"), JSON


@st.composite
def _form_bodies(draw: Callable[..., Any]) -> tuple[bytes, str]:
    """Forms with brackets that match, and some that do not."""
    keys = st.lists(WORDS | st.text("ab[]%", max_size=6), min_size=1, max_size=4).map(
        lambda parts: parts[0] + "".join(f"[{part}]" for part in parts[1:])
    )
    pairs = draw(st.lists(st.tuples(keys, TEXTS | VALUES.map(json.dumps)), max_size=8))
    return "&".join(
        f"{quote_plus(k.encode('utf-8', 'replace'))}={quote_plus(v.encode('utf-8', 'replace'))}"
        for k, v in pairs
    ).encode(), FORM


@st.composite
def _multipart_bodies(draw: Callable[..., Any]) -> tuple[bytes, str]:
    parts = draw(
        st.lists(
            st.tuples(WORDS, st.binary(max_size=20) | TEXTS.map(lambda t: t.encode("utf-8", "replace"))),
            max_size=5,
        )
    )
    extra = st.sampled_from(
        [
            b"",
            b'; filename="a.png"',
            b"\r\nContent-Type: application/json",
            b"\r\nContent-Type: text/plain; charset=x",
            b"; =",
        ]
    )
    body = b"".join(
        b'--b0\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n'
        % (name.encode(), draw(extra), content)
        for name, content in parts
    )
    return body + draw(
        st.sampled_from([b"--b0--\r\n", b"--b0--", b"--b0", b""])
    ), "multipart/form-data; boundary=b0"


@st.composite
def _spoilt_samples(draw: Callable[..., Any]) -> tuple[bytes, str]:
    """A sample with a piece cut out, put in or turned over."""
    body = draw(st.sampled_from(ALL_SAMPLES))
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(body)))
        end = draw(st.integers(start, min(len(body), start + 40)))
        body = (
            body[:start]
            + draw(
                st.binary(max_size=6)
                | st.sampled_from([b'"', b"null", b"[]", b"{}", b",", b"\\u0000", b"\\ud800", b"\xff"])
            )
            + body[end:]
        )
    return body, draw(st.sampled_from([JSON, FORM]))


DEEP = st.tuples(
    st.integers(1, 3000), st.sampled_from(["[", '{"a":', '{"email":"a@example.net","a":', "["])
).map(lambda d: ((d[1] * d[0] + "1" + ("]" if d[1] == "[" else "}") * d[0]).encode(), JSON))
ANYTHING = st.tuples(
    st.binary(max_size=200),
    st.sampled_from([JSON, FORM, "multipart/form-data", "multipart/form-data; boundary=b0"]),
)
POSTED = _json_bodies() | _form_bodies() | _multipart_bodies() | _spoilt_samples() | DEEP | ANYTHING
CONTENT_TYPES = st.sampled_from([
    None, "", JSON, "application/json; charset=utf-8", "application/json; charset=utf-16", "application/json;charset=nonsense", "application/json; charset=base64",
    "application/vnd.api+json", FORM, FORM + "; charset=latin-1", "multipart/form-data; boundary=", "multipart/form-data; boundary=b0", "text/plain", "a/b/c;;=", ";", "%",
])  # fmt: skip


SOURCES: dict[str, Any] = dict.fromkeys(PRESETS) | {"everything": GREEDY}


@pytest.mark.parametrize("name", SOURCES)
def test_no_body_does_harm(service: Service, name: str) -> None:
    workspace = service.workspace()
    mapping = SOURCES[name]
    hook = add_hook(service, workspace, None if mapping else name, mapping=mapping)
    sent: list[str] = []

    @seed(SEED * len(SOURCES) + list(SOURCES).index(name))
    @settings(max_examples=-(-BODIES // len(SOURCES)), suppress_health_check=list(HealthCheck))
    @given(posted=POSTED, declared=st.none() | CONTENT_TYPES.map(lambda kind: (kind,)))
    def deliver(posted: tuple[bytes, str], declared: tuple[str | None] | None) -> None:
        body, kind = posted
        sent.append(hashlib.sha256(body).hexdigest())
        answer = hook.post(body, kind if declared is None else declared[0])
        assert answer.status_code in (202, 400, 422), answer.text
        told = answer.json()
        if answer.status_code == 202:
            assert told["status"] in ("processed", "unmapped", "mapping_failed")
            words = [
                {key: word for key, word in result.items() if key != "external_id"}
                for result in told["results"]
            ]
            assert "example" not in json.dumps(words).lower()
        else:
            assert told["rule"] in ("malformed_json", "malformed_form", "too_deep", "value_malformed")

    deliver()
    assert len(sent) >= BODIES // len(SOURCES)
    assert workspace.ask(STORED, workspace.id) == sent
    assert workspace.ask(LEFT, workspace.id) == 0, "something was made of every one"
    assert hook.delivered('{"email":"last@example.net"}')["status"] in ("processed", "unmapped")
    assert faults(service.database.dsn()) == []
