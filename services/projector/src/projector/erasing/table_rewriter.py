"""Writing the tables anew after erasures, since Postgres keeps the bytes of deleted rows in its files."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import psycopg
import structlog

from agent_contracts.errors import Failure
from agent_platform.process.clock import Clock
from agent_platform.process.interruption import Interruption

log = structlog.get_logger()

QUIET = timedelta(minutes=10)
"""The tables are written anew once nothing was erased for so long: readers wait meanwhile."""
LONGEST = timedelta(minutes=50)
"""At the latest so long after the first erasure, so that its bytes are gone within an hour."""
_LOOK_S = 30.0


class TableRewriter:
    """Has the tables written anew after what was erased, many erasures together."""

    def __init__(self, rewrite: Callable[[], Awaitable[list[str]]], clock: Clock) -> None:
        self._rewrite = rewrite
        self._clock = clock
        self._first: datetime | None = None
        self._last: datetime | None = None
        self._interruption = Interruption("erasing_tables")

    def erased(self, at: datetime) -> None:
        """Something was erased; what was before this process began counts, too."""
        self._first = at if self._first is None else min(self._first, at)
        self._last = at if self._last is None else max(self._last, at)

    @property
    def is_due(self) -> bool:
        """Whether it is time to."""
        if self._first is None or self._last is None:
            return False
        now = self._clock.now()
        return now - self._last >= QUIET or now - self._first >= LONGEST

    async def run_if_due(self) -> bool:
        """Write them anew, if it is time to; whether that was done. What fails is tried again."""
        if not self.is_due:
            return False
        first, last, self._first, self._last = self._first, self._last, None, None
        try:
            left = await self._rewrite()
        except (Failure, psycopg.Error, OSError) as error:
            self._interruption.hit(str(error))
            for at in (first, last):
                if at is not None:
                    self.erased(at)
            return False
        self._interruption.over()
        log.info("erasing.tables_anew", left=left)
        return True

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            await self.run_if_due()
            await asyncio.sleep(_LOOK_S)
