"""Servers that speak OpenAI's interface, more or less: read as they mean it, or refused in words."""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from agent_contracts.session_events.results import ModelFailure, Usage
from demo_model.server import DemoModel
from foldline_testing.egress.web import answered, local_server
from foldline_testing.model_caller.calling import QUICK
from model_caller.answers.answer import AnswerEnding, Assembly
from model_caller.answers.failures import ModelFault
from model_caller.choosing.target import ModelTarget, with_quirks
from model_caller.providers.adapting.requests import adapted_fields
from model_caller.providers.addresses import address_of
from model_caller.providers.by_model import ByModel
from model_caller.providers.openai_compatible import fields_of
from session_domain.model_requests.request import ModelRequest

HELLO = ModelRequest("openai/x", [{"role": "user", "content": "hello"}], [])
TOO_LONG = {"code": "context_length_exceeded", "message": "long"}
STOP = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


def says(delta: Any, **more: Any) -> dict[str, Any]:
    """A chunk with this delta."""
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}], **more}


def streamed(*chunks: Any, done: bool = True) -> bytes:
    """An answer that streams these chunks."""
    lines = [chunk if isinstance(chunk, str) else json.dumps(chunk, ensure_ascii=False) for chunk in chunks]
    body = "".join(f"data: {line}\n\n" for line in [*lines, *(["[DONE]"] if done else [])])
    return answered(body.encode(), "Content-Type: text/event-stream; charset=utf-8")


def failing(status: int, body: bytes, *headers: str) -> bytes:
    """An answer that is an error."""
    return answered(body, "Content-Type: application/json", *headers, status=status)


async def asked(answer: Callable[[Any], bytes] | bytes) -> tuple[Assembly, AnswerEnding]:
    """What a server's answer is read as."""
    provider, said = ByModel(QUICK), Assembly()
    respond = answer if callable(answer) else (lambda _: answer)
    async with local_server(respond) as server:
        try:
            async for piece in provider.stream(
                HELLO, ModelTarget("openai/x", server.url("127.0.0.1", "/v1"), "k")
            ):
                if isinstance(piece, AnswerEnding):
                    return said, piece
                said.add(piece)
        finally:
            await provider.close()
    raise AssertionError("no ending")


async def test_ten_thousand_equal_chunks_are_an_answer() -> None:
    said, ending = await asked(streamed(*[says({"content": "la "})] * 10_000, STOP))
    assert said.text == "la " * 10_000
    assert ending.finish_reason == "stop"


@pytest.mark.parametrize(
    ("delta", "text"),
    [
        ({"content": [{"type": "text", "text": "one "}, {"type": "text", "text": "two"}]}, "one two"),
        ({"content": [{"type": "image"}, "loose", {"type": "text", "text": 7}]}, "[image]loose"),
        ({"refusal": "I can't help with that."}, "I can't help with that."),
        ({"reasoning_content": "hm", "reasoning": "hm", "content": None}, ""),
        ({"content": "a\u2028b\u0085c"}, "a\u2028b\u0085c"),
        ({"content": 12}, ""),
        (None, ""),
    ],
)
async def test_content_comes_in_many_forms(delta: Any, text: str) -> None:
    said, _ = await asked(streamed(says(delta), STOP))
    assert said.text == text


@pytest.mark.parametrize(
    "choices", [None, [], {}, "x", [None], [[]], [{"delta": "x"}], [{"delta": {"tool_calls": [3]}}]]
)
async def test_a_chunk_of_a_strange_shape_adds_nothing(choices: Any) -> None:
    said, _ = await asked(streamed({"choices": choices}, says({"content": "ok"}), STOP))
    assert (said.text, said.calls()) == ("ok", ())


async def test_a_tool_call_comes_in_pieces_and_in_the_old_form() -> None:
    call = {"index": 0, "id": "c1", "function": {"name": "add", "arguments": ""}}
    rest = [{"index": 0, "function": {"arguments": part}} for part in ('{"a"', ":1}")]
    said, _ = await asked(streamed(*(says({"tool_calls": [piece]}) for piece in (call, *rest)), STOP))
    assert [(c.provider_id, c.name, c.arguments) for c in said.calls()] == [("c1", "add", '{"a":1}')]
    said, _ = await asked(streamed(says({"function_call": {"name": "add", "arguments": "{}"}}), STOP))
    assert [(c.name, c.arguments) for c in said.calls()] == [("add", "{}")]


async def test_arguments_that_come_as_an_object_are_those_of_its_text() -> None:
    call = {"index": 0, "id": "c1", "function": {"name": "add", "arguments": {"a": 1, "b": ["é"]}}}
    said, _ = await asked(streamed(says({"tool_calls": [call]}), STOP))
    assert [(c.name, c.arguments) for c in said.calls()] == [("add", '{"a":1,"b":["é"]}')]


@pytest.mark.parametrize(
    "usage", [None, {}, {"prompt_tokens": "7"}, {"prompt_tokens": -3, "completion_tokens": True}, []]
)
async def test_usage_that_makes_no_sense_is_counted_instead(usage: Any) -> None:
    _, ending = await asked(streamed(says({"content": "x" * 400}), {**STOP, "usage": usage}))
    assert ending.usage.counted
    assert ending.usage.output == 100


async def test_usage_is_what_came_last() -> None:
    early = says({"content": "x"}, usage={"prompt_tokens": 5, "completion_tokens": 1})
    last = {
        "choices": [],
        "usage": {"prompt_tokens": 5, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}},
    }
    _, ending = await asked(streamed(early, STOP, last))
    assert ending.usage == Usage(5, 9, 4)


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (streamed("{not json"), ModelFailure.MALFORMED_ANSWER, ""),
        (streamed("[1]"), ModelFailure.MALFORMED_ANSWER, "not an object"),
        (streamed("[" * 5_000), ModelFailure.MALFORMED_ANSWER, ""),
        (streamed(says({"content": "x"}), done=False), ModelFailure.CUT_STREAM, "proper end"),
        (streamed(says({"content": "x"}), {"error": "the GPU fell off"}), ModelFailure.OVERLOADED, "GPU"),
        (streamed({"error": TOO_LONG}), ModelFailure.CONTEXT_LENGTH, "long"),
        (answered(b"<html>hi", "Content-Type: text/html"), ModelFailure.MALFORMED_ANSWER, "text/html"),
        (failing(500, b"\xff\xfe not json"), ModelFailure.OVERLOADED, "500 X"),
        (failing(400, b'{"detail": "no"}'), ModelFailure.BAD_REQUEST, "no"),
        (failing(400, b'{"message": "plain"}'), ModelFailure.BAD_REQUEST, "plain"),
        (failing(400, b"x" * 1_000_000), ModelFailure.BAD_REQUEST, "xxx"),
        (b"not http at all\r\n\r\n", ModelFailure.CUT_STREAM, ""),
        (b"", ModelFailure.CUT_STREAM, ""),
    ],
)  # fmt: skip
async def test_what_is_no_answer_is_a_fault(answer: bytes, kind: ModelFailure, words: str) -> None:
    with pytest.raises(ModelFault) as raised:
        await asked(answer)
    assert raised.value.failure is kind
    assert words in raised.value.message


async def test_a_servers_wait_is_a_number_or_a_date() -> None:
    for value, least, most in (("7", 7.0, 7.0), ("soon", None, None), ("", None, None)):
        with pytest.raises(ModelFault) as raised:
            await asked(failing(429, b"{}", f"Retry-After: {value}"))
        assert raised.value.retry_after == least == most
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    with pytest.raises(ModelFault) as raised:
        await asked(failing(503, b"{}", f"Retry-After: {date}"))
    assert 50 < (raised.value.retry_after or 0) <= 100


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/Los_Angeles"])
async def test_a_date_without_a_zone_is_in_utc_wherever_the_machine_stands(
    zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    date = format_datetime((datetime.now(UTC) + timedelta(hours=1)).replace(tzinfo=None))
    assert date.endswith("-0000")
    with monkeypatch.context() as here:
        here.setenv("TZ", zone)
        time.tzset()
        with pytest.raises(ModelFault) as raised:
            await asked(failing(503, b"{}", f"Retry-After: {date}"))
    time.tzset()
    assert 3500 < (raised.value.retry_after or 0) <= 3600


@pytest.mark.parametrize("name", ["context_length", "max_model_len"])
async def test_a_server_that_names_its_models_window_is_believed(name: str) -> None:
    def respond(request: Any) -> bytes:
        if "/models" in str(request):
            models = {"data": [{"id": "other", name: 1}, {"id": "x", name: 4096}]}
            return answered(json.dumps(models).encode(), "Content-Type: application/json")
        return streamed(says({"content": "ok"}), STOP)

    _, ending = await asked(respond)
    assert ending.context_window == 4096


def test_options_are_named_as_the_models_that_think_want_them() -> None:
    options: dict[str, Any] = {"temperature": 0.2, "max_tokens": 10, "response_format": None}
    request = ModelRequest("openai/o3", [], [], options)
    theirs = adapted_fields(fields_of(request, "o3"), with_quirks(ModelTarget("openai/o3")).adapted)
    assert theirs.keys() & {"temperature", "max_tokens"} == set()
    assert theirs["max_completion_tokens"] == 10
    own = with_quirks(ModelTarget("openai/o3", "http://127.0.0.1:1/v1"))
    assert adapted_fields(fields_of(request, "o3"), own.adapted)["max_tokens"] == 10
    assert "response_format" not in fields_of(request, "gpt-4o")


def test_openais_own_variables_count_only_for_openai() -> None:
    environ = {"OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": "https://proxy.example/v1/"}
    assert address_of(ModelTarget("openai/x"), environ)[0] == "https://proxy.example/v1"
    assert address_of(ModelTarget("openai/x"), environ)[1]["Authorization"] == "Bearer sk-1"
    assert "sk-1" not in str(address_of(ModelTarget("openai/x", "http://mine/v1"), environ))
    with pytest.raises(ModelFault) as raised:
        address_of(ModelTarget("openai/x"), {})
    assert raised.value.failure is ModelFailure.AUTHENTICATION


@pytest.mark.parametrize(
    ("model", "interface"),
    [
        ("openai/x", "openai"),
        ("demo", "openai"),
        ("anthropic/x", "anthropic"),
        ("litellm/openai/x", "litellm"),
        ("litellm/anthropic/x", "litellm"),
        ("x", "litellm"),
        ("openai", "litellm"),
    ],
)
def test_who_asks_follows_from_the_model_string(model: str, interface: str) -> None:
    target = ModelTarget(model)
    assert target.interface == interface
    assert target.for_litellm == model.removeprefix("litellm/")


PROGRAM = """
import asyncio, sys
from model_caller.app import ByModel
from model_caller.choosing.target import ModelTarget
from foldline_testing.model_caller.calling import QUICK
from session_domain.model_requests.request import ModelRequest

async def main(url, model):
    provider, target = ByModel(QUICK), ModelTarget(model, url, "k")
    await provider.warm_up(target)
    request = ModelRequest(model, [{"role": "user", "content": "hello"}], [])
    pieces = [piece async for piece in provider.stream(request, target)]
    await provider.close()
    print(len(pieces) > 1, [name for name in ("litellm", "openai", "tiktoken") if name in sys.modules])

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize("model", ["openai/x", "anthropic/x"])
async def test_who_is_asked_by_ourselves_never_loads_litellm(model: str) -> None:
    async with DemoModel({"rules": [{"reply": {"text": "hello"}}]}) as server:
        done = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-c", PROGRAM, server.base_url, model],
            capture_output=True,
            timeout=100,
        )
    assert done.stdout.decode().split() == ["True", "[]"], done.stderr.decode()
