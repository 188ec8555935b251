"""A person's logins at an agent's servers: begun here or on another host, finished by whichever is asked."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import structlog
from mcp.client.auth import OAuthFlowError, OAuthRegistrationError, OAuthTokenError
from mcp.shared.auth import OAuthClientInformationFull

from agent_contracts.entities.mcp_servers import Http, McpServer
from agent_contracts.entities.secrets import PLACEHOLDER
from agent_contracts.errors import Failure, Rejected, Transient
from agent_contracts.ids import AgentId
from agent_contracts.questions.mcp_logins import BEGUN_S, LONGEST_PARAMETER
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import Clock
from egress.placeholders import KnownSecret
from mcp_host.connecting.http import Credentials, WayOut
from mcp_host.connecting.secret_filler import SecretFiller, require_allowed
from mcp_host.connecting.server_opener import ServerKey
from mcp_host.login.bearer import Bearer
from mcp_host.login.careful_transport import CarefulTransport
from mcp_host.login.flow import AtThePerson, Flow, revoking
from mcp_host.login.login_probe import knock
from mcp_host.login.login_vault import LoginVault
from mcp_host.login.machines import MachineFlow, TokenIssued
from mcp_host.login.records import PendingLogin
from mcp_host.login.token_refresher import TokenRefresher, ask, token_in

log = structlog.get_logger()

FINDS_S = 30.0
"""Seconds in which it has to be known where a person logs in."""
_OVER = "This login is over, was finished already, or was not begun here. Nothing was changed: begin it again"
_FLOW = (OAuthFlowError, OAuthRegistrationError, OAuthTokenError, httpx2.HTTPError, httpx2.StreamError)


class PeoplesLogins:
    """`AgentLogins` by what people did; and how they do it."""

    def __init__(
        self, kept: LoginVault, filling: SecretFiller, leases: Bucket, clock: Clock, me: str
    ) -> None:
        self._kept = kept
        self._filling = filling
        self._clock = clock
        self._refreshing = TokenRefresher(kept, leases, clock, me)

    def credentials(self, agent_id: AgentId, server: str, address: Http, way: WayOut) -> Credentials:
        """See `AgentLogins`."""
        key = ServerKey(agent_id, server)
        return Bearer(key, address.url, way, self._kept, self._refreshing, self._clock)

    async def begin(
        self, key: ServerKey, address: Http, way: WayOut, redirect_uri: str, client_url: str = ""
    ) -> tuple[str, str]:
        """Where the person goes, whole, and the issuer that they log in at; nowhere, where a program is to
        be logged in, which then is. `Rejected` says why that can't be found out."""
        known, _ = await self._kept.find(key, address.url)
        by_hand, secret = await self._by_hand(key.agent_id, address)
        if address.grant == "client_credentials":
            assert by_hand is not None
            if secret is None:
                raise Rejected("A program shows a secret: name one as its client_secret", kind="not_found")
            flow: Flow = MachineFlow(address.url, by_hand, secret)
        else:
            flow = Flow(address.url, redirect_uri, client_url, known, by_hand)
        transport = CarefulTransport(way, address.url)
        try:
            async with asyncio.timeout(FINDS_S), _client(transport, flow) as client:
                await knock(client, transport, address.url)
        except AtThePerson as away:
            login, now = flow.login(), self._clock.now().timestamp()
            if secret is not None:
                require_allowed(secret, login.token_endpoint)
            begun = PendingLogin(
                key.agent_id, key.server, redirect_uri, away.verifier, flow.metadata(), login, now + BEGUN_S
            )
            await self._kept.begin(away.state, begun)
            log.info("login.begun", server=key.server, issuer=login.issuer)
            return away.url, login.issuer
        except TokenIssued as given:
            await self._kept.put(key, given.login.with_tokens(given.token, self._clock.now().timestamp()))
            log.info("login.finished", server=key.server, issuer=given.login.issuer)
            return "", given.login.issuer
        except TimeoutError as error:
            raise _unknown(f"nobody answered within {FINDS_S:g} seconds") from error
        except (*_FLOW, ValueError) as error:
            raise _unknown(_why(error, transport)) from error
        raise _unknown("the server says nothing of a login")

    async def _by_hand(
        self, agent_id: AgentId, address: Http
    ) -> tuple[OAuthClientInformationFull | None, KnownSecret | None]:
        """Who a person registered for logins there, and the secret that goes with it; where they did."""
        if not address.client_id:
            return None, None
        named = PLACEHOLDER.fullmatch(address.client_secret)
        secret = await self._filling.secret(agent_id, named[1]) if named else None
        value = secret.value if secret is not None else None
        return OAuthClientInformationFull(client_id=address.client_id, client_secret=value), secret

    async def begun(self, state: str) -> PendingLogin:
        """What was begun with this state, which counts once. `Rejected` where there is nothing."""
        found = None
        if 0 < len(state) <= LONGEST_PARAMETER:
            found = await self._kept.take(state, self._clock.now().timestamp())
        if found is None:
            raise Rejected(_OVER, kind="not_found")
        return found

    async def finish(
        self, begun: PendingLogin, way: WayOut, code: str, error: str, issuer: str | None
    ) -> None:
        """The person came back. `Rejected` says why they aren't logged in."""
        key = ServerKey(begun.agent_id, begun.server)
        flow = Flow.resumed(begun)
        try:
            flow.check_issuer(issuer)
        except OAuthFlowError as wrong:
            said = "another authorization server answered than was asked, or it doesn't say who it is"
            raise Rejected(f"Nobody was logged in: {said}. Begin again", kind="invalid_request") from wrong
        if error or not code:
            said = error or "it sent no code"
            raise Rejected(
                f"Nobody was logged in: {begun.login.issuer} refused ({said})", kind="invalid_request"
            )
        try:
            request = await flow.exchange(code, begun.verifier)
            token = await ask(way, begun.login.url, request, token_in)
        except (OAuthTokenError, Failure) as failure:
            said = failure.message if isinstance(failure, Failure) else "it knows us in a way that we don't"
            raise Rejected(f"Nobody was logged in: {said}. Begin again", kind="unavailable") from failure
        assert token is not None
        login = begun.login.with_tokens(token, self._clock.now().timestamp())
        await self._kept.put(key, login)
        log.info("login.finished", server=key.server, issuer=login.issuer)

    async def end(self, key: ServerKey, url: str, way: WayOut) -> bool:
        """Forget the login, and ask its issuer to make its tokens worthless; whether there was one."""
        login, _ = await self._kept.find(key, url)
        await self._kept.forget(key)
        if login is None or not login.access_token:
            return False
        if login.revocation_endpoint:
            try:
                await ask(way, url, revoking(login), lambda answer, sent: None)
            except Transient as failure:
                log.info("login.not_revoked", server=key.server, reason=failure.message)
        return True

    async def forget(self, key: ServerKey) -> None:
        """The server is gone."""
        await self._kept.forget(key)


@asynccontextmanager
async def _client(transport: CarefulTransport, flow: Flow) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(transport=transport, auth=flow, trust_env=False) as client:
        yield client


def _unknown(why: str) -> Rejected:
    return Rejected(f"It can't be found out where to log in: {why}", kind="unavailable")


def _why(error: BaseException, sent: CarefulTransport) -> str:
    """In words. What an authorization server answers to a registration is left out: it may hold secrets."""
    if sent.problem:
        return sent.problem
    if isinstance(error, OAuthRegistrationError | OAuthTokenError):
        code = f", {sent.error}" if sent.error else ""
        does = "register us" if isinstance(error, OAuthRegistrationError) else "give a token"
        return f"the authorization server doesn't {does} (HTTP {sent.status}{code})"
    return str(error)[:500] or type(error).__name__


def wanted_address(server: McpServer) -> Http:
    """Its address. `Rejected` for a program: nobody logs in at one."""
    if not isinstance(server.transport, Http):
        raise Rejected("A program has no login: give it a secret in its environment", kind="invalid_request")
    if any(name.lower() == "authorization" for name in server.transport.headers):
        message = "Its header Authorization says who asks: remove that to log in instead"
        raise Rejected(message, kind="invalid_request")
    return server.transport
