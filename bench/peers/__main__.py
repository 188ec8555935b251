"""Run the peers' benchmark with Foldline in it: `python -m bench.peers PEERS [--python P] [more options]`.

PEERS is the folder of the peers' `bench.py`; options that are not known here go to it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

NAME = "foldline"
_REPOSITORY = Path(__file__).resolve().parents[2]
_DRIVE = f"""
import runpy, sys
sys.path.insert(0, {str(_REPOSITORY)!r})  # before the peers' folder, which has a `bench` too
runpy.run_module("bench.peers.driver_foldline", run_name="__main__")
"""


def entry() -> dict[str, object]:
    """Foldline as the peers' `--extra` file names it."""
    return {
        NAME: {
            "server": [sys.executable, "-m", "bench.peers.nats_server", "{port}", "{data}"],
            "env": {"FOLDLINE_PEER_NATS": "nats://127.0.0.1:{port}"},
            "driver": [sys.executable, "-c", _DRIVE],
        }
    }


def main() -> int:
    """Write the entry, and run."""
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("peers", type=Path, help="the folder that holds the peers' bench.py")
    parser.add_argument("--python", default=sys.executable, help="a Python with the peers' requirements")
    known, rest = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        extra = Path(folder) / "foldline.json"
        extra.write_text(json.dumps(entry()))
        command = [known.python, str(known.peers / "bench.py"), "--extra", str(extra), *rest]
        env = {**os.environ, "PYTHONPATH": str(_REPOSITORY)}
        return subprocess.run(command, env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
