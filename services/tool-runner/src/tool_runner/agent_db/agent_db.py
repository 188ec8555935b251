"""One agent's database as this process has it: every read and write on all that is in the log."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext, suppress

import msgspec
import structlog

from agent_contracts.entities.database_events import DatabaseEvent, DatabaseRestored, DatabaseWritten
from agent_contracts.errors import Conflict, Failure, Permanent, Transient
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.outside import Sources
from agent_platform.entities.entity import EntityWriter
from agent_platform.entities.room import HasRoom
from agent_platform.process.clock import Clock
from agent_platform.process.stop_points import stop_point
from agent_tools.ports.database import AgentTable, BeforeLoss
from tool_runner.agent_db.connection import WHOLE, StatementResult, Window
from tool_runner.agent_db.failures import CopyUnusable
from tool_runner.agent_db.moment import moment_now
from tool_runner.agent_db.open_copy import OpenCopy
from tool_runner.agent_db.replay import DatabaseReplay
from tool_runner.agent_db.snapshots import DbSnapshots
from tool_runner.agent_db.values import SqlValue, to_sql
from tool_runner.agent_db.write_log import WriteLog

_ATTEMPTS = 100
"""How often a write is computed anew because another runner was faster."""
_REMEMBERED = 10_000
"""How many writes are remembered by id, so that a repeated call needs no search in the log."""

log = structlog.get_logger()


class Statement(msgspec.Struct, frozen=True):
    """What is to be written: `values` are its `params` as SQLite takes them."""

    sql: str
    params: Sequence[Json]
    values: Sequence[SqlValue]
    before_loss: BeforeLoss | None


class AgentDb:
    """Any number of processes may have one of the same agent.

    Raises besides what the statements are refused for: `Transient` when the log can't be reached, or this
    process's copy can't be used.
    """

    def __init__(  # noqa: PLR0913 — the parts that it stands on
        self,
        agent_id: AgentId,
        write_log: WriteLog,
        replay: DatabaseReplay,
        snapshots: DbSnapshots,
        clock: Clock,
        room: HasRoom | None = None,
    ) -> None:
        self._agent_id = agent_id
        self._log = write_log
        self._replay = replay
        self._snapshots = snapshots
        self._clock = clock
        self._room = room
        self._changing = asyncio.Lock()
        self._open: OpenCopy | None = None
        self._known: OrderedDict[str, int] = OrderedDict()
        self._known_after = 0
        self._users = 0
        self._saving: asyncio.Task[None] | None = None
        self.outside: Sources = ()
        """Where material came from that those had who wrote what the last statement could read."""

    @property
    def is_open(self) -> bool:
        """Whether it has a copy."""
        return self._open is not None

    @property
    def is_idle(self) -> bool:
        """Whether nobody uses it just now."""
        return self._users == 0 and self._saving is None

    async def execute(
        self, sql: str, params: Sequence[Json], writer: EntityWriter, before_loss: BeforeLoss | None = None
    ) -> tuple[StatementResult, bool]:
        """Run one statement; what it gave, and whether it was a write.

        A write happens once, however often it is repeated with the same `writer`, and gives the same again.
        One that would drop something or empty a table happens only after `before_loss` let it.
        """
        values = to_sql(params)
        with self._used():
            copy = await self._current()
            earlier = await self._earlier(writer)
            if earlier is not None:  # first: where it stands now, the statement may not even be valid
                return await self._again(earlier, writer), True
            ran = await copy.read(sql, values)
            self.outside = copy.copy.outside
            if ran is not None:
                return ran, False
            return await self._write(Statement(sql, params, values, before_loss), writer), True

    async def read(self, sql: str, params: Sequence[Json], window: Window = WHOLE) -> StatementResult | None:
        """What a reading statement gives; None for a writing one, which isn't run."""
        values = to_sql(params)
        with self._used():
            return await (await self._current()).read(sql, values, window)

    async def tables(self) -> list[AgentTable]:
        """Every table."""
        with self._used():
            copy = await self._current()
            self.outside = copy.copy.outside
            return await copy.tables()

    async def size(self) -> int:
        """Bytes that it has."""
        with self._used():
            return await (await self._current()).size()

    async def content_hash(self) -> str:
        """What it holds now, as a hash: see `content_hash`."""
        with self._used():
            return await (await self._current()).content_hash()

    async def restore(self, to: int, writer: EntityWriter) -> int:
        """Make it what it was after event `to` of the log; the sequence of the event that did. Once."""
        with self._used():
            async with self._changing:
                for _ in range(_ATTEMPTS):
                    copy = await self._caught_up()
                    earlier = await self._earlier(writer)
                    if earlier is not None:
                        return earlier.sequence
                    event = DatabaseRestored(to, writer.session_id, writer.call_id)
                    try:
                        sequence = await self._log.append(event, writer, copy.position)
                    except Conflict:
                        continue
                    await self._caught_up()
                    return sequence
        raise _too_busy()

    async def exact_from(self, sequence: int) -> int | None:
        """See `DatabaseReplay.exact_from`."""
        return await self._replay.exact_from(sequence)

    @asynccontextmanager
    async def as_of(self, sequence: int) -> AsyncIterator[OpenCopy]:
        """A copy of its own, as it was after event `sequence` of the log, to read."""
        past = await self._replay.up_to(sequence)
        try:
            yield past
        finally:
            await past.close()

    async def rest(self) -> None:
        """Close and remove the copy, unless it is in use; the next use makes another."""
        async with self._changing:
            if self._users == 0:
                await self._discard()

    async def close(self) -> None:
        """Close and remove the copy. A snapshot that is being saved is given up."""
        if self._saving is not None:
            self._saving.cancel()
            await asyncio.wait({self._saving})
        async with self._changing:
            await self._discard()

    async def _write(self, statement: "Statement", writer: EntityWriter) -> StatementResult:
        async with self._changing:
            copy = self._open if self._open is not None and self._open.is_usable else None
            for _ in range(_ATTEMPTS):
                copy = copy or await self._caught_up()
                earlier = await self._earlier(writer)
                if earlier is not None:
                    return await self._again(earlier, writer)
                try:
                    ran, sequence = await self._append(copy, statement, writer)
                except Conflict:
                    copy = None  # what it began is undone when it catches up
                    continue
                except BaseException:
                    with suppress(CopyUnusable):
                        await copy.write(lambda it, _: it.rollback())
                    raise
                await self._commit(copy, sequence, ran, writer)
                return ran
        raise _too_busy()

    async def _append(
        self, copy: OpenCopy, statement: "Statement", writer: EntityWriter
    ) -> tuple[StatementResult, int]:
        """Compute the write on the copy, not committing it, and append it. `Conflict`: others were faster."""
        moment = moment_now(self._clock)
        begun = await copy.write(lambda it, stop: it.begin(statement.sql, statement.values, moment, stop))
        ran = begun.ran
        if begun.loses and statement.before_loss is not None:
            await statement.before_loss()
        event = DatabaseWritten(
            sql=statement.sql,
            params=list(statement.params),
            clock=moment.clock,
            seed=moment.seed,
            changes=ran.changes,
            last_insert_rowid=ran.last_insert_rowid,
            session_id=writer.session_id,
            call_id=writer.call_id,
            outside=writer.outside,
            bytes=begun.bytes,
        )
        await stop_point("agent_db.computed")
        async with self._growing(begun.grown):
            sequence = await self._log.append(event, writer, copy.position)
        await stop_point("agent_db.appended")
        return ran, sequence

    def _growing(self, more: int) -> AbstractAsyncContextManager[None]:
        return nullcontext() if self._room is None else self._room.growing(self._agent_id, more)

    async def _commit(
        self, copy: OpenCopy, sequence: int, ran: StatementResult, writer: EntityWriter
    ) -> None:
        """The log has it, so it happened, whatever becomes of the copy."""
        self._remember(writer.id, sequence)
        try:
            await copy.write(lambda it, _: it.commit(sequence, ran.last_insert_rowid, writer.outside))
        except CopyUnusable:
            return  # another copy will be made
        self._save_when_due(copy)

    async def _current(self) -> OpenCopy:
        """The copy with everything in it that was in the log when this was called."""
        copy = self._open
        if copy is None or not copy.is_usable or await self._log.last_sequence() > copy.position:
            async with self._changing:
                copy = await self._caught_up()
        return copy

    async def _caught_up(self) -> OpenCopy:
        """The same for whoever holds the lock."""
        if self._open is not None and not self._open.is_usable:
            await self._discard()
        if self._open is None:
            newest = await self._log.last_sequence()
            self._open = await self._replay.up_to(newest)
            self._known.clear()
            self._known_after = newest
        else:
            await self._replay.go_on(self._open, self._remember)
        self._save_when_due(self._open)
        return self._open

    def _remember(self, event_id: str, sequence: int) -> None:
        self._known[event_id] = sequence
        while len(self._known) > _REMEMBERED:
            _, self._known_after = self._known.popitem(last=False)

    async def _earlier(self, writer: EntityWriter) -> RecordedEvent[DatabaseEvent] | None:
        """What an earlier attempt of the same write appended."""
        since = writer.since or 0
        sequence = self._known.get(writer.id)
        if sequence is None and since >= self._known_after:
            return None
        return await self._log.find(writer.id, since=since if sequence is None else sequence - 1)

    async def _again(self, recorded: RecordedEvent[DatabaseEvent], writer: EntityWriter) -> StatementResult:
        """What a write that is in the log gave."""
        event = recorded.event
        if not isinstance(event, DatabaseWritten):
            raise Permanent(f"{writer.id} was no write before", kind="write_id_reused")
        async with self.as_of(recorded.envelope.prev or 0) as past:
            return await past.write(lambda it, _: it.apply(recorded.sequence, event))

    async def _discard(self) -> None:
        copy, self._open = self._open, None
        if copy is not None:
            await copy.close()

    @contextmanager
    def _used(self) -> Iterator[None]:
        self._users += 1
        try:
            yield
        finally:
            self._users -= 1

    def _save_when_due(self, copy: OpenCopy) -> None:
        if self._saving is None and copy.copy.is_snapshot_due:
            self._saving = asyncio.create_task(self._save(copy))
            self._saving.add_done_callback(self._saved)

    async def _save(self, copy: OpenCopy) -> None:
        """Save a snapshot, unless another process has since this one began to count."""
        try:
            newest = await self._snapshots.newest_sequence(self._agent_id)
            async with self._changing:
                if self._open is not copy:
                    return
                others = newest > copy.copy.counted_after
                copy.copy.count_anew(newest if others else copy.position)
                if others:
                    return
                position, last_rowid = copy.position, copy.copy.last_rowid
                outside = copy.copy.outside
                content = await copy.write(lambda it, _: it.content())
            await self._snapshots.save(self._agent_id, position, last_rowid, content, outside)
        except Failure as error:
            log.warning("agent_db.snapshot_not_saved", agent_id=self._agent_id, error=error.message)

    def _saved(self, task: "asyncio.Task[None]") -> None:
        self._saving = None
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("agent_db.snapshot_failed", agent_id=self._agent_id, exc_info=error)


def _too_busy() -> Transient:
    return Transient(
        f"others wrote to the agent's database {_ATTEMPTS} times meanwhile", kind="conflict", retry_after=0.1
    )
