"""Large blobs: objects of the object store, as every NATS client reads them."""

import base64
import hashlib
import secrets
from collections.abc import AsyncGenerator, AsyncIterable
from contextlib import aclosing

import msgspec
import structlog

from agent_contracts.errors import Conflict, Failure, Permanent
from agent_contracts.log.record.codec import MESSAGE_ID
from agent_contracts.log.record.records import Expect, NewMessage, StoredMessage
from agent_contracts.log.subjects import OBJECTS_BUCKET
from agent_platform.log.blobs.pieces import evenly
from agent_platform.log.blobs.removals import Removals
from agent_platform.log.direct import DirectReader
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection
from agent_platform.process.stop_points import stop_point

PIECE = 512 * 1024
"""Bytes of a piece, but for the last."""

_STREAM = f"OBJ_{OBJECTS_BUCKET}"
_READ_AT_ONCE = 4
"""Pieces: what a slow reader holds."""
_ROLLUP = {"Nats-Rollup": "sub"}
_DISCARD_PATIENCE_S = 2.0

_log = structlog.get_logger(__name__)


class ObjectMeta(msgspec.Struct, frozen=True):
    """An object's description as every NATS client writes it.

    `metadata["sequences"]` says where each piece stands, if it was stored by us.
    """

    name: str
    bucket: str
    nuid: str
    size: int
    chunks: int
    digest: str
    mtime: str = "0001-01-01T00:00:00Z"
    deleted: bool = False
    metadata: dict[str, str] = {}

    @property
    def sequences(self) -> list[int]:
        """The pieces' places in the stream; none where they aren't known."""
        return [int(one) for one in self.metadata.get("sequences", "").split()]


class Objects:
    """Blobs in the bucket `objects`, under their SHA-256.

    Pieces count only once their description is written last. Those of an upload that was cut off are taken
    out again; where that can't be done any more, they stay unused.
    """

    def __init__(self, connection: NatsConnection) -> None:
        self._stream = JetStreamLog(connection, stream=_STREAM)
        self._to_discard = JetStreamLog(connection, stream=_STREAM, patience_s=_DISCARD_PATIENCE_S)
        self._pieces = DirectReader(connection, _STREAM, page_messages=_READ_AT_ONCE)
        self._removals = Removals(connection)

    async def find(self, sha256: str) -> ObjectMeta | None:
        """The object's description; None if there is none."""
        return _described(await self._stream.last(meta_subject(sha256)))

    async def place(self, sha256: str) -> tuple[ObjectMeta, int] | None:
        """The object's description and its sequence; None if there is none."""
        found = await self._stream.last(meta_subject(sha256))
        described = _described(found)
        return None if found is None or described is None else (described, found.sequence)

    async def store(self, data: AsyncIterable[bytes]) -> tuple[str, int]:
        """Store what comes; its SHA-256 and size. See `Blobs.put_stream`."""
        upload = secrets.token_hex(11)
        digest, size, sequences = hashlib.sha256(), 0, list[int]()
        before: int | None = None
        try:
            async with aclosing(evenly(data, PIECE)) as pieces:
                async for piece in pieces:
                    digest.update(piece)
                    size += len(piece)
                    sequences.append(await self._append_piece(upload, len(sequences), piece))
                    await stop_point("blobs.piece")
            sha256 = digest.hexdigest()
            before = await self._to_replace(sha256)
        finally:
            if before is None:
                await self._discard(upload)
        meta = _meta(sha256, upload, size, sequences)
        while before is not None:  # beyond `finally`: who doesn't know whether it was stored discards nothing
            try:
                await self._describe(meta, before)
            except Conflict:  # another upload of the same bytes was faster, or they were removed meanwhile
                before = await self._to_replace(sha256)
                if before is None:
                    await self._discard(upload)
            else:
                break
        return sha256, size

    async def _to_replace(self, sha256: str) -> int | None:
        """The sequence of what a description takes the place of, 0 for none. None: the bytes are described,
        and stay."""
        before = await self._stream.last(meta_subject(sha256))
        if _described(before) is not None and await self._removals.wanted([sha256]):
            return None
        return before.sequence if before else 0

    async def read(self, meta: ObjectMeta, start: int, end: int) -> AsyncGenerator[bytes, None]:
        """The bytes from `start` up to `end`, in pieces. `Permanent(kind="blob_corrupt")` if some lack."""
        at, after = self._first(meta, start)
        reading = self._pieces.read(pieces_subject(meta.nuid), after=after)
        async with aclosing(reading) as pieces:
            async for piece in pieces:
                part = piece.data[max(start - at, 0) : end - at]
                at += len(piece.data)
                if part:
                    yield part
                if at >= end:
                    return
        if at < end:
            raise Permanent(f"blob {meta.name} lacks its end, from byte {at} on", kind="blob_corrupt")

    def _first(self, meta: ObjectMeta, start: int) -> tuple[int, int]:
        """Where the piece that holds byte `start` begins, and the sequence after which it stands."""
        sequences = meta.sequences
        number = start // PIECE
        return (number * PIECE, sequences[number] - 1) if number < len(sequences) else (0, 0)

    async def _append_piece(self, upload: str, number: int, piece: bytes) -> int:
        headers = {MESSAGE_ID: f"{upload}-{number}"}
        return await self._stream.append(NewMessage(pieces_subject(upload), piece, headers))

    async def _describe(self, meta: ObjectMeta, last_sequence: int) -> None:
        subject = meta_subject(meta.name)
        headers = {**_ROLLUP, MESSAGE_ID: f"{meta.nuid}-meta"}
        described = NewMessage(subject, msgspec.json.encode(meta), headers)
        await self._stream.append(described, Expect(subject, last_sequence))

    async def _discard(self, upload: str) -> None:
        """Put an empty message in the place of an upload's pieces: who may store may not purge."""
        headers = {**_ROLLUP, MESSAGE_ID: f"{upload}-discarded"}
        try:
            await self._to_discard.append(NewMessage(pieces_subject(upload), b"", headers))
        except Failure as failure:
            _log.warning("blob.pieces_left", upload=upload, failure=failure.kind, reason=failure.message)


def _meta(sha256: str, upload: str, size: int, sequences: list[int]) -> ObjectMeta:
    digest = base64.urlsafe_b64encode(bytes.fromhex(sha256)).decode()
    return ObjectMeta(
        name=sha256,
        bucket=OBJECTS_BUCKET,
        nuid=upload,
        size=size,
        chunks=len(sequences),
        digest=f"SHA-256={digest}",
        metadata={"sequences": " ".join(map(str, sequences))},
    )


def _described(message: StoredMessage | None) -> ObjectMeta | None:
    if message is None:
        return None
    meta = msgspec.json.decode(message.data, type=ObjectMeta)
    return None if meta.deleted else meta


def pieces_subject(upload: str) -> str:
    """Where the pieces of one upload are stored."""
    return f"$O.{OBJECTS_BUCKET}.C.{upload}"


def meta_subject(sha256: str) -> str:
    """Where an object is described."""
    return f"$O.{OBJECTS_BUCKET}.M.{base64.urlsafe_b64encode(sha256.encode()).decode()}"
