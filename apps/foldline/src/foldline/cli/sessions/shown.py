"""What an agent put before a person, for the command line, and how they answer it there."""

import json
from collections.abc import Mapping
from typing import Any

from agent_contracts.policies import APPROVAL, WHERE_SHOWN
from agent_contracts.questions.takeover import HAND_OVER
from agent_contracts.sessions.open_questions import ASK_USER
from agent_domain.mcp.offered_tools import escaped
from agent_domain.shown import can_be_declined, decisions_of, fields_of, shown_text


def how_to_answer(show: Mapping[str, Any], session_id: str, call_id: str | None = None) -> str:
    """The commands. Name the call where several wait."""
    begin = f"foldline answer {session_id}" + (f" --call {call_id}" if call_id else "")
    named = " ".join(f"--field {field['name']}=…" for field in fields_of(show))
    match show.get("kind"):
        case kind if kind == ASK_USER:
            return f'{begin} "…"'
        case kind if kind == APPROVAL:
            longer = "".join(f", or {begin} {decision}" for decision in decisions_of(show)[1:])
            return f"{begin} yes, or {begin} no{longer}"
        case kind if kind == HAND_OVER:
            return f"{begin} --accept (once you are done), or {begin} --decline"
    if can_be_declined(show):
        return f"{begin} {named or '--accept'}, or {begin} --decline"
    return f"{begin} {named}" if named else f"{begin} --dismiss"


def waiting_text(show: Mapping[str, Any], arguments: Mapping[str, Any]) -> str:
    """What waits. Of a call that needs a yes, exactly what would run, and what it wants to send or ask."""
    if show.get("kind") != APPROVAL:
        return shown_text(show)
    where = {name: show[name] for name in WHERE_SHOWN if show.get(name) is not None}
    asks = show.get("asks")
    parts = [shown_text(show), exact(arguments, indent=2)]
    parts += [f"It wants to send to: {exact(where)}"] if where else []
    parts += [f"It asks another tool: {exact(asks)}"] if asks else []
    return "\n".join(parts)


def exact(value: Any, indent: int | None = None) -> str:
    """JSON in which what can't be seen is spelled out: a host that only looks right would be agreed to."""
    return escaped(json.dumps(value, ensure_ascii=False, indent=indent))
