"""What a person has allowed always is allowed to the calls that wait for the very same yes already."""

import asyncio
from collections.abc import Mapping

import msgspec
import structlog

from agent_contracts.api.waiting import Approval
from agent_contracts.entities.definitions import OWN_FAMILY
from agent_contracts.errors import Rejected, Transient
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.outside import Source
from agent_contracts.policies import LONGEST_REASON, ApprovalAnswer, Match, Verdict
from agent_contracts.session_events.results import ToolCallPending
from agent_domain.policies.judgement import InForce, judge
from agent_domain.policies.policy_request import Context, named_in
from agent_domain.sessions.directory import SessionDirectory
from gateway.operations.agents.policies import AgentPolicies
from gateway.operations.idempotency import asked
from gateway.operations.operating.ports import OfferedTools
from gateway.operations.sessions.answers import CallAnswers
from gateway.operations.sessions.projection_reader import ProjectionReader
from gateway.queries.approvals import WaitingCalls

log = structlog.get_logger()

_PAGE, _MOST = 100, 1_000
"""So many waiting calls of an agent are looked at."""
_AT_ONCE = 8
_OUTSIDE = (Source("web"),)


class ApprovalReleases:
    """Answers them in a person's name, each once: what was answered, cancelled or rewound is left."""

    def __init__(
        self,
        reading: ProjectionReader,
        answers: CallAnswers,
        directory: SessionDirectory,
        policies: AgentPolicies,
        built_in: OfferedTools,
    ) -> None:
        self._reading = reading
        self._answers = answers
        self._directory = directory
        self._policies = policies
        self._built_in = built_in

    async def release(
        self, agent_id: AgentId, rule: Match, note: str, besides: tuple[SessionId, CallId]
    ) -> int:
        """Allow the agent's calls that wait for what this rule allows, unless its policy denies them. Returns
        how many there were; what can't be looked at now goes on waiting."""
        try:
            waiting = [
                one
                for one in await self._waiting(agent_id)
                if one.covers == msgspec.to_builtins(rule) and (one.session_id, one.call_id) != besides
            ]
            if not waiting:
                return 0
            policy = await self._policies.in_force(agent_id)
            catalogues = await self._built_in.catalogues()
            families = {tool.name: tool.family for one in catalogues for tool in one.tools}
            allowed = [one for one in waiting if not _is_denied(one, policy, families)]
            return await self._allow(allowed, note)
        except Transient as failure:
            log.warning("approvals.not_released", agent_id=agent_id, reason=failure.message)
            return 0

    async def _waiting(self, agent_id: AgentId) -> list[Approval]:
        found: list[Approval] = []
        cursor: str | None = None
        while len(found) < _MOST:
            page = await self._reading.approvals(WaitingCalls(agent_id=agent_id), cursor, _PAGE)
            found += page.items
            cursor = page.next_cursor
            if cursor is None:
                break
        return found

    async def _allow(self, waiting: list[Approval], note: str) -> int:
        by_session: dict[str, list[Approval]] = {}
        for one in reversed(waiting):  # the oldest first
            by_session.setdefault(one.session_id, []).append(one)
        turns = asyncio.Semaphore(_AT_ONCE)

        async def of_session(calls: list[Approval]) -> int:
            async with turns:
                return sum([await self._answer(one, note) for one in calls])

        return sum(await asyncio.gather(*map(of_session, by_session.values())))

    async def _answer(self, one: Approval, note: str) -> bool:
        answer = ApprovalAnswer("once", reason=note[:LONGEST_REASON])

        def as_asked(pending: ToolCallPending) -> Json:
            """It may have asked for something else since."""
            if pending.show.get("covers") != one.covers:
                raise Rejected("It asks for something else now", kind="call_not_open")
            response: Json = msgspec.to_builtins(answer)
            return response

        try:
            session = await self._directory.find(SessionId(one.session_id))
            await self._answers.record(session, CallId(one.call_id), as_asked, asked())
        except Rejected as refusal:
            log.info("approval.not_released", session_id=one.session_id, reason=refusal.message)
            return False
        return True


def _is_denied(one: Approval, policy: InForce, families: Mapping[str, str]) -> bool:
    call = msgspec.structs.replace(
        named_in(one.tool, one.arguments), family=families.get(one.tool, OWN_FAMILY)
    )
    context = Context(outside=_OUTSIDE if one.outside else ())
    return judge(policy, call, context).verdict is Verdict.DENY
