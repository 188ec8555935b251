"""How a person answers from the command line what an agent put before them."""

from collections.abc import Mapping
from typing import Any

from agent_contracts.sessions.asking import ASK_USER
from agent_domain.shown import can_be_declined, fields_of


def how_to_answer(show: Mapping[str, Any], session_id: str) -> str:
    """The command."""
    begin = f"foldline answer {session_id}"
    if show.get("kind") == ASK_USER:
        return f'{begin} "…"'
    named = " ".join(f"--field {field['name']}=…" for field in fields_of(show))
    if can_be_declined(show):
        return f"{begin} {named or '--accept'}, or {begin} --decline"
    return f"{begin} {named}" if named else f"{begin} --dismiss"
