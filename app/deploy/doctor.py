"""Does the database still hold what was deployed? Asked after a restore, an upgrade, or work by hand."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psycopg
from psycopg.sql import SQL, Identifier

from app.deploy import files
from app.deploy.load import load, loaded, objects
from app.deploy.migrate import status_of
from app.deploy.session import IN_THE_WAY, Connection, DeployError, act_as_owner, deploying, one

Severity = Literal["error", "warning", "ok"]
Aspect = tuple[str, str]  # what of an object ("definition", "privileges of x", …) and which object

OLDEST = {
    15: 150014,
    16: 160010,
    17: 170006,
    18: 180000,
}  # server_version_num of the oldest release with its security fixes

ROLES = {  # and whether each may log in; made by sql/access/roles.sql
    "leadline_owner": False,
    "leadline_writer": False,
    "leadline_reader": False,
    "leadline_contacts": False,
    "leadline_service": True,
    "leadline_worker": True,
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One answer of the doctor: which check, how bad, the sentence, and what to do ("" for nothing)."""

    check: str
    severity: Severity
    text: str
    hint: str = ""


def doctor(dsn: str, *, root: Path = files.ROOT) -> list[Finding]:
    """Every check in order, at least one finding each; changes nothing.

    `dsn` is of a superuser or of a member of leadline_owner. The last check loads sql/ and undoes it, so it
    holds the tables' locks for as long as a deploy does; a busy table makes it a warning. Raises
    DeployError only without a connection.
    """
    with deploying(dsn, lambda _: None) as connection:
        findings = [*_server(connection), *_roles(connection)]
        try:
            act_as_owner(connection)
        except DeployError as error:
            return [
                *findings,
                Finding("login", "error", str(error), "use a superuser or a member of leadline_owner"),
            ]
        if one(connection, "select to_regnamespace('leadline_internal')") is None:
            return [
                *findings,
                Finding("migrations", "error", "This database holds no Leadline.", "run leadline migrate"),
            ]
        for check, answers in (
            ("migrations", _migrations(connection, root)),
            ("row_security", _row_security(connection)),
            ("activity_ids", _activity_ids(connection)),
            ("foreign_keys", _foreign_keys(connection)),
            ("indexes", _indexes(connection)),
            ("foreign_objects", _foreign_objects(connection, root)),
            ("catalog", _catalog(connection, root)),
        ):
            found = list(answers)
            findings += found or [Finding(check, "ok", _FINE[check])]
    return findings


_FINE = {
    "migrations": "Every migration is applied, unedited, and the rules are those of the files.",
    "row_security": "Every tenant table has row security, not forced, and a policy.",
    "activity_ids": "The next activity_id is above every journal's.",
    "foreign_keys": "Every foreign key is enforced.",
    "indexes": "Every index is valid.",
    "foreign_objects": "The two schemas hold only what migrations and files made.",
    "catalog": "Functions, views, triggers, policies, rules and privileges are those of the files.",
}


def _server(connection: Connection) -> Iterator[Finding]:
    number, name = connection.info.server_version, connection.info.parameter_status("server_version")
    oldest = OLDEST.get(number // 10000, 150014)
    if number < oldest:
        text = f"PostgreSQL {name} has security holes that {oldest // 10000}.{oldest % 10000} closed."
        yield Finding("server_version", "error", text, "install the current minor release")
    else:
        yield Finding("server_version", "ok", f"PostgreSQL {name}.")


def _roles(connection: Connection) -> Iterator[Finding]:
    attributes = {
        row[0]: row[1:]
        for row in connection.execute(
            """
            select r.rolname, r.rolcanlogin, r.rolsuper, r.rolbypassrls, r.rolcreaterole,
                   r.rolname <> 'leadline_owner' and pg_has_role(r.oid, o.oid, 'MEMBER')
            from pg_catalog.pg_roles r left join pg_catalog.pg_roles o on o.rolname = 'leadline_owner'
            where r.rolname = any (%s)""",
            (list(ROLES),),
        )
    }
    found = [f"Role {role} does not exist." for role in ROLES if role not in attributes]
    for role, (may_log_in, is_superuser, bypasses, creates_roles, is_owner) in sorted(attributes.items()):
        if may_log_in != ROLES[role]:
            found.append(f"Role {role} {'may' if may_log_in else 'may not'} log in.")
        found += [f"Role {role} is a superuser."] if is_superuser else []
        found += [f"Role {role} bypasses row security."] if bypasses else []
        found += [f"Role {role} may create roles."] if creates_roles else []
        found += [f"Role {role} is a member of leadline_owner, free of row security."] if is_owner else []
    for text in found:
        yield Finding("roles", "error", text, "compare with sql/access/roles.sql")
    if not found:
        yield Finding("roles", "ok", "The six roles exist and none may do more than it must.")


def _migrations(connection: Connection, root: Path) -> Iterator[Finding]:
    for text in files.problems(root):
        yield Finding("files", "error", text, "the tree itself is broken: take it from the release")
    status = status_of(connection, root)
    for name in status.pending:
        yield Finding("migrations", "error", f"Migration {name} is pending.", "run leadline migrate")
    for name in status.unknown:
        yield Finding(
            "migrations",
            "error",
            f"Migration {name} was applied, but has no file here.",
            "use the release that was deployed",
        )
    for name in status.edited:
        yield Finding(
            "migrations", "error", f"Migration {name} was edited after it was applied.", "put the file back"
        )
    if status.rules_version != status.files_version:
        text = f"The database holds rules {status.rules_version or 'none'}, the files {status.files_version}."
        yield Finding(
            "rules_version", "error", text, "run leadline migrate, or use the release that was deployed"
        )


def _row_security(connection: Connection) -> Iterator[Finding]:
    for table, is_enabled, is_forced, policies in connection.execute("""
            select format('%I.%I', n.nspname, c.relname), c.relrowsecurity, c.relforcerowsecurity,
                   (select count(*) from pg_catalog.pg_policy p where p.polrelid = c.oid)
            from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
            where n.nspname in ('leadline', 'leadline_internal') and c.relkind in ('r', 'p')
              and exists (select from pg_catalog.pg_attribute a
                          where a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped)
            order by 1"""):
        if not is_enabled:
            yield Finding(
                "row_security",
                "error",
                f"Table {table} shows every tenant's rows.",
                f"alter table {table} enable row level security",
            )
        if is_forced:
            text = f"Row security of {table} is forced: the owner's checks, dumps and migrations see nothing."
            yield Finding("row_security", "error", text, f"alter table {table} no force row level security")
        if not policies:
            yield Finding("row_security", "error", f"Table {table} has no policy.", "run leadline migrate")


def _activity_ids(connection: Connection) -> Iterator[Finding]:
    if one(connection, "select to_regclass('leadline_internal.activity_ids')") is None:
        yield Finding(
            "activity_ids",
            "error",
            "Sequence leadline_internal.activity_ids does not exist.",
            "run leadline migrate",
        )
        return
    journals = connection.execute("""
        select n.nspname, c.relname
        from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'leadline' and c.relkind in ('r', 'p') and not c.relispartition
          and 2 = (select count(*) from pg_catalog.pg_attribute a
                   where a.attrelid = c.oid and a.attname in ('activity_id', 'hash') and not a.attisdropped)
        order by 2""").fetchall()
    highest = {
        ".".join(journal): one(
            connection, SQL("select max(activity_id) from {}").format(Identifier(*journal))
        )
        or 0
        for journal in journals
    }
    # Read after the journals: the sequence only grows.
    following = one(connection, "select last_value + is_called::int from leadline_internal.activity_ids")
    for journal, highest_id in highest.items():
        if following <= highest_id:
            text = f"The next activity_id is {following}, but {journal} already holds {highest_id}."
            top = max(highest.values())
            yield Finding(
                "activity_ids", "error", text, f"select setval('leadline_internal.activity_ids', {top})"
            )


def _foreign_keys(connection: Connection) -> Iterator[Finding]:
    for key, table in connection.execute("""
            select distinct k.conname, k.conrelid::regclass::text
            from pg_catalog.pg_trigger t join pg_catalog.pg_constraint k on k.oid = t.tgconstraint
            where k.connamespace in (select n.oid from pg_catalog.pg_namespace n
                                     where n.nspname in ('leadline', 'leadline_internal'))
              and t.tgisinternal and t.tgenabled <> 'O'
            order by 2, 1"""):
        text = f"Foreign key {key} of {table} is not enforced: its triggers are disabled."
        hint = "as superuser, alter table … enable trigger all on both its tables; then leadline migrate"
        yield Finding("foreign_keys", "error", text, hint)


def _indexes(connection: Connection) -> Iterator[Finding]:
    for (index,) in connection.execute("""
            select format('%I.%I', n.nspname, c.relname)
            from pg_catalog.pg_index i join pg_catalog.pg_class c on c.oid = i.indexrelid
            join pg_catalog.pg_namespace n on n.oid = c.relnamespace
            where n.nspname in ('leadline', 'leadline_internal') and not i.indisvalid order by 1"""):
        yield Finding("indexes", "error", f"Index {index} is invalid.", f"reindex index concurrently {index}")


def _foreign_objects(connection: Connection, root: Path) -> Iterator[Finding]:
    of_migrations = files.routines_of_migrations(root)
    for kind, identity in sorted(objects(connection).keys() - loaded(connection)):
        if kind == "routine" and identity.partition("(")[0] in of_migrations:
            continue
        severity: Severity = "error" if kind in ("policy", "trigger") else "warning"
        text = f"{kind.capitalize()} {identity} was made by no file."
        yield Finding(
            "foreign_objects", severity, text, f"drop {kind} {identity}, or move it to a schema of its own"
        )


def _catalog(connection: Connection, root: Path) -> Iterator[Finding]:
    """Catalog equals files: what is there, against what a load would make of it, undone."""
    if one(connection, "select pg_is_in_recovery()"):
        yield Finding("catalog", "warning", "A standby cannot load the files to compare.", "ask the primary")
        return
    try:
        with connection.transaction(force_rollback=True):
            connection.execute("set local search_path = pg_catalog; set local lock_timeout = '5s'")
            before = _snapshot(connection)
            with connection.transaction(force_rollback=True):
                _revoke_all(connection)
                load(connection, root)
                after = _snapshot(connection)
                both = before.keys() & after.keys()
                changed = [key for key in both if key[0] in _REENTER and before[key] != after[key]]
                after |= _reentered(connection, changed)
            before |= _reentered(connection, changed)
    except (DeployError, psycopg.OperationalError, psycopg.errors.InsufficientPrivilege) as error:
        cause = error.__cause__ if isinstance(error, DeployError) else error
        is_busy = isinstance(cause, IN_THE_WAY)
        severity: Severity = "warning" if is_busy else "error"
        yield Finding(
            "catalog",
            severity,
            f"The files could not be loaded to compare. {error}",
            "run it again" if is_busy else "",
        )
        return
    for aspect, thing in sorted(before.keys() | after.keys()):
        if before.get((aspect, thing)) != after.get((aspect, thing)):
            yield _difference(aspect, thing, before.get((aspect, thing)), after.get((aspect, thing)))


def _difference(aspect: str, thing: str, here: str | None, expected: str | None) -> Finding:
    hint = "run leadline migrate"
    if aspect == "state":
        states = {
            "O": "enabled",
            "D": "disabled",
            "A": "enabled always",
            "R": "enabled for replicas only",
            None: "missing",
        }
        text = f"Trigger {thing} is {states[here]}; by the files it is {states[expected]}."
        return Finding("trigger_states", "error", text, hint)
    if aspect.startswith("privileges of "):
        role = aspect.removeprefix("privileges of ")
        text = f"{role} has {here or 'no privilege'} on {thing}; the files grant {expected or 'nothing'}."
        only_reads = (
            set((here or "").split(", ")) - set((expected or "").split(", ")) <= {"SELECT", "USAGE"}
            and here is not None
        )
        hint = "revoke what is too much, or write it into sql/access/grants.sql; leadline migrate only adds"
        return Finding("privileges", "warning" if only_reads else "error", text, hint)
    if aspect == "rule":
        where = "in the files, but not here" if here is None else "here, but not in the files"
        text = f"Row {thing} is {where}."
        return Finding("rules", "error", text, hint)
    if expected is None:
        return Finding("definitions", "error", f"The {aspect} of {thing} is in no file.", hint)
    missing = "is missing" if here is None else "is not what the files say"
    return Finding("definitions", "error", f"The {aspect} of {thing} {missing}.", hint)


_DEFINITIONS = """
    with ours as (
        select n.oid from pg_catalog.pg_namespace n where n.nspname in ('leadline', 'leadline_internal')
    ),
    tables as (
        select c.tableoid as class, c.* from pg_catalog.pg_class c
        where c.relnamespace in (select o.oid from ours o)
    ),
    triggers as (
        select t.tableoid as class, t.* from pg_catalog.pg_trigger t
        where t.tgrelid in (select c.oid from tables c) and not t.tgisinternal
    ),
    policies as (
        select p.tableoid as class, p.* from pg_catalog.pg_policy p
        where p.polrelid in (select c.oid from tables c)
    ),
    routines as (
        select p.tableoid as class, p.* from pg_catalog.pg_proc p
        where p.pronamespace in (select o.oid from ours o)
    )
    select d.aspect, (pg_identify_object(d.class, d.oid, 0)).identity, d.text
    from (
        select 'routine' as aspect, p.class, p.oid, pg_get_functiondef(p.oid) as text
        from routines p where p.prokind <> 'a'
        union all
        select 'owner', p.class, p.oid, pg_get_userbyid(p.proowner) from routines p
        union all
        select 'owner', c.class, c.oid, pg_get_userbyid(c.relowner)
        from tables c where c.relkind in ('r', 'p', 'v', 'S')
        union all
        select 'view', c.class, c.oid, pg_get_viewdef(c.oid) from tables c where c.relkind = 'v'
        union all
        select 'options', c.class, c.oid, (select string_agg(o, ', ' order by o) from unnest(c.reloptions) o)
        from tables c where c.relkind = 'v'
        union all
        select 'trigger', t.class, t.oid, pg_get_triggerdef(t.oid) from triggers t
        union all
        select 'state', t.class, t.oid, t.tgenabled::text from triggers t
        union all
        select 'policy', p.class, p.oid,
               concat_ws(' ',
                         (select 'to ' || string_agg(coalesce(quote_ident(r.rolname), 'public'), ', '
                                                     order by r.rolname)
                          from unnest(p.polroles) u left join pg_catalog.pg_roles r on r.oid = u),
                         'using (' || pg_get_expr(p.polqual, p.polrelid) || ')',
                         'with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')
        from policies p
        union all
        select 'kind', p.class, p.oid, format('%s %s', p.polcmd, p.polpermissive) from policies p
    ) d
"""

# word and whole: how REVOKE names the object; a column is revoked with its table.
_PRIVILEGES = """
    with ours as (
        select n.oid from pg_catalog.pg_namespace n where n.nspname in ('leadline', 'leadline_internal')
    ),
    tables as (
        select c.tableoid as class, c.* from pg_catalog.pg_class c
        where c.relnamespace in (select o.oid from ours o)
    ),
    lists as (
        select case c.relkind when 'S' then 'sequence' else 'table' end as word,
               c.class, c.oid, 0 as part, c.relowner as owner,
               coalesce(c.relacl, acldefault((case c.relkind when 'S' then 's' else 'r' end)::"char",
                                             c.relowner)) as acl
        from tables c where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
        union all
        select 'table', c.class, c.oid, a.attnum, c.relowner, a.attacl
        from tables c join pg_catalog.pg_attribute a on a.attrelid = c.oid
        where a.attacl is not null and not a.attisdropped
        union all
        select 'routine', p.tableoid, p.oid, 0, p.proowner, coalesce(p.proacl, acldefault('f', p.proowner))
        from pg_catalog.pg_proc p where p.pronamespace in (select o.oid from ours o)
        union all
        select 'schema', n.tableoid, n.oid, 0, n.nspowner, coalesce(n.nspacl, acldefault('n', n.nspowner))
        from pg_catalog.pg_namespace n where n.oid in (select o.oid from ours o)
    )
    select l.word, (pg_identify_object(l.class, l.oid, 0)).identity as whole,
           i.type || ' ' || i.identity as shown,
           case e.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(e.grantee)) end as grantee,
           e.privilege_type || case when e.is_grantable then ' with grant option' else '' end as privilege
    from lists l, aclexplode(l.acl) e, pg_identify_object(l.class, l.oid, l.part) i
    where e.grantee <> l.owner
    order by 1, 2, 3, 4, 5
"""

_REENTER = {  # how an object is made again from its definition
    "routine": "{text}",
    "view": "create or replace view {thing} as {text}",
    "trigger": "drop trigger {thing}; {text}",
    "policy": "alter policy {thing} {text}",
}

_RULE_TABLES = r"""
    select n.nspname, c.relname
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'leadline' and c.relkind = 'r' and c.relname like 'rule\_%'
"""


def _snapshot(connection: Connection) -> dict[Aspect, str]:
    """Definitions, owners, options, trigger states, privileges and rows of the rules, each as the server
    prints it.
    """
    found = _definitions(connection)
    for _, _, shown, grantee, privilege in connection.execute(_PRIVILEGES):
        key = (f"privileges of {grantee}", shown)
        found[key] = f"{found[key]}, {privilege}" if key in found else privilege
    for name in connection.execute(_RULE_TABLES).fetchall():
        query = SQL("select r::text from {} r").format(Identifier(*name))
        found |= {("rule", f"{'.'.join(name)} {row}"): "" for (row,) in connection.execute(query)}
    return found


def _revoke_all(connection: Connection) -> None:
    """Takes every grant in the two schemas away, so that a load leaves exactly those of the files."""
    rows = connection.execute(_PRIVILEGES).fetchall()
    for word, whole, grantee in sorted({(word, whole, grantee) for word, whole, _, grantee, _ in rows}):
        connection.execute(f"revoke all on {word} {whole} from {grantee} cascade".encode())


def _reentered(connection: Connection, changed: list[Aspect]) -> dict[Aspect, str]:
    """Definitions as the server prints them after reading its own print, twice.

    `x in ('a', 'b')` on a varchar is printed otherwise after a dump and restore; read and printed again, the
    original and the restored one are the same.
    """
    if not changed:
        return {}
    with connection.transaction(force_rollback=True):
        for _ in range(2):
            texts = _definitions(connection)
            for aspect, thing in changed:
                statement = _REENTER[aspect].format(thing=thing, text=texts[aspect, thing])
                connection.execute(statement.encode())
        texts = _definitions(connection)
    return {key: texts[key] for key in changed}


def _definitions(connection: Connection) -> dict[Aspect, str]:
    return {(aspect, thing): text or "" for aspect, thing, text in connection.execute(_DEFINITIONS)}
