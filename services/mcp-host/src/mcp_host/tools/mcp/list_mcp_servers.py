"""`list_mcp_servers`: which foreign servers there are, and how they are."""

from agent_contracts.tool_spec import RunsOn
from agent_tools.tool import PURE, Arguments, Result, tool
from mcp_host.calling.servers import AgentServers


class ListMcpServers(Arguments):
    """Takes nothing."""


class ListedServer(Result):
    """One server. `state`: connected, changed (some of its tools wait for the user), error, needs_login,
    closed (it is connected when it is needed), disabled."""

    name: str
    state: str
    tools: int
    resources: bool
    prompts: bool
    error: str = ""


class ServerList(Result):
    """By name."""

    servers: list[ListedServer]


@tool("list_mcp_servers", family="mcp", effect=PURE, runs_on=RunsOn.MCP)
async def list_mcp_servers(args: ListMcpServers, servers: AgentServers) -> ServerList:
    """List the MCP servers that the user added. Only the user can add, change or remove one."""
    found = []
    for one in await servers.known():
        state = one.state
        told = "disabled" if not one.server.enabled else "closed" if state is None else state.state
        found.append(
            ListedServer(
                name=one.name,
                state=told,
                tools=len(one.server.accepted),
                resources=state is not None and state.resources,
                prompts=state is not None and state.prompts,
                error=state.error if state is not None else "",
            )
        )
    return ServerList(servers=found)
