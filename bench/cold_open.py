"""How long a session that nobody has in memory takes to open."""

import time
from pathlib import Path

from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.subjects import SNAPSHOTS_BUCKET
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from bench.conversation import Conversation
from bench.log_server import fill, log_server
from bench.sampling import median
from bench.table import Figure, at_most
from session_domain.sessions import SNAPSHOT_EVERY, FoldedSessions
from session_domain.snapshots import KeptSnapshots

GROUP = "cold-open"
_ID = SessionId("s_cold")
_KEY = SessionKey(AgentId("default"), _ID)


async def measure(folder: Path, *, events: int, rounds: int) -> list[Figure]:
    """One session: read whole, and from a snapshot that is as old as one can be."""
    async with log_server(folder) as connection:
        story = Conversation(_ID).grow(events)
        await fill(connection, 0, story)
        log = JetStreamLog(connection)
        snapshots = KeptSnapshots(bucket(connection, SNAPSHOTS_BUCKET), log)
        sessions = FoldedSessions(log)
        for position in range(SNAPSHOT_EVERY, len(story) - SNAPSHOT_EVERY + 2, SNAPSHOT_EVERY):
            await snapshots.save(await sessions.at(_KEY, position))
        with_snapshot = [await _opened(FoldedSessions(log, snapshots)) for _ in range(rounds)]
        whole = await _opened(FoldedSessions(log))
    note = f"{len(story):,} events; the last {SNAPSHOT_EVERY - 1} are read after it"
    return [
        Figure(GROUP, "cold open with a snapshot p50", median(with_snapshot), "ms", at_most(100), note),
        Figure(GROUP, "cold open without one", whole, "ms"),
    ]


async def _opened(sessions: FoldedSessions) -> float:
    began = time.perf_counter()
    await sessions.newest(_KEY)
    return (time.perf_counter() - began) * 1000
