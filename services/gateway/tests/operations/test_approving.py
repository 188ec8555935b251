"""What a yes covers is what the person saw: of arguments that they edited, these."""

from typing import Any, cast

import pytest

from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.policies import Match
from agent_contracts.session_events.results import ToolCallPending
from agent_domain.sessions.directory import KnownSession
from gateway.operations.agents.edits import Edits
from gateway.operations.agents.policies import AgentPolicies
from gateway.operations.approving.approval_checks import ApprovalChecks
from gateway.operations.approving.releases import ApprovalReleases
from gateway.operations.idempotency import IdempotentRequest, asked


class Written:
    """`AgentPolicies`: what was allowed always."""

    def __init__(self) -> None:
        self.allowed: list[Match] = []

    async def allow(self, agent_id: AgentId, match: Match, note: str, request: IdempotentRequest) -> None:
        self.allowed.append(match)


class NothingElse:
    """`ApprovalReleases`: nothing else waits."""

    async def release(self, *what: object) -> int:
        return 0


class NoCatalogue:
    async def catalogues(self) -> list[Any]:
        return []


class NoDefinitions:
    entities: "NoDefinitions"

    async def current(self, key: object) -> None:
        return None


SESSION = KnownSession(SessionKey(AgentId("a"), SessionId("s_1")), 1)
SHOW: dict[str, Json] = {
    "kind": "approval",
    "tool": "fetch_url",
    "arguments": {"url": "https://a.test/x"},
    "covers": {"tool": "fetch_url", "host": "a.test"},
}


async def prepared(response: Json) -> tuple[dict[str, Any], list[Match]]:
    policies, edits = Written(), NoDefinitions()
    edits.entities = edits
    releases = cast("ApprovalReleases", NothingElse())
    approving = ApprovalChecks(cast("AgentPolicies", policies), cast("Edits", edits), NoCatalogue(), releases)
    pending = ToolCallPending(CallId("c_1"), SHOW, "r")
    recorded = (await approving.prepared(SESSION, pending, response, asked())).response
    assert isinstance(recorded, dict)
    return recorded, policies.allowed


@pytest.mark.parametrize("decision", ["session", "always"])
async def test_a_longer_yes_to_edited_arguments_covers_these_and_not_what_was_asked(decision: str) -> None:
    edited: Json = {"decision": decision, "arguments": {"url": "https://b.test/y"}}
    recorded, allowed = await prepared(edited)
    assert recorded["covers"]["host"] == "b.test"
    assert [one.host for one in allowed] == (["b.test"] if decision == "always" else [])


async def test_what_a_yes_as_asked_covers_stands_in_the_question_alone() -> None:
    recorded, _ = await prepared({"decision": "session"})
    assert recorded.get("covers") is None
    _, allowed = await prepared({"decision": "always"})
    assert [one.host for one in allowed] == ["a.test"]
