"""How libraries reach a run: made ready once, sent to a worker once, laid under each run from a kept image."""

import asyncio
import ctypes
import mmap
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tool_runner.sandbox import library as libraries
from tool_runner.sandbox import worker_handle
from tool_runner.sandbox.compiled import compile_once
from tool_runner.sandbox.engine import Guest
from tool_runner.sandbox.host import HostTable
from tool_runner.sandbox.host_answers import HostAnswers
from tool_runner.sandbox.images import Images
from tool_runner.sandbox.library import LoadedLibrary, ReadyLibraries, library, names_in
from tool_runner.sandbox.limits import LARGEST_MEMORY, MIB, RunLimits
from tool_runner.sandbox.messages import (
    ForgetLibrary,
    KeepLibrary,
    MessageInbox,
    Ready,
    RunDone,
    StartRun,
    ToWorker,
    framed,
)
from tool_runner.sandbox.program import SandboxProgram
from tool_runner.sandbox.sandbox import Sandbox
from tool_runner.sandbox.snapshots import KEPT_BYTES, GuestSnapshots
from tool_runner.sandbox.worker_handle import WorkerHandle

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("sandbox")]


class Shelf:
    """One library, called `it`."""

    def __init__(self, code: str) -> None:
        self.code = code

    async def code_of(self, name: str) -> str | None:
        return self.code if name == "it" else None


# ---- made ready once ----


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("require('a'); require( \"b\" ) + require(`c`)", ["a", "b", "c"]),
        ("xrequire('a'); $require('b'); _require('c')", []),
        ("a.require('b')", ["b"]),
        ("require(name); require('x\\n'); require(`${y}`)", []),
        ("require('')", []),
    ],
)
async def test_names_are_those_of_literal_requires(code: str, names: list[str]) -> None:
    assert names_in(code) == names


async def test_the_same_text_is_made_ready_once() -> None:
    asked: list[str] = []

    async def without_types(code: str) -> str:
        asked.append(code)
        return code.replace(": number", "")

    ready = ReadyLibraries(without_types)
    for _ in range(3):
        made = await ready.of("exports.n: number = require('m')")
        assert (made.javascript, made.requires) == ("exports.n = require('m')", ("m",))
    assert asked == ["exports.n: number = require('m')"]


async def test_what_was_wanted_longest_ago_is_not_kept_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "KEPT_BYTES", 100)
    asked: list[str] = []

    async def without_types(code: str) -> str:
        asked.append(code[0])
        return code

    ready = ReadyLibraries(without_types)
    for name in "abacaab":
        await ready.of(name * 40)
    assert asked == ["a", "b", "c", "b"]


async def test_a_run_sees_the_library_as_it_is_when_it_asks(sandbox: Sandbox) -> None:
    shelf = Shelf("exports.v = 1")
    program = SandboxProgram("return require('it').v")
    for version in (1, 2, 1, 3, 2):
        shelf.code = f"exports.v = {version}"
        assert (await sandbox.run(program, libraries=shelf)).value == version


# ---- sent once ----


@pytest_asyncio.fixture(loop_scope="module")
async def worker(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[WorkerHandle, list[object]]]:
    """A handle whose worker ends each run at once, and what that worker was told."""
    monkeypatch.setattr(worker_handle, "KEPT_BYTES", 100)
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    told: list[object] = []

    async def answer() -> None:
        inbox, loop = MessageInbox(ToWorker), asyncio.get_running_loop()
        while data := await loop.sock_recv(theirs, 65536):
            for message in inbox.feed(data):
                told.append(message)
                if isinstance(message, StartRun):
                    done = RunDone(message.run, b"1", {}, [], 0.0, 0, 1, 0)
                    await loop.sock_sendall(theirs, framed(done))

    handle = WorkerHandle(ours, lambda: True, lambda: None, HostAnswers())
    answering = asyncio.create_task(answer())
    theirs.sendall(framed(Ready([], [])))
    await handle.ready()
    yield handle, told
    await handle.close()
    await answering
    theirs.close()


def of(character: str) -> LoadedLibrary:
    return library(character * 38)  # 40 bytes of JSON


async def run(handle: WorkerHandle, *wanted: LoadedLibrary) -> None:
    named = {str(number): each.digest for number, each in enumerate(wanted)}
    start = StartRun(0, b"{}", named, RunLimits(), 1, 0, LARGEST_MEMORY)
    await handle.run(start, wanted, HostTable({}), never_grows)


async def never_grows() -> int:
    raise AssertionError("it has all that it may have")


async def test_a_worker_is_given_a_library_once_and_told_to_forget_what_is_wanted_least(
    worker: tuple[WorkerHandle, list[object]],
) -> None:
    handle, told = worker
    a, b, c = of("a"), of("b"), of("c")
    for wanted in ([a], [a, b], [a], [c], [b]):
        await run(handle, *wanted)
    kept_and_forgotten = [message for message in told if not isinstance(message, StartRun)]
    assert kept_and_forgotten == [
        KeepLibrary(a.digest, a.source),
        KeepLibrary(b.digest, b.source),
        KeepLibrary(c.digest, c.source),
        ForgetLibrary(b.digest),
        KeepLibrary(b.digest, b.source),
        ForgetLibrary(a.digest),
    ]


async def test_no_library_is_forgotten_that_the_run_itself_names(
    worker: tuple[WorkerHandle, list[object]],
) -> None:
    handle, told = worker
    await run(handle, of("a"), of("b"), of("c"), of("d"))
    assert not any(isinstance(message, ForgetLibrary) for message in told)
    await run(handle, of("e"))
    assert sum(isinstance(message, ForgetLibrary) for message in told) == 3


# ---- laid under each run ----


def pages(*first_bytes: int) -> bytes:
    return b"".join(bytes([value]) + bytes(mmap.PAGESIZE - 1) for value in first_bytes)


def address_of(memory: mmap.mmap) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(memory))


async def test_what_is_written_over_an_image_stays_with_the_writer() -> None:
    images = Images()
    image = images.add(pages(1, 0, 3))
    assert image.kept == 2 * mmap.PAGESIZE
    for _ in range(2):
        memory = mmap.mmap(-1, image.size)
        address = address_of(memory)
        image.lay(address)
        assert ctypes.string_at(address, image.size) == pages(1, 0, 3)
        ctypes.memset(address, 9, image.size)
    images.close()


async def test_an_image_lasts_as_long_as_something_refers_to_it() -> None:
    images = Images()
    first, second = images.add(pages(1)), images.add(pages(2))
    memory = mmap.mmap(-1, mmap.PAGESIZE)
    address = address_of(memory)
    second.lay(address)
    del first
    assert ctypes.string_at(address, 1) == b"\x02"
    assert images.add(pages(3)).size == mmap.PAGESIZE
    images.close()


@pytest.fixture(scope="module")
def code(compiled_guests: Path) -> Guest:
    return Guest(compile_once(compiled_guests))


async def test_a_worker_keeps_no_more_images_than_it_may(code: Guest) -> None:
    snapshots = GuestSnapshots(code)
    source = b'{"big":"exports.x = new Uint8Array(12e6).fill(1)"}'
    kept = []
    for number in range(8):
        assert snapshots.of({"big": bytes([number])}, source, RunLimits()) is not None
        kept.append(snapshots.kept)
    assert kept[0] > 12_000_000
    assert max(kept) <= KEPT_BYTES
    snapshots.close()


async def test_an_image_that_is_forgotten_serves_the_run_that_has_it(
    compiled_guests: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tool_runner.sandbox.snapshots.KEPT_BYTES", 8 * MIB)
    sandbox = Sandbox(compiled_guests, workers=1, threads=True)
    asked, gate = asyncio.Event(), asyncio.Event()

    async def wait(_: object) -> None:
        asked.set()
        await gate.wait()

    waits = "const v = require('it').v; await state.get(1); return v.reduce((a, b) => a + b)"
    try:
        first = asyncio.create_task(
            sandbox.run(
                SandboxProgram(waits),
                HostTable({"state.get": wait}),
                Shelf("exports.v = Array.from({length: 1e5}, (_, i) => i)"),
            )
        )
        await asked.wait()
        for number in range(1, 4):
            other = Shelf(f"exports.v = new Array(1e5).fill({number})")
            outcome = await sandbox.run(SandboxProgram("return require('it').v[9]"), libraries=other)
            assert outcome.value == number
        gate.set()
        assert (await first).value == 4999950000
    finally:
        gate.set()
        await sandbox.close()
