"""Few definitions stand in a request: what a model needs besides it finds, and its tools stay few tokens."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest

from agent_contracts.errors import Rejected
from demo_model.recording import ReceivedRequest
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.stack import Stack
from session_domain.domain.rules.tokens import tokens_in

OWN = 300
NEEDED = "currency_217"
THROUGH = {"name": NEEDED, "arguments": {"amount": 3}}


def _call(tool: str, /, **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": tool, "arguments": arguments}]}


SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "how many crowns"},
            "turns": [
                _call("find_tools", query="convert money: currency 217"),
                _call("call_tool", **THROUGH),
                _call(NEEDED, amount=4),
                _call("call_tool", name="curency_217", arguments={}),
                _call("call_tool", name=NEEDED, arguments={"amount": "three"}),
                {"text": "Done."},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


def said(door: Gateway, agent: str, text: str, session: str | None = None) -> str:
    """Say something and wait until it is answered; the session."""
    turn = ChatTurn(door, session or str(door.post("/sessions", {"agent_id": agent})["id"]))
    turn.say(text)
    for _ in turn.pieces():
        pass
    assert turn.status == "idle"
    return turn.session_id


_SELFTEST = re.compile(r"- selftest .*\n")
"""The family by which Foldline tests itself: nobody else has it."""


def fixed_tokens(received: ReceivedRequest, model: str) -> int:
    """What a request has besides the conversation, counted as Foldline counts where nobody else does."""
    system = [
        {**message, "content": _SELFTEST.sub("", message["content"])}
        for message in received.messages
        if message["role"] == "system"
    ]
    fixed = {"model": model, "messages": system, "tools": received.body["tools"]}
    return tokens_in(msgspec.json.encode(fixed))


def request_of(model: ModelServer, text: str) -> ReceivedRequest:
    """The first request whose last message is this."""
    return next(one for one in model.recording.requests if one.newest == text)


@pytest.fixture(scope="module")
def banker(door: Gateway) -> str:
    """An agent with 300 tools of its own."""
    agent = str(door.post("/agents", {"id": "banker", "name": "Banker", "starters": False})["id"])
    schema = {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}

    def make(number: int) -> None:
        made = {
            "description": f"Converts an amount of money into currency {number}.",
            "parameter_schema": schema,
            "code": f"return args.amount * {number}",
        }
        door.put(f"/agents/{agent}/tools/currency_{number:03}", made)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(make, range(OWN)))
    return agent


@pytest.fixture(scope="module")
def command(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """The command, where that Foldline runs."""
    return Command(stack.data_dir, tmp_path_factory.mktemp("folder"))


def test_a_new_agents_fixed_part_is_small(door: Gateway, model: ModelServer) -> None:
    door.post("/agents", {"id": "newborn", "name": "Newborn"})
    said(door, "newborn", "good morning")
    assert fixed_tokens(request_of(model, "good morning"), "openai/scripted") <= 3_000


def test_a_small_models_fixed_part_is_smaller(door: Gateway, model: ModelServer) -> None:
    door.post("/agents", {"id": "tiny", "name": "Tiny"})
    door.patch("/agents/tiny/settings", {"values": {"small_models": "all"}})
    said(door, "tiny", "good evening")
    asked = request_of(model, "good evening")
    assert fixed_tokens(asked, "openai/scripted") <= 1_200
    assert len(asked.body["tools"]) <= 8


def test_a_tool_of_300_is_found_and_called_and_goes_with_the_conversation(
    command: Command, door: Gateway, model: ModelServer, banker: str
) -> None:
    session = said(door, banker, "hello, my banker")
    before = door.get(f"/sessions/{session}/state")["last_sequence"]
    first = request_of(model, "hello, my banker")
    assert fixed_tokens(first, "openai/scripted") <= 4_000
    names = [tool["function"]["name"] for tool in first.body["tools"]]
    assert names[-2:] == ["find_tools", "call_tool"]
    assert NEEDED in first.messages[0]["content"]
    assert "into currency 217" not in json.dumps(first.body)

    began = len(model.recording.requests)
    said(door, banker, "how many crowns", session)
    asked = list(model.recording.requests)[began:]
    assert len({msgspec.json.encode(one.body["tools"]) for one in (first, *asked)}) == 1, (
        "providers' caches hold"
    )
    found = json.loads(asked[1].messages[-1]["content"])["tools"][0]
    assert (found["name"], found["description"]) == (NEEDED, "Converts an amount of money into currency 217.")
    shown = [call["function"] for one in asked[-1].messages for call in one.get("tool_calls", ())]
    assert [(one["name"], json.loads(one["arguments"])) for one in shown[:3]] == [
        ("find_tools", {"query": "convert money: currency 217"}),
        ("call_tool", THROUGH),
        (NEEDED, {"amount": 4}),
    ]

    calls = [call for message in messages(door, session) for call in message["tool_calls"]]
    assert [(call["tool"], call["status"]) for call in calls] == [
        ("find_tools", "completed"),
        (NEEDED, "completed"),
        (NEEDED, "completed"),
        ("call_tool", "failed"),
        (NEEDED, "failed"),
    ]
    assert [call["result"] for call in calls[1:3]] == [651, 868]
    assert "did you mean currency_217" in calls[3]["error"]["message"]
    assert (calls[4]["error"]["kind"], calls[4]["error"]["path"]) == ("invalid_arguments", "/amount")
    assert calls[0]["result"]["tools"][0]["name"] == NEEDED
    shown_in_terminal = command("show", session).out
    assert NEEDED in shown_in_terminal

    door.post(f"/sessions/{session}:rewind", {"to": before, "parts": ["conversation"]})
    said(door, banker, "and now?", session)
    assert "into currency 217" not in json.dumps(request_of(model, "and now?").body), "it is unloaded"
    replayed = command("replay", session, "--strict")
    assert replayed.code == 0, replayed.err


def test_a_pinned_tool_is_sent_from_the_next_call_on(
    command: Command, door: Gateway, model: ModelServer, banker: str
) -> None:
    done = command("tools", "pin", "db_schema", NEEDED, "--agent", banker)
    assert (done.code, "currency_217, db_schema" in done.out) == (0, True), done.err
    said(door, banker, "pinned?")
    sent = [tool["function"]["name"] for tool in request_of(model, "pinned?").body["tools"]]
    assert sent[-4:] == ["find_tools", "call_tool", "db_schema", NEEDED]

    wrong = command("tools", "pin", "db_scheme", "--agent", banker)
    assert (wrong.code != 0, "did you mean db_schema?" in wrong.err) == (True, True)
    assert command("tools", "unpin", "db_schema", "--agent", banker).code == 0
    pinned = door.get(f"/agents/{banker}/pinned-tools")
    assert (pinned["names"], pinned["version"]) == ([NEEDED], 2)
    with pytest.raises(Rejected, match="this is version 2"):
        door.put(f"/agents/{banker}/pinned-tools", {"names": [], "version": 1})
    listed = command("tools", "--agent", banker, "--json").json
    assert (listed["pinned"], len(listed["own"])) == ([NEEDED], OWN)
    door.post(f"/agents/{banker}/pinned-tools:revert", {"version": 1})
    said(door, banker, "back again?")
    sent = [tool["function"]["name"] for tool in request_of(model, "back again?").body["tools"]]
    assert sent[-2:] == ["db_schema", NEEDED]
