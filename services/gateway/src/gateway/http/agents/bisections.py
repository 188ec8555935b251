"""Bisections: which event of an agent broke what it could do."""

from agent_contracts.api.bisections import Bisect, BisectCost, BisectionShown, NewestBisection
from agent_contracts.entities.bisections import Check
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentPath, Using
from gateway.http.wire.resource import resource
from gateway.operations.bisecting.bisections import NewBisection

router = resource("rewind", "/agents/{agent_id}")


@router.post(":bisect-preview", operation_id="previewBisect")
async def preview_bisect(operations: Using, agent_id: AgentPath, body: Bisect) -> BisectCost:
    """What a bisection would take: probes, runs, and tokens and money as far as they are known."""
    return await operations.bisections.cost(agent_id, _wanted(body))


@router.post(":bisect", status_code=202, operation_id="bisectAgent")
async def bisect(
    operations: Using, agent_id: AgentPath, body: Bisect, key: KeyHeader = None
) -> BisectionShown:
    """Search for the event after which the check fails. It runs in the background: ask for it with
    `GET …/bisection`. Each probe is a session of an agent made to be what this one was; it changes nothing
    outside, and can be opened. One at a time: 409 while another runs."""
    return await operations.bisections.start(agent_id, _wanted(body), asked(key, body))


@router.get("/bisection", operation_id="getBisection")
async def get_bisection(operations: Using, agent_id: AgentPath) -> NewestBisection:
    """The agent's newest bisection, as far as it is."""
    return await operations.bisections.newest(agent_id)


@router.post("/bisection:stop", operation_id="stopBisection")
async def stop_bisection(operations: Using, agent_id: AgentPath, key: KeyHeader = None) -> BisectionShown:
    """End it. What it had found out stays."""
    return await operations.bisections.stop(agent_id, asked(key))


def _wanted(body: Bisect) -> NewBisection:
    check = Check(body.ask, body.expect, body.expect_not, body.regex, body.function, body.arguments)
    return NewBisection(check, body.good, body.bad, body.model, body.token_limit)
