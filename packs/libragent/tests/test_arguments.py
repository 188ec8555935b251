"""Each tool takes what the seed says: names, which are needed, defaults; and no more."""

from typing import Any

import pytest

import foldline_libragent
from agent_tools.registry import tools_in
from agent_tools.testing.seeds import Seed, flaws

TOOLS = {tool.spec.name: tool for tool in tools_in(foldline_libragent)}
ACTION = {"toolName": "grep", "purpose": "to find it"}
WORKFLOW = [{"stepId": "1", "description": "Open it.", "action": ACTION}]
OPTIONS = {"top_n": 10, "threshold": None}
LINES = [{"start_line": 1, "new_content": "x"}]
SEEDS = {
    "createSession": Seed({"url": "https://a.test"}, {"title": None}, {"title": 1}),
    "closeSession": Seed({"sessionId": "x"}, {}, {"sessionId": 1}),
    "listSessions": Seed({}, {}, {"sessionId": "x"}),
    "navigateToUrl": Seed({"sessionId": "x", "url": "https://a.test"}, {}, {"url": 1}),
    "navigateBack": Seed({"sessionId": "x"}, {}, {"sessionId": 1}),
    "navigateForward": Seed({"sessionId": "x"}, {}, {"sessionId": 1}),
    "getCurrentUrl": Seed({"sessionId": "x"}, {}, {"sessionId": 1}),
    "getPageTitle": Seed({"sessionId": "x"}, {}, {"sessionId": 1}),
    "scrollPage": Seed({"sessionId": "x", "direction": "up"}, {"amount": 500}, {"direction": "in"}),
    "clickElement": Seed({"sessionId": "x", "selector": "#a"}, {}, {"selector": 1}),
    "inputText": Seed({"sessionId": "x", "selector": "#a", "text": "x"}, {}, {"text": 1}),
    "extractPageContent": Seed({"sessionId": "x"}, {"saveRawHtml": False}, {"saveRawHtml": "no"}),
    "extractInteractable": Seed({"sessionId": "x"}, {}, {"sessionId": 1}),
    "createStore": Seed({}, {"metadata": None}, {"metadata": "x"}),
    "listStores": Seed({}, {}, {"store_id": "x"}),
    "getStoreInfo": Seed({"store_id": "x"}, {}, {"store_id": 1}),
    "listContent": Seed(
        {}, {"store_id": None, "pagination": {"offset": 0, "limit": 50}}, {"pagination": {"limit": 0}}
    ),
    "readContent": Seed({"content_id": "x"}, {"from_line": 1, "to_line": None}, {"from_line": 0}),
    "deleteContent": Seed({"content_id": "x"}, {}, {"content_id": 1}),
    "keywordSimilaritySearch": Seed(
        {"query": "x"}, {"store_id": None, "options": OPTIONS}, {"options": {"top_n": 0}}
    ),
    "semanticSimilaritySearch": Seed(
        {"query": "x"}, {"store_id": None, "options": OPTIONS}, {"options": {"top_n": "10"}}
    ),
    "read_file": Seed({"path": "a"}, {"start_line": None, "end_line": None}, {"start_line": 0}),
    "write_file": Seed({"path": "a", "content": "x"}, {"mode": "w"}, {"mode": "r"}),
    "list_directory": Seed({"path": "a"}, {}, {"path": 1}),
    "search_files": Seed(
        {"pattern": "*"}, {"path": None, "max_depth": None, "file_type": "both"}, {"file_type": "socket"}
    ),
    "replace_lines_in_file": Seed({"path": "a", "replacements": LINES}, {}, {"replacements": []}),
    "import_file": Seed({"source": "f_1", "dest_rel_path": "a"}, {}, {"source": 1}),
    "execute_python": Seed({"code": "1"}, {"timeout": 30}, {"timeout": "30"}),
    "execute_typescript": Seed({"code": "1"}, {"timeout": 30}, {"timeout": 0}),
    "execute_shell": Seed(
        {"command": "ls"}, {"timeout": 30, "working_dir": None, "run_mode": "sync"}, {"run_mode": "later"}
    ),
    "execute_windows_cmd": Seed(
        {"command": "dir"}, {"timeout": 30, "working_dir": None, "run_mode": "sync"}, {"timeout": 0}
    ),
    "export_file": Seed({"path": "a"}, {"display_name": None, "description": None}, {"path": 1}),
    "export_zip": Seed({"files": ["a"]}, {"package_name": None, "description": None}, {"files": []}),
    "create_goal": Seed({"goal": "x"}, {}, {"goal": ""}),
    "clear_goal": Seed({}, {}, {"goal": "x"}),
    "add_todo": Seed({"name": "x"}, {}, {"name": 1}),
    "mark_todo": Seed({"id": 1}, {"completed": True, "summary": None}, {"completed": "yes"}),
    "clear_todos": Seed({}, {"ids": None}, {"ids": 1}),
    "add_memo": Seed({"memo": "x"}, {}, {"memo": ""}),
    "clear_memo": Seed({"id": 1}, {}, {"id": "1"}),
    "get_current_state": Seed({}, {}, {"id": 1}),
    "create_playbook": Seed(
        {"goal": "x", "workflow": WORKFLOW}, {"initialCommand": "", "successCriteria": ""}, {"workflow": []}
    ),
    "select_playbook": Seed({"id": "x"}, {}, {"id": 1}),
    "list_playbooks": Seed({}, {"page": 1, "pageSize": 10}, {"page": 0}),
    "get_playbook": Seed({"id": "x"}, {}, {"id": ""}),
    "delete_playbook": Seed({"id": "x"}, {}, {"id": 1}),
}
ONE_OF: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "addContent": ({"content": "x"}, {"store_id": None, "content": None, "file_id": None, "metadata": None}),
    "updateContent": ({"content_id": "x", "content": "x"}, {"content": None, "metadata": None}),
    "grep": (
        {"pattern": "x", "input": "x"},
        {"path": None, "input": None, "ignore_case": False, "line_numbers": False},
    ),
    "update_playbook": (
        {"id": "x", "goal": "x"},
        {"goal": None, "initialCommand": None, "workflow": None, "successCriteria": None},
    ),
}
"""Tools that need one of several arguments, or more than one where it changes something."""


def test_there_are_these() -> None:
    assert TOOLS.keys() == SEEDS.keys() | ONE_OF.keys()


@pytest.mark.parametrize("name", SEEDS)
def test_it_takes_what_the_seed_says_and_nothing_else(name: str) -> None:
    assert flaws(TOOLS[name], SEEDS[name]) == []


@pytest.mark.parametrize("name", ONE_OF)
def test_where_one_of_several_is_needed_they_are_there_with_their_defaults(name: str) -> None:
    good, defaults = ONE_OF[name]
    needed = {key: value for key, value in good.items() if key not in defaults}
    seed = Seed(needed, defaults, dict.fromkeys(good, 1))
    runs_without = {f"runs without {key}" for key in needed}
    assert [flaw for flaw in flaws(TOOLS[name], seed) if flaw not in runs_without] == []
