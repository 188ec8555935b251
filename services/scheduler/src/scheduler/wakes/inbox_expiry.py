"""Deletes wakes that lay in an inbox for 30 days. Until that is done, readers pass them over."""

import asyncio

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Failure
from agent_contracts.event_sources import SCHEDULER, Actor
from agent_contracts.wakes import InboxItem
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityWriter
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock, rfc3339
from agent_platform.process.interruption import Interruption

_EVERY_S = 3600.0


class InboxExpiry:
    """Looks at every inbox once an hour."""

    def __init__(self, log: Log, clock: Clock) -> None:
        self._entities = Entities(log, clock, SCHEDULER)
        self._clock = clock

    async def run(self) -> None:
        """Look until cancelled."""
        interruption = Interruption("inbox_expiry")
        while True:
            with interruption.tried(Failure):
                await self.expire()
            await asyncio.sleep(_EVERY_S)

    async def expire(self) -> int:
        """Delete what is over; how many those were."""
        now = rfc3339(self._clock.now())
        over = [
            one
            for one in await self._entities.list_of_everyone(EntityKind.INBOX)
            if msgspec.convert(one.value, InboxItem).until <= now
        ]
        for one in over:
            writer = EntityWriter(f"expired:{one.key.subject}:{one.sequence}", Actor.SERVICE)
            await self._entities.delete(one.key, writer)
        return len(over)
