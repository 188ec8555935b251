"""The disks of the data directory: each is told once, also where several of its folders are on it."""

import os
from pathlib import Path
from typing import Any, cast

import pytest

from gateway.measuring.store_metrics import StoreMetrics


def told(folder: Path) -> set[str]:
    nothing = cast(Any, None)
    free, size = StoreMetrics(nothing, nothing, nothing, nothing, folder)._disks()
    assert len(free.samples) == len(size.samples)
    return {sample.labels["disk"] for sample in free.samples}


def test_folders_on_one_disk_are_one(tmp_path: Path) -> None:
    for name in ("nats", "postgres"):
        (tmp_path / name).mkdir()
    assert told(tmp_path) == {"data"}


def test_a_folder_that_is_a_disk_of_its_own_is_told(tmp_path: Path) -> None:
    other = Path("/dev/shm")
    if not other.is_dir() or other.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no second disk here")
    os.symlink(other, tmp_path / "nats")
    assert told(tmp_path) == {"data", "nats"}
