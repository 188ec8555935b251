"""What each fault looks like to whoever calls the server through litellm, as the model caller does.

If a new litellm changes one of these, the model caller's reading of errors has to be looked at again.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import pytest

from demo_model.server import DemoModel
from foldline_testing.demo_model import offering, user

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

pytestmark = [
    pytest.mark.xdist_group("litellm"),  # one worker loads it
    pytest.mark.skipif(find_spec("litellm") is None, reason="litellm isn't installed: it is optional"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:litellm"),
    pytest.mark.filterwarnings("ignore::UserWarning:pydantic"),
    pytest.mark.processes,  # it loads for seconds
]


@dataclass
class Heard:
    """A streamed answer, put together from its deltas."""

    text: str = ""
    finish: str | None = None
    """As litellm says."""
    received_finish: str | None = None
    """As the server said."""
    calls: dict[int, list[Any]] = field(default_factory=dict)
    """By index: id, name, arguments."""
    usage: tuple[int, int] | None = None


@pytest.fixture(scope="module")
def litellm() -> Any:
    import litellm  # imported late: it takes seconds

    litellm.suppress_debug_info = True
    return litellm


@pytest.fixture(autouse=True)
async def closed_clients(litellm: Any) -> AsyncIterator[None]:
    yield
    await litellm.close_litellm_async_clients()
    litellm.in_memory_llm_clients_cache.flush_cache()


def failing(kind: str, **fault: Any) -> dict[str, Any]:
    reply = {"text": "one two three four", "pace": {"size": 4}, "fault": {"kind": kind, **fault}}
    return {"rules": [{"reply": reply}]}


async def call(litellm: Any, model: DemoModel, *, stream: bool = True, **more: Any) -> Any:
    return await call_at(litellm, model.base_url, stream=stream, **more)


async def call_at(litellm: Any, url: str, *, stream: bool = True, **more: Any) -> Any:
    options = {"stream_options": {"include_usage": True}} if stream else {}
    return await litellm.acompletion(
        model="openai/demo",
        api_base=url,
        api_key="any",
        messages=[user("hi")],
        stream=stream,
        max_retries=0,
        _skip_mcp_handler=True,  # else it imports its MCP proxy when given tools, and that isn't installed
        **{"timeout": 20, **options, **more},
    )


async def hear(stream: Any) -> Heard:
    heard = Heard()
    async for chunk in stream:
        if usage := getattr(chunk, "usage", None):
            heard.usage = (usage.prompt_tokens, usage.completion_tokens)
        for choice in chunk.choices:
            heard.text += choice.delta.content or ""
            heard.finish = choice.finish_reason or heard.finish
            for piece in choice.delta.tool_calls or ():
                made = heard.calls.setdefault(piece.index, [None, None, ""])
                made[0] = piece.id if piece.id is not None else made[0]
                made[1] = piece.function.name or made[1]
                made[2] += piece.function.arguments or ""
    heard.received_finish = stream.received_finish_reason
    return heard


async def test_a_streamed_answer_with_tool_calls_arrives_whole(litellm: Any) -> None:
    calls = [
        {"name": "a", "arguments": {"x": "a long enough argument"}},
        {"name": "b", "id": "dup", "raw_arguments": "{oops"},
        {"name": "c", "id": "dup"},
        {"name": "d", "id": ""},
    ]
    usage = {"prompt_tokens": 11, "completion_tokens": 7}
    script = {
        "rules": [{"reply": {"text": "calling", "tool_calls": calls, "usage": usage, "pace": {"size": 3}}}]
    }
    async with DemoModel(script) as model:
        heard = await hear(await call(litellm, model, tools=offering("a", "b", "c", "d")))
    assert heard.text == "calling"
    assert heard.calls == {
        0: ["call_1_1", "a", '{"x": "a long enough argument"}'],
        1: ["dup", "b", "{oops"],
        2: ["dup", "c", "{}"],
        3: ["", "d", "{}"],
    }
    assert (heard.finish, heard.received_finish) == ("tool_calls", "tool_calls")
    assert heard.usage == (11, 7)


REFUSALS = [
    (failing("rate_limited"), "RateLimitError", 429),
    (failing("server_error"), "InternalServerError", 500),
    (failing("server_error", status=502), "BadGatewayError", 502),
    (failing("server_error", status=503), "ServiceUnavailableError", 503),
    (failing("server_error", status=529), "APIError", 529),
    (failing("bad_request"), "BadRequestError", 400),
    (failing("bad_request", status=403), "BadRequestError", 403),
    (failing("bad_request", status=404, code="model_not_found"), "NotFoundError", 404),
    (failing("context_length"), "ContextWindowExceededError", 400),
    ({**failing("empty"), "require_key": "another"}, "AuthenticationError", 401),
]


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(("script", "error", "status"), REFUSALS, ids=[f"{e}-{s}" for _, e, s in REFUSALS])
async def test_an_error_status_fails_the_call(
    litellm: Any, script: dict[str, Any], error: str, status: int, stream: bool
) -> None:
    async with DemoModel(script) as model:
        with pytest.raises(litellm.exceptions.openai.APIError) as raised:
            await call(litellm, model, stream=stream)
    assert type(raised.value).__name__ == error
    response = getattr(raised.value, "response", None)  # an APIError has none
    assert getattr(response or raised.value, "status_code", None) == status
    assert model.recording.count == 1


async def test_retry_after_is_in_the_headers_litellm_keeps(litellm: Any) -> None:
    async with DemoModel(failing("rate_limited", retry_after=7)) as model:
        with pytest.raises(litellm.RateLimitError) as raised:
            await call(litellm, model)
    assert raised.value.litellm_response_headers["retry-after"] == "7"


async def test_a_rate_limit_passes_when_tried_again(litellm: Any) -> None:
    async with DemoModel(failing("rate_limited", times=1)) as model:
        with pytest.raises(litellm.RateLimitError):
            await call(litellm, model)
        assert (await hear(await call(litellm, model))).text == "one two three four"


@pytest.mark.parametrize("kind", ["cut", "bad_chunk", "error_chunk"])
async def test_a_stream_that_breaks_fails_while_it_is_read(litellm: Any, kind: str) -> None:
    async with DemoModel(failing(kind, after_chunks=2)) as model:
        stream = await call(litellm, model)
        with pytest.raises(litellm.exceptions.MidStreamFallbackError) as raised:
            await hear(stream)
    assert raised.value.generated_content == "one two "


@pytest.mark.parametrize("fault", ["cut", "bad_chunk", "error_chunk", "empty_body", "wrong_type"])
async def test_a_whole_answer_that_is_broken_fails_the_call(litellm: Any, fault: str) -> None:
    async with DemoModel(failing(fault)) as model:
        with pytest.raises(litellm.InternalServerError):
            await call(litellm, model, stream=False)


@pytest.mark.parametrize("fault", ["no_done", "no_choices", "empty_body", "wrong_type"])
async def test_a_stream_that_never_ends_properly_shows_only_in_the_finish_received(
    litellm: Any, fault: str
) -> None:
    async with DemoModel(failing(fault)) as model:
        heard = await hear(await call(litellm, model))
    assert heard.finish == "stop"
    assert heard.received_finish is None


async def test_an_empty_answer_ends_properly(litellm: Any) -> None:
    async with DemoModel(failing("empty")) as model:
        heard = await hear(await call(litellm, model))
    assert (heard.text, heard.calls, heard.received_finish) == ("", {}, "stop")


async def test_a_model_that_never_answers_times_out(litellm: Any) -> None:
    async with DemoModel(failing("hang")) as model:
        with pytest.raises(litellm.Timeout):
            await call(litellm, model, timeout=0.5)
        await model.recording.until(lambda recording: recording.aborted == 1, timeout=60)


async def test_a_model_that_stops_in_mid_answer_times_out_while_it_is_read(litellm: Any) -> None:
    async with DemoModel(failing("hang", after_chunks=2)) as model:
        stream = await call(litellm, model, timeout=0.5)
        with pytest.raises(litellm.exceptions.MidStreamFallbackError):
            await hear(stream)
        await model.recording.until(lambda recording: recording.aborted == 1)


async def test_a_reader_that_is_cancelled_closes_the_connection(litellm: Any) -> None:
    async with DemoModel(failing("hang", after_chunks=1)) as model:
        stream = await call(litellm, model)
        assert (await anext(stream)).choices[0].delta.content == "one "
        reading = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)  # it reads
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await model.recording.until(lambda recording: recording.aborted == 1)


async def test_a_stream_that_is_not_read_to_its_end_is_closed_by_aclose(litellm: Any) -> None:
    async with DemoModel(failing("hang", after_chunks=1)) as model:
        stream = await call(litellm, model)
        assert (await anext(stream)).choices[0].delta.content == "one "
        assert model.recording.in_flight == 1
        await stream.aclose()
        await model.recording.until(lambda recording: recording.aborted == 1)


async def test_a_server_that_is_not_there_fails_the_call(litellm: Any) -> None:
    async with DemoModel(failing("empty")) as model:
        url = model.base_url
    with pytest.raises(litellm.InternalServerError, match="Connection error"):
        await call_at(litellm, url)
