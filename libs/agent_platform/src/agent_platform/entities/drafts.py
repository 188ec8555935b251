"""A change of an entity as it is to be appended. Pure, but for the clock."""

import msgspec

from agent_contracts.entities.entity import EntityDeleted, EntityEvent, EntityWritten
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId
from agent_contracts.log.record.codec import Envelope, RecordedEvent
from agent_contracts.log.record.records import Expect, NewMessage, StoredMessage, carrying
from agent_contracts.outside import joined
from agent_platform.entities.entity import (
    Delete,
    Entity,
    EntityChange,
    EntityKey,
    EntityWriter,
    Write,
    entity_from,
)
from agent_platform.log.event_message import Origin, draft
from agent_platform.log.quotas.storage_meter import bytes_beside, weight_of
from agent_platform.process.clock import Clock

Was = tuple[StoredMessage | None, RecordedEvent[EntityEvent] | None]
"""The last message on an entity's subject, and the last event: the same, unless the message is none."""


class EntityDraft(msgspec.Struct, frozen=True):
    """A change that is to be appended; by so many bytes more is kept then."""

    key: EntityKey
    before: Entity | None
    event: EntityEvent
    message: NewMessage
    envelope: Envelope
    expect: Expect
    grows: int

    def changed(self, sequence: int) -> EntityChange:
        """What it is once it was appended."""
        recorded: RecordedEvent[EntityEvent] = RecordedEvent(
            sequence, self.key.subject, self.envelope, self.event
        )
        return EntityChange(self.before, entity_from(recorded, self.key.agent_id), sequence)


class Drafts:
    """Makes them. `source` names the service in the events."""

    def __init__(self, source: str, clock: Clock) -> None:
        self._source = source
        self._clock = clock

    def of(self, key: EntityKey, writer: EntityWriter, was: Was, change: Write | Delete) -> EntityDraft:
        """The change of what `was`."""
        last, replaced = was
        before = entity_of(replaced, key.agent_id)
        event = _event(key, writer, before, change, replaced.sequence if replaced else None)
        origin = Origin(
            self._source,
            writer.actor,
            writer.since or None,
            traceparent=writer.traceparent,
            request=writer.request,
        )
        made = draft(event, key.subject, origin, self._clock, writer.id)
        message = carrying(made.envelope, made.body, key.subject)
        was_kept = weight_of(replaced, len(last.data)) if last is not None and replaced is not None else 0
        kept = 0
        if isinstance(change, Write):
            kept = len(made.body) + bytes_beside(key.kind, change.value)
        return EntityDraft(
            key,
            before,
            made.event,
            message,
            made.envelope,
            Expect(key.subject, last.sequence if last else 0),
            kept - was_kept,
        )


def entity_of(recorded: RecordedEvent[EntityEvent] | None, agent_id: AgentId) -> Entity | None:
    """What an event left, if there was one."""
    return entity_from(recorded, agent_id) if recorded is not None else None


def _event(
    key: EntityKey, writer: EntityWriter, before: Entity | None, change: Write | Delete, replaced: int | None
) -> EntityEvent:
    if isinstance(change, Delete):
        return EntityDeleted(
            key.kind, key.name, writer.session_id, writer.call_id, replaced, joined((), writer.outside)
        )
    version = before.version + 1 if before else 1
    made_of = change.outside
    if made_of is None:
        made_of = before.outside if before is not None and writer.actor is Actor.AGENT else ()
    return EntityWritten(
        key.kind,
        key.name,
        change.value,
        version,
        writer.session_id,
        writer.call_id,
        replaced,
        joined(made_of, writer.outside),
    )
