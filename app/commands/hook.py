"""For whoever administers: where other systems post, and what was made of what they posted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, Any
from uuid import UUID

import click
from psycopg import sql
from psycopg.types.json import Jsonb

from app import strict_json
from app.commands.credentials import find_workspace, value
from app.commands.database import Connection, become_owner, database_options, opened, transaction
from app.commands.team import workspace_option
from app.hooks import MAP, PROCESS, unread, with_normal_contacts

SCHEMES = ("none", "standard_webhooks", "hmac", "timestamped_hmac", "hubspot_v3")
STATUSES = ("received", "processed", "unmapped", "unparsed", "mapping_failed", "bad_signature")

ADD = """
    select s.source_id, s.key, s.secret, s.verify_token
    from leadline.add_webhook_source(%s, %s, %s, %s, %s, %s, %s) s
"""
SOURCES = """
    select s.source_id, coalesce(s.preset, 'own mapping'), s.scheme,
           case when s.removed_at is null then s.key else 'removed' end, s.name
    from leadline.webhooks s where s.workspace_id = %s order by s.removed_at is not null, s.created_at
"""
NAMED = """
    select s.source_id from leadline.webhooks s
    where s.workspace_id = %(workspace_id)s and s.removed_at is null
      and %(name)s in (s.name, s.source_id::text, s.key)
"""
REMOVE = "select leadline.remove_webhook_source(%s, %s)"
REPLACE_MAPPING = "select leadline.replace_webhook_mapping(%s, %s, %s)"
REPLACE_SECRET = "select leadline.replace_webhook_secret(%s, %s, %s)"  # noqa: S105 - the statement
DELIVERY = """
    select d.log_id, d.source, d.received_at, d.status, d.error, d.event_id, d.attempts, d.processed_at,
           d.purged_at, d.results, b.headers, b.body
    from leadline.webhook_deliveries d
    left join leadline.webhook_bodies b on b.workspace_id = d.workspace_id and b.log_id = d.log_id
    where d.log_id = %s
"""
WHERE_IS = "select d.workspace_id from leadline.webhook_deliveries d where d.log_id = %s"
HELD = """
    select d.log_id from leadline.webhook_deliveries d
    where d.workspace_id = %s and d.source_id = %s and d.status = %s and d.purged_at is null order by d.log_id
"""
REOPEN = "select r.ticket, r.content_type, r.body from leadline.reopen_webhook(%s, %s) r"

source_argument = click.argument("source", metavar="SOURCE")
secret_option = click.option(
    "--secret-file", type=click.File("r", encoding="utf-8"),
    help="Its first line is the secret that both sides know; - reads stdin.",
)  # fmt: skip
mapping_option = click.option(
    "--mapping", type=click.File("r", encoding="utf-8"), help="A JSON file that says what the bodies mean."
)


@click.group()
def hook() -> None:
    """Where other systems post: make addresses, look at deliveries, replay them."""


@hook.command(
    "add", epilog="Example: leadline hook add --workspace 'Harbour Dental' --name 'Website' --preset form"
)
@workspace_option
@click.option("--name", required=True, metavar="TEXT", help="What posts there.")
@click.option("--preset", metavar="NAME", help="calendly, meta_lead_ads, hubspot, typeform or form.")
@mapping_option
@click.option("--scheme", type=click.Choice(SCHEMES), help="How it is signed; as the preset says.")
@click.option("--header", metavar="NAME", help="Header of the signature, for hmac and timestamped_hmac.")
@click.option("--encoding", type=click.Choice(("hex", "base64")), help="How hmac is written.")
@click.option("--prefix", metavar="TEXT", help="What stands before it, such as sha256=.")
@click.option("--origin", metavar="URL", help="https://host as the sender sees it, for hubspot_v3.")
@secret_option
@database_options
def hook_add(
    dsn: str | None,
    data: Path,
    workspace: str,
    name: str,
    preset: str | None,
    mapping: IO[str] | None,
    scheme: str | None,
    secret_file: IO[str] | None,
    **signature: str | None,
) -> None:
    """Make an address and print it, with the secret that signs; the secret is shown this once.

    Without --secret-file a secret is made, for a sender that takes one.
    """
    if preset is None and mapping is None:
        raise click.UsageError("say what the bodies mean: --preset or --mapping")
    given = {word: text for word, text in signature.items() if text is not None}
    with opened(dsn, data) as database, transaction(database.dsn) as connection:
        become_owner(connection)
        arguments = (
            find_workspace(connection, workspace), name, preset, _mapping(mapping), scheme,
            Jsonb(given) if given else None, _first_line(secret_file),
        )  # fmt: skip
        [(source_id, key, secret, verify_token)] = connection.execute(ADD, arguments)
    click.echo(f"source        {source_id}")
    click.echo(f"address       /v1/hooks/{key}")
    if secret:
        click.echo(f"secret        {secret}")
    if verify_token:
        click.echo(f"verify token  {verify_token}")


@hook.command("list", epilog="Example: leadline hook list --workspace 'Harbour Dental'")
@workspace_option
@database_options
def hook_list(dsn: str | None, data: Path, workspace: str) -> None:
    """List a workspace's webhook sources: id, preset, scheme, key (or removed), name."""
    with opened(dsn, data) as database, transaction(database.dsn) as connection:
        become_owner(connection)
        found = connection.execute(SOURCES, (find_workspace(connection, workspace),)).fetchall()
    for source_id, preset, scheme, key, name in found:
        click.echo(f"{source_id}  {preset:13}  {scheme:17}  {key}  {name}")


@hook.command(
    "change",
    epilog="Example: leadline hook change Website --workspace 'Harbour Dental' --mapping website.json",
)
@source_argument
@workspace_option
@mapping_option
@click.option("--preset-mapping", is_flag=True, help="Follow the preset again.")
@secret_option
@click.option("--new-secret", is_flag=True, help="Make a new secret and print it.")
@database_options
def hook_change(
    dsn: str | None,
    data: Path,
    source: str,
    workspace: str,
    mapping: IO[str] | None,
    preset_mapping: bool,
    secret_file: IO[str] | None,
    new_secret: bool,
) -> None:
    """Give SOURCE (its name, id or key) another mapping, or another secret, from now on."""
    if [bool(mapping), preset_mapping, bool(secret_file), new_secret].count(True) != 1:
        raise click.UsageError("give one of --mapping, --preset-mapping, --secret-file, --new-secret")
    with opened(dsn, data) as database, transaction(database.dsn) as connection:
        become_owner(connection)
        workspace_id = find_workspace(connection, workspace)
        source_id = _find_source(connection, workspace_id, source)
        if mapping or preset_mapping:
            value(connection, REPLACE_MAPPING, workspace_id, source_id, _mapping(mapping))
            click.echo(f"{source} has another mapping; leadline hook replay makes use of it")
        else:
            secret = value(connection, REPLACE_SECRET, workspace_id, source_id, _first_line(secret_file))
            click.echo(f"secret  {secret}" if new_secret else f"{source} has another secret")


@hook.command("remove", epilog="Example: leadline hook remove Website --workspace 'Harbour Dental'")
@source_argument
@workspace_option
@database_options
def hook_remove(dsn: str | None, data: Path, source: str, workspace: str) -> None:
    """Close the address of SOURCE (its name, id or key) for good; what came by it stays."""
    with opened(dsn, data) as database, transaction(database.dsn) as connection:
        become_owner(connection)
        workspace_id = find_workspace(connection, workspace)
        value(connection, REMOVE, workspace_id, _find_source(connection, workspace_id, source))
    click.echo(f"{source} is removed")


@hook.command("show", epilog="Example: leadline hook show 17")
@click.argument("log_id", type=int)
@database_options
def hook_show(dsn: str | None, data: Path, log_id: int) -> None:
    """Show delivery LOG_ID: what was made of it, its headers, and its body as it came."""
    with opened(dsn, data) as database, transaction(database.dsn) as connection:
        become_owner(connection)
        cursor = connection.execute(DELIVERY, (log_id,))
        names = [column.name for column in cursor.description or ()]
        found = cursor.fetchone()
    if found is None:
        raise click.ClickException(f"there is no delivery {log_id}")
    delivery = dict(zip(names, found, strict=True))
    body, headers, results = (delivery.pop(word) for word in ("body", "headers", "results"))
    for name, word in delivery.items():
        if word is not None:
            click.echo(f"{name:13} {word}")
    for result in results or ():
        click.echo(f"{'result':13} {json.dumps(result, ensure_ascii=False)}")
    for name, word in (headers or {}).items():
        click.echo(f"{'header':13} {name}: {word}")
    if body is not None:
        click.echo()
        click.echo(bytes(body))


@hook.command(
    "replay",
    epilog="Example: leadline hook replay --source Website --workspace Harbour --status mapping_failed",
)
@click.argument("log_id", type=int, required=False)
@click.option("--source", metavar="SOURCE", help="All of this source (its name, id or key) …")
@click.option("--workspace", metavar="NAME", help="… of this workspace …")
@click.option("--status", type=click.Choice(STATUSES), help="… that stand so.")
@database_options
def hook_replay(
    dsn: str | None,
    data: Path,
    log_id: int | None,
    source: str | None,
    workspace: str | None,
    status: str | None,
) -> None:
    """Read, map and log stored deliveries again: LOG_ID, or all of a source that have a status.

    What was logged before is not logged twice, where the sender names its events.
    """
    by_source = [word for word in (source, workspace, status) if word]
    if (log_id is None) != (len(by_source) == 3) or (log_id is not None and by_source):
        raise click.UsageError("give LOG_ID, or --source, --workspace and --status")
    with opened(dsn, data) as database:
        with transaction(database.dsn) as connection:
            become_owner(connection)
            workspace_id, log_ids = _chosen(connection, log_id, source, workspace, status)
        for number in log_ids:  # each by itself: one that fails stops none of those before it
            with transaction(database.dsn) as connection:
                become_owner(connection)
                outcome = replay(connection, workspace_id, number)
            click.echo(f"{number}  {outcome['status']}")
            for result in outcome["results"]:
                click.echo(f"    {json.dumps(result, ensure_ascii=False)}")


def replay(connection: Connection, workspace_id: UUID, log_id: int) -> dict[str, Any]:
    """Make something of a stored delivery once more; what the service answers: status, log_id, results."""
    [(ticket, content_type, body)] = connection.execute(REOPEN, (workspace_id, log_id))
    held = {"workspace_id": workspace_id, "log_id": log_id, "ticket": ticket}
    document, mapped, _ = unread(content_type, bytes(body))
    if mapped is None:
        asked = held | {"document": strict_json.write(document)}
        [(found, country)] = connection.execute(sql.SQL(MAP), asked)
        mapped = with_normal_contacts(found, country)
    [(outcome, _)] = connection.execute(sql.SQL(PROCESS), held | {"mapped": strict_json.write(mapped)})
    return dict(outcome)


def _chosen(
    connection: Connection, log_id: int | None, source: str | None, workspace: str | None, status: str | None
) -> tuple[UUID, list[int]]:
    """The workspace and the deliveries that are meant; click.ClickException when there is no such one."""
    if log_id is None:
        workspace_id = find_workspace(connection, str(workspace))
        source_id = _find_source(connection, workspace_id, str(source))
        found = connection.execute(HELD, (workspace_id, source_id, status)).fetchall()
        return workspace_id, [number for (number,) in found]
    row = connection.execute(WHERE_IS, (log_id,)).fetchone()
    if row is None:
        raise click.ClickException(f"there is no delivery {log_id}")
    return row[0], [log_id]


def _find_source(connection: Connection, workspace_id: UUID, name: str) -> UUID:
    found = connection.execute(NAMED, {"workspace_id": workspace_id, "name": name}).fetchall()
    if not found:
        raise click.ClickException(f"there is no webhook source {name!r}: see leadline hook list")
    if len(found) > 1:
        raise click.ClickException(f"{len(found)} webhook sources are called {name!r}: give the id instead")
    source_id: UUID = found[0][0]
    return source_id


def _mapping(file: IO[str] | None) -> Jsonb | None:
    if file is None:
        return None
    try:
        return Jsonb(json.load(file))
    except ValueError:
        raise click.ClickException(f"{file.name} is not JSON") from None


def _first_line(file: IO[str] | None) -> str | None:
    return file.read().split("\n", 1)[0].rstrip("\r") if file else None
