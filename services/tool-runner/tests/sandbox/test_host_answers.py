"""Answers to code: how much of them is under way, and who waits behind whose."""

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest

from agent_contracts.json_value import Json
from foldline_testing.agent_platform.eventually import all_had_their_turn
from tool_runner.sandbox.host_answers import AT_ONCE, OF_ONE_AGENT, HostAnswers, HostCallRequest
from tool_runner.sandbox.limits import MIB, RunLimits
from tool_runner.sandbox.messages import VALUE, HostCallAnswer, MessageInbox, StartRun, ToWorker
from tool_runner.sandbox.outbox import Outbox

LARGE = 1_000_000


class Store:
    """A host whose values have a megabyte under `big`; notes how many bytes were asked for and not sent."""

    def __init__(self) -> None:
        self.under_way: dict[str, int] = {}
        self.most = 0

    async def call(self, name: str, arguments: list[Json]) -> Json:
        await asyncio.sleep(0)
        return "x" * (LARGE if name == "big" else 1)

    def waits(self, name: str) -> bool:
        return name == "waits"

    async def send(self, answers: HostAnswers, agent: str, name: str) -> int:
        """Have an answer, and take some time to send it; the bytes that were under way meanwhile."""
        async with answers.to(HostCallRequest(agent, name, b"[]", {}), self) as (kind, value):
            assert kind == VALUE
            self.under_way[agent] = self.under_way.get(agent, 0) + len(value)
            most = self.most = max(self.most, sum(self.under_way.values()))
            await asyncio.sleep(0.001)  # sleeps: quiet
            self.under_way[agent] -= len(value)
            return most


async def test_answers_of_megabytes_are_under_way_a_few_at_a_time() -> None:
    answers, store = HostAnswers(), Store()
    await store.send(answers, "busy", "big")
    await asyncio.gather(*(store.send(answers, "busy", "big") for _ in range(50)))
    assert LARGE <= store.most <= OF_ONE_AGENT
    for agent in range(20):
        await store.send(answers, f"a{agent}", "big")
    await asyncio.gather(*(store.send(answers, f"a{n % 20}", "big") for n in range(100)))
    assert OF_ONE_AGENT < store.most <= AT_ONCE


async def test_what_waits_for_others_counts_once_it_is_there() -> None:
    answers, store = HostAnswers(), Store()
    waiting, end = HostAnswers(), asyncio.Event()

    class Slow(Store):
        async def call(self, name: str, arguments: list[Json]) -> Json:
            await end.wait()
            return await super().call("big", arguments)

    slow = Slow()
    calls = [asyncio.create_task(slow.send(waiting, "busy", "waits")) for _ in range(50)]
    await asyncio.sleep(0)
    async with asyncio.timeout(60):
        await store.send(waiting, "busy", "small")
    end.set()
    await asyncio.gather(*calls)
    assert slow.most <= OF_ONE_AGENT
    assert await store.send(answers, "other", "small") == 3


@pytest.fixture
async def ends() -> AsyncIterator[tuple[Outbox, socket.socket]]:
    """The way to a worker, and that worker's end of it."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    _, writer = await asyncio.open_connection(sock=ours)
    outbox = Outbox(writer)
    yield outbox, theirs
    await outbox.close()
    writer.close()
    theirs.close()


async def received(theirs: socket.socket, count: int) -> list[str]:
    """Whose messages came, in order; runs have numbers."""
    inbox, loop, came = MessageInbox(ToWorker), asyncio.get_running_loop(), list[str]()
    while len(came) < count:
        for message in inbox.feed(await loop.sock_recv(theirs, MIB)):
            assert isinstance(message, HostCallAnswer | StartRun)
            came.append("start" if isinstance(message, StartRun) else "busy" if message.run == 1 else "other")
    return came


async def test_answers_to_one_agent_keep_neither_a_start_nor_another_agents_answer_waiting(
    ends: tuple[Outbox, socket.socket],
) -> None:
    outbox, theirs = ends
    busy = [outbox.deliver("busy", HostCallAnswer(1, n, VALUE, b"x" * 4 * LARGE)) for n in range(10)]
    sending = [asyncio.create_task(one) for one in busy]
    await all_had_their_turn()
    assert not any(one.done() for one in sending), "nobody reads"
    outbox.put(StartRun(3, b"{}", {}, RunLimits(), 1, 0, 0))
    sending.append(asyncio.create_task(outbox.deliver("other", HostCallAnswer(2, 1, VALUE, b"1"))))
    await asyncio.sleep(0)
    came = await received(theirs, 12)
    assert came[:4] == ["busy", "start", "busy", "other"], came
    await asyncio.gather(*sending)


async def test_an_answer_that_nobody_wants_any_more_is_not_sent(ends: tuple[Outbox, socket.socket]) -> None:
    outbox, theirs = ends
    first = asyncio.create_task(outbox.deliver("busy", HostCallAnswer(1, 1, VALUE, b"x" * 4 * LARGE)))
    unwanted = asyncio.create_task(outbox.deliver("busy", HostCallAnswer(1, 2, VALUE, b"x" * 4 * LARGE)))
    await all_had_their_turn()
    unwanted.cancel()
    last = asyncio.create_task(outbox.deliver("other", HostCallAnswer(2, 1, VALUE, b"1")))
    await asyncio.sleep(0)
    assert await received(theirs, 2) == ["busy", "other"]
    await asyncio.gather(first, last)


async def test_nobody_waits_for_a_worker_that_is_gone(ends: tuple[Outbox, socket.socket]) -> None:
    outbox, theirs = ends
    sending = [
        asyncio.create_task(outbox.deliver("busy", HostCallAnswer(1, n, VALUE, b"x" * 4 * LARGE)))
        for n in range(3)
    ]
    await all_had_their_turn()
    theirs.close()
    async with asyncio.timeout(60):
        await asyncio.gather(*sending)
        await outbox.deliver("busy", HostCallAnswer(1, 9, VALUE, b"1"))
