"""Calls that wait for a yes while services are killed: each runs at most once, and never without."""

import contextlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import uuid4

from mcp.server.mcpserver import MCPServer

from agent_contracts.errors import Rejected, Transient
from foldline.cli.client import Gateway
from foldline_testing.mcp_host.addressed import addressed
from foldline_testing.product.approving import text_of
from foldline_testing.product.chaos.patience import PATIENCE_S, done
from foldline_testing.product.chaos.stage import Stage

NOTE = "letter"
How = Literal["send", "run", "tell"]
"""By the external test tool, by a command of the workspace, or by a foreign server's tool."""
_SERVER = "/agents/default/mcp-servers/far"
_CALLS: dict[How, dict[str, Any]] = {
    "send": {"name": "selftest_external", "arguments": {"note": NOTE}},
    "run": {"name": "run_command", "arguments": {"command": "echo sent >> acts.txt"}},
    "tell": {"name": "far__send", "arguments": {"note": "{{ match.1 }}"}},
}
SCRIPT = {
    "rules": [
        {
            "when": {"user_matches": rf"^{how} (\S+)$"},
            "turns": [{"tool_calls": [call]}, {"text": "The end."}],
        }
        for how, call in _CALLS.items()
    ]
}
ASKS = {"preset": "balanced", "rules": [{"verdict": "ask", "match": {"tool": "selftest_external"}}]}


@contextmanager
def asking(stage: Stage) -> Iterator["Asking"]:
    """As long as this lasts, the default agent is asked for what it sends, and sends what it is told."""
    stage.model.play(SCRIPT)
    far, told = MCPServer("far", version="1"), list[str]()

    @far.tool()
    def send(note: str) -> str:
        """Send it."""
        told.append(note)
        return "sent"

    with stage.stack.gateway() as door, addressed(far) as there:
        policy = door.get("/agents/default/policy")
        door.put("/agents/default/policy", {**ASKS, "version": policy["version"]})
        try:
            door.put(_SERVER, {"transport": {"kind": "http", "url": there.url}})
            door.post(f"{_SERVER}:allow", {"private": True})
            door.post(f"{_SERVER}:test", {})
            door.post(f"{_SERVER}:accept", {"version": door.get(f"{_SERVER}/tools")["version"]})
            yield Asking(stage, door, told)
            door.delete(_SERVER)
        finally:
            door.put("/agents/default/policy", {"preset": policy["preset"], "rules": policy["rules"]})


@dataclass(frozen=True)
class Asking:
    """Where calls are asked for. `told` is what the foreign server was sent."""

    stage: Stage
    door: Gateway
    told: list[str]
    begun_as: dict[str, tuple[How, str]] = field(default_factory=dict)

    def begun(self, how: How = "send") -> str:
        """A session that is to send something so."""
        name = uuid4().hex
        session: str = done(self.door, "/sessions", {"message": f"{how} {name}"}, f"begun-{name}")["id"]
        self.begun_as[session] = how, name
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
        """How often the session's call has acted; of a command, as far as its file was kept."""
        how, name = self.begun_as[session]
        if how == "run":
            return (text_of(self.door, session, "acts.txt") or "").count("sent")
        if how == "tell":
            return self.told.count(name)
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

    def approved(self, session: str) -> bool:
        """A call that a person approved has run once; or it is not known whether it has (False)."""
        ended = self.ended(session)
        assert self.acts(session) <= 1, f"{session}: it ran twice"
        if ended["status"] == "completed":
            assert self.acts(session) == 1
            return True
        assert ended["error"]["kind"] == "outcome_unknown", ended
        return False

    def refused(self, session: str) -> None:
        """One that a person refused has not."""
        ended = self.ended(session)
        assert (ended["status"], ended["error"]["kind"]) == ("failed", "refused")
        assert "Not now" in ended["error"]["message"]
        assert self.acts(session) == 0, f"{session}: it ran though it was refused"
