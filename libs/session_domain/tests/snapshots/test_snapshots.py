"""Snapshots: with one or without, a session folds to the same."""

import asyncio

import msgspec
import pytest

from agent_contracts.errors import Transient
from agent_contracts.ids import SessionId
from agent_contracts.session_key import SessionKey
from agent_contracts.subjects import SNAPSHOTS_BUCKET
from agent_platform.log.event_message import carrying
from agent_platform.nats.bucket import Bucket, Entry
from agent_platform.testing.eventually import eventually
from agent_platform.testing.memory_log import MemoryLog
from session_domain.domain.state import Session
from session_domain.sessions import SNAPSHOT_EVERY, Sessions
from session_domain.snapshots import KeptSnapshots, encode_snapshot, snapshot_key
from session_domain.testing.counting_log import CountingLog
from session_domain.testing.messages import AGENT, as_messages
from session_domain.testing.story import SESSION, Story, answers, done, says, story, wants

KEY = SessionKey(AGENT, SESSION)


class UnreachableBucket(Bucket):
    """A bucket whose server is away."""

    async def get(self, key: str) -> Entry | None:
        raise Transient("away")

    async def put(
        self, key: str, value: bytes, *, expect: int | None = None, ttl_s: float | None = None
    ) -> int:
        raise Transient("away")


def bucket() -> Bucket:
    return Bucket(MemoryLog(), SNAPSHOTS_BUCKET)


def long_story(turns: int = 40) -> Story:
    """Turns with a tool call each."""
    told = story()
    for number in range(turns):
        told.given(says(f"question {number}"))
        told.given(answers(told, "let me see", [wants(told, "look")]))
        told.given(done(told.state.batch[0].call_id, {"found": [number, 1.0, None]}))
        told.given(answers(told, f"answer {number}"))
    return told


async def logged(told: Story) -> CountingLog:
    """A log that holds just this story (at other sequences)."""
    log = CountingLog()
    for message in as_messages(told.recorded, SESSION):
        assert message.envelope is not None
        prev = None if message.envelope.prev is None else await log.last_sequence()
        envelope = msgspec.structs.replace(message.envelope, prev=prev)
        await log.append(carrying(envelope, message.data, message.subject))
    return log


async def test_a_cold_session_is_its_snapshot_and_what_came_since() -> None:
    told, kept = long_story(), bucket()
    log = await logged(told)
    whole = await Sessions(log).newest(KEY)
    middle = await Sessions(log).at(KEY, whole.last_sequence - 7)
    await KeptSnapshots(kept, log).save(middle)
    log.reads = 0
    assert await Sessions(log, KeptSnapshots(kept, log)).newest(KEY) == whole
    assert log.reads == 7


async def test_the_past_is_folded_from_a_snapshot_only_if_that_is_older() -> None:
    told, kept = long_story(), bucket()
    log = await logged(told)
    whole = await Sessions(log).newest(KEY)
    snapshots = KeptSnapshots(kept, log)
    await snapshots.save(await Sessions(log).at(KEY, 150))
    sessions = Sessions(log, snapshots)
    for sequence in (149, 150, 151, whole.last_sequence):
        assert await sessions.at(KEY, sequence) == await Sessions(log).at(KEY, sequence)
    log.reads = 0
    await sessions.at(KEY, 160)  # it is warm, and further
    assert log.reads == 10


@pytest.mark.parametrize("damage", [b"", b"no snapshot", encode_snapshot(Session(SESSION), "e")[:-9]])
async def test_a_damaged_snapshot_is_ignored(damage: bytes) -> None:
    log, kept = await logged(long_story()), bucket()
    await kept.put(snapshot_key(SESSION), damage)
    whole = await Sessions(log).newest(KEY)
    assert await Sessions(log, KeptSnapshots(kept, log)).newest(KEY) == whole


async def test_one_of_another_fold_version_is_ignored() -> None:
    log, kept = await logged(long_story()), bucket()
    whole = await Sessions(log).newest(KEY)
    other = msgspec.structs.replace(whole, title="of an older fold")
    await kept.put(f"{SESSION}.1", encode_snapshot(other, "e3"))
    assert await KeptSnapshots(kept, log).load(KEY) is None


async def test_one_of_another_log_is_ignored() -> None:
    """The log was restored to an earlier state, and maybe went on from there differently."""
    told, kept = long_story(), bucket()
    log = await logged(told)
    await KeptSnapshots(kept, log).save(await Sessions(log).newest(KEY))
    shorter = await logged(long_story(30))
    assert await KeptSnapshots(kept, shorter).load(KEY) is None
    other = MemoryLog()
    for message in as_messages(told.recorded, SESSION):
        assert message.envelope is not None
        envelope = msgspec.structs.replace(message.envelope, id="x" + message.envelope.id)
        await other.append(carrying(envelope, message.data, message.subject))
    assert await KeptSnapshots(kept, other).load(KEY) is None


async def test_one_under_another_sessions_name_is_ignored() -> None:
    log, kept = await logged(long_story()), bucket()
    whole = await Sessions(log).newest(KEY)
    await kept.put(snapshot_key(SessionId("s_2")), encode_snapshot(whole, "e3"))
    assert await KeptSnapshots(kept, log).load(SessionKey(AGENT, SessionId("s_2"))) is None


async def test_a_settled_session_is_saved_every_hundred_events_beside_the_work() -> None:
    log, kept = await logged(long_story()), bucket()
    snapshots = KeptSnapshots(kept, log)
    sessions = Sessions(log, snapshots)
    saving = asyncio.create_task(snapshots.run())
    try:
        early = await sessions.at(KEY, SNAPSHOT_EVERY - 1)
        sessions.settled(early)
        await asyncio.sleep(0.05)
        assert await snapshots.load(KEY) is None
        whole = await sessions.newest(KEY)
        sessions.settled(whole)
        assert await eventually(lambda: snapshots.load(KEY)) == whole
    finally:
        saving.cancel()
        await asyncio.gather(saving, return_exceptions=True)


async def test_without_the_bucket_sessions_open_more_slowly_and_nothing_else() -> None:
    log = await logged(long_story())
    snapshots = KeptSnapshots(UnreachableBucket(MemoryLog(), SNAPSHOTS_BUCKET), log)
    sessions = Sessions(log, snapshots)
    saving = asyncio.create_task(snapshots.run())
    whole = await sessions.newest(KEY)
    assert whole == await Sessions(log).newest(KEY)
    sessions.settled(whole)
    await asyncio.sleep(0.05)
    assert not saving.done()
    saving.cancel()
    await asyncio.gather(saving, return_exceptions=True)
