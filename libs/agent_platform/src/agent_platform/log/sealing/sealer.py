"""Sealing the log while it grows: by whoever reads all of it anyway."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import structlog

from agent_contracts.errors import Conflict, Failure
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.log.subjects import SEALS_BUCKET
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.port import Log
from agent_platform.log.sealing.record import Seals
from agent_platform.log.sealing.seal import RunningTotal, Seal, range_of
from agent_platform.nats.connection import NatsConnection
from agent_platform.process.interruption import Interruption

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
        self._interruption = Interruption("sealing")
        self._known = self._busy = False
        self._reached = self._last = self._written = 0
        self._revision = 0
        self._adding = RunningTotal()
        self._full: list[tuple[int, Seal]] = []

    def see(self, message: StoredMessage) -> None:
        """The next message of the log."""
        self.reached(message.sequence)
        if self._known and not self._busy and message.sequence == self._last + 1:
            self._add(message)

    def reached(self, sequence: int) -> None:
        """The log is known to have come so far."""
        self._reached = max(self._reached, sequence)

    async def run(self) -> None:
        """Keep the seals until cancelled."""
        while True:
            await asyncio.sleep(self._every_s)
            await self.keep()

    async def keep(self) -> None:
        """Write the seals of what came since."""
        if self._reached <= self._written:
            return
        with self._interruption.tried(Failure):
            await self.seal_to(self._reached)
        self._known = self._known and not self._interruption.lasts

    async def seal_to(self, sequence: int) -> None:
        """Seal at least up to there, reading what was not shown. Raises the log's failures."""
        self._busy = True
        try:
            if not self._known:
                await self._begin()
            if self._last < sequence:
                async for message in self._log.records(_EVERYTHING, after=self._last, up_to=sequence):
                    self._add(message)
            await self._write()
        except Conflict:
            self._known = False
            _log.info("seals.kept_by_another")
        finally:
            self._busy = False

    async def _begin(self) -> None:
        newest = await self._seals.newest()
        self._full = []
        if newest is None:
            self._last, self._adding, self._revision = 0, RunningTotal(), 0
        else:
            _, seal, self._revision = newest
            self._last, self._adding = seal.last, RunningTotal(seal.total)
        self._written = self._last
        self._known = True

    def _add(self, message: StoredMessage) -> None:
        if self._last and range_of(message.sequence) != range_of(self._last):
            self._full.append((range_of(self._last), Seal(self._last, self._adding.total)))
            self._adding = RunningTotal()
        self._adding.add(message)
        self._last = message.sequence

    async def _write(self) -> None:
        """Only `seal_to` changes anything meanwhile, and that is here."""
        for number, seal in self._full:
            await self._seals.seal(number, seal, expect=self._revision)
            self._revision = 0
        self._full = []
        if self._last > self._written:
            seal = Seal(self._last, self._adding.total)
            self._revision = await self._seals.seal(range_of(self._last), seal, expect=self._revision)
            self._written = self._last


class SealedLog(JetStreamLog):
    """A log whose followers show all that they get to a sealer."""

    def __init__(self, connection: NatsConnection) -> None:
        super().__init__(connection)
        self.sealer = Sealer(Seals(bucket(connection, SEALS_BUCKET)), self)

    async def tail(self, subjects: Sequence[str], *, after: int) -> AsyncGenerator[StoredMessage, None]:
        """See the port. Whoever follows from `after` has seen the log up to there."""
        self.sealer.reached(after)
        async with aclosing(super().tail(subjects, after=after)) as messages:
            async for message in messages:
                yield message

    def _arrived(self, record: StoredMessage) -> None:
        self.sealer.see(record)
