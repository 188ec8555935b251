"""What a tool runner is asked over core NATS: by pages, and by people through the gateway."""

from collections.abc import Sequence

from agent_contracts.questions.function_calls import CALL_FUNCTION
from agent_contracts.questions.user_questions import (
    CHECK_DEFINITION,
    FETCH_PICTURE,
    READ_DATABASE,
    TRY_DELEGATE,
)
from agent_tools.hosting.host import WorkerQuery
from tool_runner.questions.answers import FAILED, TRY_AGAIN
from tool_runner.questions.function_calls import CUT_SHORT, FunctionCalls
from tool_runner.questions.user_questions import UserQuestions


def queries(functions: FunctionCalls, asked: UserQuestions) -> Sequence[WorkerQuery]:
    """All of them. What is asked of people's questions stores nothing, so it may be asked again."""
    return (
        WorkerQuery(CALL_FUNCTION, functions.answer, FAILED, CUT_SHORT),
        WorkerQuery(CHECK_DEFINITION, asked.check, FAILED, TRY_AGAIN),
        WorkerQuery(READ_DATABASE, asked.read, FAILED, TRY_AGAIN),
        WorkerQuery(FETCH_PICTURE, asked.picture, FAILED, TRY_AGAIN),
        WorkerQuery(TRY_DELEGATE, asked.try_delegate, FAILED, TRY_AGAIN),
    )
