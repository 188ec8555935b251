"""Turns at what agents' code asks of the runner."""

import asyncio
from contextlib import AsyncExitStack

from tool_runner.code.turns import Turns


class Calls:
    """Calls that are made in turns, each until it is ended; `begun` are agents in the order of turns."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self.begun: list[str] = []
        self._under_way: list[asyncio.Event] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def ask(self, agent: str, count: int = 1) -> None:
        self._tasks += [asyncio.create_task(self._call(agent)) for _ in range(count)]
        await settled()

    async def end_first(self) -> None:
        self._under_way.pop(0).set()
        await settled()

    async def give_up_all(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _call(self, agent: str) -> None:
        async with self._turns.taken(agent):
            self.begun.append(agent)
            end = asyncio.Event()
            self._under_way.append(end)
            await end.wait()


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_one_agent_takes_its_share_and_leaves_the_rest() -> None:
    calls = Calls(Turns(places=4, each=3))
    await calls.ask("a", 100)
    assert calls.begun == ["a"] * 3
    await calls.ask("b", 2)
    assert calls.begun == ["a"] * 3 + ["b"]
    await calls.give_up_all()


async def test_agents_that_wait_come_in_rotation() -> None:
    calls = Calls(Turns(places=1, each=1))
    await calls.ask("a", 3)
    await calls.ask("b", 2)
    await calls.ask("c")
    for _ in range(5):
        await calls.end_first()
    assert calls.begun == ["a", "a", "b", "c", "a", "b"]
    await calls.give_up_all()


async def test_turns_of_those_who_were_cancelled_come_back() -> None:
    turns = Turns(places=2, each=2)
    calls = Calls(turns)
    await calls.ask("a", 50)
    await calls.ask("b", 50)
    await calls.give_up_all()
    async with AsyncExitStack() as stack:
        async with asyncio.timeout(5):
            await stack.enter_async_context(turns.taken("c"))
            await stack.enter_async_context(turns.taken("c"))
