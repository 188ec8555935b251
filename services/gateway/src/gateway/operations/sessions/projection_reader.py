"""What people look at: sessions, messages, calls and events in short, as the projections hold them."""

from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from agent_contracts.api.calls import ToolCall
from agent_contracts.api.messages import FoundMessage, Messages
from agent_contracts.api.sessions import Session, SessionSummary
from agent_contracts.api.usage import Costs, SpacePart
from agent_contracts.api.waiting import Approval, Approvals, OpenQuestion, OpenQuestions, WaitingThings
from agent_contracts.api.wire import Page
from agent_contracts.errors import Rejected, Transient
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.lists.kind import AnyListKind, ListFilter
from agent_contracts.log.address import Address
from gateway.operations.sessions.projected_sessions import ProjectedSessions
from gateway.queries import approvals, attention, calls, costs, cursors, lists, messages, sessions, space
from gateway.queries.approvals import WaitingCalls


class PageBefore(msgspec.Struct, frozen=True):
    """The newest `limit` of what came before `before` (None: of all)."""

    before: Address | None = None
    limit: int = 50


class ProjectionReader:
    """With `min_sequence` an answer includes that event. What is asked of a session includes at least its
    creation; the session, its messages and calls are as of now while the projector is away."""

    def __init__(self, projected: ProjectedSessions) -> None:
        self._projected = projected

    async def sessions(
        self, wanted: sessions.SessionQuery, cursor: str | None, limit: int, min_sequence: int | None = None
    ) -> Page[SessionSummary]:
        """A page of sessions, newest first; `cursor` is what the page before it gave."""
        after = cursors.read(cursor)
        async with self._projected.snapshot(min_sequence) as snapshot:
            return await sessions.page(snapshot, wanted, after, limit)

    async def waiting(
        self, agent_id: AgentId | None, cursor: str | None, limit: int, min_sequence: int | None = None
    ) -> WaitingThings:
        """A page of what waits for a person, newest first: of one agent, or of all."""
        after = cursors.read(cursor)
        async with self._projected.snapshot(min_sequence) as snapshot:
            return await attention.page(snapshot, agent_id, after, limit)

    async def approvals(
        self,
        wanted: WaitingCalls,
        cursor: str | None,
        limit: int,
        min_sequence: int | None = None,
    ) -> Approvals:
        """A page of the calls that wait for a yes, newest first."""
        after = cursors.read(cursor)
        async with self._projected.snapshot(min_sequence) as snapshot:
            return await approvals.page(snapshot, wanted, after, limit)

    async def questions(
        self,
        wanted: WaitingCalls,
        cursor: str | None,
        limit: int,
        min_sequence: int | None = None,
    ) -> OpenQuestions:
        """A page of the calls that wait for another answer of a person, newest first."""
        after = cursors.read(cursor)
        async with self._projected.snapshot(min_sequence) as snapshot:
            return await approvals.questions(snapshot, wanted, after, limit)

    async def approval(self, wanted: WaitingCalls) -> Approval:
        """The one call that waits for a yes. `Rejected(kind="not_found")` if it doesn't wait for one."""
        async with self._projected.of_session(SessionId(str(wanted.session_id))) as snapshot:
            found = await approvals.page(snapshot, wanted, None, 1)
        if not found.items:
            raise _waits_for_none(wanted, "an approval")
        return found.items[0]

    async def question(self, wanted: WaitingCalls) -> OpenQuestion:
        """The one call that waits for another answer. `Rejected(kind="not_found")` if it doesn't wait for
        one."""
        async with self._projected.of_session(SessionId(str(wanted.session_id))) as snapshot:
            found = await approvals.questions(snapshot, wanted, None, 1)
        if not found.items:
            raise _waits_for_none(wanted, "an answer")
        return found.items[0]

    async def listed(
        self,
        kind: AnyListKind,
        wanted: ListFilter,
        cursor: str | None,
        limit: int,
        min_sequence: int | None = None,
    ) -> Page[Any]:
        """A page of a list of what was done, newest first."""
        after = cursors.read(cursor)
        async with self._projected.snapshot(min_sequence) as snapshot:
            return await lists.page(snapshot, kind, wanted, after, limit)

    async def session(self, session_id: SessionId, min_sequence: int | None = None) -> Session:
        """A session's status, usage, open calls and the sessions around it."""
        async with self._projected.one(session_id, min_sequence) as (snapshot, newer):
            found = await sessions.one(snapshot, session_id, newer)
        if found is None:
            raise Transient(
                f"Session {session_id} is in the log but not in the projections; see `foldline doctor`"
            )
        return found

    async def costs(
        self, agent_id: AgentId | None, days: int, zone: ZoneInfo, min_sequence: int | None = None
    ) -> Costs:
        """What model calls took on the last `days` of a zone, by day, agent and model."""
        async with self._projected.snapshot(min_sequence) as snapshot:
            return await costs.by_day(snapshot, agent_id, days, zone)

    async def space(self, agent_id: AgentId, min_sequence: int | None = None) -> Page[SpacePart]:
        """What takes space: the parts of what the log holds of an agent."""
        async with self._projected.snapshot(min_sequence) as snapshot:
            return await space.of_agent(snapshot, agent_id)

    async def messages(
        self, session_id: SessionId, page: PageBefore, min_sequence: int | None = None
    ) -> Messages:
        """A page of a session's messages, oldest first."""
        async with self._projected.one(session_id, min_sequence) as (snapshot, newer):
            return await messages.page(snapshot, session_id, page.before, page.limit, newer)

    async def found(self, session_id: SessionId, q: str, page: PageBefore) -> Page[FoundMessage]:
        """The messages of a session's conversation that hold a text."""
        async with self._projected.of_session(session_id, None) as snapshot:
            return await messages.found(snapshot, session_id, q, page.before, page.limit)

    async def call(self, session_id: SessionId, call_id: CallId, min_sequence: int | None = None) -> ToolCall:
        """One tool call."""
        async with self._projected.one(session_id, min_sequence) as (snapshot, newer):
            found = await calls.one(snapshot, session_id, call_id, newer)
        if found is None:
            raise Rejected(f"Session {session_id} has no call {call_id}", kind="not_found")
        return found


def _waits_for_none(wanted: WaitingCalls, what: str) -> Rejected:
    return Rejected(
        f"Call {wanted.call_id} of session {wanted.session_id} doesn't wait for {what}: it was answered, or "
        "there is no such call",
        kind="not_found",
    )
