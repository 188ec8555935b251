"""A bug in building a request, or in reading its answer, ends the call at once and names no secret."""

from collections.abc import AsyncGenerator

import pytest

from agent_contracts.ids import CallId, SessionId
from agent_contracts.session_events.results import ModelFailure, Usage
from foldline_testing.model_caller.calling import QUICK
from model_caller.answers.answer import AnswerEnding, AnswerPiece, Assembly
from model_caller.answers.failures import explain
from model_caller.calls.deltas import DeltaChannel
from model_caller.calls.generating import NoListeners
from model_caller.calls.model_asker import ModelAsker
from model_caller.choosing.target import ModelTarget
from session_domain.model_requests.request import ModelRequest

KEY = "an-unusual-key\u200b"


class Broken:
    """A provider whose library fails on the request."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.asked = 0

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
        self.asked += 1
        if self.asked:
            raise self.error
        yield AnswerPiece("never")


@pytest.mark.parametrize(
    "error",
    [
        UnicodeEncodeError("ascii", f"Bearer {KEY}", 21, 22, "ordinal not in range(128)"),
        ValueError(f"Illegal header value b'Bearer {KEY}'"),
        TypeError(KEY),
        KeyError(KEY),
    ],
    ids=["character", "header", "type", "missing"],
)
async def test_it_is_asked_once_and_told_without_the_key(error: Exception) -> None:
    provider, target = Broken(error), ModelTarget("openai/x", "http://127.0.0.1:9/v1", KEY)
    channel = DeltaChannel("", SessionId("s_1"), CallId("c_1"))
    outcome = await ModelAsker(provider, NoListeners(), QUICK).ask(
        ModelRequest("openai/x", [], []), target, channel
    )
    assert provider.asked == outcome.attempts == 1
    assert outcome.fault is not None
    assert outcome.fault.failure is ModelFailure.INTERNAL
    assert not outcome.fault.transient
    told = explain(outcome.fault, target, 1) + repr(outcome.fault)
    assert "unusual" not in told
    assert any(words in told for words in ("U+200B at position 22", type(error).__name__))
