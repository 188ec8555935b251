"""Each tool takes what the seed says: names, which are needed, defaults; and no more."""

import pytest

from agent_tools.registry import Registry
from agent_tools.testing.seeds import Seed, flaws

STEPS = [{"schema": {"type": "object", "properties": {"name": {"type": "string"}}}}]
SEEDS = {
    "current_time": Seed({}, {"timezone": "UTC"}, {"timezone": 1}),
    "calculator": Seed({"expression": "1"}, {}, {"expression": 1}),
    "web_search": Seed({"query": "x"}, {"max_results": 5}, {"max_results": "5"}),
    "fetch_url": Seed({"url": "https://a.test"}, {"max_chars": 8000}, {"max_chars": 0}),
    "ask_human": Seed({"question": "x"}, {}, {"question": ""}),
    "request_user_input": Seed({"title": "x", "steps": STEPS}, {"description": ""}, {"steps": {}}),
    "notes_list": Seed({}, {}, {"tab": "x"}),
    "notes_read": Seed({}, {"tab": ""}, {"tab": 1}),
    "notes_write": Seed({"tab": "x", "content": "x"}, {"mode": "append"}, {"mode": "prepend"}),
    "notes_revert": Seed({"tab": "x"}, {"steps": 1}, {"steps": 0}),
    "memory_ingest": Seed({"content": "x"}, {"domain": "general", "heading": None}, {"domain": 1}),
    "memory_recall": Seed({"query": "x"}, {"k": 5}, {"k": "5"}),
    "memory_list": Seed({}, {"domain": None, "limit": 10}, {"limit": "10"}),
    "memory_stats": Seed({}, {}, {"domain": "x"}),
    "daily_log": Seed({"content": "x"}, {}, {"content": 1}),
    "schedule_task": Seed({"prompt": "x", "when": "0 9 * * *"}, {"job_id": None}, {"when": 9}),
    "list_schedules": Seed({}, {}, {"all": True}),
    "cancel_schedule": Seed({"job_id": "x"}, {}, {"job_id": 1}),
    "beads_create": Seed(
        {"title": "x"}, {"description": "", "priority": 2, "issue_type": "task"}, {"priority": 4}
    ),
    "beads_list": Seed({}, {"include_closed": False}, {"include_closed": "no"}),
    "beads_update": Seed(
        {"issue_id": "bd-1"},
        {"status": "", "title": "", "description": "", "priority": -1, "issue_type": ""},
        {"status": "asleep"},
    ),
    "beads_close": Seed({"issue_id": "bd-1"}, {"reason": ""}, {"reason": 1}),
    "check_inbox": Seed({}, {"priority_floor": "next", "limit": 10}, {"priority_floor": "soon"}),
    "peer_list": Seed({}, {}, {"name": "x"}),
    "peer_consult": Seed({"name": "x", "message": "x"}, {"skill": ""}, {"message": 1}),
    "delegate_to": Seed({"target": "x", "query": "x"}, {"background": False}, {"background": "yes"}),
    "delegate_to_coder": Seed({"target": "x", "query": "x"}, {"background": False}, {"query": ""}),
    "code_with": Seed({"agent": "x", "task": "x"}, {}, {"task": 1}),
    "github_get_pr": Seed({"repo": "a/b", "number": 1}, {}, {"number": 0}),
    "github_get_issue": Seed({"repo": "a/b", "number": 1}, {}, {"number": "1"}),
    "github_list_issues": Seed({"repo": "a/b"}, {"state": "open", "limit": 20}, {"state": "odd"}),
    "github_get_commit_diff": Seed({"repo": "a/b", "ref": "main"}, {"max_chars": 8000}, {"ref": 1}),
    "discord_send": Seed({"channel_id": "5", "content": "x"}, {}, {"content": ""}),
    "discord_read": Seed({"channel_id": "5"}, {"limit": 20}, {"limit": "20"}),
    "discord_react": Seed({"channel_id": "5", "message_id": "6", "emoji": "👍"}, {}, {"emoji": 1}),
}


def test_there_are_these(whole: Registry) -> None:
    (pack,) = [pack for pack in whole.packs if pack.name == "protoagent"]
    assert {tool.spec.name for tool in pack.tools} == SEEDS.keys()
    assert [spec.name for spec in pack.published] == ["delegate_in_background"]


@pytest.mark.parametrize("name", SEEDS)
def test_it_takes_what_the_seed_says_and_nothing_else(whole: Registry, name: str) -> None:
    tool = whole.get(f"protoagent.{name}")
    assert tool is not None
    assert flaws(tool, SEEDS[name]) == []
