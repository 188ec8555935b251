"""`foldline reopen`."""

import uuid

from foldline.cli.client import gateway
from foldline.cli.naming import SessionName, session_id
from foldline.cli.output import JsonOption, console, failures_shown, print_json


def reopen(session: SessionName, as_json: JsonOption = False) -> None:
    """Open an archived session again: it is idle, and takes messages."""
    with failures_shown(), gateway() as door:
        session = session_id(door, session)
        accepted = door.post(f"/sessions/{session}/reopen", None, uuid.uuid4().hex)
        if as_json:
            print_json(accepted)
        else:
            console.print(f"[green]✓[/] {session} is open again", highlight=False)
