"""Ollama by its own API: the window that it is asked for, and prompts that it cut without a word."""

from typing import Any

import msgspec
import pytest

from agent_contracts.session_events.results import ModelFailure
from foldline_testing.model_caller.calling import QUICK, Conversation, choice_of
from foldline_testing.model_caller.servers import Asked, serving
from foldline_testing.model_caller.ways import HELLO, WAYS, Way
from model_caller.answers.answer import AnswerEnding
from model_caller.answers.failures import ModelFault
from model_caller.choosing.target import ModelTarget
from model_caller.providers.by_model import ByModel
from model_caller.providers.ollama_request import body_of
from session_domain.model_requests.request import ModelRequest

WAY = Way(*WAYS["ollama"])
SHOW = {"model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40_960}, "parameters": ""}
LONG: list[dict[str, Any]] = [{"role": "user", "content": "word " * 2_400}]


class CountedFacts(dict[str, Any]):
    """Facts that note which of them were told."""

    def __init__(self, facts: dict[str, Any]) -> None:
        super().__init__(facts)
        self.told: list[str] = []

    def __getitem__(self, path: str) -> Any:
        self.told.append(path)
        return super().__getitem__(path)


def loaded(tokens: int) -> dict[str, Any]:
    return {"models": [{"name": "x:latest", "model": "x:latest", "context_length": tokens}]}


def answer(read: int = 12) -> bytes:
    return WAY.says(WAY.speech.text("fine"), usage=WAY.speech.usage(read, 3, 0))


async def asked_for(
    facts: dict[str, Any], messages: list[dict[str, Any]] = HELLO, *, read: int = 12, **target: Any
) -> tuple[list[Asked], AnswerEnding]:
    """What a server with these facts is asked, and how its answer ended."""
    provider = ByModel(QUICK)
    try:
        async with serving([answer(read)], facts) as (url, seen):
            whom = ModelTarget("ollama_chat/x", url, **target)
            async for piece in provider.stream(ModelRequest("ollama_chat/x", messages, []), whom):
                if isinstance(piece, AnswerEnding):
                    return seen, piece
    finally:
        await provider.close()
    raise AssertionError("no ending")


@pytest.mark.parametrize(
    ("show", "ps", "said", "num_ctx"),
    [
        (SHOW, {}, None, 40_960),
        (SHOW, {}, 8_192, 8_192),
        (SHOW, {}, 100_000, 40_960),
        ({**SHOW, "parameters": 'stop "<|im_end|>"\nnum_ctx                        16384'}, {}, None, 16_384),
        ({"model_info": {"llama.context_length": 131_072}}, {}, None, 40_960),
        ({"model_info": {"llama.context_length": 131_072}}, loaded(65_536), None, 65_536),
        ({"model_info": {"llama.context_length": 2_048}}, {}, None, 2_048),
        ({}, {}, None, None),
    ],
)
async def test_the_window_is_asked_for(show: Any, ps: Any, said: int | None, num_ctx: int | None) -> None:
    seen, ending = await asked_for({"/api/show": show, "/api/ps": ps}, context_window=said)
    assert seen[0].path == "/api/chat"
    assert seen[0].body.get("options", {}).get("num_ctx") == num_ctx
    assert ending.context_window == num_ctx


async def test_a_model_is_asked_about_once() -> None:
    facts = CountedFacts({"/api/show": SHOW, "/api/ps": loaded(40_960)})
    provider = ByModel(QUICK)
    async with serving([answer()], facts) as (url, seen):
        chat = Conversation(provider, choice_of("ollama_chat/x", url), limits=QUICK)
        await chat.begin()
        for text in ("one", "two", "three"):
            await chat.say(text)
        await provider.close()
    assert len(seen) == 3
    assert sorted(facts.told) == ["/api/ps", "/api/show"]


async def test_a_prompt_that_was_cut_is_noticed() -> None:
    for ps in ({}, loaded(2_048)):
        with pytest.raises(ModelFault) as raised:
            await asked_for({"/api/show": SHOW, "/api/ps": ps}, LONG, read=2_050)
        fault = raised.value
        assert fault.failure is ModelFailure.CONTEXT_LENGTH
        assert fault.message.startswith("the server cut the prompt: it read 2,050 of about ")
        assert fault.window == (2_048 if ps else 2_050)


async def test_a_server_that_counts_otherwise_did_not_cut_the_prompt() -> None:
    await asked_for({"/api/show": SHOW, "/api/ps": loaded(40_960)}, LONG, read=2_050)
    await asked_for({"/api/show": SHOW, "/api/ps": loaded(2_048)}, LONG, read=2_900)
    await asked_for({"/api/show": SHOW, "/api/ps": loaded(2_048)}, HELLO, read=1)


async def test_a_chat_whose_prompt_was_cut_is_told_both_figures() -> None:
    facts = {"/api/show": SHOW, "/api/ps": loaded(2_048)}
    provider = ByModel(QUICK)
    async with serving([answer(2_050)], facts) as (url, seen):
        chat = Conversation(provider, choice_of("ollama_chat/x", url), limits=QUICK)
        await chat.begin()
        await chat.say("word " * 2_400)
        await chat.say("short")
        answers = await chat.answers()
        await provider.close()
    assert any("cut the prompt" in getattr(one, "message", "") for one in answers)
    assert len(seen) <= 6


def test_a_request_is_in_ollama_s_form() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": [{"type": "text", "text": "see"}, picture]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "2"},
    ]
    schema = {"type": "object"}
    options: dict[str, Any] = {
        "temperature": 0.5,
        "max_tokens": 9,
        "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": schema}},
    }
    body = body_of(ModelRequest("ollama/x", messages, [], options), "x", 4_096)
    assert body["options"] == {"temperature": 0.5, "num_predict": 9, "num_ctx": 4_096}
    assert body["format"] == schema
    assert body["messages"] == [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "see", "images": ["AAAA"]},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"function": {"name": "add", "arguments": {"a": 1}}}],
        },
        {"role": "tool", "content": "2", "tool_name": "add"},
    ]
    assert msgspec.json.encode(body)
