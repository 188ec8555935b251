"""The first gate: what the agent's policy says of each call that a model asked for."""

from collections.abc import Mapping

import msgspec

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.policies import PolicyJudgement, Verdict
from agent_contracts.session_events.results import ResolvedCall
from agent_contracts.tool_spec import Effect, ToolSpec
from agent_domain.policies.judgement import ALLOWED_BY_PERSON, DEFAULT, InForce, judge
from agent_domain.policies.policy_request import Context, PolicyRequest, call_of
from agent_domain.policies.request_contents import says_only_known
from session_domain.domain.rules.known_urls import known_urls
from session_domain.domain.state import SessionState

_INSIDE = (Effect.PURE, Effect.RECORDED)


class PolicyGate(msgspec.Struct, frozen=True):
    """The policy in force, and what of the session it goes by."""

    in_force: InForce = DEFAULT
    context: Context = Context()
    session: SessionState | None = None

    def judged(self, call: ResolvedCall, tools: Mapping[str, ToolSpec]) -> ResolvedCall:
        """The call with its verdict, which is recorded with it; one that is denied is over. `tools` are those
        that were offered, by id."""
        tool = tools.get(call.tool)
        if tool is None or call.error is not None or call.result is not None:
            return call
        asked = call_of(tool, call.arguments)
        if self.session is not None and self.context.outside and tool.effect not in _INSIDE:
            call = msgspec.structs.replace(call, urls=known_urls(self.session, call.tool, call.arguments))
            known = says_only_known(call.tool, call.arguments, call.urls)
            asked = msgspec.structs.replace(asked, known_url=known or asked.known_url)
        found = judge(self.in_force, asked, self.context)
        if tool.stands_in is not None:
            found = self._stricter(
                found, msgspec.structs.replace(asked, tool=_taken_from(tool), alias_of=None)
            )
        if found.verdict is Verdict.ALLOW and not found.version:
            return call  # as without a policy: there is nothing to record
        if found.verdict is not Verdict.DENY:
            return msgspec.structs.replace(call, judged=found)
        return msgspec.structs.replace(call, judged=found, error=_denied(call.tool, found))

    def _stricter(self, found: PolicyJudgement, asked: PolicyRequest) -> PolicyJudgement:
        """The stricter of two verdicts on one call; what a person has allowed is not asked again."""
        other = judge(self.in_force, asked, self.context)
        if found.rule == ALLOWED_BY_PERSON and other.verdict is not Verdict.DENY:
            return found
        order = (Verdict.ALLOW, Verdict.ASK, Verdict.DENY)
        return other if order.index(other.verdict) > order.index(found.verdict) else found


def _taken_from(tool: ToolSpec) -> str:
    """The id of the tool whose calls it takes over."""
    other = tool.stands_in.tool if tool.stands_in is not None else tool.name
    return f"{tool.pack}.{other}" if tool.pack else other


NO_POLICY = PolicyGate()
"""As long as nobody has written one."""


def _denied(tool: str, judged: PolicyJudgement) -> ToolError:
    return ToolError(
        ErrorKind.REFUSED,
        f"the policy of this agent doesn't allow this call of {tool} ({judged.rule}). Only a person can "
        "change the policy: tell the user what you wanted to do and why",
    )
