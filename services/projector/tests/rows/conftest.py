"""Real NATS and Postgres, and the projector as a process of its own that tests can kill."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from prometheus_client import CollectorRegistry

from agent_contracts.ids import SessionId
from agent_contracts.log.record.records import NewMessage, carrying
from agent_contracts.session_events import inputs
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.agent_platform.warm import WarmProcess, WarmProgram
from foldline_testing.projector import alone
from foldline_testing.session_domain.messages import as_messages
from foldline_testing.session_domain.story import ForkStory, answers, asks, done, responds, says, story, wants
from projections.project.log_projection import LogProjection
from projector.handlers import Projector
from projector.projecting import store
from projector.projecting.letters import DeadLetterWriter
from projector.projecting.metrics import ProjectionMetrics

PROJECTOR = WarmProgram(alone.projector)

Ask = Callable[..., Awaitable[list[tuple[Any, ...]]]]


@pytest.fixture
def letters() -> MemoryLog:
    """Where the projector on `log` tells of what it can't project."""
    return MemoryLog()


@pytest.fixture
async def log(postgres_dsn: str, letters: MemoryLog) -> AsyncIterator[MemoryLog]:
    """A log in memory with a projector on it."""
    log = MemoryLog()
    projection = LogProjection()
    metrics = ProjectionMetrics(CollectorRegistry(), projection.name)
    task = asyncio.create_task(
        Projector(projection, postgres_dsn, log, SystemClock(), metrics, DeadLetterWriter(letters)).run()
    )
    yield log
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
async def connection(nats_server: NatsForTest) -> AsyncIterator[NatsConnection]:
    """A connection that may do everything, with all streams in place."""
    connection = await connect(nats_server.url, name="test")
    await ensure_streams(connection, StreamSettings())
    yield connection
    await connection.close()


@pytest.fixture
def jetstream(connection: NatsConnection) -> JetStreamLog:
    """The log on a real server."""
    return JetStreamLog(connection)


@pytest.fixture
async def serve(
    nats_server: NatsForTest, postgres_dsn: str, tmp_path: Path
) -> AsyncIterator[Callable[..., Awaitable[WarmProcess]]]:
    """Starts a projector process with more environment; all that still live are killed at the end."""
    started: list[WarmProcess] = []

    async def begin(**environment: str) -> WarmProcess:
        own = {"FOLDLINE_NATS_URL": nats_server.url, "FOLDLINE_POSTGRES_DSN": postgres_dsn}
        process = await PROJECTOR.start({**os.environ, **own, **environment}, tmp_path)
        started.append(process)
        return process

    yield begin
    for process in started:
        if process.returncode is None:
            process.kill()
        await process.wait()


@pytest.fixture
def conversation() -> Callable[[str], list[NewMessage]]:
    """The events of a session with a three-tool turn, a question and its answer, an interruption and a
    rewind, and of its fork."""

    def tell(session_id: str) -> list[NewMessage]:
        told = story(session_id=SessionId(session_id)).given(says("hello"))
        wanted = [wants(told, tool, index) for index, tool in enumerate(["look", "see", "ask_user"])]
        first, second, third = (call.call_id for call in wanted)
        told.given(answers(told, "let me see", wanted))
        told.given(done(first, {"found": [1, 2.5, "three"]}), done(second), asks(third))
        told.given(responds(third, {"answer": "Oslo", "from_options": False}))
        told.given(answers(told, "thank you"), says("go on"), inputs.Interrupted())
        told.given(inputs.RewindRequested(to=1, parts=("conversation",)), says("anew"))
        fork = ForkStory(told, told.state.last_sequence, SessionId(f"{session_id}_fork"))
        fork.given(says("or so"))
        messages = as_messages(told.recorded, told.state.session_id)
        messages += as_messages(fork.recorded, fork.state.session_id)
        return [
            carrying(
                msgspec.structs.replace(message.envelope, id=f"{session_id}-{message.event_id}"),
                message.data,
                message.subject,
            )
            for message in messages
            if message.envelope is not None
        ]

    return tell


@pytest.fixture
def ask(postgres_dsn: str) -> Ask:
    """Runs one statement and returns its rows."""

    async def run(statement: str, *values: Any) -> list[tuple[Any, ...]]:
        async with store.writing(postgres_dsn, "test") as connection:
            found = await connection.execute(statement.encode(), values)
            return await found.fetchall() if found.description else []

    return run


@pytest.fixture
def reached(ask: Ask) -> Callable[[int], Awaitable[None]]:
    """Waits until the tables hold everything up to a sequence."""

    async def wait(sequence: int) -> None:
        for _ in range(4500):
            if await ask("SELECT to_regclass('projections.checkpoint') IS NOT NULL") == [(True,)]:
                [(found,)] = await ask("SELECT sequence FROM projections.checkpoint")
                if found >= sequence:
                    return
            await asyncio.sleep(0.02)  # sleeps: work
        raise AssertionError(f"the projections did not reach {sequence}")

    return wait
