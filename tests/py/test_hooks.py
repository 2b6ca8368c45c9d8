"""What other systems post: stored as it came, checked, read with goodwill, mapped, logged once."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

from app.cli import cli
from tests.hooks import FORM, JSON, SAMPLES, Hook, add_hook
from tests.py.test_http_errors import assert_problem
from tests.service import Service, Workspace, serving
from tests.tenant import faults

# CASES F6: what another program would write otherwise.
ODD = (
    '{ "email": "zoe@example.net",\n  "budget": 1.0, "message": "caf\\u00e9 \\u001B 🌱",   "n": 17 }'.encode()
)


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.new(key, message, hashlib.sha256).digest()


def _standard(secret: str, body: bytes, at: int) -> dict[str, str]:
    signed = _hmac(base64.b64decode(secret.removeprefix("whsec_")), f"msg_1.{at}.".encode() + body)
    signatures = f"v1,{base64.b64encode(b'x' * 32).decode()} v2,abc v1,{base64.b64encode(signed).decode()}"
    return {"webhook_id": "msg_1", "webhook_timestamp": str(at), "webhook_signature": signatures}


def _meta(secret: str, body: bytes, _: int) -> dict[str, str]:
    return {"X_Hub_Signature_256": "sha256=" + _hmac(secret.encode(), body).hex()}


def _typeform(secret: str, body: bytes, _: int) -> dict[str, str]:
    return {"Typeform_Signature": "sha256=" + base64.b64encode(_hmac(secret.encode(), body)).decode()}


def _calendly(secret: str, body: bytes, at: int) -> dict[str, str]:
    signed = _hmac(secret.encode(), f"{at}.".encode() + body).hex()
    return {"Calendly_Webhook_Signature": f"t={at},v1={'0' * 64},v1={signed}"}


def _bare(secret: str, body: bytes, _: int) -> dict[str, str]:
    return {"X_Signature": _hmac(secret.encode(), body).hex().upper()}


Sign = Callable[[str, bytes, int], dict[str, str]]

META = {"header": "X-Hub-Signature-256", "encoding": "hex", "prefix": "sha256="}
TYPEFORM = {"header": "Typeform-Signature", "encoding": "base64", "prefix": "sha256="}
SCHEMES: dict[str, tuple[str, Any, str | None, Sign]] = {
    "standard_webhooks": ("standard_webhooks", None, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", _standard),
    "standard_webhooks, secret made here": ("standard_webhooks", None, None, _standard),
    "meta": ("hmac", META, "app-secret-of-meta", _meta),
    "typeform": ("hmac", TYPEFORM, "chosen-by-the-user", _typeform),
    "calendly": ("timestamped_hmac", {"header": "Calendly-Webhook-Signature"}, "signing-key", _calendly),
    "bare hex": ("hmac", {"header": "X-Signature"}, "k" * 100, _bare),
    "secret made here": ("hmac", {"header": "X-Signature"}, None, _bare),
}


@pytest.fixture(params=list(SCHEMES.values()), ids=list(SCHEMES))
def signed(service: Service, workspace: Workspace, request: pytest.FixtureRequest) -> tuple[Hook, Sign]:
    scheme, signature, secret, sign = request.param
    made = add_hook(service, workspace, "form", scheme=scheme, signature=signature, secret=secret)
    return made, sign


@pytest.mark.parametrize(
    ("body", "content_type"), [(ODD, JSON), (b"email=zoe%40example.net&message=a+b%20c", FORM)]
)
def test_a_signature_holds_over_the_bytes_as_they_came(
    signed: tuple[Hook, Sign], body: bytes, content_type: str
) -> None:
    hook, sign = signed
    assert hook.secret is not None
    told = hook.delivered(body, content_type, **sign(hook.secret, body, int(time.time())))
    assert told["status"] == "processed"
    assert [lead["email"] for lead in hook.leads()] == ["zoe@example.net"]


def test_a_wrong_signature_is_a_401_that_is_kept(signed: tuple[Hook, Sign]) -> None:
    """No lead comes of it, and nothing that was signed is taken for something else."""
    hook, sign = signed
    assert hook.secret is not None
    now = int(time.time())
    other = "whsec_" + base64.b64encode(b"another secret").decode()
    right = sign(hook.secret, ODD, now)
    rewritten = json.dumps(json.loads(ODD)).encode()
    for body, headers in (
        (ODD, {}), (ODD, sign(other, ODD, now)), (rewritten, right), (ODD + b" ", right), (b"", right),
        (ODD, {name: value[:-2] for name, value in right.items()}), (ODD, dict.fromkeys(right, "")),
        (ODD, dict.fromkeys(right, "v1,=,t=9,v1=% sha256=")),
    ):  # fmt: skip
        answer = hook.post(body, JSON, **headers)
        assert_problem(answer, 401, "bad_signature")
        assert "www-authenticate" in answer.headers
        log = hook.log()
        assert (log["status"], bytes.fromhex(log["body"])) == ("bad_signature", body)
    assert hook.leads() == []


@pytest.mark.parametrize("name", ["standard_webhooks", "calendly"])
@pytest.mark.parametrize(("age", "status"), [(240, 202), (-240, 202), (360, 401), (-360, 401)])
def test_an_old_signature_is_none(
    service: Service, workspace: Workspace, name: str, age: int, status: int
) -> None:
    """Five minutes on either side."""
    scheme, signature, secret, sign = SCHEMES[name]
    hook = add_hook(service, workspace, scheme=scheme, signature=signature, secret=secret)
    assert hook.secret is not None
    headers = sign(hook.secret, ODD, int(time.time()) - age)
    assert hook.post(ODD, JSON, **headers).status_code == status


@pytest.mark.parametrize("origin", [None, "https://hooks.example.com"])
def test_hubspot_signs_method_address_body_and_time(
    service: Service, workspace: Workspace, origin: str | None
) -> None:
    signature = {"origin": origin} if origin else None
    hook = add_hook(
        service, workspace, "form", scheme="hubspot_v3", signature=signature, secret="client-secret"
    )
    at = str(int(time.time() * 1000))
    address = f"{origin or 'http://testserver.local'}/v1/hooks/{hook.key}"
    source = b"POST" + address.encode() + ODD + at.encode()
    signed = base64.b64encode(_hmac(b"client-secret", source)).decode()
    headers = {"X_HubSpot_Signature_v3": signed, "X_HubSpot_Request_Timestamp": at}
    assert hook.delivered(ODD, JSON, **headers)["status"] == "processed"
    old = {**headers, "X_HubSpot_Request_Timestamp": str(int(at) - 400_000)}
    assert_problem(hook.post(ODD, JSON, **old), 401, "bad_signature")


def test_hmac_is_that_of_the_rfc(service: Service, workspace: Workspace) -> None:
    ask = "select encode(leadline_internal.hmac_sha256(decode(%s, 'hex'), decode(%s, 'hex')), 'hex')"
    for key, message in (
        (b"\x0b" * 20, b"Hi There"), (b"Jefe", b"what do ya want for nothing?"), (b"\xaa" * 131, b"x" * 1000),
        (b"", b""), (b"k" * 64, b"64"), (b"k" * 65, b"65"),
    ):  # fmt: skip
        assert workspace.ask(ask, key.hex(), message.hex()) == _hmac(key, message).hex()


def test_what_comes_is_stored_as_it_came(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace)
    told = hook.delivered(
        ODD, "application/json; charset=utf-8", authorization="Bearer ll_x_y", cookie="a=b", x_extra="1"
    )
    log = hook.log(told["log_id"])
    assert bytes.fromhex(log["body"]) == ODD
    assert (log["content_type"], log["headers"]["x-extra"]) == ("application/json; charset=utf-8", "1")
    assert log["headers"][":method"] == "POST"
    assert log["headers"][":uri"].endswith(f"/v1/hooks/{hook.key}")
    assert {"authorization", "cookie"} & set(log["headers"]) == set()
    assert (log["status"], log["attempts"], log["error"], log["ticket"]) == ("processed", 1, None, None)


def test_an_address_that_is_none_and_one_that_was_removed_look_alike(
    service: Service, workspace: Workspace
) -> None:
    hook = add_hook(service, workspace)
    workspace.ask("select leadline.remove_webhook_source(%s, %s)::text", workspace.id, hook.source_id)
    closed = service.workspace()
    other = add_hook(service, closed)
    closed.ask("select leadline.close_workspace(%s)::text", closed.id)
    answers = [hook.post(ODD), other.post(ODD)]
    answers += [
        service.send("POST", f"/hooks/{key}", content=ODD) for key in ("wh_" + "0" * 64, "x", "wh_%00", "é")
    ]
    answers += [service.get(f"/hooks/{hook.key}?hub.mode=subscribe&hub.verify_token=x&hub.challenge=1")]
    for answer in answers:
        assert_problem(answer, 404, "no_such_webhook")
        assert answer.content == answers[0].content
    assert (
        workspace.ask("select count(*) from leadline.webhook_logs where workspace_id = %s", workspace.id) == 0
    )


def test_the_source_is_the_author(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace, "meta_lead_ads")
    hook.post_sample("meta_detail.json")
    [born] = hook.journal()
    assert (born["actor_kind"], born["actor_id"], born["writer"], born["on_behalf_of"]) == (
        "integration", str(hook.source_id), "app", None,
    )  # fmt: skip
    assert born["reference"] == f"hook:{hook.source_id}:810000000000000018:inbound_enquiry"
    assert born["occurred_at"] == "2025-03-10T09:46:40+00:00"


def test_a_lead_comes_from_the_source_by_its_name_unless_the_body_says_otherwise(
    service: Service, workspace: Workspace
) -> None:
    hook = add_hook(service, workspace, "form")
    hook.post("email=lee@example.net", FORM)
    hook.post("email=kit@example.net&source=Fair", FORM)
    assert {lead["email"]: lead["source"] for lead in hook.leads()} == {
        "lee@example.net": "Sender",
        "kit@example.net": "Fair",
    }


# -- what was sent badly: CASES F1, F5


@pytest.mark.parametrize(
    ("body", "status", "rule"),
    [
        ('{"email":"a@example.net",}', 400, "malformed_json"), ("", 400, "malformed_json"), ('"str"', 422, "value_malformed"),
        ("[]", 422, "value_malformed"), ("null", 422, "value_malformed"), ("{}", 422, "value_malformed"),
        ('{"a":NaN}', 400, "malformed_json"), ("{" * 20000, 400, "too_deep"),
        ("[" * 20000 + "]" * 20000, 400, "too_deep"), ('{"a":' * 64 + "[]" + "}" * 64, 400, "too_deep"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_kept(
    service: Service, workspace: Workspace, body: str, status: int, rule: str
) -> None:
    hook = add_hook(service, workspace)
    answer = hook.post(body)
    assert answer.status_code == status, answer.text
    assert answer.json()["rule"] in (rule, "malformed_json")  # 20,000 open brackets are both
    log = hook.log()
    assert (log["status"], bytes.fromhex(log["body"]), log["error"]) == (
        "unparsed",
        body.encode(),
        answer.json()["rule"],
    )
    assert hook.delivered(ODD)["status"] == "processed"


def test_64_levels_are_read(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace)
    assert (
        hook.delivered('{"email":"a@example.net","a":' + "[" * 63 + "]" * 63 + "}")["status"] == "processed"
    )


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", "image/png"])
def test_what_is_of_no_known_type_is_stored_for_later(
    service: Service, workspace: Workspace, content_type: str
) -> None:
    hook = add_hook(service, workspace)
    told = hook.delivered(b"\x00\xff<email>a@example.net</email>", content_type)
    assert (told["status"], told["results"]) == ("unmapped", [])
    log = hook.log(told["log_id"])
    assert (log["error"], log["body"][:4]) == ("unsupported_media_type", "00ff")


def test_a_body_above_the_limit_is_a_413(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace)
    assert_problem(hook.post(b" " * 1_000_001), 413, "body_too_large")
    told = hook.delivered(b'{"email":"a@example.net","message":"' + b"x" * 900_000 + b'"}')
    assert told["status"] == "processed"
    [born] = hook.journal()
    assert born["payload"]["message"] == "x" * 32768, (
        "cut to what an activity keeps; the rest stands in the body"
    )


# -- forms: CASES F2

MULTIPART = (
    '--b0\r\nContent-Disposition: form-data; name="Full Name"\r\n\r\nAna Sousa\r\n'
    '--b0\r\nContent-Disposition: form-data; name="email"\r\n\r\nana.sousa@example.net\r\n'
    '--b0\r\nContent-Disposition: form-data; name="phone"\r\n\r\n+351 21 123 4567\r\n'
    '--b0\r\nContent-Disposition: form-data; name="plan"; filename="plan.png"\r\nContent-Type: image/png\r\n\r\n\x00\x01\r\n--b0--\r\n'
)  # fmt: skip
FORMS: dict[str, tuple[bytes, str | None]] = {
    "labels": ((SAMPLES / "form_simple.txt").read_bytes(), FORM),
    "brackets": ((SAMPLES / "form_bracketed.txt").read_bytes(), FORM),
    "JSON in a field": ((SAMPLES / "form_nested_json.txt").read_bytes(), FORM),
    "undeclared": ((SAMPLES / "form_simple.txt").read_bytes(), None),
    "declared in capitals": ((SAMPLES / "form_simple.txt").read_bytes(), "Application/X-WWW-Form-URLencoded; charset=UTF-8"),
    "multipart": (MULTIPART.encode(), "multipart/form-data; boundary=b0"),
    "JSON": (b'{"data":{"first_name":"Ana","last-name":"Sousa","E-Mail":"ana.sousa@example.net","tel":"+351 21 123 4567"}}', JSON),
    "JSON, undeclared": (b'[{"name":"Ana Sousa","email":"ana.sousa@example.net","phone":"+351 21 123 4567"}]', None),
    "JSON of another kind": (b'{"Name":"Ana Sousa","email":"ana.sousa@example.net","phone":"+351211234567"}', "application/vnd.api+json"),
    "JSON with a mark": (b'\xef\xbb\xbf{"name":"Ana Sousa","email":"ana.sousa@example.net","phone":"+351211234567"}', JSON),
    "UTF-16": ('\ufeff{"name":"Ana Sousa","email":"ana.sousa@example.net","phone":"+351211234567"}'.encode("utf-16-le"), JSON),
    "pairs": (b'{"fields":[{"label":"Your Name","value":"Ana Sousa"},{"label":"Email","value":"ana.sousa@example.net"},{"label":"Phone","value":"+351211234567"}]}', JSON),
}  # fmt: skip


@pytest.mark.parametrize(("body", "content_type"), FORMS.values(), ids=FORMS.keys())
def test_forms_of_every_kind_say_who_writes(
    service: Service, workspace: Workspace, body: bytes, content_type: str | None
) -> None:
    hook = add_hook(service, workspace)
    assert hook.delivered(body, content_type)["status"] == "processed"
    [lead] = hook.leads()
    assert (lead["name"], lead["email"], lead["phone"]) == (
        "Ana Sousa",
        "ana.sousa@example.net",
        "+351211234567",
    )


def test_what_a_form_says_besides_is_kept(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace)
    hook.post_sample("form_bracketed.txt")
    [born] = hook.journal()
    assert born["payload"]["fields"]["interest"] == ["gutters", "skylights"]
    assert "name" not in born["payload"]["fields"], "the form's name is not the person's"


def test_a_form_that_names_nobody_makes_no_lead(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace)
    for body in (
        '{"foo": 1}',
        '{"name": "Ana"}',
        '[{"a": {"b": [1]}}, 7, null]',
        '{"email": "  "}',
        '{"email": []}',
    ):
        assert hook.delivered(body)["status"] == "unmapped", body
    assert hook.leads() == []


def test_an_address_that_is_none_does_not_lose_the_enquiry(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace)
    assert hook.delivered('{"email": "call me", "phone": "+351 21 123 4567 ext. 9"}')["status"] == "processed"
    assert hook.delivered('{"email": "a@example.net", "phone": "4.41E+11"}')["status"] == "processed"
    first, second = hook.journal()
    assert (first["payload"]["email_as_sent"], first["payload"]["phone_as_sent"]) == (
        "call me",
        "+351 21 123 4567 ext. 9",
    )
    assert second["payload"]["phone_as_sent"] == "4.41E+11"
    assert [(lead["email"], lead["phone"]) for lead in hook.leads()] == [
        (None, "+351211234567"),
        ("a@example.net", None),
    ]


def test_a_number_is_read_as_one_of_the_workspaces_country(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace)
    hook.delivered('{"email": "a@example.net", "phone": "(330) 458-1111"}')
    workspace.ask(
        "with e as materialized (select leadline_internal.enter_as(%s, 'owner', null, '{}')) insert into leadline.workspace_activity"
        " (workspace_id, activity_type, payload, actor_kind, writer) select %s, 'settings_changed', '{\"country\": \"US\"}', 'system', 'workflow:administration' from e returning verdict",
        workspace.id, workspace.id,
    )  # fmt: skip
    hook.delivered('{"email": "b@example.net", "phone": "(330) 458-1111"}')
    assert [lead["phone"] for lead in hook.leads()] == ["(330) 458-1111", "+13304581111"]


# -- odd text and numbers: CASES F4, F10, part 2 no. 93


def test_text_that_cannot_be_kept_is_replaced_in_the_copy_alone(
    service: Service, workspace: Workspace
) -> None:
    hook = add_hook(service, workspace)
    bodies = [
        rb'{"email":"nul@example.net","message":"bud\u0000get 5k"}', rb'{"email":"sur@example.net","message":"hi \ud83d there"}',
        rb'{"email":"lit@example.net","message":"a literal \\u0000"}', b'{"email":"bad@example.net","message":"caf\xe9"}',
        b"email=form%40example.net&message=bud%00get",
    ]  # fmt: skip
    for body in bodies:
        told = hook.delivered(body, FORM if body.startswith(b"email") else JSON)
        assert told["status"] == "processed"
        assert bytes.fromhex(hook.log(told["log_id"])["body"]) == body
    assert [entry["payload"]["message"] for entry in hook.journal()] == [
        "bud\ufffdget 5k", "hi \ufffd there", r"a literal \u0000", "caf\ufffd", "bud\ufffdget",
    ]  # fmt: skip
    assert len(hook.leads()) == 5


def test_the_last_of_two_equal_keys_counts(service: Service, workspace: Workspace) -> None:
    """As in jsonb; the bytes show both."""
    hook = add_hook(service, workspace)
    hook.delivered('{"email":"first@example.net","email":"second@example.net"}')
    assert [lead["email"] for lead in hook.leads()] == ["second@example.net"]


def test_numbers_lose_no_digit(service: Service, workspace: Workspace) -> None:
    mapping = {"activities": [{"activity_type": "inbound_enquiry", "payload": {
        "email": "$.email", "external_id": "$.id", "budget": "$.budget", "deal_value": "$.value", "whole": "$"}}]}  # fmt: skip
    hook = add_hook(service, workspace, None, mapping=mapping)
    digits = "12345678901234567890123"
    hook.delivered(
        f'{{"email":"a@example.net","id":{digits},"budget":0,"value":0.1000000000000000055511151231257827,"x":1.0,"y":1e999999}}'
    )
    held = workspace.ask(
        "select (c.content -> 'payload')::text from leadline.activity_content c where c.workspace_id = %s",
        workspace.id,
    )
    told = json.loads(held, parse_float=str, parse_int=str)
    assert (told["external_id"], told["budget"]) == (digits, "0")
    assert (told["whole"]["id"], told["whole"]["x"], told["whole"]["y"]) == (digits, "1.0", "1e999999")
    assert workspace.ask(
        "select deal_value::text from leadline.leads where workspace_id = %s", workspace.id
    ) == "0.1000000000000000055511151231257827"  # fmt: skip


# -- the presets: CASES A19, F8, G6


def _calendly_hook(service: Service, workspace: Workspace) -> Hook:
    return add_hook(service, workspace, "calendly")


def _stand(hook: Hook) -> tuple[str, str]:
    [lead] = hook.leads()
    return lead["stage"], lead["appointment_ref"].rpartition("/")[2]


BOOKED, RESCHEDULED, OLD_ONE, CANCELLED, NO_SHOW = (
    "calendly_1_booked.json", "calendly_2_rescheduled.json", "calendly_3_old_one_cancelled.json",
    "calendly_4_cancelled.json", "calendly_5_no_show.json",
)  # fmt: skip


@pytest.mark.parametrize("order", [(BOOKED, RESCHEDULED, OLD_ONE), (BOOKED, OLD_ONE, RESCHEDULED)])
def test_a_rescheduling_ends_on_the_new_appointment(
    service: Service, workspace: Workspace, order: tuple[str, ...]
) -> None:
    hook = _calendly_hook(service, workspace)
    for name in order:
        assert hook.post_sample(name).json()["status"] == "processed"
    assert _stand(hook) == ("scheduled", "VISIT2")
    assert hook.leads()[0]["appointment_at"] == "2025-03-18T15:00:00+00:00"
    assert hook.post_sample(CANCELLED).json()["status"] == "processed"
    assert _stand(hook) == ("callback", "VISIT2")
    hook.post_sample(NO_SHOW)
    assert hook.journal()[-1]["rule"] == "no_show_needs_appointment"
    requests = "select count(*) from leadline.requests where workspace_id = %s"
    assert workspace.ask(requests, workspace.id) == 1, "a new time is no new request"
    assert faults(service.database.dsn()) == []


def test_a_no_show_without_a_cancellation(service: Service, workspace: Workspace) -> None:
    hook = _calendly_hook(service, workspace)
    for name in (BOOKED, RESCHEDULED):
        hook.post_sample(name)
    stale = json.loads((SAMPLES / NO_SHOW).read_bytes())
    stale["payload"]["no_show"]["uri"] += "0"
    old = json.loads((SAMPLES / BOOKED).read_bytes())["payload"]
    stale["payload"] |= {"event": old["event"], "scheduled_event": old["scheduled_event"]}
    hook.delivered(json.dumps(stale))
    assert (hook.journal()[-1]["verdict"], hook.journal()[-1]["rule"]) == ("noted", "superseded_appointment")
    assert _stand(hook) == ("scheduled", "VISIT2")
    hook.post_sample(NO_SHOW)
    assert _stand(hook) == ("no_show", "VISIT2")


def test_a_booking_says_who_and_when(service: Service, workspace: Workspace) -> None:
    hook = _calendly_hook(service, workspace)
    hook.post_sample(BOOKED)
    [lead] = hook.leads()
    assert (lead["workflow"], lead["name"], lead["email"], lead["phone"], lead["source"], lead["stage"]) == (
        "appointment", "Priya Nair", "Priya.Nair@example.net", "+441614960123", "autumn-letter", "scheduled",
    )  # fmt: skip
    enquiry, appointment = hook.journal()
    assert enquiry["payload"]["request_class"] == "demo"
    assert enquiry["payload"]["message"] == "Two rooms, north side"
    assert enquiry["occurred_at"] == appointment["occurred_at"] == "2025-03-10T08:01:02+00:00"
    assert appointment["payload"]["ends_at"].startswith("2025-03-14T10:30")


def test_a_rescheduling_that_comes_first_makes_the_lead(service: Service, workspace: Workspace) -> None:
    hook = _calendly_hook(service, workspace)
    hook.post_sample(RESCHEDULED)
    assert _stand(hook) == ("scheduled", "VISIT2")


def test_a_cancellation_for_nobody_waits_for_its_replay(service: Service, workspace: Workspace) -> None:
    hook = _calendly_hook(service, workspace)
    told = hook.post_sample(CANCELLED).json()
    assert (told["status"], told["results"][0]["rule"]) == ("mapping_failed", "no_such_lead")
    assert hook.log()["error"] == "no_such_lead"
    hook.post_sample(RESCHEDULED)
    assert _replay(service, told["log_id"]) == "processed"
    assert _stand(hook) == ("callback", "VISIT2")


def test_an_appointment_of_several_is_found_by_address(service: Service, workspace: Workspace) -> None:
    hook = _calendly_hook(service, workspace)
    for who in ("one", "two"):
        group = json.loads((SAMPLES / BOOKED).read_bytes())
        group["payload"] |= {"email": f"{who}@example.net", "uri": f"https://api.example.net/{who}"}
        hook.delivered(json.dumps(group))
    group["event"] = "invitee.canceled"
    hook.delivered(json.dumps(group))
    assert {lead["email"]: lead["stage"] for lead in hook.leads()} == {
        "one@example.net": "scheduled", "two@example.net": "callback",
    }  # fmt: skip


def test_a_notification_invents_nothing(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace, "meta_lead_ads")
    told = hook.post_sample("meta_batched.json").json()
    assert told["status"] == "processed"
    assert [(r["outcome"], r["external_id"]) for r in told["results"]] == [
        ("details_needed", f"8100000000000000{n}") for n in (18, 19, 20)
    ]  # fmt: skip
    assert (
        hook.post_sample("meta_notification.json").json()["results"][0]["external_id"] == "810000000000000017"
    )
    assert hook.leads() == []


def test_details_that_overlap_are_logged_once(service: Service, workspace: Workspace) -> None:
    """CASES F8: an empty answer is absent, a plural one kept; what a second pull brings again changes nothing."""
    hook = add_hook(service, workspace, "meta_lead_ads")
    detail = json.loads((SAMPLES / "meta_detail.json").read_bytes())
    second = detail | {
        "id": "810000000000000019",
        "field_data": [{"name": "EMAIL", "values": ["second@example.net"]}],
    }
    assert hook.delivered(json.dumps(detail))["status"] == "processed"
    assert hook.delivered(json.dumps({"data": [detail, second], "paging": {}}))["status"] == "processed"
    assert hook.delivered(json.dumps([second, detail]))["status"] == "processed"
    first, other = hook.leads()
    assert (first["email"], first["name"], first["phone"]) == (
        "Ines.Alvarez+ads@Example.NET",
        "Inés Álvarez",
        "+34612345678",
    )
    assert other["email"] == "second@example.net"
    born, _ = hook.journal()
    assert born["payload"]["fields"]["services"] == ["gutters", "skylights"]
    assert "budget" not in born["payload"]


def test_hubspot_events_need_details_and_contacts_have_them(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace, "hubspot")
    told = hook.post_sample("hubspot_events.json").json()
    assert [result["outcome"] for result in told["results"]] == [
        "unmapped",
        "details_needed",
        "details_needed",
    ]
    assert told["results"][1]["external_id"] == "91000000001"
    assert hook.leads() == []
    for _ in range(2):
        assert hook.post_sample("hubspot_contact.json").json()["status"] == "processed"
    [lead] = hook.leads()
    assert (lead["name"], lead["email"], lead["phone"], lead["company"]) == (
        "Tomas Berg",
        "tomas.berg@example.net",
        "+46812345678",
        "Berg & Co",
    )
    [born] = hook.journal()
    assert born["occurred_at"] == "2025-03-10T09:46:40+00:00"


def test_typeform_answers_are_found_by_their_questions(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace, "typeform")
    hook.post_sample("typeform_response.json")
    [lead] = hook.leads()
    assert (lead["name"], lead["email"], lead["phone"], lead["source"]) == (
        "Maëlle  Le Gall",
        "Maelle.LeGall@Example.net",
        "+33142685300",
        "flyer",
    )
    [born] = hook.journal()
    assert (born["payload"]["budget"], born["payload"]["message"]) == (0, "The rain comes in.")
    assert born["payload"]["fields"]["services"] == ["Roof", "Chimney"]


def test_a_redelivery_with_the_same_name_changes_nothing(service: Service, workspace: Workspace) -> None:
    """CASES G6: the sender's name of the event decides, not the bytes."""
    hook = add_hook(service, workspace, "typeform")
    first = hook.post_sample("typeform_response.json").json()
    again = json.loads((SAMPLES / "typeform_response.json").read_bytes())
    again["sent_at"] = "2025-03-10T11:09:00Z"
    told = hook.delivered(json.dumps(again))
    assert (told["status"], len(hook.journal())) == ("processed", 1)
    assert told["log_id"] != first["log_id"]
    assert [r["replayed"] for r in hook.log()["results"]] == [True]
    other = add_hook(service, workspace, "typeform")
    other.post_sample("typeform_response.json")
    assert len(hook.journal()) == 2, "another source names its own events"


def test_a_standard_webhooks_id_names_the_event(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace, scheme="standard_webhooks")
    assert hook.secret is not None
    for body in (
        b'{"email":"a@example.net"}',
        b'[{"email":"a@example.net"}]',
        b'[{"email":"a@example.net"},{"email":"b@example.net"}]',
    ):
        assert (
            hook.delivered(body, JSON, **_standard(hook.secret, body, int(time.time())))["status"]
            == "processed"
        )
    assert [entry["reference"].split(":", 2)[2] for entry in hook.journal()] == [
        "msg_1:inbound_enquiry", "msg_1#1:inbound_enquiry", "msg_1#2:inbound_enquiry",
    ]  # fmt: skip
    assert hook.log()["event_id"] == "msg_1"


# -- several items, failures, answers


def test_one_item_that_fails_does_not_hold_up_the_others(service: Service, workspace: Workspace) -> None:
    mapping = {"items": "$.leads[*]", "item_id": "$.id", "activities": [
        {"activity_type": "inbound_enquiry", "payload": {"email": "$.email", "deal_value": "$.value"}},
        {"activity_type": "note_added", "payload": {"text": {"const": "came by hook"}}}]}  # fmt: skip
    hook = add_hook(service, workspace, None, mapping=mapping)
    body = {"leads": [
        {"id": 1, "email": "a@example.net", "value": "12.50"}, {"id": 2, "email": "b@example.net", "value": "a lot"}, {"id": 3, "email": "c@example.net"},
    ]}  # fmt: skip
    told = hook.delivered(json.dumps(body))
    assert told["status"] == "mapping_failed"
    assert [(r["item"], r["activity_type"], r["outcome"]) for r in told["results"]] == [
        (1, "inbound_enquiry", "logged"), (1, "note_added", "logged"),
        (2, "inbound_enquiry", "failed"), (2, "note_added", "not_tried"),
        (3, "inbound_enquiry", "logged"), (3, "note_added", "logged"),
    ]  # fmt: skip
    failed = told["results"][2]
    assert (failed["sqlstate"], failed["rule"]) == ("PT422", "value_malformed")
    assert failed["sentence"]
    assert hook.log()["error"] == "value_malformed"
    assert sorted(str(lead["email"]) for lead in hook.leads()) == ["a@example.net", "c@example.net"]
    # Replayed under a mapping that can be followed, the rest comes in and nothing twice.
    mapping["activities"][0]["payload"].pop("deal_value")  # type: ignore[index]
    workspace.ask(
        "select leadline.replace_webhook_mapping(%s, %s, %s)::text",
        workspace.id,
        hook.source_id,
        json.dumps(mapping),
    )
    assert _replay(service, told["log_id"]) == "processed"
    assert len(hook.journal()) == 6
    assert (hook.log()["attempts"], hook.log()["error"]) == (2, None)


def test_the_answer_tells_nothing_of_whom_it_met(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace)
    first = hook.post(ODD)
    second = hook.post(ODD)
    assert first.text.replace(str(first.json()["log_id"]), "") == second.text.replace(
        str(second.json()["log_id"]), ""
    )
    for text in ("zoe", "lead_id", hook.leads()[0]["lead_id"], "applied", "noted", "caf"):
        assert text not in first.text + second.text
    assert {"lead_id", "verdict", "activity_id"} <= set(hook.log()["results"][0]), "the owner reads it"


def test_spam_and_tests_are_turned_away_visibly(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace)
    told = hook.delivered('{"email":"a@example.net","_gotcha":"x"}')
    assert told["status"] == "processed"
    [lead] = hook.leads()
    assert (lead["workflow"], lead["stage"], lead["rejection_reason"]) == (
        "qualification",
        "disqualified",
        "spam",
    )


def test_what_follows_an_excluded_enquiry_is_not_logged(service: Service, workspace: Workspace) -> None:
    mapping = {"exclude": [{"when": "$.test == true", "reason": "test"}], "activities": [
        {"activity_type": "inbound_enquiry", "payload": {"email": "$.email"}}, {"activity_type": "note_added", "payload": {"text": {"const": "x"}}}]}  # fmt: skip
    hook = add_hook(service, workspace, None, mapping=mapping)
    told = hook.delivered('{"email":"a@example.net","test":true}')
    assert [r["outcome"] for r in told["results"]] == ["logged", "excluded"]


def test_more_than_a_thousand_items_are_too_many(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace)
    told = hook.delivered(json.dumps([{"a": n} for n in range(1001)]))
    assert (told["status"], hook.log()["error"]) == ("mapping_failed", "too_many_items")


# -- the handshake


def test_the_handshake_gives_the_challenge_back(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace, "meta_lead_ads")
    asked = {"hub.mode": "subscribe", "hub.challenge": "1158201444", "hub.verify_token": hook.verify_token}
    answer = service.get(f"/hooks/{hook.key}", params=asked)
    assert (answer.status_code, answer.text) == (200, "1158201444")
    assert answer.headers["content-type"].startswith("text/plain")
    assert_problem(
        service.get(f"/hooks/{hook.key}", params=asked | {"hub.verify_token": "x"}), 403, "wrong_verify_token"
    )
    assert_problem(
        service.get(f"/hooks/{hook.key}", params=asked | {"hub.challenge": "<b>"}), 422, "value_malformed"
    )
    assert_problem(service.get(f"/hooks/{hook.key}"), 422, "key_missing")
    other = add_hook(service, workspace, "form")
    assert_problem(service.get(f"/hooks/{other.key}", params=asked), 404, "no_such_webhook")


# -- replays


def _run(service: Service, *words: str) -> str:
    done = CliRunner().invoke(cli, [*words, "--dsn", service.database.dsn()], prog_name="leadline")
    assert done.exit_code == 0, done.output
    return done.output


def _replay(service: Service, log_id: int) -> str:
    return _run(service, "hook", "replay", str(log_id)).splitlines()[0].split()[1]


def test_a_poison_body_keeps_its_error(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace)
    hook.post(b'{"email":')
    log_id = hook.log()["log_id"]
    for attempt in (2, 3):
        assert _replay(service, log_id) == "unparsed"
        log = hook.log()
        assert (log["error"], log["attempts"], log["body"]) == ("malformed_json", attempt, b'{"email":'.hex())


def test_a_delivery_nobody_made_anything_of_can_be_replayed(service: Service, workspace: Workspace) -> None:
    """As when the service was killed between storing and logging."""
    hook = add_hook(service, workspace)
    workspace.ask(
        "select (leadline.receive_webhook(%s, '{}', 'application/json', %s, now())).log_id",
        hook.key,
        b'{"email":"a@example.net"}',
    )
    assert hook.log()["status"] == "received"
    told = _run(
        service,
        "hook",
        "replay",
        "--source",
        str(hook.source_id),
        "--workspace",
        str(workspace.id),
        "--status",
        "received",
    )
    assert "processed" in told
    assert [lead["email"] for lead in hook.leads()] == ["a@example.net"]


def test_a_wrong_secret_can_be_put_right(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace, scheme="hmac", signature=META, secret="pasted wrongly")
    assert hook.post(ODD, JSON, **_meta("the right one", ODD, 0)).status_code == 401
    log_id = hook.log()["log_id"]
    done = CliRunner().invoke(cli, ["hook", "replay", str(log_id), "--dsn", service.database.dsn()])
    assert (done.exit_code, "not signed" in done.output) == (1, True), "a signature is not waived"
    workspace.ask(
        "select leadline.replace_webhook_secret(%s, %s, %s)", workspace.id, hook.source_id, "the right one"
    )
    assert _replay(service, log_id) == "processed"


def test_the_command_line_shows_everything_but_secrets(
    service: Service, workspace: Workspace, tmp_path: Any
) -> None:
    name = str(workspace.id)
    made = _run(service, "hook", "add", "--workspace", name, "--name", "Ads", "--preset", "meta_lead_ads")
    told = dict(line.split(maxsplit=1) for line in made.replace("verify token", "verify_token").splitlines())
    assert set(told) == {"source", "address", "secret", "verify_token"}
    listed = _run(service, "hook", "list", "--workspace", name)
    assert told["source"] in listed
    assert told["secret"] not in listed
    (tmp_path / "mapping.json").write_text('{"activities": [{"activity_type": "note_added"}]}')
    _run(service, "hook", "change", "Ads", "--workspace", name, "--mapping", str(tmp_path / "mapping.json"))
    assert _run(service, "hook", "change", "Ads", "--workspace", name, "--new-secret").startswith("secret  ")
    _run(service, "hook", "change", "Ads", "--workspace", name, "--preset-mapping")
    hook = add_hook(service, workspace)
    shown = _run(service, "hook", "show", str(hook.delivered(ODD)["log_id"]))
    assert "processed" in shown
    assert ODD.decode() in shown
    _run(service, "hook", "remove", "Ads", "--workspace", name)
    assert "removed" in _run(service, "hook", "list", "--workspace", name)


@pytest.mark.parametrize(
    "words",
    [
        ("replay",),
        ("replay", "1", "--status", "received"),
        ("replay", "999999999"),
        ("show", "999999999"),
        ("add", "--workspace", "x", "--name", "y"),
        ("change", "x", "--workspace", "x"),
    ],
)
def test_what_the_command_line_cannot_do_it_says_in_a_line(service: Service, words: tuple[str, ...]) -> None:
    done = CliRunner().invoke(cli, ["hook", *words, "--dsn", service.database.dsn()], prog_name="leadline")
    assert done.exit_code in (1, 2)
    assert "Traceback" not in done.output


# -- what the service's login may, and what stays afterwards


def test_the_service_makes_something_of_a_delivery_only_once_and_with_its_ticket(
    service: Service, workspace: Workspace
) -> None:
    hook = add_hook(service, workspace)
    told = hook.delivered(ODD)
    mapped = json.dumps(
        {
            "items": [
                {
                    "item": 1,
                    "activities": [
                        {"activity_type": "inbound_enquiry", "payload": {"email": "x@example.net"}}
                    ],
                }
            ]
        }
    )
    with service.database.connect("leadline_service", autocommit=True) as connection:
        for ticket in ("00000000-0000-0000-0000-000000000000", None):
            for statement in ("process_webhook(%s, %s, %s, %s)", "map_webhook(%s, %s, %s, %s)"):
                with pytest.raises(psycopg.Error) as refused:
                    connection.execute(
                        f"select * from leadline.{statement}", [workspace.id, told["log_id"], ticket, mapped]
                    )
                assert (refused.value.sqlstate, refused.value.diag.constraint_name) == (
                    "PT404",
                    "no_such_delivery",
                )
        with pytest.raises(psycopg.Error) as refused:
            connection.execute("select leadline.reopen_webhook(%s, %s)", [workspace.id, told["log_id"]])
        assert refused.value.sqlstate == "PT401"
        for table in ("webhook_sources", "webhook_logs", "webhooks", "webhook_deliveries", "webhook_bodies"):
            assert connection.execute(f"select workspace_id from leadline.{table}").fetchall() == []
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("select secret from leadline.webhook_sources")
    assert len(hook.leads()) == 1


def test_what_comes_after_in_the_same_transaction_is_not_the_sources(
    service: Service, workspace: Workspace
) -> None:
    hook = add_hook(service, workspace)
    with service.database.connect("leadline_service") as connection:
        held = connection.execute(
            "select workspace_id, log_id, ticket from leadline.receive_webhook(%s, '{}', 'application/json', '', now())",
            [hook.key],
        ).fetchone()
        assert held is not None
        mapped = json.dumps(
            {
                "items": [
                    {
                        "item": 1,
                        "activities": [
                            {"activity_type": "inbound_enquiry", "payload": {"email": "x@example.net"}}
                        ],
                    }
                ]
            }
        )
        row = connection.execute(
            "select status from leadline.process_webhook(%s, %s, %s, %s)", [*held, mapped]
        ).fetchone()
        assert row == ("processed",)
        assert connection.execute("select leadline.current_workspace()").fetchone() == (None,)
        assert connection.execute("select workspace_id from leadline.leads").fetchall() == []
        connection.rollback()


def test_two_workspaces_do_not_mix(service: Service, workspace: Workspace) -> None:
    """The same sender, the same ids, the same people."""
    other = service.workspace()
    for where in (workspace, other):
        hook = add_hook(service, where, "typeform")
        assert hook.post_sample("typeform_response.json").json()["status"] == "processed"
        assert [lead["email"] for lead in hook.leads()] == ["Maelle.LeGall@Example.net"]
    with service.database.connect() as connection, pytest.raises(psycopg.Error) as refused:
        connection.execute(
            "select leadline.replace_webhook_mapping(%s, %s, null)", [workspace.id, hook.source_id]
        )
    assert refused.value.diag.constraint_name == "no_such_webhook"


def test_bodies_go_when_their_time_is_over(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace)
    told = hook.delivered(ODD)
    purge = "select leadline_internal.purge_webhook_bodies(%s, %s)"
    received = hook.log()["received_at"]
    day = "select %s::timestamptz + %s * interval '24 hours'"
    assert workspace.ask(purge, workspace.id, workspace.ask(day, received, 90)) == {"purged": 0}
    assert workspace.ask(purge, service.workspace().id, workspace.ask(day, received, 91)) == {"purged": 0}
    assert workspace.ask(purge, workspace.id, workspace.ask(day, received, 91)) == {"purged": 1}
    log = hook.log()
    assert (log["body"], log["headers"], log["status"]) == (None, None, "processed")
    assert log["results"][0]["lead_id"]
    done = CliRunner().invoke(cli, ["hook", "replay", str(told["log_id"]), "--dsn", service.database.dsn()])
    assert "no longer kept" in done.output


FORGET = "select leadline_internal.forget_in_webhooks(%s, %s::uuid[], %s)"


def test_a_person_is_forgotten_in_every_spelling(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace)
    mine = [
        (b'{"EMAIL":"Jos\xc3\xa9.P@Example.net"}', JSON), (b"x=jos%C3%A9.p%40example.net", FORM), (b'{"x":"jos\\u00e9.p@example.net"}', JSON),
        (b'{"x":"JOS\xc3\x89.P@EXAMPLE.NET"}', JSON), (b'{"y":"0049 (30) 901-820"}', JSON), (b"phone=%2B49+30+901820", FORM), (b"\x00jos\xc3\xa9.p@example.net", "text/plain"),
    ]  # fmt: skip
    others = [(b'{"x":"p@example.net"}', JSON), (b'{"y":"+49 30 901821"}', JSON), (b"\xff", "text/plain")]
    ids = [hook.post(body, kind).json()["log_id"] for body, kind in mine + others]
    assert workspace.ask(FORGET, service.workspace().id, [], ["josé.p@example.net", "+4930901820"]) == 0
    told = workspace.ask(
        "select leadline_internal.webhooks_about(%s, '{}', %s)",
        workspace.id,
        ["josé.p@example.net", "+4930901820"],
    )
    assert [entry["log_id"] for entry in told] == ids[: len(mine)]
    assert workspace.ask(FORGET, workspace.id, [], ["josé.p@example.net", "+4930901820"]) == len(mine)
    assert [hook.log(n)["body"] is None for n in ids] == [True] * len(mine) + [False] * len(others)


def test_a_person_is_forgotten_by_their_lead(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace)
    hook.delivered('{"phone":"+351 21 123 4567"}')
    [lead] = hook.leads()
    assert workspace.ask(FORGET, workspace.id, [lead["lead_id"]], None) == 1
    log = hook.log()
    assert (log["body"], log["headers"], log["event_id"]) == (None, None, None)
    assert log["results"][0]["verdict"] == "applied"


def test_erasing_a_person_reaches_what_was_posted(service: Service, workspace: Workspace) -> None:
    hook = add_hook(service, workspace)
    hook.post_sample("form_simple.txt")
    hook.post(b"not JSON about ana.sousa@example.net")
    [lead] = hook.leads()
    owner = workspace.member("owner")
    with service.database.connect("leadline_service") as connection:
        connection.execute("select leadline.enter(%s)", [owner.token])
        row = connection.execute("select leadline.export_person(%s)", [lead["person_id"]]).fetchone()
        assert row is not None
        assert len(row[0]["webhooks"]) == 2
        connection.execute("select leadline.erase_person(%s, 'asked by letter')", [lead["person_id"]])
    held = "select count(*) from leadline.webhook_logs where workspace_id = %s and (body is not null or headers is not null)"
    assert workspace.ask(held, workspace.id) == 0
    assert faults(service.database.dsn()) == []


def test_a_busy_database_loses_nothing(service: Service, workspace: Workspace) -> None:
    """Stored, answered 503, and whole after the sender tries again."""
    hook = add_hook(service, workspace, "typeform")
    hook.post_sample("typeform_response.json")
    [lead] = hook.leads()
    again = json.loads((SAMPLES / "typeform_response.json").read_bytes())
    again["event_id"] = "another"
    with serving(service.database, lock_timeout_ms=50) as impatient, service.database.connect() as connection:
        connection.execute(
            "select from leadline.leads where lead_id = %s for no key update", [lead["lead_id"]]
        )
        answer = impatient.send(
            "POST", f"/hooks/{hook.key}", content=json.dumps(again), headers={"Content-Type": JSON}
        )
        assert_problem(answer, 503, "busy")
        connection.rollback()
    log = hook.log()
    assert (log["status"], len(hook.journal())) == ("received", 1)
    assert _replay(service, log["log_id"]) == "processed"
    assert hook.delivered(json.dumps(again))["status"] == "processed"
    assert len(hook.journal()) == 2
