"""One connection with one server: introduced, its tools listed, calls made, until it ends."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any, TypeVar

import mcp_types as types
import structlog
from mcp import Client, MCPError
from mcp.client import ClientExtension
from mcp.client.session import IncomingMessage

from agent_contracts.entities.mcp_tools import McpTools
from agent_contracts.errors import ErrorKind, Failure, Rejected
from agent_platform.process.cage.launching import CageReport
from agent_platform.secrecy.failure_text import bug_text
from egress.redaction import Redaction
from mcp_host import limits
from mcp_host.connecting.background import beside
from mcp_host.connecting.complete import completing
from mcp_host.connecting.failing import KINDS, no_answer, root, unusable_answer
from mcp_host.connecting.listed_tools import ListedTools
from mcp_host.connecting.open_server import Open, OpenServer
from mcp_host.connecting.turns import CallTurns
from mcp_host.connecting.under_way import CURRENT, UnderWay
from mcp_host.definitions.paging import NotListed

log = structlog.get_logger()

T = TypeVar("T")
_LONGEST = 2_000
_NOTHING = Redaction({})
_SETTLES_S = 1.5
"""How long it may take until it is known that a server is gone."""
_LOST = (types.CONNECTION_CLOSED, types.REQUEST_TIMEOUT)


async def _as_it_came(name: str, result: types.CallToolResult) -> None:
    """Stands for the SDK's check, which throws the whole result away: `calling.structured` notes it."""


class McpConnection:
    """Connected from `run`'s start until it returns. `listed` is told each time what the server lists.

    A call that was sent, and of which no answer came, has an unknown outcome.
    """

    def __init__(
        self,
        open_: Open,
        listed: Callable[[McpTools], Awaitable[None]],
        info: types.Implementation,
        extensions: Sequence[ClientExtension] = (),
        *,
        samples: bool = False,
    ) -> None:
        """`samples`: the server is told that it may have models asked."""
        self._extensions = extensions
        self.samples = samples
        self._open = open_
        self._info = info
        self._client: Client | None = None
        self._opened: OpenServer | None = None
        self._ready = asyncio.Event()
        self._ended = asyncio.Event()
        self._turns = CallTurns()
        self._listed = ListedTools(listed, self._ended, lambda: self.redaction)
        self.cage = CageReport()
        self.failure = ""
        self.cause: Failure | None = None
        self.stderr = ""
        self.used_at = time.monotonic()
        self.in_hand = 0

    @property
    def is_open(self) -> bool:
        """Whether it can be used."""
        return self._client is not None and not self._ended.is_set()

    @property
    def tools(self) -> McpTools:
        """What the server lists."""
        return self._listed.tools

    @property
    def redaction(self) -> Redaction:
        """See `OpenServer`, of what was opened last."""
        return self._opened.redaction if self._opened is not None else _NOTHING

    @property
    def login(self) -> str:
        """The issuer at which a person logged in for it; empty where nobody did."""
        return self._opened.issuer if self._opened is not None else ""

    @property
    def protocol(self) -> str:
        """The version that is spoken."""
        return self._client.protocol_version if self._client is not None else ""

    @property
    def capabilities(self) -> types.ServerCapabilities | None:
        """What the server says that it can do."""
        return self._client.server_capabilities if self._client is not None else None

    async def run(self) -> None:
        """Connect, and stay so until `close`, or until the server is gone. Never raises for what a server
        does: `failure` says it."""
        try:
            async with AsyncExitStack() as stack:
                opened = await stack.enter_async_context(self._open())
                self._opened = opened
                self._turns.one_at_a_time = opened.one_at_a_time
                try:
                    await self._connected(opened)
                except Exception as error:
                    self.failure = await opened.why(root(error))
                finally:
                    self.stderr, self.cage = opened.stderr(), opened.cage
        except Failure as failure:
            self.failure, self.cause = failure.message, failure
        except OSError as error:
            self.failure = f"it can't be started: {error.strerror or error}"
        except Exception as error:  # a bug: whoever waits for the connection is told, and it is tried again
            log.exception("server.bug")
            self.failure = self.failure or bug_text(error)
        finally:
            self._client = None
            self._ended.set()
            self._ready.set()

    async def ready(self) -> None:
        """Until it is connected and has listed its tools, or has failed."""
        await self._ready.wait()

    def close(self) -> None:
        """It is wanted no more."""
        self._ended.set()

    async def up_to_date(self) -> None:
        """See `ListedTools`."""
        await self._listed.up_to_date()

    def list_again(self) -> None:
        """The tools may be others now: they are listed anew, soon."""
        self._listed.again()

    async def relisted(self) -> None:
        """List the tools now. Raises as `call` does of what doesn't act."""
        await self.call(self._listed.now, limits.LIST_S + 2 * limits.APP_S, acts=False)

    def output_schema(self, tool: str) -> dict[str, Any] | None:
        """See `ListedTools`."""
        return self._listed.output_schema(tool)

    async def call(
        self,
        work: Callable[[Client], Awaitable[T]],
        timeout_s: float,
        *,
        acts: bool = True,
        under_way: UnderWay | None = None,
    ) -> T:
        """What `work` gives, with the connected client. Raises `Rejected` for what the server refuses,
        `Permanent(kind="outcome_unknown")` where it `acts` and no answer came, else `Transient`. What the
        server asks meanwhile is asked `under_way`; without that, it gets no answer."""
        call = under_way or UnderWay()
        if under_way is None:
            call.has_ended = True
        self.in_hand += 1
        try:
            async with self._turns.of(call, timeout_s):
                return await self._called(work, timeout_s, call, acts=acts)
        finally:
            self.in_hand -= 1
            self.used_at = time.monotonic()

    async def _called(
        self, work: Callable[[Client], Awaitable[T]], timeout_s: float, call: UnderWay, *, acts: bool
    ) -> T:
        client = self._connected_client()

        async def worked() -> T:
            CURRENT.set(call)
            return await work(client)

        working = asyncio.create_task(worked())
        ended = asyncio.create_task(self._ended.wait())
        try:
            await call.first_of((working, ended), timeout_s)
            if working.done():
                return working.result()
            late = f"it didn't answer within {timeout_s:g} seconds"
            why = await self._why_silent(late, settles=self._turns.one_at_a_time)
            raise no_answer(why, acts=acts)
        except MCPError as error:
            self._leave_if_shut()
            if error.code in _LOST or (self._opened is not None and not self._opened.is_answer(error)):
                settles = self._turns.one_at_a_time and error.code in _LOST
                why = await self._why_silent(self._said(error.message), settles=settles)
                self._leave_if_alone(call, error, why)
                raise no_answer(why, acts=acts) from error
            kind = KINDS.get(error.code, ErrorKind.UPSTREAM)
            raise Rejected(f"the server refused: {self._said(error.message)}", kind=kind) from error
        except NotListed as error:
            raise no_answer(str(error), acts=acts) from error
        except (RuntimeError, ValueError) as error:
            raise unusable_answer(self._said(str(error)), acts=acts) from error
        finally:
            for task in (working, ended):
                task.cancel()
            await asyncio.wait({working, ended}, timeout=1)

    def _said(self, text: str) -> str:
        return self.redaction.text(text)[:_LONGEST]

    def _leave_if_shut(self) -> None:
        """Raises `Rejected` where the server answers, and not for this connection: the next one is new."""
        failure = self._opened.shut() if self._opened is not None else None
        if failure is None:
            return
        self.failure, self.cause = failure.message, failure
        self._ended.set()
        raise Rejected(failure.message, kind=ErrorKind.NOT_AVAILABLE) from failure

    def _leave_if_alone(self, call: UnderWay, error: MCPError, why: str) -> None:
        """What couldn't reach the server has the next call connect anew, unless others are under way."""
        if error.code in _LOST and self._turns.is_alone(call) and not self._ended.is_set():
            self.failure = why
            self._ended.set()

    async def _why_silent(self, otherwise: str, *, settles: bool) -> str:
        """No answer came: since there is no server any more, which may take a moment to be known, or
        `otherwise`."""
        if settles and not self._ended.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_SETTLES_S):
                    await self._ended.wait()
        if self._ended.is_set():
            return self.failure or "the connection was closed"
        return otherwise

    def _connected_client(self) -> Client:
        if self._client is None or self._ended.is_set():
            raise Rejected("the server isn't connected", kind=ErrorKind.NOT_AVAILABLE)
        return self._client

    async def _connected(self, opened: OpenServer) -> None:
        async with asyncio.timeout(limits.CONNECT_S) as connecting:
            async with Client(
                completing(opened.transport),
                client_info=self._info,
                message_handler=self._heard,
                elicitation_callback=self._turns.elicited,
                sampling_callback=self._turns.sampled if self.samples else None,
                extensions=self._extensions,
                cache=None,
            ) as client:
                connecting.reschedule(None)
                # A call may have acted: what it gave is used, whether or not it is as the server declared.
                client.session.validate_tool_result = _as_it_came  # type: ignore[method-assign]
                await self._listed.first(client)
                self._client = client
                self._ready.set()
                async with beside(self._listed.follow(client), opened.gone(), self._ended.wait()) as tasks:
                    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                    following, gone, _ = tasks
                    if gone.done():
                        self.failure = await opened.why(None)
                    elif following.done():
                        following.result()
                    self._client = None
                    self._ended.set()

    async def _heard(self, message: IncomingMessage) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self._listed.again()
