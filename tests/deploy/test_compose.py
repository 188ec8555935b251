"""docker-compose.yml: every service is watched, restarted and told what it needs."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from agent_contracts import service_names
from agent_platform.nats.users import ADMIN, password_variable
from agent_platform.process.cage.seccomp import REFUSED
from agent_platform.services.discovery import discover
from agent_platform.settings.shared import StreamsSettings
from agent_platform.settings.sources import variable

REPOSITORY = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text())
CONTAINERS: dict[str, dict[str, Any]] = COMPOSE["services"]
JOBS = {"streams"}
OURS = {service.name: service for service in discover()}


def variables(text: str) -> set[str]:
    return set(re.findall(r"\$\{([A-Z_]+)", text))


def made_variables() -> set[str]:
    script = (REPOSITORY / "deploy" / "make-env").read_text()
    nats = (REPOSITORY / "deploy" / "nats" / "nats.conf").read_text()
    named = set(re.findall(r'echo "([A-Z_]+)=', script))
    return named | set(re.findall(r"FOLDLINE_NATS_PASSWORD_[A-Z0-9_]+", nats))


def test_there_is_a_container_for_each_service_that_declares_itself() -> None:
    assert set(CONTAINERS) == set(OURS) | JOBS | {"nats", "postgres"}


@pytest.mark.parametrize("name", sorted(set(CONTAINERS) - JOBS))
def test_a_container_has_a_health_check_and_is_restarted(name: str) -> None:
    assert CONTAINERS[name]["healthcheck"]["test"]
    assert CONTAINERS[name]["restart"] == "unless-stopped"


@pytest.mark.parametrize("name", sorted(CONTAINERS))
def test_an_image_names_its_version(name: str) -> None:
    assert re.fullmatch(r"[a-z0-9./-]+:\d[\w.-]+", CONTAINERS[name]["image"])


@pytest.mark.parametrize("name", sorted(CONTAINERS))
def test_files_that_a_container_names_are_there(name: str) -> None:
    container = CONTAINERS[name]
    mounts = [volume.split(":")[0] for volume in container.get("volumes", [])]
    build = container.get("build", {})
    files = [mount for mount in mounts if mount.startswith(".")] + list(
        filter(None, [build.get("dockerfile")])
    )
    assert all((REPOSITORY / file).is_file() for file in files), files
    assert set(mounts) - set(files) <= set(COMPOSE["volumes"])


@pytest.mark.parametrize("name", sorted(OURS))
def test_a_service_is_built_and_started_by_its_name_and_connects_as_its_own_user(name: str) -> None:
    container = CONTAINERS[name]
    # A variable may name an image with more in it; what counts without one is the service itself.
    assert re.sub(r"^\$\{\w+:-([a-z-]+)\}$", r"\1", container["build"]["args"]["SERVICE"]) == name
    assert container["image"].startswith(f"foldline/{name}:")
    assert "command" not in container
    user = OURS[name].nats_user
    credentials = container["environment"]["FOLDLINE_NATS_CREDENTIALS"]
    assert credentials.startswith(f"{user}:${{{password_variable(user)}:?")


def test_nats_is_told_a_password_for_each_user() -> None:
    users = {ADMIN, *(service.nats_user for service in OURS.values())}
    assert set(CONTAINERS["nats"]["environment"]) == {password_variable(user) for user in users}


@pytest.mark.parametrize("name", sorted(OURS))
def test_a_service_starts_when_servers_are_healthy_and_streams_are_made(name: str) -> None:
    waits = CONTAINERS[name]["depends_on"]
    assert waits["nats"] == waits["postgres"] == {"condition": "service_healthy"}
    assert waits["streams"] == {"condition": "service_completed_successfully"}


@pytest.mark.parametrize("name", sorted(set(OURS) | JOBS))
def test_a_container_of_ours_has_no_rights_it_does_not_need(name: str) -> None:
    container = CONTAINERS[name]
    assert container["read_only"] is True
    assert container["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in container["security_opt"]


@pytest.mark.parametrize("name", sorted(set(OURS) | JOBS))
def test_a_container_is_told_what_its_service_declares_and_nothing_else(name: str) -> None:
    settings = OURS[name].settings if name in OURS else StreamsSettings
    assert set(CONTAINERS[name]["environment"]) <= {variable(field) for field in settings.model_fields}


def test_all_who_read_or_write_times_for_people_are_told_the_same_timezone() -> None:
    needing = {name for name, service in OURS.items() if "timezone" in service.settings.model_fields}
    told = {name: CONTAINERS[name]["environment"].get("FOLDLINE_TIMEZONE") for name in needing}
    assert told == dict.fromkeys(needing, "${FOLDLINE_TIMEZONE:-UTC}"), "a reminder means one moment"


def test_a_secret_is_told_to_those_only_who_need_it() -> None:
    told = {name: set(CONTAINERS[name].get("environment", {})) for name in OURS}
    for secret, needing in {
        "FOLDLINE_TOKEN": {service_names.GATEWAY},
        "FOLDLINE_POSTGRES_DSN": {service_names.GATEWAY, service_names.PROJECTOR},
        "FOLDLINE_MODEL_API_KEY": {service_names.MODEL_CALLER},
        "FOLDLINE_SECRETS_KEY": {
            service_names.BROWSER_POOL,
            service_names.GATEWAY,
            service_names.MCP_HOST,
            service_names.NOTIFIER,
            service_names.RUNNER,
        },
    }.items():
        assert {name for name, names in told.items() if secret in names} == needing


def test_tools_are_kept_from_the_database_and_the_gateway() -> None:
    for name in (
        service_names.BROWSER_POOL,
        service_names.MCP_HOST,
        service_names.RUNNER,
        service_names.WORKSPACE_HOST,
    ):
        refused = CONTAINERS[name]["environment"]["FOLDLINE_EGRESS_REFUSED_HOSTS"]
        assert refused.split(",") == ["postgres:5432", "gateway:8420"]


def test_chromium_can_have_its_sandbox_and_only_so_much_of_the_machine() -> None:
    container = CONTAINERS[service_names.BROWSER_POOL]
    [profile] = [one.partition(":")[2] for one in container["security_opt"] if one.startswith("seccomp:")]
    [rule] = json.loads((REPOSITORY / profile).read_text())["syscalls"]
    assert rule["action"] == "SCMP_ACT_ERRNO"
    assert set(rule["names"]) >= REFUSED  # what the cage forbids Chromium, nobody needs beside it
    assert not set(rule["names"]) & {"clone", "clone3", "unshare", "chroot"}
    assert {"shm_size", "mem_limit", "pids_limit"} <= set(container)
    assert container["build"]["args"]["SYSTEM"] == "with-chromium"


def test_commands_can_have_namespaces_in_one_container_and_in_no_other() -> None:
    allowed = {name for name in OURS if "systempaths=unconfined" in CONTAINERS[name]["security_opt"]}
    assert allowed == {service_names.WORKSPACE_HOST}
    container = CONTAINERS[service_names.WORKSPACE_HOST]
    [profile] = [one.partition(":")[2] for one in container["security_opt"] if one.startswith("seccomp:")]
    [rule] = json.loads((REPOSITORY / profile).read_text())["syscalls"]
    assert rule["action"] == "SCMP_ACT_ERRNO"
    made_of = {"mount", "umount2", "pivot_root"}
    assert set(rule["names"]) >= REFUSED - made_of  # of which a sandbox is made; commands get none of it
    assert not set(rule["names"]) & {*made_of, "clone", "clone3", "unshare"}
    assert {"mem_limit", "pids_limit"} <= set(container)
    assert container["build"]["args"]["SYSTEM"] == "with-bubblewrap"


def test_a_service_may_execute_what_it_declares_to_execute_and_no_other() -> None:
    """Docker mounts a tmpfs with `noexec`."""
    mounts = {name: CONTAINERS[name]["tmpfs"] for name in OURS}
    executing = {name for name, [mount] in mounts.items() if "exec" in mount.partition(":")[2].split(",")}
    assert executing == {name for name, service in OURS.items() if service.executes_data}


def test_the_health_check_asks_the_port_that_the_image_serves() -> None:
    dockerfile = (REPOSITORY / "deploy" / "Dockerfile").read_text()
    for name, service in OURS.items():
        port = CONTAINERS[name]["healthcheck"]["test"][-1]
        assert f"{variable(service.health)}={port}" in dockerfile
        base = CONTAINERS[name]["build"]["args"].get("BASE", "worker")
        stage = dockerfile.partition(f" AS {base}\n")[2].partition("\nFROM ")[0]
        assert f"{variable(service.health)}={port}" in stage


def test_only_the_gateway_is_published_and_only_on_this_machine() -> None:
    published = {name: container["ports"] for name, container in CONTAINERS.items() if "ports" in container}
    assert published == {service_names.GATEWAY: ["${FOLDLINE_PUBLISH:-127.0.0.1:8420}:8420"]}
    assert COMPOSE["networks"]["bus"] == {"internal": True}
    assert CONTAINERS["nats"]["networks"] == CONTAINERS["postgres"]["networks"] == ["bus"]


def test_every_secret_comes_from_the_env_file_that_make_env_makes() -> None:
    text = (REPOSITORY / "docker-compose.yml").read_text()
    required = set(re.findall(r"\$\{([A-Z_]+):\?", text))
    assert required <= made_variables()
    assert {name for name in variables(text) if re.search("PASSWORD|TOKEN$|KEY", name)} <= made_variables()
    for container in CONTAINERS.values():
        for name, value in container.get("environment", {}).items():
            if re.search("PASSWORD|TOKEN$|KEY|CREDENTIALS|DSN", name):
                assert "${" in value, name


def test_the_env_file_is_never_committed() -> None:
    assert ".env" in (REPOSITORY / ".gitignore").read_text().splitlines()
