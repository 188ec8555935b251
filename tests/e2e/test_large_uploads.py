"""The largest file passes through the gateway without being in its memory."""

import hashlib
import os
from pathlib import Path

import pytest

from agent_contracts.files import LARGEST_FILE
from foldline.testing.stack import Stack

pytestmark = pytest.mark.faults

_MOST_MORE = 60_000_000


def _memory(pid: int, name: str) -> int:
    """Bytes of a process's memory, by the name that Linux has for them."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise LookupError(name)


def test_a_file_of_50_mb_takes_less_than_60_mb_more_of_the_gateway(apart: Stack, tmp_path: Path) -> None:
    large = tmp_path / "large.bin"
    large.write_bytes(os.urandom(1_000_000) * (LARGEST_FILE // 1_000_000))
    small = tmp_path / "small.bin"
    small.write_bytes(b"x" * 2_000_000)
    (pid,) = apart.pids("gateway")

    with apart.gateway() as door:

        def through(path: Path) -> tuple[int, str]:
            with path.open("rb") as file:
                (stored,) = door.send_files([(path.name, file)], {})["files"]
            digest, size = hashlib.sha256(), 0
            for piece in door.pieces(f"/files/{stored['file_id']}/content"):
                digest.update(piece)
                size += len(piece)
            return size, digest.hexdigest()

        through(small)  # what is loaded at first
        before = _memory(pid, "VmRSS")
        Path(f"/proc/{pid}/clear_refs").write_text("5")  # forget how much it ever had
        size, digest = through(large)
        more = _memory(pid, "VmHWM") - before
    assert (size, digest) == (LARGEST_FILE, hashlib.sha256(large.read_bytes()).hexdigest())
    print(f"{more:,} bytes more")
    assert more < _MOST_MORE
