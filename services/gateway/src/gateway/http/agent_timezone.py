"""The zone that an agent's times are in: read, write."""

from gateway.http.idempotency import KeyHeader, asked
from gateway.http.parameters import AgentPath, AsOf, Using
from gateway.http.resource import resource
from gateway.http.schedule_requests import WriteTimezone
from gateway.operations.agents.schedule_views import Timezone

router = resource("agents", "/agents/{agent_id}/timezone")


@router.get("", operation_id="getTimezone")
async def read(operations: Using, agent_id: AgentPath, at: AsOf = None) -> Timezone:
    """The zone now, or as it was after event `at`. Version 0: the server's, as nobody has chosen one."""
    return await operations.timezones.read(agent_id, at)


@router.put("", operation_id="putTimezone")
async def write(
    operations: Using, agent_id: AgentPath, body: WriteTimezone, key: KeyHeader = None
) -> Timezone:
    """Choose a zone: the agent's clock, and times without an offset, are in it from now on.

    Schedules that exist keep theirs. The same again makes no version.
    """
    return await operations.timezones.write(agent_id, body.timezone, body.version, asked(key, body))
