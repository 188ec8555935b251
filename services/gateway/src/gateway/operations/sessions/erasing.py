"""Deleting a chat: a mark, from which all the rest follows."""

import msgspec

from agent_contracts.api.sessions import InputReceipt
from agent_contracts.entities.entity import EntityEvent, EntityKind
from agent_contracts.entities.erasures import Erasure
from agent_contracts.errors import Permanent, Rejected
from agent_contracts.event_sources import Actor
from agent_contracts.ids import SessionId
from agent_contracts.log import subjects
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.record.records import decode
from agent_contracts.session_events.inputs import Archived, Created
from agent_domain.sessions.directory import KnownSession, SessionDirectory
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Change, Entity, EntityKey, EntityWriter, Write
from agent_platform.log.events import events
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock, rfc3339
from agent_platform.process.stop_points import stop_point
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.sessions.inputs import Inputs


class ErasedByPeople:
    """Marks a session as erased. From then on nobody finds it, and the projector takes it out, with its
    sub-sessions; what others begin with, by a fork, when the last of these is gone."""

    def __init__(
        self, log: Log, clock: Clock, directory: SessionDirectory, inputs: Inputs, entities: Entities
    ) -> None:
        self._log = log
        self._clock = clock
        self._directory = directory
        self._inputs = inputs
        self._entities = entities

    async def erase(self, session_id: SessionId, request: IdempotentRequest) -> InputReceipt:
        """Delete the session, and stop it where it runs; asked again, the same answer.

        `Rejected`: `not_found`, `conflict` for a sub-session, which goes with the session that it works for.
        """
        try:
            session = await self._directory.find(session_id)
        except Rejected as refused:
            if refused.kind != "erased":
                raise
            return await self._before(session_id)
        await self._refuse_sub_session(session)
        erasure = Erasure("session", session_id, (session_id,), "", rfc3339(self._clock.now()), by="user")

        def once(before: Entity | None) -> Change:
            return None if before is not None else Write(msgspec.to_builtins(erasure))

        key = EntityKey(session.agent_id, EntityKind.ERASED, session_id)
        writer = EntityWriter(f"erased:{session_id}", Actor.USER, since=0)
        await self._entities.change(key, writer, once)
        await stop_point("gateway.erased")
        if await self._directory.refusal(session) is None:
            await self._inputs.append(session.key, Archived(), request)
        return await self._before(session_id)

    async def _refuse_sub_session(self, session: KnownSession) -> None:
        created = await self._log.get(session.created)
        event = None if created is None else decode(created).event
        if isinstance(event, Created) and event.parent_id is not None:
            raise Rejected(
                f"Session {session.session_id} works for session {event.parent_id}, and is deleted with it",
                kind="conflict",
            )

    async def _before(self, session_id: SessionId) -> InputReceipt:
        """The event that marked it."""
        first: RecordedEvent[EntityEvent]
        async for first in events(self._log.read(subjects.anyones_entity(EntityKind.ERASED, session_id))):
            return InputReceipt(event_id=first.envelope.id, sequence=first.sequence)
        raise Permanent(f"The mark of session {session_id} is missing right after it was stored")
