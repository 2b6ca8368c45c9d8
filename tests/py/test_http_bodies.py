"""What may be sent and what comes of it: strict JSON, exact money, instants with their offset, limits."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from app import strict_json
from app.errors import Problem
from tests.py.test_http_errors import assert_problem
from tests.service import Service, Workspace

NOTE = '{"activity_type":"note_added","payload":%s}'


def _send(
    service: Service, workspace: Workspace, body: bytes | str, content_type: str | None = "application/json"
) -> Any:
    token = workspace.token()
    return service.post_raw(f"/leads/{service.lead(token)}/activities", token, body, content_type)


NOT_JSON = [
    "",
    "{",
    '{"a":1,}',
    "{'a':1}",
    '{"a":01}',
    '{"a":"\t"}',
    "[1] [2]",
    b"\xff\xfe{}",
    b'{"a":"\xff"}',
    b"\xef\xbb\xbf{}",
]


@pytest.mark.parametrize("body", NOT_JSON)
def test_what_is_not_json_is_a_400(service: Service, workspace: Workspace, body: bytes | str) -> None:
    assert_problem(_send(service, workspace, body), 400, "malformed_json")


@pytest.mark.parametrize("body", ['"text"', "7", "null", "[]", "true"])
def test_json_that_is_no_object_is_a_422(service: Service, workspace: Workspace, body: str) -> None:
    assert_problem(_send(service, workspace, body), 422, "value_malformed")


UNKEPT = [
    r'{"text":"\u0000"}', r'{"text":"\ud800"}', r'{"text":"\udc00\ud800"}', r'{"\u0000":"x"}',
    r'{"text":["\udfff"]}',
    '{"text":"x","n":NaN}', '{"text":"x","n":Infinity}', '{"text":"x","n":-Infinity}',
    '{"text":"x","n":1e131073}', '{"text":"x","n":1e99999999999999999999}',
]  # fmt: skip


@pytest.mark.parametrize("payload", UNKEPT)
def test_what_cannot_be_kept_is_a_422(service: Service, workspace: Workspace, payload: str) -> None:
    assert_problem(_send(service, workspace, NOTE % payload), 422, "value_malformed")


def test_a_key_given_twice_is_refused_wherever_it_stands(service: Service, workspace: Workspace) -> None:
    for body in (NOTE % '{"text":"a","text":"b"}', '{"activity_type":"sale","activity_type":"note_added"}'):
        assert_problem(_send(service, workspace, body), 422, "duplicate_key")


@pytest.mark.parametrize(
    ("depth", "status"), [(64, 201), (65, 400), (900, 400), (20_000, 400), (400_000, 400)]
)
def test_more_than_64_levels_are_too_deep(
    service: Service, workspace: Workspace, depth: int, status: int
) -> None:
    inner = depth - 2  # the body and its payload are two of them
    payload = f'{{"text":"x","deep":{"[" * inner}{"]" * inner}}}'
    answer = _send(service, workspace, NOTE % payload)
    if status == 201:
        assert answer.status_code == 201, answer.text
    else:
        assert_problem(answer, status, "too_deep")


def test_many_shallow_brackets_are_not_deep(service: Service, workspace: Workspace) -> None:
    flat = ",".join(["[]"] * 200)
    assert _send(service, workspace, NOTE % f'{{"text":"x","flat":[{flat}]}}').status_code == 201


def test_text_goes_in_and_comes_out_as_it_was(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    lead = service.lead(token, name="Zoë 🌱")
    text = 'é \U0001f600 "q" \\u0000 \u2028 \u202e'
    assert service.log(token, lead, "note_added", text=text).status_code == 201
    timeline = service.get(f"/leads/{lead}/timeline", token).json()["timeline"]
    assert timeline[-1]["payload"]["text"] == text
    assert service.get(f"/leads/{lead}", token).json()["contact"]["name"] == "Zoë 🌱"


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "application/problem+json", None]
)
def test_another_content_type_is_a_415(
    service: Service, workspace: Workspace, content_type: str | None
) -> None:
    assert_problem(_send(service, workspace, "{}", content_type), 415, "unsupported_media_type")


def test_a_charset_beside_the_content_type_is_fine(service: Service, workspace: Workspace) -> None:
    answer = _send(service, workspace, NOTE % '{"text":"x"}', "application/json; charset=utf-8")
    assert answer.status_code == 201


def test_a_body_over_the_limit_is_a_413(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    for path, size in (("/leads", 1_000_001), (f"/leads/{service.lead(token)}/activities", 1_000_001),
                       ("/activities", 8_000_001)):  # fmt: skip
        assert_problem(service.post_raw(path, token, b" " * size), 413, "body_too_large")
    assert_problem(
        service.post_raw("/activities", token, b"[" + b" " * 7_999_997 + b"]]"), 400, "malformed_json"
    )
    assert service.post_raw("/activities", token, b"[" + b" " * 7_999_998 + b"]").json() == {"results": []}


MONEY = [
    "0.1",
    "12345678901234.56",
    "0.30000000000000004",
    "100000000000000.01",
    "0.1000000000000000055511151231257827",
]


@pytest.mark.parametrize("amount", MONEY)
def test_money_is_exact_to_the_last_digit(service: Service, workspace: Workspace, amount: str) -> None:
    token = workspace.token()
    answer = service.post_raw("/leads", token, f'{{"deal_value":{amount}}}')
    assert answer.status_code == 201, answer.text
    lead = answer.json(parse_float=Decimal)["lead"]
    assert lead["deal_value"] == Decimal(amount)
    changed = service.post_raw(
        f"/leads/{lead['lead_id']}/activities", token,
        f'{{"activity_type":"deal_value_changed","payload":{{"deal_value":{amount}7,"currency":"EUR"}}}}',
    )  # fmt: skip
    old, new = changed.json(parse_float=Decimal)["changes"]["deal_value"]
    assert (old, new) == (Decimal(amount), Decimal(amount + "7"))


@pytest.mark.parametrize("amount", ['"12.50"', "true", "-1", "1e400", "[]", "{}"])
def test_what_is_no_amount_is_malformed(service: Service, workspace: Workspace, amount: str) -> None:
    answer = service.post_raw("/leads", workspace.token(), f'{{"deal_value":{amount}}}')
    assert_problem(answer, 422, "value_malformed")


NO_INSTANTS = [
    "2026-01-01T00:00:00", "2026-01-01", "infinity", "-infinity", "now", "yesterday", "",
    "2026-13-01T00:00:00Z",
    "2026-02-30T00:00:00Z", "2026-01-01T25:00:00Z", "2026-01-01T00:00:00 Europe/Berlin", "1767225600",
    1767225600, 1.5,
    True, [], {}, "2026-01-01T00:00:00+25:00", "\uff12\uff10\uff12\uff16-01-01T00:00:00Z",
]  # fmt: skip


@pytest.mark.parametrize("occurred_at", NO_INSTANTS)
def test_an_instant_without_offset_is_malformed(
    service: Service, workspace: Workspace, occurred_at: Any
) -> None:
    token = workspace.token()
    said = {"activity_type": "contact_attempted", "occurred_at": occurred_at}
    assert_problem(
        service.post(f"/leads/{service.lead(token)}/activities", token, said), 422, "value_malformed"
    )
    (result,) = service.post("/activities", token, [{"lead_id": service.lead(token), **said}]).json()[
        "results"
    ]
    assert (result["verdict"], result["rule"]) == ("invalid", "value_malformed")


@pytest.mark.parametrize(
    "occurred_at", ["2026-01-01T00:00:00Z", "2026-01-01T02:00:00+02:00", "2025-12-31 19:00:00.000-05:00"]
)
def test_every_spelling_of_an_instant_is_answered_in_utc(
    service: Service, workspace: Workspace, occurred_at: str
) -> None:
    token = workspace.token()
    answer = service.post("/leads", token, {"occurred_at": occurred_at})
    assert answer.json()["occurred_at"] == answer.json()["lead"]["created_at"] == "2026-01-01T00:00:00+00:00"


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ({}, "key_missing"),
        ({"activity_type": "sale", "verdict": "applied"}, "unknown_key"),
        ({"activity_type": "sale", "workspace_id": "x"}, "unknown_key"),
        ({"activity_type": 5}, "value_malformed"),
        ({"activity_type": None}, "value_malformed"),
        ({"activity_type": "sale", "reference": ""}, "value_malformed"),
        ({"activity_type": "sale", "reference": "r" * 201}, "value_malformed"),
        ({"activity_type": "sale", "payload": None}, "payload_is_an_object"),
        ({"activity_type": "sale", "payload": "x"}, "payload_is_an_object"),
    ],
)
def test_a_body_of_another_shape_says_which_rule(
    service: Service, workspace: Workspace, body: dict[str, Any], rule: str
) -> None:
    assert_problem(_send(service, workspace, json.dumps(body)), 422, rule)


def test_a_batch_answers_every_item_in_its_order(service: Service, workspace: Workspace) -> None:
    token, foreign = workspace.token(), service.workspace("Other")
    one, other = service.lead(token), service.lead(token)
    items: list[Any] = [
        {"lead_id": other, "activity_type": "contact_attempted"},
        {"lead_id": one, "activity_type": "sale"},
        {"lead_id": service.lead(foreign.token()), "activity_type": "sale"},
        {"lead_id": "7", "activity_type": "sale"},
        7,
        {"lead_id": one, "activity_type": "lead_hugged"},
        {"lead_id": one, "activity_type": "note_added", "payload": {"text": 5}},
        {"activity_type": "lead_created", "payload": {"name": "Ann"}, "reference": "ann"},
        {"activity_type": "lead_created", "payload": {"name": "Ann"}, "reference": "ann"},
        {"lead_id": one, "activity_type": "contact_attempted"},
    ]
    for body in (items, {"activities": items}):
        answer = service.post("/activities", token, body)
        assert answer.status_code == 200
        results = answer.json()["results"]
        assert all(next(iter(result)) == "verdict" for result in results)
        shown = [(result["verdict"], result["rule"]) for result in results]
        assert shown[1:7] == [
            ("refused", "outcome_needs_appointment"),
            ("invalid", "no_such_lead"),
            ("invalid", "no_such_lead"),
            ("invalid", "batch_malformed"),
            ("invalid", "unknown_activity_type"),
            ("invalid", "value_malformed"),
        ]
        assert results[7]["activity_id"] == results[8]["activity_id"]
        assert results[8]["replayed"] is True
        assert results[9]["lead_id"] == one
    assert [results[0]["verdict"], results[7]["replayed"]] == [
        "noted",
        True,
    ]  # the second time nothing was new


def test_a_batch_of_a_thousand_is_taken_whole(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    items = [{"activity_type": "lead_created", "payload": {"name": f"Lead {n}"}} for n in range(1000)]
    results = service.post("/activities", token, items).json()["results"]
    assert [result["verdict"] for result in results] == ["applied"] * 1000
    names = [
        service.get(f"/leads/{results[n]['lead_id']}", token).json()["contact"]["name"]
        for n in (0, 1, 500, 999)
    ]
    assert names == ["Lead 0", "Lead 1", "Lead 500", "Lead 999"]


def test_a_repeat_is_answered_with_the_original(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    lead = service.lead(token)
    said = {"activity_type": "contact_attempted", "reference": "call-7"}
    first = service.post(f"/leads/{lead}/activities", token, said)
    again = service.post(f"/leads/{lead}/activities", token, said)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json() | {"replayed": True}
    assert next(iter(again.json())) == "verdict"
    assert service.get(f"/leads/{lead}", token).json()["seq"] == 2


def test_a_repeated_refusal_is_that_refusal(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    lead = service.lead(token)
    said = {"activity_type": "sale", "reference": "sale-7"}
    first = service.post(f"/leads/{lead}/activities", token, said)
    service.log(token, lead, "appointment_scheduled")
    again = service.post(f"/leads/{lead}/activities", token, said)
    assert (first.status_code, again.status_code) == (409, 409)
    assert again.json() == first.json() | {"replayed": True}


def test_a_repeated_birth_makes_no_second_lead(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    said = {"name": "Ann", "reference": "form-1"}
    first, again = service.post("/leads", token, said), service.post("/leads", token, said)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["lead"] == first.json()["lead"]
    assert len(service.get("/leads", token).json()["leads"]) == 1


def test_the_verdict_comes_first_and_the_lead_last(service: Service, workspace: Workspace) -> None:
    member = workspace.member()
    answer = service.post(
        "/leads", workspace.token(),
        {"source": "web", "name": "Ann", "company": "Acme", "email": "ann@people.example",
         "phone": "+49 30 901820", "assigned_user_id": str(member.user_id), "deal_value": 12.5,
         "currency": "EUR"},
    )  # fmt: skip
    assert answer.status_code == 201, answer.text
    body = answer.json()
    assert (next(iter(body)), list(body)[-1]) == ("verdict", "lead")
    lead = body["lead"]
    assert (lead["stage"], lead["source"], lead["assigned_user_id"]) == ("new", "web", str(member.user_id))
    assert lead["contact"] == {
        "name": "Ann", "company": "Acme", "email": "ann@people.example", "phone": "+4930901820",
    }  # fmt: skip
    assert service.get(f"/leads/{lead['lead_id']}", workspace.token()).json() == lead


def test_an_app_reports_for_a_member(service: Service, workspace: Workspace) -> None:
    app, member = workspace.token("app", "act_as"), workspace.member()
    lead = service.lead(app, assigned_user_id=str(member.user_id))
    headers = {"Leadline-On-Behalf-Of": str(member.user_id)}
    said = {"activity_type": "email_sent", "surface": "dialer"}
    assert service.post(f"/leads/{lead}/activities", app, said, headers=headers).status_code == 201
    results = service.post("/activities", app, [{"lead_id": lead, **said}], headers=headers).json()["results"]
    assert results[0]["verdict"] == "noted"
    rows = service.get(f"/leads/{lead}/timeline", app).json()["timeline"][1:]
    assert [(r["actor_kind"], r["actor_id"], r["on_behalf_of"], r["writer"], r["surface"]) for r in rows] == [
        ("user", str(member.user_id), str(member.user_id), "app", "dialer")
    ] * 2


def test_read_keeps_numbers_exact_and_write_gives_them_back() -> None:
    text = '{"a":[1,-0.10,1e3,123456789012345678901234567890,0.1],"b":{"c":null,"d":true}}'
    assert json.loads(strict_json.write(strict_json.read(text.encode())), parse_float=Decimal) == json.loads(
        text, parse_float=Decimal
    )


def test_depth_counts_objects_and_arrays_alike() -> None:
    def nested(levels: int) -> bytes:
        return (b'{"a":[' * (levels // 2)) + b"1" + (b"]}" * (levels // 2))

    assert strict_json.read(nested(64))
    with pytest.raises(Problem, match="too_deep"):
        strict_json.read(nested(66))
