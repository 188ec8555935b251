"""The whole product as a test or a benchmark sees it: `foldline up` as a process, its parts by name."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx
import psutil

from agent_platform.process.stopping import PARENT_PID
from agent_platform.services.serve import MODULE
from foldline.cli.client import Gateway
from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.product.forked import Forked, Streams

_START_S = 150
_STOP_S = 60
SERVERS = {"nats": "nats-server", "postgres": "postgres"}
"""Embedded servers by the names of their programs."""


class Stack:
    """A running Foldline of one's own, on free ports, over `data_dir`; its output goes to `up.log` there.

    It ends with the process that starts it, however that ends. `env` adds to the environment, `more` to
    the command line. With `processes` each service is a process that can be killed by name, or as many as
    `replicas` says. It is forked from a process that has imported it, and forks these; with `python`, that of
    a checkout, all are started as people start them, and so where `env` says on which path it finds its
    modules.
    """

    def __init__(
        self,
        data_dir: Path,
        *,
        processes: bool = False,
        replicas: Mapping[str, int] | None = None,
        env: Mapping[str, str] | None = None,
        more: Sequence[str] = (),
        python: str | None = None,
    ) -> None:
        self._python = python or (sys.executable if "PYTHONPATH" in (env or {}) else None)
        self.data_dir = data_dir
        self._arguments = ["up", "--json", "--port", "0", *(["--processes"] if processes else []), *more]
        for name, number in (replicas or {}).items():
            self._arguments += ["--replicas", f"{name}={number}"]
        self._env = {
            **{name: value for name, value in os.environ.items() if not name.startswith("FOLDLINE_")},
            "FOLDLINE_DATA_DIR": str(data_dir),
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            PARENT_PID: str(os.getpid()),
            **(env or {}),
        }
        self._process: subprocess.Popen[bytes] | Forked | None = None
        self.url = ""
        self.link = ""
        self.token = ""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def log(self) -> str:
        """What `foldline up` and its services said so far."""
        return (self.data_dir / "up.log").read_text(errors="replace")

    def start(self) -> None:
        """Return when it is ready; raises with its log if it isn't in time."""
        self.data_dir.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as kept:
            said = Path(kept) / "said"
            said.touch()
            self._process = self._started(Streams(Path(os.devnull), said, self.data_dir / "up.log"))
            announced = json.loads(self._first_line(said) or "{}")
        if "url" not in announced:
            self.stop()
            raise RuntimeError(f"foldline up did not start:\n{self.log[-5000:]}")
        self.url, self.link = announced["url"], announced["link"]
        self.token = self.link.partition("token=")[2]

    def stop(self, how: signal.Signals = signal.SIGTERM) -> float:
        """Stop it; the seconds that took."""
        began = time.monotonic()
        process = self._process
        if process is None:
            return 0.0
        if process.poll() is None:
            process.send_signal(how)
            try:
                process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise
        return time.monotonic() - began

    @property
    def pid(self) -> int:
        """The supervisor's process id."""
        assert self._process is not None
        return self._process.pid

    def pids(self, name: str) -> list[int]:
        """The process ids of a service (with `processes`) or of an embedded server (`nats`, `postgres`)."""
        found = []
        for child in psutil.Process(self.pid).children(recursive=True):
            try:
                words = child.cmdline()
            except psutil.Error:
                continue
            if self._is(name, words, child):
                found.append(child.pid)
        return found

    def _is(self, name: str, words: list[str], child: psutil.Process) -> bool:
        if name in SERVERS:
            program = Path(words[0]).name if words else ""
            return program == SERVERS[name] and child.ppid() == self.pid
        # By its arguments, or as `fork_services` names it.
        return words[-2:] == [MODULE, name] or (child.name() == name and child.ppid() == self.pid)

    def kill(self, name: str) -> list[int]:
        """SIGKILL every process of that name; the ids killed."""
        killed = self.pids(name)
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        return killed

    def gateway(self) -> Gateway:
        """The gateway, with the token."""
        return Gateway(self.url, self.token)

    def wait_until_ready(self, patience_s: float = 60) -> None:
        """Return when the gateway answers that it is ready."""
        deadline = time.monotonic() + patience_s
        while time.monotonic() < deadline:
            try:
                if httpx.get(f"{self.url}/readyz", timeout=5, verify=NO_TLS).status_code == 200:
                    return
            except httpx.TransportError:
                pass  # it is being started
            time.sleep(0.1)
        raise RuntimeError(f"the gateway is not ready after {patience_s:g} s:\n{self.log[-3000:]}")

    def _started(self, streams: Streams) -> subprocess.Popen[bytes] | Forked:
        if self._python is None:
            return Forked(self._arguments, self._env, Path.cwd(), streams)
        with streams.stdout.open("ab") as said, streams.stderr.open("ab") as log:
            return subprocess.Popen(
                [self._python, "-m", "foldline", *self._arguments],
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=log,
                start_new_session=True,
            )

    def _first_line(self, said: Path) -> str:
        """What it announced, once it did; what there is of it if it ended, or took too long."""
        assert self._process is not None
        deadline = time.monotonic() + _START_S
        while self._process.poll() is None and time.monotonic() < deadline:
            if (line := said.read_text()).endswith("\n"):
                return line
            time.sleep(0.02)
        return said.read_text()
