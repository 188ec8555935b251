"""One call of a session: of a tool, or of the model."""

from typing import Annotated

import msgspec
from fastapi import Path, Response
from pydantic import ConfigDict

from agent_contracts.ids import CallId
from gateway.http.parameters import CallPath, MinSequence, SessionPath, Using
from gateway.http.resource import resource
from gateway.queries.call_views import ToolCall
from gateway.queries.view import View

router = resource("calls")

_WHICH = "its number in the session, from 1, or its id"


class ModelCall(View):
    """Exactly what the model saw and said, as the session engine rebuilds it from the log."""

    model_config = ConfigDict(frozen=True, extra="allow")


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
