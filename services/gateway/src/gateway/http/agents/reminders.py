"""What an agent's sessions will be reminded of: list, cancel, versions."""

from typing import Annotated

from fastapi import Depends, Query

from agent_contracts.api.schedules import Reminder
from agent_contracts.api.wire import Page
from gateway.http.things import named, things
from gateway.http.wire.parameters import AgentPath, AsOf, NamePath, SessionFilter, Using
from gateway.http.wire.resource import resource
from gateway.operations.agents.things import ThingKey

router = resource("agents", "/agents/{agent_id}/reminders")


@router.get("", operation_id="listReminders")
async def list_all(
    operations: Using,
    agent_id: AgentPath,
    session_id: SessionFilter = None,
    over: Annotated[bool, Query(description="Include those that were delivered or missed.")] = False,
    at: AsOf = None,
) -> Page[Reminder]:
    """By time: those that wait, now or after event `at`."""
    return await operations.reminders.list(agent_id, session_id, over=over, at=at)


async def _place(agent_id: AgentPath, name: NamePath) -> ThingKey:
    return ThingKey(agent_id, name)


things(
    router,
    lambda operations: operations.reminders,
    Reminder,
    ("/{name}", Annotated[ThingKey, Depends(_place)]),
    named("Reminder", ("read", "versions", "delete")),
    {"delete": "Cancel a reminder. It can be brought back by a rewind of the session that set it."},
)
