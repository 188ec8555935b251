"""The processes in which code runs: what they may not do, and what happens when one dies."""

import asyncio
import contextlib
import hashlib
import os
import platform
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from agent_contracts.errors import ErrorKind, NotStarted, Permanent
from agent_contracts.json_value import Json
from agent_contracts.tool_spec import Effect
from agent_platform.observing.health import HealthChecks
from agent_tools.running.failures import error_from
from foldline_testing.agent_tools.world import until
from tool_runner.sandbox import guest, trial
from tool_runner.sandbox.compiled import compile_once
from tool_runner.sandbox.host import HostTable
from tool_runner.sandbox.limits import RunLimits
from tool_runner.sandbox.messages import BrokenStream, FromWorker, MessageInbox, Ready, framed
from tool_runner.sandbox.outcome import FailureKind
from tool_runner.sandbox.program import SandboxProgram
from tool_runner.sandbox.sandbox import Sandbox
from tool_runner.sandbox.trial import SandboxTrial

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("sandbox")]

HAS_FILTER = sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool(compiled_guests: Path) -> AsyncIterator[Sandbox]:
    """Two worker processes."""
    pool = Sandbox(compiled_guests, workers=2)
    yield pool
    await pool.close()


def processes() -> list[psutil.Process]:
    found = []
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess):  # dead ones included
            if "tool_runner.sandbox.worker" in child.cmdline():
                found.append(child)
    return found


def is_dead(process: psutil.Process) -> bool:
    """Whether it has ended with all of its threads.

    Its first thread may be a zombie, which is all that its status tells, while another one is still ending.
    Until that has ended too, the process counts as running for whoever may wait for it.
    """
    try:
        process.wait(0)
    except psutil.TimeoutExpired:
        return False
    return True


async def test_a_worker_that_dies_fails_its_run_with_a_kind_of_its_own_and_is_replaced(pool: Sandbox) -> None:
    asked = asyncio.Event()

    async def never(_: list[Json]) -> Json:
        asked.set()
        await asyncio.Event().wait()
        return None

    run = asyncio.create_task(pool.run(SandboxProgram("await state.get(1)"), HostTable({"state.get": never})))
    await asked.wait()
    before = {process.pid for process in processes()}
    assert len(before) == 2
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    error = (await run).error
    assert error is not None
    assert error.kind is FailureKind.WORKER_DIED
    await until(lambda: not before & {process.pid for process in processes()})
    assert (await pool.run(SandboxProgram("return 1"))).value == 1


async def test_while_one_worker_is_replaced_the_other_answers(pool: Sandbox) -> None:
    assert (await pool.run(SandboxProgram("return 1"))).value == 1
    victim = processes()[0]
    victim.kill()
    await until(lambda: is_dead(victim))
    assert (await pool.run(SandboxProgram("return 2"))).value == 2
    await until(lambda: len(processes()) == 2)
    assert (await pool.run(SandboxProgram("return 3"))).value == 3


async def test_a_run_that_had_not_begun_when_its_worker_died_is_given_to_another(pool: Sandbox) -> None:
    assert (await pool.run(SandboxProgram("return 1"))).value == 1
    await until(lambda: len(processes()) == 2)
    for process in processes():
        process.suspend()  # takes the run, and does nothing with it
    run = asyncio.create_task(pool.run(SandboxProgram("return 2")))
    await until(lambda: any(worker.in_hand for worker in pool._workers))
    for process in processes():
        process.kill()
    assert (await run).value == 2


@pytest.fixture
def without_exec(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory whose files can't be executed, as Docker's tmpfs is."""
    if sys.platform != "linux" or os.geteuid():
        pytest.skip("only root on Linux can mount a file system")
    folder = tmp_path / "mounted"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "noexec,mode=700", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


async def test_code_runs_where_nothing_on_the_data_directory_may_be_executed(
    compiled_guests: Path, without_exec: Path
) -> None:
    compiled = compile_once(compiled_guests)
    (without_exec / compiled.name).write_bytes(compiled.read_bytes())
    there = Sandbox(without_exec, workers=1)
    try:
        assert (await there.run(SandboxProgram("return 1"))).value == 1
    finally:
        await there.close()


def broken(folder: Path, compiled: Path) -> Path:
    """Machine code that no worker can load, in a folder of a sandbox."""
    folder.chmod(0o700)
    fault = folder / compile_once(compiled).name
    fault.write_bytes(b"not machine code")
    return fault


async def test_where_no_worker_can_start_nothing_was_begun(compiled_guests: Path, tmp_path: Path) -> None:
    broken(tmp_path, compiled_guests)
    with pytest.raises(NotStarted, match="no sandbox worker could be started") as raised:
        await Sandbox(tmp_path, workers=1).run(SandboxProgram("return 1"))
    told = error_from(raised.value, Effect.EXTERNAL)
    assert told.kind is ErrorKind.INTERNAL
    assert told.retryable
    assert "nothing of it was done" in told.message


async def test_health_tells_that_no_code_can_run_until_it_can(
    compiled_guests: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = broken(tmp_path, compiled_guests)
    monkeypatch.setattr(trial, "_FRESH_S", 0.0)
    sandbox = Sandbox(tmp_path, workers=1)
    health, looks = HealthChecks(), SandboxTrial(sandbox)
    health.add_life("sandbox", looks.works)
    health.add_readiness("sandbox", looks.is_ready)
    try:
        await until(lambda: _is_alive(health, False))
        assert "no sandbox worker could be started" in str((await health.ready()).problems["sandbox"])
        fault.write_bytes(compile_once(compiled_guests).read_bytes())
        await until(lambda: _is_alive(health, True))
        assert (await health.ready()).ok
    finally:
        await looks.close()
        await sandbox.close()


async def _is_alive(health: HealthChecks, expected: bool) -> bool:
    return (await health.alive()).ok is expected


async def test_two_workers_share_the_runs(pool: Sandbox) -> None:
    gate, waiting = asyncio.Event(), 0

    async def wait(_: list[Json]) -> Json:
        nonlocal waiting
        waiting += 1
        if waiting == 2:
            gate.set()
        await gate.wait()
        return waiting

    host = HostTable({"state.get": wait})
    outcomes = await asyncio.gather(
        *(pool.run(SandboxProgram("return await state.get(1)"), host) for _ in range(2))
    )
    assert [outcome.value for outcome in outcomes] == [2, 2]


@pytest.mark.skipif(not HAS_FILTER, reason="no filter is written for this system")
async def test_a_worker_has_given_up_what_it_does_not_need(pool: Sandbox) -> None:
    await pool.run(SandboxProgram("return 1"))
    for process in processes():
        # The filter comes last; one that is just starting, to replace another, may not have it yet.
        fields = await until(lambda pid=process.pid: status_of(pid)["Seccomp"] == "2" and status_of(pid))
        assert fields["NoNewPrivs"] == "1"
        if os.geteuid() == 0:
            assert fields["Uid"].split() == ["65533"] * 4
        assert process.environ().keys() <= {"PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL"}


def status_of(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


async def test_memory_does_not_grow_with_the_number_of_runs(pool: Sandbox) -> None:
    async def some(count: int) -> None:
        for number in range(count):
            code = (
                "const a = new Array(2e4).fill('x'); console.log(a.length); return a.length"
                if number % 3
                else "throw 1"
            )
            await pool.run(SandboxProgram(code))

    await some(100)
    before = sum(process.memory_info().rss for process in processes())
    await some(300)
    after = sum(process.memory_info().rss for process in processes())
    assert after - before < 24 * 1024 * 1024


async def test_threads_do_instead_of_processes_where_there_can_be_none(compiled_guests: Path) -> None:
    sandbox = Sandbox(compiled_guests, workers=1, threads=True)
    try:
        assert (await sandbox.run(SandboxProgram("return [1, await null]"))).value == [1, None]
        ended = await sandbox.run(SandboxProgram("for (;;);", limits=RunLimits(cpu_s=0.05)))
        assert ended.error is not None
        assert ended.error.kind is FailureKind.CPU_TIME
        host = HostTable({"state.get": answer_seven})
        assert (await sandbox.run(SandboxProgram("return await state.get('x')"), host)).value == 7
    finally:
        await sandbox.close()


async def answer_seven(_: list[Json]) -> Json:
    return 7


async def test_the_compiled_guest_is_kept_where_only_the_service_can_write(
    compiled_guests: Path, tmp_path: Path
) -> None:
    compiled = compile_once(compiled_guests)
    assert compiled.parent.stat().st_mode & 0o777 == 0o700
    assert compiled.stat().st_mode & 0o777 == 0o600
    open_to_all = tmp_path / "open"
    open_to_all.mkdir(mode=0o755)
    with pytest.raises(Permanent, match="open to nobody else"):
        compile_once(open_to_all)


# ---- what is committed ----


@pytest.mark.parametrize("name", ["guest.wasm", "typescript.js", "component.js"])
async def test_what_is_committed_is_what_was_built(name: str) -> None:
    assert hashlib.sha256((guest.FOLDER / name).read_bytes()).hexdigest() == guest.record().sha256[name]


async def test_the_guest_was_built_from_the_sources_beside_it() -> None:
    folder = Path(__file__).parents[2] / "sandbox-guest"
    ours = {name: hash_ for name, hash_ in guest.record().sources.items() if name.endswith((".c", ".js"))}
    now = [folder / "box.c", folder / "wasi.c", *(folder / "src").glob("*.js")]
    assert ours == {
        str(path.relative_to(folder)): f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in now
    }, "sandbox-guest changed: make sandbox-guest"


async def test_the_guest_imports_nothing_and_is_quickjs_of_a_safe_version() -> None:
    import_section = 2
    assert import_section not in sections(guest.read("guest.wasm"))
    assert tuple(map(int, guest.record().sources["QuickJS-NG"].split("."))) >= (0, 17)


def sections(module: bytes) -> list[int]:
    """The ids of a WebAssembly module's sections."""
    found, at = [], 8
    while at < len(module):
        found.append(module[at])
        size = shift = 0
        while True:
            at += 1
            size |= (module[at] & 0x7F) << shift
            shift += 7
            if not module[at] & 0x80:
                break
        at += 1 + size
    assert 10 in found  # code
    return found


async def test_bytes_that_are_not_what_was_built_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "guest.json").write_bytes((guest.FOLDER / "guest.json").read_bytes())
    (tmp_path / "guest.wasm").write_bytes(b"something else")
    monkeypatch.setattr(guest, "FOLDER", tmp_path)
    with pytest.raises(Permanent, match="not what was built"):
        guest.read("guest.wasm")


# ---- what a hostile worker may send ----


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xff\xff\xff",
        b"\x01\x00\x00\x00\xc1",
        framed(Ready([], []))[:4] + b"\x93" * 64,
        b"\x00\x00\x00\x00",
    ],
)
async def test_what_is_no_message_of_a_worker_is_refused(data: bytes) -> None:
    with pytest.raises(BrokenStream):
        list(MessageInbox(FromWorker).feed(data))


async def test_messages_arrive_whole_however_they_are_cut() -> None:
    inbox, sent = MessageInbox(FromWorker), Ready(["a"], ["b"])
    data = bytes(framed(sent) * 3)
    assert [message for at in range(len(data)) for message in inbox.feed(data[at : at + 1])] == [sent] * 3
