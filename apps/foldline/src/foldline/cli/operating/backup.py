"""`foldline backup` and `foldline restore`."""

import asyncio
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from agent_platform.observing.logs import configure_logging
from foldline.administrator import connect_as_admin, nats_address
from foldline.backup.backup import Backup, make_backup
from foldline.backup.manifest import KEY_FILE, Manifest
from foldline.backup.restoring import RestoreReport, restore_at, restore_into
from foldline.backup.stored_backup import StoredBackup, opened
from foldline.cli.output import JsonOption, console, failures_shown, print_json
from foldline.settings import UpSettings, up_settings


def backup(
    target: Annotated[
        Path,
        typer.Argument(
            help="The target: a new folder, a new .tar file, or an existing folder for a dated file."
        ),
    ],
    with_key: Annotated[
        bool, typer.Option(help="Include the key of the secrets: anyone with the backup can then read them.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Back up the log and everything that belongs to it while Foldline runs."""
    with failures_shown():
        settings = up_settings()
        configure_logging("warning", settings.log_format, "backup")
        key = settings.data_dir / KEY_FILE
        made = asyncio.run(_backup(settings, target, key.read_bytes() if with_key and key.exists() else None))
        if as_json:
            print_json({"path": str(made.path), **_told(made.manifest)})
            return
        log = made.manifest.log
        console.print(
            f"[green]✓[/] {made.path}: all up to event {log.sequence}, {_size(made.manifest.bytes)}\n"
            f"  hash of the log {log.hash}",
            highlight=False,
            soft_wrap=True,
        )
        _warn_of_lost(made.manifest)
        if made.manifest.secrets_key:
            console.print("  The key of the secrets is in it: keep it where only you can read it.")
        elif key.exists():
            console.print(
                f"  The key of the secrets is not in it. Keep a copy of {key} elsewhere, or use --with-key.",
                highlight=False,
                soft_wrap=True,
            )


def restore(
    source: Annotated[Path, typer.Argument(help="The backup: a folder, or a .tar file.")],
    into: Annotated[
        Path | None, typer.Argument(help="The data directory to create (default: FOLDLINE_DATA_DIR).")
    ] = None,
    check: Annotated[
        bool, typer.Option(help="Only test the backup: restore into a temporary folder and remove it.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Restore a backup into an empty data directory, or into your own empty NATS."""
    with failures_shown(), opened(source) as stored:
        settings = up_settings()
        configure_logging("warning", settings.log_format, "restore")
        restored = asyncio.run(_restore(settings, stored, into, check))
        if as_json:
            print_json({**_told(restored.manifest), **_holds(restored)})
            return
        _print(restored, (into or settings.data_dir).absolute(), check)


async def _backup(settings: UpSettings, target: Path, key: bytes | None) -> Backup:
    admin = await connect_as_admin(settings, nats_address(settings), "backup")
    try:
        return await make_backup(admin, target, key)
    finally:
        await admin.close()


async def _restore(
    settings: UpSettings, stored: StoredBackup, into: Path | None, check: bool
) -> RestoreReport:
    if check:
        with tempfile.TemporaryDirectory(prefix="foldline-check-") as folder:
            return await restore_into(stored, Path(folder) / "data")
    if settings.nats_url is None or into is not None:
        return await restore_into(stored, into or settings.data_dir)
    stored.check()
    admin = await connect_as_admin(settings, settings.nats_url, "restore")
    try:
        return await restore_at(admin, stored)
    finally:
        await admin.close()


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.0f} kB"


def _told(manifest: Manifest) -> dict[str, object]:
    return {
        "made_at": manifest.made_at.isoformat(),
        "sequence": manifest.log.sequence,
        "hash": manifest.log.hash,
        "bytes": manifest.bytes,
        "secrets_key": manifest.secrets_key,
        "lost_blobs": sorted(manifest.lost_blobs),
    }


def _holds(restored: RestoreReport) -> dict[str, object]:
    names = ("events", "after_cut", "agents", "sessions", "secrets")
    return {name: getattr(restored, name) for name in names}


def _print(restored: RestoreReport, into: Path, check: bool) -> None:
    manifest = restored.manifest
    what = "the backup is good" if check else f"restored into {into}"
    log = manifest.log
    lines = [
        f"[green]✓[/] {what}: all up to event {log.sequence}, of {manifest.made_at:%Y-%m-%d %H:%M} UTC",
        f"  events: {restored.events}, sessions: {restored.sessions}, agents: {restored.agents}, "
        f"secrets: {restored.secrets}",
        f"  hash of the log {log.hash}, the same as when it was backed up",
    ]
    if restored.after_cut:
        lines.append(f"  and {restored.after_cut} events that came while it was copied")
    if restored.secrets and not manifest.secrets_key:
        lines.append(f"  The key of the secrets was not in it: put it at {into / KEY_FILE} before you start.")
    if not check:
        lines.append("  Now: foldline up. It makes the tables from the log; the link has a new token.")
    console.print("\n".join(lines), highlight=False, soft_wrap=True)
    _warn_of_lost(manifest)


def _warn_of_lost(manifest: Manifest) -> None:
    if manifest.lost_blobs:
        console.print(
            f"[yellow]![/] {len(manifest.lost_blobs)} blobs that events name are not in it: they were lost "
            "before that. Everything else is. An older backup may have them; foldline doctor says more.",
            highlight=False,
            soft_wrap=True,
        )
