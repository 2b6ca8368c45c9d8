"""sql/ into the database: one transaction, and afterwards the database holds exactly these files."""

from dataclasses import dataclass
from pathlib import Path

import psycopg

from app.deploy import files
from app.deploy.session import Connection, DeployError, one, run_file

Made = tuple[str, str]  # kind (routine, view, trigger, policy) and identity as DROP takes it

# Rows of the catalog with what shows whether they were written anew. A function that an index, a default or a
# constraint needs is part of a table, hence a migration's. `pg_identify_object` qualifies and quotes.
_OBJECTS = """
    with ours as (
        select n.oid from pg_catalog.pg_namespace n where n.nspname in ('leadline', 'leadline_internal')
    ),
    found as (
        select 'routine' as kind, p.tableoid as class, p.oid,
               case when 'application_name=leadline: not in this load' = any (p.proconfig) then 'marked'
                    else p.xmin::text || p.ctid::text end as version
        from pg_catalog.pg_proc p
        where p.pronamespace in (select o.oid from ours o)
          and not exists (
            select from pg_catalog.pg_depend d
            where d.refclassid = 'pg_catalog.pg_proc'::regclass and d.refobjid = p.oid
              and d.classid in ('pg_catalog.pg_class'::regclass, 'pg_catalog.pg_attrdef'::regclass,
                                'pg_catalog.pg_constraint'::regclass))
        union all
        select 'view', c.tableoid, c.oid, r.xmin::text || r.ctid::text
        from pg_catalog.pg_class c
        join pg_catalog.pg_rewrite r on r.ev_class = c.oid and r.rulename = '_RETURN'
        where c.relkind = 'v' and c.relnamespace in (select o.oid from ours o)
        union all
        select 'trigger', t.tableoid, t.oid, t.xmin::text || t.ctid::text
        from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid
        where not t.tgisinternal and t.tgparentid = 0 and c.relnamespace in (select o.oid from ours o)
        union all
        select 'policy', p.tableoid, p.oid, p.xmin::text || p.ctid::text
        from pg_catalog.pg_policy p join pg_catalog.pg_class c on c.oid = p.polrelid
        where c.relnamespace in (select o.oid from ours o)
    )
    select f.kind, i.identity, f.version
    from found f, pg_catalog.pg_identify_object(f.class, f.oid, 0) i
"""

# `grant … on all functions` writes the row of every function: a routine's new version proves nothing. A mark
# does: `create or replace` resets a routine's settings, a grant leaves them. No mark outlives the load.
_MARKS = """
    select p.oid::regprocedure::text
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('leadline', 'leadline_internal') and p.proowner = 'leadline_owner'::regrole
      and p.prokind <> 'a' and (%s or 'application_name=leadline: not in this load' = any (p.proconfig))
"""

_LEDGER = """
    create table if not exists leadline_internal.loaded_objects (
        kind text not null,
        identity text not null,
        constraint loaded_objects_pkey primary key (kind, identity)
    );
    comment on table leadline_internal.loaded_objects is
        'What the last load of sql/ made; what vanishes from the files is dropped by this list.';
"""

_RULES_VERSION = """
    create or replace function leadline_internal.rules_version() returns text
        language sql immutable parallel safe return '{version}'::text;
    comment on function leadline_internal.rules_version() is 'Hash of the files of sql/ in this database.';
"""

_DROP_ORDER = ["policy", "trigger", "view", "routine"]


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What a load did: the rules now in force, what it dropped ("view leadline.x"), which files did not
    fit.
    """

    rules_version: str
    dropped: tuple[str, ...]
    skipped: tuple[str, ...]


def objects(connection: Connection) -> dict[Made, str]:
    """Every routine, view, trigger and policy of the two schemas that could be a file's, with its version."""
    return {(kind, identity): version for kind, identity, version in connection.execute(_OBJECTS)}


def loaded(connection: Connection) -> set[Made]:
    """What the last load made."""
    if one(connection, "select to_regclass('leadline_internal.loaded_objects')") is None:
        return set()
    return {
        (kind, identity)
        for kind, identity in connection.execute(
            "select kind, identity from leadline_internal.loaded_objects"
        )
    }


def load(connection: Connection, root: Path, *, only_what_fits: bool = False) -> LoadReport:
    """Runs the files of load.sql as leadline_owner; then drops, without CASCADE, what only the last load
    made.

    All or nothing. This load made an object when its catalog row is another version than before, or the
    mark of a routine is gone: `create or replace` writes the row even for an unchanged definition, in
    subtransactions too. With `only_what_fits` (after a rollback of tables) a file that names what is not
    there is left out and reported. Raises DeployError with file and line, or with the foreign objects that
    hold what should go.
    """
    version = files.rules_version(root)
    skipped = []
    with connection.transaction():
        connection.execute(
            "set local role leadline_owner; set local search_path = pg_catalog; set local lock_timeout = '5s'"
        )
        connection.execute(_LEDGER)
        _alter_routines(connection, "set application_name = 'leadline: not in this load'", everyone=True)
        before = objects(connection)
        connection.execute(_RULES_VERSION.format(version=version).encode())
        for path in files.load_list(root):
            if only_what_fits:
                skipped += _try_file(connection, root, path)
            else:
                run_file(connection, root, path)
        after = objects(connection)
        made = {key for key, row in after.items() if before.get(key) != row}
        known = loaded(connection)
        dropped = sorted((known - made) & after.keys())
        drop(connection, dropped)
        _alter_routines(connection, "reset application_name", everyone=False)
        _write_ledger(connection, forget=known - made, add=made - known)
    return LoadReport(version, tuple(" ".join(key) for key in dropped), tuple(skipped))


def unload(connection: Connection) -> list[str]:
    """Drops everything the last load made, and its ledger; in the transaction of the caller."""
    gone = sorted(loaded(connection) & objects(connection).keys())
    drop(connection, gone)
    connection.execute("drop table if exists leadline_internal.loaded_objects")
    return [" ".join(key) for key in gone]


def drop(connection: Connection, doomed: list[Made]) -> None:
    """Drops objects of the ledger in an order their dependencies allow, never with CASCADE.

    Raises DeployError naming what somebody else's objects hold.
    """
    waiting = sorted(doomed, key=lambda key: (_DROP_ORDER.index(key[0]), key[1]))
    while waiting:
        held: dict[Made, str] = {}
        for kind, identity in waiting:
            try:
                with connection.transaction():
                    connection.execute(f"drop {kind} {identity}".encode())
            except psycopg.errors.DependentObjectsStillExist as error:
                held[kind, identity] = error.diag.message_detail or str(error)
        if len(held) == len(waiting):
            sentences = [
                f"{kind} {identity} must be dropped, but {why}" for (kind, identity), why in held.items()
            ]
            hint = "Nothing was changed. Hint: change or drop what depends on it, then run it again."
            raise DeployError("\n".join([*sentences, hint]))
        waiting = list(held)


def _alter_routines(connection: Connection, change: str, *, everyone: bool) -> None:
    """Marks every routine of the two schemas, or changes only those that still carry the mark."""
    for (routine,) in connection.execute(_MARKS, (everyone,)).fetchall():
        connection.execute(f"alter routine {routine} {change}".encode())


def _try_file(connection: Connection, root: Path, path: Path) -> list[str]:
    """Runs a file alone: one that meets missing tables is undone and reported, any other error is raised."""
    try:
        with connection.transaction():
            run_file(connection, root, path)
    except DeployError as error:
        if isinstance(error.__cause__, psycopg.ProgrammingError | psycopg.IntegrityError):
            return [str(error).splitlines()[0]]
        raise
    return []


def _write_ledger(connection: Connection, *, forget: set[Made], add: set[Made]) -> None:
    with connection.cursor() as cursor:
        cursor.executemany(
            "delete from leadline_internal.loaded_objects where kind = %s and identity = %s", sorted(forget)
        )
        cursor.executemany(
            "insert into leadline_internal.loaded_objects (kind, identity) values (%s, %s)", sorted(add)
        )
