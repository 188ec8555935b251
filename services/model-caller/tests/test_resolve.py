"""Every tool call that a model asks for is resolved: to a tool it was offered, or to an error."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_contracts.codec import decode, encode, type_of
from agent_contracts.errors import ErrorKind
from agent_contracts.ids import CallId, check_id
from agent_contracts.session_events.results import ModelCallCompleted, ResolvedCall, Usage
from agent_contracts.tool_spec import AvailableTo, Effect, RunsOn, ToolSpec
from model_caller.answers.answer import AskedCall
from model_caller.answers.resolve import Offer, resolve

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
OFFER = Offer((SET, ASK), (SET, ASK, HIDDEN))


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


@pytest.mark.parametrize("nothing", ["", "  ", "null", "{}"])
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


@given(
    st.text()
    | st.binary().map(lambda data: data.decode("utf-16", "surrogatepass") if not len(data) % 2 else "")
)
def test_whatever_a_model_sends_can_be_recorded(text: str) -> None:
    for call in resolve(CALL, [AskedCall(text, text, text), AskedCall(text, "set_state", text)], OFFER):
        assert stored(call) == call
        msgspec.json.encode(call)
