"""Workspaces and credentials in SQL: what the commands of `access`, and the demo, are made of.

All but bind() act as leadline_owner, in the transaction of whoever calls.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import click
from psycopg import sql

from app.commands.database import Connection

NAMED = "select workspace_id from leadline.workspaces where name = %s or workspace_id::text = %s"
CREATE_WORKSPACE = "select leadline.create_workspace(%s)"
MEMBER = """
    select m.user_id, m.role, m.deactivated_at is not null
    from leadline.memberships m join leadline.users u using (user_id)
    where m.workspace_id = %s and u.email = leadline.email_key(%s)
"""
WORKSPACES = """
    select w.workspace_id, w.name, w.created_at,
           (select count(*) from leadline.leads l where l.workspace_id = w.workspace_id)
    from leadline.workspaces w order by w.name, w.created_at
"""
ADD_MEMBER = "select leadline.add_member(%s, %s, %s)"
ADD_LOGIN = "select leadline.add_login(%s, %s, %s, %s, %s::text[])"
CREATE_TOKEN = "select leadline.create_token(%s, %s, %s, %s::text[], %s, %s)"  # noqa: S105 - the statement
TOKENS = """
    select t.prefix, t.role,
           case when t.revoked_at is not null then 'revoked'
                when t.expires_at <= now() then 'expired'
                when t.expires_at is null then 'lives'
                else 'until ' || to_char(t.expires_at, 'YYYY-MM-DD') end,
           t.name
    from leadline.api_tokens t where t.workspace_id = %s order by t.created_at
"""
REVOKE = """
    select t.prefix, leadline.revoke_token(t.workspace_id, t.token_id)
    from leadline.api_tokens t where t.workspace_id = %s and t.prefix = split_part(%s, '_', 2)
"""
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


def list_workspaces(connection: Connection) -> list[tuple[UUID, str, datetime, int]]:
    """Every workspace: id, name, when it was made, and how many leads it has."""
    return [(i, name, made, leads) for i, name, made, leads in connection.execute(WORKSPACES)]


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


def find_user(connection: Connection, workspace_id: UUID, email: str | None, role: str) -> UUID | None:
    """The member with that address, made when missing; click.ClickException when they have another role."""
    if email is None:
        return None
    found = connection.execute(MEMBER, (workspace_id, email)).fetchone()
    if found:
        user_id, has_role, is_gone = found
        if has_role != role and not is_gone:
            raise click.ClickException(f"{email} is {has_role} of this workspace: use --role {has_role}")
        if not is_gone:
            return UUID(str(user_id))
    return UUID(str(value(connection, ADD_MEMBER, workspace_id, email, role)))


def create_workspace(connection: Connection, name: str) -> UUID:
    """Makes a workspace; returns its id."""
    return UUID(str(value(connection, CREATE_WORKSPACE, name)))


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


def list_tokens(connection: Connection, workspace_id: UUID) -> list[tuple[str, str, str, str | None]]:
    """A workspace's tokens, oldest first: prefix, role, state ("lives", "until 2026-03-01", …), name."""
    found = connection.execute(TOKENS, (workspace_id,))
    return [(prefix, role, state, name) for prefix, role, state, name in found]


def revoke_token(connection: Connection, workspace_id: UUID, token: str) -> str:
    """Ends a token, given its first part or all of it; returns its prefix. A second time changes nothing.

    Raises click.ClickException when the workspace has no such token."""
    found = connection.execute(REVOKE, (workspace_id, token)).fetchone()
    if found is None:
        raise click.ClickException("this workspace has no such token: see leadline token list")
    return str(found[0])


def value(connection: Connection, statement: str, *arguments: object) -> object:
    """The one value that a statement returns."""
    row = connection.execute(sql.SQL(statement), arguments).fetchone()
    return row[0] if row else None
