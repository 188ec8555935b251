"""deploy/Dockerfile, read as text: no engine runs where these tests do."""

import re
import tomllib
from pathlib import Path

from agent_platform.services.discovery import discover

REPOSITORY = Path(__file__).parents[2]
TEXT = (REPOSITORY / "deploy" / "Dockerfile").read_text()
LINES = re.sub(r"\\\n", " ", TEXT).splitlines()
STAGES = re.findall(r"^FROM (\S+)(?: AS (\S+))?$", TEXT, re.MULTILINE)


def instructions(name: str) -> list[str]:
    return [line.removeprefix(name).strip() for line in LINES if line.startswith(f"{name} ")]


def test_it_lists_no_service() -> None:
    names = {service.name for service in discover()} | {service.module for service in discover()}
    stages = "\n".join(line for line in LINES if line and not line.startswith("#"))
    assert [name for name in sorted(names) if re.search(rf"\b{name}\b", stages)] == []


def test_the_last_stage_is_the_base_that_was_asked_for() -> None:
    assert STAGES[-1] == ("${BASE}", "")
    default = re.search(r"^ARG BASE=(\S+)$", TEXT, re.MULTILINE)
    assert default
    assert default[1] in {name for _, name in STAGES}


def test_base_images_name_a_version() -> None:
    bases = {base for base, _ in STAGES if base not in {name for _, name in STAGES} and "$" not in base}
    assert bases == {"node:24-slim", "python:3.12-slim"}


def test_what_is_copied_from_this_checkout_is_there_and_not_ignored() -> None:
    kept = {
        line[1:] for line in (REPOSITORY / ".dockerignore").read_text().splitlines() if line.startswith("!")
    }
    for copied in instructions("COPY"):
        if copied.startswith("--from"):
            continue
        for source in copied.split()[:-1]:
            assert (REPOSITORY / source).exists(), source
            assert source.split("/")[0] in kept, source


def test_a_stage_that_is_copied_from_exists() -> None:
    named = {name for _, name in STAGES}
    assert set(re.findall(r"--from=(\S+)", TEXT)) <= named


def test_it_runs_as_nobody_in_particular_and_is_watched() -> None:
    users = instructions("USER")
    assert users == ["10001:10001"]
    assert len(instructions("HEALTHCHECK")) == 2


def test_everything_python_is_installed_by_hash_or_from_this_checkout() -> None:
    installs = re.findall(r"(?<!apt-get )\binstall [^&\n]*", " ".join(LINES))
    assert installs
    assert all("--require-hashes" in one or "--no-index" in one for one in installs)


def test_nothing_is_fetched_from_an_address_written_here() -> None:
    assert "://" not in re.sub(r"127\.0\.0\.1", "", TEXT)
    assert not instructions("ADD")


def test_no_tag_is_latest() -> None:
    assert ":latest" not in TEXT


def test_every_member_that_an_image_installs_is_copied() -> None:
    copied = {source for line in instructions("COPY") for source in line.split()[:-1]}
    for packages in (REPOSITORY / "deploy" / "packages").glob("*.txt"):
        members = re.findall(r"^\./([a-z]+)/", packages.read_text(), re.MULTILINE)
        assert set(members) <= copied


def test_the_images_python_is_one_that_members_allow() -> None:
    for member in REPOSITORY.glob("*/*/pyproject.toml"):
        assert tomllib.loads(member.read_text())["project"]["requires-python"] == ">=3.11"
