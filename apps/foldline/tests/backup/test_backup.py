"""A backup, made while others write, gives the same log elsewhere: against real servers."""

import asyncio
import contextlib
import hashlib
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from nats.aio.msg import Msg

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.notifications import CHANNELS, DESK
from agent_contracts.errors import Permanent, Rejected
from agent_contracts.files import FileScope, FileValue
from agent_contracts.ids import AgentId
from agent_contracts.log.record.codec import MESSAGE_ID
from agent_contracts.log.record.records import NewMessage, StoredMessage
from agent_contracts.log.subjects import (
    LOG_STREAM,
    NOTIFICATIONS_BUCKET,
    SECRETS_BUCKET,
    TIMER_STREAM,
    blob_subject,
    due_subject,
    timer_subject,
)
from agent_domain.checking.blobs import lost_blobs
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.log.blobs.jetstream import JetStreamBlobs
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.sealing.checking import LogLost, loss_by_reading, refuse_if_lost
from agent_platform.log.sealing.removing import erase
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.nats.user import NatsUser
from agent_platform.process.clock import SystemClock
from agent_platform.services.consuming.ensuring import ensure_consumers
from agent_platform.services.embedded.nats_server import NatsServer
from foldline.backup.backup import Backup, make_backup
from foldline.backup.restoring import restore_at, restore_into
from foldline.backup.stored_backup import opened

pytestmark = pytest.mark.processes

USERS = [NatsUser("admin", "a-password")]
CONSUMER = ConsumerSpec("worker", ("ses.>",))
LARGE = os.urandom(3_000_000)


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


@pytest.fixture
async def admin(tmp_path: Path) -> AsyncIterator[NatsConnection]:
    async with running(tmp_path / "original") as admin:
        await ensure_streams(admin, StreamSettings())
        await ensure_consumers(admin, [CONSUMER])
        yield admin


def message(number: int) -> NewMessage:
    return NewMessage(f"ses.a.1.s{number % 3}.in.test", os.urandom(2000), {MESSAGE_ID: f"m{number}"})


async def write(admin: NatsConnection, numbers: range) -> None:
    log = JetStreamLog(admin)
    for number in numbers:
        await log.append(message(number))


@contextlib.asynccontextmanager
async def load(admin: NatsConnection) -> AsyncIterator[None]:
    """Others write all the time, far more than 20 messages a second."""

    async def write_on() -> None:
        log, number = JetStreamLog(admin), 1_000_000
        while True:
            await log.append(message(number))
            number += 1
            await asyncio.sleep(0.002)

    writing = asyncio.create_task(write_on())
    try:
        yield
    finally:
        writing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await writing


async def name_blobs(admin: NatsConnection, *hashes: str) -> None:
    """As files of an agent."""
    entities = Entities(JetStreamLog(admin), SystemClock(), event_sources.RUNNER)
    for number, sha256 in enumerate(hashes):
        value = FileValue("a.txt", "text/plain", 5, sha256, FileScope.AGENT, "upload")
        key = EntityKey(AgentId("a"), EntityKind.FILE, f"f_{number}")
        await entities.write(key, msgspec.to_builtins(value), EntityWriter.user(f"w{number}"))


async def test_what_was_lost_before_is_named_by_the_backup_and_what_is_lost_in_it_is_found(
    admin: NatsConnection, tmp_path: Path
) -> None:
    blobs = JetStreamBlobs(admin)
    kept, gone = [(await blobs.put(one)).sha256 for one in (b"kept", b"gone")]
    await name_blobs(admin, kept, gone)
    await admin.api("STREAM.PURGE.BLOB", {"filter": blob_subject(gone)})
    made = await make_backup(admin, tmp_path / "backup", None)
    assert made.manifest.lost_blobs == {gone}
    with opened(tmp_path / "backup") as stored:
        restored = await restore_into(stored, tmp_path / "restored")
    assert restored.manifest.lost_blobs == {gone}
    async with _started(tmp_path / "restored") as other:
        assert not await lost_blobs(other), "it is known"
    manifest = json.loads((tmp_path / "backup/manifest.json").read_bytes()) | {"lost_blobs": []}
    (tmp_path / "backup/manifest.json").write_text(json.dumps(manifest))
    with opened(tmp_path / "backup") as stored, pytest.raises(Permanent, match="not whole: 1 of 2 blobs"):
        await restore_into(stored, tmp_path / "again")
    assert named(tmp_path, "again") == []


async def events(admin: NatsConnection, up_to: int) -> list[StoredMessage]:
    return [one async for one in JetStreamLog(admin).read(">", up_to=up_to)]


def named(folder: Path, beginning: str) -> list[str]:
    """The files whose names begin like that, drafts too."""
    return [path.name for path in folder.glob(f"{beginning}*")]


async def handle(admin: NatsConnection, count: int) -> None:
    """Work on the first messages, as a service does."""
    arrived: asyncio.Queue[Msg] = asyncio.Queue()
    inbox = admin.new_inbox()
    await admin.subscribe(inbox, arrived.put)
    await admin.publish(f"$JS.API.CONSUMER.MSG.NEXT.{LOG_STREAM}.worker", b"%d" % count, reply=inbox)
    for _ in range(count):
        await admin.request((await arrived.get()).reply, b"+ACK")


@pytest.mark.parametrize("name", ["backup", "backup.tar"])
async def test_a_backup_that_is_made_under_load_gives_the_same_log_at_its_cut_elsewhere(
    admin: NatsConnection, tmp_path: Path, name: str
) -> None:
    await write(admin, range(300))
    blobs, secrets = JetStreamBlobs(admin), bucket(admin, SECRETS_BUCKET)
    small, large = (await blobs.put(b"small")).sha256, (await blobs.put(LARGE)).sha256
    await secrets.put("KEY", b"encrypted")
    await handle(admin, 100)
    await erase(admin, ["ses.a.1.s1.>"], "asked for")
    async with load(admin):
        made = await make_backup(admin, tmp_path / name, None)
        await asyncio.sleep(0.05)  # sleeps: work
    cut = made.manifest.log.sequence
    original = await events(admin, cut)
    assert cut >= 300
    assert len(original) < cut  # what was erased is not in it
    with opened(tmp_path / name) as stored:
        restored = await restore_into(stored, tmp_path / "restored")
    assert (restored.agents, restored.sessions, restored.secrets) == (1, 3, 1)
    assert restored.events - restored.after_cut == len(original)
    async with _started(tmp_path / "restored") as other:
        await refuse_if_lost(other)
        assert not await loss_by_reading(other)
        assert await events(other, cut) == original
        again = await make_backup(other, tmp_path / "again", None)
        if not restored.after_cut:
            assert again.manifest.log.hash == made.manifest.log.hash
        assert await JetStreamBlobs(other).get(small) == b"small"
        assert await JetStreamBlobs(other).get(large) == LARGE
        entry = await bucket(other, SECRETS_BUCKET).get("KEY")
        assert entry is not None
        assert entry.value == b"encrypted"
        await ensure_consumers(other, [CONSUMER])  # as each start does
        info = await other.api(f"CONSUMER.INFO.{LOG_STREAM}.worker")
        assert info["config"]["opt_start_seq"] == 101
        assert await JetStreamLog(other).append(message(5_000_000)) > cut


async def test_a_backup_is_restored_at_a_nats_of_ones_own(admin: NatsConnection, tmp_path: Path) -> None:
    await write(admin, range(200))
    large = (await JetStreamBlobs(admin).put(LARGE)).sha256
    await handle(admin, 50)
    made = await make_backup(admin, tmp_path / "backup.tar", None)
    async with running(tmp_path / "own") as own:
        with opened(tmp_path / "backup.tar") as stored:
            restored = await restore_at(own, stored)
            with pytest.raises(Rejected, match="LOG"):
                await restore_at(own, stored)
        assert restored.events == 200
        await refuse_if_lost(own)
        assert not await loss_by_reading(own)
        assert await events(own, 200) == await events(admin, 200)
        assert await JetStreamBlobs(own).get(large) == LARGE
        again = await make_backup(own, tmp_path / "again", None)
        assert again.manifest.log.hash == made.manifest.log.hash
        await ensure_streams(own, StreamSettings())
        assert await JetStreamLog(own).append(message(5_000_000)) > 200


@asynccontextmanager
async def _started(folder: Path) -> AsyncIterator[NatsConnection]:
    async with running(folder / "nats") as admin:
        yield admin


async def test_what_was_due_later_comes_due_where_it_was_restored(
    admin: NatsConnection, tmp_path: Path
) -> None:
    timers = JetStreamLog(admin, stream=TIMER_STREAM)
    for name, seconds in (("soon", 1), ("late", 3600)):
        at = (datetime.now(UTC) + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")
        headers = {"Nats-Schedule": f"@at {at}", "Nats-Schedule-Target": due_subject(name), MESSAGE_ID: name}
        await timers.append(NewMessage(timer_subject(name), b"", headers))
    await write(admin, range(3))
    await make_backup(admin, tmp_path / "backup", None)
    await asyncio.sleep(2)  # sleeps: clock
    with opened(tmp_path / "backup") as stored:
        await restore_into(stored, tmp_path / "restored")
    async with _started(tmp_path / "restored") as other:
        restored = JetStreamLog(other, stream=TIMER_STREAM)
        async with asyncio.timeout(30):
            while await restored.last(due_subject("soon")) is None:  # noqa: ASYNC110 — the server puts it there
                await asyncio.sleep(0.05)
        assert await restored.last(timer_subject("late")) is not None
        assert await restored.last(due_subject("late")) is None


async def a_backup(admin: NatsConnection, tmp_path: Path) -> Backup:
    await write(admin, range(20))
    return await make_backup(admin, tmp_path / "backup", b"key")


async def test_the_key_of_the_secrets_is_in_it_only_if_it_is_given(
    admin: NatsConnection, tmp_path: Path
) -> None:
    made = await a_backup(admin, tmp_path)
    assert made.manifest.secrets_key
    with opened(made.path) as stored:
        await restore_into(stored, tmp_path / "restored")
    assert (tmp_path / "restored/secrets.key").read_bytes() == b"key"
    assert (tmp_path / "restored/secrets.key").stat().st_mode & 0o777 == 0o600
    without = await make_backup(admin, tmp_path / "without.tar", None)
    assert not without.manifest.secrets_key
    assert without.path.stat().st_mode & 0o777 == 0o600
    with opened(without.path) as stored:
        await restore_into(stored, tmp_path / "keyless")
    assert not (tmp_path / "keyless/secrets.key").exists()


async def test_channels_are_in_it_and_what_was_on_its_way_by_them_is_not_sent_again(
    admin: NatsConnection, tmp_path: Path
) -> None:
    kept = bucket(admin, NOTIFICATIONS_BUCKET)
    await kept.put(f"{CHANNELS}.phone", b"sealed")
    await kept.put(DESK, b"a message")
    made = await a_backup(admin, tmp_path)
    with opened(made.path) as stored:
        await restore_into(stored, tmp_path / "restored")
    async with _started(tmp_path / "restored") as other:
        found = await bucket(other, NOTIFICATIONS_BUCKET).list()
    assert {key: one.value for key, one in found.items()} == {f"{CHANNELS}.phone": b"sealed"}


async def test_a_folder_that_is_there_gets_backups_with_their_date(
    admin: NatsConnection, tmp_path: Path
) -> None:
    await write(admin, range(3))
    made = await make_backup(admin, tmp_path, None)
    assert made.path.parent == tmp_path
    assert made.path.name.startswith("foldline-2")


@pytest.mark.parametrize("damage", ["cut", "changed", "gone", "no manifest"])
async def test_a_damaged_backup_is_refused_and_leaves_nothing(
    admin: NatsConnection, tmp_path: Path, damage: str
) -> None:
    made = await a_backup(admin, tmp_path)
    file = made.path / f"{LOG_STREAM}.snapshot"
    match damage:
        case "cut":
            os.truncate(file, file.stat().st_size // 2)
        case "changed":
            content = bytearray(file.read_bytes())
            content[len(content) // 2] ^= 1
            file.write_bytes(content)
        case "gone":
            file.unlink()
        case _:
            (made.path / "manifest.json").unlink()
    with pytest.raises(Rejected, match="backup"), opened(made.path) as stored:
        await restore_into(stored, tmp_path / "restored")
    assert named(tmp_path, "restored") == []


async def test_a_backup_whose_log_is_another_than_it_says_is_refused(
    admin: NatsConnection, tmp_path: Path
) -> None:
    """Its files are as they were written: only reading the restored log can tell."""
    made = await a_backup(admin, tmp_path)
    manifest = (made.path / "manifest.json").read_text()
    total = made.manifest.log.totals[0].hex
    (made.path / "manifest.json").write_text(manifest.replace(total, "1234"))
    with pytest.raises(Exception, match="not the one that was backed up"), opened(made.path) as stored:
        await restore_into(stored, tmp_path / "restored")
    assert not (tmp_path / "restored").exists()


async def test_nothing_is_restored_over_what_is_there(admin: NatsConnection, tmp_path: Path) -> None:
    made = await a_backup(admin, tmp_path)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken/file").touch()
    with opened(made.path) as stored:
        with pytest.raises(Rejected, match="is not empty"):
            await restore_into(stored, tmp_path / "taken")
        with pytest.raises(Rejected, match="has streams already"):
            await restore_at(admin, stored)
        (tmp_path / "empty").mkdir()
        await restore_into(stored, tmp_path / "empty")
    with pytest.raises(Rejected, match="already exists"):
        await make_backup(admin, tmp_path / "backup/manifest.json", None)


async def test_a_damaged_log_is_not_backed_up_over_what_was_whole(
    admin: NatsConnection, tmp_path: Path
) -> None:
    await a_backup(admin, tmp_path)
    await admin.api("STREAM.PURGE.LOG", {"filter": "ses.a.1.s2.>"})
    with pytest.raises(LogLost, match="last backup"):
        await make_backup(admin, tmp_path / "second", None)
    assert named(tmp_path, "second") == []


async def test_two_at_once_to_one_place_make_one_backup(admin: NatsConnection, tmp_path: Path) -> None:
    await write(admin, range(20))
    both = [make_backup(admin, tmp_path / "backup", None) for _ in range(2)]
    made = await asyncio.gather(*both, return_exceptions=True)
    assert sorted(type(one).__name__ for one in made) == ["Backup", "Rejected"]
    with opened(tmp_path / "backup") as stored:
        stored.check()
    assert named(tmp_path, "backup") == ["backup"]


async def test_a_place_that_cant_be_written_is_said(admin: NatsConnection) -> None:
    await write(admin, range(3))
    with pytest.raises(Rejected, match="can't be written"):
        await make_backup(admin, Path("/proc/backup"), None)


def test_a_file_that_is_no_backup_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(hashlib.sha256(b"x").digest())
    for path in (tmp_path / "file", tmp_path, tmp_path / "nothing"):
        with pytest.raises(Rejected), opened(path):
            pass
