"""Which blobs nobody but what is erased names."""

import asyncio
import base64
import re

import msgspec
import structlog

from agent_contracts.errors import Failure, Rejected
from agent_contracts.log.subjects import BLOB_STREAM, OBJECTS_BUCKET, SNAPSHOTS_BUCKET, blob_subject
from agent_contracts.model_context import ModelContext
from agent_domain.erasing.scope import Scope
from agent_platform.log.blobs.jetstream import SMALL, JetStreamBlobs
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.overwriting import overwrite
from agent_platform.log.port import Log
from agent_platform.nats.connection import Connection

_SHA256 = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_DATABASES = "agent-db."
_MOST_KEPT = 64 * 2**20
"""Bytes of small blobs that are kept until the erasure is over."""

log = structlog.get_logger()


async def only_named_by(admin: Connection, log: Log, scope: Scope) -> list[str]:
    """The hashes that what is erased names, and nothing else in the log or among the databases' snapshots.

    Those that name others come last: taken out in this order, none is forgotten if the erasure is cut off.
    Whatever looks like a hash counts as one, so that none is taken that somebody names. Reads the whole log.
    """
    ours: set[str] = set()
    others: set[str] = set()
    async for message in log.records(">"):  # with their envelopes, which name the file of an import
        (ours if scope.holds(message.subject) else others).update(_named(message.data))
    for key, entry in (await bucket(admin, SNAPSHOTS_BUCKET).list()).items():
        if key.startswith(_DATABASES):
            of_ours = scope.whole_agent and key == f"{_DATABASES}{scope.agent_id}"
            (ours if of_ours else others).update(_named(entry.value))
    blobs = JetStreamBlobs(admin)
    contexts: set[str] = set()
    for named in (ours, others):
        for sha256 in list(named):
            if parts := await _named_by_context(blobs, sha256):
                contexts.add(sha256)
                named.update(parts)
    return sorted(ours - others, key=lambda one: (one in contexts, one))


class TakenOut:
    """Small blobs that were taken out: what others named meanwhile is put back.

    They name what they took to be stored, until they have heard of the erasure. `since`: where the log ended
    before anything was taken out.
    """

    def __init__(self, admin: Connection, since: int) -> None:
        self._admin = admin
        self._since = since
        self._kept: dict[str, bytes] = {}
        self._room = _MOST_KEPT

    async def take(self, sha256: str) -> bool:
        """Take a blob out. False if it was not there."""
        store = JetStreamBlobs(self._admin)
        try:
            size = await store.size(sha256)
            if size <= min(SMALL, self._room):
                self._kept[sha256] = await store.get(sha256)
                self._room -= size
        except Rejected as gone:
            log.debug("erasing.not_there", sha256=sha256, error=gone.message)
        return await remove(self._admin, sha256)

    async def put_back(self, events: Log, scope: Scope) -> int:
        """How many were put back. Their bytes are let go of after it."""
        named: set[str] = set()
        async for message in events.records(">", after=self._since):
            if not scope.holds(message.subject):
                named.update(_named(message.data))
        store = JetStreamBlobs(self._admin)
        for sha256 in list(named & self._kept.keys()):
            if parts := _parts(self._kept[sha256]):
                named |= parts
        back = named & self._kept.keys()
        await asyncio.gather(*(store.put(self._kept[sha256]) for sha256 in back))
        self._kept.clear()
        return len(back)


async def remove(admin: Connection, sha256: str) -> bool:
    """Take a blob out, wherever it lies. False if it was not there."""
    purged = await purge(admin, BLOB_STREAM, blob_subject(sha256))
    objects = f"OBJ_{OBJECTS_BUCKET}"
    meta = f"$O.{OBJECTS_BUCKET}.M.{base64.urlsafe_b64encode(sha256.encode()).decode()}"
    described = await JetStreamLog(admin, stream=objects).last(meta)
    if described is not None:
        upload = msgspec.json.decode(described.data)["nuid"]
        purged += await purge(admin, objects, f"$O.{OBJECTS_BUCKET}.C.{upload}")
        purged += await purge(admin, objects, meta)
    return purged > 0


async def purge(admin: Connection, stream: str, subject: str) -> int:
    """Take a subject out of a stream, and overwrite the bytes; how many messages went."""
    return await overwrite(admin, stream, subject)


def _named(data: bytes) -> set[str]:
    return {found.decode() for found in _SHA256.findall(data)}


async def _named_by_context(blobs: JetStreamBlobs, sha256: str) -> set[str]:
    """What the description of a model's request names, if that is what the hash stands for."""
    try:
        return _parts(await blobs.get(sha256))
    except Failure:
        return set()


def _parts(data: bytes) -> set[str]:
    try:
        msgspec.json.decode(data, type=ModelContext)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return set()
    return _named(data)
