"""New tokens for old ones: one process at a time asks for them, and all others get what it got.

An authorization server that gives a new refresh token each time takes a second use of the old one for a
theft, and ends the login. So whoever asks holds a lease, and looks again first.
"""

import asyncio
from collections.abc import Callable

import httpx2
import structlog
from mcp.shared.auth import OAuthToken
from pydantic import ValidationError

from agent_contracts.errors import Conflict, ErrorKind, Rejected, Transient
from agent_contracts.log.lease_keys import mcp_refresh_key
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import Clock
from mcp_host.connecting.http import WayOut
from mcp_host.connecting.server_opener import ServerKey
from mcp_host.login.careful_transport import TIMEOUT_S, CarefulTransport
from mcp_host.login.flow import refreshing
from mcp_host.login.login_vault import LoginVault
from mcp_host.login.machines import showing
from mcp_host.login.records import McpLogin

log = structlog.get_logger()

_LEASE_S = TIMEOUT_S + 2
"""A host that died while it asked has the lease for so long."""
_WAITS_S = 2 * _LEASE_S
_LOOKS_EACH_S = 0.1
_REFUSED = range(400, 500)
_LATER = (408, 429)


class TokenRefresher:
    """Gets new tokens. `leases` is the bucket of leases, `me` the name of this process."""

    def __init__(self, kept: LoginVault, leases: Bucket, clock: Clock, me: str) -> None:
        self._kept = kept
        self._leases = leases
        self._clock = clock
        self._me = me

    async def refreshed(self, key: ServerKey, way: WayOut, used: McpLogin) -> McpLogin | None:
        """A login with another token than was `used`; None where a person has to log in again. `Transient`
        where that can't be known now."""
        lease = mcp_refresh_key(key.agent_id, key.server)
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _WAITS_S
        while True:
            login, _ = await self._kept.find(key, used.url)
            if login is None or not login.access_token:
                return None
            if login.access_token != used.access_token:
                return login
            if not login.refresh_token and not login.by_program:
                await self._ended(key, used)
                return None
            try:
                held = await self._leases.put(lease, self._me.encode(), expect=0, ttl_s=_LEASE_S)
            except Conflict:
                if loop.time() > deadline:
                    said = "another host gets a new token for this server, and doesn't get it"
                    raise Transient(said, kind=ErrorKind.UPSTREAM) from None
                await asyncio.sleep(_LOOKS_EACH_S)
                continue
            try:
                await self._refresh(key, way, used)
            finally:
                await self._give_back(lease, held)

    async def _refresh(self, key: ServerKey, way: WayOut, used: McpLogin) -> None:
        """Ask, and keep what came; under the lease."""
        login, revision = await self._kept.find(key, used.url)
        if login is None or login.access_token != used.access_token:
            return  # somebody was quicker, or the person logged out
        request = showing(login) if login.by_program else refreshing(login)
        token = await ask(way, login.url, request, _new_token)
        if token is None:
            log.info("login.ended", server=key.server, issuer=login.issuer)
        now = self._clock.now().timestamp()
        fresh = login.without_tokens() if token is None else login.with_tokens(token, now)
        if not await self._kept.put(key, fresh, revision):
            log.info("login.changed_meanwhile", server=key.server)

    async def _ended(self, key: ServerKey, used: McpLogin) -> None:
        """A token that is worth nothing, and can't be made new."""
        login, revision = await self._kept.find(key, used.url)
        if login is not None and login.access_token == used.access_token:
            await self._kept.put(key, login.without_tokens(), revision)

    async def _give_back(self, lease: str, held: int) -> None:
        try:
            await self._leases.delete(lease, expect=held, ttl_s=60)
        except Conflict:
            log.info("refresh.lease_was_over", lease=lease)


async def ask(
    way: WayOut,
    server: str,
    request: httpx2.Request,
    read: Callable[[httpx2.Response, CarefulTransport], OAuthToken | None],
) -> OAuthToken | None:
    """What the authorization server answers, as `read` reads it. `Transient` where it doesn't answer."""
    transport = CarefulTransport(way, server)
    async with httpx2.AsyncClient(transport=transport, timeout=TIMEOUT_S, trust_env=False) as client:
        try:
            async with asyncio.timeout(TIMEOUT_S):
                answer = await client.send(request)
        except (httpx2.HTTPError, httpx2.StreamError, TimeoutError) as error:
            said = transport.problem or f"{request.url.host} didn't answer within {TIMEOUT_S:g} seconds"
            raise Transient(f"no token was given: {said}", kind=ErrorKind.UPSTREAM) from error
        return read(answer, transport)


def _new_token(answer: httpx2.Response, sent: CarefulTransport) -> OAuthToken | None:
    """None where the login is over."""
    if answer.status_code in _REFUSED and answer.status_code not in _LATER:
        return None
    return token_in(answer, sent)


def token_in(answer: httpx2.Response, sent: CarefulTransport) -> OAuthToken:
    """The tokens. `Transient`, which repeats nothing but a code, where there are none."""
    if answer.status_code not in (200, 201):
        said = f"HTTP {answer.status_code}" + (f", {sent.error}" if sent.error else "")
        raise Transient(f"the authorization server gave no token ({said})", kind=ErrorKind.UPSTREAM)
    try:
        return OAuthToken.model_validate_json(answer.content)
    except ValidationError:
        message = "the authorization server's answer holds no token that can be used"
        raise Rejected(message, kind=ErrorKind.UPSTREAM) from None
