"""No server outlives its supervisor, however that ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from agent_platform.services.embedded.datadir import AlreadyRunning, DataDirectory
from agent_platform.services.embedded.postgres import PostgresServer
from agent_platform.services.embedded.postgres_cluster import ClusterPasswords
from agent_platform.services.embedded.process import ProcessCommand, ServerProcess

pytestmark = pytest.mark.processes

_SUPERVISOR = """
import asyncio, pathlib, sys, time
from agent_platform.services.embedded.datadir import DataDirectory
from agent_platform.nats.user import NatsUser
from agent_platform.services.embedded.nats_server import NatsServer
from agent_platform.services.embedded.postgres import PostgresServer
from agent_platform.services.embedded.postgres_cluster import ClusterPasswords

async def main():
    data = DataDirectory.open(pathlib.Path(sys.argv[1]))
    nats = NatsServer(data.folder("nats"), [NatsUser("admin", "a")], hold=(data.lock,))
    postgres = PostgresServer(data.folder("postgres"), ClusterPasswords("a", "b"), hold=(data.lock,))
    await asyncio.gather(nats.start(), postgres.start())
    print(nats.pid, postgres.pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


def wait_until_gone(pids: list[int]) -> list[int]:
    deadline = time.monotonic() + 15
    left = pids
    while left and time.monotonic() < deadline:
        left = [pid for pid in left if psutil.pid_exists(pid) and not is_zombie(pid)]
        time.sleep(0.02)
    return left


def is_zombie(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with a cluster, to copy: making one takes most of a second."""
    folder = tmp_path_factory.mktemp("made-once") / "data"
    with DataDirectory.open(folder) as data:
        server = PostgresServer(data.folder("postgres"), ClusterPasswords("a", "b"))
        server.start_blocking()
        server.stop_blocking()
    return folder


@pytest.fixture
def data_dir(made_once: Path, tmp_path: Path) -> Path:
    subprocess.run(["cp", "-a", made_once, tmp_path / "data"], check=True)
    return tmp_path / "data"


def start_supervisor(path: Path) -> tuple["subprocess.Popen[str]", list[int]]:
    supervisor = subprocess.Popen(
        [sys.executable, "-c", _SUPERVISOR, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert supervisor.stdout is not None
    pids = [int(pid) for pid in supervisor.stdout.readline().split()]
    assert len(pids) == 2
    return supervisor, pids


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_servers_end_with_their_supervisor(data_dir: Path, how: signal.Signals) -> None:
    supervisor, pids = start_supervisor(data_dir)
    workers = [child.pid for pid in pids for child in psutil.Process(pid).children(recursive=True)]
    assert workers
    with supervisor:
        supervisor.send_signal(how)
    assert wait_until_gone([*pids, *workers]) == []


@pytest.mark.faults
def test_a_start_right_after_a_kill_waits_for_the_old_servers_and_works(tmp_path: Path) -> None:
    first, old = start_supervisor(tmp_path)
    with first:
        first.kill()
    second, new = start_supervisor(tmp_path)
    with second:
        assert not set(old) & set(new)
        assert wait_until_gone(old) == []
        second.kill()
    assert wait_until_gone(new) == []
    DataDirectory.open(tmp_path).close()


@pytest.mark.parametrize("server", [0, 1], ids=["nats", "postgres"])
def test_a_server_that_is_slow_to_end_keeps_the_data_directory_locked(data_dir: Path, server: int) -> None:
    supervisor, pids = start_supervisor(data_dir)
    os.kill(pids[server], signal.SIGSTOP)
    try:
        with supervisor:
            supervisor.kill()
        assert wait_until_gone([pids[1 - server]]) == []
        with pytest.raises(AlreadyRunning, match="earlier run"):
            DataDirectory.open(data_dir, patience=0.3)
    finally:
        os.kill(pids[server], signal.SIGCONT)
    DataDirectory.open(data_dir).close()


_WATCHED = """
import pathlib, signal, sys, time
from agent_platform.services.embedded.process import ProcessCommand, ServerProcess
folder = pathlib.Path(sys.argv[1])
command = ProcessCommand(["/bin/sleep", "600"], folder, signal.SIGTERM)
print(ServerProcess("sleep", command, folder / "log", watchdog=True).pid, flush=True)
time.sleep(600)
"""


def test_where_the_kernel_does_not_help_a_watchdog_does(tmp_path: Path) -> None:
    """As on macOS."""
    parent = subprocess.Popen(
        [sys.executable, "-c", _WATCHED, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    with parent:
        pid = int(parent.stdout.readline())
        parent.kill()
    assert wait_until_gone([pid]) == []


def test_the_watchdog_ends_with_the_server(tmp_path: Path) -> None:
    server = ServerProcess(
        "sleep",
        ProcessCommand(["/bin/sleep", "600"], tmp_path, signal.SIGTERM),
        tmp_path / "log",
        watchdog=True,
    )
    before = {child.pid for child in psutil.Process().children()}
    server.kill()
    assert len(before) - len({child.pid for child in psutil.Process().children()} & before) >= 2
    assert server.returncode == -9


def test_a_process_whose_parent_is_gone_already_does_not_start(tmp_path: Path) -> None:
    launcher = Path(sys.modules[ServerProcess.__module__].__file__ or "").with_name("launch.py")
    somebody_else = str(os.getppid())
    ran = subprocess.run(
        [sys.executable, "-I", "-S", launcher, "15", somebody_else, "-", "/bin/touch", tmp_path / "started"],
        check=False,
    )
    assert ran.returncode == 125
    assert not (tmp_path / "started").exists()


def test_a_log_does_not_grow_without_end(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"x" * 5_000_001)
    command = ProcessCommand(["/bin/echo", "hello"], tmp_path, signal.SIGTERM)
    server = ServerProcess("echo", command, log)
    server.stop_blocking((signal.SIGCONT, 10.0))
    assert server.log_tail() == "hello"
    assert (tmp_path / "log.1").stat().st_size == 5_000_001
