"""Which blobs nobody but what is erased names."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from typing import TypeVar

import msgspec

from agent_contracts.errors import Failure
from agent_contracts.ids import AgentId
from agent_contracts.log.subjects import (
    BLOB_STREAM,
    OBJECTS_BUCKET,
    SNAPSHOTS_BUCKET,
    blob_subject,
    removal_subject,
)
from agent_contracts.model_context import ModelContext
from agent_domain.erasing.scope import Scope
from agent_platform.log.blobs.jetstream import JetStreamBlobs
from agent_platform.log.blobs.objects import meta_subject, pieces_subject
from agent_platform.log.blobs.removals import BlobMark, Removals
from agent_platform.log.bucket import bucket
from agent_platform.log.overwriting import overwrite, purge_subject, remove_messages
from agent_platform.log.port import Log
from agent_platform.nats.connection import NatsConnection
from agent_platform.process.stop_points import stop_point

_SHA256 = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_DATABASES = "agent-db."
_OBJECTS = f"OBJ_{OBJECTS_BUCKET}"
_CONTEXT = f'{{"{msgspec.structs.fields(ModelContext)[0].encode_name}":'.encode()
"""How the JSON of every model context begins."""
_AT_ONCE = 16
T = TypeVar("T")
_SETTLES_S = 1.0


async def only_named_by(admin: NatsConnection, log: Log, scope: Scope) -> list[str]:
    """The hashes that what is erased names, and nothing else in the log or among the databases' snapshots.

    Whatever looks like a hash counts as one, so that none is taken that somebody names. Reads the whole log.
    """
    ours: set[str] = set()
    others: set[str] = set()
    async for message in log.records(">"):  # with their envelopes, which name the file of an import
        (ours if scope.holds(message.subject) else others).update(_named(message.data))
    ours |= await _named_by_databases(admin, scope, ours=True)
    others |= await _named_by_databases(admin, scope, ours=False)
    blobs = JetStreamBlobs(admin)
    for named in (ours, others):
        for sha256 in list(named):
            named.update(await _named_by_context(blobs, sha256))
    return sorted(ours - others)


class BlobRemoval:
    """Takes out the blobs of an agent that only what is erased names, also those of an erasure that was cut
    off. One that is named or stored again meanwhile stays, and can be read throughout.

    First `mark`; then wait until all processes forgot what they stored, and what they were about to name is
    named; then `finish`.
    """

    def __init__(self, admin: NatsConnection, agent_id: AgentId) -> None:
        self._admin = admin
        self._agent_id = agent_id
        self._store = JetStreamBlobs(admin)
        self._removals = Removals(admin)

    async def mark(self, hashes: Sequence[str], since: int) -> None:
        """Mark those of these that are stored. `since`: where the log ended before it was read for who else
        names them."""
        for some in _some_at_a_time(hashes):
            await asyncio.gather(*(self._mark(one, since) for one in some))

    async def finish(self, events: Log, scope: Scope) -> int:
        """Remove those that nobody named or wanted since; how many were removed."""
        marks = await self._removals.of(self._agent_id)
        since = min((one.mark.since for one in marks), default=0)
        named = await self._named_since(since, events, scope) if marks else set()
        removed: list[BlobMark] = []
        for some in _some_at_a_time(marks):
            going = [one for one in some if one.mark.state != "wanted" and one.mark.sha256 not in named]
            decided = await asyncio.gather(*map(self._removals.decide, going))
            gone = [one.mark for one, holds in zip(going, decided, strict=True) if holds]
            await asyncio.gather(*map(self._remove, gone))
            removed += gone
            staying = {one.mark for one in some} - set(gone)
            await asyncio.gather(*map(self._keep, staying))
        await stop_point("erase.blobs_removed")
        if removed:
            await asyncio.sleep(_SETTLES_S)  # who found a mark a moment ago still sees what it came to
        for ended in _some_at_a_time(removed):
            await asyncio.gather(*map(self._unmark, ended))
        return len(removed)

    async def _mark(self, sha256: str, since: int) -> None:
        place = await self._store.place(sha256)
        if place is not None:
            await self._removals.mark(BlobMark(sha256, self._agent_id, since, *place))

    async def _named_since(self, since: int, events: Log, scope: Scope) -> set[str]:
        """The hashes that others name: in the log since then, and in their databases' snapshots now."""
        named: set[str] = set()
        async for message in events.records(">", after=since):
            if not scope.holds(message.subject):
                named.update(_named(message.data))
        named.update(await _named_by_databases(self._admin, scope, ours=False))
        for sha256 in list(named):
            named.update(await _named_by_context(self._store, sha256))
        return named

    async def _remove(self, mark: BlobMark) -> None:
        """Take out exactly what was marked: what was stored anew since stays."""
        if not mark.upload:
            await remove_messages(self._admin, BLOB_STREAM, [mark.stored])
            return
        await remove_messages(self._admin, _OBJECTS, [mark.stored])
        await purge(self._admin, _OBJECTS, pieces_subject(mark.upload))

    async def _keep(self, mark: BlobMark) -> None:
        """It stays. What was stored anew has pieces of its own: the earlier ones are not needed."""
        place = await self._store.place(mark.sha256)
        if mark.upload and (place is None or place[1] != mark.upload):
            await purge(self._admin, _OBJECTS, pieces_subject(mark.upload))
        await self._unmark(mark)

    async def _unmark(self, mark: BlobMark) -> None:
        await purge_subject(self._admin, _OBJECTS, removal_subject(mark.sha256))


async def remove(admin: NatsConnection, sha256: str) -> bool:
    """Remove a blob, small or large, even if something names it. False if it was not there."""
    purged = await purge(admin, BLOB_STREAM, blob_subject(sha256))
    described = await JetStreamBlobs(admin).place(sha256)
    if described is not None:
        purged += await purge(admin, _OBJECTS, pieces_subject(described[1]))
        purged += await purge(admin, _OBJECTS, meta_subject(sha256))
    return purged > 0


async def purge(admin: NatsConnection, stream: str, subject: str) -> int:
    """Take a subject out of a stream, and overwrite the bytes; how many messages went."""
    return await overwrite(admin, stream, subject)


def _some_at_a_time(things: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(things), _AT_ONCE):
        yield things[start : start + _AT_ONCE]


def _named(data: bytes) -> set[str]:
    return {found.decode() for found in _SHA256.findall(data)}


async def _named_by_databases(admin: NatsConnection, scope: Scope, *, ours: bool) -> set[str]:
    """What the lists of databases' snapshots name: those that are erased, or all others."""
    found = set()
    for key, entry in (await bucket(admin, SNAPSHOTS_BUCKET).list()).items():
        if key.startswith(_DATABASES):
            is_erased = scope.whole_agent and key == f"{_DATABASES}{scope.agent_id}"
            if is_erased == ours:
                found.update(_named(entry.value))
    return found


async def _named_by_context(blobs: JetStreamBlobs, sha256: str) -> set[str]:
    """What the description of a model's request names, if that is what the hash stands for. Of anything else
    only the beginning is read."""
    try:
        async with aclosing(blobs.stream(sha256, 0, len(_CONTEXT))) as beginning:
            if b"".join([piece async for piece in beginning]) != _CONTEXT:
                return set()
        return _parts(await blobs.get(sha256))
    except Failure:
        return set()


def _parts(data: bytes) -> set[str]:
    try:
        msgspec.json.decode(data, type=ModelContext)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return set()
    return _named(data)
