"""Workspaces, people and credentials in SQL: what `access`, `team` and the demo are made of.

All but bind() act as leadline_owner, in the transaction of whoever calls.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import click
from psycopg import sql
from psycopg.types.json import Jsonb

from app.commands.database import Connection

NAMED = "select workspace_id from leadline.workspaces where name = %s or workspace_id::text = %s"
CREATE_WORKSPACE = "select leadline.create_workspace(%s)"
CLOSE_WORKSPACE = "select leadline.close_workspace(%s)"
WORKSPACES = """
    select w.workspace_id, w.name, w.created_at, w.status = 'closed',
           (select count(*) from leadline.leads l where l.workspace_id = w.workspace_id)
    from leadline.workspaces w order by w.name, w.created_at
"""
SETTINGS = """
    select k.key, k.type, to_jsonb(w) ->> k.key
    from leadline.workspaces w, leadline.rule_payload_keys k
    where w.workspace_id = %s and k.activity_type = 'settings_changed' and to_jsonb(w) ? k.key
    order by k.key
"""
CHANGE_SETTINGS = """
    insert into leadline.workspace_activity (workspace_id, activity_type, payload, actor_kind, writer)
    values (%s, 'settings_changed', %s, 'system', 'workflow:administration') returning verdict, rule
"""
SENTENCE = "select s.sentence || ' ' || s.hint from leadline.rule_sentences s where s.rule = %s"
MEMBER = """
    select m.user_id, m.role from leadline.members m
    where m.workspace_id = %s and m.email = leadline.email_key(%s) and m.deactivated_at is null
"""
MEMBERS = """
    select m.user_id, case when m.deactivated_at is null then m.role else 'left' end,
           (select count(*) from leadline.leads l
            where l.workspace_id = m.workspace_id and l.assigned_user_id = m.user_id),
           m.email, m.name
    from leadline.members m where m.workspace_id = %s
    order by m.deactivated_at is not null, m.email
"""
ADD_MEMBER = "select leadline.add_member(%s, %s, %s, %s)"
END_MEMBERSHIP = "select leadline.deactivate_member(%s, %s, %s)"
ADD_LOGIN = "select leadline.add_login(%s, %s, %s, %s, %s::text[])"
LOGINS = """
    select l.login, l.role, case when l.revoked_at is null then 'lives' else 'revoked' end, m.email
    from leadline.logins l left join leadline.members m using (workspace_id, user_id)
    where l.workspace_id = %s order by l.created_at
"""
END_LOGIN = "select leadline.revoke_login(%s, %s)"
CREATE_TOKEN = "select leadline.create_token(%s, %s, %s, %s::text[], %s, %s)"  # noqa: S105 - the statement
TOKENS = """
    select t.prefix, t.role,
           case when t.revoked_at is not null then 'revoked'
                when t.expires_at <= now() then 'expired'
                when t.expires_at is null then 'lives'
                else 'until ' || to_char(t.expires_at, 'YYYY-MM-DD') end,
           coalesce(to_char(t.last_used_at at time zone 'UTC', '"used "YYYY-MM-DD HH24:MI"Z"'), 'never used'),
           t.name
    from leadline.tokens t where t.workspace_id = %s order by t.created_at
"""
REVOKE = """
    select t.prefix, leadline.revoke_token(t.workspace_id, t.token_id)
    from leadline.tokens t where t.workspace_id = %s and t.prefix = split_part(%s, '_', 2)
"""
ROTATE_KEY = "select leadline.rotate_signing_key()"
LOGIN = """
    select r.rolcanlogin, r.rolsuper or r.rolbypassrls or pg_has_role(r.oid, 'leadline_owner', 'member')
        or r.rolname in ('leadline_service', 'leadline_worker')
    from pg_roles r where r.rolname = %s
"""


def groups(role: str, scopes: tuple[str, ...]) -> list[str]:
    """The group roles whose privileges a login of this role has."""
    if role != "analyst":
        return ["leadline_writer"]
    return ["leadline_reader", "leadline_contacts"] if "contacts" in scopes else ["leadline_reader"]


def bind(connection: Connection, name: str, password: str | None, member_of: list[str]) -> bool:
    """Have a database login `name` in the given groups; true when it was made now.

    Raises click.ClickException for a role that cannot or must not be bound."""
    found = connection.execute(LOGIN, (name,)).fetchone()
    if found is None:
        connection.execute(sql.SQL("create role {} login").format(sql.Identifier(name)))
    else:
        may_log_in, is_special = found
        if is_special:
            raise click.ClickException(
                f"{name} stands above row security or serves all workspaces: choose a login of its own"
            )
        if not may_log_in:
            raise click.ClickException(f"{name} is a group: choose a login, or alter role {name} login first")
    if password is not None:
        # hashed here, so that the password itself reaches neither the server nor its log
        scrambled = connection.pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256")
        connection.execute(
            sql.SQL("alter role {} password {}").format(sql.Identifier(name), sql.Literal(scrambled.decode()))
        )
    for group in member_of:
        connection.execute(sql.SQL("grant {} to {}").format(sql.Identifier(group), sql.Identifier(name)))
    return found is None


def list_workspaces(connection: Connection) -> list[tuple[UUID, str, datetime, bool, int]]:
    """Every workspace: id, name, when it was made, whether it is closed, and how many leads it has."""
    found = connection.execute(WORKSPACES)
    return [(key, name, made, is_closed, leads) for key, name, made, is_closed, leads in found]


def is_workspace(connection: Connection, name: str) -> bool:
    """Whether there is a workspace of that name or id."""
    return connection.execute(NAMED, (name, name)).fetchone() is not None


def find_workspace(connection: Connection, name: str) -> UUID:
    """The workspace of that name or id; click.ClickException when there is none, or more than one."""
    found = connection.execute(NAMED, (name, name)).fetchall()
    if not found:
        raise click.ClickException(f"there is no workspace {name!r}: see leadline workspace list")
    if len(found) > 1:
        raise click.ClickException(f"{len(found)} workspaces are called {name!r}: give the id instead")
    workspace_id: UUID = found[0][0]
    return workspace_id


def create_workspace(connection: Connection, name: str) -> UUID:
    """Makes a workspace; returns its id."""
    return UUID(str(value(connection, CREATE_WORKSPACE, name)))


def close_workspace(connection: Connection, workspace_id: UUID) -> None:
    """Ends every token, login and membership of a workspace; its history stays."""
    value(connection, CLOSE_WORKSPACE, workspace_id)


def list_settings(connection: Connection, workspace_id: UUID) -> dict[str, tuple[str, str | None]]:
    """What settings_changed may change: key to its type and its present value."""
    return {key: (kind, text) for key, kind, text in connection.execute(SETTINGS, (workspace_id,))}


def change_settings(
    connection: Connection, workspace_id: UUID, changed: dict[str, str | bool | int | None]
) -> None:
    """Logs settings_changed; click.ClickException with the rule's sentence and hint when it is refused."""
    [(verdict, rule)] = connection.execute(CHANGE_SETTINGS, (workspace_id, Jsonb(changed)))
    if verdict == "refused":
        raise click.ClickException(str(value(connection, SENTENCE, rule)))


def list_members(connection: Connection, workspace_id: UUID) -> list[tuple[UUID, str, int, str, str | None]]:
    """A workspace's people, those who left last: id, role or "left", leads, e-mail address, name."""
    found = connection.execute(MEMBERS, (workspace_id,))
    return [(user_id, role, leads, email, name) for user_id, role, leads, email, name in found]


def find_member(connection: Connection, workspace_id: UUID, email: str) -> UUID:
    """The active member with that address; click.ClickException when there is none."""
    found = connection.execute(MEMBER, (workspace_id, email)).fetchone()
    if found is None:
        raise click.ClickException(f"{email} is no member of this workspace: see leadline member list")
    return UUID(str(found[0]))


def find_user(connection: Connection, workspace_id: UUID, email: str | None, role: str) -> UUID | None:
    """The member with that address, made when missing; click.ClickException when they have another role."""
    if email is None:
        return None
    found = connection.execute(MEMBER, (workspace_id, email)).fetchone()
    if found is None:
        return add_member(connection, workspace_id, email, role, None)
    user_id, has_role = found
    if has_role != role:
        raise click.ClickException(f"{email} is {has_role} of this workspace: use --role {has_role}")
    return UUID(str(user_id))


def add_member(connection: Connection, workspace_id: UUID, email: str, role: str, name: str | None) -> UUID:
    """Makes a person a member, or gives a member another role; returns the user's id."""
    return UUID(str(value(connection, ADD_MEMBER, workspace_id, email, role, name)))


def remove_member(connection: Connection, workspace_id: UUID, user_id: UUID, heir: UUID | None) -> int:
    """Ends a membership and all its tokens and logins; returns how many leads were reassigned."""
    return int(str(value(connection, END_MEMBERSHIP, workspace_id, user_id, heir)))


def add_login(
    connection: Connection,
    workspace_id: UUID,
    name: str,
    role: str,
    user_id: UUID | None,
    scopes: tuple[str, ...],
) -> UUID:
    """Binds a login that exists to a workspace; returns the credential's id."""
    return UUID(str(value(connection, ADD_LOGIN, workspace_id, name, role, user_id, list(scopes))))


def list_logins(connection: Connection, workspace_id: UUID) -> list[tuple[str, str, str, str | None]]:
    """A workspace's logins, oldest first: name, role, "lives" or "revoked", the person's address."""
    return [
        (name, role, state, email) for name, role, state, email in connection.execute(LOGINS, (workspace_id,))
    ]


def revoke_login(connection: Connection, workspace_id: UUID, name: str) -> None:
    """Ends what a login may do in a workspace; a second time changes nothing."""
    value(connection, END_LOGIN, workspace_id, name)


def create_token(
    connection: Connection,
    workspace_id: UUID,
    role: str,
    user_id: UUID | None,
    scopes: tuple[str, ...],
    name: str | None,
    expires: timedelta | None,
) -> str:
    """Makes a token; returns it, the only time that it can be."""
    until = datetime.now(UTC) + expires if expires else None
    return str(value(connection, CREATE_TOKEN, workspace_id, role, user_id, list(scopes), name, until))


def list_tokens(connection: Connection, workspace_id: UUID) -> list[tuple[str, str, str, str, str | None]]:
    """A workspace's tokens, oldest first: prefix, role, state ("lives", "until 2026-03-01", …), use, name."""
    found = connection.execute(TOKENS, (workspace_id,))
    return [(prefix, role, state, used, name) for prefix, role, state, used, name in found]


def revoke_token(connection: Connection, workspace_id: UUID, token: str) -> str:
    """Ends a token, given its first part or all of it; returns its prefix. A second time changes nothing.

    Raises click.ClickException when the workspace has no such token."""
    found = connection.execute(REVOKE, (workspace_id, token)).fetchone()
    if found is None:
        raise click.ClickException("this workspace has no such token: see leadline token list")
    return str(found[0])


def rotate_key(connection: Connection) -> None:
    """Has contexts signed with a new key; those of transactions now open stay good."""
    value(connection, ROTATE_KEY)


def value(connection: Connection, statement: str, *arguments: object) -> object:
    """The one value that a statement returns."""
    row = connection.execute(sql.SQL(statement), arguments).fetchone()
    return row[0] if row else None
