"""`foldline up`."""

from collections.abc import Mapping
from typing import Annotated

import typer

from agent_contracts.errors import Rejected
from agent_platform.observing.logs import configure_logging
from agent_platform.settings.settings import Settings, load_settings
from foldline.cli.output import JsonOption, console, failures_shown, print_json
from foldline.supervisor.replicas import replicas_of
from foldline.supervisor.stopping import end_with_parent, run_until_told_to_stop
from foldline.supervisor.up import running


def up(
    port: Annotated[
        int | None, typer.Option(help="The gateway's port (default 8420, else the next free).")
    ] = None,
    processes: Annotated[bool, typer.Option(help="Each service in a process of its own.")] = False,
    replicas: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=N", help="Run N processes of a service, such as runner=3. Needs --processes."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Start everything and print the link. Ctrl-C stops it and loses nothing."""
    with failures_shown():
        end_with_parent()
        wanted = replicas_of(replicas or ())
        if wanted and not processes:
            raise Rejected("--replicas needs --processes", kind="bad_setting")
        settings = load_settings(port=port).settings
        quiet = (
            settings.model_copy(update={"log_level": "warning"}) if settings.log_level == "info" else settings
        )
        configure_logging(quiet.log_level, settings.log_format, "foldline")
        run_until_told_to_stop(_up(quiet, processes, wanted, as_json))


async def _up(settings: Settings, processes: bool, replicas: Mapping[str, int], as_json: bool) -> None:
    def report(step: str, outcome: str) -> None:
        if not as_json:
            console.print(f"[green]✓[/] {step:<10}{outcome}", highlight=False, soft_wrap=True)

    if not as_json:
        console.print(f"Foldline on {settings.data_dir}", highlight=False, soft_wrap=True)
    async with running(settings, report, processes=processes, replicas=replicas) as started:
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
