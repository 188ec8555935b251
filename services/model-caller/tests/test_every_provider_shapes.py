"""Answers in other shapes than asked for: what is unambiguous is read, in one request."""

import json
from typing import Any

import pytest

from agent_contracts.errors import ErrorKind
from agent_contracts.session_events.decisions import ToolCallRequested
from agent_contracts.session_events.results import ModelCallCompleted, ModelFailure, Usage
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from foldline_testing.model_caller.servers import HEAD, events
from foldline_testing.model_caller.ways import Way

LOOK = ToolSpec("get_state", "Read a value.", {"type": "object"}, "state", Effect.PURE, RunsOn.TOOLS)
OPENAI = pytest.mark.parametrize("way", ["openai", "litellm"], indirect=True)
OURS = pytest.mark.parametrize("way", ["openai", "anthropic", "litellm"], indirect=True)
"""litellm reads nothing but OpenAI's own stream, so it is given that: see `litellm_events`."""
JSON = HEAD.replace(b"text/event-stream", b"application/json")


def chunk(delta: Any, finish: Any = None, **more: Any) -> dict[str, Any]:
    """A chunk with this delta."""
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}


def message(said: dict[str, Any], finish: Any = "stop", **more: Any) -> dict[str, Any]:
    """An answer that is not streamed."""
    return {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": said, "finish_reason": finish}],
        **more,
    }


def call(arguments: Any, call_id: str = "c1", name: str = "get_state", **more: Any) -> dict[str, Any]:
    """A tool call with these arguments."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}, **more}


def whole(way: Way, text: str, *inputs: Any) -> bytes:
    """An answer with a text and calls, in one body."""
    if "anthropic" in way.model:
        blocks = [
            {"type": "tool_use", "id": f"c{at}", "name": "get_state", "input": one}
            for at, one in enumerate(inputs)
        ]
        said: Any = {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "text", "text": text}, *blocks],
            "stop_reason": "tool_use" if inputs else "end_turn",
            "usage": {"input_tokens": 7, "output_tokens": 3},
        }
    else:
        calls = [call(one if isinstance(one, str) else json.dumps(one), f"c{at}") for at, one in
                 enumerate(inputs)]  # fmt: skip
        said = message(
            {"role": "assistant", "content": text, "tool_calls": calls or None},
            "tool_calls" if inputs else "stop",
            usage={"prompt_tokens": 7, "completion_tokens": 3},
        )
    return json.dumps(said).encode()


@OPENAI
@pytest.mark.parametrize("finish", [None, ""])
async def test_done_is_the_end_of_a_whole_answer(way: Way, finish: Any) -> None:
    parts = HEAD + events(chunk({"content": "Oslo"}, finish), chunk({}, finish), "[DONE]")
    async with way.chat([parts]) as (conversation, seen):
        await conversation.say("hello")
        [answer] = await conversation.answers()
    assert isinstance(answer, ModelCallCompleted)
    assert (answer.text, answer.finish_reason, answer.incomplete, len(seen)) == ("Oslo", "stop", None, 1)


@OPENAI
async def test_done_after_calls_is_the_end_of_an_answer_with_calls(way: Way) -> None:
    said, ending = await way.ask([HEAD + events(chunk({"tool_calls": [call("{}", index=0)]}), "[DONE]")])
    assert (len(said.calls()), ending.finish_reason) == (1, "tool_calls")


@pytest.mark.parametrize("way", ["anthropic"], indirect=True)
async def test_the_end_of_a_message_is_the_end_whatever_its_reason(way: Way) -> None:
    delta = {"type": "message_delta", "delta": {"stop_reason": None}}
    parts = HEAD + events(*way.speech.text("Oslo"), delta, {"type": "message_stop"})
    said, ending = await way.ask([parts])
    assert (said.text, ending.finish_reason) == ("Oslo", "stop")


@OURS
@pytest.mark.parametrize("indent", [None, 2], ids=["one line", "many lines"])
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream", ""])
async def test_one_body_in_place_of_a_stream_is_the_answer(way: Way, indent: int | None, kind: str) -> None:
    head = HEAD.replace(b"Content-Type: text/event-stream", f"Content-Type: {kind}".encode())
    body = json.dumps(json.loads(whole(way, "Hello.")), indent=indent).encode()
    async with way.chat([head + body]) as (conversation, seen):
        await conversation.say("hello")
        [answer] = await conversation.answers()
    assert isinstance(answer, ModelCallCompleted)
    assert (answer.text, answer.incomplete, len(seen)) == ("Hello.", None, 1)
    assert (answer.usage.input, answer.usage.output) == (7, 3)


@OURS
async def test_one_body_with_calls_is_the_answer(way: Way) -> None:
    said, ending = await way.ask([JSON + whole(way, "I look.", {"key": "a"}, {}, {"key": "b"})])
    assert (said.text, ending.finish_reason) == ("I look.", "tool_calls")
    assert [(c.provider_id, json.loads(c.arguments)) for c in said.calls()] == [
        ("c0", {"key": "a"}),
        ("c1", {}),
        ("c2", {"key": "b"}),
    ]


@OPENAI
async def test_one_body_without_a_reason_is_whole(way: Way) -> None:
    _, ending = await way.ask([JSON + json.dumps(message({"content": "x"}, None)).encode()])
    assert ending.finish_reason == "stop"


@OPENAI
async def test_calls_of_one_body_are_each_another_one(way: Way) -> None:
    calls = [call("", "", "a"), call("", "", "b"), call("{}", "", "b")]
    said, _ = await way.ask([JSON + json.dumps(message({"tool_calls": calls}, "tool_calls")).encode()])
    assert [(c.name, c.arguments) for c in said.calls()] == [("a", ""), ("b", ""), ("b", "{}")]


@OPENAI
async def test_a_message_at_the_end_of_a_stream_is_not_said_twice(way: Way) -> None:
    said, _ = await way.ask([HEAD + events(chunk({"content": "one"}), message({"content": "one"}), "[DONE]")])
    assert said.text == "one"


@OPENAI
@pytest.mark.parametrize("kind", [b"application/x-ndjson", b"application/json", b"text/plain"])
async def test_an_object_a_line_is_a_stream(way: Way, kind: bytes) -> None:
    lines = (chunk({"content": "one "}), chunk({"content": "two"}), chunk({}, "stop"))
    body = b"\n".join(json.dumps(one).encode() for one in lines)
    said, ending = await way.ask([HEAD.replace(b"text/event-stream", kind), body])
    assert (said.text, ending.finish_reason) == ("one two", "stop")


@OPENAI
async def test_a_list_of_chunks_is_a_stream(way: Way) -> None:
    body = json.dumps([chunk({"content": "one "}), chunk({"content": "two"}, "stop")], indent=1)
    said, _ = await way.ask([JSON + body.encode()])
    assert said.text == "one two"


@OURS
@pytest.mark.parametrize("kind", [b"text/plain", b"application/octet-stream", b"TEXT/EVENT-STREAM", None])
async def test_a_stream_is_one_under_any_content_type(way: Way, kind: bytes | None) -> None:
    answer = way.says(way.speech.text("Hello."))
    line = b"Content-Type: text/event-stream\r\n"
    answer = answer.replace(line, b"" if kind is None else b"Content-Type: " + kind + b"\r\n")
    said, _ = await way.ask([answer])
    assert said.text == "Hello."


@OPENAI
@pytest.mark.parametrize(
    "between",
    ["\r\n\r\n", "\n", "\r\r", "\n\n\n", "\n: hm\n\n", "\nid: 7\n\n", "\n\nevent: x\n", "\nretry: 3\n\n"],
)
async def test_events_may_be_set_in_any_way(way: Way, between: str) -> None:
    chunks = (chunk({"content": "one "}), chunk({"content": "two"}), chunk({}, "stop"), "[DONE]")
    lines = [one if isinstance(one, str) else json.dumps(one) for one in chunks]
    for start in ("", "\ufeff", "\n\n"):
        said, _ = await way.ask([HEAD, (start + "".join(f"data:{one}{between}" for one in lines)).encode()])
        assert said.text == "one two"


@OPENAI
async def test_the_end_needs_no_empty_line(way: Way) -> None:
    answer = way.says(way.speech.text("x"))
    said, _ = await way.ask([answer.rstrip()])
    assert said.text == "x"


@OPENAI
async def test_calls_without_index_and_id_are_told_apart(way: Way) -> None:
    first, second = call('{"key": "a"}', ""), call('{"key": "b"}', "")
    for parts in ([chunk({"tool_calls": [first, second]})], [chunk({"tool_calls": [one]}) for one in
                  (first, second)]):  # fmt: skip
        said, _ = await way.ask([HEAD + events(*parts, chunk({}, "tool_calls"), "[DONE]")])
        assert [json.loads(c.arguments)["key"] for c in said.calls()] == ["a", "b"]


@OPENAI
async def test_calls_that_take_nothing_are_told_apart_without_index_and_id(way: Way) -> None:
    calls = [call("", "", "one"), call("", "", "two")]
    said, _ = await way.ask([HEAD + events(chunk({"tool_calls": calls}, "tool_calls"), "[DONE]")])
    assert [c.name for c in said.calls()] == ["one", "two"]


@OPENAI
@pytest.mark.parametrize("index", [{}, {"index": 0}], ids=["no index", "a repeated index"])
async def test_interleaved_calls_are_told_apart_by_their_ids(way: Way, index: dict[str, Any]) -> None:
    parts = [
        call('{"key": ', "c1", **index),
        call('{"key": ', "c2", **index),
        {"id": "c1", "function": {"arguments": '"a"}'}, **index},
        {"id": "c2", "function": {"arguments": '"b"}'}, **index},
    ]
    chunks = [chunk({"tool_calls": [one]}) for one in parts]
    said, _ = await way.ask([HEAD + events(*chunks, chunk({}, "tool_calls"), "[DONE]")])
    assert [(c.provider_id, c.arguments) for c in said.calls()] == [
        ("c1", '{"key": "a"}'),
        ("c2", '{"key": "b"}'),
    ]


@OPENAI
async def test_a_call_may_stand_alone_or_flat(way: Way) -> None:
    flat = {"id": "c1", "name": "get_state", "arguments": {"key": "a"}}
    said, _ = await way.ask([HEAD + events(chunk({"tool_calls": flat}, "tool_calls"), "[DONE]")])
    assert [(c.provider_id, c.name, c.arguments) for c in said.calls()] == [
        ("c1", "get_state", '{"key":"a"}')
    ]


UNREADABLE = [([1, 2], "[1,2]"), (7, "7"), (None, "null"), (True, "true"), ("{oops", "{oops")]


@pytest.mark.parametrize(("arguments", "sent"), UNREADABLE)
@pytest.mark.parametrize("form", ["stream", "body", "old"])
@OPENAI
async def test_a_tool_never_runs_with_nothing_in_place_of_what_was_sent(
    way: Way, form: str, arguments: Any, sent: str
) -> None:
    said: dict[str, Any] = {"tool_calls": [call(arguments, index=0)]}
    if form == "old":
        said = {"function_call": {"name": "get_state", "arguments": arguments}}
    answer = JSON + json.dumps(message(said, "tool_calls")).encode()
    if form != "body":
        answer = HEAD + events(chunk(said), chunk({}, "tool_calls"), "[DONE]")
    await _is_told(way, answer, sent)


@pytest.mark.parametrize("way", ["anthropic"], indirect=True)
@pytest.mark.parametrize(("arguments", "sent"), UNREADABLE)
async def test_nor_does_one_of_anthropics_form(way: Way, arguments: Any, sent: str) -> None:
    block = {"type": "tool_use", "id": "c1", "name": "get_state", "input": arguments}
    start = {"type": "content_block_start", "index": 0, "content_block": block}
    parts = [start, {"type": "content_block_stop", "index": 0}, *way.speech.end("tool_calls")]
    await _is_told(way, HEAD + events(*parts, *way.speech.close()), sent)
    await _is_told(way, JSON + whole(way, "", arguments), sent)


async def _is_told(way: Way, answer: bytes, sent: str) -> None:
    """The model is told what it sent, and nothing runs."""
    answers = iter([answer, way.says(way.speech.text("I see."))])
    async with way.chat(lambda _: [next(answers)], tools=(LOOK,)) as (conversation, seen):
        await conversation.say("hello")
        first, second = await conversation.answers()
    assert isinstance(first, ModelCallCompleted)
    [made] = first.tool_calls
    assert made.error is not None
    assert (made.error.kind, made.raw_arguments) == (ErrorKind.MALFORMED_ARGUMENTS, sent)
    assert f"You sent: {json.dumps(sent)}" in made.error.message
    assert isinstance(second, ModelCallCompleted)
    assert (second.text, len(seen)) == ("I see.", 2)


@OURS
async def test_arguments_that_are_an_object_are_taken(way: Way) -> None:
    given: dict[str, Any] = {"key": "é", "deep": [{"a": None}]}
    speech = way.speech
    if "anthropic" in way.model:
        block = {"type": "tool_use", "id": "c1", "name": "get_state", "input": given}
        parts: list[Any] = [
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_stop", "index": 0},
        ]
    else:
        parts = [chunk({"function_call": {"name": "get_state", "arguments": given}})]
    said, _ = await way.ask([HEAD + events(*parts, *speech.end("tool_calls"), *speech.close())])
    assert [(c.name, json.loads(c.arguments)) for c in said.calls()] == [("get_state", given)]


COUNT = ToolSpec(
    "get_state",
    "Count.",
    {
        "type": "object",
        "properties": {
            "n": {"type": "integer"},
            "fast": {"type": "boolean"},
            "names": {"type": "array", "items": {"type": "string"}},
            "unit": {"type": "string"},
        },
        "required": ["n", "fast", "names"],
    },
    "math",
    Effect.PURE,
    RunsOn.TOOLS,
)


@OURS
async def test_arguments_of_other_types_are_coerced_and_both_forms_recorded(way: Way) -> None:
    sent: dict[str, Any] = {"n": "5", "fast": "false", "names": '["a"]', "unit": None}
    answers = iter([JSON + whole(way, "", sent), way.says(way.speech.text("Done."))])
    async with way.chat(lambda _: [next(answers)], tools=(COUNT,)) as (conversation, _):
        await conversation.say("hello")
        said = (await conversation.answers())[0]
        events_of = [recorded.event for recorded in await conversation.events()]
    assert isinstance(said, ModelCallCompleted)
    [made] = said.tool_calls
    assert (made.arguments, made.as_sent) == ({"n": 5, "fast": False, "names": ["a"]}, sent)
    requested = [one for one in events_of if isinstance(one, ToolCallRequested)]
    assert [one.arguments for one in requested] == [made.arguments], "what runs is what was taken"


@OPENAI
async def test_null_in_a_stream_means_that_nothing_has_come_yet(way: Way) -> None:
    parts = [call(None, index=0), {"index": 0, "function": {"name": None, "arguments": '{"key": "a"}'}}]
    chunks = [chunk({"tool_calls": [one]}) for one in parts]
    said, _ = await way.ask([HEAD + events(*chunks, chunk({}, "tool_calls"), "[DONE]")])
    assert [(c.name, c.arguments) for c in said.calls()] == [("get_state", '{"key": "a"}')]


@OPENAI
async def test_halves_of_characters_are_joined_and_lone_ones_replaced(way: Way) -> None:
    def raw(delta: str) -> str:
        return '{"choices":[{"index":0,"delta":' + delta + "}]}"

    parts = [
        raw(r'{"content":"a\ud83d"}'),
        raw(r'{"content":"\ude00b\ud83d"}'),
        raw(r'{"content":"c\ude00"}'),
        raw(
            r'{"tool_calls":[{"index":0,"id":"c","function":{"name":"get\udc00state","arguments":"{\"k\":\"\ud83d"}}]}'
        ),
        raw(r'{"tool_calls":[{"index":0,"function":{"arguments":"\ude00\ud83d\"}"}}]}'),
        raw(r'{"tool_calls":[{"index":1,"id":"d","function":{"name":"x","arguments":{"k":"\ud83d"}}}]}'),
    ]
    answers = iter(
        [HEAD + events(*parts, chunk({}, "tool_calls"), "[DONE]"), way.says(way.speech.text("ok"))]
    )
    async with way.chat(lambda _: [next(answers)], tools=(LOOK,)) as (conversation, _):
        await conversation.say("hello")
        first, second = await conversation.answers()
    assert isinstance(first, ModelCallCompleted)
    assert first.text == "a😀b\ufffdc\ufffd"
    assert [made.arguments for made in first.tool_calls] == [{"k": "😀\ufffd"}, {"k": "\ufffd"}]
    assert isinstance(second, ModelCallCompleted)
    told = "".join(delta.text for delta in conversation.live.deltas)
    assert told == "a😀b\ufffdc\ufffdok"


@OPENAI
async def test_usage_may_be_null_or_come_alone_after_the_end(way: Way) -> None:
    figures = {"prompt_tokens": 7, "completion_tokens": 3}
    parts = [chunk({"content": "x"}, usage=None), chunk({}, "stop", usage=None)]
    for last in ({"choices": [], "usage": figures}, {"usage": figures}, chunk({}, None, usage=figures)):
        _, ending = await way.ask([HEAD + events(*parts, last, "[DONE]")])
        assert (ending.usage, ending.finish_reason) == (Usage(7, 3), "stop")


@OPENAI
async def test_numbers_that_are_none_and_bare_control_characters_are_read(way: Way) -> None:
    odd = '{"choices":[{"delta":{"content":"a\tb"},"logprobs":{"x":NaN,"y":-Infinity}}]}'
    said, _ = await way.ask([HEAD + events(odd, chunk({}, "stop"), "[DONE]")])
    assert said.text == "a\tb"


@OURS
@pytest.mark.parametrize("kind", [b"text/html", b"application/json", b"text/event-stream"])
async def test_a_page_is_malformed_and_named(way: Way, kind: bytes) -> None:
    page = b"<!doctype html><title>Sign in</title><script>x()</script><p>Please</p>"
    fault = await way.fault([HEAD.replace(b"text/event-stream", kind) + page])
    assert fault.failure is ModelFailure.MALFORMED_ANSWER
    assert kind.decode() in fault.message
    assert "Sign in" in fault.message
    assert "x()" not in fault.message


@OPENAI
@pytest.mark.parametrize("placeholder", ["{}", {}])
async def test_an_empty_object_before_the_first_part_holds_its_place_only(way: Way, placeholder: Any) -> None:
    more = {"tool_calls": [{"index": 0, "function": {"arguments": '{"key":"a"}'}}]}
    first = {"tool_calls": [call(placeholder, index=0)]}
    said, _ = await way.ask([HEAD + events(chunk(first), chunk(more), chunk({}, "tool_calls"), "[DONE]")])
    assert [one.arguments for one in said.calls()] == ['{"key":"a"}']


@OPENAI
async def test_a_call_that_is_said_once_more_at_its_end_is_one(way: Way) -> None:
    whole_call = {"tool_calls": [call('{"key":"a"}', index=0)]}
    other = {"tool_calls": [call('{"key":"a"}', "c2", index=1)]}
    parts = events(
        *map(chunk, (whole_call, whole_call, other, whole_call)), chunk({}, "tool_calls"), "[DONE]"
    )
    said, _ = await way.ask([HEAD + parts])
    assert [one.provider_id for one in said.calls()] == ["c1", "c2"], "two that look alike are two"


@OPENAI
@pytest.mark.parametrize(
    "sent",
    [
        '```json\n{"key": "a"}\n```',
        '{"key": "a"}<|im_end|>',
        '{"key": "a"}\n</tool_call>',
        ' {"key":"a"}</s>',
    ],
)
async def test_what_small_models_write_around_arguments_is_left_out_and_recorded(way: Way, sent: str) -> None:
    parts = way.says(way.speech.call(0, "c1", "get_state"), way.speech.arguments(0, sent), end="tool_calls")
    async with way.chat([parts], tools=(LOOK,)) as (conversation, _):
        await conversation.say("hello")
        [answer] = await conversation.answers()
    assert isinstance(answer, ModelCallCompleted)
    [asked] = answer.tool_calls
    assert (asked.arguments, asked.error, asked.raw_arguments) == ({"key": "a"}, None, sent)


@OPENAI
async def test_of_several_answers_the_first_one_counts(way: Way) -> None:
    both = {"choices": [{"index": at, "delta": {"content": text}} for at, text in ((1, "B"), (0, "A"))]}
    said, _ = await way.ask([HEAD + events(both, chunk({}, "stop"), "[DONE]")])
    assert said.text == "A"


@OPENAI
@pytest.mark.parametrize("change", [(b"data: ", b"data: data: "), (b"[DONE]", b"[done]")])
async def test_what_a_proxy_writes_otherwise_is_read(way: Way, change: tuple[bytes, bytes]) -> None:
    said, ending = await way.ask([HEAD + events(chunk({"content": "Hi"}), "[DONE]").replace(*change)])
    assert (said.text, ending.finish_reason) == ("Hi", "stop")
