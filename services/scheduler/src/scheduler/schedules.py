"""Schedules: at each of their times a session begins, once, and what became of it is kept."""

from collections.abc import Mapping

import msgspec
import structlog

from agent_contracts.entities.agents import AgentProfile
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import OVER, StartedRun, StoredSchedule, StoredScheduleRun
from agent_contracts.errors import Conflict, LogCorrupt, Rejected, Transient
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.record.records import Expect
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.inputs import BegunBy, UserMessage
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_domain.schedules.rules import paused
from agent_domain.schedules.runs import runs_key
from agent_platform.entities.entity import EntityKey
from agent_platform.process.clock import rfc3339
from agent_platform.process.stop_points import stop_point
from scheduler.domain.decide import (
    RunEnd,
    ScheduleStanding,
    ScheduleStep,
    ScheduleWait,
    ended,
    next_step,
    refused,
)
from scheduler.entity_writes import CurrentEntity, EntityWrites
from scheduler.group_commit import AppendDraft
from scheduler.numbers import Numbers
from scheduler.reminders import early
from scheduler.settings import SchedulerSettings
from scheduler.standing_since import StandingSince
from scheduler.timers import ScheduleTimers
from session_domain.sessions import FoldedSessions

_ATTEMPTS = 50
"""How often a schedule is judged anew, since it, or what became of it, changed meanwhile."""

log = structlog.get_logger()


def what_counts(value: Json) -> object:
    """Of a schedule's value: when it is due, and whether it is."""
    if not isinstance(value, dict):
        return None
    return value.get("at"), value.get("cron"), value.get("timezone"), value.get("enabled", True)


class ScheduleRunner:
    """Does what schedules call for. Any number may run, and be killed: each step is the next version of what
    became of the schedule, written with the session that it begins, if all is as it was judged."""

    def __init__(  # noqa: PLR0913 — each is a port
        self,
        writing: EntityWrites,
        sessions: FoldedSessions,
        since: StandingSince,
        timers: ScheduleTimers,
        numbers: Numbers,
        settings: EffectiveSettings[SchedulerSettings],
    ) -> None:
        self._writing = writing
        self._sessions = sessions
        self._since = since
        self._timers = timers
        self._numbers = numbers
        self._settings = settings

    async def advance(self, agent_id: AgentId, schedule_id: str, came_due: str | None = None) -> None:
        """Do all that a schedule calls for now, then wait for its next time. Harmless when repeated.

        `came_due` is the time for which its timer came: `Transient` where that is not over by this clock.
        """
        key = EntityKey(agent_id, EntityKind.SCHEDULE, schedule_id)
        conflicts = 0
        while conflicts < _ATTEMPTS:
            found = await self._writing.find(key, StoredSchedule)
            run = await self._writing.find(runs_key(agent_id, schedule_id), StoredScheduleRun)
            if found.entity is None or found.value is None or not await self._agent_lives(agent_id):
                return
            now = self._writing.now()
            since = await self._since.of(found.entity, now)
            over = await self._ended(agent_id, run.value)
            now = self._writing.now()
            match next_step(schedule_id, ScheduleStanding(found.value, since.time, run.value, over), now):
                case None:
                    return
                case ScheduleWait(until):
                    if came_due == rfc3339(until):
                        raise early((until - now).total_seconds())
                    await self._timers.arm(key, until)
                    if await self._is_still(found) and await self._is_still(run):
                        return
                case ScheduleStep() as step:
                    try:
                        await self._make(found, found.value, run, step)
                    except Conflict:
                        conflicts += 1
        raise Transient(f"schedule {schedule_id} was changed by others again and again", kind="conflict")

    async def _agent_lives(self, agent_id: AgentId) -> bool:
        agent = await self._writing.find(EntityKey(agent_id, EntityKind.AGENT, agent_id), AgentProfile)
        return agent.entity is not None

    async def _is_still(
        self, found: CurrentEntity[StoredSchedule] | CurrentEntity[StoredScheduleRun]
    ) -> bool:
        last = await self._writing.log.last(found.key.subject)
        return (last.sequence if last is not None else 0) == found.last_sequence

    async def _ended(self, agent_id: AgentId, last: StoredScheduleRun | None) -> Mapping[SessionId, RunEnd]:
        found: dict[SessionId, RunEnd] = {}
        for running in last.running if last is not None else ():
            try:
                how = ended(await self._sessions.newest(SessionKey(agent_id, running.session_id)))
            except LogCorrupt as broken:
                how = RunEnd("failed", broken.message)
            if how is not None:
                found[running.session_id] = how
        return found

    async def _make(
        self,
        found: CurrentEntity[StoredSchedule],
        schedule: StoredSchedule,
        run: CurrentEntity[StoredScheduleRun],
        step: ScheduleStep,
    ) -> None:
        drafts = [self._writing.entity(run, step.run)]
        if step.starts is not None:
            drafts += await self._session(found, schedule, step.starts)
        if step.pauses is not None:
            drafts.append(self._writing.entity(found, paused(schedule, step.pauses)))
        await stop_point("scheduler.starting")
        try:
            await self._writing.append(*drafts, bounded=step.starts is not None)
        except Rejected as refusal:
            if isinstance(refusal, Conflict) or step.starts is None:
                raise
            await self._make(found, schedule, run, refused(schedule, step, refusal.message))
            return
        await stop_point("scheduler.started")
        self._tell(found.key, step)

    async def _session(
        self, found: CurrentEntity[StoredSchedule], schedule: StoredSchedule, starts: StartedRun
    ) -> list[AppendDraft]:
        """A fresh session with the task; none if it is there, since what became of the schedule was brought
        back to an earlier version."""
        session = SessionKey(found.key.agent_id, starts.session_id)
        if (await self._sessions.newest(session)).position:
            return []
        defaults = (await self._settings.of(session.agent_id)).new_session()
        created = defaults.created(
            session.agent_id,
            token_limit=schedule.token_limit,
            title=schedule.name,
            model=schedule.model,
            begun_by=BegunBy("schedule", found.key.name, starts.due_at, starts.late),
        )
        if found.entity is not None and found.entity.outside:
            created = msgspec.structs.replace(created, outside=found.entity.outside)
        task = schedule.task if starts.late is None else f"{schedule.task}\n\n{starts.late}"
        return [
            self._writing.input(session, created, Expect(session.everything, 0)),
            self._writing.input(session, UserMessage(text=task), found.expected),
        ]

    def _tell(self, key: EntityKey, step: ScheduleStep) -> None:
        run = step.run
        if run.outcome in OVER and run.session_id is not None:
            self._numbers.ended(run.outcome)
        else:
            self._numbers.fired("schedule", run.outcome, run.due_at, self._writing.now())
        log.info(
            "schedule.run",
            agent_id=key.agent_id,
            schedule=key.name,
            due_at=run.due_at,
            outcome=run.outcome,
            session_id=run.session_id,
        )
        if step.pauses is not None:
            self._numbers.paused()
            log.warning("schedule.paused", agent_id=key.agent_id, schedule=key.name, reason=step.pauses)
