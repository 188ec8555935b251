"""Reading a backup: a folder, or one file."""

import hashlib
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from agent_contracts.errors import Rejected
from agent_platform.nats.stream_snapshots import CHUNK
from foldline.backup.manifest import KEY_FILE, NAME, Manifest, StreamFile, decoded


class StoredBackup:
    """A backup on the disk. Made by `opened`."""

    def __init__(self, path: Path, archive: tarfile.TarFile | None) -> None:
        self._path = path
        self._archive = archive
        with self._open(NAME) as file:
            self.manifest: Manifest = decoded(file.read(), path)

    def check(self) -> None:
        """`Rejected` if a file is missing, or is not what it was when the backup was made."""
        for name, stream in self.manifest.streams.items():
            hashed, size = hashlib.sha256(), 0
            for piece in self.pieces(stream):
                hashed.update(piece)
                size += len(piece)
            if (size, hashed.hexdigest()) != (stream.bytes, stream.sha256):
                raise Rejected(
                    f"The backup {self._path} is damaged: {name} has {size} bytes that are not the "
                    f"{stream.bytes} that were written. Use another backup",
                    kind="backup_bad",
                )

    def pieces(self, stream: StreamFile) -> Iterator[bytes]:
        """A stream's snapshot, piece by piece."""
        with self._open(stream.file) as file:
            while piece := file.read(CHUNK):
                yield piece

    def secrets_key(self) -> bytes | None:
        """The key of the secrets, if it is here."""
        if not self.manifest.secrets_key:
            return None
        with self._open(KEY_FILE) as file:
            return file.read()

    def _open(self, name: str) -> IO[bytes]:
        if "/" in name:
            raise Rejected(f"{self._path} is not a backup of Foldline: it names {name!r}", kind="backup_bad")
        try:
            found = self._archive.extractfile(name) if self._archive else (self._path / name).open("rb")
        except (OSError, KeyError, tarfile.TarError) as error:
            raise Rejected(
                f"{self._path} is not a whole backup: no {name} in it", kind="backup_bad"
            ) from error
        if found is None:
            raise Rejected(f"{self._path} is not a whole backup: {name} is not a file", kind="backup_bad")
        return found


@contextmanager
def opened(path: Path) -> Iterator[StoredBackup]:
    """The backup at `path`. `Rejected` if there is none."""
    if not path.exists():
        raise Rejected(f"There is no {path}", kind="not_found")
    if path.is_dir():
        yield StoredBackup(path, None)
        return
    try:
        with tarfile.open(path) as archive:
            yield StoredBackup(path, archive)
    except tarfile.TarError as error:
        raise Rejected(f"{path} is not a backup of Foldline: {error}", kind="backup_bad") from error
