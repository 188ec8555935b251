"""What a test of a model finds out, over HTTP with scripted servers."""

import json
from typing import Any

import pytest

from agent_contracts.questions.model_tests import ModelCheck
from foldline_testing.model_caller.calling import QUICK
from foldline_testing.model_caller.servers import Asked, refused, serving
from foldline_testing.model_caller.ways import WAYS, Way
from model_caller.calls.model_checks import FIXED_TOKENS, SMALL_FIXED_TOKENS, checks, window_flaw
from model_caller.choosing.target import ModelTarget
from model_caller.providers.by_model import ByModel
from model_caller.providers.offered_models import offered_models

CAPABLE = {"tool call", "JSON schema", "picture"}


def capable(way: Way, asked: Asked) -> list[bytes]:
    """A model that can do everything."""
    speech, text = way.speech, json.dumps(asked.body)
    if "get_weather" in text:
        call = [*speech.call(0, "c1", "get_weather"), *speech.arguments(0, '{"city": "Oslo"}')]
        return [way.says(call, end="tool_calls")]
    if "capital of Norway" in text:
        return [way.says(speech.text('{"city": "Oslo"}'))]
    if "colour" in text:
        return [way.says(speech.text("Red."))]
    usage = speech.usage(3_600, 5, 3_400) if "lazy dog" in text else None
    return [way.says(speech.text("1, "), speech.text("2"), usage=usage)]


async def checked(way: Way, parts: Any, facts: dict[str, Any] | None = None) -> dict[str, ModelCheck]:
    provider = ByModel(QUICK)
    async with serving(parts, facts) as (url, _):
        found = await checks(provider, ModelTarget(way.model, url, "k"))
        await provider.close()
    return {one.name: one for one in found}


@pytest.fixture(params=[name for name in WAYS if name != "litellm"])
def way(request: pytest.FixtureRequest) -> Way:
    """Those that we ask ourselves: litellm takes seconds of a processor for each check."""
    return Way(*WAYS[request.param])


async def test_a_model_that_can_do_all_is_good_at_all(way: Way) -> None:
    found = await checked(way, lambda asked: capable(way, asked))
    assert all(found[name].ok for name in ("chat", "stream", *CAPABLE)), found
    assert found["window"].ok is None
    if way.model in ("openai/x", "anthropic/x"):
        assert found["cache"].ok


async def test_a_model_that_only_talks_lacks_what_is_needed(way: Way) -> None:
    found = await checked(way, [way.says(way.speech.text("I am "), way.speech.text("a model."))])
    assert found["chat"].ok
    assert {name for name in CAPABLE if found[name].ok is False} == CAPABLE
    assert found["tool call"].needed
    assert "I am a model." in found["tool call"].words


async def test_a_server_that_refuses_is_said_once_in_its_words(way: Way) -> None:
    found = await checked(way, [refused(401, {"error": {"message": "bad key"}})])
    assert [*found] == ["chat"]
    assert "bad key" in found["chat"].words


async def test_a_window_that_is_too_small_is_said_with_both_figures() -> None:
    way = Way(*WAYS["openai"])
    facts = {"/v1/models": {"data": []}, "/props": {"default_generation_settings": {"n_ctx": 1_024}}}
    found = await checked(way, lambda asked: capable(way, asked), facts)
    assert found["window"].ok is False
    assert "1,024" in found["window"].words
    assert f"{SMALL_FIXED_TOKENS:,}" in found["window"].words
    target = ModelTarget("openai/x", "http://127.0.0.1/v1")
    assert window_flaw(target, None) is window_flaw(target, 2_048) is window_flaw(target, 8_192) is None
    assert f"{FIXED_TOKENS:,}" in (window_flaw(target, 2_048, "none") or "")


@pytest.mark.parametrize(
    ("model", "facts"),
    [
        ("openai/x", {"/v1/models": {"data": [{"id": "b"}, {"id": "a"}]}}),
        ("anthropic/x", {"/v1/models": {"data": [{"id": "b"}, {"id": "a"}]}}),
        ("ollama_chat/x", {"/api/tags": {"models": [{"name": "b"}, {"name": "a"}]}}),
    ],
)
async def test_a_server_s_models_are_listed(model: str, facts: dict[str, Any]) -> None:
    provider = model.partition("/")[0]
    async with serving([], facts) as (url, _):
        for given in (url, url.removesuffix("/v1")):
            assert await offered_models(ModelTarget(model, given)) == [f"{provider}/a", f"{provider}/b"]
