"""`foldline sessions`."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from agent_contracts.api.sessions import SessionSummary
from agent_contracts.api.wire import Page
from foldline.cli.client import gateway
from foldline.cli.listing import listed
from foldline.cli.naming import agent_id
from foldline.cli.output import JsonOption, clean, console, failures_shown
from foldline.cli.sessions.rate import GivenRating
from foldline.cli.sessions.unstick import unstick


class SessionAction(StrEnum):
    """The action to take."""

    LIST = "list"
    UNSTICK = "unstick"


def sessions(
    action: Annotated[SessionAction, typer.Argument(help="The action to take.")] = SessionAction.LIST,
    session: Annotated[str | None, typer.Argument(help="The session to unstick.")] = None,
    query: Annotated[
        str | None,
        typer.Option("--query", "-q", help="Search titles, messages and ratings. Quotes make a phrase."),
    ] = None,
    status: Annotated[
        str | None, typer.Option(help="Filter by status: idle, running, waiting_for_input, …")
    ] = None,
    agent: Annotated[str | None, typer.Option(help="Only this agent.")] = None,
    rating: Annotated[
        GivenRating | None, typer.Option(help="Only sessions with an answer that you rated up or down.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Show at most N sessions, newest first.")] = 20,
    every: Annotated[bool, typer.Option("--all", help="Unstick every stuck session.")] = False,
    older_than: Annotated[
        float, typer.Option(help="Only calls that are older than this many seconds.")
    ] = 60.0,
    as_json: JsonOption = False,
) -> None:
    """List sessions, newest first, or find and unstick sessions that wait for something lost.

    Unsticking runs nothing again: it records the lost call as failed, and the session continues.
    """
    with failures_shown(), gateway() as door:
        if action is SessionAction.UNSTICK:
            unstick(door, session, every, older_than, as_json)
            return
        whose = None if agent is None else agent_id(door, agent)
        wanted = {"q": query, "status": status, "agent_id": whose, "rating": rating}
        found = door.read("/sessions", Page[SessionSummary], limit=limit, **wanted)
        listed(
            found.items,
            ("session", "status", "spoken", "#tokens", "title"),
            _row,
            none="No sessions. Try: foldline chat",
            as_json=as_json,
        )
        if not as_json:
            _print_found(console, found.items)


def _print_found(to: Console, found: Sequence[SessionSummary]) -> None:
    """Print what was said in each session that a search found, with the words that matched in bold."""
    for one in found:
        if one.found is not None and one.found.snippet is not None:
            parts = ((clean(part.text), "bold" if part.match else "") for part in one.found.snippet)
            to.print(Text.assemble((f"{one.id}  ", "dim"), *parts), soft_wrap=True)


def _row(one: SessionSummary) -> tuple[str, ...]:
    spoken = one.active_at[5:16].replace("T", " ")
    tokens = compact(one.usage.tokens)
    return one.id, one.status, spoken, tokens, one.title or ""


def compact(tokens: int) -> str:
    """A number of tokens in at most five characters, where it is less than a thousand millions."""
    if tokens < 1_000:
        return str(tokens)
    if tokens < 1_000_000:
        return f"{tokens / 1_000:.0f}k"
    return f"{tokens / 1_000_000:.1f}M"
