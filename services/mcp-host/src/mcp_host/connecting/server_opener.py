"""A server within reach, from what a person wrote: secrets put in, a program started, an address checked."""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import msgspec
from mcp import MCPError
from mcp.client import Transport
from mcp_types import PARSE_ERROR

from agent_contracts.entities.mcp_servers import SERVER_NAME, Http, McpServer, Stdio
from agent_contracts.errors import ErrorKind, Failure, Rejected
from agent_contracts.ids import AgentId
from agent_domain.secrets.vault import Vault
from agent_platform.entities.entities import Entities
from agent_platform.process.cage.launching import CageReport
from egress.redaction import Redaction
from mcp_host import limits
from mcp_host.connecting.connection_notes import ConnectionNotes
from mcp_host.connecting.http import AgentLogins, Credentials, GuardedTransport, WayOut, over_http
from mcp_host.connecting.program import McpServerProcess, McpServerProgram, running
from mcp_host.connecting.secret_filler import SecretFiller
from mcp_host.connecting.stdio import over_pipes
from mcp_host.definitions.paging import NotListed

_SETTLES_S = 0.5
"""How long a program that broke off has to end, so that its code and last words are known."""


_BAD, _UNAUTHORIZED, _FAILS = 400, 401, 500
_OF_LOGIN = "MCP_LOGIN"
"""What stands where a server repeats a login's token."""
_NO_ANSWER = ("Unexpected content type", "Server returned an error response")
"""How the SDK says that what came is no answer of a server."""


class ServerKey(msgspec.Struct, frozen=True):
    """Whose server."""

    agent_id: AgentId
    server: str

    @property
    def can_be(self) -> bool:
        """Whether a server can have such a name."""
        return re.fullmatch(SERVER_NAME, self.server) is not None


class NeedsLogin(Rejected):
    """The server wants to know who asks."""


class NeedsWord(Rejected):
    """A person has to allow something first: `needs` says what."""

    def __init__(self, message: str, needs: Literal["unconfined", "private"]) -> None:
        super().__init__(message, kind=ErrorKind.BLOCKED)
        self.needs: Literal["unconfined", "private"] = needs


class ServerOpener:
    """Opens servers. `data` is the folder that holds Foldline's files; programs get folders below `homes`."""

    def __init__(
        self, entities: Entities, vault: Vault, way: WayOut, logins: AgentLogins, data: Path
    ) -> None:
        self._filling = SecretFiller(entities, vault)
        self._way = way
        self._logins = logins
        self._data = data

    @asynccontextmanager
    async def opened(self, key: ServerKey, server: McpServer) -> AsyncIterator["OpenProgram | OpenAddress"]:
        """The server within reach. `Rejected` says why it can't be."""
        match server.transport:
            case Stdio() as program:
                env, values = await self._filling.filled(key.agent_id, program.env, None)
                folder = self._data / "mcp" / key.agent_id / key.server
                wanted = McpServerProgram(program, env, folder, self._data, server.unconfined)
                async with running(wanted) as started:
                    yield OpenProgram(started, Redaction(values))
            case Http() as address:
                way = self._way.towards(server, address)
                try:
                    await way.check(address.url)
                except Rejected as refused:
                    if server.private or "is private" not in refused.message:
                        raise
                    raise NeedsWord(refused.message, "private") from refused
                headers, values = await self._filling.filled(key.agent_id, address.headers, address.url)
                guarded = GuardedTransport(way, ConnectionNotes(values))
                written = any(name.lower() == "authorization" for name in headers)
                login = (
                    Credentials()  # a person wrote what is sent
                    if written
                    else self._logins.credentials(key.agent_id, key.server, address, way)
                )
                async with over_http(address.url, headers, guarded, login) as transport:
                    yield OpenAddress(transport, guarded, values, login)


class OpenProgram:
    """A program that runs."""

    one_at_a_time = True
    issuer = ""

    def __init__(self, program: McpServerProcess, redaction: Redaction) -> None:
        self.transport: Transport = over_pipes(program)
        self.redaction = redaction
        self._program = program

    async def gone(self) -> None:
        """See `OpenServer`."""
        await self._program.ended()

    async def why(self, error: BaseException | None) -> str:
        """See `OpenServer`."""
        await self._program.wait(_SETTLES_S)
        if self._program.has_ended or self._program.flooded:
            if self._program.cage().missing:
                raise NeedsWord(self._program.why_ended(), "unconfined")
            return self._program.why_ended()
        return self.redaction.excerpt(_words(error))

    def shut(self) -> Failure | None:
        """See `OpenServer`: what runs is of use."""
        return None

    def is_answer(self, error: MCPError) -> bool:
        """See `OpenServer`: nobody else speaks."""
        return True

    def stderr(self) -> str:
        """See `OpenServer`."""
        return self.redaction.excerpt(self._program.stderr())

    @property
    def cage(self) -> CageReport:
        """What holds it."""
        return self._program.cage()


class OpenAddress:
    """An address that may be reached."""

    one_at_a_time = False
    cage = CageReport()

    def __init__(
        self, transport: Transport, guarded: GuardedTransport, values: Mapping[str, str], login: Credentials
    ) -> None:
        self.transport = transport
        self._guarded = guarded
        self._values = values
        self._login = login
        self._known: tuple[str, ...] = ()
        self._redaction = Redaction(values)

    @property
    def redaction(self) -> Redaction:
        """See `OpenServer`: a login's tokens change."""
        if self._login.tokens != self._known:
            self._known = self._login.tokens
            tokens = {f"{_OF_LOGIN}_{number}": one for number, one in enumerate(self._known)}
            self._redaction = Redaction({**self._values, **tokens})
        return self._redaction

    @property
    def issuer(self) -> str:
        """See `OpenServer`."""
        return self._login.issuer

    async def gone(self) -> None:
        """See `OpenServer`."""
        await asyncio.Event().wait()

    async def why(self, error: BaseException | None) -> str:
        """See `OpenServer`. Raises NeedsLogin where that is why."""
        if self._guarded.unauthorized:
            raise _needs_login(self._guarded.unauthorized)
        status = self._guarded.last_status
        said = self._guarded.last_failure or self.redaction.excerpt(_words(error))
        return said if self._guarded.last_failure or status < _BAD else f"{said} (HTTP {status})"

    def shut(self) -> Failure | None:
        """See `OpenServer`."""
        if self._guarded.unauthorized:
            return _needs_login(self._guarded.unauthorized)
        if self._guarded.forgotten:
            message = "the server has forgotten this connection, which is made anew for the next call"
            return Rejected(message, kind=ErrorKind.NOT_AVAILABLE)
        return None

    def is_answer(self, error: MCPError) -> bool:
        """See `OpenServer`: what isn't JSON-RPC, or fails on the way, tells nothing of the call."""
        if error.code == PARSE_ERROR or error.message.startswith(_NO_ANSWER[0]):
            return False
        return error.message != _NO_ANSWER[1] or self._guarded.last_status < _FAILS

    def stderr(self) -> str:
        """See `OpenServer`."""
        return ""


def _needs_login(status: int) -> NeedsLogin:
    said = (
        "the server wants to know who asks: log in first"
        if status == _UNAUTHORIZED
        else "the login allows too little for this: log in again, which asks for more"
    )
    return NeedsLogin(
        f"{said} (`foldline mcp login`, or MCP servers in the Studio)", kind=ErrorKind.NOT_AVAILABLE
    )


def _words(error: BaseException | None) -> str:
    if isinstance(error, NotListed):
        return str(error)
    if isinstance(error, TimeoutError):
        return f"it did not introduce itself within {limits.CONNECT_S:g} seconds"
    return f"it doesn't speak MCP as it should: {str(error)[:500] or type(error).__name__}"
