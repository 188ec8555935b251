"""Ends what nothing happens on."""

import asyncio
from types import TracebackType
from typing import Self


class IdleTimeout:
    """`async with IdleTimeout(seconds) as idle:`: TimeoutError if they pass without `idle.touch()`."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._timeout = asyncio.timeout(seconds)

    def touch(self) -> None:
        """Something happened."""
        if not self._timeout.expired():
            self._timeout.reschedule(asyncio.get_running_loop().time() + self._seconds)

    async def __aenter__(self) -> Self:
        await self._timeout.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._timeout.__aexit__(kind, error, trace)
