"""Relationships, approvals, deals and subscriptions against everybody who should not touch them: members, apps, billing,
analysts, another workspace with the same ids, and a hand that has the keys to the house."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from app.postgres import Server
from tests.databases import Database, clone
from tests.office import DOORS, Office, open_office
from tests.py.rival_layers import SUBJECTS, Desk, Layers, Payload, Set, add_desk, add_layers, value
from tests.rivals import OWN_WORD, Connection, Outcome, attempt, relations, rival_workspaces
from tests.tenant import faults

LOG = "select leadline.log_in_journal(%s, %s, %s, %s, %s, null, %s)"
INSERT = """
    insert into leadline.{journal} ({subject}, activity_type, payload, reference, on_behalf_of)
    values (%s, %s, %s, %s, %s) returning verdict, rule, {subject}
"""
JOURNALS = tuple(SUBJECTS)


@pytest.fixture(scope="module")
def desk(server: Server, template: str) -> Iterator[Desk]:
    """In which members see what is assigned to them."""
    with clone(server, template) as database:
        yield add_desk(open_office(database))
        assert faults(database.dsn()) == []


@pytest.fixture(scope="module")
def layers(server: Server, template: str) -> Iterator[Layers]:
    """Two workspaces with the same ids; what is done in the own one leaves no trace in the other."""
    with clone(server, template) as database:
        layers = add_layers(rival_workspaces(database))
        before = rows_of(layers.rivals.database, layers.rivals.foreign.id)
        yield layers
        assert rows_of(database, layers.rivals.foreign.id) == before
        assert faults(database.dsn()) == []


def rows_of(database: Database, workspace: UUID) -> list[tuple[Any, ...]]:
    """Every row of every table of a workspace, as text."""
    found: list[tuple[Any, ...]] = []
    with database.connect() as connection:
        tables = connection.execute(
            "select c.oid::regclass::text from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'"
            " where c.relkind = 'r' and c.relnamespace in ('leadline'::regnamespace, 'leadline_internal'::regnamespace) order by 1"
        ).fetchall()
        for (table,) in tables:
            rows = connection.execute(
                f"select t::text from {table} t where workspace_id = %s order by 1", [workspace]
            )
            found += [(table, *row) for row in rows]
    return found


def say(
    connection: Connection, journal: str, subject: UUID | None, activity_type: str, payload: Payload | None = None,
    reference: str | None = None, on_behalf_of: UUID | None = None,
) -> Outcome:  # fmt: skip
    """Report by an insert that commits nothing: its verdict, rule and subject, or what was raised."""
    statement = INSERT.format(journal=journal, subject=SUBJECTS[journal])
    return attempt(
        connection, statement, [subject, activity_type, json.dumps(payload or {}), reference, on_behalf_of]
    )


def verdict(outcome: Outcome) -> str:
    """'applied', 'refused approver_needed', 'PT404'."""
    return outcome.sqlstate or " ".join(str(word) for word in outcome.rows[0][:2] if word)


@contextmanager
def app_of(office: Office, role: str = "app") -> Iterator[Connection]:
    """A connection of a machine that may act as a member; it commits nothing."""
    with office.tenant.connect(role, "act_as") as connection:
        yield connection
        connection.rollback()


def user_of(office: Office, role: str) -> UUID:
    """The person behind the office's login with this role."""
    login = office.tenant.login(role)
    [(user,)] = office.oracle("select user_id from leadline.workspace_logins where login = %s", [login])
    found: UUID = user
    return found


# -- approvals


@pytest.fixture(params=[None, "member", "admin", "owner"])
def approvers(desk: Desk, request: pytest.FixtureRequest) -> Iterator[str | None]:
    """The least role that the workspace lets approve."""
    change = (
        "insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', %s)"
    )
    for setting in (request.param, None):
        with desk.office.tenant.connect("owner") as connection:
            connection.execute(change, [json.dumps({"approvers": setting})])
        if setting is request.param:
            yield setting
        if request.param is None:
            return


@pytest.mark.parametrize("answer", ["approval_granted", "approval_declined"])
def test_who_may_answer_is_who_the_workspace_says_and_a_person(
    desk: Desk, approvers: str | None, answer: str
) -> None:
    """By a login of one's own, or by an app that speaks for somebody: with their right, never with the app's."""
    office, mine = desk.office, desk.mine
    yes = "applied" if answer == "approval_granted" else "noted"
    asked = ("relationship_activity", mine.person, answer, {"approval_id": str(mine.approval), "reason": "x"})
    ranks = ["member", "admin", "owner"]
    wanted = {role: ranks.index(role) >= ranks.index(approvers or "admin") for role in ranks}
    expected = {role: yes if may else "refused approver_needed" for role, may in wanted.items()}
    people = {role: user_of(office, role) for role in ("admin", "owner")} | {"member": office.me}
    for door in DOORS:
        with office.enter(door) as connection:
            assert verdict(say(connection, *asked)) == expected["member"]
    for role in ("admin", "owner"):
        with office.tenant.connect(role) as connection:
            assert verdict(say(connection, *asked)) == expected[role]
            connection.rollback()
    with app_of(office) as connection:
        assert verdict(say(connection, *asked)) == "refused needs_a_person"
        for role, person in people.items():
            assert verdict(say(connection, *asked, on_behalf_of=person)) == expected[role], role
    for machine, refusal in (
        ("importer", "refused writer_not_allowed"),
        ("billing", "refused writer_not_allowed"),
        ("ai", "refused ai_forbidden"),
    ):
        with office.tenant.connect(machine) as connection:
            assert verdict(say(connection, *asked)) == refusal
            connection.rollback()


def test_an_approver_answers_only_for_people_in_sight(desk: Desk, approvers: str | None) -> None:
    """Not for a person out of sight, not by an approval of somebody else's, not even when members approve."""
    office, mine, theirs = desk.office, desk.mine, desk.theirs
    with office.enter("login") as connection:
        for person, approval, sqlstate in (
            (theirs.person, theirs.approval, "PT404"),
            (mine.person, theirs.approval, "PT404"),
            (theirs.person, mine.approval, "PT404"),
            (mine.person, desk.nobodys.approval, "PT404"),
        ):
            for answer in ("approval_granted", "approval_declined", "approval_expired"):
                payload = {"approval_id": str(approval)}
                assert say(connection, "relationship_activity", person, answer, payload).sqlstate == sqlstate
        assert connection.execute(
            "select person_id from leadline.approvals where status = 'open'"
        ).fetchall() == [(mine.person,)]


def test_yes_in_advance_is_a_right_of_those_who_may_say_yes(desk: Desk) -> None:
    """`approve` in a payload moves nobody to client: not an app's, not a member's, whoever an app speaks for."""
    office, mine = desk.office, desk.mine
    won = {"amount": 5, "close_date": "2031-01-01", "approve": True}
    stage = "select stage from leadline.people where person_id = %s"
    win = "insert into leadline.opportunity_activity (opportunity_id, activity_type, payload, on_behalf_of) values (%s, 'opportunity_won', %s, %s)"
    jump = {"to": "client", "reason": "x", "approve": True}
    owner = user_of(office, "owner")
    for speaks_for, reached in ((None, "opportunity"), (office.me, "opportunity"), (owner, "client")):
        with app_of(office) as connection:
            held = verdict(
                say(connection, "relationship_activity", mine.person, "relationship_advanced", jump)
            )
            assert held == "noted approval_pending"
            connection.execute(win, [mine.opportunity, json.dumps(won), speaks_for])
            assert value(connection, stage, mine.person) == reached, speaks_for


def test_an_app_does_not_go_round_the_approval(desk: Desk) -> None:
    """By a stage beyond, by going back, by closing, by another journal's word, by words of Leadline's own."""
    office, mine = desk.office, desk.mine
    ways: tuple[tuple[str, Payload, str], ...] = (
        ("relationship_advanced", {"to": "active", "reason": "x"}, "held client_needs_a_person"),
        (
            "relationship_advanced",
            {"to": "onboarding", "reason": "x", "approve": True},
            "held client_needs_a_person",
        ),
        (
            "relationship_advanced",
            {"to": "prospect", "reason": "x", "backward": True},
            "refused backward_move",
        ),
        ("relationship_closed", {"reason": "x"}, "refused needs_a_person"),
        ("relationship_joined", {"from": str(desk.theirs.person)}, "refused system_only"),
        ("approval_expired", {"approval_id": str(mine.approval)}, "refused system_only"),
        ("direct_change", {"stage": "client"}, "refused system_only"),
        ("person_erased", {}, "PT422"),
        ("opportunity_won", {}, "PT422"),
        ("sale", {"approve": True}, "PT422"),
    )
    before = office.oracle("select p::text from leadline.people p where person_id = %s", [mine.person])
    with app_of(office) as connection:
        for activity_type, payload, expected in ways:
            said = say(connection, "relationship_activity", mine.person, activity_type, payload)
            assert verdict(said) == expected, activity_type
    assert (
        office.oracle("select p::text from leadline.people p where person_id = %s", [mine.person]) == before
    )


# -- forgeries


@pytest.mark.parametrize("journal", JOURNALS)
@pytest.mark.parametrize(
    "given",
    ["writer = 'workflow:lead-outcome'", "caused_by = 1", "actor_kind = 'system'", "verdict = 'applied'",
     "changes = '{}'", "workspace_id = null", "to_stage = 'client'", "activity_id = 1"],
)  # fmt: skip
def test_nobody_signs_as_leadline(desk: Desk, journal: str, given: str) -> None:
    """No column of authorship or decision is given, by no login, not even as null."""
    column, text = given.split(" = ")
    for role in ("app", "owner", "importer", "billing", "ai"):
        with desk.office.tenant.connect(role) as connection:
            for word in (text, "null", "default"):
                statement = (
                    f"insert into leadline.{journal} (activity_type, {column}) values ('note_added', {word})"
                )
                assert attempt(connection, statement).sqlstate == "42501", (role, word)


def test_what_a_payload_says_of_its_author_is_a_text_and_nothing_else(desk: Desk) -> None:
    """writer, caused_by, lead_id: kept with what else was said, and believed by nobody."""
    office, mine = desk.office, desk.mine
    forged = {"writer": "workflow:lead-outcome", "caused_by": 1, "actor_kind": "user", "verdict": "applied"}
    opened = {"pipeline": "expansion", "person_id": str(mine.person), "lead_id": str(office.theirs)}
    rows = "select writer, caused_by, actor_kind, verdict from leadline.{0} where {1} = %s order by seq desc limit 1"
    with office.tenant.connect("app") as connection:
        for journal, subject, activity_type, payload, told in (
            ("relationship_activity", mine.person, "relationship_advanced", {"to": "client", "reason": "x"},
             ("app", None, "integration", "noted")),
            ("opportunity_activity", mine.opportunity, "amount_changed", {"amount": 7},
             ("app", None, "integration", "applied")),
        ):  # fmt: skip
            connection.execute(
                INSERT.format(journal=journal, subject=SUBJECTS[journal]),
                [subject, activity_type, json.dumps(payload | forged), None, None],
            )
            row = connection.execute(rows.format(journal, SUBJECTS[journal]), [subject]).fetchone()
            assert row == told
        row = connection.execute(
            INSERT.format(journal="opportunity_activity", subject="opportunity_id"),
            [None, "opportunity_opened", json.dumps(opened | forged), None, None],
        ).fetchone()
        assert row is not None
        born = "select lead_id from leadline.opportunities where opportunity_id = %s"
        assert connection.execute(born, [row[2]]).fetchall() == [(None,)]
        connection.rollback()


# Who may say what, by the specification (sections B, G and H).
RELATIONSHIP = {"relationship_advanced": {"to": "client", "reason": "x"}, "relationship_closed": {"reason": "x"},
                "approval_granted": {"approval_id": ""}, "approval_declined": {"approval_id": ""},
                "product_signal_seen": {"signal": "x", "observed_at": "2026-01-01T00:00:00Z", "reason": "x",
                                        "expires_at": "2031-01-01T00:00:00Z"}}  # fmt: skip
DEALS: dict[str, Payload] = {
    "opportunity_opened": {"pipeline": "expansion", "person_id": ""}, "opportunity_advanced": {"to_stage": "proposal"},
    "opportunity_won": {}, "opportunity_lost": {"lost_reason": "Price"}, "amount_changed": {"amount": 1},
    "opportunity_assigned": {"assigned_user_id": None}, "contact_role_set": {"person_id": "", "role": "other"},
    "stage_corrected": {"to_stage": "evaluation", "reason": "other", "notes": "x"},
}  # fmt: skip
BILLING: dict[str, Payload] = {
    "subscription_started": {"person_id": ""}, "payment_succeeded": {}, "payment_failed": {},
    "subscription_cancelled": {}, "renewal_opened": {"period_start": "2030-01-01", "period_end": "2031-01-01"},
    "renewal_renewed": {}, "renewal_churned": {"reason": "x"},
}  # fmt: skip
LEADS: dict[str, Payload] = {
    "lead_created": {}, "contact_attempted": {}, "sale": {"deal_value": 1}, "dnc": {}, "inbound_enquiry": {},
    "lead_assigned": {"assigned_user_id": None}, "contact_changed": {"name": "x"}, "note_added": {"text": "x"},
    "lead_converted": {}, "request_accepted": {}, "lead_qualified": {}, "tag_added": {"tag": "x"},
}  # fmt: skip


def with_ids(payload: Payload, who: Set) -> Payload:
    """A payload with the ids it leaves open."""
    ids = {"person_id": str(who.person), "approval_id": str(who.approval)}
    return {key: ids[key] if given == "" else given for key, given in payload.items()}


@pytest.mark.parametrize("role", ["app", "owner", "admin", "importer", "ai", "member"])
def test_only_billing_writes_what_is_paid(desk: Desk, role: str) -> None:
    """A refusal, that changes nothing; a subscription that somebody else would start is not there afterwards."""
    office, mine = desk.office, desk.mine
    refused = "ai_forbidden" if role == "ai" else "writer_not_allowed"
    connect = office.enter("login") if role == "member" else office.tenant.connect(role)
    with connect as connection:
        for activity_type, payload in BILLING.items():
            birth = activity_type == "subscription_started"
            subject = None if birth else mine.subscription
            said = say(connection, "customer_activity", subject, activity_type, with_ids(payload, mine))
            if birth:
                assert said.sqlstate == "PT409", activity_type
                assert refused in said.said
            else:
                assert said.rows == [("refused", refused, mine.subscription)], activity_type
        connection.rollback()


@pytest.mark.parametrize("role", ["billing", "billing act_as", "importer"])
def test_billing_and_importers_move_no_relationship_and_no_deal(desk: Desk, role: str) -> None:
    """Whatever they say of a person or a deal, and billing of a lead, also for an owner who is spoken for."""
    office, mine = desk.office, desk.mine
    kind, *scopes = role.split()
    behalf = user_of(office, "owner") if scopes else None
    lead = INSERT.format(journal="lead_activity", subject="lead_id")
    with office.tenant.connect(kind, *scopes) as connection:
        for words, journal, subject in (
            (RELATIONSHIP, "relationship_activity", mine.person),
            (DEALS, "opportunity_activity", mine.opportunity),
            (LEADS, "lead_activity", office.mine),
        ):
            if journal == "lead_activity" and kind == "importer":
                continue  # whose leads they are
            for activity_type, payload in words.items():
                about = None if activity_type in ("opportunity_opened", "lead_created") else subject
                given = [about, activity_type, json.dumps(with_ids(payload, mine)), None, behalf]
                statement = (
                    lead
                    if journal == "lead_activity"
                    else INSERT.format(journal=journal, subject=SUBJECTS[journal])
                )
                said = attempt(connection, statement, given)
                if about is None:
                    assert said.sqlstate == "PT409", activity_type
                    assert "writer_not_allowed" in said.said
                else:
                    assert said.rows == [("refused", "writer_not_allowed", subject)], activity_type
        bare = "insert into leadline.leads (source) values ('x')"
        assert attempt(connection, bare).sqlstate == (None if kind == "importer" else "PT409")
        connection.rollback()


SYSTEM = {
    "relationship_activity": ("direct_change", "approval_expired", "relationship_joined"),
    "opportunity_activity": ("direct_change", "conversion_undone", "person_erased"),
    "customer_activity": ("direct_change",),
}


@pytest.mark.parametrize("role", ["app", "owner", "importer", "billing", "service owner"])
@pytest.mark.parametrize("journal", JOURNALS)
def test_what_leadline_logs_itself_is_refused_from_everybody(layers: Layers, journal: str, role: str) -> None:
    """And a hand that says it was a hand has changed nothing."""
    shared = layers.shared
    subject = {
        "relationship_activity": shared.person,
        "opportunity_activity": shared.opportunity,
        "customer_activity": shared.subscription,
    }
    payload = {
        "approval_id": str(shared.approval),
        "from": str(layers.own.person),
        "login": "postgres",
        "stage": "active",
    }
    with layers.rivals.enter(role) as connection:
        for activity_type in SYSTEM[journal]:
            said = say(connection, journal, subject[journal], activity_type, payload)
            assert said.rows == [("refused", "system_only", subject[journal])], activity_type


# -- whoever is spoken for


def test_one_who_is_spoken_for_reaches_what_they_see(desk: Desk) -> None:
    """By every door: on a subject, at a birth, in a payload."""
    office, mine, theirs = desk.office, desk.mine, desk.theirs
    advance = {"to": "active", "reason": "x"}
    for who, expected in (
        (mine, None),
        (theirs, "PT404"),
        (desk.nobodys, "PT404"),
        (Set(*(uuid4() for _ in Set._fields)), "PT404"),
    ):
        opened = {"pipeline": "expansion", "person_id": str(who.person)}
        with app_of(office) as connection:
            for journal, subject, activity_type, payload in (
                ("relationship_activity", who.person, "relationship_advanced", advance),
                ("relationship_activity", who.person, "approval_granted", {"approval_id": str(who.approval)}),
                ("opportunity_activity", who.opportunity, "amount_changed", {"amount": 8}),
                ("opportunity_activity", None, "opportunity_opened", opened),
                (
                    "opportunity_activity",
                    mine.opportunity,
                    "contact_role_set",
                    {"person_id": str(who.person), "role": "other"},
                ),
            ):
                said = say(connection, journal, subject, activity_type, payload, on_behalf_of=office.me)
                assert said.sqlstate == expected, (activity_type, said)
                logged = [journal, subject, activity_type, json.dumps(payload), None, office.me]
                assert attempt(connection, LOG, logged).sqlstate == expected, activity_type
        with app_of(office, "billing") as connection:
            for subject, activity_type, payload in (
                (who.subscription, "payment_succeeded", {}),
                (None, "subscription_started", {"person_id": str(who.person)}),
            ):
                said = say(
                    connection, "customer_activity", subject, activity_type, payload, on_behalf_of=office.me
                )
                assert said.sqlstate == expected, (activity_type, said)


def test_a_repeated_birth_is_answered_to_those_who_see_what_was_born(desk: Desk) -> None:
    """Not to a member whose deal it is not, and not to an app that speaks for them."""
    office, mine = desk.office, desk.mine
    opened = {"pipeline": "expansion", "person_id": str(mine.person), "amount": 4711}
    born: list[Any] = ["opportunity_activity", None, "opportunity_opened"]
    reference = f"birth {uuid4()}"
    with office.tenant.connect("owner") as connection:
        theirs = opened | {"assigned_user_id": str(office.colleague)}
        connection.execute(LOG, [*born, json.dumps(theirs), reference, None])
    with office.tenant.connect("app", "act_as") as connection:
        own = attempt(connection, LOG, [*born, json.dumps(opened), reference, None])
        assert own.rows[0][0]["replayed"]
        for behalf, sqlstate in ((office.colleague, None), (office.me, "PT404")):
            said = attempt(connection, LOG, [*born, json.dumps(opened), reference, behalf])
            assert said.sqlstate == sqlstate, said
        connection.rollback()
    for door in DOORS:
        with office.enter(door) as connection:
            assert attempt(connection, LOG, [*born, json.dumps(opened), reference, None]).sqlstate == "PT404"
            assert say(connection, born[0], None, born[2], opened, reference).rows == []


# -- giving away


GIVE = """
    insert into leadline.opportunity_activity (opportunity_id, activity_type, payload, reference)
    values (%s, 'opportunity_assigned', jsonb_build_object('assigned_user_id', %s::text), %s)
    returning verdict, rule, changes -> 'assigned_user_id' -> 1, seq
"""


@pytest.mark.parametrize("whom", ["colleague", "nobody"])
@pytest.mark.parametrize("door", DOORS)
def test_a_deal_that_was_given_away_answers_once_and_is_gone(desk: Desk, door: str, whom: str) -> None:
    """RETURNING answers; of the deal its own words of this transaction stay in sight and nothing else; the person stays
    for their lead's sake. Whatever follows, the repeat of the very reference too, is about a deal that is not there."""
    office, deal = desk.office, desk.mine.opportunity
    to = str(office.colleague) if whom == "colleague" else None
    with office.enter(door) as connection:
        given = connection.execute(GIVE, [deal, to, "given 1"]).fetchone()
        assert given is not None
        assert given[:3] == ("applied", None, to)
        for relation in ("opportunities", "opportunity_overview", "opportunity_contacts"):
            found = connection.execute(f"select from leadline.{relation} where opportunity_id = %s", [deal])
            assert found.fetchall() == [], relation
        journal = "select seq from leadline.opportunity_activity where opportunity_id = %s"
        assert connection.execute(journal, [deal]).fetchall() == [(given[3],)]
        about = "select from leadline.person_timeline where subject_id = %s"
        assert connection.execute(about, [deal]).fetchall() == []
        for statement, parameters in (
            (GIVE, [deal, to, "given 1"]),
            (GIVE, [deal, to, "given 2"]),
            (GIVE, [deal, str(office.me), None]),
            (LOG, ["opportunity_activity", deal, "opportunity_assigned", json.dumps({"assigned_user_id": to}), "given 1", None]),
            (LOG, ["opportunity_activity", deal, "opportunity_lost", '{"lost_reason": "Price"}', None, None]),
        ):  # fmt: skip
            gone = attempt(connection, statement, parameters)
            unknown = attempt(
                connection, statement, [uuid4() if given == deal else given for given in parameters]
            )
            assert gone.sqlstate == "PT404", parameters
            if "given 1" not in parameters:
                assert gone == unknown
        people = connection.execute("select person_id from leadline.people").fetchall()
        assert (desk.mine.person,) in people


@pytest.mark.parametrize("door", DOORS)
def test_log_in_journal_answers_for_a_deal_that_it_gives_away(desk: Desk, door: str) -> None:
    """The whole answer; its repeat is PT404."""
    office, deal = desk.office, desk.mine.opportunity
    given = [
        "opportunity_activity",
        deal,
        "opportunity_assigned",
        '{"assigned_user_id": null}',
        "given 3",
        None,
    ]
    with office.enter(door) as connection:
        answer = value(connection, LOG, *given)
        assert answer["verdict"] == "applied"
        assert answer["opportunity_id"] == str(deal)
        assert not answer["replayed"]
        assert attempt(connection, LOG, given).sqlstate == "PT404"
    with office.database.connect(office.login, autocommit=True) as connection:
        batch = """
            insert into leadline.opportunity_activity (opportunity_id, activity_type, payload)
            values (%(deal)s, 'opportunity_assigned', '{"assigned_user_id": null}'), (%(deal)s, 'amount_changed', '{"amount": 1}')
        """
        with pytest.raises(psycopg.errors.Error) as raised:
            connection.execute(batch, {"deal": deal})
        assert raised.value.sqlstate == "PT404", "a statement that goes on about it fails whole"
        assert (
            len(
                connection.execute(
                    "select from leadline.opportunities where opportunity_id = %s", [deal]
                ).fetchall()
            )
            == 1
        )


@pytest.mark.parametrize("door", DOORS)
def test_a_deal_for_somebody_else_is_answered_and_theirs(desk: Desk, door: str) -> None:
    """Its repeat is about a deal that is not there, also in the very transaction."""
    office, mine = desk.office, desk.mine
    birth = {
        "pipeline": "expansion",
        "person_id": str(mine.person),
        "assigned_user_id": str(office.colleague),
    }
    statement = INSERT.format(journal="opportunity_activity", subject="opportunity_id")
    with office.enter(door) as connection:
        row = connection.execute(
            statement, [None, "opportunity_opened", json.dumps(birth), "for them", None]
        ).fetchone()
        assert row is not None
        assert row[:2] == ("applied", None)
        born = connection.execute("select from leadline.opportunities where opportunity_id = %s", [row[2]])
        assert born.fetchall() == []
        repeat = [None, "opportunity_opened", json.dumps(birth), "for them", None]
        assert connection.execute(statement, repeat).fetchall() == []
        assert attempt(connection, LOG, ["opportunity_activity", *repeat]).sqlstate == "PT404"


def test_the_person_of_an_only_deal_comes_and_goes_with_it(desk: Desk) -> None:
    """With all that is told of them; without the colleague's leads, their requests and their addresses."""
    office, theirs = desk.office, desk.theirs
    with only_deal(desk) as connection:
        for relation in (
            "people",
            "contacts",
            "relationship_timeline",
            "approval_queue",
            "subscription_overview",
        ):
            found = connection.execute(
                f"select from leadline.{relation} where person_id = %s", [theirs.person]
            )
            assert found.fetchall() != [], relation
        for relation in ("leads", "requests", "person_keys", "request_ledger"):
            found = connection.execute(
                f"select from leadline.{relation} where person_id = %s", [theirs.person]
            )
            assert found.fetchall() == [], relation
        told = "select distinct journal from leadline.person_timeline where person_id = %s order by 1"
        journals = [journal for (journal,) in connection.execute(told, [theirs.person])]
        assert journals == ["customer_activity", "opportunity_activity", "relationship_activity"]
        connection.execute(GIVE, [theirs.opportunity, str(office.colleague), None])
        for relation in (
            "people",
            "contacts",
            "relationship_activity",
            "approvals",
            "subscriptions",
            "renewal_cycles",
        ):
            key = "subscription_id" if relation == "renewal_cycles" else "person_id"
            gone = theirs.subscription if relation == "renewal_cycles" else theirs.person
            found = connection.execute(f"select from leadline.{relation} where {key} = %s", [gone])
            assert found.fetchall() == [], relation


@contextmanager
def only_deal(desk: Desk) -> Iterator[Connection]:
    """The member's connection in a transaction in which the colleague's deal was handed to them; it commits nothing."""
    office = desk.office
    with office.database.connect() as connection:
        connection.execute(
            "insert into leadline.opportunity_activity (workspace_id, opportunity_id, activity_type, payload, actor_kind, writer)"
            " values (%s, %s, 'opportunity_assigned', %s, 'user', 'person')",
            [office.tenant.id, desk.theirs.opportunity, json.dumps({"assigned_user_id": str(office.me)})],
        )
        connection.execute(f"set local session authorization {office.login}")
        yield connection
        connection.rollback()


# -- what one sees must not open what one does not


def test_a_signal_opens_no_address_that_stands_on_others_leads(server: Server, template: str) -> None:
    """A member knows a person by one address, the colleague by another as well. A product signal that opens a request
    goes to the person; the member's deal does not make the member the keeper of the colleague's address."""
    with clone(server, template) as database:
        office = open_office(database)
        with office.tenant.connect("owner") as connection:
            made = "insert into leadline.leads (source, email, assigned_user_id) values ('web', 'zed@both.example', %s) returning lead_id, person_id"
            rows = [connection.execute(made, [user]).fetchone() for user in (office.colleague, office.me)]
            assert rows[0] is not None
            assert rows[1] is not None
            assert rows[0][1] == rows[1][1], "one person"
            report = (
                "insert into leadline.lead_activity (lead_id, activity_type, payload) values (%s, %s, %s)"
            )
            connection.execute(
                report, [rows[0][0], "contact_changed", '{"email": "aaa.hidden@both.example"}']
            )
            connection.execute(report, [rows[0][0], "refused", "{}"])
        person = rows[0][1]
        signal = {
            "signal": "seats", "observed_at": "2026-01-01T00:00:00Z", "expires_at": "2031-01-01T00:00:00Z",
            "reason": "x", "opens_request": True,
        }  # fmt: skip
        with office.database.connect(office.login) as connection:
            assert "hidden" not in repr(everything(connection))
            deal = {"pipeline": "new_business", "person_id": str(person)}
            for journal, subject, activity_type, payload in (
                ("opportunity_activity", None, "opportunity_opened", deal),
                ("relationship_activity", person, "product_signal_seen", signal),
            ):
                connection.execute(LOG, [journal, subject, activity_type, json.dumps(payload), None, None])
            assert "hidden" not in repr(everything(connection))


def everything(connection: Connection) -> list[Any]:
    """Every row that the caller can read."""
    return [
        connection.execute(
            "select " + ", ".join(f'"{c}"::text' for c in columns) + f" from {relation}"
        ).fetchall()
        for relation, columns in relations(connection).items()
    ]


@pytest.mark.parametrize("journal", JOURNALS)
def test_nobody_waits_for_what_they_do_not_see(desk: Desk, journal: str) -> None:
    """A row that somebody else is working on answers PT404 as fast as one that is not there."""
    office, theirs = desk.office, desk.theirs
    subject = {
        "relationship_activity": theirs.person,
        "opportunity_activity": theirs.opportunity,
        "customer_activity": theirs.subscription,
    }
    word = {
        "relationship_activity": "relationship_closed",
        "opportunity_activity": "opportunity_won",
        "customer_activity": "payment_failed",
    }
    payload = {"reason": "x"} if journal == "relationship_activity" else {}
    state = {
        "relationship_activity": "people",
        "opportunity_activity": "opportunities",
        "customer_activity": "subscriptions",
    }
    with office.database.connect() as working, office.enter("login") as connection:
        working.execute(
            f"select from leadline.{state[journal]} where {SUBJECTS[journal]} = %s for no key update",
            [subject[journal]],
        )
        connection.execute("set local lock_timeout = '100ms'")
        for one in (subject[journal], uuid4()):
            assert say(connection, journal, one, word[journal], payload).sqlstate == "PT404"
        working.rollback()


def test_whoever_leaves_leaves_no_deal_behind(server: Server, template: str) -> None:
    """Deals go where the leads go."""
    with clone(server, template) as database:
        desk = add_desk(open_office(database))
        office = desk.office
        leave = "select leadline.deactivate_member(%s, %s, %s)"
        office.tenant.ask(leave, office.tenant.id, office.me, office.colleague)
        whose = "select assigned_user_id from leadline.opportunities where opportunity_id = %s"
        assert office.oracle(whose, [desk.mine.opportunity]) == [(office.colleague,)]
        assert faults(database.dsn()) == []


# -- analysts

WORDS = (
    "asks", "refused", "is slow", "decides", "invites all", "pays", "signed", "does not pay", "goes", "now", "boss", "waits",
    "was too dear", "writes", "said",
)  # fmt: skip
HIDDEN = (
    *(
        "opportunities.problem",
        "opportunities.decision_process",
        "opportunities.next_step",
        "opportunities.lost_notes",
    ),
    *(
        "renewal_cycles.churn_reason",
        "leads.problem",
        "leads.timing",
        "leads.buying_role",
        "leads.lost_notes",
    ),
    *(
        "opportunity_contacts.problem",
        "opportunity_contacts.next_step",
        "requests.external_id",
        "person_keys.key",
    ),
)


def test_an_analyst_reads_what_happened_and_not_what_was_said(layers: Layers) -> None:
    """Without contacts no word of anybody; with contacts all of them."""
    phrases = [f"{OWN_WORD} {word}" for word in WORDS]
    with layers.rivals.enter("analyst") as connection:
        for column in HIDDEN:
            table, name = column.split(".")
            assert attempt(connection, f"select {name} from leadline.{table}").sqlstate == "42501", column
        seen = repr(everything(connection))
        assert [phrase for phrase in [*phrases, f"meet {OWN_WORD}"] if phrase in seen] == []
        for view, column in (
            ("relationship_stage_events", "reason"), ("product_signals", "reason"), ("product_signals_at(now())", "reason"),
        ):  # fmt: skip
            rows = connection.execute(f"select {column} from leadline.{view}").fetchall()
            assert set(rows) == {(None,)}, view
        for view in ("relationship_timeline", "opportunity_timeline", "customer_timeline", "person_timeline"):
            keys = connection.execute(f"select jsonb_object_keys(payload) from leadline.{view}").fetchall()
            assert {key for (key,) in keys} & {
                "reason",
                "problem",
                "decision_process",
                "next_step",
                "notes",
            } <= {"reason"}
            told = connection.execute(
                f"select payload ->> 'reason' from leadline.{view} where activity_type not in ('lead_recycled')"
            )
            assert set(told.fetchall()) <= {(None,)}, view
        assert len(connection.execute("select from leadline.approval_queue").fetchall()) == 4
        assert len(connection.execute("select from leadline.renewal_cycles").fetchall()) == 4
    with layers.rivals.enter("analyst contacts") as connection:
        seen = repr(everything(connection))
        assert [phrase for phrase in [*phrases, f"meet {OWN_WORD}"] if phrase not in seen] == []


# -- two workspaces


def test_a_shared_id_stands_for_the_own_row(layers: Layers) -> None:
    """Person, deal, subscription and approval have the same ids in both: each is read, moved and answered here."""
    shared, rivals = layers.shared, layers.rivals
    won = {"amount": 5, "close_date": "2031-01-01"}
    with rivals.enter("owner") as connection:
        for relation, key, subject in (
            ("contacts", "person_id", shared.person), ("opportunity_overview", "opportunity_id", shared.opportunity),
            ("subscription_overview", "subscription_id", shared.subscription), ("approval_queue", "approval_id", shared.approval),
            ("request_ledger", "request_id", shared.request), ("opportunity_contacts", "opportunity_id", shared.opportunity),
        ):  # fmt: skip
            rows = connection.execute(
                f"select workspace_id from leadline.{relation} where {key} = %s", [subject]
            )
            assert rows.fetchall() == [(rivals.own.id,)], relation
        for journal, subject, activity_type, payload in (
            ("opportunity_activity", shared.opportunity, "opportunity_won", won),
            (
                "relationship_activity",
                shared.person,
                "approval_granted",
                {"approval_id": str(shared.approval)},
            ),
            ("relationship_activity", shared.person, "relationship_closed", {"reason": "x"}),
        ):
            answer = value(connection, LOG, journal, subject, activity_type, json.dumps(payload), None, None)
            assert answer["verdict"] == "applied"
            assert layers.leaks(answer) == []
        for reference, journal, subject, activity_type in (
            ("held 0", "relationship_activity", shared.person, "relationship_advanced"),
            ("deal 0", "opportunity_activity", shared.opportunity, "opportunity_advanced"),
        ):
            payload = {"to": "client", "to_stage": "proposal"}
            answer = value(
                connection, LOG, journal, subject, activity_type, json.dumps(payload), reference, None
            )
            assert answer["replayed"]
            assert layers.leaks(answer) == []
        # What only the other workspace has used is free here.
        answer = value(
            connection,
            LOG,
            "opportunity_activity",
            layers.own.opportunity,
            "opportunity_won",
            json.dumps(won),
            "deal 2",
            None,
        )
        assert not answer["replayed"]
    with rivals.enter("billing") as connection:
        for activity_type in ("renewal_renewed", "payment_succeeded", "subscription_cancelled"):
            given = ["customer_activity", shared.subscription, activity_type, "{}", None, None]
            assert value(connection, LOG, *given)["verdict"] == "applied"


def test_what_is_done_here_is_not_done_there(server: Server, template: str) -> None:
    """Committed: answers, conversions, corrections, merging, erasing, expiring, leaving; by the ids that both have."""
    with clone(server, template) as database:
        layers = add_layers(rival_workspaces(database))
        rivals, shared, own = layers.rivals, layers.shared, layers.own
        before = rows_of(database, rivals.foreign.id)
        with rivals.own.connect("owner", autocommit=True) as connection:
            for journal, subject, activity_type, payload in (
                ("relationship_activity", shared.person, "approval_declined", {"approval_id": str(shared.approval)}),
                ("relationship_activity", shared.person, "relationship_advanced", {"to": "active", "reason": "x"}),
                ("opportunity_activity", shared.opportunity, "opportunity_won", {"amount": 5, "close_date": "2031-01-01", "approve": True}),
                ("opportunity_activity", shared.opportunity, "stage_corrected", {"to_stage": "evaluation", "reason": "data_repair"}),
                ("opportunity_activity", own.opportunity, "opportunity_lost", {"lost_reason": "Other", "notes": "x"}),
            ):  # fmt: skip
                answer = value(
                    connection, LOG, journal, subject, activity_type, json.dumps(payload), None, None
                )
                assert answer["verdict"] != "refused", answer
            signal = {
                "signal": "x",
                "observed_at": "2026-01-01T00:00:00Z",
                "expires_at": "2031-01-01T00:00:00Z",
                "reason": "x",
                "opens_request": True,
            }
            value(
                connection,
                LOG,
                "relationship_activity",
                shared.person,
                "product_signal_seen",
                json.dumps(signal),
                None,
                None,
            )
            lead = "select lead_id from leadline.leads where stage = 'qualified' limit 1"
            correct = 'select leadline.log_activity(%s, \'stage_corrected\', \'{"to_stage": "accepted", "reason": "data_repair"}\')'
            value(connection, correct, value(connection, lead))
            assert value(connection, "select leadline.merge_people(%s, %s)", shared.person, own.person)
            assert value(connection, "select leadline.unmerge_people(%s)", shared.person)
            document = value(connection, "select leadline.export_person(%s)", shared.person)
            assert layers.leaks(document) == []
            gone = value(connection, "select leadline.erase_person(%s, 'asked')", shared.person)
            assert layers.leaks(gone) == []
            left = "select leadline.deactivate_member(%s, %s, null)"
            value(connection, left, rivals.own.id, rivals.shared_user)
        with rivals.database.connect("leadline_worker", autocommit=True) as connection:
            late = "select leadline.run_job('approval_expiry', %s, '2040-01-01T00:00:00Z')"
            assert value(connection, late, rivals.own.id)
        still = "select count(*) from leadline.approvals where workspace_id = %s and status = 'open'"
        assert rivals.oracle(still, [rivals.own.id]) == [(0,)]
        assert rows_of(database, rivals.foreign.id) == before
        assert faults(database.dsn()) == []


def test_only_the_clock_ends_what_nobody_answered(layers: Layers) -> None:
    """No login runs the job, and the clock reads nothing of what it ends."""
    job = "select leadline.run_job('approval_expiry', %s, '2040-01-01T00:00:00Z')"
    for door in ("app", "owner", "billing", "ai", "analyst", "service owner"):
        with layers.rivals.enter(door) as connection:
            assert attempt(connection, job, [layers.rivals.own.id]).sqlstate == "42501"
    with layers.rivals.database.connect("leadline_worker") as connection:
        for relation in (
            "approvals",
            "people",
            "opportunities",
            "subscriptions",
            *JOURNALS,
            "person_timeline",
        ):
            assert attempt(connection, f"select from leadline.{relation}").sqlstate == "42501", relation
        assert (
            attempt(
                connection, LOG, [JOURNALS[0], layers.own.person, "approval_expired", "{}", None, None]
            ).sqlstate
            == "42501"
        )


# -- a hand with the keys to the house

STATES = {
    "people": "relationship_activity",
    "opportunities": "opportunity_activity",
    "subscriptions": "customer_activity",
}
HANDS = (
    ("people", "stage = 'client', furthest_stage = 'client'", {"stage", "furthest_stage"}),
    ("people", "stage = 'closed', status = 'closed'", {"stage", "status"}),
    ("people", "furthest_stage = 'active'", {"furthest_stage"}),
    ("opportunities", "amount = 1, currency = 'USD'", {"amount", "currency"}),
    ("opportunities", "assigned_user_id = null", {"assigned_user_id"}),
    ("opportunities", "problem = 'forged', next_step_on = null", {"problem", "next_step_on"}),
    ("opportunities", "contacts = '{}'", {"contacts"}),
    ("opportunities", "stage = 'closedlost', status = 'lost', lost_reason = 'Price', lost_at = now()",
     {"stage", "status", "lost_reason", "lost_at"}),
    ("subscriptions", "plan = 'forged'", {"plan"}),
    ("subscriptions", "stage = 'active'", {"stage"}),
    ("subscriptions", "stage = 'cancelled', status = 'ended', cancelled_at = now()", {"stage", "status", "cancelled_at"}),
)  # fmt: skip


@contextmanager
def superuser(layers: Layers, *, asleep: bool = False) -> Iterator[Connection]:
    """Above row security, with the guards put to sleep or not; it commits nothing."""
    with layers.rivals.database.connect() as connection:
        if asleep:
            guarded = connection.execute(
                "select distinct tgrelid::regclass::text from pg_trigger where not tgisinternal and tgrelid::regclass::text like 'leadline.%'"
            ).fetchall()
            for (table,) in guarded:
                connection.execute(f"alter table {table} disable trigger user")
        yield connection
        connection.rollback()


VERIFY = "select journal, subject_id, what from leadline.verify_state() union all select journal, subject_id, what from leadline.verify_chain()"


def subject_of(who: Set, table: str) -> tuple[str, UUID]:
    """The key column of a state table, and which row is meant."""
    return {
        "people": ("person_id", who.person), "opportunities": ("opportunity_id", who.opportunity),
        "subscriptions": ("subscription_id", who.subscription),
    }[table]  # fmt: skip


@pytest.mark.parametrize(("table", "change", "fields"), HANDS)
def test_what_a_hand_changes_is_in_the_journal(
    layers: Layers, table: str, change: str, fields: set[str]
) -> None:
    """A direct_change from old to new, by Leadline, in the one workspace; and verify stays clean."""
    key, subject = subject_of(layers.shared, table)
    own = layers.rivals.own.id
    with superuser(layers) as connection:
        connection.execute(
            f"update leadline.{table} set {change} where workspace_id = %s and {key} = %s", [own, subject]
        )
        last = connection.execute(
            f"select activity_type, verdict, writer, actor_kind, array(select jsonb_object_keys(changes)), payload ->> 'login'"
            f" from leadline.{STATES[table]} where workspace_id = %s and {key} = %s order by seq desc limit 1",
            [own, subject],
        ).fetchone()
        assert last is not None
        assert (*last[:4], last[5]) == (
            "direct_change",
            "applied",
            "workflow:direct-change",
            "system",
            "postgres",
        )
        assert set(last[4]) == fields
        assert connection.execute(VERIFY).fetchall() == []
        found = "select detail from leadline.findings where workspace_id = %s and finding = 'direct_change' and subject_id = %s"
        assert len(connection.execute(found, [own, str(subject)]).fetchall()) == 1
        assert "forged" not in repr(connection.execute(found, [own, str(subject)]).fetchall())


@pytest.mark.parametrize("table", [*STATES, *STATES.values(), "approvals", "renewal_cycles"])
def test_no_row_is_removed_and_no_journal_is_changed(layers: Layers, table: str) -> None:
    """Not by the owner of all of it, and not as a replica."""
    wishes = [f"delete from leadline.{table}", f"truncate leadline.{table} cascade"]
    if table in JOURNALS:
        wishes += [f"update leadline.{table} set payload = '{{}}'", f"update leadline.{table} set seq = seq"]
    with superuser(layers) as connection:
        for replica in ("origin", "replica"):
            connection.execute(f"set local session_replication_role = {replica}")
            for wish in wishes:
                assert attempt(connection, wish).sqlstate == "PT405", (replica, wish)


TAMPERED: tuple[tuple[str, str, str], ...] = (
    *((journal, f"update leadline.{journal} set {change} where seq = 1", "hash") for journal in JOURNALS
      for change in ("payload = payload || '{\"x\": 1}'", "occurred_at = occurred_at - interval '1 microsecond'", "actor_id = gen_random_uuid()",
                     "writer = 'person'", "caused_by = 1", "rule = 'forged'", "reference = 'forged'", "rules_version = 'other'")),
    *((journal, f"delete from leadline.{journal} where seq = 2", "gap") for journal in JOURNALS),
    ("relationship_activity", "update leadline.relationship_activity set verdict = 'applied', changes = '{\"stage\": [\"opportunity\", \"client\"]}' where verdict = 'held'", "hash"),
    ("relationship_activity", "update leadline.people set hash = sha256('forged') where seq > 0", "head"),
    ("opportunity_activity", "update leadline.opportunities set hash = sha256('forged')", "head"),
    ("customer_activity", "update leadline.subscriptions set hash = sha256('forged')", "head"),
    ("relationship_activity", "update leadline.people set stage = 'client' where seq > 0", "state"),
    ("relationship_activity", "update leadline.people set furthest_stage = 'active' where seq > 0", "field"),
    ("relationship_activity", "update leadline.people set stage = 'client', furthest_stage = 'client' where seq = 0", "state"),
    ("relationship_activity", "update leadline.people set first_qualified_at = first_qualified_at - interval '1 day' where first_qualified_at is not null", "clock"),
    ("relationship_activity", "update leadline.people set stage_entered_at = stage_entered_at - interval '1 day' where seq > 0", "clock"),
    ("relationship_activity", "update leadline.people set version = version + 1 where seq > 0", "state"),
    ("opportunity_activity", "update leadline.opportunities set amount = 1", "field"),
    ("opportunity_activity", "update leadline.opportunities set problem = 'forged' where stage = 'proposal'", "field"),
    ("opportunity_activity", "update leadline.opportunities set assigned_user_id = null", "field"),
    ("opportunity_activity", "update leadline.opportunities set stage = 'proposal' where stage = 'evaluation'", "state"),
    ("opportunity_activity", "update leadline.opportunities set stage_entered_at = now()", "clock"),
    ("customer_activity", "update leadline.subscriptions set plan = 'forged'", "field"),
    ("customer_activity", "update leadline.subscriptions set stage = 'active'", "state"),
    ("customer_activity", "update leadline.renewal_cycles set stage = 'renewed', churn_reason = null where stage = 'churned'", "renewal"),
    ("customer_activity", "update leadline.renewal_cycles set period_end = period_end + 1", "renewal"),
    ("customer_activity", "delete from leadline.renewal_cycles where stage = 'open'", "renewal"),
    ("customer_activity", "update leadline.renewal_cycles set settled_at = settled_at + interval '1 day' where stage = 'churned'", "renewal"),
    ("relationship_activity", "update leadline.approvals set status = 'granted', settled_at = now(), settled_by = 1 where status = 'open'", "approval"),
    ("relationship_activity", "update leadline.approvals set to_stage = 'active' where status = 'open'", "approval"),
    ("relationship_activity", "update leadline.approvals set status = 'open', settled_at = null, settled_by = null, settled_by_user = null where status = 'declined'", "approval"),
    ("relationship_activity", "delete from leadline.approvals where status = 'open'", "approval"),
    ("lead_activity", "update leadline.requests set decision = 'rejected', decision_reason = 'spam' where decision = 'accepted'", "request"),
    ("lead_activity", "update leadline.leads set opportunity_id = null where opportunity_id is not null", "field"),
    ("lead_activity", "update leadline.leads set problem = 'forged' where stage = 'qualified'", "field"),
    ("opportunity_activity", "update leadline.activity_content set content = jsonb_set(content, '{payload}', '{\"problem\": \"forged\"}') where content #> '{payload,problem}' is not null and content #> '{payload,next_step}' is not null", "content"),
    ("relationship_activity", "update leadline.activity_content set content = jsonb_set(content, '{payload,reason}', '\"forged\"') where activity_id in (select activity_id from leadline.relationship_activity)", "content"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("journal", "statement", "what"), TAMPERED, ids=[f"{t[2]}: {t[1][:80]}" for t in TAMPERED]
)
def test_what_was_tampered_with_is_found(layers: Layers, journal: str, statement: str, what: str) -> None:
    """With the guards asleep, and therefore without a trace of its own."""
    with superuser(layers, asleep=True) as connection:
        changed = connection.execute(statement).rowcount
        assert changed > 0
        found = connection.execute(VERIFY).fetchall()
        assert (journal, what) in {(row[0], row[2]) for row in found}, found


UNNOTICED = (
    "update leadline.approvals set settled_by_user = null where status = 'declined'",
    "update leadline.approvals set requested_at = requested_at - interval '1 day' where status = 'open'",
    "update leadline.renewal_cycles set churn_reason = 'forged' where stage = 'churned'",
    "update leadline.renewal_cycles set opened_at = opened_at - interval '1 day' where stage = 'churned'",
    "update leadline.subscriptions set started_at = started_at - interval '1 year'",
    "update leadline.subscriptions set created_at = created_at - interval '1 year'",
    "update leadline.opportunities set created_at = created_at - interval '1 year'",
)


@pytest.mark.parametrize("statement", UNNOTICED)
def test_what_stands_beside_the_head_is_found_too(layers: Layers, statement: str) -> None:
    """Who said yes, since when it waits, why they went, since when they pay: the journal says it."""
    with superuser(layers, asleep=True) as connection:
        assert connection.execute(statement).rowcount > 0
        assert connection.execute(VERIFY).fetchall() != []


def test_a_whole_view_is_needed_to_verify(layers: Layers) -> None:
    """A green answer of somebody who sees a part would say nothing."""
    for door in ("app", "owner", "analyst contacts", "service owner"):
        with layers.rivals.enter(door) as connection:
            for function in ("verify_state()", "verify_chain()"):
                assert attempt(connection, f"select * from leadline.{function}").sqlstate == "PT403"
