"""One version for all that is released together, and it says that nothing has been released yet."""

import json
import tomllib
from pathlib import Path
from typing import Any

import yaml
from packaging.version import Version

REPOSITORY = Path(__file__).parents[2]
NAMED = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["version"]
COMPOSE: dict[str, Any] = yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text())


def test_it_is_a_development_version_of_what_comes_next() -> None:
    version = Version(NAMED)
    assert str(version) == NAMED
    assert version.is_devrelease == (version < Version("0.1.0"))


def test_every_member_has_it() -> None:
    members = sorted(REPOSITORY.glob("*/*/pyproject.toml"))
    told = {path.parent.name: tomllib.loads(path.read_text())["project"]["version"] for path in members}
    assert {name: version for name, version in told.items() if version != NAMED} == {}
    assert len(told) > 20


def test_the_ui_and_its_lock_have_it_as_npm_writes_it() -> None:
    folder = REPOSITORY / "services/ui"
    told = json.loads((folder / "package.json").read_text())["version"]
    locked = json.loads((folder / "package-lock.json").read_text())
    assert Version(told) == Version(NAMED)
    assert {locked["version"], locked["packages"][""]["version"]} == {told}


def test_every_image_of_ours_is_tagged_with_it() -> None:
    images = [one["image"] for one in COMPOSE["services"].values() if one["image"].startswith("foldline/")]
    assert {image.partition(":")[2] for image in images} == {NAMED}
