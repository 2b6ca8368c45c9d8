"""Tables up and down with yoyo, made sound: alone, checked, each migration with its mark in one
transaction.
"""

import socket
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
from yoyo.backends.core.postgresql import PostgresqlPsycopgBackend
from yoyo.connections import DatabaseURI
from yoyo.migrations import Migration as YoyoMigration
from yoyo.migrations import StepCollector, default_migration_table

from app.deploy import files
from app.deploy.load import LoadReport, load, unload
from app.deploy.session import (
    IN_THE_WAY,
    Connection,
    DeployError,
    Progress,
    act_as_owner,
    connect,
    create_roles,
    deploying,
    explain,
    one,
)


@dataclass(frozen=True, slots=True)
class MigrateReport:
    """What `migrate` did: migrations applied, the rules now in force, what was dropped since no file makes
    it.
    """

    applied: tuple[str, ...]
    rules_version: str
    dropped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RollbackReport:
    """What `rollback` did: migrations taken back; why files of sql/ were left out ("sql/x.sql:3: relation
    …").
    """

    rolled_back: tuple[str, ...]
    skipped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SchemaStatus:
    """Tree against database. `unknown`: applied, but no file here. `edited`: the file changed afterwards."""

    applied: tuple[str, ...]
    pending: tuple[str, ...]
    unknown: tuple[str, ...]
    edited: tuple[str, ...]
    rules_version: str | None
    files_version: str


def migrate(dsn: str, *, root: Path = files.ROOT, progress: Progress | None = None) -> MigrateReport:
    """Brings a database to the state of the tree: roles, pending migrations, then always the rules of sql/.

    `dsn` is any libpq URI or keyword string of a login with CREATE on the database (its owner) and
    CREATEROLE; once roles and schemas stand, of any member of leadline_owner. Run it as often and from as
    many processes as you like: they queue. `progress` is told a line a step. Raises DeployError; migrations
    applied before the error stay and are marked.
    """
    tell = progress or _silent
    _refuse_broken(root)
    with deploying(dsn, tell) as connection:
        if connection.info.server_version < 150000:
            name = connection.info.parameter_status("server_version")
            raise DeployError(f"PostgreSQL 15 or newer is needed; this server is {name}.")
        create_roles(connection, root)
        act_as_owner(connection)
        backend = _Backend(connection)
        backend.clear_dead_lock(tell)
        with backend.lock():
            backend.ensure_internal_schema_updated()
            status = status_of(connection, root)
            _refuse_foreign(status)
            for migration in files.migrations(root):
                if migration.name in status.pending:
                    tell(f"applying {migration.name}")
                    backend.up(migration, root)
        tell(f"loading sql/, rules version {status.files_version}")
        report = _load_beside_writers(connection, root, tell)
    for name in report.dropped:
        tell(f"dropped {name}")
    return MigrateReport(status.pending, report.rules_version, report.dropped)


def _load_beside_writers(connection: Connection, root: Path, tell: Progress) -> LoadReport:
    """`load`, again when it lost a deadlock or waited too long for a lock: each try is all or nothing, and
    writers of a live database come and go. The fifth try's error is final."""
    for _ in range(4):
        act_as_owner(connection)
        try:
            return load(connection, root)
        except DeployError as error:
            if not isinstance(error.__cause__, IN_THE_WAY):
                raise
            tell("somebody is writing just now, loading again")
    act_as_owner(connection)
    return load(connection, root)


def rollback(
    dsn: str, *, to: int = 0, root: Path = files.ROOT, progress: Progress | None = None
) -> RollbackReport:
    """Takes the tables back to migration number `to` (0: none is left), in one transaction: all or nothing.

    First everything sql/ made is dropped, then the rollback files run from the newest down, then the files
    of sql/ that still fit are loaded; with `to` = 0 none. Schemas, roles and yoyo's own tables stay. The
    data in dropped tables is lost. Raises DeployError, also when somebody else's view depends on what
    should go.
    """
    tell = progress or _silent
    _refuse_broken(root)
    known = files.migrations(root)
    if to not in {0, *(migration.number for migration in known)}:
        raise DeployError(
            f"There is no migration number {to:04}; the newest is {known[-1].name if known else 'none'}."
        )
    skipped: tuple[str, ...] = ()
    with deploying(dsn, tell) as connection:
        if one(connection, "select to_regnamespace('leadline_internal')") is None:
            raise DeployError(f"Nothing to roll back: {connection.info.dbname} has never been migrated.")
        act_as_owner(connection)
        backend = _Backend(connection)
        backend.clear_dead_lock(tell)
        with backend.lock():
            backend.ensure_internal_schema_updated()
            status = status_of(connection, root)
            _refuse_foreign(status)
            doomed = [
                migration
                for migration in reversed(known)
                if migration.name in status.applied and migration.number > to
            ]
            with backend.transaction():
                tell("dropping what sql/ made")
                unload(connection)
                for migration in doomed:
                    tell(f"rolling back {migration.name}")
                    backend.down(migration, root)
                if to:
                    act_as_owner(connection)
                    skipped = load(connection, root, only_what_fits=True).skipped
    for sentence in skipped:
        tell(f"left out {sentence}")
    return RollbackReport(tuple(migration.name for migration in doomed), skipped)


def schema_status(dsn: str, *, root: Path = files.ROOT) -> SchemaStatus:
    """What of the tree the database holds; changes nothing and waits for nobody.

    `dsn` is of a superuser or a member of leadline_owner. In a database never deployed to, all is pending.
    """
    with connect(dsn) as connection:
        if one(connection, "select to_regnamespace('leadline_internal')") is not None:
            act_as_owner(connection)
        return status_of(connection, root)


def status_of(connection: Connection, root: Path) -> SchemaStatus:
    """`schema_status` on a session that already acts as leadline_owner."""
    applied: dict[str, str | None] = {}
    if one(connection, "select to_regclass('leadline_internal._yoyo_migration')") is not None:
        applied = dict(
            connection.execute("""
            select m.migration_id, (select l.comment from leadline_internal._yoyo_log l
                                    where l.migration_id = m.migration_id and l.operation = 'apply'
                                    order by l.created_at_utc desc limit 1)
            from leadline_internal._yoyo_migration m order by m.migration_id""").fetchall()
        )
    version: str | None = None
    if connection.execute("select to_regprocedure('leadline_internal.rules_version()')").fetchone() != (
        None,
    ):
        row = connection.execute("select leadline_internal.rules_version()").fetchone()
        version = row[0] if row else None
    known = {migration.name: migration for migration in files.migrations(root)}
    return SchemaStatus(
        applied=tuple(applied),
        pending=tuple(name for name in known if name not in applied),
        unknown=tuple(name for name in applied if name not in known),
        edited=tuple(
            name
            for name, digest in applied.items()
            if digest and name in known and known[name].sha256 != digest
        ),
        rules_version=version,
        files_version=files.rules_version(root),
    )


def _refuse_broken(root: Path) -> None:
    if found := files.problems(root):
        raise DeployError(
            "\n".join(["Nothing was changed, since these files are not as they must be:", *found])
        )


def _refuse_foreign(status: SchemaStatus) -> None:
    sentences = [
        f"{name} was applied to this database, but there is no such file: renamed, or the database is newer"
        for name in status.unknown
    ]
    sentences += [
        f"migrations/{name}.sql was edited after it was applied to this database" for name in status.edited
    ]
    if sentences:
        raise DeployError(
            "\n".join([*sentences, "Hint: put the file back as it was; a change is a new migration."])
        )


def _silent(_: str) -> None:
    return None


class _Backend(PostgresqlPsycopgBackend):  # type: ignore[misc]
    """yoyo on our own session, as leadline_owner.

    yoyo itself runs a migration on a second connection and marks it on the first: a crash between leaves a
    table that exists and a migration that is pending for ever. Here both are one transaction. A file is
    sent as it stands, not cut into statements, so the server's error position is a line of the file.
    """

    create_lock_table_sql = PostgresqlPsycopgBackend.create_lock_table_sql.replace(
        "CREATE TABLE", "CREATE TABLE IF NOT EXISTS"
    )
    log_migration_sql = PostgresqlPsycopgBackend.log_migration_sql.replace(
        "{quoted.created_at_utc})", "{quoted.created_at_utc}, {quoted.comment})"
    ).replace(":created_at_utc)", ":created_at_utc, :comment)")

    def __init__(self, connection: Connection) -> None:
        self._ours = connection
        uri = DatabaseURI("postgresql+psycopg", None, None, None, None, connection.info.dbname, {})
        super().__init__(uri, default_migration_table)
        self.create_lock_table()

    def connect(self, dburi: DatabaseURI) -> Connection:  # noqa: ARG002
        return self._ours

    def clear_dead_lock(self, tell: Progress) -> None:
        """Removes the lock row of a killed process: a live one would hold the advisory lock that we hold."""
        for (pid,) in self._ours.execute("select pid from leadline_internal.yoyo_lock").fetchall():
            tell(f"clearing the lock of process {pid}, which died")
            self.break_lock()

    def up(self, migration: files.Migration, root: Path) -> None:
        """Applies and marks one migration; the digest of its file is kept as the comment of yoyo's log."""
        self._run(migration, root, "apply")

    def down(self, migration: files.Migration, root: Path) -> None:
        """Runs a migration's rollback file and takes its mark away."""
        self._run(migration, root, "rollback")

    def _run(self, migration: files.Migration, root: Path, direction: str) -> None:
        path = migration.up if direction == "apply" else migration.down
        up, down = migration.up.read_text("utf-8"), migration.down.read_text("utf-8")
        whole = YoyoMigration(migration.name, str(migration.up), str(migration.up.parent))
        steps = StepCollector(migration=whole)
        steps.add_step(up, down)
        whole.steps = steps.create_steps(use_transactions=True)
        whole.sha256 = migration.sha256
        act_as_owner(self._ours)
        try:
            with self.transaction():
                whole.process_steps(self, direction)
                self.log_migration(whole, direction)
                if direction == "apply":
                    self.mark_one(whole, log=False)
                else:
                    self.unmark_one(whole, log=False)
        except psycopg.Error as error:
            raise explain(error, path.relative_to(root).as_posix(), path.read_text("utf-8")) from error

    def get_log_data(self, migration: Any = None, operation: str = "apply") -> dict[str, Any]:
        # yoyo asks the system for the user's name and the resolver for the host's: a container may know none.
        return {
            "id": str(uuid4()),
            "migration_id": migration.id if migration else None,
            "migration_hash": migration.hash if migration else None,
            "username": self._ours.info.user,
            "hostname": socket.gethostname(),
            "created_at_utc": datetime.now(UTC).replace(tzinfo=None),
            "operation": operation,
            "comment": migration.sha256 if migration else None,
        }
