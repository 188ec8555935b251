"""Prompts of foreign servers as a person is offered them and says them: servers lie, fall silent, overdo."""

import pytest

from agent_contracts.api.sessions import MAX_TEXT
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.entities.mcp_servers import McpServer, Stdio
from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind, Rejected, ToolError
from agent_contracts.ids import SessionId
from agent_contracts.json_value import Json
from agent_contracts.session_events.inputs import FromPrompt
from foldline_testing.gateway.in_memory import InMemory
from gateway.operations.idempotency import asked
from gateway.operations.sessions.creation import NewSession


def prompt(name: str, **more: Json) -> dict[str, Json]:
    return {"name": name, "title": "", "description": "", "arguments": [], **more}


def says(*parts: tuple[str, str]) -> ToolAnswer:
    told: list[Json] = [{"role": role, "content": {"text": text}} for role, text in parts]
    return ToolAnswer({"description": "", "messages": told})


@pytest.fixture
async def world(memory: InMemory) -> InMemory:
    await memory.operations.agents.make_default()
    for name in ("far", "lib", "off"):
        server = McpServer(Stdio(name), enabled=name != "off")
        await memory.operations.mcp_servers.write(DEFAULT_AGENT, name, server, None, asked())
    return memory


async def test_those_of_servers_that_answer_are_listed_and_the_others_are_said(world: InMemory) -> None:
    listed: list[Json] = [
        prompt("review", description="Reviews.\u200bNow."),
        prompt("re\u200bview"),
    ]
    world.hosts.answers = {
        "lib": ToolAnswer(
            {
                "prompts": listed,
                "more": 2,
                "unusable": [{"name": "odd\u200b", "flaw": "'arguments' is malformed"}],
                "incomplete": "it has more than 5 pages",
            }
        ),
        "far": ToolAnswer(error=ToolError(ErrorKind.NOT_AVAILABLE, "it can't be reached\u202e")),
    }
    found = await world.operations.prompts.listed(DEFAULT_AGENT)
    assert [(one.server, one.name, one.description) for one in found.items] == [
        ("lib", "review", "Reviews.\\u200bNow.")
    ], "a name that holds what isn't seen can't be chosen"
    assert [(one.server, one.why) for one in found.silent] == [("far", "it can't be reached\\u202e")]
    assert [(one.server, one.what) for one in found.flaws] == [
        ("lib", "the prompt odd\\u200b can't be used: 'arguments' is malformed"),
        ("lib", "the prompt re\\u200bview can't be used: its name has characters that can't be seen"),
        ("lib", "its list of prompts may not be complete: it has more than 5 pages"),
        ("lib", "2 more of its prompts are not listed"),
    ]
    assert sorted(str(one.arguments["server"]) for one in world.hosts.calls) == ["far", "lib"]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (says(), "mcp_server_failed"),
        (says(("user", " ")), "mcp_server_failed"),
        (says(("user", "x" * MAX_TEXT), ("user", "x")), "too_large"),
        (ToolAnswer(error=ToolError(ErrorKind.UPSTREAM, "no")), "mcp_server_failed"),
        (ToolAnswer(error=ToolError(ErrorKind.INVALID_ARGUMENTS, "no")), "invalid_request"),
    ],
)
async def test_what_cant_be_a_message_is_not_said(world: InMemory, answer: ToolAnswer, kind: str) -> None:
    session = (await world.operations.creation.create(NewSession(), asked())).id
    world.hosts.answers = {"lib": answer}
    before = await world.log.last_sequence()
    with pytest.raises(Rejected) as refused:
        await world.operations.prompts.say(SessionId(session), FromPrompt("lib", "review"), asked())
    assert refused.value.kind == kind
    assert await world.log.last_sequence() == before
