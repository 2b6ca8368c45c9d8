"""The databases that tests run on: one cluster for all workers, one migrated template, cheap clones."""

import contextlib
import dataclasses
import hashlib
import itertools
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
from psycopg.sql import SQL, Identifier
from pytest_postgresql.janitor import DatabaseJanitor

from app.postgres import PORT, Server, find_binaries

ROOT = Path(__file__).resolve().parents[1]
ROOM = 2_000_000_000  # bytes that must be free in memory for the cluster to live there

SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",  # it would sit in a database that is about to be cloned or dropped
    "max_connections": "200",
    "max_wal_size": "512MB",
    "wal_level": "logical",  # replicas and decoding can be tested
}

_numbers = itertools.count(1)


@dataclasses.dataclass(frozen=True)
class Database:
    """A database of the test cluster."""

    name: str
    server: Server

    def dsn(self, user: str = "postgres") -> str:
        """A libpq connection string for any role of the cluster; no password is asked."""
        return self.server.dsn(self.name, user)

    def connect(self, user: str = "postgres", **options: Any) -> psycopg.Connection:
        """A new connection; `options` are psycopg.connect's (autocommit=True, options="-c …")."""
        return psycopg.connect(self.dsn(user), **options)


def cluster() -> Server:
    """This checkout's test server for the PostgreSQL in use, not yet started.

    Ephemeral: the first process in begins with an empty cluster, so nothing of a killed run survives; the
    last one out removes it. Runs side by side share it.
    """
    binaries = find_binaries()
    memory = Path("/dev/shm")  # noqa: S108
    roomy = os.access(memory, os.W_OK) and (state := os.statvfs(memory)).f_bavail * state.f_frsize > ROOM
    checkout = hashlib.sha256(os.fsencode(ROOT)).hexdigest()[:8]
    base = memory if roomy else Path(tempfile.gettempdir())
    folder = base / f"leadline-tests-{os.geteuid()}-{checkout}-{binaries.major}"
    return Server(folder, SETTINGS, binaries, ephemeral=True)


def migrated_template(server: Server) -> str:
    """The name of a template database that holds the present tree, built by whoever asks first."""
    from app.deploy import migrate  # not above: the launcher's tests need no rules

    name = f"template_{_fingerprint()}"
    unfinished = f"{name}_unfinished"
    with psycopg.connect(server.dsn(), autocommit=True) as connection:
        connection.execute("select pg_advisory_lock(hashtextextended('leadline test template', 0))")
        if connection.execute("select from pg_database where datname = %s", [name]).fetchone() is None:
            for statement in ("drop database if exists {} with (force)", "create database {}"):
                connection.execute(SQL(statement).format(Identifier(unfinished)))
            migrate(server.dsn(unfinished))
            for statement in ("alter database {} rename to {}", "alter database {1} is_template true"):
                connection.execute(SQL(statement).format(Identifier(unfinished), Identifier(name)))
            connection.execute(SQL("alter database {} allow_connections false").format(Identifier(name)))
    return name


def _fingerprint() -> str:
    """Twelve hex digits that stand for everything a deploy reads."""
    digest = hashlib.sha256()
    for folder in ("migrations", "sql", "app/deploy"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(os.fsencode(path.relative_to(ROOT)) + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


@contextlib.contextmanager
def clone(server: Server, template: str) -> Iterator[Database]:
    """A fresh database made from `template`, dropped afterwards whoever is still connected."""
    name = f"t_{os.getpid()}_{next(_numbers)}"
    with DatabaseJanitor(
        user="postgres", host=str(server.socket_dir), port=PORT, dbname=name, template_dbname=template
    ):
        yield Database(name, server)
