"""Making a Foldline's truth anew from a backup: into an empty directory, or an empty NATS."""

import asyncio
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from agent_contracts.entities.notifications import DESK
from agent_contracts.errors import Permanent, Rejected
from agent_contracts.log.subjects import NOTIFICATIONS_BUCKET, SEALS_BUCKET, SECRETS_BUCKET
from agent_domain.checking.blobs import accept_lost, check_blobs
from agent_platform.log.blobs.jetstream import JetStreamBlobs
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.sealing.record import Seals
from agent_platform.log.sealing.seal import SPAN, RunningTotal, Seal, Total, range_of
from agent_platform.nats.connection import SLOW_DISK_S, NatsConnection, connect
from agent_platform.nats.errors import ApiError
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.stream_snapshots import upload
from agent_platform.nats.streams import ensure_streams
from agent_platform.nats.user import NatsUser
from agent_platform.nats.users import ADMIN
from agent_platform.services.consuming.durable import Checkpoints
from agent_platform.services.embedded.datadir import DataDirectory
from agent_platform.services.embedded.nats_server import NatsServer
from agent_platform.services.embedded.passwords import ensure_passwords
from foldline.backup.manifest import KEY_FILE, LogCut, Manifest
from foldline.backup.private_files import flush_all, flush_folder, write
from foldline.backup.stored_backup import StoredBackup

_LATER = "24h"
"""How often the server flushes what it restores: not before it has ended, since all is flushed then. One that
flushes each message alone takes longer over a piece of a backup than it waits for the next, where a flush
takes two milliseconds."""


@dataclass(frozen=True)
class RestoreReport:
    """What was restored: the manifest's cut, what the log holds, and how many events came after the cut while
    the copy was made."""

    manifest: Manifest
    events: int
    after_cut: int
    agents: int
    sessions: int
    secrets: int


async def restore_into(backup: StoredBackup, folder: Path) -> RestoreReport:
    """Make the data directory `folder`, which must not exist or be empty, from the backup. It gets its name
    when everything was restored and checked."""
    _check_empty(folder)
    backup.check()
    try:
        draft = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", suffix=".restoring", dir=_parent_of(folder)))
        try:
            restored = await _restored_into(draft, backup)
            await asyncio.to_thread(draft.replace, folder)  # in place of an empty one
            await asyncio.to_thread(flush_folder, _parent_of(folder))
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise Rejected(
            f"Can't restore into {folder}: {error}. Nothing was made", kind="unwritable"
        ) from error
    return restored


async def _restored_into(folder: Path, backup: StoredBackup) -> RestoreReport:
    with DataDirectory.open(folder) as directory:
        passwords = ensure_passwords(folder / "passwords.json", (ADMIN,))
        admin = NatsUser(ADMIN, passwords.nats[ADMIN])
        server = NatsServer(directory.folder("nats"), [admin], sync=_LATER, hold=(directory.lock,))
        await server.start()
        try:
            restored = await _restore_at(server, backup)
        finally:
            await server.stop()
    key = backup.secrets_key()
    if key is not None:
        write(folder / KEY_FILE, key)
    await asyncio.to_thread(flush_all, folder)
    return restored


def _parent_of(folder: Path) -> Path:
    parent = folder.absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    return parent


def _check_empty(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Rejected(f"{folder} is not empty: restore into a folder that is new or empty", kind="taken")


async def restore_at(admin: NatsConnection, backup: StoredBackup) -> RestoreReport:
    """Make the streams in a NATS that has none of them. `Rejected` if it has one."""
    listed = await admin.api("STREAM.NAMES")
    if taken := {*(listed.get("streams") or ())} & {*backup.manifest.streams}:
        raise Rejected(f"This NATS has streams already: {', '.join(sorted(taken))}", kind="taken")
    for name, stream in backup.manifest.streams.items():
        await upload(admin, name, stream.made, backup.pieces(stream))
    await ensure_streams(admin, StreamSettings())
    # What was on its way to a person then may have come since.
    await bucket(admin, NOTIFICATIONS_BUCKET).delete(DESK)
    restored = await _checked(admin, backup.manifest)
    await _make_consumers(admin, backup.manifest)
    return restored


async def _restore_at(server: NatsServer, backup: StoredBackup) -> RestoreReport:
    admin = await connect(server.url_for(ADMIN), name="restore")
    try:
        return await restore_at(admin, backup)
    finally:
        await admin.close()


async def _checked(admin: NatsConnection, manifest: Manifest) -> RestoreReport:
    """Read the restored log, compare it with the manifest, and seal it."""
    cut, log = manifest.log, JetStreamLog(admin)
    adding: dict[int, RunningTotal] = {}
    events = after = 0
    agents, sessions = set[str](), set[str]()
    async for message in log.records(">"):
        events += 1
        parts = message.subject.split(".")
        agents.add(parts[1])
        if parts[0] == "ses":
            sessions.add(parts[3])
        if message.sequence > cut.sequence:
            after += 1
        else:
            adding.setdefault(range_of(message.sequence), RunningTotal()).add(message)
    totals = {number: one.total for number, one in adding.items()}
    if wrong := [number for number, total in cut.totals.items() if totals.get(number, Total()) != total]:
        raise Permanent(
            f"The log that was restored is not the one that was backed up (ranges {wrong}). Nothing was kept "
            "of it; use another backup",
            kind="backup_bad",
        )
    lost = await check_blobs(log, JetStreamBlobs(admin), up_to=cut.sequence, accepted=manifest.lost_blobs)
    if lost:
        raise Permanent(
            f"The backup is not whole: {lost}. Nothing was kept of it; use another backup", kind="backup_bad"
        )
    if manifest.lost_blobs:
        await accept_lost(admin, manifest.lost_blobs)
    await _seal(Seals(bucket(admin, SEALS_BUCKET)), cut)
    secrets = await bucket(admin, SECRETS_BUCKET).list()
    return RestoreReport(manifest, events, after, len(agents), len(sessions), len(secrets))


async def _seal(seals: Seals, cut: LogCut) -> None:
    for number, removal in enumerate(cut.removals):
        await seals.remove(f"restored-{number}", removal)
    for number, total in cut.totals.items():
        if cut.sequence:
            removed = Total().plus(*(one.totals[number] for one in cut.removals if number in one.totals))
            end = min(cut.sequence, (number + 1) * SPAN)
            await seals.seal(number, Seal(end, total.plus(removed)))


async def _make_consumers(admin: NatsConnection, manifest: Manifest) -> None:
    """Each goes on where it was, or it would do all work of the past again."""
    checkpoints = Checkpoints(admin)
    for one in manifest.consumers:
        config = {**one.config}
        if config.get("mem_storage"):  # it would not outlive this server: the next one makes it from there
            await checkpoints.put(one.name, one.handled)
            continue
        if one.handled:
            config |= {"deliver_policy": "by_start_sequence", "opt_start_seq": one.handled + 1}
        try:
            body = {"stream_name": one.stream, "config": config}
            await admin.api(f"CONSUMER.CREATE.{one.stream}.{one.name}", body, timeout=SLOW_DISK_S)
        except ApiError as error:
            raise error.as_failure(f"consumer {one.name}") from error
