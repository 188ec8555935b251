"""`foldline continue`."""

import uuid
from typing import Annotated

import typer

from foldline.cli.client import gateway
from foldline.cli.naming import SessionName, session_id
from foldline.cli.output import JsonOption, console, failures_shown, print_json


def go_on(
    session: SessionName,
    token_limit: Annotated[int, typer.Argument(min=1, help="Tokens it may use in all.")],
    as_json: JsonOption = False,
) -> None:
    """Give a session that reached its token limit a higher one: it goes on where it stopped."""
    with failures_shown(), gateway() as door:
        session = session_id(door, session)
        body = {"token_limit": token_limit}
        accepted = door.post(f"/sessions/{session}/continue", body, uuid.uuid4().hex)
        if as_json:
            print_json(accepted)
            return
        console.print(f"{session} may use {token_limit:,} tokens now, and goes on.", highlight=False)
