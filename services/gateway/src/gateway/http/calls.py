"""One call of a session: of a tool, or of the model."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Response

from agent_contracts.queries import MODEL_CALL, ModelCallQuery
from gateway.deps import CallPath, MinSequence, SessionPath, Using
from gateway.problems import Kind, ProblemError
from gateway.queries import calls
from gateway.queries.checkpoint import wait_for
from gateway.views import ModelCall, ToolCall

router = APIRouter(tags=["calls"])


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
    "/sessions/{session_id}/model-calls/{number}", operation_id="getModelCall", response_model=ModelCall
)
async def get_model_call(
    deps: Using,
    session_id: SessionPath,
    number: Annotated[int, Path(ge=1, le=10**9, description="in the session, from 1")],
) -> Response:
    """Exactly what the model saw and said."""
    await deps.directory.find(session_id)
    shown = await deps.questions.ask(MODEL_CALL, ModelCallQuery(session_id=session_id, number=number))
    return Response(msgspec.json.encode(shown), media_type="application/json")
