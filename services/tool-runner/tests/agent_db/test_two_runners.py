"""Several runners of one agent's database on a real log: no write is lost, and all have the same."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_contracts.entities.database_events import DatabaseWritten
from agent_contracts.log.record.records import decode
from agent_contracts.log.subjects import SNAPSHOTS_BUCKET, database_subject
from agent_platform.log.blobs.jetstream import JetStreamBlobs
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.process.stop_points import STOP_DIR, arm, has_fired
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.tool_runner.agent_db import AGENT, Home
from tool_runner.agent_db.agent_db import AgentDb

COUNTER = "CREATE TABLE counter (n, r, at)"
ZERO = "INSERT INTO counter VALUES (0, 0, 0)"
INCREMENT = "UPDATE counter SET n = n + 1, r = random(), at = datetime('now')"
NOTE = "INSERT INTO notes (text, noise, at) VALUES (?, hex(randomblob(8)), strftime('%f', 'now'))"
SCRIPT = Path(__file__).parent / "writing_process.py"


@pytest.fixture
async def connections(nats_server: NatsForTest) -> AsyncIterator[list[NatsConnection]]:
    """Two, on one account with every stream."""
    made = [await connect(nats_server.url, name=name) for name in ("one", "other")]
    await ensure_streams(made[0], StreamSettings())
    yield made
    for connection in made:
        await connection.close()


@pytest.fixture
async def home(connections: list[NatsConnection], tmp_path: Path) -> AsyncIterator[Home]:
    """On the real log, with real blobs."""
    first = connections[0]
    home = Home(
        tmp_path / "copies", JetStreamLog(first), bucket(first, SNAPSHOTS_BUCKET), JetStreamBlobs(first)
    )
    yield home
    await home.close()


@pytest.mark.faults
async def test_a_thousand_interleaved_writes_of_two_runners_all_count(
    home: Home, connections: list[NatsConnection]
) -> None:
    runners = [await home.runner(JetStreamLog(connection)) for connection in connections]
    await home.run(runners[0], COUNTER)
    await home.run(runners[0], ZERO)
    await home.run(runners[1], "CREATE TABLE notes (id INTEGER PRIMARY KEY, text, noise, at)")

    since = await home.log.last_sequence()

    async def write(runner: AgentDb, name: str) -> None:
        for number in range(250):
            await runner.execute(INCREMENT, [], Home.writer_of(f"{name}-{number}", since=since))
            noting = Home.writer_of(f"{name}-{number}-note", since=since)
            await runner.execute(NOTE, [f"{name} {number}"], noting)

    await asyncio.gather(*(write(runner, name) for runner, name in zip(runners, "ab", strict=True)))
    for runner in runners:
        (row,) = (await home.run(runner, "SELECT n, (SELECT count(*) FROM notes) FROM counter")).rows
        assert row == (500, 500)
    hashes = [await runner.content_hash() for runner in runners]
    assert hashes[0] == hashes[1]
    written = [decode(message) async for message in home.log.read(database_subject(AGENT))]
    assert len({one.envelope.id for one in written}) == len(written) == 1003
    cold = await home.runner()
    assert await cold.content_hash() == hashes[0]
    for place in (3, 500, 777):
        sequence = written[place].sequence
        async with runners[0].as_of(sequence) as one, cold.as_of(sequence) as other:
            assert await one.content_hash() == await other.content_hash()


@pytest.mark.faults
async def test_processes_of_which_one_is_killed_again_and_again_make_each_write_once(
    home: Home, nats_server: NatsForTest, tmp_path: Path
) -> None:
    database = await home.runner()
    await home.run(database, COUNTER)
    await home.run(database, ZERO)
    steady = await writing(nats_server, home, "steady", 20)
    for place, stop_at in enumerate(("agent_db.computed", "agent_db.appended"), start=2):
        arm(tmp_path, stop_at, place)
        dying = await writing(nats_server, home, "dying", 10, stop_dir=tmp_path)
        await asyncio.wait_for(dying.communicate(), 60)
        assert dying.returncode == -signal.SIGKILL
        assert has_fired(tmp_path, stop_at)
    dying = await writing(nats_server, home, "dying", 10)
    outputs = await asyncio.gather(steady.communicate(), dying.communicate())
    assert (steady.returncode, dying.returncode) == (0, 0)
    assert (await home.run(database, "SELECT n FROM counter")).rows == [(30,)]
    # Who ended last saw everything.
    assert (await database.content_hash()).encode() in {printed.split()[-1] for printed, _ in outputs}
    events = [decode(message).event async for message in home.log.read(database_subject(AGENT))]
    calls = [str(event.call_id) for event in events if isinstance(event, DatabaseWritten)]
    assert [call for call in calls if call.startswith("dying")] == [f"dying-{n}" for n in range(10)]
    copies = [folder for folder in home.folder.iterdir() if folder.is_dir()]
    assert len(copies) == 1, "what the killed left was removed, and the others removed their own"


async def writing(
    server: NatsForTest, home: Home, prefix: str, count: int, *, stop_dir: Path | None = None
) -> Process:
    """A process that makes so many writes."""
    extra = {STOP_DIR: str(stop_dir)} if stop_dir else {}
    return await asyncio.create_subprocess_exec(
        sys.executable,
        str(SCRIPT),
        server.url,
        str(home.folder),
        prefix,
        str(count),
        env={**os.environ, **extra},
        stdout=PIPE,
    )
