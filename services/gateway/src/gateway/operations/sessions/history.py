"""How a session went: its course, where one can stop in it, and what led to what."""

from agent_contracts.api.timeline import Outline, Timeline, Trace
from agent_contracts.ids import SessionId
from agent_contracts.log.address import Address
from gateway.operations.sessions.projected_sessions import ProjectedSessions
from gateway.queries import timeline, traces
from gateway.queries.timeline import TimelineQuery


class SessionHistory:
    """Reads it from the projections. `Rejected(kind="not_found")` where there is no such session."""

    def __init__(self, projected: ProjectedSessions) -> None:
        self._projected = projected

    async def timeline(
        self, session_id: SessionId, wanted: TimelineQuery, min_sequence: int | None = None
    ) -> Timeline:
        """A page of what happened in a session, newest first."""
        async with self._projected.of_session(session_id, min_sequence) as snapshot:
            return await timeline.page(snapshot, session_id, wanted)

    async def outline(
        self, session_id: SessionId, after: Address | None, min_sequence: int | None = None
    ) -> Outline:
        """Where one can stop in a session, and where its agent changed meanwhile."""
        async with self._projected.of_session(session_id, min_sequence) as snapshot:
            return await timeline.outline(snapshot, session_id, after)

    async def trace(
        self, session_id: SessionId, at: Address | None, beyond: Address | None, limit: int
    ) -> Trace:
        """The turn that the event `at` is in or led to (None: the newest), with all that it led to."""
        async with self._projected.of_session(session_id, at.sequence if at else None) as snapshot:
            return await traces.trace(snapshot, session_id, at, beyond, limit)
