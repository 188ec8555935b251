"""Agents: make, list, read, rename, delete."""

from fastapi import APIRouter, Response

from agent_contracts.ids import AgentId
from agent_contracts.session_events.inputs import Archived
from agent_platform.entities.entity import Entity
from gateway.deps import AgentPath, Deps, Using
from gateway.http.agent_requests import CreateAgent, RenameAgent
from gateway.operations.agents.views import Agent, AgentDeleted, Agents
from gateway.operations.asked import Asked, KeyHeader, asked
from gateway.operations.sessions.directory import KnownSession
from gateway.operations.sessions.refusals import closed

router = APIRouter(tags=["agents"])


@router.post("/agents", status_code=201, operation_id="createAgent")
async def create_agent(deps: Using, response: Response, body: CreateAgent, key: KeyHeader = None) -> Agent:
    """Make an agent, with a prompt of its own or the built-in one, and with the starters that the agent
    `default` has too: tools, a function, a library, a page and a skill. They are the agent's own, to change
    and to delete; none ever comes back."""
    request = asked(key, body)
    agent_id = AgentId(body.id or request.derived_id("a", "agents") or deps.clock.new_id("a"))
    made = await deps.agents.make(agent_id, body.name, body.prompt, request, starters=body.starters)
    response.headers["Location"] = f"/api/v1/agents/{agent_id}"
    return _agent(made)


@router.get("/agents", operation_id="listAgents")
async def list_agents(deps: Using) -> Agents:
    """All agents, by id."""
    return Agents(agents=[_agent(entity) for entity in await deps.agents.list()])


@router.get("/agents/{agent_id}", operation_id="getAgent")
async def get_agent(deps: Using, agent_id: AgentPath) -> Agent:
    """One agent."""
    return _agent(await deps.agents.find(agent_id))


@router.patch("/agents/{agent_id}", operation_id="renameAgent")
async def rename_agent(deps: Using, agent_id: AgentPath, body: RenameAgent, key: KeyHeader = None) -> Agent:
    """Give an agent another name; its id stays."""
    return _agent(await deps.agents.rename(agent_id, body.name, asked(key, body)))


@router.delete("/agents/{agent_id}", operation_id="deleteAgent")
async def delete_agent(deps: Using, agent_id: AgentPath, key: KeyHeader = None) -> AgentDeleted:
    """Delete an agent and archive its sessions, which can still be read. Nothing is taken out of the log: an
    agent made under the same id has its prompt and state again. Asked again, it archives what is left."""
    request = asked(key, None)
    changed = await deps.agents.delete(agent_id, request)
    archived = [await _archive(deps, session, request) for session in await deps.directory.of_agent(agent_id)]
    deleted = changed.before is not None
    return AgentDeleted(deleted=deleted, sequence=changed.sequence, archived=sum(archived))


async def _archive(deps: Deps, session: KnownSession, request: Asked) -> bool:
    """Close a session for good; False if it is closed already."""
    if await closed(deps, session) is not None:
        return False
    await deps.inputs.append(session.key, Archived(), request)
    return True


def _agent(entity: Entity) -> Agent:
    return Agent(
        id=entity.key.agent_id,
        name=entity.value["name"],
        version=entity.version,
        created_at=entity.value["created_at"],
        updated_at=entity.time,
    )
