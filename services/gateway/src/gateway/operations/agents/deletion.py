"""Deleting an agent, and closing its sessions with it."""

from agent_contracts.api.agents import AgentDeleted
from agent_contracts.ids import AgentId
from agent_contracts.session_events.inputs import Archived
from agent_domain.sessions.directory import KnownSession, SessionDirectory
from agent_domain.site_logins.site_logins import SiteLogins
from gateway.operations.agents.agents import AgentRegistry
from gateway.operations.agents.ended_logins import EndedLogins
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.sessions.inputs import Inputs


class AgentDeletion:
    """Deletes agents. Nothing is taken out of the log: one made under the same id has its prompt again, but
    none of the logins that were kept."""

    def __init__(
        self,
        agents: AgentRegistry,
        directory: SessionDirectory,
        inputs: Inputs,
        site_logins: SiteLogins,
        logins: EndedLogins,
    ) -> None:
        self._agents = agents
        self._directory = directory
        self._inputs = inputs
        self._site_logins = site_logins
        self._logins = logins

    async def delete(self, agent_id: AgentId, request: IdempotentRequest) -> AgentDeleted:
        """Delete an agent and archive its sessions, which can still be read. Asked again, it archives what is
        left."""
        changed = await self._agents.delete(agent_id, request)
        await self._site_logins.forget_all(agent_id)
        await self._logins.of_agent(agent_id)
        sessions = await self._directory.of_agent(agent_id)
        archived = [await self._archive(session, request) for session in sessions]
        deleted = changed.before is not None
        return AgentDeleted(deleted=deleted, sequence=changed.sequence, archived=sum(archived))

    async def _archive(self, session: KnownSession, request: IdempotentRequest) -> bool:
        """Close a session for good; False if it is closed already."""
        if await self._directory.refusal(session) is not None:
            return False
        await self._inputs.append(session.key, Archived(), request)
        return True
