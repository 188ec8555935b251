"""ACP, spoken with an agent that is made with the library's own side of agents."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from foldline_protoagent.coding_agents.acp.client import PermissionWait, TaskResult, do_task, go_on
from foldline_protoagent.coding_agents.acp.messages import Wish

pytestmark = pytest.mark.long

AGENT = Path(__file__).parent / "coders" / "by_the_library.py"


class Pipe:
    """`AcpConnection` to a process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def send(self, line: str) -> None:
        """See `AcpConnection`."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())
        await self._process.stdin.drain()

    async def receive(self) -> str:
        """See `AcpConnection`."""
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        assert line, "it has ended"
        return line.decode()

    def rest(self) -> list[str]:
        """See `AcpConnection`."""
        return []


@asynccontextmanager
async def agent() -> AsyncIterator[Pipe]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, AGENT, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    try:
        yield Pipe(process)
    finally:
        process.kill()
        await process.wait()


@pytest.mark.parametrize(("allowed", "answer"), [(True, "selected yes"), (False, "selected no")])
async def test_an_agent_of_the_library_does_a_task(allowed: bool, answer: str) -> None:
    wishes: list[Wish] = []

    async def may(wish: Wish) -> bool:
        wishes.append(wish)
        return allowed

    async with asyncio.timeout(60), agent() as pipe:
        did = await do_task(pipe, "/somewhere", "Fix it", may)
    assert did == TaskResult(f"/somewhere: Fix it. {answer}", "end_turn")
    assert wishes == [Wish("execute", "Run the tests", {"command": "pytest"})]


@pytest.mark.parametrize(("allowed", "answer"), [(True, "selected yes"), (False, "selected no")])
async def test_it_waits_for_a_person_and_goes_on(allowed: bool, answer: str) -> None:
    async def may(wish: Wish) -> bool | None:
        return None

    async with asyncio.timeout(60), agent() as pipe:
        waits = await do_task(pipe, "/somewhere", "Fix it", may)
        assert isinstance(waits, PermissionWait)
        assert (waits.wish.title, waits.held.yes, waits.held.no) == ("Run the tests", "yes", "no")
        kept = msgspec.convert(msgspec.to_builtins(waits.held), type(waits.held))
        assert await go_on(pipe, kept, allowed, may) == TaskResult(
            f"/somewhere: Fix it. {answer}", "end_turn"
        )
