"""Idempotency-Key: a request sent twice is done once, and its second answer is the first, byte for byte."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from app.db import Database as Pool
from app.deploy import migrate
from app.door import Caller
from app.idempotency import Once, Write, fingerprint, perform
from app.postgres import PORT, Server
from app.routes.activities import LOG_ACTIVITY, answer_logged
from app.routes.leads import LOG_ENQUIRY, SHOW_LOGGED_LEAD
from app.strict_json import read
from tests.databases import Database
from tests.py.test_http_errors import assert_problem
from tests.py.test_http_service import Wire, _until, _waiting_for_locks, own_server
from tests.service import Service, Workspace, serving, settings_for
from tests.tenant import faults

__all__ = ["own_server"]  # a fixture

CALL = {"activity_type": "contact_attempted"}


@pytest.fixture(autouse=True)
def all_is_sound(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever was sent, the journals are what they should be."""
    yield
    if "service" in request.fixturenames:
        assert faults(request.getfixturevalue("service").database.dsn()) == []


def send(service: Service, path: str, token: str, document: Any, key: str, **headers: str) -> httpx.Response:
    """POST with an Idempotency-Key."""
    return service.post(path, token, document, headers={"Idempotency-Key": key} | headers)


def call(service: Service, token: str, lead: str, key: str) -> httpx.Response:
    """A contact_attempted with an Idempotency-Key."""
    return send(service, f"/leads/{lead}/activities", token, CALL, key)


def seq(service: Service, token: str, lead: str) -> int:
    """How many activities the lead has."""
    return int(service.get(f"/leads/{lead}", token).json()["seq"])


def assert_replay(again: httpx.Response, first: httpx.Response) -> None:
    """The same status, content type and bytes; and it is said."""
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert (again.status_code, again.content) == (first.status_code, first.content)
    told = [
        {k: v for k, v in answer.headers.items() if k not in ("trace-id", "idempotency-replayed")}
        for answer in (first, again)
    ]
    assert told[0] == told[1]
    assert again.headers["trace-id"] != first.headers["trace-id"]


# --- done once, answered twice


@pytest.mark.parametrize(
    ("path", "document", "status"),
    [
        ("/leads", {"name": "Ann", "email": "ann@people.example", "deal_value": 12.50}, 201),
        ("/leads/{lead}/activities", CALL, 201),
        ("/leads/{lead}/activities", {"activity_type": "sale"}, 409),
        ("/activities", [{"activity_type": "lead_created"}, 7, {"activity_type": "lead_hugged"}], 200),
    ],
)
def test_a_repeat_is_answered_as_the_first_time_and_does_nothing(
    service: Service, workspace: Workspace, path: str, document: Any, status: int
) -> None:
    token, key = workspace.token(), str(uuid4())
    lead = service.lead(token)
    path = path.format(lead=lead)
    first = send(service, path, token, document, key)
    assert first.status_code == status, first.text
    leads, activities = len(service.get("/leads", token).json()["leads"]), seq(service, token, lead)
    service.log(token, lead, "note_added", text="the world goes on")
    for _ in range(2):
        assert_replay(send(service, path, token, document, key), first)
    assert len(service.get("/leads", token).json()["leads"]) == leads
    assert seq(service, token, lead) == activities + 1


def test_without_a_key_every_request_is_done(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    lead = service.lead(token)
    for n in (2, 3):
        answer = service.post(f"/leads/{lead}/activities", token, CALL)
        assert (answer.json()["seq"], "idempotency-replayed" in answer.headers) == (n, False)
    assert workspace.ask(
        "select count(*) from leadline.idempotency_keys where workspace_id = %s", workspace.id
    ) == 0  # fmt: skip


def test_a_refusal_is_a_decision_and_is_repeated(service: Service, workspace: Workspace) -> None:
    """The retry of a refused sale does not become one because an appointment came between."""
    token, sale = workspace.token(), {"activity_type": "sale"}
    lead = service.lead(token)
    path = f"/leads/{lead}/activities"
    first = send(service, path, token, sale, "s-1")
    assert first.json()["verdict"] == "refused"
    service.log(token, lead, "appointment_scheduled")
    assert_replay(send(service, path, token, sale, "s-1"), first)
    assert send(service, path, token, sale, "s-2").json()["verdict"] == "applied"


def test_a_repeated_reference_under_a_new_key_is_a_repeat_of_its_own(
    service: Service, workspace: Workspace
) -> None:
    token, said = workspace.token(), CALL | {"reference": "call-7"}
    path = f"/leads/{service.lead(token)}/activities"
    assert send(service, path, token, said, "a").status_code == 201
    second = send(service, path, token, said, "b")
    assert (second.status_code, second.json()["replayed"]) == (200, True)
    assert_replay(send(service, path, token, said, "b"), second)


def test_a_repeat_is_counted_as_a_request_but_not_as_an_activity(database: Database) -> None:
    with serving(database) as service:
        token = service.workspace().token()
        lead = service.lead(token)
        for _ in range(3):
            assert call(service, token, lead, "k").status_code == 201
        lines = service.client.get("/metrics").text.splitlines()
    assert 'leadline_activities_total{rule="",verdict="applied"} 2.0' in lines
    assert (
        'leadline_requests_total{method="POST",route="/v1/leads/{lead_id}/activities",status="201"} 3.0'
        in lines
    )


# --- what did nothing is not kept


def test_a_malformed_request_is_not_kept_and_may_be_corrected_under_its_key(
    service: Service, workspace: Workspace
) -> None:
    token = workspace.token()
    lead = service.lead(token)
    path = f"/leads/{lead}/activities"
    for document, status, rule in (
        ({"activity_type": "lead_hugged"}, 422, "unknown_activity_type"),
        ({}, 422, "key_missing"),
        (CALL | {"occurred_at": "2999-01-01T00:00:00Z"}, 422, "occurred_in_the_future"),
        (CALL | {"surface": "lead_detail"}, 403, "surface_needs_scope"),
    ):
        assert_problem(send(service, path, token, document, "k"), status, rule)
    headers = {"Idempotency-Key": "k", "Content-Type": "application/json"}
    assert_problem(service.send("POST", path, token, content=b"{", headers=headers), 400, "malformed_json")
    assert_problem(service.send("POST", path, token, content=b"{}",
                                headers=headers | {"Content-Type": "text/plain"}), 415,
                   "unsupported_media_type")  # fmt: skip
    assert call(service, token, lead, "k").status_code == 201
    assert seq(service, token, lead) == 2


def test_what_is_raised_is_not_kept(service: Service, workspace: Workspace) -> None:
    """A birth that is refused leaves no row; when the reason is gone, the same request succeeds."""
    token, stranger = workspace.token(), service.workspace().member().user_id
    document = {"assigned_user_id": str(stranger)}
    assert_problem(send(service, "/leads", token, document, "k"), 409, "unknown_assignee")
    assert_problem(call(service, token, str(uuid4()), "k"), 404, "no_such_lead")
    workspace.ask(
        "select leadline.add_member(%s, (select email from leadline.users where user_id = %s), 'member')",
        workspace.id, stranger,
    )  # fmt: skip
    assert send(service, "/leads", token, document, "k").status_code == 201


def test_a_fault_of_ours_is_not_kept(database: Database) -> None:
    with serving(database, lock_timeout_ms=200) as service:
        token = service.workspace().token()
        lead = service.lead(token)
        with database.connect() as holder:
            holder.execute("select from leadline.leads where lead_id = %s for no key update", [lead])
            assert_problem(call(service, token, lead, "k"), 503, "busy")
        answer = call(service, token, lead, "k")
        assert (answer.status_code, answer.json()["seq"]) == (201, 2)
        assert_replay(call(service, token, lead, "k"), answer)
    assert faults(database.dsn()) == []


def test_an_answer_that_cannot_be_kept_undoes_what_it_answers(
    service: Service, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = workspace.token()
    lead = service.lead(token)
    monkeypatch.setattr("app.idempotency.KEEP", "select 1 / 0 where %(key)s::text <> ''")
    assert call(service, token, lead, "k").status_code == 422
    monkeypatch.undo()
    assert seq(service, token, lead) == 1
    assert call(service, token, lead, "k").status_code == 201


# --- what makes two requests one


def test_another_body_under_the_same_key_is_refused_and_writes_nothing(
    service: Service, workspace: Workspace
) -> None:
    token = workspace.token()
    lead = service.lead(token)
    first = call(service, token, lead, "k")
    other = send(service, f"/leads/{lead}/activities", token, {"activity_type": "sale"}, "k")
    assert_problem(other, 422, "idempotency_key_reused")
    assert seq(service, token, lead) == 2
    assert_replay(call(service, token, lead, "k"), first)


def test_the_same_body_for_another_member_is_another_request(service: Service, workspace: Workspace) -> None:
    app = workspace.token("app", "act_as")
    ann, bob = (str(workspace.member("admin").user_id) for _ in range(2))
    path = f"/leads/{service.lead(app)}/activities"
    first = send(service, path, app, CALL, "k", **{"Leadline-On-Behalf-Of": ann})
    assert first.status_code == 201
    for headers in ({"Leadline-On-Behalf-Of": bob}, {}):
        assert_problem(send(service, path, app, CALL, "k", **headers), 422, "idempotency_key_reused")
    assert_replay(send(service, path, app, CALL, "k", **{"Leadline-On-Behalf-Of": ann.upper()}), first)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ('{"a":1,"b":{"c":2,"d":3}}', '{ "b": {"d":3,"c":2},\n"a" : 1 }', True),
        ('{"a":1}', '{"a":1.0}', False),
        ('{"a":1.0}', '{"a":1.00}', False),
        ('{"a":1e3}', '{"a":1000}', False),
        ('{"a":123456789012345678901}', '{"a":123456789012345678901}', True),
        ('{"a":123456789012345678901}', '{"a":123456789012345678902}', False),
        ('{"a":1}', '{"a":"1"}', False),
        ('{"a":null}', "{}", False),
        ('{"a":[1,2]}', '{"a":[2,1]}', False),
        (r'{"a":"\u00e9\n"}', '{"a":"é\\n"}', True),
        ('{"a":"é"}', '{"a":"e\u0301"}', False),
        ('{"a":""}', '{"a":" "}', False),
        ('{"a":true}', '{"a":1}', False),
    ],
)
def test_the_order_of_keys_is_nothing_and_the_digits_of_a_number_are(
    one: str, other: str, is_same: bool
) -> None:
    nobody = Caller("ll_", None)
    prints = [fingerprint(read(text.encode()), nobody) for text in (one, other)]
    assert (prints[0] == prints[1]) is is_same


def test_reordered_keys_are_a_repeat_and_other_digits_are_not(service: Service, workspace: Workspace) -> None:
    token = workspace.token()

    def raw(body: str) -> httpx.Response:
        headers = {"Idempotency-Key": "k", "Content-Type": "application/json"}
        return service.send("POST", "/leads", token, content=body, headers=headers)

    first = raw('{"name":"Ann","deal_value":1.0}')
    assert first.status_code == 201
    assert_replay(raw('{"deal_value" : 1.0, "name" : "Ann"}'), first)
    assert_problem(raw('{"name":"Ann","deal_value":1}'), 422, "idempotency_key_reused")


def test_a_key_belongs_to_one_credential_one_workspace_and_one_address(
    service: Service, workspace: Workspace
) -> None:
    token, other = workspace.token(), service.workspace("Other")
    one, two = service.lead(token), service.lead(token)
    assert call(service, token, one, "k").status_code == 201
    for answer in (
        call(service, workspace.token(), one, "k"),
        call(service, workspace.member("admin").token, one, "k"),
        call(service, token, two, "k"),
        send(service, "/activities", token, CALL, "k-"),
        send(service, "/leads", token, {}, "k"),
        send(service, "/leads", other.token(), {}, "k"),
    ):
        assert "idempotency-replayed" not in answer.headers
    assert (seq(service, token, one), seq(service, token, two)) == (4, 2)
    assert len(service.get("/leads", other.token()).json()["leads"]) == 1


def test_a_foreign_key_tells_nothing(service: Service, workspace: Workspace) -> None:
    """B sends A's key with A's body: executed for B, no matter what A did with it."""
    document = {"name": "Ann", "email": "ann@people.example"}
    mine = send(service, "/leads", workspace.token(), document, "k")
    theirs = send(service, "/leads", service.workspace("Other").token(), document, "k")
    assert theirs.status_code == 201
    assert theirs.json()["lead_id"] != mine.json()["lead_id"]


def test_an_id_in_another_spelling_is_the_same_address(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    lead = service.lead(token)
    first = call(service, token, lead, "k")
    assert_replay(call(service, token, lead.upper(), "k"), first)


def test_an_answer_is_good_for_a_day(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    lead = service.lead(token)

    def let_pass(hours: str) -> None:
        workspace.ask(
            "update leadline.idempotency_keys set answered_at = answered_at - %s::interval"
            " where workspace_id = %s returning true", hours, workspace.id,
        )  # fmt: skip

    first = call(service, token, lead, "k")
    let_pass("23 hours 59 minutes")
    assert_replay(call(service, token, lead, "k"), first)
    let_pass("1 minute 1 second")
    second = send(service, f"/leads/{lead}/activities", token, {"activity_type": "sale"}, "k")
    assert second.json()["rule"] == "outcome_needs_appointment"
    assert_replay(send(service, f"/leads/{lead}/activities", token, {"activity_type": "sale"}, "k"), second)
    let_pass("25 hours")
    (swept,) = workspace.ask(
        "select array[leadline_internal.sweep_idempotency_keys(%s, now()) ->> 'deleted']", workspace.id
    )
    assert swept == "1"


def test_a_token_that_ended_gets_no_answer(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    lead = service.lead(token)
    assert call(service, token, lead, "k").status_code == 201
    workspace.ask(
        "select leadline.revoke_token(t.workspace_id, t.token_id) from leadline.api_tokens t"
        " where t.prefix = split_part(%s, '_', 2)", token,
    )  # fmt: skip
    assert_problem(call(service, token, lead, "k"), 401, "unknown_token")


# --- what a key may look like


def test_a_key_in_quotes_is_the_same_key(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    lead = service.lead(token)
    first = call(service, token, lead, "8e03978e-40d5-43dd-bc93-6894a57f9324")
    assert first.status_code == 201
    assert_replay(call(service, token, lead, '"8e03978e-40d5-43dd-bc93-6894a57f9324"'), first)
    first = call(service, token, lead, "a\\b")
    assert_replay(call(service, token, lead, r'"a\\b"'), first)


@pytest.mark.parametrize(
    "key", ["k", "k" * 255, f'"{"k" * 255}"', "a b", "'; drop table leads; --", '"a, b"', "~!"]
)
def test_a_key_is_any_printable_ascii(service: Service, workspace: Workspace, key: str) -> None:
    token = workspace.token()
    lead = service.lead(token)
    first = call(service, token, lead, key)
    assert_replay(call(service, token, lead, key), first)


@pytest.mark.parametrize(
    "key",
    ["", " ", '""', '"', 'a"b', '"a', '"a"b"', '"a" "b"', '"a","b"', "a,b", "a, b", "k" * 256, f'"{"k" * 256}"',
     "a\0b", '"a\0b"', "\0", "a\tb", "a\x7fb", "\u00e9", '"\u00e9"', r'"a\b"', '"a\\"', '"a";p=1'],
)  # fmt: skip
def test_what_is_no_key_is_a_400_and_does_nothing(service: Service, workspace: Workspace, key: str) -> None:
    token = workspace.token()
    lead = service.lead(token)
    headers = {"Idempotency-Key": key.encode("latin-1")}
    answer = service.post(f"/leads/{lead}/activities", token, CALL, headers=headers)
    assert_problem(answer, 400, "idempotency_key_malformed")
    assert seq(service, token, lead) == 1


def test_two_headers_are_no_key(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    lead = service.lead(token)
    for keys in (("a", "b"), ("a", "a"), ("", "a")):
        answer = service.client.request(
            "POST", f"/v1/leads/{lead}/activities", json=CALL,
            headers=[("Authorization", f"Bearer {token}"), *(("Idempotency-Key", key) for key in keys)],
        )  # fmt: skip
        assert_problem(answer, 400, "idempotency_key_malformed")
    assert seq(service, token, lead) == 1


def test_without_a_token_a_key_opens_nothing(service: Service, workspace: Workspace) -> None:
    token = workspace.token()
    lead = service.lead(token)
    call(service, token, lead, "k")
    assert_problem(call(service, "nonsense", lead, "k"), 401, "unknown_token")


# --- at the same time


def test_while_the_first_is_running_the_second_is_told_to_come_again(database: Database) -> None:
    with serving(database, lock_timeout_ms=20_000) as service:
        token = service.workspace().token()
        lead = service.lead(token)
        with database.connect() as holder, ThreadPoolExecutor(1) as thread:
            holder.execute("select from leadline.leads where lead_id = %s for no key update", [lead])
            waiting = thread.submit(call, service, token, lead, "k")
            _until(lambda: _waiting_for_locks(database) == 1)
            for _ in range(3):
                answer = call(service, token, lead, "k")
                assert_problem(answer, 409, "request_in_progress")
                assert answer.headers["retry-after"] == "1"
            assert_problem(
                send(service, f"/leads/{lead}/activities", token, {"activity_type": "sale"}, "k"), 409,
                "request_in_progress",
            )  # fmt: skip
            assert send(service, "/leads", token, {}, "k").status_code == 201, "another address is free"
            holder.rollback()
            first = waiting.result()
        assert first.status_code == 201
        assert_replay(call(service, token, lead, "k"), first)
        assert seq(service, token, lead) == 2
    assert faults(database.dsn()) == []


def at_once(service: Service, token: str, lead: str, keys: list[str]) -> list[httpx.Response]:
    """One request a key, all together."""
    gate = threading.Barrier(len(keys))

    def one(key: str) -> httpx.Response:
        gate.wait()
        return call(service, token, lead, key)

    with ThreadPoolExecutor(len(keys)) as threads:
        return list(threads.map(one, keys))


def assert_one_effect(service: Service, token: str, lead: str, answers: list[httpx.Response]) -> None:
    """One was done; the others had its answer, or were told that it was under way."""
    assert {answer.status_code for answer in answers} <= {201, 409}
    done = [answer for answer in answers if answer.status_code == 201]
    assert len({answer.content for answer in done}) == 1
    assert ["idempotency-replayed" in answer.headers for answer in done].count(False) == 1
    for answer in answers:
        if answer.status_code == 409:
            assert_problem(answer, 409, "request_in_progress")
    assert seq(service, token, lead) == 2
    assert_replay(
        call(service, token, lead, "k"), next(a for a in done if "idempotency-replayed" not in a.headers)
    )


@pytest.mark.slow
@pytest.mark.parametrize("isolation", ["read committed", "repeatable read", "serializable"])
def test_fifty_at_once_with_one_key_have_one_effect_and_no_fault(database: Database, isolation: str) -> None:
    with database.connect(autocommit=True) as connection:
        connection.execute(
            f"alter role leadline_service in database {database.name}"
            f" set default_transaction_isolation = '{isolation}'"
        )
    with serving(database, pool_min=10, pool_max=20, pool_timeout_seconds=20) as service:
        token = service.workspace().token()
        for _ in range(3):
            lead = service.lead(token)
            assert_one_effect(service, token, lead, at_once(service, token, lead, ["k"] * 50))
    assert faults(database.dsn()) == []


def test_ten_births_at_once_with_one_key_make_one_lead(database: Database) -> None:
    with serving(database, pool_min=4, pool_max=10) as service:
        token = service.workspace().token()
        with ThreadPoolExecutor(10) as threads:
            answers = list(
                threads.map(lambda _: send(service, "/leads", token, {"name": "Ann"}, "k"), range(10))
            )
        assert {answer.status_code for answer in answers} <= {201, 409}
        assert len({a.json()["lead_id"] for a in answers if a.status_code == 201}) == 1
        assert len(service.get("/leads", token).json()["leads"]) == 1


def test_a_request_that_lost_to_another_is_done_again_from_its_key_on(database: Database) -> None:
    """Under SERIALIZABLE the loser of a lead begins again: key, effect and answer, never half of them."""
    with database.connect(autocommit=True) as connection:
        connection.execute(
            f"alter role leadline_service in database {database.name}"
            " set default_transaction_isolation = 'serializable'"
        )
    with serving(database, pool_min=4) as service:
        token = service.workspace().token()
        lead = service.lead(token)
        keys = [f"k-{n}" for n in range(4)]
        answers = at_once(service, token, lead, keys)
        assert [answer.status_code for answer in answers] == [201] * 4
        assert sorted(answer.json()["seq"] for answer in answers) == [2, 3, 4, 5]
        for key, answer in zip(keys, answers, strict=True):
            assert_replay(call(service, token, lead, key), answer)
    assert faults(database.dsn()) == []


# --- when it breaks off


def test_a_connection_that_ends_between_key_and_effect_leaves_neither(database: Database) -> None:
    with serving(database, lock_timeout_ms=20_000) as service:
        token = service.workspace().token()
        lead = service.lead(token)
        with (
            database.connect(autocommit=True) as killer,
            database.connect() as holder,
            ThreadPoolExecutor(1) as thread,
        ):
            holder.execute("select from leadline.leads where lead_id = %s for no key update", [lead])
            waiting = thread.submit(call, service, token, lead, "k")
            _until(lambda: _waiting_for_locks(database) == 1)
            killer.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where datname = current_database() and wait_event_type = 'Lock'"
            )
            assert_problem(waiting.result(), 503, "database_unavailable")
        answer = call(service, token, lead, "k")
        assert (answer.status_code, answer.json()["seq"]) == (201, 2)
        assert_replay(call(service, token, lead, "k"), answer)
    assert faults(database.dsn()) == []


@pytest.mark.slow
def test_kill_9_between_key_and_effect_leaves_neither(own_server: Server) -> None:
    own_server.start()
    migrate(own_server.dsn())
    database = Database("postgres", own_server)
    with serving(database, lock_timeout_ms=20_000, pool_timeout_seconds=10) as service:
        token = service.workspace().token()
        lead = service.lead(token)
        holder = database.connect()
        with ThreadPoolExecutor(1) as thread:
            holder.execute("select from leadline.leads where lead_id = %s for no key update", [lead])
            waiting = thread.submit(call, service, token, lead, "k")
            _until(lambda: _waiting_for_locks(database) == 1)
            with database.connect() as connection:
                (backend,) = connection.execute(
                    "select pid from pg_stat_activity"
                    " where datname = current_database() and wait_event_type = 'Lock'"
                ).fetchone() or (0,)
            os.kill(backend, signal.SIGKILL)  # the postmaster ends all others and recovers
            assert_problem(waiting.result(), 503, "database_unavailable")
        _until(lambda: service.client.get("/ready").status_code == 200, seconds=20)
        answers = []

        def answered() -> bool:  # a connection of before may still be met; with a key it is safe to ask again
            answers.append(call(service, token, lead, "k"))
            return answers[-1].status_code != 503

        _until(answered, seconds=20)
        assert (answers[-1].status_code, answers[-1].json()["seq"]) == (201, 2)
        assert_replay(call(service, token, lead, "k"), answers[-1])
    assert faults(own_server.dsn()) == []


# --- what it costs


def test_a_key_costs_two_round_trips_and_none_of_those_who_send_none(
    database: Database, tmp_path: Path
) -> None:
    token = Workspace(database).token()
    report = {
        "token": token, "on_behalf_of": None, "lead_id": None, "activity_type": "lead_created",
        "payload": "{}", "reference": None, "occurred_at": None, "surface": None,
    }  # fmt: skip
    log = [(LOG_ACTIVITY, report)]
    log_and_show = [(LOG_ENQUIRY, report), (SHOW_LOGGED_LEAD, {})]

    def keyed(n: int) -> Write:
        return Write(token, {}, Once("POST /v1/leads", f"k-{n}", b"x"))

    async def count() -> list[int]:
        server = f"{database.server.socket_dir}/.s.PGSQL.{PORT}"
        async with Wire(f"{tmp_path}/.s.PGSQL.{PORT}", server) as wire:
            dsn = f"host={tmp_path} port={PORT} dbname={database.name} user=leadline_service sslmode=disable"
            pool = Pool(settings_for(database, dsn=dsn, pool_min=1, pool_max=1))
            await pool.open()

            async def trips(write: Write, steps: Any) -> int:
                before = wire.questions
                await perform(pool, write, steps, lambda rows: answer_logged(rows[0]))
                return wire.questions - before

            free = Write(token, {}, None)
            for n in range(7):  # prepared by then
                for steps in (log, log_and_show):
                    await trips(free, steps)
                    await trips(keyed(n), steps)
            trips_ = [
                await trips(free, log), await trips(free, log_and_show), await trips(keyed(8), log),
                await trips(keyed(9), log_and_show), await trips(keyed(9), log_and_show),
            ]  # fmt: skip
            await pool.close()
        return trips_

    assert asyncio.run(count()) == [1, 1, 3, 3, 2]
