"""`foldline restore-agent`."""

import uuid
from typing import Annotated, Any

import typer
from rich.markup import escape

from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.entities.restores import check_kinds
from agent_contracts.log.address import Address
from foldline.cli.client import gateway
from foldline.cli.naming import agent_id, event_option
from foldline.cli.output import JsonOption, console, failures_shown, print_json

_MOST = 40
_SIGNS = {"changed": "~", "removed": "+", "added": "-"}
_WHY = {"changed_meanwhile": "it was changed at the same moment", "path_taken": "another file has its path"}


def restore_agent(
    to: Annotated[Address, event_option("As the agent was after this event")],
    agent: Annotated[str, typer.Option(help="Which agent.")] = DEFAULT_AGENT,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND[/NAME]", help="Only this kind, or this thing; may be given repeatedly."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Make an agent what it was after an event: shows what that changes, by kind, then asks.

    Everything goes back that anybody changed since: prompt, notes, state, tools, functions, libraries, pages,
    skills, files, reminders, schedules, settings, database. Sessions stay. Nothing is deleted: the event that
    says so can be restored to.
    """
    with failures_shown(), gateway() as door:
        path = f"/agents/{agent_id(door, agent)}"
        parts = _parts(only or [])
        preview = door.post(f"{path}/restore-preview", {"to": to.sequence})
        if as_json and not yes:
            print_json(preview)
            return
        if not as_json and not _print_preview(preview, parts):
            return
        if not yes:
            typer.confirm("Restore?", abort=True)
        body = {"to": to.sequence, **({} if parts is None else {"parts": parts})}
        done = door.post(f"{path}/restore", body, uuid.uuid4().hex)
        if as_json:
            print_json(done)
        else:
            _print_done(done)


def _parts(only: list[str]) -> list[dict[str, Any]] | None:
    if not only:
        return None
    whole = {text for text in only if "/" not in text}
    named: dict[str, list[str]] = {}
    for text in only:
        kind, slash, name = text.partition("/")
        if slash and kind not in whole:
            named.setdefault(kind, []).append(name)
    check_kinds({*whole, *named})
    return [
        *({"kind": kind} for kind in sorted(whole)),
        *({"kind": kind, "names": names} for kind, names in named.items()),
    ]


def _goes(parts: list[dict[str, Any]] | None, kind: str, name: str) -> bool:
    return parts is None or any(one["kind"] == kind and name in one.get("names", [name]) for one in parts)


def _print_preview(preview: dict[str, Any], parts: list[dict[str, Any]] | None) -> bool:
    """Print what would go back; whether there is anything."""
    found = False
    for kind in preview["kinds"]:
        going = [one for one in kind["things"] if _goes(parts, kind["kind"], one["name"])]
        found = found or bool(going)
        for one in going[:_MOST]:
            label = "" if one["label"] == one["name"] else f" ({escape(one['label'])})"
            passed = " [yellow](its time has passed: it comes back as over)[/]" if one["time_passed"] else ""
            name = f"{kind['kind']}/{escape(one['name'])}" if kind["kind"] != "database" else "database"
            times = "1 change" if one["writes"] == 1 else f"{one['writes']} changes"
            console.print(
                f"{_SIGNS[one['since']]} {name}{label} [dim]{times} by {_by(one)}[/]{passed}", highlight=False
            )
        more = (len(going) if parts else kind["count"]) - _MOST
        if more > 0:
            console.print(f"  [dim]and {more:,} more of {kind['kind']}[/]", highlight=False)
    if preview["database_inexact"]:
        console.print(f"[yellow]![/] {escape(preview['database_inexact'])}", highlight=False)
    for one in preview["used_by"]:
        console.print(
            f"[dim]chat {one['session_id']} called {escape(', '.join(one['tools']))}: it stays[/]",
            highlight=False,
        )
    if not found:
        console.print("Nothing has changed since." if parts is None else "Nothing of that has changed since.")
    return found


def _by(one: dict[str, Any]) -> str:
    people = ["you"] if one["by_people"] else []
    return escape(", ".join([*people, *one["sessions"]]))


def _print_done(done: dict[str, Any]) -> None:
    console.print(f"[green]✓[/] the agent is what it was after event {done['to']}", highlight=False)
    for kind, number in done["restored"].items():
        console.print(f"  {kind}: {number:,}", highlight=False)
    for one in done["stays"]:
        console.print(
            f"  {one['kind']}/{escape(one['name'])} stays: {_WHY.get(one['why'], one['why'])}",
            highlight=False,
        )
    console.print(f"[dim]To undo this: foldline restore-agent --to {done['sequence']}[/]", highlight=False)
