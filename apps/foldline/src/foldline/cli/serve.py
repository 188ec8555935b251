"""`foldline serve`."""

import asyncio
from typing import Annotated

import typer

from agent_contracts.errors import Rejected
from agent_platform.observing.logs import configure_logging
from agent_platform.settings.settings import Settings, load_settings
from foldline.cli.output import failures_shown
from foldline.supervisor.catalogue import SERVICES, Service, service
from foldline.supervisor.processes import Processes
from foldline.supervisor.stopping import end_with_parent, run_until_told_to_stop

_NAMES = ", ".join(one.name for one in SERVICES)


def serve(
    name: Annotated[str, typer.Argument(help=f"One of {_NAMES}.")],
    replicas: Annotated[int, typer.Option(min=1, max=64, help="How many processes of it.")] = 1,
) -> None:
    """Run one service against the servers that FOLDLINE_NATS_URL and FOLDLINE_POSTGRES_DSN name."""
    with failures_shown():
        end_with_parent()
        chosen = service(name)
        settings = load_settings().settings
        configure_logging(settings.log_level, settings.log_format, name)
        if settings.nats_url is None:
            raise Rejected(
                "`serve` runs a service against servers by URL: set FOLDLINE_NATS_URL", kind="no_url"
            )
        if replicas == 1:
            run_until_told_to_stop(_alone(chosen, settings))
        else:
            run_until_told_to_stop(_replicated(chosen, settings, replicas))


async def _alone(chosen: Service, settings: Settings) -> None:
    """A service that fails ends the process: whoever watches starts it again."""
    await chosen.load()(settings)


async def _replicated(chosen: Service, settings: Settings, replicas: int) -> None:
    processes = Processes({chosen.name: (chosen, settings)}, {chosen.name: replicas})
    processes.start(chosen.name)
    try:
        await asyncio.Event().wait()
    finally:
        await processes.stop()
