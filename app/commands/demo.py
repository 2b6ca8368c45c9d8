"""The demo workspace: made in an empty database, and shown at every `up`."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from app import sample
from app.commands.credentials import add_login, bind, create_token, create_workspace
from app.commands.database import Connection, Database, become_owner, program, transaction
from app.postgres import default_data

LOGIN = "demo_app"  # bound to the demo workspace as an app that may act on behalf of its people
TOKEN_LIFETIME = timedelta(days=30)

ALONE = "select pg_advisory_xact_lock(hashtextextended('leadline demo', 0))"
HAS_WORKSPACES = "select exists (select from leadline.workspaces)"
DEMO = """
    select l.workspace_id, m.user_id
    from leadline.workspace_logins l join leadline.memberships m using (workspace_id)
    where l.login = %s and l.revoked_at is null and m.role = 'owner' and m.deactivated_at is null
    order by m.created_at limit 1
"""
IS_ALIVE = """
    select exists (
        select from leadline.api_tokens t
        where t.workspace_id = %s and t.token_hash = sha256(convert_to(%s, 'UTF8')) and t.revoked_at is null
          and (t.expires_at is null or t.expires_at > now() + interval '1 hour'))
"""
ENTER = "select leadline_internal.enter_as(%s, 'owner', %s)"
REFUSED_LEAD = """
    select r.lead_id, c.name
    from leadline.refused_activities r join leadline.lead_contacts c using (workspace_id, lead_id)
    where r.workspace_id = %s order by r.rule <> 'outcome_needs_appointment', r.activity_id limit 1
"""
TIMELINE = """
    select t.occurred_at at time zone w.time_zone, t.activity_type, t.from_stage, t.to_stage,
           t.verdict, t.rule, t.sentence, s.hint
    from leadline.lead_timeline t
    join leadline.workspaces w using (workspace_id)
    left join leadline.rule_sentences s on s.rule = t.rule
    where t.workspace_id = %s and t.lead_id = %s and t.activity_type not in ('tag_added', 'note_added')
    order by t.seq limit 8
"""
OPEN_LEAD = """
    select o.lead_id, c.name, o.stage
    from leadline.lead_overview o join leadline.lead_contacts c using (workspace_id, lead_id)
    where o.workspace_id = %s and o.is_open and o.stage <> 'scheduled'
    order by o.stage <> 'attempted', o.created_at, o.lead_id limit 1
"""

INSERT = (
    "insert into lead_activity (lead_id, activity_type) values ('{}', 'callback_requested') "
    "returning verdict, rule, from_stage, to_stage"
)


@dataclass(frozen=True)
class Demo:
    """The demo workspace; its owner, the person behind the printed token; and what was made just now."""

    workspace_id: UUID
    owner_id: UUID
    made: str = "as it was left"


def find_or_make(database: Database, now: datetime, progress: Callable[[str], None]) -> Demo | None:
    """The demo workspace; made when the database holds no workspace at all, None when it holds only others.

    Made in one transaction: an interrupted `up` leaves nothing of it. `progress` is told a line a day."""
    with transaction(database.dsn) as connection:
        connection.execute(ALONE)
        become_owner(connection)
        found = connection.execute(DEMO, (LOGIN,)).fetchone()
        if found:
            return Demo(*found)
        if connection.execute(HAS_WORKSPACES).fetchone() == (True,):
            return None
        connection.execute("reset role")
        bind(connection, LOGIN, None, ["leadline_writer"])
        become_owner(connection)
        workspace_id = create_workspace(connection, sample.WORKSPACE)
        login_id = add_login(connection, workspace_id, LOGIN, "app", None, ("act_as",))
        filled = sample.fill(connection, workspace_id, now, login_id, progress=progress)
        words = ", ".join(f"{count} {verdict}" for verdict, count in sorted(filled.verdicts.items()))
        made = f"{filled.leads} leads with {filled.activities} activities: {words}"
        return Demo(workspace_id, filled.owner_id, made)


def token(database: Database, demo: Demo) -> str:
    """A token of the demo's owner.

    A database keeps only hashes, so with the embedded server the token is kept beside the data, readable by
    its user alone, and what was copied yesterday works today. Otherwise each call makes a new one. A token
    lives for 30 days."""
    kept = database.server.data / "demo-token" if database.server else None
    with transaction(database.dsn) as connection:
        become_owner(connection)
        known = _kept(kept) if kept else ""
        if known and connection.execute(IS_ALIVE, (demo.workspace_id, known)).fetchone() == (True,):
            return known
        made = create_token(connection, demo.workspace_id, "owner", demo.owner_id, (), "demo", TOKEN_LIFETIME)
    if kept:
        _keep(kept, made)
    return made


def _kept(path: Path) -> str:
    """The token kept there; '' when there is none, or another user's."""
    try:
        return path.read_text().strip()
    except (FileNotFoundError, PermissionError):
        return ""


def _keep(path: Path, secret: str) -> None:
    handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # readable by its user alone
    with os.fdopen(handle, "w") as file:
        file.write(secret + "\n")
    Path(unfinished).replace(path)


def history(database: Database, demo: Demo) -> list[str]:
    """Lines that tell one lead's history, with a refusal in it; none when nothing was refused yet."""
    with transaction(database.dsn) as connection:
        _enter(connection, demo)
        refused = connection.execute(REFUSED_LEAD, (demo.workspace_id,)).fetchone()
        if refused is None:
            return []
        lead_id, name = refused
        lines = [f"The journal of {name} (lead {lead_id}):", ""]
        for at, activity, before, after, verdict, rule, said, hint in connection.execute(
            TIMELINE, (demo.workspace_id, lead_id)
        ):
            stage = after if before == after else f"{before} → {after}"
            lines.append(f"  {at:%a %d %b %H:%M}  {activity:22} {stage:22} {verdict:8} {rule or ''}".rstrip())
            if verdict == "refused":
                lines += [f"  {'':42}{said}", f"  {'':40}→ {hint}"]
        return [*lines, ""]


def to_try(database: Database, demo: Demo, address: str, secret: str) -> list[str]:
    """Lines to copy: a report through HTTP that is refused, one through SQL that is applied, and psql."""
    with transaction(database.dsn) as connection:
        _enter(connection, demo)
        lead = connection.execute(OPEN_LEAD, (demo.workspace_id,)).fetchone()
    lines = [f"  address  {address}", f"  API      {address}/schema", f"  token    {secret}", ""]
    if lead:
        lead_id, name, stage = lead
        lines += [
            f"{name} is at stage {stage}. Report a sale, and be refused:",
            "",
            f"  curl -sS {address}/v1/leads/{lead_id}/activities \\",
            f"    -H 'Authorization: Bearer {secret}' \\",
            "    -H 'Content-Type: application/json' \\",
            """    -d '{"activity_type": "sale"}'; echo""",
            "",
        ]
        if conninfo := _login_dsn(database):
            lines += [
                f"Report a callback in SQL, as the login {LOGIN}:",
                "",
                f"  {shlex.quote(str(database.psql()))} {shlex.quote(conninfo)} \\",
                f'    -c "{INSERT.format(lead_id)}"',
                "",
            ]
    return [*lines, "Look around in SQL:", "", f"  {program()} psql{_options(database)}", ""]


def _enter(connection: Connection, demo: Demo) -> None:
    become_owner(connection)
    connection.execute(ENTER, (demo.workspace_id, demo.owner_id))


def _login_dsn(database: Database) -> str | None:
    """The DSN of demo_app with its search_path; None when the server asks for a password that it has not."""
    known = conninfo_to_dict(database.as_login(LOGIN))
    dsn = make_conninfo("", **(known | {"options": "-csearch_path=leadline"}))
    try:
        psycopg.connect(dsn, connect_timeout=5).close()
    except psycopg.OperationalError:
        return None
    return dsn


def _options(database: Database) -> str:
    """How the same database is named on the command line."""
    if database.server is None:
        return f" --login {LOGIN} --dsn {shlex.quote(database.as_login(database.user))}"
    if database.server.data == default_data().resolve():
        return ""
    return f" --data {shlex.quote(str(database.server.data))}"
