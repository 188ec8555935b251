"""Vectors that tools ask for: whose model gives them, within which caps, and what is said if none does."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import msgspec
import pytest

from agent_contracts import event_sources
from agent_contracts.errors import ErrorKind
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.subjects import BUDGETS_BUCKET
from agent_contracts.questions.embedding import MOST_TEXTS, Embed, EmbeddingsGiven, unpacked
from agent_domain.budgets.budgets import Budgets
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_platform.entities.entities import Entities
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import SystemClock
from demo_model.server import DemoModel
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.model_caller.calling import AGENT, QUICK, settings_of
from model_caller.calls.embedding import USUAL, EmbeddingAnswerer, embedding_target
from model_caller.choosing.model_choice import ModelChoice
from model_caller.providers.by_model import EmbedderByModel

SCRIPT: dict[str, Any] = {
    "rules": [{"reply": {"text": "An answer."}}],
    "embeddings": {"subjects": [["canary", "bird"], ["car"]]},
}


def _choice(model: str, base_url: str | None) -> ModelChoice:
    return ModelChoice(model, model, model, model, "a test", base_url, "sk-test-1")


class World:
    """A server, and who asks it for vectors."""

    def __init__(self, model: DemoModel, embedder: EmbedderByModel) -> None:
        self.model = model
        self._embedder = embedder
        self.clock = SystemClock()
        self.budgets = Budgets(Bucket(MemoryLog(), BUDGETS_BUCKET), self.clock)

    async def ask(self, *texts: str, base_url: str | None = None, **more: Any) -> EmbeddingsGiven:
        told = {"embedding_model": "openai/vectors", **more}
        settings = settings_of(_choice("openai/main", base_url or self.model.base_url), **told)
        effective = EffectiveSettings(Entities(MemoryLog(), self.clock, event_sources.GATEWAY), settings)
        embedding = EmbeddingAnswerer(self._embedder, effective, self.budgets, self.clock)
        asked = Embed(AGENT, SessionId("s1"), CallId("c1"), texts)
        answer = await embedding.answer(msgspec.json.encode(asked))
        return msgspec.json.decode(answer, type=EmbeddingsGiven)


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(DemoModel(SCRIPT))
        embedder = EmbedderByModel(QUICK)
        stack.push_async_callback(embedder.close)
        yield World(model, embedder)


async def test_each_text_has_its_vector(world: World) -> None:
    given = await world.ask("A canary is a bird.", "A car.")
    assert given.error is None
    assert given.model == "openai/vectors"
    first, second = map(unpacked, given.vectors)
    assert first == pytest.approx((2.01, 0.01))
    assert second == pytest.approx((0.01, 1.01))
    assert given.usage is not None
    assert given.usage.input > 0


async def test_a_server_without_embeddings_says_what_to_set(world: World) -> None:
    world.model.play({"rules": SCRIPT["rules"]})
    given = await world.ask("A canary.")
    assert given.error_kind == ErrorKind.NOT_AVAILABLE
    assert "embedding_model" in (given.error or "")


async def test_where_no_model_is_named_nobody_is_asked(world: World) -> None:
    given = await world.ask("A canary.", embedding_model=None)
    assert given.error_kind == ErrorKind.NOT_AVAILABLE
    assert "FOLDLINE_EMBEDDING_MODEL" in (given.error or "")


async def test_a_server_that_is_away_is_upstream(world: World) -> None:
    given = await world.ask("A canary.", base_url="http://127.0.0.1:1/v1")
    assert given.error_kind == ErrorKind.UPSTREAM


async def test_a_wrong_key_is_told_in_words(world: World) -> None:
    world.model.play({**SCRIPT, "require_key": "another"})
    given = await world.ask("A canary.")
    assert (given.error_kind, given.vectors) == (ErrorKind.UPSTREAM, ())
    assert "key" in (given.error or "")


async def test_what_is_over_the_cap_is_not_asked(world: World) -> None:
    given = await world.ask("A canary. " * 1_000, agent_token_limit=100)
    assert given.error_kind == ErrorKind.REJECTED
    assert "100" in (given.error or "")


async def test_more_texts_than_one_question_has_are_refused(world: World) -> None:
    given = await world.ask(*(["x"] * (MOST_TEXTS + 1)))
    assert given.error_kind == ErrorKind.TOO_LARGE


async def test_what_is_no_question_is_answered_all_the_same(world: World) -> None:
    settings = settings_of(_choice("openai/main", world.model.base_url))
    effective = EffectiveSettings(Entities(MemoryLog(), world.clock, event_sources.GATEWAY), settings)
    embedding = EmbeddingAnswerer(EmbedderByModel(QUICK), effective, world.budgets, world.clock)
    answer = msgspec.json.decode(await embedding.answer(b"hello"), type=EmbeddingsGiven)
    assert answer.error_kind == ErrorKind.INTERNAL


@pytest.mark.parametrize(
    ("model", "base_url", "named", "asked", "at"),
    [
        ("openai/gpt-5-mini", None, None, USUAL, None),
        ("openai/mine", "http://own/v1", None, None, None),
        ("openai/mine", "http://own/v1", "openai/embed", "openai/embed", "http://own/v1"),
        ("anthropic/claude-sonnet-4-5", None, None, None, None),
        ("anthropic/claude-sonnet-4-5", None, "openai/embed", "openai/embed", None),
        ("openai/mine", "http://own/v1", "gemini/embed", "gemini/embed", None),
        ("openai/mine", "http://own/v1", "bedrock/embed", None, None),
        ("demo", None, None, None, None),
    ],
)
def test_who_gives_vectors_follows_from_the_settings(
    model: str, base_url: str | None, named: str | None, asked: str | None, at: str | None
) -> None:
    target = embedding_target(settings_of(_choice(model, base_url), embedding_model=named))
    assert (target.model if target else None, target.base_url if target else None) == (asked, at)
