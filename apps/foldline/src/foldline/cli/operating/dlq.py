"""`foldline dlq`: what could not be handled."""

import json
from enum import StrEnum
from typing import Annotated

import typer
from rich.markup import escape

from agent_contracts.api.operating import DeadLetter, DeadLetters, DeadMessage
from agent_contracts.errors import Rejected
from foldline.cli.client import gateway
from foldline.cli.listing import listed
from foldline.cli.output import JsonOption, clean, console, done, failures_shown, print_json


class DeadLetterAction(StrEnum):
    """The action to take."""

    LIST = "list"
    SHOW = "show"
    RETRY = "retry"
    DISCARD = "discard"


def dlq(
    action: Annotated[DeadLetterAction, typer.Argument(help="The action to take.")] = DeadLetterAction.LIST,
    number: Annotated[int | None, typer.Argument(help="The dead letter's number.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List dead letters; show, retry or drop one.

    A dead letter is a message that failed five times, or permanently. Calls of tools and models never run
    twice, so their dead letters can't be retried.
    """
    with failures_shown(), gateway() as door:
        if action is DeadLetterAction.LIST:
            found = door.read("/dead-letters", DeadLetters, limit=1000).items
            columns = ("#number", "at", "consumer", "of", "reason")
            listed(found, columns, _row, none="No dead letters.", as_json=as_json)
            return
        if number is None:
            raise Rejected(f"Name the dead letter: foldline dlq {action} NUMBER", kind="invalid_request")
        path = f"/dead-letters/{number}"
        if action is DeadLetterAction.SHOW:
            _print_one(door.read(path, DeadMessage), as_json)
            return
        told = door.post(f"{path}:retry") if action is DeadLetterAction.RETRY else door.delete(path)
        done(told, f"{number}: {told['done']}", as_json)


def _row(one: DeadLetter) -> tuple[str, ...]:
    return str(one.number), one.created_at or "", one.consumer, one.session_id or one.subject, one.reason


def _print_one(found: DeadMessage, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    letter = found.letter
    told = {
        "given up by": f"{letter.consumer}, after {letter.attempts} attempts",
        "why": letter.reason,
        "message": f"{letter.stream} {letter.address}, {letter.subject}",
        "session": letter.session_id,
        "its call ended": found.ended,
        "problem": found.problem,
        "type": found.type,
        "body": json.dumps(found.body, ensure_ascii=False, indent=2),
    }
    for name, value in told.items():
        if value not in (None, "null"):
            console.print(f"[bold]{name}[/]: {escape(clean(str(value)))}", highlight=False, soft_wrap=True)
