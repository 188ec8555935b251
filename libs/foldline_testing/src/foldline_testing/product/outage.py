"""A model server goes down under many sessions at work, and comes back: nobody has to do anything."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

from foldline.cli.client import Gateway
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.recorded.story import call, calls, when

_POLL_S = 0.2
_PREFIX = "foldline.session."
_SPAWNED = "{{ results | selectattr('id', 'defined') | map(attribute='id') | list }}"

State = dict[str, Any]


def script(tool_ms: int) -> dict[str, Any]:
    """Everybody works with a tool that takes so long, during which the server can go down."""
    works = calls(call("selftest_sleep", ms=tool_ms))
    return {
        "rules": [
            when("[child]", works, calls(call("report_result", result="found tea"))),
            when(
                "[parent]",
                calls(call("spawn_session", task="[child] look for tea")),
                calls(call("wait_for_sessions", ids=_SPAWNED)),
                {"text": "The helper found tea."},
            ),
            {"when": {"user_contains": "still there?"}, "reply": {"text": "Still here."}},
            when("[works]", works, {"text": "Worked."}),
        ]
    }


class Outage:
    """Sessions at work, one of them a parent that waits for its child, and a server to take from them."""

    def __init__(self, door: Gateway, model: ModelServer, sessions: int) -> None:
        self._door = door
        self._model = model
        with ThreadPoolExecutor(8) as pool:
            texts = ["[parent]", *(f"[works] number {n}" for n in range(sessions - 1))]
            self.sessions: list[str] = list(pool.map(self._begin, texts))
        self.parent, self.child = self.sessions[0], ""

    def goes_down(self, patience_s: float) -> None:
        """The server is gone while all work; return when every turn that needs it has failed."""
        deadline = time.monotonic() + patience_s
        until(deadline, lambda: bool(self._children()) and self._all_asked())
        self._model.stop()
        self.child = self._children()[0]
        until(deadline, self._all_failed)
        assert self._state(self.parent)["status"] == "waiting_for_input"
        assert self._state(self.child)["status"] == "idle"

    def says_more(self, sessions: int) -> list[str]:
        """Something is said to some of them while the server is down."""
        told = list(islice((one for one in self.sessions if one != self.parent), sessions))
        for session in told:
            self._door.post(f"/sessions/{session}/messages", {"text": "still there?"})
        return told

    def fails_again(self, told: list[str], patience_s: float) -> None:
        """Return when what was said meanwhile has failed, too."""
        deadline = time.monotonic() + patience_s
        until(deadline, lambda: all(self._state(one)["failed_turn"] for one in told))

    def comes_back(self, patience_s: float) -> float:
        """Start the server again; return the seconds until every session is done by itself."""
        self._model.start()
        began = time.monotonic()
        until(began + patience_s, lambda: all(map(_is_done, self._listed())))
        return time.monotonic() - began

    def check(self, told: list[str]) -> None:
        """No message was lost, each turn has its one answer, nothing was asked twice at once, all replay."""
        with ThreadPoolExecutor(8) as pool:
            everyone = [*self.sessions, self.child]
            list(pool.map(lambda session: self._check_one(session, session in told), everyone))
        assert self._state(self.child)["status"] == "completed"
        assert self._state(self.parent)["messages"][-1]["text"] == "The helper found tea."

    def asked_after(self) -> int:
        """How many requests the server got since it came back."""
        return self._model.recording.count

    def _check_one(self, session: str, told: bool) -> None:
        state = self._state(session)
        said = [one["text"] for one in state["messages"] if one["role"] == "user"]
        assert len(said) == 1 + told, (session, said)
        assert state["messages"][-1]["role"] == "assistant", session
        assert all(call["status"] == "completed" for one in state["messages"] for call in one["tool_calls"])
        open_call = None
        for event in self._events(session):
            kind = event["type"].removeprefix(_PREFIX)
            if kind == "model_call_requested.v1":
                assert open_call is None, f"{session}: {event['sequence']} asks while {open_call} is open"
                open_call = event["body"]["call_id"]
            elif kind in ("model_call_completed.v1", "model_call_failed.v1"):
                assert open_call == event["body"]["call_id"]
                open_call = None
        report = self._door.post(f"/sessions/{session}:replay", {"mode": "strict"})
        assert report["difference"] is None, report

    def _begin(self, text: str) -> str:
        return str(self._door.post("/sessions", {"message": text})["id"])

    def _all_asked(self) -> bool:
        return self._model.recording.count > len(self.sessions)

    def _children(self) -> list[str]:
        return [child["child_id"] for child in self._state(self.parent)["children"]]

    def _all_failed(self) -> bool:
        """Whether every turn that can't go on without the server has failed; some had ended before."""
        return all(one["failed_turn"] or _is_done(one) for one in self._listed() if one["id"] != self.parent)

    def _listed(self) -> list[State]:
        """All of the sessions, as the list shows them."""
        found: list[State] = self._door.get("/sessions", limit=200)["items"]
        return found

    def _state(self, session: str) -> State:
        state: State = self._door.get(f"/sessions/{session}/state")
        return state

    def _events(self, session: str) -> list[State]:
        found: list[State] = self._door.get(f"/sessions/{session}/events", limit=1000)["items"]
        return found


def _is_done(listed: State) -> bool:
    return listed["status"] in ("idle", "completed") and listed["failed_turn"] is None


def until(deadline: float, is_so: Callable[[], bool]) -> None:
    """Return once it is so. `TimeoutError` if it isn't in time."""
    while not is_so():
        if time.monotonic() > deadline:
            raise TimeoutError("it did not come so far in time")
        time.sleep(_POLL_S)
