"""What doctor and the CLI say of a server's list in which something can't be used."""

import msgspec
import pytest

from agent_contracts import event_sources
from agent_contracts.api.mcp import McpDefinition, McpToolOfServer, McpToolsOfServer
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.mcp_tools import McpTool, McpTools
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.process.clock import SystemClock
from foldline.cli.agents.mcp_tools import show_state, show_tools
from foldline.doctor.finding import Severity
from foldline.doctor.foreign_servers import foreign_servers
from foldline_testing.agent_platform.memory_log import MemoryLog

FLAW = "'inputSchema' is missing"


@pytest.mark.parametrize(
    ("tools", "says"),
    [
        (McpTools((McpTool("good", "h"),)), "1 have listed tools"),
        (McpTools((McpTool("good", "h"), McpTool("bad", "h", flaw=FLAW))), f"bad can't be used: {FLAW}"),
        (McpTools(left_out=7), "7 tools were left out"),
        (McpTools(incomplete="it has more than 5 pages"), "it has more than 5 pages"),
    ],
)
async def test_doctor_names_what_can_not_be_used(tools: McpTools, says: str) -> None:
    entities = Entities(MemoryLog(), SystemClock(), event_sources.MCP_HOST)
    key = EntityKey(AgentId("a_1"), EntityKind.MCP_TOOLS, "notes")
    await entities.write(key, msgspec.to_builtins(tools), EntityWriter("e1", Actor.SERVICE))
    finding = await foreign_servers(entities)
    assert says in finding.text
    assert "good" not in finding.text
    assert (finding.verdict is Severity.OK) is not bool(finding.to_do)


def test_the_cli_names_them_too(capsys: pytest.CaptureFixture[str]) -> None:
    nothing = McpDefinition(title="", description="", parameters="{}", hints={})
    bad = McpToolOfServer(
        name="bad", offered_as="s__bad", standing="flawed", read_only=False, now=nothing, flaw=FLAW
    )
    listed = McpToolsOfServer(version=1, items=[bad], gone=[], left_out=3, incomplete="it was too slow")
    show_tools(listed, as_json=False)
    state = {"state": "connected", "protocol": "1", "tools": 1, "lacks": [], "flaws": [f"bad: {FLAW}"]}
    show_state("notes", state, as_json=False)
    said = capsys.readouterr().out
    assert said.splitlines() == [
        f"bad (flawed): {FLAW}",
        "3 more tools were left out: there is no room for them",
        "The list may not be complete: it was too slow",
        "notes answers: MCP 1, 1 tools",
        f"! bad: {FLAW}",
    ]
