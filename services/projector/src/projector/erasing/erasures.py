"""What people deleted: it is stopped, and taken out of everything that is stored, by itself."""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec
import psycopg
import structlog

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.erasures import Erasure
from agent_contracts.errors import Failure, Transient
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.subjects import everyones_entities
from agent_domain.erasing.log_eraser import ErasureReport, LogEraser
from agent_domain.erasing.scope import Family, Scope, family_of, session_in
from agent_platform.entities.entities import Entities
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection
from agent_platform.process.clock import Clock
from agent_platform.process.interruption import Interruption
from agent_platform.process.stop_points import stop_point
from projector.erasing import rows
from projector.erasing.table_rewriter import LONGEST, TableRewriter
from projector.projecting.locks import ERASING, try_lock
from projector.projecting.projection import Projection
from projector.service import DECLARATION

log = structlog.get_logger()

_OURS = ("user", "retention")
_AGAIN_S = 5.0
"""After a failure, and where another projector does it, it is looked again so many seconds later."""


class Erasures:
    """Carries out the marks that people left (`Erasure.by` is `user`), all of an agent's together, and those
    of runs that were kept long enough (`retention`).

    A session that others begin with, by a fork, is stopped and waits until these are deleted as well. What
    was cut off is done again from the mark: each step leaves what is gone already alone.
    """

    def __init__(
        self,
        connection: NatsConnection,
        dsn: str,
        clock: Clock,
        projection: Projection,
        rewriting: TableRewriter,
    ) -> None:
        self._log = JetStreamLog(connection)
        self._entities = Entities(self._log, clock, DECLARATION.source)
        self._erasing = LogEraser(connection, clock, DECLARATION.source)
        self._clock = clock
        self._rewriting = rewriting
        self._has_looked = False
        self._dsn = dsn
        self._interruption = Interruption("erasure")
        self._projection = projection

    async def run(self) -> None:
        """Work until cancelled."""
        wanted = asyncio.Event()
        listening: asyncio.Task[None] | None = None
        try:
            while True:
                try:
                    if listening is None or listening.done():
                        listening = asyncio.create_task(self._listen(wanted, await self._log.last_sequence()))
                        wanted.set()
                    await self._look(wanted, listening)
                except (Failure, psycopg.Error, OSError) as error:
                    self._interruption.hit(str(error))
                    wanted.set()
                    await asyncio.sleep(_AGAIN_S)
        finally:
            if listening is not None:
                listening.cancel()
                await asyncio.wait([listening])

    async def _look(self, wanted: asyncio.Event, listening: asyncio.Task[None]) -> None:
        told = asyncio.create_task(wanted.wait())
        try:
            await asyncio.wait([told, listening], return_when=asyncio.FIRST_COMPLETED)
        finally:
            told.cancel()
        if listening.done():
            listening.result()  # what ended it
        if wanted.is_set():
            wanted.clear()
            is_done = await self.carry_out()
            self._interruption.over()
            if not is_done:
                wanted.set()
                await asyncio.sleep(_AGAIN_S)

    async def _listen(self, wanted: asyncio.Event, after: int) -> None:
        async for _ in self._log.tail([everyones_entities(EntityKind.ERASED)], after=after):
            wanted.set()

    async def carry_out(self) -> bool:
        """Take out everything that can be now; False if it must be looked again: another projector is at it,
        or a session doesn't stop."""
        if not await self._pending():
            return True
        async with rows.tables(self._dsn) as connection:
            if not await try_lock(connection, self._projection, ERASING):
                return False
            done = []
            for agent_id, marks in (await self._pending()).items():
                if asked := [mark for mark in marks if mark.what != "runs"]:
                    done.append(await self._of_agent(connection, agent_id, asked))
                done += [
                    await self._old_runs(connection, agent_id, mark) for mark in marks if mark.what == "runs"
                ]
        return all(done)

    async def _pending(self) -> Mapping[AgentId, Sequence[Erasure]]:
        found: dict[AgentId, list[Erasure]] = defaultdict(list)
        for entity in await self._entities.list_of_everyone(EntityKind.ERASED):
            with contextlib.suppress(msgspec.ValidationError):  # of no shape that anybody here wrote
                mark = msgspec.convert(entity.value, Erasure)
                if mark.by in _OURS and mark.done_at is None and mark.named == entity.key.name:
                    found[entity.key.agent_id].append(mark)
                elif mark.by != "retention" and mark.done_at is not None and not self._has_looked:
                    self._note(datetime.fromisoformat(mark.done_at))
        self._has_looked = True
        return found

    def _note(self, done_at: datetime) -> None:
        """It was erased before this process began, which may have ended before the tables were anew."""
        if self._clock.now() - done_at < 2 * LONGEST:
            self._rewriting.erased(done_at)

    async def _of_agent(self, connection: rows.Tables, agent_id: AgentId, marks: Sequence[Erasure]) -> bool:
        families = {mark.named: await self._family(agent_id, mark) for mark in marks}
        waiting = await asyncio.gather(*(self._stopped(family) for family in families.values()))
        ended = [mark for mark, stopped in zip(marks, waiting, strict=True) if stopped]
        await stop_point("erase.stopped")
        families = {mark.named: await self._family(agent_id, mark) for mark in ended}
        free = _free(families)
        if not free:
            return len(ended) == len(marks)
        for name in free:
            await self._erasing.mark(Scope(name, agent_id, families[name].sessions))
        await stop_point("erase.marked")
        sessions = tuple(dict.fromkeys(one for name in free for one in families[name].sessions))
        erased = await self._taken_out(connection, Scope(free[0], agent_id, sessions))
        for name in free:
            await self._erasing.done(agent_id, name)
        self._rewriting.erased(self._clock.now())
        log.info("erasure.done", agent_id=agent_id, sessions=len(sessions), events=erased.events)
        return len(ended) == len(marks)

    async def _old_runs(self, connection: rows.Tables, agent_id: AgentId, mark: Erasure) -> bool:
        """Take out what a mark of runs lists; a session that others begin with by now stays."""
        if not await self._stopped(Family(await self._unheld(agent_id, mark), ())):
            return False
        sessions = await self._unheld(agent_id, mark)
        scope = Scope(mark.named, agent_id, sessions, outlived=True, records=mark.records)
        await self._erasing.mark(scope)
        await stop_point("erase.marked")
        erased = await self._taken_out(connection, scope)
        await self._erasing.done(agent_id, mark.named)
        log.info("retention.done", agent_id=agent_id, sessions=len(sessions), events=erased.events)
        return True

    async def _unheld(self, agent_id: AgentId, mark: Erasure) -> tuple[SessionKey, ...]:
        """The sessions of a mark, without the families that a fork begins with."""
        families = [await self._family(agent_id, mark, one) for one in mark.sessions]
        held = {one for family in families if family.forks for one in family.sessions}
        return tuple(dict.fromkeys(one for family in families for one in family.sessions if one not in held))

    async def _taken_out(self, connection: rows.Tables, scope: Scope) -> ErasureReport:
        scope = await self._erasing.whole(scope)
        await rows.take_out(connection, scope, await self._log.last_sequence())
        erased = await self._erasing.take_out(scope)
        await rows.take_out(connection, scope, await self._log.last_sequence())
        await stop_point("erase.rows_removed")
        return erased

    async def _stopped(self, family: Family) -> bool:
        try:
            await self._erasing.stop(family.sessions)
        except Transient as error:
            log.warning("erasure.put_off", reason=error.message)
            return False
        return True

    async def _family(self, agent_id: AgentId, mark: Erasure, only: str | None = None) -> Family:
        """What goes with it, or with `only` one of its sessions: as its log says, and as long as that was not
        cut off, as its mark does."""
        named = mark.sessions if only is None else (only,)
        known = tuple(SessionKey(agent_id, SessionId(one)) for one in named)
        left = [one for one in known if await session_in(self._log, one.session_id) is not None]
        found = [await family_of(self._log, one) for one in left]
        sessions = dict.fromkeys([*known, *(one for family in found for one in family.sessions)])
        ids = {one.session_id for one in sessions}
        forks = dict.fromkeys(fork for family in found for fork in family.forks if fork not in ids)
        return Family(tuple(sessions), tuple(forks))


def _free(families: Mapping[str, Family]) -> list[str]:
    """Those that nothing begins with but what is taken out with them."""
    free = dict(families)
    while True:
        going = {one.session_id for family in free.values() for one in family.sessions}
        held = [name for name, family in free.items() if not going.issuperset(family.forks)]
        if not held:
            return list(free)
        for name in held:
            del free[name]
