"""Which tokens are in use: noted in memory at every request, told to the database once a minute."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator

import psycopg

from app.db import Connection, Database, fetch_row
from app.door import Caller, HttpRequest, caller

PAUSE_SECONDS = 60.0
NOTE = "select leadline.note_tokens_used(%s::text[])"

log = logging.getLogger("leadline.http")


class TokensUsed:
    """The tokens that were good for a request since the database was last told: so none that is made up, and
    no more than there are."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._prefixes: set[str] = set()

    async def caller(self, request: HttpRequest) -> AsyncGenerator[Caller, None]:
        """The caller of this request, as app.door.caller; the token is noted unless the request fails."""
        found = await caller(request)
        yield found
        self._prefixes.add(found.token.split("_")[1])

    @contextlib.asynccontextmanager
    async def told(self) -> AsyncIterator[None]:
        """Tell the database once a minute while the block runs, and at its end."""
        telling = asyncio.create_task(self._tell_every_minute())
        try:
            yield
        finally:
            telling.cancel()
            await asyncio.wait([telling])
            await self._tell()

    async def _tell_every_minute(self) -> None:
        while True:
            await asyncio.sleep(PAUSE_SECONDS)
            await self._tell()

    async def _tell(self) -> None:
        """One statement; what could not be told is kept for the next time."""
        prefixes = sorted(self._prefixes)
        if not prefixes:
            return

        async def note(connection: Connection) -> None:
            await fetch_row(connection, NOTE, (prefixes,))

        try:
            await self._database.write(note)
        except psycopg.Error as error:
            log.warning("the use of %d tokens could not be noted: %s", len(prefixes), type(error).__name__)
        else:
            self._prefixes.difference_update(prefixes)
