"""Replay: what today's engine makes of a session's past."""

from agent_contracts.api.rewinds import address_of
from agent_contracts.api.sessions import ForkedSession, Replay
from agent_contracts.errors import Rejected
from agent_contracts.questions.queries import ReplayReport
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import SessionPath, Using
from gateway.http.wire.resource import resource
from gateway.operations.rewind.forks import NewFork

router = resource("rewind")


@router.post("/sessions/{session_id}:replay", operation_id="replaySession")
async def replay_session(
    operations: Using, session_id: SessionPath, body: Replay | None = None, key: KeyHeader = None
) -> ReplayReport | ForkedSession:
    """Strictly: run today's engine over the recorded inputs and results, with no effect, and compare every
    decision. Live: make a fork in the middle of a turn, whose next model call really happens."""
    body = body or Replay()
    request = asked(key, body, session_id)
    if body.mode == "strict":
        if (body.at, body.model, body.title) != (None, None, None):
            raise Rejected("Only a live replay takes `at`, `model` and `title`", kind="invalid_request")
        return await operations.replays.strict(session_id)
    if body.at is None:
        raise Rejected("A live replay needs `at`: the event it begins after", kind="invalid_request")
    new = NewFork(at=address_of(body.at), model=body.model, title=body.title)
    return await operations.replays.live(session_id, new, request)
