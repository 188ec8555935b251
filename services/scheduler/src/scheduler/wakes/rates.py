"""How many wakes a minute a service may send: counted together by all schedulers, in a bucket."""

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
    """Counts by minutes of the clock."""

    def __init__(self, bucket: Bucket, clock: Clock) -> None:
        self._bucket = bucket
        self._clock = clock
        self._full: dict[str, int] = {}

    async def take(self, source: str, rate: int) -> None:
        """Count one more wake; `Rejected(kind="rate_limited")` if there were `rate` in this minute."""
        minute = int(self._clock.now().timestamp()) // _MINUTE_S
        while self._full.get(source) != minute:
            entry = await self._bucket.get(_key(source))
            count = _Count(minute, 0) if entry is None else msgspec.json.decode(entry.value, type=_Count)
            if count.minute != minute:
                count = _Count(minute, 0)
            if count.wakes >= rate:
                self._full[source] = minute
                break
            more = msgspec.json.encode(_Count(minute, count.wakes + 1))
            try:
                await self._bucket.put(
                    _key(source), more, expect=entry.revision if entry else 0, ttl_s=_KEPT_S
                )
                return
            except Conflict:
                continue
        raise Rejected(
            f"{source} sent {rate} wakes in this minute, and may send no more until the next",
            kind="rate_limited",
        )


def _key(source: str) -> str:
    return f"rate.{source}"
