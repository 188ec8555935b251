"""A log in memory, a real database, and projectors that end with the test."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from agent_platform.log.port import Log
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_log import MemoryLog
from projector.handlers import Projector
from projector.projecting.letters import DeadLetterWriter
from projector.projecting.metrics import ProjectionMetrics
from projector.projecting.projection import Projection
from projector.projecting.store import writing

Start = Callable[..., asyncio.Task[None]]
Ask = Callable[..., Awaitable[list[tuple[Any, ...]]]]


@pytest.fixture
def log() -> MemoryLog:
    """An empty log."""
    return MemoryLog()


@pytest.fixture
def registry() -> CollectorRegistry:
    """Where the projectors' numbers go."""
    return CollectorRegistry()


@pytest.fixture
async def start(postgres_dsn: str, registry: CollectorRegistry) -> AsyncIterator[Start]:
    """Starts a projector as a task; it is cancelled at the end."""
    tasks: list[asyncio.Task[None]] = []

    def begin(projection: Projection, log: Log) -> asyncio.Task[None]:
        own = registry if not tasks else CollectorRegistry()
        metrics = ProjectionMetrics(own, projection.name)
        letters = DeadLetterWriter(MemoryLog())
        projector = Projector(projection, postgres_dsn, log, SystemClock(), metrics, letters)
        tasks.append(asyncio.create_task(projector.run()))
        return tasks[-1]

    yield begin
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.fixture
def ask(postgres_dsn: str) -> Ask:
    """Runs one statement and returns its rows."""

    async def run(statement: str, *values: Any) -> list[tuple[Any, ...]]:
        async with writing(postgres_dsn, "test") as connection:
            found = await connection.execute(statement.encode(), values)
            return await found.fetchall() if found.description else []

    return run


@pytest.fixture
def becomes(ask: Ask) -> Callable[..., Awaitable[None]]:
    """Waits until a statement returns these rows."""

    async def wait(statement: str, *expected: tuple[Any, ...]) -> None:
        found: list[tuple[Any, ...]] = []
        for _ in range(1500):
            found = await ask(statement)
            if found == list(expected):
                return
            await asyncio.sleep(0.02)  # sleeps: work
        raise AssertionError(f"{statement}: still {found}, not {expected}")

    return wait


@pytest.fixture
def reached(ask: Ask) -> Callable[[int], Awaitable[None]]:
    """Waits until the tables hold everything up to a sequence."""

    async def wait(sequence: int) -> None:
        async with asyncio.timeout(30):
            while True:
                there = await ask("SELECT to_regclass('counts.checkpoint') IS NOT NULL")
                if there == [(True,)]:
                    [(found,)] = await ask("SELECT sequence FROM counts.checkpoint")
                    if found >= sequence:
                        return
                await asyncio.sleep(0.02)

    return wait
