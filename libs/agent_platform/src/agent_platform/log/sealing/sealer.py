"""Sealing the log while it grows: by whoever reads all of it anyway."""

import time
from collections.abc import Sequence

import structlog

from agent_contracts.errors import Conflict, Failure
from agent_platform.log.port import Log, StoredMessage
from agent_platform.log.sealing.record import Seals
from agent_platform.log.sealing.seal import Adding, Seal, range_of

_log = structlog.get_logger(__name__)
_EVERYTHING = ">"


class Sealer:
    """Shown every message in order, it keeps their seals: a write every `every_s` seconds, if anything came.

    What it wasn't shown, since nobody ran then, it reads itself. Of two at a time one wins, and the other
    begins again from what is kept. A failure to write is logged, and made up for at the next occasion:
    nobody has to wait for it.
    """

    def __init__(self, seals: Seals, log: Log, every_s: float = 2.0) -> None:
        self._seals = seals
        self._log = log
        self._every_s = every_s
        self._known = False
        self._kept_at = -every_s
        self._reached = 0
        self._last = self._written = 0
        self._revision = 0
        self._adding = Adding()
        self._full: list[tuple[int, Seal]] = []

    def see(self, messages: Sequence[StoredMessage]) -> None:
        """The next messages of the log."""
        for message in messages:
            self._reached = max(self._reached, message.sequence)
            if self._known and message.sequence == self._last + 1:
                self._add(message)

    def reached(self, sequence: int) -> None:
        """The log is known to have come so far."""
        self._reached = max(self._reached, sequence)

    async def keep(self, *, now: bool = False) -> None:
        """Write the seals, if it is time or must be `now`."""
        if not now and time.monotonic() - self._kept_at < self._every_s:
            return
        self._kept_at = time.monotonic()
        try:
            await self.seal_to(self._reached)
        except Failure as failure:
            self._known = False
            _log.warning("seals.not_kept", reason=failure.message)

    async def seal_to(self, sequence: int) -> None:
        """Seal at least up to there, reading what was not shown. Raises the log's failures."""
        if not self._known:
            await self._begin()
        if self._last < sequence:
            async for message in self._log.read(_EVERYTHING, after=self._last, up_to=sequence):
                self._add(message)
        try:
            await self._write()
        except Conflict:
            self._known = False
            _log.info("seals.kept_by_another")

    async def _begin(self) -> None:
        newest = await self._seals.newest()
        self._full = []
        if newest is None:
            self._last, self._adding, self._revision, self._written = 0, Adding(), 0, 0
        else:
            _, seal, self._revision = newest
            self._last = self._written = seal.last
            self._adding = Adding(seal.total)
        self._known = True

    def _add(self, message: StoredMessage) -> None:
        if self._last and range_of(message.sequence) != range_of(self._last):
            self._full.append((range_of(self._last), Seal(self._last, self._adding.total)))
            self._adding = Adding()
        self._adding.add(message)
        self._last = message.sequence

    async def _write(self) -> None:
        for number, seal in self._full:
            await self._seals.seal(number, seal, expect=self._revision)
            self._revision = 0
        self._full = []
        if self._last > self._written:
            seal = Seal(self._last, self._adding.total)
            self._revision = await self._seals.seal(range_of(self._last), seal, expect=self._revision)
            self._written = self._last
