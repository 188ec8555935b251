"""Prompts of which a server of one's own reads a part alone, without a word."""

from typing import Any

import pytest

from agent_contracts.session_events.results import ModelFailure, Usage
from foldline_testing.model_caller.calling import QUICK
from foldline_testing.model_caller.servers import HEAD, Asked, events, serving
from foldline_testing.model_caller.ways import WAYS, Way
from model_caller.answers.answer import AnswerEnding
from model_caller.answers.failures import ModelFault
from model_caller.choosing.target import ModelTarget
from model_caller.providers.by_model import ByModel
from model_caller.providers.cut_prompts import surely_cut
from session_domain.model_requests.request import ModelRequest

OPENAI = Way(*WAYS["openai"])
NARROW, WIDE = 2_048, 40_960
LLAMA: dict[str, Any] = {"/props": {"default_generation_settings": {"n_ctx": NARROW}}}


@pytest.fixture(params=["openai", "anthropic", "litellm"])
def way(request: pytest.FixtureRequest) -> Way:
    """Ollama's own way is in `test_ollama`: that server can be asked how it was loaded."""
    return Way(*WAYS[request.param])


def answer(way: Way, read: int, cached: int = 0) -> bytes:
    return way.says(way.speech.text("fine"), usage=way.speech.usage(read, 3, cached))


def told(window: int) -> dict[str, Any]:
    """How servers of both interfaces tell the window of the model x."""
    entry = {"id": "x", "max_model_len": window}
    return {"/v1/models": {"data": [entry]}, "/v1/models/x": entry}


def of(text: Any, *tools: dict[str, Any]) -> ModelRequest:
    return ModelRequest("openai/x", [{"role": "user", "content": text}], tools)


LONG = of("word " * 2_400)


async def asked(
    way: Way, parts: bytes, facts: dict[str, Any], request: ModelRequest = LONG, **target: Any
) -> AnswerEnding:
    provider = ByModel(QUICK)
    try:
        async with serving([parts], facts) as (url, _):
            async for piece in provider.stream(request, ModelTarget(way.model, url, **target)):
                if isinstance(piece, AnswerEnding):
                    return piece
    finally:
        await provider.close()
    raise AssertionError("no ending")


@pytest.mark.parametrize(("facts", "window"), [(told(NARROW), NARROW), (LLAMA, NARROW), ({}, 2_050)])
@pytest.mark.parametrize("cached", [0, 2_000])
async def test_a_prompt_that_was_cut_is_noticed(
    way: Way, facts: dict[str, Any], window: int, cached: int
) -> None:
    for said in (None, WIDE):  # what a person says of the window isn't what the server has
        with pytest.raises(ModelFault) as raised:
            await asked(way, answer(way, 2_050, cached), facts, context_window=said)
        assert raised.value.failure is ModelFailure.CONTEXT_LENGTH
        assert raised.value.message.startswith("the server cut the prompt: it read 2,050 of about 3,0")
        assert raised.value.window == window
        assert raised.value.usage == Usage(2_050, 3, cached)


@pytest.mark.parametrize(
    ("read", "cached", "facts"),
    [
        (2_050, 0, told(WIDE)),  # it has room, and counts otherwise
        (2_300, 0, {}),
        (2_300, 2_200, {}),  # Anthropic's form tells apart what was kept from before
        (12, 0, {}),
    ],
)
async def test_a_server_that_counts_otherwise_did_not_cut_the_prompt(
    way: Way, read: int, cached: int, facts: dict[str, Any]
) -> None:
    assert (await asked(way, answer(way, read, cached), facts)).finish_reason == "stop"


async def test_a_server_that_tells_no_figures_did_not_cut_the_prompt(way: Way) -> None:
    assert (await asked(way, way.says(way.speech.text("fine")), {})).finish_reason == "stop"


PROGRESS = {"choices": [], "prompt_progress": {"total": 2_400, "cache": 0, "processed": 1}}


@pytest.mark.parametrize(
    "parts",
    [
        answer(OPENAI, 1_100, cached=1_200),  # some tell it apart in OpenAI's form too
        HEAD + events(PROGRESS) + answer(OPENAI, 1_100).removeprefix(HEAD),
    ],
)
async def test_what_was_kept_from_before_was_read(parts: bytes) -> None:
    assert (await asked(OPENAI, parts, {})).finish_reason == "stop"


@pytest.mark.parametrize(
    ("request_", "read"),
    [
        (
            of("\n".join(" " * 400 + f"at {line}" for line in range(100))),
            1_000,
        ),  # our count is ten times too high
        (of("=" * 80_000), 1_200),
        (of("short", {"type": "function", "function": {"name": "t", "description": "word " * 9_000}}), 1_100),
        (
            of(
                [{"type": "text", "text": "short"}, {"type": "image_url", "image_url": {"url": "x " * 9_000}}]
            ),
            1_100,
        ),
        (of("東京はいい天気です。" * 800), 3_000),
        (of("สวัสดีครับ" * 800), 3_000),
    ],
)
def test_texts_that_take_few_tokens_are_not_taken_for_cut(request_: ModelRequest, read: int) -> None:
    assert not surely_cut(request_, read)


def test_scripts_without_spaces_are_noticed_as_well() -> None:
    assert surely_cut(of("東京はいい天気です。" * 800), 2_050)


async def test_a_provider_at_its_own_address_cuts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving([answer(OPENAI, 2_050)]) as (url, _):
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        provider = ByModel(QUICK)
        pieces = [piece async for piece in provider.stream(LONG, ModelTarget("openai/x", api_key="k"))]
        await provider.close()
    assert isinstance(pieces[-1], AnswerEnding)


async def test_a_chat_goes_on_after_it_with_a_shorter_prompt(way: Way) -> None:
    def reads(request: Asked) -> list[bytes]:
        words = sum(len(str(one["content"]).split()) for one in request.body["messages"])
        return [answer(way, min(2_048, words + 100))]

    async with way.chat(reads) as (conversation, _):
        await conversation.say("word " * 2_400)
        await conversation.say("short")
        answers = await conversation.answers()
    assert any("cut the prompt" in getattr(one, "message", "") for one in answers)
    assert getattr(answers[-1], "text", None) == "fine"
