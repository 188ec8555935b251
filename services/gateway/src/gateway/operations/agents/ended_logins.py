"""Logins at MCP servers that end with their server, or their agent: revoked, then forgotten."""

import asyncio

import structlog

from agent_contracts.errors import Transient
from agent_contracts.ids import AgentId
from agent_contracts.questions.mcp_logins import OF_SERVERS, EndLogin, login_name
from gateway.operations.ports import McpHosts, SecretValueStore

REVOKES_S = 8.0
"""Seconds in which issuers may be asked to revoke tokens: nothing is kept for one that is away."""

log = structlog.get_logger()


class EndedLogins:
    """Ends them, by the hosts, who know where."""

    def __init__(self, hosts: McpHosts, values: SecretValueStore) -> None:
        self._hosts = hosts
        self._values = values

    async def at(self, agent_id: AgentId, server: str) -> None:
        """Nobody is logged in at this server any more. Its issuer is asked to revoke the tokens; if that one
        is away, or all hosts are, this takes `REVOKES_S` and no longer."""
        await self._end(agent_id, login_name(server))

    async def of_agent(self, agent_id: AgentId) -> None:
        """The same for all of an agent's servers, at once."""
        await self._end(agent_id, OF_SERVERS)

    async def _end(self, agent_id: AgentId, begin: str) -> None:
        names = await self._values.names(agent_id, begin)
        try:
            async with asyncio.timeout(REVOKES_S):
                await asyncio.gather(*(self._revoked(agent_id, one) for one in names))
        except TimeoutError:
            log.info("logins.not_revoked", agent=agent_id, logins=names)
        for one in names:
            await self._values.delete(agent_id, one)

    async def _revoked(self, agent_id: AgentId, name: str) -> None:
        server = name.removeprefix(login_name(""))
        try:
            step = await self._hosts.log_in(EndLogin(agent_id, server))
        except Transient as failure:
            log.info("login.not_revoked", server=server, reason=failure.message)
            return
        if step.problem:
            log.info("login.not_revoked", server=server, reason=step.problem)
