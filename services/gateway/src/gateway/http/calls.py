"""One call of a session: of a tool, or of the model."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Response

from agent_contracts.ids import CallId
from agent_contracts.queries import MODEL_CALL, ModelCallQuery
from gateway.deps import CallPath, MinSequence, SessionPath, Using
from gateway.http.problems import Kind, ProblemError
from gateway.queries import calls
from gateway.queries.checkpoint import wait_for
from gateway.queries.views import ModelCall, ToolCall

router = APIRouter(tags=["calls"])

_WHICH = "its number in the session, from 1, or its id"


@router.get("/sessions/{session_id}/calls/{call_id}", operation_id="getCall")
async def get_call(
    deps: Using, session_id: SessionPath, call_id: CallPath, min_sequence: MinSequence = None
) -> ToolCall:
    """A tool call: arguments, result, attempts, runner, timings."""
    await deps.directory.find(session_id)
    await wait_for(deps.database, min_sequence, deps.settings.projection_wait_s)
    async with deps.database.snapshot() as snapshot:
        call = await calls.one(snapshot, session_id, call_id)
    if call is None:
        raise ProblemError(Kind.NOT_FOUND, f"session {session_id} has no call {call_id}")
    return call


@router.get(
    "/sessions/{session_id}/model-calls/{call}", operation_id="getModelCall", response_model=ModelCall
)
async def get_model_call(
    deps: Using,
    session_id: SessionPath,
    call: Annotated[
        str,
        Path(pattern="^([1-9][0-9]{0,8}|[A-Za-z][A-Za-z0-9_-]{0,63})$", description=_WHICH),
    ],
) -> Response:
    """Exactly what the model saw and said."""
    await deps.directory.find(session_id)
    number, call_id = (int(call), None) if call.isdecimal() else (None, CallId(call))
    query = ModelCallQuery(session_id=session_id, call_id=call_id, number=number)
    shown = await deps.questions.ask(MODEL_CALL, query)
    return Response(msgspec.json.encode(shown), media_type="application/json")
