"""How many tokens a model takes and gives: as its server says, or as litellm's list has it."""

import asyncio
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import msgspec
import structlog

from agent_contracts.json_value import Json

log = structlog.get_logger()

_LIST = "model_prices_and_context_window_backup.json"
_WINDOW = ("max_input_tokens", "context_length", "max_model_len", "context_window", "max_context_length")
"""What servers call it: Anthropic, then in lists of models OpenRouter, vLLM, Groq, LM Studio."""
_PATIENCE_S = 2.0


class ModelLimits(msgspec.Struct, frozen=True):
    """Tokens: `window` is what a model takes in all, `answer` the most that it gives; None: nobody says."""

    window: int | None = None
    answer: int | None = None


class KnownLimits:
    """Asks each server once for each model."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client
        self._found: dict[tuple[str, str], asyncio.Task[ModelLimits]] = {}

    async def of(self, about: str, headers: dict[str, str], model: str) -> ModelLimits:
        """What the server at `about` (a model's address, or that of a list of models) says, or the list."""
        if (about, model) not in self._found:
            self._found[about, model] = asyncio.create_task(self._find(about, headers, model))
        return await asyncio.shield(self._found[about, model])

    async def close(self) -> None:
        """Ask no more."""
        for task in self._found.values():
            task.cancel()
        if self._found:
            await asyncio.wait(self._found.values())

    async def _find(self, about: str, headers: dict[str, str], model: str) -> ModelLimits:
        said = await self._by_server(about, headers, model)
        if said.window is not None:
            return said
        return await asyncio.to_thread(listed_limits, model)

    async def _by_server(self, about: str, headers: dict[str, str], model: str) -> ModelLimits:
        try:
            answer = await self._client.get(about, headers=headers, timeout=_PATIENCE_S)
            said: Json = msgspec.json.decode(answer.content) if answer.is_success else None
        except (httpx.HTTPError, msgspec.MsgspecError, RecursionError, ValueError) as error:
            log.debug("model.limits_unknown", url=about, reason=str(error)[:200])
            return ModelLimits()
        listed = said.get("data") if isinstance(said, dict) else None
        for entry in listed if isinstance(listed, list) else [said]:
            if isinstance(entry, dict) and entry.get("id") == model:
                return ModelLimits(_first_count(entry, _WINDOW), _first_count(entry, ("max_tokens",)))
        return ModelLimits()


def _first_count(entry: dict[str, Json], names: tuple[str, ...]) -> int | None:
    counts = (entry.get(name) for name in names)
    return next((count for count in counts if isinstance(count, int) and count > 0), None)


def listed_limits(model: str) -> ModelLimits:
    """Those of one of OpenAI's or Anthropic's own models; none for one that litellm's list doesn't have."""
    return _listed().get(model, ModelLimits())


@cache
def _listed() -> dict[str, ModelLimits]:
    """litellm's list is read as a file: to import litellm takes seconds."""
    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        return {}
    entries: dict[str, Any] = msgspec.json.decode((Path(spec.origin).parent / _LIST).read_bytes())
    return {
        name: ModelLimits(entry["max_input_tokens"], _first_count(entry, ("max_output_tokens",)))
        for name, entry in entries.items()
        if entry.get("litellm_provider") in ("openai", "anthropic")
        and isinstance(entry.get("max_input_tokens"), int)
    }
