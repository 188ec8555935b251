"""Answers have a limit on their tokens, which servers are told, and which holds if they do not keep it."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from agent_contracts.session_events.results import ModelCallCompleted
from foldline_testing.model_caller.servers import HEAD, Asked, events
from foldline_testing.model_caller.ways import WAYS, Way
from model_caller.calls.answer_limits import LONGEST, SHORTEST, answer_limit
from session_domain.domain.state import Status
from session_domain.domain.window import KnownWindow
from session_domain.model_requests.request import ModelRequest


def request(tokens: int) -> ModelRequest:
    """A request that takes about so many tokens."""
    return ModelRequest("m", [{"role": "user", "content": "x" * 4 * tokens}], [])


@pytest.mark.parametrize(
    ("chosen", "window", "takes", "limit"),
    [
        (None, None, 100, None),
        (700, None, 100, 700),
        (None, 4_096, 500, 1_024),
        (None, 8_192, 1_000, 2_048),
        (None, 10**6, 1_000, LONGEST),
        (2_000, 8_192, 1_000, 2_000),
        (20, 8_192, 1_000, 20),
        (None, 8_192, 9_000, SHORTEST),
        (20, 8_192, 9_000, 20),
    ],
)
def test_the_limit_goes_by_what_a_person_says_and_the_window(
    chosen: int | None, window: int | None, takes: int, limit: int | None
) -> None:
    assert answer_limit(chosen, KnownWindow("m", window), request(takes)) == limit


def test_it_is_never_more_than_the_window_leaves() -> None:
    takes = request(7_000)
    limit = answer_limit(None, KnownWindow("m", 8_192), takes)
    assert limit is not None
    assert limit > SHORTEST
    assert limit + takes.tokens <= 8_192
    off = answer_limit(None, KnownWindow("m", 8_192, percent=110), takes)
    assert off is not None
    assert off < limit, "what the own count is off by is known"


FACTS = {"/v1/models": {"data": [{"id": "x", "max_model_len": 4_096}]}}


@pytest.fixture
def server() -> Way:
    """A server of one's own."""
    return Way(*WAYS["openai"])


async def test_a_server_is_told_the_limit_and_it_is_recorded(server: Way) -> None:
    answers = [server.says(server.speech.text("Oslo"), end="length")]
    async with server.chat(answers, facts=FACTS) as (conversation, seen):
        await conversation.say("hello")
        [answer] = await conversation.answers()
    assert seen[0].body["max_tokens"] == 1_024
    assert isinstance(answer, ModelCallCompleted)
    assert (answer.max_tokens, answer.incomplete) == (1_024, "length")


async def test_a_person_may_choose_another_and_an_unknown_window_has_none(server: Way) -> None:
    answers = [server.says(server.speech.text("Oslo"))]
    async with server.chat(answers, caps={"answer_limit": 300}) as (conversation, seen):
        await conversation.say("hello")
    assert seen[0].body["max_tokens"] == 300
    async with server.chat(answers) as (conversation, seen):
        await conversation.say("hello")
    assert "max_tokens" not in seen[0].body


async def test_a_server_that_does_not_keep_to_it_is_left(server: Way) -> None:
    chance = random.Random(3)

    def parts(_: Asked) -> Iterator[bytes]:
        yield HEAD
        while True:
            yield events(*server.speech.text(f"{chance.random()} "))

    more: dict[str, Any] = {"facts": FACTS}
    async with server.chat(parts, **more) as (conversation, seen):
        await conversation.say("count")
        [answer] = await conversation.answers()
        state = await conversation.state()
    assert isinstance(answer, ModelCallCompleted)
    assert (answer.incomplete, state.status, len(seen)) == ("length", Status.IDLE, 1)
    assert 1_024 < len(answer.text) < 20_000
