"""Snapshots of agents' databases: their bytes among the blobs, and for each agent a list of them."""

import asyncio
import zlib

import msgspec
import structlog

from agent_contracts.errors import Conflict, Failure
from agent_contracts.ids import AgentId
from agent_contracts.log.subjects import database_snapshots_key, database_subject
from agent_contracts.outside import Sources
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.bucket import Bucket
from agent_platform.log.port import Log

_FAST = 1
_ATTEMPTS = 5
_MEDIA_TYPE = "application/vnd.sqlite3"

log = structlog.get_logger()


class Snapshot(msgspec.Struct, frozen=True):
    """A database after event `sequence` of its write log, whose id is `event_id`; `sha256` of its
    compressed bytes. `outside` as in `Copy`."""

    sequence: int
    event_id: str
    last_rowid: int
    sha256: str
    outside: Sources = ()


class DbSnapshots:
    """They only save time: one that can't be used is passed over, one that can't be saved is not there."""

    def __init__(self, bucket: Bucket, blobs: Blobs, events: Log) -> None:
        self._bucket = bucket
        self._blobs = blobs
        self._log = events

    async def newest(self, agent_id: AgentId, up_to: int | None = None) -> tuple[Snapshot, bytes] | None:
        """The newest usable one as of event `up_to` (now, if None), with the database's bytes."""
        try:
            kept, _ = await self._list(agent_id)
        except (Failure, msgspec.MsgspecError) as error:
            log.warning("agent_db.snapshots_unreadable", agent_id=agent_id, error=str(error))
            return None
        for snapshot in reversed(kept):
            if up_to is not None and snapshot.sequence > up_to:
                continue
            try:
                if not await self._is_of_this_log(agent_id, snapshot):
                    continue
                data = await self._blobs.get(snapshot.sha256)
                return snapshot, await asyncio.to_thread(zlib.decompress, data)
            except (Failure, zlib.error) as error:
                log.warning("agent_db.snapshot_unusable", agent_id=agent_id, error=str(error))
        return None

    async def newest_sequence(self, agent_id: AgentId) -> int:
        """Up to where there is a snapshot; 0 for nowhere."""
        kept, _ = await self._list(agent_id)
        return kept[-1].sequence if kept else 0

    async def save(
        self, agent_id: AgentId, sequence: int, last_rowid: int, content: bytes, outside: Sources
    ) -> None:
        """Keep one. Raises `Transient` where that can't be done now."""
        event = await self._log.get(sequence)
        if event is None:
            return  # purged meanwhile
        data = await asyncio.to_thread(zlib.compress, content, _FAST)
        blob = await self._blobs.put(data, _MEDIA_TYPE)
        snapshot = Snapshot(sequence, event.event_id, last_rowid, blob.sha256, outside)
        for _ in range(_ATTEMPTS):
            kept, revision = await self._list(agent_id)
            others = [one for one in kept if one.sequence != sequence]
            listed = sorted([*others, snapshot], key=lambda one: one.sequence)
            try:
                key = database_snapshots_key(agent_id)
                await self._bucket.put(key, msgspec.json.encode(listed), expect=revision)
                return
            except Conflict:
                continue

    async def _list(self, agent_id: AgentId) -> tuple[list[Snapshot], int]:
        """All of an agent's by sequence, and the revision of the list."""
        entry = await self._bucket.get(database_snapshots_key(agent_id))
        if entry is None:
            return [], 0
        return msgspec.json.decode(entry.value, type=list[Snapshot]), entry.revision

    async def _is_of_this_log(self, agent_id: AgentId, snapshot: Snapshot) -> bool:
        """Not if the log was restored from an older state, or the agent's database purged."""
        event = await self._log.get(snapshot.sequence)
        return (
            event is not None
            and event.subject == database_subject(agent_id)
            and event.event_id == snapshot.event_id
        )
