"""With each service in a process of its own, what is in its environment: what it declares, and no more."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from agent_contracts import service_names
from agent_platform.services.discovery import discover
from agent_platform.settings.sources import variable
from foldline_testing.product.secretive import MODEL_KEY, PROVIDER_KEY, SECRETS_KEY, TOKEN
from foldline_testing.product.stack import Stack

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

Environments = Mapping[str, Mapping[str, str]]


@pytest.fixture(scope="module")
def environments(apart: Stack) -> Environments:
    """Of each service's process, as the kernel has it."""
    found = {}
    for service in discover():
        (pid,) = apart.pids(service.name)
        pairs = Path(f"/proc/{pid}/environ").read_bytes().decode().rstrip("\0").split("\0")
        found[service.name] = dict(pair.split("=", 1) for pair in pairs)
    return found


def who_has(environments: Environments, secret: str) -> set[str]:
    return {name for name, its in environments.items() if any(secret in value for value in its.values())}


@pytest.mark.parametrize(
    ("secret", "needing"),
    [
        (TOKEN, {service_names.GATEWAY}),
        (
            SECRETS_KEY,
            {
                service_names.BROWSER_POOL,
                service_names.GATEWAY,
                service_names.MCP_HOST,
                service_names.MODEL_CALLER,
                service_names.NOTIFIER,
                service_names.RUNNER,
            },
        ),
        (MODEL_KEY, {service_names.MODEL_CALLER}),
        (PROVIDER_KEY, {service_names.MODEL_CALLER}),
        ("postgresql://", {service_names.GATEWAY, service_names.PROJECTOR}),
    ],
    ids=["token", "secrets key", "model key", "provider's key", "database"],  # pytest puts ids into variables
)
def test_a_secret_is_with_those_who_declare_it(
    environments: Environments, secret: str, needing: set[str]
) -> None:
    assert who_has(environments, secret) == needing


def test_each_connects_to_nats_with_a_password_of_its_own(environments: Environments) -> None:
    credentials = {name: its["FOLDLINE_NATS_CREDENTIALS"] for name, its in environments.items()}
    for name, own in credentials.items():
        assert who_has(environments, own.partition(":")[2]) == {name}


def test_every_setting_in_an_environment_is_declared(environments: Environments) -> None:
    for service in discover():
        ours = {name for name in environments[service.name] if name.startswith("FOLDLINE_")}
        declared = {variable(name) for name in service.settings.model_fields}
        assert ours <= declared | {"FOLDLINE_PARENT_PID"}


def test_of_the_shells_variables_there_are_general_ones_only(environments: Environments) -> None:
    for name, its in environments.items():
        assert its["LC_TIME"] == "C"
        assert its["PATH"] == os.environ["PATH"]
        assert ("A_SECRET_OF_THE_SHELL" in its) == (name == service_names.MODEL_CALLER)


def test_the_product_works_so(apart: Stack) -> None:
    with apart.gateway() as gateway:
        assert gateway.get("/agents")["items"]
