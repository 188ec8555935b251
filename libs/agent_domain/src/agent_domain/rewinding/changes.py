"""What changed of an agent since an event: the part of it that a rewind selects."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from agent_contracts.entities.entity import EntityEvent, EntityKind
from agent_contracts.entities.rewinds import Rewind
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.json_value import same_json
from agent_contracts.kinds.rewound import COPIED_KINDS, kinds_of
from agent_contracts.log.record.codec import RecordedEvent, type_of
from agent_contracts.log.record.records import decode
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.subjects import all_entities_of
from agent_contracts.session_events.decisions import ChildSpawned
from agent_domain.schedules.times_passed import coming_back
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Entity, EntityKey, entity_from
from agent_platform.log.events import events
from agent_platform.log.port import Log


class AgentChange(msgspec.Struct, frozen=True):
    """One thing that changed: as it was, and as it is; None where it doesn't exist."""

    key: EntityKey
    before: Entity | None
    """As it comes back: with `time_passed`, what it waited for then has passed."""
    now: Entity | None
    sequence: int
    """The last event of it."""
    touched_by_others: bool = False
    """Of a session's changes: others changed it since, too."""
    time_passed: bool = False

    @property
    def is_undone(self) -> bool:
        """Whether it is again what it was."""
        return same_value(self.before, self.now)


class AgentChanges:
    """Reads them from the log."""

    def __init__(self, log: Log, entities: Entities) -> None:
        self._log = log
        self._entities = entities

    async def since(
        self, agent_id: AgentId, wanted: Rewind, *, up_to: int, now: datetime
    ) -> Sequence[AgentChange]:
        """What changed after event `wanted.to`, up to event `up_to`, of what the rewind selects: by kind and
        name. What changed there and back is among it. `now` decides which times have passed.
        """
        if wanted.source is not None:
            return await self._from_copy(agent_id, wanted.source, wanted, up_to)
        found = await self._last_events(agent_id, wanted, up_to)
        if not found:
            return ()
        keys = [EntityKey(agent_id, one.event.kind, one.event.name) for one, _ in found]
        then = await self._entities.all_as_of(keys, wanted.to)
        changes = []
        for key, (last, by_others), was in zip(keys, found, then, strict=True):
            current = entity_from(last, agent_id)
            before = coming_back(was, current, now)
            passed = not same_value(before, was)
            changes.append(AgentChange(key, before, current, last.sequence, by_others, passed))
        return sorted(changes, key=lambda one: (one.key.kind, one.key.name))

    async def _from_copy(
        self, agent_id: AgentId, source: AgentId, wanted: Rewind, up_to: int
    ) -> Sequence[AgentChange]:
        """What the agent has in place of what the source had."""
        before: dict[EntityKey, Entity] = {}
        now: dict[EntityKey, Entity] = {}
        for kind in kinds_of(wanted):
            if kind in COPIED_KINDS:
                for one in await self._entities.list(source, kind, up_to=wanted.to):
                    key = EntityKey(agent_id, kind, one.key.name)
                    before[key] = msgspec.structs.replace(one, key=key)
            for one in await self._entities.list(agent_id, kind, up_to=up_to):
                now[one.key] = one
        keys = sorted({*before, *now}, key=lambda key: (key.kind, key.name))
        found = [AgentChange(key, before.get(key), now.get(key), _sequence(now.get(key))) for key in keys]
        return [one for one in found if not one.is_undone]

    async def _last_events(
        self, agent_id: AgentId, wanted: Rewind, up_to: int
    ) -> list[tuple[RecordedEvent[EntityEvent], bool]]:
        """The last event of each thing, and whether others than the rewind's session changed it."""
        kinds = kinds_of(wanted)
        if not kinds:
            return []
        if wanted.session_id is None:
            found = await self._entities.changes(agent_id, kinds, after=wanted.to, up_to=up_to)
            return [(one, False) for one in found if wanted.includes(one.event.kind, one.event.name)]
        alone: frozenset[SessionId] = frozenset((wanted.session_id,))
        key = SessionKey(agent_id, wanted.session_id)
        tree = await self._session_tree(key) if EntityKind.FILE in kinds else alone
        last: dict[str, RecordedEvent[EntityEvent]] = {}
        writers: dict[str, set[SessionId | None]] = {}
        everything = self._log.read(all_entities_of(agent_id), after=wanted.to, up_to=up_to)
        async for recorded in events(everything):
            event: EntityEvent = recorded.event
            if event.kind in kinds and wanted.includes(event.kind, event.name):
                last[recorded.subject] = recorded
                writers.setdefault(recorded.subject, set()).add(event.session_id)
        changed = []
        for subject, recorded in last.items():
            own = tree if recorded.event.kind is EntityKind.FILE else alone
            if writers[subject] & own:
                changed.append((recorded, not writers[subject] <= own))
        return changed

    async def _session_tree(self, session: SessionKey) -> frozenset[SessionId]:
        """The session and all its sub-sessions, theirs too: they share a workspace."""
        found = {session.session_id: None}
        to_read = [session]
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


def _sequence(entity: Entity | None) -> int:
    return entity.sequence if entity is not None else 0


def same_value(one: Entity | None, other: Entity | None) -> bool:
    """Whether two versions hold the same JSON (true is not 1), or neither is there."""
    if one is None or other is None:
        return one is other
    return same_json(one.value, other.value)
