"""Answers from the fold, over core NATS request/reply."""

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol

import msgspec
import structlog

from agent_contracts.errors import Failure, Rejected
from agent_contracts.ids import SessionId, check_id
from agent_contracts.json_value import Json
from agent_contracts.log import subjects
from agent_contracts.log.address import Address
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.questions.queries import (
    FORK,
    HANDLE_AGAIN,
    IMPORT,
    MODEL_CALL,
    REPLAY,
    SESSION_STATE,
    UNSTICK,
    ForkCommand,
    HandleAgainCommand,
    ImportCommand,
    ModelCallQuery,
    QueryAnswer,
    ReplayQuery,
    SessionStateQuery,
    UnstickCommand,
)
from agent_platform.log.port import Log
from session_domain.domain.state import SessionState
from session_domain.folding import fold_message
from session_domain.replay import replay
from session_domain.sessions import FoldedSessions, key_of
from session_engine.answering.views import session_view
from session_engine.imports.imports import ImportRunner
from session_engine.neighbours.forks import ForkMaker
from session_engine.repairing.redelivery import Redelivery
from session_engine.repairing.session_unsticker import SessionUnsticker

log = structlog.get_logger()

Responder = Callable[[bytes], Awaitable[bytes]]
"""Takes a question's body and gives the answer's."""


def responder(respond: Callable[[bytes], Awaitable[Json]]) -> Responder:
    """Answers with what `respond` gives, or why it didn't."""

    async def answer(data: bytes) -> bytes:
        try:
            given = QueryAnswer(value=await respond(data))
        except msgspec.DecodeError as error:
            given = QueryAnswer(error_kind="invalid_request", error=str(error))
        except Failure as failure:
            given = QueryAnswer.refused(failure)
        except Exception:
            log.exception("query.failed")
            given = QueryAnswer(error_kind="internal", error="the session engine failed; its log says why")
        return msgspec.json.encode(given)

    return answer


class ModelCalls(Protocol):
    """Shows exactly what a model saw and said."""

    async def show(self, session: SessionKey, query: ModelCallQuery) -> dict[str, Json]:
        """The call as JSON: request (model, messages, tools), answer, timings; `Rejected` if none."""
        ...


@dataclass(frozen=True)
class Repairs:
    """What puts right what went wrong."""

    again: Redelivery
    unsticking: SessionUnsticker


class Queries:
    """The questions that the session engine answers, each by its subject."""

    def __init__(  # noqa: PLR0913 what it answers from, and one of each that it may be told to do
        self,
        events: Log,
        sessions: FoldedSessions,
        model_calls: ModelCalls,
        forks: ForkMaker,
        imports: ImportRunner,
        repairs: Repairs,
    ) -> None:
        self._repairs = repairs
        self._forks = forks
        self._imports = imports
        self._events = events
        self._sessions = sessions
        self._model_calls = model_calls

    def responders(self) -> dict[str, Responder]:
        """Subject to responder."""
        return {
            subjects.query_subject(HANDLE_AGAIN): responder(self._handle_again),
            subjects.query_subject(UNSTICK): responder(self._unstick),
            subjects.query_subject(SESSION_STATE): responder(self._state),
            subjects.query_subject(MODEL_CALL): responder(self._model_call),
            subjects.query_subject(REPLAY): responder(self._replay),
            subjects.query_subject(FORK): responder(self._fork),
            subjects.query_subject(IMPORT): responder(self._import),
        }

    async def _state(self, data: bytes) -> Json:
        query = msgspec.json.decode(data, type=SessionStateQuery)
        session = await self._key_of(query.session_id)
        if query.at is None:
            return msgspec.to_builtins(
                session_view(await self._sessions.newest(session), query.messages, query.beginnings)
            )
        at = Address(query.at, query.part)
        state = await self._sessions.at(session, at.complete)
        if at.part is not None:
            state = await self._folded_into(session, state, at)
        if state.position == 0:
            raise Rejected(f"the session began after event {at}", kind="not_found")
        return msgspec.to_builtins(session_view(state, query.messages, query.beginnings))

    async def _folded_into(self, session: SessionKey, state: SessionState, at: Address) -> SessionState:
        """`state`, which is all before the record of `at`, folded on over that record's events up to `at`."""
        record = self._events.read(session.everything, after=at.complete, up_to=at.sequence)
        async with aclosing(record) as events:  # type: ignore[type-var]
            async for event in events:
                if event.address.place > at.end:
                    break
                state = await fold_message(self._events, state, event)
        return state

    async def _model_call(self, data: bytes) -> Json:
        query = msgspec.json.decode(data, type=ModelCallQuery)
        return await self._model_calls.show(await self._key_of(query.session_id), query)

    async def _replay(self, data: bytes) -> Json:
        query = msgspec.json.decode(data, type=ReplayQuery)
        session = await self._key_of(query.session_id)
        return msgspec.to_builtins(await replay(self._events, session))

    async def _fork(self, data: bytes) -> Json:
        command = msgspec.json.decode(data, type=ForkCommand)
        return await self._forks.fork(await self._key_of(command.session_id), command)

    async def _import(self, data: bytes) -> Json:
        return await self._imports.go_on(msgspec.json.decode(data, type=ImportCommand))

    async def _handle_again(self, data: bytes) -> Json:
        await self._repairs.again.handle(msgspec.json.decode(data, type=HandleAgainCommand))
        return None

    async def _unstick(self, data: bytes) -> Json:
        command = msgspec.json.decode(data, type=UnstickCommand)
        session = await self._key_of(command.session_id)
        return msgspec.to_builtins(await self._repairs.unsticking.look(session, command))

    async def _key_of(self, session_id: SessionId) -> SessionKey:
        check_id(session_id, "session id")
        key = await key_of(self._events, session_id)
        if key is None:
            raise Rejected(f"there is no session {session_id}", kind="not_found")
        return key
