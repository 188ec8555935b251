"""A change that an agent made of itself is undone: the thing is what it was right before."""

from agent_contracts.api.changes import OwnChange
from agent_contracts.api.rewinds import AgentRewound
from agent_contracts.api.wire import Page
from agent_contracts.entities.rewinds import DATABASE
from agent_contracts.errors import Rejected
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId
from agent_contracts.log.address import Address
from agent_contracts.selection import Selection
from agent_platform.log.events import last_event
from agent_platform.log.port import Log
from gateway.operations.event_at import event_at
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.ports import KnownAgents
from gateway.operations.rewind.agent_rewinds import AgentRewinds, RewindScope
from gateway.operations.sessions.projected_sessions import ProjectedSessions
from gateway.queries import cursors
from gateway.queries.agent_events import kind_of, name_of
from gateway.queries.own_changes import CHANGED_KINDS, page


class ChangesOfAgents:
    """Lists them, and undoes one."""

    def __init__(
        self, log: Log, projected: ProjectedSessions, agents: KnownAgents, rewinds: AgentRewinds
    ) -> None:
        self._log = log
        self._projected = projected
        self._agents = agents
        self._rewinds = rewinds

    async def page(
        self, agent_id: AgentId, kind: str | None, cursor: str | None, limit: int, min_sequence: int | None
    ) -> Page[OwnChange]:
        """A page of what the agent changed of itself, newest first."""
        if kind is not None and kind not in (*CHANGED_KINDS, DATABASE):
            known = ", ".join((*CHANGED_KINDS, DATABASE))
            raise Rejected(f"The kind must be one of {known}", kind="invalid_request")
        await self._agents.require(agent_id)
        after = cursors.read(cursor)
        async with self._projected.snapshot(min_sequence) as snapshot:
            return await page(snapshot, agent_id, kind, after, limit)

    async def undo(self, agent_id: AgentId, address: Address, request: IdempotentRequest) -> AgentRewound:
        """Make the thing what it was before the change: a rewind of this one thing, which can be undone.

        `Rejected`: `not_found` (no such change of the agent's own), `conflict` (it was changed since).
        """
        await self._agents.require(agent_id)
        subject = await self._subject(agent_id, address)
        newest = await last_event(self._log, subject)
        is_newest = newest is not None and newest.sequence == address.sequence
        if not is_newest and not await self._rewinds.was_asked(agent_id, request):
            since = newest.sequence if newest else "that is gone"
            raise Rejected(
                f"It was changed since, by event {since}: undo that first, or choose one of its versions",
                kind="conflict",
            )
        kind = kind_of(subject)
        chosen = Selection(kind, None if kind == DATABASE else (name_of(subject),))
        scope = RewindScope(address.sequence - 1, (chosen,), undoes=address.sequence)
        done = await self._rewinds.rewind(agent_id, scope, request)
        if done.stays:
            taken = done.stays[0].why == "path_taken"
            why = "another file has its path" if taken else "it was changed at the same moment"
            raise Rejected(f"It stays as it is: {why}. Look at it again", kind="conflict")
        return done

    async def _subject(self, agent_id: AgentId, address: Address) -> str:
        """Where the change of the agent's own stands."""
        message = await event_at(self._log, address)
        envelope = message.envelope if message else None
        of_agents = message is not None and message.subject.startswith(f"agt.{agent_id}.")
        if message is None or envelope is None or envelope.actor is not Actor.AGENT or not of_agents:
            raise _no_change(agent_id, address)
        if kind_of(message.subject) not in (*CHANGED_KINDS, DATABASE):
            raise _no_change(agent_id, address)
        return message.subject


def _no_change(agent_id: AgentId, address: Address) -> Rejected:
    return Rejected(f"Event {address} is no change that {agent_id} made of itself", kind="not_found")
