"""What people look at: sessions, messages, calls and events in short, as the projections hold them."""

import contextlib
from collections.abc import AsyncIterator

import msgspec

from agent_contracts.address import Address
from agent_contracts.errors import Rejected, Transient
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_domain.sessions.directory import Directory
from gateway.queries import calls, costs, cursors, messages, sessions, timeline
from gateway.queries.call_views import ToolCall
from gateway.queries.checkpoint import wait_for
from gateway.queries.costs import Costs
from gateway.queries.database import Database, Snapshot
from gateway.queries.message_views import Messages
from gateway.queries.session_views import Session, Sessions
from gateway.queries.timeline_views import Group, Timeline


class Page(msgspec.Struct, frozen=True):
    """The newest `limit` of what came before `before` (None: of all)."""

    before: Address | None = None
    limit: int = 50


class Reading:
    """Reads the projections, which follow the log.

    With `min_sequence` an answer includes that event: it waits for it, for `wait_s` seconds at most, then
    `Transient(kind="projection_behind")`. What is asked of a session includes at least its creation.
    """

    def __init__(self, directory: Directory, database: Database, wait_s: float) -> None:
        self._directory = directory
        self._database = database
        self._wait_s = wait_s

    async def sessions(
        self, wanted: sessions.Filter, cursor: str | None, limit: int, min_sequence: int | None = None
    ) -> Sessions:
        """A page of sessions, newest first; `cursor` is what the page before it gave."""
        after = cursors.read(cursor) if cursor else None
        async with self._snapshot(min_sequence) as snapshot:
            return await sessions.page(snapshot, wanted, after, limit)

    async def session(self, session_id: SessionId, min_sequence: int | None = None) -> Session:
        """A session's status, usage, open calls and the sessions around it."""
        async with self._of_session(session_id, min_sequence) as snapshot:
            found = await sessions.one(snapshot, session_id)
        if found is None:
            raise Transient(
                f"session {session_id} is in the log but not in the projections; see `foldline doctor`"
            )
        return found

    async def costs(
        self, agent_id: AgentId | None, days: int, timezone: str, min_sequence: int | None = None
    ) -> Costs:
        """What model calls took on the last `days`, by day, agent and model."""
        async with self._snapshot(min_sequence) as snapshot:
            return await costs.by_day(snapshot, agent_id, days, timezone)

    async def messages(self, session_id: SessionId, page: Page, min_sequence: int | None = None) -> Messages:
        """A page of a session's messages, oldest first."""
        async with self._of_session(session_id, min_sequence) as snapshot:
            return await messages.page(snapshot, session_id, page.before, page.limit)

    async def timeline(
        self, session_id: SessionId, page: Page, group: Group | None, min_sequence: int | None = None
    ) -> Timeline:
        """A page of a session's events in short, newest first."""
        async with self._of_session(session_id, min_sequence) as snapshot:
            return await timeline.page(snapshot, session_id, page.before, page.limit, group)

    async def call(self, session_id: SessionId, call_id: CallId, min_sequence: int | None = None) -> ToolCall:
        """One tool call."""
        await self._directory.find(session_id)
        async with self._snapshot(min_sequence) as snapshot:
            found = await calls.one(snapshot, session_id, call_id)
        if found is None:
            raise Rejected(f"session {session_id} has no call {call_id}", kind="not_found")
        return found

    @contextlib.asynccontextmanager
    async def _of_session(self, session_id: SessionId, min_sequence: int | None) -> AsyncIterator[Snapshot]:
        session = await self._directory.find(session_id)
        async with self._snapshot(max(min_sequence or 0, session.created)) as snapshot:
            yield snapshot

    @contextlib.asynccontextmanager
    async def _snapshot(self, min_sequence: int | None) -> AsyncIterator[Snapshot]:
        await wait_for(self._database, min_sequence, self._wait_s)
        async with self._database.snapshot() as snapshot:
            yield snapshot
