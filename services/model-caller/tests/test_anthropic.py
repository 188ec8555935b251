"""Anthropic's Messages API: what it is sent, what it wants back, what it counts."""

import json
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
import pytest

from agent_contracts.questions.queries import ModelCallQuery
from agent_contracts.session_events.results import ModelCallCompleted, ModelFailure, Thought, Usage
from demo_model.server import DemoModel
from foldline_testing.model_caller.calling import KEY, SESSION, Conversation
from model_caller.answers.failures import ModelFault
from model_caller.choosing.target import ModelTarget
from model_caller.providers.anthropic import address_of
from model_caller.providers.anthropic_events import AnthropicReader
from model_caller.providers.anthropic_request import body_of, closed
from model_caller.providers.anthropic_tools import takes_references
from session_domain.domain.shown.shapes import SHAPES
from session_domain.domain.shown.showing import shown_now
from session_domain.model_requests.rendering import choice_of
from session_domain.model_requests.request import ModelRequest, RequestParts, build_request

Talk = Callable[..., Coroutine[Any, Any, tuple[Conversation, DemoModel]]]

MODEL = "anthropic/claude-x"
KEEP = {"type": "ephemeral"}
THINKING = {"type": "thinking", "thinking": "They want a sum.", "signature": "c2lnbmVk"}
HIDDEN = {"type": "redacted_thinking", "data": "b3BhcXVl"}


def call(call_id: str, name: str, arguments: str = "{}") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def body(messages: list[dict[str, Any]], model: str = "claude-x", **fields: Any) -> Any:
    tools = fields.pop("tools", [])
    thoughts = fields.pop("thoughts", {})
    by_reference = fields.pop("by_reference", False)
    request = ModelRequest(MODEL, messages, tools, fields, thoughts)
    return body_of(request, model, 8_192, by_reference=by_reference)


def unmarked(value: Any) -> Any:
    """The same without marks for the cache."""
    if isinstance(value, list):
        return [unmarked(one) for one in value]
    if isinstance(value, dict):
        return {name: unmarked(inner) for name, inner in value.items() if name != "cache_control"}
    return value


def test_a_conversation_is_put_in_turns() -> None:
    sent = body(
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Add."},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [call("c1", "add", '{"a": 1}'), call("c2", "now")],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "2"},
            {"role": "tool", "tool_call_id": "c2", "content": ""},
            {"role": "user", "content": "And?"},
            {"role": "assistant", "content": "Two."},
            {"role": "user", "content": " "},
        ]
    )
    assert unmarked(sent["system"]) == [{"type": "text", "text": "Be brief."}]
    assert unmarked(sent["messages"]) == [
        {"role": "user", "content": [{"type": "text", "text": "Add."}]},
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "c1", "name": "add", "input": {"a": 1}},
                {"type": "tool_use", "id": "c2", "name": "now", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "2"},
                {"type": "tool_result", "tool_use_id": "c2", "content": ""},
                {"type": "text", "text": "And?"},
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "Two."}]},
        {"role": "user", "content": [{"type": "text", "text": "(nothing)"}]},
    ]


def test_what_is_the_same_next_time_is_marked_at_four_places() -> None:
    tools = [{"type": "function", "function": {"name": name, "parameters": {}}} for name in ("a", "b")]
    messages = [
        {"role": "system", "content": "S"},
        *({"role": role, "content": "x"} for role in ("user", "assistant") * 3),
        {"role": "user", "content": "last"},
    ]
    sent = body(messages, tools=tools)
    assert [tool.get("cache_control") for tool in sent["tools"]] == [None, KEEP]
    assert sent["system"][-1]["cache_control"] == KEEP
    marks = ["cache_control" in turn["content"][-1] for turn in sent["messages"]]
    assert marks == [False, False, False, False, True, False, True]
    assert json.dumps(sent).count("cache_control") == 4


def test_a_longer_conversation_begins_with_the_bytes_of_the_shorter() -> None:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "S"}, {"role": "user", "content": "one"}]
    before = unmarked(body(messages))
    messages += [{"role": "assistant", "content": "two"}, {"role": "user", "content": "three"}]
    after = unmarked(body(messages))
    assert after["system"] == before["system"]
    assert after["messages"][: len(before["messages"])] == before["messages"]


def definition(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": f"Does {name}.", "parameters": {"type": "object"}, **more}


def finding(call_id: str, result: Any) -> list[dict[str, Any]]:
    """A call of `find_tools` and its result."""
    return [
        {"role": "assistant", "content": "", "tool_calls": [call(call_id, "find_tools", '{"query": "x"}')]},
        {"role": "tool", "tool_call_id": call_id, "content": json.dumps(result)},
    ]


SENT = [{"type": "function", "function": definition("find_tools")}]


def test_tools_that_were_found_are_loaded_by_the_api() -> None:
    messages = [
        {"role": "user", "content": "Draw it."},
        *finding("c1", {"tools": [definition("plot", note="acts on the outside world")], "more": ["chart"]}),
        *finding("c2", {"tools": [definition("chart"), definition("plot")]}),
    ]
    as_text = body(messages, tools=SENT)
    sent = body(messages, tools=SENT, by_reference=True)
    results = [turn["content"] for turn in sent["messages"] if turn["content"][0]["type"] == "tool_result"]
    assert results[0][0]["content"] == [{"type": "tool_reference", "tool_name": "plot"}]
    assert results[0][1] == {"type": "text", "text": "More tools: chart", "cache_control": KEEP}
    assert [one["tool_name"] for one in results[1][0]["content"]] == ["chart", "plot"]
    [first, *deferred] = sent["tools"]
    assert first == as_text["tools"][0]  # the mark stays at the end of what is the same in each call
    assert [(one["name"], one["defer_loading"]) for one in deferred] == [("plot", True), ("chart", True)]
    assert deferred[1]["input_schema"] == {"type": "object"}
    assert "tool_reference" not in json.dumps(as_text)
    assert len(as_text["tools"]) == 1


def test_results_come_before_what_is_said_beside_them() -> None:
    calls = [call("c1", "find_tools"), call("c2", "now")]
    messages: list[dict[str, Any]] = [
        {"role": "assistant", "content": "", "tool_calls": calls},
        {
            "role": "tool",
            "tool_call_id": "c1",
            "content": json.dumps({"tools": [definition("a")], "more": ["b"]}),
        },
        {"role": "tool", "tool_call_id": "c2", "content": "noon"},
    ]
    turn = body(messages, by_reference=True, tools=SENT)["messages"][1]
    assert [block["type"] for block in turn["content"]] == ["tool_result", "tool_result", "text"]


@pytest.mark.parametrize(
    "result",
    [
        {"tools": [], "families": []},
        {"error": "rejected"},
        "nothing",
        {"tools": [definition("find_tools")]},  # it is sent already
        {"tools": [definition("a"), definition("a name that the API refuses")]},
    ],
)
def test_what_can_not_be_referred_to_stays_text(result: Any) -> None:
    sent = body(finding("c1", result), tools=SENT, by_reference=True)
    assert sent["messages"][1]["content"][0]["content"] == json.dumps(result)
    assert len(sent["tools"]) == 1


def test_only_anthropics_newer_models_load_tools() -> None:
    def takes(model: str, base_url: str | None = None, **environ: str) -> bool:
        return takes_references(ModelTarget(f"anthropic/{model}", base_url), environ)

    assert all(map(takes, ("claude-sonnet-4-5", "claude-opus-4-6", "claude-fable-5-1", "claude-opus-5")))
    old = (
        "claude-3-5-sonnet-latest",
        "claude-opus-4-1",
        "claude-sonnet-4-20250514",
        "claude-haiku-4-5",
        "other",
    )
    assert not any(map(takes, old))
    assert not takes("claude-opus-5", "http://mine/v1")
    assert not takes("claude-opus-5", ANTHROPIC_BASE_URL="https://proxy.example/")


def test_images_go_inline_or_by_address() -> None:
    parts = [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "image_url", "image_url": {"url": "https://pictures.example/1.png"}},
    ]
    [turn] = unmarked(body([{"role": "user", "content": parts}])["messages"])
    assert turn["content"][1:] == [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
        {"type": "image", "source": {"type": "url", "url": "https://pictures.example/1.png"}},
    ]


def test_options_are_named_as_the_api_wants_them() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "object"}}}}
    form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
    options: dict[str, Any] = {"temperature": 1.5, "max_tokens": 10, "response_format": form}
    old, new = body([], "claude-sonnet-4-5", **options), body([], "claude-opus-5", **options)
    assert (old["temperature"], old["max_tokens"]) == (1.0, 10)
    assert "temperature" not in new
    inner = closed(schema)["properties"]["a"]["items"]
    assert new["output_config"]["format"]["schema"] == closed(schema)
    assert inner["additionalProperties"] is False
    assert body([], temperature=None)["max_tokens"] == 8_192


def test_thoughts_stand_where_they_stood() -> None:
    said = {"role": "assistant", "content": "Let me see.", "tool_calls": [call("c1", "a"), call("c2", "b")]}
    thoughts = {"0": (Thought(THINKING), Thought(HIDDEN, 11), Thought(THINKING, 11, 1))}
    [turn] = unmarked(body([said], thoughts=thoughts)["messages"])
    kinds = [block.get("name") or block.get("text") or block["type"] for block in turn["content"]]
    assert kinds == ["thinking", "Let me see.", "redacted_thinking", "a", "thinking", "b"]
    assert turn["content"][0] == THINKING


def test_a_stream_is_read_whatever_its_fields() -> None:
    reading = AnthropicReader()
    strange: list[Any] = [
        {},
        {"type": None},
        {"type": "ping"},
        {"type": "message_start", "message": None},
        {"type": "message_start", "message": {"usage": {"input_tokens": "7", "output_tokens": True}}},
        {"type": "content_block_start", "index": "x", "content_block": []},
        {"type": "content_block_delta", "index": 3, "delta": {"type": "text_delta", "text": 3}},
        {"type": "content_block_delta", "index": 3, "delta": {"type": "citations_delta"}},
        {"type": "content_block_stop"},
        {"type": "message_delta", "delta": 3, "usage": []},
        {"type": "something_new", "delta": {"text": "x"}},
    ]
    assert [reading.take(event).text for event in strange] == [""] * len(strange)
    assert (reading.usage, reading.stop_reason, reading.over) == (None, None, False)


def test_usage_counts_what_was_cached_as_input_and_apart() -> None:
    reading = AnthropicReader()
    figures = {"input_tokens": 5, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20}
    piece = reading.take({"type": "message_start", "message": {"usage": {**figures, "output_tokens": 1}}})
    assert piece.usage == Usage(125, 1, 100, 20)
    reading.take(
        {"type": "message_delta", "delta": {"stop_reason": "refusal"}, "usage": {"output_tokens": 9}}
    )
    assert reading.usage == Usage(125, 9, 100, 20)
    assert reading.stop_reason == "content_filter"


async def test_thoughts_go_back_with_the_calls_they_led_to(talk: Talk) -> None:
    usage = {"prompt_tokens": 150, "cached_tokens": 100, "cache_written": 40, "completion_tokens": 7}
    turns = [
        {
            "text": "Let me see.",
            "tool_calls": [{"name": "nope"}],
            "thinking": [THINKING, HIDDEN],
            "usage": usage,
        },
        {"text": "Done.", "thinking": [THINKING]},
    ]
    conversation, model = await talk({"rules": [{"turns": turns}]}, model=MODEL)
    await conversation.say("hello")
    first, second = await conversation.answers()
    assert isinstance(first, ModelCallCompleted)
    assert isinstance(second, ModelCallCompleted)
    assert first.usage == Usage(150, 7, 100, 40)
    assert [one.block for one in first.thoughts] == [THINKING, HIDDEN]
    assert second.thoughts == ()  # nothing is called: nobody wants them back
    sent = model.recording.requests[1].body["messages"][1]["content"]
    assert unmarked(sent[:2]) == [THINKING, HIDDEN]
    assert [block["type"] for block in sent] == ["thinking", "redacted_thinking", "text", "tool_use"]
    assert model.recording.requests[1].headers["x-api-key"].startswith("sk-test")
    shown = await conversation.shown.show(KEY, ModelCallQuery(SESSION, call_id=second.call_id))
    assert shown["request"]["thoughts"] == {"2": msgspec.to_builtins(first.thoughts)}


async def test_no_other_model_gets_them(talk: Talk) -> None:
    turns = [{"tool_calls": [{"name": "nope"}], "thinking": [THINKING]}, {"text": "Done."}]
    conversation, _ = await talk({"rules": [{"turns": turns}]}, model=MODEL)
    await conversation.say("hello")
    state = await conversation.state()
    asking = msgspec.structs.replace(state, turn_began="2030-01-01T00:00:00Z")
    shown = RequestParts((), (), "UTC", SHAPES)
    choice = choice_of(asking, shown_now(asking), None, SHAPES, None)
    [kept] = build_request(choice, shown, MODEL).thoughts.values()
    assert [one.block for one in kept] == [THINKING]
    assert build_request(choice, shown, "anthropic/claude-y").thoughts == {}


async def test_a_prompt_that_is_too_long_is_told_as_such(talk: Talk) -> None:
    conversation, _ = await talk({"rules": [{"reply": {"text": "x"}}], "context_window": 1}, model=MODEL)
    await conversation.say("hello")
    failed = await conversation.failure()
    assert failed is not None
    assert failed.kind == ModelFailure.CONTEXT_LENGTH.value


def test_anthropics_own_variables_count_only_for_anthropic() -> None:
    environ = {"ANTHROPIC_API_KEY": "sk-ant-1", "ANTHROPIC_BASE_URL": "https://proxy.example/"}
    url, headers = address_of(ModelTarget("anthropic/x"), environ)
    assert (url, headers["x-api-key"]) == ("https://proxy.example/v1", "sk-ant-1")
    assert address_of(ModelTarget("anthropic/x", "http://mine"), environ)[0] == "http://mine/v1"
    assert "sk-ant" not in str(address_of(ModelTarget("anthropic/x", "http://mine/v1/"), environ))
    with pytest.raises(ModelFault) as raised:
        address_of(ModelTarget("anthropic/x"), {})
    assert raised.value.failure is ModelFailure.AUTHENTICATION
