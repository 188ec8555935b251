"""From the log to a copy: the newest snapshot that serves, and what was written since."""

from collections.abc import Callable
from functools import partial

import structlog

from agent_contracts.entities.database_events import DatabaseRestored, DatabaseWritten
from agent_contracts.entities.database_snapshots import DatabaseSnapshot
from agent_contracts.errors import Failure, LogCorrupt
from agent_contracts.ids import AgentId
from agent_contracts.log.record.codec import RecordedEvent
from agent_platform.process.clock import Clock
from tool_runner.agent_db.connection import StatementDeadline
from tool_runner.agent_db.copy import Copy
from tool_runner.agent_db.folder import CopyFolder
from tool_runner.agent_db.open_copy import OpenCopy
from tool_runner.agent_db.snapshots import DbSnapshots
from tool_runner.agent_db.threads import Threads
from tool_runner.agent_db.write_log import WriteLog

log = structlog.get_logger()

_AT_ONCE = 64
"""Writes that one visit to a thread does again."""

Write = tuple[int, DatabaseWritten | None]
"""A write and its sequence; None: the message there isn't an event, and changes nothing."""


class DatabaseReplay:
    """Makes copies of one agent's database."""

    def __init__(  # noqa: PLR0913 — the outside parts that a copy is made of
        self,
        agent_id: AgentId,
        write_log: WriteLog,
        snapshots: DbSnapshots,
        folder: CopyFolder,
        threads: Threads,
        clock: Clock,
        elsewhere: "Callable[[AgentId], DatabaseReplay]",
    ) -> None:
        self._agent_id = agent_id
        self._log = write_log
        self._snapshots = snapshots
        self._folder = folder
        self._threads = threads
        self._clock = clock
        self._elsewhere = elsewhere

    async def up_to(self, sequence: int) -> OpenCopy:
        """A new copy, as the database was after event `sequence` of the log.

        What came before the last restoring event doesn't matter: only what that one goes back to does.
        """
        snapshot = await self._snapshots.newest(self._agent_id, sequence)
        start = snapshot[0].sequence if snapshot else 0
        restore = await self._log.last_restore(after=start, up_to=sequence)
        if restore is None:
            copy = await self._new(snapshot)
        else:
            restored_by, event = restore
            copy = await self._gone_back_to(restored_by, event)
            copy.copy.stand_at(restored_by)
        try:
            await self.go_on(copy, lambda _, __: None, up_to=sequence)
        except BaseException:
            await copy.close()
            raise
        return copy

    async def need(self, sequence: int) -> None:
        """Something goes back to the database as of event `sequence`: what it is made from stays."""
        try:
            await self._snapshots.need(self._agent_id, sequence)
        except Failure as error:  # the log alone makes it, too, and takes longer
            log.warning("agent_db.point_not_kept", agent_id=self._agent_id, error=error.message)

    async def exact_from(self, sequence: int) -> int | None:
        """The first event at or after `sequence` as of which the database can be made again; None if there
        is none but those still to come."""
        try:
            await (await self.up_to(sequence)).close()
            return sequence
        except LogCorrupt:
            after = await self._snapshots.oldest_after(self._agent_id, sequence)
            return None if after is None else after.sequence

    async def go_on(
        self, copy: OpenCopy, seen: Callable[[str, int], None], *, up_to: int | None = None
    ) -> None:
        """Do again what was written after the copy's position; `seen` is told ids and sequences."""
        writes: list[Write] = []
        async for found in self._log.read(after=copy.position, up_to=up_to):
            event = None
            if isinstance(found, RecordedEvent):
                seen(found.envelope.id, found.sequence)
                event = found.event
            if isinstance(event, DatabaseRestored):
                await copy.write(partial(_apply, writes))
                writes = []
                await self._restore(copy, found.sequence, event)
                continue
            writes.append((found.sequence, event))
            if len(writes) == _AT_ONCE:
                await copy.write(partial(_apply, writes))
                writes = []
        if writes:
            await copy.write(partial(_apply, writes))

    async def _gone_back_to(self, restored_by: int, event: DatabaseRestored) -> OpenCopy:
        """What a restoring event goes back to, which is before it; it may be another agent's."""
        owner = self if event.agent_id is None else self._elsewhere(event.agent_id)
        to = min(event.to, restored_by - 1)
        await owner.need(to)
        return await owner.up_to(to)

    async def _restore(self, copy: OpenCopy, restored_by: int, event: DatabaseRestored) -> None:
        past = await self._gone_back_to(restored_by, event)
        try:
            await copy.write(lambda it, _: it.become(past.copy, restored_by))
        finally:
            await past.close()

    async def _new(self, snapshot: tuple[DatabaseSnapshot, bytes] | None) -> OpenCopy:
        path, most_bytes = self._folder.new_file(), self._folder.most_bytes

        def work(_: StatementDeadline) -> Copy:
            if snapshot is None:
                return Copy(path, most_bytes=most_bytes)
            path.write_bytes(snapshot[1])
            copy = Copy(path, snapshot[0].sequence, snapshot[0].last_rowid, most_bytes=most_bytes)
            copy.outside = snapshot[0].outside
            return copy

        return OpenCopy(await self._threads.run(work), self._threads, self._clock)


def _apply(writes: list[Write], copy: Copy, _: StatementDeadline) -> None:
    for sequence, event in writes:
        if event is None:
            copy.pass_over(sequence)
        else:
            copy.apply(sequence, event)
