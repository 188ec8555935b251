"""Restores of whole agents. An event says what goes back; the rest follows from it, whoever writes it."""

import asyncio

import msgspec
import structlog

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.restores import (
    DATABASE,
    Chosen,
    Restored,
    Stays,
    check_kinds,
    restored_from,
    restored_name,
)
from agent_contracts.errors import Conflict, Failure, Permanent, Rejected
from agent_contracts.ids import AgentId
from agent_contracts.log.subjects import database_subject
from agent_platform.entities.entity import Change, Entity, EntityKey, Write, Writer
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock
from agent_platform.process.stop_points import stop_point
from gateway.operations.agents.edits import Edits
from gateway.operations.asked import Asked
from gateway.operations.ports import KnownAgents
from gateway.operations.restoring.plans import Begun, Plans
from gateway.operations.rewind.database_changes import DatabaseLog
from gateway.queries.view import View

log = structlog.get_logger()

_ATTEMPTS = 100
_LOOK_S = 5.0
"""How often it is looked whether somebody left a restore unfinished."""
_MOST_STAYING = 200
"""Of what stays, so many are named."""
MOST_RESTORES = 20


class Back(msgspec.Struct, frozen=True):
    """The agent as it was after event `to`: all of it, or what is `chosen`. `undoes`: only where this event
    is still the last of a thing when it begins; what has a later one stays."""

    to: int
    chosen: tuple[Chosen, ...] | None = None
    undoes: int | None = None

    def check(self) -> None:
        """`Rejected` for kinds that no restore changes."""
        check_kinds(one.kind for one in self.chosen or ())


class StaysAsItIs(View):
    """One thing that was to go back and stays: it was written after the restore had begun
    (`changed_meanwhile`), or another file has its path (`path_taken`)."""

    kind: str
    name: str
    why: str


class ChosenKind(View):
    """What went back: all of a kind that had changed, or the things of these names."""

    kind: str
    names: list[str] | None


class AgentRestored(View):
    """A restore of an agent to what it was after event `to`. `sequence` is the event that says so: to restore
    the agent to that event undoes it.

    `restored`: how many things of each kind went back. `stays` is what didn't, at most 200 of it.
    """

    id: str
    to: int
    sequence: int
    time: str
    chosen: list[ChosenKind] | None
    done: bool
    restored: dict[str, int]
    stays: list[StaysAsItIs]


class AgentRestores(View):
    """The newest restores of an agent, newest first."""

    restores: list[AgentRestored]


class Restores:
    """Takes agents back, and completes what somebody else began to."""

    def __init__(
        self, log: Log, clock: Clock, edits: Edits, agents: KnownAgents, database: DatabaseLog
    ) -> None:
        self._log = log
        self._clock = clock
        self._edits = edits
        self._agents = agents
        self._database = database
        self._plans = Plans(log, edits.entities)

    async def restore(self, agent_id: AgentId, back: Back, request: Asked) -> AgentRestored:
        """Make the agent what it was after an event; sessions stay. A repeat of the same key gets the same
        answer, and finishes what was begun.

        `Rejected`: `not_found` (no such agent), `invalid_request` (no such event or kind), `conflict` (it is
        being changed again and again).
        """
        back.check()
        await self._agents.require(agent_id)
        newest = await self._log.last_sequence()
        if back.to > newest:
            raise Rejected(f"There is no event {back.to} yet: the newest is {newest}", kind="invalid_request")
        begun = await self._begin(agent_id, back, request)
        await stop_point("restore.begun")
        return _shown(begun, await self._complete(begun))

    async def was_asked(self, agent_id: AgentId, request: Asked) -> bool:
        """Whether the newest restore of the agent is what this request had asked for before."""
        newest = await self._edits.entities.current(_key(agent_id))
        wanted = request.derived_id("b", _key(agent_id).subject)
        return newest is not None and restored_from(newest.value).id == wanted

    async def list(self, agent_id: AgentId) -> AgentRestores:
        """The agent's newest restores."""
        await self._agents.require(agent_id)
        found: list[AgentRestored] = []
        ended: Restored | None = None
        async for recorded in self._edits.entities.versions(_key(agent_id)):
            entity = await self._edits.entities.as_of(_key(agent_id), recorded.sequence)
            if entity is None:
                continue
            said = restored_from(entity.value)
            if said.done:
                ended = said
                continue
            found.append(_shown(Begun(entity), ended if ended and ended.id == said.id else said))
            if len(found) == MOST_RESTORES:
                break
        return AgentRestores(restores=found)

    async def keep_completing(self) -> None:
        """Complete what is found unfinished, again and again: whoever began it may have been stopped."""
        while True:
            try:
                for entity in await self._edits.entities.list_of_everyone(EntityKind.RESTORED):
                    if not restored_from(entity.value).done:
                        await self._complete(Begun(entity))
                        log.info("restore.completed", agent_id=entity.key.agent_id, sequence=entity.sequence)
            except Failure as error:
                log.warning("restore.not_completed", kind=error.kind, reason=error.message)
            await asyncio.sleep(_LOOK_S)

    async def _begin(self, agent_id: AgentId, back: Back, request: Asked) -> Begun:
        key = _key(agent_id)
        writer = self._edits.writer(request, key.subject, "restore")
        restore_id = request.derived_id("b", key.subject) or self._clock.new_id("b")
        value = msgspec.to_builtins(Restored(restore_id, back.to, back.chosen, back.undoes))

        def decide(before: Entity | None) -> Change:
            if before is not None and not restored_from(before.value).done:
                raise Conflict("Another restore of the agent is not done yet")
            return Write(value)

        for _ in range(_ATTEMPTS):
            try:
                changed = await self._edits.change(key, writer, request, decide)
            except Conflict:
                current = await self._edits.entities.current(key)
                if current is not None and not restored_from(current.value).done:
                    await self._complete(Begun(current))
                continue
            if changed.after is None:
                raise Permanent("A restore is gone right after it was written", kind="internal")
            return Begun(changed.after)
        raise Rejected("The agent is being restored again and again; try later", kind="conflict")

    async def _complete(self, begun: Begun) -> Restored:
        """Write what is left of it, and that it is done; what was said then, if somebody did it before."""
        for _ in range(_ATTEMPTS):
            ended = await self._ended(begun)
            if ended is not None:
                return ended
            plan = await self._plans.of(begun)
            try:
                for batch in plan.batches:
                    await self._edits.entities.change_all(batch)
                    await stop_point("restore.batch")
                if plan.batches:
                    continue  # what came of them is read from the log
                restored, stays = plan.restored, [*plan.stays]
                if begun.asked.includes(DATABASE, DATABASE):
                    is_back, sequence = await self._database_back(begun)
                    restored[DATABASE] += sequence is not None
                    if not is_back or (sequence is None and begun.asked.undoes is not None):
                        stays.append(Stays(DATABASE, DATABASE, "changed_meanwhile"))
                await stop_point("restore.written")
                done = msgspec.structs.replace(
                    begun.asked, done=True, restored=dict(+restored), stays=tuple(stays[:_MOST_STAYING])
                )
                await self._end(begun, done)
            except Conflict:
                continue  # somebody wrote meanwhile, and that stays; or somebody completes it too
        raise Rejected(
            "The agent is being changed again and again: its restore was begun and goes on by itself",
            kind="conflict",
        )

    async def _database_back(self, begun: Begun) -> tuple[bool, int | None]:
        agent_id = begun.entity.key.agent_id
        writer = Writer(begun.write_id(database_subject(agent_id)), begun.entity.actor, since=begun.sequence)
        as_of = begun.sequence if begun.asked.undoes is None else begun.asked.undoes
        return await self._database.restore_all(agent_id, begun.asked.to, writer, as_of=as_of)

    async def _end(self, begun: Begun, done: Restored) -> None:
        writer = Writer(f"{done.id}:done", begun.entity.actor, since=begun.sequence)
        value = msgspec.to_builtins(done)
        await self._edits.entities.write(begun.entity.key, value, writer, expect=begun.sequence)

    async def _ended(self, begun: Begun) -> Restored | None:
        """How it ended, if it did: its next version says so."""
        key = begun.entity.key
        current = await self._edits.entities.current(key)
        while current is not None and current.sequence > begun.sequence:
            said = restored_from(current.value)
            if said.done and said.id == begun.asked.id:
                return said
            replaced = current.replaced or 0
            current = await self._edits.entities.as_of(key, replaced)
        return None


def _key(agent_id: AgentId) -> EntityKey:
    return EntityKey(agent_id, EntityKind.RESTORED, restored_name(agent_id))


def _shown(begun: Begun, said: Restored) -> AgentRestored:
    chosen = said.chosen
    return AgentRestored(
        id=said.id,
        to=said.to,
        sequence=begun.sequence,
        time=begun.entity.time,
        chosen=None
        if chosen is None
        else [
            ChosenKind(kind=one.kind, names=None if one.names is None else list(one.names)) for one in chosen
        ],
        done=said.done,
        restored=said.restored,
        stays=[StaysAsItIs(kind=one.kind, name=one.name, why=one.why) for one in said.stays],
    )
