"""Agents: make, list, read, rename, delete."""

from fastapi import Response

from agent_contracts.api.agents import Agent, AgentDeleted, CreateAgent, RenameAgent
from agent_contracts.api.usage import AgentUsage, SpacePart
from agent_contracts.api.wire import Page
from agent_contracts.ids import AgentId
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentPath, MinSequence, Using
from gateway.http.wire.resource import resource
from gateway.operations.agents.agents import NewAgent

router = resource("agents")


@router.post("/agents", status_code=201, operation_id="createAgent")
async def create_agent(
    operations: Using, response: Response, body: CreateAgent, key: KeyHeader = None
) -> Agent:
    """Make an agent, with a prompt of its own or the built-in one, and with the starters that the agent
    `default` has too: tools, a function, a library, a page and a skill. They are the agent's own, to change
    and to delete; none ever comes back."""
    agent_id = None if body.id is None else AgentId(body.id)
    made = await operations.agents.make(
        NewAgent(body.name, agent_id, body.prompt, body.starters), asked(key, body)
    )
    response.headers["Location"] = f"/api/v1/agents/{made.id}"
    return made


@router.get("/agents", operation_id="listAgents")
async def list_agents(operations: Using) -> Page[Agent]:
    """All agents, by id."""
    return await operations.agents.list()


@router.get("/agents/{agent_id}", operation_id="getAgent")
async def get_agent(operations: Using, agent_id: AgentPath) -> Agent:
    """One agent."""
    return await operations.agents.find(agent_id)


@router.get("/agents/{agent_id}/usage", operation_id="getAgentUsage")
async def get_usage(operations: Using, agent_id: AgentPath) -> AgentUsage:
    """What the agent has used of its quotas: bytes added to the log today, bytes of its database."""
    return await operations.usages.of(agent_id)


@router.get("/agents/{agent_id}/space", operation_id="listAgentSpace")
async def list_space(
    operations: Using, agent_id: AgentPath, min_sequence: MinSequence = None
) -> Page[SpacePart]:
    """What takes space: the parts of what the log holds of the agent, the largest first, and what removes
    each. Counted anew by each request: seconds at a million events."""
    await operations.agents.find(agent_id)
    return await operations.reading.space(agent_id, min_sequence)


@router.patch("/agents/{agent_id}", operation_id="renameAgent")
async def rename_agent(
    operations: Using, agent_id: AgentPath, body: RenameAgent, key: KeyHeader = None
) -> Agent:
    """Give an agent another name; its id stays."""
    return await operations.agents.rename(agent_id, body.name, asked(key, body))


@router.delete("/agents/{agent_id}", operation_id="deleteAgent")
async def delete_agent(operations: Using, agent_id: AgentPath, key: KeyHeader = None) -> AgentDeleted:
    """Delete an agent and archive its sessions, which can still be read. Nothing is taken out of the log: an
    agent made under the same id has its prompt and state again. Asked again, it archives what is left."""
    return await operations.deletion.delete(agent_id, asked(key))
