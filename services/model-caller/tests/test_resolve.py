"""Every tool call that a model asks for is resolved: to a tool it was offered, or to an error."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_contracts.errors import ErrorKind
from agent_contracts.ids import CallId, check_id
from agent_contracts.log.record.codec import decode, encode, type_of
from agent_contracts.policies import Verdict
from agent_contracts.session_events.results import ModelCallCompleted, ResolvedCall, Usage
from agent_contracts.tool_spec import AvailableTo, Effect, RunsOn, ToolSpec
from agent_domain.policies.judgement import in_force
from model_caller.answers.answer import AskedCall
from model_caller.answers.gate import PolicyGate
from model_caller.answers.resolve import ToolOffer, resolve
from session_domain.domain.shown.profile import ProfileEntry

CALL = CallId("m000004")
SET = ToolSpec("set_state", "Write.", {"type": "object"}, "state", Effect.RECORDED, RunsOn.TOOLS)
ASK = ToolSpec("ask_user", "Ask.", {"type": "object"}, "talk", Effect.PURE, RunsOn.TOOLS, pauses=True)
HIDDEN = ToolSpec(
    "report_result",
    "Report.",
    {"type": "object"},
    "sessions",
    Effect.PURE,
    RunsOn.ENGINE,
    available_to=AvailableTo.SUB_SESSIONS,
)
OFFER = ToolOffer((SET, ASK), (SET, ASK, HIDDEN))


def resolved(name: str, arguments: str) -> ResolvedCall:
    """One call, resolved."""
    [call] = resolve(CALL, [AskedCall("call_1", name, arguments)], OFFER)
    return call


def stored(call: ResolvedCall) -> ResolvedCall:
    """The call after a way through the log."""
    event = ModelCallCompleted(CALL, "", Usage(1, 1), "m", "0" * 64, 1, (call,))
    read = decode(type_of(event), encode(event))
    assert isinstance(read, ModelCallCompleted)
    return read.tool_calls[0]


def test_a_known_tool_brings_what_the_engine_needs_to_know() -> None:
    call = resolved("ask_user", '{"question": "Which?"}')
    assert call == ResolvedCall(
        CallId("m000004-00"),
        "call_1",
        "ask_user",
        {"question": "Which?"},
        RunsOn.TOOLS,
        Effect.PURE,
        pauses=True,
    )


@pytest.mark.parametrize("provider_id", ["call_1", "", "a.b>c", "x" * 300, "\x00\ud800"])
def test_our_ids_never_depend_on_the_providers(provider_id: str) -> None:
    calls = resolve(CALL, [AskedCall(provider_id, "set_state", "{}")] * 3, OFFER)
    assert [call.call_id for call in calls] == ["m000004-00", "m000004-01", "m000004-02"]
    for call in calls:
        check_id(call.call_id)
        assert stored(call) == call


@pytest.mark.parametrize("nothing", ["", "  ", "{}"])
def test_no_arguments_can_be_said_in_many_ways(nothing: str) -> None:
    assert resolved("set_state", nothing).arguments == {}
    assert resolved("set_state", nothing).error is None


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ('{"key": ', "at character"),
        ("[1]", "an array"),
        ('"x"', "a string"),
        ("3", "a number"),
        ('{"n": NaN}', "NaN"),
        ('{"n": 1e999}', "too large"),
        ('{"n": 99999999999999999999}', "64 bits"),
        ('{"n": ' + "9" * 5000 + "}", "64 bits"),
        ('{"a":' * 70 + "1" + "}" * 70, "levels deep"),
        ('{"a":' * 100_000, "levels deep"),
        ("not json", "at character 0"),
    ],
)
def test_what_is_no_object_of_arguments_says_why_and_is_kept(raw: str, why: str) -> None:
    call = resolved("set_state", raw)
    assert call.error is not None
    assert call.error.kind is ErrorKind.MALFORMED_ARGUMENTS
    assert why in call.error.message
    assert call.raw_arguments == raw
    assert call.arguments == {}
    assert stored(call) == call


def test_an_unknown_tool_names_the_closest() -> None:
    call = resolved("get_state", '{"key": "x"}')
    assert call.error is not None
    assert call.error.kind is ErrorKind.UNKNOWN_TOOL
    assert "set_state" in call.error.message
    assert call.arguments == {"key": "x"}


def test_a_tool_that_this_session_is_not_offered_is_not_available() -> None:
    call = resolved("report_result", "{}")
    assert call.error is not None
    assert call.error.kind is ErrorKind.NOT_AVAILABLE


@pytest.mark.parametrize("through", ["discord_send", "call_tool"])
def test_a_tool_whose_secret_is_missing_is_not_available_and_names_it(through: str) -> None:
    offer = ToolOffer((SET,), (SET,))
    offer.lacks({"discord_send": ("secret:DISCORD_BOT_TOKEN",)})
    arguments = '{"name": "discord_send"}' if through == "call_tool" else "{}"
    (call,) = resolve(CALL, [AskedCall("p", through, arguments)], offer)
    assert call.error is not None
    assert call.error.kind is ErrorKind.NOT_AVAILABLE
    assert "the secret DISCORD_BOT_TOKEN" in call.error.message


@pytest.mark.parametrize(
    ("name", "sendable"), [("", "unnamed"), ("a tool!", "a_tool_"), ("x" * 99, "x" * 64)]
)
def test_a_name_that_no_provider_would_take_back_is_made_fit(name: str, sendable: str) -> None:
    call = resolved(name, "{}")
    assert call.tool == sendable
    assert call.error is not None
    assert call.error.kind is ErrorKind.UNKNOWN_TOOL


def test_text_that_cannot_be_stored_is_replaced_in_arguments_too() -> None:
    call = resolved("set_state", '{"k\\u0000": ["\\ud83d\\ude00", "\\ud800", "\ud83d\ude00"]}')
    assert call.arguments == {"k\ufffd": ["😀", "\ufffd", "😀"]}
    assert stored(call) == call


COUNT = ToolSpec(
    "count",
    "Count.",
    {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "on": {"type": "boolean"}, "scope": {"type": "string"}},
        "required": ["n"],
    },
    "math",
    Effect.EXTERNAL,
    RunsOn.TOOLS,
)


def test_arguments_of_another_type_are_coerced_and_both_forms_recorded() -> None:
    sent = '{"n": "5", "on": "false", "scope": null}'
    through = json.dumps({"name": "count", "arguments": sent})
    found = resolve(
        CALL, [AskedCall("1", "count", sent), AskedCall("2", "call_tool", through)], ToolOffer((COUNT,))
    )
    assert [call.arguments for call in found] == [{"n": 5, "on": False}] * 2
    assert found[0].as_sent == {"n": "5", "on": "false", "scope": None}
    assert found[1].as_sent == {"arguments": sent}
    assert [stored(call) for call in found] == [*found]


def test_the_policy_judges_what_was_taken() -> None:
    rule = {"match": {"tool": "count", "scope": "7"}, "verdict": "deny"}
    gate = PolicyGate(in_force({"rules": [rule]}, 1))
    [call] = resolve(CALL, [AskedCall("1", "count", '{"n": 1, "scope": 7}')], ToolOffer((COUNT,)), gate)
    assert call.judged is not None
    assert call.judged.verdict is Verdict.DENY


def test_arguments_that_were_encoded_twice_are_read_and_kept() -> None:
    raw = json.dumps(json.dumps({"n": 1}))
    [call] = resolve(CALL, [AskedCall("1", "count", raw)], ToolOffer((COUNT,)))
    assert (call.arguments, call.raw_arguments, call.error) == ({"n": 1}, raw, None)
    assert stored(call) == call


@given(
    st.text()
    | st.binary().map(lambda data: data.decode("utf-16", "surrogatepass") if not len(data) % 2 else "")
)
def test_whatever_a_model_sends_can_be_recorded(text: str) -> None:
    for call in resolve(CALL, [AskedCall(text, text, text), AskedCall(text, "set_state", text)], OFFER):
        assert stored(call) == call
        msgspec.json.encode(call)


def test_call_tool_is_a_call_of_the_tool_that_it_names() -> None:
    call = resolved("call_tool", '{"name": "set_state", "arguments": {"key": "a"}}')
    assert (call.tool, call.through, call.arguments) == ("set_state", "call_tool", {"key": "a"})
    assert (call.effect, call.runs_on, call.pauses) == (Effect.RECORDED, RunsOn.TOOLS, False)
    assert resolved("call_tool", '{"name": "ask_user", "arguments": {}}').pauses
    assert resolved("call_tool", '{"name": "ask_user"}').arguments == {}
    assert stored(call) == call


@pytest.mark.parametrize(
    ("arguments", "path", "said"),
    [
        ("", "/name", "needs `name`"),
        ("{}", "/name", "needs `name`"),
        ('{"name": null}', "/name", "needs `name`"),
        ('{"name": "call_tool", "arguments": {}}', "/name", "by its own name"),
        ('{"name": "find_tools", "arguments": {}}', "/name", "by its own name"),
        ('{"name": "ask_user", "arguments": null}', "/arguments", "it is null"),
        ('{"name": "ask_user", "arguments": "a question"}', "/arguments", "it is a string"),
        ('{"name": "ask_user", "arguments": [1]}', "/arguments", "it is an array"),
        ('{"name": "ask_user", "question": "?"}', None, "put 'question' into `arguments`"),
    ],
)
def test_call_tool_that_calls_nothing_says_why(arguments: str, path: str | None, said: str) -> None:
    call = resolved("call_tool", arguments)
    assert call.error is not None
    assert (call.tool, call.through) == ("call_tool", None), "its history shows what it sent"
    assert (call.error.kind, call.error.path) == (ErrorKind.INVALID_ARGUMENTS, path)
    assert said in call.error.message


@pytest.mark.parametrize("name", ["call_tool", "find_tools"])
@pytest.mark.parametrize("arguments", ["{oops", '"text"', "[1]", "null"])
def test_arguments_that_are_no_object_are_malformed_as_those_of_any_tool(name: str, arguments: str) -> None:
    call = resolved(name, arguments)
    assert call.error is not None
    assert (call.error.kind, call.raw_arguments) == (ErrorKind.MALFORMED_ARGUMENTS, arguments)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("report_result", ErrorKind.NOT_AVAILABLE),
        ("off", ErrorKind.DISABLED_TOOL),
        ("bad", ErrorKind.NOT_AVAILABLE),
        ("set_sate", ErrorKind.UNKNOWN_TOOL),
    ],
)
def test_through_call_tool_a_tool_is_refused_as_by_its_own_name(name: str, kind: ErrorKind) -> None:
    offer = ToolOffer((SET, ASK), (SET, ASK, HIDDEN), ("off",), (ProfileEntry("bad", "no"),))
    asked = json.dumps({"name": name, "arguments": {}})
    calls = [AskedCall("1", "call_tool", asked), AskedCall("2", name, "{}")]
    through, direct = resolve(CALL, calls, offer)
    assert through.error == direct.error
    assert through.error is not None
    assert through.error.kind is kind


def test_find_tools_is_answered_at_once_from_what_is_offered() -> None:
    call = resolved("find_tools", '{"query": "report write"}')
    assert call.result == {
        "tools": [{"name": "set_state", "description": "Write.", "parameters": {"type": "object"}}]
    }, "what this session may not call isn't found"
    assert (call.error, call.effect) == (None, Effect.PURE)
    assert stored(call) == call


@pytest.mark.parametrize(
    "arguments", ['{"query": true}', '{"querry": "a"}', '{"family": ["a"]}', '{"family": "nope"}']
)
def test_find_tools_says_what_is_wrong_with_its_arguments(arguments: str) -> None:
    call = resolved("find_tools", arguments)
    assert call.error is not None
    assert (call.error.kind, call.result) == (ErrorKind.INVALID_ARGUMENTS, None)


def test_what_is_found_in_one_answer_fits_into_its_event() -> None:
    large = [
        ToolSpec(f"t{n}", "x" * 20_000, {"type": "object"}, "own", Effect.EXTERNAL, RunsOn.TOOLS)
        for n in range(9)
    ]
    calls = [AskedCall(str(n), "find_tools", '{"family": "own"}') for n in range(100)]
    found = resolve(CALL, calls, ToolOffer(large))
    kinds = {one.error.kind for one in found if one.error}
    assert kinds == {ErrorKind.TOO_LARGE}
    assert 0 < sum(one.result is not None for one in found) < 20
    event = ModelCallCompleted(CALL, "", Usage(1, 1), "m", "0" * 64, 1, found)
    assert len(encode(event)) < 512 * 1024


ODD = st.recursive(
    st.none() | st.booleans() | st.text(max_size=9) | st.sampled_from(["set_state", "call_tool"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["name", "arguments", "query", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.sampled_from(["call_tool", "find_tools"]), ODD)
def test_whatever_is_asked_of_them_ends_in_a_call_that_can_be_stored(name: str, arguments: object) -> None:
    call = resolved(name, json.dumps(arguments))
    assert stored(call) == call
    assert (call.tool == "set_state") == (call.through is not None)
