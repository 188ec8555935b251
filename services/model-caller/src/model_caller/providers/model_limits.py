"""How many tokens a model takes and gives: as its server says, or as the list of models has it."""

import asyncio
import re
from urllib.parse import urlsplit

import httpx
import msgspec
import structlog

from agent_contracts.json_value import Json
from agent_domain.model_addresses import endpoint
from model_caller.choosing.target import ModelTarget
from model_caller.pricing.listed_models import listed_model
from model_caller.providers.json_fields import count, decoded, mapping, mappings

log = structlog.get_logger()

_WINDOW = ("max_input_tokens", "context_length", "max_model_len", "context_window", "max_context_length")
"""What servers call it: Anthropic, then in lists of models OpenRouter, vLLM, Groq, LM Studio."""
_PATIENCE_S = 2.0


class ModelLimits(msgspec.Struct, frozen=True):
    """Tokens: `window` is what a model takes in all, `answer` the most that it gives; None: nobody says.
    `reached`: its server could be asked. `tells_progress`: it can tell how much of a prompt it has read, as
    llama.cpp's does."""

    window: int | None = None
    answer: int | None = None
    reached: bool = True
    tells_progress: bool = False


class KnownLimits:
    """Asks each server once for each model; again, as long as it can't be reached."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client
        self._found: dict[tuple[str, str], asyncio.Task[ModelLimits]] = {}

    async def of(self, about: str, headers: dict[str, str], target: ModelTarget) -> ModelLimits:
        """What the server at `about` (a model's address, or that of a list of models) says, or the list."""
        key = about, target.model
        if key not in self._found:
            self._found[key] = asyncio.create_task(self._find(about, headers, target))
        asked = self._found[key]
        limits = await asyncio.shield(asked)
        if not limits.reached and self._found.get(key) is asked:
            del self._found[key]
        return limits

    async def close(self) -> None:
        """Ask no more."""
        for task in self._found.values():
            task.cancel()
        if self._found:
            await asyncio.wait(self._found.values())

    async def _find(self, about: str, headers: dict[str, str], target: ModelTarget) -> ModelLimits:
        said = await self._by_server(about, headers, target.name)
        own = target.own_url
        if own is not None and said.window is None and said.reached:
            said = await self._loaded(own, headers, target.name)
        if said.window is not None:
            return said
        listed = await asyncio.to_thread(listed_limits, target.for_litellm)
        return msgspec.structs.replace(listed, reached=said.reached)

    async def _loaded(self, base_url: str, headers: dict[str, str], model: str) -> ModelLimits:
        """With which window a server of the user's own has the model in memory: llama.cpp tells it in
        `/props`, LM Studio in its own list of models."""
        root = re.sub(r"/v\d+\w*$", "", urlsplit(base_url).path.rstrip("/"))
        bare = urlsplit(base_url)._replace(path=root, query="").geturl()
        props, listed = await asyncio.gather(
            self._said(endpoint(bare, "/props"), headers),
            self._said(endpoint(bare, "/api/v0/models"), headers),
        )
        generation = mapping(mapping(props).get("default_generation_settings"))
        n_ctx = count(generation.get("n_ctx")) or count(mapping(props).get("n_ctx"))
        if n_ctx:
            return ModelLimits(n_ctx, tells_progress=True)
        entries = mappings(mapping(listed).get("data"))
        entry = next((one for one in entries if one.get("id") == model), {})
        return ModelLimits(_first_count({**entry}, ("loaded_context_length", "max_context_length")))

    async def _said(self, url: str, headers: dict[str, str]) -> Json:
        try:
            return await self._ask(url, headers)
        except httpx.TransportError:
            return None

    async def _ask(self, url: str, headers: dict[str, str]) -> Json:
        """What the server says there, if that is JSON. `httpx.TransportError` if it can't be reached."""
        try:
            answer = await self._client.get(url, headers=headers, timeout=_PATIENCE_S)
            return decoded(answer.content) if answer.is_success else None
        except httpx.TransportError as error:
            log.debug("model.limits_unknown", url=url, reason=str(error)[:200])
            raise
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            log.debug("model.limits_unknown", url=url, reason=str(error)[:200])
            return None

    async def _by_server(self, about: str, headers: dict[str, str], model: str) -> ModelLimits:
        try:
            said = await self._ask(about, headers)
        except httpx.TransportError:
            return ModelLimits(reached=False)
        listed = said.get("data") if isinstance(said, dict) else None
        for entry in listed if isinstance(listed, list) else [said]:
            if isinstance(entry, dict) and entry.get("id") == model:
                return ModelLimits(_first_count(entry, _WINDOW), _first_count(entry, ("max_tokens",)))
        return ModelLimits()


def _first_count(entry: dict[str, Json], names: tuple[str, ...]) -> int | None:
    return next((found for name in names if (found := count(entry.get(name)))), None)


def listed_limits(model: str) -> ModelLimits:
    """Those of a model string; none for one that isn't listed."""
    entry = listed_model(model)
    return ModelLimits() if entry is None else ModelLimits(entry.window, entry.answer)
