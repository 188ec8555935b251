"""`foldline retry`."""

from typing import Annotated

import typer

from foldline.cli.client import gateway
from foldline.cli.naming import SessionName, session_id
from foldline.cli.output import JsonOption, failures_shown
from foldline.cli.sessions.send import finish
from foldline.cli.sessions.turns import ChatTurn


def retry(
    session: SessionName,
    wait: Annotated[bool, typer.Option(help="Wait for the turn to end and print the answer.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Retry the last turn if it failed."""
    with failures_shown(), gateway() as door:
        turn = ChatTurn(door, session_id(door, session))
        turn.retry()
        finish(turn, wait, as_json)
