"""What makes memory grow, and how far: many chats, large results, code of agents that takes what it gets."""

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agent_contracts.api.turns import GOES_ON
from bench.memory import weights
from bench.table import Figure
from foldline.cli.client import Gateway
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack

GROUP = "memory"
CHATS, TURNS = 100, 5
RESULTS, RESULT_MB = 40, 5
RUNS = 16
_TOGETHER = 16
_LOOK_EACH_S = 0.1
_QUIET_S = 5.0


def takes_100_mb(for_ms: int) -> str:
    """Code of an agent that takes that much, and keeps it for so long."""
    return f"""
const taken = [];
for (let i = 0; i < 100; i++) taken.push(new Uint8Array(1e6).fill(i));
await new Promise(resolve => setTimeout(resolve, {for_ms}));
return taken.length;
"""


_SCRIPT: dict[str, Any] = {
    "rules": [
        {
            "when": {"user_contains": "large"},
            "turns": [
                {"tool_calls": [{"name": "selftest_big", "arguments": {"bytes": RESULT_MB * 1_000_000}}]},
                {"text": "Done."},
            ],
        },
        {
            "when": {"user_contains": "take"},
            "turns": [
                {"tool_calls": [{"name": "run_sandbox_code", "arguments": {"code": takes_100_mb(2_000)}}]},
                {"text": "Done."},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


async def measure(folder: Path, *, processes: bool) -> list[Figure]:
    """Resident memory by process: idle, at the peak of each load, and some seconds after all of them."""
    return await asyncio.to_thread(_measure, folder, processes)


def _measure(folder: Path, processes: bool) -> list[Figure]:
    how = "--processes" if processes else "one process"
    found: list[Figure] = []

    def add(when: str, by_name: dict[str, float]) -> None:
        found.append(Figure(GROUP, f"{how}, {when}: RSS of everything", sum(by_name.values()), "MB"))
        for name, megabytes in sorted(by_name.items(), key=lambda pair: -pair[1]):
            found.append(Figure(GROUP, f"  {how}, {when}: {name}", megabytes, "MB"))

    with ModelServer(_SCRIPT) as model:
        env = model.environment() | {"FOLDLINE_SELFTEST_TOOLS": "true"}
        with Stack(folder / "data", processes=processes, env=env, python=sys.executable) as stack:
            loads: tuple[tuple[str, Callable[[], None]], ...] = (
                (f"{CHATS} chats of {TURNS} turns", lambda: _say(stack, CHATS, "hello", TURNS)),
                (f"{RESULTS} results of {RESULT_MB} MB", lambda: _say(stack, RESULTS, "large", 1)),
                ("the same once more", lambda: _say(stack, RESULTS, "large", 1)),
                (f"{RUNS} runs of code that take 100 MB", lambda: _say(stack, RUNS, "take", 1)),
            )
            _say(stack, 1, "hello", 1)
            time.sleep(_QUIET_S)
            add("idle", _resident(stack))
            for when, load in loads:
                with _peak(stack) as peak:
                    load()
                add(f"peak of {when}", peak)
            time.sleep(_QUIET_S)
            add("after it", _resident(stack))
    return found


def _say(stack: Stack, sessions: int, text: str, turns: int) -> None:
    """In so many sessions at a time, and wait for the answers."""

    def chat(_: int) -> None:
        with stack.gateway() as door:
            session = door.post("/sessions", {})["id"]
            for _ in range(turns):
                _answered(door, session, text)

    with ThreadPoolExecutor(_TOGETHER) as pool:
        list(pool.map(chat, range(sessions)))


def _answered(door: Gateway, session: str, text: str) -> None:
    said = door.post(f"/sessions/{session}/messages", {"text": text})
    turn = door.get(f"/sessions/{session}/turns/{said['sequence']}", wait=25)
    while turn["status"] in GOES_ON:
        turn = door.get(f"/sessions/{session}/turns/{said['sequence']}", wait=25)
    if turn["status"] != "completed":
        raise RuntimeError(f"{text}: {turn}")


def _resident(stack: Stack) -> dict[str, float]:
    return {one.name: one.rss for one in weights(stack.pid)}


@contextmanager
def _peak(stack: Stack) -> Iterator[dict[str, float]]:
    """The most that each process has within the block."""
    most: dict[str, float] = {}
    over = threading.Event()

    def look() -> None:
        while not over.wait(_LOOK_EACH_S):
            for name, megabytes in _resident(stack).items():
                most[name] = max(most.get(name, 0.0), megabytes)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield most
    finally:
        over.set()
        looking.join()
