"""A look at everything, at the start, each hour and when the clock was set: what no timer and no delivery
told is found. In between, timers that NATS is late with are looked for."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

import msgspec
import structlog

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import StoredReminder
from agent_contracts.errors import Failure, Transient
from agent_domain.schedules.lateness import is_ahead
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Entity, EntityKey
from agent_platform.process.clock import Clock, rfc3339
from agent_platform.process.clock_watch import CHECK_S, ClockWatch
from scheduler.handlers import Advances
from scheduler.timers import ScheduleTimers, key_of, timer_of

EVERY_S = 3600.0
OVERDUE_EVERY_S = 30.0
"""How often timers that are overdue are looked for."""
_OVERDUE = timedelta(seconds=3)
"""NATS is at most this late with a timer, if its clock is right and wasn't set: it waits by a steady one."""
_SHARE = 50
"""Looking for overdue timers takes at most this part of the time, however many there are."""
_TRY_AGAIN_S = 5.0
_AT_A_TIME = 16

log = structlog.get_logger()


class Reconciler:
    """Looks at every reminder that isn't over, and every schedule."""

    def __init__(  # noqa: PLR0913 — each is a port
        self,
        entities: Entities,
        timers: ScheduleTimers,
        clock: Clock,
        reminders: Advances,
        schedules: Advances,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        """`steady` gives seconds, whatever the clock is set to."""
        self._entities = entities
        self._timers = timers
        self._clock = clock
        self._reminders = reminders
        self._schedules = schedules
        self._steady = steady
        self._watch = ClockWatch(clock, steady)
        self._look_at = self._overdue_at = steady()
        self._overdue: dict[str, str] = {}

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self.tick()
            await asyncio.sleep(CHECK_S)

    async def tick(self) -> None:
        """Look at what it is time to look at; to be called every `CHECK_S`."""
        moved = self._watch.moved()
        if moved is not None:
            log.warning("clock.set", by_s=round(moved.total_seconds(), 1))
            await self._safely(self._timers.wake)
        began = self._steady()
        if moved is not None or began >= self._look_at:
            failed = await self._safely(self.look)
            self._look_at = self._steady() + (_TRY_AGAIN_S if failed else EVERY_S)
        elif began >= self._overdue_at:
            failed = await self._safely(self.look_for_overdue)
            ended = self._steady()
            pause = _TRY_AGAIN_S if failed else max(OVERDUE_EVERY_S, (ended - began) * _SHARE)
            self._overdue_at = ended + pause

    async def _safely(self, look: Callable[[], Awaitable[int]]) -> int:
        try:
            return await look()
        except Failure as failure:
            log.warning("scheduler.not_reconciled", reason=failure.message)
            return 1
        except Exception:  # a bug: it is tried again, and what timers tell of is done meanwhile
            log.exception("scheduler.bug", name="reconciling")
            return 1

    async def look(self) -> int:
        """Look at everything once; how many could not be looked at now, and may be soon."""
        reminders = await self._entities.list_of_everyone(EntityKind.REMINDER)
        schedules = await self._entities.list_of_everyone(EntityKind.SCHEDULE)
        armed = await self._timers.armed()
        wanted = [one.key for one in reminders if self._calls_for_something(one, armed)]
        failed = await self._advance([*wanted, *(one.key for one in schedules)])
        log.info("scheduler.reconciled", reminders=len(wanted), schedules=len(schedules), failed=failed)
        return failed

    async def look_for_overdue(self) -> int:
        """Look once at each that NATS should have told of by now, by this clock; how many could not be."""
        by = rfc3339(self._clock.now() - _OVERDUE)
        overdue = {subject: at for subject, at in (await self._timers.armed()).items() if at <= by}
        new = [subject for subject, at in overdue.items() if self._overdue.get(subject) != at]
        failed = await self._advance([key_of(subject) for subject in new])
        if new:
            log.info("scheduler.overdue", timers=len(new), failed=failed)
        self._overdue = {} if failed else overdue
        return failed

    def _calls_for_something(self, entity: Entity, armed: dict[str, str]) -> bool:
        reminder = msgspec.convert(entity.value, StoredReminder)
        if reminder.done is not None:
            return False
        now = self._clock.now()
        is_set = armed.get(timer_of(entity.key, reminder.at).subject) == reminder.at
        is_wrong = reminder.again is not None and is_ahead(datetime.fromisoformat(entity.time), now)
        return not is_set or is_wrong or datetime.fromisoformat(reminder.at) <= now

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
