"""What a session costs to keep, and that nothing of what the model saw is lost by that."""

import asyncio
from collections import deque
from collections.abc import Iterator
from typing import Any

import pytest

from agent_contracts.log.subjects import BLOB_STREAM, LOG_STREAM
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.chaos.log_view import log_view
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack

_STEP = {
    "name": "set_state",
    "arguments": {"key": "count", "value": "{{ step }}"},
    "each": "[step] if step <= match.n | int else []",
}
SCRIPT = {
    "rules": [
        {
            "when": {"user_matches": r"do (?P<n>\d+) steps"},
            "reply": {"text": "A sentence about it.", "tool_calls": [_STEP]},
        }
    ]
}


@pytest.fixture(scope="module")
def model(shared_model: ModelServer) -> Iterator[ModelServer]:
    """Keeps the last two requests of a turn only: each holds the whole history."""
    shared_model.play(SCRIPT)
    recording = shared_model.recording
    all_kept, recording.requests = recording.requests, deque(maxlen=2)
    yield shared_model
    recording.requests = all_kept


def stored(stack: Stack) -> int:
    """Bytes of the log and the blobs."""

    async def sizes() -> int:
        async with log_view(stack.data_dir) as view:
            return await view.size_of(LOG_STREAM) + await view.size_of(BLOB_STREAM)

    return asyncio.run(sizes())


def sees_what_it_saw(door: Gateway, session: str, received: Any) -> None:
    """The model call that this request was made for is shown with just what was sent."""
    number = 1 + sum(message["role"] == "assistant" for message in received.messages)
    shown = door.get(f"/sessions/{session}/model-calls/{number}")["request"]
    assert shown["messages"] == received.messages
    assert shown["tools"] == received.body["tools"]


def lives(door: Gateway, stack: Stack, model: ModelServer, *steps: int) -> int:
    """The bytes of a session of so many turns of so many steps; of each turn the last calls are looked at."""
    before = stored(stack)
    session = door.post("/sessions", {"token_limit": 10**12})["id"]
    turn = ChatTurn(door, session)
    kept: list[Any] = []
    for number in steps:
        turn.say(f"do {number} steps")
        for _ in turn.pieces():
            pass
        assert turn.status == "idle"
        kept += model.recording.requests
        model.recording.requests.clear()
    size = stored(stack) - before
    assert len(kept) >= len(steps)
    for received in kept:
        sees_what_it_saw(door, session, received)
    return size


def check_that_storage_is_flat(door: Gateway, stack: Stack, model: ModelServer, steps: int) -> None:
    lives(door, stack, model, 1, 1, 1)  # what all sessions share is stored with the first
    nothing = lives(door, stack, model, 0, 0, 0)
    few = (lives(door, stack, model, 1, 4, 5) - nothing) / 10
    many = (lives(door, stack, model, 1, steps // 2 - 1, steps // 2) - nothing) / steps
    assert many == pytest.approx(few, rel=0.1), f"bytes a step: {many:.0f} of {steps}, {few:.0f} of 10"


@pytest.mark.timeout(300)
def test_a_step_takes_as_much_room_after_many_as_after_few_and_shows_what_the_model_saw(
    door: Gateway, stack: Stack, model: ModelServer
) -> None:
    check_that_storage_is_flat(door, stack, model, steps=30)


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_a_step_takes_as_much_room_after_1000_as_after_10(
    door: Gateway, stack: Stack, model: ModelServer
) -> None:
    check_that_storage_is_flat(door, stack, model, steps=1_000)
