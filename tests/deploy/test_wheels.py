"""What a wheel of each member holds: all that it runs on, and nothing that only tests use."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
MEMBERS = sorted(path.parent for path in REPOSITORY.glob("*/*/pyproject.toml"))


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The files in each member's wheel, by the member's folder."""
    folder = tmp_path_factory.mktemp("wheels")
    found = {}
    for member in MEMBERS:
        target = folder / member.name
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)],
            cwd=member,
            check=True,
            capture_output=True,
            timeout=120,
        )
        (wheel,) = target.glob("*.whl")
        found[member.name] = set(zipfile.ZipFile(wheel).namelist())
    return found


@pytest.mark.parametrize("member", [member.name for member in MEMBERS])
def test_no_code_for_tests_is_in_a_wheel(wheels: dict[str, set[str]], member: str) -> None:
    parts = {part.removesuffix(".py") for name in wheels[member] for part in name.split("/")}
    assert not {"testing", "tests", "conftest"} & parts


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
def test_everything_else_of_the_package_is(wheels: dict[str, set[str]], member: Path) -> None:
    (package,) = [path for path in (member / "src").iterdir() if path.is_dir()]
    tracked = subprocess.run(
        ["git", "ls-files", str(package)], cwd=REPOSITORY, capture_output=True, text=True, check=True
    ).stdout.split()
    wanted = {str((REPOSITORY / name).relative_to(member / "src")) for name in tracked}
    wanted = {name for name in wanted if not {"testing", "testing.py"} & set(name.split("/"))}
    assert f"{package.name}/py.typed" in wheels[member.name]
    assert wanted - wheels[member.name] == set()
