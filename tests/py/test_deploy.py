"""Deploying: up, again, down, from many processes, after a crash; and what the doctor notices.

Every test has a database and a small tree of its own: two migrations, and a file of rules for each kind.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from app.deploy import (
    ROOT,
    DeployError,
    Finding,
    checksums,
    doctor,
    migrate,
    problems,
    rollback,
    rules_version,
    schema_status,
)
from app.postgres import Server
from app.postgres_binaries import Binaries
from tests.databases import Database as Place
from tests.databases import clone
from tests.lived import ENQUIRE, log_in, people_become_customers, person_of, report
from tests.tenant import Tenant, faults

MIGRATIONS = {
    "0001_things.sql": """
        -- depends:
        set lock_timeout = '3s';
        create sequence leadline_internal.activity_ids as bigint;
        -- the index needs it, so it belongs to the table
        create function leadline.key_of(p_name text) returns text
            language sql immutable as $$ select lower(p_name); $$;
        create table leadline.things (
            workspace_id uuid not null,
            thing_id uuid not null,
            name text,
            code varchar(9),
            name_key text generated always as (leadline.key_of(name)) stored,
            constraint things_pkey primary key (workspace_id, thing_id)
        );
        alter table leadline.things enable row level security;
        create index things_by_key on leadline.things (workspace_id, leadline.key_of(name));
    """,
    "0001_things.rollback.sql": """
        set lock_timeout = '3s';
        drop table leadline.things;
        drop function leadline.key_of(text);
        drop sequence leadline_internal.activity_ids;
    """,
    "0002_journal.sql": """
        -- depends: 0001_things
        set lock_timeout = '3s';
        create table leadline.rule_words (
            word text not null,
            meaning text,
            constraint rule_words_pkey primary key (word)
        );
        create table leadline.thing_activity (
            workspace_id uuid not null,
            activity_id bigint not null,
            thing_id uuid not null,
            kind varchar(9) not null default 'a',
            hash bytea,
            constraint thing_activity_pkey primary key (workspace_id, activity_id),
            constraint thing_exists foreign key (workspace_id, thing_id) references leadline.things
        );
        alter table leadline.thing_activity enable row level security;
        do $$ begin perform 1; end $$;  -- this `begin` is no transaction
    """,
    "0002_journal.rollback.sql": """
        set lock_timeout = '3s';
        drop table leadline.thing_activity;
        drop table leadline.rule_words;
    """,
}

RULES = {
    "access/context.sql": """
        create or replace function leadline.current_workspace() returns uuid language plpgsql stable as $$
        begin
            return nullif(current_setting('leadline.workspace', true), '')::uuid;
        end $$;
    """,
    "access/policies.sql": """
        drop policy if exists things_in_workspace on leadline.things;
        create policy things_in_workspace on leadline.things
            using (workspace_id = (select leadline.current_workspace()));
        drop policy if exists thing_activity_in_workspace on leadline.thing_activity;
        create policy thing_activity_in_workspace on leadline.thing_activity
            using (workspace_id = (select leadline.current_workspace()) and kind in ('a', 'b'));
    """,
    "journal/deny.sql": """
        create or replace function leadline_internal.deny_change() returns trigger language plpgsql as $$
        begin
            raise exception 'History is not changed.' using errcode = 'PT405';
        end $$;
        create or replace trigger t10_deny_change before update or delete on leadline.thing_activity
            for each row execute function leadline_internal.deny_change();
        alter table leadline.thing_activity enable always trigger t10_deny_change;
    """,
    "thing/decide.sql": """
        create or replace function leadline_internal.decide() returns trigger language plpgsql as $$
        begin
            new.activity_id := nextval('leadline_internal.activity_ids');
            return new;
        end $$;
        create or replace trigger t50_decide before insert on leadline.thing_activity
            for each row when (new.activity_id is null and new.kind in ('a', 'b'))
            execute function leadline_internal.decide();
    """,
    "views/thing_list.sql": """
        create or replace view leadline.thing_list with (security_invoker = true) as
            select t.workspace_id, t.thing_id, t.name, t.code in ('a', 'b', 'c') as is_early,
                   coalesce(t.name, 'nobody') || '!' as cry, now() - interval '1 day' as yesterday
            from leadline.things t left join leadline.rule_words w on w.word = t.name
            where t.name is null or t.name between 'a' and 'z' and t.name not like '\\_%';
    """,
    "views/thing_count.sql": """
        create or replace view leadline.thing_count with (security_invoker = true) as
            select l.workspace_id, count(*) as things from leadline.thing_list l group by l.workspace_id;
    """,
    "rules/words.sql": """
        delete from leadline.rule_words;
        insert into leadline.rule_words (word, meaning)
            values ('sale', 'they bought'), ('dnc', 'leave them alone');
    """,
    "access/grants.sql": """
        grant usage on schema leadline to leadline_writer, leadline_reader;
        grant select on leadline.thing_list, leadline.thing_count to leadline_reader;
        grant insert (workspace_id, thing_id), select on leadline.thing_activity to leadline_writer;
        grant execute on all functions in schema leadline to leadline_writer, leadline_reader;
    """,
}


@dataclass
class Tree:
    """A miniature repository."""

    root: Path

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(re.sub(r"^ {8}", "", text.lstrip("\n"), flags=re.MULTILINE))

    def remove(self, name: str) -> None:
        (self.root / name).unlink()

    def seal(self) -> None:
        """Writes load.sql and checksums.txt to match the files; grants.sql comes last."""
        listed = [n for n in self.loaded if (self.root / "sql" / n).exists()]
        self.write("sql/load.sql", "-- in this order\n" + "".join(f"\\ir {name}\n" for name in listed))
        (self.root / "migrations/checksums.txt").write_text(checksums(self.root))

    @property
    def loaded(self) -> list[str]:
        names = [p.relative_to(self.root / "sql").as_posix() for p in (self.root / "sql").rglob("*.sql")]
        order = [name for name in RULES if name != "access/grants.sql"]
        extra = sorted(set(names) - set(RULES) - {"load.sql", "access/roles.sql"})
        return [*order, *extra, "access/grants.sql"]


@dataclass
class Database:
    """A database owned by a login that is no superuser, with everything a test asks of it."""

    server: Server
    name: str
    owner: str

    @property
    def dsn(self) -> str:
        return self.server.dsn(dbname=self.name, user=self.owner)

    @property
    def superuser(self) -> str:
        return self.server.dsn(dbname=self.name, user="postgres")

    def run(self, *statements: str) -> None:
        with psycopg.connect(self.superuser, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def value(self, query: str) -> object:
        with psycopg.connect(self.superuser, autocommit=True) as connection:
            row = connection.execute(query.encode()).fetchone()
            return row[0] if row else None

    def exists(self, regclass: str) -> bool:
        return self.value(f"select to_regclass('{regclass}')") is not None

    def dump(self) -> str:
        """The schema as pg_dump prints it, without the line it makes up anew each time."""
        return dump(self.server, self.superuser, "--schema-only")


def dump(server: Server, dsn: str, *options: str) -> str:
    command = [str(server.binaries.bin_dir / "pg_dump"), *options, dsn]
    text = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    return re.sub(r"^\\(un)?restrict .*$", "", text, flags=re.MULTILINE)


def make_database(server: Server) -> Database:
    name = f"deploy_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server.dsn(), autocommit=True) as connection:
        connection.execute(f"create role {name} login createrole nosuperuser".encode())
        connection.execute(f"create database {name} owner {name}".encode())
        if connection.execute("select 1 from pg_roles where rolname = 'leadline_owner'").fetchone():
            connection.execute(f"grant leadline_owner to {name}".encode())
    return Database(server, name, name)


def drop_database(database: Database) -> None:
    with psycopg.connect(database.server.dsn(), autocommit=True) as connection:
        connection.execute(f"drop database if exists {database.name} with (force)".encode())
        connection.execute(f"drop role {database.owner}".encode())


@pytest.fixture
def database(server: Server) -> Iterator[Database]:
    made = make_database(server)
    yield made
    drop_database(made)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path / "tree")
    for name, text in MIGRATIONS.items():
        made.write(f"migrations/{name}", text)
    for name, text in RULES.items():
        made.write(f"sql/{name}", text)
    shutil.copy(ROOT / "sql/access/roles.sql", made.root / "sql/access/roles.sql")
    made.seal()
    return made


@pytest.fixture
def deployed(database: Database, tree: Tree) -> Database:
    migrate(database.dsn, root=tree.root)
    return database


@contextlib.contextmanager
def own_cluster(binaries: Binaries) -> Iterator[Server]:
    """A cluster nobody has deployed to, gone afterwards: only here are the roles missing."""
    memory = Path("/dev/shm")  # noqa: S108
    base = memory if os.access(memory, os.W_OK) else Path(tempfile.gettempdir())
    folder = Path(tempfile.mkdtemp(prefix="leadline-deploy-", dir=base))
    folder.chmod(0o755)
    try:
        with Server(folder / "pg", {"fsync": "off"}, binaries, ephemeral=True) as made:
            yield made
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def fresh_server(server: Server) -> Iterator[Server]:
    with own_cluster(server.binaries) as made:
        yield made


def refused(action: Callable[[], object]) -> str:
    with pytest.raises(DeployError) as caught:
        action()
    return str(caught.value)


def bad(findings: list[Finding], check: str) -> list[str]:
    return [finding.text for finding in findings if finding.check == check and finding.severity != "ok"]


# up ----------------------------------------------------------------------------------------------------


def test_a_new_database_is_deployed_without_a_superuser(database: Database, tree: Tree) -> None:
    said: list[str] = []
    report = migrate(database.dsn, root=tree.root, progress=said.append)
    assert report.applied == ("0001_things", "0002_journal")
    assert report.rules_version == rules_version(tree.root)
    assert [line for line in said if "applying" in line] == ["applying 0001_things", "applying 0002_journal"]
    assert database.value("select leadline_internal.rules_version()") == report.rules_version
    assert database.value("select count(*) from leadline.rule_words") == 2
    assert (
        database.value(
            "select count(*) from pg_class where relnamespace in ('leadline'::regnamespace,"
            " 'leadline_internal'::regnamespace) and relowner <> 'leadline_owner'::regrole"
        )
        == 0
    )
    assert database.value("select count(*) from pg_class where relnamespace = 'public'::regnamespace") == 0
    assert (
        database.value("select has_function_privilege('public', 'leadline_internal.decide()', 'execute')")
        is False
    )


def test_a_second_run_changes_nothing(deployed: Database, tree: Tree) -> None:
    before = deployed.dump()
    ledger = deployed.value("select array_agg(l order by l) from leadline_internal.loaded_objects l")
    report = migrate(deployed.dsn, root=tree.root)
    assert report.applied == ()
    assert report.dropped == ()
    assert deployed.dump() == before
    assert deployed.value("select array_agg(l order by l) from leadline_internal.loaded_objects l") == ledger


def test_a_uri_a_keyword_string_and_a_unix_socket_all_work(deployed: Database, tree: Tree) -> None:
    parts = psycopg.conninfo.conninfo_to_dict(deployed.dsn)
    socket = str(parts["host"]).replace("/", "%2F")
    uri = f"postgresql://{deployed.owner}@{socket}:{parts['port']}/{deployed.name}?application_name=a%20b"
    assert migrate(uri, root=tree.root).applied == ()
    assert migrate(f"{deployed.dsn} options='-c statement_timeout=900s'", root=tree.root).applied == ()


def test_a_member_of_the_owner_deploys_without_createrole(deployed: Database, tree: Tree) -> None:
    member = f"{deployed.name}_member"
    deployed.run(f"create role {member} login in role leadline_owner")
    dsn = deployed.server.dsn(dbname=deployed.name, user=member)
    assert migrate(dsn, root=tree.root).applied == ()
    assert [f for f in doctor(dsn, root=tree.root) if f.severity != "ok"] == []
    deployed.run(f"drop role {member}")


def test_a_stranger_is_told_so(deployed: Database, tree: Tree) -> None:
    stranger = f"{deployed.name}_stranger"
    deployed.run(f"create role {stranger} login")
    message = refused(
        lambda: migrate(deployed.server.dsn(dbname=deployed.name, user=stranger), root=tree.root)
    )
    assert "leadline_owner" in message
    assert f"grant leadline_owner to {stranger}" in message
    deployed.run(f"drop role {stranger}")


def test_no_server_is_a_sentence(tree: Tree, tmp_path: Path) -> None:
    assert refused(lambda: migrate(f"host={tmp_path} dbname=x", root=tree.root)).startswith("No connection")


@pytest.mark.slow
def test_six_processes_at_once_in_one_database_all_succeed(database: Database, tree: Tree) -> None:
    code = """if True:
        import sys
        from pathlib import Path
        from app.deploy import migrate
        print(len(migrate(sys.argv[1], root=Path(sys.argv[2])).applied))
    """
    command = [sys.executable, "-c", code, database.dsn, str(tree.root)]
    running = [
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    outcomes = [process.communicate(timeout=120) for process in running]
    assert [process.returncode for process in running] == [0] * 6, [error for _, error in outcomes]
    assert sorted(int(out) for out, _ in outcomes) == [0, 0, 0, 0, 0, 2]
    assert [f for f in doctor(database.dsn, root=tree.root) if f.severity != "ok"] == []


@pytest.mark.slow
def test_six_databases_at_once_in_a_new_cluster_all_succeed(fresh_server: Server, tree: Tree) -> None:
    databases = [make_database(fresh_server) for _ in range(5)]
    databases.append(databases[-1])  # and two for one database
    with ThreadPoolExecutor(6) as pool:
        reports = list(pool.map(lambda database: migrate(database.superuser, root=tree.root), databases))
    assert sorted(len(report.applied) for report in reports) == [0, 2, 2, 2, 2, 2]
    for database in databases[:5]:
        drop_database(database)


@pytest.mark.slow
def test_roles_are_made_by_a_login_that_is_no_superuser(server: Server, tree: Tree) -> None:
    with own_cluster(server.binaries) as cluster:
        first = make_database(cluster)
        with psycopg.connect(cluster.dsn(), autocommit=True) as connection:
            connection.execute(f"create database {first.name}_b owner {first.name}".encode())
        second = Database(cluster, f"{first.name}_b", first.owner)
        with ThreadPoolExecutor(2) as pool:
            reports = list(pool.map(lambda database: migrate(database.dsn, root=tree.root), [first, second]))
        assert [len(report.applied) for report in reports] == [2, 2]
        assert [f for f in doctor(first.dsn, root=tree.root) if f.severity != "ok"] == []


# files that must not pass ------------------------------------------------------------------------------


def test_an_edited_applied_migration_is_refused_by_name(deployed: Database, tree: Tree) -> None:
    path = tree.root / "migrations/0001_things.sql"
    path.write_text(path.read_text() + "alter table leadline.things add column late int;\n")
    assert "0001_things.sql: differs from checksums.txt" in refused(
        lambda: migrate(deployed.dsn, root=tree.root)
    )
    tree.seal()  # the ledger in the tree was edited as well: the database still knows what it ran
    assert "0001_things.sql was edited after it was applied" in refused(
        lambda: migrate(deployed.dsn, root=tree.root)
    )
    assert schema_status(deployed.dsn, root=tree.root).edited == ("0001_things",)


def test_a_renamed_migration_is_refused_by_name(deployed: Database, tree: Tree) -> None:
    for ending in (".sql", ".rollback.sql"):
        (tree.root / f"migrations/0002_journal{ending}").rename(tree.root / f"migrations/0002_diary{ending}")
    assert "0002_journal.sql: in checksums.txt, but the file is gone or renamed" in "\n".join(
        problems(tree.root)
    )
    tree.seal()
    assert "0002_journal was applied to this database, but there is no such file" in refused(
        lambda: migrate(deployed.dsn, root=tree.root)
    )
    assert deployed.exists("leadline.thing_activity")


LOCK = "set lock_timeout = '3s';"
BROKEN = [
    ("0002_journal.rollback.sql", None, "its way back, 0002_journal.rollback.sql, is missing"),
    ("0003_late.rollback.sql", LOCK, "no migration NNNN_subject.sql and no rollback of one"),
    ("0002_journal.sql", f"-- depends: 0001_things\n{LOCK}\nselect 1;\nCOMMIT;", "sql:4: `commit` would end"),
    ("0002_journal.sql", "-- depends: 0001_things\nselect 1;", "0002_journal.sql: no `set lock_timeout`"),
    ("0002_journal.sql", LOCK, "0002_journal.sql: no line `-- depends:`"),
    ("0002_journal.sql", f"-- depends: 0003_x\n{LOCK}", "depends on 0003_x, which does not come before it"),
    (
        "0002_journal.sql",
        f"-- depends:\n-- transactional: false\n{LOCK}",
        "every migration is one transaction",
    ),
]


@pytest.mark.parametrize(("name", "text", "sentence"), BROKEN)
def test_a_broken_migration_is_refused_before_anything_happens(
    database: Database, tree: Tree, name: str, text: str | None, sentence: str
) -> None:
    if text is None:
        tree.remove(f"migrations/{name}")
    else:
        tree.write(f"migrations/{name}", text)
    tree.seal()
    assert sentence in refused(lambda: migrate(database.dsn, root=tree.root))
    assert database.value("select to_regnamespace('leadline')") is None


def test_load_sql_lists_exactly_the_files(tree: Tree) -> None:
    assert problems(tree.root) == []
    tree.write("sql/views/forgotten.sql", "select 1;")
    assert problems(tree.root) == ["sql/views/forgotten.sql: not in load.sql"]
    tree.remove("sql/views/forgotten.sql")
    with (tree.root / "sql/load.sql").open("a") as load:
        load.write("\\ir access/roles.sql\n\\ir views/thing_list.sql\n\\ir gone.sql\nselect 1;\n")
    text = "\n".join(problems(tree.root))
    assert "roles.sql runs before the first migration and is not listed" in text
    assert "sql/views/thing_list.sql: listed twice" in text
    assert "sql/gone.sql: in load.sql, but there is no such file" in text
    assert r"sql/load.sql:13: neither a comment nor `\ir folder/file.sql`" in text


# the load ----------------------------------------------------------------------------------------------


def test_what_vanished_from_the_files_is_dropped(deployed: Database, tree: Tree) -> None:
    tree.remove("sql/views/thing_count.sql")
    tree.remove("sql/thing/decide.sql")
    grants = tree.root / "sql/access/grants.sql"
    grants.write_text(grants.read_text().replace(", leadline.thing_count", ""))
    tree.write(
        "sql/access/policies.sql",
        """
        drop policy if exists things_in_workspace on leadline.things;
        create policy things_in_workspace on leadline.things
            using (workspace_id = (select leadline.current_workspace()));
    """,
    )
    tree.seal()
    assert migrate(deployed.dsn, root=tree.root).dropped == (
        "policy thing_activity_in_workspace on leadline.thing_activity",
        "routine leadline_internal.decide()",
        "trigger t50_decide on leadline.thing_activity",
        "view leadline.thing_count",
    )
    assert not deployed.exists("leadline.thing_count")
    assert deployed.value("select to_regproc('leadline_internal.decide')") is None
    assert deployed.value("select to_regproc('leadline.key_of')") is not None, "an index needs it: no file's"


def test_a_function_with_new_arguments_replaces_the_old_one(deployed: Database, tree: Tree) -> None:
    tree.write(
        "sql/thing/greet.sql",
        "create or replace function leadline.greet(a text) returns text language sql as $$ select a $$;",
    )
    tree.seal()
    migrate(deployed.dsn, root=tree.root)
    tree.write(
        "sql/thing/greet.sql",
        "create or replace function leadline.greet(a text, b int) returns int language sql as 'select 1';",
    )
    assert migrate(deployed.dsn, root=tree.root).dropped == ("routine leadline.greet(pg_catalog.text)",)


def test_an_object_made_inside_an_exception_block_is_the_loads_too(deployed: Database, tree: Tree) -> None:
    tree.write(
        "sql/thing/careful.sql",
        """
        do $do$ begin
            create or replace view leadline.careful as select 1 as one;
        exception when insufficient_privilege then
            raise;
        end $do$;
    """,
    )
    tree.seal()
    assert migrate(deployed.dsn, root=tree.root).dropped == ()
    assert migrate(deployed.dsn, root=tree.root).dropped == ()
    tree.remove("sql/thing/careful.sql")
    tree.seal()
    assert migrate(deployed.dsn, root=tree.root).dropped == ("view leadline.careful",)


def test_an_analysts_view_holds_ours_and_nothing_changes(deployed: Database, tree: Tree) -> None:
    deployed.run("create schema analysts", "create view analysts.big as select * from leadline.thing_count")
    before, version = deployed.dump(), deployed.value("select leadline_internal.rules_version()")
    tree.remove("sql/views/thing_count.sql")
    grants = tree.root / "sql/access/grants.sql"
    grants.write_text(grants.read_text().replace(", leadline.thing_count", ""))
    tree.write(
        "sql/thing/more.sql",
        "create or replace function leadline.more() returns int language sql as $$ select 1 $$;",
    )
    tree.seal()
    message = refused(lambda: migrate(deployed.dsn, root=tree.root))
    assert "view leadline.thing_count must be dropped" in message
    assert "view analysts.big depends on view leadline.thing_count" in message
    assert deployed.dump() == before
    assert deployed.value("select leadline_internal.rules_version()") == version


FAILING = [
    ("select 1;\n\nselect * from leadline.nowhere;\n", ':3: relation "leadline.nowhere" does not exist'),
    (
        "create or replace function leadline.f() returns int language plpgsql as '\nbegin\n retrun 1;\nend';",
        ":3: ",
    ),
    ("select 'ä€𝄞';\nselect 1 +;", ":2: syntax error"),
    ("insert into leadline.rule_words (word) values ('sale');", ": duplicate key"),
    ("do $$ begin raise exception 'not today'; end $$;", ": not today"),
]


@pytest.mark.parametrize(("text", "sentence"), FAILING)
def test_a_failing_file_is_named_with_its_line_and_changes_nothing(
    deployed: Database, tree: Tree, text: str, sentence: str
) -> None:
    before = deployed.dump()
    tree.write("sql/zebra/late.sql", text)
    tree.write(
        "sql/thing/more.sql",
        "create or replace function leadline.more() returns int language sql as $$ select 1 $$;",
    )
    tree.seal()
    assert refused(lambda: migrate(deployed.dsn, root=tree.root)).startswith(f"sql/zebra/late.sql{sentence}")
    assert deployed.dump() == before


def test_a_failing_migration_is_named_with_its_line_and_leaves_nothing(
    database: Database, tree: Tree
) -> None:
    tree.write(
        "migrations/0002_journal.sql",
        """
        -- depends: 0001_things
        set lock_timeout = '3s';
        create table leadline.half (id int);
        create table leadline.half (id int);
    """,
    )
    tree.seal()
    message = refused(lambda: migrate(database.dsn, root=tree.root))
    assert message.startswith('migrations/0002_journal.sql: relation "half" already exists')
    assert not database.exists("leadline.half")
    assert schema_status(database.dsn, root=tree.root).applied == ("0001_things",)
    tree.write("migrations/0002_journal.sql", MIGRATIONS["0002_journal.sql"])
    tree.seal()
    assert migrate(database.dsn, root=tree.root).applied == ("0002_journal",)


def test_a_busy_table_is_told_and_nothing_changes(deployed: Database, tree: Tree) -> None:
    tree.write("sql/access/context.sql", "set local lock_timeout = '50ms';" + RULES["access/context.sql"])
    tree.seal()
    with psycopg.connect(deployed.superuser) as reader:
        reader.execute("select * from leadline.things")
        message = refused(lambda: migrate(deployed.dsn, root=tree.root))
    assert "sql/access/policies.sql: canceling statement due to lock timeout" in message
    assert "run it again" in message


# crashes -----------------------------------------------------------------------------------------------

CRASH = """
import os, signal, sys
from pathlib import Path
import app.deploy
sys.modules["app.deploy.migrate"]._Backend.{moment} = lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL)
app.deploy.migrate(sys.argv[1], root=Path(sys.argv[2]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["log_migration", "mark_one"])
def test_killed_between_a_migration_and_its_mark_the_next_run_goes_on(
    database: Database, tree: Tree, moment: str
) -> None:
    command = [sys.executable, "-c", CRASH.format(moment=moment), database.dsn, str(tree.root)]
    died = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert database.value("select count(*) from leadline_internal.yoyo_lock") == 1, (
        "yoyo's lock outlives its process"
    )
    said: list[str] = []
    report = migrate(database.dsn, root=tree.root, progress=said.append)
    assert report.applied == ("0001_things", "0002_journal")
    assert any(re.fullmatch(r"clearing the lock of process \d+, which died", line) for line in said)
    assert database.value("select count(*) from leadline_internal.yoyo_lock") == 0


@pytest.mark.slow
def test_yoyo_alone_would_be_stuck_there(database: Database, tree: Tree) -> None:
    """What the two tests above guard against, shown on yoyo itself: t1 exists, unmarked, 42P07 for ever."""
    code = """
        import os, signal, sys
        from pathlib import Path
        import yoyo
        from yoyo.backends.core.postgresql import PostgresqlPsycopgBackend as Backend
        if sys.argv[3] == "crash":
            Backend.mark_one = lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL)
        backend = yoyo.get_backend("postgresql+psycopg:///?" + sys.argv[1])
        backend.apply_migrations(yoyo.read_migrations(sys.argv[2]))
    """
    tree.write("plain/0001_t1.sql", "create table t1 (id int);")
    parts = psycopg.conninfo.conninfo_to_dict(database.dsn)
    query = "&".join(f"{key}={value}" for key, value in parts.items())
    command = [
        sys.executable,
        "-c",
        re.sub(r"^ {8}", "", code, flags=re.MULTILINE),
        query,
        str(tree.root / "plain"),
    ]
    assert (
        subprocess.run([*command, "crash"], cwd=ROOT, timeout=60, check=False).returncode == -signal.SIGKILL
    )
    again = subprocess.run(
        [*command, "again"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert "DuplicateTable" in again.stderr or "already exists" in again.stderr


def test_a_waiting_deploy_says_so_and_goes_on(deployed: Database, tree: Tree) -> None:
    said: list[str] = []
    with psycopg.connect(deployed.superuser, autocommit=True) as other, ThreadPoolExecutor(1) as pool:
        other.execute("select pg_advisory_lock(hashtextextended('leadline deploy', 0))")
        future = pool.submit(migrate, deployed.dsn, root=tree.root, progress=said.append)
        while (
            deployed.value("select count(*) from pg_locks where locktype = 'advisory' and not granted") == 0
        ):
            assert not future.done()
        other.execute("select pg_advisory_unlock_all()")
        assert future.result(timeout=60).applied == ()
    assert said[0] == "waiting for another deploy of this database to end"


# down --------------------------------------------------------------------------------------------------


def test_down_and_up_again_gives_the_same_dump(deployed: Database, tree: Tree) -> None:
    before = deployed.dump()
    report = rollback(deployed.dsn, root=tree.root)
    assert report.rolled_back == ("0002_journal", "0001_things")
    assert report.skipped == ()
    assert (
        deployed.value("select count(*) from pg_proc where pronamespace::regnamespace::text like 'leadline%'")
        == 0
    )
    assert not deployed.exists("leadline_internal.loaded_objects")
    assert schema_status(deployed.dsn, root=tree.root).pending == ("0001_things", "0002_journal")
    assert migrate(deployed.dsn, root=tree.root).applied == ("0001_things", "0002_journal")
    assert deployed.dump() == before


def test_down_a_part_loads_what_still_fits(deployed: Database, tree: Tree) -> None:
    before = deployed.dump()
    report = rollback(deployed.dsn, to=1, root=tree.root)
    assert report.rolled_back == ("0002_journal",)
    assert [sentence.split(":")[0] for sentence in report.skipped] == [
        "sql/access/policies.sql",
        "sql/journal/deny.sql",
        "sql/thing/decide.sql",
        "sql/views/thing_list.sql",
        "sql/views/thing_count.sql",
        "sql/rules/words.sql",
        "sql/access/grants.sql",
    ]
    assert deployed.value("select to_regproc('leadline.current_workspace')") is not None
    assert migrate(deployed.dsn, root=tree.root).applied == ("0002_journal",)
    assert deployed.dump() == before


def test_down_is_all_or_nothing(deployed: Database, tree: Tree) -> None:
    before = deployed.dump()
    deployed.run("create schema analysts", "create view analysts.raw as select * from leadline.things")
    held = deployed.dump()
    message = refused(lambda: rollback(deployed.dsn, root=tree.root))
    assert message.startswith("migrations/0001_things.rollback.sql: cannot drop table")
    assert "analysts.raw" in message
    assert deployed.dump() == held != before
    assert refused(lambda: rollback(deployed.dsn, to=7, root=tree.root)).startswith(
        "There is no migration number 0007"
    )


# the release before ------------------------------------------------------------------------------------

BEFORE = 10
SINCE = ("0011_relationship", "0012_qualification", "0013_deals_and_customers")
DATA = Path(__file__).resolve().parents[1] / "data" / "releases" / "0010.sql"
LATER = ("relationship_activity", "opportunity_activity", "customer_activity")


class Resident(Tenant):
    """The workspace that is there already."""

    def __init__(self, admin_dsn: str) -> None:
        self.admin_dsn = admin_dsn
        self._logins = {}
        self._lock = threading.Lock()
        self.id = self.ask("select workspace_id from leadline.workspaces where name = 'Before'")

    def _add_login(self, login: str, role: str, scopes: tuple[str, ...]) -> str:
        return super()._add_login(
            f"{login}_{uuid.uuid4().hex[:6]}", role, scopes
        )  # the server knows the other tests'


@pytest.fixture
def before(server: Server, template: str) -> Iterator[Place]:
    """A database as the release with the first ten migrations left it."""
    with clone(server, template) as place:
        rollback(place.dsn(), to=BEFORE)
        with place.connect() as connection:
            connection.execute("set session_replication_role = replica")
            connection.execute(DATA.read_bytes())
        yield place


@pytest.fixture
def upgraded(before: Place) -> Place:
    report = migrate(before.dsn())
    assert report.applied[: len(SINCE)] == SINCE
    return before


def unhealthy(place: Place) -> list[tuple[str, str]]:
    return [(f.check, f.text) for f in doctor(place.dsn()) if f.severity != "ok"]


def test_a_database_of_the_release_before_is_upgraded_and_sound(upgraded: Place) -> None:
    assert faults(upgraded.dsn()) == []
    assert unhealthy(upgraded) == []
    with upgraded.connect() as connection:
        stages = connection.execute(
            "select stage, furthest_stage, seq, count(*) from leadline.people group by 1, 2, 3"
        )
        assert [row[:3] for row in stages] == [("prospect", "prospect", 0)], "nobody is moved without a word"
        qualified = connection.execute(
            "select l.email_key from leadline.leads l join leadline.people p using (workspace_id, person_id)"
            " where p.first_qualified_at is not null order by 1"
        ).fetchall()
        assert qualified == [("qualified@customer.example",), ("won@customer.example",)]
        assert connection.execute(
            "select count(*), count(decision) from leadline.requests where decision is null"
        ).fetchone() == (10, 0)


def test_life_goes_on_after_the_upgrade(upgraded: Place) -> None:
    tenant = Resident(upgraded.dsn())
    with tenant.connect("owner", autocommit=True) as owner:
        by_address = {
            key: (lead_id, person_id, into)
            for key, lead_id, person_id, into in owner.execute(
                "select l.email_key, l.lead_id, l.person_id, p.merged_into from leadline.leads l"
                " join leadline.people p using (workspace_id, person_id)"
            ).fetchall()
        }
        lead_id, person_id, _ = by_address["qualified@customer.example"]
        report(owner, lead_id, "email_replied")
        report(owner, lead_id, "proposal_sent", deal_value=5)
        report(owner, lead_id, "deal_won", approve=True)
        _, merged, into = by_address["archived@customer.example"]
        assert into == by_address["won@customer.example"][1]
        told = owner.execute(
            "insert into leadline.relationship_activity (person_id, activity_type, payload)"
            ' values (%s, \'relationship_advanced\', \'{"to": "client", "reason": "won"}\') returning verdict, rule',
            [merged],
        ).fetchone()
        assert told == ("refused", "person_is_merged")
        log_in(
            owner, "relationship_activity", into, "relationship_advanced", to="client", reason="they bought"
        )
        stages = owner.execute(
            "select array_agg(to_stage order by seq) from leadline.relationship_stage_events where person_id = %s",
            [person_id],
        ).fetchone()
        assert stages == (["qualified", "opportunity", "client"],)
        [(born,)] = owner.execute(ENQUIRE, [json.dumps({"email": "won@customer.example"})]).fetchall()
        assert owner.execute("select route from leadline.requests where lead_id = %s", [born]).fetchone() == (
            "customer",
        )
    people_become_customers(tenant)
    assert faults(upgraded.dsn()) == []


def test_down_to_the_release_before_and_up_again(upgraded: Place) -> None:
    """What the release before has no table for goes; what it has, stays as it is, and is sound."""
    tenant = Resident(upgraded.dsn())
    secret = "they said so on the phone"
    with tenant.connect("owner", autocommit=True) as owner:
        [(lead_id,)] = owner.execute(
            "select lead_id from leadline.leads where email_key = 'into@customer.example'"
        ).fetchall()
        person_id = person_of(owner, lead_id)
        log_in(owner, "relationship_activity", person_id, "relationship_advanced", to="client", reason=secret)
        deal = {"pipeline": "expansion", "person_id": str(person_id), "amount": 5, "close_date": "2031-01-01"}
        opened = log_in(owner, "opportunity_activity", None, "opportunity_opened", **deal)
        lost = {"lost_reason": "Other", "notes": secret}
        log_in(owner, "opportunity_activity", opened["opportunity_id"], "opportunity_lost", **lost)
    with tenant.connect("billing", autocommit=True) as billing:
        started = log_in(billing, "customer_activity", None, "subscription_started", person_id=str(person_id))
        customer = started["subscription_id"]
        log_in(billing, "customer_activity", customer, "subscription_cancelled", reason=secret)
    leads = "select md5(string_agg(a::text, '|' order by activity_id)) from leadline.lead_activity a"
    schema, said = dump(upgraded.server, upgraded.dsn(), "--schema-only"), tenant.ask(leads)

    down = rollback(upgraded.dsn(), to=BEFORE)
    assert set(SINCE) <= set(down.rolled_back)
    assert tenant.ask("select count(*) from pg_class where relname = any (%s)", list(LATER)) == 0
    left = "select count(*) from leadline.activity_content where content::text like %s"
    assert tenant.ask(left, f"%{secret}%") == 0, (
        "no text is left that nobody would find when a person is erased"
    )
    references = "select count(*) from leadline_internal.activity_references where journal = any (%s)"
    assert tenant.ask(references, list(LATER)) == 0, "a report that comes again is no repeat"
    assert tenant.ask(leads) == said

    assert migrate(upgraded.dsn()).applied[: len(SINCE)] == SINCE
    assert dump(upgraded.server, upgraded.dsn(), "--schema-only") == schema
    assert tenant.ask(leads) == said
    assert tenant.ask("select count(*) from leadline.people where seq > 0 or stage <> 'prospect'") == 0
    assert faults(upgraded.dsn()) == []
    assert unhealthy(upgraded) == []
    people_become_customers(tenant)
    assert faults(upgraded.dsn()) == []


PLACES: dict[str, tuple[tuple[str, dict[str, str]], ...]] = {
    "accepted": (("request_accepted", {}),),
    "decided": (("request_accepted", {}), ("request_rejected", {"reason": "no_fit"})),
    "recycled": (("lead_recycled", {"reason": "bad_timing", "recycle_on": "2031-01-01"}),),
    "converted": (
        ("request_accepted", {}),
        ("lead_qualified", {"problem": "leaks", "timing": "in spring", "buying_role": "decides"}),
        ("lead_converted", {}),
    ),
}


@pytest.mark.parametrize("name", PLACES)
def test_what_the_release_before_cannot_hold_stops_the_way_down(upgraded: Place, name: str) -> None:
    """A lead of qualification at work, or a decision, whose history is the leads' own and would no longer fit them."""
    tenant = Resident(upgraded.dsn())
    with tenant.connect("owner", autocommit=True) as owner:
        said = {"workflow": "qualification", "email": "q@before.example"}
        [(lead_id,)] = owner.execute(ENQUIRE, [json.dumps(said)]).fetchall()
        for activity_type, payload in PLACES[name]:
            report(owner, lead_id, activity_type, **payload)
    whole = dump(upgraded.server, upgraded.dsn())
    migration = SINCE[2] if name == "converted" else SINCE[1]
    answer = refused(lambda: rollback(upgraded.dsn(), to=BEFORE))
    assert answer.startswith(f"migrations/{migration}.rollback.sql:")
    assert dump(upgraded.server, upgraded.dsn()) == whole


# the doctor --------------------------------------------------------------------------------------------


CHECKS = [
    "server_version",
    "roles",
    "migrations",
    "row_security",
    "activity_ids",
    "foreign_keys",
    "indexes",
    "foreign_objects",
    "catalog",
]


def test_a_healthy_database_has_one_ok_a_check(deployed: Database, tree: Tree) -> None:
    before = deployed.dump()
    for dsn in (deployed.dsn, deployed.superuser):
        findings = doctor(dsn, root=tree.root)
        assert [(f.check, f.text) for f in findings if f.severity != "ok"] == []
        assert [f.check for f in findings] == CHECKS
    assert deployed.dump() == before


BY_HAND = [
    (
        "alter table leadline.thing_activity disable trigger all",
        "foreign_keys",
        "Foreign key thing_exists of leadline.thing_activity is not enforced",
    ),
    (
        (
            "create or replace function leadline_internal.decide() returns trigger language plpgsql "
            "as 'begin return new; end'"
        ),
        "definitions",
        "The routine of leadline_internal.decide() is not what the files say.",
    ),
    (
        "alter function leadline_internal.decide() security definer",
        "definitions",
        "The routine of leadline_internal.decide() is not",
    ),
    (
        "drop trigger t50_decide on leadline.thing_activity",
        "definitions",
        "The trigger of t50_decide on leadline.thing_activity is missing.",
    ),
    (
        (
            "create or replace view leadline.thing_count with (security_invoker = true) as select "
            "workspace_id, 1::bigint as things from leadline.things"
        ),
        "definitions",
        "The view of leadline.thing_count is not",
    ),
    (
        "alter view leadline.thing_list reset (security_invoker)",
        "definitions",
        "The options of leadline.thing_list is not",
    ),
    (
        "alter policy things_in_workspace on leadline.things using (true)",
        "definitions",
        "The policy of things_in_workspace on leadline.things is not",
    ),
    (
        "alter policy things_in_workspace on leadline.things to leadline_reader",
        "definitions",
        "The policy of things_in_workspace on leadline.things is not",
    ),
    (
        "alter table leadline.thing_activity disable trigger t50_decide",
        "trigger_states",
        "Trigger t50_decide on leadline.thing_activity is disabled; by the files it is enabled.",
    ),
    (
        "alter table leadline.thing_activity enable trigger t10_deny_change",
        "trigger_states",
        ("Trigger t10_deny_change on leadline.thing_activity is enabled; by the files it is enabled always."),
    ),
    (
        (
            "with thing as (insert into leadline.things (workspace_id, thing_id)"
            " select gen_random_uuid(), gen_random_uuid() returning *) insert into leadline.thing_activity"
            " (workspace_id, activity_id, thing_id) select workspace_id, 900, thing_id from thing"
        ),
        "activity_ids",
        "The next activity_id is 1, but leadline.thing_activity already holds 900.",
    ),
    (
        "alter table leadline.things force row level security",
        "row_security",
        "Row security of leadline.things is forced",
    ),
    (
        "alter table leadline.things disable row level security",
        "row_security",
        "Table leadline.things shows every tenant's rows.",
    ),
    (
        "drop policy things_in_workspace on leadline.things",
        "row_security",
        "Table leadline.things has no policy.",
    ),
    (
        "create table leadline.late (workspace_id uuid)",
        "row_security",
        "Table leadline.late shows every tenant's rows.",
    ),
    (
        "create policy everyone on leadline.things using (true)",
        "foreign_objects",
        "Policy everyone on leadline.things was made by no file.",
    ),
    (
        "grant update on leadline.thing_activity to leadline_writer",
        "privileges",
        "leadline_writer has SELECT, UPDATE on table leadline.thing_activity; the files grant SELECT.",
    ),
    (
        "grant update (hash) on leadline.thing_activity to leadline_writer",
        "privileges",
        ("leadline_writer has UPDATE on table column leadline.thing_activity.hash; the files grant nothing."),
    ),
    (
        "grant execute on function leadline_internal.decide() to public",
        "privileges",
        "public has EXECUTE on function leadline_internal.decide(); the files grant nothing.",
    ),
    (
        "revoke select on leadline.thing_list from leadline_reader",
        "privileges",
        "leadline_reader has no privilege on view leadline.thing_list; the files grant SELECT.",
    ),
    (
        "update leadline.rule_words set meaning = 'they may have bought' where word = 'sale'",
        "rules",
        'Row leadline.rule_words (sale,"they bought") is in the files, but not here.',
    ),
    (
        "delete from leadline_internal._yoyo_migration where migration_id = '0002_journal'",
        "migrations",
        "Migration 0002_journal is pending.",
    ),
    (
        "update pg_index set indisvalid = false where indexrelid = 'leadline.things_by_key'::regclass",
        "indexes",
        "Index leadline.things_by_key is invalid.",
    ),
    (
        (
            "create or replace function leadline_internal.rules_version() returns text language sql "
            "immutable as 'select text ''old'''"
        ),
        "rules_version",
        "The database holds rules old, the files ",
    ),
]


@pytest.mark.parametrize(("by_hand", "check", "sentence"), BY_HAND)
def test_the_doctor_names_what_a_hand_changed(
    deployed: Database, tree: Tree, by_hand: str, check: str, sentence: str
) -> None:
    deployed.run(by_hand)
    before = deployed.dump()
    found = bad(doctor(deployed.dsn, root=tree.root), check)
    assert [text for text in found if text.startswith(sentence)], found
    assert deployed.dump() == before


def test_the_doctor_names_roles_that_may_too_much(fresh_server: Server, tree: Tree) -> None:
    database = make_database(fresh_server)
    migrate(database.superuser, root=tree.root)
    database.run(
        "alter role leadline_service bypassrls",
        "grant leadline_owner to leadline_worker",
        "alter role leadline_owner login",
    )
    found = bad(doctor(database.superuser, root=tree.root), "roles")
    assert found == [
        "Role leadline_owner may log in.",
        "Role leadline_service bypasses row security.",
        "Role leadline_worker is a member of leadline_owner, free of row security.",
    ]
    database.run(
        "alter role leadline_service nobypassrls",
        "revoke leadline_owner from leadline_worker",
        "alter role leadline_owner nologin",
    )
    drop_database(database)


def test_the_doctor_says_when_nothing_is_deployed(database: Database, tree: Tree) -> None:
    findings = doctor(database.superuser, root=tree.root)
    assert findings[-1].severity == "error"
    migrate(database.dsn, root=tree.root)
    assert [f.severity for f in doctor(database.dsn, root=tree.root) if f.severity != "ok"] == []


@pytest.mark.slow
def test_a_dump_from_15_restored_into_another_is_healthy(tree: Tree, fresh_server: Server) -> None:
    binaries = Path("/usr/lib/postgresql/15/bin")
    if not (binaries / "initdb").exists():
        pytest.skip("PostgreSQL 15 is not installed here")
    with own_cluster(Binaries("system", binaries, "15", 15)) as old:
        source = make_database(old)
        migrate(source.dsn, root=tree.root)
        text = dump(fresh_server, source.superuser)
    target = make_database(fresh_server)
    migrate(target.superuser, root=tree.root)  # the roles
    rollback(target.superuser, root=tree.root)
    target.run("drop schema leadline cascade", "drop schema leadline_internal cascade")
    psql = [
        str(fresh_server.binaries.bin_dir / "psql"),
        "-X",
        "-q",
        "-v",
        "ON_ERROR_STOP=1",
        target.superuser,
    ]
    subprocess.run(psql, input=text, text=True, check=True, capture_output=True, timeout=60)
    assert [(f.check, f.text) for f in doctor(target.superuser, root=tree.root) if f.severity != "ok"] == []
    assert migrate(target.superuser, root=tree.root).dropped == ()
    drop_database(target)
