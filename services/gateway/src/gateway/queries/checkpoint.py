"""How far the projections have come, and waiting for them: read your own writes."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime

import msgspec

from agent_contracts.errors import Rejected, Transient
from gateway.queries.database import Database, ProjectionSnapshot

_FIRST_PAUSE_S = 0.01
_LONGEST_PAUSE_S = 0.1
_FAR = 5_000
"""Projections that are so many events behind are not waited for: lists say what there is, unless that is
hardly anything."""
_FILLING_RETRY_S = 5.0
_ANOTHER_SERVER_S = 0.3
"""After which another server of NATS has an event that the one that was asked before had."""


class TablesAt(msgspec.Struct, frozen=True):
    """The rows hold every event up to and including this sequence, since `at`."""

    sequence: int
    at: datetime | None


class Behind(msgspec.Struct, frozen=True):
    """Projections without the last `events` events of the log, which has `of`: what they say is as of
    `as_of`."""

    events: int
    as_of: datetime | None
    of: int

    def refuse_if_hardly_filled(self) -> None:
        """With less than half of the log they are filled anew, and what they lack would look as if it were
        gone: `Transient(kind="projection_behind")` says so."""
        reached = self.of - self.events
        if 2 * reached < self.of:
            raise Transient(
                f"The tables are filled from the log just now: they are at event {reached} of {self.of}. "
                "Nothing is lost. Chats work meanwhile; try the list again in a few seconds",
                kind="projection_behind",
                retry_after=_FILLING_RETRY_S,
            )


async def checkpoint(snapshot: ProjectionSnapshot) -> int:
    """The rows hold every event up to and including this sequence."""
    return (await _reached(snapshot)).sequence


async def _reached(snapshot: ProjectionSnapshot) -> TablesAt:
    rows = await snapshot.rows("SELECT max(sequence) AS sequence, max(updated_at) AS at FROM checkpoint")
    return TablesAt(int(rows[0]["sequence"] or 0), rows[0]["at"])


async def wait_for(
    database: Database, sequence: int | None, wait_s: float, last: Callable[[], Awaitable[int]]
) -> None:
    """Return once the projections hold event `sequence`; `last` tells where the log ends.

    `Rejected(kind="invalid_request")` for an event that doesn't exist yet,
    `Transient(kind="projection_behind")` after `wait_s` seconds.
    """
    if not sequence:
        return
    pause, waited, looked = _FIRST_PAUSE_S, 0.0, False
    while True:
        async with database.snapshot() as snapshot:
            reached = await checkpoint(snapshot)
        if reached >= sequence:
            return
        if not looked and waited >= min(_ANOTHER_SERVER_S, wait_s):
            looked = True
            refuse_beyond(sequence, await last())
        if waited >= wait_s:
            raise Transient(
                f"The lists lack the last {sequence - reached} events, and didn't catch up within {wait_s:g} "
                "seconds. What was stored is safe, and chats go on. See foldline doctor for what is wrong",
                kind="projection_behind",
            )
        await asyncio.sleep(pause)
        waited += pause
        pause = min(2 * pause, _LONGEST_PAUSE_S)


def refuse_beyond(sequence: int | None, end: int) -> None:
    """`Rejected(kind="invalid_request")` for an event that doesn't exist yet."""
    if sequence and end < sequence:
        raise Rejected(
            f"min_sequence is {sequence}, and the log ends at event {end}: name an event that exists",
            kind="invalid_request",
            path="/min_sequence",
        )


class ProjectionWait:
    """Waits until the projections hold what is in the log; shared by all reads of a gateway.

    Projections that were behind and didn't move for as long as a read would wait have stopped: it doesn't
    wait for them until they move again.
    """

    def __init__(self, database: Database, wait_s: float) -> None:
        self._database = database
        self._wait_s = wait_s
        self._behind: tuple[int, float] = (-1, 0.0)
        """Where they were when they were first seen behind, and when that was."""

    async def catch_up(
        self, newest: Callable[[int], Awaitable[int]], patience_s: float | None = None
    ) -> Behind | None:
        """Return once the projections hold what is in the log by now, so that whoever was shown an event, by
        any gateway, reads what it says. `newest` tells the last sequence that matters after one that they
        hold.

        Where they don't come that far within `patience_s` seconds (`wait_s`, if None), have stopped, or are
        far behind: how far.
        """
        patience_s = self._wait_s if patience_s is None else patience_s
        reached = await self._reached()
        wanted = await newest(reached.sequence)
        if wanted - reached.sequence <= _FAR:
            pause, waited = _FIRST_PAUSE_S, 0.0
            while reached.sequence < wanted and waited < patience_s:
                if self._stopped(reached.sequence, patience_s):
                    break
                await asyncio.sleep(pause)
                waited += pause
                pause = min(2 * pause, _LONGEST_PAUSE_S)
                reached = await self._reached()
        missing = wanted - reached.sequence
        return Behind(missing, reached.at, of=wanted) if missing > 0 else None

    async def _reached(self) -> TablesAt:
        async with self._database.snapshot() as snapshot:
            return await _reached(snapshot)

    def _stopped(self, reached: int, patience_s: float) -> bool:
        """Of projections that are behind."""
        now = asyncio.get_running_loop().time()
        if self._behind[0] != reached:
            self._behind = reached, now
        return now - self._behind[1] > patience_s
