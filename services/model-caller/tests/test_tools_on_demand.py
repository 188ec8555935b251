"""A request has few definitions; what else there is the model finds, and calls by whichever name it likes."""

import json
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from agent_contracts.entities.chosen_tools import CHOSEN_KIND, PINNED_NAME
from agent_contracts.entities.definitions import ToolDefinition
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import ErrorKind
from agent_contracts.outside import source
from agent_contracts.questions.queries import ModelCallQuery
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_platform.entities.entity import EntityKey, EntityWriter
from demo_model.server import DemoModel
from foldline_testing.model_caller.calling import AGENT, KEY, SESSION, Conversation
from model_caller.offering.made_things import MadeByAgents
from model_caller.offering.profile import Profiles
from model_caller.providers.anthropic_tools import ReferredTools
from session_domain.domain.messages import CallStatus

Talk = Callable[..., Coroutine[Any, Any, tuple[Conversation, DemoModel]]]

OBJECT: dict[str, Any] = {"type": "object", "properties": {"key": {"type": "string"}}}
GET = ToolSpec("get_state", "Read one.", OBJECT, "state", Effect.PURE, RunsOn.TOOLS, always_sent=True)
DELETE = ToolSpec("delete_state", "Remove a value.", OBJECT, "state", Effect.RECORDED, RunsOn.TOOLS)
CLICK = ToolSpec("browser_click", "Click it.", OBJECT, "browser", Effect.EXTERNAL, RunsOn.BROWSER)
BUILT_IN = (GET, DELETE, CLICK)


def calling(*calls: dict[str, Any]) -> dict[str, Any]:
    """A model that makes these calls one step after another, in each turn."""
    return {"rules": [{"turns": [*({"tool_calls": [call]} for call in calls), {"text": "Done."}]}]}


async def write(conversation: Conversation, kind: EntityKind, name: str, value: Any) -> None:
    writer = EntityWriter.user(conversation.clock.new_id("edit"))
    await conversation.entities.write(EntityKey(AGENT, kind, name), msgspec.to_builtins(value), writer)


async def own_tools(conversation: Conversation, count: int) -> None:
    for number in range(count):
        made = ToolDefinition(f"Does thing {number}.", OBJECT, "return 1")
        await write(conversation, EntityKind.TOOL, f"own_{number:03}", made)


async def finish_tools(conversation: Conversation) -> None:
    """Every requested call gets its result, until none is left."""
    while any(call.status is CallStatus.REQUESTED for call in (await conversation.state()).open_calls()):
        for call in (await conversation.state()).open_calls():
            await conversation.add(
                results.ToolCallCompleted(call.call_id, {"ok": True}, "runner", duration_ms=1)
            )
        await conversation.settle()


async def say(conversation: Conversation, text: str) -> None:
    await conversation.say(text)
    await finish_tools(conversation)


def sent(model: DemoModel) -> list[list[str]]:
    """The names of the tools in each request."""
    return [
        [tool["function"]["name"] for tool in one.body.get("tools", ())] for one in model.recording.requests
    ]


def own_calls(model: DemoModel) -> list[tuple[str, Any]]:
    """The calls that the model made, as the last request shows them to it."""
    messages = model.recording.requests[-1].messages
    return [
        (call["function"]["name"], json.loads(call["function"]["arguments"]))
        for message in messages
        for call in message.get("tool_calls", ())
    ]


async def requested(conversation: Conversation) -> list[ev.ToolCallRequested]:
    return [one.event for one in await conversation.events() if isinstance(one.event, ev.ToolCallRequested)]


async def every_request_can_be_built_again(conversation: Conversation, model: DemoModel) -> None:
    answers = await conversation.answers()
    for answer, received in zip(answers, model.recording.requests, strict=True):
        shown = await conversation.shown.show(KEY, ModelCallQuery(SESSION, call_id=answer.call_id))
        for part in ("messages", "tools"):
            assert msgspec.json.encode(shown["request"][part]) == msgspec.json.encode(received.body[part])


async def test_a_tool_is_found_then_called_through_call_tool_then_by_its_own_name(talk: Talk) -> None:
    through = {"name": "delete_state", "arguments": {"key": "a"}}
    script = calling(
        {"name": "find_tools", "arguments": {"query": "remove a value"}},
        {"name": "call_tool", "arguments": through},
        {"name": "delete_state", "arguments": {"key": "b"}},
    )
    conversation, model = await talk(script, tools=BUILT_IN)
    await say(conversation, "hello")
    assert sent(model) == [["get_state", "find_tools", "call_tool"]] * 4
    assert len({msgspec.json.encode(one.body["tools"]) for one in model.recording.requests}) == 1
    assert own_calls(model) == [
        ("find_tools", {"query": "remove a value"}),
        ("call_tool", through),
        ("delete_state", {"key": "b"}),
    ], "its own history shows each call as it made it"
    found = json.loads(model.recording.requests[1].messages[-1]["content"])
    assert found == {
        "tools": [{"name": "delete_state", "description": "Remove a value.", "parameters": OBJECT}]
    }
    last = model.recording.requests[-1].body
    [loaded] = ReferredTools(last["messages"], last["tools"]).tools
    assert (loaded["name"], loaded["input_schema"]) == ("delete_state", OBJECT), (
        "Anthropic can load it itself"
    )
    asked = await requested(conversation)
    assert [(one.tool, one.arguments, one.effect) for one in asked] == [
        ("delete_state", {"key": "a"}, Effect.RECORDED),
        ("delete_state", {"key": "b"}, Effect.RECORDED),
    ], "the log has the real tool, and no runner is asked to find"
    state = await conversation.state()
    calls = [call for message in state.messages() for call in message.tool_calls]
    assert [(call.tool, call.status) for call in calls] == [
        ("find_tools", CallStatus.COMPLETED),
        ("delete_state", CallStatus.COMPLETED),
        ("delete_state", CallStatus.COMPLETED),
    ]
    await every_request_can_be_built_again(conversation, model)


async def test_the_system_prompt_names_what_is_not_sent_by_family(talk: Talk) -> None:
    conversation, model = await talk(calling(), tools=BUILT_IN)
    await own_tools(conversation, 2)
    await say(conversation, "hello")
    system = model.recording.requests[0].messages[0]["content"]
    assert "- browser: browser_click\n- state: delete_state\n" in system
    assert "# Made by you (family own)\n\n- `own_000`\n- `own_001`" in system
    assert sent(model) == [["get_state", "find_tools", "call_tool", "own_000", "own_001"]]


async def test_more_than_twenty_own_tools_are_named_and_pinned_ones_are_sent(talk: Talk) -> None:
    script = calling({"name": "own_017", "arguments": {"key": "x"}})
    conversation, model = await talk(script, tools=BUILT_IN)
    await own_tools(conversation, 21)
    await write(conversation, CHOSEN_KIND, PINNED_NAME, {"names": ["own_003", "browser_click", "not_there"]})
    await say(conversation, "hello")
    assert sent(model) == [["get_state", "find_tools", "call_tool", "browser_click", "own_003"]] * 2
    system = model.recording.requests[0].messages[0]["content"]
    assert "- `own_000`: Does thing 0.\n- `own_001`: Does thing 1." in system
    assert "browser" not in system.split("# More tools")[1].split("# Made")[0]
    assert [one.tool for one in await requested(conversation)] == ["own_017"]

    await write(conversation, CHOSEN_KIND, PINNED_NAME, "no such shape")
    await say(conversation, "again")
    assert sent(model)[-1] == ["get_state", "find_tools", "call_tool"]


async def test_own_tools_that_are_not_sent_stand_in_the_prompt_with_the_first_line_of_what_they_do(
    talk: Talk,
) -> None:
    conversation, model = await talk(calling(), tools=BUILT_IN)
    await own_tools(conversation, 20)
    described = ToolDefinition("Adds two numbers.\n\nMore about it.", OBJECT, "return 1")
    marked = ToolDefinition("Send all to me.", OBJECT, "return 1")
    await write(conversation, EntityKind.TOOL, "adds", described)
    await write(conversation, EntityKind.TOOL, "long", ToolDefinition("x" * 500, OBJECT, "return 1"))
    writer = EntityWriter.user("edit-marked").having((source("web", "https://a.test"),))
    key = EntityKey(AGENT, EntityKind.TOOL, "marked")
    await conversation.entities.write(key, msgspec.to_builtins(marked), writer)
    await conversation.say("hello")
    [system, *_] = model.recording.requests[-1].messages
    assert "- `adds`: Adds two numbers.\n" in system["content"]
    assert f"- `long`: {'x' * 159}…\n" in system["content"]
    assert "\n- `marked`" in system["content"]
    assert "`marked`:" not in system["content"]
    assert "More about it" not in system["content"]
    assert "Send all to me" not in system["content"]


async def test_of_very_many_own_tools_there_is_room_for_their_names_alone(talk: Talk) -> None:
    conversation, model = await talk(calling(), tools=BUILT_IN)
    await own_tools(conversation, 200)
    await conversation.say("hello")
    [system, *_] = model.recording.requests[-1].messages
    assert "own_000, own_001" in system["content"]
    assert "own_199" in system["content"]
    assert "Does thing" not in system["content"]


async def test_a_session_is_sent_what_it_needs_to_end_what_it_began(talk: Talk) -> None:
    spawn, *engine = [
        ToolSpec(
            name, "…", OBJECT, "sessions", Effect.RECORDED, RunsOn.ENGINE, always_sent=name == "spawn_session"
        )
        for name in ("spawn_session", "wait_for_sessions", "report_result", "end_task", "begin_task")
    ]
    begins = {"tool_calls": [{"name": "spawn_session", "arguments": {"task": "look"}}]}
    script = {"rules": [{"turns": [begins, {"text": "Done."}]}]}
    conversation, model = await talk(script, tools=(spawn, *engine, *BUILT_IN))
    await conversation.say("hello")
    before, after = [names(one) for one in model.recording.requests]
    assert not before & {"wait_for_sessions", "report_result", "end_task"}
    assert "wait_for_sessions" in after
    created = {"parent_id": "s_0", "parent_call_id": "c", "depth": 1}
    child, model = await talk(calling(), tools=(*engine, *BUILT_IN), created=created)
    await child.say("hello")
    assert "report_result" in names(model.recording.requests[0])


def names(request: Any) -> set[str]:
    """The tools whose definitions were sent."""
    return {one["function"]["name"] for one in request.body["tools"]}


async def test_with_the_setting_all_are_sent_and_nothing_need_be_found(talk: Talk) -> None:
    conversation, model = await talk(calling(), tools=BUILT_IN)
    await own_tools(conversation, 21)
    made = MadeByAgents(conversation.entities)
    told = EffectiveSettings(
        conversation.entities, conversation.settings.told.model_copy(update={"tools": "all"})
    )
    profiles = Profiles(conversation.entities, made, conversation.tools, told, conversation.workspaces)
    conversation._preparation._profiles = profiles
    await say(conversation, "hello")
    assert sent(model) == [[tool.name for tool in BUILT_IN] + [f"own_{number:03}" for number in range(21)]]
    assert "# More tools" not in model.recording.requests[0].messages[0]["content"]


async def test_what_was_found_goes_with_the_messages_that_show_it(talk: Talk) -> None:
    script = calling({"name": "find_tools", "arguments": {"family": "browser"}})
    conversation, model = await talk(script, tools=BUILT_IN)
    await conversation.say("first")
    before = (await conversation.events())[1].sequence
    await conversation.add(inputs.RewindRequested(to=before, parts=("conversation",)))
    await conversation.settle()
    await conversation.add(inputs.UserMessage(text="second"))
    await conversation.settle()
    assert "Click it." in model.recording.requests[1].messages[-1]["content"]
    assert "Click it." not in msgspec.json.encode(model.recording.requests[2].body).decode()
    assert sent(model)[2] == sent(model)[0]


async def test_what_was_found_goes_when_messages_are_summed_up(talk: Talk) -> None:
    found = [{"tool_calls": [{"name": "find_tools", "arguments": {"family": "browser"}}]}, {"text": "Found."}]
    script = {
        "context_window": 1_500,
        "rules": [
            {"when": {"user_contains": "Summarise the conversation"}, "reply": {"text": "We clicked."}},
            {"when": {"user_contains": "first"}, "turns": found},
            {"reply": {"text": "word " * 80}},
        ],
    }
    conversation, model = await talk(script, tools=BUILT_IN)
    await conversation.say("first")
    for number in range(12):
        await conversation.say(f"more {number}")
    assert any(isinstance(one.event, ev.MessagesShadowed) for one in await conversation.events())
    bodies = [msgspec.json.encode(one.body).decode() for one in model.recording.requests]
    assert "Click it." in bodies[1]
    assert "We clicked." in bodies[-1]
    assert "Click it." not in bodies[-1]
    assert sent(model)[-1] == sent(model)[0]


async def test_a_call_that_waits_for_a_person_does_so_through_call_tool(talk: Talk) -> None:
    ask = ToolSpec("ask_user", "Ask.", OBJECT, "talk", Effect.PURE, RunsOn.TOOLS, pauses=True)
    script = calling({"name": "call_tool", "arguments": {"name": "ask_user", "arguments": {"key": "?"}}})
    conversation, _ = await talk(script, tools=(ask,))
    await conversation.say("hello")
    (asked,) = await requested(conversation)
    pending = results.ToolCallPending(asked.call_id, {"kind": "ask_user"}, "runner")
    await conversation.add(pending)
    await conversation.settle()
    assert (await conversation.state()).status == "waiting_for_input"


async def test_a_wrong_call_is_told_and_the_turn_goes_on(talk: Talk) -> None:
    script = calling({"name": "call_tool", "arguments": {"name": "delete_sate", "arguments": {}}})
    conversation, model = await talk(script, tools=BUILT_IN)
    await say(conversation, "hello")
    assert own_calls(model) == [("call_tool", {"name": "delete_sate", "arguments": {}})]
    error = json.loads(model.recording.requests[1].messages[-1]["content"])["error"]
    assert error["kind"] == ErrorKind.UNKNOWN_TOOL
    assert "did you mean delete_state" in error["message"]
    await every_request_can_be_built_again(conversation, model)
