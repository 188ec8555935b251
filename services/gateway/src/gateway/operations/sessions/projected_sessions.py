"""The projections as operations read them: of one session or of all, and no older than what was shown."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

import structlog

from agent_contracts.errors import Failure, Transient
from agent_contracts.ids import SessionId
from agent_domain.sessions.directory import KnownSession, SessionDirectory
from agent_platform.log.port import Log
from gateway.live.session_rows import SessionRows
from gateway.queries.age import tell_age
from gateway.queries.checkpoint import ProjectionWait, checkpoint, refuse_beyond, wait_for
from gateway.queries.database import Database, ProjectionSnapshot
from gateway.queries.unprojected import NOTHING_NEWER, UnprojectedRows

log = structlog.get_logger()

_OF_ONE_S = 1.0
"""So long a read of one session waits for projections: what they lack then is read from the log."""


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
        await wait_for(
            self._database, max(min_sequence or 0, session.created), self._wait_s, self._log.last_sequence
        )
        behind = await self._progress.catch_up(self._newest(session))
        if behind and as_of_now:
            raise Transient(
                f"The lists lack the newest events of session {session_id}: which turn is its newest can't "
                "be told. Nothing is lost; try again in a moment, or name the turn",
                kind="projection_behind",
            )
        if behind:
            behind.refuse_if_hardly_filled()
        tell_age(behind)
        async with self._database.snapshot() as snapshot:
            yield snapshot

    @contextlib.asynccontextmanager
    async def one(
        self, session_id: SessionId, min_sequence: int | None = None
    ) -> AsyncIterator[tuple[ProjectionSnapshot, UnprojectedRows]]:
        """One moment, and the session's newest rows, made from the log where the projections lack them: so
        it is as of now while the projector is away. `Rejected` if there is no such session."""
        session = await self.directory.find(session_id)
        newest = self._newest(session, max(min_sequence or 0, session.created))
        if await self._progress.catch_up(newest, min(_OF_ONE_S, self._wait_s)) is None:
            tell_age(None)
            async with self._database.snapshot() as snapshot:
                yield snapshot, NOTHING_NEWER
            return
        end = await self._log.last_sequence()
        refuse_beyond(min_sequence, end)
        async with self._database.snapshot() as snapshot:
            newer = await self._unprojected(snapshot, session_id, end)
            if newer is not None:
                yield snapshot, newer
                return
        async with self.of_session(session_id, min_sequence) as snapshot:
            yield snapshot, NOTHING_NEWER

    @contextlib.asynccontextmanager
    async def snapshot(self, min_sequence: int | None = None) -> AsyncIterator[ProjectionSnapshot]:
        """One moment of all."""

        async def newest(after: int) -> int:
            return await self._log.last_sequence()

        await wait_for(self._database, min_sequence, self._wait_s, self._log.last_sequence)
        behind = await self._progress.catch_up(newest)
        if behind:
            behind.refuse_if_hardly_filled()
        tell_age(behind)
        async with self._database.snapshot() as snapshot:
            yield snapshot

    def _newest(self, session: KnownSession, least: int = 0) -> Callable[[int], Awaitable[int]]:
        async def newest(after: int) -> int:
            found = await self._log.last_of_each(session.key.everything, after=after)
            return max(least, *(one.sequence for one in found), 0)

        return newest

    async def _unprojected(
        self, snapshot: ProjectionSnapshot, session_id: SessionId, end: int
    ) -> UnprojectedRows | None:
        """None: they can't be made."""
        try:
            rows = SessionRows(self._log, _Moment(snapshot))
            return await rows.unprojected(session_id, max(end, await checkpoint(snapshot)))
        except Failure as failure:
            log.warning("session.not_from_the_log", session_id=session_id, reason=failure.message)
        except Exception:
            log.exception("rows.bug", session_id=session_id)
        return None


class _Moment:
    """A database in which time stands still."""

    def __init__(self, snapshot: ProjectionSnapshot) -> None:
        self._snapshot = snapshot

    @contextlib.asynccontextmanager
    async def snapshot(self) -> AsyncIterator[ProjectionSnapshot]:
        yield self._snapshot
