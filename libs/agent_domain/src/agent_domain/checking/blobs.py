"""Whether every blob that the log names is there and holds what its name says."""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import aclosing

import msgspec
from cachetools import LRUCache

from agent_contracts.errors import Failure, Permanent, Rejected
from agent_contracts.log.subjects import BLOB_STREAM, OBJECTS_BUCKET, SEALS_BUCKET
from agent_contracts.named_blobs import blobs_named_by, context_named_by, parts_of_context
from agent_platform.log.blobs.jetstream import JetStreamBlobs
from agent_platform.log.blobs.port import LOST_BLOB, Blobs
from agent_platform.log.bucket import bucket
from agent_platform.log.events import events
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.port import Log
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.errors import ApiError

MOST_LISTED = 10_000
"""Lost blobs that are listed; of more, how many there are."""
_CHECKED = 200_000
"""Blobs that one check remembers to have read. One that is named again after that many is read again."""
_AT_ONCE = 16
_SHOWN = 3
_ACCEPTED = "lost-blobs"


class LostBlob(msgspec.Struct, frozen=True):
    """A blob that isn't there, or is `damaged`, and the first event that was found to name it."""

    sha256: str
    damaged: bool
    subject: str
    sequence: int

    def __str__(self) -> str:
        what = "damaged" if self.damaged else "missing"
        return f"{self.sha256[:12]}… is {what}, named by event {self.sequence} ({self.subject})"


class BlobLoss(msgspec.Struct, frozen=True):
    """What one check found: how many were read, and what is lost. Listed are `MOST_LISTED` at most."""

    checked: int
    count: int
    listed: tuple[LostBlob, ...]

    def __bool__(self) -> bool:
        return self.count > 0

    def __str__(self) -> str:
        shown = "; ".join(map(str, self.listed[:_SHOWN]))
        more = f"; and {self.count - _SHOWN} more" if self.count > _SHOWN else ""
        return f"{self.count} of {self.checked} blobs that events name are lost: {shown}{more}"


async def check_blobs(
    log: Log, blobs: Blobs, *, up_to: int | None = None, accepted: Collection[str] = ()
) -> BlobLoss:
    """Read the log, and every blob that it names. Those that are `accepted` as lost don't count."""
    checking = _Checking(log, blobs, accepted)
    async with aclosing(events(log.read(">", up_to=up_to))) as found:
        async for recorded in found:
            context = context_named_by(recorded.event)
            for sha256 in blobs_named_by(recorded.event):
                await checking.look(
                    _NamedBlob(sha256, recorded.subject, recorded.sequence, sha256 == context)
                )
    await checking.finish()
    return BlobLoss(checking.checked, checking.count, tuple(checking.lost.values()))


async def lost_blobs(admin: NatsConnection, *, up_to: int | None = None) -> BlobLoss:
    """`check_blobs` on JetStream, without what people accepted as lost."""
    accepted = await _accepted(admin)
    return await check_blobs(JetStreamLog(admin), JetStreamBlobs(admin), up_to=up_to, accepted=accepted)


async def bytes_of_blobs(admin: NatsConnection) -> int:
    """How many bytes a check of all blobs reads at most."""
    size = 0
    for stream in (BLOB_STREAM, f"OBJ_{OBJECTS_BUCKET}"):
        try:
            size += int((await admin.api(f"STREAM.INFO.{stream}"))["state"]["bytes"])
        except ApiError as error:
            raise error.as_failure(f"stream {stream}") from error
    return size


async def accept_lost_blobs(admin: NatsConnection) -> BlobLoss:
    """Put on record that what is lost now is gone, so that it isn't reported again; what that is."""
    loss = await lost_blobs(admin)
    if loss:
        await accept_lost(admin, (one.sha256 for one in loss.listed))
    return loss


async def accept_lost(admin: NatsConnection, hashes: Iterable[str]) -> None:
    """Put on record that these are gone."""
    all_lost = sorted({*await _accepted(admin), *hashes})
    await bucket(admin, SEALS_BUCKET).put(_ACCEPTED, msgspec.json.encode(all_lost))


async def _accepted(admin: NatsConnection) -> frozenset[str]:
    entry = await bucket(admin, SEALS_BUCKET).get(_ACCEPTED)
    if entry is None:
        return frozenset()
    try:
        return msgspec.json.decode(entry.value, type=frozenset[str])
    except msgspec.DecodeError as error:
        raise Permanent(f"What is recorded about lost blobs can't be read: {error}") from error


class _NamedBlob(msgspec.Struct, frozen=True):
    sha256: str
    subject: str
    sequence: int
    is_context: bool = False


class _Checking:
    """Reads blobs, some at a time, each once as far as it is remembered."""

    def __init__(self, log: Log, blobs: Blobs, accepted: Collection[str]) -> None:
        self._log = log
        self._blobs = blobs
        self._accepted = accepted
        self._known: LRUCache[bytes, None] = LRUCache(_CHECKED)
        self._waiting: list[_NamedBlob] = []
        self.checked = self.count = 0
        self.lost: dict[str, LostBlob] = {}

    async def look(self, named: _NamedBlob) -> None:
        if self._is_new(named.sha256):
            self._waiting.append(named)
        if len(self._waiting) >= _AT_ONCE:
            await self.finish()

    async def finish(self) -> None:
        while self._waiting:
            looking, self._waiting = self._waiting, []
            parts = await asyncio.gather(*map(self._read, looking))
            for one in (part for found in parts for part in found):
                if self._is_new(one.sha256):
                    self._waiting.append(one)

    def _is_new(self, sha256: str) -> bool:
        name = sha256.encode()
        if name in self._known:
            return False
        self._known[name] = None
        return True

    async def _read(self, named: _NamedBlob) -> Sequence[_NamedBlob]:
        """Look at one; what it names itself, if it is a model context."""
        self.checked += 1
        try:
            if named.is_context:
                return tuple(_parts(named, await self._blobs.get(named.sha256)))
            async with aclosing(self._blobs.stream(named.sha256)) as pieces:
                async for _ in pieces:
                    pass
        except (Rejected, Permanent) as failure:
            if failure.kind not in LOST_BLOB:
                raise
            await self._note(named, failure)
        return ()

    async def _note(self, named: _NamedBlob, failure: Failure) -> None:
        if named.sha256 in self._accepted or named.sha256 in self.lost:
            return
        if await self._log.get(named.sequence) is None:  # erased meanwhile, with what it named
            return
        self.count += 1
        if len(self.lost) < MOST_LISTED:
            damaged = failure.kind == "blob_corrupt"
            self.lost[named.sha256] = LostBlob(named.sha256, damaged, named.subject, named.sequence)


def _parts(context: _NamedBlob, data: bytes) -> Iterator[_NamedBlob]:
    try:
        for sha256 in parts_of_context(data):
            yield _NamedBlob(sha256, context.subject, context.sequence)
    except msgspec.MsgspecError as error:
        message = f"blob {context.sha256} is not the description of a request: {error}"
        raise Permanent(message, kind="blob_corrupt") from error
