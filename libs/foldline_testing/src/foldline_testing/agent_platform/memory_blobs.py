"""Blobs in memory, for tests."""

from collections.abc import AsyncGenerator, AsyncIterable, Sequence

from agent_contracts.blob_ref import BlobRef, sha256_of
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId

_PIECE = 64 * 1024


class MemoryBlobs:
    """`Blobs` that live as long as the object."""

    generation = 0
    """See the port."""

    def __init__(self) -> None:
        self._blobs: dict[str, bytes] = {}

    async def put(
        self, data: bytes, media_type: str = "application/json", *, owner: AgentId | None = None
    ) -> BlobRef:
        """Store the bytes, unless they exist already."""
        sha256 = sha256_of(data)
        self._blobs.setdefault(sha256, data)
        return BlobRef(sha256, len(data), media_type)

    async def put_all(self, contents: Sequence[bytes], *, owner: AgentId | None = None) -> None:
        """`put` for each."""
        for data in contents:
            await self.put(data, owner=owner)

    async def put_stream(
        self, data: AsyncIterable[bytes], media_type: str, *, owner: AgentId | None = None
    ) -> BlobRef:
        """Store what comes; see the port."""
        return await self.put(b"".join([piece async for piece in data]), media_type)

    async def get(self, sha256: str) -> bytes:
        """The bytes; `Rejected(kind="not_found")` if there are none under this hash."""
        if sha256 not in self._blobs:
            raise Rejected(f"no blob {sha256}", kind="not_found")
        return self._blobs[sha256]

    def lose(self, sha256: str) -> None:
        """As if its bytes were gone from the disk."""
        del self._blobs[sha256]

    async def size(self, sha256: str) -> int:
        """How many bytes there are; see the port."""
        return len(await self.get(sha256))

    async def stream(
        self, sha256: str, start: int = 0, end: int | None = None
    ) -> AsyncGenerator[bytes, None]:
        """The bytes in pieces; see the port."""
        wanted = (await self.get(sha256))[start:end]
        for at in range(0, len(wanted), _PIECE):
            yield wanted[at : at + _PIECE]

    def lose_all(self) -> None:
        """As an erasure would, of which this process hears."""
        self._blobs.clear()
        self.generation += 1
