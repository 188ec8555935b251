"""What a policy would have said of what the agent asked for lately, before anybody saves it."""

from collections import Counter
from collections.abc import Mapping

import msgspec

from agent_contracts.api.policies import JudgedCall, PolicyTrial
from agent_contracts.entities.definitions import OWN_FAMILY
from agent_contracts.ids import AgentId
from agent_contracts.outside import Source
from agent_contracts.policies import Policy, Verdict
from agent_contracts.tool_spec import Effect
from agent_domain.policies.judgement import InForce, judge
from agent_domain.policies.policy_request import Context, PolicyRequest, named_in
from agent_domain.policies.request_contents import says_only_known
from gateway.operations.agents.policies import AgentPolicies, tidied
from gateway.operations.operating.ports import OfferedTools
from gateway.operations.sessions.projected_sessions import ProjectedSessions
from gateway.queries.past_calls import PastCall, newest

MOST_SHOWN = 50
_OUTSIDE = (Source("web", ""),)


class PolicyTrials:
    """Judges past calls. What a person allowed in a session is left aside: it is the policy that is tried."""

    def __init__(self, policies: AgentPolicies, projected: ProjectedSessions, built_in: OfferedTools) -> None:
        self._policies = policies
        self._projected = projected
        self._built_in = built_in

    async def tried(self, agent_id: AgentId, policy: Policy) -> PolicyTrial:
        """What it would have said."""
        now, wanted = await self._policies.in_force(agent_id), InForce(tidied(policy))
        families = {tool.name: tool.family for one in await self._built_in.catalogues() for tool in one.tools}
        async with self._projected.snapshot() as snapshot:
            calls = await newest(snapshot, agent_id)
        judged = [_judged(one, now, wanted, families) for one in calls]
        counted = Counter(one.would for one in judged)
        differing = [one for one in judged if one.was is not one.would]
        return PolicyTrial(
            of=len(judged),
            verdicts={verdict: counted[verdict] for verdict in Verdict},
            differ=len(differing),
            shown=differing[:MOST_SHOWN],
        )


def _judged(call: PastCall, now: InForce, wanted: InForce, families: Mapping[str, str]) -> JudgedCall:
    asked = _asked(call, families)
    context = Context(outside=_OUTSIDE if call.after_outside else ())
    was, would = judge(now, asked, context), judge(wanted, asked, context)
    return JudgedCall(
        session_id=call.session_id,
        title=call.title,
        call_id=call.call_id,
        tool=call.tool,
        what=" ".join(one for one in (asked.method, asked.host, asked.command) if one)[:200],
        requested_at=call.at,
        was=was.verdict,
        was_by=was.rule,
        would=would.verdict,
        would_by=would.rule,
    )


def _asked(call: PastCall, families: Mapping[str, str]) -> PolicyRequest:
    return msgspec.structs.replace(
        named_in(call.tool, call.arguments),
        family=families.get(call.tool, OWN_FAMILY),
        effect=Effect(call.effect) if call.effect else Effect.EXTERNAL,
        known_url=says_only_known(call.tool, call.arguments, call.urls),
    )
