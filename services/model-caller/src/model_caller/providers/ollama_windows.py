"""How many tokens a model of an Ollama takes: by what it was made for, and with how many it is loaded."""

import asyncio
from typing import Any

import httpx
import msgspec
import structlog

from agent_contracts.json_value import Json
from agent_domain.model_addresses import endpoint
from model_caller.providers.json_fields import count, decoded, mapping, mappings, word

_PATIENCE_S = 5.0
_MOST_ASKED_FOR = 40_960
"""Tokens of a window that nobody asked for: one of 131,072 takes more memory than most machines have."""
_MOST_KNOWN = 500

log = structlog.get_logger()


class OllamaWindow(msgspec.Struct, frozen=True):
    """`most` is what the model was made for, `own` the `num_ctx` of its Modelfile, `loaded` the window with
    which it is in memory now; None: not told."""

    most: int | None = None
    own: int | None = None
    loaded: int | None = None

    def wanted(self, said: int | None) -> int | None:
        """The `num_ctx` to ask for; `said` is what a person says. Never more than the model was made for.
        One that is loaded with a larger window than that is left as it is."""
        if said is not None:
            return min(said, self.most or said)
        if self.own is not None:
            return min(self.own, self.most or self.own)
        if self.most is None:
            return None
        return min(self.most, max(_MOST_ASKED_FOR, self.loaded or 0))


class OllamaWindows:
    """Asks each server once for each model, and remembers what it said."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client
        self._known: dict[tuple[str, str], asyncio.Task[OllamaWindow | None]] = {}

    async def of(self, url: str, headers: dict[str, str], model: str) -> OllamaWindow:
        """What the server says; it is asked again where it said nothing."""
        key = url, model
        if key not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = asyncio.create_task(self._ask(url, headers, model))
        found = await asyncio.shield(self._known[key])
        if found is None:
            self._known.pop(key, None)
        return found or OllamaWindow()

    async def close(self) -> None:
        """Ask no more."""
        tasks = [*self._known.values()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _ask(self, url: str, headers: dict[str, str], model: str) -> OllamaWindow | None:
        shown, loaded = await asyncio.gather(
            self._answer("POST", endpoint(url, "/api/show"), headers, {"model": model}),
            self.loaded(url, headers, model),
        )
        if shown is None:
            return None
        told = mapping(shown.get("model_info")).items()
        lengths = (value for name, value in told if name.endswith(".context_length"))
        return OllamaWindow(
            next((found for one in lengths if (found := count(one))), None),
            _own(word(shown.get("parameters"))),
            loaded,
        )

    async def loaded(self, url: str, headers: dict[str, str], model: str) -> int | None:
        """With which window the model is in memory now; None: it isn't, or the server doesn't tell."""
        said = await self._answer("GET", endpoint(url, "/api/ps"), headers, None)
        names = {model, f"{model}:latest"}
        for one in mappings((said or {}).get("models")):
            if names.intersection((one.get("name"), one.get("model"))):
                return count(one.get("context_length")) or None
        return None

    async def _answer(
        self, method: str, url: str, headers: dict[str, str], body: Json
    ) -> dict[str, Any] | None:
        try:
            sent = None if body is None else msgspec.json.encode(body)
            answer = await self._client.request(
                method, url, headers=headers, content=sent, timeout=_PATIENCE_S
            )
            said = decoded(answer.content) if answer.is_success else None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            log.debug("model.window_unknown", url=url, reason=str(error)[:200])
            return None
        return said if isinstance(said, dict) else None


def _own(parameters: str) -> int | None:
    """The `num_ctx` among the lines of a Modelfile's parameters."""
    for line in parameters.splitlines():
        name, _, value = line.strip().partition(" ")
        if name == "num_ctx" and value.strip().isdecimal():
            return count(int(value)) or None
    return None
