"""Conditions that other distributions add: judged by what a call says, never opening where nobody knows."""

from collections.abc import Callable, Mapping

import pytest

from agent_contracts.added_conditions import AddedCondition
from agent_contracts.json_value import Json
from agent_contracts.policies import AddedMatch, Match, Policy, Preset, Rule, Verdict
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from agent_domain.policies import compiled_rules, policy_request
from agent_domain.policies.judgement import InForce, judge, policy_in
from agent_domain.policies.policy_request import call_of

RUN = ToolSpec(
    name="run", description="Run.", parameters={}, family="code", effect=Effect.EXTERNAL, runs_on=RunsOn.TOOLS
)
Says = Callable[[ToolSpec, Mapping[str, Json]], str | None]


def language(tool: ToolSpec, arguments: Mapping[str, Json]) -> str | None:
    found = arguments.get("language")
    return found if isinstance(found, str) else None


def broken(tool: ToolSpec, arguments: Mapping[str, Json]) -> str | None:
    raise RuntimeError("a bug")


def verdict(
    monkeypatch: pytest.MonkeyPatch, says: Says | None, rule: Verdict, arguments: Mapping[str, Json]
) -> Verdict:
    """Of a call, where the rule is about Python in the condition `language`, and all else is the preset's."""
    there = {} if says is None else {"language": AddedCondition(label="Language", says=says)}
    for module in (compiled_rules, policy_request):
        monkeypatch.setattr(module, "ADDED_CONDITIONS", there)
    compiled_rules._tests.cache_clear()
    preset: Preset = "cautious" if rule is Verdict.ALLOW else "free"
    match = Match(tool="run", added=(AddedMatch("language", "py*"),))
    return judge(InForce(Policy(preset, (Rule(rule, match),)), 1), call_of(RUN, arguments)).verdict


PYTHON: Mapping[str, Json] = {"language": "python"}


@pytest.mark.parametrize("rule", [Verdict.DENY, Verdict.ASK])
def test_a_rule_is_about_the_calls_that_say_what_fits(monkeypatch: pytest.MonkeyPatch, rule: Verdict) -> None:
    assert verdict(monkeypatch, language, rule, PYTHON) is rule
    assert verdict(monkeypatch, language, rule, {"language": "js"}) is Verdict.ALLOW
    assert verdict(monkeypatch, language, rule, {}) is Verdict.ALLOW


@pytest.mark.parametrize("says", [None, broken], ids=["not installed", "broken"])
def test_where_nobody_can_tell_a_rule_holds_that_does_not_allow_and_none_that_does(
    monkeypatch: pytest.MonkeyPatch, says: Says | None
) -> None:
    assert verdict(monkeypatch, says, Verdict.DENY, PYTHON) is Verdict.DENY
    assert verdict(monkeypatch, says, Verdict.ASK, PYTHON) is Verdict.ASK
    assert verdict(monkeypatch, language, Verdict.ALLOW, PYTHON) is Verdict.ALLOW
    assert verdict(monkeypatch, says, Verdict.ALLOW, PYTHON) is Verdict.ASK


def test_the_value_of_a_policy_is_read_without_the_extension() -> None:
    match = {"tool": "run", "added": [{"condition": "gone", "value": "x"}]}
    assert policy_in({"preset": "free", "rules": [{"verdict": "deny", "match": match}]}).preset == "free"
