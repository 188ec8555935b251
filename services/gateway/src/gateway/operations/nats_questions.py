"""Questions to the session engine, and to schedulers, over core NATS: answered at once or not at all."""

import msgspec
from nats.aio.msg import Msg

from agent_contracts.errors import Failure, Permanent, Rejected, Transient
from agent_contracts.json_value import Json
from agent_contracts.log.subjects import query_subject
from agent_contracts.questions.queries import QueryAnswer
from agent_platform.nats.connection import NatsConnection
from gateway.operations.ports import Query

_ANSWER_S = 10.0
_BY_SCHEDULERS = "wake."
_ASKED_TIMES = 3
"""Of a scheduler, within that time. A server that is told of new credentials forgets who was about to answer
whom, and refuses the answer. To ask again is safe: a wake is delivered once."""
_REFUSALS = frozenset(
    {
        "not_found",
        "invalid_request",
        "invalid_id",
        "bad_text",
        "too_large",
        "session_closed",
        "conflict",
        "idempotency_mismatch",
        "erased",
        "bad_wake",
        "inbox_full",
        "rate_limited",
        "not_permitted",
        "quota_exceeded",
    }
)
"""Kinds of an answer that are the fault of whoever asked. Any other that doesn't pass is the engine's."""


class NatsQuestions:
    """`Questions` over a connection."""

    def __init__(self, connection: NatsConnection) -> None:
        self._connection = connection

    async def ask(self, name: str, query: Query) -> Json:
        """Ask and wait; see the port."""
        is_schedulers = name.startswith(_BY_SCHEDULERS)
        tries = _ASKED_TIMES if is_schedulers else 1
        try:
            reply = await self._reply(query_subject(name), msgspec.json.encode(query), tries)
        except Transient as failure:
            who = "scheduler" if is_schedulers else "session engine"
            raise Transient(f"The {who} isn't answering ({failure.message}): is it running?") from failure
        answer = msgspec.json.decode(reply.data, type=QueryAnswer)
        if answer.error_kind is not None:
            raise _failure(answer, answer.error_kind)
        return answer.value

    async def _reply(self, subject: str, question: bytes, tries: int) -> Msg:
        patience = _ANSWER_S / tries
        while True:
            try:
                return await self._connection.request(subject, question, timeout=patience)
            except Transient as failure:
                tries -= 1
                if tries == 0 or failure.kind != "timeout":
                    raise


def _failure(answer: QueryAnswer, kind: str) -> Failure:
    message = answer.error or kind
    if answer.passes:
        return Transient(message, kind=kind, retry_after=answer.retry_after_s)
    if kind in _REFUSALS:
        return Rejected(message, kind=kind)
    return Permanent(message, kind="internal")
