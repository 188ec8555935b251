"""An own tool that the model's server refuses: the turn goes on without it, until it is edited."""

from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from agent_contracts.entities.definitions import ToolDefinition
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import ErrorKind
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_contracts.session_events.results import ModelCallCompleted
from agent_platform.entities.entity import EntityKey, EntityWriter
from demo_model.server import DemoModel
from foldline_testing.model_caller.calling import AGENT, Conversation

Talk = Callable[..., Coroutine[Any, Any, tuple[Conversation, DemoModel]]]

GOOD: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}}
BAD: dict[str, Any] = {"type": "object", "properties": {"cities": {"type": "array"}}}
SAID = (
    "Invalid schema for function 'weather': In context=('properties', 'cities'), array schema missing items."
)
SCRIPT: dict[str, Any] = {"refuse_schemas": True, "rules": [{"reply": {"text": "Hi."}}]}
CALLING = {
    "refuse_schemas": True,
    "rules": [{"turns": [{"tool_calls": [{"name": "weather", "arguments": {}}]}, {"text": "Done."}]}],
}


async def write(
    conversation: Conversation, name: str, schema: dict[str, Any], code: str = "return 1"
) -> None:
    key, writer = (
        EntityKey(AGENT, EntityKind.TOOL, name),
        EntityWriter.user(conversation.clock.new_id("edit")),
    )
    value = msgspec.to_builtins(ToolDefinition(f"The {name}.", schema, code))
    await conversation.entities.write(key, value, writer)


def offered(model: DemoModel) -> list[list[str]]:
    """The names of the tools in each request."""
    return [
        [tool["function"]["name"] for tool in one.body.get("tools", ())] for one in model.recording.requests
    ]


async def quarantined(conversation: Conversation) -> list[ev.ToolQuarantined]:
    return [one.event for one in await conversation.events() if isinstance(one.event, ev.ToolQuarantined)]


async def test_the_turn_goes_on_without_the_tool_which_stays_out_until_it_is_edited(talk: Talk) -> None:
    conversation, model = await talk(SCRIPT)
    await write(conversation, "plain", GOOD)
    await write(conversation, "weather", BAD)
    await conversation.say("hello")
    assert offered(model) == [["plain", "weather"], ["plain"]]
    (event,) = await quarantined(conversation)
    assert (event.tool, event.version, event.model, event.reason) == ("weather", 1, "openai/demo", SAID)
    assert SAID in event.message
    assert "as soon as it is edited" in event.message
    (answer,) = await conversation.answers()
    assert isinstance(answer, ModelCallCompleted)
    assert (answer.text, answer.attempts) == ("Hi.", 2)
    assert SAID in model.recording.requests[1].messages[0]["content"], "the model is told at once"

    await conversation.say("again")
    assert offered(model)[2:] == [["plain"]], "nothing is asked twice"
    system = model.recording.requests[2].messages[0]["content"]
    assert f"- `weather`: {SAID}" in system
    assert model.recording.requests[1].messages[0]["content"] == system, "providers' caches hold"

    await write(conversation, "weather", GOOD)
    await conversation.say("now")
    assert offered(model)[3:] == [["plain", "weather"]]
    assert "quarantine" not in model.recording.requests[3].messages[0]["content"]


async def test_a_call_of_the_tool_in_quarantine_says_why_and_what_to_do(talk: Talk) -> None:
    conversation, _ = await talk(CALLING)
    await write(conversation, "weather", BAD)
    await conversation.say("hello")
    (call,) = (await conversation.state()).messages()[1].tool_calls
    assert call.error is not None
    assert call.error.kind is ErrorKind.NOT_AVAILABLE
    assert SAID in call.error.message
    assert "update_tool" in call.error.message


async def test_only_what_changed_since_the_last_answer_is_suspected_where_the_words_name_no_tool(
    talk: Talk,
) -> None:
    refusal = {"kind": "bad_request", "message": "Unprocessable schema.", "status": 400}
    rules = [
        {"when": {"offered": ["newer"], "user_contains": "two"}, "reply": {"fault": refusal}},
        {"reply": {"text": "Hi."}},
    ]
    conversation, model = await talk({"rules": rules})
    await write(conversation, "older", GOOD)
    await conversation.say("one")
    await write(conversation, "newer", GOOD)
    await conversation.say("two")
    assert offered(model) == [["older"], ["newer", "older"], ["older"]]
    assert [one.tool for one in await quarantined(conversation)] == ["newer"]


async def test_a_request_that_is_refused_without_them_too_fails_the_turn_and_quarantines_nothing(
    talk: Talk,
) -> None:
    refusal = {"kind": "bad_request", "message": "I refuse.", "times": 2}
    conversation, model = await talk({"rules": [{"reply": {"text": "Hi.", "fault": refusal}}]})
    await write(conversation, "plain", GOOD)
    await conversation.say("hello")
    assert offered(model) == [["plain"], []]
    failed = await conversation.failure()
    assert failed is not None
    assert failed.kind == "bad_request"
    assert "I refuse." in failed.message
    assert await quarantined(conversation) == []
    await conversation.add(inputs.RetryAsked())
    await conversation.settle()
    assert offered(model)[2:] == [["plain"]]
    assert (await conversation.state()).failed_turn is None


async def test_a_request_without_own_tools_is_not_asked_again(talk: Talk) -> None:
    refusal = {"kind": "bad_request", "message": "I refuse."}
    conversation, model = await talk({"rules": [{"reply": {"text": "Hi.", "fault": refusal}}]})
    await conversation.say("hello")
    assert len(model.recording.requests) == 1
    assert await conversation.failure() is not None


async def test_code_alone_that_changes_is_another_edition_and_is_tried_again(talk: Talk) -> None:
    conversation, model = await talk(SCRIPT)
    await write(conversation, "weather", BAD)
    await conversation.say("hello")
    await write(conversation, "weather", BAD, "return 2")
    await conversation.say("again")
    assert offered(model) == [["weather"], [], ["weather"], []]
    assert [one.version for one in await quarantined(conversation)] == [1, 2]
