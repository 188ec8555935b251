"""`foldline answer`."""

import json
from typing import Annotated

import typer

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_contracts.policies import APPROVAL
from agent_contracts.questions.takeover import HAND_OVER
from agent_contracts.sessions.open_questions import ASK_USER
from agent_contracts.sessions.rendering import RENDER_AND_WAIT
from agent_contracts.sessions.session_view import SessionView
from agent_domain.shown import (
    can_be_declined,
    can_be_dismissed,
    decided,
    declined,
    dismissed,
    fields_of,
    is_agreed_to,
    options_of,
    submitted,
    yes_or_no,
)
from foldline.cli.client import Gateway, gateway
from foldline.cli.naming import SessionName, session_id
from foldline.cli.output import JsonOption, failures_shown
from foldline.cli.sessions.send import finish
from foldline.cli.sessions.shown import how_to_answer
from foldline.cli.sessions.turns import CallQuestion, ChatTurn, question_among


def answer(
    session: SessionName,
    text: Annotated[str, typer.Argument(help="The answer to a question, or yes or no to an approval.")] = "",
    field: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="The value of a form's field. Repeatable."),
    ] = None,
    action: Annotated[str, typer.Option(help="The component's action, such as submit.")] = "",
    data: Annotated[str, typer.Option(metavar="JSON", help="The action's data, a JSON object.")] = "{}",
    accept: Annotated[
        bool,
        typer.Option("--accept", help="Say yes to a call or a server, or finish a browser takeover."),
    ] = False,
    decline: Annotated[
        bool, typer.Option("--decline", help="Say no to a call, a server or a browser takeover.")
    ] = False,
    reason: Annotated[str, typer.Option(help="The reason for a refusal. The agent reads it.")] = "",
    dismiss: Annotated[
        bool, typer.Option("--dismiss", help="Close a form or a component without answering.")
    ] = False,
    call: Annotated[str, typer.Option(help="The call to answer, if several wait.")] = "",
    wait: Annotated[bool, typer.Option(help="Wait for the turn to end and print the answer.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Answer what the agent waits for: a question, an approval, a form, a component or a server.

    Without an answer, show what the agent waits for."""
    with failures_shown(), gateway() as door:
        turn = ChatTurn(door, session_id(door, session))
        waiting = _waiting(door, turn.session_id, call)
        show = waiting.show
        if not (text or field or action or accept or decline or dismiss):
            turn.question, turn.status = waiting, "waiting_for_input"
            finish(turn, False, as_json)
            return
        if accept and decline:
            raise typer.BadParameter("Use either --accept or --decline", param_hint="--decline")
        words = dict(_named(one) for one in field or ())
        agreed = True if accept else False if decline else yes_or_no(text)
        if show.get("kind") == HAND_OVER and agreed is not None:
            turn.end_hand_over(waiting.call_id, done=agreed)
        elif show.get("kind") == APPROVAL and (text or accept or decline):
            said = "yes" if accept else "no" if decline else text
            turn.answer_call(waiting.call_id, decided(show, said, reason))
        elif can_be_declined(show) and agreed is False:
            turn.answer_call(waiting.call_id, declined())
        elif is_agreed_to(show) and agreed:
            turn.answer_call(waiting.call_id, submitted(show, {}))
        elif dismiss and can_be_dismissed(show):
            turn.answer_call(waiting.call_id, dismissed())
        else:
            response = _response(show, text, words, action, data)
            if response is None:
                named = waiting.call_id if waiting.others else None
                how = how_to_answer(show, turn.session_id, named)
                raise Rejected(f"This doesn't fit what the agent waits for, so nothing was sent. Run: {how}")
            turn.answer_call(waiting.call_id, response)
        finish(turn, wait, as_json)


def _waiting(door: Gateway, session: str, call: str) -> CallQuestion:
    """The call that waits for a person; `Rejected` where none does, or nobody can tell which is meant."""
    found = door.read(f"/sessions/{session}/state", SessionView).open_calls
    waiting = [one for one in found if one.status == "pending" and question_among([one]) is not None]
    if call:
        meant = [one for one in waiting if one.call_id == call] or [
            one for one in waiting if one.call_id.startswith(call)
        ]
    else:
        meant = waiting
    if not meant:
        raise Rejected("Nothing waits for an answer here")
    if len(meant) > 1:
        names = ", ".join(f"{one.call_id} ({one.tool})" for one in meant)
        raise Rejected(f"Several calls wait. Name one with --call: {names}")
    [one] = meant
    return CallQuestion(one.call_id, one.show or {}, one.arguments, len(waiting) - 1)


def _response(
    show: dict[str, Json], text: str, words: dict[str, str], action: str, data: str
) -> dict[str, Json] | None:
    """The answer; None where what was given isn't one."""
    kind = show.get("kind")
    if kind == ASK_USER and text:
        options = options_of(show)
        chosen = options[int(text) - 1] if text.isdigit() and 0 < int(text) <= len(options) else text
        return {"answer": chosen}
    if kind == RENDER_AND_WAIT and action:
        return {**_object(data), "action": action}
    if fields_of(show) and words:
        return submitted(show, words)
    return None


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
