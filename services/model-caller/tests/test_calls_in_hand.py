"""Calls that have not ended are told as numbers: a model that became slow is seen by them alone."""

import asyncio
from collections.abc import AsyncGenerator

from agent_contracts.ids import CallId, SessionId
from agent_contracts.session_events.results import Usage
from foldline_testing.model_caller.calling import QUICK
from model_caller.answers.answer import AnswerEnding, AnswerPiece, Assembly
from model_caller.calls.calls_in_hand import CallsInHand
from model_caller.calls.deltas import DeltaChannel
from model_caller.calls.generating import NoListeners
from model_caller.calls.model_asker import ModelAsker
from model_caller.choosing.target import ModelTarget
from session_domain.model_requests.request import ModelRequest


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


class Slow:
    """Answers when it is told to, with signs of life before."""

    def __init__(self) -> None:
        self.asked, self.begins, self.ends = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def warm_up(self, target: ModelTarget) -> None:
        """Nothing to do."""

    async def window(self, target: ModelTarget) -> int | None:
        """Nobody says."""
        return None

    async def count(self, request: ModelRequest, said: Assembly) -> Usage:
        return Usage(0, 0)

    async def stream(
        self, request: ModelRequest, target: ModelTarget
    ) -> AsyncGenerator[AnswerPiece | AnswerEnding, None]:
        self.asked.set()
        yield AnswerPiece()
        await self.begins.wait()
        yield AnswerPiece("At last")
        await self.ends.wait()
        yield AnswerEnding("stop", Usage(1, 1))


def told(in_hand: CallsInHand) -> dict[tuple[str, str, str], float]:
    return {
        (sample.name.rpartition("_")[2], sample.labels["model"], sample.labels["state"]): sample.value
        for metric in in_hand.collect()
        for sample in metric.samples
        if sample.value
    }


async def until(in_hand: CallsInHand, state: str) -> None:
    async with asyncio.timeout(10):
        while ("hand", "openai/x", state) not in told(in_hand):  # noqa: ASYNC110 — nothing tells
            await asyncio.sleep(0.005)


async def test_a_call_is_told_as_waiting_then_as_answering_and_then_no_more() -> None:
    clock, provider = Clock(), Slow()
    in_hand = CallsInHand(clock)
    asker = ModelAsker(provider, NoListeners(), QUICK, in_hand=in_hand)
    channel = DeltaChannel("", SessionId("s_1"), CallId("c_1"))
    assert told(in_hand) == {}
    call = asyncio.create_task(
        asker.ask(ModelRequest("openai/x", [], []), ModelTarget("openai/x", "http://127.0.0.1:9/v1"), channel)
    )
    await until(in_hand, "waiting")
    clock.now += 40
    assert told(in_hand) == {("hand", "openai/x", "waiting"): 1, ("seconds", "openai/x", "waiting"): 40}
    provider.begins.set()
    await until(in_hand, "answering")
    assert told(in_hand) == {("hand", "openai/x", "answering"): 1, ("seconds", "openai/x", "answering"): 40}
    provider.ends.set()
    assert (await call).answer is not None
    assert told(in_hand) == {}
    assert sum(len(metric.samples) for metric in in_hand.collect()) == 4, "0, and not nothing"
