"""What docs/operations.md gives to copy does what it says there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from tests.databases import Database
from tests.service import Workspace

PAGE = Path(__file__).resolve().parents[2] / "docs/operations.md"
ROLES = ("authenticator", "authenticated")


@pytest.fixture
def postgrest(database: Database) -> Iterator[Database]:
    """A database with PostgREST's roles and the function of the page, each under a name of this test's own."""
    (block,) = re.findall(r"```sql\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    with database.connect(autocommit=True) as admin:
        for role in ROLES:
            block = re.sub(rf"\b{role}\b", f"{role}_{database.name}", block)
        admin.execute(f"create role authenticator_{database.name} login noinherit")
        admin.execute(f"create role authenticated_{database.name} role authenticator_{database.name}")
        try:
            admin.execute(block)
            yield database
        finally:
            for role in ROLES:
                admin.execute(f"drop owned by {role}_{database.name} cascade")
                admin.execute(f"drop role {role}_{database.name}")


def names(database: Database, login: str, subject: object) -> list[str]:
    """The leads that a request with this subject is shown."""
    claims = json.dumps({"sub": str(subject)})
    with database.connect(login) as connection:
        connection.execute(f"set local role authenticated_{database.name}")
        connection.execute("select set_config('request.jwt.claims', %s, true)", [claims])
        connection.execute("select private.enter_leadline()")
        rows = connection.execute("select c.name from leadline.lead_contacts c order by c.name")
        return [name for (name,) in rows]


def test_a_request_through_postgrest_enters_by_the_adopters_own_mapping(postgrest: Database) -> None:
    subjects = {}
    for name in ("Acme", "Other"):
        workspace = Workspace(postgrest, name)
        subjects[name] = uuid4()
        with postgrest.connect() as admin:
            admin.execute(
                "insert into private.leadline_tokens values (%s, %s)", [subjects[name], workspace.token()]
            )
            admin.execute("set role leadline_owner")
            admin.execute("select leadline_internal.enter_as(%s, 'app')", [workspace.id])
            admin.execute("insert into leadline.leads (name) values (%s)", [f"Lead of {name}"])
    login = f"authenticator_{postgrest.name}"
    assert names(postgrest, login, subjects["Acme"]) == ["Lead of Acme"]
    assert names(postgrest, login, subjects["Other"]) == ["Lead of Other"]
    assert names(postgrest, login, uuid4()) == []


def test_claims_set_in_another_session_open_nothing(postgrest: Database) -> None:
    workspace, subject = Workspace(postgrest), uuid4()
    with postgrest.connect() as admin:
        admin.execute("insert into private.leadline_tokens values (%s, %s)", [subject, workspace.token()])
    with postgrest.connect(autocommit=True) as admin:
        admin.execute(f"alter role authenticated_{postgrest.name} login")
    login = f"authenticated_{postgrest.name}"
    with postgrest.connect(login) as connection:
        connection.execute(
            "select set_config('request.jwt.claims', %s, true)", [json.dumps({"sub": str(subject)})]
        )
        connection.execute("select private.enter_leadline()")
        assert connection.execute("select leadline.current_workspace()").fetchone() == (None,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("select * from private.leadline_tokens")
