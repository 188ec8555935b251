"""The projections as operations read them: of one session or of all, and no older than what was shown."""

import contextlib
from collections.abc import AsyncIterator

from agent_contracts.errors import Transient
from agent_contracts.ids import SessionId
from agent_domain.sessions.directory import SessionDirectory
from agent_platform.log.port import Log
from gateway.queries.age import tell_age
from gateway.queries.checkpoint import ProjectionWait, wait_for
from gateway.queries.database import Database, ProjectionSnapshot


class ProjectedSessions:
    """Reads the projections, which follow the log.

    A snapshot includes what the log held when it was asked for: of the session, or of all. It waits for that
    for `wait_s` seconds at most, and is older where the projections don't come so far: whoever listens by
    `age_of_reads` is told. With `min_sequence` it includes that event, or is
    `Transient(kind="projection_behind")` after `wait_s` seconds.
    """

    def __init__(self, log: Log, directory: SessionDirectory, database: Database, wait_s: float) -> None:
        self._log = log
        self.directory = directory
        self._database = database
        self._wait_s = wait_s
        self._progress = ProjectionWait(database, wait_s)

    @contextlib.asynccontextmanager
    async def of_session(
        self, session_id: SessionId, min_sequence: int | None = None, *, as_of_now: bool = False
    ) -> AsyncIterator[ProjectionSnapshot]:
        """One moment, with the session's creation at least. `Rejected` if there is no such session.

        `as_of_now`: `Transient(kind="projection_behind")` where it would be older.
        """
        session = await self.directory.find(session_id)

        async def newest(after: int) -> int:
            found = await self._log.last_of_each(session.key.everything, after=after)
            return max((one.sequence for one in found), default=0)

        await wait_for(
            self._database, max(min_sequence or 0, session.created), self._wait_s, self._log.last_sequence
        )
        behind = await self._progress.catch_up(newest)
        if behind and as_of_now:
            raise Transient(
                f"The lists lack the newest events of session {session_id}: which turn is its newest can't "
                "be told. Nothing is lost; try again in a moment, or name the turn",
                kind="projection_behind",
            )
        tell_age(behind)
        async with self._database.snapshot() as snapshot:
            yield snapshot

    @contextlib.asynccontextmanager
    async def snapshot(self, min_sequence: int | None = None) -> AsyncIterator[ProjectionSnapshot]:
        """One moment of all."""

        async def newest(after: int) -> int:
            return await self._log.last_sequence()

        await wait_for(self._database, min_sequence, self._wait_s, self._log.last_sequence)
        tell_age(await self._progress.catch_up(newest))
        async with self._database.snapshot() as snapshot:
            yield snapshot
