"""Rewinds of agents. An event says what goes back; an engine completes it (`agent_domain.rewinding`)."""

import msgspec

from agent_contracts.api.rewinds import AgentRewound, RewoundKind
from agent_contracts.api.wire import Page
from agent_contracts.entities.rewinds import Rewind, rewind_from
from agent_contracts.errors import Permanent, Rejected, Transient
from agent_contracts.ids import AgentId
from agent_contracts.kinds.rewound import check_kinds
from agent_contracts.selection import Selection
from agent_domain.rewinding.plan import BegunRewind
from agent_domain.rewinding.rewinds import UnfinishedRewind, begins, rewind_done, rewind_key
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock
from agent_platform.process.stop_points import stop_point
from gateway.operations.agents.edits import Edits
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.ports import KnownAgents

_ATTEMPTS = 20
_PATIENCE_S = 60.0


class RewindScope(msgspec.Struct, frozen=True):
    """What goes back to how it was after event `to`: all of an agent, or what is `chosen`. `undoes`: only
    where this event is still the last of a thing when it begins; what has a later one stays.
    `source`: what this other agent was, for a probe."""

    to: int
    chosen: tuple[Selection, ...] | None = None
    undoes: int | None = None
    source: AgentId | None = None


class AgentRewinds:
    """Begins them, and tells what came of them."""

    def __init__(self, log: Log, clock: Clock, edits: Edits, agents: KnownAgents) -> None:
        self._log = log
        self._clock = clock
        self._edits = edits
        self._agents = agents

    async def rewind(
        self, agent_id: AgentId, wanted: RewindScope, request: IdempotentRequest
    ) -> AgentRewound:
        """Make the agent what it was after an event; sessions stay. Once begun it is completed, whoever waits
        for it; a repeat of the same key gets the same answer.

        `Rejected`: `not_found` (no such agent), `invalid_request` (no such event or kind). `Transient`: it
        isn't done within a minute.
        """
        check_kinds(one.kind for one in wanted.chosen or ())
        await self._agents.require(agent_id)
        newest = await self._log.last_sequence()
        if wanted.to > newest:
            raise Rejected(
                f"There is no event {wanted.to} yet: the newest is {newest}", kind="invalid_request"
            )
        begun = await self._begin(agent_id, wanted, request)
        await stop_point("rewind.begun")
        return _shown(begun, await self._done(begun))

    async def was_asked(self, agent_id: AgentId, request: IdempotentRequest) -> bool:
        """Whether the newest rewind of the agent is what this request had asked for before."""
        newest = await self._edits.entities.current(rewind_key(agent_id))
        wanted = request.derived_id("b", rewind_key(agent_id).subject)
        return newest is not None and rewind_from(newest.value).id == wanted

    async def list(self, agent_id: AgentId, before: int | None, limit: int) -> Page[AgentRewound]:
        """The agent's newest rewinds, or those before event `before`."""
        await self._agents.require(agent_id)
        found: list[AgentRewound] = []
        ended: Rewind | None = None
        async for recorded in self._edits.entities.versions(rewind_key(agent_id), before=before):
            entity = await self._edits.entities.as_of(rewind_key(agent_id), recorded.sequence)
            if entity is None:
                continue
            said = rewind_from(entity.value)
            if said.done:
                ended = said
                continue
            if len(found) == limit:
                return Page[AgentRewound](items=found, next_cursor=str(found[-1].sequence))
            found.append(_shown(BegunRewind(entity), ended if ended and ended.id == said.id else said))
        return Page[AgentRewound](items=found)

    async def _begin(self, agent_id: AgentId, wanted: RewindScope, request: IdempotentRequest) -> BegunRewind:
        key = rewind_key(agent_id)
        writer = self._edits.writer(request, key.subject, "rewind")
        rewind_id = request.derived_id("b", key.subject) or self._clock.new_id("b")
        rewind = Rewind(rewind_id, wanted.to, wanted.chosen, wanted.undoes, source=wanted.source)
        decide = begins(rewind)
        for _ in range(_ATTEMPTS):
            try:
                changed = await self._edits.change(key, writer, request, decide)
            except UnfinishedRewind as other:
                await self._done(other.begun)
                continue
            if changed.after is None:
                raise Permanent("A rewind is gone right after it was written", kind="internal")
            return BegunRewind(changed.after)
        raise Transient("The agent is being rewound again and again; try again later")

    async def _done(self, begun: BegunRewind) -> Rewind:
        agent_id = begun.entity.key.agent_id
        return await rewind_done(
            self._log, agent_id, begun.wanted.id, after=begun.sequence, patience_s=_PATIENCE_S
        )


def _shown(begun: BegunRewind, said: Rewind) -> AgentRewound:
    chosen = said.chosen
    return AgentRewound(
        id=said.id,
        to=said.to,
        sequence=begun.sequence,
        rewound_at=begun.entity.time,
        chosen=None
        if chosen is None
        else [
            RewoundKind(kind=one.kind, names=None if one.names is None else list(one.names)) for one in chosen
        ],
        session_id=said.session_id,
        done=said.done,
        rewound=said.rewound,
        stays=list(said.stays),
    )
