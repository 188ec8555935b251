"""`foldline reminders`."""

from enum import StrEnum
from typing import Annotated

import typer

from agent_contracts.api.schedules import Reminder
from agent_contracts.api.wire import Page
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from foldline.cli.agents.thing_client import ThingClient, ThingCommand
from foldline.cli.client import gateway
from foldline.cli.naming import session_id, whole
from foldline.cli.output import JsonOption, failures_shown

_REMINDER = ThingCommand("reminder", "reminders", "reminders", "cancelled", "deleted")


class ReminderAction(StrEnum):
    """The action to take."""

    LIST = "list"
    CANCEL = "cancel"


def reminders(
    action: Annotated[ReminderAction, typer.Argument(help="The action to take.")] = ReminderAction.LIST,
    reminder: Annotated[
        str | None, typer.Argument(help="cancel: the reminder's id, or the first characters of it.")
    ] = None,
    session: Annotated[str | None, typer.Option(help="Only this session.")] = None,
    over: Annotated[bool, typer.Option("--all", help="Include past reminders.")] = False,
    agent: Annotated[str, typer.Option(help="The agent.")] = DEFAULT_AGENT,
    as_json: JsonOption = False,
) -> None:
    """List the reminders of an agent's sessions by time, or cancel one."""
    with failures_shown(), gateway() as door:
        kept = ThingClient(door, agent, _REMINDER)
        if action is ReminderAction.CANCEL:
            named = kept.named(reminder, action)
            ids = [one.id for one in kept.read(Page[Reminder]).items if one.id.startswith(named)]
            kept.remove(whole(ids, named, "reminder") if ids else named, as_json)
            return
        of = session_id(door, session) if session else None
        found = kept.read(Page[Reminder], session_id=of, over=over or None).items
        columns = ("reminder", "at", "state", "session", "message")
        kept.list(found, columns, _row, as_json, " Ask the agent: remind me in an hour to …")


def _row(one: Reminder) -> tuple[str, ...]:
    return one.id, one.due_at, one.done or "waits", one.reminds, one.message
