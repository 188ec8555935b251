"""Bisections: which event of an agent broke what it could do."""

import asyncio
from collections.abc import Sequence

import msgspec
import structlog

from agent_contracts.api.bisections import TOKENS_A_RUN, BisectCost, BisectionShown, NewestBisection
from agent_contracts.entities.bisections import Bisection, Check, bisection_from, probe_agent_id
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Conflict, Failure, Permanent, Rejected, Transient
from agent_contracts.ids import AgentId
from agent_contracts.kinds.rewound import COPIED_KINDS
from agent_contracts.log.record.records import event_of
from agent_contracts.log.subjects import database_subject, entity_filter
from agent_platform.entities.entity import Change, Entity, EntityKey, EntityWriter, Write
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock
from agent_platform.process.interruption import Interruption
from gateway.operations.agents.agents import key_of
from gateway.operations.agents.edits import Edits
from gateway.operations.bisecting.bisection_views import cost_of, shown
from gateway.operations.bisecting.checks import check_check
from gateway.operations.bisecting.probe_agents import ProbeAgents
from gateway.operations.bisecting.probe_steps import BisectionEnd, most_probes, next_step, with_run
from gateway.operations.bisecting.probes import Probes
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.ports import KnownAgents
from gateway.operations.sessions.projected_sessions import ProjectedSessions
from gateway.operations.sessions.rules import check_model
from gateway.queries.turn_costs import TurnCost, turn_cost

log = structlog.get_logger()

_LOOK_S = 5.0
_AGAIN_S = 2.0
_ATTEMPTS = 20
_AT_WORK = ("running", "stopping")


class NewBisection(msgspec.Struct, frozen=True):
    """What is to be found: the event after which the check fails, after `good` (None: the agent's making) and
    up to `bad` (None: now)."""

    check: Check
    good: int | None = None
    bad: int | None = None
    model: str | None = None
    token_limit: int = TOKENS_A_RUN


class Bisections:
    """One of each agent at a time, each step of it in the log: any gateway can go on with it."""

    def __init__(  # noqa: PLR0913 — what it reads, writes and runs
        self,
        log: Log,
        clock: Clock,
        edits: Edits,
        agents: KnownAgents,
        projected: ProjectedSessions,
        probe_agents: ProbeAgents,
        probes: Probes,
    ) -> None:
        self._log = log
        self._clock = clock
        self._edits = edits
        self._agents = agents
        self._projected = projected
        self._probe_agents = probe_agents
        self._probes = probes
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def cost(self, agent_id: AgentId, wanted: NewBisection) -> BisectCost:
        """What it would take; nothing is asked of a model."""
        places, _, _ = await self._range(agent_id, wanted)
        a_turn: TurnCost | None = None
        if wanted.check.ask is not None:
            try:
                async with self._projected.snapshot() as snapshot:
                    a_turn = await turn_cost(snapshot, agent_id)
            except Transient:
                log.info("bisection.cost_unknown", agent_id=agent_id)
        return cost_of(len(places), most_probes(len(places)), a_turn, wanted.token_limit)

    async def start(
        self, agent_id: AgentId, wanted: NewBisection, request: IdempotentRequest
    ) -> BisectionShown:
        """Begin to search; it goes on by itself. `Rejected`: `conflict` while another of the agent runs."""
        places, good, bad = await self._range(agent_id, wanted)
        key = _key(agent_id)
        bisection_id = request.derived_id("q", key.subject) or self._clock.new_id("q")
        value = Bisection(
            id=bisection_id,
            check=wanted.check,
            after=good,
            up_to=bad,
            events=len(places),
            probe_agent=probe_agent_id(bisection_id),
            model=wanted.model,
            token_limit=wanted.token_limit,
        )

        def decide(before: Entity | None) -> Change:
            if before is not None and bisection_from(before.value).status in _AT_WORK:
                raise Rejected("A bisection of this agent is running: stop it first", kind="conflict")
            return Write(msgspec.to_builtins(value))

        writer = self._edits.writer(request, key.subject, "bisect")
        changed = await self._edits.change(key, writer, request, decide)
        if changed.after is None:
            raise Permanent("A bisection is gone right after it was written", kind="internal")
        self._work_on(agent_id)
        return await self._shown(changed.after)

    async def newest(self, agent_id: AgentId) -> NewestBisection:
        """The agent's newest bisection, as far as it is."""
        await self._agents.require(agent_id)
        found = await self._edits.entities.current(_key(agent_id))
        return NewestBisection(bisection=None if found is None else await self._shown(found))

    async def stop(self, agent_id: AgentId, request: IdempotentRequest) -> BisectionShown:
        """End it; what it had found out stays. Nothing happens where it is over."""
        await self._agents.require(agent_id)
        await self._found(agent_id)

        def decide(before: Entity | None) -> Change:
            if before is None or bisection_from(before.value).status != "running":
                return None
            stopping = msgspec.structs.replace(bisection_from(before.value), status="stopping")
            return Write(msgspec.to_builtins(stopping))

        key = _key(agent_id)
        await self._edits.change(key, self._edits.writer(request, key.subject, "stop"), request, decide)
        task = self._tasks.pop(agent_id, None)
        if task is not None:
            task.cancel()
            await asyncio.wait({task})
        await self._work(agent_id)
        return await self._shown(await self._found(agent_id))

    async def keep_working(self) -> None:
        """Go on with what another gateway left."""
        interruption = Interruption("bisections")
        try:
            while True:
                with interruption.tried(Failure):
                    for one in await self._edits.entities.list_of_everyone(EntityKind.BISECTION):
                        if bisection_from(one.value).status in _AT_WORK:
                            self._work_on(one.key.agent_id)
                await asyncio.sleep(_LOOK_S)
        finally:
            for task in self._tasks.values():
                task.cancel()

    def _work_on(self, agent_id: AgentId) -> None:
        if agent_id in self._tasks and not self._tasks[agent_id].done():
            return
        self._tasks[agent_id] = asyncio.create_task(self._work(agent_id), name=f"bisection of {agent_id}")

    async def _work(self, agent_id: AgentId) -> None:
        """All steps that are left."""
        places: Sequence[int] | None = None
        interruption = Interruption("bisection", agent_id=agent_id)
        while True:
            try:
                entity = await self._found(agent_id)
                found = bisection_from(entity.value)
                if found.status not in _AT_WORK:
                    return
                if places is None:
                    places = await self._places(agent_id, found.after, found.up_to)
                await self._step(entity, found, places)
                interruption.over()
            except Conflict:
                continue  # somebody stopped it, or goes on with it too
            except Transient as error:
                interruption.hit(error.message)
                await asyncio.sleep(_AGAIN_S)
            except Failure as error:
                log.error("bisection.left", agent_id=agent_id, kind=error.kind, reason=error.message)
                return

    async def _step(self, entity: Entity, found: Bisection, places: Sequence[int]) -> None:
        agent_id = entity.key.agent_id
        step = BisectionEnd("stopped") if found.status == "stopping" else next_step(found, places)
        if not isinstance(step, BisectionEnd):
            try:
                run = await self._probes.run(found, agent_id, step)
            except Conflict:
                raise
            except (Rejected, Permanent) as error:
                step = BisectionEnd("failed", reason=error.message)
            else:
                await self._write(entity, with_run(found, step.at, run))
                return
        await self._probe_agents.put_away(found.probe_agent)
        ended = msgspec.structs.replace(
            found, status=step.status, first_bad=step.first_bad, reason=step.reason
        )
        await self._write(entity, ended)
        log.info("bisection.ended", agent_id=agent_id, status=step.status, first_bad=step.first_bad)

    async def _write(self, entity: Entity, value: Bisection) -> None:
        writer = EntityWriter(self._clock.new_id("e"), entity.actor)
        key, plain = entity.key, msgspec.to_builtins(value)
        await self._edits.entities.write(key, plain, writer, expect=entity.sequence)

    async def _found(self, agent_id: AgentId) -> Entity:
        found = await self._edits.entities.current(_key(agent_id))
        if found is None:
            raise Rejected(f"Agent {agent_id} has no bisection yet", kind="not_found")
        return found

    async def _range(self, agent_id: AgentId, wanted: NewBisection) -> tuple[Sequence[int], int, int]:
        check_check(wanted.check)
        if wanted.model is not None:
            check_model(wanted.model)
        await self._agents.require(agent_id)
        newest = await self._log.last_sequence()
        bad = newest if wanted.bad is None else wanted.bad
        good = await self._made(agent_id) if wanted.good is None else wanted.good
        if bad > newest:
            raise Rejected(f"There is no event {bad} yet: the newest is {newest}", kind="invalid_request")
        if good >= bad:
            raise Rejected(
                f"Event {good}, where the check held, must come before event {bad}, where it fails",
                kind="invalid_request",
            )
        return await self._places(agent_id, good, bad), good, bad

    async def _made(self, agent_id: AgentId) -> int:
        """The event that made the agent, with what it had at first before it."""
        history = await self._edits.entities.history(key_of(agent_id))
        return history[0].sequence if history else 0

    async def _places(self, agent_id: AgentId, after: int, up_to: int) -> Sequence[int]:
        """The events that changed what a probe has."""
        subjects = [entity_filter(agent_id, kind) for kind in COPIED_KINDS] + [database_subject(agent_id)]
        found: list[int] = []
        for subject in subjects:
            async for message in self._log.records(subject, after=after, up_to=up_to):
                found.append(message.sequence)
        return sorted(found)

    async def _shown(self, entity: Entity) -> BisectionShown:
        found = bisection_from(entity.value)
        event = None if found.first_bad is None else event_of(await self._log.get(found.first_bad))
        return shown(entity, found, event, most_probes(found.events))


def _key(agent_id: AgentId) -> EntityKey:
    return EntityKey(agent_id, EntityKind.BISECTION, agent_id)
