"""Blobs in memory, for tests."""

from agent_contracts.blob_ref import BlobRef, sha256_of
from agent_contracts.errors import Rejected


class MemoryBlobs:
    """`Blobs` that live as long as the object."""

    def __init__(self) -> None:
        self._blobs: dict[str, bytes] = {}

    async def put(self, data: bytes, media_type: str = "application/json") -> BlobRef:
        """Store the bytes, unless they are there already."""
        sha256 = sha256_of(data)
        self._blobs.setdefault(sha256, data)
        return BlobRef(sha256, len(data), media_type)

    async def get(self, sha256: str) -> bytes:
        """The bytes; `Rejected(kind="not_found")` if there are none under this hash."""
        if sha256 not in self._blobs:
            raise Rejected(f"no blob {sha256}", kind="not_found")
        return self._blobs[sha256]
