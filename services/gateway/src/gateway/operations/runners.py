"""What runners do for people: call functions, check definitions, read databases."""

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from agent_contracts.blob_ref import BlobRef
from agent_contracts.errors import ErrorKind, ToolError, Transient
from agent_contracts.function_calls import CALL_FUNCTION, FunctionCall
from agent_contracts.json_value import Json
from agent_contracts.session_events.results import Usage
from agent_contracts.subjects import query_subject
from agent_contracts.user_questions import (
    CHECK_DEFINITION,
    READ_DATABASE,
    CheckDefinition,
    ReadDatabase,
    ToolAnswer,
)
from agent_platform.blobs.port import Blobs
from agent_platform.nats.connection import Connection
from agent_platform.nats.long_answers import ask_patiently
from gateway.http.problems import Kind, ProblemError
from gateway.operations.asked import Asked

_OF_CALLS = {
    ErrorKind.NOT_FOUND: Kind.NOT_FOUND,
    ErrorKind.INVALID_ARGUMENTS: Kind.INVALID_REQUEST,
    ErrorKind.DISABLED_TOOL: Kind.CONFLICT,
    ErrorKind.TIMEOUT: Kind.UNAVAILABLE,
    ErrorKind.INTERNAL: Kind.INTERNAL,
    ErrorKind.OUTCOME_UNKNOWN: Kind.INTERNAL,
}
"""Errors of a call that aren't the code's own; any other is `code_failed`."""
_OF_QUESTIONS = {
    ErrorKind.TOO_LARGE: Kind.TOO_LARGE,
    ErrorKind.INTERNAL: Kind.INTERNAL,
}
"""Errors of a question; any other is the fault of who asked."""


class Called(msgspec.Struct, frozen=True):
    """What a function returned, and what it asked of models."""

    result: Json
    usage: Usage | None


class Runners(Protocol):
    """Whichever tool runner is there. Without one each of these is a problem that says so, `unavailable`."""

    async def call(self, called: FunctionCall, request: Asked) -> Called:
        """What the function returned. A problem that says why it didn't.

        A call under the key of an earlier `request` gets that one's answer.
        """
        ...

    async def check(self, asked: CheckDefinition) -> Json:
        """The definition as it is to be stored. A problem that says what is wrong with it, and where."""
        ...

    async def read(self, asked: ReadDatabase) -> Json:
        """What the agent's tool returns. A problem for a statement that is wrong, writes, or takes long."""
        ...


class NatsRunners:
    """`Runners` over a connection."""

    def __init__(self, connection: Connection, blobs: Blobs) -> None:
        self._connection = connection
        self._blobs = blobs

    async def call(self, called: FunctionCall, request: Asked) -> Called:
        """See the port."""
        answer = await self._ask(CALL_FUNCTION, called, "the function may have run or not")
        if answer.request is not None:
            request.check_same(answer.request)
        if answer.error is not None:
            raise _call_failed(answer.error, answer.usage)
        return Called(await self._result(answer), answer.usage)

    async def check(self, asked: CheckDefinition) -> Json:
        """See the port."""
        return await self._answered(await self._ask(CHECK_DEFINITION, asked, "nothing was stored"))

    async def read(self, asked: ReadDatabase) -> Json:
        """See the port."""
        return await self._answered(await self._ask(READ_DATABASE, asked, "try again"))

    async def _ask(self, name: str, question: msgspec.Struct, silent: str) -> ToolAnswer:
        try:
            reply = await ask_patiently(self._connection, query_subject(name), msgspec.json.encode(question))
        except Transient as failure:
            if failure.kind == "no_responders":
                raise ProblemError(
                    Kind.UNAVAILABLE, "no tool runner is there, so nothing was done: is one running?"
                ) from failure
            message = f"the tool runner fell silent ({failure.message}); {silent}"
            raise ProblemError(Kind.INTERNAL, message) from failure
        return msgspec.json.decode(reply, type=ToolAnswer)

    async def _answered(self, answer: ToolAnswer) -> Json:
        if answer.error is not None:
            raise _refused(answer.error)
        return await self._result(answer)

    async def _result(self, answer: ToolAnswer) -> Json:
        return await self._whole(answer.blob) if answer.blob else answer.result

    async def _whole(self, blob: BlobRef) -> Json:
        whole: Json = msgspec.json.decode(await self._blobs.get(blob.sha256))
        return whole


def _call_failed(error: ToolError, usage: Usage | None) -> ProblemError:
    kind = _OF_CALLS.get(error.kind, Kind.CODE_FAILED)
    if error.kind is ErrorKind.TIMEOUT and error.details is not None:
        kind = Kind.CODE_FAILED  # the code's own limit of time
    told = {"error": msgspec.to_builtins(error)} if kind is Kind.CODE_FAILED else {}
    spent = {"usage": msgspec.to_builtins(usage)} if usage is not None else {}
    return ProblemError(kind, error.message, extra=_located(error) | told | spent)


def _refused(error: ToolError) -> ProblemError:
    kind = _OF_QUESTIONS.get(error.kind, Kind.INVALID_REQUEST)
    if error.retryable and kind is Kind.INTERNAL:
        kind = Kind.UNAVAILABLE
    details: Mapping[str, Any] = error.details or {}
    where = {name: details[name] for name in ("line", "column") if name in details}
    return ProblemError(kind, error.message, extra=_located(error) | where)


def _located(error: ToolError) -> dict[str, Any]:
    return {} if error.path is None else {"path": error.path}
