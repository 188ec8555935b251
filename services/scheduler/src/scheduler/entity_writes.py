"""What the scheduler writes to the log: entities and inputs, together or not at all."""

from datetime import datetime
from typing import Any, Generic, TypeVar

import msgspec

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityWritten
from agent_contracts.json_value import Json
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import Expect
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.inputs import Input
from agent_platform.entities.entity import Entity, EntityKey, entity_from
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.events import event_at_or_before
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock
from scheduler.group_commit import AppendDraft, GroupCommit

SOURCE = event_sources.SCHEDULER

V = TypeVar("V")


class CurrentEntity(msgspec.Struct, Generic[V], frozen=True):
    """An entity as it is now: its value (None: there is none), and the last sequence on its subject."""

    key: EntityKey
    entity: Entity | None
    value: V | None
    last_sequence: int

    @property
    def expected(self) -> Expect:
        """That it is still as it was found."""
        return Expect(self.key.subject, self.last_sequence)


class EntityWrites:
    """Reads entities and drafts what is to be written; `append` writes it all or not at all."""

    def __init__(self, log: Log, bounded: Log, clock: Clock) -> None:
        """`bounded` refuses what would exceed an agent's quota: what begins something goes there."""
        self.log = log
        self._commits = GroupCommit(log)
        self._bounded_commits = GroupCommit(bounded)
        self._clock = clock

    def now(self) -> datetime:
        """The time in UTC."""
        return self._clock.now()

    async def find(self, key: EntityKey, shape: type[V]) -> CurrentEntity[V]:
        """The entity now."""
        last = await self.log.last(key.subject)
        recorded = await event_at_or_before(self.log, last)
        entity = entity_from(recorded, key.agent_id) if recorded is not None else None
        value = msgspec.convert(entity.value, shape) if entity is not None else None
        return CurrentEntity(key, entity, value, last.sequence if last is not None else 0)

    def entity(
        self, found: CurrentEntity[Any], value: msgspec.Struct, *, expected: bool = True
    ) -> AppendDraft:
        """The entity's next value."""
        before = found.entity
        event = EntityWritten(
            found.key.kind,
            found.key.name,
            _json(value),
            before.version + 1 if before is not None else 1,
            replaced=before.sequence if before is not None else None,
            outside=before.outside if before is not None else (),
        )
        message, _ = event_message(event, found.key.subject, Origin(SOURCE), self._clock)
        return AppendDraft(message, found.expected if expected else None)

    def input(self, session: SessionKey, event: Input, expect: Expect | None) -> AppendDraft:
        """A fact that a session is told."""
        message, _ = event_message(event, session.input(type_of(event)), Origin(SOURCE), self._clock)
        return AppendDraft(message, expect)

    async def append(self, *drafts: AppendDraft, bounded: bool = False) -> None:
        """Write them; `Conflict`, nothing written, where what they expect doesn't hold any more."""
        await (self._bounded_commits if bounded else self._commits).append(drafts)


def _json(value: msgspec.Struct) -> Json:
    built: Json = msgspec.json.decode(msgspec.json.encode(value))
    return built
