"""For whoever administers: the credentials that lead into workspaces, and the key that signs contexts."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import IO

import click

from app.commands.credentials import (
    add_login,
    bind,
    create_token,
    find_user,
    find_workspace,
    groups,
    list_logins,
    list_tokens,
    revoke_login,
    revoke_token,
    rotate_key,
)
from app.commands.database import (
    become_owner,
    database_options,
    opened,
    say,
    transaction,
)
from app.commands.team import PEOPLE, workspace_option

ROLES = (*PEOPLE, "app", "analyst", "importer", "billing", "ai")
SCOPES = ("act_as", "surface", "import", "contacts")

role_option = click.option(
    "--role", required=True, type=click.Choice(ROLES), help="What the credential may do."
)
user_option = click.option(
    "--user", metavar="EMAIL", help="The person, for the roles owner, admin and member."
)
scope_option = click.option(
    "--scope", "scopes", multiple=True, type=click.Choice(SCOPES), help="A further right; may be repeated."
)


@click.group()
def login() -> None:
    """Bind database logins to a workspace, list them, end them."""


@login.command(
    "add",
    epilog="Example: leadline login add harbour_crm --workspace 'Harbour Dental' --role app --scope act_as",
)
@click.argument("name", metavar="ROLE")
@workspace_option
@role_option
@user_option
@scope_option
@click.option(
    "--password-file",
    type=click.File("r", encoding="utf-8"),
    help="Its first line becomes the login's password; - reads stdin. Without it a new login gets none.",
)
@database_options
def login_add(
    dsn: str | None,
    data: Path,
    name: str,
    workspace: str,
    role: str,
    user: str | None,
    scopes: tuple[str, ...],
    password_file: IO[str] | None,
) -> None:
    """Bind the database login ROLE to a workspace; it is created when missing.

    Whoever connects as ROLE then inserts activities and reads views of that workspace, with any driver.
    """
    check_user(role, user)
    password = password_file.read().split("\n", 1)[0].rstrip("\r") if password_file else None
    if password == "":
        raise click.ClickException("the password file begins with an empty line")
    with opened(dsn, data) as database, transaction(database.dsn) as connection:
        made = bind(connection, name, password, groups(role, scopes))
        become_owner(connection)
        workspace_id = find_workspace(connection, workspace)
        user_id = find_user(connection, workspace_id, user, role)
        add_login(connection, workspace_id, name, role, user_id, scopes)
    person = f" for {user}" if user else ""
    click.echo(f"{name} {'made and ' if made else ''}bound to {workspace} as {role}{person}")
    if made and password is None and database.server is None:
        say(f"{name} has no password; give it one (\\password {name} in psql) if the server asks")


@login.command("list", epilog="Example: leadline login list --workspace 'Harbour Dental'")
@workspace_option
@database_options
def login_list(dsn: str | None, data: Path, workspace: str) -> None:
    """List a workspace's logins: name, role, state, person."""
    with opened(dsn, data) as database, transaction(database.dsn) as connection:
        become_owner(connection)
        for name, role, state, email in list_logins(connection, find_workspace(connection, workspace)):
            click.echo(f"{name}  {role:8}  {state:8}  {email or ''}".rstrip())


@login.command("revoke", epilog="Example: leadline login revoke harbour_crm --workspace 'Harbour Dental'")
@click.argument("name", metavar="ROLE")
@workspace_option
@database_options
def login_revoke(dsn: str | None, data: Path, workspace: str, name: str) -> None:
    """Take the workspace from the database login ROLE at once; the role itself stays in the server."""
    with opened(dsn, data) as database, transaction(database.dsn) as connection:
        become_owner(connection)
        revoke_login(connection, find_workspace(connection, workspace), name)
    click.echo(f"{name} is revoked")


@click.group()
def token() -> None:
    """Make tokens for the HTTP service, list them, end them."""


@token.command(
    "create", epilog="Example: leadline token create --workspace 'Harbour Dental' --role app --expires 90d"
)
@workspace_option
@role_option
@user_option
@scope_option
@click.option("--name", metavar="TEXT", help="What the token is for.")
@click.option(
    "--expires", metavar="SPAN", callback=lambda _c, _p, span: lifetime(span), help="90d, 12w or 6h."
)
@database_options
def token_create(
    dsn: str | None,
    data: Path,
    workspace: str,
    role: str,
    user: str | None,
    scopes: tuple[str, ...],
    name: str | None,
    expires: timedelta | None,
) -> None:
    """Make a token and print it; only a hash is kept, so it is shown this once."""
    check_user(role, user)
    with opened(dsn, data) as database, transaction(database.dsn) as connection:
        become_owner(connection)
        workspace_id = find_workspace(connection, workspace)
        user_id = find_user(connection, workspace_id, user, role)
        made = create_token(connection, workspace_id, role, user_id, scopes, name, expires)
    click.echo(made)


@token.command("list", epilog="Example: leadline token list --workspace 'Harbour Dental'")
@workspace_option
@database_options
def token_list(dsn: str | None, data: Path, workspace: str) -> None:
    """List a workspace's tokens: prefix, role, state, last use (to the minute), name."""
    with opened(dsn, data) as database, transaction(database.dsn) as connection:
        become_owner(connection)
        for prefix, role, state, used, name in list_tokens(connection, find_workspace(connection, workspace)):
            click.echo(f"ll_{prefix}  {role:8}  {state:16}  {used:22}  {name or ''}".rstrip())


@token.command("revoke", epilog="Example: leadline token revoke ll_56c51d58a6a0 --workspace 'Harbour Dental'")
@click.argument("prefix", metavar="TOKEN")
@workspace_option
@database_options
def token_revoke(dsn: str | None, data: Path, workspace: str, prefix: str) -> None:
    """End a token at once. TOKEN is its first part, as `token list` shows it, or all of it."""
    with opened(dsn, data) as database, transaction(database.dsn) as connection:
        become_owner(connection)
        workspace_id = find_workspace(connection, workspace)
        ended = revoke_token(connection, workspace_id, prefix)
    click.echo(f"ll_{ended} is revoked")


@click.group()
def key() -> None:
    """The key with which the database signs who has entered."""


@key.command("rotate", epilog="Example: leadline key rotate")
@database_options
def key_rotate(dsn: str | None, data: Path) -> None:
    """Sign with a new key from now on. Nobody is logged out: tokens, logins and open transactions go on."""
    with opened(dsn, data) as database, transaction(database.dsn) as connection:
        become_owner(connection)
        rotate_key(connection)
    click.echo("a new key signs from now on")


def lifetime(span: str | None) -> timedelta | None:
    """A time span such as 90d, 12w or 6h; click.BadParameter for anything else."""
    if span is None:
        return None
    match = re.fullmatch(r"([1-9][0-9]{0,4})([hdw])", span)
    if match is None:
        raise click.BadParameter(f"{span!r} is not a number followed by h, d or w, such as 90d")
    return (
        int(match[1]) * {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}[match[2]]
    )


def check_user(role: str, user: str | None) -> None:
    """A person's role names the person, any other names nobody; else click.UsageError."""
    if role in PEOPLE and not user:
        raise click.UsageError(f"--role {role} is a person's: add --user EMAIL")
    if role not in PEOPLE and user:
        raise click.UsageError(f"--role {role} belongs to no person: leave --user away")
