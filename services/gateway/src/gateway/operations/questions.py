"""Questions to services that hold a fold: asked over core NATS, answered at once or not at all."""

from typing import Protocol

import msgspec

from agent_contracts.errors import Transient
from agent_contracts.json_value import Json
from agent_contracts.queries import (
    Answer,
    ForkCommand,
    ImportCommand,
    ModelCallQuery,
    ReplayQuery,
    SessionStateQuery,
)
from agent_contracts.subjects import query_subject
from agent_platform.nats.connection import Connection
from gateway.http.problems import Kind, ProblemError, kind_named

_ANSWER_S = 10.0
Query = SessionStateQuery | ModelCallQuery | ReplayQuery | ForkCommand | ImportCommand


class Questions(Protocol):
    """Somebody who answers."""

    async def ask(self, name: str, query: Query) -> Json:
        """The answer's value. A problem of the answer's kind, or `unavailable` if nobody answers."""
        ...


class NatsQuestions:
    """`Questions` over a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def ask(self, name: str, query: Query) -> Json:
        """Ask and wait; see the port."""
        try:
            reply = await self._connection.request(
                query_subject(name), msgspec.json.encode(query), timeout=_ANSWER_S
            )
        except Transient as failure:
            raise ProblemError(
                Kind.UNAVAILABLE, f"the session engine isn't answering ({failure.message}): is it running?"
            ) from failure
        answer = msgspec.json.decode(reply.data, type=Answer)
        if answer.error_kind is not None:
            raise ProblemError(
                kind_named(answer.error_kind) or Kind.INTERNAL, answer.error or answer.error_kind
            )
        return answer.value
