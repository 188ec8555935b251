"""A person who says yes to what an agent asks for, on a running Foldline."""

import time
from collections.abc import Callable
from typing import Any

from foldline.cli.client import Gateway

ONCE = {"decision": "once"}


def until(condition: Callable[[], Any], seconds: float = 60) -> Any:
    """Ask until there is something; what it is."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return found


def standing(door: Gateway, session: str, status: str) -> dict[str, Any]:
    """The session's state, once it stands so."""

    def stands() -> dict[str, Any] | None:
        state: dict[str, Any] = door.get(f"/sessions/{session}/state")
        return state if state["status"] == status else None

    found: dict[str, Any] = until(stands)
    return found


def asked(door: Gateway, session: str) -> dict[str, Any]:
    """The call that a person is asked to allow."""
    [call] = standing(door, session, "waiting_for_input")["open_calls"]
    assert (call["requested"], call["show"]["kind"]) == (None, "approval")
    found: dict[str, Any] = call
    return found


def allowed(door: Gateway, session: str) -> None:
    """A person says yes to what waits for one, this once."""
    call = asked(door, session)
    door.post(f"/sessions/{session}/tool-responses", {"call_id": call["call_id"], "response": ONCE})


def calls_of(door: Gateway, session: str) -> list[dict[str, Any]]:
    """All calls of a session, once it has answered."""
    state = standing(door, session, "idle")
    return [call for one in state["messages"] for call in one["tool_calls"]]


def last_call(door: Gateway, session: str) -> dict[str, Any]:
    """The last of them."""
    return calls_of(door, session)[-1]


def text_of(door: Gateway, session: str, path: str, agent: str = "default") -> str | None:
    """A file of the session's workspace; None as long as there is none."""
    page = door.get(f"/agents/{agent}/files", session_id=session, scope="session", limit=100)
    found = [one for one in page["items"] if one["path"] == path]
    return door.download(f"/files/{found[0]['file_id']}/content").decode() if found else None
