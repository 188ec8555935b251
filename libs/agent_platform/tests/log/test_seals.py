"""A log that lost something is noticed, one from which something was erased is not taken for that."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agent_contracts.log.record.codec import MESSAGE_ID
from agent_contracts.log.record.records import NewMessage, StoredMessage
from agent_contracts.log.subjects import SEALS_BUCKET
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.sealing.checking import (
    LogLoss,
    LogLost,
    check,
    log_state,
    read_record,
    refuse_if_lost,
)
from agent_platform.log.sealing.record import LastBackup, Seals
from agent_platform.log.sealing.removing import accept_loss, erase, remove_outlived
from agent_platform.log.sealing.seal import (
    PIECE,
    SPAN,
    Removal,
    RunningTotal,
    SequenceRuns,
    Total,
    in_pieces,
    range_of,
)
from agent_platform.log.sealing.sealer import Sealer
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.nats.user import NatsUser
from agent_platform.services.embedded.nats_server import NatsServer

pytestmark = pytest.mark.long

USERS = [NatsUser("admin", "a-password")]
COUNT = SPAN + 300
STORE = Path("store/jetstream/FOLDLINE/streams/LOG/msgs")
_BODY = 3000  # two blocks in all


def message(number: int) -> NewMessage:
    return NewMessage(f"ses.a.1.s{number % 7}.in.test", os.urandom(_BODY), {MESSAGE_ID: f"m{number}"})


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[NatsConnection]:
    server = NatsServer(folder, USERS, sync="10s")
    await server.start()
    admin = await connect(server.url_for("admin"), name="test")
    try:
        yield admin
    finally:
        await admin.close()
        await server.stop()


def seals(admin: NatsConnection) -> Seals:
    return Seals(bucket(admin, SEALS_BUCKET))


def sealer(admin: NatsConnection) -> Sealer:
    return Sealer(seals(admin), JetStreamLog(admin), every_s=0)


async def loss_of(admin: NatsConnection) -> LogLoss:
    """By the whole contents."""
    state, record = await log_state(admin), await read_record(admin)
    assert state is not None
    assert record is not None
    return await check(state, record, JetStreamLog(admin))


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stopped server's folder, with a sealed log of several blocks and ranges, to copy."""
    folder = tmp_path_factory.mktemp("made-once") / "nats"

    async def make() -> None:
        async with running(folder) as admin:
            await ensure_streams(admin, StreamSettings())
            log = JetStreamLog(admin)
            for start in range(0, COUNT, 100):
                numbers = range(start, min(start + 100, COUNT))
                await asyncio.gather(*(log.append(message(number)) for number in numbers))
            await sealer(admin).seal_to(COUNT)
            await seals(admin).backed_up(LastBackup("/backups/one", "2026-11-22T10:00:00Z", 4000))

    asyncio.run(make())
    assert len(list((folder / STORE).glob("*.blk"))) == 2
    return folder


@pytest.fixture
def folder(made_once: Path, tmp_path: Path) -> Path:
    shutil.copytree(made_once, tmp_path / "nats")
    return tmp_path / "nats"


async def test_a_log_that_has_everything_is_whole(folder: Path) -> None:
    async with running(folder) as admin:
        await refuse_if_lost(admin)
        assert not await loss_of(admin)


async def test_a_new_log_is_whole(tmp_path: Path) -> None:
    async with running(tmp_path / "nats") as admin:
        await refuse_if_lost(admin)
        await ensure_streams(admin, StreamSettings())
        await refuse_if_lost(admin)


def _first_block(msgs: Path) -> None:
    (msgs / "1.blk").unlink()


def _last_block(msgs: Path) -> None:
    (msgs / "2.blk").unlink()


def _half_of_the_first(msgs: Path) -> None:
    os.truncate(msgs / "1.blk", (msgs / "1.blk").stat().st_size // 2)


def _half_of_the_last(msgs: Path) -> None:
    os.truncate(msgs / "2.blk", (msgs / "2.blk").stat().st_size // 2)


def _garbled(msgs: Path) -> None:
    block = bytearray((msgs / "1.blk").read_bytes())
    block[500_000:520_000] = bytes(20_000)
    (msgs / "1.blk").write_bytes(block)


def _everything(msgs: Path) -> None:
    shutil.rmtree(msgs.parent)


@pytest.mark.parametrize("killed", [False, True], ids=["stopped", "killed"])
@pytest.mark.parametrize(
    "damage",
    [_first_block, _last_block, _half_of_the_first, _half_of_the_last, _garbled, _everything],
    ids=lambda damage: damage.__name__,
)
async def test_what_is_missing_is_found_at_the_start_said_and_may_be_accepted(
    folder: Path, damage: Callable[[Path], None], killed: bool
) -> None:
    if killed:  # its index is then as old as its last start, or there is none
        (folder / STORE / "index.db").unlink(missing_ok=True)
    damage(folder / STORE)
    async with running(folder) as admin:
        with pytest.raises(LogLost) as lost:
            await refuse_if_lost(admin)
        said = str(lost.value.message)
        assert "missing" in said
        assert "/backups/one" in said
        assert "up to event 4000" in said
        assert "--accept-loss" in said
        await ensure_streams(admin, StreamSettings())
        state, record = await log_state(admin), await read_record(admin)
        assert state is not None
        assert record is not None
        accepted = await accept_loss(admin, state, record)
        assert accepted.missing.count == lost.value.loss.missing.count
        await refuse_if_lost(admin)
        assert not await loss_of(admin)
        last = await JetStreamLog(admin).append(message(COUNT + 1))
        await sealer(admin).seal_to(last)
        assert not await loss_of(admin)


async def test_a_single_garbled_message_is_found_by_reading(folder: Path) -> None:
    block = bytearray((folder / STORE / "1.blk").read_bytes())
    block[1_000_000] ^= 0xFF
    (folder / STORE / "1.blk").write_bytes(block)
    async with running(folder) as admin:
        await refuse_if_lost(admin)  # the server's index doesn't know
        loss = await loss_of(admin)
        assert loss.missing.count == 1
        state, record = await log_state(admin), await read_record(admin)
        assert state is not None
        assert record is not None
        await accept_loss(admin, state, record)
        assert not await loss_of(admin)


async def test_a_log_whose_beginning_is_gone_is_refused_though_nothing_was_ever_recorded(
    folder: Path,
) -> None:
    shutil.rmtree(folder / "store/jetstream/FOLDLINE/streams" / f"KV_{SEALS_BUCKET}")
    _first_block(folder / STORE)
    async with running(folder) as admin:
        with pytest.raises(LogLost, match=r"missing: 1 to \d+"):
            await refuse_if_lost(admin)


async def test_what_was_erased_is_no_loss_and_what_is_lost_besides_is(folder: Path) -> None:
    async with running(folder) as admin:
        log = JetStreamLog(admin)
        of_the_session = (COUNT + 6) // 7
        assert await erase(admin, ["ses.a.1.s0.>"], "asked for") == of_the_session
        await refuse_if_lost(admin)
        assert not await loss_of(admin)
        assert await erase(admin, ["ses.a.1.s0.>"], "asked for") == 0
        await log.append(NewMessage("ses.a.1.s0.in.test", b"late", {MESSAGE_ID: "late"}))
        assert await erase(admin, ["ses.a.1.s0.>"], "asked for") == 1
        assert not await loss_of(admin)
        await admin.api("STREAM.PURGE.LOG", {"filter": "ses.a.1.s1.>"})
        with pytest.raises(LogLost):
            await refuse_if_lost(admin)


async def test_what_outlived_its_time_is_no_loss_and_neighbours_stand_on_one_record(folder: Path) -> None:
    async with running(folder) as admin:
        first = await remove_outlived(admin, ["ses.a.1.s0.>"], [2, 3], "old")
        assert first == (COUNT + 6) // 7 + 2
        assert await remove_outlived(admin, ["ses.a.1.s0.>"], [2, 3, 4], "old") == 1
        record = await read_record(admin)
        assert record is not None
        assert (1, 4) in list(record.removed)
        assert len({removal.why for removal in record.removals}) == 1
        quick, listed = await log_state(admin, record.removed), await log_state(admin)
        assert quick is not None
        assert listed is not None
        assert list(quick.absent) == list(listed.absent.within(1, quick.last))
        await refuse_if_lost(admin)
        assert not await loss_of(admin)
        await admin.api("STREAM.MSG.DELETE.LOG", {"seq": 9})
        with pytest.raises(LogLost, match="missing: 9"):
            await refuse_if_lost(admin)


async def test_an_erasure_that_was_cut_short_before_it_purged_is_no_loss_and_can_be_ended(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(folder) as admin:
        api = admin.api

        async def dies(name: str, *arguments: object) -> object:
            if name.startswith("STREAM.MSG.DELETE"):
                raise ConnectionError("killed")
            return await api(name, *arguments)  # type: ignore[arg-type]

        with monkeypatch.context() as patched:
            patched.setattr(admin, "api", dies)
            with pytest.raises(ConnectionError):
                await erase(admin, ["ses.a.1.s3.>"], "asked for")
        await refuse_if_lost(admin)
        assert not await loss_of(admin)
        # By whatever else is erased with it then: what was put on record isn't taken off once more.
        await erase(admin, ["ses.a.1.s3.>", "ses.a.1.s4.>"], "asked for")
        assert await JetStreamLog(admin).last("ses.a.1.s3.in.test") is None
        await refuse_if_lost(admin)
        assert not await loss_of(admin)


async def test_a_sealer_that_was_shown_some_of_it_seals_what_one_does_that_read_it_all(
    folder: Path,
) -> None:
    async with running(folder) as admin:
        log = JetStreamLog(admin)
        first = sealer(admin)
        first.reached(COUNT)
        await first.keep()
        for number in range(COUNT, COUNT + 10):
            await log.append(message(number))
        tail = [one async for one in log.read(">", after=COUNT)]
        for one in tail[:3]:
            first.see(one)
        await first.keep()
        other = sealer(admin)  # as after the first one was killed
        for one in tail[6:]:
            other.see(one)
        await other.keep()
        for one in tail[3:]:  # it lives after all
            first.see(one)
        await first.keep()
        await first.keep()
        record = await read_record(admin)
        assert record is not None
        assert record.sealed_to == COUNT + 10
        assert not await loss_of(admin)


def test_a_message_that_changed_in_any_part_has_another_digest() -> None:
    same = StoredMessage(1, "s", b"body", {"a": "1", "b": "2"})
    others = [
        StoredMessage(2, "s", b"body", {"a": "1", "b": "2"}),
        StoredMessage(1, "t", b"body", {"a": "1", "b": "2"}),
        StoredMessage(1, "s", b"Body", {"a": "1", "b": "2"}),
        StoredMessage(1, "s", b"body", {"a": "1", "b": "3"}),
        StoredMessage(1, "s", b"body", {"a": "1"}),
    ]
    assert _total(same) == _total(StoredMessage(1, "s", b"body", {"b": "2", "a": "1"}))
    assert len({_total(one) for one in (same, *others)}) == 1 + len(others)


def _total(message: StoredMessage) -> str:
    adding = RunningTotal()
    adding.add(message)
    return adding.total.hex


def test_runs_are_sets_of_sequences() -> None:
    runs = SequenceRuns([(5, 7), (1, 3), (4, 4), (10, 20), (15, 22)])
    assert list(runs) == [(1, 7), (10, 22)]
    assert runs.count == 20
    assert [number in runs for number in (0, 1, 7, 8, 10, 22, 23)] == [0, 1, 1, 0, 1, 1, 0]
    assert list(runs.without(SequenceRuns([(2, 3), (6, 12), (22, 30)]))) == [(1, 1), (4, 5), (13, 21)]
    assert list(runs.within(6, 11)) == [(6, 7), (10, 11)]
    assert str(SequenceRuns([(1, 1), (3, 9)])) == "1, 3 to 9"


async def test_a_removal_of_any_number_of_runs_is_kept_in_pieces_that_messages_hold(folder: Path) -> None:
    every_second = tuple((sequence, sequence) for sequence in range(1, 1_000_001, 2))
    totals = {number: Total(f"{number + 1:x}") for number in range(range_of(1_000_000) + 1)}
    removal = Removal("erased: ann", every_second, totals)
    async with running(folder) as admin:
        kept = Seals(bucket(admin, SEALS_BUCKET))
        await kept.remove("erased-1", removal)
        await kept.remove("erased-1", removal)  # cut off, and done again
        await kept.remove("erased-10", Removal("another", ((2, 2),), {0: Total("9")}))
        assert await kept.removal("erased-1") == removal
        record = await kept.read()
        assert record.removed.count == 500_001
        assert record.removed_from(0) == Total("a")
        assert record.removed_from(200) == totals[200]


def test_each_piece_of_a_removal_says_all_of_its_ranges() -> None:
    end = 3 * PIECE * SPAN
    removal = Removal("why", ((5, end), (end + 9, end + 9)), {0: Total("1"), 3 * PIECE: Total("2")})
    pieces = in_pieces(removal)
    assert list(pieces) == [0, 1, 2, 3]
    assert SequenceRuns(run for one in pieces.values() for run in one.runs).count == end - 3
    for number, piece in pieces.items():
        assert {range_of(first) // PIECE for run in piece.runs for first in run} == {number}
    assert (pieces[0].totals, pieces[1].totals, pieces[3].totals) == (
        {0: Total("1")},
        {},
        {3 * PIECE: Total("2")},
    )
