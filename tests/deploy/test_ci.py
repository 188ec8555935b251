"""What a run that failed says at its end: which tests failed and why, in few lines."""

import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
TESTS = """
import structlog

def test_that_talks():
    log = structlog.get_logger()
    for number in range(3000):
        log.debug("model.asked", number=number)
        if number == 10:
            log.warning("disk.full", folder="/somewhere")
    assert number == 7, "seven is enough"

def test_that_passes():
    print("something")

def test_that_ends_badly(tmp_path):
    raise OSError("no such thing")
"""
OF_VITEST = """<?xml version="1.0" encoding="UTF-8" ?>
<testsuites name="vitest tests" tests="1" failures="1" errors="0" time="0.009">
  <testsuite name="src/some.test.ts" tests="1" failures="1" errors="0" skipped="0" time="0.009">
    <testcase classname="src/some.test.ts" name="a thing &gt; holds" time="0.007">
      <failure message="expected 2 to be 3 // Object.is equality" type="AssertionError">
AssertionError: expected 2 to be 3 // Object.is equality

- 3
+ 2

 ❯ src/some.test.ts:2:47
      </failure>
    </testcase>
  </testsuite>
</testsuites>
"""


def test_what_failed_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(TESTS)
    report, of_ui, lost = (tmp_path / f"{name}.xml" for name in ("test", "ui", "faults"))
    of_ui.write_text(OF_VITEST)
    plugins = ["-p", "xdist.plugin", "-p", "agent_platform.testing.plugin"]
    run = [sys.executable, "-m", "pytest", *plugins, f"--junitxml={report}"]
    env = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    said = subprocess.run(run, cwd=tmp_path, env=env, capture_output=True, text=True, check=False).stdout
    lines = said.splitlines()
    assert len(lines) < 150
    assert [line for line in lines if "disk.full" in line], "a warning is shown wherever it stands"
    assert [line for line in lines if "number=2999" in line]
    assert not [line for line in lines if "number=20 " in f"{line} "]
    assert "\x1b[" not in said

    program = REPOSITORY / "scripts/failed-tests"
    shown = subprocess.run(
        [program, report, of_ui, lost], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert shown == [
        "test: 2 of 3 tests failed.",
        "  test_some :: test_that_talks",
        "    AssertionError: seven is enough",
        "    assert 2999 == 7",
        "    at test_some.py:10: AssertionError",
        "  test_some :: test_that_ends_badly",
        "    OSError: no such thing",
        "    at test_some.py:16: OSError",
        "ui: 1 of 1 tests failed.",
        "  src/some.test.ts :: a thing > holds",
        "    expected 2 to be 3 // Object.is equality",
        "    at src/some.test.ts:2:47",
        f"faults: the run left no list of its tests ([Errno 2] No such file or directory: '{lost}'): "
        "it ended early.",
    ]
