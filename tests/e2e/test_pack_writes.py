"""Each tool of the packs that writes: its writes are in the preview of a rewind, go back, are replayed."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from agent_contracts.tool_spec import Effect
from agent_tools.registry import installed_packs
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages, newest
from foldline_testing.tool_runner.world import all_tools

Calls = list[tuple[str, dict[str, Any]]]
Arguments = dict[str, Any] | Callable[[list[Any]], dict[str, Any]]


class Case(NamedTuple):
    """A call that writes, by its arguments (of what the calls `before` it gave), and what the preview shows
    of it: kinds of what the agent has, `database`, or `files`."""

    arguments: Arguments
    shows: str
    before: tuple[tuple[str, dict[str, Any]], ...] = ()


STEP = {
    "stepId": "1",
    "description": "Open it.",
    "action": {"toolName": "grep", "purpose": "to find it"},
}
PLAYBOOK = ("create_playbook", {"goal": "Read a page", "workflow": [STEP]})
TEXT = ("write_file", {"path": "a.txt", "content": "one\ntwo\n"})
STORED = ("addContent", {"content": "A canary sings at dawn."})
BEAD = ("beads_create", {"title": "Fix the roof"})
TODO = ("add_todo", {"name": "Ask a breeder"})
NOTE = ("notes_write", {"tab": "Todo", "content": "- tea"})
TASK = ("schedule_task", {"prompt": "Review", "when": "0 9 * * 1", "job_id": "weekly"})
WRITES_IT = "from pathlib import Path; Path('made.txt').write_text('made')"
CODER = """import json, pathlib, sys
for line in sys.stdin:
    asked = json.loads(line)
    result = {"protocolVersion": 1, "sessionId": "s", "stopReason": "end_turn"}
    if asked["method"] == "session/prompt":
        pathlib.Path("made.txt").write_text("made")
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""
CODER_FILE = ("file_create", {"path": "coder.py", "text": CODER})


def bead(results: list[Any]) -> str:
    """The id of the bead that was made."""
    return str(results[0]).split()[1].rstrip(":")


CASES: dict[str, dict[str, Case]] = {
    "wintermute": {
        "write_file": Case({"path": "notes/a.txt", "content": "x"}, "files"),
        "execute_shell": Case({"command": "echo made > made.txt"}, "files"),
        "append_memory": Case({"entry": "Likes tea."}, "notes"),
        "update_memories": Case({"content": "Likes coffee."}, "notes"),
        "pulse": Case({"action": "add", "content": "boat"}, "database"),
        "add_skill": Case({"skill_name": "tea", "documentation": "# Tea\n\nBoil it."}, "skill"),
        "set_reminder": Case(
            {"message": "Tea!", "ai_prompt": "Say it.", "schedule_type": "daily", "at": "08:30"}, "reminder"
        ),
    },
    "protoagent": {
        "notes_write": Case(NOTE[1], "state"),
        "notes_revert": Case({"tab": "Todo"}, "state", (NOTE,)),
        "memory_ingest": Case({"content": "likes tea", "heading": "drink"}, "database"),
        "daily_log": Case({"content": "slept"}, "database"),
        "beads_create": Case(BEAD[1], "database"),
        "beads_update": Case(lambda r: {"issue_id": bead(r), "status": "blocked"}, "database", (BEAD,)),
        "beads_close": Case(lambda r: {"issue_id": bead(r)}, "database", (BEAD,)),
        "schedule_task": Case(TASK[1], "schedule"),
        "cancel_schedule": Case({"job_id": "weekly"}, "schedule", (TASK,)),
        "check_inbox": Case({}, "inbox"),
        "code_with": Case({"agent": "coder", "task": "Make it."}, "files", (CODER_FILE,)),
        "delegate_to_coder": Case({"target": "coder", "query": "Make it."}, "files", (CODER_FILE,)),
    },
    "libragent": {
        "createStore": Case({}, "database"),
        "addContent": Case(STORED[1], "database"),
        "updateContent": Case(
            lambda r: {"content_id": r[0]["content_id"], "content": "It sleeps."}, "database", (STORED,)
        ),
        "deleteContent": Case(lambda r: {"content_id": r[0]["content_id"]}, "database", (STORED,)),
        "write_file": Case(TEXT[1], "files"),
        "replace_lines_in_file": Case(
            {"path": "a.txt", "replacements": [{"start_line": 2, "new_content": "deux"}]}, "files", (TEXT,)
        ),
        "execute_shell": Case({"command": "echo made > made.txt"}, "files"),
        "execute_python": Case({"code": WRITES_IT}, "files"),
        "export_zip": Case({"files": ["a.txt"]}, "files", (TEXT,)),
        "create_goal": Case({"goal": "Know more of pets"}, "plan"),
        "clear_goal": Case({}, "plan", (("create_goal", {"goal": "x"}),)),
        "add_todo": Case(TODO[1], "plan"),
        "mark_todo": Case({"id": 1}, "plan", (TODO,)),
        "clear_todos": Case({}, "plan", (TODO,)),
        "add_memo": Case({"memo": "They sing."}, "plan"),
        "clear_memo": Case({"id": 1}, "plan", (("add_memo", {"memo": "x"}),)),
        "create_playbook": Case(PLAYBOOK[1], "playbook"),
        "update_playbook": Case(lambda r: {"id": r[0]["id"], "goal": "Another"}, "playbook", (PLAYBOOK,)),
        "delete_playbook": Case(lambda r: {"id": r[0]["id"]}, "playbook", (PLAYBOOK,)),
    },
}
ELSEWHERE: dict[str, dict[str, str]] = {
    "wintermute": {
        "fetch_url": "reads from the web",
        "search_web": "reads from the web",
        "spawn_sub_session": "begins a session: test_wintermute.py",
    },
    "protoagent": {
        "fetch_url": "reads from the web",
        "web_search": "reads from the web",
        "delegate_to": "asks somebody else",
        "peer_consult": "asks somebody else",
        "delegate_in_background": "begins a session: test_protoagent.py",
        **dict.fromkeys(("discord_send", "discord_read", "discord_react"), "is done at Discord"),
        **dict.fromkeys(
            ("github_get_pr", "github_get_issue", "github_list_issues", "github_get_commit_diff"),
            "reads from GitHub",
        ),
    },
    "libragent": {
        **dict.fromkeys(
            ("createSession", "closeSession", "clickElement", "inputText", "scrollPage"), "is done in a page"
        ),
        **dict.fromkeys(("navigateToUrl", "navigateBack", "navigateForward"), "is done in a page"),
        "extractPageContent": "needs a browser: test_libragent.py",
        "semanticSimilaritySearch": "needs embeddings: test_libragent.py",
        "execute_typescript": "writes by the agent's own tools alone",
        "export_file": "makes a card in the chat, of a file that is there",
        "import_file": "copies an upload: packs/libragent/tests/test_files.py",
    },
}
"""Tools that act outside, or whose writes another test shows; each with why."""


def test_no_tool_that_writes_is_forgotten() -> None:
    packs = installed_packs(None, all_tools().get)
    assert {pack.name for pack in packs} == CASES.keys()
    for pack in packs:
        specs = [*(tool.spec for tool in pack.tools), *pack.published]
        writing = {spec.name for spec in specs if spec.effect is not Effect.PURE}
        assert writing == CASES[pack.name].keys() | ELSEWHERE[pack.name].keys()
        assert not CASES[pack.name].keys() & ELSEWHERE[pack.name].keys()


@pytest.fixture(scope="module")
def writers(door: Gateway) -> dict[str, str]:
    """An agent for each pack, which may do whatever it likes."""
    made = {}
    for pack in CASES:
        agent = made[pack] = f"writes-{pack}"
        door.post("/agents", {"id": agent, "name": agent, "starters": False})
        door.put(f"/agents/{agent}/packs", {"packs": [pack]})
        door.put(f"/agents/{agent}/policy", {"preset": "free", "rules": []})
    proto = made["protoagent"]
    note = {"content": "- milk", "agentRead": True, "agentWrite": True}
    door.put(f"/agents/{proto}/state/shared-notes", {"value": ["Todo"]})
    door.put(f"/agents/{proto}/state/shared-notes%2FTodo", {"value": note})
    coder = {"name": "coder", "type": "acp", "command": "python3 coder.py"}
    door.put(f"/agents/{proto}/delegates", {"delegates": [coder]})
    return made


class Writer:
    """A session whose model makes just the calls that it is told to."""

    def __init__(self, door: Gateway, model: ModelServer, agent: str) -> None:
        self.door = door
        self.model = model
        self.id = str(door.post("/sessions", {"agent_id": agent, "token_limit": 10_000_000})["id"])

    def gets(self, calls: Calls) -> list[Any]:
        """The results of calls, one after another, in one turn; each must succeed."""
        turns = [{"tool_calls": [{"name": name, "arguments": given}]} for name, given in calls]
        self.model.play({"rules": [{"turns": [*turns, {"text": "Done."}]}]})
        turn = ChatTurn(self.door, self.id)
        turn.say("go on")
        for _ in turn.pieces():
            pass
        made = [call for one in messages(self.door, self.id) for call in one.get("tool_calls") or []]
        made = made[len(made) - len(calls) :]
        assert [one["error"] for one in made] == [None] * len(calls)
        return [one["result"] for one in made]

    def preview(self, to: int) -> Any:
        """What a rewind would do."""
        return self.door.get(f"/sessions/{self.id}/rewind-preview", to=to)


ALL = [(pack, tool) for pack, cases in CASES.items() for tool in cases]


@pytest.mark.parametrize(("pack", "tool"), ALL, ids=[f"{pack}.{tool}" for pack, tool in ALL])
def test_what_it_writes_is_in_the_preview_goes_back_and_is_replayed(
    door: Gateway, model: ModelServer, writers: dict[str, str], pack: str, tool: str
) -> None:
    arguments, shows, before = CASES[pack][tool]
    session = Writer(door, model, writers[pack])
    if tool == "check_inbox":
        door.post("/inbox", {"agent_id": writers[pack], "text": "The build broke", "source": "ci"})
    results = session.gets(list(before))
    to = newest(door, session.id)
    given = arguments(results) if callable(arguments) else arguments
    session.gets([("delegate_to" if tool == "delegate_to_coder" else tool, given)])

    preview = session.preview(to)
    shown = {one["kind"] for one in preview["agent"]}
    shown |= {"files"} if preview["files"] else set()
    shown |= {"database"} if preview["database"] else set()
    assert shows in shown
    parts = ["conversation", "agent", "database", "files"]
    done = door.post(f"/sessions/{session.id}:rewind", {"to": to, "parts": parts})
    assert done["rewound"], "it went back"
    left = session.preview(to)
    assert (left["agent"], left["files"], left["database"]) == ([], [], None)

    session.gets([])
    replayed = door.post(f"/sessions/{session.id}:replay", {"mode": "strict"})
    assert replayed["difference"] is None
