"""What is large: a file passes through the gateway's hands, not its memory; many are stored and listed."""

import hashlib
import io
import os
import zipfile
from pathlib import Path

import pytest

from agent_contracts import service_names
from agent_contracts.files import LARGEST_FILE
from foldline_testing.product.stack import Stack

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
    (pid,) = apart.pids(service_names.GATEWAY)

    with apart.gateway() as door:

        def through(path: Path) -> tuple[int, str]:
            with path.open("rb") as file:
                (stored,) = door.send_files([(path.name, file)], {})["items"]
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


def test_a_hundred_files_of_1_mb_are_stored_and_listed(apart: Stack) -> None:
    with apart.gateway() as door:
        session = door.post("/sessions", {})["id"]
        for tens in range(10):
            named = ((f"{tens}{n}.bin", io.BytesIO(bytes([tens, n]) * 500_000)) for n in range(10))
            door.send_files(list(named), {"session_id": session})

        page = door.get("/agents/default/files", session_id=session, scope="session", limit=1_000)
        assert (page["count"], page["bytes"]) == (100, 100_000_000)


def test_an_archive_of_2_000_files_is_stored(apart: Stack) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(2_000):
            archive.writestr(f"folder {number % 20}/{number}.txt", f"file {number}")
    with apart.gateway() as door:
        session = door.post("/sessions", {})["id"]
        packed.seek(0)
        stored = door.send_files([("all.zip", packed)], {"session_id": session, "extract": "true"})["items"]
        assert len({one["file_id"] for one in stored}) == 2_000
        page = door.get("/agents/default/files", session_id=session, scope="session", limit=1)
        assert page["count"] == 2_000
