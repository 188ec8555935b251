"""The agent's scheduled tasks, as one tool call sees and changes them."""

from collections.abc import Awaitable, Sequence
from datetime import datetime

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import StoredSchedule, StoredScheduleRun
from agent_contracts.errors import Conflict, Transient
from agent_domain.schedules.planning import Planner, present, schedule_of
from agent_domain.schedules.rules import ScheduleDraft, next_times, schedule_id_of
from agent_domain.schedules.runs import runs_key
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Delete, EntityChange, EntityKey
from agent_platform.process.clock import rfc3339
from agent_tools.context import CallContext


class ScheduleWithRuns(msgspec.Struct, frozen=True):
    """A scheduled task with its id, its next time in UTC (None: there is none to come, or it is paused), and
    the last that is known of its runs."""

    id: str
    schedule: StoredSchedule
    next_run: str | None
    last: StoredScheduleRun | None = None


class AgentSchedules:
    """The scheduled tasks of the agent, whichever session made them."""

    def __init__(self, entities: Entities, planner: Planner, call: CallContext) -> None:
        self._entities = entities
        self._planner = planner
        self._call = call

    async def create(self, draft: ScheduleDraft) -> ScheduleWithRuns:
        """Schedule one; see `new_schedule` for what is refused."""
        writer = self._call.writers.next()
        key = self._key(schedule_id_of(writer.id))
        decide = self._planner.schedule(self._call.agent_id, draft)
        return self._shown(key, await _patiently(self._entities.change_together(key, writer, decide)))

    async def cancel(self, name: str) -> bool:
        """Delete one; whether there was one."""
        writer = self._call.writers.next()
        changed = await _patiently(self._entities.change(self._key(name), writer, lambda _: Delete()))
        return changed.before is not None

    async def switch(self, name: str, *, on: bool) -> ScheduleWithRuns:
        """Pause one, or let it go on. `Rejected`: `not_found`; one whose only time is over can't go on."""
        key, writer = self._key(name), self._call.writers.next()
        decide = self._planner.switched(key, on)
        return self._shown(key, await _patiently(self._entities.change_together(key, writer, decide)))

    async def list(self) -> Sequence[ScheduleWithRuns]:
        """All, paused ones too, by name."""
        agent_id = self._call.agent_id
        found = await self._entities.list(agent_id, EntityKind.SCHEDULE)
        self._call.outside.bring(*(source for one in found for source in one.outside))
        runs = await self._entities.all_as_of([runs_key(agent_id, one.key.name) for one in found], None)
        listed = [
            self._scheduled(
                one.key.name,
                schedule_of(one),
                None if run is None else msgspec.convert(run.value, StoredScheduleRun),
            )
            for one, run in zip(found, runs, strict=True)
        ]
        return sorted(listed, key=lambda one: (one.schedule.name, one.id))

    def _shown(self, key: EntityKey, changed: EntityChange) -> ScheduleWithRuns:
        return self._scheduled(key.name, schedule_of(present(changed.after, key)))

    def _scheduled(
        self, name: str, schedule: StoredSchedule, last: StoredScheduleRun | None = None
    ) -> ScheduleWithRuns:
        came = datetime.fromisoformat(last.decided) if last is not None and last.decided else None
        times = next_times(schedule, self._planner.now, last=came) if schedule.enabled else []
        return ScheduleWithRuns(name, schedule, rfc3339(times[0]) if times else None, last)

    def _key(self, name: str) -> EntityKey:
        return EntityKey(self._call.agent_id, EntityKind.SCHEDULE, name)


async def _patiently(change: Awaitable[EntityChange]) -> EntityChange:
    try:
        return await change
    except Conflict as error:
        raise Transient(error.message, retry_after=0.1) from error
