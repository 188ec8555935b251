"""*Always* releases what waits for the very same yes, and nothing else."""

from typing import Any, cast

import msgspec
import pytest

from agent_contracts.api.waiting import Approval, Approvals
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Rejected, Transient
from agent_contracts.ids import CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.policies import Match, Policy
from agent_contracts.session_events.results import ToolCallPending
from agent_domain.policies.judgement import InForce
from agent_domain.sessions.directory import SessionDirectory
from gateway.operations.agents.policies import AgentPolicies
from gateway.operations.approving.releases import ApprovalReleases
from gateway.operations.sessions.answers import CallAnswers
from gateway.operations.sessions.projection_reader import ProjectionReader

RULE = Match(tool="fetch_url", host="a.test", method="POST", scheme="https")
COVERS = msgspec.to_builtins(RULE)
NONE: tuple[SessionId, CallId] = (SessionId("s_0"), CallId("c_0"))


def waiting(session: str, call: str = "c_1", covers: Any = COVERS, path: str = "/x") -> Approval:
    """A call that waits for a yes."""
    nothing = dict.fromkeys(("title", "commands", "before", "asks"))
    return msgspec.convert(
        {
            **nothing,
            **{"id": f"{session}.{call}", "agent_id": "default", "session_id": session, "call_id": call},
            **{"tool": "fetch_url", "arguments": {"url": f"https://a.test{path}", "method": "POST"}},
            **{"rule": "r", "version": 0, "covers": covers, "outside": [], "run": False, "where": {}},
            "requested_at": "2026-01-31T12:00:00.000Z",
        },
        Approval,
    )


class World:
    """Who waits, two a page, and who was answered with what."""

    def __init__(self, *calls: Approval, policy: Policy | None = None) -> None:
        self._calls = calls
        self._policy = InForce(policy or Policy(), 1)
        self.answered: dict[tuple[str, str], Json] = {}
        self.asks: dict[str, Any] = {}
        self.refuses: set[str] = set()
        self.is_away = False

    async def approvals(self, wanted: Any, cursor: str | None, limit: int) -> Approvals:
        if self.is_away:
            raise Transient("Postgres can't be reached")
        first = int(cursor or 0)
        more = first + 2 < len(self._calls)
        return Approvals(
            items=list(self._calls[first : first + 2]),
            total=len(self._calls),
            next_cursor=str(first + 2) if more else None,
        )

    async def in_force(self, agent_id: str) -> InForce:
        return self._policy

    async def catalogues(self) -> list[Any]:
        return []

    async def find(self, session_id: str) -> str:
        return session_id

    async def record(self, session: str, call: CallId, response: Any, request: Any) -> None:
        if session in self.refuses:
            raise Rejected("It was answered before", kind="already_answered")
        show = {"kind": "approval", "covers": self.asks.get(session, COVERS)}
        self.answered[session, call] = response(ToolCallPending(call, show, "r"))

    async def release(self, besides: tuple[SessionId, CallId] = NONE) -> int:
        """Have them released."""
        releases = ApprovalReleases(
            cast("ProjectionReader", self),
            cast("CallAnswers", self),
            cast("SessionDirectory", self),
            cast("AgentPolicies", self),
            self,
        )
        return await releases.release(DEFAULT_AGENT, RULE, "By a rule: allowed always, in chat s_9", besides)


async def test_what_waits_for_the_same_is_allowed_once_by_the_rule_from_all_pages() -> None:
    world = World(*(waiting(f"s_{n}") for n in range(5)), waiting("s_4", "c_2"))
    assert await world.release(besides=(SessionId("s_0"), CallId("c_1"))) == 5
    assert ("s_0", "c_1") not in world.answered
    said = {"decision": "once", "reason": "By a rule: allowed always, in chat s_9"}
    assert list(world.answered.values()) == [said] * 5


@pytest.mark.parametrize(
    "covers", [None, {"tool": "fetch_url"}, {**COVERS, "host": "b.test"}, {**COVERS, "method": "PUT"}]
)
async def test_what_waits_for_something_else_goes_on_waiting(covers: Any) -> None:
    world = World(waiting("s_1", covers=covers))
    assert (await world.release(), world.answered) == (0, {})


async def test_what_the_policy_denies_is_not_released() -> None:
    deny = {"rules": [{"verdict": "deny", "match": {"path": "/secret*"}}]}
    world = World(waiting("s_1"), waiting("s_2", path="/secrets"), policy=msgspec.convert(deny, Policy))
    assert (await world.release(), [*world.answered]) == (1, [("s_1", "c_1")])


async def test_what_was_answered_meanwhile_or_asks_for_something_else_by_now_counts_not() -> None:
    world = World(waiting("s_1"), waiting("s_2"), waiting("s_3"))
    world.refuses.add("s_1")
    world.asks["s_2"] = {"tool": "other"}
    assert (await world.release(), [*world.answered]) == (1, [("s_3", "c_1")])


async def test_where_nobody_can_tell_what_waits_the_answer_is_taken_all_the_same() -> None:
    world = World(waiting("s_1"))
    world.is_away = True
    assert await world.release() == 0
