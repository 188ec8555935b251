"""Opening an archived session again."""

from agent_contracts.api.sessions import InputReceipt
from agent_contracts.errors import Rejected
from agent_contracts.ids import SessionId
from agent_contracts.log.record.records import decode
from agent_contracts.session_events.inputs import Created, Reopened
from agent_domain.sessions.directory import KnownSession, SessionDirectory
from agent_platform.log.port import Log
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.ports import KnownAgents
from gateway.operations.sessions.inputs import Inputs


class SessionReopening:
    """Undoes *archive*. Nothing but this wakes an archived session."""

    def __init__(self, log: Log, directory: SessionDirectory, inputs: Inputs, agents: KnownAgents) -> None:
        self._log = log
        self._directory = directory
        self._inputs = inputs
        self._agents = agents

    async def reopen(self, session_id: SessionId, request: IdempotentRequest) -> InputReceipt:
        """Open the session again: it is idle.

        `Rejected`: `not_found` (no such session, or its agent was deleted), `not_archived` (it is open, ended
        with an error, or is a sub-session).
        """
        session = await self._directory.find(session_id)
        await self._agents.require(session.agent_id)
        refusal = await self._refusal(session)
        return await self._inputs.append_unless_refused(session, Reopened(), request, refusal)

    async def _refusal(self, session: KnownSession) -> Rejected | None:
        name = f"session {session.session_id}"
        endings = await self._directory.endings(session)
        if endings.failed:
            return Rejected(
                f"{name} ended with an error and stays closed: fork it instead", kind="not_archived"
            )
        if not endings.is_archived:
            return Rejected(f"{name} is not archived: it takes messages as it is", kind="not_archived")
        created = await self._log.get(session.created)
        event = None if created is None else decode(created).event
        if isinstance(event, Created) and event.parent_id is not None:
            return Rejected(
                f"{name} is a sub-session, and its parent was told that it ended: fork it instead",
                kind="not_archived",
            )
        return None
