"""The agent that a bisection's probes have: made to be what another agent was after an event."""

from agent_contracts.errors import Rejected
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId
from agent_platform.entities.entity import EntityWriter
from agent_platform.process.clock import Clock, rfc3339
from gateway.operations.agents.agents import key_of
from gateway.operations.agents.deletion import AgentDeletion
from gateway.operations.agents.edits import Edits
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.rewind.agent_rewinds import AgentRewinds, RewindScope

_ATTEMPTS = 20


class ProbeAgents:
    """Makes them and puts them away."""

    def __init__(self, clock: Clock, edits: Edits, rewinds: AgentRewinds, deletion: AgentDeletion) -> None:
        self._clock = clock
        self._edits = edits
        self._rewinds = rewinds
        self._deletion = deletion

    async def become(self, probe: AgentId, source: AgentId, at: int) -> None:
        """Make the probe's agent what `source` was after event `at`, whatever it had or did before."""
        entities = self._edits.entities
        if await entities.current(key_of(probe)) is None:
            value = {"name": f"Probe of {source}"[:100], "created_at": rfc3339(self._clock.now())}
            await entities.write(key_of(probe), value, EntityWriter(self._clock.new_id("e"), Actor.USER))
        for _ in range(_ATTEMPTS):
            done = await self._rewinds.rewind(
                probe, RewindScope(at, source=source), IdempotentRequest(None, "", creates=True)
            )
            if not done.stays:
                return  # otherwise something that a probe began was still writing
        raise Rejected("The probe's agent is being changed again and again", kind="conflict")

    async def put_away(self, probe: AgentId) -> None:
        """Delete the probe's agent, and archive its sessions, which can still be read."""
        if await self._edits.entities.current(key_of(probe)) is None:
            return
        await self._deletion.delete(probe, IdempotentRequest(None, "", creates=True))
