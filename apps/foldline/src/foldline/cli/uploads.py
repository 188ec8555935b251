"""Files of this machine on their way to the gateway."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import msgspec
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from agent_contracts.api.files import StoredFile
from agent_contracts.api.wire import Page
from agent_contracts.errors import Rejected
from agent_contracts.files import LARGEST_FILE
from foldline.cli.client import Gateway

_SHOWN_FROM = 4_000_000
"""Bytes from which progress is shown."""
_AT_ONCE = 100
_BYTES_AT_ONCE = 100_000_000


class LocalFile(NamedTuple):
    """A file here, and what it is called there."""

    path: Path
    name: str
    size: int


def local_files(paths: Sequence[Path]) -> list[LocalFile]:
    """The files that are meant; of a folder all, with paths that begin with its name.

    `Rejected(kind="bad_file")` for what can't be read, `too_large` for one that is refused anyhow.
    """
    found: list[LocalFile] = []
    for path in paths:
        if path.is_dir():
            root = path.resolve()
            inside = sorted(one for one in root.rglob("*") if one.is_file() and not one.is_symlink())
            found += [_local(one, f"{root.name}/{one.relative_to(root).as_posix()}") for one in inside]
        else:
            found.append(_local(path, path.name))
    if not found:
        raise Rejected("There are no files to send", kind="bad_file")
    return found


def _local(path: Path, name: str) -> LocalFile:
    try:
        size = path.stat().st_size
    except OSError as error:
        raise Rejected(f"{path} can't be read: {error.strerror}", kind="bad_file") from error
    if size > LARGEST_FILE:
        raise Rejected(
            f"{path} has {size:,} bytes, a file at most {LARGEST_FILE // 1_000_000} MB: send a smaller one",
            kind="too_large",
        )
    return LocalFile(path, name, size)


def send_files(door: Gateway, files: Sequence[LocalFile], fields: dict[str, str]) -> list[StoredFile]:
    """Send files; what was stored. Those of a request are stored together, each request has up to 100 MB."""
    stored: list[StoredFile] = []
    with progress(sum(one.size for one in files)) as bar:
        for batch in _batches(files):
            stored += _send(door, batch, fields, bar)
    return stored


def _send(
    door: Gateway, batch: Sequence[LocalFile], fields: dict[str, str], bar: Progress
) -> list[StoredFile]:
    with ExitStack() as opened:
        parts = []
        for one in batch:
            try:
                file = opened.enter_context(one.path.open("rb"))
            except OSError as error:
                raise Rejected(f"{one.path} can't be read: {error.strerror}", kind="bad_file") from error
            read = bar.wrap_file(file, total=one.size, description=one.path.name) if not bar.disable else file
            parts.append((one.name, read))
        return msgspec.convert(door.send_files(parts, fields), Page[StoredFile]).items


def _batches(files: Sequence[LocalFile]) -> Iterator[list[LocalFile]]:
    batch: list[LocalFile] = []
    for one in files:
        if batch and (
            len(batch) == _AT_ONCE or sum(other.size for other in batch) + one.size > _BYTES_AT_ONCE
        ):
            yield batch
            batch = []
        batch.append(one)
    yield batch


def progress(size: int) -> Progress:
    """Bars on standard error, for people and for what takes a while."""
    errors = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    quiet = size < _SHOWN_FROM or not errors.is_terminal
    return Progress(*columns, console=errors, transient=True, disable=quiet)
