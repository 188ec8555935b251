"""Questions to tool runners over core NATS: call functions, check definitions, read databases."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
from nats.aio.msg import Msg

from agent_contracts.blob_ref import BlobRef
from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind, Failure, Permanent, Rejected, ToolError, Transient
from agent_contracts.ids import CallId
from agent_contracts.json_value import Json
from agent_contracts.log.subjects import progress_subject, query_subject
from agent_contracts.questions.function_calls import CALL_FUNCTION, FunctionCall, Progress
from agent_contracts.questions.user_questions import (
    CHECK_DEFINITION,
    FETCH_PICTURE,
    READ_DATABASE,
    TRY_DELEGATE,
    CheckDefinition,
    FetchedPicture,
    FetchPicture,
    ReadDatabase,
    TryDelegate,
)
from agent_contracts.session_events.results import Usage
from agent_platform.log.blobs.port import Blobs
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.long_answers import ask_patiently
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.ports import FunctionOutput, Tell


class NatsRunners:
    """`Runners` over a connection."""

    def __init__(self, connection: NatsConnection, blobs: Blobs) -> None:
        self._connection = connection
        self._blobs = blobs

    async def call(
        self, called: FunctionCall, request: IdempotentRequest, tell: Tell | None = None
    ) -> FunctionOutput:
        """See the port."""
        asked = msgspec.structs.replace(called, tells_progress=tell is not None)
        async with self._hearing(called.call_id, tell):
            answer = await self._ask(CALL_FUNCTION, asked, "the function may or may not have run")
        if answer.request is not None:
            request.check_same(answer.request)
        if answer.error is not None:
            raise _call_failed(answer.error, answer.usage)
        return FunctionOutput(await self._result(answer), answer.usage)

    async def try_out(self, called: FunctionCall, request: IdempotentRequest) -> ToolAnswer:
        """See the port."""
        answer = await self._ask(CALL_FUNCTION, called, "the test run may or may not have changed something")
        if answer.request is not None:
            request.check_same(answer.request)
        if answer.error is not None and answer.ms is None:
            raise _call_failed(answer.error, answer.usage)
        return msgspec.structs.replace(answer, result=await self._result(answer), blob=None)

    async def check(self, asked: CheckDefinition) -> Json:
        """See the port."""
        return await self._answered(await self._ask(CHECK_DEFINITION, asked, "nothing was stored"))

    async def read(self, asked: ReadDatabase) -> Json:
        """See the port."""
        return await self._answered(await self._ask(READ_DATABASE, asked, "try again"))

    async def picture(self, asked: FetchPicture) -> FetchedPicture:
        """See the port."""
        answer = await self._ask(FETCH_PICTURE, asked, "try again")
        return msgspec.convert(await self._answered(answer), FetchedPicture)

    async def try_delegate(self, asked: TryDelegate) -> str:
        """See the port."""
        answer = await self._ask(TRY_DELEGATE, asked, "the delegate may have been asked")
        return str(await self._answered(answer))

    @asynccontextmanager
    async def _hearing(self, call_id: CallId, tell: Tell | None) -> AsyncIterator[None]:
        if tell is None:
            yield
            return

        async def heard(message: Msg) -> None:
            await tell(msgspec.json.decode(message.data, type=Progress))

        subscription = await self._connection.subscribe(progress_subject(call_id), heard)
        try:
            yield
        finally:
            await self._connection.drain(subscription)  # what was told before the answer

    async def _ask(self, name: str, question: msgspec.Struct, silent: str) -> ToolAnswer:
        try:
            reply = await ask_patiently(self._connection, query_subject(name), msgspec.json.encode(question))
        except Transient as failure:
            if failure.kind == "no_responders":
                raise Transient(
                    "No tool runner is available, so nothing was done: is one running?"
                ) from failure
            message = f"The tool runner stopped answering ({failure.message}); {silent}"
            raise Permanent(message, kind="internal") from failure
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


def _call_failed(error: ToolError, usage: Usage | None) -> Failure:
    """Errors of a call that aren't the code's own; any other is `code_failed`."""
    spent: dict[str, Json] = {} if usage is None else {"usage": msgspec.to_builtins(usage)}
    details = _located(error) | spent
    match error.kind:
        case ErrorKind.NOT_FOUND:
            return Rejected(error.message, kind="not_found", details=details)
        case ErrorKind.INVALID_ARGUMENTS:
            at: dict[str, Json] = {"path": f"/arguments{error.path or ''}"}
            return Rejected(error.message, kind="invalid_request", details=details | at)
        case ErrorKind.APPROVAL_NEEDED if error.details is not None:
            asked: dict[str, Json] = {"asked": error.details}
            return Rejected(error.message, kind="approval_needed", details=asked | spent)
        case ErrorKind.DISABLED_TOOL:
            return Rejected(error.message, kind="conflict", details=details)
        case ErrorKind.TIMEOUT if error.details is None:  # with details it is the code's own limit of time
            return Transient(error.message, details=details)
        case ErrorKind.INTERNAL | ErrorKind.OUTCOME_UNKNOWN:
            return Permanent(error.message, kind="internal", details=details)
        case _:
            told: dict[str, Json] = {"error": msgspec.to_builtins(error)}
            return Rejected(error.message, kind="code_failed", details=_located(error) | told | spent)


def _refused(error: ToolError) -> Failure:
    """Errors of a question: mostly the fault of whoever asked."""
    given = error.details or {}
    details = _located(error) | {name: given[name] for name in ("line", "column") if name in given}
    match error.kind:
        case ErrorKind.TOO_LARGE:
            return Rejected(error.message, kind="too_large", details=details)
        case ErrorKind.CONFLICT:
            return Rejected(error.message, kind="conflict", details=details)
        case ErrorKind.INTERNAL if error.retryable:
            return Transient(error.message, details=details)
        case ErrorKind.INTERNAL:
            return Permanent(error.message, kind="internal", details=details)
        case _:
            return Rejected(error.message, kind="invalid_request", details=details)


def _located(error: ToolError) -> dict[str, Json]:
    return {} if error.path is None else {"path": error.path}
