"""What people change of what an agent has: each edit is an event of the user, once per idempotency key."""

from collections.abc import Awaitable, Callable, Sequence

import msgspec

from agent_contracts.api.versions import DeleteResult, VersionTarget
from agent_contracts.entities.entity import EntityEvent
from agent_contracts.errors import Conflict, Rejected
from agent_contracts.event_sources import Actor
from agent_contracts.json_value import same_json
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.record.records import decode
from agent_contracts.log.subjects import owner_of
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import (
    Change,
    ChangeSet,
    Delete,
    Entity,
    EntityChange,
    EntityKey,
    EntityWriter,
    InitialEntity,
    Write,
    entity_from,
)
from agent_platform.entities.room import HasRoom
from agent_platform.log.port import Log
from agent_platform.observing.telemetry import current_traceparent
from agent_platform.process.clock import Clock
from gateway.operations.idempotency import IdempotentRequest, erased_answer
from gateway.operations.sessions.inputs import SOURCE


class Edits:
    """Changes entities in the name of a person, and finds their earlier versions. With `room`, what the agent
    has no room for is refused."""

    def __init__(self, log: Log, clock: Clock, room: HasRoom | None = None) -> None:
        self.log = self._log = log
        self._clock = clock
        self.entities = Entities(log, clock, SOURCE, room)

    async def change(
        self,
        key: EntityKey,
        writer: EntityWriter,
        request: IdempotentRequest,
        decide: Callable[[Entity | None], Change],
    ) -> EntityChange:
        """Make the change that `decide` returns for the current entity; see `Entities.change`.

        A repeat of the same key gets what the first request did, however long ago; with another body,
        `Rejected(kind="idempotency_mismatch")`.
        """
        return await self._of_request(await self.entities.change(key, writer, decide), request)

    async def change_together(
        self,
        key: EntityKey,
        writer: EntityWriter,
        request: IdempotentRequest,
        decide: Callable[[Entity | None], Awaitable[ChangeSet]],
    ) -> EntityChange:
        """As `change`, others of the agent's entities with it; see `Entities.change_together`."""
        return await self._of_request(await self.entities.change_together(key, writer, decide), request)

    async def make(
        self, made: InitialEntity, more: Sequence[InitialEntity], request: IdempotentRequest
    ) -> EntityChange:
        """Make something new with what belongs to it; see `Entities.make`, and `change` for repeats."""
        try:
            changed = await self.entities.make(made, more)
        except Conflict:  # whoever is faster makes it; so the write of this key stands elsewhere
            if request.key is not None:
                request.check_same(None)
            raise
        return await self._of_request(changed, request)

    async def _of_request(self, changed: EntityChange, request: IdempotentRequest) -> EntityChange:
        if request.key is None or changed.sequence is None:
            return changed
        stored = await self._log.get(changed.sequence)
        if stored is None:
            raise erased_answer()
        request.check_same(stored.envelope.request if stored.envelope else None)
        # Of two repeats at the same moment one finds the other's event in place of its own.
        recorded = decode(stored)
        return msgspec.structs.replace(changed, after=entity_from(recorded, owner_of(stored.subject)))

    def writer(self, request: IdempotentRequest, *scope: str) -> EntityWriter:
        """The person who asks, for one write. `scope` tells requests apart that may have the same key."""
        return EntityWriter(
            id=request.derived_id("e", *scope) or self._clock.new_id("e"),
            actor=Actor.USER,
            since=None if request.key is None else 0,
            traceparent=current_traceparent(),
            request=request.recorded_digest,
        )

    async def delete(self, key: EntityKey, request: IdempotentRequest) -> DeleteResult:
        """Delete the entity, if there is one; its versions stay readable."""
        writer = self.writer(request, key.subject, "delete")
        changed = await self.change(key, writer, request, lambda before: Delete())
        return DeleteResult(deleted=changed.before is not None, sequence=changed.sequence)

    async def revert(self, key: EntityKey, request: IdempotentRequest, target: VersionTarget) -> EntityChange:
        """Give the entity an earlier version's value again, as a new version (none if it has it now)."""
        wanted = await self.find(key, target)

        def decide(before: Entity | None) -> Change:
            same = before is not None and same_json(before.value, wanted.value)
            return None if same else Write(wanted.value, wanted.outside)

        return await self.change(key, self.writer(request, key.subject, "revert"), request, decide)

    async def find(self, key: EntityKey, target: VersionTarget) -> Entity:
        """A version of the entity; `Rejected(kind="not_found")` if there is none."""
        if target.sequence is not None:
            found = await self.entities.as_of(key, target.sequence)
            if found is not None and found.sequence == target.sequence:
                return found
        else:
            async for recorded in self.entities.versions(key):
                found = entity_from(recorded, key.agent_id)
                if found is not None and found.version == target.version:
                    return found
        raise Rejected(f"{key.kind} {key.name!r} has no {target}", kind="not_found")

    async def page(
        self, key: EntityKey, before: int | None, limit: int
    ) -> tuple[list[RecordedEvent[EntityEvent]], bool]:
        """At most `limit` events of the entity, newest first, and whether there are older ones."""
        found: list[RecordedEvent[EntityEvent]] = []
        async for recorded in self.entities.versions(key, before=before):
            if len(found) == limit:
                return found, True
            found.append(recorded)
        return found, False


def expecting(version: int | None, before: Entity | None) -> None:
    """`Rejected(kind="conflict")` if somebody changed the entity since `version` of it (0: none) was read."""
    found = before.version if before else 0
    if version is not None and found != version:
        raise Rejected(f"It was changed meanwhile: this is version {found}, not {version}", kind="conflict")
