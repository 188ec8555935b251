"""Snapshots that no list keeps are removed from the blobs, and only these."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from agent_contracts.entities.database_snapshots import DatabaseSnapshot, DatabaseSnapshots, UnlistedBlob
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_contracts.log.subjects import SNAPSHOTS_BUCKET, database_snapshots_key
from agent_platform.log.blobs.jetstream import SMALL, JetStreamBlobs
from agent_platform.log.bucket import Bucket, bucket
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.process.clock import SystemClock, rfc3339
from foldline_testing.agent_platform.servers import NatsForTest
from projector.thinning import old_snapshots
from projector.thinning.old_snapshots import OldSnapshots

KEY = database_snapshots_key(AgentId("ann"))
NOW = datetime(2026, 3, 31, tzinfo=UTC)


class Standing(SystemClock):
    """A clock that a test sets."""

    moment = NOW

    def now(self) -> datetime:
        """The time that the test set."""
        return self.moment


@pytest.fixture
async def connection(nats_server: NatsForTest) -> AsyncIterator[NatsConnection]:
    opened = await connect(nats_server.url, name="test")
    await ensure_streams(opened, StreamSettings())
    yield opened
    await opened.close()


async def put(lists: Bucket, listed: DatabaseSnapshots) -> None:
    await lists.put(KEY, msgspec.json.encode(listed))


async def read(lists: Bucket) -> DatabaseSnapshots:
    entry = await lists.get(KEY)
    assert entry is not None
    return msgspec.json.decode(entry.value, type=DatabaseSnapshots)


async def is_stored(blobs: JetStreamBlobs, sha256: str) -> bool:
    try:
        await blobs.size(sha256)
    except Rejected:
        return False
    return True


async def test_small_and_large_ones_go_and_what_is_kept_or_still_being_stored_stays(
    connection: NatsConnection,
) -> None:
    blobs, lists = JetStreamBlobs(connection), bucket(connection, SNAPSHOTS_BUCKET)
    kept, small, large, coming = [
        (await blobs.put(data)).sha256 for data in (b"kept", b"small", bytes(3 * SMALL), b"coming")
    ]
    snapshot = DatabaseSnapshot(1, "e1", 0, kept, 4, rfc3339(NOW))
    at = rfc3339(NOW - old_snapshots.STORES_WITHIN + timedelta(minutes=1))
    unlisted = (UnlistedBlob(small), UnlistedBlob(large), UnlistedBlob(coming, at))
    await put(lists, DatabaseSnapshots((snapshot,), unlisted))
    clock = Standing()
    assert await OldSnapshots(connection, clock).remove_all() == 2
    assert [await is_stored(blobs, one) for one in (kept, small, large, coming)] == [True, False, False, True]
    assert await read(lists) == DatabaseSnapshots((snapshot,), unlisted[2:])
    clock.moment += timedelta(minutes=2)
    assert await OldSnapshots(connection, clock).remove_all() == 1
    assert not await is_stored(blobs, coming)
    assert (await read(lists)).unlisted == ()


async def test_one_that_is_cut_off_between_two_blobs_is_brought_to_its_end_by_the_next(
    connection: NatsConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs, lists = JetStreamBlobs(connection), bucket(connection, SNAPSHOTS_BUCKET)
    going = [(await blobs.put(f"blob {number}".encode())).sha256 for number in range(3)]
    await put(lists, DatabaseSnapshots((), tuple(map(UnlistedBlob, going))))

    async def die(name: str) -> None:
        raise KeyboardInterrupt(name)

    with monkeypatch.context() as patched:
        patched.setattr(old_snapshots, "stop_point", die)
        with pytest.raises(KeyboardInterrupt):
            await OldSnapshots(connection, Standing()).remove_all()
    assert len((await read(lists)).unlisted) == 3, "it is known what is left to do"
    assert await OldSnapshots(connection, Standing()).remove_all() == 3
    assert not any([await is_stored(blobs, one) for one in going])


async def test_what_is_listed_meanwhile_stays_listed(
    connection: NatsConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs, lists = JetStreamBlobs(connection), bucket(connection, SNAPSHOTS_BUCKET)
    old, new = [(await blobs.put(data)).sha256 for data in (b"old", b"new")]
    snapshot = DatabaseSnapshot(2, "e2", 0, new, 3, rfc3339(NOW))
    await put(lists, DatabaseSnapshots((), (UnlistedBlob(old),)))

    async def meanwhile(name: str) -> None:
        await put(lists, DatabaseSnapshots((snapshot,), (UnlistedBlob(old),)))

    monkeypatch.setattr(old_snapshots, "stop_point", meanwhile)
    await OldSnapshots(connection, Standing()).remove_all()
    assert await read(lists) == DatabaseSnapshots((snapshot,))
    assert await is_stored(blobs, new)
