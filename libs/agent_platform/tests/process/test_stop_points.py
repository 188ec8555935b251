"""Stop points: a process dies exactly where it was told to, once."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from agent_platform.process.stop_points import STOP_DIR, arm, has_fired

PASSES_BY = """
import asyncio, time
from agent_platform.process.stop_points import stop_point

async def main():
    for step in ("one", "two", "two", "two", "three"):
        await stop_point(f"test.{step}")
        print(step, flush=True)

asyncio.run(main())
"""


def run(folder: Path | None, then: str = "") -> tuple[int, list[str]]:
    """Run a process that passes by one, two, two, two, three: its exit code, and what it got past."""
    environment = {key: value for key, value in os.environ.items() if key != STOP_DIR}
    if folder is not None:
        environment[STOP_DIR] = str(folder)
    ended = subprocess.run(
        [sys.executable, "-c", PASSES_BY + then], env=environment, capture_output=True, text=True, check=False
    )
    return ended.returncode, ended.stdout.split()


def test_without_a_folder_nothing_happens(tmp_path: Path) -> None:
    arm(tmp_path, "test.two")
    assert run(None) == (0, ["one", "two", "two", "two", "three"])
    assert not has_fired(tmp_path, "test.two")


def test_the_process_kills_itself_before_it_gets_past_the_point(tmp_path: Path) -> None:
    arm(tmp_path, "test.two")
    assert run(tmp_path) == (-signal.SIGKILL, ["one"])
    assert has_fired(tmp_path, "test.two")


def test_it_can_be_told_to_let_some_pass_first(tmp_path: Path) -> None:
    arm(tmp_path, "test.two", 3)
    assert run(tmp_path) == (-signal.SIGKILL, ["one", "two", "two"])


def test_it_can_be_told_to_live_on_for_a_while_and_dies_wherever_it_is_then(tmp_path: Path) -> None:
    arm(tmp_path, "test.one", after_s=0.2)
    code, passed = run(tmp_path, then="time.sleep(600)")
    assert (code, passed) == (-signal.SIGKILL, ["one", "two", "two", "two", "three"])


def test_with_the_same_environment_only_the_first_process_dies(tmp_path: Path) -> None:
    arm(tmp_path, "test.one")
    assert run(tmp_path)[0] == -signal.SIGKILL
    assert run(tmp_path) == (0, ["one", "two", "two", "two", "three"])


def test_a_point_that_nobody_passes_stops_nobody(tmp_path: Path) -> None:
    arm(tmp_path, "test.four")
    assert run(tmp_path)[0] == 0
    assert not has_fired(tmp_path, "test.four")
