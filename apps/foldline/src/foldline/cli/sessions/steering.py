"""`foldline stop`, `rename`, `archive`, `reopen`, `continue`, `thinking`: what people tell a session."""

import uuid
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from foldline.cli.client import gateway
from foldline.cli.naming import EffortName, SessionName, ThinkingBudget, session_id
from foldline.cli.output import JsonOption, done, failures_shown
from foldline.cli.sessions.turns import thinking_of


def stop(session: SessionName, as_json: JsonOption = False) -> None:
    """Stop the agent. Finished work stays; your next message continues from there."""
    _tell(session, "interrupt", None, "{session} stops, and waits for what you say next", as_json)


def rename(
    session: SessionName,
    title: Annotated[str, typer.Argument(help="The new title.")],
    as_json: JsonOption = False,
) -> None:
    """Rename a session."""
    _change(session, {"title": title}, f"{{session}} is called {title!r} now", as_json)


def archive(session: SessionName, as_json: JsonOption = False) -> None:
    """Archive a session. It no longer takes messages; its history stays."""
    said = "{session} is archived. To open it again: foldline reopen {session}"
    _tell(session, "archive", None, said, as_json)


def reopen(session: SessionName, as_json: JsonOption = False) -> None:
    """Reopen an archived session, so that it takes messages again."""
    _tell(session, "reopen", None, "{session} is open again", as_json)


def go_on(
    session: SessionName,
    token_limit: Annotated[int, typer.Argument(min=1, help="The new total token limit.")],
    as_json: JsonOption = False,
) -> None:
    """Raise the limit of a session that reached its token limit. It continues where it stopped."""
    said = f"{{session}} may use {token_limit:,} tokens now, and continues"
    _tell(session, "continue", {"token_limit": token_limit}, said, as_json)


def think(
    session: SessionName,
    effort: EffortName = None,
    budget: ThinkingBudget = None,
    as_json: JsonOption = False,
) -> None:
    """Change how hard the model of a session thinks, from its next answer on. Without options, the settings
    decide again."""
    chosen = thinking_of(effort, budget)
    words = [f"effort {effort}"] if effort else []
    words += [f"at most {budget:,} tokens"] if budget else []
    said = f"The model of {{session}} thinks with {' and '.join(words)} now"
    if chosen is None:
        said = "The model of {session} thinks as hard as the settings say now"
    _change(session, {"thinking": chosen or None}, said, as_json)


def _tell(named: str, what: str, body: Mapping[str, Any] | None, said: str, as_json: bool) -> None:
    with failures_shown(), gateway() as door:
        session = session_id(door, named)
        accepted = door.post(f"/sessions/{session}:{what}", body, uuid.uuid4().hex)
        done(accepted, said.replace("{session}", session), as_json)


def _change(named: str, change: Mapping[str, Any], said: str, as_json: bool) -> None:
    with failures_shown(), gateway() as door:
        session = session_id(door, named)
        accepted = door.patch(f"/sessions/{session}", change, uuid.uuid4().hex)
        done(accepted, said.replace("{session}", session), as_json)
