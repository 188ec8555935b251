"""`file_download`: over real sockets, and which name a file gets."""

import gzip
import os
import tracemalloc
from collections.abc import AsyncIterable
from hashlib import sha256
from typing import Any

import pytest

from agent_contracts.blob_ref import BlobRef
from agent_contracts.errors import ErrorKind
from agent_contracts.files import LARGEST_FILE
from agent_contracts.ids import AgentId
from agent_contracts.tool_spec import Effect
from agent_domain.files.file import FileRef, Workspace
from egress.fetching import FetchResponse
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_tools.world import AGENT, SESSION
from foldline_testing.egress.web import answered, local_server
from foldline_testing.tool_runner.world import World
from tool_runner.agent.files.file_names import name_of
from tool_runner.tools.files import files as module

MINE = Workspace(AGENT, SESSION)
CSV = b"a,b\n1,2\n"


async def test_what_is_downloaded_is_a_file_of_the_session() -> None:
    pages = {
        "/data.csv": answered(CSV, "Content-Type: text/csv"),
        "/gone": answered(b"no", status=404),
    }
    async with local_server(lambda request: pages[request.split()[1]]) as server:
        world = World()
        calls = 0

        async def download(page: str, **more: object) -> Any:
            nonlocal calls
            calls += 1
            given = {"url": server.url("a.test", page), **more}
            return await world.run("file_download", given, call_id=f"c{calls}", effect=Effect.EXTERNAL)

        first = (await download("/data.csv")).result
        assert (first["path"], first["media_type"], first["size"]) == ("data.csv", "text/csv", len(CSV))
        kept = await world.files.find(MINE, FileRef(first["file_id"]))
        assert (kept.source, await world.files.read(kept)) == ("web", CSV)
        assert (await download("/data.csv")).result["path"] == "data-2.csv"
        asked = len(server.seen)
        taken = await download("/data.csv", path="data.csv")
        assert (taken.error.kind, taken.error.path) == (ErrorKind.CONFLICT, "/path")
        assert (await download("/data.csv", path="../x")).error.kind == ErrorKind.INVALID_ARGUMENTS
        assert len(server.seen) == asked
        assert (await download("/gone")).error.kind == ErrorKind.UPSTREAM
        agents = await download("/data.csv", path="data.csv", scope="agent")
        assert agents.result["path"] == "data.csv"
        assert len(await world.files.list(MINE)) == 2


async def test_what_is_too_large_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_FILE", 5)
    async with local_server(lambda _: answered(CSV)) as server:
        world = World()
        given = {"url": server.url("a.test", "/data.csv")}
        event = await world.run("file_download", given, effect=Effect.EXTERNAL)
        assert event.error.kind == ErrorKind.TOO_LARGE
        assert await world.files.list(MINE) == []


class ForgottenBlobs(MemoryBlobs):
    """Blobs that keep sizes alone."""

    async def put_stream(
        self, data: AsyncIterable[bytes], media_type: str, *, owner: AgentId | None = None
    ) -> BlobRef:
        digest, size = sha256(), 0
        async for piece in data:
            digest.update(piece)
            size += len(piece)
        return BlobRef(digest.hexdigest(), size, media_type)


async def test_a_large_one_is_never_in_memory_as_a_whole() -> None:
    data = b"".join(os.urandom(50) + bytes(950) for _ in range(LARGEST_FILE // 1_000))
    digest, zipped = sha256(data).hexdigest(), answered(gzip.compress(data, 1), "Content-Encoding: gzip")
    del data
    async with local_server(lambda _: zipped) as server:
        world = World(blobs=ForgottenBlobs())
        tracemalloc.start()
        try:
            given = {"url": server.url("a.test", "/large.bin")}
            event = await world.run("file_download", given, effect=Effect.EXTERNAL)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert event.result["size"] == LARGEST_FILE
    [kept] = await world.files.list(MINE)
    assert kept.blob == digest
    print(f"{peak:,} bytes")
    assert peak < 16_000_000, "with what the server has to send"


@pytest.mark.parametrize(
    ("url", "headers", "name"),
    [
        ("http://a.test/x/report.pdf?q=1", {}, "report.pdf"),
        ("http://a.test/f%C3%BCr%20dich.txt", {}, "für dich.txt"),
        ("http://a.test/", {"content-type": "text/html; charset=utf-8"}, "a.test"),
        ("http://a.test/png", {"content-type": "image/png"}, "png.png"),
        ("http://a.test/x", {"content-disposition": 'attachment; filename="../../etc/p.txt"'}, "p.txt"),
        ("http://a.test/x", {"content-disposition": "attachment; filename*=UTF-8''%e2%82%ac.csv"}, "€.csv"),
        ("http://a.test/x", {"content-disposition": 'attachment; filename="a\\\\b\x00:c.csv"'}, "b_c.csv"),
        ("http://a.test/..%2f..%2fetc", {"content-type": "text/plain"}, "etc.txt"),
        ("http://a.test/" + "a" * 600 + ".csv", {}, "a" * 100 + ".csv"),
    ],
)  # fmt: skip
def test_a_name_is_what_it_is_called_there_and_nothing_more(
    url: str, headers: dict[str, str], name: str
) -> None:
    assert name_of(FetchResponse(200, headers, b"", url, truncated=False)) == name
