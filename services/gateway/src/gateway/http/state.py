"""A session's folded state, at any event."""

from typing import Annotated

import msgspec
from fastapi import Query, Response

from gateway.http.openapi_structs import described_by
from gateway.http.parameters import MAX_SEQUENCE, SessionPath, Using
from gateway.http.resource import resource

router = resource("state")


@router.get(
    "/sessions/{session_id}/state",
    operation_id="getState",
    response_class=Response,
    responses={200: described_by("SessionView", "The session as it was then")},
)
async def get_state(
    operations: Using,
    session_id: SessionPath,
    at: Annotated[
        int | None, Query(ge=1, le=MAX_SEQUENCE, description="fold up to this log sequence; else up to now")
    ] = None,
) -> Response:
    """The session folded by the engine itself."""
    shown = await operations.folds.state(session_id, at)
    return Response(msgspec.json.encode(shown), media_type="application/json")
