"""Where, when and by whom an entity was changed, for the functions that make rows of it."""

from datetime import UTC, datetime
from typing import TypeVar

import msgspec

from agent_contracts.entities.entity import EntityEvent, EntityWritten
from agent_contracts.json_value import Json
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.subjects import entity_token
from projections.agent_tables import VersionedRow
from projections.project.unprojectable import Unprojectable

T = TypeVar("T")


class EntityAt(msgspec.Struct, frozen=True):
    """The event's agent, log sequence, time and actor."""

    agent_id: str
    sequence: int
    time: datetime
    actor: str


def entity_at(recorded: RecordedEvent[EntityEvent], time: datetime) -> EntityAt:
    """Raises `Unprojectable` unless the event stands on the subject of the entity that it names."""
    event = recorded.event
    parts = recorded.subject.split(".")
    if len(parts) != 4 or parts[0] != "agt" or parts[2:] != [event.kind.value, entity_token(event.name)]:
        raise Unprojectable(f"not the subject of {event.kind.value} {event.name!r}", kind="bad_subject")
    return EntityAt(parts[1], recorded.sequence, time, recorded.envelope.actor.value)


def made(at: EntityAt, event: EntityWritten) -> VersionedRow:
    """The columns that every row of an entity has."""
    return VersionedRow(
        agent_id=at.agent_id,
        version=event.version,
        sequence=at.sequence,
        actor=at.actor,
        session_id=event.session_id,
        call_id=event.call_id,
        modified_on=at.time,
    )


def fitting(value: Json, shape: type[T]) -> T:
    """An entity's value as what its kind should be. Raises `Unprojectable` if it isn't that."""
    try:
        return msgspec.convert(value, shape)
    except (msgspec.ValidationError, RecursionError) as error:
        raise misfit(str(error)) from error


def misfit(reason: str) -> Unprojectable:
    """A value that is not what its kind should be: nobody can use it, so it counts as never written."""
    return Unprojectable(f"not a value of its kind: {reason}", kind="bad_value")


def moment(text: str) -> datetime:
    """RFC 3339 in UTC as a time."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise misfit(f"{text[:40]!r} is not a time") from error
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
