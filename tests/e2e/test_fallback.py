"""A chain of two models at two servers: by API and CLI, and killed at each step of falling back."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agent_platform.process.stop_points import STOP_DIR, arm, has_fired
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.replaying import every_session_replays
from foldline_testing.product.stack import Stack

ASKED, ANSWERED = 1_000, 100
USAGE = {"prompt_tokens": ASKED, "completion_tokens": ANSWERED}
REFUSES = {"rules": [{"reply": {"text": "never", "fault": {"kind": "server_error", "status": 503}}}]}
ANSWERS = {"rules": [{"reply": {"text": "I stand in.", "usage": USAGE, "pace": {"size": 4}}}]}
SECOND = "anthropic/second"
MICROS = ASKED * 2 + ANSWERED * 2
"""What an answer of the second model costs. The first is dearer by far."""
STEPS = (
    ("model.received", 1),
    ("model.held_back", 1),
    ("model.held_back", 2),
    ("model.fell_back", 1),
    ("model.held_back", 3),
    ("model.streaming", 2),
    ("model.answered", 1),
    ("model.offering", 1),
    ("model.recorded", 1),
)
"""The first model is asked twice, then the second one; which of them is held back for, by its number."""


@dataclass(frozen=True)
class Chain:
    """A running Foldline, the server that fails, the one that answers."""

    stack: Stack
    first: ModelServer
    second: ModelServer
    stop_dir: Path


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    folder, stop_dir = tmp_path_factory.mktemp("chain"), tmp_path_factory.mktemp("stops")
    with ModelServer(REFUSES) as first, ModelServer(ANSWERS) as second:
        env = {
            **first.environment(),
            "FOLDLINE_MODEL": f"openai/first, {SECOND}",
            "ANTHROPIC_BASE_URL": second.base_url,
            "ANTHROPIC_API_KEY": "sk-second-0123456789",
            STOP_DIR: str(stop_dir),
            "FOLDLINE_ACK_WAIT": "2",
        }
        with Stack(folder, processes=True, env=env) as stack:
            with stack.gateway() as door:
                prices = {SECOND: {"input": 2, "output": 2}}
                prices |= {f"openai/first-{at}": {"input": 900, "output": 900} for at in range(len(STEPS))}
                door.patch("/settings", {"values": {"prices": prices, "total_cost_limit": 1_000}})
            yield Chain(stack, first, second, stop_dir)
            every_session_replays(stack)


def told(door: Gateway, text: str, model: str | None = None) -> str:
    """A new session in which this was said and answered."""
    turn = ChatTurn(door, None, None, model)
    turn.say(text)
    for _ in turn.pieces():
        pass
    return turn.session_id


def completed(door: Gateway, session: str) -> list[dict[str, Any]]:
    """The answers in its log."""
    page = door.get(f"/sessions/{session}/events", limit=200)["items"]
    return [one["body"] for one in page if one["type"].endswith("model_call_completed.v1")]


def fires(stop_dir: Path, step: str) -> None:
    """Return once a process died at this step."""
    deadline = time.monotonic() + 60
    while not has_fired(stop_dir, step):
        assert time.monotonic() < deadline, step
        time.sleep(0.1)


def nothing_is_held(door: Gateway) -> int:
    """What was spent, in millionths of a dollar, once nothing is held back any more."""
    deadline = time.monotonic() + 60
    while True:
        spending = door.get("/spending")
        if spending["all"]["held"]["tokens"] == 0:
            return int(spending["all"]["total"]["cost_micros"])
        assert time.monotonic() < deadline, spending
        time.sleep(0.3)


@pytest.mark.faults
@pytest.mark.timeout(300)
def test_a_model_caller_killed_at_each_step_of_a_fallback_leaves_one_answer_billed_once(
    chain: Chain,
) -> None:
    with chain.stack.gateway() as door:
        before = nothing_is_held(door)
        for at, (step, nth) in enumerate(STEPS):
            arm(chain.stop_dir, step, nth)
            session = told(door, "hello", f"openai/first-{at}, {SECOND}")
            fires(chain.stop_dir, step)  # a result may be heard of before its writer comes by
            [answer] = completed(door, session)
            assert (answer["text"], answer["model"]) == ("I stand in.", SECOND), step
            assert [(one["model"], one["kind"]) for one in answer["tried"]] == [
                (f"openai/first-{at}", "overloaded")
            ], step
            assert answer["usage"]["cost_micros"] == MICROS, step
            texts = [one["text"] for one in messages(door, session) if one["role"] == "assistant"]
            assert texts == ["I stand in."], step
        spent = nothing_is_held(door) - before
        begun = len(chain.second.recording.requests)
        assert len(STEPS) * MICROS <= spent
        # An attempt whose caller died counts with what was held back for it, at its own model's price.
        assert begun <= 2 * len(STEPS)


def test_a_chain_by_api_and_by_cli_and_a_wrong_one_is_refused_in_words(chain: Chain, tmp_path: Path) -> None:
    foldline = Command(chain.stack.data_dir, tmp_path)
    said = foldline("send", "--model", f"openai/mine, {SECOND}", "hello")
    assert said.code == 0, said.out + said.err
    assert "I stand in." in said.out
    wrong = foldline("send", "--model", "openai/x,,openai/y", "hello")
    assert wrong.code != 0
    assert "a model's name is missing before, between or after its commas" in wrong.out + wrong.err
    wrong = foldline("config", "set", "model_high", "openai/x,openai/x")
    assert wrong.code != 0
    assert "model_high can't be set to this: it names openai/x twice." in " ".join(
        (wrong.out + wrong.err).split()
    )
    assert foldline("config", "set", "model_high", f"openai/high, {SECOND}").code == 0
    with chain.stack.gateway() as door:
        shown = foldline("show", "latest")
        assert shown.code == 0
        [answer] = messages(door, told(door, "hello"))[-1:]
        assert answer["model"] == SECOND
        [tried] = answer["tried"]
        assert tried["message"].startswith("its server failed (503): “The server had an error")
