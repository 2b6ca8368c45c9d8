"""What a member sees over HTTP, whose token still opens, and when the last use of a token is written down."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import httpx
import pytest
from psycopg.types.json import Jsonb

from app import usage
from tests.databases import Database
from tests.py.test_http_errors import assert_problem
from tests.service import Member, Service, Workspace, serving


class Team:
    """A workspace with two members: Ann and Bob have a lead each, a third is nobody's."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.workspace = service.workspace()
        self.app = self.workspace.token("app", "act_as")
        self.ann, self.bob = self.workspace.member(), self.workspace.member()
        self.anns, self.bobs = self.lead_of(self.ann), self.lead_of(self.bob)
        self.nobodys = service.lead(self.app)

    def lead_of(self, member: Member) -> str:
        """A new lead, with an e-mail address that others have as well, assigned to this member."""
        who = {"email": "lead@people.example", "assigned_user_id": str(member.user_id)}
        made = {"activity_type": "lead_created", "payload": who}
        (result,) = self.service.post("/activities", self.app, [made]).json()["results"]
        return str(result["lead_id"])

    def change(self, **settings: Any) -> None:
        """Change settings of the workspace, as an admin does."""
        with self.service.database.connect() as connection:
            connection.execute("set role leadline_owner")
            connection.execute("select leadline_internal.enter_as(%s, 'admin')", [self.workspace.id])
            connection.execute(
                "insert into leadline.workspace_activity (activity_type, payload)"
                " values ('settings_changed', %s)",
                [Jsonb(settings)],
            )

    def seen(self, token: str, query: str = "") -> set[str]:
        """The ids that the list shows."""
        answer = self.service.get(f"/leads?{query}", token)
        assert answer.status_code == 200, answer.text
        return {lead["lead_id"] for lead in answer.json()["leads"]}

    def doors(self, token: str, lead_id: str) -> list[httpx.Response]:
        """One answer of every address that names a lead."""
        service, said = self.service, {"activity_type": "contact_attempted"}
        return [
            service.get(f"/leads/{lead_id}", token),
            service.get(f"/leads/{lead_id}/timeline", token),
            service.get(f"/leads/{lead_id}/history", token),
            service.post(f"/leads/{lead_id}/activities", token, said),
            service.get(f"/leads/{lead_id}/requests", token),
            service.log(token, self.anns, "duplicate", duplicate_of=lead_id),
        ]

    def changes(self, token: str) -> set[str]:
        """The leads that the feed tells of, once it has told of the last that there is."""
        last = self.service.lead(self.app, assigned_user_id=str(self.ann.user_id))
        deadline = time.monotonic() + 10
        while True:
            page = self.service.get("/changes?limit=1000", token).json()["changes"]
            told = {c["subject_id"] for c in page if c["journal"] == "lead_activity"}
            if last in told:
                return told - {last}
            assert time.monotonic() < deadline, "the changes did not come"


@pytest.fixture
def team(service: Service) -> Team:
    return Team(service)


# --- the same leads through every door


def test_a_member_is_shown_the_leads_assigned_to_them(team: Team) -> None:
    assert team.seen(team.ann.token) == {team.anns}
    assert team.seen(team.bob.token) == {team.bobs}
    assert team.seen(team.app) == {team.anns, team.bobs, team.nobodys}
    for role in ("owner", "admin"):
        assert team.seen(team.workspace.member(role).token) == {team.anns, team.bobs, team.nobodys}


def test_no_filter_shows_more_than_the_list(team: Team) -> None:
    for query in ("email=lead%40people.example", "status=open", "created_before=2999-01-01T00:00:00Z"):
        assert team.seen(team.ann.token, query) == {team.anns}
    assert team.seen(team.ann.token, f"assigned_user_id={team.bob.user_id}") == set()
    assert team.seen(team.ann.token, "assigned_user_id=none") == set()


def test_an_unseen_lead_is_the_404_of_an_unknown_one_byte_for_byte(team: Team) -> None:
    foreign = team.service.lead(team.service.workspace("Other").token())
    answers = [
        answer
        for lead_id in (team.bobs, team.nobodys, foreign, str(uuid4()))
        for answer in team.doors(team.ann.token, lead_id)
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1
    assert_problem(answers[0], 404, "no_such_lead")
    headers = [{k: v for k, v in answer.headers.items() if k != "trace-id"} for answer in answers]
    assert all(sent == headers[0] for sent in headers)
    assert len(team.service.get(f"/leads/{team.bobs}/timeline", team.app).json()["timeline"]) == 1


def test_a_batch_answers_unseen_and_unknown_leads_alike(team: Team) -> None:
    ids = [team.anns, team.bobs, team.nobodys, str(uuid4())]
    items = [{"lead_id": i, "activity_type": "contact_attempted", "reference": f"r-{i}"} for i in ids]
    copies = [{"activity_type": "lead_created", "payload": {"copied_from": i}} for i in ids[1:]]
    mine, *others = team.service.post("/activities", team.ann.token, items + copies).json()["results"]
    assert mine["verdict"] == "applied"
    assert [other["rule"] for other in others] == ["no_such_lead"] * 6
    assert all(other == others[0] for other in others)
    again = {"activity_type": "contact_attempted", "reference": f"r-{team.bobs}"}
    answer = team.service.post(f"/leads/{team.bobs}/activities", team.app, again)
    assert answer.status_code == 201, "what was not seen has claimed no reference"


def test_the_feed_tells_a_member_of_their_leads_only(team: Team) -> None:
    assert team.changes(team.ann.token) == {team.anns}
    assert team.changes(team.app) >= {team.anns, team.bobs, team.nobodys}


def test_a_repeat_of_a_reference_shows_nothing_of_an_unseen_lead(team: Team) -> None:
    said = {"activity_type": "contact_attempted", "reference": "call-7"}
    assert team.service.post(f"/leads/{team.bobs}/activities", team.app, said).status_code == 201
    repeated = team.service.post(f"/leads/{team.bobs}/activities", team.ann.token, said)
    unknown = team.service.post(f"/leads/{uuid4()}/activities", team.ann.token, said)
    assert repeated.status_code == unknown.status_code == 404
    assert repeated.content == unknown.content


def test_a_lead_given_away_is_answered_and_then_gone(team: Team) -> None:
    given = team.service.log(
        team.ann.token, team.anns, "lead_assigned", assigned_user_id=str(team.bob.user_id)
    )
    assert given.status_code == 201
    assert given.json()["changes"]["assigned_user_id"] == [str(team.ann.user_id), str(team.bob.user_id)]
    assert {answer.status_code for answer in team.doors(team.ann.token, team.anns)[:4]} == {404}
    assert team.seen(team.bob.token) == {team.anns, team.bobs}


def test_a_lead_that_a_member_makes_is_theirs_unless_it_names_another(team: Team) -> None:
    mine = team.service.post("/leads", team.ann.token, {"name": "Ada"}).json()
    assert mine["lead"]["assigned_user_id"] == str(team.ann.user_id)
    for_bob = team.service.post("/leads", team.ann.token, {"assigned_user_id": str(team.bob.user_id)})
    assert for_bob.status_code == 201
    assert for_bob.json()["lead"] is None
    assert team.seen(team.ann.token) == {team.anns, mine["lead_id"]}
    assert for_bob.json()["lead_id"] in team.seen(team.bob.token)


# --- settings move what is seen


@pytest.mark.parametrize(
    ("settings", "seen"),
    [
        ({"members_see_unassigned": True}, {"anns", "nobodys"}),
        ({"members_see_all": True}, {"anns", "nobodys", "bobs"}),
    ],
)
def test_a_setting_opens_more_at_once_and_closes_it_again(
    team: Team, settings: dict[str, bool], seen: set[str]
) -> None:
    ids = {getattr(team, name) for name in seen}
    team.change(**settings)
    assert team.seen(team.ann.token) == ids
    assert team.changes(team.ann.token) == ids
    for lead in ids:
        assert [answer.status_code for answer in team.doors(team.ann.token, lead)[:4]] == [200, 200, 200, 201]
    team.change(**dict.fromkeys(settings, False))
    assert team.seen(team.ann.token) & {team.anns, team.bobs, team.nobodys} == {team.anns}


# --- on behalf of a member


def test_on_behalf_of_a_member_reaches_what_the_member_may_report_on(team: Team) -> None:
    said = {"activity_type": "contact_attempted"}
    for member, lead, status in (
        (team.ann, team.anns, 201), (team.ann, team.bobs, 404), (team.ann, team.nobodys, 404),
        (team.bob, team.bobs, 201), (team.workspace.member("admin"), team.anns, 201),
    ):  # fmt: skip
        headers = {"Leadline-On-Behalf-Of": str(member.user_id)}
        answer = team.service.post(f"/leads/{lead}/activities", team.app, said, headers=headers)
        assert answer.status_code == status, answer.text
        items = [{"lead_id": lead, **said}]
        (result,) = team.service.post("/activities", team.app, items, headers=headers).json()["results"]
        assert (result["rule"] == "no_such_lead") == (status == 404)
    unknown = team.service.post(f"/leads/{uuid4()}/activities", team.app, said)
    headers = {"Leadline-On-Behalf-Of": str(team.ann.user_id)}
    unseen = team.service.post(f"/leads/{team.bobs}/activities", team.app, said, headers=headers)
    assert unseen.content == unknown.content


def test_on_behalf_of_whoever_left_is_refused(team: Team) -> None:
    team.workspace.ask("select leadline.deactivate_member(%s, %s)", team.workspace.id, team.bob.user_id)
    headers = {"Leadline-On-Behalf-Of": str(team.bob.user_id)}
    said = {"activity_type": "contact_attempted"}
    answer = team.service.post(f"/leads/{team.anns}/activities", team.app, said, headers=headers)
    assert_problem(answer, 403, "unknown_member")


# --- ways in that end


def _revoke(team: Team) -> None:
    team.workspace.ask(
        """
        select leadline.revoke_token(t.workspace_id, t.token_id)
        from leadline.api_tokens t where t.prefix = split_part(%s, '_', 2)
        """,
        team.ann.token,
    )


def _remove(team: Team) -> None:
    team.workspace.ask("select leadline.deactivate_member(%s, %s)", team.workspace.id, team.ann.user_id)


def _close(team: Team) -> None:
    team.workspace.ask("select leadline.close_workspace(%s)", team.workspace.id)


@pytest.mark.parametrize("end", [_revoke, _remove, _close])
def test_the_next_request_with_an_ended_token_is_a_401(team: Team, end: Callable[[Team], None]) -> None:
    other = Team(team.service)
    assert team.seen(team.ann.token) == {team.anns}
    end(team)
    answers = [
        team.service.get("/leads", team.ann.token),
        *team.doors(team.ann.token, team.anns),
        team.service.get("/changes", team.ann.token),
        team.service.post("/activities", team.ann.token, []),
    ]
    for answer in answers:
        assert_problem(answer, 401, "unknown_token")
        assert "invalid_token" in answer.headers["www-authenticate"]
    assert (team.service.get("/leads", team.app).status_code == 401) == (end is _close)
    assert other.seen(other.ann.token) == {other.anns}, "the neighbour notices nothing"


# --- the last use of a token


def last_used(workspace: Workspace, token: str) -> datetime | None:
    moment: datetime | None = workspace.ask(
        "select max(last_used_at) from leadline.api_tokens where prefix = split_part(%s, '_', 2)", token
    )
    return moment


def wait_for(look: Callable[[], Any]) -> Any:
    """The first true value of `look`."""
    deadline = time.monotonic() + 10
    while not (found := look()):
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.02)
    return found


def test_uses_are_collected_and_written_down_at_the_end(database: Database) -> None:
    workspace = Workspace(database)
    read, wrote, idle = (workspace.token() for _ in range(3))
    began = datetime.now(UTC)
    with serving(database) as service:
        for _ in range(3):
            service.get("/leads", read)
        service.lead(wrote)
        assert last_used(workspace, read) is None, "no request waits for it"
    for token in (read, wrote):
        assert (last_used(workspace, token) or began) > began
    assert last_used(workspace, idle) is None


def test_uses_are_written_down_once_a_minute(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    assert usage.PAUSE_SECONDS == 60
    monkeypatch.setattr(usage, "PAUSE_SECONDS", 0.05)
    workspace = Workspace(database)
    token = workspace.token()
    with serving(database) as service:
        service.get("/leads", token)
        first = wait_for(lambda: last_used(workspace, token))
        time.sleep(0.2)
        assert last_used(workspace, token) == first, "nothing is written when nothing was used"
        service.get("/leads", token)
        assert wait_for(lambda: last_used(workspace, token) != first)


def test_a_request_that_fails_uses_no_token(database: Database) -> None:
    workspace = Workspace(database)
    token, refused = workspace.token(), workspace.token()
    with serving(database) as service:
        assert service.get("/leads", token[:-1] + "_").status_code == 401
        assert service.get(f"/leads/{uuid4()}", token).status_code == 404
        assert service.log(refused, service.lead(refused), "sale").status_code == 409
    assert last_used(workspace, token) is None
    assert last_used(workspace, refused) is not None, "a refusal is an answer like others"


def test_when_it_cannot_be_written_down_requests_go_on_and_it_is_tried_again(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(usage, "PAUSE_SECONDS", 0.05)
    workspace = Workspace(database)
    token = workspace.token()
    right = "execute on function leadline.note_tokens_used(text[])"
    with database.connect(autocommit=True) as connection, serving(database) as service:
        connection.execute(f"revoke {right} from leadline_service")
        assert service.get("/leads", token).status_code == 200
        wait_for(lambda: "could not be noted" in caplog.text)
        assert service.get("/leads", token).status_code == 200
        assert last_used(workspace, token) is None
        connection.execute(f"grant {right} to leadline_service")
        wait_for(lambda: last_used(workspace, token))
        connection.execute(f"revoke {right} from leadline_service")
        service.get("/leads", token)
    assert token[:15].removeprefix("ll_") not in caplog.text
    assert "InsufficientPrivilege" in caplog.text


def test_the_end_comes_in_order_when_it_cannot_be_written_down(database: Database) -> None:
    workspace = Workspace(database)
    with database.connect(autocommit=True) as connection, serving(database) as service:
        service.get("/leads", workspace.token())
        connection.execute("alter function leadline.note_tokens_used(text[]) rename to gone")
