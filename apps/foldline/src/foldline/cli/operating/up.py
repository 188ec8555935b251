"""`foldline up`."""

import os
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from agent_platform.process import lean_imports  # noqa: F401 — before what it keeps small

# isort: split
import typer
from rich.markup import escape

from agent_contracts.errors import Rejected
from agent_contracts.extensions import BROKEN
from agent_platform.process.collecting import collect_rarely
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.services.discovery import discover
from agent_platform.services.logging_by_settings import configure_by
from agent_platform.settings.loading import AllSettings
from agent_platform.settings.sources import DEFAULT
from egress.proxies.proxies import proxies_from
from foldline.cli.output import JsonOption, console, failures_shown, print_json, warn
from foldline.settings import UpSettings, load
from foldline.supervisor.readiness import WAITING
from foldline.supervisor.replicas import replicas_of
from foldline.supervisor.running_foldline import running
from foldline.supervisor.stopping import end_with_parent, run_until_told_to_stop
from foldline.unused_settings import unused_settings

_WIDTH = len("at first use") + 2
"""Of the column with the steps' names."""


def up(
    port: Annotated[
        int | None, typer.Option(help="The gateway's port (default: 8420, or the next free one).")
    ] = None,
    processes: Annotated[bool, typer.Option(help="Run each service in its own process.")] = False,
    replicas: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=N", help="Run N processes of a service, such as runner=3. Needs --processes."
        ),
    ] = None,
    accept_loss: Annotated[
        bool, typer.Option(help="Start even if the log has lost data, with what remains.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Start everything and print the link. Ctrl-C stops it and loses nothing."""
    with failures_shown():
        end_with_parent()
        services = discover()
        for one in BROKEN.values():
            warn(f"{one}. It is left out; the rest runs")
        wanted = replicas_of(replicas or (), services)
        if wanted and not processes:
            raise Rejected("--replicas needs --processes", kind="bad_setting")
        proxies_from(os.environ)  # one that can't be used is said now, not by each service
        everything = load(services, port=port)
        for line in unused_settings(everything, os.environ):
            warn(line)
        everything = quiet_unless_told(everything)
        configure_by(everything.of(UpSettings), "foldline")
        run_until_told_to_stop(_up(everything, services, wanted if processes else None, accept_loss, as_json))


def quiet_unless_told(everything: AllSettings) -> AllSettings:
    """The settings with warnings alone on the terminal and the rest in a file, unless somebody said which."""
    untold: dict[str, Any] = {}
    if everything.sources["log_level"] == DEFAULT:
        untold["log_level"] = "warning"
    if everything.values["log_file"] is None:
        untold["log_file"] = everything.values["data_dir"] / "logs" / "foldline.log"
    return everything.but(**untold)


def step_line(step: str, outcome: str) -> str:
    """What a step of the start is shown as."""
    mark = "[yellow]…[/]" if step == WAITING else "[green]✓[/]"
    return f"{mark} {step:<{_WIDTH - 1}} {escape(outcome)}"


async def _up(
    everything: AllSettings,
    services: Sequence[ServiceDeclaration],
    replicas: Mapping[str, int] | None,
    accept_loss: bool,
    as_json: bool,
) -> None:
    def report(step: str, outcome: str) -> None:
        if not as_json:
            console.print(step_line(step, outcome), highlight=False, soft_wrap=True)

    if not as_json:
        console.print(f"Foldline on {everything.values['data_dir']}", highlight=False, soft_wrap=True)
    async with running(everything, services, report, replicas=replicas, accept_loss=accept_loss) as started:
        collect_rarely()
        if as_json:
            print_json({"url": started.url, "link": started.link, "model": started.model.model})
        else:
            console.print(f"\n  Open [bold]{started.link}[/]\n", highlight=False, soft_wrap=True)
            console.print("Ctrl-C stops everything; nothing is lost.")
        try:
            await started.servers.failed()
        finally:
            if not as_json:
                console.print("Stopping ...")
