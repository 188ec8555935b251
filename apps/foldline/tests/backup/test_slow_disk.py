"""A backup is restored where the disk takes its time: strace delays each flush of the real nats-server."""

import asyncio
import os
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agent_contracts.errors import Permanent
from agent_contracts.log.record.codec import MESSAGE_ID
from agent_contracts.log.record.records import NewMessage
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.nats.user import NatsUser
from agent_platform.services.embedded import nats_server
from agent_platform.services.embedded.nats_server import NatsServer, find_nats_server
from foldline.backup.backup import make_backup
from foldline.backup.restoring import restore_at, restore_into
from foldline.backup.stored_backup import opened

pytestmark = pytest.mark.processes

_EVENTS = 3000
_EVENT = 500
"""Bytes. So the snapshot has several pieces, and one holds more events than can be flushed one by one in the
5 s after which NATS gives up."""

_WRITERS = 64
_FLUSH_TAKES_US = 4000
_FLUSHES = "fsync,fdatasync"


@asynccontextmanager
async def _running(folder: Path, sync: str) -> AsyncGenerator[NatsConnection]:
    server = NatsServer(folder, [NatsUser("admin", "a-password")], sync=sync)
    await server.start()
    admin = await connect(server.url_for("admin"), name="test")
    try:
        yield admin
    finally:
        await admin.close()
        await server.stop()


@pytest.fixture
async def backup(tmp_path: Path) -> Path:
    """Of a log with many small events."""
    free = asyncio.Semaphore(_WRITERS)

    async def append(log: JetStreamLog, number: int) -> None:
        async with free:
            message = NewMessage(
                f"ses.a.1.s{number % 3}.in.test", os.urandom(_EVENT), {MESSAGE_ID: f"m{number}"}
            )
            await log.append(message)

    async with _running(tmp_path / "original", sync="1h") as admin:
        await ensure_streams(admin, StreamSettings())
        log = JetStreamLog(admin)
        await asyncio.gather(*(append(log, number) for number in range(_EVENTS)))
        await make_backup(admin, tmp_path / "backup", None)
    return tmp_path / "backup"


@pytest.fixture
def _slow_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on each flush of a nats-server takes 4 ms."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed: it delays the server's flushes (apt install strace)")
    slow = f"-e trace={_FLUSHES} -e inject={_FLUSHES}:delay_enter={_FLUSH_TAKES_US}"
    program = tmp_path / "slow-nats-server"  # -D: the server keeps the process id that it was started with
    program.write_text(f'#!/bin/sh\nexec strace -D -f -qqq {slow} -o /dev/null {find_nats_server()} "$@"\n')
    program.chmod(0o700)
    monkeypatch.setattr(nats_server, "find_nats_server", lambda: str(program))


@pytest.mark.usefixtures("_slow_disk")
async def test_a_backup_is_restored_where_a_flush_takes_four_milliseconds(
    backup: Path, tmp_path: Path
) -> None:
    with opened(backup) as stored:
        restored = await restore_into(stored, tmp_path / "restored")
    assert restored.events == _EVENTS


@pytest.mark.usefixtures("_slow_disk")
async def test_a_nats_that_flushes_each_message_too_slowly_is_told_what_to_set(
    backup: Path, tmp_path: Path
) -> None:
    async with _running(tmp_path / "own", sync="always") as admin:
        with opened(backup) as stored, pytest.raises(Permanent, match="sync_interval: 10s") as refused:
            await restore_at(admin, stored)
    assert refused.value.kind == "disk_too_slow"


async def test_all_that_was_restored_is_on_the_disk_before_it_has_its_name(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    restored, flushed = tmp_path / "there" / "restored", set[str]()
    fsync = os.fsync

    def noted(descriptor: int) -> None:
        path = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
        if restored.exists() == (path == restored.parent):
            flushed.add(str(path))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    with opened(backup) as stored:
        await restore_into(stored, restored)
    ends = {path.partition(".restoring")[2] for path in flushed if ".restoring" in path}
    for path in restored.rglob("*"):
        if path.name != "lock":  # which holds nothing
            assert f"/{path.relative_to(restored)}" in ends
    assert str(restored.parent) in flushed, "the name itself"
