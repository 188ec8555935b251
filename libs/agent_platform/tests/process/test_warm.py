"""Processes that are forked from a warm one: what it has imported, and whom they end with."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from foldline_testing.agent_platform.eventually import eventually

pytestmark = pytest.mark.processes

_SAYS = """
import os, sys, time

def main():
    print(sorted({"colorsys", "wave"} & set(sys.modules)), os.getpid(), flush=True)
    time.sleep(600)
"""
_STARTS = """
import asyncio, sys, time
from pathlib import Path
import says
from foldline_testing.agent_platform.warm import WarmProgram, keep_warm

keep_warm("wave")
program = WarmProgram(says.main)
keep_warm("colorsys")

if __name__ == "__main__":
    asyncio.run(program.start({}, Path(sys.argv[1])))
    time.sleep(600)
"""


@pytest.fixture
def starter(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A program that starts one."""
    (tmp_path / "says.py").write_text(_SAYS)
    (tmp_path / "starts.py").write_text(_STARTS)
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    words = [sys.executable, str(tmp_path / "starts.py"), str(tmp_path)]
    with subprocess.Popen(words, env={**os.environ, "PYTHONPATH": path}) as process:
        yield process
        process.kill()


async def test_it_has_what_anyone_wanted_imported_and_ends_with_who_started_it_however_that_ends(
    starter: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    async def said() -> list[str] | None:
        log = tmp_path / "processes.log"
        return log.read_text().rsplit(maxsplit=1) if log.exists() and log.read_text().endswith("\n") else None

    imported, pid = await eventually(said, within=60)
    assert imported == "['colorsys', 'wave']"
    process = psutil.Process(int(pid))
    starter.kill()

    async def gone() -> bool | None:
        return None if process.is_running() else True

    assert await eventually(gone, within=60)
