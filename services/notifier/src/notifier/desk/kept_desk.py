"""The desk, kept in the bucket: every change is on the disk before anybody acts on it."""

import asyncio
import secrets
from collections.abc import Callable

import msgspec
import structlog

from agent_contracts.entities.notifications import DESK
from agent_contracts.errors import Conflict, Permanent
from agent_platform.log.bucket import Bucket
from notifier.desk.desk import Desk, PendingDelivery

log = structlog.get_logger()


class _SavedDesk(msgspec.Struct, frozen=True):
    owner: str
    desk: Desk


class KeptDesk:
    """One process's desk. `current` is what is stored."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket
        self._owner = secrets.token_hex(8)
        self._revision = 0
        self._one_at_a_time = asyncio.Lock()
        self.current = Desk()
        self.changed = asyncio.Event()
        """Set by every change; whoever waits for it clears it."""

    async def take(self, last_sequence: int) -> tuple[PendingDelivery, ...]:
        """Take the desk over, as whoever had it left it; where nobody had, it begins at the log's end.

        Attempts that were under way are over: nobody knows how they ended, and none is made again. They are
        returned.
        """
        entry = await self._bucket.get(DESK)
        found = msgspec.json.decode(entry.value, type=_SavedDesk).desk if entry else Desk(last_sequence)
        if found.checkpoint > last_sequence:  # the log was cut: its numbers mean other events now
            found = Desk(last_sequence)
        self._revision = entry.revision if entry else 0
        cut_off = tuple(one for one in found.sending if one.under_way)
        rest = tuple(one for one in found.sending if not one.under_way)
        named = {one.message for one in rest}
        messages = {id: one for id, one in found.messages.items() if id in named}
        await self._store(msgspec.structs.replace(found, sending=rest, messages=messages))
        return cut_off

    async def change(self, change: Callable[[Desk], Desk]) -> Desk:
        """What `change` makes of the desk, stored. `Transient` where it can't be stored: then nothing
        changed. `Permanent` where another process took the desk over."""
        async with self._one_at_a_time:
            after = change(self.current)
            if after != self.current:
                try:
                    await self._store(after)
                except Conflict:
                    await self._read_back()
                    await self._store(change(self.current))
            return self.current

    async def _store(self, desk: Desk) -> None:
        value = msgspec.json.encode(_SavedDesk(self._owner, desk))
        self._revision = await self._bucket.put(DESK, value, expect=self._revision)
        self.current = desk
        self.changed.set()

    async def _read_back(self) -> None:
        """A write whose answer was lost may have been stored."""
        entry = await self._bucket.get(DESK)
        kept = msgspec.json.decode(entry.value, type=_SavedDesk) if entry else None
        if entry is None or kept is None or kept.owner != self._owner:
            raise Permanent("another notifier has taken over: this one stops", kind="taken_over")
        self._revision, self.current = entry.revision, kept.desk
