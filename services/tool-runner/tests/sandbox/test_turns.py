"""Turns at what agents' code asks of the runner."""

import asyncio
from contextlib import AsyncExitStack

from tool_runner.sandbox.turns import RunTurns


class Calls:
    """Calls that are made in turns, each until it is ended; `begun` are agents in the order of turns."""

    def __init__(self, turns: RunTurns) -> None:
        self._turns = turns
        self.begun: list[str] = []
        self._under_way: list[asyncio.Event] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def ask(self, agent: str, count: int = 1, weight: int = 1) -> None:
        self._tasks += [asyncio.create_task(self._call(agent, weight)) for _ in range(count)]
        await settled()

    async def end_first(self) -> None:
        self._under_way.pop(0).set()
        await settled()

    async def give_up_all(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _call(self, agent: str, weight: int) -> None:
        async with self._turns.taken(agent, weight):
            self.begun.append(agent)
            end = asyncio.Event()
            self._under_way.append(end)
            await end.wait()


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_one_agent_takes_its_share_and_leaves_the_rest() -> None:
    calls = Calls(RunTurns(total=4, each=3))
    await calls.ask("a", 100)
    assert calls.begun == ["a"] * 3
    await calls.ask("b", 2)
    assert calls.begun == ["a"] * 3 + ["b"]
    await calls.give_up_all()


async def test_agents_that_wait_come_in_rotation() -> None:
    calls = Calls(RunTurns(total=1, each=1))
    await calls.ask("a", 3)
    await calls.ask("b", 2)
    await calls.ask("c")
    for _ in range(5):
        await calls.end_first()
    assert calls.begun == ["a", "a", "b", "c", "a", "b"]
    await calls.give_up_all()


async def test_turns_of_those_who_were_cancelled_come_back() -> None:
    turns = RunTurns(total=2, each=2)
    calls = Calls(turns)
    await calls.ask("a", 50)
    await calls.ask("b", 50)
    await calls.give_up_all()
    async with AsyncExitStack() as stack:
        async with asyncio.timeout(60):
            await stack.enter_async_context(turns.taken("c"))
            await stack.enter_async_context(turns.taken("c"))


async def test_turns_count_what_they_weigh() -> None:
    calls = Calls(RunTurns(total=10, each=6))
    await calls.ask("a", 5, weight=3)
    assert calls.begun == ["a"] * 2
    await calls.ask("b", 2, weight=3)
    assert calls.begun == ["a"] * 2 + ["b"], "the last one would be too much for all"
    await calls.end_first()
    assert calls.begun == ["a", "a", "b", "a"]
    await calls.end_first()
    assert calls.begun == ["a", "a", "b", "a", "b"]
    await calls.give_up_all()


async def test_what_weighs_more_than_an_agent_may_have_comes_alone() -> None:
    calls = Calls(RunTurns(total=10, each=6))
    await calls.ask("a")
    await calls.ask("a", weight=100)
    await calls.ask("a")
    assert calls.begun == ["a"]
    await calls.end_first()
    assert calls.begun == ["a", "a"]
    await calls.end_first()
    assert calls.begun == ["a", "a", "a"]
    await calls.give_up_all()


async def test_those_who_want_little_do_not_overtake_for_ever_one_who_wants_much() -> None:
    calls = Calls(RunTurns(total=10, each=8))
    await calls.ask("a", 4, weight=2)
    await calls.ask("big", weight=8)
    await calls.ask("b", 5, weight=2)
    assert calls.begun == ["a"] * 4
    for _ in range(3):
        await calls.end_first()
    assert calls.begun == ["a"] * 4 + ["big"]
    await calls.give_up_all()


async def test_what_a_turn_turned_out_to_weigh_counts_from_then_on() -> None:
    turns = RunTurns(total=10, each=6)
    calls = Calls(turns)
    async with turns.taken("a", 1) as turn:
        turn.weighs(6)
        await calls.ask("a")
        assert calls.begun == []
        turn.weighs(2)
        await settled()
        assert calls.begun == ["a"]
    await calls.give_up_all()


async def test_who_comes_while_others_have_yet_to_wake_goes_after_them() -> None:
    turns, order = RunTurns(total=8, each=8), list[int]()

    async def take(number: int) -> None:
        async with turns.taken("a", 1):
            order.append(number)
            await asyncio.sleep(0.01)  # sleeps: work

    async with turns.taken("a", 8) as large:
        first = [asyncio.create_task(take(number)) for number in range(3)]
        await asyncio.sleep(0)
        large.weighs(1)  # the three have their turns now, and wake in the loop's next round
        await take(3)
        await asyncio.gather(*first)
    assert order == [0, 1, 2, 3]
