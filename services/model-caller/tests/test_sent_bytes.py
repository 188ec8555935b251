"""What reaches a provider is, to the byte, what openai's own client would send."""

import importlib
import json
from typing import Any

import pytest

from foldline_testing.egress.web import answered, local_server
from foldline_testing.model_caller.calling import QUICK
from model_caller.choosing.target import ModelTarget
from model_caller.providers.litellm_provider import LiteLLMProvider
from model_caller.providers.loading import litellm_module
from session_domain.model_requests.request import ModelRequest

CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "search", "arguments": '{"q": "æ \\" \\\\"}'},
}
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief.\nSay “no”."},
    {"role": "user", "content": "What is in 世界?\u2028"},
    {"role": "assistant", "content": "", "tool_calls": [CALL, {**CALL, "id": "call_2"}]},
    {"role": "tool", "tool_call_id": "call_1", "content": '{"found": [1, 2.5, null]}'},
    {"role": "tool", "tool_call_id": "call_2", "content": ""},
    {"role": "assistant", "content": None, "refusal": "no"},
    {"role": "user", "content": [{"type": "text", "text": "see"}, {"type": "text", "text": "this"}]},
]
TOOL = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "Search.",
        "parameters": {
            "type": "object",
            "properties": {
                "type": {"enum": ["a", None]},
                "name": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["type"],
            "additionalProperties": False,
        },
    },
}
OPTIONS = {"temperature": 1, "max_tokens": 100, "stop": ["x"], "tool_choice": "auto", "metadata": {"a": "b"}}
CHUNK = {
    "id": "c",
    "object": "chat.completion.chunk",
    "created": 1,
    "model": "x",
    "choices": [{"index": 0, "delta": {"role": "assistant", "content": "ok"}, "finish_reason": "stop"}],
}
ANSWER = answered(
    f"data: {json.dumps(CHUNK)}\n\ndata: [DONE]\n\n".encode(), "Content-Type: text/event-stream"
)


@pytest.mark.parametrize("model", ["openai/x", "openai/gpt-4o", "openai/o3", "together_ai/x"])
async def test_a_request_is_sent_as_the_providers_own_client_sends_it(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    litellm_module()
    client = importlib.import_module("openai.resources.chat.completions.completions")
    openai = importlib.import_module("openai._utils")
    assert client.__dict__["async_maybe_transform"] is not openai.__dict__["async_maybe_transform"]
    as_given = await _sent(model)
    monkeypatch.setattr(client, "async_maybe_transform", openai.__dict__["async_maybe_transform"])
    transformed = await _sent(model)
    assert as_given == transformed
    body = json.loads(as_given.encode("latin-1"))
    assert (len(body["messages"]), len(body["tools"]), body["stream"]) == (len(MESSAGES), 1, True)


async def _sent(model: str) -> str:
    """The body of the request, a character for each byte."""
    provider = LiteLLMProvider(QUICK)
    async with local_server(lambda _: ANSWER) as server:
        target = ModelTarget(model, server.url("127.0.0.1", "/v1"), "key")
        request = ModelRequest(model, MESSAGES, [TOOL], OPTIONS)
        try:
            assert [piece async for piece in provider.stream(request, target)]
        finally:
            await provider.close()
        [seen] = server.seen
    return seen.partition("\r\n\r\n")[2]
