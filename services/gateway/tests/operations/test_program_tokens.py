"""Programs that use an agent by MCP: their tokens, and the tools that are exposed to them."""

from typing import Any

import msgspec
import pytest

from agent_contracts import event_sources
from agent_contracts.api.program_tokens import ProgramRight
from agent_contracts.api.versions import VersionTarget
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.entities.definitions import ToolDefinition
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.policies import APPROVAL, Policy
from agent_contracts.session_events.results import ToolCallPending
from agent_contracts.sessions.rendering import MCP_INPUT
from agent_domain.definitions import to_json
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.process.clock import SystemClock
from foldline_testing.gateway.in_memory import InMemory
from gateway.operations.agents.exposed_tools import RESERVED
from gateway.operations.idempotency import asked
from gateway.operations.sessions.answers import AnsweringProgram
from gateway.operations.sessions.creation import NewSession

ASK = (ProgramRight.SAY,)


@pytest.fixture
async def ready(memory: InMemory) -> InMemory:
    await memory.operations.agents.make_default()
    for name in ("invoice", "read_event"):
        key = EntityKey(DEFAULT_AGENT, EntityKind.TOOL, name)
        made = to_json(ToolDefinition("Sums up.", {"type": "object"}, "return 1"))
        await Entities(memory.log, SystemClock(), event_sources.RUNNER).write(
            key, made, EntityWriter.user(f"e_{name}")
        )
    return memory


async def test_a_token_is_shown_once_names_its_agent_and_ends_when_it_is_revoked(ready: InMemory) -> None:
    tokens, register = ready.operations.program_tokens, ready.operations.program_register
    made = await tokens.create("desk", DEFAULT_AGENT, [ProgramRight.READ, ProgramRight.SAY, ProgramRight.SAY])
    assert made.program.rights == [ProgramRight.READ, ProgramRight.SAY]
    found = await register.of_token(made.token)
    assert found is not None
    assert (found[0], found[1].agent_id) == ("desk", DEFAULT_AGENT)
    assert made.token not in msgspec.json.encode(await tokens.list()).decode()
    assert made.token not in repr(await register.all()), "its hash is kept"
    for wrong in ("", "pt", "pt_desk_", "pt_desk_wrong", made.token.replace("pt_", "wk_"), f"{made.token}x"):
        assert await register.of_token(wrong) is None
    await tokens.revoke("desk")
    assert await register.of_token(made.token) is None
    with pytest.raises(Rejected, match="no program tokens named 'desk'"):
        await tokens.revoke("desk")


async def test_tokens_are_listed_by_agent(ready: InMemory) -> None:
    await ready.operations.program_tokens.create("desk", DEFAULT_AGENT, ASK)
    assert [one.name for one in (await ready.operations.program_tokens.list(DEFAULT_AGENT)).items] == ["desk"]
    assert (await ready.operations.program_tokens.list(AgentId("other"))).items == []


@pytest.mark.parametrize(
    ("name", "agent", "rights", "kind"),
    [
        ("desk", "nobody", ASK, "not_found"),
        ("desk", "default", (), "rejected"),
        ("De sk", "default", ASK, "invalid_request"),
        ("taken", "default", ASK, "conflict"),
    ],
)
async def test_what_can_be_no_token_is_refused(
    ready: InMemory, name: str, agent: str, rights: tuple[ProgramRight, ...], kind: str
) -> None:
    await ready.operations.program_tokens.create("taken", DEFAULT_AGENT, ASK)
    with pytest.raises(Rejected) as refused:
        await ready.operations.program_tokens.create(name, AgentId(agent), rights)
    assert refused.value.kind == kind


async def test_only_own_tools_under_names_of_their_own_are_exposed(ready: InMemory) -> None:
    exposed = ready.operations.exposed
    assert (await exposed.write(DEFAULT_AGENT, ["invoice"], 0, asked())).names == ["invoice"]
    for name in ("read_event", "fetch_url", "nothing"):
        with pytest.raises(Rejected, match="no tool named"):
            await exposed.write(DEFAULT_AGENT, [name], None, asked())
    assert [one.name for one in await exposed.offered(DEFAULT_AGENT)] == ["invoice"]
    assert "read_event" in RESERVED


@pytest.mark.parametrize(
    ("offered", "why"),
    [
        ({"other": "prompt"}, "isn't exposed"),
        ({"invoice": "nonsense"}, "can be offered as"),
        ({"invoice": "foldline://files/{file_id}"}, "can be offered as"),
        ({"invoice": "sums://{no end"}, "can be offered as"),
        ({"invoice": "sums://{?query}"}, "can be offered as"),
        ({"invoice": f"sums://{'x' * 500}"}, "can be offered as"),
        ({"invoice": "sums://{n}", "second": "sums://{n}"}, "at one address"),
    ],
)
async def test_what_no_tool_can_be_offered_as_is_refused(
    ready: InMemory, offered: dict[str, str], why: str
) -> None:
    key = EntityKey(DEFAULT_AGENT, EntityKind.TOOL, "second")
    made = to_json(ToolDefinition("Sums up.", {"type": "object"}, "return 1"))
    await Entities(ready.log, SystemClock(), event_sources.RUNNER).write(
        key, made, EntityWriter.user("e_second")
    )
    exposed = ready.operations.exposed
    with pytest.raises(Rejected, match=why) as refused:
        await exposed.expose(DEFAULT_AGENT, ["invoice", "second"], offered, None, asked())
    assert refused.value.path == "/offered_as"
    assert (await exposed.read(DEFAULT_AGENT)).version == 0


async def test_what_a_tool_is_offered_as_stays_until_it_is_hidden_and_comes_back_by_a_revert(
    ready: InMemory,
) -> None:
    exposed = ready.operations.exposed
    first = await exposed.expose(DEFAULT_AGENT, ["invoice"], {"invoice": "prompt"}, None, asked())
    assert (first.offered_as, first.version) == ({"invoice": "prompt"}, 1)
    assert (await exposed.write(DEFAULT_AGENT, ["invoice"], 1, asked())).version == 1, "it says nothing new"
    assert [one.is_prompt for one in await exposed.offered(DEFAULT_AGENT)] == [True]
    assert (await exposed.write(DEFAULT_AGENT, [], None, asked())).offered_as == {}
    assert (await exposed.write(DEFAULT_AGENT, ["invoice"], None, asked())).offered_as == {}
    back = await exposed.revert(DEFAULT_AGENT, VersionTarget(version=1), asked())
    assert back.offered_as == {"invoice": "prompt"}


async def test_a_tool_runs_for_a_client_only_while_it_is_exposed_and_the_policy_allows_it(
    ready: InMemory,
) -> None:
    exposed, policies = ready.operations.exposed, ready.operations.policies
    with pytest.raises(Rejected, match="No tool named 'invoice' is exposed"):
        await exposed.run(DEFAULT_AGENT, "desk", "invoice", {}, asked())
    await exposed.write(DEFAULT_AGENT, ["invoice"], None, asked())
    assert await exposed.run(DEFAULT_AGENT, "desk", "invoice", {"n": 1}, asked()) == {"n": 1}
    (called,) = ready.runner.calls.values()
    assert (called.kind, called.client, called.trial) == (EntityKind.TOOL, "desk", False)
    for verdict in ("ask", "deny"):
        rule = {"verdict": verdict, "match": {"tool": "invoice", "after_outside": True}}
        policy = msgspec.convert({"preset": "free", "rules": [rule]}, Policy)
        await policies.write(DEFAULT_AGENT, policy, None, asked())
        with pytest.raises(Rejected) as refused:
            await exposed.run(DEFAULT_AGENT, "desk", "invoice", {}, asked())
        assert refused.value.kind == "not_permitted"
    assert len(ready.runner.calls) == 1


@pytest.mark.parametrize(
    ("show", "answer"),
    [
        (
            {"kind": APPROVAL, "tool": "fetch_url", "rule": "It sends something out", "version": 0},
            {"decision": "once"},
        ),
        (
            {"kind": MCP_INPUT, "answer_schema": {"properties": {}, "required": []}},
            {"action": "submit", "data": {}},
        ),
    ],
)
async def test_a_client_never_gives_a_yes_nor_what_a_server_asks_for(
    ready: InMemory, show: dict[str, Any], answer: dict[str, Any]
) -> None:
    session = (await ready.operations.creation.create(NewSession(message="hi", client="desk"), asked())).id
    await ready.resulted(session, ToolCallPending(call_id=CallId("c1"), show=show, runner="r"))
    by = AnsweringProgram("desk")
    with pytest.raises(Rejected) as refused:
        await ready.operations.steering.answer(SessionId(session), CallId("c1"), answer, asked(), by)
    assert refused.value.kind == "not_permitted"
    assert await ready.kinds(session) == ["created", "user_message", "tool_call_pending"]
