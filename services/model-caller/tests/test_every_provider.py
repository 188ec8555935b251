"""One behaviour, whoever is asked: what servers send is read as they mean it, or refused in words."""

import json
import ssl
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from agent_contracts.session_events.results import ModelFailure, Usage
from foldline_testing.model_caller.calling import QUICK
from foldline_testing.model_caller.servers import (
    HEAD,
    Asked,
    Ollama,
    events,
    refused,
    serving,
)
from foldline_testing.model_caller.ways import KEY, Way
from model_caller.answers.failures import ModelFault
from model_caller.providers.by_model import ByModel
from model_caller.providers.json_objects import LONGEST_LINE


async def test_text_is_joined(way: Way) -> None:
    speech = way.speech
    said, ending = await way.ask([way.says(speech.text("Hello, "), speech.text("wörld.\u2028\u0085"))])
    assert (said.text, ending.finish_reason) == ("Hello, wörld.\u2028\u0085", "stop")


async def test_ten_thousand_equal_chunks_are_an_answer(way: Way) -> None:
    many = 300 if "litellm" in way.model else 10_000  # it would refuse 100, and takes half a minute for more
    said, _ = await way.ask([way.says(*[way.speech.text("la ")] * many)])
    assert said.text == "la " * many


async def test_bytes_may_come_one_by_one(way: Way) -> None:
    whole = way.says(way.speech.text("Grüße"), usage=way.speech.usage(7, 3, 0))
    said, ending = await way.ask([whole[at : at + 1] for at in range(len(whole))])
    assert (said.text, ending.usage) == ("Grüße", Usage(7, 3))


async def test_a_tool_call_comes_in_pieces(way: Way) -> None:
    speech = way.speech
    parts = [speech.arguments(0, part) for part in ('{"a"', ': "', "ü", '"}')]
    said, ending = await way.ask([way.says(speech.call(0, "c1", "add"), *parts, end="tool_calls")])
    [call] = said.calls()
    assert (call.name, json.loads(call.arguments)) == ("add", {"a": "ü"})
    assert call.provider_id == ("" if isinstance(speech, Ollama) else "c1")  # its calls have no ids
    assert ending.finish_reason == "tool_calls"


async def test_two_tool_calls_may_be_interleaved(way: Way) -> None:
    speech = way.speech
    chunks = (
        speech.call(0, "c1", "add"),
        speech.call(1, "c2", "take"),
        speech.arguments(0, '{"a":'),
        speech.arguments(1, '{"b":'),
        speech.arguments(0, "1}"),
        speech.arguments(1, "2}"),
    )
    said, _ = await way.ask([way.says(*chunks, end="tool_calls")])
    assert [(c.name, json.loads(c.arguments)) for c in said.calls()] == [
        ("add", {"a": 1}),
        ("take", {"b": 2}),
    ]


async def test_usage_is_the_servers_and_tells_what_was_cached(way: Way) -> None:
    usage = way.speech.usage(100, 9, 64)
    _, ending = await way.ask([way.says(way.speech.text("x"), usage=usage)])
    assert ending.usage == Usage(100, 9, 0 if isinstance(way.speech, Ollama) else 64)


@pytest.mark.parametrize("figures", [None, (0, 0, 0), (2**63, 2**70, 2**63), ("7", None, []), (-3, True, {})])
async def test_usage_that_is_missing_or_makes_no_sense_is_counted(way: Way, figures: Any) -> None:
    usage = None if figures is None else way.speech.usage(*figures)
    if figures in (("7", None, []), (-3, True, {})) and "litellm" in way.model:
        pytest.skip("litellm refuses a chunk of wrong types before we see it")
    _, ending = await way.ask([way.says(way.speech.text("x" * 400), usage=usage)])
    assert ending.usage.counted
    assert ending.usage.output > 10


@pytest.mark.parametrize(("reason", "known"), [("length", "length"), ("stop", "stop")])
async def test_why_an_answer_ends_is_told_in_one_way(way: Way, reason: str, known: str) -> None:
    _, ending = await way.ask([way.says(way.speech.text("x"), end=reason)])
    assert ending.finish_reason == known


async def test_a_connection_cut_in_the_middle_is_a_cut_stream(way: Way) -> None:
    whole = events(*way.speech.text("Hello"))
    chunked = HEAD.replace(b"Connection: close", b"Transfer-Encoding: chunked")
    fault = await way.fault([chunked + b"%x\r\n" % len(whole) + whole + b"\r\n"])
    assert fault.failure is ModelFailure.CUT_STREAM
    fault = await way.fault([HEAD + whole])
    assert (fault.failure, fault.transient) == (ModelFailure.CUT_STREAM, True)


@pytest.mark.parametrize("garbage", ["{not json", "[" * 5_000, '"' + "x" * 100], ids=["cut", "deep", "text"])
async def test_garbage_is_malformed(way: Way, garbage: str) -> None:
    fault = await way.fault([HEAD + events(garbage)])
    assert fault.failure is ModelFailure.MALFORMED_ANSWER


async def test_nothing_at_all_is_malformed(way: Way) -> None:
    assert (await way.fault([HEAD])).failure is ModelFailure.MALFORMED_ANSWER


async def test_another_type_is_malformed_and_named(way: Way) -> None:
    page = HEAD.replace(b"text/event-stream", b"text/html") + b"<html>Sign in</html>"
    fault = await way.fault([page])
    assert (fault.failure, "text/html" in fault.message) == (ModelFailure.MALFORMED_ANSWER, True)


@pytest.mark.parametrize(
    ("status", "failure", "transient"),
    [
        (400, ModelFailure.BAD_REQUEST, False),
        (401, ModelFailure.AUTHENTICATION, False),
        (403, ModelFailure.AUTHENTICATION, False),
        (404, ModelFailure.UNKNOWN_MODEL, False),
        (429, ModelFailure.RATE_LIMITED, True),
        (500, ModelFailure.OVERLOADED, True),
        (503, ModelFailure.OVERLOADED, True),
        (529, ModelFailure.OVERLOADED, True),
    ],
)
async def test_a_refusal_is_told_by_its_status(
    way: Way, status: int, failure: ModelFailure, transient: bool
) -> None:
    body = {"type": "error", "error": {"type": "some_error", "message": "Words of the server."}}
    fault = await way.fault([refused(status, body)])
    assert (fault.failure, fault.transient) == (failure, transient)
    assert "Words of the server." in fault.message


async def test_an_errors_body_may_be_anything(way: Way) -> None:
    for body in (b"\xff\xfe no json", b"x" * 100_000, b"[1]", b""):
        fault = await way.fault([refused(500, body)])
        assert fault.failure is ModelFailure.OVERLOADED


async def test_a_servers_wait_is_a_number_or_a_date(way: Way) -> None:
    for value, seconds in (("7", 7.0), ("soon", None), ("-3", None), ("inf", None)):
        fault = await way.fault([refused(429, {"error": {"message": "m"}}, f"Retry-After: {value}")])
        assert fault.retry_after == seconds, value
    now = datetime.now(UTC)
    dates = [f"{name}: {format_datetime(when, usegmt=True)}" for name, when in
             (("Date", now), ("Retry-After", now + timedelta(seconds=100)))]  # fmt: skip
    fault = await way.fault([refused(529, {"error": {"message": "m"}}, *dates)])
    assert 50 < (fault.retry_after or 0) <= 101


async def test_a_key_goes_nowhere_but_where_the_user_said(way: Way) -> None:
    whole = [way.says(way.speech.text("from elsewhere"))]
    async with serving(whole) as (elsewhere, seen):
        to = elsewhere.replace("127.0.0.1", "localhost") + "/messages"
        moved = refused(307, {}, f"Location: {to}")
        async with serving([moved]) as (url, _):
            try:
                await way.ask_at(url)
            except ModelFault as fault:
                assert "litellm" in way.model or fault.failure is ModelFailure.UNREACHABLE  # noqa: PT017
                assert "litellm" in way.model or to in fault.message  # noqa: PT017
    assert all(KEY not in asked.head for asked in seen)
    assert not seen or "litellm" in way.model


@pytest.mark.parametrize("way", ["openai", "anthropic"], indirect=True)
async def test_a_line_without_an_end_does_not_fill_the_memory(way: Way) -> None:
    sent = 0

    def endless(_: Asked) -> Any:
        nonlocal sent
        yield HEAD + b"data: "
        while sent < 20 * LONGEST_LINE:
            sent += 2**20
            yield b"x" * 2**20

    fault = await way.fault(endless)
    assert (fault.failure, fault.transient) == (ModelFailure.MALFORMED_ANSWER, False)
    assert sent < 4 * LONGEST_LINE


async def test_a_large_answer_in_one_line_is_taken(way: Way) -> None:
    said, _ = await way.ask([way.says(way.speech.text("x" * 500_000))])
    assert len(said.text) == 500_000


@pytest.mark.parametrize("way", ["openai"], indirect=True)
async def test_content_may_be_parts_and_thinking_is_not_said(way: Way) -> None:
    parts = [
        {"type": "thinking", "text": "hm"},
        {"type": "text", "text": "one "},
        {"type": "text", "text": "2"},
    ]
    delta = {"content": parts, "reasoning_content": "hm", "reasoning": "hm"}
    chunk = {"id": "c", "created": 1, "model": "x", "choices": [{"index": 0, "delta": delta}]}
    said, _ = await way.ask([way.says([chunk])])
    assert said.text == "one 2"


async def test_what_comes_after_the_end_is_not_waited_for(way: Way) -> None:
    def whole_and_more(_: Asked) -> Any:
        yield way.says(way.speech.text("x"))
        yield events(*way.speech.text("more"))

    said, _ = await way.ask(whole_and_more)
    assert said.text == "x"


async def test_a_public_server_is_asked_through_the_proxy_that_the_environment_names(
    way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "litellm" in way.model:
        pytest.skip("it is set up once a process: see test_patches")
    async with serving([way.says(way.speech.text("x"))]) as (url, seen):
        monkeypatch.setenv("HTTP_PROXY", url.removesuffix("/v1"))
        monkeypatch.setenv("NO_PROXY", "localhost,[::1]")
        said, _ = await way.ask_at("http://models.example.com/v1")
        local, _ = await way.ask_at(url)
    assert (said.text, local.text) == ("x", "x")
    assert seen[0].path.startswith("http://models.example.com/")
    assert seen[-1].path.startswith("/")


async def test_whom_to_trust_is_read_once_for_all_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    await ByModel(QUICK).close()

    def read_again(*_: Any, **__: Any) -> None:
        raise AssertionError("the authorities are read again")

    monkeypatch.setattr(ssl, "create_default_context", read_again)
    await ByModel(QUICK).close()
