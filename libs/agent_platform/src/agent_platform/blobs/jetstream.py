"""Blobs on JetStream: small ones as messages, larger ones in pieces in the object store."""

import base64
import re
import secrets

import msgspec
from cachetools import FIFOCache

from agent_contracts.blob_ref import BlobRef, sha256_of
from agent_contracts.envelope import MESSAGE_ID
from agent_contracts.errors import Conflict, Permanent, Rejected
from agent_contracts.subjects import BLOB_STREAM, OBJECTS_BUCKET, blob_subject
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.port import Expect, NewMessage
from agent_platform.nats.connection import Connection

SMALL = 1024 * 1024
"""The most bytes of a blob that is one message."""

PIECE = 512 * 1024

_SHA256 = re.compile(r"[0-9a-f]{64}")
_REMEMBERED = 4096


class _Meta(msgspec.Struct, frozen=True):
    """An object's description as every NATS client writes it."""

    name: str
    bucket: str
    nuid: str
    size: int
    chunks: int
    digest: str
    mtime: str = "0001-01-01T00:00:00Z"
    deleted: bool = False


class JetStreamBlobs:
    """`Blobs` on the stream `BLOB` and the bucket `objects`. What is read is checked against its hash.

    Pieces of a large blob count only once its description is written last; those of an interrupted upload
    stay unused.
    """

    def __init__(self, connection: Connection) -> None:
        self._small = JetStreamLog(connection, stream=BLOB_STREAM)
        self._large = JetStreamLog(connection, stream=f"OBJ_{OBJECTS_BUCKET}")
        self._stored: FIFOCache[str, None] = FIFOCache(_REMEMBERED)

    async def put(self, data: bytes, media_type: str = "application/json") -> BlobRef:
        """Store the bytes, unless they are there; what this process stored lately isn't sent again."""
        sha256 = sha256_of(data)
        if sha256 not in self._stored:
            await (self._put_small(sha256, data) if len(data) <= SMALL else self._put_large(sha256, data))
            self._stored[sha256] = None
        return BlobRef(sha256, len(data), media_type)

    def forget_stored(self) -> None:
        """Some were erased: what this process stored may not be there any more."""
        self._stored.clear()

    async def get(self, sha256: str) -> bytes:
        """The bytes; `Rejected(kind="not_found")` if there are none under this hash.

        `Permanent(kind="blob_corrupt")` if what is stored there is something else.
        """
        if not _SHA256.fullmatch(sha256):
            raise Rejected(f"not a SHA-256 in hex: {sha256[:80]!r}", kind="not_found")
        small = await self._small.last(blob_subject(sha256))
        data = small.data if small is not None else await self._get_large(sha256)
        if data is None:
            raise Rejected(f"no blob {sha256}", kind="not_found")
        if sha256_of(data) != sha256:
            raise Permanent(f"blob {sha256} holds other bytes than its name says", kind="blob_corrupt")
        return data

    async def _put_small(self, sha256: str, data: bytes) -> None:
        subject = blob_subject(sha256)
        try:
            await self._small.append(
                NewMessage(subject, data, {MESSAGE_ID: f"{sha256}-{secrets.token_hex(8)}"}),
                Expect(subject, 0),
            )
        except Conflict:
            return  # it is there: the name is the content

    async def _put_large(self, sha256: str, data: bytes) -> None:
        if await self._meta(sha256) is not None:
            return
        upload = secrets.token_hex(11)
        pieces = range(0, len(data), PIECE)
        for number, start in enumerate(pieces):
            await self._large.append(
                NewMessage(
                    _pieces_subject(upload), data[start : start + PIECE], {MESSAGE_ID: f"{upload}-{number}"}
                )
            )
        digest = base64.urlsafe_b64encode(bytes.fromhex(sha256)).decode()
        meta = _Meta(sha256, OBJECTS_BUCKET, upload, len(data), len(pieces), f"SHA-256={digest}")
        headers = {"Nats-Rollup": "sub", MESSAGE_ID: f"{upload}-meta"}
        await self._large.append(NewMessage(_meta_subject(sha256), msgspec.json.encode(meta), headers))

    async def _get_large(self, sha256: str) -> bytes | None:
        meta = await self._meta(sha256)
        if meta is None:
            return None
        return b"".join([piece.data async for piece in self._large.read(_pieces_subject(meta.nuid))])

    async def _meta(self, sha256: str) -> _Meta | None:
        message = await self._large.last(_meta_subject(sha256))
        if message is None:
            return None
        meta = msgspec.json.decode(message.data, type=_Meta)
        return None if meta.deleted else meta


def _pieces_subject(upload: str) -> str:
    return f"$O.{OBJECTS_BUCKET}.C.{upload}"


def _meta_subject(sha256: str) -> str:
    return f"$O.{OBJECTS_BUCKET}.M.{base64.urlsafe_b64encode(sha256.encode()).decode()}"
