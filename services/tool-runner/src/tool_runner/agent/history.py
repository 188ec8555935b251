"""What was said in an agent's other sessions: asked of the projectors over NATS."""

from typing import Protocol

import msgspec

from agent_contracts.errors import ErrorKind, Permanent, Transient
from agent_contracts.log.subjects import query_subject
from agent_contracts.questions.history_search import (
    SEARCH_HISTORY,
    HistoryAnswer,
    HistoryHit,
    SearchHistory,
)
from agent_platform.nats.connection import NatsConnection

_ANSWER_S = 15.0


class HistorySearch(Protocol):
    """Where the past is searched."""

    async def search(self, asked: SearchHistory) -> tuple[HistoryHit, ...]:
        """The places, newest first. `Permanent(kind="upstream")` where nobody can look now."""
        ...


class NatsHistory:
    """Asks whichever projector is free."""

    def __init__(self, connection: NatsConnection) -> None:
        self._connection = connection

    async def search(self, asked: SearchHistory) -> tuple[HistoryHit, ...]:
        """See `HistorySearch`."""
        question = msgspec.json.encode(asked)
        try:
            reply = await self._connection.request(query_subject(SEARCH_HISTORY), question, timeout=_ANSWER_S)
        except Transient as error:
            raise Permanent(
                "what was said in other sessions can't be searched now: no projector answers "
                f"({error.message}). Nothing is lost; try again later",
                kind=ErrorKind.UPSTREAM,
            ) from error
        answer = msgspec.json.decode(reply.data, type=HistoryAnswer)
        if answer.error is not None:
            raise Permanent(answer.error, kind=ErrorKind.UPSTREAM)
        return answer.found
