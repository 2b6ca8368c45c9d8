"""For whoever administers: workspaces, their settings, and the people in them."""

from __future__ import annotations

import re
from pathlib import Path

import click

from app.commands.credentials import (
    add_member,
    change_settings,
    close_workspace,
    create_workspace,
    find_member,
    find_workspace,
    is_workspace,
    list_members,
    list_settings,
    list_workspaces,
    remove_member,
)
from app.commands.database import become_owner, database_options, opened, transaction

PEOPLE = ("owner", "admin", "member")
YES, NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0")

workspace_option = click.option("--workspace", required=True, metavar="NAME", help="Its name or its id.")


@click.group()
def workspace() -> None:
    """Make, list, set and close workspaces."""


@workspace.command("create", epilog="Example: leadline workspace create 'Harbour Dental'")
@click.argument("name")
@database_options
def workspace_create(dsn: str | None, data: Path, name: str) -> None:
    """Make an empty workspace NAME and print its id."""
    with opened(dsn, data) as database, transaction(database.dsn) as connection:
        become_owner(connection)
        if is_workspace(connection, name):
            raise click.ClickException(f"there is a workspace {name!r} already: choose another name")
        workspace_id = create_workspace(connection, name)
    click.echo(str(workspace_id))


@workspace.command("list", epilog="Example: leadline workspace list")
@database_options
def workspace_list(dsn: str | None, data: Path) -> None:
    """List all workspaces: id, leads, day of creation, name."""
    with opened(dsn, data) as database, transaction(database.dsn) as connection:
        become_owner(connection)
        for workspace_id, name, created_at, is_closed, leads in list_workspaces(connection):
            state = " (closed)" if is_closed else ""
            click.echo(f"{workspace_id}  {leads:7} leads  {created_at:%Y-%m-%d}  {name}{state}")


@workspace.command(
    "settings",
    epilog="Example: leadline workspace settings 'Harbour Dental' --set time_zone=Europe/Berlin "
    "--set members_see_all=yes",
)
@click.argument("name")
@click.option(
    "--set", "assignments", multiple=True, metavar="KEY=VALUE", help="Change a setting; may be repeated."
)
@database_options
def workspace_settings(dsn: str | None, data: Path, name: str, assignments: tuple[str, ...]) -> None:
    """Show the settings of workspace NAME, after changing those that are given with --set.

    An empty VALUE takes a setting away.
    """
    with opened(dsn, data) as database, transaction(database.dsn) as connection:
        become_owner(connection)
        workspace_id = find_workspace(connection, name)
        if assignments:
            kinds = {key: kind for key, (kind, _) in list_settings(connection, workspace_id).items()}
            change_settings(connection, workspace_id, dict(assigned(kinds, text) for text in assignments))
        for key, (_, text) in list_settings(connection, workspace_id).items():
            click.echo(f"{key:22}  {text or ''}".rstrip())


@workspace.command(
    "close", epilog="Example: leadline workspace close 'Harbour Dental' --yes-close 'Harbour Dental'"
)
@click.argument("name")
@click.option("--yes-close", metavar="NAME", help="The name once more, for there is no way back.")
@database_options
def workspace_close(dsn: str | None, data: Path, name: str, yes_close: str | None) -> None:
    """End every token, login and membership of workspace NAME, for ever. Its history stays."""
    if yes_close != name:
        raise click.UsageError(
            f"nobody enters a closed workspace again: if it is meant, add --yes-close {name!r}"
        )
    with opened(dsn, data) as database, transaction(database.dsn) as connection:
        become_owner(connection)
        close_workspace(connection, find_workspace(connection, name))
    click.echo(f"{name} is closed")


@click.group()
def member() -> None:
    """The people of a workspace."""


@member.command(
    "add", epilog="Example: leadline member add kim@example.com --workspace 'Harbour Dental' --role member"
)
@click.argument("email")
@workspace_option
@click.option("--role", required=True, type=click.Choice(PEOPLE), help="What the person may do.")
@click.option("--name", metavar="TEXT", help="The person's name.")
@database_options
def member_add(dsn: str | None, data: Path, email: str, workspace: str, role: str, name: str | None) -> None:
    """Make the person with address EMAIL a member and print the user's id; a member gets the role given.

    A password or token is a matter of its own: leadline token create, leadline login add.
    """
    with opened(dsn, data) as database, transaction(database.dsn) as connection:
        become_owner(connection)
        user_id = add_member(connection, find_workspace(connection, workspace), email, role, name)
    click.echo(str(user_id))


@member.command("list", epilog="Example: leadline member list --workspace 'Harbour Dental'")
@workspace_option
@database_options
def member_list(dsn: str | None, data: Path, workspace: str) -> None:
    """List a workspace's people: id, role (or left), leads, address, name."""
    with opened(dsn, data) as database, transaction(database.dsn) as connection:
        become_owner(connection)
        for user_id, role, leads, email, name in list_members(
            connection, find_workspace(connection, workspace)
        ):
            click.echo(f"{user_id}  {role:6}  {leads:7} leads  {email}  {name or ''}".rstrip())


@member.command(
    "remove",
    epilog="Example: leadline member remove kim@example.com --workspace 'Harbour Dental' "
    "--reassign-to ann@example.com",
)
@click.argument("email")
@workspace_option
@click.option("--reassign-to", metavar="EMAIL", help="Who gets the person's leads; nobody unless said.")
@database_options
def member_remove(dsn: str | None, data: Path, email: str, workspace: str, reassign_to: str | None) -> None:
    """End a membership at once, with the person's tokens and logins, and hand over their leads."""
    with opened(dsn, data) as database, transaction(database.dsn) as connection:
        become_owner(connection)
        workspace_id = find_workspace(connection, workspace)
        user_id = find_member(connection, workspace_id, email)
        heir = find_member(connection, workspace_id, reassign_to) if reassign_to else None
        leads = remove_member(connection, workspace_id, user_id, heir)
    handed = f"{leads} {'lead' if leads == 1 else 'leads'} handed to {reassign_to or 'nobody'}"
    click.echo(f"{email} is removed, {handed}")


def assigned(kinds: dict[str, str], text: str) -> tuple[str, str | bool | int | None]:
    """KEY=VALUE as key and value; click.UsageError for an unknown key or a value that it cannot have."""
    key, separator, word = text.partition("=")
    if not separator or key not in kinds:
        raise click.UsageError(f"--set {text}: give KEY=VALUE with a key of {', '.join(kinds)}")
    if kinds[key] == "whole" and word:
        if not re.fullmatch("[0-9]{1,9}", word):
            raise click.UsageError(f"--set {text}: give a whole number")
        return key, int(word)
    if kinds[key] != "bool":
        return key, word or None
    if word.lower() not in YES + NO:
        raise click.UsageError(f"--set {text}: give yes or no")
    return key, word.lower() in YES
