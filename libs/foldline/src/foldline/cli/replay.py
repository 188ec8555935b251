"""`foldline replay`."""

from typing import Annotated, Any

import typer
from rich.pretty import Pretty

from foldline.cli.client import Gateway, gateway
from foldline.cli.output import JsonOption, console, fail, failures_shown, print_json


def replay(
    session: Annotated[str | None, typer.Argument(help="The session's id; all sessions without one.")] = None,
    strict: Annotated[bool, typer.Option(help="Compare every decision (the only way there is yet).")] = True,
    as_json: JsonOption = False,
) -> None:
    """Run today's engine over the recorded inputs and results; report the first decision that differs."""
    with failures_shown(), gateway() as door:
        if not strict:
            fail("live replay is not there yet: only `replay --strict`")
        reports = [door.post(f"/sessions/{one}/replay") for one in ([session] if session else _all(door))]
        differing = [report for report in reports if report.get("difference")]
        if as_json:
            print_json(reports)
        else:
            _print(reports, differing)
        if differing:
            raise typer.Exit(1)


def _all(door: Gateway) -> list[str]:
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = door.get("/sessions", cursor=cursor, limit=100)
        found += [one["id"] for one in page["sessions"]]
        cursor = page["next_cursor"]
        if cursor is None:
            return found


def _print(reports: list[Any], differing: list[Any]) -> None:
    decisions = sum(report["decisions"] for report in reports)
    events = sum(report["events"] for report in reports)
    for report in differing:
        console.print(f"[bold red]✗[/] {report['session_id']} differs:")
        console.print(Pretty(report["difference"], expand_all=True))
    mark = "[bold red]✗[/]" if differing else "[green]✓[/]"
    console.print(
        f"{mark} {len(reports)} sessions, {events} events, {decisions} decisions: {len(differing)} differ",
        highlight=False,
    )
