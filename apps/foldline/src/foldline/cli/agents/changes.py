"""`foldline changes`: what an agent changed of itself, and taking one change back."""

import uuid
from enum import StrEnum
from itertools import islice
from typing import Annotated

import msgspec
import typer

from agent_contracts.api.changes import OwnChange
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from foldline.cli.client import gateway
from foldline.cli.listing import listed
from foldline.cli.naming import agent_id
from foldline.cli.output import JsonOption, done, failures_shown, needed


class ChangeAction(StrEnum):
    """The action to take."""

    LIST = "list"
    UNDO = "undo"


def changes(
    action: Annotated[ChangeAction, typer.Argument(help="The action to take.")] = ChangeAction.LIST,
    change: Annotated[str | None, typer.Argument(help="The change's number, as listed.")] = None,
    agent: Annotated[str, typer.Option(help="The agent.")] = DEFAULT_AGENT,
    kind: Annotated[str | None, typer.Option(help="Only this kind: tool, skill, state, file, …")] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=100_000, help="Show at most N entries, newest first.")
    ] = 50,
    as_json: JsonOption = False,
) -> None:
    """List what an agent changed of itself, newest first, or undo one change.

    Each line has the change, its reason and its session. You can undo a change if nothing came after it."""
    with failures_shown(), gateway() as door:
        path = f"/agents/{agent_id(door, agent)}/changes"
        if action is ChangeAction.UNDO:
            which = needed(change, "Say which", "changes undo NUMBER")
            told = door.post(f"{path}/{which}:undo", None, uuid.uuid4().hex)
            done(
                told,
                f"Undone; to undo that: foldline rewind --agent {agent} --to {told['sequence']}",
                as_json,
            )
            return
        every = door.every(path, kind=kind, limit=min(limit, 200))
        found = [msgspec.convert(one, OwnChange) for one in islice(every, limit)]
        columns = ("number", "day", "what", "session", "why", "had read from")
        listed(found, columns, _row, none="The agent has changed nothing of itself.", as_json=as_json)


def _row(one: OwnChange) -> tuple[str, ...]:
    since = "" if one.changed_since is None else " (changed since)"
    what = f"{one.what} {one.kind} {one.label}" if one.kind != "database" else f"database: {one.label}"
    told = f"{one.woken_by}: " if one.woken_by else ""
    why, read = (
        f"{told}{one.why or ''}"[:100],
        ", ".join(source.name or source.kind for source in one.outside),
    )
    return one.address, one.changed_at[:10], f"{what}{since}", one.session_id or "", why, read[:100]
