"""The part of a session engine that rewinds, for tests of the gateway: it decides at once, and completes what
has begun with the engine's own code."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityKind
from agent_contracts.log.record import session_subjects
from agent_contracts.log.record.records import StoredMessage, event_of
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.subjects import everyones_entities
from agent_contracts.session_events.decisions import Rewound
from agent_contracts.session_events.inputs import RewindRequested
from agent_domain.rewinding.database import DatabaseLog, ReadsDatabases
from agent_domain.rewinding.rewinds import Rewinds
from agent_platform.entities.entities import Entities
from agent_platform.log.port import Log
from agent_platform.process.clock import SystemClock
from foldline_testing.gateway.running import RunningGateway

_SOURCE = event_sources.ENGINE


class RewindingEngine:
    """Follows a log. `decided` writes a session's decision and returns its sequence."""

    def __init__(
        self, log: Log, runners: ReadsDatabases, decided: Callable[[SessionKey, Rewound], Awaitable[int]]
    ) -> None:
        self._log = log
        self._decided = decided
        self.decides = True
        self.rewinds = Rewinds(
            log,
            Entities(log, SystemClock(), _SOURCE),
            DatabaseLog(log, SystemClock(), _SOURCE, runners),
        )

    def start(self, after: int | None = None) -> None:
        """Work until `stop`."""
        self._running = asyncio.create_task(self.run(after))

    async def stop(self) -> None:
        """Stop working."""
        self._running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._running

    async def run(self, after: int | None = None) -> None:
        """Work until cancelled, on what comes after this event (None: from now on)."""
        subjects = ("ses.>", everyones_entities(EntityKind.REWIND))
        after = await self._log.last_sequence() if after is None else after
        async with contextlib.aclosing(self._log.tail(subjects, after=after)) as messages:
            async for message in messages:
                await self._handle(message)

    async def _handle(self, message: StoredMessage) -> None:
        recorded = event_of(message)
        if recorded is None:
            return
        if not message.subject.startswith("ses."):
            await self.rewinds.resume(message)
        elif isinstance(recorded.event, RewindRequested) and self.decides:
            session = session_subjects.parse_session_subject(message.subject).key
            asked = recorded.event
            decided = Rewound(asked.to, message.sequence, asked.parts, asked.including)
            sequence = await self._decided(session, decided)
            await self.rewinds.follow(session, sequence, decided)


def rewinding_engine(gateway: RunningGateway) -> RewindingEngine:
    """One that works over a running gateway's log."""

    async def decided(session: SessionKey, event: Rewound) -> int:
        return await gateway.decided(session.session_id, event)

    return RewindingEngine(gateway.log, gateway.deps.outside.runners, decided)
