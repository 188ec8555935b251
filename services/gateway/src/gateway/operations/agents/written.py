"""Who wrote what an agent has, when, and which versions there were."""

from typing import Any, Literal

from agent_contracts.entities.entity import EntityEvent, EntityWritten
from agent_contracts.log.codec import Recorded
from agent_platform.entities.entity import Entity
from gateway.queries.sources import OutsideSource, sources
from gateway.queries.view import View

By = Literal["user", "agent", "service"]


class Written(View):
    """Who wrote a version, when, and by which event; `session_id` and `call_id` where an agent did.
    `outside`: where material from outside came from that its writer had.

    Version 0 is what holds before anybody wrote anything: it has no event.
    """

    version: int
    sequence: int | None
    time: str | None
    actor: By | None
    session_id: str | None
    call_id: str | None
    outside: tuple[OutsideSource, ...] = ()


class Deleted(View):
    """Whether there was anything to delete; `sequence` is the event that did."""

    deleted: bool
    sequence: int | None


class Version(View):
    """One change of an entity. A deletion has no `version`; numbers start again at 1 after it.

    `causation`: the event that led to it, such as the request of the call `call_id`.
    `outside` as in `Written`.
    """

    sequence: int
    version: int | None
    deleted: bool
    time: str
    actor: By
    session_id: str | None
    call_id: str | None
    causation: int | None
    replaced: int | None
    outside: tuple[OutsideSource, ...] = ()


class Versions(View):
    """A page, newest first. `before`: pass it back for older ones; null: there are none."""

    versions: list[Version]
    before: int | None


def written(entity: Entity | None) -> dict[str, Any]:
    """Who wrote an entity's current version and when, as the members of `Written`."""
    if entity is None:
        unknown = ("sequence", "time", "actor", "session_id", "call_id")
        return {"version": 0, **dict.fromkeys(unknown)}
    return {
        "version": entity.version,
        "sequence": entity.sequence,
        "time": entity.time,
        "actor": entity.actor.value,
        "session_id": entity.session_id,
        "call_id": entity.call_id,
        "outside": sources(entity.outside),
    }


def versions(page: tuple[list[Recorded[EntityEvent]], bool]) -> Versions:
    """A page of an entity's events."""
    found, more = page
    return Versions(versions=[_version(one) for one in found], before=found[-1].sequence if more else None)


def _version(recorded: Recorded[EntityEvent]) -> Version:
    event = recorded.event
    return Version(
        sequence=recorded.sequence,
        version=event.version if isinstance(event, EntityWritten) else None,
        deleted=not isinstance(event, EntityWritten),
        time=recorded.envelope.time,
        actor=recorded.envelope.actor.value,
        session_id=event.session_id,
        call_id=event.call_id,
        causation=recorded.envelope.causation,
        replaced=event.replaced,
        outside=tuple(sources(event.outside)),
    )
