"""The server speaks OpenAI's chat completion API over real HTTP."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from demo_model.script import StreamPace
from demo_model.server import DemoModel
from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.demo_model import offering, user

CHAT = "/chat/completions"


def saying(text: str = "one two three four", **reply: Any) -> dict[str, Any]:
    return {"rules": [{"reply": {"text": text, "pace": {"size": 4}, **reply}}]}


def failing(kind: str, **fault: Any) -> dict[str, Any]:
    return saying(fault={"kind": kind, **fault})


def asking(stream: bool = False, text: str = "hi", **more: Any) -> dict[str, Any]:
    return {"model": "demo", "messages": [user(text)], "stream": stream, **more}


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(timeout=20, verify=NO_TLS) as client:
        yield client


async def events(client: httpx.AsyncClient, model: DemoModel, **more: Any) -> list[str]:
    """The data of every server-sent event of a streamed answer."""
    answer = await client.post(model.base_url + CHAT, json=asking(stream=True, **more))
    assert answer.headers["content-type"].startswith("text/event-stream")
    return [line.removeprefix("data: ") for line in answer.text.split("\n\n") if line]


async def test_an_answer_comes_whole_when_not_streamed(client: httpx.AsyncClient) -> None:
    async with DemoModel(saying("hello")) as model:
        body = (await client.post(model.base_url + CHAT, json=asking())).json()
    assert body["object"] == "chat.completion"
    assert body["choices"][0]["message"] == {"role": "assistant", "content": "hello"}
    assert body["choices"][0]["finish_reason"] == "stop"
    assert (
        body["usage"]["total_tokens"] == body["usage"]["prompt_tokens"] + body["usage"]["completion_tokens"]
    )


async def test_an_answer_comes_in_chunks_when_streamed(client: httpx.AsyncClient) -> None:
    async with DemoModel(saying("one two three")) as model:
        *chunks, last = await events(client, model)
    assert last == "[DONE]"
    parsed = [json.loads(chunk) for chunk in chunks]
    assert [chunk["choices"][0]["delta"].get("content") for chunk in parsed] == [
        "one ",
        "two ",
        "thre",
        "e",
        None,
    ]
    assert parsed[0]["choices"][0]["delta"]["role"] == "assistant"
    assert [chunk["choices"][0]["finish_reason"] for chunk in parsed] == [None, None, None, None, "stop"]
    assert len({chunk["id"] for chunk in parsed}) == 1


async def test_usage_is_streamed_only_when_asked_for(client: httpx.AsyncClient) -> None:
    async with DemoModel(
        saying(usage={"prompt_tokens": 5, "completion_tokens": 2, "cached_tokens": 4})
    ) as model:
        without = await events(client, model)
        having = await events(client, model, stream_options={"include_usage": True})
    assert not any("usage" in event for event in without)
    assert json.loads(having[-2])["choices"] == []
    assert json.loads(having[-2])["usage"] == {
        "prompt_tokens": 5,
        "completion_tokens": 2,
        "total_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 4},
    }


async def test_tool_calls_are_streamed_in_pieces_by_index(client: httpx.AsyncClient) -> None:
    calls = [
        {"name": "a", "id": "call_1", "arguments": {"x": "yz"}},
        {"name": "b", "id": "", "raw_arguments": "{"},
    ]
    async with DemoModel(saying("", tool_calls=calls)) as model:
        *chunks, _ = await events(client, model, tools=offering("a", "b"))
        whole = (await client.post(model.base_url + CHAT, json=asking())).json()
    deltas = [json.loads(chunk)["choices"][0]["delta"] for chunk in chunks]
    assert [delta.get("tool_calls") for delta in deltas] == [
        [{"id": "call_1", "index": 0, "type": "function", "function": {"name": "a", "arguments": ""}}],
        [{"index": 0, "function": {"arguments": '{"x"'}}],
        [{"index": 0, "function": {"arguments": ': "y'}}],
        [{"index": 0, "function": {"arguments": 'z"}'}}],
        [{"id": "", "index": 1, "type": "function", "function": {"name": "b", "arguments": ""}}],
        [{"index": 1, "function": {"arguments": "{"}}],
        None,
    ]
    message = whole["choices"][0]["message"]
    assert message["content"] is None
    assert [(call["id"], call["function"]["arguments"]) for call in message["tool_calls"]] == [
        ("call_1", '{"x": "yz"}'),
        ("", "{"),
    ]
    assert whole["choices"][0]["finish_reason"] == "tool_calls"


async def test_a_text_can_be_cut_into_a_number_of_chunks(client: httpx.AsyncClient) -> None:
    async with DemoModel({"rules": [{"reply": {"text": "abcdefg"}}], "pace": {"chunks": 3}}) as model:
        assert len(await events(client, model)) == 3 + 2


async def test_the_pace_of_a_script_can_be_replaced(client: httpx.AsyncClient) -> None:
    script = {"rules": [{"reply": {"text": "abcdef"}}], "pace": {"size": 1, "delay": 3600}}
    async with DemoModel(script, pace=StreamPace(size=2)) as model:
        assert len(await events(client, model)) == 3 + 2


async def test_the_models_are_listed(client: httpx.AsyncClient) -> None:
    async with DemoModel({**saying(), "models": ["demo", "other"]}) as model:
        listed = (await client.get(model.base_url + "/models")).json()
    assert [entry["id"] for entry in listed["data"]] == ["demo", "other"]


async def test_a_demanded_key_must_be_given(client: httpx.AsyncClient) -> None:
    async with DemoModel({**saying(), "require_key": "right"}) as model:
        for headers in ({}, {"authorization": "Bearer wrong"}, {"x-api-key": "wrong"}):
            for answer in (
                await client.post(model.base_url + CHAT, json=asking(), headers=headers),
                await client.get(model.base_url + "/models", headers=headers),
            ):
                assert answer.status_code == 401
                assert answer.json()["error"]["code"] == "invalid_api_key"
        right = await client.post(
            model.base_url + CHAT, json=asking(), headers={"authorization": "Bearer right"}
        )
        assert right.status_code == 200
        assert model.recording.requests[-1].headers["authorization"] == "Bearer right"
        as_anthropics = {"x-api-key": "right", "authorization": "Bearer of-a-proxy"}
        assert (await client.get(model.base_url + "/models", headers=as_anthropics)).status_code == 200


async def test_what_is_not_a_chat_request_gets_400(client: httpx.AsyncClient) -> None:
    async with DemoModel(saying()) as model:
        for content in ("{", "[]", "{}", '{"messages": [{"role": "user", "content": "\\ud800"}]}', "\xff"):
            answer = await client.post(model.base_url + CHAT, content=content)
            assert answer.status_code == 400, content
            assert answer.json()["error"]["type"] == "invalid_request_error"
        assert model.recording.in_flight == 0


async def test_a_request_without_a_rule_gets_400_that_says_so(client: httpx.AsyncClient) -> None:
    async with DemoModel({"rules": [{"when": {"call": 2}, "reply": {"text": "{{ result.no }}"}}]}) as model:
        unknown = await client.post(model.base_url + CHAT, json=asking())
        assert (unknown.status_code, unknown.json()["error"]["code"]) == (400, "no_rule")
        messages = [user("x"), {"role": "assistant", "content": ""}]
        failing_template = await client.post(model.base_url + CHAT, json=asking() | {"messages": messages})
        assert (failing_template.status_code, failing_template.json()["error"]["code"]) == (
            400,
            "bad_template",
        )


async def test_a_fault_with_times_passes_and_is_counted_per_conversation(client: httpx.AsyncClient) -> None:
    async with DemoModel(failing("rate_limited", retry_after=0.5, times=2)) as model:
        answers = [await client.post(model.base_url + CHAT, json=asking()) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [429, 429, 200]
        assert answers[0].headers["retry-after"] == "0.5"
        other = await client.post(model.base_url + CHAT, json=asking(text="another conversation"))
        assert other.status_code == 429
        model.forget_faults()
        assert (await client.post(model.base_url + CHAT, json=asking())).status_code == 429


async def test_a_conversation_longer_than_the_window_is_refused(client: httpx.AsyncClient) -> None:
    async with DemoModel({**saying(), "context_window": 100}) as model:
        assert (await client.post(model.base_url + CHAT, json=asking())).status_code == 200
        refused = await client.post(model.base_url + CHAT, json=asking(text="x" * 1000))
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, "context_length_exceeded")


async def read_until_it_breaks(answer: httpx.Response) -> tuple[bytes, httpx.TransportError | None]:
    got = b""
    try:
        async for part in answer.aiter_raw():
            got += part
    except httpx.TransportError as error:
        return got, error
    return got, None


@pytest.mark.parametrize("stream", [True, False])
async def test_a_cut_answer_ends_with_a_closed_connection(client: httpx.AsyncClient, stream: bool) -> None:
    async with DemoModel(failing("cut", after_chunks=2)) as model:
        async with client.stream("POST", model.base_url + CHAT, json=asking(stream)) as answer:
            got, error = await read_until_it_breaks(answer)
        assert isinstance(error, httpx.RemoteProtocolError)
        await model.recording.until(lambda recording: recording.in_flight == 0)
        assert model.recording.requests[0].outcome == "cut"
        assert (model.recording.cut, model.recording.aborted) == (1, 0)
    assert got.count(b"data: ") == (2 if stream else 0)


async def test_a_client_that_goes_away_in_mid_answer_is_noticed(client: httpx.AsyncClient) -> None:
    async with DemoModel(failing("hang", after_chunks=2)) as model:
        async with client.stream("POST", model.base_url + CHAT, json=asking(True)):
            await model.recording.until(lambda recording: recording.requests[0].chunks == 2)
            assert model.recording.in_flight == 1
        await model.recording.until(lambda recording: recording.aborted == 1)
        assert model.recording.in_flight == 0
        assert model.recording.requests[0].outcome == "aborted"


async def test_a_hanging_model_sends_not_even_headers(client: httpx.AsyncClient) -> None:
    async with DemoModel(failing("hang")) as model:
        with pytest.raises(httpx.ReadTimeout):
            await client.post(model.base_url + CHAT, json=asking(), timeout=0.3)
        await model.recording.until(lambda recording: recording.aborted == 1)
        assert model.recording.requests[0].status is None


@pytest.mark.parametrize("stream", [True, False])
async def test_a_held_answer_goes_on_when_released(client: httpx.AsyncClient, stream: bool) -> None:
    async with DemoModel(failing("hold", after_chunks=1)) as model:
        asked = asyncio.create_task(client.post(model.base_url + CHAT, json=asking(stream)))
        await model.recording.until(lambda recording: recording.held == 1)
        assert not asked.done()
        assert model.recording.requests[0].chunks == (1 if stream else 0)
        model.release()
        answer = await asked
        assert answer.status_code == 200
        assert model.recording.requests[0].outcome == "done"


async def test_a_closing_server_drops_what_is_in_flight() -> None:
    async with httpx.AsyncClient(timeout=20, verify=NO_TLS) as client:
        async with DemoModel(failing("hang")) as model:
            asked = asyncio.create_task(client.post(model.base_url + CHAT, json=asking()))
            await model.recording.until(lambda recording: recording.in_flight == 1)
        with pytest.raises(httpx.TransportError):
            await asked
        assert model.recording.in_flight == 0


async def test_requests_are_recorded_up_to_a_bound(client: httpx.AsyncClient) -> None:
    async with DemoModel(saying(), keep=2) as model:
        for text in ("a", "b", "c"):
            await client.post(model.base_url + CHAT, json=asking(text=text, temperature=0.5))
        assert [request.messages[0]["content"] for request in model.recording.requests] == ["b", "c"]
        assert model.recording.requests[-1].body["temperature"] == 0.5
        assert model.recording.count == 3


async def test_many_conversations_are_answered_at_once(client: httpx.AsyncClient) -> None:
    script = {"rules": [{"reply": {"text": "{{ last_user }}", "pace": {"size": 2, "delay": 0.01}}}]}
    async with DemoModel(script) as model:
        answers = await asyncio.gather(*(events(client, model, text=f"conversation {n}") for n in range(30)))
    for number, answer in enumerate(answers):
        deltas = [json.loads(event)["choices"][0]["delta"] for event in answer[:-1]]
        assert "".join(delta.get("content") or "" for delta in deltas) == f"conversation {number}"


async def test_a_taken_port_is_said_at_once() -> None:
    async with DemoModel(saying()) as model:
        with pytest.raises(OSError, match="in use"):
            await DemoModel(saying(), port=model.port).__aenter__()
