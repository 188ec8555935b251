"""What was begun with a wake, kept so that it happens once, whoever crashes in between."""

from datetime import datetime, timedelta

import msgspec

from agent_contracts.ids import AgentId, SessionId
from agent_contracts.wakes import WakeOutcome
from agent_platform.log.bucket import Bucket

COUNTS_FOR = timedelta(hours=24)
"""So long a repeat of a wake is known as one."""
_KEPT_S = timedelta(days=8).total_seconds()
"""Longer than the stream keeps the message that it was made for."""


class Claim(msgspec.Struct, frozen=True):
    """What is to become of a wake, decided before anything is written, and what became of it (`outcome`).

    `delivery` is the message of the stream `WAKE` that it was made for (None: over HTTP), `at` when (RFC
    3339). What it leads to is event `event_id`, and stands in the log after sequence `after`: in session
    `session_id`, which is to be begun if `begins`, or in the inbox as `inbox_id`.
    """

    at: str
    after: int
    event_id: str
    agent_id: AgentId
    delivery: int | None = None
    session_id: SessionId | None = None
    begins: bool = False
    inbox_id: str | None = None
    outcome: WakeOutcome | None = None

    def counts(self, delivery: int | None, now: datetime) -> bool:
        """Whether a delivery of the same wake is a repeat of this: within a day, or the very same message."""
        same = delivery is not None and delivery == self.delivery
        return same or now - datetime.fromisoformat(self.at) < COUNTS_FOR


class Claims:
    """Keeps them by the wake's key."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    async def find(self, key: str) -> tuple[Claim | None, int]:
        """The claim, and its revision to be given to `put`."""
        entry = await self._bucket.get(_name(key))
        if entry is None:
            return None, 0
        return msgspec.json.decode(entry.value, type=Claim), entry.revision

    async def put(self, key: str, claim: Claim, revision: int) -> int:
        """Keep it if nobody wrote since `revision` (0: there was none); `Conflict` otherwise."""
        return await self._bucket.put(_name(key), msgspec.json.encode(claim), expect=revision, ttl_s=_KEPT_S)


def _name(key: str) -> str:
    return f"claim.{key}"
