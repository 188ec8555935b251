"""Marks on blobs that are about to be removed: who stores the same bytes sees the mark, and keeps the blob.

Whoever removes a blob marks it, waits until every process forgot what it stored, looks once more whether
somebody names it, and decides. Who finds bytes stored that it wants to store looks for a mark, and says that
it wants them. The mark is compared and set, so exactly one of the two holds. The blob can be read throughout.
"""

import secrets
from collections.abc import Sequence
from typing import Literal

import msgspec

from agent_contracts.errors import Conflict
from agent_contracts.log.record.codec import MESSAGE_ID
from agent_contracts.log.record.records import Expect, NewMessage, StoredMessage
from agent_contracts.log.subjects import ALL_REMOVALS, OBJECTS_BUCKET, removal_subject
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection

_ROLLUP = {"Nats-Rollup": "sub"}
_TRIES = 10


class BlobMark(msgspec.Struct, frozen=True):
    """The mark on a blob that is about to be removed."""

    sha256: str
    by: str
    """The agent of which something is erased."""
    since: int
    """The last sequence of the log before it was marked: who names it anew does so after it."""
    stored: int
    """The sequence of the small blob, or of the large one's description. Bytes that are stored anew have
    another, and stay."""
    upload: str = ""
    """Which pieces are the large blob's."""
    state: Literal["marked", "wanted", "decided"] = "marked"


class StoredMark(msgspec.Struct, frozen=True):
    """A mark as it is stored; `sequence` is compared when it changes."""

    mark: BlobMark
    sequence: int


class Removals:
    """The marks, beside the large blobs: who may store those may change them."""

    def __init__(self, connection: NatsConnection) -> None:
        self._stream = JetStreamLog(connection, stream=f"OBJ_{OBJECTS_BUCKET}")

    async def mark(self, mark: BlobMark) -> None:
        """Mark a blob; one that is marked already keeps its mark."""
        try:
            await self._write(mark, 0)
        except Conflict:
            return

    async def of(self, by: str) -> list[StoredMark]:
        """The marks of one agent's erasures, also of one that was cut off."""
        found = map(_marked, await self._stream.last_of_each(ALL_REMOVALS))
        return [one for one in found if one.mark.by == by]

    async def decide(self, marked: StoredMark) -> bool:
        """From now on the blob is as good as gone. False if somebody wants it."""
        try:
            await self._write(msgspec.structs.replace(marked.mark, state="decided"), marked.sequence)
        except Conflict:
            return False
        return True

    async def wanted(self, hashes: Sequence[str]) -> set[str]:
        """Of blobs that were found stored, those that stay stored from now on; the others are as good as
        gone."""
        if not hashes:
            return set()
        marks = await self._stream.last_of_each(*map(removal_subject, hashes))
        gone = [one for one in map(_marked, marks) if not await self._want(one)]
        return set(hashes) - {one.mark.sha256 for one in gone}

    async def _want(self, marked: StoredMark) -> bool:
        subject = removal_subject(marked.mark.sha256)
        for _ in range(_TRIES):
            if marked.mark.state != "marked":
                return marked.mark.state == "wanted"
            try:
                await self._write(msgspec.structs.replace(marked.mark, state="wanted"), marked.sequence)
            except Conflict:
                now = await self._stream.last(subject)
                if now is None:
                    return False  # looked at meanwhile: it may stay or be gone, which storing it again shows
                marked = _marked(now)
            else:
                return True
        return False

    async def _write(self, mark: BlobMark, last_sequence: int) -> None:
        subject = removal_subject(mark.sha256)
        headers = {**_ROLLUP, MESSAGE_ID: secrets.token_hex(12)}
        message = NewMessage(subject, msgspec.json.encode(mark), headers)
        await self._stream.append(message, Expect(subject, last_sequence))


def _marked(message: StoredMessage) -> StoredMark:
    return StoredMark(msgspec.json.decode(message.data, type=BlobMark), message.sequence)
