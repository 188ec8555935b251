"""`foldline dlq`: what could not be handled."""

import json
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.markup import escape

from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway, gateway
from foldline.cli.output import JsonOption, console, failures_shown, print_json


class Action(StrEnum):
    """What to do."""

    LIST = "list"
    SHOW = "show"
    RETRY = "retry"
    DISCARD = "discard"


def dlq(
    action: Annotated[Action, typer.Argument(help="What to do.")] = Action.LIST,
    number: Annotated[int | None, typer.Argument(help="The dead letter's number.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List dead letters, show one with its message, have the engine handle it again, or forget it.

    A dead letter tells of a message that failed five times, or for good. Calls to tools and models are never
    run twice: theirs can't be retried.
    """
    with failures_shown(), gateway() as door:
        if action is Action.LIST:
            _print_list(door, as_json)
            return
        if number is None:
            raise Rejected(f"Name the dead letter: foldline dlq {action} NUMBER", kind="invalid_request")
        path = f"/dead-letters/{number}"
        if action is Action.SHOW:
            found = door.get(path)
            _print_one(found, as_json)
            return
        done = door.post(f"{path}/retry") if action is Action.RETRY else door.delete(path)
        if as_json:
            print_json(done)
        else:
            console.print(f"[green]✓[/] {number}: {done['done']}", highlight=False)


def _print_list(door: Gateway, as_json: bool) -> None:
    found = door.get("/dead-letters", limit=1000)
    if as_json:
        print_json(found["letters"])
        return
    for one in found["letters"]:
        of = one["session_id"] or one["subject"]
        console.print(
            f"{one['number']}  [dim]{one['at'] or ''}[/]  {one['consumer']}  {escape(of)}  "
            f"{escape(one['reason'])}",
            highlight=False,
            soft_wrap=True,
        )
    if not found["letters"]:
        console.print("no dead letters")


def _print_one(found: Any, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    letter = found["letter"]
    told = {
        "given up by": f"{letter['consumer']}, after {letter['attempts']} attempts",
        "why": letter["reason"],
        "message": f"{letter['stream']} {letter['address']}, {letter['subject']}",
        "session": letter["session_id"],
        "its call ended": found["ended"],
        "problem": found["problem"],
        "type": found["type"],
        "body": json.dumps(found["body"], ensure_ascii=False, indent=2),
    }
    for name, value in told.items():
        if value not in (None, "null"):
            console.print(f"[bold]{name}[/]: {escape(str(value))}", highlight=False, soft_wrap=True)
