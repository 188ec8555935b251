"""Making a backup while everything goes on."""

import hashlib
import shutil
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import msgspec

from agent_contracts.errors import Rejected, Transient
from agent_contracts.log.subjects import LOG_STREAM, SEALS_BUCKET, TIMER_STREAM
from agent_domain.checking.blobs import check_blobs
from agent_platform.log.blobs.jetstream import JetStreamBlobs
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.sealing.checking import LogLost, check, log_state, read_record
from agent_platform.log.sealing.record import LastBackup, Record, Seals
from agent_platform.log.sealing.removing import seal_to
from agent_platform.log.sealing.seal import RunningTotal, Total, first_of, range_of
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.errors import ApiError
from agent_platform.nats.stream_snapshots import StreamState, download
from foldline.backup.manifest import (
    AFTER_LOG,
    BEFORE_LOG,
    FORMAT,
    KEY_FILE,
    NAME,
    ConsumerAt,
    LogCut,
    Manifest,
    StreamFile,
)
from foldline.backup.private_files import create, flush, write


@dataclass(frozen=True)
class Backup:
    """A backup: where it is, and what it says of itself."""

    path: Path
    manifest: Manifest


async def make_backup(admin: NatsConnection, target: Path, key: bytes | None) -> Backup:
    """Copy everything that is truth to `target`: a new folder, one file if its name ends with .tar, or a new
    folder with the date in a folder that exists. The key of the secrets only if it is given.

    The log's cut is the moment that its copy begins. `Rejected` if the target is taken, `LogLost` if the log
    is damaged: an older backup is better then. Blobs that are lost already are named in the manifest.
    """
    try:
        target = _new(target)
        manifest = await _made(admin, target, key)
    except OSError as error:
        raise Rejected(
            f"The backup can't be written: {error}. Nothing was made", kind="unwritable"
        ) from error
    said = LastBackup(str(target), f"{manifest.made_at:%Y-%m-%d %H:%M:%S} UTC", manifest.log.sequence)
    await Seals(bucket(admin, SEALS_BUCKET)).backed_up(said)
    return Backup(target, manifest)


async def _made(admin: NatsConnection, target: Path, key: bytes | None) -> Manifest:
    draft = Path(tempfile.mkdtemp(prefix=f"{target.name}.", suffix=".part", dir=target.parent))
    try:
        manifest = await _copied(admin, draft, key)
        write(draft / NAME, msgspec.json.format(msgspec.json.encode(manifest)))
        _put(draft, target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return manifest


def _new(target: Path) -> Path:
    target = target.absolute()
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_dir():
        target = target / f"foldline-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    if target.exists():
        raise Rejected(f"{target} already exists. Name another place", kind="taken")
    return target


async def _copied(admin: NatsConnection, draft: Path, key: bytes | None) -> Manifest:
    made_at = datetime.now(UTC)
    consumers = [*await _consumers(admin, LOG_STREAM), *await _consumers(admin, TIMER_STREAM)]
    streams: dict[str, StreamFile] = {}
    for stream in (*BEFORE_LOG, LOG_STREAM, *AFTER_LOG):
        copied = await _copy(admin, stream, draft)
        if copied is not None:
            streams[stream] = copied
    if LOG_STREAM not in streams:
        raise Rejected(
            "No log was found to back up. Run foldline up first, or name its data directory", kind="not_found"
        )
    if key is not None:
        write(draft / KEY_FILE, key)
    cut = await _cut(admin, int(streams[LOG_STREAM].made.state["last_seq"]))
    lost = await check_blobs(JetStreamLog(admin), JetStreamBlobs(admin), up_to=cut.sequence)
    return Manifest(
        FORMAT,
        version("foldline"),
        made_at,
        cut,
        streams,
        tuple(consumers),
        key is not None,
        frozenset(one.sha256 for one in lost.listed),
    )


async def _copy(admin: NatsConnection, stream: str, draft: Path) -> StreamFile | None:
    file = draft / f"{stream}.snapshot"
    hashed, size = hashlib.sha256(), 0
    with create(file) as out:

        def keep(piece: bytes) -> None:
            nonlocal size
            hashed.update(piece)
            size += len(piece)
            out.write(piece)

        made: StreamState | None = await download(admin, stream, keep)
        flush(out)
    if made is None:
        file.unlink()
        return None
    return StreamFile(file.name, size, hashed.hexdigest(), made)


async def _cut(admin: NatsConnection, sequence: int) -> LogCut:
    """What the log holds up to there. Reads all of it, and compares it with its seals."""
    log, seals = JetStreamLog(admin), Seals(bucket(admin, SEALS_BUCKET))
    await seal_to(seals, log, sequence)
    record = await read_record(admin)
    state = await log_state(admin, record.removed if record is not None else None)
    if state is None or record is None:
        raise Transient("The log is gone while it was backed up")
    loss = await check(state, record, log)
    if loss:
        raise LogLost(loss, record)
    return LogCut(sequence, await _totals(log, record, sequence), record.removals)


async def _totals(log: JetStreamLog, record: Record, sequence: int) -> dict[int, Total]:
    through = range_of(sequence) if sequence else 0
    totals = {
        number: seal.total.minus(record.removed_from(number))
        for number, seal in record.seals.items()
        if number < through
    }
    adding = RunningTotal()
    async for message in log.records(">", after=first_of(through) - 1, up_to=sequence):
        adding.add(message)
    return {**totals, through: adding.total}


async def _consumers(admin: NatsConnection, stream: str) -> Sequence[ConsumerAt]:
    try:
        listed = await admin.api(f"CONSUMER.LIST.{stream}")
    except ApiError as error:
        raise error.as_failure(f"consumers of {stream}") from error
    return [
        ConsumerAt(
            stream,
            one["name"],
            one["config"],
            int(one["ack_floor"]["stream_seq"]),
        )
        for one in listed.get("consumers") or []
        if one["config"].get("durable_name")
    ]


def _put(draft: Path, target: Path) -> None:
    if target.suffix == ".tar":
        _pack(draft, target)
    else:
        draft.rename(target)


def _pack(draft: Path, target: Path) -> None:
    packed = draft / target.name
    files = sorted(draft.iterdir(), key=lambda one: (one.name != NAME, one.name))
    with create(packed) as out:
        with tarfile.open(fileobj=out, mode="w") as archive:
            for file in files:
                archive.add(file, file.name)
                file.unlink()  # so that it takes its room once
        flush(out)
    packed.rename(target)
