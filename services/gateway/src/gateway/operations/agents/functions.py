"""Calls of an agent's functions."""

from typing import Any

from agent_contracts.definitions import FUNCTION
from agent_contracts.function_calls import FunctionCall
from agent_contracts.ids import AgentId, CallId
from agent_contracts.json_value import Json
from agent_platform.entities.entity import EntityKey
from agent_platform.process.clock import Clock
from gateway.operations.asked import Asked
from gateway.operations.ports import KnownAgents, Runners
from gateway.queries.view import Usage, View


class FunctionResult(View):
    """What a function returned: any JSON; and the tokens of its questions to models, if it asked any."""

    result: Any
    usage: Usage | None = None


class Functions:
    """Calls them."""

    def __init__(self, agents: KnownAgents, runners: Runners, clock: Clock) -> None:
        self._agents = agents
        self._runners = runners
        self._clock = clock

    async def call(
        self, agent_id: AgentId, name: str, arguments: dict[str, Json], request: Asked
    ) -> FunctionResult:
        """Call a function of the agent, and get what it returns.

        It runs once. A call that failed on the way may have run: a repeat runs it again, but under the same
        key gets the first call's answer, whether it was a result or a failure.
        `Rejected(kind="code_failed")` for what its code throws.
        """
        await self._agents.require(agent_id)
        function = EntityKey(agent_id, FUNCTION.kind, name).subject
        call_id = CallId(request.derived_id("f", function) or self._clock.new_id("f"))
        called = FunctionCall(agent_id, call_id, name, arguments, request.recorded_digest)
        answer = await self._runners.call(called, request)
        if answer.usage is None:
            return FunctionResult(result=answer.result)
        spent = answer.usage
        usage = Usage(
            input=spent.input,
            output=spent.output,
            cached_input=spent.cached_input,
            cost_micros=spent.cost_micros,
        )
        return FunctionResult(result=answer.result, usage=usage)
