"""`foldline delete`."""

import uuid
from typing import Annotated

import typer

from agent_contracts.errors import Rejected
from foldline.cli.client import gateway
from foldline.cli.naming import SessionName, session_id
from foldline.cli.output import JsonOption, done, failures_shown


def delete(
    session: SessionName,
    yes: Annotated[bool, typer.Option("--yes", help="Skip the confirmation.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Delete a session and its sub-sessions permanently. A running session is stopped first.

    What the session changed in its agent stays, and so do backups. Forks keep the history they share with
    it; that part is erased when the last fork is deleted.
    """
    with failures_shown(), gateway() as door:
        wanted = session_id(door, session)
        found = door.get(f"/sessions/{wanted}")
        if not yes:
            title = found["title"] or "without a title"
            forks = len(found["forks"])
            kept = f" {forks} forked from it keep what they have." if forks else ""
            asked = (
                f"Delete {wanted} ({title}) with its messages, files and notes?{kept} This can't be undone"
            )
            if not typer.confirm(asked):
                raise Rejected("Nothing was deleted", kind="refused")
        accepted = door.delete(f"/sessions/{wanted}", uuid.uuid4().hex)
        done(accepted, f"{wanted} is deleted. What it stored is erased within moments", as_json)
