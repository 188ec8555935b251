"""Scheduled tasks and reminders as entities: what a write makes of them, whoever writes.

What is made here is for `Entities.change_together`: it is given the entity as it is, and is asked again where
another write came between.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime
from zoneinfo import ZoneInfo

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import Recurrence, StoredReminder, StoredSchedule
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.json_value import Json, same_json
from agent_contracts.kinds.registry import KINDS
from agent_domain.schedules.agent_timezone import ZonesOfAgents, agent_zone
from agent_domain.schedules.recurring import next_again
from agent_domain.schedules.rules import (
    ScheduleDraft,
    check_reminder_count,
    check_schedule_count,
    enabled,
    new_reminder,
    new_schedule,
    paused,
)
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import ChangeSet, Entity, EntityKey, Write
from agent_platform.process.clock import Clock, rfc3339

Decide = Callable[[Entity | None], Awaitable[ChangeSet]]


class Planner:
    """Plans what waits for a time, in the zone that an agent's settings name."""

    def __init__(self, entities: Entities, clock: Clock, settings: ZonesOfAgents) -> None:
        self._entities = entities
        self._clock = clock
        self._settings = settings

    @property
    def now(self) -> datetime:
        """The time in UTC, by which it is judged what is to come."""
        return self._clock.now()

    async def zone(self, agent_id: AgentId) -> ZoneInfo:
        """The zone that the agent's settings name."""
        return await agent_zone(self._settings, agent_id)

    def reminder(
        self,
        agent_id: AgentId,
        session_id: SessionId,
        at: str | Recurrence,
        message: str,
        *,
        quiet: bool = False,
    ) -> Decide:
        """Make one: at a time, or again and again, in the agent's zone."""

        async def decide(_: Entity | None) -> ChangeSet:
            zone = await self.zone(agent_id)
            if isinstance(at, Recurrence):
                again = msgspec.structs.replace(at, timezone=zone.key)
                first = rfc3339(next_again(again, self.now))
                made = new_reminder(session_id, first, message, zone, self.now)
                made = msgspec.structs.replace(made, again=again)
            else:
                made = new_reminder(session_id, at, message, zone, self.now)
            others = await self._entities.list(agent_id, EntityKind.REMINDER)
            check_reminder_count([reminder_of(one) for one in others])
            return ChangeSet(Write(to_json(msgspec.structs.replace(made, quiet=quiet))))

        return decide

    def schedule(self, agent_id: AgentId, draft: ScheduleDraft) -> Decide:
        """Make one."""

        async def decide(_: Entity | None) -> ChangeSet:
            made = await self.drafted(agent_id, draft)
            others = await self._entities.list(agent_id, EntityKind.SCHEDULE)
            check_schedule_count([schedule_of(one) for one in others], self.now)
            return ChangeSet(Write(to_json(made)))

        return decide

    def rescheduled(self, key: EntityKey, draft: ScheduleDraft, check: Callable[[Entity], None]) -> Decide:
        """Make it what the draft says; a paused one stays so. `check` may refuse what there is.

        A time that it has already may be over by now: only another one must be to come.
        """

        async def decide(before: Entity | None) -> ChangeSet:
            found = present(before, key)
            check(found)
            was = schedule_of(found)
            if was.at is not None and was.at == draft.at and draft.cron is None:
                timeless = msgspec.structs.replace(draft, at=None, cron="@daily")
                checked = await self.drafted(key.agent_id, timeless)
                made = msgspec.structs.replace(checked, at=was.at, cron=None)
            else:
                made = await self.drafted(key.agent_id, draft)
            kept = msgspec.structs.replace(made, enabled=was.enabled, paused_because=was.paused_because)
            value = to_json(kept)
            return ChangeSet(None if same_json(value, found.value) else Write(value))

        return decide

    def switched(self, key: EntityKey, on: bool) -> Decide:
        """Pause it, or let it go on from its next time."""

        async def decide(before: Entity | None) -> ChangeSet:
            was = schedule_of(present(before, key))
            if was.enabled == on:
                return ChangeSet(None)
            return ChangeSet(Write(to_json(enabled(was, self.now) if on else paused(was))))

        return decide

    async def drafted(self, agent_id: AgentId, draft: ScheduleDraft) -> StoredSchedule:
        """What a draft asks for, checked; nothing is stored."""
        return new_schedule(draft, await self.zone(agent_id), self.now)


def present(found: Entity | None, key: EntityKey) -> Entity:
    """The entity; `Rejected(kind="not_found")` if there is none."""
    if found is None:
        raise Rejected(
            f"There is no {KINDS[key.kind].noun} {key.name[:64]!r}", kind=ErrorKind.NOT_FOUND, path="/id"
        )
    return found


def reminder_of(entity: Entity) -> StoredReminder:
    """An entity as the reminder that it is."""
    return msgspec.convert(entity.value, StoredReminder)


def schedule_of(entity: Entity) -> StoredSchedule:
    """An entity as the scheduled task that it is."""
    return msgspec.convert(entity.value, StoredSchedule)


def to_json(value: StoredReminder | StoredSchedule) -> Json:
    """The value of its entity."""
    made: Json = msgspec.to_builtins(value)
    return made
