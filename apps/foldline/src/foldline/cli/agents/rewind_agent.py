"""`foldline rewind --agent`."""

import uuid
from typing import Any

import msgspec
import typer
from rich.markup import escape

from agent_contracts.entities.rewinds import DATABASE
from agent_contracts.kinds.rewound import check_kinds
from agent_contracts.log.address import Address
from agent_contracts.selection import Selection, selects
from foldline.cli.client import gateway
from foldline.cli.naming import agent_id
from foldline.cli.output import console, failures_shown, print_json

_MOST = 40
_SIGNS = {"changed": "~", "removed": "+", "added": "-"}
_WHY = {
    "changed_meanwhile": "it was changed at the same moment",
    "changed_by_others": "others changed it too",
    "path_taken": "another file has its path",
    "inexact": "it can't be made again as it was then",
}


def rewind_agent(agent: str, to: Address, only: list[str], *, yes: bool, as_json: bool) -> None:
    """Show what would make the agent what it was after an event, ask, and do it."""
    with failures_shown(), gateway() as door:
        path = f"/agents/{agent_id(door, agent)}"
        chosen = selections(only) or None
        check_kinds(one.kind for one in chosen or ())
        preview = door.post(f"{path}:rewind-preview", {"to": to.sequence})
        if as_json and not yes:
            print_json(preview)
            return
        if not as_json and not _print_preview(preview, chosen):
            return
        if not yes:
            typer.confirm("Rewind the agent?", abort=True)
        body = {"to": to.sequence, "chosen": msgspec.to_builtins(chosen)}
        done = door.post(f"{path}:rewind", body, uuid.uuid4().hex)
        if as_json:
            print_json(done)
        else:
            _print_done(done, agent)


def selections(things: list[str]) -> tuple[Selection, ...]:
    """Read arguments of the form KIND or KIND/NAME."""
    whole = {text for text in things if "/" not in text}
    named: dict[str, list[str]] = {}
    for text in things:
        kind, slash, name = text.partition("/")
        if slash and kind not in whole:
            named.setdefault(kind, []).append(name)
    return (
        *(Selection(kind) for kind in sorted(whole)),
        *(Selection(kind, tuple(names)) for kind, names in named.items()),
    )


def print_staying(stays: list[dict[str, Any]]) -> None:
    """Print each thing that stays as it is, with the reason."""
    for one in stays:
        name = one["kind"] if one["kind"] == DATABASE else f"{one['kind']}/{escape(one['name'])}"
        console.print(f"  {name} stays: {_WHY.get(one['why'], one['why'])}", highlight=False)


def _print_preview(preview: dict[str, Any], chosen: tuple[Selection, ...] | None) -> bool:
    """Print what would go back. Returns whether there is anything."""
    found = False
    for kind in preview["kinds"]:
        things = kind["things"]
        if chosen is not None:
            things = [one for one in things if selects(chosen, kind["kind"], one["name"])]
        found = found or bool(things)
        for one in things[:_MOST]:
            label = "" if one["label"] == one["name"] else f" ({escape(one['label'])})"
            passed = " [yellow](its time has passed: it comes back as over)[/]" if one["time_passed"] else ""
            name = f"{kind['kind']}/{escape(one['name'])}"
            times = "1 change" if one["writes"] == 1 else f"{one['writes']} changes"
            console.print(
                f"{_SIGNS[one['since']]} {name}{label} [dim]{times} by {_by(one)}[/]{passed}", highlight=False
            )
        more = (len(things) if chosen else kind["count"]) - _MOST
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
        console.print(
            "Nothing has changed since." if chosen is None else "Nothing of that has changed since."
        )
    return found


def _by(one: dict[str, Any]) -> str:
    people = ["you"] if one["by_people"] else []
    return escape(", ".join([*people, *one["sessions"]]))


def _print_done(done: dict[str, Any], agent: str) -> None:
    console.print(f"[green]✓[/] the agent is what it was after event {done['to']}", highlight=False)
    for kind, number in done["rewound"].items():
        console.print(f"  {kind}: {number:,}", highlight=False)
    print_staying(done["stays"])
    console.print(
        f"[dim]To undo this: foldline rewind --agent {agent} --to {done['sequence']}[/]", highlight=False
    )
