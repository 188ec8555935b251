"""An agent with protoAgent's tools: the seed's first examples word for word, in sessions and on pages."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import listed, messages
from foldline_testing.product.stack import Stack
from foldline_testing.product.typing import write

NewPage = Callable[..., WatchedPage]
Calls = tuple[tuple[str, dict[str, Any]], ...]

AGENT = "proto"
STEPS = [
    {
        "schema": {"properties": {"name": {"type": "string", "title": "Name"}}, "required": ["name"]},
        "title": "What",
    },
    {
        "schema": {
            "properties": {
                "store": {
                    "title": "Store",
                    "oneOf": [
                        {"const": "pg", "title": "Postgres", "description": "Many writers"},
                        {"const": "sqlite", "title": "SQLite", "description": "Zero-config"},
                    ],
                    "default": "sqlite",
                }
            },
            "required": ["store"],
        }
    },
]
PLAN: Calls = (
    ("notes_write", {"tab": "Todo", "content": "- buy oat milk"}),
    ("beads_create", {"title": "Fix the roof", "priority": 1, "issue_type": "bug"}),
    ("daily_log", {"content": "Shipped the fix"}),
    (
        "memory_ingest",
        {
            "content": "Operator's preferred coffee is a Gibraltar with oat milk.",
            "domain": "preferences",
            "heading": "coffee",
        },
    ),
    ("schedule_task", {"prompt": "Review the week", "when": "0 9 * * 1-5", "job_id": "review"}),
    ("check_inbox", {}),
)
LOOK: Calls = (
    ("notes_read", {"tab": "Todo"}),
    ("beads_list", {}),
    ("memory_recall", {"query": "coffee"}),
    ("memory_list", {"domain": "daily-log"}),
    ("calculator", {"expression": "2 ** 10"}),
    ("list_schedules", {}),
    ("check_inbox", {"priority_floor": "later"}),
)


CODER = """import json, pathlib, sys
for line in sys.stdin:
    asked = json.loads(line)
    result = {"protocolVersion": 1, "sessionId": "s", "stopReason": "end_turn"}
    if asked["method"] == "session/prompt":
        pathlib.Path("made.txt").write_text(asked["params"]["prompt"][0]["text"])
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""
ASKING = """import json, sys
def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "session/prompt":
        options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
        call = {"toolCallId": "t", "kind": "execute", "rawInput": {"command": "pytest -q"}}
        params = {"sessionId": "s", "toolCall": call, "options": options}
        send(id="q", method="session/request_permission", params=params)
        said = json.loads(sys.stdin.readline())["result"]["outcome"]["outcome"]
        text = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": said}}
        send(method="session/update", params={"sessionId": "s", "update": text})
    send(id=asked["id"], result={"protocolVersion": 1, "sessionId": "s", "stopReason": "end_turn"})
"""
CODED: Calls = (
    ("file_create", {"path": "coder.py", "text": ASKING}),
    ("code_with", {"agent": "coder", "task": "Fix it."}),
)
HANDED: Calls = (
    ("file_create", {"path": "coder.py", "text": CODER}),
    ("delegate_to", {"target": "coder", "query": "Make it.", "background": True}),
)


def rule(when: str, *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """Words of the user, and what the model then calls, one after another."""
    turns = [{"tool_calls": [{"name": name, "arguments": given}]} for name, given in calls]
    return {"when": {"user_contains": when}, "turns": [*turns, {"text": "Done."}]}


SCRIPT = {
    "rules": [
        rule("plan my day", *PLAN),
        rule("look around", *LOOK),
        rule("note it", ("notes_write", {"tab": "Todo", "content": "- tea"})),
        rule("plan more", ("beads_create", {"title": "Paint the door"})),
        rule("set it up", ("request_user_input", {"title": "New project", "steps": STEPS})),
        rule("ask me", ("ask_human", {"question": "Merge it?"})),
        rule("hand it over", *HANDED),
        rule("code it", *CODED),
        {
            "when": {"user_contains": "Call the tool delegate_to once"},
            "turns": [
                {
                    "tool_calls": [
                        {"name": "delegate_to", "arguments": {"target": "coder", "query": "Make it."}}
                    ]
                },
                {"tool_calls": [{"name": "report_result", "arguments": {"result": "It is made."}}]},
            ],
        },
        rule("tell everybody", ("discord_send", {"channel_id": "5", "content": "x"})),
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


@pytest.fixture(scope="module")
def agent(stack: Stack, door: Gateway) -> str:
    """An agent of this module's own, with the pack."""
    door.post("/agents", {"id": AGENT, "name": "Proto"})
    door.put(f"/agents/{AGENT}/packs", {"packs": ["protoagent"]})
    door.put(f"/agents/{AGENT}/policy", {"preset": "free", "rules": []})
    share(door, "Todo", "- milk")
    return AGENT


@pytest.fixture
def session(door: Gateway, agent: str) -> str:
    """A session of it, in which nothing was said."""
    return str(door.post("/sessions", {"agent_id": agent, "token_limit": 10_000_000})["id"])


def waited(found: Callable[[], bool], within: float = 60.0) -> None:
    """Wait until it is so."""
    deadline = time.monotonic() + within
    while not found():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def share(door: Gateway, tab: str, content: str) -> None:
    """A person makes a tab of notes and shares it."""
    door.put(f"/agents/{AGENT}/state/shared-notes", {"value": [tab]})
    value = {"content": content, "agentRead": True, "agentWrite": True}
    door.put(f"/agents/{AGENT}/state/shared-notes%2F{tab}", {"value": value})


def say(door: Gateway, session: str, text: str) -> str:
    """Say something, and wait until the agent is done or waits; which of both."""
    turn = ChatTurn(door, session)
    turn.say(text)
    for _ in turn.pieces():
        pass
    return str(turn.status)


def called(door: Gateway, session: str, tool: str) -> Any:
    """The last call of a tool."""
    calls = [call for message in messages(door, session) for call in message.get("tool_calls") or []]
    return [call for call in calls if call["tool"] == f"protoagent.{tool}"][-1]


def given(door: Gateway, session: str, tool: str) -> Any:
    """What the last call of a tool gave."""
    return called(door, session, tool)["result"]


def test_the_first_examples_work_word_for_word_and_can_be_rewound(
    door: Gateway, model: ModelServer, session: str
) -> None:
    door.post("/inbox", {"agent_id": AGENT, "text": "The build broke", "source": "ci"})
    assert say(door, session, "hello") == "idle"
    messages(door, session)  # what the page shows has what the log has
    before = door.get(f"/sessions/{session}")["last_sequence"]
    assert say(door, session, "plan my day") == "idle"
    assert given(door, session, "notes_write") == "Appended to 'Todo' (6 words, 21 chars)."
    assert given(door, session, "beads_create").endswith(": Fix the roof (bug, p1)")
    assert given(door, session, "check_inbox") == "[next] (from ci) The build broke"
    assert given(door, session, "daily_log") == "Stored chunk 1 in 'daily-log'."
    assert given(door, session, "memory_ingest") == "Stored chunk 2 in 'preferences'."
    assert given(door, session, "schedule_task").startswith("Scheduled job review next at 20")
    assert say(door, session, "look around") == "idle"
    assert given(door, session, "notes_read") == "- milk\n- buy oat milk"
    assert given(door, session, "beads_list").startswith("[open] bd-")
    assert given(door, session, "memory_recall") == (
        "[preferences] coffee: Operator's preferred coffee is a Gibraltar with oat milk."
    )
    assert given(door, session, "memory_list").endswith(": Shipped the fix")
    assert given(door, session, "calculator") == "2 ** 10 = 1024"
    assert given(door, session, "list_schedules").startswith("review  next=20")
    assert given(door, session, "check_inbox") == "Inbox empty."

    preview = door.get(f"/sessions/{session}/rewind-preview", to=before)
    changed = {(one["kind"], one["name"]) for one in preview["agent"]}
    assert {("state", "shared-notes/Todo"), ("state", "beads/changed")} <= changed
    assert {"inbox", "schedule"} <= {kind for kind, _ in changed}
    parts = ["conversation", "agent", "database"]
    door.post(f"/sessions/{session}:rewind", {"to": before, "parts": parts})
    assert say(door, session, "look around") == "idle"
    assert given(door, session, "notes_read") == "- milk"
    assert given(door, session, "beads_list") == "No issues on the board."
    assert given(door, session, "memory_recall") == "No matches."
    assert given(door, session, "list_schedules") == "No scheduled jobs."
    assert given(door, session, "check_inbox") == "[next] (from ci) The build broke"


def test_a_tool_that_its_settings_switch_off_is_refused_until_they_go_back(
    stack: Stack, door: Gateway, model: ModelServer, session: str, tmp_path: Path
) -> None:
    before = door.get(f"/agents/{AGENT}/packs")["version"]
    foldline = Command(stack.data_dir, tmp_path)
    foldline("packs", "set", "protoagent", "tools.disabled=calculator,beads_*", "--agent", AGENT)
    assert say(door, session, "look around") == "idle"
    calls = [call for one in messages(door, session) for call in one.get("tool_calls") or []]
    error = next(call["error"] for call in calls if call["tool"] == "calculator")
    assert error["kind"] == "not_available"
    assert "tools.disabled of the pack protoagent switches it off" in error["message"]
    door.post(f"/agents/{AGENT}/packs:revert", {"version": before})
    assert say(door, session, "look around") == "idle"
    assert given(door, session, "calculator") == "2 ** 10 = 1024"


def test_what_the_agent_has_no_secret_for_it_is_not_offered(
    door: Gateway, model: ModelServer, session: str
) -> None:
    say(door, session, "tell everybody")
    calls = [call for message in messages(door, session) for call in message.get("tool_calls") or []]
    assert calls[-1]["error"]["kind"] == "not_available"
    door.put(f"/agents/{AGENT}/secrets/DISCORD_BOT_TOKEN", {"value": "x" * 20, "hosts": ["elsewhere.test"]})
    say(door, session, "tell everybody")
    assert called(door, session, "discord_send")["error"]["kind"] == "blocked"


def test_a_question_waits_for_its_answer(door: Gateway, model: ModelServer, session: str) -> None:
    assert say(door, session, "ask me") == "waiting_for_input"
    call = called(door, session, "ask_human")["call_id"]
    door.post(f"/sessions/{session}/tool-responses", {"call_id": call, "response": {"answer": "Yes, merge"}})
    waited(lambda: door.get(f"/sessions/{session}")["status"] == "idle")
    assert given(door, session, "ask_human") == {"answer": "Yes, merge", "from_options": False}


@pytest.mark.parametrize(("text", "tool"), [("ask me", "ask_human"), ("set it up", "request_user_input")])
def test_a_plain_message_answers_what_the_session_waits_for_alone(
    door: Gateway, model: ModelServer, session: str, text: str, tool: str
) -> None:
    assert say(door, session, text) == "waiting_for_input"
    assert say(door, session, "Whatever you like") == "idle"
    assert given(door, session, tool) == {"answer": "Whatever you like", "from_options": False}


def test_a_coding_agent_works_in_the_background_on_the_sessions_files(
    door: Gateway, model: ModelServer, session: str
) -> None:
    coder = {"name": "coder", "type": "acp", "command": "python3 coder.py"}
    door.put(f"/agents/{AGENT}/delegates", {"delegates": [coder]})
    assert say(door, session, "hand it over") == "idle"
    told = called(door, session, "delegate_in_background")
    assert told["arguments"]["background"] is True
    assert told["result"].startswith("coder is asked in the background, by the sub-session ")
    waited(lambda: [one["status"] for one in listed(door, session)["children"]] == ["completed"])
    (child,) = listed(door, session)["children"]
    assert called(door, child["id"], "delegate_to_coder")["result"].endswith("[Files: made.txt (created)]")
    assert "made.txt" in {
        one["path"] for one in door.get(f"/agents/{AGENT}/files", session_id=session)["items"]
    }


def test_what_a_coding_agent_asks_leave_for_a_person_is_asked(door: Gateway, model: ModelServer) -> None:
    door.post("/agents", {"id": "careful", "name": "Careful"})
    door.put("/agents/careful/packs", {"packs": ["protoagent"]})
    coder = {"name": "coder", "type": "acp", "command": "python3 coder.py"}
    door.put("/agents/careful/delegates", {"delegates": [coder]})
    session = str(door.post("/sessions", {"agent_id": "careful", "token_limit": 10_000_000})["id"])
    assert say(door, session, "code it") == "waiting_for_input"

    def allow(rule: str) -> str:
        """Say yes, once, to the call that asks so; which one it was."""

        def asks() -> list[Any]:
            calls = door.get(f"/sessions/{session}/state")["open_calls"]
            return [one for one in calls if one["show"] and one["show"]["rule"] == rule]

        waited(lambda: bool(asks()))
        call = str(asks()[0]["call_id"])
        door.post(f"/sessions/{session}/tool-responses", {"call_id": call, "response": {"decision": "once"}})
        return call

    first = allow("It runs a command")
    assert allow("It asks leave for “execute: pytest -q”: It runs a command") == first
    waited(lambda: door.get(f"/sessions/{session}/state")["status"] == "idle")
    assert given(door, session, "code_with") == "selected"
    calls = [call for one in messages(door, session) for call in one.get("tool_calls") or []]
    assert [call["call_id"] for call in calls if call["tool"] == "protoagent.code_with"] == [first]


def test_delegates_are_named_tested_and_removed_by_the_command(
    stack: Stack, door: Gateway, agent: str, tmp_path: Path
) -> None:
    command = Command(stack.data_dir, tmp_path)
    of = ("--agent", agent)
    door.put(f"/agents/{agent}/delegates", {"delegates": []})
    assert "No delegates." in command("delegates", *of).out
    scout = ("--url", "http://127.0.0.1:1/a2a", "--secret", "SCOUT", "--description", "Looks things up")
    assert "scout is named" in command("delegates", "add", "scout", *scout, *of).out
    model_of = ("--url", "https://mini.test/v1", "--model", "mini-1")
    command("delegates", "add", "mini", *model_of, *of)
    command("delegates", "add", "coder", "--command", "python3 coder.py", *of)
    told = command("delegates", *of).out
    assert "http://127.0.0.1:1/a2a · by the secret SCOUT" in told
    assert "mini-1" in told
    tried = command("delegates", "test", "scout", *of)
    assert tried.code != 0
    assert "needs the secret SCOUT" in tried.err + tried.out
    refused = command("delegates", "add", "bad", "--url", "ftp://x", *of)
    assert refused.code != 0
    assert "mini is removed" in command("delegates", "remove", "mini", *of).out
    assert command("delegates", "remove", "mini", *of).code != 0
    assert [one["name"] for one in door.get(f"/agents/{agent}/delegates")["delegates"]] == ["scout", "coder"]


def frame(page: Page) -> FrameLocator:
    return page.frame_locator("iframe.page-frame")


@pytest.fixture
def opened(stack: Stack, new_page: NewPage, session: str) -> Iterator[Callable[[str], Page]]:
    """Opens a page of the agent by its address, beside the session, signed in."""
    pages: list[WatchedPage] = []

    def at(place: str) -> Page:
        watched = new_page(stack.url)
        pages.append(watched)
        watched.page.goto(stack.link)
        watched.page.goto(f"{stack.url}/#/s/{session}{place}")
        return watched.page

    yield at
    for watched in pages:
        watched.forgive("404")  # a key of the state, read before there was one


@pytest.mark.browser
def test_notes_are_written_by_both_and_people_say_what_the_agent_may(
    door: Gateway, model: ModelServer, session: str, opened: Callable[[str], Page]
) -> None:
    page = opened(f"/pages/{AGENT}/Notes")
    notes = frame(page)
    write(notes.get_by_label("New tab"), "Shop")
    notes.get_by_role("button", name="Add tab").click()
    write(notes.get_by_label("Notes in Shop"), "- bread")
    notes.get_by_role("button", name="Save").click()
    notes.get_by_role("button", name="Todo").click()
    expect(notes.get_by_label("Notes in Todo")).to_have_value("- milk")
    say(door, session, "note it")
    expect(notes.get_by_label("Notes in Todo")).to_have_value("- milk\n- tea")
    notes.get_by_label("Agent write").uncheck()
    expect(notes.get_by_label("Agent write")).not_to_be_checked()
    closed = {"content": "- milk\n- tea", "agentRead": True, "agentWrite": False}
    waited(lambda: door.get(f"/agents/{AGENT}/state/shared-notes%2FTodo")["value"] == closed)
    say(door, session, "note it")
    assert called(door, session, "notes_write")["error"]["message"] == (
        "Error: tab 'Todo' is read-only for you: its Agent write is off"
    )
    notes.get_by_label("Agent write").click()
    asked = page.get_by_role("alertdialog", name="The page wants to share notes")
    expect(asked).to_contain_text("let the agent write the notes in Todo")
    assert door.get(f"/agents/{AGENT}/state/shared-notes%2FTodo")["value"]["agentWrite"] is False
    asked.get_by_role("button", name="Let it").click()
    waited(lambda: door.get(f"/agents/{AGENT}/state/shared-notes%2FTodo")["value"]["agentWrite"] is True)
    stored = door.get(f"/agents/{AGENT}/state/shared-notes%2FShop")["value"]
    assert stored == {"content": "- bread", "agentRead": True, "agentWrite": True}


@pytest.mark.browser
def test_the_board_is_kept_by_both(
    door: Gateway, model: ModelServer, session: str, opened: Callable[[str], Page]
) -> None:
    board = frame(opened(f"/pages/{AGENT}/Beads"))
    write(board.get_by_label("New issue"), "Sweep the yard")
    board.get_by_role("button", name="Add").click()
    expect(board.get_by_role("region", name="Open").get_by_text("Sweep the yard")).to_be_visible()
    say(door, session, "plan more")
    expect(board.get_by_role("region", name="Open").get_by_text("Paint the door")).to_be_visible()
    board.get_by_label("Status of Paint the door").select_option("blocked")
    expect(board.get_by_role("region", name="Blocked").get_by_text("Paint the door")).to_be_visible()
    say(door, session, "look around")
    assert "[blocked]" in given(door, session, "beads_list")


@pytest.mark.browser
def test_values_are_asked_for_step_by_step_and_checked_on_both_sides(
    stack: Stack, door: Gateway, model: ModelServer, session: str, opened: Callable[[str], Page]
) -> None:
    page = opened("")
    assert say(door, session, "set it up") == "waiting_for_input"
    call = called(door, session, "request_user_input")["call_id"]
    with pytest.raises(Exception, match="must be filled in"):
        door.post(
            f"/sessions/{session}/tool-responses",
            {"call_id": call, "response": {"action": "submit", "data": {}}},
        )
    expect(page.get_by_text("Step 1 of 2")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("Fill this in.")).to_be_visible()
    write(page.get_by_label("Name"), "Ark")
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("radio", name="SQLite")).to_be_checked()
    page.get_by_text("Postgres").click()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Submitted")).to_be_visible()
    assert given(door, session, "request_user_input") == {"name": "Ark", "store": "pg"}
