"""People who write to an agent from another program: seen, allowed, removed."""

from agent_contracts.api.chats import ChatChannelState, ChatPartner, RemovedChatPartner
from agent_contracts.api.wire import Page
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_domain.chats.book import ChatBook
from gateway.operations.ports import KnownAgents


class ChatPartners:
    """Lets people write, and no longer."""

    def __init__(self, book: ChatBook, agents: KnownAgents) -> None:
        self._book = book
        self._agents = agents

    async def list(self) -> Page[ChatPartner]:
        """Everybody; who waits for a yes comes first."""
        return Page[ChatPartner](items=list(await self._book.partners()))

    async def read(self, partner_id: str) -> ChatPartner:
        """One of them. `Rejected(kind="not_found")` if there is nobody of this id."""
        found = next((one for one in await self._book.partners() if one.id == partner_id), None)
        if found is None:
            raise Rejected("Nobody of this id writes, or waits to be allowed", kind="not_found")
        return found

    async def allow(self, partner_id: str, code: str, agent_id: AgentId) -> ChatPartner:
        """Let somebody write to an agent. `Rejected(kind="not_found")`: no such agent, or not their code."""
        await self._agents.require(agent_id)
        return await self._book.allow(await self.read(partner_id), code, agent_id)

    async def remove(self, partner_id: str) -> RemovedChatPartner:
        """Let somebody write no more, from their next message on."""
        await self._book.remove(await self.read(partner_id))
        return RemovedChatPartner(id=partner_id)

    async def channels(self) -> Page[ChatChannelState]:
        """The channels, and what is wrong with each."""
        return Page[ChatChannelState](items=list(await self._book.channels()))
