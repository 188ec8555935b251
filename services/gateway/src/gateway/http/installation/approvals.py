"""What waits for a person: calls that run only with a yes, and questions, forms and pages."""

from typing import Annotated

import msgspec
from fastapi import Depends, Path, Query

from agent_contracts.api.sessions import AnswerReceipt
from agent_contracts.api.waiting import (
    AnswerApproval,
    AnswerQuestion,
    Approval,
    Approvals,
    OpenQuestion,
    OpenQuestions,
)
from agent_contracts.ids import CallId, SessionId, check_id
from agent_contracts.policies import Decision
from agent_contracts.sessions.open_questions import kind_of
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import (
    LIMIT,
    AgentFilter,
    Cursor,
    MinSequence,
    SessionFilter,
    Using,
)
from gateway.http.wire.resource import resource
from gateway.http.wire.rights import AskingProgram, refused
from gateway.operations.sessions.answers import AnsweringProgram
from gateway.operations.sessions.responses import as_response
from gateway.queries.approvals import WaitingCalls

router = resource("sessions")


async def _waiting_id(
    waiting_id: Annotated[str, Path(max_length=140, description="The `id` of what waits.")],
) -> WaitingCalls:
    session, _, call = waiting_id.partition(".")
    return WaitingCalls(session_id=check_id(session, "session id"), call_id=check_id(call, "call id"))


_WaitingPath = Annotated[WaitingCalls, Depends(_waiting_id)]
_OF_PROGRAMS: tuple[Decision, ...] = ("once", "refuse")
_Limit = Annotated[int, Query(ge=1, le=100, description=LIMIT)]


@router.get("/approvals", operation_id="listApprovals")
async def list_approvals(
    operations: Using,
    agent_id: AgentFilter,
    session_id: SessionFilter,
    cursor: Cursor = None,
    limit: _Limit = 50,
    min_sequence: MinSequence = None,
) -> Approvals:
    """A page of the calls that run only with a person's yes, newest first."""
    wanted = WaitingCalls(agent_id=agent_id, session_id=session_id)
    return await operations.reading.approvals(wanted, cursor, limit, min_sequence)


@router.get("/approvals/{waiting_id}", operation_id="getApproval")
async def get_approval(operations: Using, wanted: _WaitingPath) -> Approval:
    """Read a call that waits for a yes. One that was answered is not found."""
    return await operations.reading.approval(wanted)


@router.post("/approvals/{waiting_id}", status_code=202, operation_id="answerApproval")
async def answer_approval(
    operations: Using,
    wanted: _WaitingPath,
    body: AnswerApproval,
    program: AskingProgram,
    key: KeyHeader = None,
) -> AnswerReceipt:
    """Allow a call, or refuse it. Only the first answer is taken; a later one is a 409. `always` also
    allows the agent's other calls that wait for the same: `released` says how many.

    A program can answer `once` and `refuse`, and leaves the arguments as they are."""
    if program is not None and (body.decision not in _OF_PROGRAMS or body.arguments is not None):
        refused(program, "may allow a call once, as it is, or refuse it: all else is for a person to say")
    session, call = _named(wanted)
    request = asked(key, body, session)
    by = None if program is None else AnsweringProgram(program.name, approves=True)
    answer = msgspec.to_builtins(body)
    return await operations.steering.answer(session, call, answer, request, by)


@router.get("/questions", operation_id="listQuestions")
async def list_questions(
    operations: Using,
    agent_id: AgentFilter,
    session_id: SessionFilter,
    cursor: Cursor = None,
    limit: _Limit = 50,
    min_sequence: MinSequence = None,
) -> OpenQuestions:
    """A page of the questions, forms and pages that wait for an answer, newest first."""
    wanted = WaitingCalls(agent_id=agent_id, session_id=session_id)
    return await operations.reading.questions(wanted, cursor, limit, min_sequence)


@router.get("/questions/{waiting_id}", operation_id="getQuestion")
async def get_question(operations: Using, wanted: _WaitingPath) -> OpenQuestion:
    """Read a question, form or page that waits for an answer. One that was answered is not found."""
    return await operations.reading.question(wanted)


@router.post("/questions/{waiting_id}", status_code=202, operation_id="answerQuestion")
async def answer_question(
    operations: Using,
    wanted: _WaitingPath,
    body: AnswerQuestion,
    program: AskingProgram,
    key: KeyHeader = None,
) -> AnswerReceipt:
    """Answer it. Only the first answer is taken; a later one is a 409.

    Of an answer that doesn't fit what was asked, `path` is what is wrong in it; the question stays open."""
    session, call = _named(wanted)
    request = asked(key, body, session)
    shown = (await operations.reading.call(session, call)).show
    by = None if program is None else AnsweringProgram(program.name)
    answer = as_response(kind_of(shown), body)
    return await operations.steering.answer(session, call, answer, request, by)


def _named(wanted: WaitingCalls) -> tuple[SessionId, CallId]:
    return SessionId(str(wanted.session_id)), CallId(str(wanted.call_id))
