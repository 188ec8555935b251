"""An agent's scheduled tasks, as a person sees and changes them."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from agent_contracts.api.schedules import NextTimes, Schedule, ScheduleRun
from agent_contracts.api.versions import VersionTarget
from agent_contracts.api.wire import Page
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import OVER, StoredScheduleRun
from agent_contracts.ids import AgentId
from agent_domain.schedules.cron_words import cron_words
from agent_domain.schedules.planning import Decide, Planner, present, schedule_of
from agent_domain.schedules.rules import ScheduleDraft, draft_of, next_times, schedule_id_of
from agent_domain.schedules.runs import run_now, runs_key
from agent_platform.entities.entity import Change, ChangeSet, Entity, EntityKey, Write, entity_from
from agent_platform.process.clock import rfc3339
from gateway.operations.agents.edits import Edits, expecting
from gateway.operations.agents.things import Things
from gateway.operations.agents.version_records import written
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.ports import KnownAgents

_TIMES = 5


class TaskKey(msgspec.Struct, frozen=True):
    """Which task: whose, and its id."""

    agent_id: AgentId
    name: str

    @property
    def key(self) -> EntityKey:
        """Where it stands."""
        return EntityKey(self.agent_id, EntityKind.SCHEDULE, self.name)


class SchedulesOfAgents(Things[TaskKey, Schedule]):
    """Reads and changes them."""

    def __init__(self, edits: Edits, agents: KnownAgents, planner: Planner) -> None:
        super().__init__(edits, agents)
        self._planner = planner

    async def list(self, agent_id: AgentId, at: int | None = None) -> Page[Schedule]:
        """All by name, paused ones too, now or after event `at`."""
        await self._agents.require(agent_id)
        found = await self._edits.entities.list(agent_id, EntityKind.SCHEDULE, up_to=at)
        shown = await self._all(found, at)
        return Page[Schedule](items=sorted(shown, key=lambda one: (one.name.casefold(), one.id)))

    async def next_times(self, agent_id: AgentId, draft: ScheduleDraft) -> NextTimes:
        """The next five times that a draft asks for; nothing is stored. `Rejected` as in `create`."""
        await self._agents.require(agent_id)
        made = await self._planner.drafted(agent_id, draft)
        coming = next_times(made, self._planner.now, _TIMES)
        return NextTimes(
            next=[rfc3339(moment) for moment in coming],
            cron_words=None if made.cron is None else cron_words(made.cron),
            timezone=made.timezone,
        )

    async def create(self, agent_id: AgentId, draft: ScheduleDraft, request: IdempotentRequest) -> Schedule:
        """Schedule a task. `Rejected` with the `path` of what is wrong; nothing is stored then."""
        await self._agents.require(agent_id)
        writer = self._edits.writer(request, "schedules", agent_id, "create")
        key = TaskKey(agent_id, schedule_id_of(writer.id)).key
        decide = self._planner.schedule(agent_id, draft)
        changed = await self._edits.change_together(key, writer, request, decide)
        return await self._one(present(changed.after, key))

    async def write(
        self, planned: TaskKey, draft: ScheduleDraft, version: int | None, request: IdempotentRequest
    ) -> Schedule:
        """Make it what the draft says; a paused one stays so. `Rejected` as in `create`, and `conflict` if it
        isn't at `version` (None: any) any more."""
        decide = self._planner.rescheduled(planned.key, draft, lambda before: expecting(version, before))
        return await self._change(planned, "write", decide, request)

    async def switch(self, planned: TaskKey, request: IdempotentRequest, *, enabled: bool) -> Schedule:
        """Pause it, or let it go on from its next time. A repeat makes no version."""
        action = "resume" if enabled else "pause"
        return await self._change(planned, action, self._planner.switched(planned.key, enabled), request)

    async def run(self, planned: TaskKey, request: IdempotentRequest) -> Schedule:
        """Ask for a run now: the scheduler makes it. `too_large` where ten of its runs wait."""
        found = await self.read(planned)
        key = runs_key(planned.agent_id, planned.name)

        def decide(before: Entity | None) -> Change:
            last = None if before is None else msgspec.convert(before.value, StoredScheduleRun)
            return Write(msgspec.to_builtins(run_now(last, self._planner.now)))

        writer = self._edits.writer(request, key.subject, "run")
        asked = (await self._edits.change(key, writer, request, decide)).after
        return msgspec.structs.replace(found, last_run=None if asked is None else _run(asked))

    async def runs(self, planned: TaskKey, before: int | None, limit: int) -> Page[ScheduleRun]:
        """What became of its times, newest first: of each time what is known last."""
        await self._agents.require(planned.agent_id)
        key, entities = runs_key(planned.agent_id, planned.name), self._edits.entities
        unfinished = _unfinished(await entities.current(key))
        found: dict[tuple[str, bool], ScheduleRun] = {}
        last: int | None = None
        async for recorded in entities.versions(key, before=before):
            entity = entity_from(recorded, planned.agent_id)
            if entity is None:
                continue
            run = _run(entity)
            due = (run.due_at, run.by_hand)
            if due not in found and (run.outcome in OVER or due in unfinished):
                if len(found) == limit:
                    return Page[ScheduleRun](items=list(found.values()), next_cursor=str(last))
                found[due] = run
            last = run.sequence
        return Page[ScheduleRun](items=list(found.values()))

    async def revert(self, place: TaskKey, target: VersionTarget, request: IdempotentRequest) -> Schedule:
        """Make an earlier version the newest, also of one that was deleted: checked as if it were written
        now, so that a time that has passed is refused."""
        await self._agents.require(place.agent_id)
        wanted = schedule_of(await self._edits.find(place.key, target))
        draft = draft_of(wanted)

        async def decide(before: Entity | None) -> ChangeSet:
            if before is not None:
                return await self._planner.rescheduled(place.key, draft, lambda _: None)(before)
            return await self._planner.schedule(place.agent_id, draft)(None)

        return await self._change(place, "revert", decide, request)

    async def _key(self, place: TaskKey) -> EntityKey:
        await self._agents.require(place.agent_id)
        return place.key

    async def _shown(self, found: Entity | None, place: TaskKey, at: int | None = None) -> Schedule:
        return await self._one(present(found, place.key), at)

    async def _change(
        self, planned: TaskKey, action: str, decide: Decide, request: IdempotentRequest
    ) -> Schedule:
        await self._agents.require(planned.agent_id)
        writer = self._edits.writer(request, planned.key.subject, action)
        changed = await self._edits.change_together(planned.key, writer, request, decide)
        return await self._one(present(changed.after, planned.key))

    async def _one(self, found: Entity, at: int | None = None) -> Schedule:
        (shown,) = await self._all([found], at)
        return shown

    async def _all(self, found: Sequence[Entity], at: int | None) -> Sequence[Schedule]:
        keys = [runs_key(one.key.agent_id, one.key.name) for one in found]
        runs = await self._edits.entities.all_as_of(keys, at) if keys else []
        return [self._view(one, run, at) for one, run in zip(found, runs, strict=True)]

    def _view(self, entity: Entity, run: Entity | None, at: int | None) -> Schedule:
        value = schedule_of(entity)
        decided = None if run is None else msgspec.convert(run.value, StoredScheduleRun).decided
        last = None if decided is None else datetime.fromisoformat(decided)
        shown = value.enabled and at is None
        times = next_times(value, self._planner.now, _TIMES, last) if shown else []
        return Schedule(
            id=entity.key.name,
            next=[rfc3339(one) for one in times],
            cron_words=None if value.cron is None else cron_words(value.cron),
            last_run=None if run is None else _run(run),
            **msgspec.structs.asdict(value),
            **written(entity),
        )


def _unfinished(current: Entity | None) -> set[tuple[str, bool]]:
    """The due times of runs that aren't over, by hand or not."""
    if current is None:
        return set()
    run = msgspec.convert(current.value, StoredScheduleRun)
    running = {(one.due_at, one.by_hand) for one in run.running}
    return running | {(one.due_at, one.by_hand) for one in run.waiting}


def _run(entity: Entity) -> ScheduleRun:
    value = msgspec.convert(entity.value, StoredScheduleRun)
    return ScheduleRun(
        due_at=value.due_at,
        outcome=value.outcome,
        session_id=value.session_id,
        by_hand=value.by_hand,
        reason=value.reason,
        failures=value.failures,
        sequence=entity.sequence,
        recorded_at=entity.time,
    )
