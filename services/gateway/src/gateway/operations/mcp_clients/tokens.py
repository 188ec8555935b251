"""Tokens of MCP clients: made, listed, revoked. A token is shown once; its hash is kept."""

import secrets
from collections.abc import Sequence

from agent_contracts.api.mcp_clients import AllowedMcpClient, MadeMcpToken, McpScope, RevokedMcpToken
from agent_contracts.api.wire import Page
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_domain.mcp_clients.tokens import MCP_TOKEN, McpToken, McpTokenRegister
from agent_domain.tokens.register import hash_of, token_of
from agent_platform.process.clock import Clock, rfc3339
from gateway.operations.ports import KnownAgents

MOST_TOKENS = 200
_SECRET_BYTES = 32


class TokensOfMcpClients:
    """Lets programs use an agent by MCP, and no longer."""

    def __init__(self, register: McpTokenRegister, agents: KnownAgents, clock: Clock) -> None:
        self._register = register
        self._agents = agents
        self._clock = clock

    async def list(self, agent_id: AgentId | None = None) -> Page[AllowedMcpClient]:
        """Every one; of one agent, or of all."""
        found = (await self._register.all()).items()
        return Page[AllowedMcpClient](
            items=[_shown(name, one) for name, one in found if agent_id in (None, one.agent_id)]
        )

    async def create(self, name: str, agent_id: AgentId, scopes: Sequence[McpScope]) -> MadeMcpToken:
        """Make one. `Rejected`: `conflict` (the name is taken), `not_found` (no such agent)."""
        await self._agents.require(agent_id)
        if not scopes:
            raise Rejected("Say what the token is for: a token without a scope opens nothing", path="/scopes")
        if len(await self._register.all()) >= MOST_TOKENS:
            raise Rejected(f"There are {MOST_TOKENS} MCP tokens already: revoke one first", kind="too_large")
        token = token_of(MCP_TOKEN, name, secrets.token_urlsafe(_SECRET_BYTES))
        made = McpToken(rfc3339(self._clock.now()), hash_of(token), agent_id, tuple(sorted(set(scopes))))
        await self._register.add(name, made)
        return MadeMcpToken(client=_shown(name, made), token=token)

    async def revoke(self, name: str) -> RevokedMcpToken:
        """End one. `Rejected(kind="not_found")` if there is none of this name."""
        await self._register.revoke(name)
        return RevokedMcpToken(name=name)


def _shown(name: str, one: McpToken) -> AllowedMcpClient:
    return AllowedMcpClient(
        name=name, created_at=one.created_at, agent_id=one.agent_id, scopes=list(one.scopes)
    )
