"""Blobs on JetStream: small ones as messages, larger ones in pieces in the object store."""

import asyncio
import hashlib
import re
import secrets
from collections.abc import AsyncGenerator, AsyncIterable, Sequence
from contextlib import aclosing

from cachetools import FIFOCache

from agent_contracts.blob_ref import BlobRef, sha256_of
from agent_contracts.errors import Conflict, Permanent, Rejected, Transient
from agent_contracts.ids import AgentId
from agent_contracts.log.record.codec import MESSAGE_ID
from agent_contracts.log.record.records import Expect, NewMessage
from agent_contracts.log.subjects import BLOB_STREAM, blob_subject
from agent_platform.log.blobs.objects import PIECE, ObjectMeta, Objects
from agent_platform.log.blobs.pieces import begun, sliced
from agent_platform.log.blobs.removals import Removals
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection

SMALL = 1024 * 1024
"""The most bytes of a blob that is one message."""

_SHA256 = re.compile(r"[0-9a-f]{64}")
_REMEMBERED = 4096
_TRIES = 50
_AGAIN_S = 0.1


class JetStreamBlobs:
    """`Blobs` on the stream `BLOB` and the bucket `objects`. What is read whole fits its hash.

    A process that keeps one for long hears of erasures (`agent_domain.erasing.progress.blobs_of`).
    """

    def __init__(self, connection: NatsConnection) -> None:
        self._connection = connection
        self._epoch = connection.epoch
        self._generation = 0
        self._removals = Removals(connection)
        self._small = JetStreamLog(connection, stream=BLOB_STREAM)
        self._large = Objects(connection)
        self._stored: FIFOCache[str, None] = FIFOCache(_REMEMBERED)

    @property
    def generation(self) -> int:
        """See the port."""
        self._remembered()
        return self._generation

    async def put(
        self, data: bytes, media_type: str = "application/json", *, owner: AgentId | None = None
    ) -> BlobRef:
        """Store the bytes, unless they are there; what this process stored lately isn't sent again."""
        sha256 = sha256_of(data)
        stored = self._remembered()
        if sha256 not in stored:
            if len(data) <= SMALL:
                await self._put_small(sha256, data)
            elif not await self._is_large_and_stays(sha256):
                await self._large.store(sliced(data, PIECE))
            stored[sha256] = None
        return BlobRef(sha256, len(data), media_type)

    async def put_all(self, contents: Sequence[bytes], *, owner: AgentId | None = None) -> None:
        """Store those that are missing; one request says which those are. See the port."""
        small = {blob_subject(sha256_of(data)): sha256_of(data) for data in contents if len(data) <= SMALL}
        stored = self._remembered()
        unsure = [subject for subject, sha256 in small.items() if sha256 not in stored]
        if len(unsure) > 1:
            found = await self._small.last_of_each(*unsure)
            staying = await self._removals.wanted([small[message.subject] for message in found])
            stored.update(dict.fromkeys(staying))
        *others, last = contents
        await asyncio.gather(*(self.put(data) for data in others))
        await self.put(last)

    async def put_stream(
        self, data: AsyncIterable[bytes], media_type: str, *, owner: AgentId | None = None
    ) -> BlobRef:
        """Store what comes; see the port."""
        first, coming = bytearray(), aiter(data)
        async for piece in coming:
            first += piece
            if len(first) > SMALL:
                sha256, size = await self._large.store(begun(bytes(first), coming))
                return BlobRef(sha256, size, media_type)
        return await self.put(bytes(first), media_type)

    def forget_stored(self) -> None:
        """Some are about to be removed: what this process stored may not be there any more."""
        self._generation += 1
        self._stored = FIFOCache(_REMEMBERED)  # a new one: who is storing now remembers in the old one

    def _remembered(self) -> FIFOCache[str, None]:
        """What this process stored lately. Who was disconnected may not have heard that it is to forget."""
        if self._epoch != self._connection.epoch:
            self._epoch = self._connection.epoch
            self.forget_stored()
        return self._stored

    async def get(self, sha256: str) -> bytes:
        """The bytes; `Rejected(kind="not_found")` if there are none under this hash.

        `Permanent(kind="blob_corrupt")` if what is stored there is something else.
        """
        return b"".join([piece async for piece in self.stream(sha256)])

    async def size(self, sha256: str) -> int:
        """How many bytes there are; see the port."""
        found = await self._find(sha256)
        return found.size if isinstance(found, ObjectMeta) else len(found)

    async def stream(
        self, sha256: str, start: int = 0, end: int | None = None
    ) -> AsyncGenerator[bytes, None]:
        """The bytes in pieces; see the port. `Permanent(kind="blob_corrupt")` as in `get`."""
        found = await self._find(sha256)
        if not isinstance(found, ObjectMeta):
            if sha256_of(found) != sha256:
                raise _other_bytes(sha256)
            if part := found[start:end]:
                yield part
            return
        wanted = min(found.size if end is None else end, found.size)
        if start >= wanted:
            return
        reading = self._large.read(found, start, wanted)
        async with aclosing(reading if wanted - start < found.size else _checked(sha256, reading)) as pieces:
            async for piece in pieces:
                yield piece

    async def _find(self, sha256: str) -> bytes | ObjectMeta:
        """A small blob itself, a large one's description."""
        if not _SHA256.fullmatch(sha256):
            raise Rejected(f"not a SHA-256 in hex: {sha256[:80]!r}", kind="not_found")
        small = await self._small.last(blob_subject(sha256))
        if small is not None:
            return small.data
        large = await self._large.find(sha256)
        if large is None:
            raise Rejected(
                f"The content {sha256} is not stored here (any more). foldline doctor says what else is lost",
                kind="not_found",
            )
        return large

    async def place(self, sha256: str) -> tuple[int, str] | None:
        """The sequence of a small blob, or that of a large one's description and its upload; None if nothing
        is stored under this hash."""
        small = await self._small.last(blob_subject(sha256))
        if small is not None:
            return small.sequence, ""
        large = await self._large.place(sha256)
        return None if large is None else (large[1], large[0].nuid)

    async def _is_large_and_stays(self, sha256: str) -> bool:
        return await self._large.find(sha256) is not None and bool(await self._removals.wanted([sha256]))

    async def _put_small(self, sha256: str, data: bytes) -> None:
        """`Transient` where the same bytes are being removed, and that takes longer than it may."""
        subject = blob_subject(sha256)
        for _ in range(_TRIES):
            try:
                await self._small.append(
                    NewMessage(subject, data, {MESSAGE_ID: f"{sha256}-{secrets.token_hex(8)}"}),
                    Expect(subject, 0),
                )
            except Conflict:  # it is there: the name is the content
                if await self._removals.wanted([sha256]):
                    return
                await asyncio.sleep(_AGAIN_S)
            else:
                return
        raise Transient(f"The content {sha256} is being removed: try again in a moment")


async def _checked(sha256: str, pieces: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """The same pieces; the last one only if all of them fit the hash."""
    digest, held = hashlib.sha256(), b""
    async with aclosing(pieces):
        async for piece in pieces:
            digest.update(piece)
            if held:
                yield held
            held = piece
    if digest.hexdigest() != sha256:
        raise _other_bytes(sha256)
    yield held


def _other_bytes(sha256: str) -> Permanent:
    return Permanent(f"blob {sha256} holds other bytes than its name says", kind="blob_corrupt")
