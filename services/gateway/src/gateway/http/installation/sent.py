"""What left the machine."""

from typing import Annotated

from fastapi import Query

from agent_contracts.api.egress import EgressPage
from agent_contracts.sent import EgressVerdict
from gateway.http.wire.parameters import AgentFilter, MinSequence, SessionFilter, Using
from gateway.http.wire.resource import resource
from gateway.queries.sent import EgressQuery

router = resource("operators")

_HOST = "to this host, or to one below it"
HostFilter = Annotated[str | None, Query(max_length=253, pattern=r"^[A-Za-z0-9.:_\-]*$", description=_HOST)]
VerdictFilter = Annotated[EgressVerdict | None, Query(description="what became of it")]


@router.get("/egress", operation_id="listSentRequests")
async def list_sent_requests(
    operations: Using,
    agent_id: AgentFilter,
    session_id: SessionFilter,
    host: HostFilter = None,
    verdict: VerdictFilter = None,
    cursor: Annotated[str | None, Query(max_length=400)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    min_sequence: MinSequence = None,
) -> EgressPage:
    """A page of the requests that left in the name of agents' calls, or were kept from it, newest first. A
    call tells of its own with its result: what a runner sent that died before is not among them."""
    wanted = EgressQuery(agent_id, session_id, host.lower() if host else None, verdict)
    return await operations.reading.sent(wanted, cursor, limit, min_sequence)
