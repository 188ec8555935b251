"""For tests of agents' databases: one log, and runners that serve a database from it."""

import itertools
from dataclasses import dataclass, field
from pathlib import Path

from agent_contracts import event_sources
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.subjects import SNAPSHOTS_BUCKET
from agent_platform.entities.entity import EntityWriter
from agent_platform.entities.room import HasRoom
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.bucket import Bucket
from agent_platform.log.port import Log
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_platform.memory_log import MemoryLog
from tool_runner.agent_db.agent_db import AgentDb
from tool_runner.agent_db.connection import StatementResult
from tool_runner.agent_db.databases import AgentDatabases
from tool_runner.agent_db.limits import DATABASE_BYTES

AGENT = AgentId("a1")
SESSION = SessionId("s1")


@dataclass
class Home:
    """One log, and any number of runners that serve the agent's database from it."""

    folder: Path
    log: Log = field(default_factory=MemoryLog)
    bucket: Bucket = field(default_factory=lambda: Bucket(MemoryLog(), SNAPSHOTS_BUCKET))
    blobs: Blobs = field(default_factory=MemoryBlobs)
    calls: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))
    runners: list[AgentDatabases] = field(default_factory=list)
    most_bytes: int = DATABASE_BYTES
    room: HasRoom | None = None

    async def runner(self, log: Log | None = None) -> AgentDb:
        """The database as one more runner has it."""
        runner = AgentDatabases(
            log or self.log,
            self.bucket,
            self.blobs,
            self.folder,
            SystemClock(),
            event_sources.RUNNER,
            most_bytes=self.most_bytes,
            room=self.room,
        )
        self.runners.append(runner)
        return await runner.of(AGENT)

    @staticmethod
    def writer_of(call: str, *, since: int = 0) -> EntityWriter:
        """Whoever makes the only write of this call, which was requested by event `since`."""
        return EntityWriter.call(SESSION, CallId(call), 1, since=since)

    def writer(self, *, since: int = 0) -> EntityWriter:
        """Whoever makes a new call's only write."""
        return self.writer_of(f"c{next(self.calls)}", since=since)

    async def run(self, database: AgentDb, sql: str, *params: Json) -> StatementResult:
        """One statement of a new call."""
        writer = self.writer(since=await self.log.last_sequence())
        ran, _ = await database.execute(sql, list(params), writer)
        return ran

    async def close(self) -> None:
        """Close what the runners have open."""
        for runner in self.runners:
            await runner.close()
