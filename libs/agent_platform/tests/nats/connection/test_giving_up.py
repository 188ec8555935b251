"""Whoever stops connecting leaves nothing behind that keeps trying: it would keep a process from ending."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from agent_contracts.errors import Transient
from agent_platform.nats.connection import connect
from foldline_testing.agent_platform.eventually import until

_MOMENTS_S = (0.0, 0.005, 0.02, 0.1, 0.25)
Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def _hangs_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.close()


async def _says_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()
    writer.close()


@asynccontextmanager
async def _not_nats(answer: Answer) -> AsyncIterator[str]:
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield f"nats://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


def _others() -> set["asyncio.Task[object]"]:
    return asyncio.all_tasks() - {asyncio.current_task()}


async def _nothing_is_left(before: set["asyncio.Task[object]"]) -> None:
    await until(
        lambda: not any("connect" in repr(task.get_coro()).lower() for task in _others() - before), within=10
    )


@pytest.mark.parametrize("answer", [_hangs_up, _says_nothing])
@pytest.mark.parametrize("moment_s", _MOMENTS_S)
async def test_a_cancelled_attempt_ends(answer: Answer, moment_s: float) -> None:
    before = _others()
    async with _not_nats(answer) as url:
        attempt = asyncio.create_task(connect(url, name="test"))
        await asyncio.sleep(moment_s)  # sleeps: work
        attempt.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(attempt, 60)
        await _nothing_is_left(before)


@pytest.mark.parametrize("answer", [_hangs_up, _says_nothing])
async def test_an_attempt_that_ran_out_of_time_ends(answer: Answer) -> None:
    before = _others()
    async with _not_nats(answer) as url:
        with pytest.raises(Transient, match="No NATS server answers"):
            await asyncio.wait_for(connect(url, name="test", timeout=0.2), 60)
        await _nothing_is_left(before)
