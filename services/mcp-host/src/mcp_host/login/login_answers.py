"""What people ask of their logins, by way of the gateway."""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec
import structlog

from agent_contracts.errors import Failure, Rejected
from agent_contracts.questions.mcp_logins import BeginLogin, EndLogin, FinishLogin, LoginQuestion, LoginStep
from mcp_host.connecting.connections import Connections
from mcp_host.connecting.http import WayOut
from mcp_host.connecting.server_opener import ServerKey
from mcp_host.login.logins import PeoplesLogins, wanted_address

log = structlog.get_logger()

FAILED = msgspec.json.encode(LoginStep(problem="the host failed; its log says why", kind="internal"))
STOPPED = msgspec.json.encode(
    LoginStep(problem="the host was stopped meanwhile: look whether you are logged in", kind="unavailable")
)


class LoginAnswers:
    """Begins, finishes and ends logins. `test` connects with a server anew, wherever it is held."""

    def __init__(
        self,
        logins: PeoplesLogins,
        connections: Connections,
        way: WayOut,
        test: Callable[[ServerKey], Awaitable[bytes]],
    ) -> None:
        self._logins = logins
        self._connections = connections
        self._way = way
        self._test = test
        self._in_hand: set[asyncio.Task[None]] = set()

    async def answer(self, question: bytes) -> bytes:
        """A `LoginStep` for a `LoginQuestion`, both as JSON."""
        try:
            asked = msgspec.json.decode(question, type=LoginQuestion)
        except msgspec.DecodeError as error:
            raise Rejected(f"not a question about a login: {error}") from error
        try:
            step = await self._step(asked)
        except Failure as failure:
            step = LoginStep(problem=failure.message, kind=failure.kind)
        return msgspec.json.encode(step)

    async def _step(self, asked: LoginQuestion) -> LoginStep:
        match asked:
            case BeginLogin():
                key = ServerKey(asked.agent_id, asked.server)
                server = await self._connections.server(key)
                address = wanted_address(server)
                way = self._way.towards(server, address)
                url, issuer = await self._logins.begin(
                    key, address, way, asked.redirect_uri, asked.client_url
                )
                if not url:
                    self._connect(key)
                return LoginStep(key.agent_id, key.server, url, issuer)
            case FinishLogin():
                return await self._finished(asked)
            case EndLogin():
                key = ServerKey(asked.agent_id, asked.server)
                server = await self._connections.server(key)
                address = wanted_address(server)
                await self._logins.end(key, address.url, self._way.towards(server, address))
                self._connect(key)
                return LoginStep(key.agent_id, key.server)

    async def _finished(self, asked: FinishLogin) -> LoginStep:
        begun = await self._logins.begun(asked.state)
        key = ServerKey(begun.agent_id, begun.server)
        server = await self._connections.server(key)
        address = wanted_address(server)
        if address.url != begun.login.url:
            message = "Nobody was logged in: the server has another address by now. Begin again"
            raise Rejected(message, kind="conflict")
        way = self._way.towards(server, address)
        await self._logins.finish(begun, way, asked.code, asked.error, asked.issuer)
        self._connect(key)
        return LoginStep(key.agent_id, key.server, issuer=begun.login.issuer)

    def _connect(self, key: ServerKey) -> None:
        """Anew, and nobody waits for it."""

        async def connect() -> None:
            try:
                await self._test(key)
            except Failure as failure:
                log.info("server.not_reconnected", server=key.server, reason=failure.message)

        task = asyncio.create_task(connect())
        self._in_hand.add(task)
        task.add_done_callback(self._in_hand.discard)
