"""A backup that comes from elsewhere names only files of its own."""

import tarfile
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from agent_contracts.errors import Rejected
from agent_platform.nats.stream_snapshots import StreamState
from foldline.backup.manifest import FORMAT, NAME, LogCut, Manifest, StreamFile
from foldline.backup.stored_backup import opened

TEXT = b"of somebody's home"


def backup_that_names(name: str, folder: Path) -> Path:
    stream = StreamFile(name, len(TEXT), "0" * 64, StreamState({}, {}))
    log = LogCut(1, {}, ())
    manifest = Manifest(FORMAT, "0.1", datetime.now(UTC), log, {"S": stream}, (), False, frozenset())
    folder.mkdir()
    (folder / NAME).write_bytes(msgspec.json.encode(manifest))
    return folder


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", ["../outside", "/etc/hostname", "deep/../../outside", "./outside"])
def test_no_file_outside_of_it_is_read(name: str, packed: bool, tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(TEXT)
    where = backup_that_names(name, tmp_path / "backup")
    (where / "outside").write_bytes(TEXT)
    if packed:
        where = tmp_path / "backup.tar"
        with tarfile.open(where, "w") as archive:
            for file in sorted((tmp_path / "backup").iterdir()):
                archive.add(file, file.name)
    with (
        opened(where) as stored,
        pytest.raises(Rejected, match="not a backup of Foldline: it") as refused,
    ):
        stored.check()
    assert refused.value.kind == "backup_bad"


@pytest.mark.parametrize("name", ["gone", "..", "."])
def test_what_is_not_a_file_in_it_makes_it_not_whole(name: str, tmp_path: Path) -> None:
    backup = backup_that_names(name, tmp_path / "backup")
    with opened(backup) as stored, pytest.raises(Rejected, match="not a whole backup"):
        stored.check()
