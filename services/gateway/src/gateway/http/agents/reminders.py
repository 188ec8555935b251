"""What an agent's sessions will be reminded of: list, cancel, versions."""

from typing import Annotated

from fastapi import Query

from agent_contracts.api.schedules import Reminders
from agent_contracts.api.versions import Deleted, Versions
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentPath, AsOf, Older, SessionFilter, Using
from gateway.http.wire.resource import resource

router = resource("agents", "/agents/{agent_id}/reminders")


@router.get("", operation_id="listReminders")
async def list_all(
    operations: Using,
    agent_id: AgentPath,
    session_id: SessionFilter = None,
    over: Annotated[bool, Query(description="those that were told or missed, too")] = False,
    at: AsOf = None,
) -> Reminders:
    """By time: those that wait, now or after event `at`."""
    return await operations.reminders.list(agent_id, session_id, over=over, at=at)


@router.delete("/{name}", operation_id="cancelReminder")
async def cancel(operations: Using, agent_id: AgentPath, name: str, key: KeyHeader = None) -> Deleted:
    """Cancel a reminder. It can be brought back by a rewind of the session that set it."""
    return await operations.reminders.cancel(agent_id, name, asked(key))


@router.get("/{name}/versions", operation_id="listReminderVersions")
async def list_versions(
    operations: Using,
    agent_id: AgentPath,
    name: str,
    before: Older = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Versions:
    """Who changed it and when, newest first, deletions included."""
    return await operations.reminders.versions(agent_id, name, before, limit)
