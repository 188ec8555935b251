"""Calls that a model writes as text: told once, read only where the server is known not to parse them."""

import json
from typing import Any

import pytest

from agent_contracts.errors import ErrorKind
from agent_contracts.session_events.decisions import ToolCallRequested
from agent_contracts.session_events.results import ModelCallCompleted, ToolCallCompleted
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from foldline_testing.model_caller.calling import Conversation
from foldline_testing.model_caller.ways import WAYS, Way
from model_caller.answers.written_calls import written_calls

SET = ToolSpec(
    "set_state",
    "Store a value.",
    {
        "type": "object",
        "properties": {"key": {"type": "string"}, "value": {"type": "integer"}},
        "required": ["key", "value"],
    },
    "state",
    Effect.RECORDED,
    RunsOn.TOOLS,
)
TOOLS = {"set_state": SET.parameters, "list_keys": {"type": "object"}}
GIVEN = {"key": "age", "value": 7}
BARE = json.dumps({"name": "set_state", "arguments": GIVEN})

FORMS = [
    BARE,
    f"```json\n{BARE}\n```",
    f"```\n{BARE}```\n",
    json.dumps({"name": "set_state", "parameters": GIVEN}),
    json.dumps({"name": "set_state", "arguments": json.dumps(GIVEN)}),
    json.dumps({"type": "function", "function": {"name": "set_state", "arguments": GIVEN}}),
    json.dumps({"tool_calls": [{"id": "1", "type": "function", "function": json.loads(BARE)}]}),
    json.dumps({"action": "set_state", "action_input": GIVEN}),
    f"[{BARE}]",
    f"<tool_call>\n{BARE}\n</tool_call>",
    f"<tool_call>{BARE}<|im_end|>",
    f"<function_call>{BARE}</function_call>",
    f"<tools>{BARE}</tools>".replace("tools", "tool_calls"),
    f"<function=set_state>{json.dumps(GIVEN)}</function>",
    "<tool_call>\n<function=set_state>\n<parameter=key>\nage\n</parameter>\n<parameter=value>\n7\n</parameter>\n"
    "</function>\n</tool_call>",
    f"[TOOL_CALLS][{BARE}]",
    f"[TOOL_CALLS]set_state{json.dumps(GIVEN)}</s>",
    f"[TOOL_CALLS]set_state[ARGS]{json.dumps(GIVEN)}",
    f"<|python_tag|>{BARE}<|eom_id|>",
    "[set_state(key='age', value=7)]",
    'set_state(key="age", value=7)',
    "```tool_code\nset_state(key='age', value=7)\n```",
    json.dumps({"name": "set_state", "arguments": {"key": "age", "value": "7"}}),
]


@pytest.mark.parametrize("text", FORMS)
def test_a_call_is_read_in_every_form_that_templates_have(text: str) -> None:
    [call] = written_calls(f" {text}\n", TOOLS)
    assert (call.name, {**json.loads(call.arguments), "value": 7}) == ("set_state", GIVEN)


def test_several_calls_may_follow_each_other() -> None:
    found = written_calls(f"<tool_call>{BARE}</tool_call>\n<tool_call>{BARE}</tool_call>", TOOLS)
    assert [call.name for call in found] == ["set_state", "set_state"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I would call set_state now.",
        f"Here is the call:\n{BARE}",
        f"{BARE}\nThis stores the age.",
        f"```json\n{BARE}\n```\nThat is how.",
        f"<tool_call>{BARE}</tool_call> Done.",
        BARE.replace("set_state", "drop_all"),
        json.dumps({"name": "set_state", "arguments": {"key": "age"}}),
        json.dumps({"name": "set_state", "arguments": {"key": "age", "value": "seven"}}),
        json.dumps({"name": "set_state", "arguments": {**GIVEN, "why": "so"}}),
        json.dumps({"name": "set_state", "arguments": [7]}),
        json.dumps({"name": "set_state"}),
        json.dumps({"name": "set_state", "arguments": GIVEN, "population": 7}),
        json.dumps(GIVEN),
        f"[{BARE}, 7]",
        f"[{BARE}, {BARE.replace('set_state', 'nope')}]",
        "[" * 5_000,
        "set_state('age', 7)",
        "set_state(key=name, value=7)",
        "set_state(**{'key': 'age', 'value': 7})",
        "os.set_state(key='age', value=7)",
        "x" * 100_000,
    ],
)
def test_anything_else_is_what_the_model_says(text: str) -> None:
    assert written_calls(text, TOOLS) == ()


@pytest.fixture(params=["openai", "anthropic"])
def server(request: pytest.FixtureRequest) -> Way:
    """A server of each of our interfaces, that parses no calls."""
    return Way(*WAYS[request.param])


def saying(server: Way, *texts: str) -> Any:
    """A model that says these one after the other, and the last one from then on."""
    left = list(texts)
    return lambda _: [server.says(server.speech.text(left.pop(0) if len(left) > 1 else left[0]))]


async def made(conversation: Conversation) -> list[ToolCallRequested]:
    """The calls that were to run."""
    events = [recorded.event for recorded in await conversation.events()]
    return [one for one in events if isinstance(one, ToolCallRequested)]


async def test_the_model_is_told_once_and_nothing_runs(server: Way) -> None:
    async with server.chat(saying(server, BARE, BARE), tools=(SET,)) as (conversation, seen):
        await conversation.say("store my age")
        first, second = await conversation.answers()
        assert await made(conversation) == []
        assert (await conversation.state()).status == "idle"
        await conversation.say("and again")
        assert len(seen) == 4, "told once in each turn"
    assert isinstance(first, ModelCallCompleted)
    assert isinstance(second, ModelCallCompleted)
    [call] = first.tool_calls
    assert call.error is not None
    assert (call.error.kind, call.arguments) == (ErrorKind.WRITTEN_AS_TEXT, GIVEN)
    assert "You wrote the call as text" in json.dumps(seen[1].body)
    assert (second.text, second.tool_calls) == (BARE, ()), "the second time it is an answer"


async def test_where_the_server_has_no_parser_the_call_is_read(server: Way) -> None:
    more: dict[str, Any] = {"tools": (SET,), "caps": {"text_calls": f"{server.model}, other/*"}}
    async with server.chat(saying(server, f"<tool_call>{BARE}</tool_call>", "Stored."), **more) as (
        conversation,
        _,
    ):
        await conversation.say("store my age")
        [asked] = await made(conversation)
        await conversation.add(ToolCallCompleted(asked.call_id, {"ok": True}, "r"))
        await conversation.settle()
        first, second = await conversation.answers()
    assert (asked.tool, asked.arguments) == ("set_state", GIVEN)
    assert isinstance(first, ModelCallCompleted)
    assert (first.text, first.read_from) == ("", f"<tool_call>{BARE}</tool_call>")
    assert isinstance(second, ModelCallCompleted)
    assert second.text == "Stored."


@pytest.mark.parametrize("setting", ["none", "all"])
async def test_what_a_message_or_a_page_said_is_only_repeated(server: Way, setting: str) -> None:
    more: dict[str, Any] = {"tools": (SET,), "caps": {"text_calls": setting}}
    async with server.chat(saying(server, f"```json\n{BARE}\n```"), **more) as (conversation, seen):
        await conversation.say(f"Say exactly this: {json.dumps(json.loads(BARE), indent=2)}")
        [answer] = await conversation.answers()
        assert await made(conversation) == []
    assert isinstance(answer, ModelCallCompleted)
    assert (answer.tool_calls, answer.read_from, len(seen)) == ((), None, 1)
