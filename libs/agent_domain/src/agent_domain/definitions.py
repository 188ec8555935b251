"""Named definitions of an agent: made, changed, deleted and read as entities, by rules that all kinds share.

Versions start at 1 and grow with each change that changes anything; a deleted name is free again.
"""

from collections.abc import Callable, Sequence

import msgspec

from agent_contracts.entities.definitions import D, NamedDefinition
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json, same_json
from agent_contracts.kinds.kind import ThingKind
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Change, Entity, EntityChange, EntityKey, EntityWriter, Write


async def create(
    entities: Entities, key: EntityKey, kind: ThingKind[D], value: D, writer: EntityWriter
) -> int:
    """Make a definition under a free name; its version, 1. `Rejected(kind="conflict")` if the name is
    taken."""

    def decide(before: Entity | None) -> Change:
        if before is not None:
            message = (
                f"there is a {kind.noun} named {key.name!r} already (version {before.version}): update it"
            )
            raise Rejected(message, kind=ErrorKind.CONFLICT, path="/name")
        return Write(to_json(value))

    return _version(await entities.change(key, writer, decide))


async def update(
    entities: Entities, key: EntityKey, kind: ThingKind[D], change: Callable[[D], D], writer: EntityWriter
) -> int:
    """Make the definition what `change` makes of it; its version then, the same one if nothing changed.

    `Rejected(kind="not_found")` if there is none. What `change` raises is passed on, nothing written.
    """

    def decide(before: Entity | None) -> Change:
        found = defined(_present(before, key, kind), kind)
        made = to_json(change(found.value))
        return None if same_json(made, to_json(found.value)) else Write(made)

    return _version(await entities.change(key, writer, decide))


async def read(
    entities: Entities, key: EntityKey, kind: ThingKind[D], up_to: int | None = None
) -> NamedDefinition[D]:
    """The definition now, or as of event `up_to`. `Rejected(kind="not_found")` if there is none."""
    found = await (entities.current(key) if up_to is None else entities.as_of(key, up_to))
    return defined(_present(found, key, kind), kind)


async def list_all(entities: Entities, agent_id: AgentId, kind: ThingKind[D]) -> Sequence[NamedDefinition[D]]:
    """All of a kind, by name."""
    return [defined(entity, kind) for entity in await entities.list(agent_id, kind.kind)]


def defined(entity: Entity, kind: ThingKind[D]) -> NamedDefinition[D]:
    """An entity as what it defines."""
    value = msgspec.convert(entity.value, kind.shape)
    return NamedDefinition(entity.key.name, value, entity.version, entity.sequence, entity.outside)


def to_json(value: D) -> Json:
    """A definition as its entity's value."""
    made: Json = msgspec.json.decode(msgspec.json.encode(value))
    return made


def _present(found: Entity | None, key: EntityKey, kind: ThingKind[D]) -> Entity:
    if found is None:
        raise Rejected(f"There is no {kind.noun} named {key.name!r}", kind=ErrorKind.NOT_FOUND, path="/name")
    return found


def _version(changed: EntityChange) -> int:
    return changed.after.version if changed.after else 0
