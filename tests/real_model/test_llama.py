"""Chats with a real model on a real llama.cpp, by `make real-model`. It takes minutes.

What a model says is never asserted: these are the smallest that there are.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from foldline_testing.product.llama import Llama
from foldline_testing.product.real_chat import RealChat
from foldline_testing.product.stack import Stack

pytestmark = pytest.mark.real_model
INSTALLED = Path(__file__).parents[2] / ".make" / "real-model"
NARROW, WIDE = 4_096, 8_192
KEPT = 0.98
"""The part of a prompt that the server must have kept when the next one comes. The rest is where both end."""


class Served:
    """A model with a Foldline that uses it."""

    def __init__(self, weights: str, window: int, folder: Path, settings: Mapping[str, str]) -> None:
        self.llama = Llama(INSTALLED, weights, window, folder / "llama.log")
        self._folder = folder
        self._settings = settings
        self._open = ExitStack()

    def __enter__(self) -> "Served":
        self._open.enter_context(self.llama)
        stack = self._open.enter_context(
            Stack(self._folder / "data", env={**self.llama.environment(), **self._settings})
        )
        self.door = self._open.enter_context(stack.gateway())
        return self

    def __exit__(self, *how: object) -> None:
        self._open.close()

    def chat(self) -> RealChat:
        """A new session."""
        return RealChat(self.door)


def kept(usage: dict[str, Any]) -> int:
    """The tokens of a prompt that the server had read before."""
    return int(usage.get("cached_input", 0))


def served(weights: str, window: int, folders: pytest.TempPathFactory, **settings: str) -> Iterator[Served]:
    with Served(weights, window, folders.mktemp(weights), settings) as running:
        yield running


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """SmolLM2 with as much window as it has."""
    yield from served("smollm2", WIDE, tmp_path_factory)


def read_once(chat: RealChat, texts: tuple[str, ...]) -> None:
    """Say these, and look how much of each prompt the server still had from the one before."""
    for text in texts:
        chat.say(text)
        assert (chat.turn.status, chat.turn.failure) == ("idle", None)
    read = [one["usage"] for one in chat.events("model_call_completed")]
    print("\ntokens of each prompt, and those kept from before:", [(one["input"], kept(one)) for one in read])
    for before, now in pairwise(read):
        assert kept(now) >= KEPT * before["input"], "what it had read was changed"


def test_a_chat_streams_and_ends_and_its_prompt_is_read_once(wide: Served) -> None:
    chat = wide.chat()
    pieces = chat.say("Say hello to Ada.")
    assert (chat.turn.status, chat.turn.failure) == ("idle", None)
    assert len(pieces) > 1, "it came in one piece"
    assert "".join(pieces).strip()
    print("\nit told of the prompt", chat.passing)
    assert re.fullmatch(r"Reading the prompt, \d+ %", chat.passing[0])
    read_once(chat, ("And to Grace.", "And to both."))
    chat.replays()


def test_so_is_the_long_prompt_of_an_ordinary_model(tmp_path_factory: pytest.TempPathFactory) -> None:
    """With all tools and rules, as for a model that isn't known to be small."""
    settings = {"FOLDLINE_SMALL_MODELS": "none", "FOLDLINE_ANSWER_LIMIT": "64"}
    for running in served("qwen-coder", 2 * WIDE, tmp_path_factory, **settings):
        chat = running.chat()
        read_once(
            chat, tuple(f"What is {number} and {number}? Answer by one number." for number in range(1, 6))
        )
        chat.replays()


def test_a_server_that_dies_in_the_middle_of_an_answer_and_comes_back_is_asked_again(wide: Served) -> None:
    chat = wide.chat()
    chat.turn.say("Count from one to two hundred, in words, one on each line.")
    said = chat.turn.pieces()
    next(piece for piece in said if piece.answer)
    wide.llama.kill()
    wide.llama.start()
    rest = [piece.text for piece in said]
    if chat.turn.failure is not None:  # it took longer to come back than a call is tried for
        chat.turn.retry()
        rest += [piece.text for piece in chat.turn.pieces()]
    assert (chat.turn.status, chat.turn.failure) == ("idle", None), rest
    [answer] = [one for one in chat.events("model_call_completed") if one["text"].strip()][-1:]
    assert answer["attempts"] > 1 or chat.events("model_call_failed")
    chat.replays()


@pytest.mark.parametrize("window", [NARROW, WIDE])
def test_a_chat_that_grows_beyond_the_window_goes_on(
    window: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for running in served("smollm2", window, tmp_path_factory):
        chat = running.chat()
        story = " ".join(f"On day {day} the ship sailed {day * 7 % 50} miles." for day in range(window // 24))
        for text in (story, f"{story} Then it came home. Where is the ship?"):
            chat.say(text)
            assert (chat.turn.status, chat.turn.failure) == ("idle", None)
        assert chat.events("model_call_failed"), "it never grew beyond the window"
        assert chat.events("messages_shadowed"), "nothing was summarised"
        chat.replays()


def test_a_model_that_writes_its_calls_as_text_sets_a_state(tmp_path_factory: pytest.TempPathFactory) -> None:
    """It does so without the mark by which llama.cpp would know a call."""
    for running in served("qwen-coder", WIDE, tmp_path_factory, FOLDLINE_TEXT_CALLS="all"):
        chat = running.chat()
        chat.say('Call the tool set_state with the key "color" and the value "blue". Do nothing else.')
        called = [(one["tool"], one["arguments"]) for one in chat.events("tool_call_requested")]
        print("\nit said", [one["text"] for one in chat.events("model_call_completed")])
        print("it called", json.dumps(called))
        assert called[:1] == [("set_state", {"key": "color", "value": "blue"})]
        assert chat.events("tool_call_completed"), "it was called, and failed"
        chat.replays()
