"""A host that an ordinary user runs, as most people do: commands have that user's number, and are kept in."""

import os
import shutil
import site
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from workspace_host.isolation.user import is_root

pytestmark = [pytest.mark.processes, pytest.mark.faults, pytest.mark.timeout(300)]

SOMEBODY = 65530
ATTACKS = "path_out or is_followed or looked_into or fork_bomb or daemon or privileges or programs"
"""Of `test_attacks.py`, with namespaces and without."""
_TESTS = "import pytest, sys; sys.exit(pytest.main(sys.argv[1:]))"
_HERE = Path(__file__).parent


def as_somebody(python: str, home: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python code as that user, with the packages that are installed here."""
    packages = "".join(f"site.addsitedir({path!r});" for path in site.getsitepackages())
    become = ["setpriv", f"--reuid={SOMEBODY}", f"--regid={SOMEBODY}", "--clear-groups"]
    kept = ["env", "-i", f"HOME={home}", "LANG=C.UTF-8", f"PATH={Path(sys.executable).parent}:/usr/bin:/bin"]
    return subprocess.run(
        [*become, *kept, python, "-c", f"import site;{packages}{code}", *arguments],
        cwd=_HERE.parents[2],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def home() -> Iterator[Path]:
    """That user's."""
    home = Path(f"/tmp/somebody-{os.getpid()}")
    home.mkdir(mode=0o700)
    os.chown(home, SOMEBODY, SOMEBODY)
    yield home
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def python(home: Path) -> str:
    """A Python like this one, which that user may run with what is installed here."""
    same = f"/usr/bin/python3.{sys.version_info.minor}"
    said = ""
    for found in (os.path.realpath(sys.executable), same):
        try:
            tried = as_somebody(found, home, "import pytest, workspace_host, agent_platform")
        except OSError as error:
            said = str(error)
            continue
        if tried.returncode == 0:
            return found
        said = tried.stderr.strip().splitlines()[-1]
    pytest.skip(f"no ordinary user may run this Python, or read the packages: {said}")


@pytest.mark.skipif(not is_root(), reason="the tests themselves are run by an ordinary user")
def test_commands_of_an_ordinary_users_host_are_kept_in(python: str, home: Path) -> None:
    attacks = str(_HERE / "test_attacks.py")
    options = ("-q", "-n", "0", "-p", "no:cacheprovider", f"--basetemp={home}/tests", "-k", ATTACKS)
    ran = as_somebody(python, home, _TESTS, attacks, *options)
    assert ran.returncode == 0, ran.stdout[-5000:] + ran.stderr[-1000:]
    assert " passed" in ran.stdout
