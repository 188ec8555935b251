"""How many tokens a model takes: as the user says, as its server says, or as litellm's list has it."""

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
_NAMES = ("context_length", "max_model_len", "context_window", "max_context_length")
"""What servers call it in their list of models: OpenRouter, vLLM, Groq, LM Studio."""
_PATIENCE_S = 2.0


class ContextWindows:
    """Asks each server once. `client` is for its list of models."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client
        self._found: dict[tuple[str, str], asyncio.Task[int | None]] = {}

    async def of(self, url: str, headers: dict[str, str], model: str) -> int | None:
        """The model's window in tokens, if its server or the list names one."""
        if (url, model) not in self._found:
            self._found[url, model] = asyncio.create_task(self._find(url, headers, model))
        return await asyncio.shield(self._found[url, model])

    async def close(self) -> None:
        """Ask no more."""
        for task in self._found.values():
            task.cancel()
        if self._found:
            await asyncio.wait(self._found.values())

    async def _find(self, url: str, headers: dict[str, str], model: str) -> int | None:
        return await self._by_server(url, headers, model) or await asyncio.to_thread(listed_window, model)

    async def _by_server(self, url: str, headers: dict[str, str], model: str) -> int | None:
        try:
            answer = await self._client.get(f"{url}/models", headers=headers, timeout=_PATIENCE_S)
            models = msgspec.json.decode(answer.content, type=_Models).data if answer.is_success else []
        except (httpx.HTTPError, msgspec.MsgspecError) as error:
            log.debug("model.no_list", url=url, reason=str(error)[:200])
            return None
        ours = next((entry for entry in models if entry.get("id") == model), {})
        windows = (ours.get(name) for name in _NAMES)
        return next((window for window in windows if isinstance(window, int) and window > 0), None)


class _Models(msgspec.Struct, frozen=True):
    data: list[dict[str, Json]] = []


def listed_window(model: str) -> int | None:
    """The window of one of OpenAI's own models; None for one that litellm's list doesn't have."""
    return _listed().get(model)


@cache
def _listed() -> dict[str, int]:
    """litellm's list is read as a file: to import litellm takes seconds."""
    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        return {}
    entries: dict[str, Any] = msgspec.json.decode((Path(spec.origin).parent / _LIST).read_bytes())
    return {
        name: entry["max_input_tokens"]
        for name, entry in entries.items()
        if entry.get("litellm_provider") == "openai" and isinstance(entry.get("max_input_tokens"), int)
    }
