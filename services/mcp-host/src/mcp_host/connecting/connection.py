"""One connection with one server: introduced, its tools listed, calls made, until it ends."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, Protocol, TypeVar

import mcp_types as types
import structlog
from mcp import Client, MCPError
from mcp.client import Transport
from mcp.client.session import IncomingMessage
from mcp.client.subscriptions import SubscriptionLost
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from agent_contracts.errors import ErrorKind, Failure, Permanent, Rejected, Transient
from agent_contracts.mcp_tools import McpTools
from egress.redaction import Redaction
from mcp_host import limits
from mcp_host.connecting.program import Cage
from mcp_host.definitions.listing import kept

log = structlog.get_logger()

T = TypeVar("T")
_LONGEST = 2_000
_NOTHING = Redaction({})
_SETTLES_S = 1.5
"""How long it may take until it is known that a server is gone."""
_LOST = (types.CONNECTION_CLOSED, types.REQUEST_TIMEOUT)


class Opened(Protocol):
    """A server within reach: how it is spoken with, and what is known of it besides."""

    transport: Transport
    """To be entered once."""

    @property
    def redaction(self) -> Redaction:
        """Takes out the values of the secrets that the server was given."""
        ...

    @property
    def issuer(self) -> str:
        """Where a person logged in for it; empty where nobody did."""
        ...

    @property
    def one_at_a_time(self) -> bool:
        """Whether calls wait for each other."""
        ...

    @property
    def cage(self) -> Cage:
        """What holds a program; nothing of an address."""
        ...

    async def gone(self) -> None:
        """Returns when the server is there no more; for ever of one of which that can't be known."""
        ...

    async def why(self, error: BaseException | None) -> str:
        """Why it failed, or is gone, in words for a person."""
        ...

    def shut(self) -> Failure | None:
        """Why a connection that still stands is of no use any more; None if it is."""
        ...

    def is_answer(self, error: MCPError) -> bool:
        """Whether the server said this, and not who carries its words."""
        ...

    def stderr(self) -> str:
        """The end of what a program said there."""
        ...


Open = Callable[[], AbstractAsyncContextManager[Opened]]


class Connection:
    """Connected from `run`'s start until it returns. `listed` is told each time what the server lists.

    A call that was sent, and of which no answer came, has an unknown outcome.
    """

    def __init__(
        self, open_: Open, listed: Callable[[McpTools], Awaitable[None]], info: types.Implementation
    ) -> None:
        self._open = open_
        self._listed = listed
        self._info = info
        self._client: Client | None = None
        self._opened: Opened | None = None
        self._ready = asyncio.Event()
        self._ended = asyncio.Event()
        self._turn = asyncio.Lock()
        self._one_at_a_time = False
        self._relist = asyncio.Event()
        self._up_to_date = asyncio.Event()
        self.tools = McpTools()
        self.cage = Cage()
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
    def redaction(self) -> Redaction:
        """See `Opened`, of what was opened last."""
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
                self._one_at_a_time = opened.one_at_a_time
                try:
                    await self._connected(opened)
                except Exception as error:
                    self.failure = await opened.why(_root(error))
                finally:
                    self.stderr, self.cage = opened.stderr(), opened.cage
        except Failure as failure:
            self.failure, self.cause = failure.message, failure
        except OSError as error:
            self.failure = f"it can't be started: {error.strerror or error}"
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

    def list_again(self) -> None:
        """The tools may be others now."""
        self._up_to_date.clear()
        self._relist.set()

    async def up_to_date(self) -> None:
        """Until `tools` are what the server lists after the last change that it told. `Rejected` where it
        tells changes all the time."""
        try:
            async with asyncio.timeout(limits.LIST_S):
                while self.is_open and not self._up_to_date.is_set():
                    async with _beside(self._up_to_date.wait(), self._ended.wait()) as tasks:
                        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError as error:
            message = f"the server's tools were not listed in {limits.LIST_S:g} seconds: nothing was sent"
            raise Rejected(message, kind=ErrorKind.TIMEOUT) from error

    async def relisted(self) -> None:
        """List the tools now. Raises as `call` does of what doesn't act."""
        await self.call(self._list, limits.LIST_S, acts=False)

    async def call(self, work: Callable[[Client], Awaitable[T]], timeout_s: float, *, acts: bool = True) -> T:
        """What `work` gives, with the connected client. Raises `Rejected` for what the server refuses,
        `Permanent(kind="outcome_unknown")` where it `acts` and no answer came, else `Transient`."""
        self.in_hand += 1
        try:
            if not self._one_at_a_time:
                return await self._called(work, timeout_s, acts=acts)
            async with asyncio.timeout(timeout_s) as waiting:
                async with self._turn:
                    waiting.reschedule(None)
                    return await self._called(work, timeout_s, acts=acts)
        except TimeoutError as error:
            message = f"the server was busy with other calls for {timeout_s:g} seconds: nothing was sent"
            raise Rejected(message, kind=ErrorKind.TIMEOUT) from error
        finally:
            self.in_hand -= 1
            self.used_at = time.monotonic()

    async def _called(self, work: Callable[[Client], Awaitable[T]], timeout_s: float, *, acts: bool) -> T:
        client = self._connected_client()
        working: asyncio.Task[T] = asyncio.ensure_future(work(client))
        ended = asyncio.create_task(self._ended.wait())
        try:
            await asyncio.wait({working, ended}, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                return working.result()
            late = f"it didn't answer within {timeout_s:g} seconds"
            why = await self._why_silent(late, settles=self._one_at_a_time)
            raise _no_answer(why, acts=acts)
        except MCPError as error:
            self._leave_if_shut()
            if error.code in _LOST or (self._opened is not None and not self._opened.is_answer(error)):
                why = await self._why_silent(self._said(error.message), settles=error.code in _LOST)
                raise _no_answer(why, acts=acts) from error
            kind = _KINDS.get(error.code, ErrorKind.UPSTREAM)
            raise Rejected(f"the server refused: {self._said(error.message)}", kind=kind) from error
        except (RuntimeError, ValueError) as error:
            message = f"the server's answer can't be used: {self._said(str(error))}"
            raise Permanent(message, kind=ErrorKind.UPSTREAM) from error
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

    async def _connected(self, opened: Opened) -> None:
        async with asyncio.timeout(limits.CONNECT_S) as connecting:
            async with Client(
                opened.transport,
                client_info=self._info,
                message_handler=self._heard,
                cache=None,
            ) as client:
                if client.server_capabilities.tools is not None:
                    await self._list(client)
                self._up_to_date.set()
                connecting.reschedule(None)
                self._client = client
                self._ready.set()
                async with _beside(self._tend(client), opened.gone(), self._ended.wait()) as tasks:
                    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                    tending, gone, _ = tasks
                    if gone.done():
                        self.failure = await opened.why(None)
                    elif tending.done():
                        tending.result()
                    self._client = None
                    self._ended.set()

    async def _tend(self, client: Client) -> None:
        """List again when the server says so, as long as it is there; returns when it is gone."""
        modern = client.protocol_version in MODERN_PROTOCOL_VERSIONS
        listening = asyncio.create_task(self._listen(client)) if modern else None
        try:
            while True:
                await self._relist.wait()
                self._relist.clear()
                await self._list(client)
                if not self._relist.is_set():
                    self._up_to_date.set()
        finally:
            if listening is not None:
                listening.cancel()
                await asyncio.wait({listening})

    async def _listen(self, client: Client) -> None:
        """Changes of the list of tools, as servers of the newer protocol tell them."""
        tools = client.server_capabilities.tools
        if tools is None:
            return
        try:
            async with client.listen(tools_list_changed=True) as changes:
                async for _ in changes:
                    self.list_again()
        except (MCPError, SubscriptionLost, TimeoutError, RuntimeError) as error:
            log.info("server.does_not_tell_changes", reason=str(error))

    async def _heard(self, message: IncomingMessage) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self.list_again()

    def _without_secrets(self, tool: types.Tool) -> types.Tool:
        """The tool, of which nothing that the server was given in secret gets into the log."""
        if not self.redaction.finds(tool.model_dump_json(by_alias=True)):
            return tool
        said = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
        return types.Tool.model_validate(self.redaction.json(said))

    async def _list(self, client: Client) -> None:
        found: list[types.Tool] = []
        cursor: str | None = None
        async with asyncio.timeout(limits.LIST_S):
            for _ in range(limits.PAGES):
                page = await client.list_tools(cursor=cursor)
                found += page.tools
                cursor = page.next_cursor
                if not cursor:
                    break
        named = client.server_info.name if client.server_info is not None else ""
        self.tools = kept(map(self._without_secrets, found), self.redaction.text(named))
        await self._listed(self.tools)


_NO_SUCH_RESOURCE = -32002
"""How servers of protocols up to 2025-11-25 say so."""
_KINDS = {
    _NO_SUCH_RESOURCE: ErrorKind.NOT_FOUND,
    types.INVALID_PARAMS: ErrorKind.INVALID_ARGUMENTS,
    types.METHOD_NOT_FOUND: ErrorKind.NOT_AVAILABLE,
}


def _no_answer(why: str, *, acts: bool) -> Permanent | Transient:
    if acts:
        message = (
            f"the server gave no answer ({why}); the call may or may not have taken effect, and it was not "
            "tried again: find out before you repeat it"
        )
        return Permanent(message, kind=ErrorKind.OUTCOME_UNKNOWN)
    return Transient(f"the server gave no answer ({why})", kind=ErrorKind.UPSTREAM)


@asynccontextmanager
async def _beside(*work: Coroutine[Any, Any, Any]) -> AsyncIterator[tuple[asyncio.Task[Any], ...]]:
    tasks = tuple(asyncio.create_task(one) for one in work)
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


def _root(error: BaseException) -> BaseException:
    """The one failure of a group of one."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return error
