"""How long after an event was stored the projections hold it: by the projector's own notices."""

import asyncio
import contextlib
from collections.abc import Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

import psycopg

from projections.schema import CHANNEL

_PATIENCE_S = 60.0


class Lag:
    """Listens, while in its `async with`, for what the projector commits."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._commits: list[tuple[int, datetime]] = []
        self._heard = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        connection = await psycopg.AsyncConnection.connect(self._dsn, autocommit=True)
        await connection.execute(f"LISTEN {CHANNEL}")
        self._task = asyncio.create_task(self._listen(connection))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._task is not None
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def until(self, sequence: int) -> None:
        """Return when the tables hold everything up to `sequence`."""
        async with asyncio.timeout(_PATIENCE_S):
            while not self._commits or self._commits[-1][0] < sequence:
                self._heard.clear()
                await self._heard.wait()

    def behind(self, stored_at: Mapping[int, datetime]) -> list[float]:
        """For each event (sequence: when it was stored) the milliseconds until it was committed."""
        lags: list[float] = []
        commits = iter(self._commits)
        up_to, at = next(commits)
        for sequence in sorted(stored_at):
            while up_to < sequence:
                up_to, at = next(commits)
            lags.append((at - stored_at[sequence]).total_seconds() * 1000)
        return lags

    async def _listen(self, connection: psycopg.AsyncConnection[tuple[object, ...]]) -> None:
        async with connection:
            async for notice in connection.notifies():
                self._commits.append((int(notice.payload), datetime.now(UTC)))
                self._heard.set()
