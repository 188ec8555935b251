"""Calls that wait for a yes while services are killed: each runs at most once, and never without."""

import contextlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from agent_contracts.errors import Rejected, Transient
from foldline.cli.client import Gateway
from foldline.testing.approving import text_of
from foldline.testing.chaos.patience import PATIENCE_S, done
from foldline.testing.chaos.stage import Stage

NOTE = "letter"
SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "send"},
            "turns": [
                {"tool_calls": [{"name": "selftest_external", "arguments": {"note": NOTE}}]},
                {"text": "The end."},
            ],
        }
    ]
}
COMMANDS = {
    "rules": [
        {
            "when": {"user_contains": "send"},
            "turns": [
                {"tool_calls": [{"name": "run_command", "arguments": {"command": "echo sent >> acts.txt"}}]},
                {"text": "The end."},
            ],
        }
    ]
}
ASKS = {"preset": "balanced", "rules": [{"verdict": "ask", "match": {"tool": "selftest_external"}}]}
SERVICES = ("engine", "model-caller", "runner", "projector", "gateway")
EVERY = (*SERVICES, "scheduler", "notifier", "nats", "postgres")
"""Those and the others that a call which waits doesn't pass, and the servers."""
_AT_ONCE = 4
_DELAYS_S = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4)
"""How long after the answers the second kill comes, in turn."""


@contextmanager
def asking(stage: Stage) -> Iterator["Asking"]:
    """As long as this lasts, the default agent's sends are asked for, and its model sends what it is told."""
    stage.model.play(SCRIPT)
    with stage.stack.gateway() as door:
        policy = door.get("/agents/default/policy")
        door.put("/agents/default/policy", {**ASKS, "version": policy["version"]})
        yield Asking(stage, door)
        door.put("/agents/default/policy", {"preset": policy["preset"], "rules": policy["rules"]})


@contextmanager
def asking_for_commands(stage: Stage) -> Iterator["AskingForCommands"]:
    """As long as this lasts, the model runs a command where it is told to send."""
    stage.model.play(COMMANDS)
    with stage.stack.gateway() as door:
        yield AskingForCommands(stage, door)


@dataclass(frozen=True)
class Asking:
    """Where calls are asked for."""

    stage: Stage
    door: Gateway

    def begun(self) -> str:
        """A session that is to send something."""
        key = f"begun-{uuid4().hex}"
        session: str = done(self.door, "/sessions", {"message": "send it"}, key)["id"]
        return session

    def asked(self, session: str | None = None) -> tuple[str, str]:
        """A session (a new one, if none is given) and the call that it waits for a yes with."""
        session = session or self.begun()
        [call] = self.until(session, "waiting_for_input")["open_calls"]
        assert (call["status"], call["requested"], call["show"]["kind"]) == ("pending", None, "approval")
        return session, call["call_id"]

    def until(self, session: str, *statuses: str) -> dict[str, Any]:
        """The session once it stands so. A gateway that is away answers later."""
        deadline = time.monotonic() + PATIENCE_S
        status = ""
        while status not in statuses:
            assert time.monotonic() < deadline, f"{session}: {status}"
            with contextlib.suppress(Rejected, Transient):  # who would answer was killed
                state: dict[str, Any] = self.door.get(f"/sessions/{session}/state")
                status = state["status"]
            time.sleep(0.1)
        return state

    def acts(self, session: str) -> int:
        """How often the session's call has acted."""
        file = self.stage.acts.file
        return sum(session in line for line in file.read_text().splitlines()) if file.exists() else 0

    def say(self, session: str, call: str, response: dict[str, Any], key: str) -> None:
        """Answer; patiently, since whoever would take it may have been killed."""
        answer = {"call_id": call, "response": response}
        done(self.door, f"/sessions/{session}/tool-responses", answer, key)

    def ended(self, session: str) -> dict[str, Any]:
        """The session's call, once it is over and the session idle."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            calls = [call for one in self.until(session, "idle")["messages"] for call in one["tool_calls"]]
            if calls:
                found: dict[str, Any] = calls[0]
                return found
            assert time.monotonic() < deadline
            time.sleep(0.1)

    def approved(self, session: str) -> None:
        """A call that a person approved has run once; or it is not known whether it has."""
        ended = self.ended(session)
        assert self.acts(session) <= 1, f"{session}: it ran twice"
        if ended["status"] == "completed":
            assert self.acts(session) == 1
        else:
            assert ended["error"]["kind"] == "outcome_unknown", ended

    def refused(self, session: str) -> None:
        """One that a person refused has not."""
        ended = self.ended(session)
        assert (ended["status"], ended["error"]["kind"]) == ("failed", "refused")
        assert "Not now" in ended["error"]["message"]
        assert self.acts(session) == 0, f"{session}: it ran though it was refused"

    def kills(self, name: str, rounds: int) -> None:
        """Kill a service or a server before and after the answers to several calls; three kills a round."""
        for number in range(rounds):
            sessions = [self.begun() for _ in range(_AT_ONCE)]
            self.stage.stack.kill(name)  # while it is being asked
            waiting = [self.asked(session) for session in sessions]
            self.stage.stack.kill(name)
            assert [self.acts(session) for session in sessions] == [0] * _AT_ONCE, "it ran unapproved"
            (no, refused), *yes = waiting
            for session, call in yes:
                self.say(session, call, {"decision": "once"}, f"yes-{session}-{call}")
            self.say(no, refused, {"decision": "refuse", "reason": "Not now"}, f"no-{no}-{refused}")
            time.sleep(_DELAYS_S[number % len(_DELAYS_S)])
            self.stage.stack.kill(name)
            for session, call in yes:
                self.say(session, call, {"decision": "once"}, f"yes-{session}-{call}")
            for session, _ in yes:
                self.approved(session)
            self.refused(no)


class AskingForCommands(Asking):
    """Where commands are asked for: what one did is what its file says."""

    def acts(self, session: str) -> int:
        """How often the session's command wrote its line, as far as that was kept."""
        return (text_of(self.door, session, "acts.txt") or "").count("sent")
