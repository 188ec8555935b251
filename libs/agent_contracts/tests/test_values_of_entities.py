"""What entities' values may be, and how what was written is read: the parts that other members stand on."""

from typing import Any

import pytest

from agent_contracts.entities.agent_texts import text_of
from agent_contracts.entities.definitions import NamedDefinition, ToolDefinition, tool_spec
from agent_contracts.entities.delegates import MOST_DELEGATES, Delegate, delegates_in
from agent_contracts.entities.state_keys import LONGEST_KEY, flaw_in_key
from agent_contracts.errors import Permanent
from agent_contracts.json_value import Json
from agent_contracts.log.subjects import agent_of
from agent_contracts.policies import Match, OutsideSource, PolicyJudgement, Verdict, shown_of
from agent_contracts.tool_spec import Effect, RunsOn
from agent_contracts.whole_numbers import whole

URL = "https://example.com/a2a"


@pytest.mark.parametrize(
    ("delegate", "field"),
    [
        (Delegate("a", "a2a", URL), None),
        (Delegate("a", "openai", URL, model="m"), None),
        (Delegate("a", "acp", command="coder --acp"), None),
        (Delegate("a", "a2a"), "url"),
        (Delegate("a", "openai", URL), "model"),
        (Delegate("a", "a2a", URL, command="coder"), "command"),
        (Delegate("a", "acp", command="  "), "command"),
        (Delegate("a", "acp", URL, command="coder"), "url"),
        (Delegate("a", "acp", command="coder", secret="KEY"), "secret"),
        (Delegate("a", "acp", command="coder", model="m"), "model"),
        (Delegate("a", "acp", command="coder", system_prompt="p"), "system_prompt"),
    ],
)
def test_a_delegate_has_what_its_type_needs_and_nothing_else(delegate: Delegate, field: str | None) -> None:
    flaw = delegate.flaw
    assert (None if flaw is None else flaw[0]) == field


def test_of_the_delegates_that_were_kept_those_count_that_can_be_used_each_name_once() -> None:
    good = {"name": "a", "type": "a2a", "url": URL}
    listed: list[Json] = [
        good,
        {**good, "description": "the second"},
        {"name": "b", "type": "a2a"},
        {**good, "name": "not a name"},
        5,
        {**good, "name": "c"},
    ]
    assert [one.name for one in delegates_in({"delegates": listed})] == ["a", "c"]
    assert delegates_in({"delegates": listed})[0].description == ""
    many: list[Json] = [{**good, "name": f"d{n}"} for n in range(MOST_DELEGATES + 1)]
    assert len(delegates_in({"delegates": many})) == MOST_DELEGATES
    empty: list[Json] = [None, [], {}, {"delegates": 5}, "a"]
    for nothing in empty:
        assert delegates_in(nothing) == ()


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("a", None),
        ("Ein Schlüssel.", None),
        ("k" * LONGEST_KEY, None),
        ("", "1 to 256 characters"),
        ("k" * (LONGEST_KEY + 1), "1 to 256 characters"),
        ("a\nb", "a control character (U+000A) at position 1"),
        ("ab\ud800", "a lone surrogate (U+D800) at position 2"),
    ],
)
def test_a_key_of_the_state_is_short_and_has_no_control_characters(key: str, why: str | None) -> None:
    flaw = flaw_in_key(key)
    assert flaw is None if why is None else why in (flaw or "")


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (100.0, 100),
        (-0.0, 0),
        (1.5, 1.5),
        (2.0**53, 2**53),
        (2.0**54, 2.0**54),
        ({"a": [1.0, {"b": (2.0,)}], "c": "1.0", "d": True}, {"a": [1, {"b": [2]}], "c": "1.0", "d": True}),
    ],
)
def test_whole_numbers_are_read_as_such_at_any_depth(value: Any, read: Any) -> None:
    assert repr(whole(value)) == repr(read)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        ({"text": "a"}, "a"),
        ({"text": 5}, None),
        (None, None),
        (5, None),
        (["a"], None),
        ({}, None),
    ],
)
def test_a_text_is_the_value_or_its_member(value: Json, text: str | None) -> None:
    assert text_of(value) == text


def test_a_subject_names_its_agent_or_is_none_of_the_logs() -> None:
    assert agent_of("ses.a1.3.s_1.in.created") == agent_of("agt.a1.tool.dig") == "a1"
    for subject in ("ses", "ses.a1", "agt..tool", "dlv.a1.x", ""):
        with pytest.raises(Permanent):
            agent_of(subject)


def digging(schema: dict[str, Json]) -> ToolDefinition:
    return ToolDefinition(description="Digs.", code="return 1", parameter_schema=schema)


def test_an_agents_tool_is_offered_as_external_and_without_references() -> None:
    schema: dict[str, Json] = {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object", "title": "A"}}}
    spec = tool_spec(NamedDefinition("dig", ToolDefinition("Digs.", schema, "return 1"), 3))
    assert (spec.name, spec.description, spec.effect, spec.runs_on) == (
        "dig",
        "Digs.",
        Effect.EXTERNAL,
        RunsOn.TOOLS,
    )
    assert spec.parameters == {"properties": {}, "type": "object", "title": "A"}
    endless: dict[str, Json] = {"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}}
    kept = tool_spec(NamedDefinition("dig", digging(endless), 3)).parameters
    assert kept == {"properties": {}, **endless}


def test_what_waits_for_a_yes_shows_by_which_rule_and_what_a_yes_would_cover() -> None:
    plain = {"kind": "approval", "tool": "fetch_url", "rule": "It sends", "version": 3}
    assert shown_of("fetch_url", PolicyJudgement(Verdict.ASK, "It sends", 3)) == plain
    covers, commands = Match(tool="fetch_url", host="a.example"), Match(family="workspace", command="*")
    outside = (OutsideSource("web", "news.example", "9.0"),)
    judged = PolicyJudgement(Verdict.ASK, "It sends", 3, covers, outside, commands)
    assert shown_of("fetch_url", judged) == plain | {
        "covers": {"tool": "fetch_url", "host": "a.example"},
        "commands": {"family": "workspace", "command": "*"},
        "outside": [{"kind": "web", "name": "news.example", "address": "9.0"}],
    }
