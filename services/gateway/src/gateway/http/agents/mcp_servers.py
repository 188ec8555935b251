"""Foreign servers of tools (MCP) that an agent may use: list, read, put, delete, versions, revert, import,
test, accept what they offer."""

from typing import Annotated

from fastapi import Depends, Path

from agent_contracts.api.mcp import (
    AcceptMcpTools,
    AllowMcpServer,
    ImportedMcpServers,
    ImportMcpServers,
    McpServerOfAgent,
    McpStateView,
    McpToolsOfServer,
    WriteMcpServer,
)
from agent_contracts.api.wire import Page
from agent_contracts.entities.mcp_servers import McpServer
from gateway.http.things import named, things
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentPath, AsOf, Using
from gateway.http.wire.resource import resource
from gateway.operations.agents.things import ThingKey

router = resource("agents", "/agents/{agent_id}/mcp-servers")

ServerPath = Annotated[str, Path(description="The agent's name for the server.", max_length=100)]


async def _place(agent_id: AgentPath, name: ServerPath) -> ThingKey:
    return ThingKey(agent_id, name)


things(
    router,
    lambda operations: operations.mcp_servers,
    McpServerOfAgent,
    ("/{name}", Annotated[ThingKey, Depends(_place)]),
    named("McpServer", ("read", "versions", "revert", "delete")),
    {"delete": "Forget a server, and end the login there; its versions stay readable."},
)


@router.get("", operation_id="listMcpServers")
async def list_servers(operations: Using, agent_id: AgentPath, at: AsOf = None) -> Page[McpServerOfAgent]:
    """The agent's servers by name, now or after event `at`. Values of secrets stand nowhere."""
    return await operations.mcp_servers.listed(agent_id, at)


@router.post(":import", operation_id="importMcpServers")
async def import_servers(
    operations: Using, agent_id: AgentPath, body: ImportMcpServers, key: KeyHeader = None
) -> ImportedMcpServers:
    """The servers that another program keeps as `mcpServers`: all of them, or none."""
    return await operations.mcp_servers.take(agent_id, body.mcpServers, body.replace, asked(key, body))


@router.put("/{name}", operation_id="putMcpServer")
async def write(
    operations: Using, agent_id: AgentPath, name: ServerPath, body: WriteMcpServer, key: KeyHeader = None
) -> McpServerOfAgent:
    """This server from now on. An agent has at most 20."""
    server = McpServer(body.transport, body.enabled, body.timeout_s, sampling=body.sampling)
    return await operations.mcp_servers.write(agent_id, name, server, body.version, asked(key, body))


@router.post("/{name}:test", operation_id="testMcpServer")
async def test(operations: Using, agent_id: AgentPath, name: ServerPath) -> McpStateView:
    """Connect with the server anew, and list its tools; how it is then."""
    return await operations.mcp_servers.test(agent_id, name)


@router.get("/{name}/tools", operation_id="listMcpTools")
async def list_tools(operations: Using, agent_id: AgentPath, name: ServerPath) -> McpToolsOfServer:
    """What the server says of its tools, and how each stands with what a person accepted."""
    return await operations.mcp_tools.listed(agent_id, name)


@router.post("/{name}:accept", operation_id="acceptMcpTools")
async def accept(
    operations: Using, agent_id: AgentPath, name: ServerPath, body: AcceptMcpTools, key: KeyHeader = None
) -> McpServerOfAgent:
    """Offer tools of the server as they are in the list that was looked at."""
    return await operations.mcp_tools.accept(
        agent_id, name, body.version, body.accept, body.refuse, body.read_only, asked(key, body)
    )


@router.post("/{name}:allow", operation_id="allowMcpServer")
async def allow(
    operations: Using, agent_id: AgentPath, name: ServerPath, body: AllowMcpServer, key: KeyHeader = None
) -> McpServerOfAgent:
    """Say what the server may do that servers may not by themselves."""
    return await operations.mcp_servers.allow(agent_id, name, body, asked(key, body))
