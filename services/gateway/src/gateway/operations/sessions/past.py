"""A session's earlier states, and where one can go back to: never between a call and its results."""

import msgspec

from agent_contracts.errors import Rejected
from agent_contracts.ids import SessionId
from agent_contracts.log.address import Address
from agent_contracts.questions.queries import SESSION_STATE, SessionStateQuery
from agent_contracts.sessions.session_view import SessionView
from agent_platform.log.port import Log
from gateway.operations.ports import Questions


class SafePoint(msgspec.Struct, frozen=True):
    """A record that one can go back to, and the session's fold at the event that was asked for.

    What is gone back to is the last moment in the record at which no call of the session was open.
    """

    at: int
    asked_for: SessionView


class Past:
    """Asks the session engine for it."""

    def __init__(self, log: Log, questions: Questions) -> None:
        self._log = log
        self._questions = questions

    async def state(
        self, session_id: SessionId, at: Address | None = None, messages: int | None = None
    ) -> SessionView:
        """The session folded up to `at` (None: now), with the newest so many messages (None: all).

        `Rejected`: `not_found` if it began after it, `invalid_request` if the log hasn't come that far.
        """
        newest = await self._log.last_sequence() if at is not None else 0
        if at is not None and at.sequence > newest:
            raise Rejected(f"There is no event {at} yet: the newest is {newest}", kind="invalid_request")
        sequence, part = (at.sequence, at.part) if at is not None else (None, None)
        query = SessionStateQuery(session_id=session_id, at=sequence, part=part, messages=messages)
        answer = await self._questions.ask(SESSION_STATE, query)
        return msgspec.convert(answer, SessionView)

    async def safe_point(self, session_id: SessionId, at: Address) -> SafePoint:
        """The record of `at`, or the last one before it, in which there is a moment without an open call."""
        state = await self.state(session_id, at)
        rests = state.rest_at == state.last_sequence
        return SafePoint(at.sequence if rests else state.rest_at, state)
