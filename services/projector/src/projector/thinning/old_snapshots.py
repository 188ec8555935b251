"""Snapshots of agents' databases that are not kept any more: their bytes are removed."""

import asyncio
from datetime import datetime, timedelta

import msgspec
import structlog

from agent_contracts.entities.database_snapshots import DatabaseSnapshots, UnlistedBlob
from agent_contracts.errors import Conflict, Failure
from agent_contracts.log.subjects import DATABASE_SNAPSHOTS, SNAPSHOTS_BUCKET
from agent_domain.erasing.blobs import remove
from agent_platform.log.bucket import BucketEntry, bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection
from agent_platform.process.clock import Clock
from agent_platform.process.interruption import Interruption
from agent_platform.process.stop_points import stop_point

log = structlog.get_logger()

_AGAIN_S = 5.0
_LOOK_S = 600.0
"""How often all lists are read, besides when one changes: for what a process that died was storing."""
STORES_WITHIN = timedelta(hours=1)
"""A blob that is being stored for longer than this is no longer: its process died."""


class OldSnapshots:
    """Removes the blobs that the lists of snapshots name as `unlisted`, then takes them off the lists: in
    this order none is forgotten, whoever dies. Any number of projectors may do it."""

    def __init__(self, connection: NatsConnection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._bucket = bucket(connection, SNAPSHOTS_BUCKET)
        self._stream = JetStreamLog(connection, stream=f"KV_{SNAPSHOTS_BUCKET}")

    async def run(self) -> None:
        """Work until cancelled."""
        wanted = asyncio.Event()
        listening: asyncio.Task[None] | None = None
        interruption = Interruption("snapshots_thinning")
        try:
            while True:
                try:
                    if listening is None or listening.done():
                        after = await self._bucket.last_revision()
                        listening = asyncio.create_task(self._listen(wanted, after))
                    wanted.clear()
                    await self.remove_all()
                    interruption.over()
                    told = asyncio.create_task(wanted.wait())
                    await asyncio.wait(
                        [told, listening], timeout=_LOOK_S, return_when=asyncio.FIRST_COMPLETED
                    )
                    told.cancel()
                    if listening.done():
                        listening.result()  # what ended it
                except Failure as error:
                    interruption.hit(error.message)
                    await asyncio.sleep(_AGAIN_S)
        finally:
            if listening is not None:
                listening.cancel()
                await asyncio.wait([listening])

    async def _listen(self, wanted: asyncio.Event, after: int) -> None:
        async for _ in self._stream.tail([f"$KV.{SNAPSHOTS_BUCKET}.{DATABASE_SNAPSHOTS}.*"], after=after):
            wanted.set()

    async def remove_all(self) -> int:
        """Remove what no list keeps; how many blobs."""
        found = await self._bucket.below(DATABASE_SNAPSHOTS)
        return sum([await self._remove(entry) for entry in found.values()])

    async def _remove(self, entry: BucketEntry) -> int:
        listed = _listed(entry)
        going = [one for one in listed.unlisted if self._is_over(one)]
        if not going:
            return 0
        for one in going:
            await remove(self._connection, one.sha256)
            await stop_point("snapshots.blob_removed")
        names = {one.sha256 for one in going}
        while True:
            left = tuple(one for one in listed.unlisted if one.sha256 not in names)
            now = msgspec.structs.replace(listed, unlisted=left)
            try:
                await self._bucket.put(entry.key, msgspec.json.encode(now), expect=entry.revision)
            except Conflict:
                changed = await self._bucket.get(entry.key)
                if changed is None:
                    return len(going)  # erased meanwhile
                entry, listed = changed, _listed(changed)
                continue
            log.info("snapshots.removed", key=entry.key, blobs=len(going))
            return len(going)

    def _is_over(self, one: UnlistedBlob) -> bool:
        return not one.at or self._clock.now() - datetime.fromisoformat(one.at) > STORES_WITHIN


def _listed(entry: BucketEntry) -> DatabaseSnapshots:
    try:
        return msgspec.json.decode(entry.value, type=DatabaseSnapshots)
    except msgspec.MsgspecError as error:
        log.warning("snapshots.unreadable", key=entry.key, reason=str(error))
        return DatabaseSnapshots()
