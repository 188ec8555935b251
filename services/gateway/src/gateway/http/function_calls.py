"""Calls of an agent's functions."""

from fastapi import APIRouter

from agent_contracts.definitions import FUNCTION
from agent_contracts.function_calls import FunctionCall
from agent_contracts.ids import CallId
from agent_platform.entities.entity import EntityKey
from gateway.deps import AgentPath, Using
from gateway.http.agent_requests import CallFunction
from gateway.operations.agents.views import FunctionResult
from gateway.operations.asked import KeyHeader, asked
from gateway.queries.views import Usage

router = APIRouter(tags=["agents"])


@router.post(
    "/agents/{agent_id}/functions/{name}/invoke",
    operation_id="callFunction",
    response_model_exclude_unset=True,
)
async def call_function(
    deps: Using, agent_id: AgentPath, name: str, body: CallFunction, key: KeyHeader = None
) -> FunctionResult:
    """Call a function of the agent, and get what it returns.

    It runs once. A call that failed on the way may have run: a repeat runs it again, but under the same key
    gets the first call's answer, whether it was a result or a failure. What its code throws is a
    `code_failed` problem, whose `error` has the details. What it asks of models counts for no session;
    `usage` says how much it was.
    """
    await deps.agents.require(agent_id)
    request = asked(key, body)
    function = EntityKey(agent_id, FUNCTION.kind, name).subject
    call_id = CallId(request.derived_id("f", function) or deps.clock.new_id("f"))
    digest = None if key is None else request.digest
    called = FunctionCall(agent_id, call_id, name, body.arguments, digest)
    answer = await deps.runners.call(called, request)
    if answer.usage is None:
        return FunctionResult(result=answer.result)
    spent = answer.usage
    usage = Usage(input=spent.input, output=spent.output, cached_input=spent.cached_input)
    return FunctionResult(result=answer.result, usage=usage)
