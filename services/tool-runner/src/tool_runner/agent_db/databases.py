"""The databases of all agents that a process serves."""

import asyncio
from collections import OrderedDict
from pathlib import Path

from agent_contracts.ids import AgentId
from agent_platform.entities.room import HasRoom
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.bucket import Bucket
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock
from tool_runner.agent_db.agent_db import AgentDb
from tool_runner.agent_db.folder import CopyFolder
from tool_runner.agent_db.limits import DATABASE_BYTES
from tool_runner.agent_db.replay import DatabaseReplay
from tool_runner.agent_db.snapshots import DbSnapshots, SnapshotRules
from tool_runner.agent_db.threads import Threads
from tool_runner.agent_db.write_log import WriteLog

MOST_OPEN = 64
"""Copies that are kept, unless more are in use at one time."""


class AgentDatabases:
    """Makes each when it is first asked for; of those that are not in use, the least recently used go first.

    `folder` is where copies are put, each process's in a folder of its own; `source` names the service in
    the events it writes. Writes may have each become `most_bytes` large (0: no limit), and all that the agent
    keeps as large as `room` has it. `rules` say which snapshots are kept.
    """

    def __init__(  # noqa: PLR0913 — the outside parts that a database stands on
        self,
        log: Log,
        bucket: Bucket,
        blobs: Blobs,
        folder: Path,
        clock: Clock,
        source: str,
        *,
        most_bytes: int = DATABASE_BYTES,
        room: HasRoom | None = None,
        rules: SnapshotRules | None = None,
    ) -> None:
        self.most_bytes = most_bytes
        self._room = room
        self._log = log
        self._snapshots = DbSnapshots(bucket, blobs, log, clock, rules)
        self._folder = CopyFolder(folder, most_bytes)
        self._threads = Threads()
        self._clock = clock
        self._source = source
        self._all: OrderedDict[AgentId, AgentDb] = OrderedDict()

    async def of(self, agent_id: AgentId) -> AgentDb:
        """The agent's."""
        found = self._all.get(agent_id)
        if found is None:
            found = self._all[agent_id] = self._new(agent_id)
        self._all.move_to_end(agent_id)
        for agent, database in list(self._all.items())[: max(0, len(self._all) - MOST_OPEN)]:
            if database.is_idle:
                await database.rest()
                if database.is_idle and not database.is_open:
                    self._all.pop(agent, None)
        return found

    async def forget(self, agent_id: AgentId) -> None:
        """The agent was erased: remove this process's copy, and those that killed processes left."""
        database = self._all.get(agent_id)
        if database is not None:
            await database.close()
        await asyncio.to_thread(self._folder.remove_left)

    async def close(self) -> None:
        """Close and remove every copy."""
        for database in self._all.values():
            await database.close()
        self._all.clear()
        self._threads.close()
        self._folder.close()

    def _new(self, agent_id: AgentId) -> AgentDb:
        replay = self._replay(agent_id)
        return AgentDb(agent_id, self._write_log(agent_id), replay, self._snapshots, self._clock, self._room)

    def _write_log(self, agent_id: AgentId) -> WriteLog:
        return WriteLog(self._log, self._clock, self._source, agent_id)

    def _replay(self, agent_id: AgentId) -> DatabaseReplay:
        return DatabaseReplay(
            agent_id,
            self._write_log(agent_id),
            self._snapshots,
            self._folder,
            self._threads,
            self._clock,
            self._replay,
        )
