"""How many calls that act outside an agent makes in a minute, counted over all model callers."""

import msgspec
import structlog

from agent_contracts.errors import Conflict, Transient
from agent_contracts.ids import AgentId
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import Clock

_ATTEMPTS = 50

log = structlog.get_logger()


class Minute(msgspec.Struct, frozen=True):
    """So many were let through in this minute of the clock (UTC, as `2026-01-31T12:34`)."""

    minute: str
    calls: int = 0


class RateLimit:
    """Lets so many through, and no more. A minute is one of the clock, so at its turn twice as many may come
    within a short time."""

    def __init__(self, bucket: Bucket, clock: Clock) -> None:
        self._bucket = bucket
        self._clock = clock

    async def take(self, agent_id: AgentId, wanted: int, most: int) -> int:
        """How many of those that are wanted may be made in this minute.

        While the count can't be reached, all of them: a bound on speed is no reason to lose an answer that
        was paid for.
        """
        key = pace_key(agent_id)
        for _ in range(_ATTEMPTS):
            try:
                entry = await self._bucket.get(key)
                minute = _read(entry.value if entry else None, self._minute())
                granted = max(0, min(wanted, most - minute.calls))
                if granted:
                    told = msgspec.json.encode(Minute(minute.minute, minute.calls + granted))
                    await self._bucket.put(key, told, expect=entry.revision if entry else 0)
                return granted
            except Conflict:
                continue
            except Transient as error:
                log.warning("pace.not_counted", agent_id=agent_id, calls=wanted, reason=error.message)
                return wanted
        log.warning("pace.not_counted", agent_id=agent_id, calls=wanted, reason="it is changed all the time")
        return wanted

    def seconds_left(self) -> int:
        """Until the next minute begins."""
        return 60 - self._clock.now().second

    def _minute(self) -> str:
        return self._clock.now().strftime("%Y-%m-%dT%H:%M")


def pace_key(agent_id: AgentId) -> str:
    """Where the count of an agent stands."""
    return f"pace.{agent_id}"


def _read(value: bytes | None, minute: str) -> Minute:
    if value is not None:
        try:
            found = msgspec.json.decode(value, type=Minute)
        except msgspec.DecodeError:
            return Minute(minute)
        if found.minute == minute:
            return found
    return Minute(minute)
