"""Sessions that wait for something that can't come: shown, and put right."""

import msgspec
from rich.markup import escape

from agent_contracts.api.operating import Stuck
from agent_contracts.ids import SessionId
from agent_contracts.questions.queries import UnstickReport
from foldline.cli.client import Gateway
from foldline.cli.naming import session_id
from foldline.cli.output import console, print_json


def unstick(door: Gateway, session: str | None, act: bool, older_than_s: float, as_json: bool) -> None:
    """Show what sessions wait for that can't come; with `act`, end it by an event. Without a session: all."""
    if session is None:
        found = door.read("/stuck", Stuck, older_than_s=older_than_s, limit=1000).items
        named = [one.session_id for one in found]
    else:
        found, named = [], [SessionId(session_id(door, session))]
    if act or session is not None:
        body = {"older_than_s": older_than_s}
        found = [msgspec.convert(door.post(f"/sessions/{one}:unstick", body), UnstickReport) for one in named]
    if as_json:
        print_json(found)
        return
    for one in found:
        _print(one)
    if not found:
        console.print("No session waits for what can't come")
    elif not act and session is None:
        console.print("To put these right: foldline sessions unstick --all (or name one)")


def _print(one: UnstickReport) -> None:
    console.print(f"{one.session_id}  [dim]{one.status}[/]", highlight=False)
    for wait in one.waits:
        mark = {True: "[bold red]✗[/]", False: "[green]✓[/]", None: "[yellow]?[/]"}[wait.stuck]
        told = f" → {wait.event}" if wait.event else ""
        console.print(
            f"  {mark} {wait.what.replace('_', ' ')} {escape(wait.name)}: {escape(wait.why)}{told}",
            highlight=False,
            soft_wrap=True,
        )
    if not one.waits:
        console.print("  It waits for nothing, or for a person")
