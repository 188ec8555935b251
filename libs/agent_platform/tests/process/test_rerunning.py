"""What failed under xdist is found again by `--last-failed`; how many workers there are, and what they begin
with; what is garbage."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from foldline_testing.agent_platform.plugin import workers_for

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
        "foldline_testing.agent_platform.plugin",
    )  # and no others: they cost seconds
    command = [sys.executable, "-m", "pytest", *plugins, "-q", *arguments]
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    answer = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    return answer.stdout


def test_all_that_failed_runs_again_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(TESTS)
    together = ("-n", "1", "--dist", "loadgroup")
    assert "3 failed, 1 passed" in run(tmp_path, *together)
    (tmp_path / "mended").touch()
    again = run(tmp_path, "-n", "0", "--last-failed", "--last-failed-no-failures", "none")
    assert "3 passed" in again


def test_workers_begin_with_long_groups_then_with_those_of_many_tests(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = first: of a long group\n")
    one, parametrized = (
        "def test_{}():\n    pass\n",
        "@pytest.mark.parametrize('n', range(3))\ndef test_{}(n):\n    pass\n",
    )
    for name, text in {"a": one, "b": parametrized, "c": f"@pytest.mark.first\n{one}"}.items():
        (tmp_path / f"test_{name}.py").write_text(f"import pytest\n{text.format(name)}")
    said = run(tmp_path, "-n", "1", "--dist", "loadgroup", "-v", "-v")
    began = [line[5:6] for line in said.splitlines() if line.startswith("test_") and "::" in line]
    assert list(dict.fromkeys(began)) == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("cores", "gib", "workers"), [(2, 20, 4), (8, 64, 16), (8, 16, 5), (1, 2, 2)], ids=str
)
def test_workers_are_by_processors_and_memory(cores: int, gib: int, workers: int) -> None:
    assert workers_for(cores, gib * 2**30) == workers


def test_what_was_collected_is_no_garbage_and_what_tests_leave_is() -> None:
    assert gc.get_freeze_count() > 0
    assert gc.isenabled()
