"""How many wakes a minute a service may send: counted together by all schedulers, in a bucket."""

import asyncio

import msgspec

from agent_contracts.errors import Conflict, Rejected
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import Clock

_MINUTE_S = 60
_KEPT_S = 180.0


class _Count(msgspec.Struct, frozen=True):
    minute: int
    wakes: int


class Rates:
    """Counts by minutes of the clock. One of this process's wakes is counted at a time, so that only other
    processes come in between."""

    def __init__(self, bucket: Bucket, clock: Clock) -> None:
        self._bucket = bucket
        self._clock = clock
        self._counting: dict[str, asyncio.Lock] = {}
        self._known: dict[str, tuple[_Count, int]] = {}

    async def take(self, source: str, rate: int) -> None:
        """Count one more wake; `Rejected(kind="rate_limited")` if there were `rate` in this minute."""
        async with self._counting.setdefault(source, asyncio.Lock()):
            while True:
                minute = int(self._clock.now().timestamp()) // _MINUTE_S
                count, revision = self._known.get(source) or await self._stored(source)
                wakes = count.wakes if count.minute == minute else 0
                if wakes >= rate:
                    break
                try:
                    await self._count(source, _Count(minute, wakes + 1), revision)
                    return
                except Conflict:
                    self._known.pop(source, None)
        raise Rejected(
            f"{source} sent {rate} wakes in this minute, and may send no more until the next",
            kind="rate_limited",
        )

    async def _stored(self, source: str) -> tuple[_Count, int]:
        entry = await self._bucket.get(_key(source))
        if entry is None:
            return _Count(0, 0), 0
        return msgspec.json.decode(entry.value, type=_Count), entry.revision

    async def _count(self, source: str, count: _Count, revision: int) -> None:
        data = msgspec.json.encode(count)
        written = await self._bucket.put(_key(source), data, expect=revision, ttl_s=_KEPT_S)
        self._known[source] = count, written


def _key(source: str) -> str:
    return f"rate.{source}"
