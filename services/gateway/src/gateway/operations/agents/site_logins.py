"""The logins on sites that a person kept for an agent: listed and forgotten, never shown."""

from agent_contracts.api.browser import ForgottenLogin, KeptLogin
from agent_contracts.api.wire import Page
from agent_contracts.ids import AgentId
from agent_domain.site_logins.site_logins import SiteLogin, SiteLogins
from gateway.operations.ports import KnownAgents


class LoginsOfAgents:
    """`Rejected(kind="not_found")` where there is no such agent."""

    def __init__(self, kept: SiteLogins, agents: KnownAgents) -> None:
        self._kept = kept
        self._agents = agents

    async def list(self, agent_id: AgentId) -> Page[KeptLogin]:
        """The sites on which the agent's browsers are logged in from the start."""
        await self._agents.require(agent_id)
        return Page[KeptLogin](items=[_shown(one) for one in await self._kept.list(agent_id)])

    async def forget(self, agent_id: AgentId, site: str) -> ForgottenLogin:
        """Forget one: new browsers of the agent don't have it any more. No rewind brings it back."""
        await self._agents.require(agent_id)
        return ForgottenLogin(forgotten=await self._kept.forget(agent_id, site))


def _shown(one: SiteLogin) -> KeptLogin:
    return KeptLogin(site=one.site, kept_at=one.kept_at, session_id=one.session_id, cookies=one.cookies)
