"""`foldline erase`."""

import asyncio
from typing import Annotated

import msgspec
import typer

from agent_contracts.errors import Rejected
from agent_domain.erasing.log_eraser import ErasureReport, LogEraser
from agent_domain.erasing.scope import Scope, scope_of
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.observing.logs import configure_logging
from agent_platform.process.clock import SystemClock
from foldline.administrator import connect_as_admin, servers
from foldline.cli.output import JsonOption, console, failures_shown, print_json
from foldline.settings import UpSettings, up_settings
from projections.rewriting import write_tables_anew
from projector.administration import rebuild_projections


def erase(
    name: Annotated[str, typer.Argument(metavar="SESSION|AGENT", help="The full id.")],
    yes: Annotated[bool, typer.Option("--yes", help="Skip the confirmation.")] = False,
    reason: Annotated[str, typer.Option(help="The reason to record.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Erase a session and its sub-sessions, or an agent and everything it has, permanently.

    If an erasure was interrupted, run it again to complete it. Needs the NATS user `admin`. Not erased:
    backups, what a session wrote to its agent, and data at the model provider.
    """
    with failures_shown():
        settings = up_settings()
        configure_logging("warning", settings.log_format, "erase")
        scope = asyncio.run(_found(settings, name))
        if not yes:
            what = f"agent {name} with all that it has and" if scope.whole_agent else ""
            ids = ", ".join(one.session_id for one in scope.sessions) or "no session"
            if not typer.confirm(f"Erase {what} {ids}? Nothing brings it back".replace("  ", " ")):
                raise Rejected("Nothing was erased", kind="refused")
        done = asyncio.run(_erased(settings, scope, reason))
        if as_json:
            print_json(msgspec.to_builtins(done))
        else:
            console.print(
                f"[green]✓[/] erased {name}: {done.events} events, {done.blobs} blobs, {done.timers} timers, "
                f"{done.letters} dead letters; the tables are built anew",
                highlight=False,
            )
            for one in done.left:
                console.print(f"[yellow]![/] {one}", highlight=False)
            if done.left:
                console.print("Until then the bytes are on the disk, and nothing gives them out.")


async def _found(settings: UpSettings, name: str) -> Scope:
    admin = await connect_as_admin(settings, servers(settings).nats_url, "erase")
    try:
        return await scope_of(JetStreamLog(admin), name)
    finally:
        await admin.close()


async def _erased(settings: UpSettings, scope: Scope, reason: str) -> ErasureReport:
    nats_url, dsn = servers(settings)
    admin = await connect_as_admin(settings, nats_url, "erase")
    try:
        done = await LogEraser(admin, SystemClock()).erase(scope, reason)
        await rebuild_projections(dsn, JetStreamLog(admin))
        rest = await write_tables_anew(dsn)
        return msgspec.structs.replace(done, left=(*done.left, *rest))
    finally:
        await admin.close()
