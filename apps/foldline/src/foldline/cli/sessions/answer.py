"""`foldline answer`."""

import json
from typing import Annotated

import typer

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_contracts.sessions.asking import ASK_USER
from agent_contracts.sessions.rendering import RENDER_AND_WAIT
from agent_contracts.sessions.session_view import FoldedCall, SessionView
from agent_domain.shown import (
    can_be_declined,
    declined,
    dismissed,
    fields_of,
    is_agreed_to,
    options_of,
    submitted,
)
from foldline.cli.client import Gateway, gateway
from foldline.cli.naming import SessionName, session_id
from foldline.cli.output import JsonOption, failures_shown
from foldline.cli.sessions.send import finish
from foldline.cli.sessions.turns import Question, Turn


def answer(
    session: SessionName,
    text: Annotated[str, typer.Argument(help="The answer to a question.")] = "",
    field: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="What a form's field is to have; once for each."),
    ] = None,
    action: Annotated[str, typer.Option(help="What was done in a component.")] = "",
    data: Annotated[str, typer.Option(metavar="JSON", help="An object that belongs to --action.")] = "{}",
    accept: Annotated[
        bool, typer.Option("--accept", help="Say that you do what a server asks you to, in your browser.")
    ] = False,
    decline: Annotated[bool, typer.Option("--decline", help="Refuse a server what it asks for.")] = False,
    dismiss: Annotated[bool, typer.Option("--dismiss", help="Leave it unanswered, and go on.")] = False,
    call: Annotated[str, typer.Option(help="Which call is meant, where several wait.")] = "",
    wait: Annotated[bool, typer.Option(help="Wait for the turn's end and print the answer.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Answer what the agent waits for: a question, a form, a component, a server. Without an
    answer, say what it is."""
    with failures_shown(), gateway() as door:
        turn = Turn(door, session_id(door, session))
        waiting = _waiting(door, turn.session_id, call)
        show = waiting.show or {}
        if not (text or field or action or accept or decline or dismiss):
            turn.question, turn.status = Question(waiting.call_id, show), "waiting_for_input"
            finish(turn, False, as_json)
            return
        words = dict(_named(one) for one in field or ())
        if dismiss:
            response = dismissed()
        elif decline and can_be_declined(show):
            response = declined()
        elif accept and is_agreed_to(show):
            response = submitted(show, {})
        else:
            response = _response(show, text, words, action, data)
        turn.answer_call(waiting.call_id, response)
        finish(turn, wait, as_json)


def _waiting(door: Gateway, session: str, call: str) -> FoldedCall:
    """The call that waits for a person; `Rejected` where there is none, or nobody can tell which is meant."""
    found = door.fold(f"/sessions/{session}/state", SessionView).open_calls
    waiting = [one for one in found if one.status == "pending"]
    if call:
        waiting = [one for one in waiting if one.call_id == call] or [
            one for one in waiting if one.call_id.startswith(call)
        ]
    if not waiting:
        raise Rejected("Nothing waits for an answer here")
    if len(waiting) > 1:
        names = ", ".join(f"{one.call_id} ({one.tool})" for one in waiting)
        raise Rejected(f"Several calls wait: say which one is meant by --call: {names}")
    return waiting[0]


def _response(
    show: dict[str, Json], text: str, words: dict[str, str], action: str, data: str
) -> dict[str, Json]:
    kind = show.get("kind")
    if kind == ASK_USER and text:
        options = options_of(show)
        chosen = options[int(text) - 1] if text.isdigit() and 0 < int(text) <= len(options) else text
        return {"answer": chosen}
    if kind == RENDER_AND_WAIT and action:
        return {**_object(data), "action": action}
    if fields_of(show) and words:
        return submitted(show, words)
    raise Rejected(
        "This doesn't answer what is shown: a question takes a text, a form --field NAME=VALUE, "
        "a component --action NAME, a server's address --accept; what a server asks for takes --decline, and "
        "all but a question --dismiss"
    )


def _named(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise typer.BadParameter(f"{text!r} is not NAME=VALUE", param_hint="--field")
    return name, value


def _object(text: str) -> dict[str, Json]:
    try:
        made = json.loads(text)
    except ValueError as error:
        raise typer.BadParameter(f"Not JSON: {error}", param_hint="--data") from error
    if not isinstance(made, dict):
        raise typer.BadParameter("Not a JSON object", param_hint="--data")
    return made
