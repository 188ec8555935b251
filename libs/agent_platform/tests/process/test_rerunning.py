"""What failed under xdist is found again by `--last-failed`; how many workers there are, and what they begin
with; what is garbage."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.processes

TESTS = """
import pathlib
import pytest

MENDED = pathlib.Path(__file__).with_name("mended")

@pytest.mark.xdist_group("together")
@pytest.mark.parametrize("value", ["a@b", "c d"])
def test_in_a_group(value):
    assert MENDED.exists()

def test_alone():
    assert MENDED.exists()

def test_that_passes():
    assert True
"""


def run(folder: Path, *arguments: str) -> str:
    plugins = (
        "-p",
        "xdist.plugin",
        "-p",
        "agent_platform.testing.plugin",
    )  # and no others: they cost seconds
    command = [sys.executable, "-m", "pytest", *plugins, "-q", *arguments]
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    answer = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    return answer.stdout


ONE = "def test_{}():\n    pass\n"
THREE = "@pytest.mark.parametrize('n', range(3))\ndef test_{}(n):\n    pass\n"


def began_in(folder: Path, **modules: str) -> list[str]:
    """In which order a worker begins with these modules."""
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n    first: of a long group\n    faults: kills\n")
    for name, text in modules.items():
        (folder / f"test_{name}.py").write_text(f"import pytest\n{text.format(name)}")
    said = run(folder, "-n", "1", "--dist", "loadgroup", "-v", "-v")
    began = [line[5:6] for line in said.splitlines() if line.startswith("test_") and "::" in line]
    return list(dict.fromkeys(began))


def test_all_that_failed_runs_again_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(TESTS)
    together = ("-n", "1", "--dist", "loadgroup")
    assert "3 failed, 1 passed" in run(tmp_path, *together)
    (tmp_path / "mended").touch()
    again = run(tmp_path, "-n", "0", "--last-failed", "--last-failed-no-failures", "none")
    assert "3 passed" in again


def test_workers_begin_with_long_groups_then_with_those_of_many_tests(tmp_path: Path) -> None:
    assert began_in(tmp_path, a=ONE, b=THREE, c=f"@pytest.mark.first\n{ONE}") == ["c", "b", "a"]


def test_what_kills_is_no_group_of_those_whom_it_disturbs_and_begins_before_them(tmp_path: Path) -> None:
    shared = "@pytest.mark.xdist_group('shared')\n"
    kills = f"@pytest.mark.faults\n{shared}{ONE}"
    assert began_in(tmp_path, a=f"{shared}{THREE}", b=f"{shared}{ONE}", c=kills) == ["c", "a", "b"]
    said = run(tmp_path, "-n", "2", "--dist", "loadgroup", "-v", "-v")
    assert "test_c@faults_shared " in said
    assert "test_b@shared " in said


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="no way to see which processors are ours")
def test_there_are_three_workers_for_each_processor(pytestconfig: pytest.Config) -> None:
    cores = len(os.sched_getaffinity(0))
    assert pytestconfig.hook.pytest_xdist_auto_num_workers(config=pytestconfig) == cores * 3


def test_what_was_collected_is_no_garbage_and_what_tests_leave_is() -> None:
    assert gc.get_freeze_count() > 0
    assert gc.isenabled()
