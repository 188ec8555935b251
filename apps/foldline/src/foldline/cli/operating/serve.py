"""`foldline serve`."""

import asyncio
import os
from importlib.metadata import entry_points
from typing import Annotated

from agent_platform.process import lean_imports  # noqa: F401 — before what it keeps small

# isort: split
import typer

from agent_contracts.errors import Rejected
from agent_platform.process.collecting import collect_rarely
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.services.discovery import GROUP, discover, installed, service_named
from agent_platform.services.logging_by_settings import configure_by
from agent_platform.settings.shared import ServiceSettings
from foldline.cli.output import failures_shown, warn
from foldline.settings import load
from foldline.supervisor.processes import Processes
from foldline.supervisor.service_settings import told_alone
from foldline.supervisor.stopping import end_with_parent, run_until_told_to_stop
from foldline.unused_settings import unused_settings

_NAMES = ", ".join(sorted(entry_points(group=GROUP).names))


def serve(
    name: Annotated[str, typer.Argument(help=f"One of {_NAMES}.")],
    replicas: Annotated[int, typer.Option(min=1, max=64, help="The number of processes to run.")] = 1,
) -> None:
    """Run one service with the servers in FOLDLINE_NATS_URL and FOLDLINE_POSTGRES_DSN."""
    with failures_shown():
        end_with_parent()
        services = discover()
        if name not in {one.name for one in services}:
            installed(name)  # says why it can't be loaded, if it is there
        service = service_named(name, services)
        everything = load(services)
        settings = told_alone(service, everything)
        for line in unused_settings(everything, os.environ):
            warn(line)
        configure_by(settings, name)
        if settings.nats_url is None:
            raise Rejected(
                "`serve` runs a service against your own servers: set FOLDLINE_NATS_URL", kind="no_url"
            )
        if replicas > 1 and settings.health_port:
            raise Rejected(
                "--replicas and FOLDLINE_HEALTH_PORT: several processes can't listen on one port. Leave one "
                "of the two out",
                kind="bad_setting",
            )
        if replicas == 1:
            run_until_told_to_stop(_alone(service, settings))
        else:
            run_until_told_to_stop(_replicated(service, settings, replicas))


async def _alone(service: ServiceDeclaration, settings: ServiceSettings) -> None:
    """A service that fails ends the process: whoever watches starts it again."""
    serve = service.load()
    collect_rarely()
    await serve(settings)


async def _replicated(service: ServiceDeclaration, settings: ServiceSettings, replicas: int) -> None:
    processes = Processes({service.name: (service, settings)}, {service.name: replicas})
    processes.start(service.name)
    try:
        await asyncio.Event().wait()
    finally:
        await processes.stop()
