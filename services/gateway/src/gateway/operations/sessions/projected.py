"""The projections as operations read them: of one session, and no older than was asked for."""

import contextlib
from collections.abc import AsyncIterator

from agent_contracts.ids import SessionId
from agent_domain.sessions.directory import Directory
from gateway.queries.checkpoint import wait_for
from gateway.queries.database import Database, Snapshot


class Projected:
    """Reads the projections, which follow the log.

    With `min_sequence` a snapshot includes that event: it waits for it, for `wait_s` seconds at most, then
    `Transient(kind="projection_behind")`.
    """

    def __init__(self, directory: Directory, database: Database, wait_s: float) -> None:
        self.directory = directory
        self._database = database
        self._wait_s = wait_s

    @contextlib.asynccontextmanager
    async def of_session(
        self, session_id: SessionId, min_sequence: int | None = None
    ) -> AsyncIterator[Snapshot]:
        """One moment, with the session's creation at least. `Rejected` if there is no such session."""
        session = await self.directory.find(session_id)
        async with self.snapshot(max(min_sequence or 0, session.created)) as snapshot:
            yield snapshot

    @contextlib.asynccontextmanager
    async def snapshot(self, min_sequence: int | None = None) -> AsyncIterator[Snapshot]:
        """One moment of all."""
        await wait_for(self._database, min_sequence, self._wait_s)
        async with self._database.snapshot() as snapshot:
            yield snapshot
