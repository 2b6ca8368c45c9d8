"""The HTTP service under test: the application on a database of its own, and workspaces to talk about."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from uuid import UUID

import httpx
from litestar import Litestar
from litestar.testing import TestClient

from app.main import create_app
from app.settings import Settings
from tests.databases import Database

PEOPLE = ("owner", "admin", "member")


class Member(NamedTuple):
    """A person of a workspace and their token."""

    user_id: UUID
    token: str


class Workspace:
    """A workspace of its own for each test, and tokens into it."""

    def __init__(self, database: Database, name: str = "Acme") -> None:
        self.database = database
        self.id: UUID = self.ask("select leadline.create_workspace(%s)", name)

    def ask(self, statement: str, *parameters: Any) -> Any:
        """One value, asked and committed as an administrator."""
        with self.database.connect() as connection:
            connection.execute("set role leadline_owner")
            row = connection.execute(statement, parameters).fetchone()
            assert row is not None
            return row[0]

    def member(self, role: str = "member", email: str | None = None) -> Member:
        """A new person with this role."""
        address = email or f"{role}-{self.ask('select gen_random_uuid()')}@people.example"
        user_id = self.ask("select leadline.add_member(%s, %s, %s)", self.id, address, role)
        return Member(user_id, self.ask("select leadline.create_token(%s, %s, %s)", self.id, role, user_id))

    def token(self, role: str = "app", *scopes: str) -> str:
        """A token of a machine with this role."""
        return str(
            self.ask(
                "select leadline.create_token(%s, %s, p_scopes => %s::text[])", self.id, role, list(scopes)
            )
        )


@dataclasses.dataclass(frozen=True)
class Service:
    """The running application; paths are relative to /v1."""

    client: TestClient[Litestar]
    database: Database

    def send(self, method: str, path: str, token: str | None = None, **options: Any) -> httpx.Response:
        """One request as the bearer of `token`."""
        headers = dict(options.pop("headers", {}))
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        return self.client.request(method, f"/v1{path}", headers=headers, **options)

    def get(self, path: str, token: str | None = None, **options: Any) -> httpx.Response:
        """GET /v1<path>."""
        return self.send("GET", path, token, **options)

    def post(self, path: str, token: str | None = None, json: Any = None, **options: Any) -> httpx.Response:
        """POST /v1<path> with a JSON body."""
        return self.send("POST", path, token, json=json, **options)

    def post_raw(
        self, path: str, token: str | None, body: bytes | str, content_type: str | None = "application/json"
    ) -> httpx.Response:
        """POST /v1<path> with a body as it stands."""
        headers = {} if content_type is None else {"Content-Type": content_type}
        return self.send("POST", path, token, content=body, headers=headers)

    def lead(self, token: str, **fields: Any) -> str:
        """The id of a new lead."""
        answer = self.post("/leads", token, fields)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["lead_id"])

    def log(self, token: str, lead_id: str, activity_type: str, **payload: Any) -> httpx.Response:
        """The answer to one activity."""
        return self.post(
            f"/leads/{lead_id}/activities", token, {"activity_type": activity_type, "payload": payload}
        )

    def report(self, token: str, subject: str, activity_type: str, **payload: Any) -> httpx.Response:
        """The answer to one activity of a subject, named by its path: people/<id>, opportunities/<id>."""
        return self.post(
            f"/{subject}/activities", token, {"activity_type": activity_type, "payload": payload}
        )

    def person(self, token: str, **fields: Any) -> str:
        """The path of a new person, who wrote in."""
        answer = self.post("/leads", token, fields)
        assert answer.status_code == 201, answer.text
        return f"people/{answer.json()['lead']['person_id']}"

    def opportunity(self, token: str, person: str, **fields: Any) -> str:
        """The path of a new opportunity of a person."""
        said = {"pipeline": "new_business", "person_id": person.removeprefix("people/")} | fields
        answer = self.post("/opportunities", token, said)
        assert answer.status_code == 201, answer.text
        return f"opportunities/{answer.json()['opportunity_id']}"

    def subscription(self, token: str, person: str, **fields: Any) -> str:
        """The path of a new subscription of a person; the token is billing's."""
        answer = self.post("/subscriptions", token, {"person_id": person.removeprefix("people/")} | fields)
        assert answer.status_code == 201, answer.text
        return f"subscriptions/{answer.json()['subscription_id']}"

    def workspace(self, name: str = "Acme") -> Workspace:
        """A new workspace."""
        return Workspace(self.database, name)


def settings_for(database: Database, **changed: Any) -> Settings:
    """Settings that lead to `database` as the service's own login."""
    told: dict[str, Any] = {"dsn": database.dsn("leadline_service"), "pool_min": 1, "pool_max": 4}
    return Settings(**(told | changed))


@contextmanager
def serving(database: Database, **changed: Any) -> Iterator[Service]:
    """The application on `database`, in this process."""
    with TestClient(create_app(settings_for(database, **changed)), raise_server_exceptions=False) as client:
        yield Service(client, database)
