"""Snapshots: with one or without, a session folds to the same."""

import asyncio
import itertools
import zlib

import msgspec
import pytest

from agent_contracts.errors import Conflict, Transient
from agent_contracts.ids import SessionId
from agent_contracts.log.record.records import StoredMessage, carrying
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.subjects import SNAPSHOTS_BUCKET
from agent_contracts.session_events.decisions import ModelCallRequested
from agent_platform.log.bucket import Bucket, BucketEntry
from foldline_testing.agent_platform.eventually import all_had_their_turn, eventually
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.session_domain.counting_log import CountingLog
from foldline_testing.session_domain.messages import AGENT, as_messages
from foldline_testing.session_domain.story import SESSION, Story, answers, done, says, story, wants
from session_domain.domain.state import SessionState
from session_domain.sessions import SNAPSHOT_EVERY, FoldedSessions
from session_domain.snapshot_pieces import TOGETHER, in_pieces
from session_domain.snapshots import KeptSnapshots, snapshot_key

KEY = SessionKey(AGENT, SESSION)


class UnreachableBucket(Bucket):
    """A bucket whose server is away."""

    async def get(self, key: str) -> BucketEntry | None:
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


async def logged(told: Story, log: CountingLog | None = None) -> CountingLog:
    """A log that holds just this story (at other sequences)."""
    log, place = log or CountingLog(), dict[int, int]()
    for recorded in told.recorded:
        place[recorded.sequence] = await log.last_sequence() + 1
        event = recorded.event
        if isinstance(event, ModelCallRequested):
            joins = tuple(place[sequence] for sequence in event.joins)
            recorded = msgspec.structs.replace(recorded, event=msgspec.structs.replace(event, joins=joins))
        [message] = as_messages([recorded], SESSION)
        assert message.envelope is not None
        prev = None if message.envelope.prev is None else await log.last_sequence()
        envelope = msgspec.structs.replace(message.envelope, prev=prev)
        await log.append(carrying(envelope, message.data, message.subject))
    return log


async def test_a_cold_session_is_its_snapshot_and_what_came_since() -> None:
    told, kept = long_story(), bucket()
    log = await logged(told)
    whole = await FoldedSessions(log).newest(KEY)
    middle = await FoldedSessions(log).at(KEY, whole.last_sequence - 7)
    await KeptSnapshots(kept, log).save(middle)
    log.reads = 0
    assert await FoldedSessions(log, KeptSnapshots(kept, log)).newest(KEY) == whole
    assert log.reads == 7


async def test_the_past_is_folded_from_a_snapshot_only_if_that_is_older() -> None:
    told, kept = long_story(), bucket()
    log = await logged(told)
    whole = await FoldedSessions(log).newest(KEY)
    snapshots = KeptSnapshots(kept, log)
    await snapshots.save(await FoldedSessions(log).at(KEY, 150))
    sessions = FoldedSessions(log, snapshots)
    for sequence in (149, 150, 151, whole.last_sequence):
        assert await sessions.at(KEY, sequence) == await FoldedSessions(log).at(KEY, sequence)
    log.reads = 0
    await sessions.at(KEY, 160)  # an earlier look came by near it
    assert log.reads <= 60


@pytest.mark.parametrize("damage", [b"", b"no snapshot", in_pieces(SessionState(SESSION), "e").head[:-9]])
async def test_a_damaged_snapshot_is_ignored(damage: bytes) -> None:
    log, kept = await logged(long_story()), bucket()
    await kept.put(snapshot_key(SESSION), damage)
    whole = await FoldedSessions(log).newest(KEY)
    assert await FoldedSessions(log, KeptSnapshots(kept, log)).newest(KEY) == whole


async def test_one_of_another_fold_version_is_ignored() -> None:
    log, kept = await logged(long_story()), bucket()
    whole = await FoldedSessions(log).newest(KEY)
    other = msgspec.structs.replace(whole, title="of an older fold")
    await kept.put(f"{SESSION}.1", in_pieces(other, "e3").head)
    assert await KeptSnapshots(kept, log).load(KEY) is None


async def test_one_of_another_log_is_ignored() -> None:
    """The log was restored to an earlier state, and maybe went on from there differently."""
    told, kept = long_story(), bucket()
    log = await logged(told)
    await KeptSnapshots(kept, log).save(await FoldedSessions(log).newest(KEY))
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
    whole = await FoldedSessions(log).newest(KEY)
    await kept.put(snapshot_key(SessionId("s_2")), in_pieces(whole, "e3").head)
    assert await KeptSnapshots(kept, log).load(SessionKey(AGENT, SessionId("s_2"))) is None


async def test_a_settled_session_is_saved_every_hundred_events_beside_the_work() -> None:
    log, kept = await logged(long_story()), bucket()
    snapshots = KeptSnapshots(kept, log)
    sessions = FoldedSessions(log, snapshots)
    saving = asyncio.create_task(snapshots.run())
    try:
        early = await sessions.at(KEY, SNAPSHOT_EVERY - 1)
        sessions.settled(early)
        await all_had_their_turn()
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
    sessions = FoldedSessions(log, snapshots)
    saving = asyncio.create_task(snapshots.run())
    whole = await sessions.newest(KEY)
    assert whole == await FoldedSessions(log).newest(KEY)
    sessions.settled(whole)
    await all_had_their_turn()
    assert not saving.done()
    saving.cancel()
    await asyncio.gather(saving, return_exceptions=True)


class CountedBucket(Bucket):
    """Notes what is written, in bytes by key."""

    def __init__(self) -> None:
        super().__init__(MemoryLog(), SNAPSHOTS_BUCKET)
        self.written: list[tuple[str, int]] = []

    async def put(
        self, key: str, value: bytes, *, expect: int | None = None, ttl_s: float | None = None
    ) -> int:
        self.written.append((key, len(value)))
        return await super().put(key, value, expect=expect, ttl_s=ttl_s)


async def saved_as_it_grew(told: Story, kept: Bucket, every: int = 60) -> tuple[CountingLog, KeptSnapshots]:
    """The story's log, and who saved it again and again."""
    log = await logged(told)
    snapshots, sessions = KeptSnapshots(kept, log), FoldedSessions(log)
    for sequence in range(every, await log.last_sequence() + 1, every):
        await snapshots.save(await sessions.at(KEY, sequence))
    return log, snapshots


async def test_what_is_saved_does_not_grow_with_the_session() -> None:
    kept = CountedBucket()
    log, _ = await saved_as_it_grew(long_story(500), kept)
    heads = [index for index, (key, _) in enumerate(kept.written) if key == snapshot_key(SESSION)]
    of_a_save = [
        sum(size for _, size in kept.written[begin + 1 : end + 1])
        for begin, end in itertools.pairwise([-1, *heads])
    ]
    half = len(of_a_save) // 2
    assert sum(of_a_save[half:]) < 1.2 * sum(of_a_save[:half])
    assert len(await kept.list()) < TOGETHER + len(of_a_save) / TOGETHER + 1
    whole = await FoldedSessions(log).newest(KEY)
    loaded = await KeptSnapshots(kept, log).load(KEY)
    assert loaded is not None
    assert loaded.history == whole.history[: len(loaded.history)]
    assert await FoldedSessions(log, KeptSnapshots(kept, log)).newest(KEY) == whole


async def test_another_process_goes_on_from_the_pieces_that_are_there() -> None:
    told, kept = long_story(100), CountedBucket()
    log, _ = await saved_as_it_grew(told, kept)
    kept.written.clear()
    other = KeptSnapshots(kept, log)
    whole = await FoldedSessions(log, other).newest(KEY)
    await other.save(whole)
    assert sum(size for _, size in kept.written) < len(in_pieces(whole, "e").head) + 3_000
    assert await KeptSnapshots(kept, log).load(KEY) == whole
    kept.written.clear()
    await KeptSnapshots(kept, log).save(
        await FoldedSessions(log).newest(KEY)
    )  # nothing of it was read before
    assert len(kept.written) == 1
    assert await KeptSnapshots(kept, log).load(KEY) == whole


@pytest.mark.parametrize("damage", [None, b"", b"{}", "swapped"])
async def test_a_piece_that_is_missing_or_damaged_spoils_the_snapshot_and_nothing_else(
    damage: bytes | str | None,
) -> None:
    kept = bucket()
    log, _ = await saved_as_it_grew(long_story(), kept)
    pieces = [key for key in await kept.list() if key != snapshot_key(SESSION)]
    assert len(pieces) > 1
    for key, other in zip(pieces, pieces[1:] + pieces[:1], strict=True):
        entry = await kept.get(other)
        assert entry is not None
        if damage is None:
            await kept.delete(key)
        else:
            await kept.put(key, entry.value if isinstance(damage, str) else damage)
        break
    whole = await FoldedSessions(log).newest(KEY)
    snapshots = KeptSnapshots(kept, log)
    assert await snapshots.load(KEY) is None
    assert await FoldedSessions(log, snapshots).newest(KEY) == whole
    await snapshots.save(whole)
    assert await KeptSnapshots(kept, log).load(KEY) == whole


async def test_of_two_processes_that_save_a_session_one_does_and_the_other_reads_anew() -> None:
    kept, log = bucket(), await logged(long_story())
    one, other = KeptSnapshots(kept, log), KeptSnapshots(kept, log)
    sessions = FoldedSessions(log)
    early, late = await sessions.at(KEY, 100), await sessions.newest(KEY)
    await one.save(early)
    await other.load(KEY)
    await one.save(late)
    with pytest.raises(Conflict):
        await other.save(await FoldedSessions(log).at(KEY, 150))
    assert await KeptSnapshots(kept, log).load(KEY) == late
    await other.save(late)
    assert await KeptSnapshots(kept, log).load(KEY) == late


async def test_what_a_process_left_behind_when_it_was_killed_is_deleted() -> None:
    kept, log = bucket(), await logged(long_story())
    await kept.put(f"{snapshot_key(SESSION)}.abc", b"of no head")
    snapshots = KeptSnapshots(kept, log)
    await snapshots.load(KEY)
    whole = await FoldedSessions(log).newest(KEY)
    await snapshots.save(whole)
    named = {piece.name for piece in in_pieces(whole, "e").pieces}
    there = {key.removeprefix(f"{snapshot_key(SESSION)}.") for key in await kept.list()}
    assert there == named | {snapshot_key(SESSION)}


async def test_a_session_that_is_erased_while_it_is_saved_leaves_nothing() -> None:
    class ErasedLog(CountingLog):
        gone = False

        async def get(self, sequence: int) -> StoredMessage | None:
            return None if self.gone else await super().get(sequence)

    class SlowBucket(Bucket):
        async def put(
            self, key: str, value: bytes, *, expect: int | None = None, ttl_s: float | None = None
        ) -> int:
            log.gone = True
            return await super().put(key, value, expect=expect, ttl_s=ttl_s)

    log = ErasedLog()
    await logged(long_story(), log)
    kept = SlowBucket(MemoryLog(), SNAPSHOTS_BUCKET)
    await KeptSnapshots(kept, log).save(await FoldedSessions(log).newest(KEY))
    assert await kept.list() == {}


async def test_a_bug_in_saving_one_session_keeps_no_other_from_being_saved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log, kept = await logged(long_story()), bucket()
    snapshots, times = KeptSnapshots(kept, log), 0
    save = snapshots.save

    async def broken_once(state: SessionState) -> None:
        nonlocal times
        times += 1
        if times == 1:
            raise RuntimeError("a bug")
        await save(state)

    monkeypatch.setattr(snapshots, "save", broken_once)
    saving = asyncio.create_task(snapshots.run())
    try:
        whole = await FoldedSessions(log).newest(KEY)
        for _ in range(2):
            snapshots.offer(whole)
            await all_had_their_turn()
        assert await eventually(lambda: snapshots.load(KEY)) == whole
    finally:
        saving.cancel()
        await asyncio.gather(saving, return_exceptions=True)


class DyingBucket(Bucket):
    """Its process dies after so many writes."""

    def __init__(self, kept: MemoryLog) -> None:
        super().__init__(kept, SNAPSHOTS_BUCKET)
        self.left = 10**6

    async def put(
        self, key: str, value: bytes, *, expect: int | None = None, ttl_s: float | None = None
    ) -> int:
        self.left -= 1
        if self.left < 0:
            raise Transient("killed")
        return await super().put(key, value, expect=expect, ttl_s=ttl_s)


async def test_whenever_a_process_dies_that_saves_what_was_saved_before_can_be_used() -> None:
    log = await logged(long_story())
    early, late = await FoldedSessions(log).at(KEY, 100), await FoldedSessions(log).newest(KEY)
    for writes in range(10):
        kept = DyingBucket(MemoryLog())
        await KeptSnapshots(kept, log).save(early)
        kept.left = writes
        dying = KeptSnapshots(kept, log)
        try:
            await dying.save(late)
        except Transient:
            assert await KeptSnapshots(kept, log).load(KEY) == early, writes
        else:
            assert await KeptSnapshots(kept, log).load(KEY) == late
            assert writes > 1, "more than one write was cut off between"
            return
    raise AssertionError("it was never saved")


async def test_an_earlier_fold_is_found_from_its_very_event_on() -> None:
    kept = bucket()
    log, _ = await saved_as_it_grew(long_story(), kept)
    snapshots, sessions = KeptSnapshots(kept, log), FoldedSessions(log)
    found: set[int] = set()
    for sequence in range(1, await log.last_sequence() + 1):
        state = await snapshots.before(KEY, sequence)
        if state is not None:
            assert state.last_sequence <= sequence
            found.add(state.last_sequence)
    assert len(found) > 1
    for sequence in found:
        assert await snapshots.before(KEY, sequence) == await sessions.at(KEY, sequence)


async def test_what_was_decoded_of_a_session_is_let_go_of_when_it_is_erased(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = bucket()
    log, _ = await saved_as_it_grew(long_story(), kept)
    snapshots, decoded = KeptSnapshots(kept, log), 0
    decompress = zlib.decompress

    def counted(data: bytes) -> bytes:
        nonlocal decoded
        decoded += 1
        return decompress(data)

    monkeypatch.setattr(zlib, "decompress", counted)

    async def parts_decoded() -> int:
        nonlocal decoded
        decoded = 0
        assert await snapshots.load(KEY) is not None
        return decoded

    snapshots.forget(SESSION)
    whole = await parts_decoded()
    assert whole > 2
    assert await parts_decoded() == 1, "the head alone"
    snapshots.forget(SESSION)
    assert await parts_decoded() == whole
