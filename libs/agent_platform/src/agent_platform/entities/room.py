"""How much an agent may keep, as those need it who write what it has."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from agent_contracts.ids import AgentId


class HasRoom(Protocol):
    """How much an agent may keep."""

    async def require(self, agent_id: AgentId, more: int) -> None:
        """`Rejected(kind="too_large")` where `more` bytes are too many now."""
        ...

    def growing(self, agent_id: AgentId, more: int) -> AbstractAsyncContextManager[None]:
        """A block that writes so many bytes more (fewer, where it is negative). `Rejected` as `require`."""
        ...
