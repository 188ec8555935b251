"""Tables of what the log was before it was restored from a backup: newer, older, or of another story."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from agent_contracts.log.record.records import NewMessage
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_log import MemoryLog
from projections.project.log_projection import LogProjection
from projector.administration import check_projections
from projector.handlers import Projector
from projector.projecting.letters import DeadLetterWriter
from projector.projecting.metrics import ProjectionMetrics

Tell = Callable[[str], list[NewMessage]]
Reached = Callable[[int], Awaitable[None]]
Ask = Callable[..., Awaitable[list[tuple[Any, ...]]]]


async def log_of(messages: Sequence[NewMessage]) -> MemoryLog:
    log = MemoryLog()
    for message in messages:
        await log.append(message)
    return log


async def projected(dsn: str, log: MemoryLog, until: Callable[[], Awaitable[None]]) -> None:
    projection = LogProjection()
    metrics = ProjectionMetrics(CollectorRegistry(), projection.name)
    projector = Projector(projection, dsn, log, SystemClock(), metrics, DeadLetterWriter(MemoryLog()))
    task = asyncio.create_task(projector.run())
    await until()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize(
    ("kept", "since"),
    [(10, 0), (10, 5), (10, 100), (None, 100)],
    ids=["the tables are newer", "newer, and another story", "behind, of another story", "older"],
)
async def test_tables_become_those_of_the_restored_log(
    kept: int | None, since: int, postgres_dsn: str, conversation: Tell, reached: Reached, ask: Ask
) -> None:
    before = conversation("s_before")
    log = await log_of(before)
    await projected(postgres_dsn, log, lambda: reached(len(before)))
    restored = await log_of([*before[:kept], *conversation("s_after")[:since]])
    last = await restored.last_sequence()

    async def right() -> None:
        async with asyncio.timeout(60):
            while await ask("SELECT max(sequence) FROM projections.events") != [(last,)]:  # noqa: ASYNC110
                await asyncio.sleep(0.05)

    await projected(postgres_dsn, restored, right)
    report = await check_projections(postgres_dsn, restored)
    assert report.differing == 0, report.compared
