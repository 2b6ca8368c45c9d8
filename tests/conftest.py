"""Fixtures: a server, databases, connections; databases.py and pgtap.py know how they are made."""

from collections.abc import Iterator

import hypothesis
import psycopg
import pytest

from app.postgres import PORT, PostgresError, Server
from tests import pgtap
from tests.databases import Database, clone, cluster, migrated_template
from tests.pgtap import pytest_collect_file  # noqa: F401 (a hook: tests/sql/**/*.sql are tests)

hypothesis.settings.register_profile("leadline", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("leadline")


def pytest_configure(config: pytest.Config) -> None:
    """Tell pytest-postgresql's fixtures (postgresql_noproc and those built on it) about our server."""
    try:
        server = cluster()
    except PostgresError as e:
        raise pytest.UsageError(str(e)) from e
    config.option.postgresql_host = str(server.socket_dir)
    config.option.postgresql_port = str(PORT)
    config.option.postgresql_user = "postgres"


def pytest_report_header() -> str:
    """Name the server: a green run says little without it."""
    binaries = cluster().binaries
    return f"PostgreSQL {binaries.version} ({binaries.origin}: {binaries.bin_dir})"


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The running test server, shared by all workers; its cluster vanishes with the last of them."""
    with cluster() as server:
        yield server


@pytest.fixture(scope="session")
def template(server: Server) -> str:
    """The name of the template database that holds this tree's tables and rules."""
    return migrated_template(server)


@pytest.fixture
def database(server: Server, template: str) -> Iterator[Database]:
    """A fresh database of one's own: for tests that commit."""
    with clone(server, template) as database:
        yield database


@pytest.fixture(scope="session")
def shared_database(server: Server, template: str) -> Iterator[Database]:
    """One database for all tests of a worker that roll back what they do."""
    with clone(server, template) as database:
        yield database


@pytest.fixture
def owner(shared_database: Database) -> Iterator[psycopg.Connection]:
    """A superuser's connection to the shared database, rolled back afterwards; above row security."""
    with shared_database.connect() as connection:
        yield connection
        connection.rollback()


@pytest.fixture(scope="session")
def tap_connection(server: Server, template: str) -> Iterator[psycopg.Connection]:
    """The connection that runs the blocks of tests/sql; its database has pgTAP in the schema tap."""
    with (
        clone(server, template) as database,
        database.connect(autocommit=True, prepare_threshold=None) as connection,
    ):
        pgtap.install(connection)
        pgtap.load_helpers(connection)
        yield connection
