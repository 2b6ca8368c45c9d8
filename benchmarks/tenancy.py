"""(f) What the walls between tenants cost: the same page of leads and the same insert, with and without them.

`bare` has no walls: row security is disabled, the author is a constant, and the page names its workspace
itself. `known` finds out who asks. `bound` adds row security; `token` has the service's login enter by a
token instead, which takes a transaction, sent in one round trip. An admin and a member ask as bound logins;
a sixth of the leads are the member's. Each is one connection, and statements are prepared and planned once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any

import psycopg
from psycopg import Connection
from psycopg.sql import SQL, Composed, Identifier, Literal

from app.db import ENTER
from app.routes.leads import ORDER, SHOWN
from app.routes.leads import PAGE as LIST_LEADS
from benchmarks import story
from benchmarks.ground import Ground, value
from benchmarks.rounds import Rounds, Sample, alternate, measured

BARE, KNOWN, BOUND, TOKEN, ADMIN, MEMBER = CONTESTANTS = (
    "bare",
    "known",
    "bound",
    "token",
    "admin",
    "member",
)
PAGE = 50  # leads
# Left to itself the server plans the page anew every time without walls, and not with them.
GENERIC = "-c plan_cache_mode=force_generic_plan"

PEOPLE = """
    select leadline.add_login(w.workspace_id, {login}, {role},
        leadline.add_member(w.workspace_id, {login} || '@people.example', {role}))
    from bench.workspace w
"""
CREATE_TOKEN = "select leadline.create_token(w.workspace_id, 'app') from bench.workspace w"  # noqa: S105

# Leads of many days; those from `first` to `last` are the member's.
SPREAD = """
    set session_replication_role = replica;
    update leadline.leads l set
        created_at = l.created_at - (n % 10000) * interval '1 minute',
        assigned_user_id = case when n between {first} and {last} then
            (select g.user_id from leadline.workspace_logins g where g.login = {member}) end
    from generate_series(1::bigint, {total}) n where l.lead_id = bench.lead_id(n);
    reset session_replication_role
"""
WITHOUT_ROW_SECURITY = """
    do $do$
    declare v_table regclass;
    begin
        for v_table in select c.oid from pg_class c
            where c.relrowsecurity and c.relnamespace::regnamespace::text in ('leadline', 'leadline_internal')
        loop
            execute format('alter table %s disable row level security', v_table);
        end loop;
        assert found;
    end $do$
"""
WITHOUT_CONTEXT = """
    create or replace function leadline_internal.caller() returns leadline_internal.credential
    language plpgsql stable parallel restricted as $do$
    begin
        return {credential}::leadline_internal.credential;
    end $do$
"""
CREDENTIAL = """
    select row(l.workspace_id, l.role, l.user_id, l.login_id, l.writer, l.scopes,
        'integration', l.login_id, 'all')::leadline_internal.credential::text
    from leadline.workspace_logins l where l.login = %s
"""
INSERT = """
    insert into leadline.lead_activity (lead_id, activity_type) values (%(lead_id)s, 'contact_attempted')
    returning verdict
"""


@dataclass(frozen=True)
class Tenancy:
    """The rounds of both statements."""

    page: Rounds
    insert: Rounds


class Client:
    """One connection that asks, by itself or as the bearer of a token."""

    def __init__(self, connection: Connection[Any], token: str = "") -> None:
        self.connection = connection
        self.token = token

    def ask(self, statement: SQL | Composed, given: Mapping[str, Any]) -> Any:
        """The one value of `statement`."""
        if self.token:
            with self.connection.pipeline():
                self.connection.execute("begin")
                self.connection.execute(ENTER, [self.token])
                cursor = self.connection.execute(statement, given)
                self.connection.execute("commit")
        else:
            cursor = self.connection.execute(statement, given)
        row = cursor.fetchone()
        assert row is not None
        return row[0]

    def repeat(self, statement: SQL | Composed, given: Sequence[Mapping[str, Any]], expected: Any) -> Sample:
        """The statement once for each of `given`; every answer must be the one expected."""
        with measured(len(given), self.connection.info.backend_pid) as sample:
            for values in given:
                assert self.ask(statement, values) == expected
        return sample


def compare(ground: Ground, rounds: int, leads: int) -> Tenancy:
    """One round asks `leads` times for the page, and reports on `leads` leads that no other round touches."""
    block = (rounds + 1) * leads
    whole, people = ground.clone("tenancy"), [f"{ground.login}_{role}" for role in (ADMIN, MEMBER)]
    with ExitStack() as stack:
        admin = stack.enter_context(ground.admin(whole))
        stack.callback(_drop_roles, ground, people)
        story.bear(admin, 1, len(CONTESTANTS) * block)
        for role, login in zip((ADMIN, MEMBER), people, strict=True):
            admin.execute(SQL("create role {} login in role leadline_writer").format(Identifier(login)))
            admin.execute(SQL(PEOPLE).format(login=Literal(login), role=Literal(role)))
        first = CONTESTANTS.index(MEMBER) * block + 1
        admin.execute(
            SQL(SPREAD).format(
                first=Literal(first),
                last=Literal(first + block - 1),
                total=Literal(len(CONTESTANTS) * block),
                member=Literal(people[1]),
            )
        )
        admin.execute("vacuum (full, analyze) leadline.leads")
        admin.execute("vacuum (analyze)")
        token = value(admin, CREATE_TOKEN)
        workspace = value(admin, "select workspace_id from bench.workspace")
        admin.close()  # a database with a session cannot be a template
        databases = {BARE: ground.clone("bare", whole), KNOWN: ground.clone("known", whole)}
        for name, database in databases.items():
            with ground.admin(database) as other:
                other.execute(WITHOUT_ROW_SECURITY)
                if name == BARE:
                    credential = value(other, CREDENTIAL, ground.login)
                    other.execute(SQL(WITHOUT_CONTEXT).format(credential=Literal(credential)))

        logins = {TOKEN: "leadline_service", ADMIN: people[0], MEMBER: people[1]}
        clients = {
            name: Client(
                stack.enter_context(
                    psycopg.connect(
                        ground.server.dsn(databases.get(name, whole), logins.get(name, ground.login)),
                        autocommit=True,
                        options=GENERIC,
                    )
                ),
                token if name == TOKEN else "",
            )
            for name in CONTESTANTS
        }
        found = Tenancy(
            alternate("a page", _pages(clients, workspace, leads), rounds, ground.tell),
            alternate("an insert", _inserts(clients, block, leads), rounds, ground.tell),
        )
    for database in (*databases.values(), whole):
        ground.drop(database)
    return found


def _pages(clients: Mapping[str, Client], workspace: Any, times: int) -> dict[str, Callable[[int], Sample]]:
    """The newest leads: the same for all, but for the member."""
    contestants: dict[str, Callable[[int], Sample]] = {}
    given = {"limit": PAGE, "workspace_id": workspace}
    shown = {}
    for name, client in clients.items():
        walled = name not in (BARE, KNOWN)
        filters = SQL("true" if walled else "o.workspace_id = %(workspace_id)s")
        at, id_ = map(Identifier, ORDER)
        statement = LIST_LEADS.format(key=Literal("leads"), shown=SHOWN, at=at, id=id_, filters=filters)
        shown[name] = client.ask(statement, given)
        contestants[name] = partial(_asked, client, statement, [given] * times, shown[name])
    assert all(len(page["leads"]) == PAGE for page in shown.values())
    assert all(page == shown[BARE] for name, page in shown.items() if name != MEMBER)
    assert shown[MEMBER] != shown[BARE]
    return contestants


def _inserts(clients: Mapping[str, Client], block: int, leads: int) -> dict[str, Callable[[int], Sample]]:
    def insert(name: str, number: int) -> Sample:
        first = CONTESTANTS.index(name) * block + number * leads + 1
        given = [{"lead_id": story.lead_id(n)} for n in range(first, first + leads)]
        return clients[name].repeat(SQL(INSERT), given, "applied")

    return {name: partial(insert, name) for name in clients}


def _asked(
    client: Client, statement: Composed, given: Sequence[Mapping[str, Any]], expected: Any, _: int
) -> Sample:
    return client.repeat(statement, given, expected)


def _drop_roles(ground: Ground, roles: list[str]) -> None:
    with ground.admin("postgres") as connection:
        for role in roles:
            connection.execute(SQL("drop role if exists {}").format(Identifier(role)))
