"""Which files can go back together, since a path has one file; and what becomes of their paths. All of it is
pure."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.files import FileValue, PathValue, path_key
from agent_domain.rewinding.changes import AgentChange
from agent_platform.entities.entity import Entity, EntityKey

Holders = Mapping[EntityKey, Entity | None]
"""The entity of each path; None where it is free."""


def holders_of(changes: Iterable[AgentChange]) -> list[EntityKey]:
    """The paths that these files have or had."""
    return sorted({place for one in changes for place in _places(one)}, key=lambda key: key.name)


def can_go_back(changes: Iterable[AgentChange], holders: Holders) -> list[AgentChange]:
    """Those that can go back together: not one whose path then belongs to a file that stays as it is."""
    going = {one.key.name: one for one in changes}
    while True:
        stuck = [name for name, one in going.items() if _is_stuck(one, going, holders)]
        if not stuck:
            return list(going.values())
        for name in stuck:
            del going[name]


def groups(changes: Sequence[AgentChange], most: int) -> list[list[AgentChange]]:
    """Files that share a path go back together; so many at once, unless more of them belong together."""
    by_place: dict[EntityKey, int] = {}
    together: dict[int, list[AgentChange]] = {}
    for number, one in enumerate(changes):
        mine = [one]
        for other in {by_place[place] for place in _places(one) if place in by_place}:
            mine += together.pop(other)
        together[number] = mine
        for member in mine:
            by_place |= dict.fromkeys(_places(member), number)
    batches: list[list[AgentChange]] = []
    for group in together.values():
        if batches and len(batches[-1]) + len(group) <= most:
            batches[-1] += group
        else:
            batches.append(group)
    return batches


def paths_back(changes: Sequence[AgentChange], holders: Holders) -> dict[EntityKey, PathValue | None]:
    """What becomes of the paths when these files go back: whose each is then; None: it is free."""
    going = {one.key.name for one in changes}
    wanted: dict[EntityKey, PathValue | None] = {}
    for one in changes:
        for place in _places(one):
            if _holder(holders, place) in going:
                wanted.setdefault(place, None)
    for one in changes:
        if one.before is not None:
            wanted[_place(one.key, one.before)] = PathValue(one.key.name)
    return {
        place: value
        for place, value in wanted.items()
        if (value.file_id if value else None) != _holder(holders, place)
    }


def file_value(entity: Entity) -> FileValue:
    """What the entity of a file says."""
    return msgspec.convert(entity.value, FileValue)


def _is_stuck(one: AgentChange, going: Mapping[str, AgentChange], holders: Holders) -> bool:
    if one.before is None:
        return False
    holder = _holder(holders, _place(one.key, one.before))
    return holder is not None and holder != one.key.name and holder not in going


def _holder(holders: Holders, place: EntityKey) -> str | None:
    entity = holders.get(place)
    return msgspec.convert(entity.value, PathValue).file_id if entity is not None else None


def _places(change: AgentChange) -> list[EntityKey]:
    return [_place(change.key, one) for one in (change.before, change.now) if one is not None]


def _place(key: EntityKey, file: Entity) -> EntityKey:
    value = file_value(file)
    return EntityKey(key.agent_id, EntityKind.PATH, path_key(value.session_id, value.path))
