"""Leases: one owner at a time, for as long as it renews."""

from typing import Protocol

import msgspec

from agent_contracts.errors import Conflict
from agent_platform.bucket import Bucket


class Lease(msgspec.Struct, frozen=True):
    """Proof that `owner` held `key` when this was returned; it ends `ttl_s` seconds later unless renewed."""

    key: str
    owner: str
    ttl_s: float
    revision: int


class Leases(Protocol):
    """Who may do what only one may do. Lost leases are found out by `renew`, so act well within the TTL."""

    async def acquire(self, key: str, owner: str, ttl_s: float) -> Lease | None:
        """Take the lease, None if another owner has it. `owner` is unique to a process, and its own lease
        is taken again. `ttl_s` counts in whole seconds."""
        ...

    async def renew(self, lease: Lease) -> Lease | None:
        """Hold it for another `ttl_s` seconds; None if it was lost."""
        ...

    async def release(self, lease: Lease) -> None:
        """Let others have it at once; nothing to do if it was lost."""
        ...

    async def holder(self, key: str) -> str | None:
        """Who has it now."""
        ...


class BucketLeases:
    """`Leases` in a key-value bucket whose stream allows a time to live per message."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    async def acquire(self, key: str, owner: str, ttl_s: float) -> Lease | None:
        """Take the lease; see the port."""
        held = await self._bucket.get(key)
        if held is not None and held.value.decode() != owner:
            return None
        return await self._write(key, owner, ttl_s, held.revision if held else 0)

    async def renew(self, lease: Lease) -> Lease | None:
        """Hold it on; see the port."""
        return await self._write(lease.key, lease.owner, lease.ttl_s, lease.revision)

    async def release(self, lease: Lease) -> None:
        """Let go; see the port."""
        try:
            await self._bucket.delete(lease.key, expect=lease.revision)
        except Conflict:
            return  # lost before

    async def holder(self, key: str) -> str | None:
        """Who has it now."""
        held = await self._bucket.get(key)
        return held.value.decode() if held else None

    async def _write(self, key: str, owner: str, ttl_s: float, expect: int) -> Lease | None:
        try:
            revision = await self._bucket.put(key, owner.encode(), expect=expect, ttl_s=ttl_s)
        except Conflict:
            return None
        return Lease(key, owner, ttl_s, revision)
