"""A session's folded state, at any event."""

from typing import Annotated

import msgspec
from fastapi import Query, Response

from gateway.http.openapi_structs import described_by
from gateway.http.wire.parameters import At, SessionPath, Using
from gateway.http.wire.resource import resource

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
    at: At,
    messages: Annotated[
        int | None,
        Query(ge=0, le=1_000, description="Number of the newest messages. Left out: all."),
    ] = None,
) -> Response:
    """The session folded by the engine itself."""
    shown = await operations.folds.state(session_id, at, messages)
    return Response(msgspec.json.encode(shown), media_type="application/json")
