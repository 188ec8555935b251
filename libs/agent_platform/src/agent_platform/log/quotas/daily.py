"""How many bytes each agent may add to the log in a day, counted over all processes."""

import asyncio
from datetime import UTC, date, datetime, time, timedelta

import msgspec
import structlog

from agent_contracts.errors import Conflict, Rejected, Transient
from agent_contracts.ids import AgentId
from agent_platform.log.bucket import Bucket, BucketEntry
from agent_platform.process.clock import Clock

STEP = 256 * 1024
"""Bytes that a process takes of a day's quota at a time: one write to the bucket for about 50 steps."""
_PART = 16
"""Never more than this part of what is left is taken at a time, so that little is held back near the end."""
_ATTEMPTS = 50
QUOTA_EXCEEDED = "quota_exceeded"

log = structlog.get_logger()


class Day(msgspec.Struct, frozen=True):
    """What was taken of an agent's quota on a day (UTC, as `2026-01-31`)."""

    day: str
    bytes: int = 0


class DailyQuota:
    """The quota of `limit` bytes a day (0: none) of each agent.

    A process takes bytes of the shared count in steps and spends them without asking anybody, so processes
    together never spend more than the limit, and a restart forgets nothing. What a process took and hasn't
    spent when it ends counts as spent: `STEP` at most.
    """

    def __init__(self, bucket: Bucket, clock: Clock, limit: int) -> None:
        self.limit = limit
        self._bucket = bucket
        self._clock = clock
        self._day = ""
        self._shares: dict[AgentId, _Share] = {}

    async def take(self, agent_id: AgentId, size: int) -> None:
        """Spend `size` bytes. `Rejected(kind="quota_exceeded")`, nothing spent, if so many are not left;
        `Transient` if that can't be told."""
        share = self._share(agent_id)
        await self._draw_up_to(share, agent_id, size)
        share.left -= size

    async def require(self, agent_id: AgentId, size: int = 1) -> None:
        """Refuse as `take` does, and spend nothing."""
        await self._draw_up_to(self._share(agent_id), agent_id, size)

    async def check(self, agent_id: AgentId, size: int) -> None:
        """Refuse as `take` does what others will write, and take nothing of the count."""
        if self.limit and (await self.used(agent_id)).bytes + size > self.limit:
            raise self._exceeded(agent_id, size)

    async def count(self, agent_id: AgentId, size: int) -> None:
        """Spend what must be written in any case, beyond the limit too. If the count can't be reached, it is
        told with the next bytes."""
        share = self._share(agent_id)
        share.left -= size
        if share.left >= 0:
            return
        async with share.lock:
            try:
                if share.left < 0:
                    await self._draw(share, agent_id, 0, in_any_case=True)
            except Transient as error:
                log.warning(
                    "quota.not_counted_yet", agent_id=agent_id, bytes=-share.left, reason=error.message
                )

    def give_back(self, agent_id: AgentId, size: int) -> None:
        """What was taken was not written after all."""
        self._share(agent_id).left += size

    async def used(self, agent_id: AgentId) -> Day:
        """What was taken today, by all processes: up to `STEP` for each more than was written."""
        return self._read(await self._bucket.get(agent_id), self._today())

    def next_day(self) -> datetime:
        """When the count begins anew (UTC)."""
        tomorrow = self._clock.now().astimezone(UTC).date() + timedelta(days=1)
        return datetime.combine(tomorrow, time(), UTC)

    def seconds_left(self) -> float:
        """Until then."""
        return (self.next_day() - self._clock.now()).total_seconds()

    async def _draw_up_to(self, share: "_Share", agent_id: AgentId, size: int) -> None:
        if share.left >= size:
            return
        async with share.lock:
            if share.left >= size:
                return
            if size - share.left > share.most_left:
                raise self._exceeded(agent_id, size)  # it can only have become less
            await self._draw(share, agent_id, size)

    async def _draw(
        self, share: "_Share", agent_id: AgentId, size: int, *, in_any_case: bool = False
    ) -> None:
        for _ in range(_ATTEMPTS):
            entry = await self._bucket.get(agent_id)
            found = self._read(entry, share.day)
            wanted, rest = size - share.left, self.limit - found.bytes
            if self.limit and wanted > rest and not in_any_case:
                share.most_left = rest
                raise self._exceeded(agent_id, size)
            taken = max(wanted, min(STEP, rest // _PART) if self.limit else STEP)
            told = msgspec.json.encode(Day(found.day, found.bytes + taken))
            try:
                await self._bucket.put(agent_id, told, expect=entry.revision if entry else 0)
            except Conflict:
                continue
            share.left += taken
            return
        raise Transient(f"The quota of agent {agent_id} was changed by others {_ATTEMPTS} times meanwhile")

    def _read(self, entry: BucketEntry | None, day: str) -> Day:
        """The count of `day`, or of the next one, if another process has begun it. A day further on was begun
        by a clock that was wrong."""
        if entry is None:
            return Day(day)
        try:
            found = msgspec.json.decode(entry.value, type=Day)
        except msgspec.DecodeError as error:
            log.error("quota.unreadable", agent_id=entry.key, reason=str(error))
            return Day(day)
        return found if found.day in (day, _next(day)) else Day(day)

    def _exceeded(self, agent_id: AgentId, size: int) -> Rejected:
        return Rejected(
            f"Agent {agent_id} may add {shown(self.limit)} a day to the log, and what is left of that today "
            f"is less than the {shown(size)} of this. Nothing stored is lost, other agents go on. "
            f"This agent can go on at {self.next_day():%Y-%m-%d %H:%M} UTC, or as soon as Foldline is "
            "started with a higher FOLDLINE_AGENT_LOG_LIMIT.",
            kind=QUOTA_EXCEEDED,
        )

    def _today(self) -> str:
        return self._clock.now().astimezone(UTC).date().isoformat()

    def _share(self, agent_id: AgentId) -> "_Share":
        today = self._today()
        if today != self._day:
            self._day, self._shares = today, {}
        return self._shares.setdefault(agent_id, _Share(today, self.limit))


def _next(day: str) -> str:
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()


class _Share:
    """What this process may still spend of an agent's day, and the most that can be left of the day."""

    def __init__(self, day: str, most_left: int) -> None:
        self.day = day
        self.left = 0
        self.most_left = most_left or 2**63
        self.lock = asyncio.Lock()


def shown(size: int) -> str:
    """A number of bytes as people read it."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}".replace(".0 ", " ")
    return f"{size} bytes"
