"""What an agent gets with a pack, and what goes with it: pages, skills and other definitions, schedules."""

from collections.abc import Sequence

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json, same_json
from agent_contracts.packs import BroughtThing
from agent_contracts.tool_spec import Catalogue
from agent_domain.schedules.planning import Planner, schedule_of, to_json
from agent_domain.schedules.rules import ScheduleDraft, check_schedule_count
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Delete, Entity, EntityKey, EntityWriter, OtherChange, Write

OnOff = tuple[Sequence[Catalogue], Sequence[Catalogue]]
"""The packs that are enabled, and those that are disabled."""


async def with_what_they_bring(
    agent_id: AgentId, packs: OnOff, entities: Entities, planner: Planner, writer: EntityWriter
) -> tuple[OtherChange, ...]:
    """What becomes of the agent's things together with its packs.

    A thing that a pack brings is made unless there is one of its name. With a pack goes what it brought, if
    nobody changed it since; its scheduled tasks go in any case, since they would call tools that are gone.
    """
    on, off = ({_key(agent_id, one): one for pack in side for one in _brings(pack)} for side in packs)
    stays = {key for key in on if key in off}
    keys = [key for key in (*on, *off) if key not in stays]
    found = await entities.all_as_of(keys, None) if keys else ()
    now = dict(zip(keys, found, strict=True))
    others = []
    for key, thing in on.items():
        if key not in stays and now[key] is None:
            value = await _value(agent_id, thing, planner)
            others.append(OtherChange(key, None, Write(value), writer.beside(key.subject)))
    made = sum(one.key.kind is EntityKind.SCHEDULE for one in others)
    if made:
        has = [schedule_of(one) for one in await entities.list(agent_id, EntityKind.SCHEDULE)]
        check_schedule_count(has, planner.now)
    for key, thing in off.items():
        entity = now.get(key)
        if key not in stays and entity is not None and _goes(entity, thing):
            others.append(OtherChange(key, entity, Delete(), writer.beside(key.subject)))
    return tuple(others)


def whose(packs: Sequence[Catalogue], kind: EntityKind, name: str, value: Json) -> str | None:
    """The pack that brings exactly this; None: no pack does."""
    for pack in packs:
        for thing in _brings(pack):
            if (thing.kind, thing.name) == (kind, name) and same_json(thing.value, value):
                return pack.pack
    return None


def _brings(pack: Catalogue) -> Sequence[BroughtThing]:
    return pack.about.brings if pack.about is not None else ()


def _key(agent_id: AgentId, thing: BroughtThing) -> EntityKey:
    return EntityKey(agent_id, EntityKind(thing.kind), thing.name)


async def _value(agent_id: AgentId, thing: BroughtThing, planner: Planner) -> Json:
    if thing.kind != EntityKind.SCHEDULE:
        return thing.value
    return to_json(await planner.drafted(agent_id, msgspec.convert(thing.value, ScheduleDraft)))


def _goes(entity: Entity, thing: BroughtThing) -> bool:
    return thing.kind == EntityKind.SCHEDULE or same_json(entity.value, thing.value)
