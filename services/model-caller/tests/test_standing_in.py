"""Calls that are done by another tool than the one that models call: where it is, and what policies say."""

import json
from typing import Any

import msgspec
import pytest

from agent_contracts.ids import CallId
from agent_contracts.policies import Grant, Match, Policy, Rule, Verdict
from agent_contracts.session_events.results import ResolvedCall
from agent_contracts.tool_spec import CALL_TOOL, CoreTool, Effect, RunsOn, StandsIn, ToolSpec
from agent_domain.policies.judgement import DEFAULT, InForce
from agent_domain.policies.policy_request import Context
from model_caller.answers.answer import AskedCall
from model_caller.answers.gate import NO_POLICY, PolicyGate
from model_caller.answers.resolve import ToolOffer, resolve
from model_caller.offering.needs import offered, stand_ins

TO = ToolSpec("delegate_to", "Hand over.", {}, "delegates", Effect.EXTERNAL, RunsOn.TOOLS, pack="protoagent")
CODER = msgspec.structs.replace(
    TO,
    name="delegate_to_coder",
    runs_on=RunsOn.WORKSPACE,
    needs=("delegate:acp",),
    alias_of=CoreTool("run_command", "workspace"),
    stands_in=StandsIn("delegate_to", "target", "acp"),
)
LATER = msgspec.structs.replace(
    TO,
    name="delegate_in_background",
    runs_on=RunsOn.ENGINE,
    effect=Effect.RECORDED,
    stands_in=StandsIn("delegate_to", "background"),
)
OTHER = msgspec.structs.replace(TO, pack="another")
DELEGATES = {"scout": "a2a", "coder": "acp"}


def offer(tool: ToolSpec = TO) -> ToolOffer:
    made = ToolOffer((tool,), (tool,))
    made.takes_over((LATER, CODER), DELEGATES)
    return made


def resolved(
    arguments: Any, tool: ToolSpec = TO, gate: PolicyGate = NO_POLICY, through: str | None = None
) -> ResolvedCall:
    name, given = tool.name, arguments
    if through is not None:
        name, given = through, {"name": tool.name, "arguments": arguments}
    asked = AskedCall("call_1", name, json.dumps(given))
    [call] = resolve(CallId("m000004"), [asked], offer(tool), gate)
    return call


@pytest.mark.parametrize("through", [None, CALL_TOOL])
@pytest.mark.parametrize(
    ("arguments", "does"),
    [
        ({"target": "scout", "query": "x"}, TO),
        ({"target": "coder", "query": "x"}, CODER),
        ({"target": "coder", "query": "x", "background": False}, CODER),
        ({"target": "coder", "query": "x", "background": True}, LATER),
        ({"target": "scout", "query": "x", "background": True}, LATER),
        ({"target": "nobody", "query": "x"}, TO),
        ({"target": ["coder"], "query": "x", "background": "true"}, TO),
        ({}, TO),
    ],
)
def test_a_call_is_done_where_what_it_names_is_and_shown_as_it_was_made(
    arguments: Any, does: ToolSpec, through: str | None
) -> None:
    call = resolved(arguments, through=through)
    assert (call.tool, call.runs_on, call.effect) == (does.tool, does.runs_on, does.effect)
    assert (call.name, call.arguments, call.through) == ("delegate_to", arguments, through)


def test_under_another_name_it_is_the_same_and_another_packs_tool_is_not_taken_over() -> None:
    renamed = TO.called("protoagent_delegate_to")
    call = resolved({"target": "coder", "query": "x"}, renamed)
    assert (call.tool, call.name) == (CODER.tool, "protoagent_delegate_to")
    assert resolved({"target": "coder", "query": "x"}, OTHER).tool == "another.delegate_to"


@pytest.mark.parametrize("tool", ["protoagent.delegate_to", "protoagent.delegate_to_coder", "run_command"])
def test_what_a_policy_forbids_of_either_is_forbidden(tool: str) -> None:
    gate = PolicyGate(InForce(Policy("free", (Rule(Verdict.DENY, Match(tool=tool)),)), 1))
    assert resolved({"target": "coder", "query": "x"}, gate=gate).error is not None
    allowed = resolved({"target": "scout", "query": "x"}, gate=gate)
    assert (allowed.error is None) == (tool != "protoagent.delegate_to")


def test_without_a_policy_a_coding_agent_is_asked_for() -> None:
    judged = resolved({"target": "coder", "query": "x"}, gate=PolicyGate(DEFAULT)).judged
    assert judged is not None
    assert judged.verdict is Verdict.ASK
    assert judged.covers == Match(tool="protoagent.delegate_to_coder", command="x"), "this task, no other"


def test_what_people_allowed_in_the_session_is_allowed_of_the_one_that_does_it() -> None:
    covers = Match(tool="protoagent.delegate_to_coder", command="x")
    gate = PolicyGate(DEFAULT, Context(grants=(Grant(covers),)))
    assert resolved({"target": "coder", "query": "x"}, gate=gate).judged is None
    asks = InForce(Policy("free", (Rule(Verdict.ASK, Match(tool="protoagent.delegate_to")),)), 1)
    judged = resolved({"target": "coder", "query": "x"}, gate=PolicyGate(asks)).judged
    assert judged is not None
    assert judged.verdict is Verdict.ASK


def test_one_that_stands_in_is_never_offered_by_itself() -> None:
    there = frozenset(("delegate", "delegate:acp"))
    assert offered((TO, CODER, LATER), there) == (TO,)
    assert stand_ins((TO, CODER, LATER), there) == (CODER, LATER)
    assert stand_ins((TO, CODER, LATER), frozenset(("delegate",))) == (LATER,)
