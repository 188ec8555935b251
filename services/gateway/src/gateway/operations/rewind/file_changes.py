"""What a session, with its sub-sessions, changed of its agent's files since an event; and what takes it back.

The planning is pure.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from agent_contracts.entities.entity import EntityEvent, EntityKind
from agent_contracts.files import FileValue, PathValue, path_key
from agent_contracts.ids import SessionId
from agent_contracts.log.codec import Recorded, type_of
from agent_contracts.log.subjects import entity_filter
from agent_contracts.session_events.decisions import ChildSpawned
from agent_domain.sessions.directory import KnownSession
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Entity, EntityKey
from agent_platform.log.decoding import decode, events
from agent_platform.log.port import Log
from gateway.operations.rewind.agent_changes import AgentChange, change_of, later_events

Sessions = frozenset[SessionId]


class FileChanges:
    """Reads them from the log."""

    def __init__(self, log: Log, entities: Entities) -> None:
        self._log = log
        self._entities = entities

    async def tree(self, session: KnownSession) -> Sessions:
        """The session and all that came of it: they share a workspace."""
        found = {session.session_id: None}
        to_read = [session.key]
        spawned = type_of(ChildSpawned)
        for key in to_read:  # grows while it is gone through
            async for message in self._log.read(key.everything):
                if message.event_type != spawned:
                    continue
                event = decode(message).event
                if isinstance(event, ChildSpawned) and event.child_id not in found:
                    found[event.child_id] = None
                    to_read.append(key.sibling(event.child_id))
        return frozenset(found)

    async def since(
        self, session: KnownSession, by: Sessions, point: int, up_to: int | None = None
    ) -> Sequence[AgentChange]:
        """The files that these sessions changed after event `point` (and up to event `up_to`), by path.

        As `AgentChanges.since`.
        """
        changed: dict[EntityKey, None] = {}
        files = entity_filter(session.agent_id, EntityKind.FILE)
        async for recorded in events(self._log.read(files, after=point, up_to=up_to)):
            event: EntityEvent = recorded.event
            if event.session_id in by:
                changed[EntityKey(session.agent_id, EntityKind.FILE, event.name)] = None
        found = [await self.of(by, key, point) for key in changed]
        return sorted(found, key=lambda one: (_path_of(one), one.key.name))

    async def of(self, by: Sessions, key: EntityKey, point: int) -> AgentChange:
        """One file's change since event `point`."""
        return await change_of(self._log, self._entities, by, key, point)

    async def later(self, key: EntityKey, point: int) -> list[Recorded[EntityEvent]]:
        """The file's events after event `point`, in order."""
        return await later_events(self._log, key, point)

    async def holders(self, changes: Iterable[AgentChange]) -> "Holders":
        """Who has the paths that these files have or had."""
        keys = holders_of(changes)
        return dict(zip(keys, await self._entities.all_as_of(keys, None), strict=True)) if keys else {}


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


def _path_of(change: AgentChange) -> str:
    entity = change.now or change.before
    return file_value(entity).path if entity is not None else ""
