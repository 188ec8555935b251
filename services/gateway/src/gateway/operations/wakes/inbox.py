"""The inbox of an agent: wakes that wait. A person hands one to a session, or dismisses it."""

from datetime import datetime

import msgspec

from agent_contracts.api.sessions import InputReceipt
from agent_contracts.api.versions import DeleteResult
from agent_contracts.api.wakes import Inbox, InboxWake
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Conflict, Rejected
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.codec import type_of
from agent_contracts.session_events.inputs import Woken
from agent_contracts.wakes import InboxItem
from agent_domain.sessions.directory import SessionDirectory
from agent_platform.entities.entity import Change, Delete, Entity, EntityKey
from agent_platform.log.events import first_event
from agent_platform.process.clock import Clock, rfc3339
from gateway.operations.agents.edits import Edits
from gateway.operations.idempotency import IdempotentRequest, asked
from gateway.operations.ports import KnownAgents
from gateway.operations.sessions.inputs import Inputs
from gateway.queries import cursors
from gateway.queries.cursors import Cursor


class Inboxes:
    """Reads and empties inboxes. `Rejected(kind="not_found")` where there is no such agent or wake."""

    def __init__(
        self, edits: Edits, agents: KnownAgents, directory: SessionDirectory, inputs: Inputs, clock: Clock
    ) -> None:
        self._edits = edits
        self._agents = agents
        self._directory = directory
        self._inputs = inputs
        self._clock = clock

    async def list(self, agent_id: AgentId | None, cursor: str | None, limit: int) -> Inbox:
        """What waits now, for one agent or for all."""
        if agent_id is None:
            entities = await self._edits.entities.list_of_everyone(EntityKind.INBOX)
        else:
            await self._agents.require(agent_id)
            entities = await self._edits.entities.list(agent_id, EntityKind.INBOX)
        after = cursors.read(cursor)
        beyond = ("", "") if after is None else (rfc3339(after.time), after.key)
        now = rfc3339(self._clock.now())
        found = sorted(
            (one for one in map(_wake, entities) if one.expires_at > now),
            key=lambda one: (one.received_at, one.id),
        )
        rest = [one for one in found if (one.received_at, one.id) > beyond]
        last = rest[limit - 1 : limit] if len(rest) > limit else []
        return Inbox(
            items=rest[:limit],
            next_cursor=next((_cursor(one) for one in last), None),
            total=len(found),
        )

    async def read(self, agent_id: AgentId, inbox_id: str) -> InboxWake:
        """One that waits."""
        await self._agents.require(agent_id)
        found = await self._edits.entities.current(EntityKey(agent_id, EntityKind.INBOX, inbox_id))
        if found is None or (wake := _wake(found)).expires_at <= rfc3339(self._clock.now()):
            raise _gone(inbox_id)
        return wake

    async def dismiss(self, agent_id: AgentId, inbox_id: str, request: IdempotentRequest) -> DeleteResult:
        """Throw one away; its versions stay readable."""
        await self._agents.require(agent_id)
        return await self._edits.delete(EntityKey(agent_id, EntityKind.INBOX, inbox_id), request)

    async def hand(self, agent_id: AgentId, inbox_id: str, session_id: SessionId) -> InputReceipt:
        """Wake a session of the agent with it: it is told at once, once, and the inbox has it no more."""
        await self._agents.require(agent_id)
        session = await self._directory.find(session_id)
        if session.agent_id != agent_id:
            raise Rejected(f"Agent {agent_id} has no session {session_id}", kind="not_found")
        key = EntityKey(agent_id, EntityKind.INBOX, inbox_id)
        # The same id each time: a second click, or one after a crash, finds what the first one did.
        request = asked(f"inbox:{inbox_id}", session_id, session_id)
        event_id = request.derived_id("e", session_id, type_of(Woken))
        found = await self._edits.entities.current(key)
        told = await first_event(
            self._edits.log,
            session.key.input(type_of(Woken)),
            after=0,
            such_that=lambda one: one.envelope.id == event_id,
        )
        if told is None:
            if found is None:
                raise _gone(inbox_id)
            if (closed := await self._directory.refusal(session)) is not None:
                raise closed
            item = msgspec.convert(found.value, InboxItem)
            event = Woken(item.source, item.message, item.wake_id, item.data, "now", item.wake_type)
            accepted = await self._inputs.append(session.key, event, request)
        else:
            accepted = InputReceipt(event_id=told.envelope.id, sequence=told.sequence)
        if found is not None:
            await self._taken(key, found, request)
        return accepted

    async def _taken(self, key: EntityKey, was: Entity, request: IdempotentRequest) -> None:
        def decide(before: Entity | None) -> Change:
            if before is not None and before.sequence != was.sequence:
                raise Conflict(f"Wake {key.name} came back to the inbox meanwhile")
            return Delete()

        await self._edits.change(key, self._edits.writer(request, key.subject, "hand"), request, decide)


def _gone(inbox_id: str) -> Rejected:
    return Rejected(f"Wake {inbox_id[:64]!r} isn't in the inbox (any more)", kind="not_found")


def _cursor(wake: InboxWake) -> str:
    return cursors.write(Cursor(datetime.fromisoformat(wake.received_at), wake.id))


def _wake(entity: Entity) -> InboxWake:
    item = msgspec.convert(entity.value, InboxItem)
    told = msgspec.structs.asdict(item)
    received_at, expires_at = told.pop("at"), told.pop("until")
    return InboxWake(
        id=entity.key.name,
        agent_id=entity.key.agent_id,
        received_at=received_at,
        expires_at=expires_at,
        **told,
    )
