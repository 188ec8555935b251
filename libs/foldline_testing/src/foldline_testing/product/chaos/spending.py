"""Twenty sessions at once under a cap on money, by two model callers that are killed: it holds."""

import contextlib
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from agent_contracts import service_names
from agent_contracts.errors import Rejected, Transient
from foldline.cli.client import Gateway
from foldline_testing.product.chaos.patience import done
from foldline_testing.product.model_server import MODEL, ModelServer
from foldline_testing.product.stack import Stack

CAP_MICROS = 100_000
"""Ten cents."""
SESSIONS = 20
CAP = "daily_cost_limit"
_ASKED, _ANSWERED = 2_000, 400
_INPUT, _OUTPUT = 0.5, 5.0
OF_A_CALL = _ASKED * _INPUT + _ANSWERED * _OUTPUT
"""Millionths of a dollar that the scripted model takes for each request that it begins with."""
SCRIPT = {
    "rules": [
        {
            "reply": {
                "text": "word " * 80,
                "pace": {"size": 40, "delay": 0.05},
                "usage": {"prompt_tokens": _ASKED, "completion_tokens": _ANSWERED},
            }
        }
    ]
}
ENVIRONMENT = {"FOLDLINE_RETRY_DELAYS": ",".join(["1"] * 16)}
REPLICAS = {service_names.MODEL_CALLER: 2}
_PATIENCE_S = 240.0
State = dict[str, Any]


@dataclass(frozen=True)
class Spending:
    """Sessions that spend. `model` counts each request that was begun, also of callers that died."""

    stack: Stack
    door: Gateway
    model: ModelServer

    def priced(self) -> list[str]:
        """The model has its price; as many new sessions as spend at once."""
        self.door.patch("/settings", {"values": {"prices": {MODEL: {"input": _INPUT, "output": _OUTPUT}}}})
        return [self.door.post("/sessions", {})["id"] for _ in range(SESSIONS)]

    def capped(self, micros: int) -> None:
        """So much may be spent, by all together in the day."""
        self.door.patch("/settings", {"values": {CAP: micros / 1_000_000}})

    @property
    def cost(self) -> float:
        """What all requests came to that the model began with, whatever became of them."""
        return len(self.model.recording.requests) * OF_A_CALL

    def talk(self, sessions: Sequence[str], times: int, kills: Sequence[tuple[str, float]]) -> None:
        """All say so much at once, while services are killed, each so many seconds after the one before."""
        with ThreadPoolExecutor(len(sessions)) as many:
            talking = [many.submit(self._say, session, times) for session in sessions]
            for name, after_s in kills:
                time.sleep(after_s)  # sleeps: work
                self.stack.kill(name)
            for one in talking:
                one.result()

    def settled(self, sessions: Sequence[str]) -> list[State]:
        """The sessions when none of them works any more, or waits for anything but the next day."""
        deadline = time.monotonic() + _PATIENCE_S
        tomorrow = f"{time.strftime('%Y-%m-%d', time.gmtime())}T23:59"
        while True:
            states: list[State] = []
            with contextlib.suppress(Rejected, Transient):
                states = [self.door.get(f"/sessions/{one}/state") for one in sessions]
            if states and all(_is_settled(one, tomorrow) for one in states):
                return states
            assert time.monotonic() < deadline, [(one["status"], one["failed_turn"]) for one in states]
            time.sleep(0.5)

    def nothing_is_held(self) -> State:
        """What was spent, once nothing is held back any more."""
        deadline = time.monotonic() + 60
        while True:
            spending: State = self.door.get("/spending")
            if spending["all"]["held"]["tokens"] == 0:
                return spending
            assert time.monotonic() < deadline, spending
            time.sleep(0.5)

    def within(self, cap: int, states: Sequence[State]) -> None:
        """The cap held, it stopped somebody in plain words, and the ledger has each request."""
        assert self.cost <= cap, "more was spent than may be"
        failed = [one["failed_turn"] for one in states if one["failed_turn"]]
        assert failed, "the cap stopped nobody"
        assert {(one["kind"], one["setting"]) for one in failed} == {("budget", CAP)}
        assert f"All agents together may cost ${cap / 1_000_000:g} a day" in failed[0]["message"]
        spent = self.nothing_is_held()["all"]["today"]["cost_micros"]
        assert self.cost <= spent <= cap

    def _say(self, session: str, times: int) -> None:
        with self.stack.gateway() as door:
            for number in range(times):
                key = f"{session}-{number}-{time.monotonic_ns()}"
                done(door, f"/sessions/{session}/messages", {"text": f"message {number}"}, key)
                time.sleep(0.2)  # sleeps: work


def _is_settled(state: State, tomorrow: str) -> bool:
    failed = state["failed_turn"]
    return state["status"] == "idle" and (failed is None or (failed["retry_at"] or "9") > tomorrow)
