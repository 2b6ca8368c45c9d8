"""The service's connections: a pool of a login that can only insert and read, and two ways to use one.

Nothing here sets anything for a whole session, and a signed context is void in any later transaction. So a
connection goes back to the pool as it came out of it; a statement to reset it would cost a round trip more.

write() gives a connection to work that commits by itself: one statement, or several that travel together, are
one round trip. read() is a READ ONLY transaction that enters the caller's workspace and asks one question;
its four statements travel together: one round trip as well.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import select
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import psycopg
from psycopg import sql
from psycopg.adapt import Buffer, Loader
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import AsyncConnectionPool

from app.settings import Settings

Connection: TypeAlias = psycopg.AsyncConnection[tuple[Any, ...]]
Statement: TypeAlias = str | sql.SQL | sql.Composed
Parameters: TypeAlias = Sequence[Any] | Mapping[str, Any]
Step: TypeAlias = tuple[Statement, Parameters]
T = TypeVar("T")

PAUSES_SECONDS = (0.02, 0.04, 0.08)  # at most, before each of the three repetitions
PAUSE_BEFORE_NEXT_CONNECT_SECONDS = 0.2  # while the service starts

LOST_TO_ANOTHER = (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected)

# Every attribute that would let the login look past row security or change history; one row a finding.
WHAT_THE_LOGIN_MAY = """
    select f.what
    from pg_catalog.pg_roles r
    cross join lateral (values
        (1, 'is a superuser', r.rolsuper),
        (2, 'has BYPASSRLS', r.rolbypassrls),
        (3, 'owns Leadline''s tables or functions', exists (
            select from pg_catalog.pg_namespace n
            where n.nspname in ('leadline', 'leadline_internal')
              and (n.nspowner = r.oid
                   or exists (select from pg_catalog.pg_class c
                              where c.relnamespace = n.oid and c.relowner = r.oid)
                   or exists (select from pg_catalog.pg_proc p
                              where p.pronamespace = n.oid and p.proowner = r.oid)))),
        (4, 'is leadline_owner', r.rolname = 'leadline_owner'),
        (5, 'is a member of leadline_owner', r.rolname <> 'leadline_owner' and exists (
            select from pg_catalog.pg_roles o
            where o.rolname = 'leadline_owner' and pg_has_role(r.oid, o.oid, 'member'))),
        (6, 'is a member of a superuser or of a role with BYPASSRLS', exists (
            select from pg_catalog.pg_roles o
            where o.oid <> r.oid and (o.rolsuper or o.rolbypassrls) and pg_has_role(r.oid, o.oid, 'member')))
    ) f (n, what, holds)
    where r.rolname in (session_user, current_user) and f.holds
    order by f.n
"""

ENTER = "select leadline.enter(%s)"


class RefusedToStartError(RuntimeError):
    """The service will not run with this login or database; the message names the reason."""


class _JsonText(Loader):
    """Hands json through as the bytes that PostgreSQL built, never parsed here."""

    def load(self, data: Buffer) -> bytes:
        return bytes(data)


async def fetch_row(connection: Connection, statement: Statement, parameters: Parameters) -> tuple[Any, ...]:
    """The one row of a statement that always gives one; json columns as bytes."""
    cursor = await connection.execute(statement, parameters)
    return only(await cursor.fetchone())


async def fetch_rows(
    connection: Connection, steps: Sequence[Step], *, in_transaction: bool = False
) -> list[tuple[Any, ...]]:
    """The one row of each statement, all sent together; `in_transaction` begins and commits one around them.

    A later statement sees what an earlier one did, and is not run when an earlier one failed."""
    if len(steps) == 1 and not in_transaction:
        return [await fetch_row(connection, *steps[0])]
    async with connection.pipeline():
        if in_transaction:
            await connection.execute("begin")
        cursors = [await connection.execute(*step) for step in steps]
        if in_transaction:
            await connection.execute("commit")
    return [only(await cursor.fetchone()) for cursor in cursors]


def only(row: tuple[Any, ...] | None) -> tuple[Any, ...]:
    """`row` of a statement that always gives one."""
    if row is None:
        raise RuntimeError("a statement that always gives a row gave none")
    return row


class Database:
    """The pool, between open() and close(), once. Errors are psycopg's; app.errors makes answers of them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.pool = self._pool()

    async def open(self) -> None:
        """Wait for the database, refuse a login that may do more than the service should, and connect.

        Raises RefusedToStartError naming the attribute, or why the database cannot be reached."""
        async with await self._first_connection() as connection:
            cursor = await connection.execute(WHAT_THE_LOGIN_MAY)
            too_much = [str(what) for (what,) in await cursor.fetchall()]
            if too_much:
                raise RefusedToStartError(
                    f"the login {connection.info.user} {', '.join(too_much)}: row security would not hold; "
                    "let the service log in as leadline_service"
                )
        await self.pool.open()

    async def _first_connection(self) -> Connection:
        deadline = time.monotonic() + self.settings.start_timeout_seconds
        while True:
            try:
                return await psycopg.AsyncConnection.connect(self._conninfo())
            except psycopg.OperationalError as error:
                if time.monotonic() > deadline:
                    raise RefusedToStartError(f"the database cannot be reached: {error}") from None
                await asyncio.sleep(PAUSE_BEFORE_NEXT_CONNECT_SECONDS)

    async def close(self) -> None:
        """Close every connection; requests in flight have ended by then."""
        await self.pool.close()

    async def read(self, token: str, statement: Statement, parameters: Parameters) -> Any:
        """The one value of `statement`, asked as the bearer of `token` in a READ ONLY transaction.

        Not repeated after 40001: on a standby the conflict would last. Raises PT401 for an unknown token."""
        async with self._borrowed() as connection:
            async with connection.pipeline():  # sent when it ends; asking for a row in here would cost a trip
                await connection.execute("begin read only")
                await connection.execute(ENTER, (token,))
                cursor = await connection.execute(statement, parameters)
                await connection.execute("commit")
            return only(await cursor.fetchone())[0]

    async def write(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """The result of `work` on one connection in autocommit.

        Work that lost to another transaction (40001, 40P01) is done again, three times at most, after a
        pause of random length; so is work that met a plan older than the last deploy (0A000), on a new
        connection."""
        for pause in PAUSES_SECONDS:
            try:
                return await self._once(work)
            except (*LOST_TO_ANOTHER, psycopg.errors.FeatureNotSupported):
                await asyncio.sleep(random.uniform(0, pause))  # noqa: S311 - jitter, not a secret
        return await self._once(work)

    async def _once(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        async with self._borrowed() as connection:
            try:
                return await work(connection)
            except psycopg.errors.FeatureNotSupported:
                await (
                    connection.close()
                )  # "cached plan must not change result type" stays with its connection
                raise

    @contextlib.asynccontextmanager
    async def _borrowed(self) -> AsyncIterator[Connection]:
        """A connection that lives; the dead ones met on the way are thrown away, and the pool replaces them.

        Raises PoolTimeout when none comes free in time."""
        while True:
            async with self.pool.connection() as connection:
                if not _is_dead(connection):
                    yield connection
                    return
                await connection.close()

    def _pool(self) -> AsyncConnectionPool[Connection]:
        settings = self.settings
        return AsyncConnectionPool(
            self._conninfo(),
            connection_class=psycopg.AsyncConnection[tuple[Any, ...]],
            kwargs={"autocommit": True, "prepare_threshold": settings.prepare_threshold},
            min_size=settings.pool_min,
            max_size=max(settings.pool_min, settings.pool_max),
            timeout=settings.pool_timeout_seconds,
            reconnect_timeout=settings.reconnect_seconds,
            configure=_configure,
            name="leadline",
            open=False,
        )

    def _conninfo(self) -> str:
        """The DSN with the session's settings added: instants are shown in UTC, and nothing waits for
        ever."""
        settings = self.settings
        given: dict[str, Any] = {"application_name": "leadline", "connect_timeout": "5"}
        given |= conninfo_to_dict(settings.dsn)
        if settings.session_options:
            ours = {
                "timezone": "UTC",
                "client_min_messages": "error",
                "lock_timeout": settings.lock_timeout_ms,
                "statement_timeout": settings.statement_timeout_ms,
                "idle_in_transaction_session_timeout": settings.idle_in_transaction_timeout_ms,
            }
            options = [
                str(given.get("options") or ""),
                *(f"-c {name}={value}" for name, value in ours.items()),
            ]
            given["options"] = " ".join(options).strip()
        return make_conninfo(**given)


async def _configure(connection: Connection) -> None:
    connection.adapters.register_loader("json", _JsonText)


def _is_dead(connection: Connection) -> bool:
    """Whether the server ended this connection while it lay in the pool; asked without a round trip.

    An idle connection has nothing to read; one that can be read brings a farewell."""
    watch = select.poll()
    watch.register(connection.fileno(), select.POLLIN)
    return bool(watch.poll(0))
