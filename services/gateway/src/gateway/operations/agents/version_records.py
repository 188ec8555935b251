"""Who wrote what an agent has, when, and which versions there were."""

from typing import Any

from agent_contracts.api.versions import Version
from agent_contracts.api.wire import Page
from agent_contracts.entities.entity import EntityEvent, EntityWritten
from agent_contracts.log.record.codec import RecordedEvent
from agent_platform.entities.entity import Entity
from gateway.queries.sources import sources


def written(entity: Entity | None) -> dict[str, Any]:
    """Who wrote an entity's current version and when, as the members of `VersionRecord`."""
    if entity is None:
        unknown = ("sequence", "written_at", "actor", "session_id", "call_id")
        return {"version": 0, **dict.fromkeys(unknown)}
    return {
        "version": entity.version,
        "sequence": entity.sequence,
        "written_at": entity.time,
        "actor": entity.actor.value,
        "session_id": entity.session_id,
        "call_id": entity.call_id,
        "outside": sources(entity.outside),
    }


def versions(page: tuple[list[RecordedEvent[EntityEvent]], bool]) -> Page[Version]:
    """A page of an entity's events."""
    found, more = page
    return Page[Version](
        items=[_version(one) for one in found], next_cursor=str(found[-1].sequence) if more else None
    )


def _version(recorded: RecordedEvent[EntityEvent]) -> Version:
    event = recorded.event
    return Version(
        sequence=recorded.sequence,
        version=event.version if isinstance(event, EntityWritten) else None,
        deleted=not isinstance(event, EntityWritten),
        written_at=recorded.envelope.time,
        actor=recorded.envelope.actor.value,
        session_id=event.session_id,
        call_id=event.call_id,
        causation=recorded.envelope.causation,
        replaced=event.replaced,
        outside=tuple(sources(event.outside)),
    )
