"""What the providers share that are asked over plain HTTP."""

from collections.abc import Awaitable, Callable

from agent_contracts.session_events.results import Usage
from model_caller.answers.answer import Assembly
from model_caller.choosing.target import ModelTarget
from model_caller.limits import ModelCallLimits
from model_caller.providers.counting import counted
from model_caller.providers.model_limits import KnownLimits
from model_caller.providers.posts import Posts
from session_domain.model_requests.request import ModelRequest


class OverHttp:
    """All of a `Provider` but how its answers are streamed."""

    def __init__(self, limits: ModelCallLimits) -> None:
        self._limits = limits
        self._posts = Posts(limits)
        self._known = KnownLimits(self._posts.client)

    async def warm_up(self, target: ModelTarget) -> None:
        """Nothing to do."""

    async def close(self) -> None:
        """Close the connections that are kept for the next call."""
        await self._known.close()
        await self._posts.close()

    def _said_window(
        self, about: str, headers: dict[str, str], target: ModelTarget
    ) -> Callable[[], Awaitable[int | None]]:
        """Asks the server for its window, whatever a person says of it; see `KnownLimits.of`."""

        async def window() -> int | None:
            return (await self._known.of(about, headers, target)).window

        return window

    async def count(self, request: ModelRequest, said: Assembly) -> Usage:
        """See `Provider`."""
        return counted(request, said)
