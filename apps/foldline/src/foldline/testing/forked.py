"""Commands in processes that are forked from one that has imported them: each begins at once."""

import io
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import forkserver
from pathlib import Path

from agent_platform.process.stopping import PARENT_PID
from agent_platform.services.discovery import discover
from foldline.cli.lazy_commands import COMMANDS
from foldline.cli.main import app

LOOKS = {"COLUMNS": "200", "NO_COLOR": "1"}
"""How wide and plain a command prints. Read as soon as it is imported."""

_CONTEXT = multiprocessing.get_context("forkserver")
_MODULES = {where.partition(":")[0] for where in COMMANDS.values()}
discover()  # imports what the services declare
_CONTEXT.set_forkserver_preload(
    [__name__, "httpcore", *sorted(f"foldline.cli.{module}" for module in _MODULES)]
)


@dataclass(frozen=True)
class Ran:
    """A command that has ended: its exit code, and what it printed."""

    code: int
    out: str
    err: str


def run_forked(
    words: Sequence[str], environment: Mapping[str, str], folder: Path, stdin: str, patience_s: float
) -> Ran:
    """Run `foldline` with these words to its end, in `folder` and with this environment alone.

    Raises `TimeoutError` if it takes longer than that.
    """
    with tempfile.TemporaryDirectory() as kept:
        streams = [Path(kept) / name for name in ("in", "out", "err")]
        for stream in streams:
            stream.write_text("")
        streams[0].write_text(stdin)
        _start_forking()
        process = _CONTEXT.Process(target=_run, args=(words, dict(environment), folder, streams))
        process.start()
        process.join(patience_s)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise TimeoutError(f"foldline {' '.join(words)} takes longer than {patience_s:g} s")
        return Ran(process.exitcode, streams[1].read_text(), streams[2].read_text())


def _start_forking() -> None:
    before = dict(os.environ)
    os.environ.update(LOOKS)
    try:
        forkserver.ensure_running()
    finally:
        os.environ.clear()
        os.environ.update(before)


def _run(words: Sequence[str], environment: dict[str, str], folder: Path, streams: list[Path]) -> None:
    """What `python -m foldline` does."""
    os.environ.clear()
    os.environ.update({**environment, PARENT_PID: str(os.getppid())})
    os.chdir(folder)
    for number, stream in enumerate(streams):
        os.dup2(os.open(stream, os.O_RDONLY if number == 0 else os.O_WRONLY), number)
    sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False))
    sys.argv = ["foldline", *words]
    app()
