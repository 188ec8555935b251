"""A workspace's copy for a fork, on real JetStream: of more files than one batch takes."""

from collections.abc import AsyncIterator

import pytest

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityKind
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId, SessionId
from agent_domain.files.copying import copy_workspace
from agent_domain.files.file import FileContent, FileRef, Workspace
from agent_domain.files.files import Files, NewFile
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityWriter
from agent_platform.log.blobs.jetstream import JetStreamBlobs
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.servers import NatsForTest

AGENT, SESSION, FORK = AgentId("default"), SessionId("s_1"), SessionId("s_fork")
MANY = 260


@pytest.fixture
async def connection(nats_server: NatsForTest) -> AsyncIterator[NatsConnection]:
    connection = await connect(nats_server.url, name="test")
    await ensure_streams(connection, StreamSettings())
    yield connection
    await connection.close()


async def test_more_files_than_one_batch_takes_are_copied_once_as_they_were(
    connection: NatsConnection,
) -> None:
    log = JetStreamLog(connection)
    files = Files(Entities(log, SystemClock(), event_sources.RUNNER), JetStreamBlobs(connection))
    mine, theirs = Workspace(AGENT, SESSION), Workspace(AGENT, FORK)
    for number in range(MANY):
        new = NewFile(f"{number}.txt", FileContent(b"%d" % number))
        await files.create(mine, new, EntityWriter.user(f"w{number}"))
    before, at = await files.list(mine), await log.last_sequence()
    await files.delete(mine, FileRef(path="0.txt"), EntityWriter.user("deletes"))
    entities = Entities(log, SystemClock(), event_sources.ENGINE)
    writer = EntityWriter("s_fork:file", Actor.USER, FORK, since=at)
    for _ in range(2):
        assert await copy_workspace(entities, mine, at, FORK, writer, None) == MANY
    copies = await files.list(theirs)
    assert [(one.path, one.blob) for one in copies] == [(one.path, one.blob) for one in before]
    assert [one.forked_from for one in copies] == [one.file_id for one in before]
    assert {one.version for one in copies} == {1}
    assert len(await entities.list(AGENT, EntityKind.PATH)) == 2 * MANY - 1
