"""A client of the live events that resumes where it broke off: what it joined must equal the log."""

import asyncio
import contextlib
import json
from typing import Any, Self

import httpx
from httpx_sse import SSEError, aconnect_sse

from agent_contracts.log.address import Address, parse_address
from foldline_testing.product.chaos.client import PersistentClient

SETTLED = frozenset(
    f"foldline.session.{kind}.v1"
    for kind in ("became_idle", "waiting", "token_limit_hit", "completed", "failed")
)
_TIMEOUT = httpx.Timeout(5, read=40)
_PAUSE_S = 0.1


class Follower:
    """Follows one session, or with None all, from the log's beginning across every break, while open."""

    def __init__(self, client: PersistentClient, session_id: str | None) -> None:
        self._client = client
        self._session_id = session_id
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.addresses: list[Address] = []
        self.settled: dict[str, tuple[int, float]] = {}
        """By session: the sequence of the newest event that settles one, and the loop's time it came."""
        self.connections = 0

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._follow())
        return self

    async def __aexit__(self, *raised: object) -> None:
        assert self._task is not None
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def until_settled(self, session_id: str, after: int, patience_s: float) -> float:
        """The loop's time at which an event after `after` settled the session; `TimeoutError` if none did."""
        async with asyncio.timeout(patience_s):
            while self.settled.get(session_id, (0, 0.0))[0] <= after:
                await self._next()
        return self.settled[session_id][1]

    async def until_seen(self, address: Address, patience_s: float) -> None:
        """Return when an event at or after `address` came. `TimeoutError` if none does."""
        async with asyncio.timeout(patience_s):
            while not self.addresses or self.addresses[-1] < address:
                await self._next()

    async def _next(self) -> None:
        """Wait for an event; raise what ended the following, if something did."""
        assert self._task is not None
        if self._task.done():
            self._task.result()
        self._changed.clear()
        waiting = asyncio.create_task(self._changed.wait())
        try:
            await asyncio.wait({waiting, self._task}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()

    async def _follow(self) -> None:
        last: str | None = None
        while True:
            headers = {} if last is None else {"Last-Event-ID": last}
            params = {"after": "0"} | ({} if self._session_id is None else {"session_id": self._session_id})
            with contextlib.suppress(httpx.TransportError):
                async with aconnect_sse(
                    self._client.http, "GET", "/events", params=params, headers=headers, timeout=_TIMEOUT
                ) as source:
                    status = source.response.status_code
                    if 400 <= status < 500:
                        await source.response.aread()
                        raise AssertionError(f"the live events were refused: {status} {source.response.text}")
                    if status == 200:
                        self.connections += 1
                        with contextlib.suppress(SSEError):
                            async for message in source.aiter_sse():
                                if message.event == "event":
                                    last = message.id
                                    self._took(parse_address(last), json.loads(message.data))
            await asyncio.sleep(_PAUSE_S)

    def _took(self, address: Address, event: dict[str, Any]) -> None:
        self.addresses.append(address)
        if event["type"] in SETTLED:
            self.settled[event["session_id"]] = (address.sequence, asyncio.get_running_loop().time())
        self._changed.set()
