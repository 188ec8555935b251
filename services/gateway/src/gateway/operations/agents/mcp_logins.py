"""Logins of people at foreign servers: a host finds out where, the person goes there and comes back here."""

from agent_contracts.api.mcp import McpLoginBegun, McpLoginEnded
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_contracts.questions.mcp_logins import (
    LONGEST_PARAMETER,
    BeginLogin,
    EndLogin,
    FinishLogin,
    LoginStep,
)
from gateway.operations.agents.mcp_servers import McpServers
from gateway.operations.ports import McpHosts

CALLBACK_PATH = "/mcp-login/callback"
CLIENT_PATH = "/mcp-login/client.json"


class McpLogins:
    """`public_url` is where others find this gateway, if they do."""

    def __init__(self, servers: McpServers, hosts: McpHosts, public_url: str | None) -> None:
        self._servers = servers
        self._hosts = hosts
        self._public_url = (public_url or "").rstrip("/")

    async def begin(self, agent_id: AgentId, name: str, here: str) -> McpLoginBegun:
        """Find out where. The person comes back to this gateway as they see it, which is `here`, or to its
        public address. `Rejected` says why there is no login."""
        await self._servers.kept(agent_id, name)
        back = f"{self._public_url or here}{CALLBACK_PATH}"
        client = f"{self._public_url}{CLIENT_PATH}" if self._public_url.startswith("https://") else ""
        step = _done(await self._hosts.log_in(BeginLogin(agent_id, name, back, client)))
        return McpLoginBegun(url=step.url, issuer=step.issuer)

    async def finish(self, state: str, code: str, error: str, issuer: str | None) -> str:
        """The person came back; which server it is. `Rejected` says why they aren't logged in, with
        `not_found` where nobody began."""
        if any(len(one) > LONGEST_PARAMETER for one in (state, code, error, issuer or "")):
            raise Rejected("What came back is too long: nobody was logged in", kind="invalid_request")
        return _done(await self._hosts.log_in(FinishLogin(state, code, error[:100], issuer))).server

    async def end(self, agent_id: AgentId, name: str) -> McpLoginEnded:
        """Log out."""
        await self._servers.kept(agent_id, name)
        _done(await self._hosts.log_in(EndLogin(agent_id, name)))
        return McpLoginEnded(name=name)

    def client(self) -> dict[str, object] | None:
        """Who we are, for authorization servers that look it up (Client ID Metadata Documents); None where
        nobody could."""
        if not self._public_url.startswith("https://"):
            return None
        return {
            "client_id": f"{self._public_url}{CLIENT_PATH}",
            "client_name": "Foldline",
            "client_uri": self._public_url,
            "redirect_uris": [f"{self._public_url}{CALLBACK_PATH}"],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        }


def _done(step: LoginStep) -> LoginStep:
    if step.problem:
        raise Rejected(step.problem, kind=step.kind)
    return step
