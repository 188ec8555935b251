"""A session's folded state, at any event."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Response

from gateway.deps import MAX_SEQUENCE, SessionPath, Using
from gateway.http.openapi_structs import described_by
from gateway.operations.rewind.safe_points import state_at

router = APIRouter(tags=["state"])


@router.get(
    "/sessions/{session_id}/state",
    operation_id="getState",
    response_class=Response,
    responses={200: described_by("SessionView", "The session as it was then")},
)
async def get_state(
    deps: Using,
    session_id: SessionPath,
    at: Annotated[
        int | None, Query(ge=1, le=MAX_SEQUENCE, description="fold up to this log sequence; else up to now")
    ] = None,
) -> Response:
    """The session folded by the engine itself."""
    known = await deps.directory.find(session_id)
    shown = await state_at(deps, known.session_id, at)
    return Response(msgspec.json.encode(shown), media_type="application/json")
