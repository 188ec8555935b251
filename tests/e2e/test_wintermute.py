"""Wintermute's first example on a running Foldline: three workers with a dependency, and pulse."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from demo_model.recording import ReceivedRequest
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.stack import Stack


def _call(tool: str, /, **arguments: Any) -> dict[str, Any]:
    return {"name": tool, "arguments": arguments}


BOATS, PRICES, SUM = "Find three boats.", "Find what they cost.", "Say which boat to buy."
SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "which boat should I buy"},
            "turns": [
                {
                    "tool_calls": [
                        _call("append_memory", entry="Wants to buy a boat."),
                        _call("spawn_sub_session", objective=BOATS),
                        _call("spawn_sub_session", objective=PRICES, context_blobs=["Crowns, not euros."]),
                        _call(
                            "spawn_sub_session",
                            objective=SUM,
                            depends_on_previous=True,
                            depends_on=["s_imagined"],
                        ),
                        _call("pulse", action="add", content="Buying a boat", priority=2),
                        _call("pulse", action="list"),
                    ]
                },
                {"text": "I have three workers at it."},
            ],
        },
        {
            "when": {"user_contains": SUM},
            "turns": [{"tool_calls": [_call("report_result", result="Buy the red one.")]}],
        },
        {
            "when": {"user_contains": BOATS},
            "turns": [{"tool_calls": [_call("report_result", result="Red, blue, green.")]}],
        },
        {
            "when": {"user_contains": PRICES},
            "turns": [{"tool_calls": [_call("report_result", result="Each 100 crowns.")]}],
        },
        {
            "when": {"user_contains": "fetch me something"},
            "turns": [
                {"tool_calls": [_call("fetch_url", url="http://127.0.0.1:1/")]},
                {"text": "Nobody may reach that."},
            ],
        },
        {
            "when": {"user_contains": "remind me of the kettle"},
            "turns": [
                {
                    "tool_calls": [
                        _call(
                            "set_reminder",
                            message="The kettle!",
                            schedule_type="once",
                            at="{{ after(3, 'seconds') }}",
                        )
                    ]
                },
                {"text": "I will."},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


@pytest.fixture(scope="module")
def captain(door: Gateway) -> str:
    """An agent with the pack."""
    agent = str(door.post("/agents", {"id": "captain", "name": "Captain", "starters": False})["id"])
    door.put(f"/agents/{agent}/packs", {"packs": ["wintermute"], "version": 0})
    return agent


def said(door: Gateway, agent: str, text: str) -> str:
    """Say something in a new chat and wait until it is answered; the session."""
    turn = ChatTurn(door, str(door.post("/sessions", {"agent_id": agent})["id"]))
    turn.say(text)
    for _ in turn.pieces():
        pass
    return turn.session_id


def until(found: Callable[[], Any]) -> Any:
    """Ask until there is something."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if value := found():
            return value
        time.sleep(0.2)
    raise AssertionError("it did not come")


def asked(model: ModelServer, text: str) -> ReceivedRequest:
    """The first request whose last message begins so."""
    found: Callable[[], Any] = lambda: next(  # noqa: E731
        (one for one in model.recording.requests if one.newest.startswith(text)), None
    )
    received: ReceivedRequest = until(found)
    return received


def names(received: ReceivedRequest) -> set[str]:
    return {tool["function"]["name"] for tool in received.body.get("tools", ())}


def test_while_the_pack_is_off_nothing_of_it_is_in_a_request(door: Gateway, model: ModelServer) -> None:
    door.post("/agents", {"id": "landlubber", "name": "Landlubber", "starters": False})
    said(door, "landlubber", "ahoy there")
    text = str(asked(model, "ahoy there").body)
    assert "pulse" not in text
    assert "Wintermute" not in text
    assert "core_" not in text


def test_three_workers_with_a_dependency_and_pulse(door: Gateway, model: ModelServer, captain: str) -> None:
    session = said(door, captain, "which boat should I buy")
    first = asked(model, "which boat should I buy")
    assert {"spawn_sub_session", "pulse", "append_memory", "set_reminder", "fetch_url"} <= names(first)
    assert "# Wintermute" in first.messages[0]["content"]

    calls = [call for message in messages(door, session) for call in message["tool_calls"]]
    assert [call["tool"] for call in calls] == [
        "wintermute.append_memory",
        *["wintermute.spawn_sub_session"] * 3,
        "wintermute.pulse",
        "wintermute.pulse",
    ]
    results = [call["result"] for call in calls]
    assert [one["status"] for one in results[:4]] == ["ok", "spawned", "spawned", "waiting"]
    assert "s_imagined" in results[3]["warning"]
    assert results[5]["items"] == [{"id": 1, "content": "Buying a boat", "priority": 2, "status": "active"}]

    last = asked(model, SUM)
    told = last.messages[-1]["content"]
    assert "Red, blue, green." in told
    assert "Each 100 crowns." in told
    assert "# Context 1\n\nCrowns, not euros." in asked(model, PRICES).messages[-1]["content"]
    workers = {"execute_shell", "read_file", "write_file", "search_web", "fetch_url", "report_result"}
    assert names(last) == workers
    assert "Wants to buy a boat." not in last.messages[0]["content"], "minimal: without memories"

    def ended() -> Any:
        children = door.get(f"/sessions/{session}")["children"]
        return children if all(one["status"] == "completed" for one in children) else None

    assert len(until(ended)) == 3
    said(door, captain, "and now something else")
    assert (
        "# Your memories\n\nWants to buy a boat."
        in asked(model, "and now something else").messages[0]["content"]
    )


def test_what_it_wrote_is_in_the_preview_and_goes_back(door: Gateway, captain: str) -> None:
    session = said(door, captain, "which boat should I buy")
    point = door.get(f"/sessions/{session}/events", limit=5)["items"][1]["sequence"]
    preview = door.get(f"/sessions/{session}/rewind-preview", to=point)
    assert ("notes", "memories") in {(one["kind"], one["name"]) for one in preview["agent"]}


def test_a_reminder_without_a_prompt_is_shown_and_takes_no_turn(
    door: Gateway, model: ModelServer, captain: str
) -> None:
    session = said(door, captain, "remind me of the kettle")
    state = door.get(f"/sessions/{session}/state")
    shown = until(lambda: [one for one in messages(door, session) if one["text"] == "The kettle!"])
    assert [one["source"] for one in shown] == ["reminder"]
    now = door.get(f"/sessions/{session}/state")
    assert (now["status"], now["model_calls"]) == ("idle", state["model_calls"])
    assert [(one["text"], one["quiet"]) for one in now["queue"]] == [("The kettle!", True)]

    turn = ChatTurn(door, session)
    turn.say("it is off")
    for _ in turn.pieces():
        pass
    texts = [one["content"] for one in asked(model, "it is off").messages]
    assert any("The kettle!" in str(text) for text in texts), "and the model knows of it then"


def test_packs_are_listed_ordered_and_disabled_by_the_command(
    stack: Stack, door: Gateway, tmp_path_factory: pytest.TempPathFactory
) -> None:
    door.post("/agents", {"id": "sailor", "name": "Sailor", "starters": False})
    command = Command(stack.data_dir, tmp_path_factory.mktemp("folder"))
    told = command("packs", "enable", "wintermute", "protoagent", "--agent", "sailor").out
    assert "Enabled: wintermute, protoagent" in told
    assert "fetch_url is now called core_fetch_url" in told
    tasks = [one["name"] for one in door.get("/agents/sailor/schedules")["items"]]
    assert tasks == ["Consolidate memories"]
    assert (
        "Enabled: protoagent, wintermute"
        in command("packs", "order", "protoagent", "wintermute", "--agent", "sailor").out
    )
    listed = command("packs", "--agent", "sailor").out
    assert "wintermute" in listed
    assert "Enabled: protoagent" in command("packs", "disable", "wintermute", "--agent", "sailor").out
    assert door.get("/agents/sailor/schedules")["items"] == []


PACKS = ("wintermute", "protoagent", "libragent")


def test_three_agents_with_three_packs_and_one_with_all_work_at_once(
    door: Gateway, model: ModelServer
) -> None:
    chosen = {name: [name] for name in PACKS} | {"everything": [*PACKS]}
    for agent, packs in chosen.items():
        door.post("/agents", {"id": f"has-{agent}", "name": agent, "starters": False})
        door.put(f"/agents/has-{agent}/packs", {"packs": packs, "version": 0})

    def fetched(agent: str) -> tuple[str, str]:
        session = said(door, f"has-{agent}", f"fetch me something, {agent}")
        (call,) = [call for message in messages(door, session) for call in message["tool_calls"]]
        return agent, call["tool"]

    with ThreadPoolExecutor(len(chosen)) as pool:
        called = dict(pool.map(fetched, chosen))
    assert called == {
        "wintermute": "wintermute.fetch_url",
        "protoagent": "protoagent.fetch_url",
        "libragent": "fetch_url",
        "everything": "wintermute.fetch_url",
    }
    found = door.get("/agents/has-everything/packs")
    names = [tool["name"] for pack in found["packs"] for tool in pack["tools"]]
    assert len(names) == len(set(names))
    assert "protoagent_fetch_url" in names
    assert {one["tool"]: one["name"] for one in found["renamed"]}["fetch_url"] == "core_fetch_url"
