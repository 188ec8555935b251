"""The window of a call's model before it is asked: by it a small one gets less, and an answer has a limit."""

import asyncio

import msgspec
from cachetools import LRUCache

from model_caller.calls.fitting import window_of
from model_caller.choosing.target import ModelTarget
from model_caller.providers.model_limits import listed_limits
from model_caller.providers.port import Provider
from session_domain.domain.state import SessionState
from session_domain.domain.window import KnownWindow

_REMEMBERED = 1_000


class Windows:
    """Windows as sessions know them; before a session's first call, as servers and the list do. A prompt that
    changed with the second call would be read anew."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._listed: LRUCache[str, int | None] = LRUCache(_REMEMBERED)

    async def of(self, session: SessionState, target: ModelTarget) -> KnownWindow:
        """What is told of the window of this model; without `tokens` where nobody tells."""
        known = window_of(session, target.model, target.context_window)
        if known.told:
            return known
        return msgspec.structs.replace(known, tokens=await self._told(target))

    async def _told(self, target: ModelTarget) -> int | None:
        """By its server where people run it themselves, else by the list."""
        if target.own_url is not None:
            return await self._provider.window(target)
        if target.model not in self._listed:
            self._listed[target.model] = (await asyncio.to_thread(listed_limits, target.for_litellm)).window
        return self._listed[target.model]
