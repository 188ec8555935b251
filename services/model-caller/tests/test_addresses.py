"""Addresses beside a model's API: found where that can be done, else named, with the one that is meant."""

from collections.abc import Callable, Iterable

import pytest

from agent_contracts.session_events.results import ModelFailure
from foldline_testing.model_caller.calling import QUICK, Conversation, choice_of
from foldline_testing.model_caller.servers import HEAD, Asked, Ollama, refused, serving
from foldline_testing.model_caller.ways import KEY, Way
from model_caller.answers.failures import ModelFault, explain
from model_caller.choosing.target import ModelTarget
from model_caller.providers.by_model import ByModel


@pytest.fixture(autouse=True)
def below_v1(way: Way) -> None:
    """Ollama's own API is below /api."""
    if isinstance(way.speech, Ollama):
        pytest.skip("its address names no version")


PAGE = b"<!DOCTYPE html><html><body><h1>404 Not Found</h1></body></html>"
NOWHERE = [
    refused(404, PAGE),
    refused(404, {"detail": "Not Found"}),
    refused(404, b"404 page not found"),
    refused(404, {"error": {"code": 404, "message": "File Not Found", "type": "not_found_error"}}),
    refused(404, b""),
    refused(405, {"detail": "Method Not Allowed"}),
    refused(200, {"error": "Unexpected endpoint or method. (POST /chat/completions)"}),
    HEAD.replace(b"event-stream", b"html") + PAGE,
]


def only_below_v1(way: Way, otherwise: bytes) -> Callable[[Asked], Iterable[bytes]]:
    """A server that has its API below /v1 and nothing elsewhere."""
    return lambda asked: [way.says(way.speech.text("fine"))] if asked.path.startswith("/v1/") else [otherwise]


@pytest.mark.parametrize("otherwise", NOWHERE, ids=range(len(NOWHERE)))
async def test_v1_is_tried_where_the_address_that_was_given_has_no_api(way: Way, otherwise: bytes) -> None:
    if "litellm" in way.model and otherwise in (NOWHERE[4], *NOWHERE[6:]):
        pytest.skip("litellm tells of these nothing by which they are known")
    async with serving(only_below_v1(way, otherwise)) as (url, seen):
        said, _ = await way.ask_at(url.removesuffix("/v1"))
    assert said.text == "fine"
    assert len(seen) <= 2


async def test_a_chat_asks_at_the_right_address_from_then_on(way: Way) -> None:
    provider = ByModel(QUICK)
    async with serving(only_below_v1(way, NOWHERE[0])) as (url, seen):
        chat = Conversation(provider, choice_of(way.model, url.removesuffix("/v1"), KEY), limits=QUICK)
        await chat.begin()
        for text in ("one", "two", "three"):
            await chat.say(text)
        await provider.close()
    assert await chat.failure() is None
    assert sum(not one.path.startswith("/v1/") for one in seen) <= 1
    assert len(seen) <= 4


async def test_a_query_goes_along_with_each_request(way: Way) -> None:
    if way.model != "openai/x":
        pytest.skip("only servers that speak as OpenAI's do have it")
    async with serving([way.says(way.speech.text("fine"))]) as (url, seen):
        await way.ask_at(f"{url}?api-version=1")
    assert seen[0].path == "/v1/chat/completions?api-version=1"


@pytest.mark.parametrize("otherwise", NOWHERE[:6], ids=range(6))
async def test_an_address_without_an_api_is_named_and_never_the_model(way: Way, otherwise: bytes) -> None:
    if "litellm" in way.model and otherwise == NOWHERE[4]:
        pytest.skip("litellm tells of it nothing by which it is known")
    async with serving([otherwise]) as (url, seen):
        base = url.removesuffix("/v1")
        with pytest.raises(ModelFault) as raised:
            await way.ask_at(base)
    fault = raised.value
    words = explain(fault, ModelTarget(way.model, base, KEY), 1)
    assert words.startswith(f"No model API at this address: {base}. Did you mean {base}/v1?")
    assert "doesn't know the model" not in words
    assert fault.failure is ModelFailure.UNREACHABLE
    assert not fault.transient
    assert len(seen) <= 2


async def test_a_model_that_the_server_does_not_know_is_still_that(way: Way) -> None:
    said = {"error": {"message": "The model `x` does not exist", "code": "model_not_found"}}
    fault = await way.fault([refused(404, said)])
    assert fault.failure is ModelFailure.UNKNOWN_MODEL
