"""For tests: a session in a log, decided on by the domain, as an engine would."""

from typing import Any, Self, get_args

from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.codec import Envelope, encode, type_of
from agent_contracts.log.record.records import carrying, decode
from agent_contracts.log.record.session_subjects import ENGINE_AS_RUNNER, SessionKey, subject_of
from agent_contracts.session_events import inputs
from agent_contracts.session_events.decisions import Decision
from agent_contracts.session_events.union import SessionEvent
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock, rfc3339
from foldline_testing.agent_platform.origins import origin_of
from session_domain.domain.decide import decide
from session_domain.domain.fold.evolve import evolve
from session_domain.domain.state import SessionState

_DECISIONS = get_args(Decision)


class Chat:
    """One session. `state` is how it stands; `imported`: its events are history from a file."""

    def __init__(
        self, log: Log, clock: Clock, session_id: str, *, agent_id: str = "default", imported: bool = False
    ) -> None:
        self.key = SessionKey(AgentId(agent_id), SessionId(session_id))
        self.state = SessionState(self.key.session_id)
        self._log = log
        self._clock = clock
        self._imported = "ab" * 32 if imported else None

    async def begins(self, title: str, **created: Any) -> Self:
        """It is created."""
        first = inputs.Created(agent_id=self.key.agent_id, token_limit=100_000, title=title, **created)
        return await self.given(first)

    async def given(self, *events: SessionEvent) -> Self:
        """Facts come, and what is decided because of each."""
        for event in events:
            await self._add(event)
            while (decision := decide(self.state)) is not None:
                await self._add(decision)
        return self

    async def _add(self, event: SessionEvent) -> None:
        decided = isinstance(event, _DECISIONS) or getattr(event, "runner", None) == ENGINE_AS_RUNNER
        origin = origin_of(event)
        envelope = Envelope(
            id=f"{self.key.session_id}-{self.state.position}",
            type=type_of(event),
            source=origin.source,
            time=rfc3339(self._clock.now()),
            actor=origin.actor,
            prev=self.state.last_sequence if decided else None,
            imported=self._imported,
        )
        sequence = await self._log.append(carrying(envelope, encode(event), subject_of(event, self.key)))
        [stored] = await self._log.record(sequence)
        self.state = evolve(self.state, decode(stored))
