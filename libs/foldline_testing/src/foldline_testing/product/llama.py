"""A real llama.cpp with real weights, as a process of its own. `scripts/setup-real-model` installs both.

Source of the server: <https://github.com/xorbitsai/xllamacpp>, llama.cpp with its own HTTP server as a wheel.
"""

import signal
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from agent_platform.services.embedded.ports import free_port
from agent_platform.services.embedded.process import ProcessCommand, ServerProcess
from foldline_testing.agent_platform.http import NO_TLS

_START_S = 180
"""A busy machine reads weights slowly."""
_SERVING = Path(__file__).parent / "llama_process.py"


class Llama:
    """Serves `weights` of the folder `installed` at one address, whenever it is started, until it is killed.

    `window` is how many tokens it reads and writes together. Its log is `log`, of all its processes.
    """

    def __init__(self, installed: Path, weights: str, window: int, log: Path) -> None:
        self.log = log
        self._weights = weights
        self._port = free_port()
        serving = [_SERVING, installed / "wheel", installed / f"{weights}.gguf", self._port, window]
        # A thread of libgomp that waits spins, unless it is told not to.
        program = ["/usr/bin/env", "OMP_WAIT_POLICY=passive", sys.executable, "-I", *map(str, serving)]
        self._command = ProcessCommand(program, installed, signal.SIGKILL)
        self._process: ServerProcess | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def base_url(self) -> str:
        """What FOLDLINE_MODEL_BASE_URL is to be."""
        return f"http://127.0.0.1:{self._port}/v1"

    def environment(self) -> dict[str, str]:
        """The settings by which Foldline uses this model."""
        return {"FOLDLINE_MODEL": f"openai/{self._weights}", "FOLDLINE_MODEL_BASE_URL": self.base_url}

    def start(self) -> None:
        """Return when it answers; raises with the end of its log if it doesn't in time."""
        self._process = process = ServerProcess("llama.cpp", self._command, self.log)
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline and process.returncode is None:
            try:
                if httpx.get(f"{self.base_url}/models", timeout=5, verify=NO_TLS).status_code == 200:
                    return
            except httpx.TransportError:
                pass  # it is being started
            time.sleep(0.1)
        process.kill()
        raise process.failure("did not start")

    def kill(self) -> None:
        """End it at once, in the middle of whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process = None
