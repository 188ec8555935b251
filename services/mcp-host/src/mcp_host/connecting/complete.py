"""Results that don't say of which type they are count as complete, as the protocol has it of clients.

Some servers of 2026-07-28 leave `resultType` out, and the SDK takes no such result.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import Context
from types import TracebackType
from typing import Self

from mcp.client import Transport
from mcp.client._transport import ReadStream, TransportStreams
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCResponse

_TYPE = "resultType"


def completing(transport: Transport) -> AbstractAsyncContextManager[TransportStreams]:
    """The transport, whose results all say their type."""
    return _streams(transport)


@asynccontextmanager
async def _streams(transport: Transport) -> AsyncIterator[TransportStreams]:
    async with transport as (heard, told):
        yield _Completing(heard), told


class _Completing:
    """What is heard. The SDK's streams know in which context each message came (`last_context`)."""

    def __init__(self, heard: ReadStream[SessionMessage | Exception]) -> None:
        self._heard = heard

    @property
    def last_context(self) -> Context | None:
        """See the SDK."""
        return getattr(self._heard, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        """See the SDK."""
        return _complete(await self._heard.receive())

    async def aclose(self) -> None:
        """See the SDK."""
        await self._heard.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        return _complete(await self._heard.__anext__())

    async def __aenter__(self) -> Self:
        await self._heard.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._heard.__aexit__(kind, error, trace)


def _complete(heard: SessionMessage | Exception) -> SessionMessage | Exception:
    if isinstance(heard, SessionMessage) and isinstance(heard.message, JSONRPCResponse):
        heard.message.result.setdefault(_TYPE, "complete")
    return heard
