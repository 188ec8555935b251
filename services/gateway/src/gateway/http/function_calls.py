"""Calls of an agent's functions."""

from fastapi import APIRouter

from agent_contracts.function_calls import FunctionCall
from agent_contracts.ids import CallId
from gateway.agent_requests import CallFunction
from gateway.agent_views import FunctionResult
from gateway.deps import AgentPath, Using

router = APIRouter(tags=["agents"])


@router.post("/agents/{agent_id}/functions/{name}", operation_id="callFunction")
async def call_function(deps: Using, agent_id: AgentPath, name: str, body: CallFunction) -> FunctionResult:
    """Call a function of the agent, and get what it returns.

    It runs once: a call that failed on the way may have run, and a repeat runs it again. What its code throws
    is a `code_failed` problem, whose `error` has the details.
    """
    await deps.agents.require(agent_id)
    call_id = CallId(deps.clock.new_id("f"))
    return FunctionResult(
        result=await deps.functions.call(FunctionCall(agent_id, call_id, name, body.arguments))
    )
