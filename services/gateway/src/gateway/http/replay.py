"""Rewind: what can be done with a session's past."""

import msgspec
from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from agent_contracts.queries import REPLAY, ReplayQuery
from gateway.deps import SessionPath, Using

router = APIRouter(tags=["rewind"])


class ReplayDifference(BaseModel):
    """The first decision that today's engine makes differently."""

    sequence: int
    recorded: dict[str, object] | None = None
    decided: dict[str, object] | None = None
    problem: str | None = Field(default=None, description="the events can't be folded at all")


class ReplayReport(BaseModel):
    """What strict replay found."""

    session_id: str
    events: int
    decisions: int
    difference: ReplayDifference | None = None


@router.post("/sessions/{session_id}/replay", operation_id="replaySession", response_model=ReplayReport)
async def replay_session(deps: Using, session_id: SessionPath) -> Response:
    """Run today's engine over the recorded inputs and results, with no effect; compare every decision."""
    await deps.directory.find(session_id)
    report = await deps.questions.ask(REPLAY, ReplayQuery(session_id=session_id))
    return Response(msgspec.json.encode(report), media_type="application/json")
