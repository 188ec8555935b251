"""What a session changed of its agent's since an event, and whether others did too."""

from collections.abc import Sequence

import msgspec

from agent_contracts.entities.entity import EntityEvent, EntityKind
from agent_contracts.ids import SessionId
from agent_contracts.json_value import same_json
from agent_contracts.log.codec import Recorded
from agent_contracts.log.subjects import all_entities_of
from agent_domain.schedules.times_passed import coming_back
from agent_domain.sessions.directory import KnownSession
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Entity, EntityKey, entity_from
from agent_platform.log.decoding import events
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock

AGENT_PART = frozenset(
    (
        EntityKind.PROMPT,
        EntityKind.NOTES,
        EntityKind.STATE,
        EntityKind.TOOL,
        EntityKind.FUNCTION,
        EntityKind.LIBRARY,
        EntityKind.COMPONENT,
        EntityKind.SKILL,
        EntityKind.NOTEPAD,
        EntityKind.PLAN,
        EntityKind.PLAYBOOK,
        EntityKind.INBOX,
        EntityKind.REMINDER,
        EntityKind.SCHEDULE,
    )
)
"""The kinds that go back with the part `agent`: what sessions make of the agent. Files are another part."""


class AgentChange(msgspec.Struct, frozen=True):
    """One entity that a session changed: as it was at the point, and now; None where it doesn't exist.

    With `time_passed`, what it waited for at the point has passed, and `before` is how it comes back.
    """

    key: EntityKey
    before: Entity | None
    now: Entity | None
    touched_by_others: bool
    time_passed: bool = False

    @property
    def is_undone(self) -> bool:
        """Whether it is again what it was."""
        return same_value(self.before, self.now)


class AgentChanges:
    """Reads them from the log."""

    def __init__(self, events: Log, entities: Entities, clock: Clock) -> None:
        self._events = events
        self._entities = entities
        self._clock = clock

    async def since(
        self, session: KnownSession, point: int, up_to: int | None = None
    ) -> Sequence[AgentChange]:
        """What the session changed after event `point` (and up to event `up_to`), by kind and name.

        What it changed there and back is among it. `now` and `touched_by_others` are as of now, always.
        """
        changed: dict[EntityKey, None] = {}
        everything = all_entities_of(session.agent_id)
        async for recorded in events(self._events.read(everything, after=point, up_to=up_to)):
            event: EntityEvent = recorded.event
            if event.session_id == session.session_id and event.kind in AGENT_PART:
                changed[EntityKey(session.agent_id, event.kind, event.name)] = None
        in_order = sorted(changed, key=lambda key: (key.kind, key.name))
        return [await self.of(session, key, point) for key in in_order]

    async def of(self, session: KnownSession, key: EntityKey, point: int) -> AgentChange:
        """One entity's change since event `point`."""
        by = frozenset((session.session_id,))
        change = await change_of(self._events, self._entities, by, key, point)
        back = coming_back(change.before, change.now, self._clock.now())
        passed = not same_value(back, change.before)
        return msgspec.structs.replace(change, before=back, time_passed=passed)

    async def later(self, key: EntityKey, point: int) -> list[Recorded[EntityEvent]]:
        """The entity's events after event `point`, in order."""
        return await later_events(self._events, key, point)


async def change_of(
    log: Log, entities: Entities, by: frozenset[SessionId], key: EntityKey, point: int
) -> AgentChange:
    """One entity's change since event `point`; others are all but the sessions `by`."""
    later = await later_events(log, key, point)
    before = await entities.as_of(key, point)
    return AgentChange(
        key=key,
        before=before,
        now=entity_from(later[-1], key.agent_id) if later else before,
        touched_by_others=any(one.event.session_id not in by for one in later),
    )


async def later_events(log: Log, key: EntityKey, point: int) -> list[Recorded[EntityEvent]]:
    """The entity's events after event `point`, in order."""
    return [recorded async for recorded in events(log.read(key.subject, after=point))]


def same_value(one: Entity | None, other: Entity | None) -> bool:
    """Whether two versions hold the same JSON (true is not 1), or neither is there."""
    if one is None or other is None:
        return one is other
    return same_json(one.value, other.value)
