"""`foldline projections`."""

import asyncio
from enum import StrEnum
from typing import Annotated

import msgspec
import typer
from rich.markup import escape

from agent_platform.log.jetstream import JetStreamLog
from agent_platform.observing.logs import configure_logging
from foldline.administrator import connect_as_admin, servers
from foldline.cli.output import JsonOption, console, failures_shown, print_json
from foldline.settings import UpSettings, up_settings
from projector.administration import (
    ProjectionStatus,
    check_projections,
    projection_status,
    rebuild_projections,
)
from projector.projecting.rebuild import RebuildReport


class ProjectionAction(StrEnum):
    """The action to take."""

    STATUS = "status"
    CHECK = "check"
    REBUILD = "rebuild"


def projections(
    action: Annotated[ProjectionAction, typer.Argument(help="The action to take.")] = ProjectionAction.STATUS,
    as_json: JsonOption = False,
) -> None:
    """Show how up to date the search tables are, compare them with the log, or rebuild them.

    The comparison exits with 1 if they differ. Foldline keeps running meanwhile. Needs the NATS user `admin`.
    """
    with failures_shown():
        settings = up_settings()
        configure_logging("warning", settings.log_format, "projections")
        found = asyncio.run(_done(settings, action))
        if as_json:
            print_json(msgspec.to_builtins(found))
        elif isinstance(found, ProjectionStatus):
            _print_status(found)
        else:
            _print_report(action, found)
        if action is ProjectionAction.CHECK and isinstance(found, RebuildReport) and found.differing:
            raise typer.Exit(1)


async def _done(settings: UpSettings, action: ProjectionAction) -> ProjectionStatus | RebuildReport:
    nats_url, dsn = servers(settings)
    admin = await connect_as_admin(settings, nats_url, "projections")
    try:
        log = JetStreamLog(admin)
        match action:
            case ProjectionAction.STATUS:
                return await projection_status(dsn, log)
            case ProjectionAction.CHECK:
                return await check_projections(dsn, log)
            case ProjectionAction.REBUILD:
                return await rebuild_projections(dsn, log)
    finally:
        await admin.close()


def _print_status(status: ProjectionStatus) -> None:
    console.print(
        f"up to event {status.sequence} of {status.last_sequence}, {status.problems} with a problem; "
        f"version {status.version}, last moved {status.updated_at:%Y-%m-%d %H:%M:%S %Z}",
        highlight=False,
        soft_wrap=True,
    )


def _print_report(action: ProjectionAction, report: RebuildReport) -> None:
    for table in report.compared or ():
        for row in table.shown:
            key = ", ".join(map(str, row.key.values()))
            console.print(
                f"[bold red]✗[/] {table.table} {escape(key)}: {', '.join(row.columns)}",
                highlight=False,
                soft_wrap=True,
            )
    rows = sum(table.rows for table in report.compared or ())
    compared = (
        f"{rows} rows, {report.differing} differ" if report.compared is not None else "nothing to compare"
    )
    mark = "[bold red]✗[/]" if action is ProjectionAction.CHECK and report.differing else "[green]✓[/]"
    done = "checked" if action is ProjectionAction.CHECK else "built anew"
    console.print(f"{mark} {done} up to event {report.sequence}: {compared}", highlight=False)
