"""`foldline support`: a bundle for someone who helps, without secrets and without texts."""

import asyncio
import dataclasses
import io
import json
import os
import platform
import tarfile
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path
from typing import Annotated, Any

import msgspec
import psutil
import typer

from agent_contracts.errors import Failure, Rejected
from agent_platform.observing.logs import configure_logging
from agent_platform.process.clock import SystemClock
from agent_platform.secrecy.failure_text import failure_text
from agent_platform.settings.loading import AllSettings
from agent_platform.settings.rows import setting_rows
from foldline.backup import private_files
from foldline.cli.client import gateway
from foldline.cli.operating.doctor import examine
from foldline.cli.output import JsonOption, done, failures_shown
from foldline.cli.watching.log_lines import without_texts
from foldline.cli.watching.overview import overview
from foldline.settings import load

_LOG_BYTES = 4_000_000
"""The end of each log file that goes into the bundle."""


def support(
    file: Annotated[
        Path | None, typer.Argument(help="The new file (default: foldline-support-TIME.tar.gz here).")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a bundle for someone who helps you: checks, settings, numbers and logs.

    It has no secrets, and no texts: nothing that was said, stored or named by people and agents. Look into it
    before you send it.
    """
    with failures_shown():
        configure_logging("error", "console", "support")
        everything = load()
        now = SystemClock().now()
        target = file or Path(f"foldline-support-{now:%Y%m%d-%H%M%S}.tar.gz")
        names = []
        if target.exists():
            raise Rejected(f"{target} already exists: name another file", kind="conflict")
        with private_files.create(target) as out, tarfile.open(fileobj=out, mode="w:gz") as bundle:
            for name, content in _parts(everything):
                member = tarfile.TarInfo(f"foldline-support/{name}")
                member.size, member.mtime, member.mode = len(content), int(now.timestamp()), 0o600
                bundle.addfile(member, io.BytesIO(content))
                names.append(name)
        words = f"{target} has {', '.join(names)}. Look into it before you send it"
        done({"file": str(target), "parts": names}, words, as_json)


def _parts(everything: AllSettings) -> Iterator[tuple[str, bytes]]:
    yield "about.json", _json(_about())
    yield "doctor.json", _json([dataclasses.asdict(one) for one in asyncio.run(examine(everything))])
    yield "config.json", _json([dataclasses.asdict(row) for row in setting_rows(everything)])
    try:
        with gateway() as door:
            seen = overview(door, None)
            busiest = [msgspec.structs.replace(one, title=None) for one in seen.busiest]
            yield "top.json", _json(msgspec.to_builtins(msgspec.structs.replace(seen, busiest=busiest)))
            yield "metrics.txt", failure_text(door.metrics()).encode()
    except Failure as failure:
        yield "not-running.txt", failure_text(failure.message).encode()
    data_dir: Path = everything.values["data_dir"]
    for log in sorted((data_dir / "logs").glob("*.log*")):
        yield f"logs/{log.name}", "\n".join(without_texts(_newest(log))).encode()
    nats = data_dir / "nats" / "nats.log"
    if nats.exists():
        yield "logs/nats.log", failure_text("\n".join(_newest(nats))).encode()


def _newest(file: Path) -> list[str]:
    with file.open("rb") as log:
        size = log.seek(0, os.SEEK_END)
        log.seek(max(0, size - _LOG_BYTES))
        lines = log.read().decode(errors="replace").splitlines()
    return lines[1:] if size > _LOG_BYTES else lines


def _about() -> dict[str, Any]:
    memory = psutil.virtual_memory()
    return {
        "at": SystemClock().now().isoformat(),
        "python": platform.python_version(),
        "system": platform.platform(),
        "processors": os.cpu_count(),
        "memory_bytes": memory.total,
        "memory_free_bytes": memory.available,
        "packages": dict(sorted({one.name: one.version for one in distributions()}.items())),
    }


def _json(value: Any) -> bytes:
    return failure_text(json.dumps(value, ensure_ascii=False, indent=1, default=str)).encode()
