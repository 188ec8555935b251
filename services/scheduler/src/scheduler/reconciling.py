"""A look at everything, at the start and each hour: what no timer and no delivery told is found."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

import msgspec
import structlog

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import Reminder
from agent_contracts.errors import Failure, Transient
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Entity, EntityKey
from agent_platform.process.clock import Clock
from scheduler.handlers import Advances
from scheduler.timers import Timers, timer_of

EVERY_S = 3600.0
_TRY_AGAIN_S = 5.0
_AT_A_TIME = 16

log = structlog.get_logger()


class Reconciling:
    """Looks at every reminder that isn't over, and every schedule."""

    def __init__(
        self, entities: Entities, timers: Timers, clock: Clock, reminders: Advances, schedules: Advances
    ) -> None:
        self._entities = entities
        self._timers = timers
        self._clock = clock
        self._reminders = reminders
        self._schedules = schedules

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            try:
                failed = await self.look()
            except Failure as failure:
                log.warning("scheduler.not_reconciled", reason=failure.message)
                failed = 1
            await asyncio.sleep(_TRY_AGAIN_S if failed else EVERY_S)

    async def look(self) -> int:
        """Look at everything once; how many could not be looked at now, and may be soon."""
        reminders = await self._entities.list_of_everyone(EntityKind.REMINDER)
        schedules = await self._entities.list_of_everyone(EntityKind.SCHEDULE)
        armed = await self._timers.armed()
        wanted = [one.key for one in reminders if self._calls_for_something(one, armed)]
        failed = await self._advance([*wanted, *(one.key for one in schedules)])
        log.info("scheduler.reconciled", reminders=len(wanted), schedules=len(schedules), failed=failed)
        return failed

    def _calls_for_something(self, entity: Entity, armed: dict[str, str]) -> bool:
        reminder = msgspec.convert(entity.value, Reminder)
        if reminder.done is not None:
            return False
        is_set = armed.get(timer_of(entity.key, reminder.at).subject) == reminder.at
        return not is_set or datetime.fromisoformat(reminder.at) <= self._clock.now()

    async def _advance(self, keys: Sequence[EntityKey]) -> int:
        turns, failed = asyncio.Semaphore(_AT_A_TIME), 0

        async def one(key: EntityKey) -> None:
            nonlocal failed
            which = self._reminders if key.kind is EntityKind.REMINDER else self._schedules
            async with turns:
                try:
                    await which.advance(key.agent_id, key.name)
                except Transient as failure:
                    failed += 1
                    log.warning("scheduler.not_advanced", name=key.name, reason=failure.message)
                except Failure as failure:
                    log.error("scheduler.not_advanced", name=key.name, reason=failure.message)
                except Exception:  # a bug, or a value that no door writes: others go on
                    log.exception("scheduler.bug", name=key.name)

        await asyncio.gather(*(one(key) for key in keys))
        return failed
