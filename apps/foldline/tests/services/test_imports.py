"""What a service imports until it works: nothing that it doesn't use."""

import subprocess
import sys

import pytest

from agent_contracts import service_names
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.services.discovery import discover

pytestmark = pytest.mark.processes

SERVICES = discover()
UNUSED = {
    *("aiohttp", "rich", "litellm", "openai", "typer", "pydantic_settings", "foldline", "wasmtime"),
    *("greenlet", "cryptography", "pygments"),
}
"""Nobody needs these until a call asks for them: 150 MB in all."""
NEEDED = {service_names.BROWSER_POOL: {"greenlet"}, service_names.MCP_HOST: {"cryptography"}}
"""Playwright stands on the one, and every tool of a browser on it: 6 MB. MCP's SDK loads the other."""
NOT_EXPORTED = {"opentelemetry.sdk", "opentelemetry.exporter"}


def imported(code: str) -> set[str]:
    ran = subprocess.run(
        [sys.executable, "-c", f"{code}; import sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return set(ran.stdout.split())


@pytest.mark.parametrize("service", SERVICES, ids=lambda one: one.name)
def test_a_service_imports_only_what_it_needs(service: ServiceDeclaration) -> None:
    found = imported(
        f"from agent_platform.services import serve, discovery; discovery.installed({service.name!r}).load()"
    )
    assert f"{service.module}.app" in found
    assert {name.partition(".")[0] for name in found} & UNUSED == NEEDED.get(service.name, set())
    assert found & NOT_EXPORTED == set()
    others = {one.module for one in SERVICES} - {service.module}
    assert {name.partition(".")[0] for name in found} & others == set()


def test_foldline_up_imports_no_model_client_no_database_and_no_demo() -> None:
    found = imported("import foldline.cli.operating.up")
    assert {"aiohttp", "litellm", "openai", "psycopg", "httpx", "demo_model", "fastapi"} & found == set()


@pytest.mark.parametrize("tools", ["tool_runner.core", "browser_pool.pool_tools"])
def test_to_know_the_tools_loads_nothing_that_few_of_them_use(tools: str) -> None:
    how = "selftest=False" if tools == "tool_runner.core" else ""
    found = {name.partition(".")[0] for name in imported(f"from {tools} import discover; discover({how})")}
    assert "foldline_protoagent" in found, "packs are looked through as well"
    assert found & {"acp", "litellm", "openai", "wasmtime"} == set()
