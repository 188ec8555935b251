"""How commands name sessions and agents (by id, by the beginning of one, or `latest`), and events."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from agent_contracts.errors import Rejected
from agent_contracts.ids import check_id
from agent_contracts.log.address import Address, parse_address
from agent_contracts.thinking_choice import LEAST_BUDGET
from foldline.cli.client import Gateway

LATEST = "latest"
"""The session that was begun last, sub-sessions apart."""
_SHOWN = 5
_WHOLE = 28
"""Our ids are as long: one of them needn't be looked up."""

SessionName = Annotated[
    str, typer.Argument(metavar="SESSION", help="The session: its id, the first characters of it, or latest.")
]
ModelName = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL",
        help="The model of the new session, such as openai/gpt-5-mini. Name up to five, separated by commas: "
        "the next one is used if one fails.",
    ),
]

EffortName = Annotated[
    str | None,
    typer.Option(help="Thinking effort of the model from now on: none, minimal, low, medium, high or xhigh."),
]
ThinkingBudget = Annotated[
    int | None,
    typer.Option(min=LEAST_BUDGET, help="Tokens the model may think before each answer, from now on."),
]


def _event(text: str) -> Address:
    try:
        return parse_address(text)
    except Rejected as error:
        raise typer.BadParameter(error.message) from error


def _some_event(text: str) -> Address:
    found = _event(text)
    if not found.sequence:
        raise typer.BadParameter("The first event is 1")
    return found


def event_option(what: str) -> Any:
    """An option that names an event."""
    return typer.Option(parser=_some_event, metavar="EVENT", help=f"{what} (N, or N.i).")


def after_option(what: str) -> Any:
    """An option that names an event to begin after, or 0."""
    return typer.Option(parser=_event, metavar="EVENT", help=f"{what} (N, or N.i).")


def session_id(door: Gateway, named: str) -> str:
    """The id of the session that is meant; `Rejected` if several begin so.

    What no session is called is returned as it is: who uses it is told so by the gateway, which looks into
    the log itself.
    """
    if named == LATEST:
        return _latest(door)
    prefix = check_id(named, "session id")
    if len(prefix) >= _WHOLE:
        return prefix
    found = door.get("/sessions", id_prefix=prefix, limit=_SHOWN + 1)["items"]
    if not found and door.is_behind:
        raise Rejected(
            f"The lists are behind, and have no session with an id that begins with {prefix}. Nothing was "
            "done. Type the whole id",
            kind="projection_behind",
        )
    return _the_one([one["id"] for one in found], prefix, "session")


def whole(ids: Sequence[str], named: str, what: str) -> str:
    """The one of these ids that is `named`, or alone begins so; `Rejected` for none, and for several."""
    found = [one for one in ids if one == named] or [one for one in ids if one.startswith(named)]
    if not found:
        raise Rejected(f"No {what} has an id that begins with {named}", kind="not_found")
    return _the_one(found, named, what)


def agent_id(door: Gateway, named: str) -> str:
    """The id of the agent that is meant, likewise."""
    prefix = check_id(named, "agent id")
    ids = [one["id"] for one in door.get("/agents")["items"]]
    return _the_one([one for one in ids if one.startswith(prefix)], prefix, "agent")


def _latest(door: Gateway) -> str:
    for one in door.every("/sessions", limit=50):
        if door.is_behind:
            raise Rejected(
                "The lists are behind, so which session is the latest can't be told. Nothing was done. Name "
                "the session, or see foldline doctor",
                kind="projection_behind",
            )
        if one["parent_id"] is None:
            return str(one["id"])
    raise Rejected("No session exists yet. Try: foldline chat", kind="not_found")


def _the_one(ids: Sequence[str], prefix: str, what: str) -> str:
    if prefix in ids or not ids:
        return prefix
    if len(ids) > 1:
        shown = ", ".join(ids[:_SHOWN]) + (" …" if len(ids) > _SHOWN else "")
        raise Rejected(
            f"Several {what}s have an id that begins with {prefix}: {shown}. "
            "Nothing was done. Type more characters",
            kind="invalid_request",
        )
    return ids[0]
