"""With a process for each service, those that few people use start when they are needed."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent_contracts import service_names
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.stack import Stack

LATER = (
    service_names.BROWSER_POOL,
    service_names.MCP_HOST,
    service_names.NOTIFIER,
    service_names.SCHEDULER,
    service_names.WORKSPACE_HOST,
)


@pytest.fixture(scope="module")
def script() -> Iterator[ModelServer]:
    with ModelServer({"rules": [{"reply": {"text": "Done."}}]}) as model:
        yield model


@pytest.fixture
def stack(script: ModelServer, tmp_path: Path) -> Iterator[Stack]:
    with Stack(tmp_path, processes=True, env=script.environment()) as stack:
        yield stack


def running(stack: Stack) -> set[str]:
    """Those of them that are processes now."""
    return {name for name in LATER if stack.pids(name)}


def until(condition: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def call(door: Gateway, script: ModelServer, tool: str, **given: object) -> dict[str, object]:
    """One call of a new session; how it ended."""
    turns = [{"tool_calls": [{"name": tool, "arguments": given}]}, {"text": "Done."}]
    script.play({"rules": [{"turns": turns}]})
    turn = ChatTurn(door, None)
    turn.say("go on")
    for _ in turn.pieces():
        pass
    made = [one for message in messages(door, turn.session_id) for one in message["tool_calls"]]
    ended: dict[str, object] = made[-1]
    return ended


def test_each_starts_when_it_is_needed_and_where_it_is_needed_still_at_once(
    stack: Stack, script: ModelServer
) -> None:
    assert running(stack) == set()
    with stack.gateway() as door:
        assert call(door, script, "get_state", key="k")["error"] is None
        assert running(stack) == set(), "what everybody does needs none of them"
        until(lambda: "browser_navigate" in str(call(door, script, "find_tools", family="browser")["result"]))
        assert running(stack) == set(), "its tools are told before it runs"
        set_one = call(door, script, "set_reminder", at="2099-01-01T00:00:00Z", message="tea")
        assert set_one["error"] is None
        until(lambda: running(stack) == {service_names.SCHEDULER})
        stack.stop()
        stack.start()
    with stack.gateway() as door:
        until(lambda: running(stack) == {service_names.SCHEDULER})
        assert door.get("/notifications")["channels"] == []
        assert running(stack) == {service_names.SCHEDULER}, "to look at it is no need"
        door.put(
            "/notifications/channels/hook",
            {"enabled": True, "target": {"kind": "webhook", "url": "https://a.invalid/"}},
        )
        tried = door.post("/notifications/channels/hook:test")
        assert tried["delivered"] is False, "asked right away, it waits for the one that is being started"
        assert running(stack) == {service_names.SCHEDULER, service_names.NOTIFIER}
        door.put(
            "/agents/default/mcp-servers/far", {"transport": {"kind": "http", "url": "https://a.invalid/"}}
        )
        until(
            lambda: (
                running(stack) == {service_names.SCHEDULER, service_names.NOTIFIER, service_names.MCP_HOST}
            )
        )
        tried = door.post("/agents/default/mcp-servers/far:test")
        assert tried["state"] == "error", "asked while it starts, it is waited for"


@pytest.mark.browser
def test_a_call_waits_for_its_browser_pool_and_code_does_too(stack: Stack, script: ModelServer) -> None:
    with stack.gateway() as door:
        until(lambda: "browser_navigate" in str(call(door, script, "find_tools", family="browser")["result"]))
        closed = call(door, script, "browser_close")
        assert closed["result"] == {"ok": True, "was_open": False}
        assert running(stack) == {service_names.BROWSER_POOL}
        stack.stop()
        stack.start()
    with stack.gateway() as door:
        assert running(stack) == set(), "a call that is over needs nobody"
        code = "return await browser.close()"
        ran = call(door, script, "run_sandbox_code", code=code)
        assert ran["result"] == {"result": {"ok": True, "was_open": False}, "logs": []}, ran
        assert running(stack) == {service_names.BROWSER_POOL}
