"""Test runs: a person runs a tool or a function that the agent made, and sees all of how it ended."""

from agent_contracts.api.definitions import RunFailure, TestRun
from agent_contracts.entities.definitions import ToolDefinition
from agent_contracts.errors import ToolError
from agent_contracts.ids import AgentId, CallId
from agent_contracts.json_value import Json
from agent_contracts.kinds.kind import ThingKind
from agent_contracts.questions.function_calls import FunctionCall
from agent_contracts.sessions.session_view import TokensUsed
from agent_platform.entities.entity import EntityKey
from agent_platform.process.clock import Clock
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.ports import KnownAgents, Runners


class Trials:
    """Runs them."""

    def __init__(self, agents: KnownAgents, runners: Runners, clock: Clock) -> None:
        self._agents = agents
        self._runners = runners
        self._clock = clock

    async def run(
        self,
        agent_id: AgentId,
        kind: ThingKind[ToolDefinition],
        name: str,
        arguments: dict[str, Json],
        request: IdempotentRequest,
    ) -> TestRun:
        """Run it once, for real, also where it is disabled. It has no session.

        `Rejected` where there is none, or for arguments that don't fit its schema. Under an idempotency key
        the log keeps that it ran and how it ended, and a repeat gets that.
        """
        await self._agents.require(agent_id)
        subject = EntityKey(agent_id, kind.kind, name).subject
        call_id = CallId(request.derived_id("t", subject) or self._clock.new_id("t"))
        called = FunctionCall(
            agent_id, call_id, name, arguments, request.recorded_digest, kind=kind.kind, trial=True
        )
        answer = await self._runners.try_out(called, request)
        usage = answer.usage
        return TestRun(
            call_id=call_id,
            result=answer.result,
            error=_failure(answer.error),
            logs=list(answer.logs),
            ms=answer.ms or 0,
            usage=TokensUsed.of(usage) if usage else None,
        )


def _failure(error: ToolError | None) -> RunFailure | None:
    if error is None:
        return None
    return RunFailure(kind=error.kind, message=error.message, details=error.details)
