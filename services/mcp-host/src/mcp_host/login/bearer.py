"""The token before each request to a server; a new one where it is over."""

from collections.abc import AsyncGenerator

import httpx2
import msgspec
from mcp.client.auth.utils import extract_field_from_www_auth, extract_scope_from_www_auth

from agent_contracts.errors import Failure
from agent_platform.process.clock import Clock
from mcp_host.connecting.http import Credentials, WayOut
from mcp_host.connecting.server_opener import ServerKey
from mcp_host.login.login_vault import LoginVault
from mcp_host.login.records import McpLogin
from mcp_host.login.token_refresher import TokenRefresher

_BEFORE_S = 10.0
"""A token is made new so long before it ends."""
_UNAUTHORIZED, _FORBIDDEN = 401, 403
_TOKENS = 4
"""Of one connection, so many are known again where the server repeats them."""


class Bearer(Credentials):
    """A person's login. The vault is asked each time: what another host did counts at once."""

    def __init__(  # noqa: PLR0913 — what a login is made of
        self,
        key: ServerKey,
        url: str,
        way: WayOut,
        kept: LoginVault,
        refreshing: TokenRefresher,
        clock: Clock,
    ) -> None:
        self._key = key
        self._url = url
        self._way = way
        self._kept = kept
        self._refreshing = refreshing
        self._clock = clock

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """See httpx2."""
        login = await self._login()
        if login is not None and 0 < login.expires_at < self._clock.now().timestamp() + _BEFORE_S:
            login = await self._new(login)
        self._put(request, login)
        answer = yield request
        if login is not None and answer.status_code == _UNAUTHORIZED:
            login = await self._new(login)
            if login is not None:
                self._put(request, login)
                answer = yield request
        if login is not None and answer.status_code == _FORBIDDEN:
            await self._remember_scope(login, answer)

    async def _login(self) -> McpLogin | None:
        try:
            login, _ = await self._kept.find(self._key, self._url)
        except Failure as failure:
            raise httpx2.TransportError(failure.message) from failure
        usable = login if login is not None and login.access_token else None
        self.issuer = usable.issuer if usable is not None else ""
        return usable

    async def _new(self, used: McpLogin) -> McpLogin | None:
        try:
            login = await self._refreshing.refreshed(self._key, self._way, used)
        except Failure as failure:
            raise httpx2.TransportError(failure.message) from failure
        self.issuer = login.issuer if login is not None else ""
        return login

    async def _remember_scope(self, login: McpLogin, answer: httpx2.Response) -> None:
        """The next login asks for what was missing."""
        if extract_field_from_www_auth(answer, "error") != "insufficient_scope":
            return
        wants = (extract_scope_from_www_auth(answer) or "")[:2000]
        found, revision = await self._kept.find(self._key, self._url)
        if found is not None and found.access_token == login.access_token:
            await self._kept.put(self._key, msgspec.structs.replace(found, wants=wants), revision)

    def _put(self, request: httpx2.Request, login: McpLogin | None) -> None:
        if login is None:
            return
        request.headers["Authorization"] = f"Bearer {login.access_token}"
        if login.access_token not in self.tokens:
            self.tokens = (*self.tokens[1 - _TOKENS :], login.access_token)
