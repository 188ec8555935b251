"""How much an agent may keep, over all processes that write for it."""

import asyncio
import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from time import monotonic

import msgspec
import structlog

from agent_contracts.errors import Conflict, ErrorKind, Rejected, Transient
from agent_contracts.ids import AgentId
from agent_contracts.log.subjects import QUOTAS_BUCKET, SNAPSHOTS_BUCKET
from agent_platform.log.bucket import Bucket, bucket
from agent_platform.log.port import Log
from agent_platform.log.quotas.daily import shown
from agent_platform.log.quotas.storage_meter import KeptBytes, StorageMeter
from agent_platform.nats.connection import NatsConnection
from agent_platform.process.clock import Clock, rfc3339

FAR = 2
"""Below this part of the limit, small writes are not held against each other: far from it, none of them can
reach it."""
SMALL = 1_000
"""A small write is at most this part of the limit: so many would have to be under way at once."""
FRESH_S = 5.0
"""For so long it is enough, far from the limit, to know what was kept."""
LONGEST_WRITE = timedelta(minutes=1)
"""What a write took longer for than this, its process doesn't live any more."""
_WAITS_S = 2.0
_AGAIN_S = 0.02
_ATTEMPTS = 100

log = structlog.get_logger()


class PendingGrowth(msgspec.Struct, frozen=True):
    """A write that is under way may add so many `bytes`; it was said `at` (RFC 3339)."""

    bytes: int
    at: str


class Room:
    """Lets an agent keep `limit` bytes (0: no limit), and no more, however many write at once.

    What is kept is read from the log and the bucket `snapshots` (`StorageMeter`). Near the limit a write
    first says in `bucket` how much it adds; it counts those that said so before it, as long as they are
    not done.
    """

    def __init__(self, events: Log, snapshots: Bucket, bucket: Bucket, clock: Clock, limit: int) -> None:
        self.limit = limit
        self._kept = StorageMeter(events, snapshots)
        self._bucket = bucket
        self._clock = clock
        self._seen: dict[AgentId, tuple[float, int]] = {}

    async def kept(self, agent_id: AgentId) -> KeptBytes:
        """What the agent keeps now."""
        found = await self._kept.of(agent_id)
        if len(self._seen) > 10_000:
            self._seen.clear()
        self._seen[agent_id] = (monotonic(), found.total)
        return found

    async def require(self, agent_id: AgentId, more: int) -> None:
        """`Rejected(kind="too_large")` where `more` bytes are too many now; nothing is held for them."""
        if not self.limit or more <= 0 or self._is_far(agent_id, more):
            return
        used = (await self.kept(agent_id)).total
        if used + more > self.limit:
            self._kept.forget(agent_id)  # something may have been erased
            used = (await self.kept(agent_id)).total
        if used + more > self.limit:
            raise self._full(agent_id, used, more)

    @asynccontextmanager
    async def growing(self, agent_id: AgentId, more: int) -> AsyncGenerator[None, None]:
        """Write in this block what makes the agent keep `more` bytes (0 or fewer: always).

        `Rejected(kind="too_large")` where it may not; `Transient` where that can't be told.
        """
        if not self.limit or more <= 0 or self._is_far(agent_id, more):
            if agent_id in self._seen:
                at, used = self._seen[agent_id]
                self._seen[agent_id] = (at, used + max(more, 0))
            yield
            return
        used = (await self.kept(agent_id)).total
        if self._is_small(used, more):
            yield
            return
        name = await self._say(agent_id, more)
        try:
            await self._wait_for_room(agent_id, name, more)
            yield
        finally:
            await self._take_back(agent_id, name)

    def _is_far(self, agent_id: AgentId, more: int) -> bool:
        """Whether it was far enough from the limit a moment ago."""
        at, used = self._seen.get(agent_id, (0.0, self.limit))
        return monotonic() - at < FRESH_S and self._is_small(used, more)

    def _is_small(self, used: int, more: int) -> bool:
        return used + more <= self.limit // FAR and more <= self.limit // SMALL

    async def _wait_for_room(self, agent_id: AgentId, name: str, more: int) -> None:
        """Until there is room for it beside those that said so before: they may fail, or be done by now."""
        until = monotonic() + _WAITS_S
        while True:
            # In this order: what is not under way any more by then is in the log.
            before = await self._before(agent_id, name)
            used = (await self.kept(agent_id)).total
            if used + before + more <= self.limit:
                return
            if not before or monotonic() > until:
                break
            await asyncio.sleep(_AGAIN_S)
        self._kept.forget(agent_id)
        used = (await self.kept(agent_id)).total
        if used + before + more > self.limit:
            raise self._full(agent_id, used, more)

    async def _before(self, agent_id: AgentId, name: str) -> int:
        """What those add that said so before this one."""
        entry = await self._bucket.get(kept_key(agent_id))
        found = _read(entry.value if entry else None)
        total = 0
        for other, one in found.items():
            if other == name:
                return total
            if not self._is_over(one):
                total += one.bytes
        raise Transient("What is being written for the agent is not known: it took too long")

    async def _say(self, agent_id: AgentId, more: int) -> str:
        name = secrets.token_hex(8)
        now = PendingGrowth(more, rfc3339(self._clock.now()))
        await self._change(agent_id, name, now)
        return name

    async def _take_back(self, agent_id: AgentId, name: str) -> None:
        try:
            await self._change(agent_id, name, None)
        except Transient as error:  # then it counts for a minute
            log.warning("kept.not_taken_back", agent_id=agent_id, reason=error.message)

    async def _change(self, agent_id: AgentId, name: str, now: PendingGrowth | None) -> None:
        for attempt in range(_ATTEMPTS):
            entry = await self._bucket.get(kept_key(agent_id))
            found = {key: one for key, one in _read(entry.value if entry else None).items() if key != name}
            if now is not None:
                found = {key: one for key, one in found.items() if not self._is_over(one)}
                found[name] = now
            try:
                data = msgspec.json.encode(found)
                await self._bucket.put(kept_key(agent_id), data, expect=entry.revision if entry else 0)
                return
            except Conflict:
                await asyncio.sleep(0.001 * secrets.randbelow(1 + min(attempt, 20)))
        raise Transient(f"What agent {agent_id} writes was changed by others {_ATTEMPTS} times meanwhile")

    def _is_over(self, one: PendingGrowth) -> bool:
        return self._clock.now() - datetime.fromisoformat(one.at) > LONGEST_WRITE

    def _full(self, agent_id: AgentId, used: int, more: int) -> Rejected:
        return Rejected(
            f"Agent {agent_id} keeps {shown(used)} and may keep {shown(self.limit)}: {shown(more)} more are "
            "too many, so nothing was written. All that it keeps stays as it is, and can be read, made "
            "smaller and deleted. Delete files, rows or texts that are no longer needed (`foldline usage` "
            "says what takes the room), or start Foldline with a higher FOLDLINE_AGENT_KEPT_LIMIT.",
            kind=ErrorKind.TOO_LARGE,
        )


def stored_room(connection: NatsConnection, events: Log, clock: Clock, limit: int) -> Room:
    """Room on JetStream."""
    return Room(events, bucket(connection, SNAPSHOTS_BUCKET), bucket(connection, QUOTAS_BUCKET), clock, limit)


def kept_key(agent_id: AgentId) -> str:
    """Where it stands in the bucket what is being written for an agent."""
    return f"kept.{agent_id}"


def _read(value: bytes | None) -> dict[str, PendingGrowth]:
    if value is None:
        return {}
    try:
        return msgspec.json.decode(value, type=dict[str, PendingGrowth])
    except msgspec.DecodeError as error:
        log.error("kept.unreadable", reason=str(error))
        return {}
