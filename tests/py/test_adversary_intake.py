"""Enquiries find leads by themselves: whoever writes one learns nothing of a lead they do not see, and reaches nothing
of another workspace; a merge, an import and an erasure neither."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

import pytest

from app.postgres import Server
from tests.databases import Database, clone
from tests.office import DOORS, Office, open_office
from tests.rivals import (
    FOREIGN_WORD,
    OWN_WORD,
    SHARED_EMAIL,
    Connection,
    Outcome,
    Rivals,
    attempt,
    relations,
    rival_workspaces,
)
from tests.tenant import faults

ENQUIRE = "insert into leadline.lead_activity (activity_type, payload, reference) values ('inbound_enquiry', %s, %s) returning lead_id, verdict, rule, changes"
LOG_ENQUIRY = (
    "select row_to_json(l) from leadline.log_activity(null, 'inbound_enquiry', %s, %s, null, null, null) l"
)
REPORT = "insert into leadline.lead_activity (lead_id, activity_type, payload) values (%s, %s, %s) returning verdict, rule"


def enquiry(**said: Any) -> str:
    """The payload of an enquiry to sales."""
    return json.dumps({"workflow": "sales", **said})


# -- a member and the leads of others


@pytest.fixture(scope="module")
def place(server: Server, template: str) -> Iterator[Office]:
    """In which members see what is assigned to them."""
    with clone(server, template) as database:
        yield open_office(database)
        assert faults(database.dsn()) == []


@pytest.fixture
def theirs(place: Office) -> tuple[UUID, str]:
    """A sales lead of the colleague's, at proposal, and its address."""
    return arrive(place, place.colleague)


def arrive(office: Office, assignee: UUID | None) -> tuple[UUID, str]:
    """A sales lead of somebody's (or nobody's), at proposal, with a phone that only the colleague knows; its address."""
    word = uuid4().hex[:8]
    email = f"{word}@elsewhere.example"
    with office.tenant.connect("owner") as connection:
        assigned = {} if assignee is None else {"assigned_user_id": str(assignee)}
        phone = f"+4930{int(word, 16) % 10**8:08}"
        said = enquiry(email=email, phone=phone, name=f"name {word}", **assigned)
        row = connection.execute(ENQUIRE, [said, f"came {word}"]).fetchone()
        assert row is not None
        connection.execute(REPORT, [row[0], "proposal_sent", '{"deal_value": 4321}'])
    return row[0], email


def state(office: Office, lead_id: UUID) -> list[tuple[Any, ...]]:
    return office.oracle("select l::text from leadline.leads l where l.lead_id = %s", [lead_id])


def all_that_is_seen(connection: Connection) -> dict[str, list[Any]]:
    """Every row that the caller can read now, by relation."""
    return {
        relation: sorted(
            repr(row)
            for row in connection.execute(
                "select " + ", ".join(f'"{c}"::text' for c in columns) + f" from {relation}"
            )
        )
        for relation, columns in relations(connection).items()
    }


@contextmanager
def as_member(office: Office, door: str) -> Iterator[Connection]:
    """A connection of the member that commits nothing, once the feed has all that is committed."""
    ((now,),) = office.oracle("select pg_snapshot_xmax(pg_current_snapshot())::text")
    patience = time.monotonic() + 60  # other databases of the cluster have open transactions too
    while office.oracle("select pg_snapshot_xmin(pg_current_snapshot()) < %s::xid8", [now]) == [(True,)]:
        assert time.monotonic() < patience
        time.sleep(0.05)
    with office.enter(door) as connection:
        yield connection


@pytest.mark.parametrize("door", DOORS)
def test_an_enquiry_that_meets_an_unseen_lead_is_answered_received_and_nothing_else(
    place: Office, theirs: tuple[UUID, str], door: str
) -> None:
    """No row comes back, and in the whole transaction there is not one row to read that was not there before."""
    lead_id, email = theirs
    with as_member(place, door) as connection:
        before = all_that_is_seen(connection)
        assert connection.execute(ENQUIRE, [enquiry(email=email, message="x"), None]).fetchall() == []
        assert all_that_is_seen(connection) == before
        said = connection.execute(LOG_ENQUIRY, [enquiry(email=email.upper(), message="y"), "m 1"]).fetchone()
        assert said is not None
        told = {key: value for key, value in said[0].items() if value not in (None, False)}
        assert told.pop("sentence")
        assert told.pop("hint")
        assert told == {
            "verdict": "noted",
            "rule": "received",
            "activity_type": "inbound_enquiry",
            "reference": "m 1",
        }
        item = {"activity_type": "inbound_enquiry", "payload": json.loads(enquiry(email=email))}
        batch = connection.execute(
            "select result from leadline.log_activities(%s)", [json.dumps([item])]
        ).fetchone()
        assert batch is not None
        assert (batch[0]["verdict"], batch[0]["rule"], batch[0]["lead_id"]) == ("noted", "received", None)
        assert all_that_is_seen(connection) == before
        assert str(lead_id) not in repr((said, batch))


def test_it_is_kept_for_those_who_work_on_the_lead(place: Office, theirs: tuple[UUID, str]) -> None:
    lead_id, email = theirs
    with place.database.connect(place.login) as connection:
        connection.execute(ENQUIRE, [enquiry(email=email, message="hello"), None])
    rows = place.oracle(
        "select actor_id, verdict, rule from leadline.lead_activity where lead_id = %s and seq = 3", [lead_id]
    )
    assert rows == [(place.me, "noted", None)]
    assert place.oracle("select count(*) from leadline.requests where lead_id = %s", [lead_id]) == [(2,)]


NOBODY = "00000000-0000-4000-8000-000000000000"
FAULTS = (
    {"request_class": "nonsense"},
    {"exclusion": "nonsense"},
    {"assigned_user_id": NOBODY},
    {"request_class": "nonsense", "assigned_user_id": NOBODY},
)


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
@pytest.mark.parametrize("on_refusal", ["record", "raise"])
@pytest.mark.parametrize("door", DOORS)
def test_no_error_and_no_warning_says_where_an_unseen_lead_stands(
    place: Office, theirs: tuple[UUID, str], door: str, on_refusal: str, fault: dict[str, str]
) -> None:
    """What is wrong with an enquiry is said as for an address that nobody has, or it is not said."""
    _, email = theirs
    with as_member(place, door) as connection:
        connection.execute("select set_config('leadline.on_refusal', %s, true)", [on_refusal])
        nobodys, unseen = (
            attempt(connection, ENQUIRE, [enquiry(email=address, **fault), None])
            for address in (f"{uuid4().hex}@nobody.example", email)
        )
        assert "proposal" not in unseen.said
        assert unseen.sqlstate == nobodys.sqlstate or unseen == Outcome(None, [], "")


def test_how_an_unseen_lead_stands_changes_nothing_of_the_answer(place: Office) -> None:
    """Open, lost, won, archived, of nobody's, of the colleague's: where the enquiry is appended, it is all the same."""
    answers = set()
    for assignee in (place.colleague, None):
        for step in (None, "deal_lost"):
            lead_id, email = arrive(place, assignee)
            if step:
                with place.tenant.connect("owner") as owner:
                    owner.execute(REPORT, [lead_id, step, '{"lost_reason": "Price"}'])
            with as_member(place, "login") as connection:
                before = all_that_is_seen(connection)
                for said in (enquiry(email=email), enquiry(email=email, assigned_user_id=str(place.me))):
                    with connection.transaction():
                        answers.add(repr(attempt(connection, ENQUIRE, [said, None])))
                    connection.execute(ENQUIRE, [said, None])
                assert all_that_is_seen(connection) == before, (assignee, step)
    assert len(answers) == 1


@pytest.mark.parametrize("door", DOORS)
def test_nobody_takes_an_unseen_lead_by_writing_in_for_it(place: Office, door: str) -> None:
    """An enquiry fills what is empty; a member's does not fill in the member, for then an address would be a key."""
    lead_id, email = arrive(place, None)
    with as_member(place, door) as connection:
        connection.execute(ENQUIRE, [enquiry(email=email, assigned_user_id=str(place.me)), None])
        seen = connection.execute("select lead_id from leadline.leads").fetchall()
        assert (lead_id,) not in seen


@pytest.mark.parametrize("door", DOORS)
def test_a_reference_of_an_unseen_enquiry_tells_nothing(
    place: Office, theirs: tuple[UUID, str], door: str
) -> None:
    """It is received, by whatever address; and for another type it is as taken as any other."""
    lead_id, email = theirs
    used = f"came {email.split('@')[0]}"
    with as_member(place, door) as connection:
        for address in (email, f"{uuid4().hex}@nobody.example"):
            row = connection.execute(LOG_ENQUIRY, [enquiry(email=address), used]).fetchone()
            assert row is not None
            assert (row[0]["rule"], row[0]["lead_id"], row[0]["replayed"]) == ("received", None, False)
            assert connection.execute(ENQUIRE, [enquiry(email=address), used]).fetchall() == []
        outcome = attempt(
            connection, "select leadline.log_activity(null, 'lead_created', '{\"phone\": \"1\"}', %s)", [used]
        )
        assert outcome.sqlstate == "PT409"
        assert str(lead_id) not in repr(outcome)
        assert "enquiry" not in outcome.said


LIKE_THEM = {
    "phone": "insert into leadline.lead_activity (activity_type, payload) values ('inbound_enquiry', jsonb_build_object('workflow', 'sales', 'email', %(new)s::text, 'phone', %(phone)s::text))",
    "mailbox": "insert into leadline.lead_activity (activity_type, payload) values ('lead_created', jsonb_build_object('workflow', 'sales', 'email', %(tagged)s::text))",
    "address": "insert into leadline.lead_activity (activity_type, payload) values ('lead_created', jsonb_build_object('workflow', 'appointment', 'email', %(email)s::text))",
    "bare phone": "insert into leadline.leads (workflow, email, phone) values ('sales', %(new)s, %(phone)s)",
    "bare mailbox": "insert into leadline.leads (workflow, email) values ('sales', %(tagged)s)",
    "bare address": "insert into leadline.leads (workflow, email) values ('appointment', %(email)s)",
}


@pytest.mark.parametrize("how", LIKE_THEM)
@pytest.mark.parametrize("door", DOORS)
def test_a_possible_duplicate_does_not_name_a_lead_that_its_maker_does_not_see(
    place: Office, theirs: tuple[UUID, str], door: str, how: str
) -> None:
    """That there is somebody is said, as it is by `received` and active_lead_exists; not who. Else two guesses of the
    same id would tie a phone to an address."""
    lead_id, email = theirs
    [(phone,)] = place.oracle("select phone from leadline.leads where lead_id = %s", [lead_id])
    words = {
        "new": f"{uuid4().hex}@here.example",
        "phone": phone,
        "email": email,
        "tagged": email.replace("@", "+news@"),
    }
    with as_member(place, door) as connection:
        made = connection.execute(f"{LIKE_THEM[how]} returning lead_id", words).fetchone()
        assert made is not None
        seen = connection.execute(
            "select is_possible_duplicate, possible_duplicate_of from leadline.lead_overview where lead_id = %s",
            [made[0]],
        ).fetchall()
        assert seen == [(True, None)]
        assert str(lead_id) not in repr(all_that_is_seen(connection))


def test_a_possible_duplicate_names_a_lead_that_its_maker_sees(place: Office) -> None:
    lead_id, email = arrive(place, place.me)
    with as_member(place, "login") as connection:
        words = {"tagged": email.replace("@", "+news@")}
        made = connection.execute(
            f"{LIKE_THEM['bare mailbox']} returning possible_duplicate_of", words
        ).fetchone()
        assert made == (lead_id,)


SAME_PERSON = {
    "spam": "insert into leadline.lead_activity (activity_type, payload) values ('inbound_enquiry', jsonb_build_object('email', %s::text, 'exclusion', 'spam'))",
    "appointment": "insert into leadline.leads (workflow, email) values ('appointment', %s)",
    "qualification": "insert into leadline.lead_activity (activity_type, payload) values ('inbound_enquiry', jsonb_build_object('email', %s::text, 'exclusion', 'test', 'name', 'x'))",
}


@pytest.mark.parametrize("how", SAME_PERSON)
@pytest.mark.parametrize("door", DOORS)
def test_a_lead_of_the_same_person_opens_no_address_that_stands_on_others_only(
    place: Office, theirs: tuple[UUID, str], door: str, how: str
) -> None:
    """Whoever knows an e-mail address and makes a lead for it does not get the phone that a colleague keeps."""
    lead_id, email = theirs
    [(phone,)] = place.oracle("select phone_key from leadline.leads where lead_id = %s", [lead_id])
    with as_member(place, door) as connection:
        before = all_that_is_seen(connection)
        made = connection.execute(f"{SAME_PERSON[how]} returning lead_id", [email]).fetchone()
        assert made is not None
        after = repr(all_that_is_seen(connection))
        assert phone not in after
        assert phone not in repr(before)
        keys = connection.execute("select key from leadline.person_contacts where key = %s", [email])
        assert keys.fetchall() == [(email,)], "one's own is there"


def test_merged_people_are_not_opened_by_a_lead_of_one_of_them(place: Office) -> None:
    (mine, _), (lead_id, email) = arrive(place, place.me), arrive(place, place.colleague)
    person = "select person_id from leadline.leads where lead_id = %s"
    with place.tenant.connect("owner") as connection:
        connection.execute(
            f"select leadline.merge_people(({person}), ({person}))",
            [mine, lead_id],
        )
    with as_member(place, "login") as connection:
        assert email not in repr(all_that_is_seen(connection))
        assert str(lead_id) not in repr(all_that_is_seen(connection))


def test_a_merge_with_an_unseen_lead_says_what_it_says_of_none(
    place: Office, theirs: tuple[UUID, str]
) -> None:
    """Even between two of one's own it is the admins'."""
    mine, _ = arrive(place, place.me)
    other, _ = arrive(place, place.me)
    with as_member(place, "login") as connection:
        said = [
            attempt(connection, REPORT, [mine, "leads_merged", json.dumps({"into": str(into)})])
            for into in (uuid4(), theirs[0])
        ]
        assert said[0] == said[1]
        assert said[0].sqlstate == "PT404"
        own = attempt(connection, REPORT, [mine, "leads_merged", json.dumps({"into": str(other)})])
        assert own.rows == [("refused", "merge_needs_admin")]
        for call in (
            f"merge_people('{uuid4()}', '{uuid4()}')",
            f"unmerge_people('{uuid4()}')",
            f"erase_person('{uuid4()}', 'x')",
            f"export_person('{uuid4()}')",
            f"set_account('{place.tenant.id}', 'x.example', 'x')",
            "import_leads('[]')",
        ):
            assert attempt(connection, f"select leadline.{call}").sqlstate == "PT403", call


def test_an_import_by_a_member_reaches_what_the_member_sees(place: Office, theirs: tuple[UUID, str]) -> None:
    """With scope import: no id of an unseen lead comes back, by address, by reference or by its own id."""
    lead_id, email = theirs
    token = place.tenant.ask(
        "select leadline.create_token(%s, 'member', %s, '{import}')", place.tenant.id, place.me
    )
    row = {"payload": {"workflow": "sales", "stage": "new", "entered_at": "2026-01-01T00:00:00Z"}}
    with place.database.connect("leadline_service") as connection:
        connection.execute("select leadline.enter(%s)", [token])
        for given in (
            {"reference": "i 1", "payload": {**row["payload"], "email": email}},
            {"reference": f"came {email.split('@')[0]}", "payload": {**row["payload"], "email": "z@z.example"}},
            {"reference": "i 2", "restores": True, "lead_id": str(lead_id),
             "payload": {**row["payload"], "email": "y@y.example"}},
        ):  # fmt: skip
            outcome = attempt(
                connection, "select result from leadline.import_leads(%s)", [json.dumps([given])]
            )
            assert str(lead_id) not in repr(outcome), given
        connection.rollback()


# -- what only Leadline says


@pytest.mark.parametrize("role", ["owner", "member", "app", "importer", "ai"])
def test_what_only_leadline_logs_is_refused_to_everybody(place: Office, role: str) -> None:
    lead_id, _ = arrive(place, None)
    with place.tenant.connect(role) as connection:
        if role == "member":
            [(lead_id,)] = connection.execute(
                "insert into leadline.leads (source) values ('x') returning lead_id"
            ).fetchall()
        before = state(place, lead_id)
        for activity_type in ("lead_resurrected", "person_erased", "direct_change", "callback_cancelled"):
            [(verdict, rule)] = connection.execute(REPORT, [lead_id, activity_type, "{}"]).fetchall()
            assert (verdict, rule) == ("refused", "ai_forbidden" if role == "ai" else "system_only")
        for activity_type in (
            *("person_erased", "people_merged", "people_unmerged", "account_changed"),
            "webhook_source_changed",
        ):
            outcome = attempt(
                connection,
                "insert into leadline.workspace_activity (activity_type, payload) values (%s, '{}') returning verdict",
                [activity_type],
            )
            assert outcome.rows in ([("refused",)], [])
        connection.rollback()
    assert role == "member" or state(place, lead_id) == before


FORGED = {
    "leads": ("hash", "seq", "version", "person_id", "merged_into", "waiting_since", "won_at", "lost_at", "lost_reason", "lost_notes",
              "is_possible_duplicate", "possible_duplicate_of", "rejection_reason", "first_contacted_at", "email_key", "email_stem",
              "phone_key", "status", "stage", "created_at", "last_touch_at"),
    "lead_activity": ("hash", "actor_kind", "actor_id", "writer", "rule", "changes", "activity_id", "seq", "version", "caused_by",
                      "content_hash", "transaction_id", "recorded_at", "from_stage", "to_status", "attention_since"),
    "workspace_activity": ("hash", "actor_kind", "writer", "rule", "changes", "caused_by"),
    "people": ("person_id",), "person_keys": ("key",), "accounts": ("name",), "requests": ("lead_id",), "outbox": ("topic",),
    "idempotency_keys": ("key",), "suppressions": ("key",),
}  # fmt: skip


@pytest.mark.parametrize("role", ["owner", "app", "importer", "member"])
def test_no_column_that_leadline_keeps_can_be_given_or_changed(place: Office, role: str) -> None:
    with place.tenant.connect(role) as connection:
        for table, columns in FORGED.items():
            for column in columns:
                insert = f"insert into leadline.{table} ({column}) values (default)"
                assert attempt(connection, insert).sqlstate == "42501", (table, column)
                update = f"update leadline.{table} set {column} = default"
                assert attempt(connection, update).sqlstate == "42501", (table, column)


def test_a_merge_that_pretends_to_be_leadlines_own_is_one_like_any_other(place: Office) -> None:
    """`from`, `kept` and `waiting_since` are Leadline's words: sent along they neither set a clock nor stand in the way of
    the undoing."""
    (one, _), (two, _), (three, _) = (arrive(place, None) for _ in range(3))
    with place.tenant.connect("owner", autocommit=True) as connection:
        said = {
            "into": str(two),
            "from": str(three),
            "waiting_since": "2001-01-01T00:00:00Z",
            "kept": "everything",
        }
        connection.execute(REPORT, [one, "leads_merged", json.dumps(said)])
        [(waiting,)] = place.oracle("select waiting_since from leadline.leads where lead_id = %s", [two])
        assert waiting is None or waiting.year > 2001
        connection.execute(REPORT, [one, "leads_unmerged", json.dumps({"from": str(two)})])
        connection.execute(REPORT, [one, "leads_unmerged", "{}"])
    rows = place.oracle("select status, merged_into from leadline.leads where lead_id = %s", [one])
    assert rows == [("active", None)]


def test_a_lead_that_was_merged_comes_back_by_being_unmerged_only(place: Office) -> None:
    (one, _), (two, _) = arrive(place, None), arrive(place, None)
    with place.tenant.connect("owner", autocommit=True) as connection:
        connection.execute(REPORT, [one, "leads_merged", json.dumps({"into": str(two)})])
        connection.execute(REPORT, [one, "lead_unarchived", "{}"])
    rows = place.oracle("select status, merged_into from leadline.leads where lead_id = %s", [one])
    assert rows in ([("archived", two)], [("active", None)])


def test_who_is_refused_leaves_no_address_with_a_person(place: Office, theirs: tuple[UUID, str]) -> None:
    """A refusal changes nothing: neither an AI's enquiry nor a malformed one gives the person a phone."""
    _, email = theirs
    key = "select count(*) from leadline.person_keys where key = '+491701112223'"
    for role, fault in (("ai", {}), ("app", {"request_class": "nonsense"})):
        with place.tenant.connect(role) as connection:
            outcome = attempt(
                connection, ENQUIRE, [enquiry(email=email, phone="+491701112223", **fault), None]
            )
            assert outcome.rows[0][1] == "refused"
            connection.execute(ENQUIRE, [enquiry(email=email, phone="+491701112223", **fault), None])
        assert place.oracle(key) == [(0,)], role


# -- an analyst


def test_an_analyst_reads_no_name_address_or_word(place: Office, theirs: tuple[UUID, str]) -> None:
    lead_id, email = theirs
    with place.tenant.connect("owner") as connection:
        connection.execute(ENQUIRE, [enquiry(email=email, external_id="ext-7", message="sesame"), None])
        lost = '{"lost_reason": "Other", "notes": "sesame"}'
        connection.execute(REPORT, [lead_id, "deal_lost", lost])
    [(name, phone)] = place.oracle("select name, phone from leadline.leads where lead_id = %s", [lead_id])
    with place.tenant.connect("analyst") as connection:
        for column in (
            "leads.lost_notes",
            "leads.email_stem",
            "leads.email_key",
            "requests.external_id",
            "person_keys.key",
            "person_contacts.key",
            "lead_contacts.lost_notes",
            "idempotency_keys.body",
        ):
            table, name_of = column.split(".")
            assert attempt(connection, f"select {name_of} from leadline.{table}").sqlstate == "42501", column
        seen = repr(all_that_is_seen(connection))
        for secret in (email, name, phone, "ext-7", "sesame"):
            assert secret not in seen, secret
        assert connection.execute("select from leadline.outbox").fetchall() == []
        for call in (
            "import_leads('[]')",
            f"export_person('{uuid4()}')",
            f"merge_people('{uuid4()}', '{uuid4()}')",
        ):
            assert attempt(connection, f"select leadline.{call}").sqlstate == "42501", call


# -- two workspaces


@pytest.fixture
def rivals(database: Database) -> Iterator[Rivals]:
    """Of which the foreign one is, at the end, what it was, and both are sound."""
    rivals = rival_workspaces(database)
    before = rows_of(rivals, rivals.foreign.id)
    yield rivals
    assert rows_of(rivals, rivals.foreign.id) == before
    assert faults(database.dsn()) == []


def rows_of(rivals: Rivals, workspace: UUID) -> list[tuple[Any, ...]]:
    """Every row of every table of a workspace, as text."""
    found: list[tuple[Any, ...]] = []
    for (table,) in rivals.oracle(
        "select c.oid::regclass::text from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'"
        " where c.relkind = 'r' and c.relnamespace in ('leadline'::regnamespace, 'leadline_internal'::regnamespace) order by 1"
    ):
        found += [
            (table, *row)
            for row in rivals.oracle(
                f"select t::text from {table} t where workspace_id = %s order by 1", [workspace]
            )
        ]
    return found


def test_the_same_person_writes_in_to_both_and_the_two_do_not_meet(rivals: Rivals) -> None:
    """Same e-mail, phone, references, person, company: the lead that is met, lost and back again, is the own one's."""
    with rivals.own.connect("app", autocommit=True) as connection:
        for number, said in enumerate(
            [
                enquiry(email=SHARED_EMAIL, phone="+34 699 987 654", message="again"),
                enquiry(email=f"one@{FOREIGN_WORD}.example", phone="+34 699 987 654"),
                enquiry(email=f"x@{FOREIGN_WORD}.example"),
                enquiry(email=f"two+tag@{FOREIGN_WORD}.example", exclusion="spam"),
            ]
        ):
            [(lead_id, verdict, _, changes)] = connection.execute(
                ENQUIRE, [said, f"enquiry x{number}"]
            ).fetchall()
            assert verdict == "applied"
            assert rivals.leaks(changes) == []
            whose = "select workspace_id from leadline.leads where lead_id = %s"
            assert rivals.oracle(whose, [lead_id]) == [(rivals.own.id,)]
        [(lead_id,)] = rivals.oracle(
            "select lead_id from leadline.lead_activity where workspace_id = %s and reference = 'enquiry x0'",
            [rivals.own.id],
        )
        rows = connection.execute(
            "select person_id, possible_duplicate_of from leadline.leads where lead_id = %s", [lead_id]
        ).fetchall()
        assert rows == [(rivals.shared_person, None)]
        repeated = connection.execute(LOG_ENQUIRY, [enquiry(email="other@x.example"), "enquiry 2"]).fetchone()
        assert repeated is not None
        assert repeated[0]["replayed"]
        assert rivals.leaks(repeated) == []


def test_an_account_of_another_workspace_routes_nothing_here(rivals: Rivals) -> None:
    """Neither as a customer's nor as a competitor's."""
    foreign = rivals.oracle(
        "select owner_user_id from leadline.accounts where workspace_id = %s", [rivals.foreign.id]
    )
    assert foreign == [(rivals.foreign_user,)]
    with rivals.own.connect("app", autocommit=True) as connection:
        [(lead_id, *_)] = connection.execute(
            ENQUIRE, [enquiry(email=f"new@{FOREIGN_WORD}.example"), None]
        ).fetchall()
        rows = connection.execute(
            "select route, owner_user_id from leadline.requests where lead_id = %s", [lead_id]
        ).fetchall()
        assert rows == [("new_business", None)]
        rows = connection.execute(
            "select account_id, assigned_user_id from leadline.lead_overview where lead_id = %s", [lead_id]
        ).fetchall()
        assert rows == [(None, None)]
    with rivals.own.connect("owner", autocommit=True) as connection:
        connection.execute(
            "select leadline.set_account(%s, %s, 'rival', 'competitor')",
            [rivals.own.id, f"{FOREIGN_WORD}.example"],
        )


def test_suppression_and_erasure_end_at_the_border(rivals: Rivals) -> None:
    """Everything that is known here of the person known to both goes; the other keeps every letter of them."""
    with rivals.own.connect("owner", autocommit=True) as connection:
        [(document,)] = connection.execute(
            "select leadline.export_person(%s)", [rivals.shared_person]
        ).fetchall()
        assert OWN_WORD in repr(document)
        assert rivals.leaks(document) == []
        [(gone,)] = connection.execute(
            "select leadline.erase_person(%s, 'asked')", [rivals.shared_person]
        ).fetchall()
        assert gone["people"] == [str(rivals.shared_person)]
        assert rivals.leaks(gone) == []
        [(lead_id, *_)] = connection.execute(ENQUIRE, [enquiry(email=SHARED_EMAIL), None]).fetchall()
        assert connection.execute(
            "select is_suppressed from leadline.lead_overview where lead_id = %s", [lead_id]
        ).fetchall() == [(True,)]
    hashes = rivals.oracle("select distinct workspace_id from leadline.suppressions where kind like '%_hash'")
    assert hashes == [(rivals.own.id,)]


def test_merging_people_and_leads_ends_at_the_border(rivals: Rivals) -> None:
    with rivals.own.connect("owner", autocommit=True) as connection:
        assert connection.execute(
            "select leadline.merge_people(%s, %s)", [rivals.shared_person, rivals.own_person]
        ).fetchone() == (True,)
        [(one,), (two,)] = connection.execute(
            "select lead_id from leadline.leads where lead_id = any (%s)",
            [[rivals.shared_lead, rivals.own_lead]],
        ).fetchall()
        connection.execute(REPORT, [one, "leads_merged", json.dumps({"into": str(two)})])
        connection.execute(REPORT, [one, "leads_unmerged", "{}"])
        assert connection.execute(
            "select leadline.unmerge_people(%s)", [rivals.shared_person]
        ).fetchone() == (True,)


def test_an_import_meets_the_own_leads_only(rivals: Rivals) -> None:
    """By address, by the reference of somebody else's, by the id of a lead that both have."""
    payload = {"workflow": "sales", "stage": "new", "entered_at": "2026-01-01T00:00:00Z"}
    rows = [
        {"reference": "row 1", "payload": {**payload, "email": f"two@{FOREIGN_WORD}.example"}, "tags": ["vip"]},
        {"reference": "row 2", "payload": {**payload, "email": f"two@{OWN_WORD}.example"}},
        {"reference": "row 3", "restores": True, "lead_id": str(rivals.foreign_lead),
         "payload": {**payload, "email": "a@b.example"}},
        {"reference": "tag_added 2", "payload": {**payload, "email": "c@d.example"}},
    ]  # fmt: skip
    with rivals.own.connect("importer", "import", autocommit=True) as connection:
        results = [
            row[0]
            for row in connection.execute("select result from leadline.import_leads(%s)", [json.dumps(rows)])
        ]
    assert [r["activity_type"] for r in results] == [
        "lead_imported",
        "inbound_enquiry",
        "lead_imported",
        "lead_imported",
    ], results
    assert rivals.leaks(results) == []
    whose = rivals.oracle(
        "select distinct workspace_id from leadline.leads where lead_id = any (%s::uuid[])",
        [[r["lead_id"] for r in results]],
    )
    assert whose == [(rivals.own.id,)]


def test_a_kept_answer_is_its_own_credentials(rivals: Rivals) -> None:
    """Both workspaces have a token of this id, this key and this route; each gets what it was answered."""
    claim = "select body from leadline.claim_idempotency_key('POST /leads', 'the key', sha256('asked'))"
    keep = "select leadline.keep_answer('POST /leads', %s, sha256('asked'), 200, 'application/json', 'new')"
    with rivals.database.connect("leadline_service") as connection:
        for token in (rivals.tokens["app"], rivals.foreign_token, rivals.tokens["owner"]):
            connection.execute("select leadline.enter(%s)", [token])
            word = FOREIGN_WORD if token == rivals.foreign_token else OWN_WORD
            assert connection.execute(claim).fetchone() == (word,)
        connection.execute("select leadline.enter(%s)", [rivals.tokens["app"]])
        connection.execute(keep, ["the key"])
        connection.execute(keep, ["another key"])
        connection.execute("select leadline.enter(%s)", [rivals.foreign_token])
        there = (
            "select body from leadline.claim_idempotency_key('POST /leads', 'another key', sha256('asked'))"
        )
        assert connection.execute(there).fetchone() == (None,)
    for door in ("app", "owner", "analyst"):
        with rivals.enter(door) as connection:
            assert attempt(connection, claim).sqlstate == "42501"
            assert attempt(connection, "select * from leadline.idempotency_keys").sqlstate == "42501"


def test_who_enters_by_no_token_gets_no_answer(rivals: Rivals) -> None:
    with rivals.database.connect("leadline_service") as connection:
        claim = "select * from leadline.claim_idempotency_key('POST /leads', 'the key', sha256('asked'))"
        assert attempt(connection, claim).sqlstate == "PT401"


# -- what nobody calls

MAY_CALL = """
    select p.oid::regprocedure::text from pg_proc p
    where p.pronamespace = 'leadline_internal'::regnamespace and p.prorettype <> 'trigger'::regtype
      and has_function_privilege(p.oid, 'execute') order by 1
"""
HARMLESS = {
    "email_of", "visible_text", "rules_version", "restored_up_to", "cluster_identifier", "forbid", "require_whole_view",
    "logged_before", "logged_before_in", "journals", "automated_writers", "lint_block", "texts", "is_no_fact",
    "read_instant", "read_id", "is_kind", "can_be_read", "place_has_what_it_needs",
}  # fmt: skip


@pytest.mark.parametrize(
    "door", ["app", "owner", "member", "importer", "ai", "analyst contacts", "service app", "service owner"]
)
def test_what_leadline_says_to_itself_is_not_for_others_to_say(rivals: Rivals, door: str) -> None:
    """No inner function that decides, writes or signs can be called, by name or with its schema first in the path."""
    with rivals.enter(door) as connection:
        open_to_me = {row[0] for row in connection.execute(MAY_CALL)}
        assert {signature.split(".")[-1].split("(")[0] for signature in open_to_me} <= HARMLESS
        connection.execute("set local search_path = leadline_internal, leadline, pg_catalog")
        for call in (
            f"enter_as('{rivals.foreign.id}', 'owner')",
            f"identify('{rivals.foreign.id}', '{SHARED_EMAIL}', null)",
            f"join_people('{rivals.own.id}', '{rivals.shared_person}', '{rivals.own_person}', null)",
            f"circle_around('{rivals.foreign.id}', '{rivals.shared_person}')",
            f"candidate('{rivals.foreign.id}', '{SHARED_EMAIL}', null)",
            f"has_open_lead('{rivals.foreign.id}', '{SHARED_EMAIL}', null)",
            f"keyed_hash('{rivals.own.id}', 'email', '{SHARED_EMAIL}')",
            f"kept_answer('{rivals.foreign.id}', null, 'x', 'x', 'x')",
            f"lead_to_meet('{rivals.foreign.id}', '{{}}', false)",
            f"is_listed('{rivals.foreign.id}', '{SHARED_EMAIL}', null)",
            f"way_of('{rivals.foreign.id}', '{rivals.shared_person}')",
            f"undecided_requests('{rivals.foreign.id}', '{rivals.foreign_lead}')",
            f"expire_approvals('{rivals.own.id}', now())",
            f"may_approve('{rivals.own.id}', 'owner')",
            f"require_contact(null, '{rivals.own.id}', '{rivals.own_person}')",
            f"person_is_visible_to(null, '{rivals.own.id}', '{rivals.own_person}')",
            "propose(null, null, 'client')",
            "bear_opportunity(null, null)",
            "bear_subscription(null, null)",
            "keep_approvals(null)",
            "keep_renewal_cycle(null, '{}')",
            "convert_lead(null, '{}', null)",
            "carry_out_qualification(null, '{}', null)",
            "put_back(null, 'new', now())",
            "caller()",
        ):
            assert attempt(connection, f"select {call}").sqlstate == "42501", call
        for relation in (
            "suppression_key",
            "context_key",
            "lead_acts",
            "lead_waits",
            "activity_references",
            "rulings",
        ):
            assert attempt(connection, f"select * from leadline_internal.{relation}").sqlstate == "42501", (
                relation
            )


def test_names_in_the_way_change_no_match(rivals: Rivals) -> None:
    """Temporary tables, functions and types under the names that the matching uses: it does not look at them."""
    with rivals.database.connect() as connection:
        connection.execute(f"grant temporary on database {rivals.database.name} to public")
    with rivals.enter("app") as connection:
        for statement in (
            "create temporary table leads as select * from leadline.leads with no data",
            "create temporary table people (workspace_id uuid, person_id uuid, merged_into uuid)",
            "create temporary table person_keys (workspace_id uuid, kind text, key text, person_id uuid)",
            "create temporary table accounts (workspace_id uuid, domain text, kind text)",
            f"create function pg_temp.email_key(text) returns text language sql return '{SHARED_EMAIL}'",
            f"create function pg_temp.lower(text) returns text language sql return '{SHARED_EMAIL}'",
            f"create function pg_temp.split_part(text, text, int) returns text language sql return '{FOREIGN_WORD}.example'",
            "set local search_path = pg_temp, leadline_internal, leadline, pg_catalog",
        ):
            connection.execute(statement)
        [(lead_id, verdict, _, changes)] = connection.execute(
            ENQUIRE, [enquiry(email="unheard@of.example"), None]
        ).fetchall()
        rows = connection.execute(
            "select seq, email_key from leadline.leads where lead_id = %s", [lead_id]
        ).fetchall()
        assert rows == [(1, "unheard@of.example")]
        assert (verdict, rivals.leaks(changes)) == ("applied", [])
