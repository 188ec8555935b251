"""`foldline replay` and `foldline verify`."""

import asyncio
import os
import uuid
from typing import Annotated

import msgspec
import typer
from rich.pretty import Pretty

from agent_contracts.api.sessions import ForkedSession
from agent_contracts.errors import Permanent, Rejected
from agent_contracts.log.address import Address
from agent_contracts.questions.queries import ReplayReport
from agent_domain.checking.blobs import lost_blobs
from agent_platform.log.sealing.checking import loss_by_reading
from agent_platform.log.sealing.stores import lost_of_stores
from foldline.administrator import connect_as_admin, servers
from foldline.cli.client import Gateway, gateway
from foldline.cli.naming import event_option, session_id
from foldline.cli.output import JsonOption, console, failures_shown, print_json
from foldline.cli.sessions.fork import print_fork
from foldline.settings import UpSettings, up_settings

_ASK = "Ask foldline doctor what to do"


def replay(
    session: Annotated[
        str | None,
        typer.Argument(help="A session: its id, the first characters of it, or latest (default: all)."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict/--live", help="Compare every decision, or continue for real from --at.")
    ] = True,
    at: Annotated[Address | None, event_option("With --live: continue in a fork after this event")] = None,
    model: Annotated[str | None, typer.Option(help="With --live: use another model.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Replay sessions with today's engine and report the first decision that differs.

    With --live: fork in the middle of a turn and make the next model call for real.
    """
    with failures_shown(), gateway() as door:
        session = session_id(door, session) if session else None
        if strict:
            if at is not None or model is not None:
                raise Rejected("--at and --model are for --live", kind="invalid_request")
            _report(door, [session] if session else _all(door), as_json)
        else:
            _live(door, session, at, model, as_json)


def verify(as_json: JsonOption = False) -> None:
    """Check that the log, its blobs and the other stores are complete, and replay every session.

    Exits with 1 if anything is missing or changed, or if today's engine decides differently.
    """
    with failures_shown(), gateway() as door:
        if "FOLDLINE_URL" not in os.environ:  # a gateway elsewhere doesn't say where its log is
            _check_stored()
        _report(door, _all(door), as_json)


def _check_stored() -> None:
    settings = up_settings()
    asyncio.run(_refuse_if_lost(settings, servers(settings).nats_url))


async def _refuse_if_lost(settings: UpSettings, nats_url: str) -> None:
    admin = await connect_as_admin(settings, nats_url, "verify")
    try:
        if loss := await loss_by_reading(admin):
            raise Permanent(f"The log is damaged. {loss}. {_ASK}", kind="log_lost")
        if blobs := await lost_blobs(admin):
            raise Permanent(f"The log is whole. {blobs}. {_ASK}", kind="blobs_lost")
        if stores := await lost_of_stores(admin):
            raise Permanent(f"The log is whole. {'; '.join(map(str, stores))}. {_ASK}", kind="store_lost")
    finally:
        await admin.close()


def _live(door: Gateway, session: str | None, at: Address | None, model: str | None, as_json: bool) -> None:
    if session is None or at is None:
        raise Rejected("A live replay needs a session and --at", kind="invalid_request")
    body = {"mode": "live", "at": str(at), **({"model": model} if model else {})}
    made = msgspec.convert(door.post(f"/sessions/{session}:replay", body, uuid.uuid4().hex), ForkedSession)
    if as_json:
        print_json(made)
    else:
        print_fork(made, asked_for=at)


def _report(door: Gateway, sessions: list[str], as_json: bool) -> None:
    reports = [msgspec.convert(door.post(f"/sessions/{one}:replay"), ReplayReport) for one in sessions]
    differing = [report for report in reports if report.difference]
    if as_json:
        print_json(reports)
    else:
        _print(reports, differing)
    if differing:
        raise typer.Exit(1)


def _all(door: Gateway) -> list[str]:
    return [one["id"] for one in door.every("/sessions", limit=100)]


def _print(reports: list[ReplayReport], differing: list[ReplayReport]) -> None:
    decisions = sum(report.decisions for report in reports)
    events = sum(report.events for report in reports)
    for report in differing:
        console.print(f"[bold red]✗[/] {report.session_id} differs:")
        console.print(Pretty(report.difference, expand_all=True))
    mark = "[bold red]✗[/]" if differing else "[green]✓[/]"
    console.print(
        f"{mark} {len(reports)} sessions, {events} events, {decisions} decisions: {len(differing)} differ",
        highlight=False,
    )
