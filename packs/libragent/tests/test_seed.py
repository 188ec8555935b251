"""LibrAgent's tools as its documentation has them: arguments, defaults, results and errors, by table.

Those of the browser are in `test_seed_browser.py`.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from importlib.metadata import EntryPoint
from typing import Any
from unittest.mock import ANY

import pytest

import foldline_libragent
from agent_contracts.tool_spec import RunsOn
from agent_tools.registry import PACKS, tools_in
from foldline_testing.agent_tools.called import Called
from foldline_testing.agent_tools.seeds import Like, Run, Seed, Taken, flaws
from foldline_testing.product.libragent_world import LibraWorld
from foldline_testing.workspace_host.world import shell_world
from workspace_host.host_tools import discover

TOOLS = {
    tool.spec.name: tool for tool in tools_in(foldline_libragent) if tool.spec.runs_on is not RunsOn.BROWSER
}
STRING, INTEGER = "Input should be a valid string", "Input should be a valid integer"
ONE = "List should have at least 1 item after validation, not 0"
OBJECT, LIST = "Input should be an object", "Input should be a valid array"
FROM_1, NOT_BLANK = "Input should be greater than or equal to 1", "String should have at least 1 character"
TIME, FILE, PLAYBOOK = Like(r"20\d\d-\S+ \S+"), Like("f_[0-9a-f]{20}"), "pb_[0-9a-f]{10}"
BIRDS = "A canary sings.\nIt likes seeds."
OPTIONS = {"top_n": 10, "threshold": None}
STEP = {"stepId": "1", "description": "Open it.", "action": {"toolName": "grep", "purpose": "to find it"}}
WRITTEN = ("write_file", {"path": "a.txt", "content": "one\ntwo\n"})
ADDED = ("addContent", {"content": BIRDS})
MADE = ("create_playbook", {"goal": "Find it", "workflow": [STEP]})
INFO = {
    "store_id": "session-s1", "metadata": {}, "created_at": TIME, "contents": 1, "chunks": 1, "size": 31,
}  # fmt: skip
CONTENT = {
    "content_id": "content_1", "store_id": "session-s1", "source": "text", "metadata": {}, "size": 31,
    "lines": 2, "chunks": 1, "edition": 1, "updated_at": TIME,
}  # fmt: skip
HIT = {
    "content_id": "content_1",
    "first_line": 1,
    "last_line": 2,
    "text": BIRDS,
    "score": pytest.approx(0, abs=1),
}
LISTED = {"name": "a.txt", "path": "a.txt", "type": "file", "size": 8, "file_id": FILE}
A_FILE = {"file_id": FILE, "path": "a.txt", "version": 1, "size": 8}
NO_CONTENT = "there is no content 'content_9': listContent names those of a store"
NO_STORE = "there is no store 'gone': listStores names those that there are"
SHOWN = {
    "id": Like(PLAYBOOK), "version": 1, "goal": "Find it", "initialCommand": "", "successCriteria": "",
    "workflow": [STEP | {"requiredData": [], "outputVariable": ""}],
}  # fmt: skip
PLAN: dict[str, Any] = {"goal": None, "earlier_goals": [], "todos": [], "memos": []}
TODO = {"id": 1, "name": "Dig", "completed": False, "summary": ""}
RAN = {
    "command_id": Like("cmd_.+"), "status": "exited", "exit_code": 0, "stdout": "2\n", "stderr": "",
    "stdout_file": None, "stderr_file": None, "changed": [], "not_kept": [], "weaker": ANY,
    "seconds": pytest.approx(0, abs=60),
}  # fmt: skip
SEEDS = {
    "createStore": Seed({}, {"metadata": None}, ("metadata", "x", OBJECT),
        INFO | {"store_id": Like(r"store-s1\..+"), "metadata": {"name": "birds"}, "contents": 0, "chunks": 0,
            "size": 0},
        more={"metadata": {"name": "birds"}}),
    "listStores": Seed({}, {}, None, {"stores": [INFO], "own": "session-s1"}, before=[ADDED]),
    "getStoreInfo": Seed(
        {"store_id": "session-s1"}, {}, ("store_id", 1, STRING), INFO, before=[ADDED],
        refuses=[({"store_id": "gone"}, NO_STORE)],
    ),
    "addContent": Seed(
        {}, {"store_id": None, "content": None, "file_id": None, "metadata": None}, ("content", 1, STRING),
        CONTENT, more={"content": BIRDS},
        refuses=[({}, "addContent: the arguments: give content or file_id, one of them"),
                 ({"store_id": "gone", "content": "x"}, NO_STORE)],
    ),
    "updateContent": Seed(
        {"content_id": "content_1"}, {"content": None, "metadata": None}, ("metadata", 1, OBJECT),
        CONTENT | {"edition": 2, "size": 5, "lines": 1}, before=[ADDED], more={"content": "Other"},
        refuses=[({}, "updateContent: the arguments: give content, metadata, or both"),
                 ({"content_id": "content_9", "content": "x"}, NO_CONTENT)],
    ),
    "deleteContent": Seed(
        {"content_id": "content_1"}, {}, ("content_id", 1, STRING),
        {"content_id": "content_1", "deleted": True}, before=[ADDED],
        refuses=[({"content_id": "content_9"}, NO_CONTENT)],
    ),
    "listContent": Seed(
        {}, {"store_id": None, "pagination": {"offset": 0, "limit": 50}}, ("pagination", 1, OBJECT),
        {"contents": [CONTENT], "total": 1, "offset": 0, "has_more": False}, before=[ADDED],
        refuses=[({"pagination": {"limit": 0}}, f"listContent: /pagination/limit: {FROM_1}")],
    ),
    "readContent": Seed(
        {"content_id": "content_1"}, {"from_line": 1, "to_line": None}, ("from_line", 0, FROM_1),
        {"content_id": "content_1", "text": "It likes seeds.", "from_line": 2, "to_line": 2, "lines": 2},
        before=[ADDED], more={"from_line": 2},
        refuses=[({"from_line": 3}, "there is no line from 3 to 2: it has 2")],
    ),
    "keywordSimilaritySearch": Seed(
        {"query": "canary"}, {"store_id": None, "options": OPTIONS}, ("query", "", NOT_BLANK),
        {"results": [HIT]}, before=[ADDED],
    ),
    "semanticSimilaritySearch": Seed(
        {"query": "bird"}, {"store_id": None, "options": OPTIONS}, ("query", "", NOT_BLANK),
        {"results": [HIT], "not_searched": 0}, before=[ADDED],
    ),
    "read_file": Seed(
        {"path": "a.txt"}, {"start_line": None, "end_line": None}, ("start_line", 0, FROM_1),
        {"path": "a.txt", "content": "two\n", "start_line": 2, "end_line": 2, "total_lines": 2, "version": 1},
        before=[WRITTEN], more={"start_line": 2},
        refuses=[({"path": "gone"}, "There is no file at gone"),
            ({"start_line": 9}, "there is no line from 9 to 2: it has 2")],
    ),
    "write_file": Seed(
        {"path": "a.txt", "content": "one\ntwo\n"}, {"mode": "w"},
        ("mode", "r", "Input should be 'w' or 'a'"), A_FILE,
    ),
    "list_directory": Seed(
        {"path": "."}, {"filter": None}, ("path", 1, STRING),
        {"path": ".", "entries": [LISTED], "truncated": False},
        before=[WRITTEN],
        refuses=[({"path": "gone"}, "there is no folder 'gone'")],
    ),
    "search_files": Seed(
        {"pattern": "*.txt"}, {"path": None, "max_depth": None, "file_type": "both"},
        ("file_type", "socket", "Input should be 'file', 'dir' or 'both'"),
        {"matches": [LISTED], "truncated": False}, before=[WRITTEN],
    ),
    "grep": Seed(
        {"pattern": "^t"}, {"path": None, "input": None, "ignore_case": False, "line_numbers": False},
        ("ignore_case", "yes", "Input should be a valid boolean"),
        {"output": "a.txt:2:two", "count": 1, "truncated": False, "skipped": []}, before=[WRITTEN],
        more={"line_numbers": True},
        refuses=[({"pattern": "("}, "not a regular expression: missing ), unterminated "
                  "subpattern at position 0")],
    ),
    "replace_lines_in_file": Seed(
        {"path": "a.txt", "replacements": [{"start_line": 1, "new_content": "1"}]}, {},
        ("replacements", [], ONE),
        A_FILE | {"version": 2, "size": 6}, before=[WRITTEN],
    ),
    "import_file": Seed(
        {"source": Taken(0, "f_[0-9a-f]{20}"), "dest_rel_path": "b.txt"}, {}, ("source", 1, STRING),
        A_FILE | {"path": "b.txt"}, before=[WRITTEN],
        refuses=[({"source": "/etc/passwd"}, "give the id of a file (f_…) or an address that begins with "
                  "https://: paths of this machine can't be read")],
    ),
    "export_file": Seed(
        {"path": "a.txt"}, {"format": None, "display_name": None, "description": None}, ("path", 1, STRING),
        A_FILE | {"media_type": "text/plain", "display_name": "Two", "description": ""},
        before=[WRITTEN], more={"display_name": "Two"},
    ),
    "export_zip": Seed(
        {"files": ["a.txt"]}, {"package_name": None, "description": None}, ("files", "a.txt", LIST),
        A_FILE | {
            "path": "exports/all.zip", "size": 118, "media_type": "application/zip",
            "display_name": "all.zip",
            "description": "1 file",
        },
        before=[WRITTEN], more={"package_name": "all"},
    ),
    "execute_python": Seed({"code": "print(1 + 1)"}, {"timeout": 30}, ("timeout", "30", INTEGER), RAN),
    "execute_shell": Seed(
        {"command": "echo $((1 + 1))"}, {"timeout": 30, "working_dir": None, "run_mode": "sync"},
        ("run_mode", "later", "Input should be 'sync' or 'async'"), RAN,
        refuses=[({"command": "echo so far; sleep 60", "timeout": 1},
                  Like(r"it was ended after 1\.\S+ seconds\. It had written: so far"))],
    ),
    "execute_typescript": Seed(
        {"code": "const n: number = 2; console.log(n); return n"}, {"timeout": 30}, ("timeout", 0, FROM_1),
        {"stdout": "2", "result": 2},
    ),
    "execute_windows_cmd": Seed(
        {"command": "dir"}, {"timeout": 30, "working_dir": None, "run_mode": "sync"}, ("timeout", 0, FROM_1),
        None,
        refuses=[({}, "commands run on Linux here, where there is no cmd.exe: nothing was done. Use "
                  "execute_shell")],
    ),
    "create_goal": Seed({"goal": "Find it"}, {}, ("goal", "", NOT_BLANK), PLAN | {"goal": "Find it"}),
    "clear_goal": Seed(
        {}, {}, None, PLAN | {"earlier_goals": ["Find it"]}, before=[("create_goal", {"goal": "Find it"})]
    ),
    "add_todo": Seed({"name": "Dig"}, {}, ("name", 1, STRING), PLAN | {"todos": [TODO]}),
    "mark_todo": Seed(
        {"id": 1}, {"completed": True, "summary": None},
        ("completed", "yes", "Input should be a valid boolean"),
        PLAN | {"todos": [TODO | {"completed": True, "summary": "Gold"}]},
        before=[("add_todo", {"name": "Dig"})],
        more={"summary": "Gold"}, refuses=[({"id": 9}, "there is no to-do 9: there is 1")],
    ),
    "clear_todos": Seed({}, {"ids": None}, ("ids", 1, LIST), PLAN, before=[("add_todo", {"name": "Dig"})]),
    "add_memo": Seed(
        {"memo": "Bring rope"}, {}, ("memo", "", NOT_BLANK),
        PLAN | {"memos": [{"id": 1, "memo": "Bring rope"}]}
    ),
    "clear_memo": Seed(
        {"id": 1}, {}, ("id", "1", INTEGER), PLAN, before=[("add_memo", {"memo": "Bring rope"})],
        refuses=[({"id": 9}, "there is no memo 9: there is 1")],
    ),
    "get_current_state": Seed({}, {}, None, PLAN | {"todos": [TODO]}, before=[("add_todo", {"name": "Dig"})]),
    "create_playbook": Seed(
        {"goal": "Find it", "workflow": [STEP]}, {"initialCommand": "", "successCriteria": ""},
        ("workflow", [], ONE), SHOWN,
    ),
    "select_playbook": Seed(
        {"id": Taken(0, PLAYBOOK)}, {}, ("id", 1, STRING),
        {"playbook": SHOWN, "instructions": "Reach this goal: Find it\n1. Open it. With grep: to find it."},
        before=[MADE],
        refuses=[({"id": "gone"}, "there is no playbook 'gone': list_playbooks names those that there are")],
    ),
    "list_playbooks": Seed(
        {}, {"page": 1, "pageSize": 10}, ("page", 0, FROM_1),
        {"playbooks": [{"id": Like(PLAYBOOK), "version": 1, "goal": "Find it", "steps": 1}], "page": 1,
         "pageSize": 10, "total": 1},
        before=[MADE],
    ),
    "get_playbook": Seed({"id": Taken(0, PLAYBOOK)}, {}, ("id", "", NOT_BLANK), SHOWN, before=[MADE]),
    "update_playbook": Seed(
        {"id": Taken(0, PLAYBOOK)},
        {"goal": None, "initialCommand": None, "workflow": None, "successCriteria": None},
        ("goal", 1, STRING),
        SHOWN | {"version": 2, "goal": "Found"}, before=[MADE], more={"goal": "Found"},
        refuses=[({}, "update_playbook: the arguments: say what is to be different: goal, initialCommand, "
                  "workflow, successCriteria")],
    ),
    "delete_playbook": Seed({"id": Taken(0, PLAYBOOK)}, {}, ("id", 1, STRING), {"deleted": True},
        before=[MADE]),
}  # fmt: skip


@pytest.fixture
async def run_of(libra: LibraWorld) -> AsyncIterator[Callable[[str], Any]]:
    """The runner of a tool."""
    async with AsyncExitStack() as stack:

        async def run(name: str) -> Run:
            if TOOLS[name].spec.runs_on is RunsOn.TOOLS:
                return Called(libra).run
            host = await stack.enter_async_context(shell_world())
            entry = EntryPoint("libragent", "foldline_libragent", PACKS)
            host.registry = discover(host.isolation, [entry])
            return Called(host, "libragent").run

        yield run


def test_each_tool_has_a_row() -> None:
    assert TOOLS.keys() == SEEDS.keys()


@pytest.mark.processes
@pytest.mark.parametrize("name", SEEDS)
async def test_it_takes_gives_and_refuses_what_the_seed_says(run_of: Callable[[str], Any], name: str) -> None:
    found = await flaws(await run_of(name), TOOLS[name].spec, SEEDS[name])
    assert found == [], "\n".join(found)
