"""What a run that failed says at its end: which tests failed and why, in few lines."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

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
    plugins = ["-p", "xdist.plugin", "-p", "foldline_testing.agent_platform.plugin"]
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


MAKE = """#!/usr/bin/env bash
# Each make leaves the reports that the test gave, and fails if they tell of a failure.
echo "$1" >> asked
reports=${1/mcp-conformance/mcp}
reports=${reports/real-model/real}
[ "$1" != .make/real-model-installed ] || exec test -e real
[ "$1" = test ] && reports="test ui"
for name in $reports; do
    [ ! -e "$name" ] || cp "$name" ".make/reports/$name.xml"
done
! grep -qs "<failure" $reports
"""


RUNS = ["test", "faults", "mcp-conformance", ".make/real-model-installed"]
"""What is asked of make, besides the checks, where no real model can be installed."""


def report(failed: int, passed: int = 1) -> str:
    cases = [
        f'<testcase classname="some" name="fails_{n}"><failure message="late"/></testcase>'
        for n in range(failed)
    ]
    cases += [f'<testcase classname="some" name="passes_{n}"/>' for n in range(passed)]
    return f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>"


@pytest.fixture
def ci(tmp_path: Path) -> "Ci":
    """Runs `.ci/run` on what each `make` reports: its exit code, what was asked of make, its last lines."""

    def run(share: str = "all", **reports: str) -> tuple[int, list[str], list[str]]:
        for folder in (".ci", "scripts", ".make", "bin", "tests"):
            (tmp_path / folder).mkdir()
        (tmp_path / "tests/flakes.txt").write_text(reports.pop("known", "# none\n"))
        shutil.copy(REPOSITORY / ".ci/run", tmp_path / ".ci/run")
        for script in ("failed-tests", "test-share"):
            shutil.copy(REPOSITORY / "scripts" / script, tmp_path / "scripts" / script)
        (tmp_path / "bin/make").write_text(MAKE)
        (tmp_path / "bin/make").chmod(0o755)
        for name, text in reports.items():
            (tmp_path / name).write_text(text)
        env = os.environ | {"SHARE": share, "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run([tmp_path / ".ci/run"], env=env, capture_output=True, text=True, check=False)
        return done.returncode, (tmp_path / "asked").read_text().split(), done.stdout.splitlines()

    return run


Ci = Callable[..., tuple[int, list[str], list[str]]]


def test_a_test_that_passes_alone_was_disturbed_and_is_named(ci: Ci) -> None:
    code, asked, said = ci(test=report(1), ui=report(0), faults=report(0), mcp=report(0), again=report(0))
    assert (code, asked[1:]) == (0, [*RUNS, "again"])
    assert "test: 1 of 2 tests failed." in said
    assert "  some :: fails_0" in said
    assert said[-1] == "again: all passed."
    assert [line for line in said if line.startswith("FLAKED: some :: fails_0: ")]


def test_a_test_that_flakes_a_second_time_fails(ci: Ci) -> None:
    known = "some :: fails_0 | 2026-11-27 | late\n"
    first = {"test": report(1), "ui": report(0), "faults": report(0), "mcp": report(0)}
    code, _, said = ci(known=known, **first, again=report(0))
    assert code == 1
    assert [line for line in said if line.startswith("FLAKED AGAIN: some :: fails_0: ")]


def test_where_only_the_uis_ran_again_there_is_no_other_list(ci: Ci) -> None:
    code, _, said = ci(test=report(0), ui=report(1), faults=report(0), mcp=report(0))
    assert (code, said[-1]) == (0, "mcp: all passed.")


def test_one_that_fails_again_has_failed(ci: Ci) -> None:
    code, _, said = ci(test=report(1), ui=report(1), faults=report(1), mcp=report(1), again=report(1))
    assert (code, said[-2:]) == (1, ["  some :: fails_0", "    late"])


@pytest.mark.parametrize(
    "reports",
    [
        {"test": report(4), "ui": report(1), "faults": report(1), "mcp": report(0)},
        {"test": report(1), "ui": report(0)},
    ],
    ids=["too many", "a run that ended early"],
)
def test_these_have_no_second_chance(ci: Ci, reports: dict[str, str]) -> None:
    code, asked, _ = ci(**reports, again=report(0))
    assert code == 1
    assert "again" not in asked


def test_where_all_passed_nothing_runs_again(ci: Ci) -> None:
    code, asked, _ = ci(test=report(0), ui=report(0), faults=report(0), mcp=report(0))
    assert (code, asked[1:]) == (0, RUNS)


@pytest.mark.parametrize("failed", [0, 1])
def test_real_models_count_where_they_can_be_installed(ci: Ci, failed: int) -> None:
    passed = {name: report(0) for name in ("test", "ui", "faults", "mcp")}
    code, asked, said = ci(**passed, real=report(failed), again=report(failed))
    assert (code, asked[1:6]) == (failed, [*RUNS, "real-model"])
    assert [line for line in said if line.startswith("real:")] == [
        "real: 1 of 2 tests failed." if failed else "real: all passed."
    ]


def test_a_real_model_is_a_long_test(ci: Ci) -> None:
    """One that isn't in this share isn't even looked for."""
    of_the_others = {name: report(failed=0) for name in ("test", "ui", "faults", "mcp")}
    code, asked, lines = ci(share="2/6", **of_the_others)
    assert (code, [one for one in asked if one in RUNS]) == (0, RUNS[:-1])
    assert lines[:2] == ["Long tests: 2/6.", "A real model is in share 1."]


def test_each_commit_gets_one_of_the_shares(tmp_path: Path) -> None:
    """The same one each time that it is asked for; the first one where nobody knows the commit."""
    script = tmp_path / "scripts/test-share"
    script.parent.mkdir()
    shutil.copy(REPOSITORY / "scripts/test-share", script)

    def share() -> str:
        said = subprocess.run([script], cwd="/", capture_output=True, text=True, check=True)
        return said.stdout.strip()

    def git(*words: str) -> None:
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", *who, *words], cwd=tmp_path, capture_output=True, check=True)

    assert share() == "1/6"
    git("init")
    assert share() == "1/6"
    found = []
    for number in range(40):
        git("commit", "--allow-empty", "-m", f"{number}")
        found.append(share())
        assert share() == found[-1]
    assert set(found) == {f"{number}/6" for number in range(1, 7)}
