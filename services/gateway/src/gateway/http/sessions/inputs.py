"""Requests that steer a session: stop, continue, think more, try again, close, rename, answer."""

from msgspec import UNSET

from agent_contracts.api.sessions import (
    AnswerReceipt,
    ChangeSession,
    Continue,
    InputReceipt,
    PostToolResponse,
    RateAnswer,
)
from agent_contracts.ids import CallId
from agent_contracts.session_events.inputs import Feedback
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import SessionPath, Using
from gateway.http.wire.resource import resource

router = resource("inputs")


@router.patch("/sessions/{session_id}", status_code=202, operation_id="changeSession")
async def change(
    operations: Using, session_id: SessionPath, body: ChangeSession, key: KeyHeader = None
) -> InputReceipt:
    """Change the session's title, whether it is pinned, or how much its model thinks from its next call on. A
    closed one has another title and can be pinned, too. Each is an event of its own, and the answer names the
    last of them: a repeat under the same key does what is left."""
    request, steering = asked(key, body, session_id), operations.steering
    done: list[InputReceipt] = []
    if body.thinking is not UNSET:
        choice = None if body.thinking is None else body.thinking.choice()
        done.append(await steering.think(session_id, choice, request))
    if body.title is not UNSET:
        done.append(await steering.rename(session_id, body.title, request))
    if body.pinned is not UNSET:
        done.append(await steering.pin(session_id, body.pinned, request))
    return done[-1]


@router.post("/sessions/{session_id}/tool-responses", status_code=202, operation_id="postToolResponse")
async def post_tool_response(
    operations: Using, session_id: SessionPath, body: PostToolResponse, key: KeyHeader = None
) -> AnswerReceipt:
    """Answer a pending call. Only the first answer is taken; one for a call that waits no more is a 409.

    Of an answer that doesn't fit what was asked, `path` (a JSON Pointer into `response`) is what is wrong;
    the call goes on waiting."""
    request = asked(key, body, session_id)
    return await operations.steering.answer(session_id, CallId(body.call_id), body.response, request)


@router.post("/sessions/{session_id}:interrupt", status_code=202, operation_id="interruptSession")
async def interrupt(operations: Using, session_id: SessionPath, key: KeyHeader = None) -> InputReceipt:
    """Stop what the session is doing; it becomes idle."""
    return await operations.steering.interrupt(session_id, asked(key, None, session_id))


@router.post("/sessions/{session_id}:archive", status_code=202, operation_id="archiveSession")
async def archive(operations: Using, session_id: SessionPath, key: KeyHeader = None) -> InputReceipt:
    """Close the session. Only a person's *reopen* opens it again."""
    return await operations.steering.archive(session_id, asked(key, None, session_id))


@router.post("/sessions/{session_id}:reopen", status_code=202, operation_id="reopenSession")
async def reopen(operations: Using, session_id: SessionPath, key: KeyHeader = None) -> InputReceipt:
    """Open an archived session again: it is idle. Messages that it had not read are read."""
    return await operations.reopening.reopen(session_id, asked(key, None, session_id))


@router.post("/sessions/{session_id}:continue", status_code=202, operation_id="continueSession")
async def continue_(
    operations: Using, session_id: SessionPath, body: Continue, key: KeyHeader = None
) -> InputReceipt:
    """Raise the token limit; a session that had reached its limit goes on."""
    return await operations.steering.go_on(session_id, body.token_limit, asked(key, body, session_id))


@router.post("/sessions/{session_id}:retry", status_code=202, operation_id="retrySession")
async def retry(operations: Using, session_id: SessionPath, key: KeyHeader = None) -> InputReceipt:
    """Ask the model again where the last turn failed; what did not fail goes on as it was."""
    return await operations.steering.retry(session_id, asked(key, None, session_id))


@router.post("/sessions/{session_id}:rate", status_code=202, operation_id="rateAnswer")
async def rate(
    operations: Using, session_id: SessionPath, body: RateAnswer, key: KeyHeader = None
) -> InputReceipt:
    """Rate an answer of the session, rate it otherwise, or take the rating back; in a closed session too.

    The newest rating counts. No model sees it. An answer that a fork begins with is rated in the session
    that gave it: the message's `session_id`."""
    feedback = Feedback(body.answer, body.rating, body.text)
    return await operations.steering.rate(session_id, feedback, asked(key, body, session_id))
