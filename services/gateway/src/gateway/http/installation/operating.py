"""The levers of operators: dead letters, unknown outcomes, who works, and sessions that are stuck."""

from typing import Annotated

from fastapi import Path, Query

from agent_contracts.api.operating import (
    Activity,
    DeadLetterResult,
    DeadLetters,
    DeadMessage,
    SettleOutcome,
    Stuck,
    UnstickRequest,
    WorkOverview,
)
from agent_contracts.api.sessions import InputReceipt
from agent_contracts.api.waiting import Outcome
from agent_contracts.api.wire import MAX_SEQUENCE, Page
from agent_contracts.questions.queries import UnstickReport
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import (
    LIMIT,
    AgentFilter,
    CallPath,
    Cursor,
    NumberCursor,
    SessionFilter,
    SessionPath,
    Using,
)
from gateway.http.wire.resource import resource

router = resource("operators")

NumberPath = Annotated[int, Path(ge=1, le=MAX_SEQUENCE, description="Number of the dead letter.")]
Limit = Annotated[int, Query(ge=1, le=1000, description=LIMIT)]
_OLDER = "Leave calls alone that were requested less than this number of seconds ago."
Window = Annotated[int, Query(ge=1, le=86_400, description="Number of seconds to look back.")]
Seconds = Annotated[float, Query(ge=0, le=10**9, description=_OLDER)]


@router.get("/dead-letters", operation_id="listDeadLetters")
async def list_dead_letters(operations: Using, cursor: NumberCursor, limit: Limit = 100) -> DeadLetters:
    """Messages that could not be handled, newest first."""
    return await operations.dead_letters.list(limit, cursor)


@router.get("/dead-letters/{number}", operation_id="getDeadLetter")
async def get_dead_letter(operations: Using, number: NumberPath) -> DeadMessage:
    """One of them, with the message itself."""
    return await operations.dead_letters.show(number)


@router.post("/dead-letters/{number}:retry", operation_id="retryDeadLetter")
async def retry_dead_letter(operations: Using, number: NumberPath) -> DeadLetterResult:
    """Have the message handled again; then the letter is gone. Calls are never run twice: refused."""
    return await operations.dead_letters.retry(number)


@router.delete("/dead-letters/{number}", operation_id="discardDeadLetter")
async def discard_dead_letter(operations: Using, number: NumberPath) -> DeadLetterResult:
    """Forget the letter; its message stays in the log."""
    return await operations.dead_letters.discard(number)


@router.get("/outcomes", operation_id="listOutcomes")
async def list_outcomes(
    operations: Using,
    agent_id: AgentFilter,
    settled: Annotated[bool, Query(description="Include those that were settled.")] = False,
    cursor: Cursor = None,
    limit: Limit = 100,
) -> Page[Outcome]:
    """Calls of which nobody knows whether they did their work, newest first."""
    return await operations.outcomes.list(agent_id, cursor, limit, settled=settled)


@router.post("/outcomes/{session_id}/{call_id}:settle", status_code=202, operation_id="settleOutcome")
async def settle_outcome(
    operations: Using, session_id: SessionPath, call_id: CallPath, body: SettleOutcome, key: KeyHeader = None
) -> InputReceipt:
    """Say what happened, once. The model is told in the session's next turn, which begins by it."""
    request = asked(key, body, session_id)
    return await operations.outcomes.settle(session_id, call_id, body.happened, body.note, request)


@router.get("/runners", operation_id="getRunners")
async def get_runners(operations: Using) -> WorkOverview:
    """Every process that works on the log: alive or not, what it has in hand, how much waits."""
    return await operations.who_works.now()


@router.get("/activity", operation_id="getActivity")
async def get_activity(operations: Using, window_s: Window = 300, limit: Limit = 20) -> Activity:
    """The sessions that are at work, or were a moment ago, those with the most calls first; and how fast
    the models answered."""
    return await operations.who_works.busiest(window_s, limit)


@router.get("/stuck", operation_id="listStuck")
async def list_stuck(
    operations: Using,
    session_id: SessionFilter,
    older_than_s: Seconds = 60.0,
    cursor: Cursor = None,
    limit: Limit = 100,
) -> Stuck:
    """Sessions that wait for something that can't come any more. Nothing is changed."""
    if session_id is not None:
        return await operations.stuck.of_one(session_id, older_than_s)
    return await operations.stuck.find(older_than_s, cursor, limit)


@router.post("/sessions/{session_id}:unstick", operation_id="unstickSession")
async def unstick(
    operations: Using, session_id: SessionPath, body: UnstickRequest | None = None
) -> UnstickReport:
    """End the wait for what can't come, by an event that says so. Nothing is run again."""
    return await operations.stuck.unstick(session_id, (body or UnstickRequest()).older_than_s)
