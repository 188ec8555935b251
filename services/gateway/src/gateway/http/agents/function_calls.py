"""Calls of an agent's functions, and test runs of its tools."""

from agent_contracts.api.definitions import CallFunction, FunctionResult, InvokeFunction, TestRun
from agent_contracts.kinds.function import FUNCTION
from agent_contracts.kinds.tool import TOOL
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentPath, NamePath, Using
from gateway.http.wire.resource import resource
from gateway.operations.agents.functions import CallPermission

router = resource("agents")


@router.post("/agents/{agent_id}/tools/{name}:test", operation_id="testTool")
async def try_tool(
    operations: Using, agent_id: AgentPath, name: NamePath, body: CallFunction, key: KeyHeader = None
) -> TestRun:
    """Run a tool that the agent made, once and for real, also a disabled one; how it ended is the answer.

    It runs outside any session: what belongs to one, such as its browser, isn't available to it. Under an
    idempotency key the log keeps that it ran, and a repeat gets the same answer.
    """
    return await operations.trials.run(agent_id, TOOL, name, body.arguments, asked(key, body))


@router.post("/agents/{agent_id}/functions/{name}:test", operation_id="testFunction")
async def try_function(
    operations: Using, agent_id: AgentPath, name: NamePath, body: CallFunction, key: KeyHeader = None
) -> TestRun:
    """Run a function, once and for real, also a disabled one; how it ended is the answer. See `testTool`."""
    return await operations.trials.run(agent_id, FUNCTION, name, body.arguments, asked(key, body))


@router.post(
    "/agents/{agent_id}/functions/{name}:invoke",
    operation_id="callFunction",
    response_model_exclude_unset=True,
)
async def call_function(
    operations: Using, agent_id: AgentPath, name: NamePath, body: InvokeFunction, key: KeyHeader = None
) -> FunctionResult:
    """Call a function of the agent, and get what it returns.

    It runs once. A call that failed on the way may have run: a repeat runs it again, but under the same key
    gets the first call's answer, whether it was a result or a failure. What its code throws is a
    `code_failed` problem, whose `error` has the details. What it asks of models counts for no session;
    `usage` says how much it was. Where what it sends needs a person's yes, it is stopped with
    `approval_needed`: ask the person, and call it again with `allow`, under another key.
    """
    request = asked(key, body)
    if body.allow is None:
        return await operations.functions.call(agent_id, name, body.arguments, request)
    allowed = CallPermission(body.allow, always=body.always)
    return await operations.functions.call(agent_id, name, body.arguments, request, allowed)
