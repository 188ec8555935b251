"""Calls of an agent's functions."""

import msgspec

from agent_contracts.api.definitions import FunctionResult
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, CallId
from agent_contracts.json_value import Json
from agent_contracts.kinds.function import FUNCTION
from agent_contracts.policies import Grant, Match
from agent_contracts.questions.function_calls import FunctionCall
from agent_contracts.sessions.session_view import TokensUsed
from agent_domain.policies.patterns import the_only
from agent_domain.policies.policy_request import covering, named_in
from agent_platform.entities.entity import EntityKey
from agent_platform.process.clock import Clock
from gateway.operations.agents.policies import AgentPolicies
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.ports import KnownAgents, Runners


class CallPermission(msgspec.Struct, frozen=True):
    """What a person allows a call to send: the `match` that the problem named, for this call or `always`."""

    match: Json
    always: bool = False


class FunctionCaller:
    """Calls them. `policies` are written where a person allows something for always."""

    def __init__(self, agents: KnownAgents, runners: Runners, clock: Clock, policies: AgentPolicies) -> None:
        self._agents = agents
        self._runners = runners
        self._clock = clock
        self._policies = policies

    async def call(
        self,
        agent_id: AgentId,
        name: str,
        arguments: dict[str, Json],
        request: IdempotentRequest,
        allowed: CallPermission | None = None,
    ) -> FunctionResult:
        """Call a function of the agent, and get what it returns.

        It runs once. A call that failed on the way may have run: a repeat runs it again, but under the same
        key gets the first call's answer, whether it was a result or a failure.
        `Rejected`: `code_failed` for what its code throws, `approval_needed` where a person has to allow
        first what it sends: `allowed` says that one did.
        """
        await self._agents.require(agent_id)
        grants = await self._granted(agent_id, name, allowed, request) if allowed is not None else ()
        function = EntityKey(agent_id, FUNCTION.kind, name).subject
        call_id = CallId(request.derived_id("f", function) or self._clock.new_id("f"))
        called = FunctionCall(agent_id, call_id, name, arguments, request.recorded_digest, grants=grants)
        answer = await self._runners.call(called, request)
        spent = answer.usage
        return FunctionResult(result=answer.result, usage=TokensUsed.of(spent) if spent else None)

    async def _granted(
        self, agent_id: AgentId, name: str, allowed: CallPermission, request: IdempotentRequest
    ) -> tuple[Grant, ...]:
        """What the call may send. `Rejected` for what no such problem named: a yes is to one host."""
        try:
            match = msgspec.convert(allowed.match, Match)
        except msgspec.ValidationError as error:
            raise Rejected(f"Not what a call needs a yes to: {error}", kind="invalid_request") from error
        asked = named_in(name, {"url": _url_of(match), "method": match.method or "GET"})
        if asked.origin is None or match != covering(asked):
            raise Rejected(
                "A yes is for this function, one host and one method", kind="invalid_request", path="/allow"
            )
        if allowed.always:
            await self._policies.allow(agent_id, match, "Allowed always, from a page", request)
        return (Grant(match, once=True),)


def _url_of(match: Match) -> str:
    """The address that a yes names; whatever else it says can't be told by it."""
    return f"{the_only(match.scheme or '')}://{the_only(match.host or '')}/"
