"""One call of a session: of a tool, or of the model."""

from typing import Annotated, Any

import msgspec
from fastapi import Path, Response
from pydantic import ConfigDict, Field

from agent_contracts.ids import CallId, SessionId
from gateway.http.wire.parameters import CallPath, MinSequence, SessionPath, Using
from gateway.http.wire.resource import resource
from gateway.queries.call_views import ToolCall
from gateway.queries.view import View

router = resource("calls")

_WHICH = "its number in the session, from 1, or its id"


class ModelCall(View):
    """Exactly what the model saw and said, as the session engine rebuilds it from the log."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    session_id: SessionId
    call_id: CallId
    number: int = Field(description="of the session's model calls, from 1")
    requested_sequence: int
    requested_at: str
    result_sequence: int | None = Field(description="null while the call runs")
    finished_at: str | None
    request: dict[str, Any] | None = Field(
        description="as it was sent: model, messages, tools; null where the call runs, or sent nothing"
    )
    parts: list[dict[str, Any]] = Field(
        description="what the request's messages are, in order: each has a `kind` (`system`, `message`, "
        "`summary`, `added`), parts of the system prompt their `name` and `text`, others the `count` of "
        "messages, and the `sequence` of their event or the `sequence`s that they hide (`hides`)"
    )
    answer: dict[str, Any] | None = Field(description="as its event has it; null for a call without one")
    error: dict[str, Any] | None = Field(description="as its event has it, where the call failed")


@router.get("/sessions/{session_id}/calls/{call_id}", operation_id="getCall")
async def get_call(
    operations: Using, session_id: SessionPath, call_id: CallPath, min_sequence: MinSequence = None
) -> ToolCall:
    """A tool call: arguments, result, attempts, runner, timings."""
    return await operations.reading.call(session_id, call_id, min_sequence)


@router.get(
    "/sessions/{session_id}/model-calls/{call}", operation_id="getModelCall", response_model=ModelCall
)
async def get_model_call(
    operations: Using,
    session_id: SessionPath,
    call: Annotated[
        str,
        Path(pattern="^([1-9][0-9]{0,8}|[A-Za-z][A-Za-z0-9_-]{0,63})$", description=_WHICH),
    ],
) -> Response:
    """Exactly what the model saw and said."""
    which = int(call) if call.isdecimal() else CallId(call)
    shown = await operations.folds.model_call(session_id, which)
    return Response(msgspec.json.encode(shown), media_type="application/json")
