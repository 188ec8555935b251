"""Chat channels, and the people who write by them."""

from typing import Annotated

from fastapi import Path

from agent_contracts.api.chats import AllowChatPartner, ChatChannelState, ChatPartner, RemovedChatPartner
from agent_contracts.api.wire import Page
from agent_contracts.ids import AgentId
from gateway.http.wire.parameters import Using
from gateway.http.wire.resource import resource

router = resource("chats")

_PartnerPath = Annotated[str, Path(pattern="^[0-9a-f]{32}$", description="Id of the person in the chat.")]


@router.get("/chat-channels", operation_id="listChatChannels")
async def list_channels(operations: Using) -> Page[ChatChannelState]:
    """The programs from which people can write to agents, and what is wrong with each."""
    return await operations.chat_partners.channels()


@router.get("/chat-partners", operation_id="listChatPartners")
async def list_partners(operations: Using) -> Page[ChatPartner]:
    """The people who write from there; who waits to be allowed comes first."""
    return await operations.chat_partners.list()


@router.get("/chat-partners/{partner_id}", operation_id="getChatPartner")
async def get_partner(operations: Using, partner_id: _PartnerPath) -> ChatPartner:
    """One of them."""
    return await operations.chat_partners.read(partner_id)


@router.post("/chat-partners/{partner_id}:allow", operation_id="allowChatPartner")
async def allow(operations: Using, partner_id: _PartnerPath, body: AllowChatPartner) -> ChatPartner:
    """Let somebody write to an agent: who was told this code. They can say what you can say there, and allow
    calls once."""
    return await operations.chat_partners.allow(partner_id, body.code, AgentId(body.agent_id))


@router.delete("/chat-partners/{partner_id}", operation_id="removeChatPartner")
async def remove(operations: Using, partner_id: _PartnerPath) -> RemovedChatPartner:
    """Let somebody write no more. Their sessions stay."""
    return await operations.chat_partners.remove(partner_id)
