"""Each of the twelve tools takes what the seed says: names, which are required, defaults; and no more."""

from typing import Any

import pytest

from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from agent_tools.registry import Registry
from agent_tools.validation import InvalidArguments, parse_arguments

MODES = ["minimal", "full", "base_only", "none"]
SEED: dict[str, tuple[set[str], dict[str, Any], Effect]] = {
    "execute_shell": ({"command"}, {"timeout": 30}, Effect.EXTERNAL),
    "read_file": ({"path"}, {}, Effect.PURE),
    "write_file": ({"path", "content"}, {}, Effect.RECORDED),
    "search_web": ({"query"}, {"max_results": 5}, Effect.EXTERNAL),
    "fetch_url": ({"url"}, {"max_chars": 20_000}, Effect.EXTERNAL),
    "spawn_sub_session": (
        {"objective"},
        {
            "context_blobs": None,
            "system_prompt_mode": "minimal",
            "timeout": 300,
            "depends_on": None,
            "depends_on_previous": False,
            "not_before": None,
        },
        Effect.RECORDED,
    ),
    "set_reminder": (
        {"message", "schedule_type"},
        {
            "ai_prompt": None,
            "at": None,
            "day_of_week": None,
            "day_of_month": None,
            "interval_seconds": None,
            "window_start": None,
            "window_end": None,
            "system": False,
        },
        Effect.RECORDED,
    ),
    "list_reminders": (set(), {}, Effect.PURE),
    "append_memory": ({"entry"}, {}, Effect.RECORDED),
    "update_memories": ({"content"}, {}, Effect.RECORDED),
    "pulse": (
        {"action"},
        {"content": None, "item_id": None, "priority": None, "status": "active"},
        Effect.RECORDED,
    ),
    "add_skill": ({"skill_name", "documentation"}, {}, Effect.RECORDED),
}
GOOD: dict[str, dict[str, Any]] = {
    "execute_shell": {"command": "ls"},
    "read_file": {"path": "a.txt"},
    "write_file": {"path": "a.txt", "content": "x"},
    "search_web": {"query": "boats"},
    "fetch_url": {"url": "https://a.test"},
    "set_reminder": {"message": "tea", "schedule_type": "daily", "at": "08:30"},
    "list_reminders": {},
    "append_memory": {"entry": "x"},
    "update_memories": {"content": ""},
    "pulse": {"action": "list"},
    "add_skill": {"skill_name": "tea", "documentation": "x"},
}
WRONG: dict[str, dict[str, Any]] = {
    "execute_shell": {"timeout": "30"},
    "read_file": {"path": 1},
    "write_file": {"content": None},
    "search_web": {"max_results": "5"},
    "fetch_url": {"max_chars": 0},
    "set_reminder": {"schedule_type": "yearly"},
    "append_memory": {"entry": "x" * 4_001},
    "update_memories": {"content": 1},
    "pulse": {"priority": 11},
    "add_skill": {"documentation": ""},
}


@pytest.fixture(scope="module")
def specs(everything: Registry) -> dict[str, ToolSpec]:
    (pack,) = [pack for pack in everything.packs if pack.name == "wintermute"]
    return {spec.name: spec for spec in pack.catalogue().tools}


def test_there_are_these_twelve(specs: dict[str, ToolSpec]) -> None:
    assert specs.keys() == SEED.keys()
    assert {spec.tool for spec in specs.values()} == {f"wintermute.{name}" for name in SEED}


@pytest.mark.parametrize("name", SEED)
def test_it_takes_what_the_seed_says(specs: dict[str, ToolSpec], name: str) -> None:
    required, defaults, effect = SEED[name]
    schema: dict[str, Any] = specs[name].parameters
    assert set(schema.get("required", ())) == required
    assert schema["properties"].keys() == required | defaults.keys()
    told = {key: schema["properties"][key].get("default") for key in defaults}
    assert told == defaults
    assert specs[name].effect is effect


def test_only_commands_files_and_the_web_are_for_workers(specs: dict[str, ToolSpec]) -> None:
    assert {name for name, spec in specs.items() if spec.for_workers} == {
        "execute_shell",
        "read_file",
        "write_file",
        "search_web",
        "fetch_url",
    }
    assert specs["execute_shell"].runs_on is RunsOn.WORKSPACE
    assert specs["spawn_sub_session"].runs_on is RunsOn.ENGINE


@pytest.mark.parametrize("name", GOOD)
def test_a_missing_an_extra_and_a_wrong_argument_are_refused(everything: Registry, name: str) -> None:
    tool = everything.get(f"wintermute.{name}")
    assert tool is not None
    good = GOOD[name]
    parse_arguments(tool, good)
    bad = [{**good, "colour": "red"}]
    bad += [{key: value for key, value in good.items() if key != gone} for gone in SEED[name][0]]
    bad += [{**good, **WRONG[name]}] if name in WRONG else []
    for arguments in bad:
        with pytest.raises(InvalidArguments):
            parse_arguments(tool, arguments)
