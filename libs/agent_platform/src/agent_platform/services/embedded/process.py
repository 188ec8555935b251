"""A server's process: started so that it can't outlive us, watched, stopped."""

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agent_contracts.errors import Transient

_LAUNCHER = Path(__file__).with_name("launch.py")
_LOG_LIMIT = 5_000_000
_LOOK_S = 30.0
"""How often it is looked whether the log of a server that runs is too long."""
_POLL = 0.02

# `$0` is the signal and `$1` the server. The pipe on its input closes when we end, however we end.
_WATCHDOG = 'cat >/dev/null; kill -s "$0" "$1" 2>/dev/null'


@dataclass(frozen=True)
class ProcessCommand:
    """What to run. `death_signal` is what it gets when this process ends without stopping it; `hold` are open
    files (locks) that live as long as it does; `user` is the id to drop to, if any."""

    program: Sequence[str]
    folder: Path
    death_signal: signal.Signals
    user: int | None = None
    hold: tuple[int, ...] = ()


class ServerProcess:
    """One run of one server. Its output goes to the end of `log`, a file of at most a few megabytes, also
    while it runs and is waited for; what it wrote before is beside it."""

    def __init__(
        self, name: str, command: ProcessCommand, log: Path, *, watchdog: bool = sys.platform != "linux"
    ):
        """Start it. Call this from the main thread: Linux sends the death signal when the *thread* ends that
        started the process. `watchdog`: a small process sends it instead, where the kernel can't.
        """
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError(f"{name} must be started from the main thread, or it would end with this one")
        self.name = name
        self._log = log
        _rotate(log)
        kernel_signal = 0 if watchdog else int(command.death_signal)
        user = "-" if command.user is None else str(command.user)
        launcher = [sys.executable, "-I", "-S", str(_LAUNCHER), str(kernel_signal), str(os.getpid()), user]
        with log.open("ab") as output:
            log.chmod(0o600)
            self._process = subprocess.Popen(
                [*launcher, *command.program],
                cwd=command.folder,
                env={"PATH": os.defpath, "LC_ALL": "C"},  # none of our keys and tokens
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=command.hold,
                start_new_session=True,  # Ctrl-C in a terminal reaches us, and we stop the servers in order
            )
        self._watchdog = self._watch(command.death_signal) if watchdog else None

    def _watch(self, death_signal: signal.Signals) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            ["/bin/sh", "-c", _WATCHDOG, death_signal.name.removeprefix("SIG"), str(self.pid)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """None while it runs; then its exit code, negative for the signal that ended it."""
        code = self._process.poll()
        if code is not None and self._watchdog is not None:
            self._watchdog.kill()
            self._watchdog.communicate()
            self._watchdog = None
        return code

    async def wait(self) -> int:
        """Return its exit code when it has ended."""
        while (code := self.returncode) is None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_S):
                    await until_ended(self.pid)
            with contextlib.suppress(OSError):  # on a full disk it stays as it is until the next look
                _shorten(self._log)
        return code

    def send(self, what: signal.Signals) -> None:
        """Send it a signal. One that has ended gets none."""
        if self.returncode is None:
            self._process.send_signal(what)

    async def stop(self, *steps: tuple[signal.Signals, float]) -> None:
        """Send each step's signal and give it that many seconds to end; at last SIGKILL."""
        for what, seconds in steps:
            self.send(what)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.wait(), seconds)
                return
        self.kill()

    def stop_blocking(self, *steps: tuple[signal.Signals, float]) -> None:
        """`stop` for code without an event loop."""
        for what, seconds in steps:
            self.send(what)
            deadline = time.monotonic() + seconds
            while time.monotonic() < deadline:
                if self.returncode is not None:
                    return
                time.sleep(_POLL)
        self.kill()

    def kill(self) -> None:
        """SIGKILL, and return when it has ended."""
        self.send(signal.SIGKILL)
        self._process.wait()
        _ = self.returncode  # ends the watchdog

    def log_tail(self, lines: int = 15) -> str:
        """The end of what it wrote."""
        try:
            written = self._log.read_bytes()[-20_000:]
        except FileNotFoundError:
            return ""
        return "\n".join(written.decode(errors="replace").splitlines()[-lines:])

    def failure(self, what: str) -> Transient:
        """An error to raise, with the end of its log."""
        ended = "" if self.returncode is None else f" (it ended with code {self.returncode})"
        return Transient(f"{self.name} {what}{ended}. The end of {self._log}:\n{self.log_tail()}")


async def until_ended(pid: int) -> None:
    """Return when the process may have ended: at once where the system tells, else after a moment."""
    try:
        handle = os.pidfd_open(pid)
    except (AttributeError, OSError):  # not Linux, or forbidden in this container
        await asyncio.sleep(_POLL * 5)
        return
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    loop.add_reader(handle, ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(handle)
        os.close(handle)


def _rotate(log: Path) -> None:
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists() and log.stat().st_size > _LOG_LIMIT:
        log.replace(_earlier(log))


def _shorten(log: Path) -> None:
    """The same while its writer has it open, and goes on at its end, wherever that is."""
    if log.stat().st_size <= _LOG_LIMIT:
        return
    shutil.copyfile(log, _earlier(log))
    _earlier(log).chmod(0o600)
    os.truncate(log, 0)


def _earlier(log: Path) -> Path:
    return log.with_suffix(log.suffix + ".1")
