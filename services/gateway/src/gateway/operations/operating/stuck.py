"""Sessions that wait for what can't come: found, and put right by an event that says so."""

import asyncio

import msgspec

from agent_contracts.api.operating import Stuck
from agent_contracts.ids import SessionId
from agent_contracts.questions.queries import UNSTICK, UnstickCommand, UnstickReport
from agent_domain.sessions.directory import SessionDirectory
from gateway.operations.operating.dead_letters import DeadLetterBox
from gateway.operations.ports import Questions
from gateway.operations.sessions.projected_sessions import ProjectedSessions
from gateway.queries import cursors, waiting

_AT_ONCE = 8


class StuckSessions:
    """Asks the engine, session by session."""

    def __init__(
        self,
        directory: SessionDirectory,
        projected: ProjectedSessions,
        questions: Questions,
        letters: DeadLetterBox,
    ) -> None:
        self._directory = directory
        self._projected = projected
        self._questions = questions
        self._letters = letters

    async def find(self, older_than_s: float, cursor: str | None, limit: int) -> Stuck:
        """Of the sessions in which nothing happened for so many seconds, those that wait in vain."""
        after = cursors.read(cursor)
        async with self._projected.snapshot() as snapshot:
            candidates, next_cursor = await waiting.for_something(snapshot, older_than_s, after, limit)
        return await self._checked(candidates, older_than_s, next_cursor)

    async def of_one(self, session_id: SessionId, older_than_s: float) -> Stuck:
        """The same of one session, whatever the projections know of it."""
        return await self._checked([session_id], older_than_s, None)

    async def _checked(self, candidates: list[str], older_than_s: float, next_cursor: str | None) -> Stuck:
        turns = asyncio.Semaphore(_AT_ONCE)

        async def looked_at(session_id: str) -> UnstickReport:
            async with turns:
                return await self._ask(SessionId(session_id), older_than_s, act=False)

        found = await asyncio.gather(*map(looked_at, candidates))
        stuck = [one for one in found if any(wait.stuck is not False for wait in one.waits)]
        return Stuck(items=stuck, next_cursor=next_cursor, checked=len(found))

    async def unstick(self, session_id: SessionId, older_than_s: float) -> UnstickReport:
        """End what can't come. Where nothing is stuck, nothing happens."""
        return await self._ask(session_id, older_than_s, act=True)

    async def _ask(self, session_id: SessionId, older_than_s: float, *, act: bool) -> UnstickReport:
        await self._directory.find(session_id)
        given_up = await self._letters.given_up(session_id)
        command = UnstickCommand(session_id, older_than_s, given_up, act)
        return msgspec.convert(await self._questions.ask(UNSTICK, command), UnstickReport)
