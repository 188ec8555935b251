"""The window of a server of one's own, as each kind of server tells it."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from foldline_testing.model_caller.calling import QUICK, Conversation, choice_of
from foldline_testing.model_caller.servers import refused, serving
from foldline_testing.model_caller.ways import HELLO, WAYS, Way
from model_caller.answers.answer import AnswerEnding
from model_caller.choosing.target import ModelTarget
from model_caller.providers.by_model import ByModel
from model_caller.providers.model_limits import KnownLimits
from model_caller.settings import ModelCallerSettings
from session_domain.model_requests.request import ModelRequest

WAY = Way(*WAYS["openai"])
LLAMA = {"data": [{"id": "x", "object": "model", "owned_by": "llamacpp", "meta": {"n_ctx_train": 32_768}}]}
LMSTUDIO = {
    "data": [{"id": "x", "state": "loaded", "max_context_length": 131_072, "loaded_context_length": 4_096}]
}


@pytest.mark.parametrize(
    ("facts", "window"),
    [
        ({"/v1/models": {"data": [{"id": "x", "max_model_len": 16_384}]}}, 16_384),
        ({"/v1/models": LLAMA, "/props": {"default_generation_settings": {"n_ctx": 2_048}}}, 2_048),
        ({"/v1/models": {"data": [{"id": "x"}]}, "/api/v0/models": LMSTUDIO}, 4_096),
        ({"/props": {"default_generation_settings": "?"}, "/api/v0/models": {"data": "?"}}, None),
        ({}, None),
    ],
)
async def test_the_window_with_which_a_model_is_loaded(facts: dict[str, Any], window: int | None) -> None:
    provider = ByModel(QUICK)
    async with serving([WAY.says(WAY.speech.text("fine"))], facts) as (url, _):
        pieces = provider.stream(ModelRequest("openai/x", HELLO, []), ModelTarget("openai/x", url))
        found = [piece.context_window async for piece in pieces if isinstance(piece, AnswerEnding)]
        await provider.close()
    assert found == [window]


@pytest.mark.parametrize("name", list(WAYS))
async def test_a_private_server_may_read_the_prompt_for_as_long_as_it_takes(name: str) -> None:
    way = Way(*WAYS[name])
    limits = msgspec.structs.replace(QUICK, first_token=0.05, first_token_at_home=None, retries=0)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        lengths = [line[15:] for line in head.lower().splitlines() if line.startswith("content-length:")]
        await reader.readexactly(int((lengths or ["0"])[0]))
        if not head.startswith("POST") or "/api/show" in head:
            writer.write(refused(404, {}))
        else:
            await asyncio.sleep(0.6)  # sleeps: work
            writer.write(way.says(way.speech.text("fine")))
        await writer.drain()
        writer.close()

    server, provider = await asyncio.start_server(answer, "127.0.0.1", 0, limit=2**24), ByModel(limits)
    async with server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        chat = Conversation(provider, choice_of(way.model, url, "k"), limits=limits)
        await chat.begin()
        await chat.say("hello")
        await provider.close()
    assert await chat.failure() is None


def test_only_a_private_server_has_no_limit_unless_one_was_set() -> None:
    limits = ModelCallerSettings(data_dir=Path("/")).limits()
    for near in ("http://127.0.0.1:1/v1", "http://localhost:1", "http://10.0.0.7:8000", "http://box.local"):
        assert limits.first_token_of(near) is None
    assert limits.first_token_of("https://api.example.com/v1") == limits.first_token_of(None) == 120
    told = ModelCallerSettings(data_dir=Path("/"), model_first_token_timeout=30).limits()
    assert told.first_token_of("http://127.0.0.1:1/v1") == 30


async def test_a_server_that_could_not_be_reached_is_asked_again() -> None:
    away = True

    def answer(request: httpx.Request) -> httpx.Response:
        if away:
            raise httpx.ConnectError("it is away")
        return httpx.Response(200, json={"data": [{"id": "x", "max_model_len": 4_096}]})

    client = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    known, target = KnownLimits(client), ModelTarget("openai/x", "http://127.0.0.1:9/v1")
    about = "http://127.0.0.1:9/v1/models"
    assert (await known.of(about, {}, target)).window is None
    away = False
    assert (await known.of(about, {}, target)).window == 4_096
    away = True
    assert (await known.of(about, {}, target)).window == 4_096, "it was asked once more"
    await known.close()
    await client.aclose()
