"""Model servers as processes of their own: the demo model with a script, or one that reads little."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

_STOP_S = 10
_REPOSITORY = Path(__file__).parents[1]


@contextmanager
def scripted_model(folder: Path, script: Mapping[str, Any]) -> Iterator[Mapping[str, str]]:
    """The demo model playing it. Yields the environment by which Foldline uses it."""
    file = folder / "script.json"
    file.write_text(json.dumps(script))
    with _running("foldline", "demo", str(file), "--port", "0") as environ:
        yield environ


@contextmanager
def step_model() -> Iterator[Mapping[str, str]]:
    """The server that makes as many steps as a message asks for, whose cost doesn't grow with what is said.

    Yields the environment by which Foldline uses it.
    """
    with _running("bench.model_server") as environ:
        yield environ


@contextmanager
def _running(*module: str) -> Iterator[Mapping[str, str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", *module],
        cwd=_REPOSITORY,
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
