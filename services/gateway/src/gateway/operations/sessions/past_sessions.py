"""A session's earlier states, and where one can go back to: never between a call and its results."""

import msgspec

from agent_contracts.errors import Rejected
from agent_contracts.ids import SessionId
from agent_contracts.log.address import Address
from agent_contracts.questions.queries import SESSION_STATE, SessionStateQuery
from agent_contracts.sessions.session_view import SessionView
from agent_platform.log.port import Log
from gateway.operations.ports import Questions


class PastSessions:
    """Asks the session engine for it."""

    def __init__(self, log: Log, questions: Questions) -> None:
        self._log = log
        self._questions = questions

    async def state(
        self,
        session_id: SessionId,
        at: Address | None = None,
        messages: int | None = None,
        *,
        beginnings: int | None = None,
    ) -> SessionView:
        """The session folded up to `at` (None: now), with the newest so many messages (None: all), or of each
        so many characters.

        `Rejected`: `not_found` if it began after it, `invalid_request` if the log hasn't come that far,
        `too_large` for more than can be told at once.
        """
        newest = await self._log.last_sequence() if at is not None else 0
        if at is not None and at.sequence > newest:
            raise Rejected(f"There is no event {at} yet: the newest is {newest}", kind="invalid_request")
        sequence, part = (at.sequence, at.part) if at is not None else (None, None)
        query = SessionStateQuery(session_id, sequence, part, messages, beginnings)
        answer = await self._questions.ask(SESSION_STATE, query)
        return msgspec.convert(answer, SessionView)

    async def safe_point(self, session_id: SessionId, at: Address) -> int:
        """The record of `at`, or the last one before it, in which there is a moment without an open call: one
        goes back to the last such moment in it."""
        state = await self.state(session_id, at, messages=0, beginnings=0)
        return at.sequence if state.rest_sequence == state.last_sequence else state.rest_sequence
