"""How many of ten short tasks a small model ends right, with the preset for small models. Run it by hand:

.venv/bin/python tests/real_model/small_tasks.py FOLDER WEIGHTS...

FOLDER has `wheel/`, as `make real-model` makes it, and WEIGHTS.gguf for each of the models.
"""

import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Failure
from foldline.cli.client import Gateway
from foldline_testing.product.llama import Llama
from foldline_testing.product.real_chat import RealChat
from foldline_testing.product.stack import Stack

_WINDOW = 8_192
_SETTINGS = {"FOLDLINE_TEXT_CALLS": "all", "FOLDLINE_SMALL_MODELS": "all", "FOLDLINE_ANSWER_LIMIT": "200"}
"""llama.cpp knows no calls of this model's, which writes them as text."""
_STORED = {"city": "Oslo", "owner": "Ada Lovelace"}
"""State that the agent has before."""


class Task(msgspec.Struct, frozen=True):
    """What is said, one message after the other, and whether it ended right."""

    says: Sequence[str]
    is_right: Callable[[RealChat], bool]


def _answer(chat: RealChat) -> str:
    """The last text that people read."""
    texts = [one["text"] for one in chat.events("model_call_completed")]
    return str(texts[-1]) if texts else ""


def _says(pattern: str) -> Callable[[RealChat], bool]:
    return lambda chat: re.search(pattern, _answer(chat), re.IGNORECASE) is not None


def _ran(tool: str, fits: Callable[[dict[str, Any]], bool]) -> Callable[[RealChat], bool]:
    """A call of this tool, with arguments that fit, came to its end."""

    def is_right(chat: RealChat) -> bool:
        done = {one["call_id"] for one in chat.events("tool_call_completed")}
        calls = [one for one in chat.events("tool_call_requested") if one["tool"] == tool]
        return any(one["call_id"] in done and fits(one["arguments"]) for one in calls)

    return is_right


def _both(*each: Callable[[RealChat], bool]) -> Callable[[RealChat], bool]:
    return lambda chat: all(one(chat) for one in each)


TASKS = {
    "set a text": Task(
        ["Set the state key colour to blue."],
        _ran("set_state", lambda given: given == {"key": "colour", "value": "blue"}),
    ),
    "set a number": Task(
        ["Store the number 7 under the state key count."],
        _ran("set_state", lambda given: given == {"key": "count", "value": 7}),
    ),
    "get": Task(
        ["What is in the state key city?"],
        _both(_ran("get_state", lambda given: given.get("key") == "city"), _says("oslo")),
    ),
    "get in other words": Task(
        ["Read the state key owner and tell me its value."],
        _both(_ran("get_state", lambda given: given.get("key") == "owner"), _says("lovelace")),
    ),
    "run code": Task(
        ["Run Python code that prints 17 * 23, and tell me the result."],
        _both(_ran("run_sandbox_code", lambda _: True), _says("391")),
    ),
    "set a reminder": Task(
        ["Remind me tomorrow at 9:00 to water the plants."],
        _ran("set_reminder", lambda given: "plants" in str(given.get("message"))),
    ),
    "count": Task(["What is 2 + 3? Answer with the number alone."], _says(r"\b5\b")),
    "translate": Task(["Translate 'good morning' into French."], _says("bonjour")),
    "a fact": Task(["What is the capital of Italy?"], _says("rom[ae]")),
    "remember": Task(["My name is Grace.", "What is my name?"], _says("grace")),
}


def _ended_right(door: Gateway, task: Task) -> tuple[bool, str]:
    """Whether it did, and what the model did."""
    chat = RealChat(door)
    for text in task.says:
        chat.say(text)
    calls = [f"{one['tool']} {one['arguments']}" for one in chat.events("tool_call_requested")]
    seen = "; ".join([*calls, repr(_answer(chat))])
    settled = (chat.turn.status, chat.turn.failure) == ("idle", None)
    return settled and task.is_right(
        chat
    ), seen if settled else f"{chat.turn.failure or chat.turn.status}; {seen}"


def measure(installed: Path, weights: str) -> None:
    """Print a line for each task, then how many ended right."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Llama(installed, weights, _WINDOW, Path(folder) / "llama.log") as llama,
        Stack(Path(folder) / "data", env={**llama.environment(), **_SETTINGS}) as stack,
        stack.gateway() as door,
    ):
        for key, value in _STORED.items():
            door.put(f"/agents/{DEFAULT_AGENT}/state/{key}", {"value": value})
        right = 0
        for name, task in TASKS.items():
            began = time.monotonic()
            try:
                is_right, seen = _ended_right(door, task)
            except Failure as failure:
                is_right, seen = False, failure.message
            right += is_right
            took = time.monotonic() - began
            print(f"{'right' if is_right else 'wrong'}  {took:4.0f} s  {name}: {seen[:300]}", flush=True)
    print(f"{weights}: {right} of {len(TASKS)} ended right", flush=True)


if __name__ == "__main__":
    for each in sys.argv[2:]:
        measure(Path(sys.argv[1]).absolute(), each)
