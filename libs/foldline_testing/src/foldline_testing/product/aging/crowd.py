"""People who do everything again and again, and keep nothing: their chats are deleted."""

import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from agent_contracts.errors import Failure
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.stack import Stack

_HELPER = {"name": "spawn_session", "arguments": {"task": "[helper] dig"}}
_FILE = {"name": "file_create", "arguments": {"path": "note-{{ match.n }}.txt", "text": "tea"}}
_CODE = {"name": "run_sandbox_code", "arguments": {"code": "return [1, 2, 3].map(x => x * 2)"}}
_STATE = {"name": "set_state", "arguments": {"key": "plants", "value": "wet"}}
_LARGE = {"name": "selftest_big", "arguments": {"bytes": 300_000}}
SCRIPT: dict[str, Any] = {
    "rules": [
        {
            "when": {"user_matches": r"\[helper\] (?P<what>.*)"},
            "turns": [{"tool_calls": [{"name": "report_result", "arguments": {"result": "done"}}]}],
        },
        {"when": {"user_contains": "by a helper"}, "turns": [{"tool_calls": [_HELPER]}, {"text": "Done."}]},
        {
            "when": {"user_matches": r"write (?P<n>\d+)"},
            "turns": [{"tool_calls": [_FILE]}, {"text": "Written."}],
        },
        {"when": {"user_contains": "compute"}, "turns": [{"tool_calls": [_CODE]}, {"text": "Computed."}]},
        {"when": {"user_contains": "remember"}, "turns": [{"tool_calls": [_STATE]}, {"text": "Kept."}]},
        {"when": {"user_contains": "large"}, "turns": [{"tool_calls": [_LARGE]}, {"text": "Read."}]},
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}
_SAID = ("hello", "compute", "remember", "large", "by a helper", "write 1", "write 2")


class AgingCrowd:
    """So many people at once, until they are told to stop. `turns` are those that ended."""

    def __init__(self, stack: Stack, people: int = 6) -> None:
        self._stack = stack
        self._people = people
        self._stopped = threading.Event()
        self._changing = threading.Lock()
        self.turns = 0
        self.failures: list[str] = []

    def run(self, watch: Callable[[], None]) -> None:
        """Chat while `watch` looks; what a person sees fail is kept."""
        with ThreadPoolExecutor(self._people) as pool:
            for number in range(self._people):
                pool.submit(self._person, number)
            try:
                watch()
            finally:
                self._stopped.set()

    def _person(self, number: int) -> None:
        chance = random.Random(number)
        with self._stack.gateway() as door:
            while not self._stopped.is_set():
                try:
                    self._chat(door, chance)
                except Failure as failure:
                    self.failures.append(f"{failure.kind}: {failure.message}")
                    time.sleep(1)

    def _chat(self, door: Gateway, chance: random.Random) -> None:
        turn = ChatTurn(door, None)
        for _ in range(chance.randint(1, 4)):
            turn.say(chance.choice(_SAID))
            for _ in turn.pieces():
                pass
            with self._changing:
                self.turns += 1
        session = turn.session_id
        if chance.random() < 0.2:
            last = door.get(f"/sessions/{session}")["last_sequence"]
            fork = door.post(f"/sessions/{session}:fork", {"at": str(last)})["id"]
            door.delete(f"/sessions/{fork}")
        door.delete(f"/sessions/{session}")
