"""Who may come in: the Host header (DNS rebinding), the token (header or cookie), the Origin (CSRF)."""

import hmac
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from functools import partial
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from urllib.parse import urlsplit

import msgspec
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent_contracts.api.problems import Kind
from agent_contracts.errors import Failure, Rejected
from agent_domain.tokens.programs import PROGRAM_TOKEN, ProgramTokenRegister
from agent_domain.tokens.register import name_in
from agent_domain.wakes.credentials import WAKE_TOKEN, CredentialsRegister
from gateway.door import login_page, told_page
from gateway.door.guesses import Guesses
from gateway.door.incoming_body import IncomingBody
from gateway.door.proxies import LOOPBACK_HOSTS, HidingProxies, RefusedHosts
from gateway.http.wire.problems import ProblemError, from_failure, response
from gateway.http.wire.public_path import root_from
from gateway.http.wire.rights import Program, is_open_to_programs
from gateway.mcp.client import McpClient
from gateway.operations.agents.mcp_logins import CALLBACK_PATH, CLIENT_PATH
from gateway.operations.logins import LoginRegister

PROBES = frozenset({"/healthz", "/readyz"})
"""Answered to anybody, under any Host: orchestrators probe by address."""

LOGIN_PATH = "/login"
_OPEN = frozenset({LOGIN_PATH, CALLBACK_PATH, CLIENT_PATH})
"""Where nobody has shown a token yet."""
WAKE_PATH = "/api/v1/wakes"
INBOX_PATH = "/api/v1/inbox"
_SERVICES_MAY = frozenset({("POST", WAKE_PATH), ("POST", INBOX_PATH)})
"""What other services reach with credentials of their own."""
MCP_PATH = "/mcp"
LIVE_EVENTS_PATH = "/api/v1/events"
_Admitted = Callable[[], Awaitable[bool]]
"""Whether who came in may stay."""
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class Access(msgspec.Struct, frozen=True):
    """The rules of the door. `token` None: anybody who reaches it may enter (loopback only)."""

    token: str | None
    hosts: frozenset[str]

    def accepts_token(self, offered: str) -> bool:
        """Whether this is the token; takes as long for a wrong one as for the right one."""
        return self.token is None or hmac.compare_digest(_utf8(offered), _utf8(self.token))


@dataclass(frozen=True)
class Entrance:
    """The door's rules, who was wrong about the token, and the browsers that are logged in."""

    rules: Access
    guesses: Guesses
    logins: LoginRegister
    wakes: CredentialsRegister
    programs: ProgramTokenRegister

    def offer(self, address: str, token: str) -> bool:
        """Whether this is the token. A `too_many_attempts` problem for a wrong one after too many."""
        right = self.rules.accepts_token(token)
        self.judged(address, token, right=right)
        return right

    def judged(self, address: str, credential: str, *, right: bool) -> None:
        """Count a credential of any kind. A right one passes however many wrong ones came from its address,
        which may be that of a proxy with everybody behind it; a wrong one after too many is a
        `too_many_attempts` problem."""
        if right:
            self.guesses.right(address)
            return
        self.guesses.check(address)
        self.guesses.wrong(address, credential)


def access(token: str | None, host: str, allowed_hosts: Iterable[str]) -> Access:
    """The rules for a server that listens on `host`. `Rejected` for an open door beyond this machine."""
    if token is None and not is_loopback(host):
        raise Rejected(
            f"The token is disabled, so only this machine may connect, but the host is {host!r}: "
            "set FOLDLINE_TOKEN, or FOLDLINE_HOST=127.0.0.1"
        )
    own = {host} if host not in ("0.0.0.0", "::") else set[str]()
    return Access(
        token, frozenset(name.lower().strip("[]") for name in {*LOOPBACK_HOSTS, *own, *allowed_hosts})
    )


def is_loopback(host: str) -> bool:
    """Whether a listening address is reachable from this machine only."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def cookie_name(headers: Headers) -> str:
    """The cookie's name: with the port, since cookies of one host are shared by all its ports."""
    return f"foldline_{_authority(headers.get('host', ''))[1] or 'default'}"


class AuthMiddleware:
    """ASGI middleware: lets a request through, or answers it with a problem (a browser: the login page)."""

    def __init__(self, app: ASGIApp, entrance: Entrance) -> None:
        self._app = app
        self._rules = entrance.rules
        self._entrance = entrance
        self._proxies = HidingProxies()
        self._refused_hosts = RefusedHosts()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request."""
        if scope["type"] == "lifespan" or scope.get("path") in PROBES:
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            raise RuntimeError(f"a connection of type {scope['type']} came in: only HTTP is served")
        headers = Headers(scope=scope)
        admitted: _Admitted | None = None
        scope.setdefault("state", {})
        try:
            self._check_host(headers)
            self._proxies.look(headers, address_of(scope))
            if scope["method"] not in _SAFE_METHODS or scope["path"] == LIVE_EVENTS_PATH:
                _check_origin(headers, headers["host"])
            service = await self._service(scope, headers)
            if scope["path"] == MCP_PATH:
                scope["state"]["mcp_client"] = await self._mcp_client(headers, address_of(scope))
            elif service is not None:
                scope["state"]["wake_source"] = service
            elif (program := await self._program(headers, scope)) is not None:
                scope["state"]["program"] = program
                admitted = self._still_has_token(headers)
            elif scope["path"] not in _OPEN:
                admitted = await self._admit(headers, address_of(scope))
        except (Failure, ProblemError) as error:
            await IncomingBody(headers, receive).drain()
            problem = from_failure(error) if isinstance(error, Failure) else error
            await _refusal(scope, headers, problem)(scope, receive, send)
            return
        if admitted is not None and scope["path"] == LIVE_EVENTS_PATH:
            send = _while_admitted(admitted, send)
        await self._app(scope, receive, send)

    def _check_host(self, headers: Headers) -> None:
        hosts = headers.getlist("host")
        if len(hosts) == 1 and _authority(hosts[0])[0] in self._rules.hosts:
            return
        self._refused_hosts.tell(", ".join(hosts))
        raise ProblemError(
            Kind.FORBIDDEN_HOST,
            "This host name is not served here; to allow it, add it to FOLDLINE_ALLOWED_HOSTS",
        )

    async def _service(self, scope: Scope, headers: Headers) -> str | None:
        """The name of the wake credentials with which another service comes to wake somebody. They count
        there and nowhere else. A problem for wrong ones."""
        token = _bearer(headers)
        asked = (scope["method"], scope["path"])
        if name_in(WAKE_TOKEN, token) is None or asked not in _SERVICES_MAY:
            return None
        found = await self._entrance.wakes.of_token(token)
        self._entrance.judged(address_of(scope), token, right=found is not None)
        if found is None:
            raise ProblemError(Kind.UNAUTHORIZED, "These wake credentials are wrong, or were revoked")
        return found[0]

    async def _mcp_client(self, headers: Headers, address: str) -> McpClient:
        """Who comes to use an agent by MCP. Only a program's token counts there; also where the gateway asks
        for no token."""
        token = _bearer(headers)
        found = await self._entrance.programs.of_token(token)
        if token:
            self._entrance.judged(address, token, right=found is not None)
        if found is None:
            raise ProblemError(
                Kind.UNAUTHORIZED,
                "An MCP client needs a program token, as `Authorization: Bearer …`: "
                "make one with `foldline program-tokens create NAME`",
            )
        name, allowed = found
        if allowed.agent_id is None:
            raise ProblemError(
                Kind.NOT_PERMITTED,
                f"The token of {name} is for any agent, and an MCP client uses one: make another with "
                "`foldline program-tokens create NAME --agent AGENT`",
            )
        return McpClient(name, allowed.agent_id, allowed.rights)

    async def _program(self, headers: Headers, scope: Scope) -> Program | None:
        """The program that comes with a token of its own; None: none of that form was sent. Its rights are
        looked at where the route is known. A problem for a wrong one, and where nothing is for programs."""
        token = _bearer(headers)
        if name_in(PROGRAM_TOKEN, token) is None:
            return None
        if self._rules.token is not None and self._rules.accepts_token(token):
            return None
        found = await self._entrance.programs.of_token(token)
        self._entrance.judged(address_of(scope), token, right=found is not None)
        if found is None:
            raise ProblemError(Kind.UNAUTHORIZED, "This program's token is wrong, or was revoked")
        if not is_open_to_programs(scope["path"]):
            raise ProblemError(Kind.NOT_PERMITTED, f"The token of {found[0]} opens the API alone")
        return Program(found[0], found[1].agent_id, found[1].rights)

    def _still_has_token(self, headers: Headers) -> _Admitted:
        async def admitted() -> bool:
            return await self._entrance.programs.of_token(_bearer(headers)) is not None

        return admitted

    async def _admit(self, headers: Headers, address: str) -> _Admitted | None:
        """Whether the login by which somebody comes in lasts; None: it is the token. A problem for everybody
        else."""
        if self._rules.token is None:
            return None
        offered = _bearer(headers)
        if offered:
            if self._entrance.offer(address, offered):
                return None
        else:
            secrets = _cookies(headers, cookie_name(headers))
            for secret in secrets:
                if await self._entrance.logins.admits(secret):
                    return partial(self._entrance.logins.admits, secret)
            for secret in secrets:
                self._entrance.judged(address, secret, right=False)
        raise ProblemError(
            Kind.UNAUTHORIZED,
            "Send the token as a bearer token, in the header Authorization, or open the link that "
            "`foldline up` prints",
        )


def _while_admitted(admitted: _Admitted, send: Send) -> Send:
    """Ends a stream whose login or token ended: at its next piece, which is a heartbeat at the latest."""

    async def guarded(message: Message) -> None:
        if message.get("more_body") and not await admitted():
            raise ConnectionAbortedError("the login was ended, or the token revoked")
        await send(message)

    return guarded


def _bearer(headers: Headers) -> str:
    """The bearer token; empty if none was sent."""
    scheme, _, offered = headers.get("authorization", "").partition(" ")
    return offered.strip() if scheme.lower() == "bearer" else ""


def address_of(scope: Scope) -> str:
    """Where a request comes from; empty if the server doesn't say."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def _check_origin(headers: Headers, host: str) -> None:
    """A browser names the page's origin on every unsafe request and every foreign one; programs send none."""
    origin = headers.get("origin")
    if origin is None:
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            raise ProblemError(Kind.FORBIDDEN_ORIGIN, "Requests from pages of other sites are refused")
        return
    parts = urlsplit(origin) if origin.isascii() else urlsplit("")
    if parts.scheme not in ("http", "https") or _authority(parts.netloc) != _authority(host):
        raise ProblemError(Kind.FORBIDDEN_ORIGIN, "Requests from pages of other origins are refused")


def _authority(host: str) -> tuple[str, str]:
    """Host name (lower case, no brackets) and port of a Host header; two empty strings if it is malformed."""
    name, bracket, rest = host.lower().partition("]")
    if bracket:
        return (name[1:], rest.removeprefix(":")) if name.startswith("[") else ("", "")
    name, _, port = host.lower().partition(":")
    return (name, port) if not port or port.isdecimal() else ("", "")


def _cookies(headers: Headers, name: str) -> list[str]:
    found = []
    for line in headers.getlist("cookie"):
        for part in line.split(";"):
            try:
                jar = SimpleCookie(part.strip())
            except CookieError:
                continue
            found += [morsel.value for key, morsel in jar.items() if key == name]
    return found


def _refusal(scope: Scope, headers: Headers, problem: ProblemError) -> Response:
    """A page for a person who opens one, which may be that to log in; the problem for programs."""
    opened = scope["method"] == "GET" and not scope["path"].startswith("/api/")
    if not opened or "text/html" not in headers.get("accept", ""):
        return response(problem)
    if problem.kind in (Kind.UNAUTHORIZED, Kind.TOO_MANY_ATTEMPTS):
        return login_page.response(root_from(scope), wrong_token=False)
    return told_page.of_problem(problem)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
