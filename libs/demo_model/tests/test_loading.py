"""A script is read whole or refused with the place and the reason."""

from pathlib import Path

import pytest

from demo_model.faults import RateLimited
from demo_model.loading import DEMO_SCRIPT, BadScript, load, parse


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("rules: [{reply: {}, when: {call: 0}}]", "$.rules[0].when.call", "Expected `int` >= 1"),
        ("rules: [{reply: {}, when: {user_containz: x}}]", "$.rules[0].when", "unknown field"),
        (
            "rules: [{reply: {}}, {reply: {}, turns: [{}]}]",
            "$.rules[1]",
            "exactly one of `reply` and `turns`",
        ),
        ("rules: [{when: always}]", "$.rules[0]", "exactly one of `reply` and `turns`"),
        ("rules: [{turns: []}]", "$.rules[0].turns", "at least one turn"),
        ("rules: [{reply: {text: '{{ nope }}'}}]", "$.rules[0].reply.text", "no such name: nope"),
        ("rules: [{turns: [{}, {text: '{% if %}'}]}]", "$.rules[0].turns[1].text", "Bad template"),
        (
            "rules: [{when: {user_matches: '('}, reply: {}}]",
            "$.rules[0].when.user_matches",
            "regular expression",
        ),
        ("rules: [{reply: {fault: {kind: gremlin}}}]", "$.rules[0].reply.fault.kind", "gremlin"),
        (
            "rules: [{reply: {fault: {kind: cut, after: 3}}}]",
            "$.rules[0].reply.fault",
            "unknown field `after`",
        ),
        ("rules: [{reply: {pace: {size: 0}}}]", "$.rules[0].reply.pace.size", ">= 1"),
        (
            "rules: [{reply: {tool_calls: [{name: a, arguments: {b: ['{{ c ]']}}]}}]",
            "$.rules[0].reply.tool_calls[0].arguments.b[0]",
            "Bad template",
        ),
        (
            "rules: [{reply: {tool_calls: [{name: a, each: 'x +'}]}}]",
            "$.rules[0].reply.tool_calls[0].each",
            "Bad",
        ),
        ("otherwise: '{{ zzz }}'\nrules: []", "$.otherwise", "no such name: zzz"),
    ],
)
def test_a_bad_script_is_refused_with_the_place_and_the_reason(text: str, place: str, reason: str) -> None:
    with pytest.raises(BadScript) as refused:
        parse(text)
    assert f"at `{place}`" in str(refused.value)
    assert reason in str(refused.value)


def test_a_file_that_is_not_yaml_or_not_there_is_refused_with_its_name(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("rules: [")
    with pytest.raises(BadScript, match=r"broken\.yaml: not YAML"):
        load(broken)
    with pytest.raises(BadScript, match=r"absent\.yaml: cannot be read"):
        load(tmp_path / "absent.yaml")


def test_the_same_script_can_be_json(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"rules": [{"reply": {"text": "hi", "fault": {"kind": "rate_limited", "times": 2}}}]}')
    reply = load(script).rules[0].reply
    assert reply is not None
    assert reply.fault == RateLimited(times=2)


def test_the_built_in_script_is_a_good_one() -> None:
    assert load(DEMO_SCRIPT).name == "demo"
