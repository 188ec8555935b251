"""Folding batches of events into the tables: rows and checkpoint in one transaction."""

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
import psycopg
import structlog
from psycopg import AsyncConnection, errors

from agent_contracts.log.record.records import StoredMessage
from agent_platform.process.stop_points import stop_point
from projections.project.batch_rows import BatchRows, Change, NotLoaded
from projections.project.unprojectable import Unprojectable
from projections.table import Key, ProjectedTable
from projector.projecting.arrivals import following
from projector.projecting.letters import DeadLetterWriter
from projector.projecting.projection import Projection
from projector.projecting.schemas import version_of
from projector.projecting.store import TableStore

REFUSED = (
    psycopg.DataError,
    psycopg.IntegrityError,
    errors.ProgramLimitExceeded,
    errors.StatementTooComplex,
    UnicodeEncodeError,
)
"""Postgres doesn't take these rows, now or ever: some event of the batch is poison."""

BREATH = 100
"""Events folded at a stretch, about 3 ms: other services may share the event loop."""

log = structlog.get_logger()


class _Problem(msgspec.Struct, frozen=True):
    message: StoredMessage
    problem: str


class ProjectionWriter:
    """The one who folds into `schema`, from `position` (a log sequence) on. Harmless beside another one."""

    def __init__(
        self,
        connection: AsyncConnection[tuple[Any, ...]],
        projection: Projection,
        schema: str,
        position: int,
        *,
        letters: DeadLetterWriter | None,
    ) -> None:
        """`letters` are those that the live tables' problems are told by; None: these are not live."""
        self._connection = connection
        self._projection = projection
        self._store = TableStore(connection, projection, schema)
        self._version = version_of(projection)
        self._letters = letters
        self.schema = schema
        self.position = position

    async def write(self, messages: Sequence[StoredMessage]) -> int:
        """Fold what follows on `position`; what was folded before is passed over, in whatever order it comes
        again. Returns how many failed.

        An event that can't be projected, or whose rows Postgres refuses, is recorded as one with a problem,
        and the others as if it weren't there. Raises `CheckpointMoved` if someone else moved the checkpoint.
        """
        fresh = following(messages, self.position)
        if not fresh:
            return 0
        try:
            return await self._commit(fresh, fresh[-1].sequence, {})
        except REFUSED:
            first, last = fresh[0].sequence, fresh[-1].sequence
            if first == last:
                return await self._write_without_poison(fresh)
            middle = (first + last) // 2
            return await self.write([one for one in fresh if one.sequence <= middle]) + await self.write(
                [one for one in fresh if one.sequence > middle]
            )

    async def pass_over(self, up_to: int) -> None:
        """Move the checkpoint over sequences that the log doesn't hold (any more)."""
        if up_to > self.position:
            await self._commit([], up_to, {})

    async def _write_without_poison(self, record: Sequence[StoredMessage]) -> int:
        """One record, with a problem for each of its events that Postgres refuses: found one by one."""
        refused: dict[int, str] = {}
        for number in range(1, len(record) + 1):
            try:
                async with self._connection.transaction(force_rollback=True):
                    await self._store.write((await self._folded(record[:number], refused))[0])
            except REFUSED as error:
                refused[record[number - 1].part] = f"refused by the database: {str(error).splitlines()[0]}"
        return await self._commit(record, record[0].sequence, refused)

    async def _commit(self, messages: Sequence[StoredMessage], up_to: int, refused: dict[int, str]) -> int:
        async with self._connection.transaction():
            await self._store.advance(self._version, self.position, up_to, announce=self._letters is not None)
            rows, problems = await self._folded(messages, refused)
            await self._store.write(rows)
            if self._letters is not None:
                for found in problems:
                    await self._letters.put(found.message, found.problem)
                await stop_point("projector.written")
        self.position = up_to
        self._report(problems)
        return len(problems)

    async def _folded(
        self, messages: Sequence[StoredMessage], refused: dict[int, str]
    ) -> tuple[BatchRows, list[_Problem]]:
        """What the messages leave, and which aren't events. `refused`: by part, of one record's."""
        problems: list[_Problem] = []
        rows = BatchRows()
        await self._look_up(rows, messages)
        for index, message in enumerate(messages):
            if index % BREATH == BREATH - 1:
                await asyncio.sleep(0)
            problem = refused.get(message.part)
            changes = problem if problem is not None else await self._project(message, rows)
            if isinstance(changes, str):
                problems.append(_Problem(message, changes))
                changes = self._projection.salvage(message, changes)
            rows.apply(changes)
        return rows, problems

    async def _look_up(self, rows: BatchRows, messages: Sequence[StoredMessage]) -> None:
        wanted: dict[ProjectedTable[Any], dict[Key, None]] = {}
        for message in messages:
            for table, key in self._projection.hints(message):
                wanted.setdefault(table, {})[key] = None
        for table, keys in wanted.items():
            await self._store.load(rows, table, list(keys))

    async def _project(self, message: StoredMessage, rows: BatchRows) -> Sequence[Change] | str:
        """The event's effects, or why there are none."""
        while True:
            try:
                return self._projection.project(message, rows)
            except NotLoaded as missing:
                await self._store.load(rows, missing.table, [missing.key])
            except Unprojectable as poison:
                return f"{poison.kind}: {poison.message}"
            except Exception as bug:
                log.exception("projection.bug", address=str(message.address), subject=message.subject)
                return f"bug: {bug!r}"

    def _report(self, problems: Sequence[_Problem]) -> None:
        for found in problems:
            log.error(
                "projection.problem",
                projection=self._projection.name,
                address=str(found.message.address),
                subject=found.message.subject,
                problem=found.problem,
            )
