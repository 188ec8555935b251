"""The packs of tools that an agent has, and their settings: read, write, versions, revert."""

from agent_contracts.api.packs import EnablePacks, PacksOfAgent
from gateway.http.things import ONE_OF_AGENT, named, things
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentPath, Using
from gateway.http.wire.resource import resource

router = resource("agents", "/agents/{agent_id}/packs")
things(
    router,
    lambda operations: operations.packs,
    PacksOfAgent,
    ("", AgentPath),
    named("Packs", ONE_OF_AGENT),
    {
        "read": "Which packs are enabled now, or were after event `at`, and which others are installed now.\n"
        "Version 0: nobody has enabled any yet."
    },
)


@router.put("", operation_id="putPacks")
async def write(
    operations: Using, agent_id: AgentPath, body: EnablePacks, key: KeyHeader = None
) -> PacksOfAgent:
    """Enable these packs, in this order, and no others. Pages, skills and scheduled tasks that a pack brings
    come and go with it; what was changed since stays. `settings` say what is set of a pack, such as
    `{"protoagent": {"tools.disabled": ["calculator"]}}`. The same again makes no version."""
    return await operations.packs.write(agent_id, body.packs, body.version, asked(key, body), body.settings)
