"""What the projector does with what reaches it: follows the log into the tables, for ever."""

import asyncio
import time
from datetime import datetime
from typing import Any

import psycopg
import structlog
from psycopg import AsyncConnection, errors
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_random_exponential

from agent_contracts.errors import Failure, Transient
from agent_contracts.log.record.records import StoredMessage
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock
from agent_platform.process.interruption import Interruption
from agent_platform.process.stop_points import stop_point
from agent_platform.secrecy.failure_text import failure_of
from projector.projecting.arrivals import Arrivals, BatchLimits
from projector.projecting.letters import DeadLetterWriter
from projector.projecting.locks import ACTIVE, try_lock
from projector.projecting.metrics import ProjectionMetrics
from projector.projecting.projection import Projection
from projector.projecting.rebuild import rebuild
from projector.projecting.same_log import made_from
from projector.projecting.schemas import create, is_newer, version_of
from projector.projecting.store import CheckpointMoved, TableStore, writing
from projector.projecting.writer import ProjectionWriter

IDLE_CHECK_S = 2.0
"""After so many seconds without an event the checkpoint is read back: Postgres may have lost commits."""

GATHER_S = 0.02
"""How long an event waits for others: a step's events come together, and a commit costs more than they do."""

STANDBY_S = 0.5
"""How often one who stands by asks whether it is its turn."""

_LAG_KNOWN_S = 0.5
"""For so long the log is asked how far it is, whenever somebody wants to know the lag."""

RETRIED = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    errors.IdleInTransactionSessionTimeout,
    errors.UndefinedTable,
    errors.InvalidSchemaName,
    CheckpointMoved,
    Failure,
    OSError,
)
"""What may go away by itself. The log's failures all: even its stream may only be there later."""

log = structlog.get_logger()


class Projector:
    """Folds the log into the projection's tables. Of several, one works and the others stand by."""

    def __init__(  # noqa: PLR0913 — the outside parts that it stands between
        self,
        projection: Projection,
        dsn: str,
        events: Log,
        clock: Clock,
        metrics: ProjectionMetrics,
        letters: DeadLetterWriter,
    ) -> None:
        self._projection = projection
        self._dsn = dsn
        self._log = events
        self._clock = clock
        self._metrics = metrics
        self._letters = letters
        self._position: int | None = None
        self._reached: int | None = None  # as the position, but kept while it is interrupted
        self._interruption = Interruption("projection", projection=projection.name)
        self._trouble: str | None = None

    @property
    def position(self) -> int | None:
        """The sequence up to which this projector knows the tables to be filled; None while it stands by."""
        return self._position

    @property
    def trouble(self) -> str | None:
        """Why it is not working now and tries again; None while it works, or stands by for one that does."""
        return self._trouble

    async def run(self) -> None:
        """Work until cancelled, or until the log is closed. Reconnects for as long as it takes."""
        while not await self._work_with_retries():
            pass

    async def _work_with_retries(self) -> bool:
        async for attempt in AsyncRetrying(
            retry=retry_if_exception_type(RETRIED),
            wait=wait_random_exponential(multiplier=0.1, max=5),
            before_sleep=self._interrupted,
        ):
            with attempt:
                return await self._work()
        raise AssertionError("tenacity retries without end")

    async def _work(self) -> bool:
        """One connection's work: True at the log's end, False to begin anew at once (after some progress)."""
        async with writing(self._dsn) as connection:
            self._trouble = None
            await self._await_turn(connection)
            await self._letters.begin()
            began = self._position = self._reached = await self._prepare(connection)
            writer = ProjectionWriter(
                connection, self._projection, self._projection.schema, began, letters=self._letters
            )
            log.info("projection.started", projection=self._projection.name, sequence=began)
            await self._log.last_sequence()  # the tables answer, and the log does too
            self._interruption.over()
            try:
                await self._follow(writer, TableStore(connection, self._projection, self._projection.schema))
            except RETRIED as error:
                if writer.position == began:
                    raise
                self._interruption.hit(str(error))
                return False
            finally:
                self._position = None
        return True

    async def _await_turn(self, connection: AsyncConnection[tuple[Any, ...]]) -> None:
        standing_by = False
        while not await try_lock(connection, self._projection, ACTIVE):
            if not standing_by:
                log.info("projection.standing_by", projection=self._projection.name)
                self._reached = None
                standing_by = True
            await asyncio.sleep(STANDBY_S)

    async def _prepare(self, connection: AsyncConnection[tuple[Any, ...]]) -> int:
        """Make sure that the tables are there and of this version; returns the checkpoint."""
        projection = self._projection
        store = TableStore(connection, projection, projection.schema)
        found = await store.checkpoint()
        if found is None:
            await create(connection, projection, projection.schema)
            return 0
        if found.version == version_of(projection):
            if await made_from(self._log, connection, projection, found.sequence):
                return found.sequence
            log.error("projection.other_log", projection=projection.name, found=found.sequence)
        elif is_newer(found.version, projection):
            raise Transient(
                f"the tables were made by a newer version ({found.version}); update this projector",
                kind="outdated",
            )
        else:
            log.info("projection.outdated", found=found.version, wanted=version_of(projection))
        await rebuild(projection, self._dsn, self._log)
        found = await store.checkpoint()
        return found.sequence if found is not None else 0

    async def _follow(self, writer: ProjectionWriter, store: TableStore) -> None:
        name = self._projection.name
        tail = self._log.tail(self._projection.subjects, after=writer.position)
        async with Arrivals(tail, BatchLimits()) as arrivals:
            while True:
                if not await arrivals.wait(IDLE_CHECK_S):
                    found = await store.checkpoint()
                    if found is None or found.sequence != writer.position:
                        raise CheckpointMoved(f"{name}: the checkpoint is not at {writer.position} any more")
                    continue
                if arrivals.ended:
                    return
                await arrivals.gather(GATHER_S)
                batch = arrivals.take()
                await stop_point("projector.read")
                began = time.monotonic()
                self._metrics.problems.inc(await writer.write(batch))
                self._position = self._reached = writer.position
                await stop_point("projector.committed")
                self._metrics.commit_seconds.observe(time.monotonic() - began)
                self._metrics.delay_seconds.observe(self._age(batch[0]))
                self._metrics.events.inc(len(batch))

    def _interrupted(self, state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        self._trouble = str(error)
        retry_in_s = round(state.next_action.sleep, 2) if state.next_action else None
        self._interruption.hit(str(error), retry_in_s=retry_in_s)

    async def measure_lag(self) -> None:
        """How far the tables are behind the log now, into the metrics; also while Postgres is away."""
        if self._reached is None:
            return
        try:
            async with asyncio.timeout(_LAG_KNOWN_S):
                lag = max(0, await self._log.last_sequence() - self._reached)
                oldest = await self._log.get(self._reached + 1) if lag else None
        except (Failure, TimeoutError) as error:
            log.info("projection.lag_unknown", projection=self._projection.name, error=failure_of(error))
            return
        self._metrics.lag_events.set(lag)
        self._metrics.lag_seconds.set(self._age(oldest) if oldest is not None else 0)

    def _age(self, message: StoredMessage) -> float:
        """Seconds since the event's time; 0 if it has none."""
        if message.envelope is None:
            return 0.0
        written = datetime.fromisoformat(message.envelope.time)
        return max(0.0, (self._clock.now() - written).total_seconds())
