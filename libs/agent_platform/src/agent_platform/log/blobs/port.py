"""Blobs: immutable bytes under their SHA-256."""

from collections.abc import AsyncGenerator, AsyncIterable, Sequence
from typing import Protocol

from agent_contracts.blob_ref import BlobRef
from agent_contracts.ids import AgentId

LOST_BLOB = frozenset(("not_found", "blob_corrupt"))
"""The kinds of failure that say that a blob is missing, or holds other bytes than its name says."""


class Blobs(Protocol):
    """Content-addressed storage. Small ones lie in the BLOB stream, larger in the object store."""

    @property
    def generation(self) -> int:
        """Grows whenever something may have been removed: what was stored before it may be gone."""
        ...

    async def put(
        self, data: bytes, media_type: str = "application/json", *, owner: AgentId | None = None
    ) -> BlobRef:
        """Store the bytes, unless they exist already. `owner` is the agent to whose day they count, where
        days are counted."""
        ...

    async def put_all(self, contents: Sequence[bytes], *, owner: AgentId | None = None) -> None:
        """`put` for each: what is missing is found out at once. The last one, which may name the others, is
        stored when they are."""
        ...

    async def put_stream(
        self, data: AsyncIterable[bytes], media_type: str, *, owner: AgentId | None = None
    ) -> BlobRef:
        """Store what comes, of any length, without holding more than a piece of it.

        Where `data` raises or the caller is cancelled, nothing is found under any hash.
        """
        ...

    async def get(self, sha256: str) -> bytes:
        """The bytes; `Rejected(kind="not_found")` if there are none under this hash."""
        ...

    async def size(self, sha256: str) -> int:
        """How many bytes there are; `Rejected(kind="not_found")` as `get`."""
        ...

    def stream(self, sha256: str, start: int = 0, end: int | None = None) -> AsyncGenerator[bytes, None]:
        """The bytes from `start` up to but without `end`, in pieces; fewer where the blob ends before.

        `Rejected(kind="not_found")` as `get`. Who reads all of it gets the end only if all fits the hash.
        """
        ...
