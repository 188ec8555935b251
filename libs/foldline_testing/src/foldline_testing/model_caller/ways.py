"""The ways in which a model is asked, each with a server that speaks its interface."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any

import msgspec
import pytest

from foldline_testing.model_caller.calling import QUICK, Conversation, choice_of
from foldline_testing.model_caller.servers import (
    HEAD,
    Anthropic,
    Asked,
    Kind,
    Ollama,
    OpenAI,
    Speech,
    events,
    lines,
    serving,
)
from model_caller.answers.answer import AnswerEnding, AnswerPiece, Assembly
from model_caller.answers.failures import ModelFault
from model_caller.choosing.target import ModelTarget
from model_caller.limits import ModelCallLimits
from model_caller.providers.by_model import ByModel
from session_domain.model_requests.request import ModelRequest

KEY = "sk-test-0123456789"
HELLO: list[dict[str, Any]] = [{"role": "user", "content": "hello"}]
WAYS: dict[str, tuple[str, Speech]] = {
    "openai": ("openai/x", OpenAI()),
    "anthropic": ("anthropic/x", Anthropic()),
    "ollama": ("ollama_chat/x", Ollama()),
    "litellm": ("litellm/openai/x", OpenAI()),
}


class Way(msgspec.Struct, frozen=True):
    """How a model is asked, and how its server speaks."""

    model: str
    speech: Speech

    async def ask(self, parts: Kind) -> tuple[Assembly, AnswerEnding]:
        """What this server's answer is read as."""
        async with serving(parts) as (url, _):
            return await self.ask_at(url)

    async def ask_at(self, url: str) -> tuple[Assembly, AnswerEnding]:
        """The same, where the server is up already."""
        provider, said = ByModel(QUICK), Assembly()
        pieces: AsyncGenerator[AnswerPiece | AnswerEnding, None]
        try:
            async with aclosing(
                provider.stream(ModelRequest(self.model, HELLO, []), ModelTarget(self.model, url, KEY))
            ) as pieces:
                async for piece in pieces:
                    if isinstance(piece, AnswerEnding):
                        return said, piece
                    said.add(piece)
        finally:
            await provider.close()
        raise AssertionError("no ending")

    async def fault(self, parts: Kind) -> ModelFault:
        """How this server's answer is refused."""
        with pytest.raises(ModelFault) as raised:
            await self.ask(parts)
        return raised.value

    def says(self, *chunks: Sequence[Any], end: str = "stop", usage: Any = None) -> bytes:
        """A whole answer of these chunks."""
        every = [one for several in chunks for one in several]
        if isinstance(self.speech, Ollama):
            return HEAD.replace(b"text/event-stream", b"application/x-ndjson") + lines(
                *every, *self.speech.end(end, usage)
            )
        return HEAD + events(*every, *self.speech.end(end, usage), *self.speech.close())

    @asynccontextmanager
    async def chat(
        self,
        parts: Kind,
        *,
        limits: ModelCallLimits = QUICK,
        facts: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> AsyncIterator[tuple[Conversation, list[Asked]]]:
        """A conversation with a model of this server, and what the server is asked."""
        provider = ByModel(limits)
        async with serving(parts, facts) as (url, seen):
            conversation = Conversation(provider, choice_of(self.model, url, KEY), limits=limits, **more)
            await conversation.begin()
            try:
                yield conversation, seen
            finally:
                await provider.close()
