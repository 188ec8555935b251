"""Files as people keep them: a list of a session's files, and an archive that is unpacked."""

import asyncio
import io
import sys
import time
import zipfile
from pathlib import Path

from bench.sampling import median, percentile
from bench.table import Figure
from foldline.cli.client import Gateway
from foldline_testing.product.stack import Stack

GROUP = "files"
_LISTED = 100
_BYTES = 10_000


async def measure(folder: Path, *, archived: int, rounds: int) -> list[Figure]:
    """A Foldline without a model, asked over HTTP: `rounds` lists, and one archive of `archived` files."""
    stack = Stack(folder, env={}, python=sys.executable)
    await asyncio.to_thread(stack.start)
    try:
        return await asyncio.to_thread(_asked, stack, archived, rounds)
    finally:
        await asyncio.to_thread(stack.stop)


def _asked(stack: Stack, archived: int, rounds: int) -> list[Figure]:
    with stack.gateway() as door:
        return [*_listing(door, rounds), _archive(door, archived)]


def _listing(door: Gateway, rounds: int) -> list[Figure]:
    session = door.post("/sessions", {})["id"]
    named = [(f"{number}.bin", io.BytesIO(bytes([number]) * _BYTES)) for number in range(_LISTED)]
    for start in range(0, _LISTED, 20):
        door.send_files(named[start : start + 20], {"session_id": session})
    samples = []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        page = door.get("/agents/default/files", session_id=session, scope="session", limit=_LISTED)
        samples.append((time.perf_counter() - began) * 1000)
        assert page["count"] == _LISTED
    warm = samples[1:]
    return [
        Figure(GROUP, f"a list of {_LISTED} files, median", median(warm), "ms"),
        Figure(GROUP, f"a list of {_LISTED} files, p95", percentile(warm, 0.95), "ms"),
    ]


def _archive(door: Gateway, count: int) -> Figure:
    session = door.post("/sessions", {})["id"]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(count):
            archive.writestr(f"folder {number % 20}/{number}.txt", f"file {number}")
    packed.seek(0)
    began = time.perf_counter()
    stored = door.send_files([("all.zip", packed)], {"session_id": session, "extract": "true"})["items"]
    took = time.perf_counter() - began
    assert len(stored) == count
    return Figure(GROUP, f"an archive of {count:,} files, unpacked and stored", took, "s")
