"""`foldline inbox`: what waits for a person, in any session, and wakes from other services."""

from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.markup import escape

from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway, gateway
from foldline.cli.naming import agent_id
from foldline.cli.output import JsonOption, console, failures_shown, print_json


class Action(StrEnum):
    """What to do."""

    LIST = "list"
    HAND = "hand"
    DISMISS = "dismiss"


def inbox(
    action: Annotated[Action, typer.Argument(help="What to do.")] = Action.LIST,
    wake: Annotated[str | None, typer.Argument(help="Which one: its id, as listed.")] = None,
    session: Annotated[str | None, typer.Option(help="The session that is to be told.")] = None,
    agent: Annotated[str | None, typer.Option(help="Of which agent alone.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List what waits for you: questions, limits, failures, unknown outcomes, broken tools, and what other
    services left for later. Of these, hand one to a session, which it wakes, or dismiss it."""
    with failures_shown(), gateway() as door:
        whose = None if agent is None else agent_id(door, agent)
        if action is Action.LIST:
            _list(door, whose, as_json)
            return
        if wake is None:
            raise Rejected(f"Say which: foldline inbox {action} WAKE", kind="invalid_request")
        path = f"/agents/{whose or _owner(door, wake)}/inbox"
        if action is Action.HAND:
            if session is None:
                raise Rejected("Say by --session who is to be told", kind="invalid_request")
            done = door.post(f"{path}/{wake}/hand", {"session_id": session})
        else:
            done = door.delete(f"{path}/{wake}")
            if not done["deleted"]:
                raise Rejected(f"Wake {wake} isn't in the inbox (any more)", kind="not_found")
        if as_json:
            print_json(done)
        else:
            said = f"handed to {session}" if action is Action.HAND else "dismissed"
            console.print(f"[green]✓[/] {said}", highlight=False)


_KINDS = {
    "question": "asks",
    "call": "waits for you",
    "limit": "reached its token limit",
    "failure": "failed",
    "outcome": "outcome unknown",
    "quarantine": "tool in quarantine",
}
_MOST = 1000


def _list(door: Gateway, agent: str | None, as_json: bool) -> None:
    waiting = _waiting(door, agent)
    wakes = door.get("/inbox", agent_id=agent, limit=_MOST)["wakes"]
    if as_json:
        print_json({"waiting": waiting, "wakes": wakes})
        return
    for one in waiting:
        what = _KINDS[one["kind"]] + (f" ({one['tool']})" if one["tool"] else "")
        _line(one["session_id"], one["since"], f"{one['title'] or 'a chat'}: {what}", one["text"])
    for one in wakes:
        of = f"from {one['source']} ({one['wake_type']})" if one["wake_type"] else f"from {one['source']}"
        _line(one["id"], one["at"], of, one["message"])
    if not waiting and not wakes:
        console.print("nothing waits for you, and the inbox is empty")


def _line(id: str, at: str, what: str, text: str) -> None:
    shown = f"{id}  [dim]{at} {escape(what)}[/]  {escape(text)}"
    console.print(shown, highlight=False, soft_wrap=True)


def _waiting(door: Gateway, agent: str | None) -> list[Any]:
    found: list[Any] = []
    cursor = None
    while len(found) < _MOST:
        page = door.get("/attention", agent_id=agent, cursor=cursor, limit=100)
        found += page["things"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    return found


def _owner(door: Gateway, wake: str) -> str:
    """Whose inbox has it."""
    for one in door.get("/inbox", limit=_MOST)["wakes"]:
        if one["id"] == wake:
            return str(one["agent_id"])
    raise Rejected(f"Wake {wake} isn't in an inbox (any more)", kind="not_found")
