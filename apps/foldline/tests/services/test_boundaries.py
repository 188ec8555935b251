"""What the platform and the declarations may know."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.services.discovery import discover

REPOSITORY = Path(__file__).parents[4]
PLATFORM = REPOSITORY / "libs/agent_platform/src/agent_platform"
SERVICES = discover()
CALLED = {"model caller", "tool runner", "session engine", "browser pool", "scheduler"}
"""Names that no declaration has: those of prose, and of services that come later."""
HEAVY = {
    *("litellm", "openai", "fastapi", "starlette", "wasmtime", "apsw", "psycopg", "httpx", "nats"),
    "opentelemetry",
}


def names_of(service: ServiceDeclaration) -> set[str]:
    user = {service.nats_user} - {
        "mcp",
        "model",
        "workspace",
    }  # also words for a protocol, what answers, files
    return {service.name, service.module, *user}


def test_the_platform_knows_no_service_by_name() -> None:
    names = CALLED.union(*map(names_of, SERVICES))
    words = [re.sub("[-_ ]", "[-_ ]", name) for name in names]
    pattern = re.compile(rf"(?<![a-z])(?:{'|'.join(words)})s?(?![a-z])", re.IGNORECASE)
    assert pattern.search("def tool_runner_spec()")
    found = [
        f"{path.relative_to(PLATFORM)}:{number}: {line.strip()}"
        for path in sorted(PLATFORM.rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if pattern.search(line)
    ]
    assert found == []


@pytest.mark.parametrize("service", SERVICES, ids=lambda one: one.name)
def test_a_declaration_imports_nothing_that_the_service_runs_on(service: ServiceDeclaration) -> None:
    code = f"import sys, {service.module}.service; print(*{{name.partition('.')[0] for name in sys.modules}})"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert set(ran.stdout.split()) & HEAVY == set()


@pytest.mark.parametrize("service", SERVICES, ids=lambda one: one.name)
def test_a_service_stands_in_the_layers(service: ServiceDeclaration) -> None:
    config = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["importlinter"]
    assert service.module in config["root_packages"]
    layers = next(one["layers"] for one in config["contracts"] if one["type"] == "layers")
    independent = next(layer.split(" | ") for layer in layers if "gateway" in layer.split(" | "))
    assert service.module in independent


@pytest.mark.parametrize("service", SERVICES, ids=lambda one: one.name)
def test_every_service_has_the_same_files(service: ServiceDeclaration) -> None:
    folder = REPOSITORY / "services" / service.module.replace("_", "-") / "src" / service.module
    assert {"__main__.py", "app.py", "service.py", "settings.py"} <= {path.name for path in folder.iterdir()}
    assert service.health in service.settings.model_fields
