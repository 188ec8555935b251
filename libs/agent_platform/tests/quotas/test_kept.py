"""What an agent keeps is counted from the log, and bounded, however many write at once."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from agent_contracts import event_sources
from agent_contracts.entities.database_events import DatabaseRestored, DatabaseWritten
from agent_contracts.entities.database_snapshots import DatabaseSnapshot, DatabaseSnapshots, UnlistedBlob
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.event import Event
from agent_contracts.event_sources import GATEWAY, Actor
from agent_contracts.ids import AgentId
from agent_contracts.log.subjects import (
    QUOTAS_BUCKET,
    SNAPSHOTS_BUCKET,
    database_snapshots_key,
    database_subject,
)
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.log.bucket import Bucket, bucket
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.port import Log
from agent_platform.log.quotas import room as module
from agent_platform.log.quotas.room import Room
from agent_platform.log.quotas.storage_meter import StorageMeter
from agent_platform.nats.connection import NatsConnection
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.eventually import all_had_their_turn
from foldline_testing.agent_platform.memory_log import MemoryLog

ANN, BOB = AgentId("ann"), AgentId("bob")
LIMIT = 100_000
SNAPSHOTS = Bucket(MemoryLog(), SNAPSHOTS_BUCKET)


class Standing(SystemClock):
    """A clock that a test sets."""

    moment = datetime(2026, 1, 31, tzinfo=UTC)

    def now(self) -> datetime:
        """The time that the test set."""
        return self.moment


class Keeping:
    """An agent's things, written by one process."""

    def __init__(self, log: Log, kept: Bucket, limit: int = LIMIT, clock: SystemClock | None = None) -> None:
        self.log = log
        self.snapshots = Bucket(MemoryLog(), SNAPSHOTS_BUCKET)
        self.room = Room(log, self.snapshots, kept, clock or SystemClock(), limit)
        self.entities = Entities(log, SystemClock(), GATEWAY, self.room)
        self.writes = 0

    async def put(
        self, name: str, size: int, kind: EntityKind = EntityKind.STATE, agent: AgentId = ANN
    ) -> None:
        value: Any = "x" * size
        if kind is EntityKind.FILE:
            about = {"path": name, "media_type": "text/plain", "scope": "agent", "source": "tool"}
            value = {**about, "size": size, "blob": "0" * 64}
        if kind is EntityKind.SKILL:
            value = {"description": "d", "content": "x" * size}
        await self.entities.write(EntityKey(agent, kind, name), value, self._writer())

    async def delete(self, name: str, kind: EntityKind = EntityKind.STATE) -> None:
        await self.entities.delete(EntityKey(ANN, kind, name), self._writer())

    async def database(self, event: Event) -> int:
        self.writes += 1
        subject = database_subject(ANN)
        last = await self.log.last(subject)
        origin = Origin(event_sources.RUNNER, Actor.AGENT, prev=last.sequence if last else 0)
        message, _ = event_message(event, subject, origin, SystemClock(), f"db{self.writes}")
        return await self.log.append(message)

    async def parts(self) -> dict[str, int]:
        return dict((await self.room.kept(ANN)).parts)

    def _writer(self) -> EntityWriter:
        return EntityWriter.user(SystemClock().new_id("w"))


@pytest.fixture
def memory() -> Keeping:
    return Keeping(MemoryLog(), Bucket(MemoryLog(), QUOTAS_BUCKET))


def written(size: int) -> DatabaseWritten:
    return DatabaseWritten("insert into t values (1)", [], 1, "5eed", 1, 1, bytes=size)


async def test_everything_counts_as_it_is_now_by_part_and_files_with_their_bytes(memory: Keeping) -> None:
    assert await memory.parts() == {}
    await memory.put("a", 1_000)
    await memory.put("a", 2_000)
    await memory.put("sort", 500, EntityKind.SKILL)
    await memory.put("f_1", 30_000, EntityKind.FILE)
    await memory.put("s_1", 100, EntityKind.NOTEPAD)
    await memory.put("b", 5_000, agent=BOB)
    first = await memory.database(written(8_192))
    await memory.database(written(40_960))
    parts = await memory.parts()
    assert parts["database"] == 40_960
    assert 2_000 < parts["state"] < 2_500
    assert 30_000 < parts["files"] < 30_500
    assert 500 < parts["skills"] < 1_000
    assert 100 < parts["texts"] < 600
    await memory.delete("a")
    await memory.database(DatabaseRestored(first))
    parts = await memory.parts()
    assert "state" not in parts
    assert parts["database"] == 8_192
    snapshot = DatabaseSnapshot(first, "e1", 1, "0" * 64, 7_000, "2026-01-31T00:00:00Z")
    listed = DatabaseSnapshots((snapshot, snapshot), (UnlistedBlob("1" * 64),))
    await memory.snapshots.put(database_snapshots_key(ANN), msgspec.json.encode(listed))
    parts = await memory.parts()
    assert parts["snapshots"] == 14_000, "snapshots take room, too"
    assert parts == dict((await StorageMeter(memory.log, memory.snapshots).of(ANN)).parts), (
        "a new count comes to the same"
    )


async def test_what_is_too_much_is_refused_and_says_what_to_do_and_less_is_always_allowed(
    memory: Keeping,
) -> None:
    await memory.put("a", 60_000)
    await memory.put("small", 10)
    with pytest.raises(Rejected) as refused:
        await memory.put("b", 60_000)
    assert refused.value.kind == ErrorKind.TOO_LARGE
    for words in (
        "Agent ann keeps 58",
        "may keep 97.7 KiB",
        "nothing was written",
        "stays as it is",
        "Delete",
    ):
        assert words in refused.value.message
    with pytest.raises(Rejected):
        await memory.put("f_1", 60_000, EntityKind.FILE)
    await memory.put("b", 1_000)
    await memory.put("a", 50_000)  # smaller than it was
    await memory.delete("b")
    await memory.delete("a")
    await memory.put("b", 60_000)
    await memory.put("b", 90_000)  # of a new version only what is more counts
    with pytest.raises(Rejected):
        await memory.put("b", 101_000)


async def test_what_is_as_large_as_before_is_written_though_there_is_no_room(memory: Keeping) -> None:
    await memory.put("a", 50_000)
    full = Keeping(memory.log, Bucket(MemoryLog(), QUOTAS_BUCKET), limit=40_000)
    before = (await full.room.kept(ANN)).total
    await full.entities.write(EntityKey(ANN, EntityKind.STATE, "a"), "y" * 49_950, full._writer())
    assert (await full.room.kept(ANN)).total <= before
    with pytest.raises(Rejected):
        await full.put("a", 50_100)


async def test_without_a_limit_nothing_is_refused(memory: Keeping) -> None:
    free = Keeping(memory.log, Bucket(MemoryLog(), QUOTAS_BUCKET), limit=0)
    await free.put("a", 500_000)


async def test_far_from_the_limit_a_write_asks_nothing_more(memory: Keeping) -> None:
    log = Counting()
    near = Keeping(log, Bucket(log, QUOTAS_BUCKET), limit=100_000_000)
    await near.put("a", 100)
    before = log.reads
    for number in range(50):
        await near.put(f"k{number}", 100)
    assert log.reads - before == 0


async def test_twenty_processes_at_once_never_exceed_it_and_use_what_there_is(
    connection: NatsConnection,
) -> None:
    def process() -> Keeping:
        return Keeping(JetStreamLog(connection), bucket(connection, QUOTAS_BUCKET))

    processes = [process() for _ in range(20)]

    kinds: set[str] = set()

    async def fill(one: Keeping, number: int) -> int:
        stored = 0
        for turn in range(4):
            try:
                await one.put(f"k{number}-{turn}", 9_000)
                stored += 1
            except Rejected as refused:
                kinds.add(refused.kind)
        return stored

    stored = sum(await asyncio.gather(*(fill(one, number) for number, one in enumerate(processes))))
    kept = await process().room.kept(ANN)
    assert kinds == {ErrorKind.TOO_LARGE}
    assert kept.total <= LIMIT
    assert stored == LIMIT // 9_300, "as many as there is room for, and no fewer"
    await processes[0].delete("k0-0") if stored else None
    entry = await bucket(connection, QUOTAS_BUCKET).get("kept.ann")
    assert entry is None or entry.value == b"{}", "nothing is held for writes that are over"


async def test_a_write_whose_process_died_counts_for_a_minute_and_then_no_more() -> None:
    log, kept, clock = MemoryLog(), Bucket(MemoryLog(), QUOTAS_BUCKET), Standing()
    dead = Room(log, SNAPSHOTS, kept, clock, LIMIT)
    write = dead.growing(ANN, 60_000)
    await write.__aenter__()  # and never again
    alive = Keeping(log, kept, clock=clock)
    with pytest.raises(Rejected):
        await asyncio.wait_for(alive.put("a", 60_000), 30)
    clock.moment += timedelta(seconds=61)
    await alive.put("a", 60_000)


async def test_one_waits_for_another_that_may_still_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_WAITS_S", 30.0)
    log, kept = MemoryLog(), Bucket(MemoryLog(), QUOTAS_BUCKET)
    first = Room(log, SNAPSHOTS, kept, SystemClock(), LIMIT).growing(ANN, 60_000)
    await first.__aenter__()
    second = asyncio.create_task(Keeping(log, kept).put("a", 60_000))
    await all_had_their_turn()
    assert not second.done()
    await first.__aexit__(None, None, None)  # it wrote nothing
    await second


class Counting(MemoryLog):
    """Counts reads of more than one subject's last message."""

    reads = 0

    def read(self, *args: Any, **options: Any) -> Any:
        """See the port."""
        self.reads += 1
        return super().read(*args, **options)

    async def last_of_each(self, *args: Any, **options: Any) -> Any:
        """See the port."""
        self.reads += 1
        return await super().last_of_each(*args, **options)
