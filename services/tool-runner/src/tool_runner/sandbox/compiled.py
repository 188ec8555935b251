"""The guest as machine code, compiled once and kept in a folder that only the service can write.

What is loaded from there is run as it is: whoever can write it can run code in a worker.
"""

import fcntl
import os
import stat
import subprocess
import sys
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import structlog

from agent_contracts.errors import Permanent
from tool_runner.sandbox.guest import guest_hash

log = structlog.get_logger()

FOLDER = "sandbox"
"""The folder in the data directory for the sandbox as machine code."""
ENGINE_CONFIG = "epochs, fibers, 8 MiB of stack, 1"
"""Names what `engine.engine` configures: change it with that."""


def compiled_path(folder: Path) -> Path:
    """Where the machine code for this guest, this wasmtime and this configuration is kept."""
    key = f"{guest_hash()}|{version('wasmtime')}|{ENGINE_CONFIG}|{sys.platform}|{os.uname().machine}"
    return folder / f"{sha256(key.encode()).hexdigest()[:32]}.cwasm"


def compile_once(folder: Path) -> Path:
    """Compile the guest unless that was done before, in a process of its own; some seconds.

    Raises `Permanent` where the folder is not the service's alone, or the guest can't be compiled.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.stat()
    if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
        raise Permanent(f"{folder} must belong to this user and be open to nobody else", kind="internal")
    path = compiled_path(folder)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            _compile(path)
    return path


def _compile(path: Path) -> None:
    command = [sys.executable, "-m", "tool_runner.sandbox.engine", str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        log.error("sandbox.not_compiled", said=ended.stderr[-2000:])
        last = ended.stderr.strip().rpartition("\n")[2] or f"it ended with {ended.returncode}"
        raise Permanent(f"the sandbox can't be compiled: {last}", kind="internal")
    for other in path.parent.glob("*.cwasm"):
        if other != path:
            other.unlink(missing_ok=True)
