"""`foldline inbox`: what waits for a person, in any session, and wakes from other services."""

from enum import StrEnum
from itertools import islice
from typing import Annotated

import msgspec
import typer

from agent_contracts.api.waiting import WaitingThing
from agent_contracts.api.wakes import Inbox, InboxWake
from agent_contracts.errors import Rejected
from agent_contracts.questions.takeover import HAND_OVER
from agent_contracts.sessions.open_questions import ASK_USER
from agent_contracts.sessions.rendering import RENDER_AND_WAIT, RENDER_BLOCKS
from foldline.cli.client import Gateway, gateway
from foldline.cli.listing import listed
from foldline.cli.naming import agent_id, session_id, whole
from foldline.cli.output import JsonOption, done, failures_shown, needed, print_json


class InboxAction(StrEnum):
    """The action to take."""

    LIST = "list"
    HAND = "hand"
    DISMISS = "dismiss"


def inbox(
    action: Annotated[InboxAction, typer.Argument(help="The action to take.")] = InboxAction.LIST,
    wake: Annotated[
        str | None, typer.Argument(help="The message: its id, or the first characters of it.")
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(
            help="The session that gets the message: its id, the first characters of it, or latest."
        ),
    ] = None,
    agent: Annotated[str | None, typer.Option(help="Only this agent.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List what waits for you: questions, approvals, limits, failures, unknown outcomes and broken tools.

    The list includes messages that other services left for later: hand one to a session, or dismiss it."""
    with failures_shown(), gateway() as door:
        whose = None if agent is None else agent_id(door, agent)
        if action is InboxAction.LIST:
            _list(door, whose, as_json)
            return
        one = _named(door, whose, needed(wake, "Say which", f"inbox {action} WAKE"))
        path = f"/inbox/{one.agent_id}/{one.id}"
        if action is InboxAction.HAND:
            if session is None:
                raise Rejected("Name the session that gets it with --session", kind="invalid_request")
            told = session_id(door, session)
            done(door.post(f"{path}:hand", {"session_id": told}), f"Handed to {told}", as_json)
            return
        dismissed = door.delete(path)
        if not dismissed["deleted"]:
            raise Rejected(f"Wake {one.id} isn't in the inbox", kind="not_found")
        done(dismissed, "Dismissed", as_json)


_KINDS = {
    "question": "asks you",
    "approval": "needs your approval",
    "call": "waits for you",
    "limit": "reached its token limit",
    "failure": "failed",
    "outcome": "may have been done or not",
    "quarantine": "is in quarantine",
    "late": "came late",
}
_CALLS = {
    ASK_USER: "asks you",
    RENDER_BLOCKS: "shows you something",
    RENDER_AND_WAIT: "shows you a page",
    "request_user_input": "asks you for some things",
    "ask_human": "asks you",
    HAND_OVER: "asks you to take over its browser",
}
_MOST = 1000


def _list(door: Gateway, agent: str | None, as_json: bool) -> None:
    waiting = _waiting(door, agent)
    wakes = _wakes(door, agent)
    if as_json:
        print_json({"waiting": waiting, "wakes": wakes})
        return
    if waiting or not wakes:
        columns = ("session", "since", "what", "chat", "about")
        none = "Nothing waits for you, and the inbox is empty."
        listed(waiting, columns, _thing, none=none, as_json=False)
    if wakes:
        listed(wakes, ("wake", "since", "from", "message"), _wake, none="", as_json=False)


def _thing(one: WaitingThing) -> tuple[str, ...]:
    what = (one.kind == "call" and _CALLS.get((one.tool or "").rpartition(".")[2])) or " ".join(
        [*([one.tool] if one.tool else []), _KINDS[one.kind]]
    )
    return one.session_id, _when(one.started_at), what, one.title or "a chat", one.text


def _wake(one: InboxWake) -> tuple[str, ...]:
    source = f"from {one.source} ({one.wake_type})" if one.wake_type else f"from {one.source}"
    return one.id, _when(one.received_at), source, one.message


def _when(time: str) -> str:
    return time[5:16].replace("T", " ")


def _waiting(door: Gateway, agent: str | None) -> list[WaitingThing]:
    every = door.every("/attention", agent_id=agent, limit=100)
    return [msgspec.convert(one, WaitingThing) for one in islice(every, _MOST)]


def _wakes(door: Gateway, agent: str | None) -> list[InboxWake]:
    return door.read("/inbox", Inbox, agent_id=agent, limit=_MOST).items


def _named(door: Gateway, agent: str | None, named: str) -> InboxWake:
    """The wake that is meant, whosever inbox has it."""
    found = {one.id: one for one in _wakes(door, agent)}
    if named not in found and not any(one.startswith(named) for one in found):
        raise Rejected(f"Wake {named} isn't in the inbox", kind="not_found")
    return found[whole([*found], named, "wake")]
