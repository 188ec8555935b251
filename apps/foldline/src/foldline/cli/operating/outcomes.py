"""`foldline outcomes`: calls of which nobody knows whether they did their work."""

from enum import StrEnum
from typing import Annotated

import typer

from agent_contracts.api.waiting import Outcome
from agent_contracts.api.wire import Page
from agent_contracts.errors import Rejected
from foldline.cli.client import gateway
from foldline.cli.listing import listed
from foldline.cli.naming import whole
from foldline.cli.output import JsonOption, done, failures_shown


class OutcomeAction(StrEnum):
    """The action to take."""

    LIST = "list"
    SETTLE = "settle"


_KNOWN = {None: "unknown", True: "happened", False: "did not happen"}


def outcomes(
    action: Annotated[OutcomeAction, typer.Argument(help="The action to take.")] = OutcomeAction.LIST,
    call: Annotated[
        str | None, typer.Argument(help="The call: SESSION/CALL as listed, or the first characters of it.")
    ] = None,
    happened: Annotated[
        bool | None, typer.Option("--happened/--did-not-happen", help="Record whether the call happened.")
    ] = None,
    note: Annotated[str, typer.Option(help="A note for the agent.")] = "",
    every: Annotated[bool, typer.Option("--all", help="Include settled calls.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List calls that were cut off and may or may not have happened, or record what happened.

    Such a call never runs again. The agent gets what you record at once.
    """
    with failures_shown(), gateway() as door:
        found = door.read("/outcomes", Page[Outcome], settled=every, limit=1000).items
        if action is OutcomeAction.LIST:
            none = "No call has an unknown outcome."
            listed(found, ("call", "outcome", "tool", "ended"), _row, none=none, as_json=as_json)
            return
        if call is None or happened is None:
            usage = "foldline outcomes settle SESSION/CALL --happened (or --did-not-happen) --note TEXT"
            raise Rejected(f"Say which call and what happened: {usage}", kind="invalid_request")
        calls = {_name(one): one for one in found}
        if not any(name.startswith(call) for name in calls):
            raise Rejected(f"No call {call} has an unknown outcome: foldline outcomes", kind="not_found")
        meant = whole([*calls], call, "call")
        told = door.post(f"/outcomes/{meant}:settle", {"happened": happened, "note": note})
        done(told, f"Recorded as event {told['sequence']} of {calls[meant].session_id}", as_json)


def _row(one: Outcome) -> tuple[str, ...]:
    return _name(one), _KNOWN[one.happened], one.tool, one.ended_at or ""


def _name(one: Outcome) -> str:
    """Calls of different sessions may have the same id."""
    return f"{one.session_id}/{one.call_id}"
