"""The demo model as a process of its own, playing a script."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

_STOP_S = 10


@contextmanager
def scripted_model(folder: Path, script: Mapping[str, Any]) -> Iterator[Mapping[str, str]]:
    """Yields the environment by which Foldline uses it."""
    file = folder / "script.json"
    file.write_text(json.dumps(script))
    process = subprocess.Popen(
        [sys.executable, "-m", "foldline", "demo", str(file), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        url = _announced(process.stdout)
        yield {
            "FOLDLINE_MODEL": "openai/bench",
            "FOLDLINE_MODEL_BASE_URL": url,
            "FOLDLINE_MODEL_API_KEY": "none",
        }
    finally:
        process.terminate()
        process.wait(_STOP_S)
        assert process.stdout is not None
        process.stdout.close()


def _announced(output: IO[str]) -> str:
    for line in output:
        _, found, url = line.rpartition(" answers at ")
        if found:
            return url.strip()
    raise RuntimeError("the demo model did not start")
