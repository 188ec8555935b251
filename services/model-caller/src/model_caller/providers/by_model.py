"""How each model is asked: by ourselves, or by litellm where its interface is none of ours."""

from collections.abc import AsyncGenerator, Sequence

from agent_contracts.errors import Failure
from agent_contracts.session_events.results import ModelFailure, Usage
from agent_platform.secrecy.failure_text import bug_text
from model_caller.answers.answer import AnswerEnding, AnswerPiece, Assembly
from model_caller.answers.failures import ModelFault
from model_caller.choosing.target import ModelTarget
from model_caller.limits import ModelCallLimits
from model_caller.providers.adapting.requests import adapted_request
from model_caller.providers.interface import Embedder
from model_caller.providers.interfaces import INTERFACES, providers
from model_caller.providers.located_provider import LocatedProvider
from model_caller.providers.port import Provider
from model_caller.providers.thinking_returned import with_thinking
from session_domain.model_requests.request import ModelRequest


class ByModel:
    """A `Provider` for every target. litellm is loaded with the first call that needs it.

    Which interface a provider speaks is in `agent_domain/model_providers.toml`; `litellm/STRING` is asked by
    litellm whatever STRING is.
    """

    def __init__(self, limits: ModelCallLimits) -> None:
        self.limits = limits
        self._by_interface = providers(limits)
        self._located = LocatedProvider()

    async def warm_up(self, target: ModelTarget) -> None:
        """See `Provider`."""
        await self._for(target).warm_up(target)

    async def window(self, target: ModelTarget) -> int | None:
        """See `Provider`."""
        try:
            return await self._for(target).window(target)
        except ModelFault:
            return None  # without a key nobody is asked: the call itself says so

    async def close(self) -> None:
        """Close the connections of all."""
        await self._located.close()
        for provider in self._by_interface.values():
            await provider.close()

    async def count(self, request: ModelRequest, said: Assembly) -> Usage:
        """See `Provider`."""
        return await self._for(ModelTarget(request.model)).count(request, said)

    def stream(
        self, request: ModelRequest, target: ModelTarget
    ) -> AsyncGenerator[AnswerPiece | AnswerEnding, None]:
        """See `Provider`."""
        if not INTERFACES[target.interface].has_thoughts:
            request = with_thinking(request, target.adapted)
        return self._located.stream(self._for(target), adapted_request(request, target.adapted), target)

    def _for(self, target: ModelTarget) -> Provider:
        return self._by_interface[target.interface]


class EmbedderByModel:
    """An `Embedder` for every target whose interface gives vectors."""

    def __init__(self, limits: ModelCallLimits) -> None:
        self._limits = limits
        self._made: dict[str, Embedder] = {}

    async def close(self) -> None:
        """Close the connections of all."""
        for embedder in self._made.values():
            await embedder.close()

    async def embed(self, target: ModelTarget, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        """See `Embedder`. What another distribution's raises that is no `ModelFault` becomes one."""
        make = INTERFACES[target.interface].embedder
        if make is None:
            raise ModelFault(ModelFailure.UNKNOWN_MODEL, f"{target.provider} gives no embeddings")
        try:
            if target.interface not in self._made:
                self._made[target.interface] = make(self._limits)
            return await self._made[target.interface].embed(target, texts)
        except Failure:
            raise
        except Exception as error:  # it may be somebody else's code
            raise ModelFault(ModelFailure.INTERNAL, bug_text(error)) from error
