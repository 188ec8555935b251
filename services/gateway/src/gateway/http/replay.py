"""Replay: what today's engine makes of a session's past."""

from fastapi import APIRouter
from pydantic import BaseModel, Field

from agent_contracts.queries import REPLAY, ReplayQuery
from gateway.deps import Deps, SessionPath, Using
from gateway.http.problems import Kind, ProblemError
from gateway.http.rewind_requests import Fork, Replay
from gateway.operations.asked import Asked, KeyHeader, asked
from gateway.operations.rewind import forks
from gateway.operations.rewind.safe_points import safe_point, state_at
from gateway.operations.rewind.views import Forked
from gateway.operations.sessions.directory import KnownSession

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


@router.post("/sessions/{session_id}/replay", operation_id="replaySession")
async def replay_session(
    deps: Using, session_id: SessionPath, body: Replay | None = None, key: KeyHeader = None
) -> ReplayReport | Forked:
    """Strictly: run today's engine over the recorded inputs and results, with no effect, and compare every
    decision. Live: make a fork in the middle of a turn, whose next model call really happens."""
    session = await deps.directory.find(session_id)
    body = body or Replay()
    if body.mode == "live":
        return await _live(deps, session, body, asked(key, body, session_id))
    if (body.at, body.model, body.title) != (None, None, None):
        raise ProblemError(Kind.INVALID_REQUEST, "only a live replay takes `at`, `model` and `title`")
    report = await deps.questions.ask(REPLAY, ReplayQuery(session_id=session_id))
    return ReplayReport.model_validate(report)


async def _live(deps: Deps, session: KnownSession, body: Replay, request: Asked) -> Forked:
    if body.at is None:
        raise ProblemError(Kind.INVALID_REQUEST, "a live replay needs `at`: the event it begins after")
    point = await safe_point(deps, session.session_id, body.at)
    if not forks.goes_on(await state_at(deps, session.session_id, point.at)):
        raise ProblemError(
            Kind.INVALID_REQUEST,
            f"no turn was going on after event {point.at}, so nothing would be asked: name one in a turn",
        )
    return await forks.fork(deps, session, Fork(at=body.at, model=body.model, title=body.title), request)
