"""Calls of agents' functions: asked of the runners, and their answers as results or problems."""

from typing import Protocol

import msgspec

from agent_contracts.blob_ref import BlobRef
from agent_contracts.errors import ErrorKind, ToolError, Transient
from agent_contracts.function_calls import CALL_FUNCTION, FunctionAnswer, FunctionCall
from agent_contracts.json_value import Json
from agent_contracts.subjects import query_subject
from agent_platform.blobs import Blobs
from agent_platform.connection import Connection
from agent_platform.long_answers import ask_patiently
from gateway.idempotency import Asked
from gateway.problems import Kind, ProblemError

_KINDS = {
    ErrorKind.NOT_FOUND: Kind.NOT_FOUND,
    ErrorKind.INVALID_ARGUMENTS: Kind.INVALID_REQUEST,
    ErrorKind.DISABLED_TOOL: Kind.CONFLICT,
    ErrorKind.TIMEOUT: Kind.UNAVAILABLE,
    ErrorKind.INTERNAL: Kind.INTERNAL,
    ErrorKind.OUTCOME_UNKNOWN: Kind.INTERNAL,
}
"""Errors that aren't the code's own; any other is `code_failed`."""


class Functions(Protocol):
    """Where functions are called."""

    async def call(self, called: FunctionCall, request: Asked) -> Json:
        """What the function returned. A problem that says why it didn't, `unavailable` without a runner.

        A call under the key of an earlier `request` gets that one's answer."""
        ...


class NatsFunctions:
    """`Functions` run by whichever runner is there."""

    def __init__(self, connection: Connection, blobs: Blobs) -> None:
        self._connection = connection
        self._blobs = blobs

    async def call(self, called: FunctionCall, request: Asked) -> Json:
        """See the port."""
        question = msgspec.json.encode(called)
        try:
            reply = await ask_patiently(self._connection, query_subject(CALL_FUNCTION), question)
        except Transient as failure:
            if failure.kind == "no_responders":
                raise ProblemError(
                    Kind.UNAVAILABLE, "no tool runner is there, so the function did not run: is one running?"
                ) from failure
            raise ProblemError(
                Kind.INTERNAL, f"the runner fell silent ({failure.message}); the function may have run or not"
            ) from failure
        answer = msgspec.json.decode(reply, type=FunctionAnswer)
        if answer.request is not None:
            request.check_same(answer.request)
        if answer.error is not None:
            raise _problem(answer.error)
        return await self._whole(answer.blob) if answer.blob else answer.result

    async def _whole(self, blob: BlobRef) -> Json:
        whole: Json = msgspec.json.decode(await self._blobs.get(blob.sha256))
        return whole


def _problem(error: ToolError) -> ProblemError:
    kind = _KINDS.get(error.kind, Kind.CODE_FAILED)
    if error.kind is ErrorKind.TIMEOUT and error.details is not None:
        kind = Kind.CODE_FAILED  # the code's own limit of time
    told = {"error": msgspec.to_builtins(error)} if kind is Kind.CODE_FAILED else {}
    if error.path is not None:
        told["path"] = error.path
    return ProblemError(kind, error.message, extra=told)
