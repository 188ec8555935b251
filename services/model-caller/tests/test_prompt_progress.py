"""How much of a prompt a server has read: asked of llama.cpp alone, told until the first word, never kept."""

import asyncio
from collections.abc import Iterable
from typing import Any

import msgspec
import pytest

from agent_contracts.ids import CallId
from agent_contracts.questions.queries import Delta
from foldline_testing.agent_platform.eventually import until
from foldline_testing.model_caller.calling import QUICK, SESSION, Conversation, choice_of
from foldline_testing.model_caller.servers import HEAD, Asked, events, refused, serving
from foldline_testing.model_caller.ways import HELLO, WAYS, Way
from model_caller.answers.answer import AnswerPiece
from model_caller.calls.deltas import DeltaChannel, Deltas
from model_caller.choosing.target import ModelTarget
from model_caller.providers.by_model import ByModel
from model_caller.providers.openai_chunks import ChunkReading
from session_domain.model_requests.request import ModelRequest

WAY = Way(*WAYS["openai"])
LLAMA: dict[str, Any] = {"/props": {"default_generation_settings": {"n_ctx": 8_192}}}
OTHER: dict[str, Any] = {"/v1/models": {"data": [{"id": "x", "max_model_len": 8_192}]}}


def progress(processed: int, *, total: int = 2_731, cache: int = 0) -> dict[str, Any]:
    """A chunk of llama.cpp's, as it sends one for each batch that it has read."""
    read = {"total": total, "cache": cache, "processed": processed, "time_ms": 1}
    delta = {"role": "assistant", "content": None}
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}], "prompt_progress": read}


@pytest.mark.parametrize(
    ("read", "percent"),
    [
        ({"total": 2_731, "cache": 0, "processed": 0, "time_ms": 0}, 0),
        ({"total": 2_731, "cache": 0, "processed": 1_092, "time_ms": 9}, 40),
        ({"total": 1_000, "cache": 900, "processed": 940, "time_ms": 9}, 40),
        ({"total": 1_000, "cache": 0, "processed": 1_200, "time_ms": 9}, 100),
        ({"total": 1_000, "cache": 1_000, "processed": 1_000, "time_ms": 0}, None),
        ({"total": 0, "cache": 0, "processed": 0}, None),
        ({"total": "?", "cache": None, "processed": []}, None),
        ("40 %", None),
        (None, None),
    ],
)
def test_the_figure_is_of_what_is_to_be_read(read: Any, percent: int | None) -> None:
    piece = ChunkReading().take({"choices": [], "prompt_progress": read})
    assert piece == AnswerPiece(prompt_read=percent)
    assert piece.is_sign_of_life


@pytest.mark.parametrize(("facts", "asked_for"), [(LLAMA, True), (OTHER, False), ({}, False)])
async def test_only_llama_cpp_is_asked_to_tell_it(facts: dict[str, Any], asked_for: bool) -> None:
    provider = ByModel(QUICK)
    async with serving([HEAD + events(progress(0)) + WAY.says(WAY.speech.text("fine"))], facts) as (
        url,
        seen,
    ):
        for window in (None, 4_096):  # also where a person said how large its window is
            target = ModelTarget("openai/x", url, context_window=window)
            async for _ in provider.stream(ModelRequest("openai/x", HELLO, []), target):
                pass
        await provider.close()
    assert [one.body.get("return_progress", False) for one in seen] == [asked_for, asked_for]


async def test_who_watches_is_told_until_the_first_word_and_nothing_is_kept() -> None:
    read = events(progress(0), progress(1_092), progress(2_731))
    answer = HEAD + read + WAY.says(WAY.speech.text("fine")).removeprefix(HEAD)
    async with WAY.chat([answer], facts=LLAMA) as (conversation, _):
        await conversation.say("hello")
        told = conversation.live.deltas
        assert told[0].prompt_read is not None
        assert [one.text for one in told if one.text] == ["fine"]
        assert [one.index for one in told if one.prompt_read is None] == [0]
        assert await conversation.failure() is None
        assert b"prompt" not in msgspec.json.encode((await conversation.answers())[-1])


async def test_the_newest_figure_is_told_and_none_after_the_first_word() -> None:
    told: list[Delta] = []

    class Told:
        async def publish(self, subject: str, data: bytes) -> None:
            told.append(msgspec.json.decode(data, type=Delta))

    async with Deltas(Told(), DeltaChannel("there", SESSION, CallId("m1")), 3, interval_s=0) as deltas:
        deltas.prompt_read(0)
        deltas.prompt_read(40)
        await until(lambda: len(told) == 1)
        deltas.text("a")
        await until(lambda: len(told) == 2)
        deltas.prompt_read(100)
        deltas.text("b")
    assert [(one.attempt, one.index, one.prompt_read, one.text) for one in told] == [
        (3, 0, 40, ""),
        (3, 0, None, "a"),
        (3, 1, None, "b"),
    ]


async def test_it_is_a_sign_of_life_and_not_the_first_word() -> None:
    limits = msgspec.structs.replace(QUICK, silence=0.05, first_token_at_home=None, retries=0)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        lengths = [line[15:] for line in head.lower().splitlines() if line.startswith("content-length:")]
        await reader.readexactly(int((lengths or ["0"])[0]))
        if head.startswith("POST"):
            writer.write(HEAD + events(progress(0)))
            await writer.drain()
            await asyncio.sleep(0.6)  # sleeps: work
            writer.write(WAY.says(WAY.speech.text("fine")).removeprefix(HEAD))
        else:
            writer.write(refused(404, {}))
        await writer.drain()
        writer.close()

    server, provider = await asyncio.start_server(answer, "127.0.0.1", 0, limit=2**24), ByModel(limits)
    async with server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        chat = Conversation(provider, choice_of(WAY.model, url, "k"), limits=limits)
        await chat.begin()
        await chat.say("hello")
        await provider.close()
    assert await chat.failure() is None


async def test_a_server_that_refuses_the_field_is_asked_without_it_from_then_on() -> None:
    def answer(asked: Asked) -> Iterable[bytes]:
        if "return_progress" in asked.body:
            yield refused(400, {"error": {"message": "Unrecognized request argument: return_progress"}})
        else:
            yield WAY.says(WAY.speech.text("fine"))

    async with WAY.chat(answer, facts=LLAMA) as (conversation, seen):
        await conversation.say("hello")
        await conversation.say("again")
        assert await conversation.failure() is None
    assert ["return_progress" in one.body for one in seen] == [True, False, False]
