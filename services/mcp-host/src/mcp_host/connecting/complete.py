"""What is heard of a server, before the SDK sees it.

Results that don't say of which type they are count as complete, as the protocol has it of clients: some
servers of 2026-07-28 leave `resultType` out, and the SDK takes no such result. Lists, and results of calls,
lose what is malformed in them (`sifting`), so that the rest can be used.
"""

from collections.abc import AsyncIterator, MutableMapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import Context
from types import TracebackType
from typing import Any, Self

from cachetools import LRUCache
from mcp.client import Transport
from mcp.client._transport import ReadStream, TransportStreams, WriteStream
from mcp.shared.message import SessionMessage
from mcp_types import PROTOCOL_VERSION_META_KEY, JSONRPCError, JSONRPCRequest, JSONRPCResponse

from mcp_host.definitions.sifting import SIFTED, sifted

_TYPE = "resultType"
_OLDER = "2025-11-25"
"""The version of requests that don't name theirs: before 2026-07-28 the results have one shape."""
_REMEMBERED = 1_000
"""Requests without an answer of which is known what they asked for."""
_Sent = MutableMapping[str | int, tuple[str, str]]
"""The method and the version of each request that waits for its answer, by its id."""


def completing(transport: Transport) -> AbstractAsyncContextManager[TransportStreams]:
    """The transport, whose results all say their type and have no malformed part."""
    return _streams(transport)


@asynccontextmanager
async def _streams(transport: Transport) -> AsyncIterator[TransportStreams]:
    sent: _Sent = LRUCache(_REMEMBERED)
    async with transport as (heard, told):
        yield _Completing(heard, sent), _Remembering(told, sent)


class _Remembering:
    """What is said, of which is remembered what it asks for."""

    def __init__(self, told: WriteStream[SessionMessage], sent: _Sent) -> None:
        self._told = told
        self._sent = sent

    async def send(self, item: SessionMessage, /) -> None:
        """See the SDK."""
        message = item.message
        if isinstance(message, JSONRPCRequest) and message.method in SIFTED:
            meta: Any = (message.params or {}).get("_meta") or {}
            self._sent[message.id] = (message.method, str(meta.get(PROTOCOL_VERSION_META_KEY, _OLDER)))
        await self._told.send(item)

    async def aclose(self) -> None:
        """See the SDK."""
        await self._told.aclose()

    async def __aenter__(self) -> Self:
        await self._told.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._told.__aexit__(kind, error, trace)


class _Completing:
    """What is heard. The SDK's streams know in which context each message came (`last_context`)."""

    def __init__(self, heard: ReadStream[SessionMessage | Exception], sent: _Sent) -> None:
        self._heard = heard
        self._sent = sent

    @property
    def last_context(self) -> Context | None:
        """See the SDK."""
        return getattr(self._heard, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        """See the SDK."""
        return self._complete(await self._heard.receive())

    async def aclose(self) -> None:
        """See the SDK."""
        await self._heard.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        return self._complete(await self._heard.__anext__())

    async def __aenter__(self) -> Self:
        await self._heard.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._heard.__aexit__(kind, error, trace)

    def _complete(self, heard: SessionMessage | Exception) -> SessionMessage | Exception:
        if not isinstance(heard, SessionMessage):
            return heard
        message = heard.message
        if isinstance(message, JSONRPCResponse):
            message.result.setdefault(_TYPE, "complete")
            asked = self._sent.pop(message.id, None)
            if asked is not None:
                message.result = sifted(*asked, message.result)
        elif isinstance(message, JSONRPCError) and message.id is not None:
            self._sent.pop(message.id, None)
        return heard
