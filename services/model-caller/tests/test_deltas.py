"""Pieces of an answer: all of an attempt that ended well, and nothing more of one that failed."""

import asyncio

import msgspec
import pytest

from agent_contracts.ids import CallId, SessionId
from agent_contracts.questions.queries import Delta
from model_caller.calls.deltas import DeltaChannel, Deltas

CHANNEL = DeltaChannel("live.s_1", SessionId("s_1"), CallId("c_1"))


class Heard:
    """Whoever listens."""

    def __init__(self) -> None:
        self.deltas: list[Delta] = []
        self.came = asyncio.Event()

    async def publish(self, subject: str, data: bytes) -> None:
        assert subject == CHANNEL.subject
        self.deltas.append(msgspec.json.decode(data, type=Delta))
        self.came.set()

    @property
    def text(self) -> str:
        return "".join(one.text for one in self.deltas)


async def said(heard: Heard, *, fails: bool = False) -> None:
    """The first piece is told at once; all that follows within an hour is one more."""
    async with Deltas(heard, CHANNEL, 2, interval_s=3_600) as deltas:
        deltas.text("one ")
        await asyncio.wait_for(heard.came.wait(), 60)
        deltas.text("two ")
        deltas.tool("look")
        deltas.text("three\ud83d")
        if fails:
            raise ConnectionError


async def test_what_is_left_at_a_good_end_is_told_in_order_and_in_one() -> None:
    heard = Heard()
    await said(heard)
    assert [(one.index, one.attempt, one.text, one.tool) for one in heard.deltas] == [
        (0, 2, "one ", None),
        (1, 2, "two three\ufffd", None),
        (2, 2, "", "look"),
    ]


async def test_what_a_failed_attempt_had_still_to_say_is_told_to_nobody() -> None:
    heard = Heard()
    with pytest.raises(ConnectionError):
        await said(heard, fails=True)
    assert [one.text for one in heard.deltas] == ["one "]


async def test_a_quiet_one_tells_nobody() -> None:
    heard = Heard()
    async with Deltas(heard, msgspec.structs.replace(CHANNEL, quiet=True), 1, interval_s=0) as deltas:
        deltas.prompt_read(50)
        deltas.text("one")
    assert heard.deltas == []
