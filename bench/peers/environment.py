"""The peers' own environment: their packages, in a folder of the user's cache, never in ours."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from bench.peers.runtimes import HERE

_REQUIREMENTS = HERE / "requirements.txt"
_RESTATE = "@restatedev/restate-server"
_DONE = "done"


def scratch() -> Path:
    """The folder; filled by pip and npm the first time, and whenever the requirements change."""
    digest = hashlib.sha256(_REQUIREMENTS.read_bytes() + sys.version.encode()).hexdigest()[:12]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "foldline-bench-peers" / digest
    if not (folder / _DONE).exists():
        print(f"Installing the peers in {folder} ...", flush=True)
        _install(folder)
        (folder / _DONE).touch()
    return folder


def _install(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "node").mkdir(parents=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    pip = [str(folder / "venv" / "bin" / "python"), "-m", "pip", "install", "-q", "-r", str(_REQUIREMENTS)]
    subprocess.run(pip, check=True)
    node = Path(sys.prefix) / "node" / "bin"
    env = {**os.environ, "PATH": f"{node}{os.pathsep}{os.environ.get('PATH', '')}"}
    npm = shutil.which("npm", path=env["PATH"])
    if npm is None:
        raise SystemExit("npm is missing: `make test` brings it; Restate's server is an npm package")
    command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--no-save", _RESTATE]
    subprocess.run(command, cwd=folder / "node", env=env, check=True)
