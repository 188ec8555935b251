"""Snapshots of agents' databases: their bytes among the blobs, and for each agent a list of them."""

import asyncio
import secrets
import zlib
from collections.abc import Callable
from datetime import UTC

import msgspec
import structlog

from agent_contracts.blob_ref import sha256_of
from agent_contracts.entities.database_snapshots import DatabaseSnapshot, DatabaseSnapshots, UnlistedBlob
from agent_contracts.errors import Conflict, Failure, Transient
from agent_contracts.ids import AgentId
from agent_contracts.log.subjects import database_snapshots_key, database_subject
from agent_contracts.outside import Sources
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.bucket import Bucket
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock, rfc3339
from agent_platform.process.stop_points import stop_point
from tool_runner.agent_db.thinning import DAYS, thinned

_FAST = 1
_ATTEMPTS = 50
_MEDIA_TYPE = "application/vnd.sqlite3"
_NONCE = 16
"""Random bytes before the content: a blob is one snapshot's alone, so it can be removed with it."""
_MOST_POINTS = 100
"""Points that are remembered, newest first: what older ones need can still be made from the log."""
_MOST_UNLISTED = 1_000

log = structlog.get_logger()


class SnapshotRules(msgspec.Struct, frozen=True):
    """For how many `days` one snapshot a day is kept, and how many bytes all of an agent's may have
    (0: no bound)."""

    days: int = DAYS
    most_bytes: int = 0


class DbSnapshots:
    """They only save time: one that can't be used is passed over, one that can't be saved is not there.

    What the rules don't keep is put among the list's `unlisted` blobs; the projector, which may take out
    blobs, removes those.
    """

    def __init__(
        self, bucket: Bucket, blobs: Blobs, events: Log, clock: Clock, rules: SnapshotRules | None = None
    ) -> None:
        self._bucket = bucket
        self._blobs = blobs
        self._log = events
        self._clock = clock
        self._rules = rules or SnapshotRules()

    async def newest(
        self, agent_id: AgentId, up_to: int | None = None
    ) -> tuple[DatabaseSnapshot, bytes] | None:
        """The newest usable one as of event `up_to` (now, if None), with the database's bytes."""
        for snapshot in reversed(await self._readable(agent_id)):
            if up_to is not None and snapshot.sequence > up_to:
                continue
            if (content := await self._content(agent_id, snapshot)) is not None:
                return snapshot, content
        return None

    async def oldest_after(self, agent_id: AgentId, sequence: int) -> DatabaseSnapshot | None:
        """The first usable one after event `sequence`."""
        for snapshot in await self._readable(agent_id):
            if snapshot.sequence > sequence and await self._content(agent_id, snapshot) is not None:
                return snapshot
        return None

    async def newest_sequence(self, agent_id: AgentId) -> int:
        """Up to where there is a snapshot; 0 for nowhere."""
        listed, _ = await self._list(agent_id)
        return listed.kept[-1].sequence if listed.kept else 0

    async def save(
        self, agent_id: AgentId, sequence: int, last_rowid: int, content: bytes, outside: Sources
    ) -> None:
        """Keep one, and let go of those that the rules don't keep. Raises `Transient` where that can't be
        done now."""
        event = await self._log.get(sequence)
        if event is None:
            return  # purged meanwhile
        data = await asyncio.to_thread(_packed, content)
        now = rfc3339(self._clock.now())
        coming = UnlistedBlob(sha256_of(data), now)
        await self._change(agent_id, lambda it: _and_unlisted(it, coming))
        await stop_point("agent_db.snapshot_coming")
        blob = await self._blobs.put(data, _MEDIA_TYPE)
        await stop_point("agent_db.snapshot_stored")
        snapshot = DatabaseSnapshot(
            sequence, event.event_id, last_rowid, blob.sha256, len(data), now, outside
        )
        await self._change(agent_id, lambda it: self._with(it, snapshot))

    async def need(self, agent_id: AgentId, point: int) -> None:
        """Keep from now on what the database as of event `point` is made from: something goes back to it."""
        listed, _ = await self._list(agent_id)
        if point in listed.points or not listed.kept:
            return

        def needed(it: DatabaseSnapshots) -> DatabaseSnapshots:
            points = (*(one for one in it.points if one != point), point)[-_MOST_POINTS:]
            return msgspec.structs.replace(it, points=points)

        await self._change(agent_id, needed)

    def _with(self, it: DatabaseSnapshots, snapshot: DatabaseSnapshot) -> DatabaseSnapshots:
        if snapshot.sha256 not in {one.sha256 for one in it.unlisted}:  # it took an hour: it was removed
            return _and_unlisted(it, UnlistedBlob(snapshot.sha256))
        before = [one for one in it.kept if one.sequence != snapshot.sequence]
        now = self._clock.now().astimezone(UTC)
        kept = thinned([*before, snapshot], it.points, now, self._rules.days, self._rules.most_bytes)
        names = {one.sha256 for one in kept}
        gone = (UnlistedBlob(one.sha256) for one in (*it.kept, snapshot) if one.sha256 not in names)
        unlisted = (*(one for one in it.unlisted if one.sha256 != snapshot.sha256), *gone)
        return msgspec.structs.replace(it, kept=kept, unlisted=unlisted)

    async def _change(
        self, agent_id: AgentId, change: Callable[[DatabaseSnapshots], DatabaseSnapshots]
    ) -> None:
        for _ in range(_ATTEMPTS):
            listed, revision = await self._list(agent_id)
            now = change(listed)
            if len(now.unlisted) > _MOST_UNLISTED:
                raise Transient(f"{len(now.unlisted)} old snapshots wait to be removed: no projector runs")
            try:
                key = database_snapshots_key(agent_id)
                await self._bucket.put(key, msgspec.json.encode(now), expect=revision)
                return
            except Conflict:
                continue
        raise Transient("the list of the database's snapshots was changed by others again and again")

    async def _readable(self, agent_id: AgentId) -> tuple[DatabaseSnapshot, ...]:
        try:
            return (await self._list(agent_id))[0].kept
        except Failure as error:
            log.warning("agent_db.snapshots_unreadable", agent_id=agent_id, error=str(error))
            return ()

    async def _list(self, agent_id: AgentId) -> tuple[DatabaseSnapshots, int]:
        """All of an agent's, and the revision of the list. One that can't be read is begun anew."""
        entry = await self._bucket.get(database_snapshots_key(agent_id))
        if entry is None:
            return DatabaseSnapshots(), 0
        try:
            return msgspec.json.decode(entry.value, type=DatabaseSnapshots), entry.revision
        except msgspec.MsgspecError as error:
            log.warning("agent_db.snapshots_unreadable", agent_id=agent_id, error=str(error))
            return DatabaseSnapshots(), entry.revision

    async def _content(self, agent_id: AgentId, snapshot: DatabaseSnapshot) -> bytes | None:
        try:
            if not await self._is_of_this_log(agent_id, snapshot):
                return None
            data = await self._blobs.get(snapshot.sha256)
            return await asyncio.to_thread(zlib.decompress, data[_NONCE:])
        except (Failure, zlib.error) as error:
            log.warning("agent_db.snapshot_unusable", agent_id=agent_id, error=str(error))
            return None

    async def _is_of_this_log(self, agent_id: AgentId, snapshot: DatabaseSnapshot) -> bool:
        """Not if the log was restored from an older state, or the agent's database purged."""
        event = await self._log.get(snapshot.sequence)
        return (
            event is not None
            and event.subject == database_subject(agent_id)
            and event.event_id == snapshot.event_id
        )


def _packed(content: bytes) -> bytes:
    return secrets.token_bytes(_NONCE) + zlib.compress(content, _FAST)


def _and_unlisted(it: DatabaseSnapshots, blob: UnlistedBlob) -> DatabaseSnapshots:
    others = (one for one in it.unlisted if one.sha256 != blob.sha256)
    return msgspec.structs.replace(it, unlisted=(*others, blob))
