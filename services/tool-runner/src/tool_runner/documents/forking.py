"""The runner's side of one fork server."""

import os
import socket
import subprocess
import sys

_KEPT_VARIABLES = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL")
"""What the process inherits of the environment, in which keys and tokens may be."""


class ForkServer:
    """Starts the process for a family of jobs when it is first needed, and anew when it has died."""

    def __init__(self, family: str) -> None:
        self._family = family
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    @property
    def pid(self) -> int | None:
        """The process from which others are forked; None before the first job."""
        return self._process.pid if self._process is not None else None

    def connected(self) -> socket.socket:
        """A socket to a new process, for one job. `OSError` where none can be started."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self._running(), [b"j"], [theirs.fileno()])
            except OSError:
                ours.close()
                raise
        return ours

    def close(self) -> None:
        """End the process; with it go those that were forked from it."""
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _running(self) -> socket.socket:
        if self._process is None or self._process.poll() is not None or self._control is None:
            if self._control is not None:
                self._control.close()
            self._control, theirs = socket.socketpair()
            module = "tool_runner.documents.fork_server"
            command = [sys.executable, "-B", "-m", module, str(theirs.fileno()), self._family]
            with theirs:
                self._process = subprocess.Popen(
                    command,
                    pass_fds=(theirs.fileno(),),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    env={name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ},
                    cwd="/",
                )
        return self._control
