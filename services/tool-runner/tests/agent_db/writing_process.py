"""A process that writes to an agent's database, and prints its hash at the end.

Arguments: url, folder, prefix of its calls, how many.
"""

import asyncio
import sys
from pathlib import Path

from agent_contracts import event_sources
from agent_contracts.log.subjects import SNAPSHOTS_BUCKET
from agent_platform.log.blobs.jetstream import JetStreamBlobs
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import connect
from agent_platform.process.clock import SystemClock
from foldline_testing.tool_runner.agent_db import AGENT, Home
from tool_runner.agent_db.databases import AgentDatabases

INCREMENT = "UPDATE counter SET n = n + 1, r = random(), at = strftime('%f', 'now') RETURNING n"


async def main(url: str, folder: str, prefix: str, count: int) -> None:
    connection = await connect(url, name=prefix)
    snapshots = bucket(connection, SNAPSHOTS_BUCKET)
    runner = AgentDatabases(
        JetStreamLog(connection),
        snapshots,
        JetStreamBlobs(connection),
        Path(folder),
        SystemClock(),
        event_sources.RUNNER,
    )
    database = await runner.of(AGENT)
    for number in range(count):
        await database.execute(INCREMENT, [], Home.writer_of(f"{prefix}-{number}"))
    print(await database.content_hash(), flush=True)
    await runner.close()
    await connection.close()


if __name__ == "__main__":
    _, url, folder, prefix, count = sys.argv
    asyncio.run(main(url, folder, prefix, int(count)))
