"""Who holds a thing: one entry for each, in the bucket of leases."""

from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec
import structlog

from agent_contracts.errors import Conflict
from agent_platform.log.bucket import Bucket

KEPT_S = 24 * 3600.0
"""Seconds for which a lease that nobody renews is remembered: who held it, or why it is lost."""

log = structlog.get_logger()

K = TypeVar("K")


class Lease(msgspec.Struct, frozen=True, omit_defaults=True):
    """`holder` has the thing; or nobody does, and `lost` says why there is none any more."""

    holder: str | None = None
    lost: str | None = None


class LeaseState(msgspec.Struct, frozen=True):
    """A lease as it stands. `revision` 0: there is none."""

    lease: Lease = Lease()
    revision: int = 0


class Leases(Generic[K]):
    """Compare-and-set on the bucket, in the name of one process. An entry that is not written again is gone
    after a day."""

    def __init__(self, bucket: Bucket, me: str, key_of: Callable[[K], str]) -> None:
        """`me` is this process: no other has, or had, its name. `key_of` says where a thing's lease is."""
        self.me = me
        self._bucket = bucket
        self._key_of = key_of

    async def find(self, thing: K) -> LeaseState:
        """The thing's lease. One that can't be read is nobody's."""
        entry = await self._bucket.get(self._key_of(thing))
        if entry is None:
            return LeaseState()
        try:
            return LeaseState(msgspec.json.decode(entry.value, type=Lease), entry.revision)
        except msgspec.DecodeError as error:
            log.warning("lease.unreadable", of=str(thing), error=str(error))
            return LeaseState(Lease(), entry.revision)

    async def take(self, thing: K, held: LeaseState) -> bool:
        """Take over the lease as it was found, or renew one's own. False: another was quicker."""
        return await self._put(thing, Lease(self.me), held.revision)

    async def lose(self, thing: K, held: LeaseState, lost: str) -> bool:
        """Take the lease from a process that is gone: it is nobody's then. False: another was quicker."""
        return await self._put(thing, Lease(None, lost), held.revision)

    async def release(self, thing: K, lost: str | None) -> None:
        """Give one's own lease back; `lost` is what whoever takes it is told. Another's stays."""
        held = await self.find(thing)
        if held.lease.holder == self.me:
            await self._put(thing, Lease(None, lost), held.revision)

    async def _put(self, thing: K, lease: Lease, revision: int) -> bool:
        body = msgspec.json.encode(lease)
        try:
            await self._bucket.put(self._key_of(thing), body, expect=revision, ttl_s=KEPT_S)
        except Conflict:
            return False
        return True
