"""Replay: what today's engine makes of a session's past."""

import msgspec

from agent_contracts.api.sessions import ForkedSession
from agent_contracts.errors import Rejected
from agent_contracts.ids import SessionId
from agent_contracts.log.address import Address
from agent_contracts.questions.queries import REPLAY, ReplayQuery, ReplayReport
from agent_contracts.sessions.session_view import SessionView
from agent_domain.sessions.directory import SessionDirectory
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.ports import Questions
from gateway.operations.rewind.forks import NewFork, SessionForks
from gateway.operations.sessions.past_sessions import PastSessions


class Replays:
    """Replays sessions. `Rejected(kind="not_found")` where there is no such session."""

    def __init__(
        self, directory: SessionDirectory, questions: Questions, past: PastSessions, forks: SessionForks
    ) -> None:
        self._directory = directory
        self._questions = questions
        self._past = past
        self._forks = forks

    async def strict(self, session_id: SessionId) -> ReplayReport:
        """Run today's engine over the recorded inputs and results, with no effect, and compare every
        decision."""
        await self._directory.find(session_id)
        report = await self._questions.ask(REPLAY, ReplayQuery(session_id=session_id))
        return msgspec.convert(report, ReplayReport)

    async def live(self, session_id: SessionId, new: NewFork, request: IdempotentRequest) -> ForkedSession:
        """Make a fork in the middle of a turn, whose next model call really happens.

        `Rejected(kind="invalid_request")` if no turn was going on at `new.at`.
        """
        await self._directory.find(session_id)
        point = await self._past.safe_point(session_id, new.at)
        if not _goes_on(await self._past.state(session_id, Address(point), messages=1)):
            raise Rejected(
                f"No turn was going on after event {point}, so nothing would be asked: name one in a turn",
                kind="invalid_request",
            )
        return await self._forks.fork(session_id, new, request)


def _goes_on(state: SessionView) -> bool:
    """Whether a fork made where this state rests would ask the model again by itself."""
    if any(not message.quiet for message in state.queue):
        return True
    if state.status != "running" or not state.messages:
        return False
    last = state.messages[-1]
    return last.role == "user" or bool(last.tool_calls)
