"""What a member says of a lead they do not see is answered as if there were no such lead, and nothing of it is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from uuid import uuid4

import pytest

from app.postgres import Server
from tests.databases import clone
from tests.office import DOORS, SECRET, Office, open_office
from tests.py.rival_layers import Desk, Set, add_desk
from tests.rivals import Connection, Outcome, attempt
from tests.tenant import faults

A_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@pytest.fixture(scope="module")
def desk(server: Server, template: str) -> Iterator[Desk]:
    """In which members see what is assigned to them."""
    with clone(server, template) as database:
        yield add_desk(open_office(database))
        assert faults(database.dsn()) == []


@pytest.fixture
def office(desk: Desk) -> Office:
    """The workspace."""
    return desk.office


UNSEEN = (
    "insert into leadline.lead_activity (lead_id, activity_type) values ('{lead}', 'email_sent')",
    "insert into leadline.lead_activity (lead_id, activity_type, payload) values ('{lead}', 'note_added', '{{\"text\": \"x\"}}') returning seq",
    "insert into leadline.lead_activity (lead_id, activity_type) values ('{lead}', 'lead_created')",
    "insert into leadline.lead_activity (lead_id, activity_type) values ('{lead}', 'no_such_type')",
    "insert into leadline.lead_activity (lead_id, activity_type, reference) values ('{lead}', 'dnc', 'zanzibar dnc') returning seq",
    "insert into leadline.lead_activity (lead_id, activity_type, payload) values ('{mine}', 'duplicate', '{{\"duplicate_of\": \"{lead}\"}}')",
    "insert into leadline.lead_activity (activity_type, payload) values ('lead_created', '{{\"copied_from\": \"{lead}\"}}') returning lead_id",
    "insert into leadline.lead_activity (lead_id, activity_type) values ('{lead}', 'sale') on conflict do nothing",
    "insert into leadline.lead_activity (lead_id, activity_type, payload) values ('{lead}', 'inbound_enquiry', '{{\"email\": \"x@y.example\"}}') returning seq",
    'insert into leadline.lead_activity (lead_id, activity_type, payload) values (\'{lead}\', \'inbound_enquiry\', \'{{"request_class": "x", "exclusion": "spam"}}\')',
    "insert into leadline.lead_activity (lead_id, activity_type, payload) values ('{mine}', 'leads_merged', '{{\"into\": \"{lead}\"}}') returning rule",
    "insert into leadline.lead_activity (lead_id, activity_type, payload) values ('{lead}', 'leads_merged', '{{\"into\": \"{mine}\"}}')",
    "insert into leadline.lead_activity (lead_id, activity_type) values ('{lead}', 'leads_unmerged')",
    "insert into leadline.lead_activity (lead_id, activity_type) values ('{lead}', 'possible_duplicate_dismissed')",
    "select leadline.merge_people('{lead}', '{lead}')",
    "select leadline.sees_person('{workspace}', '{lead}')",
    "select * from leadline.request_ledger where lead_id = '{lead}'",
    "select * from leadline.outbox where lead_id = '{lead}'",
    "select * from leadline.sales_pipeline where possible_duplicate_of = '{lead}'",
    "select leadline.log_activity('{lead}', 'email_sent')",
    "select leadline.log_activity('{lead}', 'appointment_no_show', '{{}}', 'zanzibar appointment_no_show')",
    'select leadline.log_activities(\'[{{"lead_id": "{lead}", "activity_type": "sale"}}, {{"lead_id": "{mine}", "activity_type": "email_sent"}}]\')',
    "select * from leadline.lead_timeline where lead_id = '{lead}'",
    "select * from leadline.lead_overview where lead_id = '{lead}' or duplicate_of = '{lead}'",
    "select leadline.is_suppressed('{workspace}', '{lead}')",
    "select leadline.sees_lead('{workspace}', '{lead}')",
    "select leadline.sees_lead(null, '{lead}')",
    "insert into leadline.workspace_activity (about_id, activity_type) values ('{lead}', 'settings_changed')",
    'insert into leadline.relationship_activity (person_id, activity_type, payload) values (\'{person}\', \'relationship_advanced\', \'{{"to": "qualified", "reason": "x"}}\')',
    "insert into leadline.relationship_activity (person_id, activity_type, payload) values ('{person}', 'relationship_closed', '{{\"reason\": \"x\"}}') returning seq",
    "insert into leadline.relationship_activity (person_id, activity_type, payload) values ('{person}', 'product_signal_seen', '{{}}')",
    "insert into leadline.relationship_activity (person_id, activity_type, payload, reference) values ('{person}', 'relationship_advanced', '{{\"to\": \"client\", \"reason\": \"x\"}}', 'held 1')",
    "insert into leadline.relationship_activity (person_id, activity_type, payload) values ('{person}', 'approval_granted', '{{\"approval_id\": \"{approval}\"}}')",
    "insert into leadline.relationship_activity (person_id, activity_type, payload) values ('{my_person}', 'approval_granted', '{{\"approval_id\": \"{approval}\"}}') returning rule",
    "insert into leadline.relationship_activity (person_id, activity_type, payload) values ('{my_person}', 'approval_declined', '{{\"approval_id\": \"{approval}\"}}') returning rule",
    "insert into leadline.opportunity_activity (opportunity_id, activity_type) values ('{opportunity}', 'opportunity_won') returning seq",
    "insert into leadline.opportunity_activity (opportunity_id, activity_type) values ('{opportunity}', 'opportunity_won') on conflict do nothing",
    "insert into leadline.opportunity_activity (opportunity_id, activity_type, payload) values ('{opportunity}', 'opportunity_assigned', '{{\"assigned_user_id\": \"{me}\"}}')",
    'insert into leadline.opportunity_activity (opportunity_id, activity_type, payload) values (\'{opportunity}\', \'opportunity_opened\', \'{{"pipeline": "expansion", "person_id": "{my_person}"}}\')',
    "insert into leadline.opportunity_activity (opportunity_id, activity_type, payload, reference) values ('{opportunity}', 'opportunity_advanced', '{{\"to_stage\": \"proposal\"}}', 'deal 1')",
    'insert into leadline.opportunity_activity (activity_type, payload) values (\'opportunity_opened\', \'{{"pipeline": "expansion", "person_id": "{person}"}}\') returning opportunity_id',
    'insert into leadline.opportunity_activity (activity_type, payload) values (\'opportunity_opened\', \'{{"pipeline": "expansion", "person_id": "{my_person}", "lead_id": "{lead}"}}\')',
    'insert into leadline.opportunity_activity (opportunity_id, activity_type, payload) values (\'{my_deal}\', \'contact_role_set\', \'{{"person_id": "{person}", "role": "other"}}\')',
    'insert into leadline.opportunity_activity (opportunity_id, activity_type, payload) values (\'{my_deal}\', \'opportunity_advanced\', \'{{"to_stage": "proposal", "contact": "{person}"}}\')',
    "insert into leadline.customer_activity (subscription_id, activity_type) values ('{subscription}', 'payment_succeeded')",
    "insert into leadline.customer_activity (subscription_id, activity_type, payload) values ('{subscription}', 'renewal_renewed', '{{}}') returning seq",
    "insert into leadline.customer_activity (activity_type, payload) values ('subscription_started', '{{\"person_id\": \"{person}\"}}')",
    "insert into leadline.lead_activity (lead_id, activity_type, payload) values ('{mine}', 'lead_converted', '{{\"opportunity_id\": \"{opportunity}\"}}')",
    "insert into leadline.lead_activity (lead_id, activity_type, payload) values ('{qualified}', 'lead_converted', '{{\"opportunity_id\": \"{opportunity}\"}}') returning rule",
    "insert into leadline.lead_activity (lead_id, activity_type, payload) values ('{qualified}', 'request_accepted', '{{\"request_id\": \"{request}\"}}') returning rule",
    "select leadline.log_in_journal('relationship_activity', '{person}', 'relationship_advanced', '{{}}', 'held 1')",
    "select leadline.log_in_journal('opportunity_activity', '{opportunity}', 'opportunity_lost')",
    "select leadline.log_in_journal('opportunity_activity', '{opportunity}', 'opportunity_advanced', '{{\"to_stage\": \"proposal\"}}', 'deal 1')",
    "select leadline.log_in_journal('customer_activity', '{subscription}', 'renewal_churned', '{{}}', 'paid 1')",
    "select leadline.sees_person('{workspace}', '{person}'), leadline.sees_subscription('{workspace}', '{subscription}')",
    "select leadline.sees_opportunity('{workspace}', '{opportunity}', null, null)",
    "select * from leadline.contacts where person_id = '{person}' or merged_into = '{person}'",
    "select * from leadline.person_timeline where person_id = '{person}' or subject_id in ('{lead}', '{opportunity}', '{subscription}')",
    "select * from leadline.approval_queue where approval_id = '{approval}'",
    "select * from leadline.opportunity_overview where person_id = '{person}' or contacts ? '{person}' or lead_id = '{lead}'",
    "select * from leadline.opportunity_contacts where opportunity_id = '{opportunity}'",
    "select * from leadline.subscription_overview where person_id = '{person}'",
    "select * from leadline.product_signals_at('2026-06-01') where person_id = '{person}'",
    "select * from leadline.findings where subject_id in ('{lead}', '{person}', '{opportunity}', '{subscription}')",
)


def masked(outcome: Outcome, *sent: object) -> str:
    """An outcome without what was sent along and what is drawn anew at each call."""
    text = repr(outcome)
    for value in sent:
        text = text.replace(str(value), "…")
    return re.sub(
        r'\d{4}-\d\d-\d\d[T ][\d:.+]+"?|[0-9]{4,}|(?<="activity_id":)\d+|\b\d+(?=,\d+\))',
        "#",
        A_UUID.sub("…", text),
    )


@pytest.mark.parametrize("statement", UNSEEN)
@pytest.mark.parametrize("door", DOORS)
def test_what_is_unseen_is_answered_like_what_does_not_exist(desk: Desk, door: str, statement: str) -> None:
    """SQLSTATE, sentence, facts, hint, context and rows; of leads, people, approvals, requests, deals, subscriptions."""
    office, theirs = desk.office, desk.theirs
    [(qualified,)] = office.oracle(
        "select lead_id from leadline.leads where stage = 'qualified' and assigned_user_id = %s", [office.me]
    )
    same = {
        "mine": office.mine, "me": office.me, "workspace": office.tenant.id, "qualified": qualified,
        "my_person": desk.mine.person, "my_deal": desk.mine.opportunity,
    }  # fmt: skip
    with office.enter(door) as connection:
        answers = []
        # The first call of a session has a CONTEXT of its own.
        for lead, unseen in ((uuid4(), unknown()), (office.theirs, theirs), (uuid4(), unknown())):
            ids = {"lead": lead, **unseen._asdict()}
            answers.append(masked(attempt(connection, statement.format(**ids, **same)), *ids.values()))
        assert answers[1] == answers[2]
        assert str(office.theirs) not in answers[1]


def unknown() -> Set:
    """What nobody has."""
    return Set(*(uuid4() for _ in Set._fields))


def test_an_app_that_acts_for_a_member_reaches_what_the_member_sees(office: Office) -> None:
    insert = "insert into leadline.lead_activity (lead_id, activity_type, on_behalf_of) values (%s, 'email_sent', %s) returning seq"
    with office.tenant.connect("app", "act_as") as connection:
        for lead, sqlstate in ((office.theirs, "PT404"), (uuid4(), "PT404"), (office.mine, None)):
            assert attempt(connection, insert, [lead, office.me]).sqlstate == sqlstate
        connection.rollback()


def test_a_reference_that_an_unseen_lead_has_used_tells_nothing_of_it(office: Office) -> None:
    """References are a workspace's, so a used one is refused; but not with the words of what it was used for."""
    used = f"{SECRET} dnc"
    with office.enter("login") as connection:
        insert = "insert into leadline.lead_activity (lead_id, activity_type, reference) values (%s, 'email_sent', %s)"
        outcome = attempt(connection, insert, [office.mine, used])
        assert outcome.sqlstate == "PT409"
        assert "dnc" not in outcome.said.replace(used, "")
        assert attempt(connection, "select leadline_internal.logged_before(%s, null)", [used]).rows == [
            (None,)
        ]


@pytest.mark.parametrize(
    ("journal", "used"),
    [
        ("lead_activity", f"{SECRET} dnc"),
        ("relationship_activity", "held 1"),
        ("opportunity_activity", "deal 1"),
        ("customer_activity", "paid 1"),
        ("workspace_activity", "nobody's"),
    ],
)
def test_no_journal_says_which_activity_an_unseen_reference_was(
    office: Office, journal: str, used: str
) -> None:
    """Not even its number, by which one would know when it was."""
    ask = "select leadline_internal.logged_before_in(%s, %s)"
    with office.enter("login") as connection:
        assert attempt(connection, ask, [journal, used]) == attempt(connection, ask, [journal, "nobody's"])


def test_nothing_is_kept_of_what_was_said_about_an_unseen_lead(office: Office) -> None:
    """No row, no claim of the reference, no mark on the lead; the reference stays free for the one it belongs to."""
    question = "select (l.*)::text, (select count(*) from leadline_internal.activity_references) from leadline.leads l where lead_id = %s"
    before = office.oracle(question, [office.theirs])
    insert = "insert into leadline.lead_activity (lead_id, activity_type, reference) values (%s, 'email_sent', 'a new one')"
    with office.database.connect(office.login, autocommit=True) as connection:
        assert attempt(connection, insert, [office.theirs]).sqlstate == "PT404"
        item = f'[{{"lead_id": "{office.theirs}", "activity_type": "email_sent", "reference": "a new one"}}]'
        rows = connection.execute("select result from leadline.log_activities(%s)", [item]).fetchall()
        assert [(row[0]["verdict"], row[0]["sqlstate"], row[0]["rule"]) for row in rows] == [
            ("invalid", "PT404", "no_such_lead")
        ]
    assert office.oracle(question, [office.theirs]) == before


@pytest.mark.parametrize("door", DOORS)
def test_a_lead_that_was_given_away_is_gone_at_once(office: Office, door: str) -> None:
    """RETURNING still answers; the next statement finds the member's own words of this transaction and nothing else."""
    with office.enter(door) as connection:
        given = connection.execute(
            "insert into leadline.lead_activity (lead_id, activity_type, payload)"
            " values (%s, 'lead_assigned', jsonb_build_object('assigned_user_id', %s::text)) returning verdict, activity_id",
            [office.mine, office.colleague],
        ).fetchone()
        assert given is not None
        assert given[0] == "applied"
        for relation in ("leads", "lead_overview", "lead_contacts"):
            seen = connection.execute(f"select lead_id from leadline.{relation}").fetchall()
            assert (office.mine,) not in seen, relation
        journal = "select activity_id from leadline.lead_activity where lead_id = %s"
        assert connection.execute(journal, [office.mine]).fetchall() == [(given[1],)]
        again = "insert into leadline.lead_activity (lead_id, activity_type) values (%s, 'email_sent')"
        assert attempt(connection, again, [office.mine]).sqlstate == "PT404"
        words = """
            select a.activity_id from leadline_internal.person_acts a join leadline.activity_content c using (workspace_id, activity_id)
            where a.subject_id = %s
        """
        assert connection.execute(words, [office.mine]).fetchall() == []


def test_a_new_lead_for_somebody_else_is_theirs(office: Office) -> None:
    """The one who enters it gets the birth answered and sees nothing of it afterwards."""
    birth = "select lead_id, verdict from leadline.log_activity(null, 'lead_created', jsonb_build_object('assigned_user_id', %s::text))"
    with office.enter("login") as connection:
        row = connection.execute(birth, [office.colleague]).fetchone()
        assert row is not None
        assert row[1] == "applied"
        assert connection.execute("select from leadline.leads where lead_id = %s", [row[0]]).fetchall() == []


@pytest.mark.parametrize("door", DOORS)
def test_a_member_manages_nothing(office: Office, door: str) -> None:
    """Team, credentials, settings, the list of those not to be contacted: refused, and the same for every target."""
    workspace = office.tenant.id
    with office.enter(door) as connection:
        for call in (
            f"add_member('{workspace}', 'new@office.example', 'member')",
            f"add_member('{workspace}', 'me@office.example', 'owner')",
            f"deactivate_member('{workspace}', '{office.colleague}')",
            f"create_token('{workspace}', 'member', '{office.me}')",
            f"create_token('{workspace}', 'app', null, '{{act_as,import,contacts}}')",
            f"revoke_token('{workspace}', gen_random_uuid())",
            f"revoke_login('{workspace}', '{office.login}')",
            f"close_workspace('{workspace}')",
        ):
            assert attempt(connection, f"select leadline.{call}").sqlstate == "PT403", call
        for call in (
            "create_workspace('mine')",
            "rotate_signing_key()",
            f"add_login('{workspace}', 'x', 'app')",
        ):
            assert attempt(connection, f"select leadline.{call}").sqlstate == "PT403", call
        settings = "insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{\"members_see_all\": true}')"
        assert attempt(connection, settings).sqlstate == "PT403"
        lift = "insert into leadline.lead_activity (lead_id, activity_type, payload) values (%s, 'suppression_lifted', '{\"reason\": \"x\"}') returning rule"
        assert attempt(connection, lift, [office.mine]).rows == [("lift_needs_admin",)]


def test_a_member_who_was_deactivated_is_nobody_in_the_next_statement(server: Server, template: str) -> None:
    """In a session that was open all the time, and with a token; and the new owner of the leads sees them."""
    with clone(server, template) as database:
        office = open_office(database)
        with database.connect(office.login, autocommit=True) as connection:
            assert len(connection.execute("select lead_id from leadline.leads").fetchall()) == 1
            moved = office.tenant.ask(
                "select leadline.deactivate_member(%s, %s, %s)", office.tenant.id, office.me, office.colleague
            )
            assert moved == 1
            assert connection.execute("select lead_id from leadline.leads").fetchall() == []
            assert attempt(connection, "insert into leadline.leads (source) values ('x')").sqlstate == "PT401"
        with database.connect("leadline_service") as connection:
            assert attempt(connection, "select leadline.enter(%s)", [office.token]).sqlstate == "PT401"
        assert faults(database.dsn()) == []


def test_a_token_made_for_a_member_does_not_grow_with_them(server: Server, template: str) -> None:
    """An admin who made a token for a member holds no owner's token when that member becomes an owner."""
    with clone(server, template) as database:
        office = open_office(database)
        with office.tenant.connect("admin") as connection:
            row = connection.execute(
                "select leadline.create_token(%s, 'member', %s)", [office.tenant.id, office.me]
            ).fetchone()
            assert row is not None
        office.tenant.ask("select leadline.add_member(%s, 'me@office.example', 'owner')", office.tenant.id)
        with database.connect("leadline_service") as connection:
            entered = attempt_to_enter(connection, row[0])
            close = attempt(connection, "select leadline.close_workspace(%s)", [office.tenant.id])
            assert not entered or close.sqlstate == "PT403"


def attempt_to_enter(connection: Connection, token: str) -> bool:
    """Whether the token opens its workspace for the rest of the transaction."""
    if attempt(connection, "select leadline.enter(%s)", [token]).sqlstate is not None:
        return False
    connection.execute("select leadline.enter(%s)", [token])
    return True
