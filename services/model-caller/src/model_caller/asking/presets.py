"""Whether a call's model gets the preset for small ones, and why."""

import asyncio

from cachetools import LRUCache

from model_caller.asking.fitting import window_of
from model_caller.choosing.small_models import name_decides, why_small
from model_caller.choosing.target import Target
from model_caller.providers.model_limits import listed_limits
from model_caller.providers.port import Provider
from session_domain.domain.state import Session

_REMEMBERED = 1_000


class Presets:
    """Decides it before a session's first call: a prompt that changed with the second would be read anew."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._listed: LRUCache[str, int | None] = LRUCache(_REMEMBERED)

    async def why_small(self, session: Session, target: Target, setting: str) -> str | None:
        """As `choosing.small_models.why_small`, by the window that the session or the server knows."""
        if name_decides(target, setting):
            return why_small(target, None, setting)
        known = window_of(session, target.model, target.context_window)
        window = known.tokens if known.told else await self.window(target)
        return why_small(target, window, setting)

    async def window(self, target: Target) -> int | None:
        """How many tokens the model takes, by its server where a person named one, else by the list."""
        if target.context_window is not None:
            return target.context_window
        if target.base_url is not None:
            return await self._provider.window(target)
        if target.model not in self._listed:
            self._listed[target.model] = (await asyncio.to_thread(listed_limits, target.for_litellm)).window
        return self._listed[target.model]
