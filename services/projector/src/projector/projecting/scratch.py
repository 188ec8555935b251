"""A second set of tables beside the live ones, filled from the whole log."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import psycopg
from psycopg import AsyncConnection, IsolationLevel, sql

from agent_contracts.errors import Rejected, Transient
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.log.subjects import matches
from agent_platform.log.port import Log
from projections.checkpoint import Checkpoint
from projections.schema import CHANNEL
from projector.projecting.arrivals import Arrivals, BatchLimits
from projector.projecting.compare import TableComparison, compare
from projector.projecting.locks import REBUILDING, give_back, try_lock
from projector.projecting.projection import Projection
from projector.projecting.schemas import create, drop, swap, version_of
from projector.projecting.store import TableStore, writing
from projector.projecting.writer import ProjectionWriter

NEARLY = 500
"""Events: a scratch schema no further behind than this may catch up while the live projector waits for it."""

ROUNDS = 50
"""How often to try to come near live tables that keep running ahead, or to wait for ones that are behind."""

ROUND_S = 0.1

READER_ROUNDS = 50
READER_ROUND_S = 0.02

_READERS_BEFORE = """
    SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND xact_start < %s AND state <> 'idle'
        AND backend_type = 'client backend' AND application_name NOT LIKE 'project%%' LIMIT 1
"""

Connection = AsyncConnection[tuple[Any, ...]]


class Scratch:
    """Tables of our own, filled by `writer`, and what can be done with them. Made by `scratch`."""

    def __init__(
        self, projection: Projection, dsn: str, events: Log, writer: ProjectionWriter, locker: Connection
    ) -> None:
        self._projection = projection
        self._dsn = dsn
        self._log = events
        self._writer = writer
        self._schema = writer.schema
        self._locker = locker

    @property
    def position(self) -> int:
        """The sequence up to which they are filled."""
        return self._writer.position

    async def compare_with_live(self) -> list[TableComparison] | None:
        """Fill up to where the live tables are, exactly, and compare the two.

        None if there are no live tables of this version over this log. The live projector waits only
        while the last few events are folded, not while the rows are compared.
        """
        for _ in range(ROUNDS):
            live = await self._comparable()
            if live is None:
                return None
            await self._fill(live.sequence)
            async with writing(self._dsn, "projections: compare") as comparer:
                await comparer.set_isolation_level(IsolationLevel.REPEATABLE_READ)
                async with comparer.transaction():
                    if await self._meet(comparer):
                        return await compare(
                            comparer, self._projection, self._projection.schema, self._schema
                        )
            await asyncio.sleep(ROUND_S)
        raise Transient(
            "the live tables don't stand still for a comparison; try again", kind="projection_busy"
        )

    async def replace_live(self) -> None:
        """Give our tables the live ones' name, at the moment when both hold the same events.

        Where live ones of this version over this log don't exist, ours go up to the log's end.
        """
        projection, old = self._projection, f"{self._projection.schema}_old"
        await drop(self._locker, old)
        for _ in range(ROUNDS):
            live = await self._comparable()
            target = live.sequence if live is not None else await self._log.last_sequence()
            if target - self.position <= NEARLY:
                break
            await self._fill(target)
        async with self._locker.transaction():
            replaced = await self._hold_live()
            same = replaced is not None and await self._comparable() is not None
            await self._fill(replaced if same and replaced is not None else await self._log.last_sequence())
            await self._earlier_readers_gone()
            if replaced is not None:
                retire = sql.SQL("UPDATE {}.checkpoint SET sequence = -1").format(
                    sql.Identifier(projection.schema)
                )
                await self._locker.execute(retire)  # whoever waits to write to them sees that they are gone
            await swap(self._locker, projection.schema, self._schema, old)
            await self._locker.execute("SELECT pg_notify(%s, %s)", [CHANNEL, str(self.position)])
        await drop(self._locker, old)

    async def _earlier_readers_gone(self) -> None:
        """Wait, but not for long, until no reader looks at a moment at which our tables were not filled yet.

        A reader with one snapshot for several queries would else see two different moments across the swap.
        """
        moment = await (await self._locker.execute("SELECT clock_timestamp()")).fetchone()
        for _ in range(READER_ROUNDS):
            await self._locker.execute("SELECT pg_stat_clear_snapshot()")
            found = await self._locker.execute(_READERS_BEFORE, moment)
            if await found.fetchone() is None:
                return
            await asyncio.sleep(READER_ROUND_S)

    async def _comparable(self) -> Checkpoint | None:
        found = await TableStore(self._locker, self._projection, self._projection.schema).checkpoint()
        if found is None or found.version != version_of(self._projection):
            return None
        return found if found.sequence <= await self._log.last_sequence() else None

    async def _meet(self, comparer: Connection) -> bool:
        """Bring both tables to one sequence and let the comparer's transaction see them there."""
        async with self._locker.transaction():
            live = await self._hold_live()
            if live is None or not 0 <= live - self.position <= NEARLY:
                return False
            await self._fill(live)
            await comparer.execute("SELECT 1")  # the first statement of a transaction fixes what it sees
            return True

    async def _hold_live(self) -> int | None:
        """Keep the live projector from committing until our transaction ends; where it stands."""
        statement = sql.SQL("SELECT sequence FROM {}.checkpoint WHERE consumer = %s FOR UPDATE").format(
            sql.Identifier(self._projection.schema)
        )
        with suppress(psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
            async with self._locker.transaction():
                row = await (await self._locker.execute(statement, [self._projection.name])).fetchone()
                return None if row is None else int(row[0])
        return None

    async def _fill(self, up_to: int) -> None:
        if up_to <= self.position:
            return
        stored = self._log.read(">", after=self.position, up_to=up_to)
        async with Arrivals(self._ours(stored), BatchLimits()) as arrivals:
            while await arrivals.wait() and not arrivals.ended:
                await self._writer.write(arrivals.take())
        await self._writer.pass_over(up_to)

    async def _ours(self, stored: AsyncIterator[StoredMessage]) -> AsyncIterator[StoredMessage]:
        async for message in stored:
            if any(matches(pattern, message.subject) for pattern in self._projection.subjects):
                yield message


@asynccontextmanager
async def scratch(projection: Projection, dsn: str, events: Log, schema: str) -> AsyncIterator[Scratch]:
    """Empty tables in `schema`, dropped at the end unless they became the live ones.

    Raises `Rejected` if someone else has scratch tables now.
    """
    async with (
        writing(dsn, "projections: build") as building,
        writing(dsn, "projections: lock") as locker,
    ):
        if not await try_lock(locker, projection, REBUILDING):
            raise Rejected("another rebuild or check is running; wait for it", kind="already_running")
        await create(building, projection, schema)
        try:
            writer = ProjectionWriter(building, projection, schema, 0, letters=None)
            yield Scratch(projection, dsn, events, writer, locker)
        finally:
            with suppress(psycopg.OperationalError, psycopg.InterfaceError):
                await drop(building, schema)
                await give_back(locker, projection, REBUILDING)
