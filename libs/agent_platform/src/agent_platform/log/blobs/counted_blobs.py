"""Blobs that count towards the day of the agent for which they are stored."""

from collections.abc import AsyncGenerator, AsyncIterable, Sequence

from cachetools import FIFOCache

from agent_contracts.blob_ref import BlobRef, sha256_of
from agent_contracts.ids import AgentId
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.quotas.daily import DailyQuota

_REMEMBERED = 20_000


class CountedBlobs:
    """`Blobs` whose bytes count, beside those in the log, as what an agent added that day.

    They are stored in any case: what is over the quota is refused with the next event of new work, which
    names them or comes after. What this process stored for the agent lately doesn't count again.
    """

    def __init__(self, blobs: Blobs, quota: DailyQuota) -> None:
        self._blobs = blobs
        self._quota = quota
        self._counted: FIFOCache[tuple[AgentId, str], None] = FIFOCache(_REMEMBERED)

    @property
    def generation(self) -> int:
        """See the port."""
        return self._blobs.generation

    async def put(
        self, data: bytes, media_type: str = "application/json", *, owner: AgentId | None = None
    ) -> BlobRef:
        """Store, and count; see the port."""
        return await self._count(await self._blobs.put(data, media_type), owner)

    async def put_all(self, contents: Sequence[bytes], *, owner: AgentId | None = None) -> None:
        """Store, and count; see the port."""
        await self._blobs.put_all(contents)
        for data in contents:
            await self._count(BlobRef(sha256_of(data), len(data), ""), owner)

    async def put_stream(
        self, data: AsyncIterable[bytes], media_type: str, *, owner: AgentId | None = None
    ) -> BlobRef:
        """Store, and count; see the port."""
        return await self._count(await self._blobs.put_stream(data, media_type), owner)

    async def get(self, sha256: str) -> bytes:
        """See the port."""
        return await self._blobs.get(sha256)

    async def size(self, sha256: str) -> int:
        """See the port."""
        return await self._blobs.size(sha256)

    def stream(self, sha256: str, start: int = 0, end: int | None = None) -> AsyncGenerator[bytes, None]:
        """See the port."""
        return self._blobs.stream(sha256, start, end)

    async def _count(self, blob: BlobRef, owner: AgentId | None) -> BlobRef:
        if owner is not None and (owner, blob.sha256) not in self._counted:
            self._counted[owner, blob.sha256] = None
            await self._quota.count(owner, blob.size)
        return blob
