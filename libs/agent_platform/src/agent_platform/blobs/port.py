"""Blobs: immutable bytes under their SHA-256."""

from typing import Protocol

from agent_contracts.blob_ref import BlobRef


class Blobs(Protocol):
    """Content-addressed storage. Small ones lie in the BLOB stream, larger in the object store."""

    async def put(self, data: bytes, media_type: str = "application/json") -> BlobRef:
        """Store the bytes, unless they are there already."""
        ...

    async def get(self, sha256: str) -> bytes:
        """The bytes; `Rejected(kind="not_found")` if there are none under this hash."""
        ...
