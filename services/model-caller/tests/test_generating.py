"""Questions of tools to models: over real HTTP, through litellm."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import msgspec
import pytest

from agent_contracts import event_sources
from agent_contracts.errors import ErrorKind
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.subjects import BUDGETS_BUCKET
from agent_contracts.questions.generation import Generate, GenerationResult, Intelligence
from agent_domain.budgets.budgets import Budgets
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_platform.entities.entities import Entities
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import SystemClock
from demo_model.server import DemoModel
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.model_caller.calling import AGENT, QUICK, settings_of
from foldline_testing.model_caller.servers import HEAD, Asked, OpenAI, events, refused, serving
from model_caller.calls.adaptation_memory import AdaptationMemory
from model_caller.calls.cancelling import Cancellations
from model_caller.calls.cool_downs import CoolDowns
from model_caller.calls.fallback import Fallback
from model_caller.calls.generating import GenerationAnswerer, NoListeners
from model_caller.calls.model_asker import ModelAsker
from model_caller.choosing.model_choice import ModelChoice
from model_caller.providers.by_model import ByModel

SCRIPT: dict[str, Any] = {
    "pace": {"size": 4},
    "rules": [
        {
            "when": {"user_contains": "hang"},
            "reply": {"text": "W", "fault": {"kind": "hang", "after_chunks": 1}},
        },
        {"when": {"user_contains": "refuse"}, "reply": {"text": "", "fault": {"kind": "bad_request"}}},
        {"when": {"user_contains": "endless"}, "reply": {"text": "", "fault": {"kind": "context_length"}}},
        {"reply": {"text": "An answer."}},
    ],
}
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 16


class World:
    """A model, and who asks it for tools."""

    def __init__(
        self, model: DemoModel, provider: ByModel, url: str | None = None, low: str = "openai/small"
    ) -> None:
        self.model = model
        self.blobs = MemoryBlobs()
        self.cancellations = Cancellations()
        choice = ModelChoice(
            "openai/main",
            low,
            "openai/middle",
            "openai/big",
            "a test",
            url or model.base_url,
            "sk-test-1",
        )
        entities = Entities(MemoryLog(), SystemClock(), event_sources.MODEL_CALLER)
        remembering = AdaptationMemory(entities, SystemClock())
        asking = ModelAsker(provider, NoListeners(), QUICK, learned=remembering.learned)
        settings = EffectiveSettings(entities, settings_of(choice))
        self.budgets = Budgets(Bucket(MemoryLog(), BUDGETS_BUCKET), SystemClock())
        self.generating = GenerationAnswerer(
            asking,
            settings,
            self.blobs,
            self.cancellations,
            self.budgets,
            SystemClock(),
            remembering,
            Fallback(CoolDowns()),
            parallel=2,
        )

    async def ask(self, prompt: str, **more: Any) -> GenerationResult:
        asked = Generate(AGENT, SessionId("s1"), CallId("c1"), prompt, **more)
        answer = await self.generating.answer(msgspec.json.encode(asked))
        return msgspec.json.decode(answer, type=GenerationResult)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [one.body for one in self.model.recording.requests]


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(DemoModel(SCRIPT))
        provider = ByModel(QUICK)
        stack.push_async_callback(provider.close)
        yield World(model, provider)


async def test_the_model_gets_the_question_and_its_limits(world: World) -> None:
    schema = {"type": "object"}
    answer = await world.ask("hello", system="Be brief.", max_tokens=7, temperature=0.5, schema=schema)
    assert answer.text == "An answer."
    assert answer.usage is not None
    assert answer.usage.input > 0
    [body] = world.bodies
    assert body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "hello"},
    ]
    assert (body["temperature"], body["max_tokens"]) == (0.5, 7)
    assert body["response_format"]["json_schema"]["schema"] == schema
    assert "tools" not in body


@pytest.mark.parametrize(
    ("level", "model"),
    [(Intelligence.LOW, "small"), (Intelligence.MEDIUM, "middle"), (Intelligence.HIGH, "big")],
)
async def test_settings_say_which_model_a_level_is(world: World, level: Intelligence, model: str) -> None:
    await world.ask("hello", intelligence=level)
    assert [body["model"] for body in world.bodies] == [model]


async def test_pictures_are_sent_along(world: World) -> None:
    picture = await world.blobs.put(PNG, "image/png")
    assert (await world.ask("what is it?", images=(picture.sha256,))).error is None
    [text, image] = world.bodies[0]["messages"][0]["content"]
    assert text == {"type": "text", "text": "what is it?"}
    assert image["image_url"]["url"].startswith("data:image/png;base64,iVBORw0KGgo")


async def test_a_picture_that_is_none_or_missing_is_refused(world: World) -> None:
    text = await world.blobs.put(b"not a picture", "text/plain")
    assert (await world.ask("?", images=(text.sha256,))).error_kind == ErrorKind.INVALID_ARGUMENTS
    assert (await world.ask("?", images=("0" * 64,))).error_kind == ErrorKind.NOT_FOUND
    assert world.bodies == []


async def test_what_the_server_refuses_comes_back_in_words(world: World) -> None:
    answer = await world.ask("refuse this")
    assert answer.error_kind == ErrorKind.UPSTREAM
    assert "refused the request" in (answer.error or "")
    assert "sk-test-1" not in (answer.error or "")


async def test_a_prompt_that_is_too_long_says_window_need_and_what_to_do(world: World) -> None:
    answer = await world.ask("endless " * 2_000)
    assert answer.error_kind == ErrorKind.TOO_LARGE
    said = answer.error or ""
    figures = re.search(r"(?:takes|at most) ([\d,]+) tokens, and the request needs (?:about )?([\d,]+)", said)
    assert figures is not None, said
    window, needed = (int(one.replace(",", "")) for one in figures.groups())
    assert 0 < window < needed
    assert "openai/small is too small for this prompt" in said
    assert "Ask about a part of the text at a time" in said


async def test_all_that_a_cancelled_call_asked_for_stops(world: World) -> None:
    asking = [asyncio.create_task(world.ask("hang")) for _ in range(2)]
    await world.model.recording.until(lambda recording: recording.in_flight == 2, timeout=60)
    world.cancellations.cancel(SessionId("s1"), CallId("c1"))
    answers = await asyncio.wait_for(asyncio.gather(*asking), 60)
    assert {answer.error_kind for answer in answers} == {ErrorKind.CANCELLED}
    await world.model.recording.until(lambda recording: recording.aborted == 2, timeout=20)


async def test_the_next_model_of_a_level_answers_where_the_first_does_not() -> None:
    usage = OpenAI().usage(100, 10, 0)

    def answer(asked: Asked) -> list[bytes]:
        if asked.body["model"] == "small":
            return [refused(429, {"error": {"message": "Rate limit reached"}})]
        said = OpenAI().text("Well."), OpenAI().end("stop", usage), OpenAI().close()
        return [HEAD + events(*(one for several in said for one in several))]

    async with serving(answer) as (url, seen), DemoModel(SCRIPT) as unused:
        provider = ByModel(QUICK)
        world = World(unused, provider, url, "openai/small, openai/larger")
        answered = await world.ask("hello", intelligence=Intelligence.LOW)
        assert (answered.text, answered.model) == ("Well.", "openai/larger")
        await world.ask("again", intelligence=Intelligence.LOW)
        await provider.close()
    assert [one.body["model"] for one in seen] == ["small", "larger", "larger"]


@pytest.mark.parametrize(
    ("field", "given", "words"),
    [
        ("temperature", 0.5, "Unsupported value: 'temperature' does not support 0.5 with this model."),
        ("stop", ["END"], "Unrecognized request argument supplied: stop"),
        ("response_format", {"type": "object"}, "This response_format type is unavailable now"),
    ],
)
async def test_a_refused_option_is_left_out_of_the_next_question_too(
    field: str, given: Any, words: str
) -> None:
    def answer(asked: Asked) -> list[bytes]:
        if field in asked.body:
            return [refused(400, {"error": {"message": words, "type": "invalid_request_error"}})]
        said = OpenAI().text("{}"), OpenAI().end("stop"), OpenAI().close()
        return [HEAD + events(*(one for several in said for one in several))]

    more = {"schema" if field == "response_format" else field: given}
    async with serving(answer) as (url, seen), DemoModel(SCRIPT) as unused:
        provider = ByModel(QUICK)
        world = World(unused, provider, url)
        assert (await world.ask("hello", **more)).text == "{}"
        assert [field in one.body for one in seen] == [True, False], "refused once"
        assert (await world.ask("again", **more)).text == "{}"
        assert [field in one.body for one in seen] == [True, False, False], "it is remembered"
        await provider.close()
