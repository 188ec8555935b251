"""One round of one peer: a fresh server, and what the workload takes of it."""

import json
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import psutil

from agent_platform.services.embedded.ports import free_port
from bench.peers.runtimes import REPOSITORY, Ports, Runtime, runtime
from bench.sampling import median

_STEPS = 20
_SESSIONS = 50
_LONG = 500
_START_S = 60
_STOP_S = 20


class Round(msgspec.Struct, frozen=True):
    """A peer's figures. Times in milliseconds; None where a driver can't."""

    step_p50: float
    steps_per_s: float
    cpu_per_step: float
    bytes_per_step: float
    resume: float | None
    fork: float | None


class _Process:
    """A driver at work."""

    def __init__(self, peer: Runtime, more: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            peer.driver,
            cwd=REPOSITORY,
            env={**peer.env, **(more or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._answer()

    def order(self, **order: Any) -> dict[str, Any]:
        """What it answers. EOFError if it died."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def end(self) -> None:
        """Let it close what it has, or kill it."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("{"):
                found: dict[str, Any] = json.loads(line)
                return found
        raise EOFError("the driver ended")


def measure(name: str, scratch: Path, data: Path, *, long: bool) -> Round:
    """One round. `long`: with a session of 500 steps that is resumed after a kill, and forked."""
    data.mkdir(parents=True)
    ports = Ports(free_port(), free_port(), free_port(), free_port())
    peer = runtime(name, scratch, data, ports)
    with _serving(peer, data) as server:
        driver = _Process(peer)
        try:
            driver.order(op="run", sid="warm", steps=3)
            alone = [
                ms for n in range(3) for ms in driver.order(op="run", sid=f"one{n}", steps=_STEPS)["step_ms"]
            ]
            watched = [driver.process.pid, *([server.pid] if server else [])]
            cpu, size = _cpu_ms(watched), _size(data)
            took = driver.order(op="many", name="many", sessions=_SESSIONS, steps=_STEPS)["ms"]
            steps = _SESSIONS * _STEPS
            spent, grown = _cpu_ms(watched) - cpu, _size(data) - size
        finally:
            driver.end()
        resume, fork = _long(peer) if long else (None, None)
    return Round(median(alone), steps / took * 1000, spent / steps, grown / steps, resume, fork)


def _long(peer: Runtime) -> tuple[float | None, float | None]:
    """A driver dies in the last step of a long session; another one, from its order to the session's end."""
    dying = _Process(peer, {"PEERS_DIE_AT": str(_LONG - 1)})
    with suppress(EOFError):
        dying.order(op="run", sid="long", steps=_LONG)
    dying.end()
    fresh = _Process(peer)
    try:
        resume = fresh.order(op="resume", sid="long", steps=_LONG).get("ms")
        fork = fresh.order(op="fork", sid="long", at=_LONG // 2).get("ms")
        return resume, fork
    finally:
        fresh.end()


@contextmanager
def _serving(peer: Runtime, data: Path) -> Iterator["subprocess.Popen[bytes] | None"]:
    if peer.server is None:
        yield None
        return
    with (data / "server.log").open("wb") as log:
        server = subprocess.Popen(peer.server, cwd=REPOSITORY, env=peer.env, stdout=log, stderr=log)
    try:
        _until_listening(peer.ready, server)
        yield server
    finally:
        server.terminate()
        try:
            server.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _until_listening(port: int | None, server: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + _START_S
    while port is not None and time.monotonic() < deadline:
        if server.poll() is not None:
            raise RuntimeError(f"{server.args!r} ended with {server.returncode}")
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    if port is not None:
        raise RuntimeError(f"{server.args!r} did not begin to listen")


def _cpu_ms(pids: list[int]) -> float:
    times = [psutil.Process(pid).cpu_times() for pid in pids]
    return sum(one.user + one.system for one in times) * 1000


def _size(folder: Path) -> int:
    """Bytes of all files; of a sparse one, or one that has room in advance, only what was written."""
    found = [file.stat() for file in folder.rglob("*") if file.is_file()]
    return sum(min(one.st_size, one.st_blocks * 512) for one in found)
